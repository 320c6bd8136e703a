"""Figures and tables of biHAC's experiments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from papers._drawing import curves, legend, panels
from papers._experiment import Drawing, ShownTable
from papers.bihac.data import ABSTRACTS, SETTINGS, STAND_INS
from papers.bihac.measures import FIT, MEASURES, UNLABELLED, kept
from papers.bihac.methods import HAC, METHODS, METRIC

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

    from papers._results import Results

STYLES = {method: number for number, method in enumerate(METHODS)}
COLLECTION_STYLES = {name: number for number, name in enumerate((*STAND_INS, ABSTRACTS))}
LABELS = "labelled documents per class"


def _ordered(frame: DataFrame) -> DataFrame:
    """Return rows with the stand-ins first and the abstracts, which are of another kind, last."""
    return frame.sort_values("collection", key=lambda c: c.map(COLLECTION_STYLES), kind="stable")


def show_comparisons(results: Results) -> Iterator[Drawing | ShownTable]:
    """Yield a figure for each collection, the mean gains, and what HAC has without constraints."""
    frame = _ordered(results.frame("figures-9-10"))
    for collection, part in frame.groupby("collection", sort=False):
        apart = ", whose topics differ in kind and decide no claim" * (collection == ABSTRACTS)
        yield Drawing(
            f"figure-9-10-{str(collection).replace(' ', '-')}",
            f"{str(collection).capitalize()}{apart}, as figures 9 and 10: means over samples of "
            "labels with their bootstrap intervals. Columns are the H-correlation on all documents "
            "and the F-scores on those without labels, rows are settings: all classes known, one "
            "leaf class unknown, one subtree unknown.",
            _comparison(part),
        )
    yield _gains(frame)
    yield _baseline(frame)


def _comparison(frame: DataFrame) -> Any:
    """Draw one collection: a row for each setting, a column for each measure."""
    places = [(setting, measure) for setting in SETTINGS for measure in MEASURES]
    titles = [f"({setting}) {MEASURES[measure]}" for setting, measure in places]
    figure, axes = panels(titles, columns=len(MEASURES))
    ticks = sorted(set(frame["per_class"]))
    for panel, (setting, measure) in zip(axes, places, strict=True):
        for method, rows in frame[frame["setting"] == setting].groupby("method", sort=False):
            lines: dict[str, Any] = {"by": "method", "styles": STYLES, "dashed": (HAC,)}
            curves(panel, rows, x="per_class", y=measure, band=method != HAC, **lines)
        panel.set_xscale("log", base=2)
        panel.set_xticks(ticks, [str(tick) for tick in ticks])
        panel.minorticks_off()
    for column in range(len(MEASURES)):
        _share_limits(axes[column :: len(MEASURES)])
    for panel in axes[-len(MEASURES) :]:
        panel.set_xlabel(LABELS)
    legend(figure, axes)
    return figure


def _share_limits(axes: list[Axes]) -> None:
    """Give the panels of a column the same range, so that settings compare."""
    limits = [panel.get_ylim() for panel in axes]
    for panel in axes:
        panel.set_ylim(min(low for low, _ in limits), max(high for _, high in limits))


def _gains(frame: DataFrame) -> ShownTable:
    names = MEASURES | UNLABELLED
    means = frame.groupby(["collection", "setting", "method"], sort=False)[[*names]].mean()
    rows = (means - means.xs(HAC, level="method")).drop(HAC, level="method").round(3).reset_index()
    rows["setting"] = rows["setting"].map(SETTINGS)
    return ShownTable(
        "gains",
        "Mean gains over HAC, all numbers of labels together.",
        rows.rename(columns=names),
    )


def _baseline(frame: DataFrame) -> ShownTable:
    plain, learned = (frame[frame["method"] == method] for method in (HAC, METRIC))
    rows = plain.groupby("collection", sort=False)[[*MEASURES]].mean().round(3)
    rows = rows.rename(columns=MEASURES).add_prefix("HAC: ")
    rows["most constraints"] = frame.groupby("collection", sort=False)["n_constraints"].max()
    rows["biHAC: runs"] = learned.groupby("collection", sort=False)["runs"].mean().round(1)
    return ShownTable(
        "collections",
        "What HAC finds without constraints, the largest number of constraints (ordered, as the "
        "paper counts), and mean runs of biHAC.",
        rows.reset_index(),
    )


def show_counts(results: Results) -> Iterator[Drawing | ShownTable]:
    """Yield the numbers of constraints of the paper's trees."""
    frame = results.frame("constraints")
    wide = frame.set_index(["per_class", "tree"])["n_constraints"].unstack("tree")
    wide = wide.loc[[1, 2, 5, 10, 20, 30], list(dict.fromkeys(frame["tree"]))]
    yield ShownTable(
        "constraints",
        "Constraints that follow from so many labelled documents on each class of the paper's "
        "trees, (x, y, z) and (y, x, z) counted as two.",
        wide.rename_axis(index=LABELS, columns=None).reset_index(),
    )


