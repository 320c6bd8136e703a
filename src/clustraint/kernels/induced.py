"""The part of a tree that is spanned by some of its samples, in time linear in these."""

from typing import NamedTuple

import numpy as np

from clustraint.kernels._jit import jit, piece
from clustraint.kernels.arrays import copy
from clustraint.kernels.tree import Ancestry, IntArray, Layout, meet


class Target(NamedTuple):
    """A tree of which parts are wanted: its samples from left to right, and where nodes meet.

    ``sizes`` holds the samples below each node, of those that count; all of them are
    ``order[first[v] : first[v] + spans[v]]``.
    """

    order: IntArray
    sizes: IntArray
    parents: IntArray
    first: IntArray
    spans: IntArray
    ancestry: Ancestry


class Groups(NamedTuple):
    """The samples of one tree, by their places in the order of another one.

    Those below node v are ``places[starts[layout.first[v]] : starts[layout.first[v] + size]]``
    for its ``size`` samples in the layout; samples that do not count have no place.
    """

    layout: Layout
    starts: IntArray
    places: IntArray
    buffer: IntArray


class InducedSpan(NamedTuple):
    """Room for the spanned nodes, the samples below each and the pairs of these that meet there.

    The last three are room for the path from the root that is being followed.
    """

    nodes: IntArray
    counts: IntArray
    pairs: IntArray
    path_nodes: IntArray
    path_counts: IntArray
    path_pairs: IntArray


@piece
def make_room(n_samples):
    """Return a span of up to so many samples."""
    size = 2 * n_samples
    return InducedSpan(
        np.empty(size, np.int64),
        np.empty(size, np.int64),
        np.empty(size, np.int64),
        np.empty(size, np.int64),
        np.empty(size, np.int64),
        np.empty(size, np.int64),
    )


@jit
def group(layout, kept, places):
    """Return the samples kept in the order of their own tree, each by its place in the other."""
    n_samples = layout.order.size
    starts = np.zeros(n_samples + 1, np.int64)
    for position in range(n_samples):
        starts[position + 1] = starts[position] + kept[layout.order[position]]
    grouped = np.empty(starts[n_samples], np.int64)
    for position in range(n_samples):
        sample = layout.order[position]
        if kept[sample]:
            grouped[starts[position]] = places[sample]
    return Groups(layout, starts, grouped, np.empty_like(grouped))


@piece
def bounds(groups, node):
    """Return where the places of the samples below a node begin and end."""
    first = groups.layout.first[node]
    return groups.starts[first], groups.starts[first + groups.layout.sizes[node]]


@piece
def sort_below(groups, node):
    """Write the places below a node into the buffer in rising order, those of each child being so.

    Only what is not below the largest child is sorted: over a whole tree, each sample O(log n)
    times.
    """
    begin, end = bounds(groups, node)
    layout = groups.layout
    large_begin, large_end = begin, begin
    for child in layout.children[layout.starts[node] : layout.starts[node + 1]]:
        child_begin, child_end = bounds(groups, child)
        if child_end - child_begin > large_end - large_begin:
            large_begin, large_end = child_begin, child_end
    others = np.empty(end - begin - (large_end - large_begin), np.int64)
    copy(groups.places[begin:large_begin], others)
    copy(groups.places[large_end:end], others[large_begin - begin :])
    others.sort()
    other = 0
    # Merge two sorted lists: the places of the largest child, and all others.
    for cursor in range(begin, end):
        if other == others.size or (
            large_begin < large_end and groups.places[large_begin] < others[other]
        ):
            groups.buffer[cursor] = groups.places[large_begin]
            large_begin += 1
        else:
            groups.buffer[cursor] = others[other]
            other += 1


@piece
def _close(span, top, n_closed):
    """Write down the lowest node of the path, which no further sample is below."""
    span.nodes[n_closed] = span.path_nodes[top]
    span.counts[n_closed] = span.path_counts[top]
    span.pairs[n_closed] = span.path_pairs[top]


@piece
def _add_below(span, top, count):
    """Let so many samples join, through a new child, those below the lowest node of the path."""
    span.path_pairs[top] += span.path_counts[top] * count
    span.path_counts[top] += count


@piece
def _push(span, top, node, count):
    span.path_nodes[top] = node
    span.path_counts[top] = count
    span.path_pairs[top] = 0


@piece
def fill_span(target, places, span):
    """Find the nodes where samples of the target meet, and these; return how many there are.

    The samples come by rising places. The path holds what is above the latest of them: a node's
    number exceeds those below it, so numbers tell which nodes of the path are left for good.
    """
    n_closed, top = 0, -1
    # Places rise, so a new sample meets the path somewhere above its end: what is below that point
    # is left for good and closed, from the lowest up, each handing its count to the next.
    for place in places:
        sample = target.order[place]
        if top >= 0:
            where = meet(target.ancestry, span.path_nodes[top], sample)
            while span.path_nodes[top] < where:
                _close(span, top, n_closed)
                top -= 1
                # The meeting point is not on the path yet: it takes its place between what was
                # closed and what is above.
                if top < 0 or span.path_nodes[top] > where:
                    top += 1
                    _push(span, top, where, 0)
                _add_below(span, top, span.counts[n_closed])
                n_closed += 1
        top += 1
        _push(span, top, sample, 1)
    # What is still on the path is closed from the lowest up.
    while top >= 0:
        _close(span, top, n_closed)
        top -= 1
        if top >= 0:
            _add_below(span, top, span.counts[n_closed])
        n_closed += 1
    return n_closed
