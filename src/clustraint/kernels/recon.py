"""ReCon: agglomeration in which every merge leaves a hierarchy that displays all triplets.

A triplet ab|c is open while a and b are in different clusters. Clusters i and j may merge if the
open triplets still hold together then (Liu, Zhang and Wang, KDD 2011, TestCompatibility). That
fails exactly if there is a knot: clusters A around i and B around j, more than two in all, that are
connected by pairs ab whose c is in A or B. Then all of A must become one cluster, and all of B,
before any cluster of A may merge with one of B; so a knot once found speaks for all of A × B, and
until both are one cluster each, whatever else merges.
"""

import numpy as np

from clustraint.kernels import centroids
from clustraint.kernels._jit import jit, piece
from clustraint.kernels.agglomeration import first_bound
from clustraint.kernels.arrays import copy, sort_by
from clustraint.kernels.disjoint_set import find
from clustraint.kernels.knots import (
    are_knotted,
    hide_knotted,
    hide_walled,
    make_knots,
    make_walls,
    merge_knots,
    merge_walls,
    tie,
    wall_off,
)
from clustraint.kernels.open_triplets import MARK, close_triplets, compatible, open_triplets


@piece
def _hide(clusters, pending, walls, knots, slot):
    """Make the distances in `row` of a slot infinite to all that knots and walls keep it from."""
    hide_walled(walls, pending.owner, slot, clusters.row, clusters.columns)
    hide_knotted(knots, slot, clusters.row, clusters.columns)


@piece
def _closest(clusters, pending, walls, knots, linkage):
    """Return the closest two clusters that nothing is seen to keep apart; -1 if there are none."""
    bounds, nearest = clusters.bounds, clusters.nearest
    # Candidates are looked at again only as they come first: bounds never exceed true distances,
    # and what a knot or a wall hides is infinitely far until a merge undoes it.
    while True:
        column = first_bound(bounds, nearest, clusters.count[1])
        if column < 0:
            return -1, -1, np.inf
        other = nearest[column]
        if other >= 0 and centroids.distance(clusters, column, other, linkage) == bounds[column]:
            low, high = clusters.slots[other], clusters.slots[column]
            # A knot that another pair has shown may have come since the candidate was chosen.
            if not are_knotted(knots, low, high):
                return low, high, bounds[column]
        _look(clusters, pending, walls, knots, column, linkage)


@piece
def _look(clusters, pending, walls, knots, column, linkage):
    centroids.fill_allowed(clusters, column, linkage)
    _hide(clusters, pending, walls, knots, clusters.slots[column])
    centroids.take_least(clusters, column)


@piece
def _reunite(clusters):
    """Let all be candidates that cannot-links kept apart."""
    for column in range(clusters.count[1]):
        if clusters.centres[0, column] < np.inf:
            centroids.forget(clusters, clusters.slots[column])
            clusters.nearest[column] = -1
            clusters.bounds[column] = 0.0


@piece
def _joint_partners(clusters, pending, low, high):
    """Return the slots that cannot-links keep from either of two clusters, each once."""
    of_low, of_high = centroids.partners(clusters, low), centroids.partners(clusters, high)
    both = np.empty(len(of_low) + len(of_high), np.int64)
    copy(of_low, both)
    copy(of_high, both[len(of_low) :])
    # A mark of its own instead of a set: what was marked before has another number.
    pending.clock[0] += 1
    mark = pending.slots[:, MARK]
    mark[low] = mark[high] = pending.clock[0]
    count = 0
    for slot in both:
        if mark[slot] != pending.clock[0]:
            mark[slot] = pending.clock[0]
            both[count] = slot
            count += 1
    return both[:count]


