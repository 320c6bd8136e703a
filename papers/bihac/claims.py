"""What the paper says, in its order, and what decides it; section 5.3, after what is learned."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from papers._claim import Claims, Scope
from papers._criteria import Check, above, at_least, at_most, below, between, so
from papers._estimate import estimate
from papers.bihac import claims_learning
from papers.bihac.data import (
    BANKSEARCH,
    KNOWN,
    NO_LEAF,
    NO_SUBTREE,
    REUTERS_1,
    REUTERS_2,
    STAND_INS,
)
from papers.bihac.measures import MEASURES, by_sample, change, each, gain, scores, share_kept, slope
from papers.bihac.methods import BOTH, CONSTRAINED, HAC, INSTANCE, METRIC
from papers.bihac.scopes import (
    EACH_ONE,
    GENERAL,
    GENERAL_F,
    GENERAL_KNOWN,
    HIGHER,
    KNOWN_ONLY,
    LARGE,
    LEAF,
    LITTLE_LESS,
    NO_SUBTREE_ONLY,
    SMALL,
    H,
    compared,
    compared_by_h,
)

if TYPE_CHECKING:
    from pandas import DataFrame

    Checks = Iterator[Check | str]

CLAIMS = Claims(claims_learning.CLAIMS)


@CLAIMS(
    "all improve",
    "all three approaches are capable of improving cluster quality through the use of constraints",
    "section 5.3",
    GENERAL_KNOWN,
)
def _(rows: DataFrame) -> Checks:
    """In setting (1) the H-correlation of each of iHAC, biHAC and biiHAC less that of HAC,
    averaged over numbers of labels, has an interval above 0 over all samples of labels."""
    for method in CONSTRAINED:
        gains = gain(rows, H, method)
        yield above(estimate(f"the gain of {method}", gains))
        yield f"{method} gains {each(gains)}."


def _growing(rows: DataFrame, measure: str) -> Checks:
    for method in (INSTANCE, BOTH):
        name = f"the growth of {method}'s gain with each doubling of the labels"
        yield above(estimate(name, slope(rows, measure, method)))


def _constant(rows: DataFrame, measure: str) -> Checks:
    yield above(estimate("the gain of biHAC", gain(rows, measure, METRIC)))
    less = slope(rows, measure, METRIC) - slope(rows, measure, INSTANCE) / 2
    yield below(estimate("its growth less half of iHAC's", less))


@CLAIMS(
    "iHAC and biiHAC grow",
    "the overall cluster tree improvement as measured with the H-Correlation is constantly "
    "increasing with increasing number of constraints for iHAC and biiHAC",
    "section 5.3, Banksearch, setting (1)",
    compared_by_h(BANKSEARCH, main=KNOWN_ONLY),
)
def _(rows: DataFrame) -> Checks:
    """The slope of the gain in H-correlation over the logarithm of the number of labels is above
    0 for both (intervals)."""
    yield from _growing(rows, H)


@CLAIMS(
    "biHAC constant",
    "while biHAC itself rather adds a constant improvement to the baseline performance of HAC",
    "section 5.3, Banksearch, setting (1)",
    compared_by_h(BANKSEARCH, main=KNOWN_ONLY),
)
def _(rows: DataFrame) -> Checks:
    """biHAC's gain in H-correlation is above 0, and its growth with each doubling of the labels
    is less than half of iHAC's (intervals)."""
    yield from _constant(rows, H)


@CLAIMS(
    "biiHAC follows iHAC",
    "biiHAC is hereby mostly determined by iHAC as it has about equal performance",
    "section 5.3, Banksearch, setting (1)",
    compared_by_h(BANKSEARCH, main=KNOWN_ONLY),
)
def _(rows: DataFrame) -> Checks:
    """biiHAC's H-correlation is nearer to iHAC's than to biHAC's (interval), and within 0.02 of
    it on average."""
    table = scores(rows, H)
    to_metric, to_instance = ((table[BOTH] - table[one]).abs() for one in (METRIC, INSTANCE))
    nearer = by_sample(to_metric - to_instance)
    yield above(estimate("the distance to biHAC less that to iHAC", nearer))
    apart = estimate("biiHAC less iHAC", gain(rows, H, BOTH, over=INSTANCE))
    yield between(apart, LITTLE_LESS, SMALL)


