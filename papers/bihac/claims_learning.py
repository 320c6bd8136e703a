"""What the paper says of constraints and of how weights are learned, and what decides it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from papers._claim import Claims, Scope
from papers._criteria import Check, about, above, at_least, at_most, below, between, equal
from papers._estimate import estimate, exact
from papers.bihac.data import (
    ALIKE,
    ALL,
    APART,
    GENERATED,
    MOST_TERMS,
    REUTERS_1,
    REUTERS_2,
    TREES,
)
from papers.bihac.measures import (
    FIT,
    SAMPLE,
    by_sample,
    instead,
    kept,
    rank_correlation,
    share_kept,
)
from papers.bihac.scopes import EACH_ONE, FIVE, LITTLE_LESS, SMALL, H, about_texts, learned

if TYPE_CHECKING:
    from pandas import DataFrame

    Checks = Iterator[Check | str]

CLAIMS = Claims()
COUNTED = Scope(("constraints",), "tree", tuple(TREES))
LEARNED = learned(GENERATED, APART, ALIKE)
LEARNED_BY_H = learned(GENERATED, APART, ALIKE, by_h=True)
# The abstracts have no ten labels per class.
ABOUT_REUTERS_1 = learned(REUTERS_1, beside={GENERATED: instead(GENERATED, (REUTERS_1,))})


@CLAIMS(
    "numbers of constraints",
    "Five labeled items per class generate 37200 constraints, which increases to 307800 "
    "constraints in the case of ten labeled items per class",
    "section 4.3, Reuters 1",
    COUNTED,
    printed="37,200 and 307,800",
    tables=("Reuters 1",),
    by_construction=True,
)
def _(rows: DataFrame) -> Checks:
    """The ordered triplets of the tree of Reuters 1, figure 7, with 5 and with 10 documents on
    each class, the higher ones included, are counted; the numbers are equal."""
    counts = rows.set_index("per_class")["n_constraints"]
    for labels, printed in ((5, "37,200"), (10, "307,800")):
        yield equal(
            exact(f"the number of constraints with {labels} labels", counts[labels]), printed
        )


@CLAIMS(
    "exponential growth",
    "their number increases exponentially with increasing number of labeled data",
    "section 4.3",
    COUNTED,
)
def _(rows: DataFrame) -> Checks:
    """On each tree of the paper the 30th label per class multiplies the constraints by a factor
    whose excess over 1 is at least 0.9 of that of the 11th: an exponential has the same."""
    counts = rows.set_index("per_class")["n_constraints"]
    early, late = (counts[labels] / counts[labels - 1] - 1 for labels in (11, 30))
    yield at_least(exact("the 30th label's growth as a share of the 11th's", late / early), "0.9")
    yield "The number grows with the third power of the labels, a polynomial."


@CLAIMS(
    "few adaptations",
    "biHAC only needs to compute about 23 weight adaptations in the first case and 36 adaptations "
    "in the second case",
    "section 4.3, Reuters 1, first clustering run",
    ABOUT_REUTERS_1,
    printed="23 and 36",
)
def _(rows: DataFrame) -> Checks:
    """In the first run of biHAC there are between half and twice as many adaptations as printed,
    with 5 and with 10 labels per class."""
    first = rows[rows["run"] == 0]
    counts = sorted(set(first["per_class"]))
    for labels, printed in zip(counts, ("23", "36"), strict=True):
        part = first[first["per_class"] == labels]["adaptations"]
        yield about(estimate(f"the number of adaptations with {labels} labels", part), printed)


@CLAIMS(
    "constraints are no problem",
    "the exponential increase of constraints is not problematic for biHAC",
    "section 4.3",
    LEARNED,
    beside={},
)
def _(rows: DataFrame) -> Checks:
    """When labels double, and constraints grow eightfold, the adaptations of the first run grow
    no faster than the labels: by a factor of 2.0 at most, over all samples."""
    first = rows[rows["run"] == 0].sort_values("per_class").set_index(SAMPLE)
    samples = first.groupby(level=SAMPLE)
    few, many = samples.first(), samples.last()
    growth = share_kept("the growth of the adaptations", few["adaptations"], many["adaptations"])
    yield at_most(growth, "2.0")
    yield f"The constraints grow {(many['n_constraints'] / few['n_constraints']).mean():.1f}-fold."


@CLAIMS(
    "violations combined",
    "A detected violation, therefore, probably combines several constraint violations",
    "section 4.3",
    LEARNED,
    by_construction=True,
    stand_in="",
)
def _(rows: DataFrame) -> Check:
    """In first runs there are more than two violated constraints for each adaptation (interval):
    clusters of several labelled documents cannot break one constraint alone."""
    first = rows[(rows["run"] == 0) & (rows["adaptations"] > 0)]
    ratios = first["violated"] / first["adaptations"]
    return above(estimate("the number of violated constraints for each", ratios), 2)


@CLAIMS(
    "constraints on higher levels",
    "an imbalance in the distribution of these different types with many more constraints "
    "describing higher hierarchy levels",
    "section 4.3",
    COUNTED,
)
def _(rows: DataFrame) -> Checks:
    """On each tree of the paper, with 5 to 30 labels per class, constraints whose first two
    documents are not of one leaf class are more than the others (interval above 1), and at least
    2.0 times as many."""
    part = rows[rows["per_class"] >= 5]
    ratios = part["n_constraints"] / part["n_leaf_constraints"] - 1
    higher = estimate("the number for each one on leaf classes", ratios)
    yield above(higher, 1)
    yield at_least(higher, "2.0")


@CLAIMS(
    "focus on deeper levels",
    "This rather leads to a stronger focus on deeper hierarchy levels",
    "section 4.3",
    LEARNED,
)
def _(rows: DataFrame) -> Check:
    """Over all runs with the paper's rate the share of adaptations between two clusters whose
    labelled documents are of one class each is above one half (interval)."""
    sums = rows.groupby(SAMPLE)[["deep_adaptations", "adaptations"]].sum()
    shares = sums["deep_adaptations"] / sums["adaptations"]
    return above(estimate("the share of deep adaptations", shares), 0.5)


@CLAIMS(
    "5,000 terms",
    "this number still has a small impact on initial clustering performance, while a larger "
    "reduction of the feature space leads to decreasing performance",
    "section 5.1",
    about_texts("terms", APART, ALL, **EACH_ONE),
)
def _(rows: DataFrame) -> Checks:
    """On both collections with more than 5,000 terms HAC's H-correlation with 5,000 is within
    0.02 of that with all, and that with 500 is lower (interval)."""
    by_terms = rows[~rows["all_terms"].astype(bool)].set_index(["repeat", "n_terms"])
    fewer = by_terms["h_correlation"].unstack("n_terms")
    every = rows[rows["all_terms"].astype(bool)].set_index("repeat")["h_correlation"]
    lost = estimate(
        "H-correlation with 500 terms less that with 5,000", fewer[500] - fewer[MOST_TERMS]
    )
    yield below(lost)
    impact = estimate("that with 5,000 less that with all", fewer[MOST_TERMS] - every)
    yield between(impact, LITTLE_LESS, SMALL)


@CLAIMS(
    "learning rate",
    "We used a constant learning rate of five [...] these values showed to behave well",
    "section 5.3",
    LEARNED_BY_H,
    printed="5",
    main={"updates": "joint"},
)
def _(rows: DataFrame) -> Checks:
    """The H-correlation of the kept run with the rate 5 is at most 0.01 below that with the best
    of the other rates tried."""
    best = kept(rows)[H].unstack("rate").dropna()
    means = best.mean()
    winner = means.drop(FIVE["rate"]).idxmax()
    lead = estimate(f"H-correlation less that with the rate {winner:g}", best[5.0] - best[winner])
    yield at_least(lead, "-0.01")
    shown = ", ".join(f"{value:.3f} with {rate:g}" for rate, value in means.items())
    yield f"Kept runs have mean H-correlations of {shown}."


@CLAIMS(
    "50 iterations",
    "limited the number of iterations to 50 [...] these values showed to behave well",
    "section 5.3",
    LEARNED_BY_H,
    printed="50",
)
def _(rows: DataFrame) -> Checks:
    """The H-correlation of the best of 50 runs is within 0.01 of that of the best of 25, each
    chosen by its error on the constraints."""
    late = estimate(
        "H-correlation with 50 runs less that with 25", kept(rows)[H] - kept(rows, 25)[H]
    )
    yield between(late, "-0.01", "0.01")
    yield f"The kept run is on average number {kept(rows)['run'].mean() + 1:.0f}."


CLAIMS.untestable(
    "weights converge",
    "the clustering is re-run several times until the weights converge",
    "section 4.2",
    "It says when the loop of figure 5 may end, not that it did: without a lower error, or after "
    "the last run, it ends as well. The learning curves show how many adaptations are left.",
    "learning",
)


@CLAIMS(
    "training error tells",
    "it can be supposed that a solution with a good training error also has a reasonable overall "
    "error",
    "section 4.2",
    LEARNED_BY_H,
)
def _(rows: DataFrame) -> Check:
    """The rank correlation, over the runs of a fit, of the error on the constraints and 1 less
    the H-correlation is above 0 (interval over samples of labels)."""
    ranks = rows.groupby(FIT)[["error", H]].apply(rank_correlation)
    return above(estimate("the rank correlation of both errors", by_sample(ranks)))


@CLAIMS(
    "weights of terms",
    "feature weights can reduce the importance of terms very frequent over the whole dataset and "
    "boost important words on all hierarchy levels",
    "section 5.3, Reuters 2",
    learned(REUTERS_2),
)
def _(rows: DataFrame) -> Checks:
    """The mean weight in kept runs is below 1 for the 100 terms that are in most documents, and
    above 1 for the 100 that tell most about the class by chi-squared (intervals); those are not
    counted among the frequent."""
    best = kept(rows)
    yield below(estimate("the mean weight of frequent terms", best["frequent_weight"]), 1)
    yield above(estimate("the mean weight of telling terms", best["telling_weight"]), 1)
