"""Sums below the nodes of a tree, and the best cut of a binary tree into so many clusters."""

import numpy as np

from clustraint.kernels._jit import jit


@jit
def sums_below(parents, values):
    """Return for each node the sum of the values of all nodes below it, its own included."""
    sums = values.copy()
    # Children come before parents, so that a sum is complete when it is passed on.
    for node in range(len(parents) - 1):
        sums[parents[node]] += sums[node]
    return sums


@jit
def best_cut(children, gains, is_unit, n_clusters):
    """Return which nodes are clusters in the cut of most gain, of the latest merges among equals.

    `children` are those of the inner nodes of a binary tree, (n_samples - 1, 2); `gains` are what
    each node is worth as a cluster; a unit is not opened. Dynamic programming: the best of each
    node for each number of clusters below it.
    """
    n_nodes = len(gains)
    n_samples = n_nodes - len(children)
    most = np.ones(n_nodes, np.int64)
    for node in range(n_samples, n_nodes):
        if not is_unit[node]:
            left, right = children[node - n_samples]
            most[node] = min(n_clusters, most[left] + most[right])
    starts = np.zeros(n_nodes + 1, np.int64)
    for node in range(n_nodes):
        starts[node + 1] = starts[node] + most[node]
    value = np.empty(starts[n_nodes])
    opened = np.empty(starts[n_nodes], np.int64)  # the sum of the numbers of the merges undone
    share = np.zeros(starts[n_nodes], np.int32)  # clusters on the left
    # When a node's turn comes, `value` and `opened` hold the best of both its children for every
    # number of clusters; its own are the best of all ways to share a number out between these.
    for node in range(n_nodes):
        start = starts[node]
        value[start], opened[start] = gains[node], 0
        if most[node] == 1:
            continue
        left, right = children[node - n_samples]
        for count in range(2, most[node] + 1):
            best, latest, choice = -np.inf, -1, 0
            for k in range(max(1, count - most[right]), min(most[left], count - 1) + 1):
                one, other = starts[left] + k - 1, starts[right] + count - k - 1
                total, late = value[one] + value[other], opened[one] + opened[other]
                if total > best or (total == best and late > latest):
                    best, latest, choice = total, late, k
            place = start + count - 1
            value[place], opened[place], share[place] = best, latest + node, choice
    wanted = np.zeros(n_nodes, np.int64)
    wanted[n_nodes - 1] = n_clusters
    is_cluster = np.zeros(n_nodes, np.bool_)
    # From the root down: what a node wants, it shares out as its best way did.
    for node in range(n_nodes - 1, -1, -1):
        if wanted[node] == 1:
            is_cluster[node] = True
        elif wanted[node] > 1:
            left, right = children[node - n_samples]
            wanted[left] = share[starts[node] + wanted[node] - 1]
            wanted[right] = wanted[node] - wanted[left]
    return is_cluster


@jit
def owners(parents, is_cluster):
    """Return for each node the cluster at or above it, -1 where there is none."""
    clusters = np.full(len(parents), -1, np.int64)
    # Parents come first here, so that theirs is known.
    for node in range(len(parents) - 1, -1, -1):
        if is_cluster[node]:
            clusters[node] = node
        elif parents[node] >= 0:
            clusters[node] = clusters[parents[node]]
    return clusters
