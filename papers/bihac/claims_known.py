"""What the paper says of setting (1), in which labels come from all classes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from papers._claim import Claim, Finding, holds_if
from papers._estimate import Estimate
from papers._exceptions import NotTestableError
from papers._results import Results
from papers.bihac.paired import (
    COMPARISON,
    MEASURES,
    by_collection,
    clear_places,
    clearly_above,
    clearly_below,
    gain,
    measured,
    scores,
    sentence,
    signed,
    slope,
)

CONSTRAINED = ("iHAC", "biHAC", "biiHAC")
INSTANCE = ("iHAC", "biiHAC")
APART, ALIKE = "newsgroups apart", "newsgroups alike"

# What the paper calls a large, and what about equal or almost none, of measures from 0 to 1.
LARGE, SMALL = 0.05, 0.02
GOOD = 0.8


def all_improve(results: Results) -> Finding:
    """Test whether all three gain H-correlation over HAC."""
    table = scores(results, "h_correlation", settings=[1])
    gains = {method: gain(table, method) for method in CONSTRAINED}
    estimates = [measured(f"gain of {name} in H-correlation", each) for name, each in gains.items()]
    explanation = "; ".join(
        f"{name} gains {by_collection(each)}, {clear_places(each)}" for name, each in gains.items()
    )
    return Finding(
        holds_if(all(map(clearly_above, estimates))), tuple(estimates), sentence(explanation)
    )


def _growth(results: Results, measure: str) -> tuple[bool, list[Estimate], str]:
    table = scores(results, measure, settings=[1])
    slopes = {method: slope(table, method) for method in INSTANCE}
    estimates = [
        measured(f"{MEASURES[measure]}: growth of {name}'s gain per doubling of labels", each)
        for name, each in slopes.items()
    ]
    explanation = "; ".join(
        f"each doubling of the labels adds {by_collection(each)} to the gain of {name}"
        for name, each in slopes.items()
    )
    return all(map(clearly_above, estimates)), estimates, explanation


def instance_grows(results: Results) -> Finding:
    """Test whether the gains of iHAC and biiHAC grow with the number of labels."""
    holds, estimates, explanation = _growth(results, "h_correlation")
    return Finding(holds_if(holds), tuple(estimates), sentence(explanation))


def _constancy(results: Results, measure: str) -> tuple[bool, list[Estimate], str]:
    table = scores(results, measure, settings=[1])
    added = measured(f"{MEASURES[measure]}: gain of biHAC", gain(table, "biHAC"))
    own, other = slope(table, "biHAC"), slope(table, "iHAC")
    growth = measured(f"{MEASURES[measure]}: growth of biHAC's gain per doubling of labels", own)
    behind = measured(f"{MEASURES[measure]}: that growth less half of iHAC's", own - other / 2)
    explanation = (
        f"biHAC adds {signed(added)} on average, and {signed(growth)} with each doubling of the "
        f"labels, where iHAC adds {measured('', other).value:+.3f}"
    )
    holds = clearly_above(added) and clearly_below(behind)
    return holds, [added, growth, behind], explanation


def metric_constant(results: Results) -> Finding:
    """Test whether biHAC's gain is there, and grows little."""
    holds, estimates, explanation = _constancy(results, "h_correlation")
    return Finding(holds_if(holds), tuple(estimates), sentence(explanation))


def leaf_alike(results: Results) -> Finding:
    """Test both on the F-score of leaf classes."""
    grows, growth, explanation = _growth(results, "leaf_f")
    constant, constancy, also = _constancy(results, "leaf_f")
    return Finding(
        holds_if(grows and constant), (*growth, *constancy), sentence(f"{explanation}; {also}")
    )


def combination_follows(results: Results) -> Finding:
    """Test whether biiHAC is close to iHAC, and closer than to biHAC."""
    table = scores(results, "h_correlation", settings=[1])
    apart = gain(table, "biiHAC", over="iHAC")
    table["nearer"] = (table["biiHAC"] - table["biHAC"]).abs()
    table["distance"] = (table["biiHAC"] - table["iHAC"]).abs()
    nearer = measured("distance to biHAC less that to iHAC", gain(table, "nearer", "distance"))
    equal = measured("H-correlation of biiHAC less that of iHAC", apart)
    holds = clearly_above(nearer) and abs(equal.value) <= SMALL
    explanation = f"biiHAC less iHAC is {by_collection(apart)}"
    return Finding(holds_if(holds), (nearer, equal), sentence(explanation))


