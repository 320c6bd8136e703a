"""What the paper says of settings (2) and (3), in which classes are unknown."""

from __future__ import annotations

from collections.abc import Callable

from papers._claim import Claim, Finding, holds_if
from papers._results import Results
from papers.bihac.claims_known import CONSTRAINED, SMALL
from papers.bihac.paired import (
    COMPARISON,
    by_collection,
    change,
    clearly_above,
    clearly_below,
    gain,
    measured,
    scores,
    sentence,
    signed,
    slope,
)

METRIC = ("biHAC", "biiHAC")


def less_gain(results: Results) -> Finding:
    """Test whether the three methods together gain less the more classes are unknown."""
    changes = {method: change(results, "h_correlation", method) for method in CONSTRAINED}
    together = measured(
        "change of the mean gain from setting (1) to (3)", sum(changes.values()) / len(changes)
    )
    estimates = [measured(f"that of {name}", each) for name, each in changes.items()]
    steps = {setting: gain_of_all(results, setting) for setting in (1, 2, 3)}
    explanation = ", ".join(
        f"{value:+.3f} in setting ({setting})" for setting, value in steps.items()
    )
    return Finding(
        holds_if(clearly_below(together)),
        (together, *estimates),
        f"The three methods gain on average {explanation}.",
    )


def gain_of_all(results: Results, setting: int) -> float:
    """Return the mean gain of the three methods in H-correlation."""
    table = scores(results, "h_correlation", settings=[setting])
    return float(sum(gain(table, method).mean() for method in CONSTRAINED) / len(CONSTRAINED))


def unknown_increase(results: Results) -> Finding:
    """Test whether biHAC finds classes better of which it knows nothing."""
    table = scores(results, "unknown_f", settings=[2, 3])
    gains = gain(table, "biHAC")
    measurement = measured("gain of biHAC in the F of unknown classes", gains)
    share = measured("share of cells in which it is positive", table["biHAC"] > table["HAC"])
    same = float((table["biHAC"] == table["HAC"]).mean())
    explanation = (
        f"it is positive in {share.value:.0%} of the cells and 0 in {same:.0%}; it is "
        f"{by_collection(gains)}"
    )
    holds = clearly_above(measurement) and share.value > 0.5
    return Finding(holds_if(holds), (measurement, share), sentence(explanation))


def unknown_suffer(results: Results) -> Finding:
    """Test whether iHAC finds unknown classes worse than biHAC does."""
    table = scores(results, "unknown_f", settings=[2, 3])
    behind = gain(table, "iHAC", over="biHAC")
    measurement = measured("F of unknown classes, iHAC less biHAC", behind)
    own = measured("gain of iHAC over HAC in it", gain(table, "iHAC"))
    explanation = f"iHAC less biHAC is {by_collection(behind)}; iHAC less HAC is {signed(own)}"
    return Finding(holds_if(clearly_below(measurement)), (measurement, own), sentence(explanation))


def metric_stable(results: Results) -> Finding:
    """Test whether iHAC loses more by unknown classes than the other two do."""
    changes = {method: change(results, "h_correlation", method) for method in CONSTRAINED}
    loss = measured("change of iHAC's gain from setting (1) to (3)", changes["iHAC"])
    ahead = [
        measured(f"change of {name}'s gain less that of iHAC's", changes[name] - changes["iHAC"])
        for name in METRIC
    ]
    explanation = "; ".join(
        f"that of {name} by {by_collection(each)}" for name, each in changes.items()
    )
    holds = clearly_below(loss) and all(map(clearly_above, ahead))
    return Finding(
        holds_if(holds), (loss, *ahead), f"From setting (1) to (3) gains change: {explanation}."
    )


def higher_below(results: Results) -> Finding:
    """Test whether iHAC is below HAC at the higher level with a subtree unknown."""
    table = scores(results, "higher_f", settings=[3])
    gains = gain(table, "iHAC")
    measurement = measured("gain of iHAC at the higher level in setting (3)", gains)
    return Finding(
        holds_if(clearly_below(measurement)),
        (measurement,),
        f"iHAC less HAC is {by_collection(gains)}.",
    )


