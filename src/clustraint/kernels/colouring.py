"""Neighbours in different clusters, at little cost: a start, improvements, the proof of none.

Graphs are given by the neighbours of each node, others[start[v]:start[v + 1]].
"""

import numpy as np

from clustraint.kernels._jit import jit, piece

# A chain of two clusters that is longer is not swapped.
LONGEST_CHAIN = 64


@jit
def take_off_loose(start, others, n_clusters):
    """Return nodes with fewer neighbours left than clusters, as they are taken off.

    Put back the last one first, each finds a cluster that no neighbour has. What stays is the core
    that decides whether there is an assignment at all.
    """
    degree = start[1:] - start[:-1]
    gone = degree < n_clusters
    order = np.empty(len(degree), np.int64)
    count = 0
    for node in range(len(degree)):
        if gone[node]:
            order[count] = node
            count += 1
    head = 0
    while head < count:
        node = order[head]
        for other in others[start[node] : start[node + 1]]:
            degree[other] -= 1
            if not gone[other] and degree[other] < n_clusters:
                gone[other] = True
                order[count] = other
                count += 1
        head += 1
    return order[:count]


@jit
def place_in_turn(costs, order, start, others, labels):
    """Give each node in turn the cheapest of the clusters with fewest labelled neighbours in it.

    Returns how many pairs of neighbours came together so.
    """
    n_clusters = costs.shape[1]
    counts = np.zeros(n_clusters, np.int64)
    n_together = 0
    for node in order:
        counts[:] = 0
        for other in others[start[node] : start[node + 1]]:
            if labels[other] >= 0:
                counts[labels[other]] += 1
        best = 0
        for j in range(1, n_clusters):
            if counts[j] < counts[best] or (
                counts[j] == counts[best] and costs[node, j] < costs[node, best]
            ):
                best = j
        n_together += counts[best]
        labels[node] = best
    return n_together


@piece
def count_neighbours(start, others, labels, n_clusters):
    """Return how many neighbours of each node are in each cluster."""
    counts = np.zeros((len(labels), n_clusters), np.int64)
    for node in range(len(labels)):
        for other in others[start[node] : start[node + 1]]:
            counts[node, labels[other]] += 1
    return counts


@piece
def move(node, cluster, start, others, labels, counts):
    """Move a node to a cluster, and tell its neighbours."""
    for other in others[start[node] : start[node + 1]]:
        counts[other, labels[node]] -= 1
        counts[other, cluster] += 1
    labels[node] = cluster


@jit(work=lambda start, others, labels, n_clusters, max_steps, rng: max_steps)
def part_neighbours(start, others, labels, n_clusters, max_steps, rng):
    """Move nodes until no two neighbours share a cluster, and say whether that is so.

    Tabu search: of all moves of nodes in conflict the one that leaves fewest conflicts, and for a
    while not back. A step looks at one node in one cluster.
    """
    n_nodes = len(labels)
    counts = count_neighbours(start, others, labels, n_clusters)
    banned_until = np.zeros((n_nodes, n_clusters), np.int64)
    # The nodes in conflict are stuck[:n_stuck]; place[v] is where v is among them, or -1.
    stuck = np.empty(n_nodes, np.int64)
    place = np.full(n_nodes, -1, np.int64)
    n_stuck = 0
    conflicts = 0
    for node in range(n_nodes):
        conflicts += counts[node, labels[node]]
        if counts[node, labels[node]] > 0:
            place[node] = n_stuck
            stuck[n_stuck] = node
            n_stuck += 1
    conflicts //= 2
    fewest = conflicts
    n_moves, n_steps = 0, 0
    while conflicts > 0 and n_steps < max_steps:
        n_moves += 1
        n_steps += n_stuck * n_clusters
        least, best_node, best_cluster, n_equal = 4 * n_nodes * n_nodes, -1, -1, 0
        for i in range(n_stuck):
            node = stuck[i]
            here = counts[node, labels[node]]
            for cluster in range(n_clusters):
                change = counts[node, cluster] - here
                if cluster == labels[node] or change > least:
                    continue
                if banned_until[node, cluster] > n_moves and conflicts + change >= fewest:
                    continue
                if change < least:
                    least, n_equal = change, 0
                n_equal += 1
                if rng.random() * n_equal < 1.0:
                    best_node, best_cluster = node, cluster
        if best_node < 0:
            continue
        banned_until[best_node, labels[best_node]] = (
            n_moves + 6 * n_stuck // 10 + int(10 * rng.random()) + 1
        )
        move(best_node, best_cluster, start, others, labels, counts)
        conflicts += least
        fewest = min(fewest, conflicts)
        for i in range(start[best_node] - 1, start[best_node + 1]):
            node = best_node if i < start[best_node] else others[i]
            in_conflict = counts[node, labels[node]] > 0
            if in_conflict and place[node] < 0:
                place[node] = n_stuck
                stuck[n_stuck] = node
                n_stuck += 1
            elif not in_conflict and place[node] >= 0:
                n_stuck -= 1
                stuck[place[node]] = stuck[n_stuck]
                place[stuck[n_stuck]] = place[node]
                place[node] = -1
    return conflicts == 0


