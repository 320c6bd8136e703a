"""What the paper says of constraints and their number, and of how weights are learned."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from papers._claim import Claim, Finding, holds_if
from papers._exceptions import NotTestableError
from papers._results import Results
from papers.bihac.claims_known import ALIKE, SMALL
from papers.bihac.grids import PAPER_RATE
from papers.bihac.paired import (
    COMPARISON,
    SAMPLE,
    by_collection,
    clearly_above,
    clearly_below,
    measured,
    sentence,
    signed,
)
from papers.bihac.texts import MOST_TERMS

if TYPE_CHECKING:
    from pandas import DataFrame

    from papers.bihac.paired import Samples

COUNTS, LEARNING, TERMS = "constraints", "learning", "terms"
FIT = ["collection", "per_class", "rate", "updates", "repeat"]
PRINTED = {5: 37_200, 10: 307_800}
PRINTED_ADAPTATIONS = {5: 23, 10: 36}


def printed_counts(results: Results) -> Finding:
    """Test whether Reuters 1 gives the printed numbers of constraints."""
    frame = results.frame(COUNTS)
    present = frame[frame["tree"] == "Reuters 1"].set_index("per_class")["n_constraints"]
    estimates = [
        measured(f"constraints with {labels} labelled per class", [present[labels]])
        for labels in PRINTED
    ]
    holds = all(present[labels] == printed for labels, printed in PRINTED.items())
    explanation = " and ".join(f"{present[labels]:,} with {labels}" for labels in PRINTED)
    return Finding(
        holds_if(holds), tuple(estimates), f"The tree of Reuters 1 gives {explanation} per class."
    )


def exponential(results: Results) -> Finding:
    """Test whether each further label multiplies the constraints by the same factor."""
    frame = results.frame(COUNTS)
    tables = frame.set_index(["tree", "per_class"])["n_constraints"].unstack("tree")
    factors = (tables.loc[[11, 30]].to_numpy() / tables.loc[[10, 29]].to_numpy()) - 1
    kept = measured(
        "growth by the 30th label as a share of that by the 11th", factors[1] / factors[0]
    )
    powers = np.log(tables.loc[30] / tables.loc[15]) / np.log(2)
    power = measured("power of the number of labels, from 15 to 30", powers)
    explanation = (
        f"the 11th label per class adds {factors[0].mean():.0%} to the constraints and the 30th "
        f"{factors[1].mean():.0%}: their number grows as the power {power.value:.2f} of the "
        "labels, a polynomial and no exponential"
    )
    return Finding(holds_if(kept.low >= 0.9), (kept, power), sentence(explanation))


def imbalance(results: Results) -> Finding:
    """Test whether most constraints are about higher levels."""
    frame = results.frame(COUNTS)
    part = frame[frame["per_class"] >= 5]
    higher = part["n_constraints"] - part["n_leaf_constraints"]
    ratios = (higher / part["n_leaf_constraints"]).groupby(part["tree"], sort=False).mean()
    estimates = [
        measured(f"constraints on higher levels for each on leaf classes, {tree}", [ratio])
        for tree, ratio in ratios.items()
    ]
    explanation = ", ".join(f"{ratio:.2f} in {tree}" for tree, ratio in ratios.items())
    return Finding(
        holds_if(bool((ratios >= 2).all())),
        tuple(estimates),
        f"For each constraint whose first two documents are of one leaf class there are "
        f"{explanation} others, with 5 to 30 labels per class.",
    )


def first_runs(results: Results) -> DataFrame:
    """Return the first runs, whose weights are all 1."""
    frame = results.frame(LEARNING)
    first = frame[(frame["run"] == 0) & (frame["rate"] == PAPER_RATE)]
    return first[first["updates"] == "joint"]


def few_adaptations(results: Results) -> Finding:
    """Test whether the first run adapts weights tens of times at most, however many constraints."""
    first = first_runs(results)
    counts = first.set_index([*SAMPLE, "per_class"])[["adaptations", "n_constraints"]]
    wide = counts.unstack("per_class").dropna(axis=1, how="all")
    if not {5, 10} <= set(first["per_class"]):
        raise NotTestableError("it takes first runs with 5 and with 10 labelled per class")
    both = wide[[(column, labels) for column in wide.columns.levels[0] for labels in (5, 10)]]
    both = both.dropna()
    estimates = {
        labels: measured(
            f"adaptations with {labels} labelled per class (the paper: {printed})",
            both["adaptations", labels],
        )
        for labels, printed in PRINTED_ADAPTATIONS.items()
    }
    growth = estimates[10].value / max(estimates[5].value, 1e-9)
    constraints = float((both["n_constraints", 10] / both["n_constraints", 5]).mean())
    holds = max(each.high for each in estimates.values()) < 100 and growth < constraints / 2
    explanation = (
        f"the constraints grow {constraints:.1f}-fold from 5 to 10 labels and the adaptations "
        f"{growth:.1f}-fold; with 10 labels there are {_plain_means(both['adaptations', 10])}"
    )
    return Finding(holds_if(holds), tuple(estimates.values()), sentence(explanation))


def _plain_means(figures: Samples) -> str:
    means = figures.groupby(level="collection", sort=False).mean()
    return ", ".join(f"{value:.1f} on {name}" for name, value in means.items())


def combined(results: Results) -> Finding:
    """Test whether an adaptation stands for several violated constraints."""
    first = first_runs(results)
    first = first[first["adaptations"] > 0].set_index(SAMPLE)
    if first.empty:
        raise NotTestableError("no first run has adapted weights")
    ratios = first["violated"] / first["adaptations"]
    measurement = measured("violated constraints for each adaptation in the first run", ratios)
    explanation = f"there are {_plain_means(ratios)}"
    return Finding(holds_if(clearly_above(measurement, 2)), (measurement,), sentence(explanation))


def deep_focus(results: Results) -> Finding:
    """Test whether most adaptations are between clusters of one class each."""
    frame = paper_fits(results)
    sums = frame.groupby(SAMPLE)[["deep_adaptations", "adaptations"]].sum()
    shares = (sums["deep_adaptations"] / sums["adaptations"]).dropna()
    measurement = measured("share of adaptations between clusters of one known class each", shares)
    means = shares.groupby(level="collection", sort=False).mean()
    explanation = ", ".join(f"{value:.0%} on {name}" for name, value in means.items())
    return Finding(
        holds_if(clearly_above(measurement, 0.5)), (measurement,), f"It is {explanation}."
    )


def not_problematic(results: Results) -> Finding:
    """Test whether the time of a run grows far more slowly than the constraints."""
    frame = results.frame(COMPARISON)
    frame = frame[(frame["method"] == "biHAC") & (frame["setting"] == 1)]
    frame = frame[frame["per_class"] > 1]
    powers = frame.groupby(SAMPLE)[["cpu", "runs", "n_constraints"]].apply(_power).dropna()
    if powers.empty:
        raise NotTestableError("no collection has results for two numbers of labels above 1")
    measurement = measured("power of the number of constraints in CPU time per run", powers)
    most = frame.loc[frame["n_constraints"].idxmax()]
    explanation = (
        "CPU time per run grows with the number of constraints to the power "
        f"{measurement.value:.2f}; with {int(most['n_constraints']):,} constraints on "
        f"{most['collection']} a run takes "
        f"{most['cpu'] / most['runs']:.2f} s"
    )
    return Finding(
        holds_if(clearly_below(measurement, 1 / 3)), (measurement,), sentence(explanation)
    )


def _power(part: DataFrame) -> float:
    if part["n_constraints"].nunique() < 2:
        return float("nan")
    seconds = np.log(part["cpu"].to_numpy(float) / part["runs"].to_numpy(float))
    return float(np.polyfit(np.log(part["n_constraints"].to_numpy(float)), seconds, 1)[0])


def paper_fits(results: Results) -> DataFrame:
    """Return all runs with the paper's rate."""
    frame = results.frame(LEARNING)
    return frame[(frame["rate"] == PAPER_RATE) & (frame["updates"] == "joint")]


