"""A hierarchy drawn from the left, condensed where it has many samples."""

from __future__ import annotations

import heapq
from typing import Any, NamedTuple

import numpy as np

from clustraint.hierarchy import Hierarchy
from clustraint.reports._palette import Look, look_of
from clustraint.reports._plane import round_ticks
from clustraint.reports._scatter import Mark
from clustraint.reports._subject import Subject
from clustraint.reports._words import short
from clustraint.typing import FloatArray, IntArray
from clustraint.wording import counted

MOST_LEAVES = 50
WIDTH, TEXT, MARGIN = 780.0, 290.0, 14.0
ROW, FOOT = 20.0, 40.0
MIXED = -2


class Line(NamedTuple):
    """A stroke of the drawing and its colour, a class of the style sheet."""

    path: str
    colour: str


class Leaf(NamedTuple):
    """A sample, or a branch that is drawn as a triangle."""

    y: float
    text: str
    look: Look
    triangle: str


class Item(NamedTuple):
    """A node in words, with those below it."""

    text: str
    below: list[Item]


class Dendrogram(NamedTuple):
    """The drawing, in its own coordinates."""

    width: float
    height: float
    edge: float
    lines: list[Line]
    leaves: list[Leaf]
    cut: list[str]
    marks: list[Mark]
    outline: Item
    about: list[str]


def dendrogram_of(subject: Subject) -> Dendrogram | None:
    """Lay out the hierarchy of a subject that has one."""
    if subject.hierarchy is None:
        return None
    return _Drawing(subject, subject.hierarchy).drawn()


