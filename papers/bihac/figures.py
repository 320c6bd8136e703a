"""Figures and tables of biHAC's experiments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from papers._drawing import curves, legend, panels
from papers._experiment import Drawing, ShownTable
from papers._results import Results
from papers.bihac.claims_learning import (
    COUNTS,
    FIT,
    LEARNING,
    PRINTED,
    TERMS,
    kept,
    paper_fits,
)
from papers.bihac.labelling import SETTINGS
from papers.bihac.paired import COMPARISON, MEASURES
from papers.bihac.runs import METHODS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

STYLES = {method: number for number, method in enumerate(METHODS)}
LABELS = "labelled documents per class"


def show_comparisons(results: Results) -> Iterator[Drawing | ShownTable]:
    """Yield a figure for each collection, and the mean gains."""
    frame = results.frame(COMPARISON)
    for collection, part in frame.groupby("collection", sort=False):
        yield Drawing(
            f"figure-9-10-{str(collection).replace(' ', '-')}",
            f"{str(collection).capitalize()}, as figures 9 and 10: means over samples of labels "
            "with their bootstrap intervals. Columns are measures on unlabelled documents, rows "
            "are settings: all classes known, one leaf class unknown, one subtree unknown.",
            comparison(part),
        )
    yield gains(frame)
    yield collection_table(frame)


def comparison(frame: DataFrame) -> Any:
    """Draw one collection: a row for each setting, a column for each measure."""
    titles = [f"({setting}) {name}" for setting in SETTINGS for name in MEASURES.values()]
    figure, axes = panels(titles, columns=len(MEASURES))
    places = [(setting, measure) for setting in SETTINGS for measure in MEASURES]
    for panel, (setting, measure) in zip(axes, places, strict=True):
        part = frame[frame["setting"] == setting]
        for method, rows in part.groupby("method", sort=False):
            lines: dict[str, Any] = {"by": "method", "styles": STYLES, "dashed": ("HAC",)}
            curves(panel, rows, x="per_class", y=measure, band=method != "HAC", **lines)
        logarithmic(panel, sorted(set(frame["per_class"])))
    share_limits(axes, len(MEASURES))
    for panel in axes[-len(MEASURES) :]:
        panel.set_xlabel(LABELS)
    legend(figure, axes)
    return figure


def logarithmic(panel: Axes, ticks: list[int]) -> None:
    """Space numbers of labels by their logarithm, and name each."""
    panel.set_xscale("log", base=2)
    panel.set_xticks(ticks, [str(tick) for tick in ticks])
    panel.minorticks_off()


def share_limits(axes: list[Axes], columns: int) -> None:
    """Give the panels of a column the same range, so that settings compare."""
    for column in range(columns):
        below = axes[column::columns]
        low = min(panel.get_ylim()[0] for panel in below)
        high = max(panel.get_ylim()[1] for panel in below)
        for panel in below:
            panel.set_ylim(low, high)


def gains(frame: DataFrame) -> ShownTable:
    """Return the mean gains over HAC, all numbers of labels together."""
    means = frame.groupby(["collection", "setting", "method"], sort=False)[[*MEASURES]].mean()
    baseline = means.xs("HAC", level="method")
    rows = (means - baseline).drop("HAC", level="method").round(3).reset_index()
    rows["setting"] = rows["setting"].map(SETTINGS)
    return ShownTable(
        "gains",
        "Mean gains over HAC on unlabelled documents, all numbers of labels together.",
        rows.rename(columns=MEASURES),
    )


def collection_table(frame: DataFrame) -> ShownTable:
    """Return what HAC alone finds, and what biHAC needs."""
    groups = frame.groupby("collection", sort=False)
    hac = frame[frame["method"] == "HAC"].groupby("collection", sort=False)
    learned = frame[frame["method"] == "biHAC"].groupby("collection", sort=False)
    rows = hac[[*MEASURES]].mean().round(3).rename(columns=MEASURES).add_prefix("HAC: ")
    rows["most constraints"] = groups["n_constraints"].max()
    rows["biHAC: runs"] = learned["runs"].mean().round(1)
    rows["biHAC: CPU s"] = learned["cpu"].mean().round(2)
    return ShownTable(
        "collections",
        "What HAC finds without constraints, the largest number of constraints (ordered, as the "
        "paper counts), and mean runs and CPU time of biHAC.",
        rows.reset_index(),
    )


def show_counts(results: Results) -> Iterator[Drawing | ShownTable]:
    """Yield the numbers of constraints of the paper's trees."""
    frame = results.frame(COUNTS)
    wide = frame.set_index(["per_class", "tree"])["n_constraints"].unstack("tree")
    wide = wide.loc[[1, 2, 5, 10, 20, 30], list(dict.fromkeys(frame["tree"]))]
    wide["the paper, Reuters 1"] = [PRINTED.get(int(labels), "") for labels in wide.index]
    yield ShownTable(
        "constraints",
        "Constraints that follow from so many labelled documents on each class of the paper's "
        "trees, (x, y, z) and (y, x, z) counted as two.",
        wide.rename_axis(index=LABELS, columns=None).reset_index(),
    )


