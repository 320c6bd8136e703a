"""The paper's claims about triplets drawn at random (section 5.1, figures 2 and 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from papers._claim import Claim, Finding, holds_if
from papers._estimate import Estimate, estimate
from papers._exceptions import NotTestableError
from papers._results import Results
from papers.recon.measures import (
    Values,
    above,
    change,
    figure,
    gains,
    joined,
    judged,
    over_runs,
    run_means,
    runs_by_share,
    share_of,
    wide,
    with_triplets,
    within,
)
from papers.recon.schemes import HIERARCHICAL, KMEANS, KMEANS_SVM, RECON, RECON_SVM
from papers.recon.tables import TABLES, TITLES

if TYPE_CHECKING:
    from pandas import DataFrame

FIGURE_2 = "figure-2"
OTHERS = TABLES[1:]
FIGURE_3_TABLES = ("letters-ijlt", "digits-389")

# What the paper's words are taken to mean.
LARGE_MARGIN = 0.05
FLAT = 0.05
FEW = 0.1
UNCHANGED = 0.9
CONSIDERABLE = 0.1
SUFFICIENT = 0.5


def metric_helps(results: Results) -> Finding:
    """Test: K-Means gains by the learned metric on most tables."""
    frame = results.frame(FIGURE_2)
    return judged(gains(frame, KMEANS_SVM, KMEANS, TABLES), above(), TABLES, least=4)


def metric_is_flat(results: Results) -> Finding:
    """Test: K-Means with the learned metric does not gain by more triplets."""
    frame = results.frame(FIGURE_2)
    changes = _changes(frame, KMEANS_SVM)
    rises = _changes(frame, RECON)
    because = "For comparison, ReCon + Euclidean changes by " + ", ".join(
        f"{figure(rises[table][0].value)} on {TITLES[table]}" for table in rises
    )
    return judged(changes, within(FLAT), TABLES, because=because + "." if rises else "")


def _changes(frame: DataFrame, scheme: str) -> dict[str, tuple[Estimate, ...]]:
    values = {table: change(frame, scheme, table, FEW, 1.0) for table in TABLES}
    return {
        table: (estimate(f"{TITLES[table]}: change from |D|/10 to |D| triplets, F", runs),)
        for table, runs in values.items()
        if len(runs)
    }


def metric_stays(results: Results) -> Finding:
    """Test: the learned metric is nearly the same from fewer triplets and from all."""
    frame = results.frame(FIGURE_2)
    estimates = {table: _cosines(frame, table) for table in TABLES}
    return judged(
        {
            table: (estimate(f"{TITLES[table]}: cosine of the weights", values),)
            for table, values in estimates.items()
            if len(values)
        },
        lambda cosine: cosine.value >= UNCHANGED,
        TABLES,
    )


def _cosines(frame: DataFrame, table: str) -> Values:
    """Return the cosine of a run's weights from |D|/10 triplets with those from |D|."""
    rows = frame[(frame["table"] == table) & (frame["scheme"] == KMEANS_SVM)]
    few, many = (
        {row.repeat: np.array(row.weights.split(), float) for row in part.itertuples()}
        for part in (rows[rows["share"] == FEW], rows[rows["share"] == 1.0])
    )
    return np.array([_cosine(few[run], many[run]) for run in sorted(few.keys() & many.keys())])


def _cosine(first: Values, second: Values) -> float:
    return float(first @ second / (np.linalg.norm(first) * np.linalg.norm(second)))


def recon_wins(results: Results) -> Finding:
    """Test: ReCon with either metric is far above the metric alone on five tables."""
    frame = results.frame(FIGURE_2)
    estimates = joined(*(gains(frame, scheme, KMEANS_SVM, OTHERS) for scheme in (RECON, RECON_SVM)))
    f = wide(with_triplets(frame)).groupby(level="table").mean()
    because = (
        "Mean F of ReCon + Euclidean, ReCon + SVM-Metric and K-Means + SVM-Metric: "
        + "; ".join(
            f"{TITLES[table]} "
            + ", ".join(figure(f.loc[table, one]) for one in (RECON, RECON_SVM, KMEANS_SVM))
            for table in OTHERS
            if table in f.index
        )
    )
    because = f"{because}. {_where_the_metric_matters(frame)}"
    return judged(estimates, above(LARGE_MARGIN), OTHERS, because=because)


