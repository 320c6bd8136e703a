"""Agglomeration by centroids: memory linear in the number of samples, no distance matrix.

The counterpart of `agglomeration` for vectors: the same slots, candidates and order of ties, with
distances computed where they are needed. All distances here are squared. `bounds` are lower bounds
as there: what a merge brings nearer becomes the candidate at once.

    clusters = singletons(centres, CENTROID, n_refusals)
    while True:
        low, high, squared_distance = closest(clusters, CENTROID)
        if low < 0: no pair may merge
        either refuse(clusters, low, high)
        or merge(clusters, low, high, CENTROID)

A refusal ends when either cluster is merged: to pass it on, read `partners` before the merge, and
refuse again after it.
"""

from typing import Any, NamedTuple

import numpy as np

from clustraint.kernels._jit import jit, piece
from clustraint.kernels.agglomeration import WARD, first_bound, least
from clustraint.kernels.triangle import squared_distances

# Columns whose distances are computed at a time, so that they stay in the processor's cache.
BLOCK = 512


class Centroids(NamedTuple):
    """Clusters that are being merged, by their centroids.

    Clusters are named by slots. The numbers of those that are left are kept in columns, in the
    order of the slots, and moved together when half of the columns are empty.

    Attributes
    ----------
    centres : float64 ndarray of shape (n_features, n_samples)
        The centroid in each column; infinite where it is empty.
    sizes : int64 ndarray of shape (n_samples,)
        How many samples the cluster of each column has.
    slots : int64 ndarray of shape (n_samples,)
        The slot of each column.
    columns : int64 ndarray of shape (n_samples,)
        The column of each slot.
    count : int64 ndarray of shape (2,)
        How many clusters there are, and how many columns are in use.
    nearest : int64 ndarray of shape (n_samples,)
        The candidate of each column: the nearest cluster of a lower slot, by its column; -1 where
        it has to be looked for.
    bounds : float64 ndarray of shape (n_samples,)
        Its distance when it was last looked at; infinite where there is none.
    row : float64 ndarray of shape (n_samples,)
        Distances of one column to others, as `fill_row` computes them.
    refused : int64 ndarray of shape (n_samples + 1,)
        Where the list of partners refused to each slot begins in `links`, -1 if it is empty; the
        last entry is the list of links that are free.
    links : int64 ndarray of shape (n_links, 2)
        Partner, and the next link of the list.
    """

    centres: Any
    sizes: Any
    slots: Any
    columns: Any
    count: Any
    nearest: Any
    bounds: Any
    row: Any
    refused: Any
    links: Any


@jit(work=lambda centres, *rest: centres.size * centres.shape[1])
def singletons(centres, linkage, n_refusals):
    """Return each column of `centres` as a cluster of its own; the array is used up."""
    clusters = start(centres, np.ones(centres.shape[1], np.int64), n_refusals)
    for column in range(1, centres.shape[1]):
        _look(clusters, column, linkage)
    return clusters


@piece
def start(centres, sizes, n_refusals):
    """Return each column of `centres` as a cluster of so many samples, without a candidate yet.

    There is room for so many pairs to be refused at a time.
    """
    n_samples = centres.shape[1]
    links = np.empty((2 * n_refusals, 2), np.int64)
    # All links are free at first: a list from the last one down to -1.
    for link in range(len(links)):
        links[link, 1] = link - 1
    refused = np.full(n_samples + 1, -1, np.int64)
    refused[-1] = len(links) - 1
    return Centroids(
        centres,
        sizes,
        np.arange(n_samples),
        np.arange(n_samples),
        np.full(2, n_samples, np.int64),
        np.full(n_samples, -1, np.int64),
        np.full(n_samples, np.inf),
        np.empty(n_samples),
        refused,
        links,
    )