def show_learning(results: Results) -> Iterator[Drawing | ShownTable]:
    """Yield learning curves with the paper's rate, and what becomes of other rates."""
    frame = paper_fits(results)
    yield Drawing(
        "learning-curves",
        "Run after run of biHAC with the rate 5: the error on the constraints, which chooses the "
        "run that is kept, 1 less the H-correlation on unlabelled documents, and the number of "
        "adaptations. All classes are known.",
        learning_curves(frame),
    )
    yield rates(results.frame(LEARNING))
    yield first_run_table(frame)


def learning_curves(frame: DataFrame) -> Any:
    """Draw errors and adaptations over runs, a line for each collection."""
    part = frame[frame["per_class"] == frame.groupby("collection")["per_class"].transform("max")]
    part = part.assign(unlabelled=1 - part["h_correlation"], run=part["run"] + 1)
    titles = ["error on the constraints", "error on unlabelled documents", "adaptations"]
    figure, axes = panels(titles, columns=3)
    styles = {str(name): place for place, name in enumerate(dict.fromkeys(part["collection"]))}
    for panel, column in zip(axes, ("error", "unlabelled", "adaptations"), strict=True):
        curves(panel, part, x="run", y=column, by="collection", styles=styles)
        panel.set_xlabel("run")
        for line in panel.get_lines():
            line.set_marker("")
        panel.set_ylim(bottom=0)
    legend(figure, axes)
    return figure


def rates(frame: DataFrame) -> ShownTable:
    """Return what the kept runs of each learning rate come to."""
    best = kept(frame).reset_index()
    best["run"] += 1
    first = frame[frame["run"] == 0].set_index(FIT)["h_correlation"]
    best["gain"] = (
        best["h_correlation"] - first.loc[[tuple(row) for row in best[FIT].to_numpy()]].to_numpy()
    )
    most = best.groupby("collection")["per_class"].transform("max")
    part = best[best["per_class"] == most]
    means = part.groupby(["updates", "rate"])[["error", "h_correlation", "gain", "run"]].mean()
    names = {
        "error": "error on the constraints",
        "h_correlation": "H-correlation",
        "gain": "gain over HAC",
        "run": "kept run",
    }
    return ShownTable(
        "learning-rates",
        "The run of the lowest error among 50 for each learning rate, means over collections and "
        "samples; sequential updates are the paper's, joint ones do not depend on the order of "
        "the documents.",
        means.round(3).rename(columns=names).reset_index(),
    )


def first_run_table(frame: DataFrame) -> ShownTable:
    """Return constraints, violations and adaptations of first runs."""
    columns = ["n_constraints", "violated", "adaptations"]
    first = frame[frame["run"] == 0].groupby(["collection", "per_class"], sort=False)[columns]
    rows = first.mean().round(1).reset_index()
    names = {"per_class": LABELS, "n_constraints": "constraints"}
    return ShownTable(
        "first-runs",
        "The first run of biHAC: constraints, how many of them it violates, and how often it "
        "adapts the weights.",
        rows.rename(columns=names),
    )


def show_terms(results: Results) -> Iterator[Drawing | ShownTable]:
    """Yield what HAC finds with fewer terms."""
    frame = results.frame(TERMS)
    styles = {str(name): place for place, name in enumerate(dict.fromkeys(frame["collection"]))}
    figure, axes = panels(["HAC with the terms in most documents"], width=4.6, height=2.6)
    curves(axes[0], frame, x="n_terms", y="h_correlation", by="collection", styles=styles)
    axes[0].set_xscale("log")
    ticks = [100, 200, 500, 1000, 2000, 5000]
    axes[0].set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    axes[0].minorticks_off()
    axes[0].set_xlabel("terms")
    axes[0].set_ylabel("H-correlation")
    legend(figure, axes, columns=3)
    yield Drawing(
        "terms",
        "H-correlation of HAC on random parts of the collections with fewer and fewer terms, the "
        "rightmost point being all that occur five times.",
        figure,
    )
