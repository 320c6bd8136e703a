"""Loops of constrained k-means: nearest centres, sums, and assignment one after the other."""

from typing import Any, NamedTuple

import numpy as np

from clustraint.kernels._jit import jit, piece

# Points that are labelled at a time, and features up to which that is done by loops of our own.
BLOCK = 256
FEW_FEATURES = 16


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


class Block(NamedTuple):
    """Room for the points of a block, of which either `rows` or `across` is used."""

    rows: Any  # (BLOCK, n_features)
    products: Any  # (BLOCK, n_clusters)
    across: Any  # (n_features, BLOCK)
    first: Any
    second: Any
    least: Any
    labels: Any


@piece
def make_block(n_features, n_clusters):
    """Return the room that `label_block` wants."""
    few = n_features <= FEW_FEATURES
    return Block(
        np.zeros((0 if few else BLOCK, n_features)),
        np.empty((0 if few else BLOCK, n_clusters)),
        np.empty((n_features if few else 0, BLOCK)),
        np.empty(BLOCK),
        np.empty(BLOCK),
        np.empty(BLOCK),
        np.empty(BLOCK, np.int64),
    )


@piece
def label_block(points, begin, end, mean, columns, norms, block):
    """Fill in the centres nearest to the points of a block, the first among equals.

    `columns` holds the centres as columns, around the mean. Whatever other points are in the block,
    and wherever a point is, its numbers are computed in the same order.
    """
    if points.shape[1] <= FEW_FEATURES:
        label_across(points, begin, end, mean, columns, norms, block)
        return
    for i in range(begin, end):
        for t in range(len(mean)):
            block.rows[i - begin, t] = points[i, t] - mean[t]
    # Always of a whole block: the routine treats the last rows of an odd number otherwise.
    np.dot(block.rows, columns, block.products)
    for i in range(end - begin):
        best = 0
        least = norms[0] - 2.0 * block.products[i, 0]
        for j in range(1, len(norms)):
            cost = norms[j] - 2.0 * block.products[i, j]
            if cost < least:
                least = cost
                best = j
        block.labels[i] = best


@piece
def label_across(points, begin, end, mean, columns, norms, block):
    """Do so for points of few features: inner loops run over points, and become vectors.

    Two centres and four features at a time keep the arithmetic ahead of the memory.
    """
    n_points, n_features, n_clusters = end - begin, len(mean), len(norms)
    first, second, least, labels = block.first, block.second, block.least, block.labels
    for i in range(n_points):
        least[i] = np.inf
        labels[i] = 0
        for t in range(n_features):
            block.across[t, i] = points[begin + i, t] - mean[t]
    for a in range(0, n_clusters, 2):
        b = min(a + 1, n_clusters - 1)
        for i in range(n_points):
            first[i] = norms[a]
            second[i] = norms[b]
        for t in range(0, n_features - 3, 4):
            x0, x1 = block.across[t], block.across[t + 1]
            x2, x3 = block.across[t + 2], block.across[t + 3]
            a0, a1 = 2.0 * columns[t, a], 2.0 * columns[t + 1, a]
            a2, a3 = 2.0 * columns[t + 2, a], 2.0 * columns[t + 3, a]
            b0, b1 = 2.0 * columns[t, b], 2.0 * columns[t + 1, b]
            b2, b3 = 2.0 * columns[t + 2, b], 2.0 * columns[t + 3, b]
            for i in range(n_points):
                first[i] -= a0 * x0[i] + a1 * x1[i] + a2 * x2[i] + a3 * x3[i]
                second[i] -= b0 * x0[i] + b1 * x1[i] + b2 * x2[i] + b3 * x3[i]
        for t in range(n_features - n_features % 4, n_features):
            x0, a0, b0 = block.across[t], 2.0 * columns[t, a], 2.0 * columns[t, b]
            for i in range(n_points):
                first[i] -= a0 * x0[i]
                second[i] -= b0 * x0[i]
        for i in range(n_points):
            cost, label = least[i], labels[i]
            label = a if first[i] < cost else label
            cost = first[i] if first[i] < cost else cost
            labels[i] = b if second[i] < cost else label
            least[i] = second[i] if second[i] < cost else cost


# A run has many rounds, and a large input many parts.
@jit(work=lambda points, mean, columns, *rest: 20 * len(points) * columns.size)
def sums_of_nearest(points, mean, columns, norms, weights, left_out):
    """Return the weighted sums of the centred points nearest to each centre, and their weights.

    Without weights each point counts once; those at the places `left_out`, in rising order, do not
    count. Sums are of double precision, whatever the points are.
    """
    n_clusters = len(norms)
    sums = np.zeros((n_clusters, points.shape[1]))
    totals = np.zeros(n_clusters)
    block = make_block(points.shape[1], n_clusters)
    n_passed = 0
    for begin in range(0, len(points), BLOCK):
        end = min(begin + BLOCK, len(points))
        label_block(points, begin, end, mean, columns, norms, block)
        for i in range(begin, end):
            if n_passed < len(left_out) and left_out[n_passed] == i:
                n_passed += 1
                continue
            weight = weights[i] if len(weights) else 1.0
            best = block.labels[i - begin]
            totals[best] += weight
            for t in range(len(mean)):
                sums[best, t] += weight * (points[i, t] - mean[t])
    return sums, totals


@jit(work=lambda points, mean, columns, *rest: len(points) * columns.size)
def label_nearest(points, mean, columns, norms, labels, away):
    """Fill in the nearest centre of each point, and its squared distance."""
    block = make_block(points.shape[1], len(norms))
    for begin in range(0, len(points), BLOCK):
        end = min(begin + BLOCK, len(points))
        label_block(points, begin, end, mean, columns, norms, block)
        for i in range(begin, end):
            best = block.labels[i - begin]
            labels[i] = best
            total = 0.0
            for t in range(len(mean)):
                difference = (points[i, t] - mean[t]) - columns[t, best]
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
