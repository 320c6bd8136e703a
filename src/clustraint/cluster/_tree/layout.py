"""Where the boxes of a drawn tree go, so that none overlaps another."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from clustraint.cluster._tree.arrays import NO_CHILD, Tree
from clustraint.typing import FloatArray, IntArray


class Layout(NamedTuple):
    """Places of boxes, all in the unit of their sizes.

    Attributes
    ----------
    across : float64 ndarray of shape (n_nodes,)
        The middle of each box across the direction in which the tree grows.
    along : float64 ndarray of shape (n_nodes,)
        Its middle in that direction, from the root on.
    breadth, length : float
        How much room all boxes take.
    """

    across: FloatArray
    along: FloatArray
    breadth: float
    length: float


class _Outline(NamedTuple):
    """A part of the tree while it is laid out: its extent at each depth, from its root on."""

    root: float
    low: FloatArray
    high: FloatArray

    def moved(self, by: float) -> _Outline:
        return _Outline(self.root + by, self.low + by, self.high + by)


def lay_out(
    tree: Tree,
    breadths: FloatArray,
    lengths: FloatArray,
    *,
    gap: float,
    step: float,
    flush: bool = False,
) -> Layout:
    """Place the boxes: nodes above the middle of their children, as close as they fit.

    Parameters
    ----------
    tree : Tree
        The tree; the side where a test holds comes first.
    breadths, lengths : float64 ndarray of shape (n_nodes,)
        The sizes of the boxes across and along the direction in which the tree grows.
    gap : float
        The least room between boxes of the same depth.
    step : float
        The room between boxes of one depth and of the next.
    flush : bool, default=False
        Whether all leaves stand in one line behind all tests, with nothing between a leaf and the
        test above it.

    Returns
    -------
    Layout

    Examples
    --------
    >>> tree = Tree([2, -1, -1], [1, -1, -1], [0, -2, -2], [0, -2, -2], (None,) * 3,
    ...             [False] * 3, [2, 1, 1], [1, 0, 0], [[0], [1], [-1]], [-1, 0, 1])
    >>> lay_out(tree, np.full(3, 10.0), np.full(3, 4.0), gap=2, step=3)
    Layout(across=array([11.,  5., 17.]), along=array([2., 9., 9.]), breadth=22.0, length=11.0)
    """
    ranks = tree.depths.copy()
    if flush:
        ranks[tree.leaves] = tree.max_depth
    across = _across(tree, breadths, gap, ranks)
    longest = np.zeros(tree.max_depth + 1)
    np.maximum.at(longest, ranks, lengths)
    starts = np.concatenate(([0.0], np.cumsum(longest + step)))
    along = starts[ranks] + (lengths / 2 if flush else longest[ranks] / 2)
    across -= (across - breadths / 2).min()
    breadth = float((across + breadths / 2).max())
    return Layout(across, along, breadth, float(starts[-1] - step))


def _across(tree: Tree, breadths: FloatArray, gap: float, ranks: IntArray) -> FloatArray:
    """Join outlines from the leaves up, then add up how far each part was moved."""
    outlines: dict[int, _Outline] = {}
    moves = np.zeros(tree.node_count)
    for node in range(tree.node_count - 1, -1, -1):
        half = breadths[node] / 2
        if tree.children_left[node] == NO_CHILD:
            extent = np.full(ranks[node] - tree.depths[node] + 1, half)
            outlines[node] = _Outline(0.0, -extent, extent)
            continue
        first, second = int(tree.children_right[node]), int(tree.children_left[node])
        above, below = outlines.pop(first), outlines.pop(second)
        common = min(len(above.high), len(below.low))
        move = float((above.high[:common] - below.low[:common]).max()) + gap
        middle = (above.root + below.root + move) / 2
        moves[first], moves[second] = above.root - middle, below.root + move - middle
        outlines[node] = _joined(above.moved(-middle), below.moved(move - middle), half)
    for node in range(1, tree.node_count):
        moves[node] += moves[tree.parents[node]]
    return moves


def _joined(first: _Outline, second: _Outline, half: float) -> _Outline:
    """Return the outline of a node in the middle over two parts, of which `first` comes first."""
    low, high = (
        np.concatenate((one, other[len(one) :]))
        for one, other in ((first.low, second.low), (second.high, first.high))
    )
    return _Outline(0.0, np.concatenate(([-half], low)), np.concatenate(([half], high)))