def kept(frame: DataFrame, most_runs: int | None = None) -> DataFrame:
    """Return the first run of the lowest error of each fit, among its first runs."""
    part = frame if most_runs is None else frame[frame["run"] < most_runs]
    ordered = part.sort_values(["error", "run"], kind="stable")
    return ordered.groupby(FIT, sort=False).head(1).set_index(FIT).sort_index()


def rate_behaves(results: Results) -> Finding:
    """Test whether the rate of 5 is about as good as any."""
    frame = results.frame(LEARNING)
    best = kept(frame[frame["updates"] == "joint"])["h_correlation"].unstack("rate").dropna()
    if best.empty or best.shape[1] < 2:
        raise NotTestableError("it takes fits with several rates")
    means = best.mean()
    winner = float(means.drop(PAPER_RATE).idxmax())
    measurement = measured(
        f"H-correlation with the rate 5 less that with {winner:g}",
        best[PAPER_RATE] - best[winner],
    )
    explanation = ", ".join(f"{value:.3f} with {rate:g}" for rate, value in means.items())
    return Finding(
        holds_if(measurement.value >= -SMALL / 2),
        (measurement,),
        f"The kept runs have mean H-correlations of {explanation}.",
    )


def fifty_behaves(results: Results) -> Finding:
    """Test whether the second half of the 50 runs still adds much."""
    frame = paper_fits(results)
    late = kept(frame)["h_correlation"] - kept(frame, 25)["h_correlation"]
    measurement = measured("H-correlation with 50 runs less that with 25", late)
    errors = kept(frame)["error"] - kept(frame, 25)["error"]
    first = frame[frame["run"] == 0].set_index(FIT)["h_correlation"]
    gained = measured(
        "H-correlation of the kept run less that of the first", kept(frame)["h_correlation"] - first
    )
    explanation = (
        f"runs 26 to 50 lower the error on the constraints by {-errors.mean():.3f} and change the "
        f"H-correlation on unlabelled documents by {signed(measurement)}; the kept run is on "
        f"average number {kept(frame)['run'].mean() + 1:.0f}"
    )
    return Finding(
        holds_if(abs(measurement.value) <= SMALL / 2), (measurement, gained), sentence(explanation)
    )