def _where_the_metric_matters(frame: DataFrame) -> str:
    """Return a sentence on the tables where plain distances hold ReCon back."""
    lifts = gains(frame, KMEANS_SVM, KMEANS, TABLES)
    behind = [
        f"{TITLES[table]}, where the metric lifts K-Means by {figure(lifts[table][0].value)}"
        for table, (gain,) in gains(frame, RECON, RECON_SVM, TABLES).items()
        if gain.high < 0
    ]
    return f"ReCon + Euclidean is behind ReCon + SVM-Metric on {_and(behind)}." if behind else ""


def _and(parts: list[str]) -> str:
    return " and on ".join(parts)


def iris_is_an_exception(results: Results) -> Finding:
    """Test: on Iris ReCon is not far above the metric alone."""
    frame = results.frame(FIGURE_2)
    estimates = joined(*(gains(frame, one, KMEANS_SVM, ("iris",)) for one in (RECON, RECON_SVM)))
    wins = above(LARGE_MARGIN)
    return judged(estimates, lambda gain: not wins(gain), ("iris",))


def few_suffice(results: Results) -> Finding:
    """Test: the advantage shows with few triplets."""
    frame = results.frame(FIGURE_2)
    few = frame[frame["share"] == FEW]
    if few.empty:
        raise NotTestableError("there are no results for |D|/10 triplets")
    estimates = gains(few, RECON, KMEANS_SVM, OTHERS)
    base = wide(few)[HIERARCHICAL].groupby(level="table").mean()
    because = "Without triplets the hierarchical baseline has F = " + ", ".join(
        f"{figure(base[table])} on {TITLES[table]}" for table in OTHERS if table in base.index
    )
    return judged(estimates, above(), OTHERS, least=3, because=because + ".")


def euclidean_is_better(results: Results) -> Finding:
    """Test: ReCon does better on plain distances than on learned ones."""
    frame = results.frame(FIGURE_2)
    estimates = gains(frame, RECON, RECON_SVM, TABLES)
    because = _where_the_metric_matters(frame)
    return judged(estimates, above(), TABLES, least=4, because=because)


def metric_violates(results: Results) -> Finding:
    """Test: the learned metric breaks some of the triplets that it was learned from."""
    frame = with_triplets(results.frame(FIGURE_2))
    rows = frame[frame["scheme"] == KMEANS_SVM].set_index(["table", "share", "repeat"])
    broken = {table: run_means(1 - rows["metric_kept"], table) for table in TABLES}
    return judged(
        {
            table: (estimate(f"{TITLES[table]}: share of triplets that the metric breaks", runs),)
            for table, runs in broken.items()
            if len(runs)
        },
        above(),
        TABLES,
        least=4,
    )


def runs_vary(results: Results) -> Finding:
    """Test: single runs of ReCon differ considerably."""
    frame = with_triplets(results.frame(FIGURE_2))
    runs = {table: runs_by_share(frame, RECON, table) for table in FIGURE_3_TABLES}
    present = {table: values for table, values in runs.items() if len(values) > 1}
    because = " ".join(
        f"On {TITLES[table]} F lies between {figure(values[:, 0].min())} and "
        f"{figure(values[:, 0].max())} with the fewest triplets, between "
        f"{figure(values[:, -1].min())} and {figure(values[:, -1].max())} with the most."
        for table, values in present.items()
    )
    spans = {table: (_widest(table, values),) for table, values in present.items()}
    return judged(spans, lambda span: span.value >= CONSIDERABLE, FIGURE_3_TABLES, because=because)