@CLAIMS(
    "leaf level alike",
    "Similar behavior can be found for the F-score measure on the leaf level",
    "section 5.3, Banksearch, setting (1)",
    compared(BANKSEARCH, main=KNOWN_ONLY),
)
def _(rows: DataFrame) -> Checks:
    """The criteria of the growth of iHAC and biiHAC and of the constant gain of biHAC, for the
    F-score of leaf classes."""
    yield from _growing(rows, LEAF)
    yield from _constant(rows, LEAF)


@CLAIMS(
    "higher level saturated",
    "On the higher level, almost no improvement is achieved with any method, probably because the "
    "baseline performance is already quite good",
    "section 5.3, Banksearch, setting (1)",
    compared(BANKSEARCH, main=KNOWN_ONLY),
)
def _(rows: DataFrame) -> Checks:
    """No method's gain in F of higher classes is larger than 0.02, nor a loss of more than that,
    and HAC's own is at least 0.80, which is the reason that the paper gives."""
    for method in CONSTRAINED:
        yield between(
            estimate(f"the gain of {method}", gain(rows, HIGHER, method)), LITTLE_LESS, SMALL
        )
    yield at_least(estimate("F by HAC", by_sample(scores(rows, HIGHER)[HAC])), "0.80")


@CLAIMS(
    "higher level improves",
    "both methods highly improve the higher level clusters",
    "section 5.3, Reuters 1, setting (1)",
    compared(REUTERS_1, main=KNOWN_ONLY),
)
def _(rows: DataFrame) -> Checks:
    """iHAC's and biiHAC's gains in F of higher classes are above 0 (intervals), and 0.05 or
    more."""
    for method in (INSTANCE, BOTH):
        gained = estimate(f"the gain of {method}", gain(rows, HIGHER, method))
        yield above(gained)
        yield at_least(gained, LARGE)


@CLAIMS(
    "metric improves distinct classes little",
    "contains mostly very distinct classes. Therefore, weighting can improve little",
    "section 5.3, Reuters 1, setting (1)",
    compared_by_h(REUTERS_1, main=KNOWN_ONLY),
)
def _(rows: DataFrame) -> Checks:
    """biHAC's gain in H-correlation is less than iHAC's (interval), and at most 0.05."""
    yield below(estimate("biHAC less iHAC", gain(rows, H, METRIC, over=INSTANCE)))
    yield at_most(estimate("the gain of biHAC", gain(rows, H, METRIC)), LARGE)


@CLAIMS(
    "all increase alike classes",
    "all algorithms are again capable of largely increasing the H-Correlation",
    "section 5.3, Reuters 2, setting (1)",
    compared_by_h(REUTERS_2, main=KNOWN_ONLY),
)
def _(rows: DataFrame) -> Checks:
    """The gains of all three in H-correlation are above 0 (intervals), and 0.05 or more."""
    for method in CONSTRAINED:
        gained = estimate(f"the gain of {method}", gain(rows, H, method))
        yield above(gained)
        yield at_least(gained, LARGE)


@CLAIMS(
    "higher level by instances",
    "While on the higher levels, the instance-based component has again advantages",
    "section 5.3, Reuters 1 and 2, setting (1)",
    compared(REUTERS_1, REUTERS_2, main=KNOWN_ONLY, **EACH_ONE),
)
def _(rows: DataFrame) -> Checks:
    """For both, the F of higher classes of iHAC and of biiHAC is above that of biHAC
    (intervals)."""
    for method in (INSTANCE, BOTH):
        yield above(estimate(f"{method} less biHAC", gain(rows, HIGHER, method, over=METRIC)))


