"""Claims on Rand indices: who does better on all data and on held-out folds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from papers._claim import Claim, Finding, holds_if
from papers._estimate import Estimate, estimate
from papers._exceptions import NotTestableError
from papers.clusilc.readings import (
    VISIBLE,
    far_end,
    figures,
    leads_by_count,
    paired_rand,
    rivals,
    rows_of,
    standings,
    tables_of,
)
from papers.clusilc.tables import LARGE, SMALL, listed, title

if TYPE_CHECKING:
    from pandas import DataFrame

    from papers._results import Results

BETTER = ("wine", "ecoli", "ionosphere", "balance-scale", "image-segmentation", "pendigits-train")
WORSE = ("yeast",)
COMPARABLE = ("iris", "hayes-roth", "glass", "heart-statlog", "liver-disorders")
HIGH = 0.95
AS_GOOD_AS_ONE = 0.99


def _standings_in_words(
    frame: DataFrame, estimates: dict[str, tuple[str, Estimate]], tables: Sequence[str]
) -> str:
    """Return the leads on some tables in words, with what becomes of them as pairs grow."""
    return "; ".join(
        f"{title(table)} {estimates[table][1].value:+.3f} ({leads_by_count(frame, table)})"
        for table in tables
    )


def _stand(results: Results, tables: tuple[str, ...], expected: str) -> Finding:
    frame = rows_of(results, "figure-5", tables)
    ranks = standings(frame[frame["table"].isin(tables)])
    kept = [table for table in tables if ranks[table][0] == expected]
    lost = tuple(table for table in tables if table not in kept)
    explanation = f"It is {expected} on {len(kept)} of {len(tables)} tables ({listed(kept)})."
    if lost:
        explanation += f" The others: {_standings_in_words(frame, ranks, lost)}."
    return Finding(holds_if(not lost), tuple(ranks[table][1] for table in tables), explanation)


def better_on_six(results: Results) -> Finding:
    """Test that the tree leads in cross-validation on the six tables that the paper names."""
    return _stand(results, BETTER, "better")


def comparable_on_five(results: Results) -> Finding:
    """Test that on the five tables left nobody leads in cross-validation."""
    return _stand(results, COMPARABLE, "comparable")


def only_yeast_is_worse(results: Results) -> Finding:
    """Test that yeast, and no other table, is where the tree falls behind."""
    frame = rows_of(results, "figure-5")
    ranks = standings(frame)
    worse = [table for table, (stands, _) in ranks.items() if stands == "worse"]
    shown = tuple(ranks[table][1] for table in dict.fromkeys((*WORSE, *worse)))
    tables = _standings_in_words(frame, ranks, worse) or "no table"
    explanation = f"ClusteringTree is clearly worse on {tables}."
    if "yeast" not in worse:
        explanation += f" Not on {_standings_in_words(frame, ranks, WORSE)}."
    return Finding(holds_if(worse == list(WORSE)), shown, explanation)


def generalises(results: Results) -> Finding:
    """Test the conclusion: better or comparable in cross-validation, but for one table."""
    ranks = standings(rows_of(results, "figure-5"))
    worse = [table for table, (stands, _) in ranks.items() if stands == "worse"]
    leads = [lead.value for _, lead in ranks.values()]
    mean = estimate("mean lead of ClusteringTree in cross-validated Rand, by table", leads)
    better = [table for table, (stands, _) in ranks.items() if stands == "better"]
    explanation = (
        f"It is better on {len(better)} tables ({listed(better)}), worse on {len(worse)} "
        f"({listed(worse)}) and comparable on {len(ranks) - len(better) - len(worse)}."
    )
    return Finding(holds_if(len(worse) <= 1 and mean.value > 0), (mean,), explanation)


def rises_with_constraints(results: Results) -> Finding:
    """Test that COP-k-means does better on all data the more constraints it has."""
    frame = rows_of(results, "figure-5")
    gains = {table: _gain(frame, table) for table in tables_of(frame)}
    flat = [table for table, gain in gains.items() if not gain.low > 0]
    explanation = f"It rises on {len(gains) - len(flat)} of {len(gains)} tables"
    explanation += f"; not on {listed(flat)}." if flat else "."
    return Finding(holds_if(not flat), tuple(gains.values()), explanation)


def _gain(frame: DataFrame, table: str) -> Estimate:
    most, _ = far_end(frame, table)
    rand = paired_rand(frame, table).pivot(index="repeat", columns="n_pairs", values="rand_cop")
    if 0 not in rand:
        raise NotTestableError(f"{title(table)} has not been clustered without pairs.")
    name = f"{title(table)}: gain of COP-k-means in Rand from none to {most:,} pairs"
    return estimate(name, rand[most] - rand[0])


def surpasses_on_eight(results: Results) -> Finding:
    """Test that COP-k-means overtakes the tree on all data in eight of the twelve tables."""
    frame = rows_of(results, "figure-5")
    leads = {table: far_end(frame, table)[1] for table in tables_of(frame)}
    ahead = [t for t, lead in leads.items() if lead.low > 0 and lead.value >= VISIBLE]
    behind = {t: f"{leads[t].value:+.3f}" for t in leads if t not in ahead}
    explanation = f"COP-k-means clearly surpasses it on {len(ahead)} of {len(leads)} tables"
    explanation += f" ({listed(ahead)}); its lead on the others: {figures(behind) or 'none left'}."
    return Finding(holds_if(len(ahead) >= 8), tuple(leads.values()), explanation)


def reaches_one(results: Results) -> Finding:
    """Test that with enough constraints COP-k-means finds the classes."""
    frame = rows_of(results, "figure-5", SMALL)
    ends = {table: _rand_at_most_pairs(frame, table) for table in SMALL}
    short = {t: f"{end.value:.3f}" for t, end in ends.items() if end.value < AS_GOOD_AS_ONE}
    explanation = f"Its mean Rand index is {AS_GOOD_AS_ONE} or more on {len(ends) - len(short)} of "
    explanation += f"{len(ends)} tables" + (
        f"; it stays below on {figures(short)}." if short else "."
    )
    return Finding(holds_if(not short), tuple(ends.values()), explanation)


def _rand_at_most_pairs(frame: DataFrame, table: str) -> Estimate:
    rows = rivals(frame)
    rows = rows[rows["table"] == table]
    most = int(rows["n_pairs"].max())
    name = f"{title(table)}: Rand of COP-k-means on all data, {most:,} pairs"
    return estimate(name, rows.loc[rows["n_pairs"] == most, "rand"])


def large_tables_need_many(results: Results) -> Finding:
    """Test that image and pendig need more constraints than any table below 1,000 samples."""
    frame = rows_of(results, "figure-5", (*SMALL, *LARGE[1:]))
    needed = {table: _needed(frame, table) for table in (*SMALL, *LARGE[1:])}
    beyond = [table for table in SMALL if not np.isfinite(needed[table])]
    if beyond:
        raise NotTestableError(f"{listed(beyond)} would need more pairs than were drawn.")
    most_small = max(needed[table] for table in SMALL)
    explanation = f"COP-k-means reaches a mean Rand of {HIGH} on all data with " + figures(
        {
            table: f"{count:,.0f}" if np.isfinite(count) else "none"
            for table, count in needed.items()
        }
    )
    explanation += " of the pair counts tried."
    return Finding(
        holds_if(all(needed[table] > most_small for table in LARGE[1:])), (), explanation
    )


def _needed(frame: DataFrame, table: str) -> float:
    rows = rivals(frame)
    rand = rows[rows["table"] == table].groupby("n_pairs")["rand"].mean()
    enough = rand.index[rand >= HIGH]
    return float(min(enough)) if len(enough) else np.inf


_LEAD = (
    "The paired difference ClusteringTree - COP-k-means in cross-validated Rand, averaged over all "
    "pair counts but 0: better if its interval is above 0 and its mean at least 0.01, worse if "
    "below 0 and at most -0.01, else comparable. "
)

CLAIMS = (
    Claim(
        "cop-rises",
        "The Rand index of COP-k-means increases with the number of constraints",
        "section 4.2",
        "Rand on all data with the most pairs for which it clusters half of the sets, minus that "
        "without pairs: the interval is above 0 on each of the twelve tables.",
        ("figure-5",),
        rises_with_constraints,
    ),
    Claim(
        "cop-surpasses-on-8",
        "in 8 out of 12 data sets, clearly surpasses that of ClusILC for a sufficiently large "
        "number of generated constraints",
        "section 4.2",
        "The paired difference COP-k-means - ClusteringTree in Rand on all data, with the most "
        "pairs for which COP-k-means clusters half of the sets, has its interval above 0 and a "
        "mean of at least 0.01 on 8 or more of the twelve tables.",
        ("figure-5",),
        surpasses_on_eight,
    ),
    Claim(
        "cop-reaches-1",
        "given enough constraints, the Rand index will become 1.0",
        "section 4.2",
        "COP-k-means (auto) has a mean Rand index of 0.99 or more on all data with the most pairs, "
        "on each table below 1,000 samples.",
        ("figure-5",),
        reaches_one,
    ),
    Claim(
        "large-need-many",
        "For the large data sets image and pendig COP-k-means requires many constraints.",
        "section 4.2",
        "The least pair count at which the mean Rand index of COP-k-means on all data is 0.95 is "
        "larger for image and pendig than for every table below 1,000 samples.",
        ("figure-5",),
        large_tables_need_many,
    ),
    Claim(
        "cv-better-on-6",
        "ClusILC does better for wine, ecoli, ionosphere, balance, image, and pendig (6 out of 12 "
        "data sets).",
        "section 4.2",
        _LEAD + "Better on each of the six.",
        ("figure-5",),
        better_on_six,
    ),
    Claim(
        "cv-worse-on-yeast",
        "It only does clearly worse for one data set (yeast).",
        "section 4.2",
        _LEAD + "Worse on yeast and on no other of the twelve.",
        ("figure-5",),
        only_yeast_is_worse,
    ),
    Claim(
        "cv-comparable-on-5",
        "For the other 5 data sets it performs comparable to COP-k-means.",
        "section 4.2",
        _LEAD + "Comparable on iris, hayes-roth, glass, heart-statlog and liver-disorders.",
        ("figure-5",),
        comparable_on_five,
    ),
    Claim(
        "generalises",
        "ClusILC has a better or comparable generalization performance.",
        "section 5",
        _LEAD + "Worse on at most one of the twelve, and a positive mean over tables.",
        ("figure-5",),
        generalises,
    ),
)
