"""What the paper says, in its order, and what decides it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from clustraint.wording import listed
from papers._claim import Claims, Scope
from papers._criteria import Check, above, at_least, at_most, so
from papers._estimate import estimate, exact
from papers.ccl.data import MIXES, REAL, SYNTHETIC
from papers.ccl.measures import (
    differences,
    errors_avoided,
    fallback,
    gain_at,
    gains,
    lost,
    mean_gain,
    mean_lead,
    runs,
    share_needed,
)
from papers.ccl.methods import ACTIVE, BEST, CCL, COP, SOLVED

if TYPE_CHECKING:
    from pandas import DataFrame

    Checks = Iterator[Check | str]

# Shares of wrong decisions avoided that a paper may call substantial, and much: accuracies near 1
# leave no room for a lead of a fixed size.
SUBSTANTIAL, MUCH = "0.25", "0.50"
SOYBEAN = "soybean-large"


def _as_baseline(method: str) -> Callable[[DataFrame], DataFrame]:
    """Return what puts another COP-k-means in the place of the paper's."""

    def swapped(frame: DataFrame) -> DataFrame:
        return frame[frame["method"] != COP].replace({"method": {method: COP}})

    return swapped


CLAIMS = Claims()
OURS = {"our COP-k-means, dead ends solved": _as_baseline(SOLVED)}
BASELINES = {**OURS, "the best of ten starts": _as_baseline(BEST)}
SHAPES = Scope(("figure-8",), tables=SYNTHETIC, beside=BASELINES)
DATA = Scope(("figure-9",), tables=REAL, beside=BASELINES)
ALL = Scope(("figure-8", "figure-9"), tables=(*SYNTHETIC, *REAL))
BY_MIX = Scope(("figure-11",), tables=REAL, beside=OURS)


@CLAIMS(
    "half the constraints",
    "generally requiring less than half as many constraints to achieve a given accuracy on a range "
    "of real-world data",
    "abstract",
    DATA,
    printed="below 0.5",
    least=2,
)
def _(rows: DataFrame) -> Check:
    """For five levels of accuracy, evenly spaced between the better of both methods without
    constraints and the highest mean of either, the number of constraints at which the mean curve
    of CCL first reaches it over that of COP-k-means (runs that found an assignment); a level
    never reached counts as reached at the largest number. The median share is at most 0.50 on at
    least two of the three real sets."""
    return at_most(share_needed("the share of the constraints", rows, CCL, COP), "0.50")


@CLAIMS(
    "robust when over-constrained",
    "while also being more robust when over-constrained",
    "abstract",
    DATA,
    least=2,
)
def _(rows: DataFrame) -> Checks:
    """With the largest number of constraints CCL is ahead of COP-k-means, whose failed runs count
    with what it has without constraints (interval above 0), and loses less against its own best
    number of constraints than COP-k-means against its own, on at least two of the three sets."""
    ours, theirs = fallback(rows, CCL), fallback(rows, COP)
    most = ours.columns[-1]
    lead = estimate(f"the lead with {most} constraints (CRI)", ours[most] - theirs[most])
    yield above(lead)
    less = estimate("what COP-k-means loses beyond CCL (CRI)", lost(rows, COP) - lost(rows, CCL))
    yield above(less)
    some = rows[rows["n_pairs"] > 0]
    failing = runs(some, COP, "failed").to_numpy(float).mean()
    broken = runs(some, CCL, "violated")
    share = (broken / broken.columns).to_numpy(float).mean()
    table = rows["table"].iloc[0]
    yield (
        f"On {table} {failing:.0%} of the runs of COP-k-means fail; CCL always ends, and breaks "
        f"{share:.1%} of the constraints; with {most} constraints it is ahead by {lead.value:.3f}."
    )


@CLAIMS(
    "very few constraints",
    "In every case, there is significant improvement over the unconstrained accuracy, even with "
    "very few constraints.",
    "section 5.2, figure 8",
    SHAPES,
    beside={},
)
def _(rows: DataFrame) -> Check:
    """On each synthetic set the gain of CCL from 0 to 10 constraints has an interval above 0."""
    return above(gain_at("the gain by 10 constraints (CRI)", rows, CCL, 10))