def higher_saturated(results: Results) -> Finding:
    """Test whether gains at the higher level are small where HAC is good."""
    table = scores(results, "higher_f", settings=[1])
    baseline = table["HAC"].groupby(level="collection", sort=False).mean()
    good = baseline[baseline >= GOOD].index.tolist()
    present = ", ".join(f"{value:.3f} on {name}" for name, value in baseline.items())
    if not good:
        raise NotTestableError(
            f"HAC's F at the higher level is nowhere {GOOD} or more: it is {present}"
        )
    part = table[table.index.get_level_values("collection").isin(good)]
    estimates = [
        measured(f"gain of {name} where HAC is good", gain(part, name)) for name in CONSTRAINED
    ]
    explanation = ", ".join(
        f"{name} {signed(each)}" for name, each in zip(CONSTRAINED, estimates, strict=True)
    )
    return Finding(
        holds_if(all(each.value <= SMALL for each in estimates)),
        tuple(estimates),
        f"HAC's F at the higher level is {present}; the gains on {' and '.join(good)} are "
        f"{explanation}.",
    )


def higher_improves(results: Results) -> Finding:
    """Test whether iHAC and biiHAC gain much at the higher level where HAC is not yet good."""
    table = scores(results, "higher_f", settings=[1])
    baseline = table["HAC"].groupby(level="collection").transform("mean")
    if not (baseline < GOOD).any():
        raise NotTestableError(f"HAC's F at the higher level is {GOOD} or more on all collections")
    part = table[baseline < GOOD]
    gains = {method: gain(part, method) for method in INSTANCE}
    estimates = [
        measured(f"gain of {name} at the higher level", each) for name, each in gains.items()
    ]
    holds = all(clearly_above(each) and each.value >= LARGE for each in estimates)
    explanation = "; ".join(f"{name} gains {by_collection(each)}" for name, each in gains.items())
    return Finding(holds_if(holds), tuple(estimates), sentence(explanation))


def higher_instance(results: Results) -> Finding:
    """Test whether iHAC and biiHAC are above biHAC at the higher level."""
    table = scores(results, "higher_f", settings=[1])
    gains = {method: gain(table, method, over="biHAC") for method in INSTANCE}
    estimates = [
        measured(f"{name} over biHAC at the higher level", each) for name, each in gains.items()
    ]
    explanation = "; ".join(
        f"{name} less biHAC is {by_collection(each)}" for name, each in gains.items()
    )
    return Finding(
        holds_if(all(map(clearly_above, estimates))), tuple(estimates), sentence(explanation)
    )


def metric_little(results: Results) -> Finding:
    """Test whether biHAC gains less than iHAC where classes are distinct."""
    table = scores(results, "h_correlation", settings=[1], collections=[APART])
    behind = measured("gain of biHAC less that of iHAC", gain(table, "biHAC", over="iHAC"))
    own = measured("gain of biHAC in H-correlation", gain(table, "biHAC"))
    explanation = f"on {APART} biHAC gains {signed(own)}, and biHAC less iHAC is {signed(behind)}"
    holds = clearly_below(behind) and own.value <= LARGE
    return Finding(holds_if(holds), (behind, own), sentence(explanation))


def metric_leaves(results: Results) -> Finding:
    """Test whether biHAC is above iHAC at the leaf level where classes are alike."""
    table = scores(results, "leaf_f", settings=[1], collections=[ALIKE])
    measurement = measured(
        f"biHAC over iHAC at the leaf level on {ALIKE}", gain(table, "biHAC", over="iHAC")
    )
    means = table.mean()
    explanation = (
        f"the mean F of leaf classes is {means['HAC']:.3f} by HAC, {means['iHAC']:.3f} by iHAC and "
        f"{means['biHAC']:.3f} by biHAC: the difference is {signed(measurement)}"
    )
    return Finding(holds_if(clearly_above(measurement)), (measurement,), sentence(explanation))


def alike_increases(results: Results) -> Finding:
    """Test whether all three gain much where classes are alike."""
    table = scores(results, "h_correlation", settings=[1], collections=[ALIKE])
    estimates = [measured(f"gain of {name} on {ALIKE}", gain(table, name)) for name in CONSTRAINED]
    holds = all(clearly_above(each) and each.value >= LARGE for each in estimates)
    explanation = ", ".join(
        f"{name} gains {signed(each)}" for name, each in zip(CONSTRAINED, estimates, strict=True)
    )
    return Finding(holds_if(holds), tuple(estimates), sentence(explanation))


