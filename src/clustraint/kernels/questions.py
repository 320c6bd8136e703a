"""Complete link that asks about its merges: what lies between two questions."""

import numpy as np

from clustraint.kernels._jit import jit
from clustraint.kernels.agglomeration import COMPLETE, closest, look_all, merge, place
from clustraint.kernels.arrays import sort_by


@jit
def merge_unasked(clusters, n_left):
    """Merge by complete link until `n_left` clusters are left, and on at that last distance.

    Returns the slots of the merges, their distances, and the last distance; -inf without merges.
    """
    n_samples = len(clusters.sizes)
    merges = np.empty((n_samples - 1, 2), np.int64)
    heights = np.empty(n_samples - 1)
    threshold = -np.inf
    step = 0
    # Merges at the very distance of the last one go on even below `n_left`: which of equal
    # distances came first is not to decide what is asked about.
    while True:
        low, high, distance = closest(clusters)
        if low < 0 or (clusters.count[0] <= n_left and distance > threshold):
            break
        threshold = distance
        merges[step, 0], merges[step, 1] = low, high
        heights[step] = distance
        merge(clusters, low, high, COMPLETE)
        step += 1
    return merges[:step], heights[:step], threshold


@jit
def merge_pair(clusters, low, high):
    """Merge two clusters by complete link."""
    merge(clusters, low, high, COMPLETE)


@jit
def merge_rest(clusters):
    """Merge by complete link while a pair may; return the slots and the distances."""
    return merge_unasked(clusters, 1)[:2]


@jit
def reduced(clusters):
    """Return the distances between the clusters that are left, as a triangle of their own."""
    slots = clusters.slots[: clusters.count[0]]
    distances = np.empty(len(slots) * (len(slots) - 1) // 2, clusters.distances.dtype)
    at = 0
    for i in range(len(slots)):
        for j in range(i):
            distances[at] = clusters.distances[place(slots[i], slots[j])]
            at += 1
    return distances


@jit
def contract(clusters, low, high):
    """Shorten all paths by bringing two clusters to one place, then merge them.

    A negative entry, which keeps two clusters apart, is no step of a path and is never lowered.
    """
    distances = clusters.distances
    slots = clusters.slots[: clusters.count[0]]
    away = np.zeros(len(clusters.sizes))
    # How far each cluster is from the place where the two meet; what is refused to both has no way
    # there.
    for slot in slots:
        if slot != low and slot != high:
            first, second = distances[place(slot, low)], distances[place(slot, high)]
            away[slot] = min(first if first >= 0 else np.inf, second if second >= 0 else np.inf)
    for slot in slots:
        for other in slots:
            if other >= slot:
                break
            where = place(slot, other)
            if distances[where] > away[slot] + away[other]:
                distances[where] = away[slot] + away[other]
    merge(clusters, low, high, COMPLETE)
    # Distances fell everywhere, so that no bound can be trusted.
    look_all(clusters)


@jit
def inner_sums(distances, labels, n_clusters):
    """Return the summed distance of each sample to the others of its cluster."""
    sums = np.zeros(len(labels))
    members, border = sort_by(labels, n_clusters, np.arange(len(labels)))
    for cluster in range(n_clusters):
        for k in range(border[cluster], border[cluster + 1]):
            for other in range(border[cluster], k):
                distance = distances[place(members[k], members[other])]
                sums[members[k]] += distance
                sums[members[other]] += distance
    return sums


@jit
def add_across(distances, first, second, sums):
    """Add to `sums` the distances between the members of two clusters that are merged."""
    for sample in first:
        for other in second:
            distance = distances[place(sample, other)]
            sums[sample] += distance
            sums[other] += distance
