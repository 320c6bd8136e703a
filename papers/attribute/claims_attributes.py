"""Claims about the number of attributes, A: section IV.C.1 and table II."""

from __future__ import annotations

from clustraint.wording import listed
from papers._claim import Claim, Finding, estimate, holds_if
from papers._results import Results
from papers.attribute.grids import KINDS
from papers.attribute.measures import ATTRIBUTES, above, balance
from papers.attribute.trends import both, trends

WHERE = "section IV.C.1"
NEEDS = (ATTRIBUTES.experiment,)
SMALLEST, DEFAULT = 20, 100
CEILING = {"ari_with": 0.83, "ari_without": 0.80}


def _level(results: Results) -> Finding:
    estimates = [
        estimate(f"ARI without rules at A = {SMALLEST} ({kind})", table["ari_without"])
        for kind in KINDS
        for table in [ATTRIBUTES.at(ATTRIBUTES.compared(results, kind), SMALLEST)]
    ]
    explanation = ", ".join(
        f"{each.value:.2f} ({kind})" for kind, each in zip(KINDS, estimates, strict=True)
    )
    best = ", ".join(
        f"{ATTRIBUTES.at(table, SMALLEST)['ari_without'].mean():.2f} ({kind})"
        for kind in KINDS
        for table in [ATTRIBUTES.compared(results, kind, "ten starts")]
    )
    return Finding(
        holds_if(all(0 < each.value < 0.2 for each in estimates)),
        tuple(estimates),
        f"With {SMALLEST} attributes the mean ARI without rules is {explanation}; the best of ten "
        f"seeded starts has {best}, so that these clusters can be told apart at least so well.",
    )


def _ceiling(results: Results) -> Finding:
    table = ATTRIBUTES.compared(results, "together")
    estimates, broken = [], []
    for measure, limit in CEILING.items():
        means = ATTRIBUTES.by_value(table, measure, "together")
        estimates.append(max(means.values(), key=lambda each: each.value))
        broken += [each.name for each in means.values() if above(each, limit)]
    explanation = " and ".join(f"{each.value:.2f} ({each.name})" for each in estimates)
    return Finding(
        holds_if(not broken),
        tuple(estimates),
        f"The highest means are {explanation}; above the paper's limit for sure: {listed(broken)}.",
    )


def _exactly_gains(results: Results) -> Finding:
    table = ATTRIBUTES.compared(results, "exactly")
    overall = estimate("gain in ARI over all A (exactly)", table.groupby("dataset")["gain"].mean())
    means = ATTRIBUTES.by_value(table, "gain", "exactly")
    gained = [value for value, each in means.items() if above(each)]
    return Finding(
        holds_if(len(gained) == len(means) and 0.1 <= overall.value <= 0.3),
        (overall, *means.values()),
        f"The gain is above 0 for sure at A = {listed(gained)} and {overall.value:.2f} on average. "
        f"{ATTRIBUTES.places(table)} it is {ATTRIBUTES.means(table, 'gain')}.",
    )


def _together_gains(results: Results) -> Finding:
    table = ATTRIBUTES.compared(results, "together")
    means = ATTRIBUTES.by_value(table, "gain", "together")
    gained = [value for value, each in means.items() if above(each)]
    small = [value for value in means if value < DEFAULT]
    best = ATTRIBUTES.compared(results, "together", "ten starts")
    return Finding(
        holds_if(bool(small) and gained == small),
        tuple(means.values()),
        f"The gain is above 0 for sure at A = {listed(gained)}. {ATTRIBUTES.places(table)} it is "
        f"{ATTRIBUTES.means(table, 'gain')}, and with the defaults' ten seeded starts "
        f"{ATTRIBUTES.means(best, 'gain')}.",
    )


def _together_time(results: Results) -> Finding:
    table = ATTRIBUTES.compared(results, "together")
    trend = ATTRIBUTES.trend(table, "time_saved", "the share of time saved (together)")
    last = ATTRIBUTES.by_value(table, "time_saved", "together")[ATTRIBUTES.values(table)[-1]]
    return Finding(
        holds_if(above(trend) and above(last)),
        (trend, last),
        f"{ATTRIBUTES.places(table)} a fit takes {ATTRIBUTES.means(table, 'time_with')} with rules "
        f"and {ATTRIBUTES.means(table, 'time_without')} without, in "
        f"{ATTRIBUTES.means(table, 'rounds_with')} and {ATTRIBUTES.means(table, 'rounds_without')} "
        f"rounds. {balance(table, 'together')}",
    )


