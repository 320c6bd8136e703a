"""One picture of a run: more pairs, wrong pairs, and whether doubts are calibrated."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.accuracy.grid import NOTHING_SAID, Condition
from benchmarks.accuracy.methods import METHODS, OURS
from benchmarks.accuracy.results import Outcomes

# The first has the first colour, and all but peers a line.
SHOWN = (
    "BestClusterer",
    "ConstrainedMixture",
    "ConstraintPropagation",
    "COPKMeans",
    "PCKMeans",
    "MPCKMeans",
    "ConstrainedCompleteLinkage",
    "k-means",
    "E2CP",
)
DOUBTERS = ("BestClusterer", "ConstrainedMixture")


def draw(outcomes: Outcomes, path: Path) -> None:
    """Write the picture."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    # The same run gives the same file.
    style = {"svg.hashsalt": "accuracy", "svg.fonttype": "none", "font.size": 9}
    with pyplot.rc_context(style):
        figure, (more, wrong, doubt) = pyplot.subplots(1, 3, figsize=(11, 4), layout="constrained")
        pairs = [each for each in outcomes.conditions if each.kind == "pairs"]
        budgets = sorted({e.budget for e in pairs if isinstance(e.budget, int) and not e.wrong})
        _curves(more, outcomes, [(b, _condition(b, 0.0)) for b in budgets])
        more.set(title="more pairs", xlabel="random pairs, none wrong", ylabel="mean ARI")
        shares = sorted({each.wrong for each in pairs if each.budget == 120})
        _curves(wrong, outcomes, [(100 * s, _condition(120, s)) for s in shares])
        wrong.set(title="wrong pairs", xlabel="% of 120 pairs that are wrong")
        _calibration(doubt, outcomes)
        handles, labels = more.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=6, frameon=False)
        figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
        pyplot.close(figure)


def _condition(budget: int, wrong: float) -> Condition:
    return Condition("pairs", budget, wrong) if budget else NOTHING_SAID


def _curves(axes: Any, outcomes: Outcomes, points: Sequence[tuple[float, Condition]]) -> None:
    for place, method in enumerate(SHOWN):
        if method not in outcomes.methods:
            continue
        values = [(x, outcomes.mean(method, condition)) for x, condition in points]
        measured = [(x, value) for x, value in values if value is not None]
        if measured:
            line = "-" if METHODS[method].package == OURS else "--"
            axes.plot(
                *zip(*measured, strict=True), line, color=f"C{place}", marker=".", label=method
            )
    axes.grid(alpha=0.3)


def _calibration(axes: Any, outcomes: Outcomes) -> None:
    axes.plot([0, 1], [0, 1], color="0.7", linewidth=1)
    for place, method in enumerate(SHOWN):
        points = outcomes.calibration(method, Condition("pairs", 120, 0.1))
        if method in DOUBTERS and points:
            doubts, shares, _ = zip(*points, strict=True)
            axes.plot(doubts, shares, color=f"C{place}", marker="o", label=method)
    axes.set(title="calibration", xlabel="doubt", ylabel="share that is wrong")
    axes.grid(alpha=0.3)