@CLAIMS(
    "ahead on synthetic data",
    "CCL's spatial propagation allows it to substantially outperform CKM.",
    "section 5.2, figure 8",
    SHAPES,
)
def _(rows: DataFrame) -> Checks:
    """On each synthetic set CCL avoids at least a quarter of the wrong decisions that COP-k-means
    makes on the same constraints (runs that found an assignment), over all numbers above 0, and
    the interval is above 0."""
    avoided = errors_avoided("the share of wrong decisions avoided", rows, CCL, COP)
    yield above(avoided)
    yield at_least(avoided, SUBSTANTIAL)


@CLAIMS(
    "constraints help on real data",
    "Constraints improve performance substantially in every case.",
    "section 5.3, figure 9",
    DATA,
    beside={},
)
def _(rows: DataFrame) -> Checks:
    """On each real set the gain of CCL from no constraints to the largest number has an interval
    above 0 and is at least a quarter of the wrong decisions made without any."""
    most = int(rows["n_pairs"].max())
    gain = gain_at(f"the gain by {most} constraints (CRI)", rows, CCL, most)
    yield above(gain)
    share = gain.value / (1 - runs(rows, CCL)[0].mean())
    yield at_least(exact("its share of the wrong decisions", share), SUBSTANTIAL)


@CLAIMS(
    "ahead on real data",
    "CKM is also shown; CCL again outperforms it substantially, supporting the hypothesis that a "
    "spatial induction principle is appropriate for real data sets.",
    "section 5.3, figure 9",
    DATA,
)
def _(rows: DataFrame) -> Checks:
    """As on synthetic data, for each of the three real sets."""
    avoided = errors_avoided("the share of wrong decisions avoided", rows, CCL, COP)
    yield above(avoided)
    yield at_least(avoided, SUBSTANTIAL)


@CLAIMS(
    "halves without constraints",
    "With no constraints, both CCL and CKM simply divide the data roughly linearly in half.",
    "section 5.2, figure 12a",
    SHAPES,
    tables=("circles",),
    beside={},
)
def _(rows: DataFrame) -> Checks:
    """Without constraints a straight line (logistic regression) has on average at least 95 % of
    the samples of circles on their cluster's side, and the larger cluster has at most 60 % of
    them, for complete link and for k-means."""
    for method, name in ((CCL, "complete link"), (COP, "k-means")):
        linear, largest = (runs(rows, method, field)[0] for field in ("linear", "largest"))
        yield at_least(estimate(f"the share on one side of a line by {name}", linear), "0.95")
        yield at_most(estimate(f"the larger cluster's share by {name}", largest), "0.60")


@CLAIMS(
    "outliers of COP-k-means",
    "CKM can satisfy instance-level constraints by assigning them to a different cluster from "
    "their close neighbors, essentially creating outliers in the middle of qualitatively unchanged "
    "clusters.",
    "section 5.2, figure 12",
    SHAPES,
)
def _(rows: DataFrame) -> Check:
    """On each synthetic set the share of constrained samples that are in another cluster than
    most of their five nearest neighbours, averaged over all numbers of constraints above 0, is
    larger with COP-k-means than with CCL on the same constraints (interval above 0)."""
    return above(mean_lead("the share of outliers beyond CCL's", rows, COP, CCL, "outliers"))


@CLAIMS(
    "outliers persist",
    "This behavior persists even with large numbers of constraints.",
    "section 5.2, figure 12a",
    SHAPES,
    tables=("circles",),
    beside=OURS,
)
def _(rows: DataFrame) -> Checks:
    """On circles with the largest number of constraints for which COP-k-means finds an assignment
    in three runs or more, at least 50, the share of outliers is above 0 (interval) and its CRI
    has risen by at most 0.10."""
    present = runs(rows, COP).notna().sum()
    most = int(present.index[present >= 3].max())
    shares = runs(rows, COP, "outliers")[most]
    yield above(estimate(f"the share of outliers with {most} constraints", shares))
    yield at_most(gain_at("the gain of COP-k-means (CRI)", rows, COP, most), "0.10")
    yield at_least(exact("that number of constraints", most), "50")