def more_is_worse(results: Results) -> Finding:
    """Test whether iHAC gets worse at the higher level with more labels."""
    slopes = slope(scores(results, "higher_f", settings=[3]), "iHAC")
    measurement = measured(
        "growth of iHAC's gain at the higher level per doubling of labels", slopes
    )
    return Finding(
        holds_if(clearly_below(measurement)),
        (measurement,),
        f"Each doubling of the labels adds {by_collection(slopes)}.",
    )


def keeps_higher(results: Results) -> Finding:
    """Test whether biiHAC keeps at the higher level what iHAC loses."""
    table = scores(results, "higher_f", settings=[3])
    ahead = gain(table, "biiHAC", over="iHAC")
    kept = change(results, "higher_f", "biiHAC") - change(results, "higher_f", "iHAC")
    measurement = measured("biiHAC over iHAC at the higher level in setting (3)", ahead)
    less = measured("change of biiHAC's gain from (1) to (3) less that of iHAC's", kept)
    own = measured("change of biiHAC's gain itself", change(results, "higher_f", "biiHAC"))
    holds = clearly_above(measurement) and clearly_above(less)
    explanation = (
        f"biiHAC less iHAC is {by_collection(ahead)}; biiHAC's own gain changes by {signed(own)}"
    )
    return Finding(holds_if(holds), (measurement, less, own), sentence(explanation))


def metric_not_higher(results: Results) -> Finding:
    """Test whether biHAC leaves the higher level as it is."""
    gains = gain(scores(results, "higher_f"), "biHAC")
    measurement = measured("gain of biHAC at the higher level", gains)
    means = gains.groupby(level="collection", sort=False).mean()
    moved = means[means.abs() > SMALL].index.tolist()
    explanation = f"by more than {SMALL} on {' and '.join(moved)}" if moved else "nowhere by more"
    return Finding(
        holds_if(abs(measurement.value) <= SMALL),
        (measurement,),
        f"It changes F at the higher level {explanation}: {by_collection(gains)}.",
    )


def metric_resistant(results: Results) -> Finding:
    """Test whether biHAC's gain is the same with a subtree unknown."""
    changes = change(results, "h_correlation", "biHAC")
    measurement = measured("change of biHAC's gain from setting (1) to (3)", changes)
    left = measured(
        "its gain in setting (3)", gain(scores(results, "h_correlation", settings=[3]), "biHAC")
    )
    explanation = (
        f"its gain changes by {by_collection(changes)}, and is {signed(left)} in setting (3)"
    )
    return Finding(
        holds_if(measurement.value >= -SMALL), (measurement, left), sentence(explanation)
    )


def often_better(results: Results) -> Finding:
    """Test whether biiHAC is above biHAC in half of the cells."""
    table = scores(results, "h_correlation", settings=[2, 3])
    better = (table["biiHAC"] > table["biHAC"]).groupby(level=["collection", "repeat"]).mean()
    share = measured("share of cells in which biiHAC is above biHAC", better)
    ahead = gain(table, "biiHAC", over="biHAC")
    measurement = measured("H-correlation of biiHAC less that of biHAC", ahead)
    return Finding(
        holds_if(share.value >= 0.5),
        (share, measurement),
        f"biiHAC less biHAC is {by_collection(ahead)}.",
    )


def successful(results: Results) -> Finding:
    """Test whether biHAC and biiHAC gain where constraints do not cover all classes."""
    estimates, explanation = [], []
    for setting in (2, 3):
        table = scores(results, "h_correlation", settings=[setting])
        for method in METRIC:
            gains = gain(table, method)
            estimates.append(measured(f"gain of {method} in setting ({setting})", gains))
            explanation.append(f"{method} gains {by_collection(gains)} in setting ({setting})")
    return Finding(
        holds_if(all(map(clearly_above, estimates))),
        tuple(estimates),
        sentence("; ".join(explanation)),
    )


def heavily_suffers(results: Results) -> Finding:
    """Test whether iHAC loses half of its gain and more."""
    before = gain(scores(results, "h_correlation", settings=[1]), "iHAC")
    after = gain(scores(results, "h_correlation", settings=[3]), "iHAC")
    measurement = measured(
        "gain of iHAC in setting (3) less half of that in (1)", after - before / 2
    )
    explanation = (
        f"iHAC gains {before.mean():+.3f} in setting (1) and {after.mean():+.3f} in setting (3), "
        f"in the latter {by_collection(after)}"
    )
    return Finding(holds_if(clearly_below(measurement)), (measurement,), sentence(explanation))