@piece
def distance(clusters, first, second, linkage):
    """Return the squared distance of the clusters of two columns."""
    total = 0.0
    for feature in range(len(clusters.centres)):
        difference = clusters.centres[feature, first] - clusters.centres[feature, second]
        total += difference * difference
    if linkage == WARD:
        total *= _ward_factor(clusters.sizes[first], clusters.sizes[second])
    return total


@piece
def _ward_factor(size, other):
    return 2.0 * size * other / (size + other)


@piece
def fill_row(clusters, column, stop, linkage):
    """Write the distances of a column to those below `stop` into `row`.

    The features are added up in the order that `distance` has: both agree to the last bit.
    """
    row = clusters.row
    # By blocks of columns, so that the sums stay in the cache while the features pass by.
    for start in range(0, stop, BLOCK):
        end = min(start + BLOCK, stop)
        squared_distances(clusters.centres, column, start, end, row[start:end])
    if linkage == WARD:
        for k in range(stop):
            row[k] *= _ward_factor(clusters.sizes[column], clusters.sizes[k])


@piece
def _look(clusters, column, linkage):
    """Find the candidate of a column."""
    fill_allowed(clusters, column, linkage)
    take_least(clusters, column)


@piece
def fill_allowed(clusters, column, linkage):
    """Write the distances of a column to those before it, infinite to those refused."""
    fill_row(clusters, column, column, linkage)
    link = clusters.refused[clusters.slots[column]]
    while link >= 0:
        clusters.row[clusters.columns[clusters.links[link, 0]]] = np.inf
        link = clusters.links[link, 1]


@piece
def take_least(clusters, column):
    """Make the nearest in `row` the candidate of a column."""
    best = least(clusters.row[:column])
    clusters.nearest[column] = best
    clusters.bounds[column] = clusters.row[best] if best >= 0 else np.inf


@jit
def closest(clusters, linkage):
    """Return the closest two clusters that may merge, lower slot first, and their distance.

    Where no pair may merge, the slots are -1.
    """
    bounds, nearest, slots = clusters.bounds, clusters.nearest, clusters.slots
    # As in `agglomeration.closest`: a candidate that is gone (-1) or a bound that is no true
    # distance any more has its column looked at again, which only raises the bound.
    while True:
        column = first_bound(bounds, nearest, clusters.count[1])
        if column < 0:
            return -1, -1, np.inf
        other = nearest[column]
        if other >= 0 and distance(clusters, column, other, linkage) == bounds[column]:
            return slots[other], slots[column], bounds[column]
        _look(clusters, column, linkage)


@jit
def merge(clusters, low, high, linkage):
    """Merge the cluster of slot `high` into that of the lower slot `low`.

    Nothing is refused to the merged cluster.
    """
    join(clusters, low, high, linkage)
    settle(clusters, low)


@piece
def join(clusters, low, high, linkage):
    """Do the first half of a merge: the distances of the merged cluster to all are in `row`."""
    # Refusals end here, before the columns change; who wants to keep them has read `partners`.
    forget(clusters, low)
    forget(clusters, high)
    kept, gone = clusters.columns[low], clusters.columns[high]
    _join(clusters, kept, gone)
    fill_row(clusters, kept, clusters.count[1], linkage)


@piece
def settle(clusters, slot):
    """Do the second half: make the merged cluster a candidate wherever `row` says it is nearest."""
    kept = clusters.columns[slot]
    width = clusters.count[1]
    # A merge moves one centroid, which may come nearer to later columns than their bound says: the
    # only way for a bound to be too high, and mended here. Empty columns are infinitely far.
    for other in range(kept + 1, width):
        away, bound = clusters.row[other], clusters.bounds[other]
        if away <= bound and (away < bound or kept < clusters.nearest[other]):
            clusters.bounds[other] = away
            clusters.nearest[other] = kept
    take_least(clusters, kept)
    # Half of the columns are empty: moving costs about as much as one merge, and comes after many.
    if 2 * clusters.count[0] < width:
        _move_together(clusters)