def _widest(table: str, values: Values) -> Estimate:
    """Return the range of F over runs at the amount of triplets where it is widest."""
    return over_runs(
        f"{TITLES[table]}: widest range of F over runs",
        len(values),
        lambda rows: float(np.ptp(values[rows], axis=0).max()),
    )


def metric_is_steadier(results: Results) -> Finding:
    """Test: runs of the metric alone differ less than those of ReCon."""
    frame = with_triplets(results.frame(FIGURE_2))
    estimates = {table: _spread_gap(frame, table) for table in TABLES}
    ratios = {table: one for table, one in estimates.items() if one is not None}
    others = [TITLES[t] for t in ratios if t not in FIGURE_3_TABLES and above()(ratios[t])]
    because = f"Of the other tables, as claimed on {', '.join(others) or 'none'}."
    return judged(
        {table: (one,) for table, one in ratios.items()}, above(), FIGURE_3_TABLES, because=because
    )


def _spread_gap(frame: DataFrame, table: str) -> Estimate | None:
    """Return by how much ReCon's standard deviation over runs exceeds that of the metric alone."""
    recon, metric = (runs_by_share(frame, scheme, table) for scheme in (RECON, KMEANS_SVM))
    if min(len(recon), len(metric)) < 2 or len(recon) != len(metric):
        return None
    return over_runs(
        f"{TITLES[table]}: standard deviation of ReCon above that of the metric alone",
        len(recon),
        lambda rows: float((recon[rows].std(axis=0) - metric[rows].std(axis=0)).mean()),
    )


def utilities_do_not_suffice(results: Results) -> Finding:
    """Test: informativeness and coherence explain little of the gain of equally large sets."""
    frame = results.frame("utility").dropna(subset=["informativeness", "coherence", "gain"])
    groups = [part for _, part in frame.groupby(["table", "share"]) if len(part) >= 5]
    if not groups:
        raise NotTestableError("each table and amount needs at least 5 runs")
    explained = [explained_share(part) for part in groups]
    measurement = estimate(
        "share of the variance of the gain that both explain, adjusted", explained
    )
    best = groups[int(np.argmax(explained))].iloc[0]
    informativeness, coherence = (
        np.mean([correlation(part[name], part["gain"]) for part in groups])
        for name in ("informativeness", "coherence")
    )
    return Finding(
        holds_if(measurement.value < SUFFICIENT),
        (measurement,),
        f"Over {len(groups)} tables and amounts the mean correlation with the gain is "
        f"{figure(informativeness)} for informativeness and {figure(coherence)} for coherence; "
        f"most is explained on {TITLES[best.table]} with {best.triplets} triplets "
        f"({share_of(max(explained))}).",
    )


def explained_share(part: DataFrame) -> float:
    """Return the adjusted share of the variance of the gain that a linear fit on both explains."""
    gain = np.asarray(part["gain"], float)
    columns = np.column_stack([np.ones(len(part)), part["informativeness"], part["coherence"]])
    fitted = columns @ np.linalg.lstsq(columns, gain, rcond=None)[0]
    total = float(((gain - gain.mean()) ** 2).sum())
    if not total:
        return 0.0
    freedom = len(part) - np.linalg.matrix_rank(columns)
    left = float(((gain - fitted) ** 2).sum())
    return float(1 - (left / freedom) / (total / (len(part) - 1)))


def correlation(first: Values, second: Values) -> float:
    """Return Pearson's correlation, 0 where one of both does not vary."""
    x, y = (np.asarray(values, float) - np.mean(values) for values in (first, second))
    scale = float(np.sqrt((x @ x) * (y @ y)))
    return float(x @ y) / scale if scale else 0.0


