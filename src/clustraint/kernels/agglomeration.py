"""Agglomeration by stored distances: which two clusters are closest, and what a merge changes.

A cluster lives in the slot of its first sample, so that ties are decided by slots. Each slot keeps
a candidate: the nearest cluster of a lower slot. Merges make candidates stale; they are looked at
again only when they come first, as a stale distance never exceeds the true one. That is the
invariant: `bounds` are lower bounds, so that the least one is the least of all if it is still true.

An algorithm is a loop of its own over these pieces: numba cannot cache kernels that take functions.

    clusters = singletons(distances, n_samples)
    while True:
        low, high, distance = closest(clusters)
        if low < 0: no pair may merge
        either refuse(clusters, low, high)
        or merge(clusters, low, high, COMPLETE)
"""

from typing import Any, NamedTuple

import numpy as np

from clustraint.kernels._jit import jit, piece
from clustraint.kernels.arrays import copy

SINGLE, COMPLETE, AVERAGE, CENTROID, WARD = range(5)

# Entries that are compared side by side, which the compiler turns into wide instructions.
LANES = 32

# What stands for a distance of 0 where the pair is refused; normal in float32, too.
SMALLEST = 1.2e-38


class Clusters(NamedTuple):
    """Clusters that are being merged, by the distances between them.

    Attributes
    ----------
    distances : float64 or float32 ndarray of shape (n_samples * (n_samples - 1) / 2,)
        The lower triangle, row by row: slots i > j are at ``i * (i - 1) // 2 + j``. The entry of a
        pair that may not merge is minus its distance, that of a slot that is no more is infinite.
    sizes : int64 ndarray of shape (n_samples,)
        How many samples each cluster has.
    slots : int64 ndarray of shape (n_samples,)
        The first ``count[0]`` are the slots of all clusters, in rising order.
    count : int64 ndarray of shape (1,)
        How many clusters there are.
    nearest : int64 ndarray of shape (n_samples,)
        The candidate of each slot.
    bounds : float64 ndarray of shape (n_samples,)
        Its distance when it was last looked at; infinite where there is none.
    work : ndarray of shape (2, n_samples), of the type of the distances
        Distances of two slots, for `merge`.
    """

    distances: Any
    sizes: Any
    slots: Any
    count: Any
    nearest: Any
    bounds: Any
    work: Any


@jit
def singletons(distances, n_samples):
    """Return each sample as a cluster of its own, with its candidate; `distances` are kept."""
    clusters = without_candidates(distances, n_samples)
    look_all(clusters)
    return clusters


@piece
def without_candidates(distances, n_samples):
    """Return each sample as a cluster of its own, before `look_all`."""
    return Clusters(
        distances,
        np.ones(n_samples, np.int64),
        np.arange(n_samples),
        np.full(1, n_samples, np.int64),
        np.full(n_samples, -1, np.int64),
        np.full(n_samples, np.inf),
        np.empty((2, n_samples), distances.dtype),
    )


@piece
def look_all(clusters):
    """Find all candidates, as is needed where distances fell."""
    for slot in clusters.slots[: clusters.count[0]]:
        look(clusters, slot)


@piece
def place(first, second):
    """Return where the distance of two slots is."""
    if first > second:
        return first * (first - 1) // 2 + second
    return second * (second - 1) // 2 + first


@piece
def least(values):
    """Return the place of the first of the least values from 0 up, -1 where none is finite."""
    lowest = np.full(LANES, np.inf, values.dtype)
    whole = len(values) - len(values) % LANES
    # Each lane keeps the least of its own entries, without a branch: negative ones (refused) and
    # infinite ones never win.
    for start in range(0, whole, LANES):
        block = values[start : start + LANES]
        for lane in range(LANES):
            value = block[lane] if block[lane] >= 0 else np.inf
            lowest[lane] = value if value < lowest[lane] else lowest[lane]
    best = lowest.min()
    for k in range(whole, len(values)):
        if 0 <= values[k] < best:
            best = values[k]
    if best == np.inf:
        return -1
    # The lanes have lost the places, so the first entry of that value is looked up again: ties go
    # to the lowest slot.
    for k in range(len(values)):
        if values[k] == best:
            return k
    return -1