def _exactly_time(results: Results) -> Finding:
    table = ATTRIBUTES.compared(results, "exactly")
    last = ATTRIBUTES.at(table, ATTRIBUTES.values(table)[-1])
    ratio = estimate(
        f"time with rules by time without at A = {ATTRIBUTES.values(table)[-1]} (exactly)",
        last["time_with"] / last["time_without"],
    )
    return Finding(
        holds_if(above(ratio, 1.0) and ratio.value <= 1.25),
        (ratio,),
        f"A fit with rules takes {ratio.value:.2f} times as long as one without (the paper: 1.13); "
        f"{1000 * last['time_with'].mean():.1f} ms and {1000 * last['time_without'].mean():.1f} "
        f"ms. {balance(table, 'exactly')}",
    )


def _fewer_rounds(results: Results) -> Finding:
    table = ATTRIBUTES.compared(results, "together")
    means = ATTRIBUTES.by_value(table, "rounds_saved", "together")
    fewer = [value for value, each in means.items() if above(each)]
    large = [value for value in means if value > SMALLEST]
    return Finding(
        holds_if(fewer == large),
        tuple(means.values()),
        f"Rules save rounds for sure at A = {listed(fewer)}. {ATTRIBUTES.places(table)} they save "
        f"{ATTRIBUTES.means(table, 'rounds_saved')}.",
    )


ATTRIBUTE_CLAIMS = (
    Claim(
        "few attributes are harder",
        "The clustering process is more difficult for small instances […], no matter whether "
        "constraints are used or not.",
        WHERE,
        "The rank correlation of A and the ARI, with rules and without, is above 0 (whole "
        "interval) for both kinds of rule.",
        NEEDS,
        trends(ATTRIBUTES, both("ari_with", "rises") + both("ari_without", "rises")),
    ),
    Claim(
        "few attributes, low ARI",
        "small instances (0 < ARI_no < 0.2, no results shown)",
        WHERE,
        "The mean ARI without rules at A = 20 is between 0 and 0.2 on the data for both kinds.",
        NEEDS,
        _level,
    ),
    Claim(
        "ceiling over A",
        "For higher dimensions, the clustering results become better but do not exceed an ARI of "
        "0.83 (when using ml constraints) and 0.80 (without ml constraints), respectively.",
        WHERE,
        "On the data for together rules, at no A is the whole interval of the mean ARI above 0.83 "
        "with rules or above 0.80 without.",
        NEEDS,
        _ceiling,
    ),
    Claim(
        "exactly helps at every A",
        "Using mlx constraints always leads to better results (0.2 better ARI) than without "
        "constraints, for all instance dimensions.",
        WHERE,
        "The gain in ARI by exactly rules is above 0 (whole interval) at every A, and its mean "
        "over all A is between 0.1 and 0.3.",
        NEEDS,
        _exactly_gains,
    ),
    Claim(
        "together helps only at small A",
        "In contrast, ml constraints lead to better results only in small dimensions (0.15 better "
        "ARI for fewer than 100 dimension).",
        WHERE,
        "The gain in ARI by together rules is above 0 (whole interval) at every A below 100 and at "
        "no other.",
        NEEDS,
        _together_gains,
    ),
    Claim(
        "more attributes, more time",
        "The larger the instances, the longer needs the clustering.",
        f"{WHERE}, table II",
        "The rank correlation of A and CPU time, with rules and without, is above 0 (whole "
        "interval) for both kinds.",
        NEEDS,
        trends(ATTRIBUTES, both("time_with", "rises") + both("time_without", "rises")),
    ),
    Claim(
        "together saves time at large A",
        "Thus, the larger the instances' dimensions, the more a clustering can benefit from ml "
        "constraints in terms of runtime.",
        f"{WHERE}, table II",
        "The share of CPU time that together rules save rises with A (whole interval of the rank "
        "correlation above 0) and is above 0 at the largest A.",
        NEEDS,
        _together_time,
    ),
    Claim(
        "exactly costs a little time",
        "In contrast, mlx constraints lead to a slightly higher runtime (for 1000 attributes 7.71s "
        "with mlx vs. 6.8s without mlx).",
        WHERE,
        "At the largest A the CPU time with exactly rules is more than that without (whole "
        "interval of the ratio above 1), but by no more than a quarter.",
        NEEDS,
        _exactly_time,
    ),
    Claim(
        "rounds fall with A",
        "The number of rounds needed is decreased in higher dimension for both constraint types.",
        f"{WHERE}, table II",
        "The rank correlation of A and the rounds with rules, from A = 60 on (at 20 the paper's "
        "table has fewest), is below 0 (whole interval) for both kinds.",
        NEEDS,
        trends(ATTRIBUTES, both("rounds_with", "falls"), least=60),
    ),
    Claim(
        "together saves rounds",
        "Rounds ml: 1.92 4.09 3.92 3.65 3.63 3.55 3.48; Rounds: 1.22 4.32 4.24 4.02 3.81 3.75 3.71",
        "table II",
        "Together rules save rounds (whole interval above 0) at every A but 20.",
        NEEDS,
        _fewer_rounds,
    ),
)