def weights_converge(results: Results) -> Finding:
    """Test whether fits end because there is nothing left to learn."""
    frame = paper_fits(results)
    last = frame.sort_values("run", kind="stable").groupby(FIT, sort=False).tail(1)
    ended = last.set_index(SAMPLE)["adaptations"] == 0
    measurement = measured("share of fits whose last run adapts nothing", ended)
    explanation = (
        f"{int(ended.sum())} of {len(ended)} fits have nothing left to learn within 50 runs; the "
        f"others still adapt weights {last[last['adaptations'] > 0]['adaptations'].mean():.1f} "
        "times in the last run"
    )
    return Finding(holds_if(measurement.value > 0.5), (measurement,), sentence(explanation))


def training_error(results: Results) -> Finding:
    """Test whether runs of lower error on the constraints are better on unlabelled documents."""
    frame = paper_fits(results)
    ranks = frame.groupby(FIT)[["error", "h_correlation"]].apply(_rank_correlation).dropna()
    if ranks.empty:
        raise NotTestableError("no fit has runs of different errors")
    ranks = ranks.groupby(level=SAMPLE).mean()
    measurement = measured(
        "rank correlation of error on the constraints and on unlabelled documents", ranks
    )
    return Finding(
        holds_if(clearly_above(measurement)),
        (measurement,),
        f"Within fits it is {by_collection(ranks)}.",
    )


def _rank_correlation(part: DataFrame) -> float:
    if part["error"].nunique() < 2 or part["h_correlation"].nunique() < 2:
        return float("nan")
    return float(part["error"].rank().corr(1 - part["h_correlation"].rank()))


def weights_of_terms(results: Results) -> Finding:
    """Test whether frequent terms lose weight and telling ones gain it."""
    frame = paper_fits(results)
    frame = frame[frame["collection"] == ALIKE]
    if frame.empty:
        raise NotTestableError(f"there are no learning curves on {ALIKE}")
    best = kept(frame)
    frequent = measured("mean weight of the 100 most frequent terms", best["frequent_weight"])
    telling = measured("mean weight of the 100 terms that tell most", best["telling_weight"])
    holds = clearly_below(frequent, 1) and clearly_above(telling, 1)
    explanation = (
        f"on {ALIKE} weights of the kept runs are 1 on average, {frequent.value:.2f} for terms "
        f"that are in most documents and {telling.value:.2f} for those that tell most about the "
        f"class; the largest is {best['largest_weight'].mean():.1f}"
    )
    return Finding(holds_if(holds), (frequent, telling), sentence(explanation))


def terms_needed(results: Results) -> Finding:
    """Test whether 5,000 terms are about as good as all, and far fewer are worse."""
    frame = results.frame(TERMS)
    every = frame[frame["all_terms"].astype(bool)].set_index(SAMPLE)
    large = every[every["n_terms"] > MOST_TERMS]
    if large.empty:
        raise NotTestableError(
            f"no collection at hand has more than {MOST_TERMS:,} terms, the most being "
            f"{every['n_terms'].max():,}"
        )
    fewer = frame.set_index([*SAMPLE, "n_terms"])["h_correlation"].unstack("n_terms")
    fewer = fewer.loc[large.index]
    impact = measured(
        f"H-correlation with {MOST_TERMS:,} terms less all",
        fewer[MOST_TERMS] - large["h_correlation"],
    )
    loss = measured(f"that with 500 less {MOST_TERMS:,}", fewer[500] - fewer[MOST_TERMS])
    names = " and ".join(dict.fromkeys(large.index.get_level_values("collection")))
    means = fewer[[MOST_TERMS, 2000, 1000, 500]].mean()
    explanation = ", ".join(f"{value:.3f} with {count:,}" for count, value in means.items())
    holds = abs(impact.value) <= SMALL and clearly_below(loss)
    return Finding(
        holds_if(holds),
        (impact, loss),
        f"On {names} HAC's H-correlation is {large['h_correlation'].mean():.3f} with all terms, "
        f"{explanation}.",
    )


