"""What the results say of one table: leads, sizes, and how often there is no clustering."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from papers._criteria import above, below
from papers._estimate import Estimate, estimate
from papers._exceptions import NotTestableError
from papers.clusilc.data import TITLES

if TYPE_CHECKING:
    from pandas import DataFrame, Series

# A difference of curves that a reader of the paper's figure can see.
VISIBLE = "0.01"


def tables_of(frame: DataFrame) -> list[str]:
    """Return the tables that have results, in the paper's order."""
    return [table for table in TITLES if table in set(frame["table"])]


def of(rows: DataFrame, method: str) -> DataFrame:
    """Return the rows of one method."""
    return rows[rows["method"] == method]


def solved(frame: DataFrame) -> DataFrame:
    """Return rows with our COP-k-means in the place of the authors'.

    That is "auto", which has a clustering for every constraint set, and "instance" for counts at
    which it was not run.
    """
    ours = frame[frame["method"].isin(["instance", "auto"])]
    has_auto = ours.groupby(["table", "n_pairs"])["method"].transform(
        lambda names: "auto" in set(names)
    )
    kept = ours[(ours["method"] == "auto") | ~has_auto].assign(method="authors")
    from pandas import concat

    return concat((frame[~frame["method"].isin(["authors", "instance", "auto"])], kept))


def held_out_lead(rows: DataFrame) -> Estimate:
    """Return by how much ClusteringTree leads in cross-validated Rand, mean over pair counts."""
    folds = of(rows, "authors")
    folds = folds[(folds["n_pairs"] > 0) & (folds["n_folds"] > 0)]
    return estimate("the lead in cross-validated Rand", folds.groupby("repeat")["cv_lead"].mean())


def standing(lead: Estimate) -> str:
    """Return whether a lead is "better", "worse" or "comparable"."""
    if above(lead).meets and lead.value >= float(VISIBLE):
        return "better"
    return "worse" if below(lead).meets and lead.value <= -float(VISIBLE) else "comparable"


def standings(rows: DataFrame) -> dict[str, tuple[str, Estimate]]:
    """Return how ClusteringTree stands in cross-validation on each table, with its lead."""
    leads = {str(table): held_out_lead(part) for table, part in rows.groupby("table", sort=False)}
    return {table: (standing(lead), lead) for table, lead in leads.items()}


def paired_rand(rows: DataFrame) -> DataFrame:
    """Return the Rand indices of tree and COP-k-means on all data, a row for each set of both."""
    keys = ["n_pairs", "repeat"]
    tree, other = (of(rows, method)[[*keys, "rand"]] for method in ("tree", "authors"))
    pairs: DataFrame = tree.merge(other, on=keys, suffixes=("_tree", "_cop"))
    return pairs


def most_pairs(rows: DataFrame) -> int:
    """Return the most pairs for which COP-k-means clusters half of the sets."""
    pairs = paired_rand(rows)
    shares = pairs.groupby("n_pairs")["rand_cop"].agg(lambda values: values.notna().mean())
    if not (shares >= 0.5).any():
        raise NotTestableError("COP-k-means clusters no half of the sets.")
    return int(max(shares.index[shares >= 0.5]))


def failure_rates(frame: DataFrame, method: str = "authors") -> DataFrame:
    """Return the share of sets without a clustering, a row for each table, a column for each count.

    Only the first set of each trial counts: it is drawn whatever becomes of it.
    """
    rates: DataFrame = of(frame, method).pivot_table(
        index="table", columns="n_pairs", values="failed", aggfunc=lambda values: values.mean()
    )
    return rates


def sets_needed(rows: DataFrame, method: str = "authors") -> Series:
    """Return by pair count how many sets are drawn for each one that can be clustered.

    All draws over all successes: trials that were broken off count with what they drew.
    """
    sums = of(rows, method).groupby("n_pairs")[["n_sets", "found"]].sum()
    needed: Series = sums["n_sets"] / sums["found"].replace(0, np.nan).astype(float)
    return needed.fillna(np.inf)


def sets_at(rows: DataFrame, n_pairs: int) -> Estimate:
    """Return the sets needed at one pair count, by resampling trials."""
    trials = of(rows, "authors")
    trials = trials[trials["n_pairs"] == n_pairs]
    sets, successes = trials["n_sets"].to_numpy(float), trials["found"].to_numpy(float)

    def needed(drawn: Any) -> float:
        # One more success than seen bounds the figure where a resample has none.
        chosen = drawn.astype(int)
        return float(sets[chosen].sum() / max(successes[chosen].sum(), 1))

    return estimate(
        f"the number of sets drawn with {n_pairs:,} pairs", np.arange(len(sets)), needed
    )


def growth(rows: DataFrame) -> Estimate:
    """Return the rank correlation of pairs and nodes, within each series of sets."""
    sizes = of(rows, "tree").pivot(index="repeat", columns="n_pairs", values="n_nodes")
    ranks = sizes[[count for count in sizes if count > 0]].rank(axis=1).to_numpy(float)
    counts = np.arange(ranks.shape[1], dtype=float)
    by_set = [
        float(np.corrcoef(counts, row)[0, 1]) if np.ptp(row) else 0.0
        for row in ranks
        if not np.isnan(row).any()
    ]
    return estimate("the rank correlation of pairs and nodes", by_set)


def decline(rows: DataFrame) -> tuple[int, Estimate]:
    """Return the best pair count and what is lost from there to the most pairs.

    The best count is chosen on the even sets and the loss measured on the odd ones: on the same
    sets the best would be better than the last by chance alone.
    """
    trees = of(rows, "tree")
    trees = trees[(trees["n_pairs"] > 0) & trees["cv_rand"].notna()]
    rand = trees.pivot(index="repeat", columns="n_pairs", values="cv_rand").dropna()
    best = int(rand[rand.index % 2 == 0].mean().idxmax())
    most = int(rand.columns.max())
    odd = rand[rand.index % 2 == 1]
    name = f"the change of cross-validated Rand from {best:,} to {most:,} pairs"
    return best, estimate(name, odd[most] - odd[best])
