"""A clustering tree as boxes: tests, and leaves in the colours of their clusters."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from clustraint.checks import check_choice
from clustraint.cluster import ClusteringTree, NodeCaption, Tree
from clustraint.plot._layout import lay_out
from clustraint.plot._membership import Membership
from clustraint.plot._palette import Look, look_of
from clustraint.wording import counted, short_text

# All for text of size 10.
LINE, PADDING, GAP, STEP = 13.0, 6.0, 10.0, 34.0
WIDEST_TEXT, MOST_LINES = 30, 3
# Wide enough for most fonts.
CHARACTER = 5.7
# A tree that would be broader grows to the right instead of down.
BROADEST_DOWN = 600.0

Orientation = Literal["auto", "down", "right"]


class TreeBox(NamedTuple):
    """A test, or a leaf with the cluster it belongs to; `x` and `y` are its upper left corner."""

    x: float
    y: float
    width: float
    height: float
    lines: list[str]
    cluster: int | None

    @property
    def look(self) -> Look | None:
        """How the cluster of a leaf looks."""
        return None if self.cluster is None else look_of(self.cluster)


class TreeEdge(NamedTuple):
    """The way from a test to one of its sides, and where its answer stands."""

    corners: list[tuple[float, float]]
    answer: str
    x: float
    y: float


@dataclass(frozen=True, eq=False)
class TreeView:
    """A clustering tree as boxes, in units in which text has the size 10.

    Attributes
    ----------
    boxes : tuple of TreeBox
        The nodes, in the order of `Tree`.
    edges : tuple of TreeEdge
        The lines between them.
    width, height : float
        How much room they take.
    clusters : dict of int to str
        What the colours of the leaves mean.
    n_leaves : int
        How many leaves there are.

    Examples
    --------
    >>> from clustraint import ClusteringTree, plot
    >>> view = plot.tree_view(ClusteringTree(2).fit([[0.0], [1.0], [8.0], [9.0]]))
    >>> [box.lines for box in view.boxes]
    [['x0 > 4.5', '4 samples'], ['cluster 0', '2 samples'], ['cluster 1', '2 samples']]
    """

    boxes: tuple[TreeBox, ...]
    edges: tuple[TreeEdge, ...]
    width: float
    height: float
    clusters: dict[int, str]
    n_leaves: int


def tree_view(
    model: ClusteringTree,
    *,
    clusters: Sequence[Hashable] | None = None,
    decimals: int | None = None,
    n_features: int = 0,
    feature_names: Sequence[str] | None = None,
    orientation: Orientation = "auto",
) -> TreeView:
    """Return the picture of a clustering tree.

    Parameters
    ----------
    model : ClusteringTree
        A fitted tree.
    clusters : sequence, optional
        The clusters in the order of their colours; by default those of the tree.
    decimals : int, optional
        Of numbers; six digits by default.
    n_features : int, default=0
        How many columns of its centroid to show at each leaf.
    feature_names : sequence of str, optional
        What to call the columns; by default, as `fit` knew them.
    orientation : {"auto", "down", "right"}, default="auto"
        Where the tree grows to; by default down, but broad trees to the right.

    Returns
    -------
    TreeView

    Examples
    --------
    >>> from clustraint import ClusteringTree, plot
    >>> view = plot.tree_view(ClusteringTree(2).fit([[0.0], [1.0], [8.0], [9.0]]))
    >>> [edge.answer for edge in view.edges], view.clusters
    (['yes', 'no'], {0: 'cluster 0: 2 samples', 1: 'cluster 1: 2 samples'})
    """
    captions = model.captions(decimals=decimals, n_features=n_features, feature_names=feature_names)
    return lay_out_tree(model.tree_, captions, clusters=clusters, orientation=orientation)


def lay_out_tree(
    tree: Tree,
    captions: Sequence[NodeCaption],
    *,
    clusters: Sequence[Hashable] | None = None,
    orientation: Orientation = "auto",
    measure: Callable[[str], float] = lambda line: CHARACTER * len(line),
    broadest: float = BROADEST_DOWN,
    room: tuple[float, float] | None = None,
) -> TreeView:
    """Return the picture of a tree.

    Parameters
    ----------
    tree : Tree
        The tree.
    captions : sequence of NodeCaption
        What is written on its nodes.
    clusters, orientation
        As for `tree_view`.
    measure : callable
        From a line of text to its width at size 10.
    broadest : float
        A tree that would be broader than this grows to the right.
    room : (float, float), optional
        Width and height into which it is to fit: it then grows to where it can be drawn largest.
    """
    check_choice("orientation", orientation, ("auto", "down", "right"))
    views = [
        _laid_out(tree, captions, cluster_places(tree, clusters), each == "down", measure)
        for each in (("down", "right") if orientation == "auto" else (orientation,))
    ]
    if room is None:
        return next((view for view in views if view.width <= broadest), views[-1])
    width, height = room
    return max(views, key=lambda view: min(width / view.width, height / view.height))


def cluster_places(tree: Tree, clusters: Sequence[Hashable] | None = None) -> dict[int, int]:
    """Return for each label of a leaf the place of its cluster among all, -1 if it is not there."""
    labels = np.unique(tree.label[tree.leaves]).tolist()
    if clusters is None:
        # As of any labels: in the order of their names, where these have one.
        names = list(tree.clusters) or [tree.name_of(label) for label in labels]
        clusters = Membership.of(names).clusters
    # A model's labels may be numpy's numbers, those of a page plain ones or texts.
    places = {str(cluster): place for place, cluster in enumerate(clusters)}
    return {label: places.get(str(tree.name_of(label)), -1) for label in labels}


def _laid_out(
    tree: Tree,
    captions: Sequence[NodeCaption],
    places: dict[int, int],
    down: bool,
    measure: Callable[[str], float],
) -> TreeView:
    # Tests that hold come first, as in the text of a tree.
    children = [
        [] if yes < 0 else [yes, no]
        for yes, no in zip(tree.children_right.tolist(), tree.children_left.tolist(), strict=True)
    ]
    lines = [_lines(caption, down) for caption in captions]
    widths = np.array([max(map(measure, each)) for each in lines]) + 2 * PADDING
    heights = np.array([LINE * len(each) for each in lines]) + 2 * PADDING
    if down:
        layout = lay_out(children, widths, heights, gap=GAP, step=STEP)
        x, y, size = layout.across, layout.along, (layout.breadth, layout.length)
    else:
        layout = lay_out(children, heights, widths, gap=GAP, step=STEP, flush=True)
        x, y, size = layout.along, layout.across, (layout.length, layout.breadth)
    corners = (x - widths / 2).tolist(), (y - heights / 2).tolist()
    clusters = [places.get(label) for label in tree.label.tolist()]
    parts = zip(*corners, widths.tolist(), heights.tolist(), lines, clusters, strict=True)
    boxes = tuple(TreeBox(*each) for each in parts)
    edges = tuple(
        _edge(boxes[node], boxes[child], answer, down)
        for node, below in enumerate(children)
        for child, answer in zip(below, ("yes", "no"), strict=False)
    )
    return TreeView(boxes, edges, *size, _legend(tree, places), tree.n_leaves)


def _lines(caption: NodeCaption, down: bool) -> list[str]:
    if caption.test:
        return [*_wrapped(caption.test), caption.size]
    name = _shortened(caption.cluster)
    centroid = [_shortened(each) for each in caption.centroid]
    if down:
        return [name, caption.size, *centroid]
    # Beside each other, leaves have room in a line but little between lines.
    return [f"{name}, {caption.size}", *_filled(centroid)]


def _wrapped(text: str) -> list[str]:
    text = " ".join(text.split())
    lines = textwrap.wrap(text, WIDEST_TEXT, break_on_hyphens=False)
    if len(lines) > MOST_LINES:
        # The end, where the threshold is, is worth more than the middle of a long name.
        lines = [text[: WIDEST_TEXT - 1] + "…", "…" + text[-WIDEST_TEXT + 1 :]]
    return lines


def _shortened(text: str) -> str:
    text = " ".join(text.split())
    if len(text) <= WIDEST_TEXT:
        return text
    tail = min(WIDEST_TEXT // 2, len(text) - text.rfind(" = ") if " = " in text else 0)
    return text[: WIDEST_TEXT - tail - 1] + "…" + text[len(text) - tail :]


def _filled(items: Sequence[str]) -> list[str]:
    """Return items in lines, as many in each as there is room for."""
    lines: list[str] = []
    for item in items:
        if lines and len(lines[-1]) + len(item) + 2 <= 2 * WIDEST_TEXT:
            lines[-1] += f", {item}"
        else:
            lines.append(item)
    return lines


def _edge(above: TreeBox, below: TreeBox, answer: str, down: bool) -> TreeEdge:
    if down:
        start = above.x + above.width / 2, above.y + above.height
        stop = below.x + below.width / 2, below.y
        middle = (start[0] + stop[0]) / 2, (start[1] + stop[1]) / 2
        return TreeEdge([start, stop], answer, *middle)
    start = above.x + above.width, above.y + above.height / 2
    stop = below.x, below.y + below.height / 2
    bend = start[0] + STEP / 4
    corners = [start, (bend, start[1]), (bend, stop[1]), stop]
    return TreeEdge(corners, answer, bend + 0.42 * STEP, stop[1])


def _legend(tree: Tree, places: dict[int, int]) -> dict[int, str]:
    leaves = tree.leaves
    sizes = np.bincount(tree.label[leaves], tree.n_node_samples[leaves]).astype(np.int64)
    entries = {
        place: f"cluster {short_text(tree.name_of(label), 40)}: "
        f"{counted(int(sizes[label]), 'sample')}"
        for label, place in places.items()
    }
    return dict(sorted(entries.items()))