@CLAIMS(
    "soybean without constraints",
    "Note that in the SOYBEAN example, the unconstrained CL algorithm performs worse than "
    "unconstrained KM.",
    "section 5.3, figure 9c",
    DATA,
    tables=(SOYBEAN,),
    beside={},
)
def _(rows: DataFrame) -> Check:
    """Without constraints k-means (single start) is ahead of complete link (interval above 0)."""
    return above(estimate("the lead of k-means (CRI)", differences(rows, COP, CCL)[0]))


@CLAIMS(
    "soybean: CCL overtakes",
    "However, CCL exploits constraints so well that it quickly overtakes CKM in accuracy",
    "section 5.3, figure 9c",
    DATA,
    tables=(SOYBEAN,),
)
def _(rows: DataFrame) -> Checks:
    """With 100 constraints, less than one for five samples, and with every larger number for
    which COP-k-means finds an assignment in three runs, CCL is ahead (intervals above 0)."""
    leads = differences(rows, CCL, COP)
    for count in (count for count in leads.columns if count >= 100):
        if leads[count].notna().sum() >= 3:
            yield above(estimate(f"the lead with {count} (CRI)", leads[count]))
    ahead = [n for n in leads.columns if above(estimate("", leads[n])).meets]
    yield f"CCL is clearly ahead with {listed(ahead)} constraints." if ahead else ""


@CLAIMS(
    "soybean: no help to COP-k-means",
    "whereas a limited number of constraints appears to be ineffective in helping the CKM "
    "algorithm",
    "section 5.3, figure 9c",
    DATA,
    tables=(SOYBEAN,),
)
def _(rows: DataFrame) -> Check:
    """100 constraints lift COP-k-means by at most 0.01 CRI."""
    return at_most(gain_at("the gain by 100 constraints (CRI)", rows, COP, 100), "0.01")


@CLAIMS(
    "crabs: size hides species",
    "This data set is difficult because the the first principal component (essentially crab size) "
    "is mostly irrelevant to the target classification.",
    "section 5.3, figure 10b",
    Scope(("figure-10",), tables=("crabs",)),
)
def _(rows: DataFrame) -> Checks:
    """All features weigh in the first component with one sign, and at most 10 % of its variance
    is between the species."""
    first = rows.sort_values("component").iloc[0]
    between = float(first["between_classes"])
    yield at_most(exact("the share of its variance between species", between), "0.10")
    yield so(
        "the share of all variance in it", first["variance"], first["same_sign"], "of one sign"
    )


@CLAIMS(
    "most pairs are cannot-links",
    "In practice, most pairs are cannot-link.",
    "section 5.4",
    DATA,
    least=2,
    beside={},
)
def _(rows: DataFrame) -> Check:
    """Among the random pairs of at least two of the three real sets more than half are
    cannot-links (interval above 0.5)."""
    own = rows[(rows["method"] == CCL) & (rows["n_pairs"] == rows["n_pairs"].max())]
    share = own["cannot_links"] / (own["cannot_links"] + own["must_links"])
    return above(estimate("the share of cannot-links", share), 0.5)


@CLAIMS(
    "either kind shapes the space",
    "For XOR, TWOCIRCLES, and STORMCLOUDS, either must-links or cannot-links are able to shape the "
    "proximities in such a way that the desired clusters are easily found.",
    "section 5.2",
    BY_MIX,
    tables=("xor", "cell-walls", "storm-clouds"),
    beside={},
)
def _(rows: DataFrame) -> Checks:
    """With must-links alone and with cannot-links alone, the mean CRI of CCL at the largest
    number of constraints is at least 0.90 on xor, cell walls (which the text calls TWOCIRCLES) and
    storm clouds."""
    for mix in ("must-links", "cannot-links"):
        measured = runs(rows[rows["mix"] == mix], CCL)
        most = measured.columns[-1]
        yield at_least(estimate(f"the CRI with {most} {mix}", measured[most]), "0.90")