@jit(work=lambda start, others, n_clusters, max_steps, labels: max_steps)
def try_all(start, others, n_clusters, max_steps, labels):
    """Fill in an assignment and return 1, return 0 if there is none, or -1 after so many steps.

    The node with fewest clusters left goes next, and backwards where none is left. Clusters that
    nobody is in yet are all alike: one of them is tried.
    """
    n_nodes = len(labels)
    labels[:] = -1
    counts = np.zeros((n_nodes, n_clusters), np.int64)
    n_taken = np.zeros(n_nodes, np.int64)  # clusters that neighbours of a node are in
    stack = np.empty(n_nodes, np.int64)
    n_used = np.zeros(n_nodes + 1, np.int64)  # clusters with nodes, at each depth
    depth, n_steps = 0, 0
    node, cluster = -1, 0
    while depth < n_nodes:
        if node < 0:
            n_steps += n_nodes
            if n_steps > max_steps:
                return -1
            for other in range(n_nodes):
                if labels[other] < 0 and (
                    node < 0
                    or n_taken[other] > n_taken[node]
                    or (
                        n_taken[other] == n_taken[node]
                        and start[other + 1] - start[other] > start[node + 1] - start[node]
                    )
                ):
                    node = other
            cluster = 0
        last = min(n_clusters, n_used[depth] + 1)
        while cluster < last and counts[node, cluster] > 0:
            cluster += 1
        if cluster < last:
            labels[node] = cluster
            for other in others[start[node] : start[node + 1]]:
                n_taken[other] += counts[other, cluster] == 0
                counts[other, cluster] += 1
            stack[depth] = node
            depth += 1
            n_used[depth] = max(n_used[depth - 1], cluster + 1)
            node = -1
            continue
        if depth == 0:
            return 0
        depth -= 1
        node = stack[depth]
        cluster = labels[node]
        labels[node] = -1
        for other in others[start[node] : start[node + 1]]:
            counts[other, cluster] -= 1
            n_taken[other] -= counts[other, cluster] == 0
        cluster += 1
    return 1


@piece
def cheapest_beside(costs, counts, node, left, left_by):
    """Return the cheapest cluster without a neighbour, but for `left`; one leaves `left_by`."""
    best = -1
    for cluster in range(costs.shape[1]):
        if cluster != left and counts[node, cluster] == (cluster == left_by):
            if best < 0 or costs[node, cluster] < costs[node, best]:
                best = cluster
    return best


@piece
def gain_of_pushing(costs, start, others, labels, counts, node, cluster):
    """Return what it saves to move a node to a cluster, its neighbours there to where they may.

    These are no neighbours of each other, so that each may move as if it were alone.
    """
    here = labels[node]
    gain = costs[node, here] - costs[node, cluster]
    if counts[node, cluster] > 0:
        for other in others[start[node] : start[node + 1]]:
            if labels[other] == cluster:
                refuge = cheapest_beside(costs, counts, other, cluster, here)
                if refuge < 0:
                    return -np.inf
                gain += costs[other, cluster] - costs[other, refuge]
    return gain


