"""Claims about single data sets and about what clusters look like."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clustraint.typing import FloatArray
from clustraint.wording import listed
from papers._claim import Claim, Finding, holds_if
from papers._estimate import Estimate, estimate
from papers._exceptions import NotTestableError
from papers.ccl.judging import Case, above, cases, finding
from papers.ccl.measures import differences, gain_at, mean_lead, runs
from papers.ccl.runs import BEST, CCL, COP, SOLVED
from papers.ccl.tables import REAL, SYNTHETIC

if TYPE_CHECKING:
    from pandas import DataFrame

    from papers._results import Results

SOYBEAN = "soybean-large"
LIMITED = 100
NO_HELP = 0.01
LINEAR, HALF = 0.95, 0.6
IRRELEVANT = 0.1
MANY, QUALITATIVE = 100, 0.1


def halves(results: Results) -> Finding:
    """Test whether both methods cut the circles in half without constraints."""
    frame = _table(results.frame("figure-8"), "circles")
    estimates = [_halved(frame, CCL, "complete link"), _halved(frame, SOLVED, "k-means")]
    more = (
        "In brackets: the share of samples on their cluster's side of a straight line; the larger "
        f"cluster has {estimates[0].estimates[1].value:.0%} of the samples with complete link and "
        f"{estimates[1].estimates[1].value:.0%} with k-means."
    )
    return finding(estimates, len(estimates), more=more)


def _halved(frame: DataFrame, method: str, name: str) -> Case:
    linear = estimate(
        f"{name}: samples on the right side of a line", runs(frame, method, "linear")[0]
    )
    largest = estimate(f"{name}: samples in the larger cluster", runs(frame, method, "largest")[0])
    return Case(name, linear.value >= LINEAR and largest.value <= HALF, (linear, largest))


def outliers(results: Results) -> Finding:
    """Test whether COP-k-means leaves constrained samples alone among their neighbours."""
    judged = cases(results.frame("figure-8"), SYNTHETIC, _more_outliers)
    more = (
        "In brackets: by how much the share of constrained samples that are outliers among their "
        "neighbours is larger with COP-k-means."
    )
    return finding(judged, len(SYNTHETIC), more=more)


def _more_outliers(table: str, frame: DataFrame) -> Case:
    name = f"{table}: outliers of COP-k-means beyond those of CCL"
    lead = mean_lead(name, frame, SOLVED, CCL, "outliers")
    shares = [
        estimate(f"{table}: outliers of {method}", runs(frame, method, "outliers").mean(axis=1))
        for method in (SOLVED, CCL)
    ]
    return Case(table, above(lead), (lead, *shares))


def persists(results: Results) -> Finding:
    """Test whether COP-k-means stays as it was on the circles, however many constraints."""
    frame = _table(results.frame("figure-8"), "circles")
    measured = runs(frame, SOLVED, "outliers")
    single = estimate(f"outliers with {MANY} constraints", measured[MANY])
    gain = gain_at(f"gain of COP-k-means by {MANY} constraints (CRI)", frame, SOLVED, MANY)
    failed = runs(frame, COP, "failed")[MANY].mean()
    explanation = (
        f"With {MANY} constraints {single.value:.0%} of the constrained samples are outliers among "
        f"their neighbours, and CRI has changed by {gain.value:+.2f}. {failed:.0%} of the single "
        "starts end in a dead end there, which is solved exactly for these figures."
    )
    return Finding(
        holds_if(above(single) and gain.value < QUALITATIVE), (single, gain), explanation
    )


def soybean_start(results: Results) -> Finding:
    """Test whether plain complete link is worse than plain k-means on soybean."""
    frame = _table(results.frame("figure-9"), SOYBEAN)
    behind = estimate(
        "k-means ahead of complete link (CRI)", differences(frame, SOLVED, CCL)[0].to_numpy()
    )
    means = [runs(frame, method)[0].mean() for method in (CCL, SOLVED)]
    explanation = (
        f"The mean CRI is {means[0]:.3f} for complete link and {means[1]:.3f} for k-means."
    )
    return Finding(holds_if(above(behind)), (behind,), explanation)


def soybean_overtakes(results: Results) -> Finding:
    """Test whether CCL has overtaken COP-k-means on soybean after a hundred constraints."""
    frame = _table(results.frame("figure-9"), SOYBEAN)
    leads = differences(frame, CCL, SOLVED)
    figures = [estimate(f"CCL ahead with {count} (CRI)", leads[count]) for count in leads.columns]
    late = [each for count, each in zip(leads.columns, figures, strict=True) if count >= LIMITED]
    ahead = [count for count, each in zip(leads.columns, figures, strict=True) if above(each)]
    explanation = (
        f"CCL is first clearly ahead with {min(ahead)} constraints, by "
        f"{leads[min(ahead)].mean():.3f}."
        if ahead
        else "CCL is not clearly ahead with any number of constraints."
    )
    best = differences(frame, CCL, BEST)
    later = [count for count in best.columns if above(estimate("", best[count]))]
    explanation += (
        f" Of the best of ten starts it is ahead from {min(later)} on."
        if later
        else " It is never clearly ahead of the best of ten starts."
    )
    return Finding(holds_if(all(above(each) for each in late)), tuple(figures), explanation)


def soybean_no_help(results: Results) -> Finding:
    """Test whether a hundred constraints leave COP-k-means where it was on soybean."""
    frame = _table(results.frame("figure-9"), SOYBEAN)
    single, best, linkage = (
        gain_at(f"gain of {method} by {LIMITED} constraints (CRI)", frame, method, LIMITED)
        for method in (SOLVED, BEST, CCL)
    )
    explanation = (
        f"{LIMITED} constraints change the mean CRI of COP-k-means by {single.value:+.3f} and "
        f"of its best of ten by {best.value:+.3f}, that of CCL by {linkage.value:+.3f}."
    )
    return Finding(holds_if(single.value < NO_HELP), (single, best, linkage), explanation)


def size_hides_species(results: Results) -> Finding:
    """Test whether the first component of crabs is size, and says little of the species."""
    frame = _table(results.frame("figure-10"), "crabs").sort_values("component")
    first, best = frame.iloc[0], frame.loc[frame["between_classes"].idxmax()]
    figures = (
        _exact("share of the first component's variance between species", first["between_classes"]),
        _exact("share of all variance in the first component", first["variance"]),
    )
    explanation = (
        f"The first component has {first['variance']:.1%} of the variance and "
        f"{'all' if first['same_sign'] else 'not all'} features weigh in with one sign; "
        f"{first['between_classes']:.1%} of its variance is between species, against "
        f"{best['between_classes']:.1%} in component {best['component']}, which has "
        f"{best['variance']:.1%} of all variance."
    )
    holds = first["between_classes"] < IRRELEVANT and bool(first["same_sign"])
    return Finding(holds_if(bool(holds)), figures, explanation)


def _exact(name: str, value: float) -> Estimate:
    return Estimate(name, float(value), float(value), float(value), 1)


def mostly_cannot(results: Results) -> Finding:
    """Test whether most random pairs are cannot-links."""
    judged = cases(results.frame("figure-9"), REAL, _mostly_cannot)
    even = [case.name for case in judged if case.estimates[0].value < 0.55]
    more = "In brackets: the share of cannot-links among random pairs." + (
        f" It is about half where there are two classes of one size: {listed(even)}."
        if even
        else ""
    )
    return finding(judged, len(REAL), least=2, more=more)


def _mostly_cannot(table: str, frame: DataFrame) -> Case:
    largest = frame[(frame["method"] == CCL) & (frame["n_pairs"] == frame["n_pairs"].max())]
    share = _share(largest["cannot_links"].to_numpy(), largest["must_links"].to_numpy())
    measured = estimate(f"{table}: cannot-links among random pairs", share)
    return Case(table, measured.low > 0.5, (measured,))


def _share(some: FloatArray, others: FloatArray) -> FloatArray:
    return np.asarray(some / (some + others))


def _table(frame: DataFrame, table: str) -> DataFrame:
    own = frame[frame["table"] == table]
    if own.empty:
        raise NotTestableError(f"there are no results for {table}")
    return own


CLAIMS = (
    Claim(
        name="halves without constraints",
        quote="With no constraints, both CCL and CKM simply divide the data roughly linearly in "
        "half.",
        where="section 5.2, figure 12a",
        criterion="Without constraints a straight line (logistic regression) has on average at "
        f"least {LINEAR:.0%} of the samples of circles on their cluster's side, and the larger "
        f"cluster has at most {HALF:.0%} of them, for complete link and for k-means.",
        needs=("figure-8",),
        test=halves,
    ),
    Claim(
        name="outliers of COP-k-means",
        quote="CKM can satisfy instance-level constraints by assigning them to a different cluster "
        "from their close neighbors, essentially creating outliers in the middle of qualitatively "
        "unchanged clusters.",
        where="section 5.2, figure 12",
        criterion="On each synthetic set the share of constrained samples that are in another "
        "cluster than most of their five nearest neighbours, averaged over all numbers of "
        "constraints above 0, is larger with COP-k-means (dead ends solved) than with CCL on the "
        "same constraints (interval above 0).",
        needs=("figure-8",),
        test=outliers,
    ),
    Claim(
        name="outliers persist",
        quote="This behavior persists even with large numbers of constraints.",
        where="section 5.2, figure 12a",
        criterion=f"On circles with {MANY} constraints, two for three samples, the share of "
        "outliers of COP-k-means (dead ends solved) is above 0 (interval) and its CRI has risen by "
        f"less than {QUALITATIVE}.",
        needs=("figure-8",),
        test=persists,
    ),
    Claim(
        name="soybean without constraints",
        quote="Note that in the SOYBEAN example, the unconstrained CL algorithm performs worse "
        "than unconstrained KM.",
        where="section 5.3, figure 9c",
        criterion="Without constraints k-means (single start) is ahead of complete link (interval "
        "above 0).",
        needs=("figure-9",),
        test=soybean_start,
    ),
    Claim(
        name="soybean: CCL overtakes",
        quote="However, CCL exploits constraints so well that it quickly overtakes CKM in accuracy",
        where="section 5.3, figure 9c",
        criterion=f"With {LIMITED} constraints, less than one for five samples, and with every "
        "larger number CCL is ahead of COP-k-means (dead ends solved; intervals above 0).",
        needs=("figure-9",),
        test=soybean_overtakes,
    ),
    Claim(
        name="soybean: no help to COP-k-means",
        quote="whereas a limited number of constraints appears to be ineffective in helping the "
        "CKM algorithm",
        where="section 5.3, figure 9c",
        criterion=f"{LIMITED} constraints lift COP-k-means (dead ends solved) by less than "
        f"{NO_HELP} CRI.",
        needs=("figure-9",),
        test=soybean_no_help,
    ),
    Claim(
        name="crabs: size hides species",
        quote="This data set is difficult because the the first principal component (essentially "
        "crab size) is mostly irrelevant to the target classification.",
        where="section 5.3, figure 10b",
        criterion="All features weigh in the first component with one sign, and less than "
        f"{IRRELEVANT:.0%} of its variance is between the species.",
        needs=("figure-10",),
        test=size_hides_species,
    ),
    Claim(
        name="most pairs are cannot-links",
        quote="In practice, most pairs are cannot-link.",
        where="section 5.4",
        criterion="Among the random pairs of at least two of the three real sets more than half "
        "are cannot-links (interval above 0.5).",
        needs=("figure-9",),
        test=mostly_cannot,
    ),
)
