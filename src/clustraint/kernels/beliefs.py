"""Sum-product on a graph of statements: where each node is, given what is said about all of them.

A node is in one of k clusters. A factor is a statement about two nodes (they are together, or
apart) or three (if a or b is with c, all three are). It multiplies the probability of whatever
breaks it by exp(-|strength|). The slots of factor f are start[f]:start[f + 1], and members[slot] is
the node in it. All messages are logs, from factors to nodes; what a node says to a factor is its
belief without that factor's own message, its *cavity*.

If there is one state more than clusters, it is *void*: a node in it is nowhere, and what a factor
says about it and a node in a cluster is a coin flip if it says together, and granted if apart. No
two nodes of a factor can both be void, and none of a factor of three.

Between any two updates, beliefs[node] is the node's own log-probability plus the messages of all
slots that it is in. So an update costs O(k) whatever the degrees are, and where messages depend on
none of their own echoes (no ring), one walk from the leaves and back makes every belief exact.
"""

import numpy as np

from clustraint.kernels._jit import jit, piece
from clustraint.kernels.arrays import sort_by

# After so many rounds messages move half as far, but never less than this share of the way.
PATIENCE = 50
LEAST_PACE = 0.05

# What stands for a probability of 0: its log is large, but sums of such logs stay finite.
NOTHING = 1e-300


@jit
def walk(n_nodes, start, members):
    """Return the factors as they are met from one node of each piece, and which lie near a ring.

    A piece of nodes and factors is a tree if it has one slot less than nodes and factors.
    """
    n_factors = len(start) - 1
    owner = np.empty(len(members), np.int64)
    for factor in range(n_factors):
        for slot in range(start[factor], start[factor + 1]):
            owner[slot] = factor
    # From here, the slots of node v are slots[border[v]:border[v + 1]].
    slots, border = sort_by(members, n_nodes, np.arange(len(members)))
    order = np.empty(n_factors, np.int64)
    ringed = np.zeros(n_factors, np.bool_)
    is_met = np.zeros(n_factors, np.bool_)
    is_seen = np.zeros(n_nodes, np.bool_)
    queue = np.empty(n_nodes, np.int64)
    n_met = 0
    for root in range(n_nodes):
        if is_seen[root]:
            continue
        is_seen[root] = True
        queue[0] = root
        n_seen = 1
        head = 0
        n_slots = 0
        first = n_met
        # Nodes are queued once and factors met once; a factor is met after some node of it, so that
        # the reversed order goes from the leaves to the root.
        while head < n_seen:
            for place in range(border[queue[head]], border[queue[head] + 1]):
                factor = owner[slots[place]]
                if is_met[factor]:
                    continue
                is_met[factor] = True
                order[n_met] = factor
                n_met += 1
                n_slots += start[factor + 1] - start[factor]
                for slot in range(start[factor], start[factor + 1]):
                    if not is_seen[members[slot]]:
                        is_seen[members[slot]] = True
                        queue[n_seen] = members[slot]
                        n_seen += 1
            head += 1
        # A connected graph is a tree exactly if it has one edge less than nodes; here slots are
        # edges, and both nodes and factors are nodes.
        if n_slots > n_seen + (n_met - first) - 1:
            for place in range(first, n_met):
                ringed[order[place]] = True
    return order, ringed