class _Drawing:
    """A hierarchy with what is needed to draw it."""

    def __init__(self, subject: Subject, hierarchy: Hierarchy) -> None:
        self.subject, self.hierarchy = subject, hierarchy
        self.clusters = _clusters_of_nodes(hierarchy, subject.labels)
        self.heights = _drawn_heights(hierarchy)
        self.opened = self._opened()
        self.order = self._preorder()
        self.ends = [node for node in self.order if node not in self.opened]
        self.y = self._rows()
        self.reach = WIDTH - TEXT - 2 * MARGIN

    def _opened(self) -> set[int]:
        """Return which nodes are drawn open: those of several clusters first, then from the top."""
        opened: set[int] = set()
        n_leaves = 1
        waiting: list[tuple[Any, ...]] = [self._rank(self.hierarchy.root)]
        while waiting:
            node = heapq.heappop(waiting)[-1]
            children = self.hierarchy.children(node).tolist()
            if len(children) < 2 or n_leaves + len(children) - 1 > MOST_LEAVES:
                continue
            opened.add(node)
            n_leaves += len(children) - 1
            for child in children:
                heapq.heappush(waiting, self._rank(child))
        return opened

    def _rank(self, node: int) -> tuple[Any, ...]:
        return self.clusters[node] != MIXED, -self.heights[node], node

    def _preorder(self) -> list[int]:
        found, waiting = [], [self.hierarchy.root]
        while waiting:
            node = waiting.pop()
            found.append(node)
            if node in self.opened:
                waiting += self.hierarchy.children(node).tolist()[::-1]
        return found

    def _rows(self) -> dict[int, float]:
        """Return where nodes are from top to bottom, each in the middle of those below it."""
        y = {node: MARGIN + ROW * (place + 0.5) for place, node in enumerate(self.ends)}
        for node in reversed(self.order):
            if node in self.opened:
                children = self.hierarchy.children(node).tolist()
                y[node] = (y[children[0]] + y[children[-1]]) / 2
        return y

    def x(self, height: float) -> float:
        """Return where a height is from left to right; the root is on the left."""
        top = float(self.heights[self.hierarchy.root]) or 1.0
        return MARGIN + self.reach * (1 - height / top)

    def at(self, node: int) -> float:
        """Return where a node is from left to right."""
        return self.x(float(self.heights[node]))

    def drawn(self) -> Dendrogram:
        """Return all strokes and texts."""
        return Dendrogram(
            WIDTH,
            2 * MARGIN + ROW * len(self.ends) + FOOT * (self.hierarchy.heights is not None),
            self.x(0.0),
            [line for node in self.order for line in self._strokes(node)],
            [self._leaf(node) for node in self.ends],
            self._cut(),
            self._marks(),
            self._outline(),
            self._about(),
        )

    def _strokes(self, node: int) -> list[Line]:
        lines = []
        colour = look_of(self.clusters[node]).colour if self.clusters[node] != MIXED else "mixed"
        parent = int(self.hierarchy.parents[node])
        if parent >= 0:
            lines.append(
                Line(f"M{self.at(parent):.1f} {self.y[node]:.1f}H{self.at(node):.1f}", colour)
            )
        if node in self.opened:
            ends = [self.y[child] for child in self.hierarchy.children(node).tolist()]
            lines.append(Line(f"M{self.at(node):.1f} {ends[0]:.1f}V{ends[-1]:.1f}", colour))
        return lines

    def _leaf(self, node: int) -> Leaf:
        y, start, stop = self.y[node], self.at(node), self.x(0.0)
        size = int(self.hierarchy.sizes[node])
        triangle = ""
        if size > 1:
            triangle = f"M{start:.1f} {y:.1f}L{stop:.1f} {y - 7:.1f}V{y + 7:.1f}Z"
        cluster = self.clusters[node]
        look = look_of(cluster) if cluster != MIXED else Look("mixed", -1)
        return Leaf(y, self._text(node, 32), look, triangle)

    def _text(self, node: int, width: int) -> str:
        samples = self.hierarchy.samples_below(node)
        if len(samples) == 1:
            return short(self.subject.name_of(int(samples[0])), width)
        names = ", ".join(self.subject.name_of(sample) for sample in samples[:8].tolist())
        return short(f"{counted(len(samples), 'sample')}: {names}", width)

    def _tops(self) -> list[int]:
        """Return the highest drawn nodes that lie within one cluster."""
        parents = self.hierarchy.parents
        return [
            node
            for node in self.order
            if self.clusters[node] != MIXED
            and parents[node] >= 0
            and self.clusters[parents[node]] == MIXED
        ]

    def _cut(self) -> list[str]:
        """Return one line through all branches where it fits, else a stroke on each."""
        tops = self._tops()
        mixed = self.heights[self.clusters == MIXED]
        if not tops:
            return []
        low, high = max(float(self.heights[node]) for node in tops), float(mixed.min())
        if low < high:
            x = self.x((low + high) / 2)
            return [f"M{x:.1f} {MARGIN / 2:.1f}V{MARGIN * 1.5 + ROW * len(self.ends):.1f}"]
        parents = self.hierarchy.parents
        return [
            f"M{(self.at(node) + self.at(int(parents[node]))) / 2:.1f} {self.y[node] - 6:.1f}v12"
            for node in tops
        ]

    def _marks(self) -> list[Mark]:
        if self.hierarchy.heights is None:
            return []
        top = float(self.heights[self.hierarchy.root])
        return [Mark(self.x(value), text) for value, text in round_ticks(0.0, top)]

    def _outline(self) -> Item:
        items: dict[int, Item] = {}
        for node in reversed(self.order):
            below = self.hierarchy.children(node).tolist() if node in self.opened else []
            items[node] = Item(self._said(node), [items[child] for child in below])
        return items[self.hierarchy.root]

    def _said(self, node: int) -> str:
        cluster = self.clusters[node]
        where = "several clusters" if cluster == MIXED else self.subject.cluster_name(int(cluster))
        size = int(self.hierarchy.sizes[node])
        words = counted(size, "sample") if node in self.opened else self._text(node, 80)
        return f"{words}, {where}"

    def _about(self) -> list[str]:
        said = []
        n_samples = self.subject.n_samples
        if len(self.ends) < n_samples:
            said.append(
                f"{counted(n_samples, 'sample')} are condensed to {len(self.ends)} branches; a "
                "triangle is a branch whose merges are not shown."
            )
        tops = {int(self.clusters[node]) for node in self._tops()}
        if len(self._tops()) > len(tops):
            said.append("Some clusters stand on several branches.")
        raised = self.hierarchy.heights is not None and bool(
            (self.heights[n_samples:] > self.hierarchy.heights).any()
        )
        if raised:
            said.append("Merges at a smaller distance than one below them are drawn at that one.")
        return said


def _clusters_of_nodes(hierarchy: Hierarchy, labels: IntArray) -> IntArray:
    """Return the cluster of all samples below each node, or that there are several."""
    clusters = np.concatenate([labels, np.full(hierarchy.n_nodes - len(labels), MIXED - 1)])
    for node, parent in enumerate(hierarchy.parents[:-1].tolist()):
        if clusters[parent] == MIXED - 1:
            clusters[parent] = clusters[node]
        elif clusters[parent] != clusters[node]:
            clusters[parent] = MIXED
    return clusters


def _drawn_heights(hierarchy: Hierarchy) -> FloatArray:
    """Return a height for each node that is at least that of any node below it."""
    heights = np.zeros(hierarchy.n_nodes)
    n_samples, given = hierarchy.n_samples, hierarchy.heights
    if given is not None:
        heights[n_samples:] = np.maximum(given, 0.0)
    for node, parent in enumerate(hierarchy.parents[:-1].tolist()):
        least = heights[node] + 1 if given is None else heights[node]
        heights[parent] = max(heights[parent], least)
    return heights
