"""Which contradictory triplets to drop: a tree grown by cuts, and the triplets that it breaks.

Where a block of BUILD does not fall apart, it is cut in two. A triplet ab|c is lost if the cut
parts a from b, resolved if it parts c from both, and open otherwise. A minimum cut loses least at
each step but mostly takes off single samples, level after level, and so loses far more in the end;
instead the cut with the smallest share of lost among lost and resolved weight is looked for.
"""

import numpy as np

from clustraint.kernels._jit import jit, piece
from clustraint.kernels.components import component_labels
from clustraint.kernels.witness import bonds_of_samples

# Rounds of power iteration for the first guess of a cut, and of sweeps that better it.
ROUNDS = 30
SWEEPS = 20
# What a lost triplet costs against a resolved one, from one series of sweeps to the next.
PENALTIES = (1.0, 2.0, 4.0, 8.0)


@piece
def _spectral_sides(n_nodes, triplets, weights):
    """Return the signs of the leading eigenvector where a, b attract and c repels each other."""
    degree = np.zeros(n_nodes)
    value = np.empty(n_nodes)
    for i in range(len(triplets)):
        a, b, c = triplets[i]
        degree[a] += 1.5 * weights[i]
        degree[b] += 1.5 * weights[i]
        degree[c] += weights[i]
    for node in range(n_nodes):
        # A fixed start without a pattern: fractional parts of multiples of the golden ratio.
        value[node] = (node + 1) * 0.6180339887498949 % 1.0 - 0.5
    # Power iteration; the degrees on the diagonal keep the leading eigenvalue positive.
    for _ in range(ROUNDS):
        after = degree * value
        for i in range(len(triplets)):
            a, b, c = triplets[i]
            after[a] += weights[i] * (value[b] - 0.5 * value[c])
            after[b] += weights[i] * (value[a] - 0.5 * value[c])
            after[c] -= weights[i] * 0.5 * (value[a] + value[b])
        largest = np.abs(after).max()
        if largest == 0:
            break
        value = after / largest
    return value > 0


@piece
def _farthest_node(n_nodes, triplets, weights):
    """Return the side with the one node that is most purely a c."""
    away = np.full(n_nodes, 1e-9)
    near = np.full(n_nodes, 1e-6)
    for i in range(len(triplets)):
        near[triplets[i, 0]] += weights[i]
        near[triplets[i, 1]] += weights[i]
        away[triplets[i, 2]] += weights[i]
    side = np.zeros(n_nodes, np.bool_)
    side[np.argmax(away / (away + near))] = True
    return side


@piece
def _worth(a, b, c, penalty):
    if a != b:
        return -penalty
    return 1.0 if a != c else 0.0


@piece
def _sweep(triplets, weights, start, items, side, penalty):
    """Move nodes over while that raises resolved weight - penalty * lost weight."""
    n_nodes = len(side)
    count = side.sum()
    for _ in range(SWEEPS):
        moved = False
        # Greedy, node by node: each move raises the total, so that no sweep returns to where it
        # was. Neither side may become empty.
        for node in range(n_nodes):
            change = -1 if side[node] else 1
            if not 0 < count + change < n_nodes:
                continue
            gain = 0.0
            for i in items[start[node] : start[node + 1]]:
                a, b, c = triplets[i]
                after = _worth(
                    side[a] ^ (a == node), side[b] ^ (b == node), side[c] ^ (c == node), penalty
                )
                gain += weights[i] * (after - _worth(side[a], side[b], side[c], penalty))
            if gain > 1e-12:
                side[node] = not side[node]
                count += change
                moved = True
        if not moved:
            break


@piece
def _share_lost(triplets, weights, side):
    lost = 0.0
    resolved = 1e-300
    for i in range(len(triplets)):
        worth = _worth(side[triplets[i, 0]], side[triplets[i, 1]], side[triplets[i, 2]], 1.0)
        if worth < 0:
            lost += weights[i]
        elif worth > 0:
            resolved += weights[i]
    return lost / (lost + resolved)