def _claim(
    name: str, quote: str, where: str, criterion: str, test: Callable[[Results], Finding]
) -> Claim:
    return Claim(name, quote, where, criterion, (COMPARISON,), test)


CLAIMS = (
    _claim(
        "less gain with unknown classes",
        "the performance gain is less, if more classes are unknown in advance",
        "Section 5.3",
        "The mean gain of the three methods in H-correlation in setting (3) less that in (1), on "
        "the same labels but for those of unknown classes, has an interval below 0.",
        less_gain,
    ),
    _claim(
        "unknown classes gain",
        "classes with no labeled data usually still increase in performance in the biHAC approach",
        "Section 5.3",
        "In settings (2) and (3) the mean F of the classes without labels by biHAC less that by "
        "HAC has an interval above 0, and is positive in more than half of the cells.",
        unknown_increase,
    ),
    _claim(
        "iHAC ignores unknown classes",
        "For iHAC, this is a lot more problematic because it completely ignores the possibility of "
        "new classes",
        "Section 5.3",
        "In settings (2) and (3) the mean F of the classes without labels by iHAC less that by "
        "biHAC has an interval below 0.",
        unknown_suffer,
    ),
    _claim(
        "biHAC and biiHAC stable",
        "biHAC and biiHAC have a stable performance with increasing number of unknown classes, "
        "while iHAC loses performance",
        "Section 5.3, Banksearch and Reuters 2",
        "From setting (1) to (3) iHAC's gain in H-correlation clearly falls, and those of biHAC "
        "and biiHAC clearly fall less, on all collections at hand.",
        metric_stable,
    ),
    _claim(
        "iHAC below HAC",
        "On the higher level, its performance even deteriorates under the baseline performance of "
        "HAC",
        "Section 5.3, Banksearch, setting (3)",
        "In setting (3) the F at the higher level of iHAC less that of HAC has an interval below "
        "0, on all collections at hand.",
        higher_below,
    ),
    _claim(
        "more constraints are worse",
        "In setting (3), it also shows that more constraints are even worse for its performance",
        "Section 5.3, Reuters 1, setting (3)",
        "In setting (3) the slope of iHAC's gain in F at the higher level over the logarithm of "
        "the number of labels has an interval below 0, on all collections at hand.",
        more_is_worse,
    ),
    _claim(
        "biiHAC keeps the higher level",
        "On the other hand, biiHAC can keep up its good performance",
        "Section 5.3, Reuters 1, higher level",
        "In setting (3) biiHAC's F at the higher level is clearly above iHAC's, and from (1) to "
        "(3) its gain clearly falls less, on all collections at hand.",
        keeps_higher,
    ),
    _claim(
        "metric leaves the higher level",
        "the metric alone does not effect the higher level performance",
        "Section 5.3, Reuters 1",
        f"biHAC's gain in F at the higher level is at most {SMALL} either way, over all settings.",
        metric_not_higher,
    ),
    _claim(
        "metric resistant",
        "the metric learning through biHAC is very resistant to an increasing number of unknown "
        "classes",
        "Section 5.3",
        f"From setting (1) to (3) biHAC's gain in H-correlation falls by {SMALL} at most.",
        metric_resistant,
    ),
    _claim(
        "biiHAC often better",
        "its combination with an instance-based approach in biiHAC has often an even better "
        "performance",
        "Section 5.3",
        "In settings (2) and (3) biiHAC's H-correlation is above biHAC's in half of the cells or "
        "more.",
        often_better,
    ),
    _claim(
        "successful with unknown classes",
        "very successful in improving cluster quality. This is especially true for semi-supervised "
        "settings, in which constraints do not cover all existing clusters",
        "Section 6",
        "The gains of biHAC and biiHAC in H-correlation have intervals above 0 in settings (2) and "
        "(3).",
        successful,
    ),
    _claim(
        "iHAC suffers",
        "the instance-based method alone, whose performance heavily suffers in this case",
        "Section 6",
        "iHAC's gain in H-correlation in setting (3) is clearly less than half of that in (1).",
        heavily_suffers,
    ),
)
