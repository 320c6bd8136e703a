"""Claims about the number of samples, I: section IV.C.4, figure 4 and table IV."""

from __future__ import annotations

from papers._claim import Claim, Finding, estimate, holds_if
from papers._results import Results
from papers.attribute.grids import KINDS
from papers.attribute.measures import SAMPLES, above, balance
from papers.attribute.trends import both, trends

WHERE = "section IV.C.4"
NEEDS = (SAMPLES.experiment,)
# The paper's average gains, which it gives in percent.
GAINS = {"together": 0.042, "exactly": 0.12}
SMALL = 400


def _average_gain(results: Results) -> Finding:
    estimates, parts = [], []
    for kind in KINDS:
        table = SAMPLES.compared(results, kind)
        estimates.append(
            estimate(f"gain in ARI over all I ({kind})", table.groupby("dataset")["gain"].mean())
        )
        starts = SAMPLES.compared(results, kind, "ten starts")["gain"].mean()
        parts.append(
            f"{estimates[-1].value:.3f} by {kind} rules ({GAINS[kind]:.3f} in the paper, "
            f"{starts:.3f} with the defaults' ten seeded starts): {SAMPLES.means(table, 'gain')}"
        )
    near = all(
        GAINS[kind] / 2 <= each.value <= 2 * GAINS[kind]
        for kind, each in zip(KINDS, estimates, strict=True)
    )
    explanation = f"{SAMPLES.places(table)} and on average, the gain is {'; '.join(parts)}."
    return Finding(holds_if(near and all(map(above, estimates))), tuple(estimates), explanation)


def _small_gain_most(results: Results) -> Finding:
    estimates, parts, best = [], [], []
    for kind in KINDS:
        means = SAMPLES.by_value(SAMPLES.compared(results, kind), "gain", kind)
        best.append(max(means, key=lambda value: means[value].value))
        estimates.append(means[best[-1]])
        parts.append(f"{estimates[-1].value:.3f} at I = {best[-1]} ({kind})")
    return Finding(
        holds_if(all(value <= SMALL for value in best)),
        tuple(estimates),
        f"The largest mean gains are {' and '.join(parts)}.",
    )


def _no_trend(results: Results) -> Finding:
    tables = {kind: SAMPLES.compared(results, kind) for kind in KINDS}
    estimates = [SAMPLES.trend(tables[kind], "gain", f"gain in ARI ({kind})") for kind in KINDS]
    explanation = "; ".join(
        f"{SAMPLES.means(tables[kind], 'gain')} by {kind} rules" for kind in KINDS
    )
    return Finding(
        holds_if(all(each.low <= 0 <= each.high for each in estimates)),
        tuple(estimates),
        f"{SAMPLES.places(tables['together'])} the gain is {explanation}.",
    )


def _lower(results: Results) -> Finding:
    estimates, parts = [], []
    for kind in KINDS:
        table = SAMPLES.compared(results, kind)
        for measure in ("time_saved", "rounds_saved"):
            mean = table.groupby("dataset")[measure].mean()
            estimates.append(estimate(f"{measure.replace('_', ' ')} over all I ({kind})", mean))
        parts.append(
            f"{SAMPLES.means(table, 'time_with')} with {kind} rules and "
            f"{SAMPLES.means(table, 'time_without')} without, while the rules save "
            f"{SAMPLES.means(table, 'rounds_saved')} rounds"
        )
    explanation = f"{SAMPLES.places(table)} a fit takes {'; '.join(parts)}. {balance(table, kind)}"
    return Finding(holds_if(all(map(above, estimates))), tuple(estimates), explanation)


SAMPLE_CLAIMS = (
    Claim(
        "average gain over I",
        "The inclusion of both types of constraints is beneficial. Throughout the parameter "
        "values, an average improvement of 4.2% (ml) and 12% (mlx) can be observed.",
        f"{WHERE}, figure 4",
        "The mean gain in ARI over all I is above 0 (whole interval) and between half and twice "
        "the paper's, taken as points of ARI, for both kinds.",
        NEEDS,
        _average_gain,
    ),
    Claim(
        "small data sets gain most",
        "The biggest improvement was achieved for small data sets (ml: 6.8% and mlx: 15% "
        "respectively)",
        f"{WHERE}, figure 4",
        "The mean gain in ARI is largest at an I of at most 400, for both kinds.",
        NEEDS,
        _small_gain_most,
    ),
    Claim(
        "no trend of the gain over I",
        "but no general trend can be inferred from these numbers",
        WHERE,
        "The interval of the rank correlation of I and the gain in ARI holds 0, for both kinds.",
        NEEDS,
        _no_trend,
    ),
    Claim(
        "more samples, more time and rounds",
        "Table IV shows that larger datasets increase the runtime and iterations.",
        f"{WHERE}, table IV",
        "The rank correlations of I with CPU time and rounds, with rules and without, are above 0 "
        "(whole intervals), for both kinds.",
        NEEDS,
        trends(
            SAMPLES,
            both("time_with", "rises")
            + both("time_without", "rises")
            + both("rounds_with", "rises")
            + both("rounds_without", "rises"),
        ),
    ),
    Claim(
        "rules save time and rounds",
        "The inclusion of constraints is beneficial for the runtime and rounds. Both are lower "
        "when compared to the standard clustering approach.",
        f"{WHERE}, table IV",
        "The share of CPU time and the number of rounds that rules save, on average over all I, "
        "are above 0 (whole intervals), for both kinds.",
        NEEDS,
        _lower,
    ),
)