@jit
def believe(
    n_clusters,
    unary,
    start,
    members,
    order,
    ringed,
    strength,
    messages,
    most_rounds,
    damping,
    tol,
):
    """Pass messages until they settle, and return what is believed then.

    `messages` are those to begin with, and are overwritten. Pieces without a ring are walked once,
    from the leaves and back; the others at most `most_rounds` times, until no message is further
    than `tol` from what its factor says. They move less than all the way there, by `damping` at
    first and more as time passes, since around rings answers may chase each other for ever.

    Returns the shares of clusters for each node, the chance of each factor that its nodes are
    together (of three: that the statement holds), the log of the summed probability of everything
    (Bethe's; exact without rings), and whether messages have settled.
    """
    n_nodes, n_states = unary.shape
    n_factors = len(order)
    beliefs = unary.copy()
    # The invariant of the head holds from here on: beliefs are own logs plus all messages.
    for slot in range(len(members)):
        for z in range(n_states):
            beliefs[members[slot], z] += messages[slot, z]
    inside = np.empty((3, n_states))
    outside = np.empty((3, n_states))
    fresh = np.zeros((3, n_states))
    settled = False
    # A round is a walk from the leaves to the roots and back. Trees are exact after the first; only
    # pieces with a ring are walked again, ever more slowly, so that answers that chase each other
    # settle.
    for n_rounds in range(most_rounds):
        change = 0.0
        pace = max((1.0 - damping) * 0.5 ** (n_rounds // PATIENCE), LEAST_PACE)
        for step in range(2 * n_factors):
            factor = order[n_factors - 1 - step if step < n_factors else step - n_factors]
            if n_rounds and not ringed[factor]:
                continue
            begin, width = start[factor], start[factor + 1] - start[factor]
            _cavities(beliefs, messages, members, begin, width, inside, outside)
            _answer(inside, outside, n_clusters, width, strength[factor], fresh)
            share = pace if ringed[factor] else 1.0
            for place in range(width):
                slot = begin + place
                for z in range(n_states):
                    # Message and belief move by the same step, so that no sum over slots is needed
                    # and the invariant stays true.
                    move = share * (fresh[place, z] - messages[slot, z])
                    messages[slot, z] += move
                    beliefs[members[slot], z] += move
                    if ringed[factor] and abs(move) > change:
                        change = abs(move)
        if change <= tol * pace:
            settled = True
            break
    shares = np.empty((n_nodes, n_states))
    evidence = 0.0
    # Bethe's free energy: the sums of all nodes and factors, less what each slot has counted twice.
    for node in range(n_nodes):
        evidence += _shares(beliefs[node], shares[node])
    chances = np.empty(n_factors)
    for factor in range(n_factors):
        begin, width = start[factor], start[factor + 1] - start[factor]
        _cavities(beliefs, messages, members, begin, width, inside, outside)
        chances[factor], total = _chance(inside, outside, n_clusters, width, strength[factor])
        evidence += np.log(total)
        for place in range(width):
            heard = 0.0
            for z in range(n_states):
                heard += inside[place, z] * np.exp(messages[begin + place, z])
            evidence -= np.log(max(heard, NOTHING))
    return shares, chances, evidence, settled


@piece
def _shares(logs, shares):
    """Fill the shares that logs stand for, and return the log of their sum."""
    # Less the largest, so that nothing overflows and the largest share keeps all its digits.
    top = logs.max()
    total = 0.0
    for z in range(len(logs)):
        shares[z] = np.exp(logs[z] - top)
        total += shares[z]
    for z in range(len(logs)):
        shares[z] /= total
    return top + np.log(total)


@piece
def _cavities(beliefs, messages, members, begin, width, inside, outside):
    """Fill the share of each cluster in the cavity of each slot, and the share of all others.

    1 - share would lose the few digits that are left beside a share near 1.
    """
    n_states = beliefs.shape[1]
    for place in range(width):
        row = inside[place]
        for z in range(n_states):
            row[z] = beliefs[members[begin + place], z] - messages[begin + place, z]
        _shares(row, row)
        largest = np.argmax(row)
        others = 0.0
        for z in range(n_states):
            outside[place, z] = 1.0 - row[z]
            if z != largest:
                others += row[z]
        outside[place, largest] = others


@piece
def _void(inside, n_clusters, place):
    """Return the share of a node that is in no cluster."""
    return inside[place, n_clusters] if inside.shape[1] > n_clusters else 0.0


@piece
def _answer(inside, outside, n_clusters, width, strength, fresh):
    """Fill the messages of a factor to its slots, from their cavities."""
    rest = np.exp(-abs(strength))
    if width == 3:
        _answer_three(inside, outside, n_clusters, rest, fresh)
        return
    # What a factor says where the other node is void: a coin flip between holding and breaking if
    # it says together, no objection if it says apart.
    blank = 0.5 * (1.0 + rest) if strength > 0 else 1.0
    for place in range(2):
        same, void = inside[1 - place], _void(inside, n_clusters, 1 - place)
        # Sums over where the other node is: with this one, elsewhere, or nowhere.
        for z in range(n_clusters):
            other = max(outside[1 - place, z] - void, 0.0)
            if strength > 0:
                likely = same[z] + rest * other + blank * void
            else:
                likely = other + rest * same[z] + blank * void
            fresh[place, z] = np.log(max(likely, NOTHING))
        if inside.shape[1] > n_clusters:
            fresh[place, n_clusters] = np.log(blank)


@piece
def _answer_three(inside, outside, n_clusters, rest, fresh):
    """Fill the messages of ab|c, which breaks if c is with one of a and b but not the other."""
    for place in range(2):
        partner = 1 - place
        meeting = 0.0  # that the partner is with c, wherever that is
        for z in range(n_clusters):
            meeting += inside[partner, z] * inside[2, z]
        # Of where the partner and c are: ab|c with a in z breaks if c is in z without the partner,
        # or with the partner elsewhere.
        for z in range(n_clusters):
            elsewhere = max(meeting - inside[partner, z] * inside[2, z], 0.0)
            breaks = inside[2, z] * outside[partner, z] + elsewhere
            holds = inside[partner, z] + outside[partner, z] * outside[2, z] - elsewhere
            fresh[place, z] = np.log(max(max(holds, 0.0) + rest * breaks, NOTHING))
    for z in range(n_clusters):
        holds = inside[0, z] * inside[1, z] + outside[0, z] * outside[1, z]
        breaks = inside[0, z] * outside[1, z] + inside[1, z] * outside[0, z]
        fresh[2, z] = np.log(max(holds + rest * breaks, NOTHING))
    for place in range(3):
        for z in range(n_clusters, inside.shape[1]):
            fresh[place, z] = 0.0


@piece
def _chance(inside, outside, n_clusters, width, strength):
    """Return the chance of being together, or of a triplet to hold, and the factor's sum."""
    rest = np.exp(-abs(strength))
    yes = 0.0
    no = 0.0
    void = 0.0
    if width == 2:
        for z in range(n_clusters):
            yes += inside[0, z] * inside[1, z]
            no += inside[0, z] * max(outside[1, z] - _void(inside, n_clusters, 1), 0.0)
        void = _void(inside, n_clusters, 0) + _void(inside, n_clusters, 1)
    else:
        for z in range(n_clusters):
            holds = inside[0, z] * inside[1, z] + outside[0, z] * outside[1, z]
            breaks = inside[0, z] * outside[1, z] + inside[1, z] * outside[0, z]
            yes += inside[2, z] * holds
            no += inside[2, z] * breaks
    if strength > 0:
        no = rest * no + 0.5 * (1.0 + rest) * void
    else:
        yes *= rest
        no += void
    total = max(yes + no, NOTHING)
    return yes / total, total
