"""A clustering tree drawn as boxes."""

from __future__ import annotations

import textwrap
from typing import Any, NamedTuple

import numpy as np

from clustraint.cluster._tree.arrays import NO_CHILD, Tree
from clustraint.cluster._tree.captions import caption_of_test, size_caption
from clustraint.cluster._tree.export import export_text
from clustraint.cluster._tree.layout import lay_out
from clustraint.reports._palette import Look, look_of
from clustraint.reports._subject import Subject
from clustraint.reports._words import short
from clustraint.tables import Schema

# At a text size of 13, wide enough for most fonts.
CHARACTER, LINE = 7.4, 17.0
PADDING, GAP, STEP, MARGIN = 10.0, 14.0, 38.0, 6.0
WIDEST_TEXT, MOST_LINES = 28, 3
# A tree that would be broader grows to the right instead of down.
BROADEST_DOWN = 760.0
MOST_LEAVES = 40


class Box(NamedTuple):
    """A test or a leaf."""

    x: float
    y: float
    width: float
    height: float
    lines: list[str]
    look: Look | None


class Edge(NamedTuple):
    """The way from a test to one of its sides."""

    path: str
    answer: str
    x: float
    y: float


class TreePicture(NamedTuple):
    """The drawing, in its own coordinates; without boxes where the tree is too large for one."""

    width: float
    height: float
    boxes: list[Box]
    edges: list[Edge]
    text: str
    n_leaves: int


def tree_picture_of(subject: Subject) -> TreePicture | None:
    """Lay out the clustering tree of a subject that has one."""
    if subject.tree is None:
        return None
    fitted: Any = subject.tree
    tree, columns = fitted.tree_, fitted._columns._replace(names=subject.data.columns.names)
    text = export_text(tree, columns)
    if tree.n_leaves > MOST_LEAVES:
        return TreePicture(0, 0, [], [], text, tree.n_leaves)
    return _laid_out(subject, tree, columns)._replace(text=text)


def _laid_out(subject: Subject, tree: Tree, columns: Schema) -> TreePicture:
    captions = [_caption(tree, columns, node) for node in range(tree.node_count)]
    widths = np.array([max(map(len, lines)) * CHARACTER + 2 * PADDING for lines in captions])
    heights = np.array([len(lines) * LINE + PADDING for lines in captions])
    found = lay_out(tree, widths, heights, gap=GAP, step=STEP)
    grows_down = found.breadth <= BROADEST_DOWN
    if not grows_down:
        found = lay_out(tree, heights, widths, gap=GAP / 2, step=STEP)
    x, y = (found.across, found.along) if grows_down else (found.along, found.across)
    size = (found.breadth, found.length) if grows_down else (found.length, found.breadth)
    places = {str(cluster): place for place, cluster in enumerate(subject.clusters)}
    boxes = [
        Box(
            x[node] - widths[node] / 2 + MARGIN,
            y[node] - heights[node] / 2 + MARGIN,
            widths[node],
            heights[node],
            captions[node],
            _look(tree, node, places),
        )
        for node in range(tree.node_count)
    ]
    edges = _edges(tree, boxes, grows_down)
    return TreePicture(size[0] + 2 * MARGIN, size[1] + 2 * MARGIN, boxes, edges, "", tree.n_leaves)


def _caption(tree: Tree, columns: Schema, node: int) -> list[str]:
    size = size_caption(int(tree.n_node_samples[node]))
    if tree.children_left[node] == NO_CHILD:
        return [f"cluster {short(tree.name_of(int(tree.label[node])), 20)}", size]
    text = short(caption_of_test(tree, columns, node), 3 * WIDEST_TEXT)
    lines = textwrap.wrap(text, WIDEST_TEXT, break_on_hyphens=False)[:MOST_LINES]
    return [*lines, size]


def _look(tree: Tree, node: int, places: dict[str, int]) -> Look | None:
    if tree.children_left[node] != NO_CHILD:
        return None
    return look_of(places.get(str(tree.name_of(int(tree.label[node]))), -1))


def _edges(tree: Tree, boxes: list[Box], grows_down: bool) -> list[Edge]:
    found = []
    for node in np.flatnonzero(tree.children_left != NO_CHILD).tolist():
        for answer, children in (("yes", tree.children_right), ("no", tree.children_left)):
            found.append(_edge(boxes[node], boxes[int(children[node])], answer, grows_down))
    return found


def _edge(above: Box, below: Box, answer: str, grows_down: bool) -> Edge:
    if grows_down:
        start = above.x + above.width / 2, above.y + above.height
        stop = below.x + below.width / 2, below.y
    else:
        start = above.x + above.width, above.y + above.height / 2
        stop = below.x, below.y + below.height / 2
    path = "M{:.1f} {:.1f}L{:.1f} {:.1f}".format(*start, *stop)
    return Edge(path, answer, (start[0] + stop[0]) / 2, (start[1] + stop[1]) / 2)
