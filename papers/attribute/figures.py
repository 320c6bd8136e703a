"""Figures 2 to 5 and tables II to IV."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from clustraint.plot import PALETTE
from papers._drawing import MARKERS, curves, legend, panels
from papers._experiment import Drawing, ShownTable
from papers._results import Results
from papers.attribute.data import KINDS, NUMBERS, RULES
from papers.attribute.measures import (
    MAIN,
    SYMBOLS,
    by_size,
    compared,
    gains,
    marginal_gains,
    wide_of,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame, Series

LINES = {
    "together, with rules": 0,
    "together, without": 5,
    "exactly, with rules": 1,
    "exactly, without": 4,
}
DASHED = tuple(name for name in LINES if name.endswith("without"))
WORDS = {
    "n_attributes": "attributes (A)",
    "n_rules": "rules (C)",
    "n_literals": "literals of a rule (F)",
    "n_samples": "samples (I)",
}
LABELS = {"ari": "adjusted Rand index", "rounds": "rounds"}
# Values that leave room for their numbers.
TICKS = {
    "n_attributes": (20, 60, 100, 200, 600, 1000),
    "n_rules": (1, 4, 7, 10, 14, 17, 20),
    "n_literals": (1, 2, 4, 8, 16, 30, 60),
    "n_samples": (40, 100, 400, 1000, 4000),
}
# Lines do not run through labels.
LABEL_BOX = {"facecolor": "white", "edgecolor": "none", "pad": 0.6, "alpha": 0.8}
# (title, radii, way, column)
PANELS = (
    ("The paper's way, one start", "attributes", "paper", "ari"),
    ("Radii as shares of A", "shares", "paper", "ari"),
    ("Our defaults, ten starts", "attributes", "ten starts", "ari"),
    ("Rounds, the paper's way", "attributes", "paper", "rounds"),
)


def show_study(
    experiment: str, parameter: str, figure: str, table: str, results: Results
) -> Iterable[Drawing | ShownTable]:
    """Show an experiment in which one parameter varies."""
    frame = _lined(results.frame(experiment))
    yield _study_drawing(parameter, frame, figure)
    yield _study_table(parameter, frame, table)


def _lined(frame: DataFrame) -> DataFrame:
    suffix = frame["ruled"].map({True: ", with rules", False: ", without"})
    return frame.assign(line=frame["kind"] + suffix)


def _study_drawing(parameter: str, frame: DataFrame, name: str) -> Drawing:
    figure, axes = panels([title for title, *_ in PANELS], columns=2, width=3.4, height=2.3)
    for panel, (_, radii, way, column) in zip(axes, PANELS, strict=True):
        part = frame[(frame["way"] == way) & (frame["radii"] == radii)]
        curves(panel, part, x=parameter, y=column, by="line", styles=LINES, dashed=DASHED)
        panel.set(xlabel=WORDS[parameter], ylabel=LABELS[column])
        _scale(panel, parameter)
        if column == "ari":
            panel.set_ylim(0, 1.03)
    legend(figure, axes)
    caption = (
        f"Quality and rounds over the {WORDS[parameter]}; k = 20, the other parameters at the "
        "paper's defaults. Means over the data sets, each of ten starts (our defaults: the best of "
        "ten), with 95 % bootstrap intervals. Data for together and for exactly rules differ, so "
        "that lines of the same colour family compare."
    )
    return Drawing(name, caption, figure)


def _scale(panel: Axes, parameter: str) -> None:
    """Make the axis logarithmic where the values span magnitudes, with the values on it."""
    if parameter != "n_rules":
        panel.set_xscale("log")
    panel.set_xticks(TICKS[parameter], [str(value) for value in TICKS[parameter]])
    panel.minorticks_off()


def _study_table(parameter: str, frame: DataFrame, name: str) -> ShownTable:
    """Return rounds, time and quality with rules and without, as in tables II to IV."""
    from pandas import concat

    columns = {
        "rounds_with": "rounds, rules",
        "rounds_without": "rounds, none",
        "time_with": "ms, rules",
        "time_without": "ms, none",
        "ari_with": "ARI, rules",
        "ari_without": "ARI, none",
    }
    main = frame[(frame["radii"] == MAIN["radii"]) & (frame["way"] == MAIN["way"])]
    parts = []
    for kind, part in main.groupby("kind", sort=False):
        groups = compared(parameter, part).groupby("x")[list(columns)]
        means, times = groups.mean(), ["time_with", "time_without"]
        # The first fits of a process compile what they need.
        means[times] = 1000 * groups.median()[times]
        means = means.round(2).rename(columns=columns).reset_index(names=SYMBOLS[parameter])
        means.insert(0, "kind of rule", kind)
        parts.append(means)
    caption = (
        f"Rounds, CPU time of one fit and quality over {SYMBOLS[parameter]}, the paper's way, "
        "means over data sets and starts (times: medians over data sets). The paper's times are "
        "seconds of another program."
    )
    return ShownTable(name, caption, concat(parts, ignore_index=True))


def show_costs(results: Results) -> Iterable[Drawing | ShownTable]:
    """Show what rules and must-links gain."""
    frame = results.frame("costs")
    most = frame.groupby(["n_samples", "dataset", "by"])["n_constraints"].transform("max")
    count = frame["n_constraints"].astype(str).where(frame["n_constraints"] < most, "all")
    frame = frame.assign(constraints=count.replace("0", "no") + " " + frame["by"])
    means = frame.groupby(["n_samples", "constraints"], sort=False)[["n_constraints", "ari"]].mean()
    means = means.round({"n_constraints": 0, "ari": 2}).reset_index()
    names = {"n_samples": "I", "n_constraints": "how many", "ari": "ARI"}
    yield ShownTable(
        "costs",
        "Four together rules of four literals in k-medoids (the paper's way), beside must-links "
        "within the same scopes in COP-k-means; all: a spanning tree of each scope.",
        means.rename(columns=names),
    )


def show_animals(experiment: str, table: str, results: Results) -> Iterable[Drawing | ShownTable]:
    """Show an experiment on a table of animals."""
    yield _sets_drawing(results, experiment)
    yield _rules_table(results, experiment, table)
    yield _sizes_table(results, experiment)


def _indices(results: Results, kind: str, way: str, experiment: str) -> DataFrame:
    frame = results.frame(experiment)
    return wide_of(frame[(frame["kind"] == kind) & (frame["way"] == way)])


def _sets_drawing(results: Results, experiment: str) -> Drawing:
    """Return figure 5: a point for each set of rules above its size, and their mean."""
    figure, axes = panels(
        [
            "together, the paper's way",
            "exactly, the paper's way",
            "together, the defaults",
            "exactly, the defaults",
        ],
        columns=2,
        width=3.4,
        height=2.4,
    )
    ways = [(kind, way) for way in ("paper", "ten starts") for kind in KINDS]
    for panel, (kind, way) in zip(axes, ways, strict=True):
        _draw_sets(panel, _indices(results, kind, way, experiment))
    low = min(panel.get_ylim()[0] for panel in axes)
    high = max(panel.get_ylim()[1] for panel in axes)
    for panel, (kind, way) in zip(axes, ways, strict=True):
        panel.set_ylim(low, high)
        _number_rules(panel, _indices(results, kind, way, experiment).mean(), high - low)
    legend(figure, axes)
    caption = (
        "Mean adjusted Rand index of each of the 64 sets of rules, above the number of its rules; "
        "single rules by their numbers, those of near points in a row from the lowest up."
    )
    return Drawing(f"{experiment}-sets", caption, figure)


def _draw_sets(panel: Axes, wide: DataFrame) -> None:
    means = wide.mean()
    sizes = means.index.str.len().to_numpy(float)
    rank = means.groupby(sizes).rank().to_numpy()
    beside = np.where(sizes == 1, 0.0, ((rank % 5) - 2) * 0.06)
    panel.plot(
        sizes + beside,
        means,
        MARKERS[0],
        color=PALETTE[7],
        markersize=2.5,
        alpha=0.6,
        linestyle="none",
        label="a set of rules",
    )
    average = by_size(wide).mean()
    panel.plot(
        average.index, average, color=PALETTE[0], marker=MARKERS[1], label="mean of its size"
    )
    panel.axhline(means[""], color=PALETTE[1], linestyle="--", linewidth=1, label="no rules")
    panel.set_xticks(range(len(NUMBERS) + 1))
    panel.set_xlabel("rules in the set")
    panel.set_ylabel("adjusted Rand index")


def _number_rules(panel: Axes, means: Series, height: float) -> None:
    """Write the numbers of single rules beside their points, those of near points in one row."""
    groups: list[list[str]] = []
    for number in sorted(NUMBERS, key=lambda number: float(means[number])):
        if groups and means[number] - means[groups[-1][-1]] < 0.05 * height:
            groups[-1].append(number)
        else:
            groups.append([number])
    for group in groups:
        place = float(means[group].mean())
        panel.text(1.12, place, "\u2009".join(group), fontsize=6.5, va="center", bbox=LABEL_BOX)


def _rules_table(results: Results, experiment: str, table: str) -> ShownTable:
    """Return what each rule gains alone and adds to others."""
    from pandas import DataFrame

    rows = []
    for kind in KINDS:
        wide = _indices(results, kind, "paper", experiment)
        best = _indices(results, kind, "ten starts", experiment)
        alone, added, added_best = gains(wide).mean(), marginal_gains(wide), marginal_gains(best)
        rows += [
            {
                "kind of rule": kind,
                "rule": f"{number}: {text}",
                "gain alone": round(float(alone[number]), 3),
                "added to others": round(added[number].value, 3),
                "added, defaults": round(added_best[number].value, 3),
            }
            for number, text in zip(NUMBERS, RULES[table], strict=True)
        ]
    caption = (
        "What each rule gains in ARI over no rule, and what it adds on average to the sets of the "
        "others: the paper's way, and the defaults (ten starts)."
    )
    return ShownTable(f"{experiment}-rules", caption, DataFrame(rows))


def _sizes_table(results: Results, experiment: str) -> ShownTable:
    from pandas import DataFrame

    columns = {
        f"{kind}, {name}": by_size(_indices(results, kind, way, experiment)).mean().round(3)
        for way, name in (("paper", "paper's way"), ("ten starts", "defaults"))
        for kind in KINDS
    }
    frame = DataFrame(columns).rename_axis("rules").reset_index()
    return ShownTable(f"{experiment}-sizes", "Mean ARI over all sets of so many rules.", frame)
