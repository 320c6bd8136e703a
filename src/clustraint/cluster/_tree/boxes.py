"""The leaves of a tree as boxes, and few wide boxes in the place of a cluster's many small ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np

from clustraint.cluster._tree.arrays import NO_CHILD, Tree
from clustraint.tables import Schema
from clustraint.typing import BoolArray, FloatArray, IntArray


class Span(NamedTuple):
    """Part of a numeric column: the intervals from `first` below `stop`, and missing values or not.

    Interval i lies above threshold i - 1, up to and with threshold i.
    """

    first: int
    stop: int
    missing: bool


# Part of a nominal column: codes, and the two that stand behind the last of them.
Cells: TypeAlias = frozenset[int]
# By column, the part in which a sample must be; anything goes in columns that are not there.
Box: TypeAlias = Mapping[int, Any]

# A cover that takes more pieces to prove is not looked for any further.
MOST_PIECES = 2000


class NumericAxis:
    """What can be said of a numeric column: above and up to some of the tree's thresholds.

    Parameters
    ----------
    thresholds : array of float64
        The finite ones, rising.
    missing : bool
        Whether values may be missing.

    Examples
    --------
    >>> axis = NumericAxis(np.array([1.0, 3.0]), missing=True)
    >>> axis.whole
    Span(first=0, stop=3, missing=True)
    >>> axis.sides(1.0, None, missing_right=False)
    (Span(first=0, stop=1, missing=True), Span(first=1, stop=3, missing=False))
    """

    def __init__(self, thresholds: FloatArray, missing: bool) -> None:
        self.thresholds = thresholds
        self.whole = Span(0, len(thresholds) + 1, missing)

    def sides(self, threshold: float, levels: Any, missing_right: bool) -> tuple[Span, Span]:
        """Return where a test fails and where it holds."""
        split = int(np.searchsorted(self.thresholds, threshold, side="right"))
        may_miss = self.whole.missing
        left = Span(0, split, may_miss and not missing_right)
        return left, Span(split, self.whole.stop, may_miss and missing_right)

    def place(self, parts: Sequence[Span]) -> None:
        """Note the parts of all leaves."""
        table = np.array(parts, np.int64).reshape(-1, 3)
        self._first, self._stop = table[:, 0], table[:, 1]
        self._missing = table[:, 2].astype(bool)

    def only(self, leaves: IntArray) -> Self:
        """Return the axis with the parts of some leaves."""
        axis = copy(self)
        axis._first, axis._stop = self._first[leaves], self._stop[leaves]
        axis._missing = self._missing[leaves]
        return axis

    def meets(self, part: Span) -> BoolArray:
        """Return which leaves have something in common with a part."""
        low = np.maximum(self._first, part.first)
        return (low < np.minimum(self._stop, part.stop)) | (self._missing & part.missing)

    def within(self, part: Span, leaves: IntArray) -> BoolArray:
        """Return which of some leaves lie in a part."""
        first, stop = self._first[leaves], self._stop[leaves]
        inside = (first >= part.first) & (stop <= part.stop)
        return (inside | (first >= stop)) & (part.missing | ~self._missing[leaves])

    def widened(self, part: Span, blockers: IntArray, whole_bounds: bool) -> Span:
        """Return the part with weaker bounds, or only without some, up to the leaves that block."""
        if part.first >= part.stop:
            return part
        starts, stops = self._first[blockers], self._stop[blockers]
        has_values = starts < stops
        below = stops[(starts < part.first) & has_values]
        above = starts[(starts >= part.stop) & has_values]
        if whole_bounds:
            first = part.first if len(below) else 0
            stop = part.stop if len(above) else self.whole.stop
        else:
            first = int(below.max(initial=0))
            stop = int(above.min(initial=self.whole.stop))
        return Span(first, stop, part.missing)

    def common(self, one: Span, other: Span) -> Span:
        """Return what is in both parts."""
        first, stop = max(one.first, other.first), min(one.stop, other.stop)
        return Span(first, max(first, stop), one.missing and other.missing)

    def rest(self, one: Span, other: Span) -> list[Span]:
        """Return what is in the one part and not in the other, as parts."""
        parts = [
            Span(one.first, min(one.stop, other.first), False),
            Span(max(one.first, other.stop), one.stop, False),
            Span(0, 0, one.missing and not other.missing),
        ]
        if other.first >= other.stop:
            parts[:2] = [one._replace(missing=False)]
        return [part for part in parts if not self.is_none(part)]

    def corner(self, part: Span, last: bool) -> Span:
        """Return the first or last interval of a part."""
        if part.first >= part.stop:
            return part
        cell = part.stop - 1 if last else part.first
        return Span(cell, cell + 1, False)

    def is_none(self, part: Span) -> bool:
        """Tell whether nothing is in a part."""
        return part.first >= part.stop and not part.missing

    def n_bounds(self, part: Span) -> int:
        """Return how many bounds a part takes to write."""
        return (part.first > 0) + (part.stop < self.whole.stop)


class NominalAxis:
    """What can be said of a nominal column: which of its values, unseen and missing ones too.

    Parameters
    ----------
    n_levels : int
        How many values `fit` saw.
    is_open : bool
        Whether there may be others.
    missing : bool
        Whether values may be missing.

    Examples
    --------
    >>> axis = NominalAxis(2, is_open=True, missing=False)
    >>> left, right = axis.sides(0.0, (1,), missing_right=True)
    >>> sorted(left), sorted(right)
    ([0, 2], [1])
    """

    def __init__(self, n_levels: int, is_open: bool, missing: bool) -> None:
        self.unseen, self.missing = n_levels, n_levels + 1
        extra = [self.unseen] * is_open + [self.missing] * missing
        self.whole: Cells = frozenset([*range(n_levels), *extra])

    def sides(
        self, threshold: float, levels: Iterable[int], missing_right: bool
    ) -> tuple[Cells, Cells]:
        """Return where a test fails and where it holds."""
        right = self.whole & {*levels, *([self.missing] if missing_right else [])}
        return self.whole - right, right

    def place(self, parts: Sequence[Cells]) -> None:
        """Note the parts of all leaves."""
        self._cells = np.zeros((len(parts), self.missing + 1), bool)
        for row, part in zip(self._cells, parts, strict=True):
            row[list(part)] = True

    def only(self, leaves: IntArray) -> Self:
        """Return the axis with the parts of some leaves."""
        axis = copy(self)
        axis._cells = self._cells[leaves]
        return axis

    def meets(self, part: Cells) -> BoolArray:
        """Return which leaves have something in common with a part."""
        return np.asarray(self._cells[:, sorted(part)].any(axis=1))

    def within(self, part: Cells, leaves: IntArray) -> BoolArray:
        """Return which of some leaves lie in a part."""
        return np.asarray(~self._cells[leaves][:, sorted(self.whole - part)].any(axis=1))

    def widened(self, part: Cells, blockers: IntArray, whole_bounds: bool) -> Cells:
        """Return the part with all values that no leaf among the blockers has."""
        if whole_bounds:
            return part
        blocked = np.flatnonzero(self._cells[blockers].any(axis=0)).tolist()
        # Missing values are not added: they would only make the condition longer.
        return part | (self.whole - {*blocked, self.missing})

    def common(self, one: Cells, other: Cells) -> Cells:
        """Return what is in both parts."""
        return one & other

    def rest(self, one: Cells, other: Cells) -> list[Cells]:
        """Return what is in the one part and not in the other, as parts."""
        return [one - other] if one - other else []

    def corner(self, part: Cells, last: bool) -> Cells:
        """Return the first or last value of a part."""
        return frozenset([max(part) if last else min(part)])

    def is_none(self, part: Cells) -> bool:
        """Tell whether nothing is in a part."""
        return not part

    def n_bounds(self, part: Cells) -> int:
        """Return how many values it takes to write a part."""
        return min(len(part), len(self.whole - part))


Axis: TypeAlias = NumericAxis | NominalAxis


class Space:
    """All that a tree can tell apart, and the boxes of its leaves.

    Parameters
    ----------
    tree : Tree
        The tree.
    columns : Schema
        Its columns.

    Attributes
    ----------
    axes : dict of int to NumericAxis or NominalAxis
        The columns that the tree tests.
    boxes : list of Box
        Those of the leaves that some sample can reach.
    labels : int64 ndarray
        The clusters of these.
    """

    def __init__(self, tree: Tree, columns: Schema) -> None:
        tested = np.unique(tree.feature[tree.feature >= 0]).tolist()
        self.axes: dict[int, Any] = {
            feature: _axis(tree, columns, feature, not columns.is_complete(feature))
            for feature in tested
        }
        self._parents = tree.parents
        nodes = self._node_boxes(tree)
        # Nodes that nothing can reach have no box; the others are called by their places.
        self._places = {node: place for place, node in enumerate(nodes)}
        self._leaves = [node for node in nodes if tree.children_left[node] == NO_CHILD]
        self._siblings = {
            int(tree.children_left[node]): int(tree.children_right[node])
            for node in nodes
            if tree.children_left[node] != NO_CHILD
        }
        self._siblings |= {right: left for left, right in self._siblings.items()}
        self.boxes = [nodes[leaf] for leaf in self._leaves]
        self.labels = tree.label[self._leaves]
        self._node_axes = {feature: copy(axis) for feature, axis in self.axes.items()}
        for feature, axis in self.axes.items():
            axis.place([box.get(feature, axis.whole) for box in self.boxes])
            parts = [box.get(feature, axis.whole) for box in nodes.values()]
            self._node_axes[feature].place(parts)

    def _node_boxes(self, tree: Tree) -> dict[int, Box]:
        boxes: dict[int, Box] = {}
        pending: list[tuple[int, Box]] = [(0, {})]
        while pending:
            node, box = pending.pop()
            boxes[node] = box
            if tree.children_left[node] == NO_CHILD:
                continue
            feature = int(tree.feature[node])
            sides = self.axes[feature].sides(
                tree.threshold[node], tree.levels[node], bool(tree.missing_go_to_right[node])
            )
            children = int(tree.children_left[node]), int(tree.children_right[node])
            for child, side in zip(children, sides, strict=True):
                smaller = self._cut(box, feature, side)
                if smaller is not None:
                    pending.append((child, smaller))
        return boxes

    def _cut(self, box: Box, feature: int, side: Any) -> Box | None:
        """Return the part of a box on one side of a test, None if there is none."""
        axis = self.axes[feature]
        part = axis.common(box.get(feature, axis.whole), side)
        return None if axis.is_none(part) else {**box, feature: part}

    def description(self, cluster: int) -> list[Box]:
        """Return few wide boxes that together are all leaves of a cluster and nothing else.

        Each leaf's box is widened twice, in both orders of its columns, as far as it meets no leaf
        of another cluster. Of these boxes some are chosen, those that hold most leaves first; at
        last those go that the others cover together.
        """
        own = np.flatnonzero(self.labels == cluster)
        # All around a single leaf are others.
        if len(own) == 1:
            return [self._bounded(self.boxes[own[0]])]
        others = self._others(own)
        # Columns that no box of the cluster bounds keep no rival away.
        bounded = {feature for leaf in own.tolist() for feature in self.boxes[leaf]}
        rivals = {feature: self._node_axes[feature].only(others) for feature in bounded}
        candidates: dict[Any, Box] = {}
        for leaf in own.tolist():
            for box in self._widened(self.boxes[leaf], rivals):
                candidates.setdefault(frozenset(box.items()), box)
        return self._unneeded_left_out(self._chosen(list(candidates.values()), own))

    def _others(self, own: IntArray) -> IntArray:
        """Return the topmost nodes below which no leaf is among some.

        Together they are all other leaves, and a box that meets none of these meets none of them.
        They are not many more than these leaves, however large the tree.
        """
        above = {self._leaves[leaf] for leaf in own.tolist()}
        for node in list(above):
            while node and int(self._parents[node]) not in above:
                node = int(self._parents[node])
                above.add(node)
        others = (self._siblings[node] for node in above if node)
        places = [self._places[n] for n in others if n in self._places and n not in above]
        return np.array(places, np.int64)

    def _widened(self, box: Box, rivals: Mapping[int, Any]) -> list[Box]:
        """Return a box as wide as it meets no rival, by both orders of its columns."""
        apart = {feature: ~rivals[feature].meets(part) for feature, part in box.items()}
        features = list(box)
        return [
            self._widened_by(order, box, rivals, dict(apart))
            for order in (features, features[::-1])
        ]

    def _widened_by(
        self,
        order: Sequence[int],
        box: Box,
        rivals: Mapping[int, Any],
        apart: dict[int, BoolArray],
    ) -> Box:
        """Return a box widened column by column; `apart` says which rivals each keeps away."""
        wide = {feature: box[feature] for feature in order}
        n_apart = np.sum(list(apart.values()), axis=0, dtype=np.int64)
        for feature in order:
            without = n_apart - apart[feature]
            if without.all():
                del wide[feature]
                n_apart = without
        for whole_bounds in (True, False):
            for feature, part in wide.items():
                axis, without = rivals[feature], n_apart - apart[feature]
                wider = axis.widened(part, (without == 0).nonzero()[0], whole_bounds)
                if wider != part:
                    wide[feature] = wider
                    apart[feature] = ~axis.meets(wider)
                    n_apart = without + apart[feature]
        return self._bounded(wide)

    def _bounded(self, box: Box) -> Box:
        """Return a box without the columns in which anything goes, the others in order."""
        return {f: box[f] for f in sorted(box) if box[f] != self.axes[f].whole}

    def _chosen(self, candidates: list[Box], own: IntArray) -> list[Box]:
        """Return boxes of which each leaf is within one, chosen greedily."""
        # A cluster whose leaves nothing can reach has no candidates.
        holds = np.array([self._within(box, own) for box in candidates], bool)
        holds = holds.reshape(len(candidates), len(own))
        n_bounds = np.array(
            [sum(self.axes[f].n_bounds(p) for f, p in box.items()) for box in candidates]
        )
        chosen: list[Box] = []
        uncovered = np.ones(len(own), bool)
        gains = holds.sum(axis=1)
        while uncovered.any():
            largest = np.flatnonzero(gains == gains.max())
            best = int(largest[n_bounds[largest].argmin()])
            chosen.append(candidates[best])
            gains -= holds[:, holds[best] & uncovered].sum(axis=1)
            uncovered &= ~holds[best]
        return chosen

    def _within(self, box: Box, leaves: IntArray) -> BoolArray:
        inside = np.ones(len(leaves), bool)
        for feature, part in box.items():
            inside &= self.axes[feature].within(part, leaves)
        return inside

    def _unneeded_left_out(self, boxes: list[Box]) -> list[Box]:
        if len(boxes) < 2:
            return boxes
        placed = {feature: copy(axis) for feature, axis in self.axes.items()}
        for feature, axis in placed.items():
            axis.place([box.get(feature, axis.whole) for box in boxes])
        kept = np.ones(len(boxes), bool)
        for place in range(len(boxes) - 1, -1, -1):
            kept[place] = False
            box = boxes[place]
            kept[place] = self._has_own_corner(box, placed, kept) or not self._is_covered(
                box, boxes, kept, _meeting(box, placed, kept)
            )
        return [box for box, is_kept in zip(boxes, kept, strict=True) if is_kept]

    def _has_own_corner(self, box: Box, placed: Mapping[int, Any], kept: BoolArray) -> bool:
        """Tell whether no other box has one of two corners: mostly so, and quickly found."""
        for last in (False, True):
            parts = {f: axis.corner(box.get(f, axis.whole), last) for f, axis in self.axes.items()}
            if not _meeting(parts, placed, kept).any():
                return True
        return False

    def _is_covered(
        self, box: Box, boxes: Sequence[Box], kept: BoolArray, meeting: BoolArray
    ) -> bool:
        """Tell whether the boxes kept cover one; those that it does not meet take nothing off."""
        pieces, n_pieces, n_passed = [box], 0, 0
        turns = np.cumsum(kept) - 1
        for place in np.flatnonzero(meeting).tolist():
            # Boxes in between leave the pieces as they are, and count all the same.
            n_pieces += (int(turns[place]) - n_passed) * len(pieces)
            if n_pieces > MOST_PIECES:
                break
            n_passed = int(turns[place]) + 1
            pieces = [rest for piece in pieces for rest in self._difference(piece, boxes[place])]
            n_pieces += len(pieces)
            if not pieces or n_pieces > MOST_PIECES:
                break
        return not pieces

    def _difference(self, box: Box, other: Box) -> list[Box]:
        """Return what is in a box and not in the other, as boxes without anything in common."""
        rests: list[Box] = []
        inner = dict(box)
        for feature, part in other.items():
            axis = self.axes[feature]
            mine = inner.get(feature, axis.whole)
            inner[feature] = axis.common(mine, part)
            if axis.is_none(inner[feature]):
                return [box]
            rests += [{**inner, feature: left} for left in axis.rest(mine, part)]
        return rests


def _meeting(box: Box, placed: Mapping[int, Any], among: BoolArray) -> BoolArray:
    """Return which boxes, of some of those placed, have something in common with one."""
    meeting = among.copy()
    for feature, part in box.items():
        meeting &= placed[feature].meets(part)
    return meeting


def _axis(tree: Tree, columns: Schema, feature: int, missing: bool) -> Axis:
    levels = columns.levels[feature]
    if levels is not None:
        # A truth value is one of two.
        is_open = set(levels) != {False, True} or not isinstance(levels[0], bool)
        return NominalAxis(len(levels), is_open, missing)
    thresholds = np.unique(tree.threshold[tree.feature == feature])
    return NumericAxis(thresholds[np.isfinite(thresholds)], missing)