@CLAIMS(
    "leaf level by metric",
    "biHAC can better adapt to the leaf level classes",
    "section 5.3, Reuters 2, setting (1)",
    compared(REUTERS_2, main=KNOWN_ONLY),
)
def _(rows: DataFrame) -> Check:
    """The F of leaf classes of biHAC is above that of iHAC (interval)."""
    return above(estimate("biHAC less iHAC", gain(rows, LEAF, METRIC, over=INSTANCE)))


@CLAIMS(
    "biiHAC near the better",
    "The combination of both algorithms through biiHAC again succeeds in producing an overall good "
    "result towards the better of the two methods on the specific levels",
    "section 5.3, Reuters 2, setting (1)",
    compared(REUTERS_2, main=KNOWN_ONLY),
)
def _(rows: DataFrame) -> Checks:
    """On both levels the F of biiHAC is above the mean of iHAC's and biHAC's (intervals)."""
    for measure in (LEAF, HIGHER):
        table = scores(rows, measure)
        both = table[[INSTANCE, METRIC]]
        lead = by_sample(table[BOTH] - both.mean(axis=1))
        yield above(estimate(f"biiHAC less their mean in {MEASURES[measure]}", lead))
        short = by_sample(table[BOTH] - both.max(axis=1)).mean()
        yield f"{MEASURES[measure]}: biiHAC is {short:+.3f} from the better of the two."


@CLAIMS(
    "alike classes benefit most",
    "This dataset benefits most from integrating constraints",
    "section 5.3, Reuters 2, setting (1)",
    compared_by_h(BANKSEARCH, REUTERS_1, REUTERS_2, main=KNOWN_ONLY, read_as=False),
)
def _(rows: DataFrame) -> Checks:
    """The mean gain of the three methods in H-correlation in place of Reuters 2 is above those in
    place of Reuters 1 and of Banksearch (intervals over samples)."""
    mean = sum(gain(rows, H, method) for method in CONSTRAINED) / len(CONSTRAINED)
    gains = mean.unstack("collection")
    for other in (REUTERS_1, BANKSEARCH):
        yield above(estimate(f"the gain less that on {other}", gains[REUTERS_2] - gains[other]))


@CLAIMS(
    "biiHAC good everywhere",
    "the combined approach biiHAC provides good results on all datasets in the case of evenly "
    "distributed constraints",
    "section 5.3",
    compared_by_h(*STAND_INS, main=KNOWN_ONLY, **EACH_ONE),
)
def _(rows: DataFrame) -> Check:
    """In setting (1) biiHAC's gain in H-correlation is above 0 on each collection (interval)."""
    return above(estimate("the gain of biiHAC", gain(rows, H, BOTH)))


@CLAIMS(
    "no clear winner",
    "There is no clear winner between the instance-based and the metric-based approach",
    "section 5.3",
    compared_by_h(*STAND_INS, main=KNOWN_ONLY, read_as=False),
)
def _(rows: DataFrame) -> Checks:
    """Neither of iHAC and biHAC has an H-correlation clearly above the other's (interval) on more
    than half of the four collections."""
    leads = gain(rows, H, INSTANCE, over=METRIC)
    parts = {name: estimate("", part) for name, part in leads.groupby(level="collection")}
    for method, is_ahead in ((INSTANCE, above), (METRIC, below)):
        wins = sum(is_ahead(lead).meets for lead in parts.values())
        name = f"the number of collections on which {method} is ahead"
        yield so(name, wins, wins <= len(parts) / 2, "at most half of them")
    yield f"iHAC less biHAC is {each(leads)}."


@CLAIMS(
    "constraints enforced",
    "This instance-based approach enforces the constraints in each cluster merge",
    "section 3",
    Scope(("figures-9-10",), by_construction=True),
)
def _(rows: DataFrame) -> Checks:
    """With all triplets of a hierarchy no merge of iHAC or biiHAC violates one: there are no dead
    ends."""
    counts = rows[rows["method"].isin((INSTANCE, BOTH))]["dead_ends"]
    yield so("the number of violating merges", counts.sum(), not counts.any(), "as it must be")
    yield f"There were {len(counts)} clusterings."


