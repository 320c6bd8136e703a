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

# Components whose paths are tried at a time.
COMPONENTS = 64
# The most groups of slots that are near each other, and how many slots a group has at least, on
# average.
GROUPS, MEMBERS = 32, 64


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


@jit
def constrained_proximities(distances, components, cannot_link, height):
    """Return what complete link goes by before its first merge, (n_samples, n_samples).

    That is 0 within must-link components, `height` between those that `cannot_link` keep apart,
    and otherwise the shortest path. `distances` are used up.
    """
    n_samples = len(components)
    merges = np.empty((n_samples - 1, 2), np.int64)
    clusters = without_candidates(distances, n_samples)
    firsts, linked = _merge_components(clusters, components, merges)
    shorten(clusters, linked)
    for first, second in cannot_link:
        refuse(clusters, firsts[components[first]], firsts[components[second]])
    proximities = np.zeros((n_samples, n_samples), distances.dtype)
    for sample in range(n_samples):
        for other in range(sample):
            here, there = firsts[components[sample]], firsts[components[other]]
            if here != there:
                entry = clusters.distances[place(here, there)]
                # What is refused is negative.
                entry = height if entry < 0 else entry
                proximities[sample, other] = proximities[other, sample] = entry
    return proximities


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
    and then tried for all pairs. No entry may be negative.
    """
    if len(through) == 0:
        return
    slots = clusters.slots[: clusters.count[0]]
    groups, border = _groups(clusters.distances, slots)
    highs = _highest(clusters.distances, slots, groups, len(border) - 1)
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
        _try_paths(clusters.distances, slots, groups, border, paths, highs)


@piece
def _groups(distances, slots):
    """Return a group for each of the slots, so that groups are near each other, and their borders.

    Each slot goes with the nearest of some that are far from each other.
    """
    n_slots = len(slots)
    n_groups = min(GROUPS, 1 + n_slots // MEMBERS)
    groups = np.zeros(n_slots, np.int64)
    away = np.full(n_slots, np.inf)
    centre = 0
    for group in range(n_groups):
        farthest = 0
        for k in range(n_slots):
            distance = distances[place(slots[centre], slots[k])] if k != centre else 0.0
            if distance < away[k]:
                away[k] = distance
                groups[k] = group
            if away[k] > away[farthest]:
                farthest = k
        centre = farthest
    _, border = sort_by(groups, n_groups, np.arange(n_slots))
    return groups, border


@piece
def _highest(distances, slots, groups, n_groups):
    """Return the largest distance of each slot to the lower ones of each group."""
    highs = np.zeros((len(slots), n_groups), distances.dtype)
    for k in range(len(slots)):
        row = slots[k] * (slots[k] - 1) // 2
        for other in range(k):
            distance = distances[row + slots[other]]
            if distance > highs[k, groups[other]]:
                highs[k, groups[other]] = distance
    return highs


@piece
def _try_paths(distances, slots, groups, border, paths, highs):
    """Lower all distances by paths of which each row is one end.

    From a slot to a group, a path is at least as long as its way from the slot plus its least way
    to the group: most lower nothing there. `highs` are not below the distances of each slot to the
    lower ones of each group.
    """
    n_slots, n_paths, n_groups = len(slots), len(paths), len(border) - 1
    tiles = np.empty((n_paths, n_slots), paths.dtype)
    columns = np.empty(n_slots, np.int64)
    filled = border[:-1].copy()
    least = np.full((n_groups, n_paths), np.inf, paths.dtype)
    part = np.empty(n_slots, paths.dtype)
    useful = np.empty(n_paths, np.int64)
    # When the turn of a slot comes, the lower ones are in their groups: `columns` from the border
    # of a group up to `filled` are its slots so far, and `tiles` their ways to each path.
    for k in range(n_slots):
        steps = paths[:, slots[k]].copy()
        row = slots[k] * (slots[k] - 1) // 2
        for group in range(n_groups):
            n_useful = 0
            for path in range(n_paths):
                useful[n_useful] = path
                n_useful += steps[path] + least[group, path] < highs[k, group]
            if n_useful == 0:
                continue
            begin, end = border[group], filled[group]
            others, entries = columns[begin:end], part[: end - begin]
            for other in range(len(others)):
                entries[other] = distances[row + others[other]]
            _lower_by_paths(entries, tiles, begin, steps, useful[:n_useful])
            high = entries[0]
            for other in range(len(others)):
                distances[row + others[other]] = entries[other]
                high = max(high, entries[other])
            highs[k, group] = high
        group = groups[k]
        columns[filled[group]] = slots[k]
        for path in range(n_paths):
            tiles[path, filled[group]] = steps[path]
            least[group, path] = min(least[group, path], steps[path])
        filled[group] += 1


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
def _lower_by_paths(entries, tiles, begin, steps, useful):
    """Lower entries to the least sum of a step and the rest of a useful path, four at a time."""
    end = begin + len(entries)
    whole = len(useful) - len(useful) % 4
    for k in range(0, whole, 4):
        first, second, third, fourth = useful[k], useful[k + 1], useful[k + 2], useful[k + 3]
        _lower_by_four(
            entries,
            tiles[first, begin:end],
            tiles[second, begin:end],
            tiles[third, begin:end],
            tiles[fourth, begin:end],
            (steps[first], steps[second], steps[third], steps[fourth]),
        )
    for path in useful[whole:]:
        _lower(entries, tiles[path, begin:end], steps[path])


@piece
def _lower_by_four(entries, first, second, third, fourth, steps):
    a, b, c, d = steps
    for k in range(len(entries)):
        e, f, g, h = a + first[k], b + second[k], c + third[k], d + fourth[k]
        # The least of four sums by comparisons that do not depend on each other, which become
        # wide instructions.
        e = f if f < e else e
        g = h if h < g else g
        e = g if g < e else e
        entries[k] = e if e < entries[k] else entries[k]


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
