"""A hierarchy with the root on the left, condensed where it has many samples."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from clustraint.checks import check_whole_number
from clustraint.hierarchy import Hierarchy
from clustraint.plot._layout import lay_out
from clustraint.plot._membership import Membership
from clustraint.plot._palette import MIXED, Look, look_of
from clustraint.plot._plane import Tick, round_ticks
from clustraint.typing import FloatArray, IntArray
from clustraint.wording import counted, short_text

MOST_LEAVES = 50


class Stem(NamedTuple):
    """A branch: from the height of the node above it to its own, in the row `y`.

    A stem without a node above it begins at its own height. The node spans the rows `span`.
    """

    y: float
    above: float
    height: float
    span: tuple[float, float]
    look: Look


class Tip(NamedTuple):
    """The end of a branch: a sample, or several that are drawn as a triangle up to `height`."""

    y: float
    height: float
    n_samples: int
    text: str
    look: Look


class OutlineItem(NamedTuple):
    """A node in words, with those below it."""

    text: str
    below: list[OutlineItem]


@dataclass(frozen=True, eq=False)
class DendrogramView:
    """A hierarchy as branches in rows; heights are 0 at the samples.

    Attributes
    ----------
    stems : tuple of Stem
        The branches.
    tips : tuple of Tip
        Where they end, a row each.
    top : float
        The height of the root.
    cut : float or None
        The height of a line that parts the clusters, where there is one.
    marks : tuple of (float, float)
        Without such a line: height and row on each branch where a cluster begins.
    ticks : tuple of Tick
        Round heights; none if the hierarchy has no heights.
    outline : OutlineItem
        The same in words.
    n_samples : int
        How many samples the hierarchy has.
    about : tuple of str
        Sentences on what the picture leaves out.

    Examples
    --------
    >>> from clustraint import Hierarchy, plot
    >>> hierarchy = Hierarchy.from_newick("((ant,bee),cow);")
    >>> view = plot.dendrogram_view(hierarchy, plot.Membership.of([0, 0, 1], hierarchy.names))
    >>> [(tip.text, tip.look.colour) for tip in view.tips], view.cut
    ([('ant', 'c0'), ('bee', 'c0'), ('cow', 'c1')], 1.5)
    """

    stems: tuple[Stem, ...]
    tips: tuple[Tip, ...]
    top: float
    cut: float | None
    marks: tuple[tuple[float, float], ...]
    ticks: tuple[Tick, ...]
    outline: OutlineItem
    n_samples: int
    about: tuple[str, ...]


def dendrogram_view(
    hierarchy: Hierarchy, members: Membership, *, max_leaves: int = MOST_LEAVES
) -> DendrogramView:
    """Return the picture of a hierarchy.

    Parameters
    ----------
    hierarchy : Hierarchy
        What to draw.
    members : Membership
        The clusters of its samples.
    max_leaves : int, default=50
        A hierarchy of more samples is condensed to so many branches.

    Returns
    -------
    DendrogramView

    Examples
    --------
    >>> from clustraint import Hierarchy, plot
    >>> members = plot.Membership.of([0] * 40 + [1] * 60)
    >>> view = plot.dendrogram_view(Hierarchy.from_labels(members.labels), members, max_leaves=2)
    >>> [tip.n_samples for tip in view.tips]
    [40, 60]
    """
    check_whole_number("max_leaves", max_leaves, least=2)
    return _Branches(hierarchy, members, max_leaves).view()


class _Branches:
    """A hierarchy with the nodes that are drawn, in the order of drawing."""

    def __init__(self, hierarchy: Hierarchy, members: Membership, max_leaves: int) -> None:
        self.hierarchy, self.members = hierarchy, members
        self.clusters = _clusters_of_nodes(hierarchy, members.labels)
        self.heights = _drawn_heights(hierarchy)
        self.opened = self._opened(max_leaves)
        self.order = self._preorder()
        self.tops = self._tops()
        self.y = self._rows()

    def _opened(self, max_leaves: int) -> set[int]:
        """Return which nodes are drawn open: those of several clusters first, then from the top."""
        opened: set[int] = set()
        n_leaves = 1
        waiting: list[tuple[Any, ...]] = [self._rank(self.hierarchy.root)]
        while waiting:
            node = heapq.heappop(waiting)[-1]
            children = self.hierarchy.children(node).tolist()
            if len(children) < 2 or n_leaves + len(children) - 1 > max_leaves:
                continue
            opened.add(node)
            n_leaves += len(children) - 1
            for child in children:
                heapq.heappush(waiting, self._rank(child))
        return opened

    def _rank(self, node: int) -> tuple[Any, ...]:
        return self.clusters[node] != MIXED, -self.heights[node], node

    def _below(self, node: int) -> list[int]:
        return self.hierarchy.children(node).tolist() if node in self.opened else []

    def _preorder(self) -> list[int]:
        order, waiting = [], [self.hierarchy.root]
        while waiting:
            node = waiting.pop()
            order.append(node)
            waiting += self._below(node)[::-1]
        return order

    def _rows(self) -> dict[int, float]:
        """Return the row of each node: ends 0, 1, …, others in the middle of those below them."""
        places = {node: place for place, node in enumerate(self.order)}
        children = [[places[child] for child in self._below(node)] for node in self.order]
        # Only ends take room, each a row that it has for itself.
        breadths = np.array([float(not below) for below in children])
        layout = lay_out(children, breadths, np.zeros(len(children)), gap=0, step=1, flush=True)
        return {node: float(layout.across[place]) - 0.5 for node, place in places.items()}

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

    def view(self) -> DendrogramView:
        """Return all that is drawn and said."""
        top = float(self.heights[self.hierarchy.root])
        cut = self._cut()
        has_heights = self.hierarchy.heights is not None
        return DendrogramView(
            stems=tuple(map(self._stem, self.order)),
            tips=tuple(self._tip(node) for node in self.order if node not in self.opened),
            top=top,
            cut=cut,
            marks=() if cut is not None else tuple(self._marks()),
            ticks=tuple(round_ticks(0.0, top)) if has_heights else (),
            outline=self._outline(),
            n_samples=self.hierarchy.n_samples,
            about=tuple(self._about()),
        )

    def _stem(self, node: int) -> Stem:
        parent, below = int(self.hierarchy.parents[node]), self._below(node)
        height = float(self.heights[node])
        ends = [self.y[child] for child in below] or [self.y[node]]
        above = float(self.heights[parent]) if parent >= 0 else height
        look = look_of(int(self.clusters[node]))
        return Stem(self.y[node], above, height, (ends[0], ends[-1]), look)

    def _tip(self, node: int) -> Tip:
        size = int(self.hierarchy.sizes[node])
        look = look_of(int(self.clusters[node]))
        height = float(self.heights[node]) if size > 1 else 0.0
        return Tip(self.y[node], height, size, self._names(node, 32), look)

    def _names(self, node: int, width: int) -> str:
        samples = self.hierarchy.samples_below(node)
        names = ", ".join(self.members.name_of(sample) for sample in samples[:8].tolist())
        if len(samples) == 1:
            return short_text(names, width)
        return short_text(f"{counted(len(samples), 'sample')}: {names}", width)

    def _cut(self) -> float | None:
        """Return a height between all merges of clusters and all merges within, if there is one."""
        if not self.tops:
            return None
        low = max(float(self.heights[node]) for node in self.tops)
        high = float(self.heights[self.clusters == MIXED].min())
        return (low + high) / 2 if low < high else None

    def _marks(self) -> Iterator[tuple[float, float]]:
        for node in self.tops:
            above = float(self.heights[self.hierarchy.parents[node]])
            yield (float(self.heights[node]) + above) / 2, self.y[node]

    def _outline(self) -> OutlineItem:
        items: dict[int, OutlineItem] = {}
        for node in reversed(self.order):
            below = [items[child] for child in self._below(node)]
            items[node] = OutlineItem(self._words(node), below)
        return items[self.hierarchy.root]

    def _words(self, node: int) -> str:
        cluster = int(self.clusters[node])
        where = "several clusters" if cluster == MIXED else self.members.cluster_name(cluster)
        size = int(self.hierarchy.sizes[node])
        words = counted(size, "sample") if node in self.opened else self._names(node, 80)
        return f"{words}, {where}"

    def _about(self) -> Iterator[str]:
        n_samples, n_tips = self.hierarchy.n_samples, len(self.order) - len(self.opened)
        if n_tips < n_samples:
            yield (
                f"{counted(n_samples, 'sample')} are condensed to {n_tips} branches; a "
                "triangle is a branch whose merges are not shown."
            )
        if len(self.tops) > len({int(self.clusters[node]) for node in self.tops}):
            yield "Some clusters stand on several branches."
        heights = self.hierarchy.heights
        if heights is not None and bool((self.heights[n_samples:] > heights).any()):
            yield "Merges at a smaller distance than one below them are drawn at that one."


def _clusters_of_nodes(hierarchy: Hierarchy, labels: IntArray) -> IntArray:
    """Return the cluster of all samples below each node, or that there are several."""
    unset = MIXED - 1
    clusters = np.concatenate([labels, np.full(hierarchy.n_nodes - len(labels), unset)])
    for node, parent in enumerate(hierarchy.parents[:-1].tolist()):
        if clusters[parent] == unset:
            clusters[parent] = clusters[node]
        elif clusters[parent] != clusters[node]:
            clusters[parent] = MIXED
    return clusters


def _drawn_heights(hierarchy: Hierarchy) -> FloatArray:
    """Return a height for each node that is at least that of any node below it."""
    heights = np.zeros(hierarchy.n_nodes)
    n_samples, distances = hierarchy.n_samples, hierarchy.heights
    if distances is not None:
        heights[n_samples:] = np.maximum(distances, 0.0)
    for node, parent in enumerate(hierarchy.parents[:-1].tolist()):
        least = heights[node] + 1 if distances is None else heights[node]
        heights[parent] = max(heights[parent], least)
    return heights