def show_learning(results: Results) -> Iterator[Drawing | ShownTable]:
    """Yield learning curves with the paper's rate, and what becomes of other rates."""
    frame = _ordered(results.frame("learning"))
    most = frame["per_class"] == frame.groupby("collection")["per_class"].transform("max")
    papers = (frame["rate"] == 5) & (frame["updates"] == "joint")
    yield Drawing(
        "learning-curves",
        "Run after run of biHAC with the rate 5: the error on the constraints, which chooses the "
        "run that is kept, 1 less the H-correlation on all documents, and the number of "
        "adaptations. All classes are known.",
        _learning_curves(frame[most & papers]),
    )
    yield _rates(frame[most])
    yield _first_runs(frame[papers & (frame["run"] == 0)])


def _learning_curves(frame: DataFrame) -> Any:
    part = frame.assign(overall=1 - frame["h_all"], run=frame["run"] + 1)
    titles = ["error on the constraints", "error on all documents", "adaptations"]
    figure, axes = panels(titles, columns=3)
    for panel, column in zip(axes, ("error", "overall", "adaptations"), strict=True):
        curves(panel, part, x="run", y=column, by="collection", styles=COLLECTION_STYLES)
        panel.set_xlabel("run")
        for line in panel.get_lines():
            line.set_marker("")
        panel.set_ylim(bottom=0)
    legend(figure, axes)
    return figure


def _rates(frame: DataFrame) -> ShownTable:
    best = kept(frame)
    best["gain"] = best["h_all"] - frame[frame["run"] == 0].set_index(FIT)["h_all"]
    best["run"] += 1
    names = {
        "error": "error on the constraints",
        "h_all": "H-correlation",
        "gain": "gain over HAC",
        "run": "kept run",
    }
    means = best.groupby(["updates", "rate"])[[*names]].mean().round(3)
    return ShownTable(
        "learning-rates",
        "The run of the lowest error among 50 for each learning rate, means over collections and "
        "samples; sequential updates are the paper's, joint ones do not depend on the order of "
        "the documents.",
        means.rename(columns=names).reset_index(),
    )


def _first_runs(first: DataFrame) -> ShownTable:
    columns = ["n_constraints", "violated", "adaptations"]
    rows = first.groupby(["collection", "per_class"], sort=False)[columns].mean().round(1)
    return ShownTable(
        "first-runs",
        "The first run of biHAC: constraints, how many of them it violates, and how often it "
        "adapts the weights.",
        rows.reset_index().rename(columns={"per_class": LABELS, "n_constraints": "constraints"}),
    )


def show_terms(results: Results) -> Iterator[Drawing | ShownTable]:
    """Yield what HAC finds with fewer terms."""
    frame = _ordered(results.frame("terms"))
    figure, (panel,) = panels(["HAC with the terms in most documents"], width=4.6, height=2.6)
    styles = COLLECTION_STYLES
    curves(panel, frame, x="n_terms", y="h_correlation", by="collection", styles=styles)
    panel.set_xscale("log")
    ticks = [100, 200, 500, 1000, 2000, 5000]
    panel.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    panel.minorticks_off()
    panel.set(xlabel="terms", ylabel="H-correlation")
    legend(figure, [panel], columns=3)
    yield Drawing(
        "terms",
        "H-correlation of HAC on random parts of the collections with fewer and fewer terms, the "
        "rightmost point being all that occur five times.",
        figure,
    )
