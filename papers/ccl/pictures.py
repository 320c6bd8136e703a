"""Clusterings with their constraints drawn (figure 12), and principal components (figure 10)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.decomposition import PCA
from sklearn.metrics.cluster import contingency_matrix

from clustraint.constraints import Constraints
from clustraint.evaluation import constraint_satisfaction
from clustraint.plot import PALETTE
from clustraint.typing import FloatArray, IntArray
from papers._drawing import legend, panels
from papers._experiment import Drawing, ShownTable, generator_of
from papers.ccl.links import links
from papers.ccl.runs import ACTIVE, CCL, SOLVED, Fields, clustered, free_accuracy
from papers.ccl.tables import SYNTHETIC, ClusteringTask, task

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame, Series

    from papers._results import Results


METHODS = (CCL, SOLVED, ACTIVE)
COUNTS = (0, 10, 30)
# Sets that are much wider than high would be a thin line in true proportions.
FLAT = 3
TARGET = "target"
KEPT, VIOLATED = "#222222", "#CC79A7"
# The size of crabs, their first component, hides their species.
COMPONENTS = {"crabs": (1, 2)}


def pictures(*, table: str) -> list[Fields]:
    """Return the clusters and constraints that figure 12 shows of a table, as compact texts."""
    problem = task(table, 0)
    shown: Fields = {"points": _joined(plane(table, problem).round(3))}
    records: list[Fields] = [
        {"method": TARGET, "n_pairs": 0, **shown, "clusters": _joined(problem.y)}
    ]
    for method in METHODS:
        records += [
            {"method": method, "n_pairs": n_pairs, **shown, **_pictured(method, table, n_pairs)}
            for n_pairs in COUNTS
        ]
    return records


def _pictured(method: str, table: str, n_pairs: int) -> Fields:
    problem = task(table, 0)
    constraints = links(problem.y, n_pairs, "pairs as drawn", table, 0)
    seed = int(generator_of("ccl picture", table, n_pairs).integers(2**31))
    outcome = clustered(method, problem, constraints, n_pairs, seed)
    pairs, labels = outcome.constraints, outcome.labels
    if labels is None:
        return {"clusters": None, "must_link": "", "cannot_link": ""}
    return {
        "clusters": _joined(as_classes(problem.y, labels)),
        "must_link": _joined(pairs.must_link),
        "cannot_link": _joined(pairs.cannot_link),
        "cri": free_accuracy(problem.y, labels, pairs),
    }


def plane(table: str, problem: ClusteringTask) -> FloatArray:
    """Return where samples are drawn, (n_samples, 2): as they are, or on two main components."""
    if table in SYNTHETIC:
        return problem.vectors
    components = COMPONENTS.get(table, (0, 1))
    scores = PCA(n_components=3, svd_solver="full").fit_transform(problem.vectors)
    return np.asarray(scores[:, components])


def as_classes(y: IntArray, labels: Any) -> IntArray:
    """Return clusters renumbered as the classes that they match best, so that colours agree."""
    classes, clusters = linear_sum_assignment(-contingency_matrix(y, labels))
    renamed = np.empty(len(clusters), np.int64)
    renamed[clusters] = classes
    return np.asarray(renamed[np.unique(labels, return_inverse=True)[1]])


def _joined(numbers: Any) -> str:
    return " ".join(f"{number:g}" for number in np.ravel(numbers))


def _pairs(text: str) -> IntArray:
    return np.array(text.split(), dtype=float).astype(np.int64).reshape(-1, 2)


def show_pictures(results: Results) -> Iterator[Drawing]:
    """Draw each table: clusters by colour, constraints as lines."""
    frame = results.frame("figure-12")
    for table, part in frame.groupby("table", sort=False):
        yield Drawing(f"figure-12-{table}", _caption(str(table)), _page(part))


def _caption(table: str) -> str:
    where = "" if table in SYNTHETIC else ", on two principal components"
    return (
        f"{table}{where}: clusters by colour with no, {COUNTS[1]} and {COUNTS[2]} constraints. "
        "Must-links are solid, cannot-links dashed, violated ones pink. Active CCL chose its own; "
        "its first picture is the target."
    )


def _page(frame: DataFrame) -> Any:
    rows = {(row["method"], row["n_pairs"]): row for _, row in frame.iterrows()}
    places = [(method, count) for method in METHODS for count in COUNTS]
    # Active complete link without questions is plain complete link, which is there already.
    places[places.index((ACTIVE, 0))] = (TARGET, 0)
    chosen = [rows[place] for place in places]
    figure, axes = panels([_title(row) for row in chosen], columns=len(COUNTS), height=1.9)
    for panel, row in zip(axes, chosen, strict=True):
        _draw(panel, row)
    _key(axes[0])
    legend(figure, axes)
    return figure


def _title(row: Series) -> str:
    if row["method"] == TARGET:
        return TARGET
    name = row["method"].split(",")[0]
    accuracy = f", CRI {row['cri']:.2f}" if row["cri"] == row["cri"] else ""
    return f"{name}, {row['n_pairs']}{accuracy}"


def _draw(panel: Axes, row: Series) -> None:
    points = np.array(row["points"].split(), dtype=float).reshape(-1, 2)
    panel.set(xticks=[], yticks=[])
    panel.grid(visible=False)
    panel.spines[:].set_visible(False)
    width, height = np.ptp(points, axis=0)
    if max(width, height) < FLAT * min(width, height):
        panel.set_aspect("equal", adjustable="datalim")
    if not isinstance(row["clusters"], str):
        panel.text(0.5, 0.5, "no assignment found", transform=panel.transAxes, ha="center")
        return
    clusters = np.array(row["clusters"].split(), dtype=int)
    stroke = 0.005 * np.ptp(points, axis=0).max()
    for cluster in np.unique(clusters):
        _dots(panel, points[clusters == cluster], PALETTE[cluster % len(PALETTE)], stroke)
    if row["method"] != TARGET:
        _links(panel, points, clusters, row)


def _dots(panel: Axes, points: FloatArray, colour: str, stroke: float) -> None:
    """Draw dots as one line of short strokes with round ends: files of half the size."""
    gaps = np.full(points.shape, np.nan)
    strokes = np.stack((points, points + np.array([stroke, 0]), gaps), axis=1).reshape(-1, 2)
    panel.plot(*strokes.T, color=colour, linewidth=2.4, solid_capstyle="round")


def _links(panel: Axes, points: FloatArray, clusters: IntArray, row: Series) -> None:
    constraints = Constraints(
        len(points), must_link=_pairs(row["must_link"]), cannot_link=_pairs(row["cannot_link"])
    )
    broken = constraint_satisfaction(constraints, clusters).violated
    for kind, style in (("must_link", "-"), ("cannot_link", "--")):
        _lines(panel, points, getattr(constraints, kind), style, KEPT, 0.6)
        _lines(panel, points, getattr(broken, kind), style, VIOLATED, 1.4)


def _lines(
    panel: Axes, points: FloatArray, pairs: IntArray, style: str, colour: str, width: float
) -> None:
    if len(pairs):
        ends = np.concatenate((points[pairs], np.full((len(pairs), 1, 2), np.nan)), axis=1)
        panel.plot(*ends.reshape(-1, 2).T, style, color=colour, linewidth=width, alpha=0.8)


def _key(panel: Axes) -> None:
    panel.plot([], [], "-", color=KEPT, linewidth=0.8, label="must-link")
    panel.plot([], [], "--", color=KEPT, linewidth=0.8, label="cannot-link")
    panel.plot([], [], "-", color=VIOLATED, linewidth=1.6, label="violated")


def projections(*, table: str) -> list[Fields]:
    """Return what the principal components of a table say, of its variance and of its classes."""
    problem = task(table, 0)
    analysis = PCA(n_components=3, svd_solver="full").fit(problem.vectors)
    scores = analysis.transform(problem.vectors)
    return [
        {
            "component": number + 1,
            "variance": float(analysis.explained_variance_ratio_[number]),
            "between_classes": between_classes(scores[:, number], problem.y),
            "same_sign": bool(len(np.unique(np.sign(analysis.components_[number]))) == 1),
        }
        for number in range(3)
    ]


def between_classes(values: FloatArray, y: IntArray) -> float:
    """Return the share of the variance of values that lies between the means of classes.

    Examples
    --------
    >>> import numpy as np
    >>> between_classes(np.array([0.0, 1.0, 4.0, 5.0]), np.array([0, 0, 1, 1])).__round__(3)
    0.941
    """
    sizes = np.bincount(y)
    means = np.bincount(y, values) / sizes
    spread = ((values - values.mean()) ** 2).sum()
    return float((sizes * (means - values.mean()) ** 2).sum() / spread)


def show_projections(results: Results) -> Iterator[ShownTable]:
    """Tabulate the principal components."""
    frame = results.frame("figure-10")
    names = {
        "table": "data set",
        "component": "component",
        "variance": "share of the variance",
        "between_classes": "share of its variance between classes",
        "same_sign": "all features weigh in with one sign",
    }
    shown = frame[list(names)].rename(columns=names).round(3)
    caption = "What the first three principal components of iris and crabs say of the classes."
    yield ShownTable("figure-10", caption, shown)