@CLAIMS(
    "less gain with unknown classes",
    "the performance gain is less, if more classes are unknown in advance",
    "section 5.3",
    GENERAL,
)
def _(rows: DataFrame) -> Checks:
    """The mean gain of the three methods in H-correlation in setting (3) is below that in (1), on
    the same labels but for those of unknown classes (interval)."""
    changes = sum(change(rows, H, method) for method in CONSTRAINED) / len(CONSTRAINED)
    yield below(estimate("the change of the mean gain", changes))
    yield f"It is {each(changes)}."


@CLAIMS(
    "unknown classes gain",
    "classes with no labeled data usually still increase in performance in the biHAC approach",
    "section 5.3",
    GENERAL_F,
)
def _(rows: DataFrame) -> Checks:
    """In settings (2) and (3) the mean F of the classes without labels by biHAC is above that by
    HAC (interval), and higher in at least half of the cells."""
    gains = gain(rows, "unknown_f", METRIC, NO_LEAF, NO_SUBTREE)
    yield above(estimate("the gain of biHAC on unknown classes", gains))
    table = scores(rows, "unknown_f", NO_LEAF, NO_SUBTREE)
    positive = by_sample((table[METRIC] > table[HAC]).astype(float))
    yield at_least(estimate("the share of cells with a gain", positive), "0.50")
    yield f"It gains {each(gains)}."


@CLAIMS(
    "iHAC ignores unknown classes",
    "For iHAC, this is a lot more problematic because it completely ignores the possibility of new "
    "classes",
    "section 5.3",
    GENERAL_F,
)
def _(rows: DataFrame) -> Checks:
    """In settings (2) and (3) the mean F of the classes without labels by iHAC is below that by
    biHAC (interval)."""
    behind = gain(rows, "unknown_f", INSTANCE, NO_LEAF, NO_SUBTREE, over=METRIC)
    yield below(estimate("iHAC less biHAC on unknown classes", behind))
    yield f"It is {each(behind)}."


@CLAIMS(
    "biHAC and biiHAC stable",
    "biHAC and biiHAC have a stable performance with increasing number of unknown classes, while "
    "iHAC loses performance",
    "section 5.3, Banksearch and Reuters 2",
    compared_by_h(BANKSEARCH, REUTERS_2, **EACH_ONE),
)
def _(rows: DataFrame) -> Checks:
    """From setting (1) to (3) iHAC's gain in H-correlation falls, and those of biHAC and biiHAC
    fall less (intervals), for both."""
    own = change(rows, H, INSTANCE)
    yield below(estimate("the change of iHAC's gain", own))
    for method in (METRIC, BOTH):
        less = change(rows, H, method) - own
        yield above(estimate(f"that of {method}'s less that of iHAC's", less))


@CLAIMS(
    "iHAC below HAC",
    "On the higher level, its performance even deteriorates under the baseline performance of HAC",
    "section 5.3, Banksearch, setting (3)",
    compared(BANKSEARCH, main=NO_SUBTREE_ONLY),
)
def _(rows: DataFrame) -> Check:
    """In setting (3) the F of higher classes of iHAC is below that of HAC (interval)."""
    return below(estimate("iHAC less HAC", gain(rows, HIGHER, INSTANCE, NO_SUBTREE)))


@CLAIMS(
    "more constraints are worse",
    "In setting (3), it also shows that more constraints are even worse for its performance",
    "section 5.3, Reuters 1, setting (3)",
    compared(REUTERS_1, main=NO_SUBTREE_ONLY),
)
def _(rows: DataFrame) -> Check:
    """In setting (3) the slope of iHAC's gain in F of higher classes over the logarithm of the
    number of labels is below 0 (interval)."""
    falling = slope(rows, HIGHER, INSTANCE, NO_SUBTREE)
    return below(estimate("the growth of iHAC's gain with each doubling", falling))


