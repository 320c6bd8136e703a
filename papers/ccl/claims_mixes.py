"""Claims about kinds of constraints (figure 11)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clustraint.wording import listed
from papers._claim import Claim, Finding
from papers._estimate import estimate
from papers.ccl.judging import Case, Judge, above, cases, finding
from papers.ccl.links import MIXES
from papers.ccl.measures import gains, mean_gain, runs
from papers.ccl.runs import CCL, SOLVED
from papers.ccl.tables import REAL

if TYPE_CHECKING:
    from pandas import DataFrame

    from papers._results import Results

SHAPED = ("xor", "cell-walls", "storm-clouds")
EASILY = 0.9


def _by_mix(frame: DataFrame, mix: str) -> DataFrame:
    return frame[frame["mix"] == mix]


def improves(results: Results) -> Finding:
    """Test whether constraints of every mix lift CCL on each real set."""
    frame = results.frame("figure-11")
    judged = [case for mix in MIXES for case in cases(_by_mix(frame, mix), REAL, _lifted(mix))]
    lowered = [case.name for case in judged if case.estimates[0].high < 0]
    worse = f"Accuracy falls below that of no constraints: {listed(lowered)}." if lowered else ""
    more = f"In brackets: the mean gain in CRI. {worse}"
    return finding(judged, len(REAL) * len(MIXES), more=more.strip())


def _lifted(mix: str) -> Judge:
    def judge(table: str, frame: DataFrame) -> Case:
        gain = mean_gain(f"{table}, {mix}: gain of CCL (CRI)", frame, CCL)
        return Case(f"{table} with {mix}", above(gain), (gain,))

    return judge


def faster(results: Results) -> Finding:
    """Test whether CCL gains more than COP-k-means with every mix on each real set."""
    frame = results.frame("figure-11")
    judged = [case for mix in MIXES for case in cases(_by_mix(frame, mix), REAL, _gains_more(mix))]
    more = "In brackets: by how much the mean gain in CRI of CCL exceeds that of COP-k-means."
    return finding(judged, len(REAL) * len(MIXES), more=more)


def _gains_more(mix: str) -> Judge:
    def judge(table: str, frame: DataFrame) -> Case:
        name = f"{table}, {mix}: gain of CCL beyond that of COP-k-means (CRI)"
        lead = estimate(name, gains(frame, CCL) - gains(frame, SOLVED))
        return Case(f"{table} with {mix}", above(lead), (lead,))

    return judge


def either_kind(results: Results) -> Finding:
    """Test whether must-links alone and cannot-links alone find the clusters of three shapes."""
    frame = results.frame("figure-11")
    kinds = ("must-links", "cannot-links")
    judged = [case for mix in kinds for case in cases(_by_mix(frame, mix), SHAPED, _easily(mix))]
    more = "In brackets: the mean CRI at the largest number of constraints."
    return finding(judged, len(SHAPED) * len(kinds), more=more)


def _easily(mix: str) -> Judge:
    def judge(table: str, frame: DataFrame) -> Case:
        measured = runs(frame, CCL)
        most = measured.columns[-1]
        accuracy = estimate(f"{table}, {most} {mix}: CRI of CCL", measured[most])
        return Case(f"{table} with {mix}", accuracy.value >= EASILY, (accuracy,))

    return judge


def cannot_links_best(results: Results) -> Finding:
    """Test whether COP-k-means gains more from cannot-links than from must-links."""
    judged = cases(results.frame("figure-11"), REAL, _prefers_cannot_links)
    more = (
        "In brackets: by how much the mean gain in CRI of COP-k-means with cannot-links exceeds "
        f"that with must-links; for CCL it is {listed([_for_ccl(case) for case in judged])}."
    )
    return finding(judged, len(REAL), more=more)


def _prefers_cannot_links(table: str, frame: DataFrame) -> Case:
    both = tuple(
        estimate(
            f"{table}: gain of {method} by cannot-links beyond must-links (CRI)",
            gains(_by_mix(frame, "cannot-links"), method)
            - gains(_by_mix(frame, "must-links"), method),
        )
        for method in (SOLVED, CCL)
    )
    return Case(table, above(both[0]), both)


def _for_ccl(case: Case) -> str:
    return f"{case.estimates[1].value:.2f} on {case.name}"


CLAIMS = (
    Claim(
        name="either kind shapes the space",
        quote="For XOR, TWOCIRCLES, and STORMCLOUDS, either must-links or cannot-links are able to "
        "shape the proximities in such a way that the desired clusters are easily found.",
        where="section 5.2",
        criterion="With must-links alone and with cannot-links alone, the mean CRI of CCL at the "
        f"largest number of constraints is at least {EASILY} on xor, cell walls (which the text "
        "calls TWOCIRCLES) and storm clouds.",
        needs=("figure-11",),
        test=either_kind,
    ),
    Claim(
        name="every mix helps",
        quote="In all cases, CCL's accuracy improves quickly ... as constraints are added.",
        where="section 5.4, figure 11",
        criterion="For each real set and each mix the gain of CCL over no constraints, averaged "
        "over all numbers above 0, has an interval above 0.",
        needs=("figure-11",),
        test=improves,
    ),
    Claim(
        name="every mix helps CCL more",
        quote="In all cases, CCL's accuracy improves quickly (and faster than CKM) as constraints "
        "are added.",
        where="section 5.4, figure 11",
        criterion="For each real set and each mix the gain of CCL, averaged over all numbers above "
        "0, exceeds that of COP-k-means (dead ends solved) in the same runs (interval above 0).",
        needs=("figure-11",),
        test=faster,
    ),
    Claim(
        name="COP-k-means prefers cannot-links",
        quote="Wagstaff et al. (2001) suggest that CKM best exploits cannot-link constraints.",
        where="section 5.4",
        criterion="On each real set the gain of COP-k-means (dead ends solved) with cannot-links "
        "alone, averaged over all numbers above 0, exceeds that with as many must-links alone "
        "(interval above 0).",
        needs=("figure-11",),
        test=cannot_links_best,
    ),
)
