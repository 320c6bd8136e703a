"""Figures and tables of the results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from papers._drawing import curves, legend, panels
from papers._experiment import Drawing, ShownTable
from papers.clusilc.data import TITLES
from papers.clusilc.measures import failure_rates, of, sets_needed, solved, standings, tables_of
from papers.clusilc.methods import NAMES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from pandas import DataFrame

    from papers._results import Results

ALL, FOLDS = "all data", "cross-validated"
COP = ("authors", "instance", "component", "auto", "exact")
RULES = ("tree", "any", "counted", "conjunctive")
COLOUR = {name: place for place, name in enumerate(("tree", "authors", "auto", "instance"))}
COLOUR |= {"component": 8, "exact": 4, "any": 5, "counted": 6, "conjunctive": 7}


def show_figure_5(results: Results) -> Iterator[Drawing | ShownTable]:
    """Draw figure 5, tree sizes and times; sum up leads and sizes by table."""
    frame = results.frame("figure-5")
    yield Drawing(
        "figure-5",
        "The paper's figure 5: Rand index of ClusteringTree and COP-k-means over the number of "
        "drawn pairs, on all data (solid) and cross-validated (dashed), the former with 95 % "
        "bootstrap bands. "
        'COP-k-means is the authors\' own; "auto", whose dead ends are solved, is ours.',
        _figure(
            frame,
            lambda axes, rows: _rand_curves(axes, rows, ("tree", "authors", "auto")),
            "Rand index",
        ),
    )
    yield Drawing(
        "tree-sizes",
        "Nodes of the trees over the number of drawn pairs.",
        _figure(
            frame, lambda axes, rows: _method_curves(axes, rows, "n_nodes", ("tree",)), "nodes"
        ),
    )
    yield Drawing(
        "times",
        "CPU seconds of one fit on all data, without the sets that were drawn before it.",
        _figure(frame, _time_curves, "seconds"),
    )
    yield ShownTable(
        "leads",
        "Lead of ClusteringTree over COP-k-means in cross-validated Rand, mean over all pair "
        "counts but 0, with its bootstrap interval.",
        _lead_table(frame),
    )
    yield ShownTable(
        "sizes-and-times",
        "The largest tree and the longest fit of each table, over all constraint sets.",
        _size_table(frame),
    )


def show_failures(results: Results) -> Iterator[Drawing | ShownTable]:
    """Draw how often COP-k-means fails; list how many sets the paper's variant needs."""
    frame = results.frame("failures")
    frame = frame.assign(failed=frame["failed"].astype(float))
    yield Drawing(
        "failures",
        "Share of constraint sets on which COP-k-means, from a single start, ends without a "
        "clustering, by how it assigns samples.",
        _figure(
            frame, lambda axes, rows: _method_curves(axes, rows, "failed", COP), "share of sets"
        ),
    )
    yield ShownTable(
        "failure-rates",
        "Share of constraint sets on which the authors' COP-k-means fails.",
        _by_table(failure_rates(frame)),
    )
    yield ShownTable(
        "sets-needed",
        "Sets drawn for each one that the authors' COP-k-means clusters: all draws divided by all "
        "successes; none where no set was clustered.",
        _sets_table(frame),
    )


def show_label_rules(results: Results) -> Iterator[Drawing | ShownTable]:
    """Draw Rand indices and sizes by label rule; sum them up."""
    frame = results.frame("label-rules")
    yield Drawing(
        "label-rules",
        "Rand index by label rule over the number of drawn pairs, on all data (solid) and "
        "cross-validated (dashed).",
        _figure(frame, lambda axes, rows: _rand_curves(axes, rows, RULES), "Rand index", 2),
    )
    yield Drawing(
        "label-rule-sizes",
        "Nodes of the trees by label rule.",
        _figure(frame, lambda axes, rows: _method_curves(axes, rows, "n_nodes", RULES), "nodes", 2),
    )
    yield ShownTable(
        "label-rules",
        "Means over all pair counts and constraint sets.",
        _rule_table(frame),
    )


def _figure(
    frame: DataFrame, draw: Callable[[Axes, DataFrame], None], unit: str, columns: int = 3
) -> Figure:
    """Return a panel for each table."""
    tables = tables_of(frame)
    figure, axes = panels([TITLES[table] for table in tables], width=2.7, height=1.9)
    for panel, table in zip(axes, tables, strict=True):
        draw(panel, frame[frame["table"] == table])
        _tidy(panel)
    for panel in axes[-3:]:
        panel.set_xlabel("pairs drawn")
    for panel in axes[::3]:
        panel.set_ylabel(unit)
    legend(figure, axes, columns=columns)
    return figure


def _tidy(axes: Axes) -> None:
    from matplotlib.ticker import MaxNLocator

    axes.margins(x=0.03)
    axes.xaxis.set_major_locator(MaxNLocator(3))
    if axes.get_yscale() == "log":
        axes.minorticks_off()
    else:
        axes.yaxis.set_major_locator(MaxNLocator(3))