CLAIMS = (
    Claim(
        "numbers of constraints",
        "Five labeled items per class generate 37200 constraints, which increases to 307800 "
        "constraints in the case of ten labeled items per class",
        "Section 4.3, Reuters 1",
        "The ordered triplets of the tree of Reuters 1, figure 7, with 5 and with 10 documents on "
        "each class, the higher ones included, are counted; the numbers are equal.",
        (COUNTS,),
        printed_counts,
    ),
    Claim(
        "exponential growth",
        "their number increases exponentially with increasing number of labeled data",
        "Section 4.3",
        "On the three trees of the paper the 30th label per class multiplies the constraints by "
        "a factor whose excess over 1 is at least 0.9 of that of the 11th.",
        (COUNTS,),
        exponential,
    ),
    Claim(
        "few adaptations",
        "biHAC only needs to compute about 23 weight adaptations in the first case and 36 "
        "adaptations in the second case",
        "Section 4.3, Reuters 1, first clustering run",
        "On the collections at hand the mean number of adaptations of the first run, with 5 and "
        "with 10 labelled per class, is clearly below 100, and grows less than half as fast as the "
        "constraints.",
        (LEARNING,),
        few_adaptations,
    ),
    Claim(
        "constraints are no problem",
        "the exponential increase of constraints is not problematic for biHAC",
        "Section 4.3",
        "The CPU time of biHAC per run in setting (1), with 2 labels per class and more, grows "
        "with a power of the number of constraints that is clearly below 1/3.",
        (COMPARISON,),
        not_problematic,
    ),
    Claim(
        "violations combined",
        "A detected violation, therefore, probably combines several constraint violations",
        "Section 4.3",
        "In first runs the constraints violated in the end are clearly more than two for each "
        "adaptation.",
        (LEARNING,),
        combined,
    ),
    Claim(
        "constraints on higher levels",
        "an imbalance in the distribution of these different types with many more constraints "
        "describing higher hierarchy levels",
        "Section 4.3",
        "On each of the three trees of the paper, constraints whose first two documents are not of "
        "one leaf class are at least twice as many as the others.",
        (COUNTS,),
        imbalance,
    ),
    Claim(
        "focus on deeper levels",
        "This rather leads to a stronger focus on deeper hierarchy levels",
        "Section 4.3",
        "Over all runs with the paper's rate the share of adaptations between two clusters whose "
        "labelled documents are of one class each is clearly above one half.",
        (LEARNING,),
        deep_focus,
    ),
    Claim(
        "5,000 terms",
        "this number still has a small impact on initial clustering performance, while a larger "
        "reduction of the feature space leads to decreasing performance",
        "Section 5.1",
        f"On collections with more than 5,000 terms HAC's H-correlation with 5,000 is within "
        f"{SMALL} of that with all, and that with 500 is clearly lower.",
        (TERMS,),
        terms_needed,
    ),
    Claim(
        "learning rate",
        "We used a constant learning rate of five [...] these values showed to behave well",
        "Section 5.3",
        f"The H-correlation of the kept run with the rate 5 is at most {SMALL / 2} below that with "
        "the best of the other rates tried.",
        (LEARNING,),
        rate_behaves,
    ),
    Claim(
        "50 iterations",
        "limited the number of iterations to 50 [...] these values showed to behave well",
        "Section 5.3",
        f"The H-correlation of the best of 50 runs is within {SMALL / 2} of that of the best of "
        "25, each chosen by its error on the constraints.",
        (LEARNING,),
        fifty_behaves,
    ),
    Claim(
        "weights converge",
        "the clustering is re-run several times until the weights converge",
        "Section 4.2",
        "More than half of the fits with the paper's rate have a run among 50 that adapts nothing.",
        (LEARNING,),
        weights_converge,
    ),
    Claim(
        "training error tells",
        "it can be supposed that a solution with a good training error also has a reasonable "
        "overall error",
        "Section 4.2",
        "The rank correlation, over the runs of a fit, of the error on the constraints and 1 less "
        "the H-correlation on unlabelled documents has an interval above 0.",
        (LEARNING,),
        training_error,
    ),
    Claim(
        "weights of terms",
        "feature weights can reduce the importance of terms very frequent over the whole dataset "
        "and boost important words on all hierarchy levels",
        "Section 5.3, Reuters 2",
        f"On {ALIKE}, which stands in for Reuters 2, the mean weight in kept runs is clearly "
        "below 1 for the 100 terms that are in most documents, and clearly above 1 for the 100 "
        "that tell most about the class by chi-squared; those are not counted among the frequent.",
        (LEARNING,),
        weights_of_terms,
    ),
)