def alike_most(results: Results) -> Finding:
    """Test whether gains are largest where classes are alike."""
    table = scores(results, "h_correlation", settings=[1], collections=[ALIKE, APART])
    table["mean"] = table[list(CONSTRAINED)].mean(axis=1)
    gains = gain(table, "mean").unstack("collection")
    if {ALIKE, APART} - set(gains.columns):
        raise NotTestableError(f"it takes results on both {ALIKE} and {APART}")
    measurement = measured(
        f"mean gain on {ALIKE} less that on {APART}", gains[ALIKE] - gains[APART]
    )
    explanation = (
        f"the three methods gain {gains[ALIKE].mean():+.3f} H-correlation on {ALIKE} and "
        f"{gains[APART].mean():+.3f} on {APART}"
    )
    return Finding(holds_if(clearly_above(measurement)), (measurement,), sentence(explanation))


def nearer_the_better(results: Results) -> Finding:
    """Test whether biiHAC is above the middle between iHAC and biHAC, on each measure."""
    estimates, explanation = [], []
    for measure, name in MEASURES.items():
        table = scores(results, measure, settings=[1])
        table["middle"] = table[["iHAC", "biHAC"]].mean(axis=1)
        table["better"] = table[["iHAC", "biHAC"]].max(axis=1)
        estimates.append(
            measured(f"{name}: biiHAC over the middle", gain(table, "biiHAC", "middle"))
        )
        short = measured("", gain(table, "biiHAC", "better")).value
        explanation.append(f"{name}: {short:+.3f} from the better of the two")
    told_all = "; ".join(explanation)
    return Finding(
        holds_if(all(map(clearly_above, estimates))), tuple(estimates), f"biiHAC is, by {told_all}."
    )


def good_everywhere(results: Results) -> Finding:
    """Test whether biiHAC gains H-correlation on each collection."""
    gains = gain(scores(results, "h_correlation", settings=[1]), "biiHAC")
    parts = dict(list(gains.groupby(level="collection", sort=False)))
    estimates = [measured(f"gain of biiHAC on {name}", part) for name, part in parts.items()]
    failing = [name for name, each in zip(parts, estimates, strict=True) if not clearly_above(each)]
    explanation = f"not clearly on {' and '.join(failing)}" if failing else "clearly on each"
    return Finding(
        holds_if(not failing),
        tuple(estimates),
        f"biiHAC gains {by_collection(gains)}: {explanation}.",
    )


def no_winner(results: Results) -> Finding:
    """Test whether each of iHAC and biHAC is clearly better somewhere."""
    wins: dict[str, list[str]] = {"iHAC": [], "biHAC": []}
    overall = []
    for measure, name in MEASURES.items():
        gains = gain(scores(results, measure, settings=[1]), "iHAC", over="biHAC")
        overall.append(measured(f"{name}: iHAC less biHAC", gains))
        for collection, part in gains.groupby(level="collection", sort=False):
            each = measured("", part)
            if clearly_above(each) or clearly_below(each):
                wins["iHAC" if each.value > 0 else "biHAC"].append(f"{collection} ({name})")
    explanation = "; ".join(
        f"{name} is clearly better {_places(where)}" for name, where in wins.items()
    )
    return Finding(holds_if(all(wins.values())), tuple(overall), sentence(explanation))


def _places(where: list[str]) -> str:
    return f"on {', '.join(where)}" if where else "nowhere"


def dead_ends(results: Results) -> Finding:
    """Test whether iHAC and biiHAC ever had to violate a constraint."""
    frame = results.frame(COMPARISON)
    counts = frame[frame["method"].isin(INSTANCE)]["dead_ends"].to_numpy(float)
    measurement = measured("merges of iHAC and biiHAC that violate a constraint", counts)
    explanation = (
        f"in {len(counts)} clusterings under up to {frame['n_constraints'].max():,} constraints, "
        f"{int(np.sum(counts))} merges violate one"
    )
    return Finding(holds_if(not counts.any()), (measurement,), sentence(explanation))


def _claim(
    name: str, quote: str, where: str, criterion: str, test: Callable[[Results], Finding]
) -> Claim:
    return Claim(name, quote, where, criterion, (COMPARISON,), test)


BANKSEARCH = " Said of Banksearch; tested on all collections at hand."