@CLAIMS(
    "biiHAC keeps the higher level",
    "On the other hand, biiHAC can keep up its good performance",
    "section 5.3, Reuters 1, higher level",
    compared(REUTERS_1),
)
def _(rows: DataFrame) -> Checks:
    """In setting (3) biiHAC's F of higher classes is above iHAC's, and from (1) to (3) its gain
    falls less (intervals)."""
    ahead = gain(rows, HIGHER, BOTH, NO_SUBTREE, over=INSTANCE)
    yield above(estimate("biiHAC less iHAC in setting (3)", ahead))
    own = change(rows, HIGHER, BOTH)
    less = estimate(
        "the change of its gain less that of iHAC's", own - change(rows, HIGHER, INSTANCE)
    )
    yield above(less)
    yield f"Its own gain changes by {own.mean():+.3f}."


@CLAIMS(
    "metric leaves the higher level",
    "the metric alone does not effect the higher level performance",
    "section 5.3, Reuters 1",
    compared(REUTERS_1),
)
def _(rows: DataFrame) -> Check:
    """biHAC's gain in F of higher classes, over all settings, is at most 0.02 either way."""
    gains = gain(rows, HIGHER, METRIC, KNOWN, NO_LEAF, NO_SUBTREE)
    return between(estimate("the gain of biHAC", gains), LITTLE_LESS, SMALL)


@CLAIMS(
    "metric resistant",
    "the metric learning through biHAC is very resistant to an increasing number of unknown "
    "classes",
    "section 5.3",
    GENERAL,
)
def _(rows: DataFrame) -> Checks:
    """biHAC gains H-correlation in setting (1) and in setting (3) (intervals above 0), so that
    there is something to keep, and in (3) at least 0.75 of what it gains in (1)."""
    before, after = (gain(rows, H, METRIC, setting) for setting in (KNOWN, NO_SUBTREE))
    yield above(estimate("the gain of biHAC in setting (3)", after))
    yield above(estimate("that in setting (1)", before))
    yield at_least(share_kept("the share of the gain that is kept", before, after), "0.75")


@CLAIMS(
    "biiHAC often better",
    "its combination with an instance-based approach in biiHAC has often an even better "
    "performance",
    "section 5.3",
    compared_by_h(*STAND_INS, least=2, **EACH_ONE),
)
def _(rows: DataFrame) -> Check:
    """In settings (2) and (3) biiHAC's H-correlation is above biHAC's (interval) on at least two
    of the four collections."""
    leads = gain(rows, H, BOTH, NO_LEAF, NO_SUBTREE, over=METRIC)
    return above(estimate("biiHAC less biHAC", leads))


@CLAIMS(
    "successful with unknown classes",
    "very successful in improving cluster quality. This is especially true for semi-supervised "
    "settings, in which constraints do not cover all existing clusters",
    "section 6",
    GENERAL,
)
def _(rows: DataFrame) -> Checks:
    """The gains of biHAC and biiHAC in H-correlation are above 0 in settings (2) and (3)
    (intervals)."""
    for setting in (NO_LEAF, NO_SUBTREE):
        for method in (METRIC, BOTH):
            gains = gain(rows, H, method, setting)
            yield above(estimate(f"the gain of {method} in setting ({setting})", gains))
            yield f"In setting ({setting}) {method} gains {each(gains)}."


@CLAIMS(
    "iHAC suffers",
    "the instance-based method alone, whose performance heavily suffers in this case",
    "section 6",
    GENERAL,
)
def _(rows: DataFrame) -> Checks:
    """iHAC's gain in H-correlation in setting (3) is below that in (1) (interval), and at most
    0.50 of it."""
    before, after = (gain(rows, H, INSTANCE, setting) for setting in (KNOWN, NO_SUBTREE))
    yield below(estimate("the change of iHAC's gain", after - before))
    yield at_most(share_kept("the share of the gain that is left", before, after), "0.50")
    yield f"In setting (3) iHAC gains {each(after)}."
