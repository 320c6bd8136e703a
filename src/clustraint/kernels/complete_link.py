"""Complete link under must-links and cannot-links, on a triangle of distances."""

import numpy as np

from clustraint.kernels._jit import jit, piece
from clustraint.kernels.agglomeration import (
    COMPLETE,
    SINGLE,
    closest,
    look_all,
    merge,
    place,
    refuse,
    without_candidates,
)
from clustraint.kernels.arrays import copy, sort_by

# Components whose paths are tried at a time, and columns of a tile that stay in the cache.
COMPONENTS, COLUMNS = 64, 128


@jit
def constrained_complete_link(distances, components, cannot_link, weights, height):
    """Merge all samples, using up `distances`.

    Samples of one must-link component come first, at distance 0. Then clusters that may merge, by
    complete link on shortest paths. Those that are left are all kept apart: they are merged at
    `height`, by the least weight of cannot-links between them. `cannot_link` are pairs of samples.

    Returns the slots of each merge, its distance, and how many merges joined what cannot-links
    keep apart.
    """
    n_samples = len(components)
    merges = np.empty((n_samples - 1, 2), np.int64)
    heights = np.zeros(n_samples - 1)
    clusters = without_candidates(distances, n_samples)
    # Must-linked samples are at one place: merged by single link, their cluster is as far from
    # others as its nearest member, which shortest paths then start from.
    firsts, linked = _merge_components(clusters, components, merges)
    shorten(clusters, linked)
    for first, second in cannot_link:
        # After the paths: a cannot-link is never a step of one, and no path lowers it any more.
        refuse(clusters, firsts[components[first]], firsts[components[second]])
    look_all(clusters)
    _merge_allowed(clusters, merges, heights)
    n_forced = clusters.count[0] - 1
    if n_forced:
        between = _weights_between(clusters, merges, cannot_link, weights)
        start = len(merges) - n_forced
        heights[start:] = height
        forced = forced_merges(clusters, between)
        for step in range(n_forced):
            copy(forced[step], merges[start + step])
    return merges, heights, n_forced


@piece
def _merge_components(clusters, components, merges):
    """Merge the samples of each component, at the least distance of any of them to others.

    Returns the first sample of each component, and those of components of several samples.
    """
    n_components = components.max() + 1
    firsts = np.full(n_components, -1, np.int64)
    sizes = np.zeros(len(firsts), np.int64)
    step = 0
    order, _ = sort_by(components, n_components, np.arange(len(components)))
    # Samples of a component follow one another, the first one first, so that it is the lower slot
    # of each merge.
    for sample in order:
        component = components[sample]
        sizes[component] += 1
        if firsts[component] < 0:
            firsts[component] = sample
            continue
        merge(clusters, firsts[component], sample, SINGLE)
        merges[step, 0], merges[step, 1] = firsts[component], sample
        step += 1
    return firsts, firsts[sizes > 1]


@piece
def shorten(clusters, through):
    """Lower all distances to those of the shortest paths through some slots.

    Floyd and Warshall by blocks: paths through the slots of one block are computed for these slots,
    and then tried for all pairs while the tiles are in the cache. No entry may be negative.
    """
    for start in range(0, len(through), COMPONENTS):
        block = through[start : start + COMPONENTS]
        paths = _rows(clusters.distances, block, len(clusters.sizes))
        # Floyd and Warshall within the block: after k, `paths` are shortest through earlier blocks
        # and the first k slots of this one.
        for k in range(len(block)):
            for row in range(len(block)):
                _lower(paths[row], paths[k], paths[row, block[k]])
        # Then for all pairs: a path through the block enters it at some slot and leaves it there or
        # at another one, whose way is in `paths` already.
        for left in range(0, len(clusters.sizes), COLUMNS):
            tile = np.ascontiguousarray(paths[:, left : left + COLUMNS])
            for slot in clusters.slots[: clusters.count[0]]:
                if slot > left:
                    begin = slot * (slot - 1) // 2
                    entries = clusters.distances[begin + left : begin + min(left + COLUMNS, slot)]
                    _lower_by_paths(entries, tile, paths[:, slot])