@piece
def look(clusters, slot):
    """Find the candidate of a slot."""
    start = slot * (slot - 1) // 2
    best = least(clusters.distances[start : start + slot])
    clusters.nearest[slot] = best
    clusters.bounds[slot] = clusters.distances[start + best] if best >= 0 else np.inf


@piece
def refuse(clusters, first, second):
    """Keep a pair from merging; merges pass this on, as a distance they still go by."""
    where = place(first, second)
    # Minus zero would not be less than zero.
    clusters.distances[where] = -max(abs(clusters.distances[where]), SMALLEST)


@piece
def allow(clusters, first, second):
    """Let a pair merge that was refused."""
    where = place(first, second)
    clusters.distances[where] = abs(clusters.distances[where])
    offer(clusters, first, second)


@piece
def offer(clusters, first, second):
    """Make a pair a candidate if it is nearer, after its distance fell."""
    low, high = min(first, second), max(first, second)
    distances = clusters.distances[place(low, high) : place(low, high) + 1]
    _offer_all(clusters.bounds, clusters.nearest, low, np.array([high]), distances)


@piece
def _offer_all(bounds, nearest, low, slots, distances):
    # On equal distances the lower slot wins, as `least` would have decided.
    for k in range(len(slots)):
        distance, bound = distances[k], bounds[slots[k]]
        if 0 <= distance <= bound and (distance < bound or low < nearest[slots[k]]):
            bounds[slots[k]] = distance
            nearest[slots[k]] = low


@piece
def first_bound(bounds, nearest, n_rows):
    """Return the slot of the least bound, the lowest pair of slots among equals; -1 if none."""
    slot = least(bounds[:n_rows])
    if slot >= 0:
        bound = bounds[slot]
        # Among equally close pairs the one whose lower slot is lowest comes first, whatever its
        # higher slot.
        for other in range(slot + 1, n_rows):
            if bounds[other] == bound and nearest[other] < nearest[slot]:
                slot = other
    return slot


@jit
def closest(clusters):
    """Return the closest two clusters that may merge, lower slot first, and their distance.

    Where no pair may merge, the slots are -1.
    """
    n_rows = clusters.slots[clusters.count[0] - 1] + 1
    # Bounds never exceed true distances. So the least bound, if it is still a true distance, is the
    # least distance of all; otherwise that one slot is looked at again, which only raises its
    # bound.
    while True:
        slot = first_bound(clusters.bounds, clusters.nearest, n_rows)
        if slot < 0:
            return -1, -1, np.inf
        other = clusters.nearest[slot]
        if clusters.distances[place(slot, other)] == clusters.bounds[slot]:
            return other, slot, clusters.bounds[slot]
        look(clusters, slot)


@piece
def merge(clusters, low, high, linkage):
    """Merge the cluster of slot `high` into that of the lower slot `low`.

    A pair of which either part may not merge may not merge.
    """
    sizes, count = clusters.sizes, clusters.count
    between = abs(clusters.distances[place(low, high)])
    clusters.distances[place(low, high)] = np.inf
    clusters.bounds[high] = np.inf
    remove(clusters.slots, count, high)
    slots, work = clusters.slots[: count[0]], clusters.work[:, : count[0]]
    below = np.searchsorted(slots, low)
    under = np.searchsorted(slots, high)
    # Loops of one purpose each: scattered reads overlap, and sums become wide instructions.
    _gather(clusters.distances, slots, low, high, below, under, work)
    n_low, n_high = float(sizes[low]), float(sizes[high])
    _combine(work[0], work[1], between, n_low, n_high, sizes, slots, linkage)
    _scatter(clusters.distances, slots, low, below, work[0])
    # By complete link no distance falls.
    if linkage != COMPLETE:
        above = below + 1
        _offer_all(clusters.bounds, clusters.nearest, low, slots[above:], work[0, above:])
    sizes[low] += sizes[high]
    look(clusters, low)


