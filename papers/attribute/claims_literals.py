"""Claims about the number of literals of a rule, F: section IV.C.3 and figure 3."""

from __future__ import annotations

from clustraint.wording import listed
from papers._claim import Claim, Finding, estimate, holds_if
from papers._results import Results
from papers.attribute.grids import KINDS
from papers.attribute.measures import LITERALS, above, balance, below
from papers.attribute.trends import Trend, both, trends, went

WHERE = "section IV.C.3"
NEEDS = (LITERALS.experiment,)
# What counts as few literals, comparable time, and the same number of rounds.
FEW = 4
COMPARABLE = (0.8, 1.25)
SAME_ROUNDS = 0.5


def _especially_exactly(results: Results) -> Finding:
    gains = {
        kind: LITERALS.compared(results, kind).groupby("dataset")["gain"].mean() for kind in KINDS
    }
    estimates = [estimate(f"gain in ARI over all F ({kind})", gains[kind]) for kind in KINDS]
    more = estimate("gain by exactly less gain by together", gains["exactly"] - gains["together"])
    return Finding(
        holds_if(all(above(each) for each in (*estimates, more))),
        (more, *estimates),
        f"Over all F, exactly rules gain {estimates[1].value:.2f} and together rules "
        f"{estimates[0].value:.2f}, each on its own kind of data.",
    )


def _best_with_few(results: Results) -> Finding:
    estimates, parts, best = [], [], []
    for kind in KINDS:
        table = LITERALS.compared(results, kind)
        means = LITERALS.by_value(table, "gain", kind)
        best.append(max(means, key=lambda value: means[value].value))
        estimates.append(LITERALS.trend(table, "gain", f"gain in ARI ({kind})"))
        parts.append(f"{LITERALS.means(table, 'gain')} by {kind} rules, highest at F = {best[-1]}")
    return Finding(
        holds_if(all(map(below, estimates)) and max(best) <= FEW),
        tuple(estimates),
        f"{LITERALS.places(table)} the gain is {'; '.join(parts)}.",
    )


def _comparable_time(results: Results) -> Finding:
    estimates, parts = [], []
    for kind in KINDS:
        table = LITERALS.compared(results, kind)
        ratio = (table["time_with"] / table["time_without"]).groupby(table["dataset"]).mean()
        estimates.append(estimate(f"time with rules by time without ({kind})", ratio))
        parts.append(
            f"{LITERALS.means(table, 'time_with')} with {kind} rules and "
            f"{LITERALS.means(table, 'time_without')} without"
        )
    low, high = COMPARABLE
    return Finding(
        holds_if(all(low <= each.value <= high for each in estimates)),
        tuple(estimates),
        f"{LITERALS.places(table)} a fit takes {'; '.join(parts)}. {balance(table, kind)}",
    )


def _same_rounds(results: Results) -> Finding:
    estimates, parts, spans = [], [], []
    for kind in KINDS:
        table = LITERALS.compared(results, kind)
        means = table.groupby(LITERALS.parameter)["rounds_with"].mean()
        spans.append(float(means.max() - means.min()))
        estimates.append(LITERALS.trend(table, "rounds_without", f"rounds without rules ({kind})"))
        parts.append(
            f"{LITERALS.means(table, 'rounds_with')} with {kind} rules and "
            f"{LITERALS.means(table, 'rounds_without')} without ({went(estimates[-1])})"
        )
    return Finding(
        holds_if(max(spans) <= SAME_ROUNDS and all(map(below, estimates))),
        tuple(estimates),
        f"The means with rules lie within {max(spans):.2f} rounds. {LITERALS.places(table)} it "
        f"takes {'; '.join(parts)}.",
    )


def _fewer_rounds(results: Results) -> Finding:
    fewer: list[str] = []
    more: list[str] = []
    saved = []
    for kind in KINDS:
        table = LITERALS.compared(results, kind)
        saved.append(table.groupby("dataset")["rounds_saved"].mean())
        for value, mean in table.groupby(LITERALS.parameter)["rounds_saved"].mean().items():
            (fewer if mean > 0 else more).append(f"{kind} F = {value}")
    estimates = [
        estimate(f"rounds saved by rules over all F ({kind})", each)
        for kind, each in zip(KINDS, saved, strict=True)
    ]
    return Finding(
        holds_if(len(fewer) > len(more)),
        tuple(estimates),
        f"Rules save rounds on average in {len(fewer)} of {len(fewer) + len(more)} settings; not "
        f"in: {listed(more)}.",
    )


LITERAL_CLAIMS = (
    Claim(
        "exactly gains more than together",
        "Overall, the ml and mlx constraints provide additional information for the clustering "
        "(cf. Figure 3), which is evident especially for mlx constraints.",
        f"{WHERE}, figure 3",
        "The gain in ARI over all F is above 0 for both kinds, and larger for exactly rules than "
        "for together rules (whole intervals; the kinds have data of their own).",
        NEEDS,
        _especially_exactly,
    ),
    Claim(
        "best gain with few literals",
        "The best improvement can be observed when only few attributes are included in the "
        "constraints. The ARI gain decreases for higher values of numFixedAttr.",
        f"{WHERE}, figure 3",
        "The rank correlation of F and the gain in ARI is below 0 (whole interval) and the mean "
        "gain is highest at an F of at most 4, for both kinds.",
        NEEDS,
        _best_with_few,
    ),
    Claim(
        "many literals: good without rules",
        "then the instances become more and more similar so that k-Medoids is also able to induce "
        "the correct clustering",
        WHERE,
        "The rank correlation of F and the ARI without rules is above 0 (whole interval) for both "
        "kinds.",
        NEEDS,
        trends(LITERALS, both("ari_without", "rises")),
    ),
    Claim(
        "more literals, more time",
        "The ml runtime increases with higher values of numFixedAttr, no matter whether the "
        "constraints are considered or not (not illustrated).",
        WHERE,
        "The rank correlations of F and the CPU time on the data for together rules, with them and "
        "without, are above 0 (whole intervals).",
        NEEDS,
        trends(
            LITERALS,
            (Trend("together", "time_with", "rises"), Trend("together", "time_without", "rises")),
        ),
    ),
    Claim(
        "time comparable to none",
        "Here, the unconstrained clustering is even comparable in the runtime. […] the runtime is "
        "also comparable to the case when no constraints are considered.",
        WHERE,
        "The mean over all F of the CPU time with rules by that without is between 0.8 and 1.25, "
        "for both kinds.",
        NEEDS,
        _comparable_time,
    ),
    Claim(
        "rounds do not depend on F",
        "The number of rounds is the same for all values of numFixedAttr, when using constraints, "
        "but slightly decreased for the standard approach.",
        WHERE,
        "For both kinds the mean rounds with rules differ by at most 0.5 between the values of F, "
        "and those without fall with F (whole interval of the rank correlation below 0).",
        NEEDS,
        _same_rounds,
    ),
    Claim(
        "mostly fewer rounds",
        "However, in most cases the constrained clustering needs fewer rounds than the standard "
        "clustering approach.",
        WHERE,
        "Rules save rounds, on average over the data sets, in more than half of the settings of F "
        "and kind.",
        NEEDS,
        _fewer_rounds,
    ),
)
