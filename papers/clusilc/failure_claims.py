"""Claims on COP-k-means ending without a clustering (footnote 2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from papers._claim import Claim, Finding, holds_if
from papers._estimate import Estimate, estimate
from papers._exceptions import NotTestableError
from papers.clusilc.readings import figures, rows_of
from papers.clusilc.tables import SMALL, listed, title

if TYPE_CHECKING:
    from pandas import DataFrame, Series

    from papers._results import Results

FAILING = ("wine", "heart-statlog", "liver-disorders", "ionosphere")
PEAK, SETS_AT_PEAK = 300, 1087


def failure_rates(frame: DataFrame, method: str = "instance") -> DataFrame:
    """Return the share of sets without a clustering, a row for each table, a column for each count.

    Only the first set of each trial counts: it is drawn whatever becomes of it.
    """
    rows = frame[frame["method"] == method]
    rates: DataFrame = rows.pivot_table(
        index="table", columns="n_pairs", values="failed", aggfunc=lambda values: values.mean()
    )
    return rates


def sets_needed(frame: DataFrame, table: str) -> Series:
    """Return by pair count how many sets are drawn for each one that can be clustered.

    All draws over all successes: trials that were broken off count with what they drew.
    """
    rows = frame[(frame["table"] == table) & (frame["method"] == "instance")]
    sums = rows.groupby("n_pairs")[["n_sets", "found"]].sum()
    needed: Series = sums["n_sets"] / sums["found"].replace(0, np.nan).astype(float)
    return needed.fillna(np.inf)


def _worst(frame: DataFrame, table: str) -> Estimate:
    rows = frame[(frame["table"] == table) & (frame["method"] == "instance")]
    worst = int(rows.groupby("n_pairs")["failed"].mean().idxmax())
    name = f"{title(table)}: share of sets that COP-k-means (instance) fails on, {worst:,} pairs"
    return estimate(name, rows.loc[rows["n_pairs"] == worst, "failed"].astype(float))


def fails_on_four(results: Results) -> Finding:
    """Test that the tables on which COP-k-means often fails are the four of the footnote."""
    frame = rows_of(results, "failures", SMALL)
    worst = {table: _worst(frame, table) for table in SMALL}
    failing = [table for table in SMALL if worst[table].value > 0.5]
    explanation = f"It fails on more than half of the sets for {listed(failing)}. "
    explanation += _other_variants(frame)
    verdict = holds_if(set(failing) == set(FAILING))
    return Finding(verdict, tuple(worst.values()), explanation)


def _other_variants(frame: DataFrame) -> str:
    first = frame.groupby("method")["failed"].mean()
    parts = [f'"{name}" {100 * first[name]:.0f} %' for name in first.index if name != "instance"]
    share = f"{100 * first['instance']:.0f} %"
    return (
        f'Over all tables and counts "instance" fails on {share} of the sets, {", ".join(parts)}.'
    )


def depends_on_count(results: Results) -> Finding:
    """Test that the chance of a clustering depends strongly on the number of pairs."""
    rates = failure_rates(rows_of(results, "failures", FAILING)).loc[list(FAILING)]
    spans = rates.max(axis=1) - rates.min(axis=1)
    narrow = [table for table in FAILING if spans[table] < 0.5]
    explanation = "Failure rates from the least to the most: " + figures(
        {t: f"{rates.loc[t].min():.2f} to {rates.loc[t].max():.2f}" for t in FAILING}
    )
    shown = tuple(
        Estimate(f"{title(t)}: span of failure rates", spans[t], spans[t], spans[t], 1)
        for t in FAILING
    )
    return Finding(holds_if(not narrow), shown, explanation + ".")


def peak_at_300(results: Results) -> Finding:
    """Test that wine needs most sets at 300 pairs."""
    frame = rows_of(results, "failures", ("wine",))
    needed = sets_needed(frame, "wine")
    if PEAK not in needed.index or len(needed) < 3:
        raise NotTestableError(f"wine has no results at {PEAK} pairs and on both sides of it.")
    most = int(needed.idxmax())
    explanation = f"Most sets are needed at {most:,} pairs; by count: {_by_count(needed)}."
    shown = tuple(_needed_at(frame, count) for count in dict.fromkeys((most, PEAK)))
    return Finding(holds_if(most == PEAK), shown, explanation)


def _by_count(needed: Series) -> str:
    return ", ".join(
        f"{count:,}: {value:,.1f}" if np.isfinite(value) else f"{count:,}: none found"
        for count, value in needed.items()
    )


def _needed_at(frame: DataFrame, n_pairs: int) -> Estimate:
    """Return the sets needed for wine, by resampling trials."""
    rows = frame[(frame["table"] == "wine") & (frame["method"] == "instance")]
    rows = rows[rows["n_pairs"] == n_pairs]
    sets, successes = rows["n_sets"].to_numpy(float), rows["found"].to_numpy(float)
    rng = np.random.default_rng(0)
    drawn = rng.integers(len(sets), size=(2000, len(sets)))
    # One more success than seen bounds the figure where a resample has none.
    draws = sets[drawn].sum(axis=1) / np.maximum(successes[drawn].sum(axis=1), 1)
    low, high = np.percentile(draws, [2.5, 97.5])
    value = sets.sum() / max(successes.sum(), 1)
    name = f"wine: sets drawn for one that is clustered, {n_pairs:,} pairs"
    return Estimate(name, float(value), float(low), float(high), len(sets))


def needs_1087_sets(results: Results) -> Finding:
    """Test that wine needs about 1,087 sets where most are needed."""
    frame = rows_of(results, "failures", ("wine",))
    most = int(sets_needed(frame, "wine").idxmax())
    needed = _needed_at(frame, most)
    near = needed.high >= SETS_AT_PEAK / 2 and needed.low <= SETS_AT_PEAK * 2
    explanation = f"At its peak of {most:,} pairs it takes {needed.value:,.1f} sets"
    explanation += f", in the paper {SETS_AT_PEAK:,}."
    if not near:
        explanation += f" That is {needed.value / SETS_AT_PEAK:.2g} times the paper's figure."
    return Finding(holds_if(near), (needed,), explanation)


CLAIMS = (
    Claim(
        "cop-fails-on-4",
        "For wine, heart-statlog, liver-disorders, and ionosphere, COP-k-means was, for large "
        "constraints sets, unable to find a consistent clustering.",
        "footnote 2",
        'Of the tables below 1,000 samples, those on which COP-k-means (assignment="instance") '
        "fails on more than half of the sets at some pair count are exactly these four.",
        ("failures",),
        fails_on_four,
    ),
    Claim(
        "failure-depends-on-count",
        "The probability of finding a consistent solution strongly depends on the number of "
        "constraints.",
        "footnote 2",
        "On each of the four tables the failure rates at two pair counts differ by 0.5 or more.",
        ("failures",),
        depends_on_count,
    ),
    Claim(
        "wine-peak-at-300",
        "for wine, the peak was at 300 constraints",
        "footnote 2",
        "Sets drawn divided by sets clustered is largest at 300 pairs among the counts tried.",
        ("failures",),
        peak_at_300,
    ),
    Claim(
        "wine-1087-sets",
        "required on average 1087 sets before a consistent solution was found",
        "footnote 2",
        "At the pair count where most sets are needed, the interval of their number meets the "
        "range from half to twice 1,087.",
        ("failures",),
        needs_1087_sets,
    ),
)
