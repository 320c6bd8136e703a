"""Loops of constrained k-means: nearest centres, sums, and assignment one after the other."""

import numpy as np

from clustraint.kernels._jit import jit, piece


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
def nearest_centers(products, norms, labels):
    """Fill in the nearest centre of each point, from its products with all centres.

    Returns the squared distances to these, less the squared norms of the points.
    """
    least = np.empty(len(products), np.float64)
    for i in range(len(products)):
        best = 0
        cost = norms[0] - 2 * products[i, 0]
        for j in range(1, products.shape[1]):
            other = norms[j] - 2 * products[i, j]
            if other < cost:
                cost = other
                best = j
        labels[i] = best
        least[i] = cost
    return least


@piece
def nearest_of_point(points, i, mean, columns, norms, row, costs):
    """Return the centre nearest to a point, the first among equals; `row` gets it centred.

    `columns` holds the centres as columns: the inner loop runs over all of them at once, so that
    it becomes vector instructions and no order of additions depends on that.
    """
    n_clusters = len(norms)
    for j in range(n_clusters):
        costs[j] = norms[j]
    for t in range(len(mean)):
        value = points[i, t] - mean[t]
        row[t] = value
        twice = 2.0 * value
        for j in range(n_clusters):
            costs[j] -= twice * columns[t, j]
    best = 0
    for j in range(1, n_clusters):
        if costs[j] < costs[best]:
            best = j
    return best


@jit
def sums_of_nearest(points, mean, columns, norms, weights):
    """Return the weighted sums of the centred points nearest to each centre, and their weights.

    The cluster of a point depends on nothing but the point and the centres, whatever chunk it is
    in; sums are of double precision, whatever the points are.
    """
    n_clusters = len(norms)
    sums = np.zeros((n_clusters, points.shape[1]))
    totals = np.zeros(n_clusters)
    row = np.empty(points.shape[1])
    costs = np.empty(n_clusters)
    for i in range(len(points)):
        weight = weights[i]
        if weight > 0:
            best = nearest_of_point(points, i, mean, columns, norms, row, costs)
            totals[best] += weight
            for t in range(len(row)):
                sums[best, t] += weight * row[t]
    return sums, totals


@jit
def label_nearest(points, mean, columns, norms, labels, away):
    """Fill in the nearest centre of each point, and its squared distance."""
    row = np.empty(points.shape[1])
    costs = np.empty(len(norms))
    for i in range(len(points)):
        best = nearest_of_point(points, i, mean, columns, norms, row, costs)
        labels[i] = best
        total = 0.0
        for t in range(len(row)):
            difference = row[t] - columns[t, best]
            total += difference * difference
        away[i] = total


@jit
def closest_rows(labels, distances, first, rows, least):
    """Keep in `rows` and `least` the row closest to each centre, the first among equals.

    The row at place i of `labels` is first + i.
    """
    for i in range(len(labels)):
        label = labels[i]
        if distances[i] < least[label]:
            least[label] = distances[i]
            rows[label] = first + i


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
    # `taken_for[j] == node` says that a neighbour has cluster j; the number of an earlier node says
    # nothing, so that nothing is reset.
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
    # A leaf takes its cheapest cluster wherever its neighbour goes, and its second cheapest if the
    # neighbour is in the first. Leaves come in the order they were taken off, so that their own
    # leaves are in their row already.
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
    # Backwards, so that the neighbour a leaf was taken off towards is labelled by then.
    for i in range(len(order) - 1, -1, -1):
        node = order[i]
        taken = labels[towards[i]] if towards[i] >= 0 else -1
        best = -1
        for j in range(costs.shape[1]):
            if j != taken and (best < 0 or costs[node, j] < costs[node, best]):
                best = j
        labels[node] = best