@piece
def _rows(distances, slots, n_samples):
    """Return the distances of some slots to all, (n_slots, n_samples)."""
    rows = np.zeros((len(slots), n_samples), distances.dtype)
    for k in range(len(slots)):
        for other in range(n_samples):
            if other != slots[k]:
                rows[k, other] = distances[place(slots[k], other)]
    return rows


@piece
def _lower(entries, path, step):
    for k in range(len(entries)):
        length = step + path[k]
        entries[k] = length if length < entries[k] else entries[k]


@piece
def _lower_by_paths(entries, tile, steps):
    """Lower entries to the least sum of a step and the rest of the path, four at a time."""
    whole = len(tile) - len(tile) % 4
    for row in range(0, whole, 4):
        first, second, third, fourth = tile[row], tile[row + 1], tile[row + 2], tile[row + 3]
        a, b, c, d = steps[row], steps[row + 1], steps[row + 2], steps[row + 3]
        for k in range(len(entries)):
            e, f, g, h = a + first[k], b + second[k], c + third[k], d + fourth[k]
            # The least of four sums by comparisons that do not depend on each other, which become
            # wide instructions.
            e = f if f < e else e
            g = h if h < g else g
            e = g if g < e else e
            entries[k] = e if e < entries[k] else entries[k]
    for row in range(whole, len(tile)):
        _lower(entries, tile[row], steps[row])


@piece
def _merge_allowed(clusters, merges, heights):
    step = len(merges) + 1 - clusters.count[0]
    # What is refused stays refused: a merged cluster may not merge where either part might not.
    while True:
        low, high, distance = closest(clusters)
        if low < 0:
            break
        merges[step, 0], merges[step, 1] = low, high
        heights[step] = distance
        step += 1
        merge(clusters, low, high, COMPLETE)


@piece
def _weights_between(clusters, merges, cannot_link, weights):
    """Return the summed weight of cannot-links between the clusters that are left."""
    count = clusters.count[0]
    owners = np.arange(len(clusters.sizes))
    for step in range(len(merges) + 1 - count):
        owners[merges[step, 1]] = merges[step, 0]
    ranks = np.empty(len(owners), np.int64)
    for rank in range(count):
        ranks[clusters.slots[rank]] = rank
    # An owner's number is lower than its own, so its rank is there by then.
    for sample in range(len(owners)):
        if owners[sample] != sample:
            ranks[sample] = ranks[owners[sample]]
    between = np.zeros((count, count))
    for k in range(len(cannot_link)):
        first, second = ranks[cannot_link[k, 0]], ranks[cannot_link[k, 1]]
        between[first, second] += weights[k]
        between[second, first] += weights[k]
    return between


@jit
def forced_merges(clusters, between):
    """Return the merges of clusters that are all kept apart, two by two, until one is left.

    The pair of least weight `between` comes first, then the one of least complete-link distance,
    then that of the lowest slots. `between` is used up.
    """
    slots = clusters.slots[: clusters.count[0]].copy()
    count = len(slots)
    away = np.zeros((count, count))
    for i in range(count):
        for j in range(i):
            away[i, j] = away[j, i] = abs(clusters.distances[place(slots[i], slots[j])])
    merges = np.empty((count - 1, 2), np.int64)
    # A merge adds up the weights and keeps the larger distance: both tables are those of the
    # clusters that are left, by their lowest slots.
    for step in range(count - 1):
        low, high = _cheapest(between, away, slots)
        merges[step, 0], merges[step, 1] = slots[low], slots[high]
        slots[high] = -1
        for other in range(count):
            between[low, other] = between[other, low] = between[low, other] + between[high, other]
            away[low, other] = away[other, low] = max(away[low, other], away[high, other])
    return merges


@piece
def _cheapest(between, away, slots):
    best = (np.inf, np.inf, -1, -1)
    for low in range(len(slots)):
        if slots[low] < 0:
            continue
        for high in range(low + 1, len(slots)):
            if slots[high] < 0 or between[low, high] > best[0]:
                continue
            if between[low, high] < best[0] or away[low, high] < best[1]:
                best = (between[low, high], away[low, high], low, high)
    return best[2], best[3]