@piece
def _gather(distances, slots, low, high, below, under, work):
    """Copy the distances of two slots to all others, and delete those of the higher one."""
    row_low, row_high = low * (low - 1) // 2, high * (high - 1) // 2
    # The entry of a cluster to itself takes part in the sums, and is not written back.
    work[:, below] = 0.0
    # The lower triangle, by rows: two rows, then a column and a row, then two columns.
    for k in range(below):
        work[0, k] = distances[row_low + slots[k]]
    for k in range(under):
        if k != below:
            work[1, k] = distances[row_high + slots[k]]
            distances[row_high + slots[k]] = np.inf
    for k in range(below + 1, under):
        work[0, k] = distances[slots[k] * (slots[k] - 1) // 2 + low]
    for k in range(under, len(slots)):
        row = slots[k] * (slots[k] - 1) // 2
        work[0, k] = distances[row + low]
        work[1, k] = distances[row + high]
        distances[row + high] = np.inf


@piece
def _scatter(distances, slots, low, below, values):
    row_low = low * (low - 1) // 2
    for k in range(below):
        distances[row_low + slots[k]] = values[k]
    for k in range(below + 1, len(slots)):
        distances[slots[k] * (slots[k] - 1) // 2 + low] = values[k]


@piece
def _combine(first, second, between, n_first, n_second, sizes, slots, linkage):
    """Write the distances to two merged clusters into `first`, after Lance and Williams.

    Centroid and ward go by squared distances. A negative distance makes a negative one.
    """
    total = n_first + n_second
    if linkage == COMPLETE:
        for k in range(len(first)):
            a, b = abs(first[k]), abs(second[k])
            first[k] = _signed(a if a > b else b, first[k], second[k])
    elif linkage == SINGLE:
        for k in range(len(first)):
            a, b = abs(first[k]), abs(second[k])
            first[k] = _signed(a if a < b else b, first[k], second[k])
    elif linkage == WARD:
        for k in range(len(first)):
            n_other = sizes[slots[k]]
            summed = (n_first + n_other) * abs(first[k]) + (n_second + n_other) * abs(second[k])
            merged = (summed - n_other * between) / (total + n_other)
            first[k] = _signed(max(merged, 0.0), first[k], second[k])
    else:
        # Centroids, unlike averages, are nearer than what they are centroids of.
        nearer = n_first * n_second * between / (total * total) if linkage == CENTROID else 0.0
        for k in range(len(first)):
            merged = (n_first * abs(first[k]) + n_second * abs(second[k])) / total - nearer
            first[k] = _signed(merged if merged > 0 else 0.0, first[k], second[k])


@piece
def _signed(distance, first, second):
    return -distance if (first < 0) | (second < 0) else distance


@piece
def remove(slots, count, gone):
    """Take a slot off the list."""
    k = np.searchsorted(slots[: count[0]], gone)
    copy(slots[k + 1 : count[0]], slots[k:])
    count[0] -= 1


@jit
def agglomerate(distances, n_samples, linkage):
    """Merge all, using up `distances`, which are squared for centroid and ward.

    Returns the slots of each merge, lower slot first, (n_samples - 1, 2), and its distance.
    """
    clusters = singletons(distances, n_samples)
    merges = np.empty((n_samples - 1, 2), np.int64)
    heights = np.empty(n_samples - 1)
    # Before each step the bounds are lower bounds of all pairs of the clusters that are left.
    for step in range(n_samples - 1):
        low, high, heights[step] = closest(clusters)
        merges[step, 0], merges[step, 1] = low, high
        merge(clusters, low, high, linkage)
    return merges, heights
