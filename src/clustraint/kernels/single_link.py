"""Single link by a minimum spanning tree of the samples, without a matrix of distances.

The edges of the tree by length are the merges; where lengths are equal, the order among these
merges depends on all distances of that length, which are then looked at between the clusters
concerned.
"""

import numpy as np

from clustraint.kernels._jit import jit, piece
from clustraint.kernels.agglomeration import least
from clustraint.kernels.disjoint_set import find, singles
from clustraint.kernels.triangle import squared_distances


def single_link(features):
    """Merge all samples, which are the columns of `features`, by Euclidean distance.

    Returns the slots of each merge, lower slot first, (n_samples - 1, 2), and its distance. Among
    equals the pair of the lowest slots comes first.
    """
    edges, lengths = spanning_tree(features)
    order = np.argsort(lengths, kind="stable")
    return merge_edges(features, edges[order], lengths[order]), lengths[order]


@jit(work=lambda features: features.size * features.shape[1])
def spanning_tree(features):
    """Return the edges of a minimum spanning tree, and their lengths."""
    n_samples = features.shape[1]
    left = features.copy()
    names = np.arange(n_samples)
    nearest = np.empty(n_samples, np.int64)
    away = np.full(n_samples, np.inf)
    room = np.empty(n_samples)
    edges = np.empty((max(n_samples - 1, 0), 2), np.int64)
    lengths = np.empty(len(edges))
    # After Prim. The first `count` columns of `left` are the samples outside the tree, each with
    # its nearest one inside and the squared distance; the column behind them came in last.
    newest = n_samples - 1
    for count in range(n_samples - 1, 0, -1):
        _swap(left, names, nearest, away, newest, count)
        sums = room[:count]
        squared_distances(left, count, 0, count, sums)
        for k in range(count):
            nearer = sums[k] < away[k]
            nearest[k] = names[count] if nearer else nearest[k]
            away[k] = sums[k] if nearer else away[k]
        newest = least(away[:count])
        edges[count - 1, 0], edges[count - 1, 1] = nearest[newest], names[newest]
        lengths[count - 1] = np.sqrt(away[newest])
    return edges, lengths


@piece
def _swap(left, names, nearest, away, first, second):
    """Exchange two columns and what belongs to them."""
    for feature in range(len(left)):
        value = left[feature, first]
        left[feature, first] = left[feature, second]
        left[feature, second] = value
    names[first], names[second] = names[second], names[first]
    nearest[first], away[first] = nearest[second], away[second]


@jit
def merge_edges(features, edges, lengths):
    """Return the merges of a spanning tree's edges, which come by rising length."""
    n_samples = features.shape[1]
    merges = np.empty((len(edges), 2), np.int64)
    owner = singles(n_samples)
    level = singles(n_samples)
    following = np.full(n_samples, -1, np.int64)
    last = np.arange(n_samples)
    clusters = np.full(n_samples, -1, np.int64)
    begin = 0
    # `owner` leads to the slots before the edges of one length, `level` to those after them;
    # `following` lists the samples of each cluster.
    while begin < len(edges):
        end = begin + 1
        while end < len(edges) and lengths[end] == lengths[begin]:
            end += 1
        for edge in edges[begin:end]:
            _unite(level, find(level, edge[0]), find(level, edge[1]))
        step = begin
        for first in _first_slots(edges[begin:end], owner, level, clusters):
            slots = merges[step:end]
            count = _merge_level(features, first, clusters, following, lengths[begin], slots)
            step += count
            for low, high in slots[:count]:
                _unite(owner, low, high)
                following[last[low]] = high
                last[low] = last[high]
        begin = end
    return merges


@piece
def _unite(roots, first, second):
    roots[max(first, second)] = min(first, second)


@piece
def _first_slots(edges, owner, level, clusters):
    """Return the lowest slots of all sets of clusters that become one on a level, in their order.

    `clusters` leads from each to the next cluster of its set, in rising order.
    """
    slots = np.empty(2 * len(edges), np.int64)
    for k in range(len(edges)):
        slots[2 * k] = find(owner, edges[k, 0])
        slots[2 * k + 1] = find(owner, edges[k, 1])
    slots.sort()
    count = 0
    # From the highest on, each cluster goes in front of those of its set that came before; the
    # lowest one is what `level` leads to.
    following = -1
    for k in range(len(slots) - 1, -1, -1):
        slot = slots[k]
        if slot == following:
            continue
        following = slot
        first = find(level, slot)
        if slot != first:
            clusters[slot] = clusters[first]
            clusters[first] = slot
        else:
            count += 1
            slots[len(slots) - count] = slot
    return slots[len(slots) - count :]


@piece
def _merge_level(features, first, clusters, following, length, merges):
    """Merge a set of clusters that are connected by pairs at one distance; return how many merges.

    The first one is merged, again and again, with the lowest that is at that distance from it.
    """
    others = 0
    slot = clusters[first]
    while slot >= 0:
        others += 1
        slot = clusters[slot]
    if others == 1:
        merges[0, 0], merges[0, 1] = first, clusters[first]
        clusters[first] = -1
        return 1
    slots = np.empty(others, np.int64)
    slot = clusters[first]
    clusters[first] = -1
    n_samples = 0
    for k in range(others):
        slots[k] = slot
        slot, clusters[slots[k]] = clusters[slot], -1
        sample = slots[k]
        while sample >= 0:
            n_samples += 1
            sample = following[sample]
    # The samples of all but the first cluster side by side, and room for one more.
    block = np.empty((len(features), n_samples + 1))
    member_of = np.empty(n_samples, np.int64)
    sums = np.empty(n_samples)
    column = 0
    for k in range(others):
        sample = slots[k]
        while sample >= 0:
            for feature in range(len(features)):
                block[feature, column] = features[feature, sample]
            member_of[column] = k
            column += 1
            sample = following[sample]
    touches = np.zeros(others, np.bool_)
    is_merged = np.zeros(others, np.bool_)
    newest = first
    for step in range(others):
        sample = newest
        while sample >= 0:
            for feature in range(len(features)):
                block[feature, n_samples] = features[feature, sample]
            squared_distances(block, n_samples, 0, n_samples, sums)
            for k in range(n_samples):
                if np.sqrt(sums[k]) == length:
                    touches[member_of[k]] = True
            sample = following[sample]
        lowest = 0
        while is_merged[lowest] or not touches[lowest]:
            lowest += 1
        is_merged[lowest] = True
        newest = slots[lowest]
        merges[step, 0], merges[step, 1] = first, newest
    return others
