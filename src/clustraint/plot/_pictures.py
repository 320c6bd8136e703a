"""Pictures for notebooks: each function returns matplotlib's axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from clustraint.checks import check_names
from clustraint.constraints import Constraints
from clustraint.exceptions import (
    DifferentSamplesError,
    InvalidParameterError,
    NotClusteredError,
)
from clustraint.plot._axes import BROKEN, FAINT, INK, KEPT, LINES, axes_or_new, bare
from clustraint.plot._bars import bars_view
from clustraint.plot._dendrogram import MOST_LEAVES, dendrogram_view
from clustraint.plot._membership import Membership
from clustraint.plot._palette import PALETTE
from clustraint.plot._scatter import Link, ScatterView, scatter_view
from clustraint.plot._subject import Subject, hierarchy_of
from clustraint.plot._svg import arc
from clustraint.typing import FloatArray
from clustraint.wording import counted

# More clusters are not listed beside a picture, and more samples are not named.
MOST_LISTED = 12
MOST_NAMED = 40
STYLES = {"must_link": "-", "cannot_link": (0, (4, 3)), "triplets": "-"}


def clusters(
    X: Any,
    labels: Any,
    *,
    constraints: Constraints | None = None,
    names: Sequence[str] | None = None,
    feature_names: Sequence[str] | None = None,
    axes: Sequence[Any] | None = None,
    ax: Any = None,
) -> Any:
    """Draw samples in the colours and shapes of their clusters, and constraints as links.

    Must-links are lines, cannot-links dashes; of a triplet, an arc ties the two that join first
    and a dotted stem leads to the third. Violated constraints are red, with a cross.

    Parameters
    ----------
    X : DataFrame, array-like or sparse matrix of shape (n_samples, n_features)
        The samples. Two numeric columns are drawn as they are, of others the first two principal
        components.
    labels : array-like of shape (n_samples,), or a fitted estimator
        The cluster of each sample; -1, None and nan are no cluster.
    constraints : Constraints, optional
        What to draw as links; by default those that the estimator was fitted with.
    names : sequence of str, optional
        What the samples are called; of up to 40 samples, the names are drawn where there is room.
    feature_names : sequence of str, optional
        What the columns of an array are called.
    axes : two names or places of columns, optional
        Which columns to draw.
    ax : matplotlib Axes, optional
        Where to draw; by default in a new figure.

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
    >>> from clustraint import Constraints, plot
    >>> X = [[0.0, 1.0], [1.0, 0.0], [8.0, 9.0], [9.0, 8.0]]
    >>> ax = plot.clusters(X, [0, 0, 1, 1], constraints=Constraints(4, must_link=[(0, 1)]))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['cluster 0: 2 samples', 'cluster 1: 2 samples', '1 must-link']
    >>> matplotlib.pyplot.close()
    """
    subject = Subject.of(
        X, labels, constraints=constraints, names=names, feature_names=feature_names
    )
    view = scatter_view(subject, axes)
    ax = axes_or_new(ax, 6.4, 4.8)
    for group in view.groups:
        for violated in (False, True):
            _draw_links(ax, view, group.kind, [x for x in group.links if x.violated == violated])
    for cloud in view.clouds:
        # Over the links that hold, below those that do not.
        ax.scatter(
            *view.points[cloud.samples].T,
            s=36 if view.n_drawn <= 1000 else 9,
            color=cloud.look.paint,
            marker=cloud.look.marker,
            linewidths=0.4 if cloud.cluster >= 0 else 1.0,
            edgecolors=INK if cloud.cluster >= 0 else None,
            zorder=2,
        )
    ax.scatter(
        *view.points[view.astray].T, s=140, facecolors="none", edgecolors=BROKEN, linestyle=":"
    )
    _draw_axes(ax, view)
    _draw_names(ax, view)
    _draw_key(ax, view)
    return ax


def _draw_links(ax: Any, view: ScatterView, kind: str, links: Sequence[Link]) -> None:
    from matplotlib.collections import LineCollection

    if not links:
        return
    violated = links[0].violated
    look: dict[str, Any] = {
        "color": BROKEN if violated else KEPT,
        "linewidth": 1.8 if violated else 1.0,
        "zorder": 3 if violated else 1,
    }
    places = [view.points[list(link.samples)] for link in links]
    arcs = [arc(place) for place in places] if kind == "triplets" else []
    lines = [_curve(*each[:3]) for each in arcs] or places
    ax.add_collection(LineCollection(lines, linestyle=[STYLES[kind]], **look))
    stems = [np.array(each[3:]) for each in arcs]
    ax.add_collection(LineCollection(stems, linestyle=":", **look))
    if violated:
        middles = np.array([each[3] for each in arcs] or [place.mean(axis=0) for place in places])
        ax.scatter(*middles.T, s=28, marker="x", color=BROKEN, zorder=4)


def _curve(first: FloatArray, bend: FloatArray, last: FloatArray) -> FloatArray:
    """Return points along a quadratic Bézier curve."""
    t = np.linspace(0, 1, 16)[:, None]
    return np.asarray((1 - t) ** 2 * first + 2 * t * (1 - t) * bend + t**2 * last)


def _draw_axes(ax: Any, view: ScatterView) -> None:
    bare(ax, "left", "bottom")
    for side, axis in zip((ax.xaxis, ax.yaxis), view.axes, strict=True):
        side.set_label_text(axis.name)
        # Components have no units; matplotlib knows better than we where round numbers fit.
        if not axis.ticks:
            side.set_ticks([])
        elif not axis.is_numeric:
            side.set_ticks([tick.value for tick in axis.ticks], [t.text for t in axis.ticks])


def _draw_names(ax: Any, view: ScatterView) -> None:
    """Write the names of a few samples, as far as they do not overlap."""
    if view.members.names is None or view.n_drawn > MOST_NAMED:
        return
    taken: list[tuple[float, float, float]] = []
    for sample in np.concatenate([cloud.samples for cloud in view.clouds]).tolist():
        name = view.members.name_of(sample)
        x, y = ax.transData.transform(view.points[sample])
        # About the size of the text, in pixels.
        width, height = 0.075 * len(name) * ax.figure.dpi, 0.12 * ax.figure.dpi
        if any(x < end and start < x + width and abs(y - at) < height for start, end, at in taken):
            continue
        taken.append((x, x + width, y))
        ax.annotate(
            name,
            view.points[sample],
            xytext=(5, 4),
            textcoords="offset points",
            fontsize=8,
            color=INK,
            parse_math=False,
        )


def _draw_key(ax: Any, view: ScatterView) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D(
            [],
            [],
            linestyle="",
            color=cloud.look.paint,
            marker=cloud.look.marker,
            label=f"{cloud.name}: {counted(cloud.size, 'sample')}",
        )
        for cloud in view.clouds[:MOST_LISTED]
    ]
    handles += [
        Line2D(
            [],
            [],
            color=KEPT,
            linestyle=":" if group.kind == "triplets" else STYLES[group.kind],
            label=counted(group.n_constraints, group.noun),
        )
        for group in view.groups
    ]
    if any(link.violated for group in view.groups for link in group.links):
        handles.append(Line2D([], [], color=BROKEN, marker="x", label="violated"))
    place = {"loc": "upper left", "bbox_to_anchor": (1.01, 1), "borderaxespad": 0}
    legend = ax.legend(handles=handles, frameon=False, fontsize=9, labelcolor=INK, **place)
    for text in legend.get_texts():
        text.set_parse_math(False)


def dendrogram(
    model: Any,
    *,
    labels: Any = None,
    names: Sequence[str] | None = None,
    max_leaves: int = MOST_LEAVES,
    ax: Any = None,
) -> Any:
    """Draw a hierarchy with the root on the left, in the colours of the clusters.

    A hierarchy of many samples is condensed: a triangle is a branch whose merges are not shown.
    Grey branches hold several clusters. A dashed line or short strokes show the cut that makes the
    clusters.

    Parameters
    ----------
    model : estimator, Hierarchy or linkage matrix
        A fitted estimator with `hierarchy_`, or what to draw itself.
    labels : array-like of shape (n_samples,), optional
        The cluster of each sample; by default the estimator's `labels_`.
    names : sequence of str, optional
        What the samples are called; by default, as the constraints or the hierarchy call them.
    max_leaves : int, default=50
        How many branches are drawn at most.
    ax : matplotlib Axes, optional
        Where to draw; by default in a new figure.

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
    >>> from clustraint import ReCon, plot
    >>> ax = plot.dendrogram(ReCon(2).fit([[0.0], [1.0], [8.0], [9.0]]), names=list("abcd"))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['a', 'b', 'c', 'd']
    >>> matplotlib.pyplot.close()
    """
    hierarchy, members = _hierarchy_and_members(model, labels, names)
    view = dendrogram_view(hierarchy, members, max_leaves=max_leaves)
    ax = axes_or_new(ax, 6.4, 1.0 + 0.22 * len(view.tips))
    for stem in view.stems:
        line = {"color": stem.look.paint, "linewidth": 1.6, "solid_capstyle": "projecting"}
        ax.plot([stem.above, stem.height], [stem.y] * 2, **line)
        ax.plot([stem.height] * 2, stem.span, **line)
    for tip in view.tips:
        look = {"color": tip.look.paint, "marker": tip.look.marker}
        ax.scatter([0], [tip.y], s=24, clip_on=False, zorder=3, **look)
        if tip.n_samples > 1:
            rows = [tip.y, tip.y - 0.35, tip.y + 0.35]
            ax.fill([tip.height, 0, 0], rows, color=tip.look.paint, alpha=0.4, linewidth=0)
    if view.cut is not None:
        ax.axvline(view.cut, color=INK, linestyle="--", linewidth=1.2)
    for height, row in view.marks:
        ax.plot([height] * 2, [row - 0.3, row + 0.3], color=INK, linewidth=2)
    top = view.top or 1.0
    ax.set(xlim=(1.03 * top, 0), ylim=(len(view.tips) - 0.5, -0.5))
    bare(ax, *(["bottom"] if view.ticks else []))
    ax.xaxis.set_label_text("distance of the merge" if view.ticks else "")
    ax.locator_params(axis="x", nbins=4)
    ax.xaxis.set_visible(bool(view.ticks))
    ax.yaxis.tick_right()
    ax.set_yticks([tip.y for tip in view.tips], [tip.text for tip in view.tips], parse_math=False)
    ax.tick_params(axis="y", length=0, pad=8)
    return ax


def _hierarchy_and_members(
    model: Any, labels: Any, names: Sequence[str] | None
) -> tuple[Any, Membership]:
    is_estimator = hasattr(model, "fit")
    hierarchy = hierarchy_of(getattr(model, "hierarchy_", None) if is_estimator else model)
    if hierarchy is None and is_estimator and not hasattr(model, "labels_"):
        raise NotClusteredError(type(model).__name__)
    if hierarchy is None:
        rule = "a fitted estimator with a hierarchy, a Hierarchy or a linkage matrix"
        raise InvalidParameterError("model", model, rule)
    if labels is None and is_estimator:
        labels = getattr(model, "labels_", None)
    report = getattr(model, "constraint_report_", None)
    names = names or hierarchy.names or (report.constraints.names if report else None)
    if labels is None:
        nobody = np.full(hierarchy.n_samples, -1)
        return hierarchy, Membership(nobody, (), check_names(names, hierarchy.n_samples))
    members = Membership.of(labels, names)
    if members.n_samples != hierarchy.n_samples:
        raise DifferentSamplesError(
            f"labels are about {counted(members.n_samples, 'sample')} and the hierarchy is about "
            f"{hierarchy.n_samples:,}"
        )
    return hierarchy, members


def comparison(result: Any, *, ax: Any = None) -> Any:
    r"""Draw how methods compare: their scores with constraints, and without.

    Parameters
    ----------
    result : Comparison
        What `clustraint.workflow` found in comparing methods.
    ax : matplotlib Axes, optional
        Where to draw; by default in a new figure.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    MissingPackageError
        If matplotlib is not installed.

    Examples
    --------
    >>> import io, matplotlib
    >>> matplotlib.use("Agg")
    >>> from clustraint import Constraints, plot
    >>> from clustraint.tables import read_table
    >>> from clustraint.workflow import compare
    >>> table = read_table(io.BytesIO(b"x\n1\n2\n3\n11\n12\n13\n"))
    >>> c = Constraints(6, must_link=[(0, 1), (3, 5)], cannot_link=[(0, 3), (2, 5), (1, 4)])
    >>> ax = plot.comparison(compare(table, c, 2, methods=["tree"], n_splits=2))
    >>> ax.get_title(loc="left")
    'Share of held-out must-links and cannot-links that hold'
    >>> matplotlib.pyplot.close()
    """
    view = bars_view(result)
    ax = axes_or_new(ax, 6.4, 1.4 + 0.5 * len(view.bars))
    for row, bar in enumerate(view.bars):
        is_first = row == 0
        ax.barh(
            row - 0.12,
            bar.score,
            0.4,
            color=PALETTE[0],
            label="with constraints, 95 % interval" if is_first else None,
        )
        ax.plot([bar.low, bar.high], [row - 0.12] * 2, color=INK, marker="|", linewidth=1.4)
        if bar.without is not None:
            ax.barh(row + 0.22, bar.without, 0.18, color=LINES, edgecolor=FAINT, linewidth=0.5)
        ax.annotate(
            f"{bar.score:.2f}",
            (1, row - 0.12),
            xytext=(8, 0),
            textcoords="offset points",
            va="center",
            color=INK,
            annotation_clip=False,
        )
    if any(bar.without is not None for bar in view.bars):
        ax.barh([0], [0], color=LINES, edgecolor=FAINT, linewidth=0.5, label="without")
    bare(ax, "left")
    ax.set(xlim=(0, 1), ylim=(len(view.bars) - 0.5, -0.5))
    ax.set_yticks(range(len(view.bars)), [bar.name for bar in view.bars])
    ax.grid(axis="x", color=LINES, linewidth=0.7)
    ax.set_axisbelow(True)
    ax.set_title(view.title, loc="left", color=INK, fontsize=11)
    place = {"loc": "upper left", "bbox_to_anchor": (0, -0.12), "ncols": 2}
    ax.legend(frameon=False, fontsize=9, labelcolor=INK, **place)
    return ax
