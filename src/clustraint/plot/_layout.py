"""Where the nodes of a drawn tree go, so that none overlaps another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from clustraint.typing import FloatArray, IntArray


class TreeLayout(NamedTuple):
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
    children: Sequence[Sequence[int]],
    breadths: FloatArray,
    lengths: FloatArray,
    *,
    gap: float,
    step: float,
    flush: bool = False,
) -> TreeLayout:
    """Place the boxes: nodes above the middle of their children, as close as they fit.

    Parameters
    ----------
    children : sequence of sequences of int
        The nodes below each node, in the order in which they are drawn. Node 0 is the root, and
        every node comes before those below it.
    breadths, lengths : float64 ndarray of shape (n_nodes,)
        The sizes of the boxes across and along the direction in which the tree grows.
    gap : float
        The least room between boxes of the same depth.
    step : float
        The room between boxes of one depth and of the next.
    flush : bool, default=False
        Whether all leaves stand in one line behind all other nodes, with nothing between a leaf
        and the node above it.

    Returns
    -------
    TreeLayout

    Examples
    --------
    >>> lay_out([[1, 2], [], []], np.full(3, 10.0), np.full(3, 4.0), gap=2, step=3)
    TreeLayout(across=array([11.,  5., 17.]), along=array([2., 9., 9.]), breadth=22.0, length=11.0)
    """
    depths = _depths(children)
    ranks = depths.copy()
    if flush:
        ranks[[not below for below in children]] = depths.max()
    across = _across(children, breadths, gap, ranks - depths)
    longest = np.zeros(depths.max() + 1)
    np.maximum.at(longest, ranks, lengths)
    starts = np.concatenate(([0.0], np.cumsum(longest + step)))
    along = starts[ranks] + (lengths / 2 if flush else longest[ranks] / 2)
    across -= (across - breadths / 2).min()
    breadth = float((across + breadths / 2).max())
    return TreeLayout(across, along, breadth, float(starts[-1] - step))


def _depths(children: Sequence[Sequence[int]]) -> IntArray:
    depths = np.zeros(len(children), np.int64)
    for node, below in enumerate(children):
        depths[list(below)] = depths[node] + 1
    return depths


def _across(
    children: Sequence[Sequence[int]], breadths: FloatArray, gap: float, reach: IntArray
) -> FloatArray:
    """Join outlines from the leaves up, then add up how far each part was moved.

    A leaf takes its room for `reach` depths more than its own.
    """
    outlines: dict[int, _Outline] = {}
    moves = np.zeros(len(children))
    for node in range(len(children) - 1, -1, -1):
        half = breadths[node] / 2
        if not children[node]:
            extent = np.full(reach[node] + 1, half)
            outlines[node] = _Outline(0.0, -extent, extent)
            continue
        joined, *others = (outlines.pop(child) for child in children[node])
        roots = [joined.root]
        for outline in others:
            common = min(len(joined.high), len(outline.low))
            move = float((joined.high[:common] - outline.low[:common]).max()) + gap
            roots.append(outline.root + move)
            joined = _beside(joined, outline.moved(move))
        middle = (roots[0] + roots[-1]) / 2
        moves[list(children[node])] = np.array(roots) - middle
        low, high = joined.low - middle, joined.high - middle
        outlines[node] = _Outline(0.0, np.append(-half, low), np.append(half, high))
    for node, below in enumerate(children):
        moves[list(below)] += moves[node]
    return moves


def _beside(first: _Outline, second: _Outline) -> _Outline:
    """Return the outline of two parts together, of which `first` comes first."""
    low, high = (
        np.concatenate((one, other[len(one) :]))
        for one, other in ((first.low, second.low), (second.high, first.high))
    )
    return _Outline(first.root, low, high)