@CLAIMS(
    "every mix helps",
    "In all cases, CCL's accuracy improves quickly ... as constraints are added.",
    "section 5.4, figure 11",
    BY_MIX,
    beside={},
)
def _(rows: DataFrame) -> Checks:
    """For each real set and each mix the gain of CCL over no constraints, averaged over all
    numbers above 0, has an interval above 0."""
    for mix in MIXES:
        yield above(mean_gain(f"the gain with {mix} (CRI)", rows[rows["mix"] == mix], CCL))


@CLAIMS(
    "every mix helps CCL more",
    "In all cases, CCL's accuracy improves quickly (and faster than CKM) as constraints are added.",
    "section 5.4, figure 11",
    BY_MIX,
)
def _(rows: DataFrame) -> Checks:
    """For each real set and each mix the gain of CCL, averaged over all numbers above 0, exceeds
    that of COP-k-means in the same runs, those that found an assignment (interval above 0)."""
    for mix in MIXES:
        part = rows[rows["mix"] == mix]
        both = differences(part, CCL, COP)
        more = both.sub(both[0], axis=0).drop(columns=0).mean(axis=1)
        yield above(estimate(f"the gain beyond COP-k-means' with {mix} (CRI)", more))


@CLAIMS(
    "COP-k-means prefers cannot-links",
    "Wagstaff et al. (2001) suggest that CKM best exploits cannot-link constraints.",
    "section 5.4",
    BY_MIX,
)
def _(rows: DataFrame) -> Check:
    """On each real set the gain of COP-k-means with cannot-links alone, averaged over all numbers
    above 0, exceeds that with as many must-links alone (interval above 0)."""
    by_kind = [gains(rows[rows["mix"] == mix], COP) for mix in ("cannot-links", "must-links")]
    return above(estimate("the gain beyond that of must-links (CRI)", np.subtract(*by_kind)))


@CLAIMS(
    "active against random",
    "In all cases, actively chosen constraints are much more effective than passively chosen ones.",
    "section 5.5, figures 8 and 9",
    ALL,
)
def _(rows: DataFrame) -> Checks:
    """On each of the seven sets active CCL avoids at least half of the wrong decisions of CCL
    with as many random constraints as the other may ask questions, over all numbers above 0, and
    the interval is above 0."""
    avoided = errors_avoided("the share of wrong decisions avoided", rows, ACTIVE, CCL)
    yield above(avoided)
    yield at_least(avoided, MUCH)
    means = runs(rows, ACTIVE).mean()
    worst = means.diff().idxmin()
    before = means.index[means.index.get_loc(worst) - 1]
    if means[before] - means[worst] > 0.05:
        yield (
            f"More questions can do harm: from {means[before]:.2f} with {before} to "
            f"{means[worst]:.2f} with {worst} on {rows['table'].iloc[0]}."
        )


@CLAIMS(
    "active needs fewer",
    "an active learning scheme which dramatically decreases the number of constraints required to "
    "achieve a given accuracy",
    "section 6",
    ALL,
    least=4,
)
def _(rows: DataFrame) -> Check:
    """As for half the constraints, active CCL against CCL: the median share is at most 0.50 on
    most of the seven sets."""
    return at_most(share_needed("the share of random constraints", rows, ACTIVE, CCL), "0.50")


@CLAIMS(
    "active finds the structure",
    "The active selection converges to the correct structures very quickly.",
    "section 5.5, figure 12",
    SHAPES,
    beside={},
)
def _(rows: DataFrame) -> Check:
    """The mean CRI of active CCL with 30 questions is at least 0.95 on each synthetic set."""
    return at_least(estimate("the CRI with 30 questions", runs(rows, ACTIVE)[30]), "0.95")
