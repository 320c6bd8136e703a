"""What the results say of one table: leads, standings, sizes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from papers._estimate import Estimate, estimate
from papers._exceptions import NotTestableError
from papers.clusilc.tables import TITLES, listed, title

if TYPE_CHECKING:
    from pandas import DataFrame

    from papers._results import Results

# A difference of curves that a reader of the paper's figure can see.
VISIBLE = 0.01


def rows_of(results: Results, experiment: str, tables: Iterable[str] = TITLES) -> DataFrame:
    """Return the rows of an experiment; a claim is not testable without one of the tables.

    Raises
    ------
    NotTestableError
        If a table has no results.
    """
    frame = results.frame(experiment)
    missing = [table for table in tables if table not in set(frame["table"])]
    if missing:
        raise NotTestableError(f"there are no results for {listed(missing)}.")
    return frame


def tables_of(frame: DataFrame) -> list[str]:
    """Return the tables that have results, in the paper's order."""
    return [table for table in TITLES if table in set(frame["table"])]


def rivals(frame: DataFrame) -> DataFrame:
    """Return the rows of COP-k-means: "auto", and "instance" for counts at which that was not run.

    "auto" has a clustering for every constraint set; "instance", the paper's, only for some.
    """
    cop = frame[frame["method"].isin(["instance", "auto"])]
    solved = cop.groupby(["table", "n_pairs"])["method"].transform(
        lambda names: "auto" in set(names)
    )
    return cop[(cop["method"] == "auto") | ~solved]


def cross_validated_lead(frame: DataFrame, table: str) -> Estimate:
    """Return by how much ClusteringTree leads in cross-validated Rand, mean over pair counts."""
    rows = rivals(frame)
    rows = rows[(rows["table"] == table) & (rows["n_pairs"] > 0) & (rows["n_folds"] > 0)]
    by_set = rows.groupby("repeat")["cv_lead"].mean()
    if not by_set.notna().any():
        raise NotTestableError(f"there are no cross-validated results for {title(table)}.")
    return estimate(f"{title(table)}: lead of ClusteringTree in cross-validated Rand", by_set)


def leads_by_count(frame: DataFrame, table: str) -> str:
    """Return how ClusteringTree leads with the fewest and the most pairs, for a sentence."""
    rows = rivals(frame)
    rows = rows[(rows["table"] == table) & (rows["n_pairs"] > 0)]
    means = rows.groupby("n_pairs")["cv_lead"].mean().dropna()
    return " and ".join(
        f"{means[n]:+.3f} at {n:,} pairs" for n in (min(means.index), max(means.index))
    )


def standing(lead: Estimate) -> str:
    """Return whether a lead is "better", "worse" or "comparable"."""
    if lead.low > 0 and lead.value >= VISIBLE:
        return "better"
    return "worse" if lead.high < 0 and lead.value <= -VISIBLE else "comparable"


def standings(frame: DataFrame) -> dict[str, tuple[str, Estimate]]:
    """Return how ClusteringTree stands in cross-validation on each table, with its lead."""
    leads = {table: cross_validated_lead(frame, table) for table in tables_of(frame)}
    return {table: (standing(lead), lead) for table, lead in leads.items()}


def paired_rand(frame: DataFrame, table: str) -> DataFrame:
    """Return the Rand indices of tree and COP-k-means on all data, a row for each set of both."""
    import pandas as pd

    keys = ["n_pairs", "repeat"]
    own = frame[(frame["table"] == table) & (frame["method"] == "tree")]
    other = rivals(frame)
    other = other[other["table"] == table]
    pairs: DataFrame = pd.merge(
        own[[*keys, "rand"]], other[[*keys, "rand"]], on=keys, suffixes=("_tree", "_cop")
    )
    return pairs


def far_end(frame: DataFrame, table: str) -> tuple[int, Estimate]:
    """Return the most pairs for which COP-k-means clusters half of the sets, and its lead there."""
    pairs = paired_rand(frame, table)
    shares = pairs.groupby("n_pairs")["rand_cop"].agg(lambda values: values.notna().mean())
    if not (shares >= 0.5).any():
        raise NotTestableError(f"COP-k-means clusters no half of the sets for {title(table)}.")
    most = int(max(shares.index[shares >= 0.5]))
    there = pairs[pairs["n_pairs"] == most]
    name = f"{title(table)}: lead of COP-k-means in Rand on all data, {most:,} pairs"
    return most, estimate(name, there["rand_cop"] - there["rand_tree"])


def trees(frame: DataFrame, table: str) -> DataFrame:
    """Return the rows of ClusteringTree on one table."""
    return frame[(frame["table"] == table) & (frame["method"] == "tree")]


def figures(estimates: dict[str, Any]) -> str:
    """Return tables with a figure each, for a sentence."""
    return ", ".join(f"{title(table)} {value}" for table, value in estimates.items())
