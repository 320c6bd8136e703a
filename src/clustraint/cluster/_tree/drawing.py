"""Trees drawn by matplotlib."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from clustraint.checks import check_choice
from clustraint.cluster._tree.arrays import NO_CHILD, Tree
from clustraint.cluster._tree.captions import (
    caption_of_test,
    centroid_captions,
    cluster_caption,
    cluster_color,
    size_caption,
)
from clustraint.cluster._tree.columns import Columns
from clustraint.cluster._tree.layout import lay_out
from clustraint.exceptions import MissingPackageError
from clustraint.typing import FloatArray

POINTS_PER_INCH = 72
# In points, for text of 10 points: all else is in proportion to the text.
LINE = 13.0
PADDING = 6.0
GAP = 10.0
STEP = 34.0
MARGIN = 12.0
# A tree that would be broader than this grows to the right instead of down.
BROADEST_DOWN = 14 * POINTS_PER_INCH
LEAST_SIZE = (180.0, 110.0)
WIDEST_TEXT = 30
MOST_LINES = 3

INK = "#222222"
LINES = "#888888"
INNER = "#f7f7f7"


class _Picture(NamedTuple):
    """A tree laid out for drawing, in points at a text size of 10."""

    tree: Tree
    captions: list[str]
    widths: FloatArray
    heights: FloatArray
    x: FloatArray
    y: FloatArray
    width: float
    height: float
    orientation: str


def draw(
    tree: Tree,
    columns: Columns,
    ax: Any = None,
    *,
    decimals: int | None = None,
    n_features: int = 3,
    orientation: Literal["auto", "down", "right"] = "auto",
    font_size: float = 10.0,
) -> Any:
    r"""Draw a tree: tests, and leaves in the colours of their clusters.

    The parameters are those of `ClusteringTree.plot`.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> tree = Tree([2, -1, -1], [1, -1, -1], [0, -2, -2], [3.5, -2, -2], (None,) * 3,
    ...             [False] * 3, [5, 2, 3], [1, 0, 0], [[3], [7], [1]], [-1, 0, 1])
    >>> ax = draw(tree, Columns(("legs",), (None,)))
    >>> [text.get_text() for text in ax.texts[:2]]
    ['legs > 3.5\n5 samples', 'cluster 0\n2 samples\nlegs = 7']
    >>> matplotlib.pyplot.close()
    """
    pyplot = _pyplot()
    check_choice("orientation", orientation, ("auto", "down", "right"))
    pictures = [
        _laid_out(tree, columns, decimals, n_features, each)
        for each in (("down", "right") if orientation == "auto" else (orientation,))
    ]
    picture = _best(pictures, ax)
    legend = _Legend(tree, picture.width)
    width = max(picture.width, legend.width, LEAST_SIZE[0]) + 2 * MARGIN
    height = max(picture.height + legend.height, LEAST_SIZE[1]) + 2 * MARGIN
    if ax is None:
        inches = np.array([width, height]) * (font_size / 10) / POINTS_PER_INCH
        ax = pyplot.figure(figsize=inches).add_axes((0, 0, 1, 1))
    scale = _fit(ax, width, height, font_size / 10)
    _draw_picture(ax, picture, scale, width, height)
    legend.draw(ax, scale)
    return ax


def _pyplot() -> Any:
    try:
        from matplotlib import pyplot
    except ImportError:
        raise MissingPackageError("drawing a tree", "matplotlib", "plot") from None
    return pyplot


def _fit(ax: Any, width: float, height: float, largest: float) -> float:
    """Set limits so that everything fits, and return how many points a unit is."""
    room = ax.get_window_extent()
    points = POINTS_PER_INCH / ax.figure.dpi
    scale = min(room.width * points / width, room.height * points / height, largest)
    half_x, half_y = room.width * points / scale / 2, room.height * points / scale / 2
    ax.set_xlim(width / 2 - half_x, width / 2 + half_x)
    ax.set_ylim(height / 2 - half_y, height / 2 + half_y)
    ax.set_axis_off()
    return float(scale)


def _best(pictures: Sequence[_Picture], ax: Any) -> _Picture:
    """Return the picture that may be largest in the axes, or the first that is not too broad."""
    if ax is None:
        return next((each for each in pictures if each.width <= BROADEST_DOWN), pictures[-1])
    room = ax.get_window_extent()
    return max(pictures, key=lambda each: min(room.width / each.width, room.height / each.height))


def _laid_out(
    tree: Tree, columns: Columns, decimals: int | None, n_features: int, orientation: str
) -> _Picture:
    nodes = range(tree.node_count)
    captions = [_caption(tree, columns, node, decimals, n_features, orientation) for node in nodes]
    sizes = np.array([_size(caption) for caption in captions]) + 2 * PADDING
    widths, heights = sizes[:, 0], sizes[:, 1]
    if orientation == "down":
        found = lay_out(tree, widths, heights, gap=GAP, step=STEP)
        x, y, room = found.across, found.length - found.along, (found.breadth, found.length)
    else:
        found = lay_out(tree, heights, widths, gap=GAP, step=STEP, flush=True)
        x, y, room = found.along, found.breadth - found.across, (found.length, found.breadth)
    return _Picture(tree, captions, widths, heights, x, y, *room, orientation)


def _caption(
    tree: Tree,
    columns: Columns,
    node: int,
    decimals: int | None,
    n_features: int,
    orientation: str,
) -> str:
    size = size_caption(int(tree.n_node_samples[node]))
    if tree.children_left[node] != NO_CHILD:
        return "\n".join([*_wrapped(caption_of_test(tree, columns, node, decimals)), size])
    name = _shortened(cluster_caption(tree, node))
    centroid = centroid_captions(tree, columns, node, n_features, decimals)
    centroid = [_shortened(each) for each in centroid]
    if orientation == "down":
        return "\n".join([name, size, *centroid])
    # Beside each other, leaves have room in a line but little between lines.
    return "\n".join([f"{name}, {size}", *_filled(centroid)])


def _wrapped(text: str) -> list[str]:
    text = " ".join(text.split())
    lines = textwrap.wrap(text, WIDEST_TEXT, break_on_hyphens=False)
    if len(lines) > MOST_LINES:
        # The end, where the threshold is, is worth more than the middle of a long name.
        head, tail = text[: WIDEST_TEXT - 1] + "…", "…" + text[-WIDEST_TEXT + 1 :]
        lines = [head, tail]
    return lines


def _shortened(text: str) -> str:
    text = " ".join(text.split())
    if len(text) <= WIDEST_TEXT:
        return text
    tail = min(WIDEST_TEXT // 2, len(text) - text.rfind(" = ") if " = " in text else 0)
    return text[: WIDEST_TEXT - tail - 1] + "…" + text[-tail:]


def _filled(items: Sequence[str]) -> list[str]:
    """Return items in lines, as many in each as there is room for."""
    lines: list[str] = []
    for item in items:
        if lines and len(lines[-1]) + len(item) + 2 <= 2 * WIDEST_TEXT:
            lines[-1] += f", {item}"
        else:
            lines.append(item)
    return lines


def _size(caption: str) -> tuple[float, float]:
    """Return the width and height of a text of 10 points."""
    lines = caption.split("\n")
    return max(map(_width, lines)), LINE * len(lines)


def _width(line: str) -> float:
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    width, _, _ = text_to_path.get_text_width_height_descent(line, FontProperties(size=10), False)
    return float(width)


def _draw_picture(ax: Any, picture: _Picture, scale: float, width: float, height: float) -> None:
    tree = picture.tree
    x = picture.x + (width - picture.width) / 2
    y = picture.y + height - MARGIN - picture.height
    for node in range(tree.node_count):
        _draw_box(ax, picture, node, (x[node], y[node]), scale)
    for node in np.flatnonzero(tree.children_left != NO_CHILD).tolist():
        for answer, children in (("yes", tree.children_right), ("no", tree.children_left)):
            _draw_edge(ax, picture, (x, y), (node, int(children[node])), answer, scale)


def _draw_box(
    ax: Any, picture: _Picture, node: int, middle: tuple[float, float], scale: float
) -> None:
    from matplotlib.patches import FancyBboxPatch

    tree, width, height = picture.tree, picture.widths[node], picture.heights[node]
    is_leaf = tree.children_left[node] == NO_CHILD
    corner = (middle[0] - width / 2, middle[1] - height / 2)
    rounding = f"round,pad=0,rounding_size={PADDING if is_leaf else 1.0}"
    color = cluster_color(int(tree.label[node])) if is_leaf else INNER
    box = FancyBboxPatch(
        corner, width, height, boxstyle=rounding, facecolor=color, edgecolor=LINES, zorder=2
    )
    box.set_linewidth(0.8 * scale)
    # A name for who looks for a node in the drawing, or in its SVG.
    box.set_gid(f"{'leaf' if is_leaf else 'test'}-{node}")
    ax.add_patch(box)
    _write(ax, middle, picture.captions[node], scale, zorder=3)


def _write(ax: Any, place: tuple[float, float], text: str, scale: float, **options: Any) -> None:
    ax.text(
        *place,
        text,
        fontsize=10 * scale,
        color=INK,
        horizontalalignment="center",
        verticalalignment="center",
        linespacing=1.1,
        parse_math=False,
        **options,
    )


def _draw_edge(
    ax: Any,
    picture: _Picture,
    places: tuple[FloatArray, FloatArray],
    ends: tuple[int, int],
    answer: str,
    scale: float,
) -> None:
    (x, below_x), (y, below_y) = (place[list(ends)] for place in places)
    above, below = ends
    if picture.orientation == "down":
        y, below_y = y - picture.heights[above] / 2, below_y + picture.heights[below] / 2
        corners = [(x, y), (below_x, below_y)]
        middle = ((x + below_x) / 2, (y + below_y) / 2)
    else:
        x, below_x = x + picture.widths[above] / 2, below_x - picture.widths[below] / 2
        bend = x + STEP / 4
        corners = [(x, y), (bend, y), (bend, below_y), (below_x, below_y)]
        middle = (bend + 0.42 * STEP, below_y)
    ax.plot(*zip(*corners, strict=True), color=LINES, linewidth=scale, zorder=1)
    background = {"facecolor": "white", "edgecolor": "none", "pad": 1.0 * scale}
    _write(ax, middle, answer, 0.9 * scale, zorder=1.5, bbox=background)


class _Legend:
    """What the colours mean, in rows below the tree.

    Parameters
    ----------
    tree : Tree
        The tree.
    width : float
        The room for a row.
    """

    def __init__(self, tree: Tree, width: float) -> None:
        leaves = tree.leaves
        sizes = np.bincount(tree.label[leaves], tree.n_node_samples[leaves]).astype(np.int64)
        self.entries = {
            cluster: f"cluster {tree.name_of(cluster)}: {size_caption(int(sizes[cluster]))}"
            for cluster in np.unique(tree.label[leaves]).tolist()
        }
        widest = max(map(_width, self.entries.values())) + 40
        self.n_columns = int(np.clip(width // widest, 1, len(self.entries)))
        n_rows = -(-len(self.entries) // self.n_columns)
        self.width = self.n_columns * widest
        self.height = n_rows * 1.5 * LINE + 2 * MARGIN

    def draw(self, ax: Any, scale: float) -> None:
        """Add the legend at the foot of the axes."""
        from matplotlib.patches import Patch

        handles = [
            Patch(facecolor=cluster_color(cluster), edgecolor=LINES, label=label)
            for cluster, label in self.entries.items()
        ]
        ax.legend(
            handles=handles,
            loc="lower center",
            ncols=self.n_columns,
            fontsize=10 * scale,
            labelcolor=INK,
            facecolor="white",
            edgecolor="none",
            framealpha=1.0,
        )
