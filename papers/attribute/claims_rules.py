"""Claims about the number of rules, C: section IV.C.2, figure 2 and table III."""

from __future__ import annotations

from papers._claim import Claim, Finding, estimate, holds_if
from papers._results import Results
from papers.attribute.grids import KINDS
from papers.attribute.measures import RULES, above, balance
from papers.attribute.trends import Trend, both, trends

WHERE = "section IV.C.2"
NEEDS = (RULES.experiment,)
FEWEST, MANY = 1, 10
# Below it, recovery of clusters counts as poor (Steinley 2004).
GOOD = 0.65


def _good_with_few(results: Results) -> Finding:
    estimates = [
        estimate(f"ARI without rules at C = {FEWEST} ({kind})", table["ari_without"])
        for kind in KINDS
        for table in [RULES.at(RULES.compared(results, kind), FEWEST)]
    ]
    explanation = ", ".join(
        f"{each.value:.2f} ({kind})" for kind, each in zip(KINDS, estimates, strict=True)
    )
    return Finding(
        holds_if(all(each.value >= GOOD for each in estimates)),
        tuple(estimates),
        f"With one constrained cluster the mean ARI without rules is {explanation}.",
    )


def _highest_gain(results: Results) -> Finding:
    estimates, parts, places = [], [], []
    for kind in KINDS:
        table = RULES.compared(results, kind)
        means = RULES.by_value(table, "gain", kind)
        best = max(means, key=lambda value: means[value].value)
        places.append(best)
        estimates.append(means[best])
        parts.append(f"{RULES.means(table, 'gain')} by {kind} rules, highest at C = {best}")
    explanation = f"{RULES.places(table)} the gain is {'; '.join(parts)}."
    return Finding(holds_if(all(place > MANY for place in places)), tuple(estimates), explanation)


def _savings(results: Results) -> Finding:
    estimates, parts = [], []
    for kind in KINDS:
        table = RULES.compared(results, kind)
        estimates.append(RULES.trend(table, "time_saved", f"the share of time saved ({kind})"))
        parts.append(
            f"{RULES.means(table, 'time_with')} with {kind} rules and "
            f"{RULES.means(table, 'time_without')} without, while the rules save "
            f"{RULES.means(table, 'rounds_saved')} rounds"
        )
    explanation = f"{RULES.places(table)} a fit takes {'; '.join(parts)}. {balance(table, kind)}"
    return Finding(holds_if(all(map(above, estimates))), tuple(estimates), explanation)


RULE_CLAIMS = (
    Claim(
        "few rules: good without them",
        "Figure 2 shows that if only few constraints are given, k-Medoids still gives a good "
        "solution.",
        WHERE,
        "At C = 1 the mean ARI without rules is at least 0.65, for both kinds of data.",
        NEEDS,
        _good_with_few,
    ),
    Claim(
        "more rules: harder without them",
        "The more constraints are included, the more separated the instances become. Then, the "
        "cluster assignment without constraints is more and more difficult.",
        WHERE,
        "The rank correlation of C and the ARI without rules is below 0 (whole interval) for both "
        "kinds.",
        NEEDS,
        trends(RULES, both("ari_without", "falls")),
    ),
    Claim(
        "highest gain with many rules",
        "The highest ARI gain is observed for a large number of constraints.",
        f"{WHERE}, figure 2",
        "The mean gain in ARI is highest at a C above 10, half of the clusters, for both kinds.",
        NEEDS,
        _highest_gain,
    ),
    Claim(
        "more rules, less time",
        "Table III shows that the runtime decreases when more constraints are included.",
        f"{WHERE}, table III",
        "The rank correlation of C and the CPU time with exactly rules is below 0 (whole "
        "interval).",
        NEEDS,
        trends(RULES, (Trend("exactly", "time_with", "falls"),), remark=balance),
    ),
    Claim(
        "more rules, more savings",
        "Using the constraints is beneficial for both types of constraints, and the more "
        "constraints are used, the more savings can be achieved.",
        f"{WHERE}, table III",
        "The rank correlation of C and the share of CPU time that rules save is above 0 (whole "
        "interval) for both kinds.",
        NEEDS,
        _savings,
    ),
    Claim(
        "more rules, fewer rounds",
        "The time that is saved by fewer rounds is consumed to process the constraints.",
        f"{WHERE}, table III (rounds with mlx from 4.1 to 2, without from 4.08 to 3.06)",
        "The rank correlations of C with the rounds under exactly rules is below 0 and with the "
        "rounds that they save above 0 (whole intervals).",
        NEEDS,
        trends(
            RULES,
            (Trend("exactly", "rounds_with", "falls"), Trend("exactly", "rounds_saved", "rises")),
        ),
    ),
)
