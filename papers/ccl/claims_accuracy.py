"""Claims about the accuracy of CCL and COP-k-means on random constraints (figures 8 and 9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clustraint.wording import listed
from papers._claim import Claim, Finding
from papers._estimate import Estimate, estimate
from papers.ccl.judging import SUBSTANTIAL, Case, above, cases, finding
from papers.ccl.measures import errors_avoided, gain_at, runs, share_needed, share_value
from papers.ccl.runs import BEST, CCL, COP, SOLVED
from papers.ccl.tables import REAL, SYNTHETIC

if TYPE_CHECKING:
    from pandas import DataFrame

    from papers._results import Results

FEW = 10


def half_the_constraints(results: Results) -> Finding:
    """Test whether CCL needs less than half the constraints of COP-k-means."""
    frame = results.frame("figure-9")
    judged = cases(frame, REAL, _needs_half)
    return finding(judged, len(REAL), least=2, more=_against_best(frame, judged))


def _needs_half(table: str, frame: DataFrame) -> Case:
    share = share_needed(
        f"{table}: constraints CCL needs for each of COP-k-means", frame, CCL, SOLVED
    )
    return Case(table, share.value < 0.5, (share,))


def _against_best(frame: DataFrame, judged: list[Case]) -> str:
    shares = []
    for case in judged:
        share = share_value(frame[frame["table"] == case.name], CCL, BEST)
        shares.append(f"{share:.2f} on {case.name}")
    return (
        "In brackets: the median share of the constraints; against the best of ten starts it is "
        f"{listed(shares)}."
    )


def ahead_synthetic(results: Results) -> Finding:
    """Test whether CCL is substantially ahead of COP-k-means on each synthetic set."""
    return _ahead(results.frame("figure-8"), SYNTHETIC)


def ahead_real(results: Results) -> Finding:
    """Test whether CCL is substantially ahead of COP-k-means on each real set."""
    return _ahead(results.frame("figure-9"), REAL)


def _ahead(frame: DataFrame, tables: tuple[str, ...]) -> Finding:
    judged = cases(frame, tables, _leads)
    behind = [case.name for case in judged if case.estimates[1].high < 0]
    best = f" The best of ten starts is ahead of CCL on {listed(behind)}." if behind else ""
    more = "In brackets: the share of the wrong decisions of COP-k-means that CCL avoids."
    return finding(judged, len(tables), more=more + best)


def _leads(table: str, frame: DataFrame) -> Case:
    measured = tuple(
        errors_avoided(f"{table}: wrong decisions of {other} that CCL avoids", frame, CCL, other)
        for other in (SOLVED, BEST, COP)
    )
    return Case(table, above(measured[0], SUBSTANTIAL), measured)


def few_constraints(results: Results) -> Finding:
    """Test whether ten constraints lift CCL on each synthetic set."""
    judged = cases(results.frame("figure-8"), SYNTHETIC, _lifted_by_few)
    more = f"In brackets: the gain in CRI of {FEW} constraints."
    return finding(judged, len(SYNTHETIC), more=more)


def _lifted_by_few(table: str, frame: DataFrame) -> Case:
    gain = gain_at(f"{table}: gain of CCL by {FEW} constraints (CRI)", frame, CCL, FEW)
    return Case(table, above(gain), (gain,))


def constraints_help(results: Results) -> Finding:
    """Test whether constraints substantially lift CCL on each real set."""
    judged = cases(results.frame("figure-9"), REAL, _lifted)
    more = "In brackets: the gain in CRI at the largest number of constraints."
    return finding(judged, len(REAL), more=more)


def _lifted(table: str, frame: DataFrame) -> Case:
    most = int(frame["n_pairs"].max())
    gain = gain_at(f"{table}: gain of CCL by {most} constraints (CRI)", frame, CCL, most)
    wrong = 1 - runs(frame, CCL)[0].mean()
    return Case(table, above(gain, SUBSTANTIAL * wrong), (gain,))


def robust(results: Results) -> Finding:
    """Test whether CCL stands many constraints better than COP-k-means."""
    judged = cases(results.frame("figure-9"), REAL, _stands_many)
    more = (
        "In brackets: the share of all runs with constraints in which a single start of "
        "COP-k-means ends in a dead end. CCL always ends, but breaks cannot-links where it "
        f"must: {listed([_broken(case) for case in judged])} of a hundred constraints."
    )
    return finding(judged, len(REAL), least=2, more=more)


def _stands_many(table: str, frame: DataFrame) -> Case:
    some = frame[frame["n_pairs"] > 0]
    failing = estimate(
        f"{table}: runs in which a single start of COP-k-means fails",
        runs(some, COP, "failed").mean(axis=1),
    )
    broken = runs(some, CCL, "violated")
    shares = estimate(
        f"{table}: constraints that CCL breaks", (broken / broken.columns).mean(axis=1)
    )
    loss = _lost(table, some)
    always_ends = runs(some, CCL, "failed").sum().sum() == 0
    holds = above(failing) and always_ends and loss.low <= 0
    return Case(table, bool(holds), (failing, shares, loss))


def _lost(table: str, frame: DataFrame) -> Estimate:
    """Return what CCL has lost at the largest number of constraints against its best number."""
    measured = runs(frame, CCL)
    best = measured.mean().idxmax()
    name = f"{table}: CRI lost by CCL from {best} to {measured.columns[-1]} constraints"
    return estimate(name, measured[best] - measured[measured.columns[-1]])


def _broken(case: Case) -> str:
    return f"{100 * case.estimates[1].value:.1f} on {case.name}"


CLAIMS = (
    Claim(
        name="half the constraints",
        quote="generally requiring less than half as many constraints to achieve a given accuracy "
        "on a range of real-world data",
        where="abstract",
        criterion="For five levels of accuracy, evenly spaced between the better of both methods "
        "without constraints and the highest mean of either, the number of constraints at which "
        "the mean curve of CCL first reaches it (straight lines between points) over that of "
        "COP-k-means (dead ends solved); a level never reached counts as reached at the largest "
        "number measured. The median share is below 0.5 on at least two of the three real sets.",
        needs=("figure-9",),
        test=half_the_constraints,
    ),
    Claim(
        name="robust when over-constrained",
        quote="while also being more robust when over-constrained",
        where="abstract",
        criterion="On at least two of the three real sets, a single start of COP-k-means "
        "fails in some runs (interval above 0), CCL in none, and CCL at the largest number of "
        "constraints is not below its own best (interval of the loss not above 0).",
        needs=("figure-9",),
        test=robust,
    ),
    Claim(
        name="very few constraints",
        quote="In every case, there is significant improvement over the unconstrained accuracy, "
        "even with very few constraints.",
        where="section 5.2, figure 8",
        criterion=f"On each synthetic set the gain of CCL from 0 to {FEW} constraints has an "
        "interval above 0.",
        needs=("figure-8",),
        test=few_constraints,
    ),
    Claim(
        name="ahead on synthetic data",
        quote="CCL's spatial propagation allows it to substantially outperform CKM.",
        where="section 5.2, figure 8",
        criterion="On each synthetic set CCL avoids at least a quarter of the wrong decisions that "
        "COP-k-means (dead ends solved) makes on the same constraints, over all numbers above 0, "
        "and the interval is above 0.",
        needs=("figure-8",),
        test=ahead_synthetic,
    ),
    Claim(
        name="constraints help on real data",
        quote="Constraints improve performance substantially in every case.",
        where="section 5.3, figure 9",
        criterion="On each real set the gain of CCL from no constraints to the largest number has "
        "an interval above 0 and is at least a quarter of the wrong decisions made without any.",
        needs=("figure-9",),
        test=constraints_help,
    ),
    Claim(
        name="ahead on real data",
        quote="CKM is also shown; CCL again outperforms it substantially, supporting the "
        "hypothesis that a spatial induction principle is appropriate for real data sets.",
        where="section 5.3, figure 9",
        criterion="As on synthetic data, for each of the three real sets.",
        needs=("figure-9",),
        test=ahead_real,
    ),
)
