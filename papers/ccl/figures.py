"""Figures 8, 9 and 11: accuracy over the number of constraints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from papers._drawing import curves, legend, panels
from papers._experiment import Drawing, ShownTable
from papers.ccl.links import MIXES
from papers.ccl.measures import FEWEST_RUNS, share_value
from papers.ccl.runs import ACTIVE, BEST, CCL, COP, METHODS, SOLVED
from papers.ccl.tables import BY_SEX, REAL, SYNTHETIC

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from pandas import DataFrame, Series

    from papers._results import Results

STYLES = {method: place for place, method in enumerate(METHODS)}
MIX_STYLES: dict[str, int] = {mix: place for place, mix in enumerate(MIXES)}
CONSTRAINTS = "constraints"
ACCURACY = "accuracy (CRI)"


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