CLAIMS = (
    Claim(
        "metric-helps",
        "In most experiments, incorporating SVM-Metric in K-Means performed significantly better "
        "than its baseline.",
        "Section 5.1, figure 2",
        "F of K-Means + SVM-Metric minus F of K-Means + Euclidean, paired within runs and averaged "
        "over all amounts above 0: the interval is above 0 on at least 4 of the 6 tables.",
        (FIGURE_2,),
        metric_helps,
    ),
    Claim(
        "metric-saturates",
        "The accuracy curves of K-Means + SVM-Metric are relatively flat.",
        "Section 5.1, figure 2",
        "The mean change of F from |D|/10 to |D| triplets is at most 0.05 either way on each "
        "table.",
        (FIGURE_2,),
        metric_is_flat,
    ),
    Claim(
        "metric-unchanged",
        "We conjecture that … the few support vectors representing the metric remained mostly "
        "unchanged.",
        "Section 5.1",
        "The feature weights learned from |D|/10 and from |D| triplets of the same run have a mean "
        "cosine of at least 0.9 on each table.",
        (FIGURE_2,),
        metric_stays,
    ),
    Claim(
        "recon-beats-metric",
        "ReCon, incorporating either of the metrics, outperformed K-Means + SVM-Metric by large "
        "margins in all but one experiments.",
        "Section 5.1, figure 2",
        "F of ReCon, with each of the metrics, minus F of K-Means + SVM-Metric, paired within runs "
        "and averaged over all amounts above 0: at least 0.05 with its interval above 0 on each of "
        "the five tables other than Iris.",
        (FIGURE_2,),
        recon_wins,
    ),
    Claim(
        "iris-exception",
        "The only exception is Iris.",
        "Section 5.1, figure 2",
        "On Iris neither ReCon + Euclidean nor ReCon + SVM-Metric exceeds K-Means + SVM-Metric by "
        "0.05 F or more with an interval above 0.",
        (FIGURE_2,),
        iris_is_an_exception,
    ),
    Claim(
        "few-triplets",
        "The advantage of our method on the remaining five datasets was generally obvious with a "
        "small amount of constraints regardless of the baseline accuracies.",
        "Section 5.1, figure 2",
        "With |D|/10 triplets, F of ReCon + Euclidean minus F of K-Means + SVM-Metric, paired, has "
        "its interval above 0 on at least 3 of the five tables other than Iris.",
        (FIGURE_2,),
        few_suffice,
    ),
    Claim(
        "euclidean-better",
        "ReCon + Euclidean Metric generally performed better than ReCon + SVM-Metric.",
        "Section 5.1, figure 2",
        "F of ReCon + Euclidean minus F of ReCon + SVM-Metric, paired within runs and averaged "
        "over all amounts above 0: the interval is above 0 on at least 4 of the 6 tables.",
        (FIGURE_2,),
        euclidean_is_better,
    ),
    Claim(
        "metric-violates",
        "The learned SVM-metric was optimized from a boundary … violating some of the constraints "
        "fed.",
        "Section 5.1",
        "The share of the triplets it was learned from that do not hold in the learned metric is "
        "above 0, with its interval, on at least 4 of the 6 tables.",
        (FIGURE_2,),
        metric_violates,
    ),
    Claim(
        "runs-vary",
        "The clustering quality in individual runs could vary considerably.",
        "Section 5.1, figure 3",
        "On Letters-IJLT and Digits-389 the F of ReCon + Euclidean over the runs with the same "
        "amount of random triplets spans at least 0.1, at the amount where it spans most.",
        (FIGURE_2,),
        runs_vary,
    ),
    Claim(
        "metric-steadier",
        "The variance of using SVM-Metric alone is lower due to its “saturation” behavior.",
        "Section 5.1, figure 3",
        "On both tables of figure 3 the standard deviation of F over runs, averaged over the "
        "amounts above 0, is larger for ReCon + Euclidean than for K-Means + SVM-Metric; the "
        "interval of the difference is above 0.",
        (FIGURE_2,),
        metric_is_steadier,
    ),
    Claim(
        "utilities",
        "[Informativeness and coherence] are still insufficient in explaining the complicated "
        "behavior of constrained clustering.",
        "Section 5.1",
        "Among random sets of as many triplets on the same table, a linear fit on informativeness "
        "and coherence explains less than half of the variance of ReCon's gain in F (adjusted "
        "share, averaged over tables and amounts).",
        ("utility",),
        utilities_do_not_suffice,
    ),
)