@piece
def _least_harm(clusters, pending, apart, weights, linkage):
    """Return the pair that triplets let merge and that breaks the least weight of cannot-links.

    Among equals the closest, then that of the lowest slots; with its distance and the tests made.
    """
    n_items = len(pending.owner)
    lows, highs = np.empty(len(apart), np.int64), np.empty(len(apart), np.int64)
    for k in range(len(apart)):
        first, second = find(pending.owner, apart[k, 0]), find(pending.owner, apart[k, 1])
        lows[k], highs[k] = min(first, second), max(first, second)
    # Cannot-links between the same two clusters follow one another after both sorts, so that their
    # weights are added up in one pass.
    order, _ = sort_by(highs, n_items, np.arange(len(apart)))
    order, _ = sort_by(lows, n_items, order)
    harms = np.empty(len(apart))
    n_pairs = 0
    for k in order:
        if lows[k] == highs[k]:
            continue
        before = order[n_pairs - 1]
        if n_pairs and lows[before] == lows[k] and highs[before] == highs[k]:
            harms[n_pairs - 1] += weights[k]
        else:
            order[n_pairs] = k
            harms[n_pairs] = weights[k]
            n_pairs += 1
    n_tests = 0
    # A pair that triplets forbid gets infinite harm and is not tried again; some pair passes, as
    # the open triplets hold together.
    while True:
        best, low, high, height = -1, -1, -1, np.inf
        for k in range(n_pairs):
            first, second = lows[order[k]], highs[order[k]]
            if harms[k] == np.inf or (best >= 0 and harms[k] > harms[best]):
                continue
            away = centroids.distance(
                clusters, clusters.columns[first], clusters.columns[second], linkage
            )
            if best < 0 or harms[k] < harms[best] or away < height:
                best, low, high, height = k, first, second, away
        n_tests += 1
        left, right = compatible(pending, low, high)
        if left + right == 2:
            return low, high, height, n_tests
        harms[best] = np.inf


@jit(work=lambda centres, *rest: centres.size * centres.shape[1])
def agglomerate(centres, sizes, triplets, layout, apart, weights, n_clusters, linkage):
    """Merge all items, which are the columns of `centres`, as ReCon does.

    `layout` is the BUILD tree of the triplets; `apart`, (n_pairs, 2), are pairs of
    items to keep apart while more than `n_clusters` are left, as far as triplets allow. Returns the
    slots of each merge, its squared distance, and how many pairs were tested.
    """
    n_items = centres.shape[1]
    clusters = centroids.start(centres, sizes, len(apart))
    pending = open_triplets(n_items, triplets, layout)
    walls = make_walls(layout)
    knots = make_knots(n_items)
    keeps_apart = len(apart) > 0
    for k in range(len(apart)):
        centroids.refuse(clusters, apart[k, 0], apart[k, 1])
    for column in range(1, n_items):
        _look(clusters, pending, walls, knots, column, linkage)
    merges = np.empty((n_items - 1, 2), np.int64)
    heights = np.empty(n_items - 1)
    n_tests = 0
    # Before each step the open triplets hold together, hence some pair passes the test; walls and
    # knots hide only pairs that would fail it.
    for step in range(n_items - 1):
        if keeps_apart and clusters.count[0] <= n_clusters:
            _reunite(clusters)
            keeps_apart = False
        while True:
            low, high, height = _closest(clusters, pending, walls, knots, linkage)
            if low < 0:
                low, high, height, more = _least_harm(clusters, pending, apart, weights, linkage)
                n_tests += more
                break
            n_tests += 1
            left, right = compatible(pending, low, high)
            if left + right == 2:
                break
            clusters.nearest[clusters.columns[high]] = -1
            if not wall_off(walls, pending.queue, left, right):
                knots = tie(knots, pending.queue, left, right)
        merges[step, 0], merges[step, 1] = low, high
        heights[step] = height
        partners = _joint_partners(clusters, pending, low, high)
        centroids.join(clusters, low, high, linkage)
        outers = close_triplets(pending, low, high)
        merge_walls(walls, low, high)
        merge_knots(knots, low, high, outers)
        # A knot that this merge undid hides nothing more: its two clusters meet here.
        _hide(clusters, pending, walls, knots, low)
        for partner in partners:
            clusters.row[clusters.columns[partner]] = np.inf
        centroids.settle(clusters, low)
        for partner in partners:
            centroids.refuse(clusters, low, partner)
    return merges, heights, n_tests