@piece
def _join(clusters, kept, gone):
    sizes = clusters.sizes
    total = sizes[kept] + sizes[gone]
    for feature in range(len(clusters.centres)):
        centre = clusters.centres[feature]
        centre[kept] = (sizes[kept] * centre[kept] + sizes[gone] * centre[gone]) / total
        # Infinite, so that no distance to it is ever the least.
        centre[gone] = np.inf
    sizes[kept] = total
    clusters.bounds[gone] = np.inf
    clusters.nearest[gone] = -1
    clusters.count[0] -= 1


@piece
def _move_together(clusters):
    """Give the clusters that are left the first columns."""
    centres, nearest = clusters.centres, clusters.nearest
    moved = np.full(clusters.count[1], -1, np.int64)
    width = 0
    for column in range(clusters.count[1]):
        if centres[0, column] == np.inf:
            continue
        moved[column] = width
        for feature in range(len(centres)):
            centres[feature, width] = centres[feature, column]
        clusters.sizes[width] = clusters.sizes[column]
        clusters.bounds[width] = clusters.bounds[column]
        clusters.slots[width] = clusters.slots[column]
        clusters.columns[clusters.slots[width]] = width
        # A candidate that is no more becomes -1: it is looked for when its turn comes.
        nearest[width] = moved[nearest[column]] if nearest[column] >= 0 else -1
        width += 1
    clusters.count[1] = width


@piece
def refuse(clusters, first, second):
    """Refuse a pair until either of the two is merged."""
    low, high = min(first, second), max(first, second)
    column = clusters.columns[high]
    if clusters.nearest[column] == clusters.columns[low]:
        clusters.nearest[column] = -1
    _link(clusters, low, high)
    _link(clusters, high, low)


@piece
def _link(clusters, slot, partner):
    """Put a partner more into the list of a slot."""
    refused, links = clusters.refused, clusters.links
    link = refused[-1]
    refused[-1] = links[link, 1]
    links[link, 0] = partner
    links[link, 1] = refused[slot]
    refused[slot] = link


@piece
def partners(clusters, slot):
    """Return the slots that are refused to a slot."""
    count = 0
    link = clusters.refused[slot]
    while link >= 0:
        count += 1
        link = clusters.links[link, 1]
    slots = np.empty(count, np.int64)
    link = clusters.refused[slot]
    for k in range(count):
        slots[k] = clusters.links[link, 0]
        link = clusters.links[link, 1]
    return slots


@piece
def forget(clusters, slot):
    """Empty the list of a slot, and take it off the lists of its partners.

    Only `join` may call it: the candidates of the partners do not know of the slot.
    """
    for partner in partners(clusters, slot):
        _unlink(clusters, partner, slot)
        _unlink(clusters, slot, partner)


@piece
def _unlink(clusters, slot, partner):
    refused, links = clusters.refused, clusters.links
    before, link = -1, refused[slot]
    # The partner is in the list, or the two lists would not agree.
    while links[link, 0] != partner:
        before, link = link, links[link, 1]
    if before < 0:
        refused[slot] = links[link, 1]
    else:
        links[before, 1] = links[link, 1]
    links[link, 1] = refused[-1]
    refused[-1] = link


@jit(work=lambda centres, *rest: centres.size * centres.shape[1])
def agglomerate(centres, linkage):
    """Merge all; return the slots of each merge, (n_samples - 1, 2), and its squared distance."""
    clusters = singletons(centres, linkage, 0)
    n_merges = centres.shape[1] - 1
    merges = np.empty((n_merges, 2), np.int64)
    heights = np.empty(n_merges)
    # Nothing is ever refused here, so that there is always a closest pair.
    for step in range(n_merges):
        low, high, heights[step] = closest(clusters, linkage)
        merges[step, 0], merges[step, 1] = low, high
        merge(clusters, low, high, linkage)
    return merges, heights