CLAIMS = (
    _claim(
        "all improve",
        "all three approaches are capable of improving cluster quality through the use of "
        "constraints",
        "Section 5.3",
        "In setting (1) the H-correlation of each of iHAC, biHAC and biiHAC less that of HAC, "
        "averaged over numbers of labels, has an interval above 0 over all samples of labels.",
        all_improve,
    ),
    _claim(
        "iHAC and biiHAC grow",
        "the overall cluster tree improvement as measured with the H-Correlation is constantly "
        "increasing with increasing number of constraints for iHAC and biiHAC",
        "Section 5.3, Banksearch, setting (1)",
        "The slope of the gain in H-correlation over the logarithm of the number of labels has an "
        "interval above 0 for both." + BANKSEARCH,
        instance_grows,
    ),
    _claim(
        "biHAC constant",
        "while biHAC itself rather adds a constant improvement to the baseline performance of HAC",
        "Section 5.3, Banksearch, setting (1)",
        "biHAC's gain in H-correlation has an interval above 0, and its growth per doubling of "
        "labels is clearly less than half of iHAC's." + BANKSEARCH,
        metric_constant,
    ),
    _claim(
        "biiHAC follows iHAC",
        "biiHAC is hereby mostly determined by iHAC as it has about equal performance",
        "Section 5.3, Banksearch, setting (1)",
        f"biiHAC's H-correlation is clearly nearer to iHAC's than to biHAC's, and within {SMALL} "
        "of it on average." + BANKSEARCH,
        combination_follows,
    ),
    _claim(
        "leaf level alike",
        "Similar behavior can be found for the F-score measure on the leaf level",
        "Section 5.3, Banksearch, setting (1)",
        "The criteria of the growth of iHAC and biiHAC and of the constant gain of biHAC both hold "
        "for the F-score of leaf classes." + BANKSEARCH,
        leaf_alike,
    ),
    _claim(
        "higher level saturated",
        "On the higher level, almost no improvement is achieved with any method, probably because "
        "the baseline performance is already quite good",
        "Section 5.3, Banksearch, setting (1)",
        f"Where HAC's F at the higher level is {GOOD} or more, no method gains more than {SMALL}.",
        higher_saturated,
    ),
    _claim(
        "higher level improves",
        "both methods highly improve the higher level clusters",
        "Section 5.3, Reuters 1, setting (1)",
        "iHAC's and biiHAC's gains in F at the higher level, on collections where HAC's is below "
        f"{GOOD}, have intervals above 0 and are {LARGE} or more.",
        higher_improves,
    ),
    _claim(
        "metric improves distinct classes little",
        "contains mostly very distinct classes. Therefore, weighting can improve little",
        "Section 5.3, Reuters 1, setting (1)",
        f"On {APART}, which stands in for Reuters 1, biHAC's gain in H-correlation is clearly less "
        f"than iHAC's and at most {LARGE}.",
        metric_little,
    ),
    _claim(
        "all increase alike classes",
        "all algorithms are again capable of largely increasing the H-Correlation",
        "Section 5.3, Reuters 2, setting (1)",
        f"On {ALIKE}, which stands in for Reuters 2, the gains of all three have intervals above 0 "
        f"and are {LARGE} or more.",
        alike_increases,
    ),
    _claim(
        "higher level by instances",
        "While on the higher levels, the instance-based component has again advantages",
        "Section 5.3, Reuters 1 and 2, setting (1)",
        "The F at the higher level of iHAC and of biiHAC less that of biHAC has an interval above "
        "0, on all collections at hand.",
        higher_instance,
    ),
    _claim(
        "leaf level by metric",
        "biHAC can better adapt to the leaf level classes",
        "Section 5.3, Reuters 2, setting (1)",
        f"On {ALIKE}, which stands in for Reuters 2, the F of leaf classes of biHAC less that of "
        "iHAC has an interval above 0.",
        metric_leaves,
    ),
    _claim(
        "biiHAC near the better",
        "The combination of both algorithms through biiHAC again succeeds in producing an overall "
        "good result towards the better of the two methods on the specific levels",
        "Section 5.3, setting (1)",
        "On each of the three measures biiHAC less the mean of iHAC and biHAC has an interval "
        "above 0.",
        nearer_the_better,
    ),
    _claim(
        "alike classes benefit most",
        "This dataset benefits most from integrating constraints",
        "Section 5.3, Reuters 2, setting (1)",
        f"The mean gain of the three methods in H-correlation on {ALIKE} less that on {APART}, "
        "which stand in for Reuters 2 and 1, has an interval above 0.",
        alike_most,
    ),
    _claim(
        "biiHAC good everywhere",
        "the combined approach biiHAC provides good results on all datasets in the case of evenly "
        "distributed constraints",
        "Section 5.3",
        "In setting (1) biiHAC's gain in H-correlation has an interval above 0 on each collection.",
        good_everywhere,
    ),
    _claim(
        "no clear winner",
        "There is no clear winner between the instance-based and the metric-based approach",
        "Section 5.3",
        "In setting (1) each of iHAC and biHAC is clearly better than the other on some collection "
        "by some measure.",
        no_winner,
    ),
    _claim(
        "constraints enforced",
        "This instance-based approach enforces the constraints in each cluster merge",
        "Section 3",
        "With all triplets of a hierarchy no merge of iHAC or biiHAC violates one: there are no "
        "dead ends.",
        dead_ends,
    ),
)
