"""Clustering trees drawn by matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from clustraint.cluster import ClusteringTree, NodeCaption, Tree
from clustraint.plot._axes import FAINT, INK, pyplot
from clustraint.plot._palette import LIGHT_INKS, tint
from clustraint.plot._tree import LINE, PADDING, Orientation, TreeEdge, TreeView, lay_out_tree

POINTS_PER_INCH = 72
# In points, for text of 10 points: all else is in proportion to the text.
MARGIN = 12.0
BROADEST_DOWN = 14.0 * POINTS_PER_INCH
LEAST_SIZE = (180.0, 110.0)


def tree(
    model: ClusteringTree,
    *,
    decimals: int | None = None,
    n_features: int = 3,
    feature_names: Sequence[str] | None = None,
    orientation: Orientation = "auto",
    font_size: float = 10.0,
    ax: Any = None,
) -> Any:
    """Draw a clustering tree: its tests, and leaves in the colours of their clusters.

    Parameters
    ----------
    model : ClusteringTree
        A fitted tree.
    decimals : int, optional
        Of numbers; six digits by default.
    n_features : int, default=3
        How many columns of its centroid to show at each leaf.
    feature_names : sequence of str, optional
        What to call the columns; by default, as `fit` knew them.
    orientation : {"auto", "down", "right"}, default="auto"
        Where the tree grows to. "auto" takes what fits the axes best; in a figure of its own,
        broad trees grow to the right, where text takes least room.
    font_size : float, default=10
        In points.
    ax : matplotlib Axes, optional
        Where to draw; the text becomes smaller where the tree would not fit. By default a new
        figure that is just large enough.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    MissingPackageError
        If matplotlib is not installed.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from clustraint import ClusteringTree, plot
    >>> ax = plot.tree(ClusteringTree(2).fit([[0.0], [1.0], [8.0], [9.0]]))
    >>> len(ax.patches)
    3
    >>> matplotlib.pyplot.close()
    """
    captions = model.captions(decimals=decimals, n_features=n_features, feature_names=feature_names)
    return draw_tree(model.tree_, captions, ax, orientation=orientation, font_size=font_size)


def draw_tree(
    tree: Tree,
    captions: Sequence[NodeCaption],
    ax: Any = None,
    *,
    orientation: Orientation = "auto",
    font_size: float = 10.0,
) -> Any:
    """Draw a tree with what is written on its nodes."""
    plt = pyplot()
    room = None if ax is None else ax.get_window_extent()
    view = lay_out_tree(
        tree,
        captions,
        orientation=orientation,
        measure=_text_width,
        broadest=BROADEST_DOWN,
        room=None if room is None else (room.width, room.height),
    )
    legend = _TreeLegend(view)
    width = max(view.width, legend.width, LEAST_SIZE[0]) + 2 * MARGIN
    height = max(view.height + legend.height, LEAST_SIZE[1]) + 2 * MARGIN
    if ax is None:
        inches = np.array([width, height]) * (font_size / 10) / POINTS_PER_INCH
        ax = plt.figure(figsize=inches).add_axes((0, 0, 1, 1))
    scale = _fit(ax, width, height, font_size / 10)
    _draw_view(ax, view, scale, (width - view.width) / 2)
    legend.draw(ax, scale)
    return ax


def _text_width(line: str) -> float:
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    width, _, _ = text_to_path.get_text_width_height_descent(line, FontProperties(size=10), False)
    return float(width)


def _fit(ax: Any, width: float, height: float, largest: float) -> float:
    """Set limits so that everything fits, and return how many points a unit is."""
    room = ax.get_window_extent()
    points = POINTS_PER_INCH / ax.figure.dpi
    scale = min(room.width * points / width, room.height * points / height, largest)
    half_x, half_y = room.width * points / scale / 2, room.height * points / scale / 2
    ax.set_xlim(width / 2 - half_x, width / 2 + half_x)
    # As on a page, where a view has its origin, y goes down.
    ax.set_ylim(height / 2 + half_y, height / 2 - half_y)
    ax.set_axis_off()
    return float(scale)


def _draw_view(ax: Any, view: TreeView, scale: float, left: float) -> None:
    from matplotlib.patches import FancyBboxPatch

    for node, box in enumerate(view.boxes):
        is_leaf = box.cluster is not None
        corner = (left + box.x, MARGIN + box.y)
        patch = FancyBboxPatch(
            corner,
            box.width,
            box.height,
            boxstyle=f"round,pad=0,rounding_size={PADDING if is_leaf else 1.0}",
            facecolor=LIGHT_INKS["tint"] if box.cluster is None else tint(box.cluster),
            edgecolor=FAINT if box.look is None else box.look.paint,
            linewidth=0.9 * scale,
            zorder=2,
        )
        # A name for who looks for a node in the drawing, or in its SVG.
        patch.set_gid(f"{'leaf' if is_leaf else 'test'}-{node}")
        ax.add_patch(patch)
        middle = (corner[0] + box.width / 2, corner[1] + box.height / 2)
        _write(ax, middle, "\n".join(box.lines), scale, zorder=3)
    for edge in view.edges:
        _draw_edge(ax, edge, scale, left)


def _draw_edge(ax: Any, edge: TreeEdge, scale: float, left: float) -> None:
    x, y = np.array(edge.corners).T
    ax.plot(x + left, y + MARGIN, color=FAINT, linewidth=scale, zorder=1)
    background = {"facecolor": "white", "edgecolor": "none", "pad": 1.0 * scale}
    place = (edge.x + left, edge.y + MARGIN)
    _write(ax, place, edge.answer, 0.9 * scale, zorder=1.5, bbox=background)


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


class _TreeLegend:
    """What the colours mean, in rows below the tree."""

    def __init__(self, view: TreeView) -> None:
        self.entries = view.clusters
        widest = max(map(_text_width, self.entries.values())) + 40
        self.n_columns = int(np.clip(view.width // widest, 1, len(self.entries)))
        n_rows = -(-len(self.entries) // self.n_columns)
        self.width = self.n_columns * widest
        self.height = n_rows * 1.5 * LINE + 2 * MARGIN

    def draw(self, ax: Any, scale: float) -> None:
        """Add the legend at the foot of the axes."""
        from matplotlib.patches import Patch

        handles = [
            Patch(facecolor=tint(cluster), edgecolor=FAINT, label=label)
            for cluster, label in self.entries.items()
        ]
        legend = ax.legend(
            handles=handles,
            loc="lower center",
            ncols=self.n_columns,
            fontsize=10 * scale,
            labelcolor=INK,
            facecolor="white",
            edgecolor="none",
            framealpha=1.0,
        )
        for text in legend.get_texts():
            text.set_parse_math(False)
