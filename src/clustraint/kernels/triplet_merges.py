"""Agglomeration under triplets: iHAC, which keeps them, and a run of biHAC, which notes violations.

Unlike what merges pass on by themselves, a pair of which a part may not merge may do so, once it
closes the triplets that were in the way: each new cluster is tested with all others.
"""

import numpy as np

from clustraint.kernels._jit import jit, piece
from clustraint.kernels.agglomeration import (
    AVERAGE,
    SMALLEST,
    closest,
    look,
    look_all,
    merge,
    offer,
    place,
    refuse,
    singletons,
    without_candidates,
)
from clustraint.kernels.violations import join, start_violations, violates


@jit
def merge_keeping(distances, n_samples, linkage, index, stop):
    """Merge the closest clusters whose merge violates no triplet.

    Where no such pair is left, it stops, or merges the closest two all the same. Returns the
    slots and the distance of each merge, and whether it violates a triplet.
    """
    violations = start_violations(index)
    clusters = without_candidates(distances, n_samples)
    _refuse_all(clusters, violations)
    look_all(clusters)
    merges = np.empty((n_samples - 1, 2), np.int64)
    heights = np.empty(n_samples - 1)
    violating = np.zeros(n_samples - 1, np.bool_)
    stuck, latest = False, 0
    # Until it is stuck, exactly the pairs that violate a triplet are refused.
    for step in range(n_samples - 1):
        if stuck:
            low, high, height = _closest_to(clusters, violations, latest)
        else:
            low, high, height = closest(clusters)
        if low < 0:
            if stop:
                return merges[:step], heights[:step], violating[:step]
            if not stuck:
                _permit_all(clusters)
            # Now all pairs are forbidden, and of later ones just those with the latest cluster may
            # not be: these are tested one by one, and nothing is marked any more.
            stuck = True
            low, high, height = closest(clusters)
            violating[step] = True
        merges[step, 0], merges[step, 1] = low, high
        heights[step] = height
        merge(clusters, low, high, linkage)
        join(index, violations, low, high)
        latest = low
        if not stuck:
            _mark(clusters, violations, low)
    return merges, heights, violating


@jit
def merge_noting(distances, n_samples, index):
    """Merge the closest clusters, by their mean distances, and note what that violates.

    Returns the slots and the distance of each merge, whether it violates a triplet and, for each
    one that is the first to do so in both clusters, the nodes of the first cluster, of what it
    should have merged with, and likewise of the second; -1 where there is no such cluster.
    """
    violations = start_violations(index)
    clusters = singletons(distances, n_samples)
    merges = np.empty((n_samples - 1, 2), np.int64)
    heights = np.empty(n_samples - 1)
    violating = np.zeros(n_samples - 1, np.bool_)
    mistakes = np.empty((n_samples // 2, 4), np.int64)
    count = 0
    nodes = np.arange(n_samples)
    clean = np.ones(n_samples, np.bool_)
    for step in range(n_samples - 1):
        low, high, height = closest(clusters)
        merges[step, 0], merges[step, 1] = low, high
        heights[step] = height
        violating[step] = violates(violations, low, high)
        if violating[step] and clean[low] and clean[high]:
            mistakes[count, 0] = nodes[low]
            mistakes[count, 1] = _node_closest_to(clusters, violations, low, nodes)
            mistakes[count, 2] = nodes[high]
            mistakes[count, 3] = _node_closest_to(clusters, violations, high, nodes)
            count += 1
        # Clean as long as no merge inside has violated anything: what follows from a mistake is not
        # another one.
        clean[low] = clean[low] and clean[high] and not violating[step]
        nodes[low] = n_samples + step
        merge(clusters, low, high, AVERAGE)
        join(index, violations, low, high)
    return merges, heights, violating, mistakes[:count]


@piece
def _refuse_all(clusters, violations):
    """Refuse the pairs of samples whose merge would violate a triplet."""
    samples = np.flatnonzero(violations.rows >= 0)
    for i in range(samples.size):
        for j in range(i):
            if violates(violations, samples[i], samples[j]):
                refuse(clusters, samples[i], samples[j])


@piece
def _unmarked(distance):
    """Return the distance of a pair, whether it may merge or not."""
    distance = abs(distance)
    return distance if distance > SMALLEST else 0.0


@piece
def _mark(clusters, violations, slot):
    """Find out with which clusters a new one may merge."""
    distances = clusters.distances
    # What was refused to a part may be allowed to the whole, once triplets are closed, and the
    # other way round: all pairs of the new cluster are tested.
    for k in range(clusters.count[0]):
        other = clusters.slots[k]
        if other == slot:
            continue
        where = place(slot, other)
        distances[where] = _unmarked(distances[where])
        if violates(violations, slot, other):
            refuse(clusters, slot, other)
        elif other > slot:
            offer(clusters, slot, other)
    look(clusters, slot)


@piece
def _permit_all(clusters):
    """Let all clusters merge."""
    for k in range(clusters.count[0]):
        for other in clusters.slots[:k]:
            where = place(clusters.slots[k], other)
            clusters.distances[where] = _unmarked(clusters.distances[where])
    look_all(clusters)


@piece
def _closest_to(clusters, violations, slot):
    """Return what `closest` does, for the pairs of one cluster, which are all unmarked."""
    best, height = -1, np.inf
    for k in range(clusters.count[0]):
        other = clusters.slots[k]
        if other != slot and not violates(violations, slot, other):
            distance = clusters.distances[place(slot, other)]
            if distance < height:
                best, height = other, distance
    if best < 0:
        return -1, -1, np.inf
    return min(slot, best), max(slot, best), height


@piece
def _node_closest_to(clusters, violations, slot, nodes):
    """Return the node of the closest cluster that a cluster may merge with, or -1."""
    low, high, _ = _closest_to(clusters, violations, slot)
    return nodes[low + high - slot] if low >= 0 else -1