@piece
def gain_of_swapping(costs, start, others, labels, node, cluster, chain, seen, mark):
    """Return what it saves to swap two clusters along the chain of a node, and its length.

    The chain is what is connected with the node within its own cluster and the other one.
    """
    here = labels[node]
    gain = 0.0
    chain[0] = node
    seen[node] = mark
    length, head = 1, 0
    while head < length:
        member = chain[head]
        head += 1
        there = cluster if labels[member] == here else here
        gain += costs[member, labels[member]] - costs[member, there]
        for other in others[start[member] : start[member + 1]]:
            if seen[other] != mark and labels[other] == there:
                if length == len(chain):
                    return -np.inf, 0
                seen[other] = mark
                chain[length] = other
                length += 1
    return gain, length


@jit(work=lambda costs, start, others, labels, max_steps: 10 * (costs.size + len(others)))
def improve_apart(costs, start, others, labels, max_steps):
    """Lower what an assignment costs while no two neighbours share a cluster.

    A node that would be cheaper elsewhere moves there, if that pays, pushing its neighbours there
    away, or swapping clusters along a chain. A step looks at one node in one cluster.
    """
    n_nodes, n_clusters = costs.shape
    counts = count_neighbours(start, others, labels, n_clusters)
    waiting = np.arange(n_nodes)  # a queue in a ring, of nodes that are to be looked at
    is_waiting = np.ones(n_nodes, np.bool_)
    head, n_waiting, n_steps = 0, n_nodes, 0
    chain = np.empty(min(LONGEST_CHAIN, n_nodes), np.int64)
    moved = np.empty(n_nodes, np.int64)
    seen = np.full(n_nodes, -1, np.int64)
    mark = 0
    # Rounding must not make a node go to and fro.
    tolerance = 1e-12 * (1.0 + np.abs(costs).max())
    while n_waiting > 0 and n_steps < max_steps:
        node = waiting[head]
        head = (head + 1) % n_nodes
        n_waiting -= 1
        is_waiting[node] = False
        here = labels[node]
        best_gain, best_cluster, best_swaps = tolerance, -1, False
        for cluster in range(n_clusters):
            if costs[node, cluster] >= costs[node, here]:
                continue
            n_steps += 1
            gain = gain_of_pushing(costs, start, others, labels, counts, node, cluster)
            if gain > best_gain:
                best_gain, best_cluster, best_swaps = gain, cluster, False
            if counts[node, cluster] > 0:
                gain, length = gain_of_swapping(
                    costs, start, others, labels, node, cluster, chain, seen, mark
                )
                mark += 1
                n_steps += length
                if gain > best_gain:
                    best_gain, best_cluster, best_swaps = gain, cluster, True
        if best_cluster < 0:
            continue
        n_moved = 1
        moved[0] = node
        if best_swaps:
            _, n_moved = gain_of_swapping(
                costs, start, others, labels, node, best_cluster, moved, seen, mark
            )
            mark += 1
            for i in range(n_moved):
                there = best_cluster if labels[moved[i]] == here else here
                move(moved[i], there, start, others, labels, counts)
        else:
            for other in others[start[node] : start[node + 1]]:
                if labels[other] == best_cluster:
                    moved[n_moved] = other
                    n_moved += 1
            for i in range(1, n_moved):
                refuge = cheapest_beside(costs, counts, moved[i], best_cluster, here)
                move(moved[i], refuge, start, others, labels, counts)
            move(node, best_cluster, start, others, labels, counts)
        for i in range(n_moved):
            member = moved[i]
            for j in range(start[member] - 1, start[member + 1]):
                other = member if j < start[member] else others[j]
                if not is_waiting[other]:
                    is_waiting[other] = True
                    waiting[(head + n_waiting) % n_nodes] = other
                    n_waiting += 1
