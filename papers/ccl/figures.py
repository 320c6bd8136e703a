"""Figures 8, 9 and 11: accuracy over the number of constraints; 10 and 12: what clusters are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from clustraint.constraints import Constraints
from clustraint.evaluation import constraint_satisfaction
from clustraint.plot import PALETTE
from clustraint.typing import FloatArray, IntArray
from papers._drawing import curves, legend, panels
from papers._experiment import Drawing, ShownTable
from papers.ccl.data import BY_SEX, MIXES, REAL, SYNTHETIC
from papers.ccl.measures import FEWEST_RUNS, share_value
from papers.ccl.methods import ACTIVE, BEST, CCL, COP, METHODS, SOLVED

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from pandas import DataFrame, Series

    from papers._results import Results

STYLES = {method: place for place, method in enumerate(METHODS)}
MIX_STYLES: dict[str, int] = {mix: place for place, mix in enumerate(MIXES)}
CONSTRAINTS = "constraints"
ACCURACY = "accuracy (CRI)"
PICTURED_METHODS = (CCL, SOLVED, ACTIVE)
COUNTS = (0, 10, 30)
# Sets that are much wider than high would be a thin line in true proportions.
FLAT = 3
TARGET = "target"
KEPT, VIOLATED = "#222222", "#CC79A7"


def show_synthetic(results: Results) -> Iterator[Drawing | ShownTable]:
    """Show figure 8."""
    yield from _shown(results.frame("figure-8"), "figure-8", SYNTHETIC)


def show_real(results: Results) -> Iterator[Drawing | ShownTable]:
    """Show figure 9."""
    yield from _shown(results.frame("figure-9"), "figure-9", (*REAL, BY_SEX))


def _shown(frame: DataFrame, name: str, tables: Sequence[str]) -> Iterator[Drawing | ShownTable]:
    there = _there(frame, tables)
    yield Drawing(
        name,
        "Accuracy over the number of constraints, or of questions for active CCL: mean and 95 % "
        "bootstrap band of the runs that found an assignment, where three or more did.",
        _lined(frame, there, "cri", ACCURACY, METHODS),
    )
    yield Drawing(
        f"{name}-failures",
        "How often COP-k-means ends in a dead end, though an assignment exists.",
        _lined(frame, there, "failed", "share of runs that fail", (COP, BEST)),
    )
    yield ShownTable(
        f"{name}-summary",
        "Mean accuracy without constraints and, of all runs with constraints that ended, with "
        "them; how many constraints CCL needs for each that COP-k-means (dead ends solved) does, "
        "and active CCL for each that CCL does; how often a single start fails at worst.",
        _summary(frame, there),
    )


def _there(frame: DataFrame, tables: Sequence[str]) -> list[str]:
    return [table for table in tables if (frame["table"] == table).any()]


def _lined(
    frame: DataFrame, tables: Sequence[str], field: str, label: str, methods: Sequence[str]
) -> Figure:
    figure, axes = panels(tables, columns=2, width=3.3)
    chosen = frame[frame["method"].isin(methods)]
    chosen = chosen.assign(**{field: _trusted(chosen, field)})
    for panel, table in zip(axes, tables, strict=True):
        part = chosen[chosen["table"] == table]
        curves(panel, part, x="n_pairs", y=field, by="method", styles=STYLES, dashed=(BEST,))
        panel.set(xlabel=CONSTRAINTS, ylabel=label)
        if field == "failed":
            panel.set_ylim(-0.05, 1.05)
    legend(figure, axes, columns=3)
    return figure


def _trusted(frame: DataFrame, field: str) -> Series:
    """Return a field, nan where nearly all runs of a method with so many constraints failed."""
    values = frame[field].astype(float)
    present = values.groupby([frame[name] for name in ("table", "method", "n_pairs")])
    return values.where(present.transform("count") >= min(FEWEST_RUNS, frame["repeat"].nunique()))


def _summary(frame: DataFrame, tables: Sequence[str]) -> DataFrame:
    from pandas import DataFrame

    return DataFrame([_line(table, frame[frame["table"] == table]) for table in tables]).round(3)


def _line(table: str, frame: DataFrame) -> dict[str, Any]:
    none, some = frame[frame["n_pairs"] == 0], frame[frame["n_pairs"] > 0]
    line: dict[str, Any] = {
        "data set": table,
        "complete link": _mean(none, CCL),
        "k-means": _mean(none, SOLVED),
        **{method: _mean(some, method) for method in METHODS},
        "CCL needs": share_value(frame, CCL, SOLVED),
        "active CCL needs": share_value(frame, ACTIVE, CCL),
    }
    single = some[some["method"] == COP]
    line["fails at worst"] = single.groupby("n_pairs")["failed"].mean().max()
    return line


def _mean(frame: DataFrame, method: str) -> float:
    return float(frame[frame["method"] == method]["cri"].astype(float).mean())


def show_mixes(results: Results) -> Iterator[Drawing | ShownTable]:
    """Show figure 11, for the paper's three data sets and for the synthetic ones."""
    frame = results.frame("figure-11")
    parts = (("figure-11", REAL), ("figure-11-synthetic", SYNTHETIC))
    for name, tables in parts:
        there = _there(frame, tables)
        if there:
            yield Drawing(
                name,
                "Accuracy under constraints of different kinds: CCL above, COP-k-means (dead "
                "ends solved) below.",
                _mixed(frame, there),
            )
    yield ShownTable(
        "figure-11-gains",
        "Gain in accuracy over no constraints at the largest number, by mix.",
        _mix_gains(frame),
    )


def _mixed(frame: DataFrame, tables: Sequence[str]) -> Figure:
    places = [(method, table) for method in (CCL, SOLVED) for table in tables]
    titles = [f"{table}, {method.split(',')[0]}" for method, table in places]
    figure, axes = panels(titles, columns=len(tables), width=2.4)
    for panel, (method, table) in zip(axes, places, strict=True):
        part = frame[(frame["table"] == table) & (frame["method"] == method)]
        curves(panel, part, x="n_pairs", y="cri", by="mix", styles=MIX_STYLES)
        panel.set_xlabel(CONSTRAINTS)
    _same_heights(axes, len(tables))
    legend(figure, axes)
    return figure


def _same_heights(axes: Sequence[Axes], n_columns: int) -> None:
    """Give the panels of a column the same range, and the first ones the label."""
    for place in range(n_columns):
        column = axes[place::n_columns]
        low, high = (
            choose(panel.get_ylim()[end] for panel in column)
            for end, choose in ((0, min), (1, max))
        )
        for panel in column:
            panel.set_ylim(low, high)
    for panel in axes[::n_columns]:
        panel.set_ylabel(ACCURACY)


def _mix_gains(frame: DataFrame) -> DataFrame:
    most = frame["n_pairs"].max()
    shown = frame[frame["method"].isin((CCL, SOLVED))]
    means = shown.assign(cri=shown["cri"].astype(float)).pivot_table(
        index=["table", "method"], columns=["mix", "n_pairs"], values="cri", sort=False
    )
    gains = {mix: means[mix].get(most) - means[mix][0] for mix in MIXES if most in means[mix]}
    from pandas import DataFrame

    table = DataFrame(gains).round(3).reset_index()
    return table.rename(columns={"table": "data set"})


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
    places = [(method, count) for method in PICTURED_METHODS for count in COUNTS]
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