def _named(rows: DataFrame, methods: Sequence[str], suffix: str = "") -> DataFrame:
    rows = rows[rows["method"].isin(methods)]
    return rows.assign(line=[NAMES[name] + suffix for name in rows["method"]])


def _styles(methods: Sequence[str], suffix: str = "") -> dict[str, int]:
    return {NAMES[name] + suffix: COLOUR[name] for name in methods}


def _rand_curves(axes: Axes, rows: DataFrame, methods: Sequence[str]) -> None:
    for column, suffix in (("rand", ALL), ("cv_rand", FOLDS)):
        lines = _named(rows, methods, f", {suffix}")
        lines = lines[lines[column].notna()].sort_values("method", key=_rank(methods))
        styles = _styles(methods, f", {suffix}")
        dashed = list(styles) if suffix == FOLDS else ()
        band = suffix == ALL
        curves(
            axes, lines, x="n_pairs", y=column, by="line", styles=styles, dashed=dashed, band=band
        )


def _method_curves(
    axes: Axes, rows: DataFrame, column: str, methods: Sequence[str], band: bool = True
) -> None:
    lines = _named(rows, methods)
    lines = lines[lines[column].notna()].sort_values("method", key=_rank(methods))
    # Curves that lie upon each other are told apart by dashes.
    dashed = [NAMES["exact"], NAMES["component"]]
    styles = _styles(methods)
    curves(axes, lines, x="n_pairs", y=column, by="line", styles=styles, dashed=dashed, band=band)


def _time_curves(axes: Axes, rows: DataFrame) -> None:
    _method_curves(axes, rows, "fit_seconds", ("tree", "authors", "auto"), band=False)
    axes.set_yscale("log")
    axes.set_ylim(5e-4, 20)


def _rank(methods: Sequence[str]) -> Callable[[Any], Any]:
    order = {name: place for place, name in enumerate(methods)}
    return lambda names: names.map(order)


def _frame(rows: list[dict[str, Any]]) -> DataFrame:
    from pandas import DataFrame

    return DataFrame(rows)


def _lead_table(frame: DataFrame) -> DataFrame:
    ours = standings(solved(frame))
    return _frame(
        [
            {
                "table": TITLES[table],
                "lead": round(lead.value, 3),
                "from": round(lead.low, 3),
                "to": round(lead.high, 3),
                "constraint sets": lead.n,
                "ClusteringTree is": stands,
                "lead over ours (dead ends solved)": round(ours[table][1].value, 3),
            }
            for table, (stands, lead) in standings(frame).items()
        ]
    )


def _size_table(frame: DataFrame) -> DataFrame:
    estimates = []
    for table in tables_of(frame):
        rows = of(frame[frame["table"] == table], "tree")
        largest = rows.loc[rows["n_nodes"].idxmax()]
        estimates.append(
            {
                "table": TITLES[table],
                "nodes of the largest tree": int(largest["n_nodes"]),
                "at pairs": int(largest["n_pairs"]),
                "longest fit of a tree (s)": round(float(rows["fit_seconds"].max()), 3),
                **{
                    f"longest fit, {NAMES[name]} (s)": _longest(frame, table, name)
                    for name in ("authors", "auto")
                },
            }
        )
    return _frame(estimates)


def _longest(frame: DataFrame, table: str, method: str) -> float:
    rows = frame[(frame["table"] == table) & (frame["method"] == method)]
    return round(float(rows["fit_seconds"].max()), 3)


def _by_table(values: DataFrame) -> DataFrame:
    return _frame(
        [
            {"table": TITLES[table]}
            | {f"{count:,} pairs": float(values.loc[table, count]) for count in values.columns}
            for table in tables_of(values.reset_index())
        ]
    )


def _sets_table(frame: DataFrame) -> DataFrame:
    return _frame(
        [
            {"table": TITLES[table]}
            | {
                f"{count:,} pairs": round(needed, 1) if np.isfinite(needed) else None
                for count, needed in sets_needed(frame[frame["table"] == table]).items()
            }
            for table in tables_of(frame)
        ]
    )


def _rule_table(frame: DataFrame) -> DataFrame:
    columns = ["n_nodes", "rand", "cv_rand", "violated", "fit_seconds"]
    means = frame.groupby(["table", "method"])[columns].mean()
    return _frame(
        [
            {
                "table": TITLES[table],
                "rule": NAMES[rule],
                "nodes": round(float(means.loc[(table, rule), "n_nodes"]), 1),
                "Rand, all data": float(means.loc[(table, rule), "rand"]),
                "Rand, cross-validated": float(means.loc[(table, rule), "cv_rand"]),
                "share violated": float(means.loc[(table, rule), "violated"]),
                "seconds": float(means.loc[(table, rule), "fit_seconds"]),
            }
            for table in tables_of(frame)
            for rule in RULES
        ]
    )
