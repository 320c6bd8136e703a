"""Loops of constrained k-means: nearest centres, sums, and assignment one after the other."""

import numpy as np

from clustraint.kernels._jit import jit


@jit
def nearest(costs):
    """Return the column of the least entry of each row, the first among equals."""
    labels = np.empty(len(costs), np.int64)
    for i in range(len(costs)):
        best = 0
        for j in range(1, costs.shape[1]):
            if costs[i, j] < costs[i, best]:
                best = j
        labels[i] = best
    return labels


@jit
def sum_by_label(points, weights, labels, n_clusters):
    """Return the weighted sum of the points of each cluster, and its weight."""
    sums = np.zeros((n_clusters, points.shape[1]), points.dtype)
    totals = np.zeros(n_clusters, points.dtype)
    for i in range(len(points)):
        label = labels[i]
        weight = weights[i]
        totals[label] += weight
        for j in range(points.shape[1]):
            sums[label, j] += weight * points[i, j]
    return sums, totals


@jit
def squared_distances(points, centers, labels):
    """Return the squared distance of each point to its centre."""
    distances = np.zeros(len(points), points.dtype)
    for i in range(len(points)):
        for j in range(points.shape[1]):
            difference = points[i, j] - centers[labels[i], j]
            distances[i] += difference * difference
    return distances


@jit
def assign_in_order(costs, order, start, others, labels):
    """Give each node in turn its cheapest cluster that no earlier neighbour has.

    The neighbours of node v are others[start[v]:start[v + 1]]. Fills `labels` and returns the
    node for which every cluster is taken, or -1.
    """
    labels[:] = -1
    taken_for = np.full(costs.shape[1], -1, np.int64)
    for node in order:
        for other in others[start[node] : start[node + 1]]:
            if labels[other] >= 0:
                taken_for[labels[other]] = node
        best = -1
        for j in range(costs.shape[1]):
            if taken_for[j] != node and (best < 0 or costs[node, j] < costs[node, best]):
                best = j
        if best < 0:
            return node
        labels[node] = best
    return -1


@jit
def take_off_leaves(n_nodes, start, others):
    """Return nodes with at most one neighbour left, as they are taken off, and that neighbour.

    What stays is the 2-core; a node without a neighbour left has -1.
    """
    degree = start[1:] - start[:-1]
    gone = np.zeros(n_nodes, np.bool_)
    order = np.empty(n_nodes, np.int64)
    towards = np.full(n_nodes, -1, np.int64)
    count = 0
    for node in range(n_nodes):
        if degree[node] <= 1:
            order[count] = node
            count += 1
    head = 0
    # `degree` counts the neighbours that are left of those not taken off yet.
    while head < count:
        node = order[head]
        gone[node] = True
        for other in others[start[node] : start[node + 1]]:
            if not gone[other]:
                towards[head] = other
                degree[other] -= 1
                if degree[other] == 1:
                    order[count] = other
                    count += 1
                break
        head += 1
    return order[:count], towards[:count]


@jit
def fold_leaves(costs, order, towards):
    """Add to each node what the cheapest assignment of the leaves taken off towards it costs."""
    n_clusters = costs.shape[1]
    for i in range(len(order)):
        if towards[i] < 0:
            continue
        row = costs[order[i]]
        best = np.argmin(row)
        second = np.inf
        for j in range(n_clusters):
            if j != best and row[j] < second:
                second = row[j]
        for j in range(n_clusters):
            costs[towards[i], j] += second if j == best else row[best]


@jit
def unfold_leaves(costs, order, towards, labels):
    """Assign the leaves, last one first, to their cheapest cluster beside their neighbour's."""
    for i in range(len(order) - 1, -1, -1):
        node = order[i]
        taken = labels[towards[i]] if towards[i] >= 0 else -1
        best = -1
        for j in range(costs.shape[1]):
            if j != taken and (best < 0 or costs[node, j] < costs[node, best]):
                best = j
        labels[node] = best
