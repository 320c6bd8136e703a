"""Figures and tables: methods side by side."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from papers._drawing import panels
from papers._estimate import estimate
from papers._experiment import Drawing, ShownTable

if TYPE_CHECKING:
    from papers._results import Results

MEASURES = {
    "rand": "Rand index",
    "f": "pairwise F-measure",
    "ari": "adjusted Rand index",
    "h": "H-correlation",
    "shown": "share of triplets displayed",
}


def show_methods(experiment: str, measure: str, results: Results) -> Iterator[Drawing | ShownTable]:
    """Yield the mean of each method over all tables with its interval, and the means by table."""
    frame = results.frame(experiment)
    methods = list(dict.fromkeys(frame["method"]))
    figure, (axes,) = panels([MEASURES[measure]], width=5.2, height=0.32 * len(methods) + 0.6)
    for place, method in enumerate(methods):
        rows = frame[frame["method"] == method]
        measured = estimate(method, rows.groupby("repeat")[measure].mean())
        axes.plot([measured.low, measured.high], [place, place], color="0.4", linewidth=2)
        axes.plot([measured.value], [place], marker="o", color="black")
    axes.set_yticks(np.arange(len(methods)), methods)
    axes.invert_yaxis()
    caption = "Mean over tables and repetitions with its 95 % interval over repetitions."
    yield Drawing(experiment, caption, figure)
    means = frame.pivot_table(index="table", columns="method", values=measure, aggfunc="mean")
    means = means.reindex(columns=methods).round(3).reset_index()
    yield ShownTable(f"{experiment}-means", f"Mean {MEASURES[measure]} by table.", means)
