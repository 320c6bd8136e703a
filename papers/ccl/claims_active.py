"""Claims about constraints that CCL asks for (figures 8, 9 and 12)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clustraint.wording import listed
from papers._claim import Claim, Finding
from papers._estimate import estimate
from papers._exceptions import NotTestableError
from papers.ccl.judging import MUCH, Case, above, cases, finding
from papers.ccl.measures import errors_avoided, runs, share_needed
from papers.ccl.runs import ACTIVE, CCL
from papers.ccl.tables import REAL, SYNTHETIC

if TYPE_CHECKING:
    from pandas import DataFrame

    from papers._results import Results

ALL = (*SYNTHETIC, *REAL)
QUICKLY = 30
CORRECT = 0.95
HARM = 0.05


def _both(results: Results) -> DataFrame:
    """Return the records of figures 8 and 9, of those that have any."""
    from pandas import concat

    frames = []
    for name in ("figure-8", "figure-9"):
        try:
            frames.append(results.frame(name))
        except NotTestableError:
            continue
    if not frames:
        raise NotTestableError("nothing of figures 8 and 9 has been run")
    return concat(frames)


def more_effective(results: Results) -> Finding:
    """Test whether questions beat as many random constraints on each set."""
    frame = _both(results)
    judged = cases(frame, ALL, _beats_random)
    more = "In brackets: the share of the wrong decisions after random constraints that it avoids."
    falls = [fall for case in judged if (fall := _fall(case.name, frame))]
    worse = f" More questions can do harm: mean CRI falls {listed(falls)}." if falls else ""
    return finding(judged, len(ALL), more=more + worse)


def _beats_random(table: str, frame: DataFrame) -> Case:
    name = f"{table}: wrong decisions of CCL that active CCL avoids"
    avoided = errors_avoided(name, frame, ACTIVE, CCL)
    return Case(table, above(avoided, MUCH), (avoided,))


def _fall(table: str, frame: DataFrame) -> str:
    """Return where active CCL falls most from one number of questions to the next, if it does."""
    means = runs(frame[frame["table"] == table], ACTIVE).mean()
    steps = means.diff()
    if not steps.min() < -HARM:
        return ""
    place = means.index.get_loc(steps.idxmin())
    before, after = means.index[place - 1], means.index[place]
    return f"from {means[before]:.2f} with {before} to {means[after]:.2f} with {after} on {table}"


def fewer_constraints(results: Results) -> Finding:
    """Test whether questions reach a given accuracy with half the constraints."""
    judged = cases(_both(results), ALL, _needs_half)
    more = "In brackets: the median share of the random constraints that it needs."
    return finding(judged, len(ALL), least=len(ALL) // 2 + 1, more=more)


def _needs_half(table: str, frame: DataFrame) -> Case:
    name = f"{table}: questions active CCL needs for each constraint of CCL"
    share = share_needed(name, frame, ACTIVE, CCL)
    return Case(table, share.value < 0.5, (share,))


def converges(results: Results) -> Finding:
    """Test whether thirty questions find the structure of each synthetic set."""
    judged = cases(results.frame("figure-8"), SYNTHETIC, _finds_classes)
    more = f"In brackets: the mean CRI after at most {QUICKLY} questions."
    return finding(judged, len(SYNTHETIC), more=more)


def _finds_classes(table: str, frame: DataFrame) -> Case:
    accuracy = estimate(
        f"{table}: CRI of active CCL with {QUICKLY} questions", runs(frame, ACTIVE)[QUICKLY]
    )
    return Case(table, accuracy.value >= CORRECT, (accuracy,))


CLAIMS = (
    Claim(
        name="active against random",
        quote="In all cases, actively chosen constraints are much more effective than passively "
        "chosen ones.",
        where="section 5.5, figures 8 and 9",
        criterion="On each of the seven sets active CCL avoids at least half of the wrong "
        "decisions of CCL with as many random constraints as the other may ask questions, over all "
        "numbers above 0, and the interval is above 0.",
        needs=("figure-8", "figure-9"),
        test=more_effective,
    ),
    Claim(
        name="active needs fewer",
        quote="an active learning scheme which dramatically decreases the number of constraints "
        "required to achieve a given accuracy",
        where="section 6",
        criterion="As for half the constraints, active CCL against CCL: the median share is below "
        "0.5 on most of the seven sets.",
        needs=("figure-8", "figure-9"),
        test=fewer_constraints,
    ),
    Claim(
        name="active finds the structure",
        quote="The active selection converges to the correct structures very quickly.",
        where="section 5.5, figure 12",
        criterion=f"The mean CRI of active CCL with {QUICKLY} questions is at least {CORRECT} on "
        "each synthetic set.",
        needs=("figure-8",),
        test=converges,
    ),
)