@piece
def _best_cut(n_nodes, triplets, weights):
    """Return a side of each node, neither side empty, with a small share of lost weight."""
    start, items = bonds_of_samples(n_nodes, triplets)
    best = np.zeros(n_nodes, np.bool_)
    best_share = 2.0
    for guess in range(2):
        if guess == 0:
            side = _spectral_sides(n_nodes, triplets, weights)
        else:
            side = _farthest_node(n_nodes, triplets, weights)
        if side.all() or not side.any():
            side[0] = not side[0]
        # A low penalty finds large cuts that resolve much, a high one then takes back what they
        # lose; the share decides among all of them.
        for penalty in PENALTIES:
            _sweep(triplets, weights, start, items, side, penalty)
            share = _share_lost(triplets, weights, side)
            if share < best_share:
                best_share = share
                best = side.copy()
    return best


@piece
def _number_nodes(samples, component, number, inside):
    """Give numbers to the nodes of a block: its samples in a cluster, else its components."""
    n_nodes = 0
    if inside:
        for sample in samples:
            number[sample] = n_nodes
            n_nodes += 1
        return n_nodes
    named = {np.int64(-1): np.int64(-1)}
    for sample in samples:
        if component[sample] not in named:
            named[component[sample]] = n_nodes
            n_nodes += 1
        number[sample] = named[component[sample]]
    return n_nodes


@piece
def _holds_pair(pairs, position, lo, hi):
    for i in range(len(pairs)):
        if lo <= position[pairs[i, 0]] < hi and lo <= position[pairs[i, 1]] < hi:
            return True
    return False


@piece
def _gather(items, keys, n_keys):
    """Sort `items` in place by key, those of key -1 last; return the borders of the keys."""
    border = np.zeros(n_keys + 2, np.int64)
    for key in keys:
        border[(key if key >= 0 else n_keys) + 1] += 1
    border = np.cumsum(border)
    free = border.copy()
    old = items.copy()
    for i in range(len(old)):
        key = keys[i] if keys[i] >= 0 else n_keys
        items[free[key]] = old[i]
        free[key] += 1
    return border[: n_keys + 1]


@jit
def lost_triplets(n_samples, triplets, weights, component, cannot_link):
    """Return which triplets to drop so that the rest agrees with itself and with the pairs.

    `component` numbers the must-link components; no cannot-link may be within one of them.
    """
    lost = np.zeros(len(triplets), np.bool_)
    samples = np.arange(n_samples)
    position = np.arange(n_samples)
    active = np.arange(len(triplets))
    number = np.empty(n_samples, np.int64)
    waiting = [(0, n_samples, 0, len(triplets), len(cannot_link) == 0)]
    # Each block that waits is a stretch of `samples` with the triplets that lie within it, which
    # are a stretch of `active`; none of these is lost or resolved yet.
    while len(waiting):
        lo, hi, first, last, inside = waiting.pop()
        if first == last:
            continue
        block = samples[lo:hi]
        here = active[first:last]
        n_nodes = _number_nodes(block, component, number, inside)
        local = np.empty((last - first, 3), np.int64)
        for i in range(last - first):
            for j in range(3):
                local[i, j] = number[triplets[here[i], j]]
        part, n_parts = component_labels(n_nodes, local[:, :2])
        if n_parts == 1:
            # A block without cannot-links may be one cluster: below it must-links say nothing, and
            # its samples part one by one.
            if not inside and not _holds_pair(cannot_link, position, lo, hi):
                waiting.append((lo, hi, first, last, True))
                continue
            part = _best_cut(n_nodes, local, weights[here]).astype(np.int64)
            n_parts = 2
        # Lost if a and b part; resolved, and gone, if c alone does; otherwise it goes on in its
        # part.
        home = np.empty(last - first, np.int64)
        for i in range(last - first):
            a, b, c = part[local[i, 0]], part[local[i, 1]], part[local[i, 2]]
            lost[here[i]] = a != b
            home[i] = a if a == b and a == c else -1
        sample_border = _gather(block, part[number[block]], n_parts)
        triplet_border = _gather(here, home, n_parts)
        for place in range(lo, hi):
            position[samples[place]] = place
        for i in range(n_parts):
            waiting.append(
                (
                    lo + sample_border[i],
                    lo + sample_border[i + 1],
                    first + triplet_border[i],
                    first + triplet_border[i + 1],
                    inside,
                )
            )
    return lost
