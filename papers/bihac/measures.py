"""Differences between methods and settings, paired within each sample of labels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from papers._estimate import Estimate, estimate
from papers.bihac.data import KNOWN, NO_SUBTREE
from papers.bihac.methods import HAC

if TYPE_CHECKING:
    from pandas import DataFrame, Series

MEASURES = {
    "h_all": "H-correlation",
    "leaf_f": "F of leaf classes",
    "higher_f": "F of higher classes",
}
UNLABELLED = {"h_correlation": "H-correlation, unlabelled documents"}
SAMPLE = ["collection", "repeat"]
FIT = ["collection", "per_class", "rate", "updates", "repeat"]


def scores(rows: DataFrame, measure: str, *settings: int) -> DataFrame:
    """Return a measure with a column for each method and a row for each cell of some settings."""
    cell = ["collection", "setting", "per_class", "repeat", "method"]
    part = rows[rows["setting"].isin(settings or (KNOWN,))]
    return part.set_index(cell)[measure].astype(float).unstack("method")


def gain(rows: DataFrame, measure: str, method: str, *settings: int, over: str = HAC) -> Series:
    """Return a method's mean gain over another in each sample of labels; setting (1) by default."""
    table = scores(rows, measure, *settings)
    return by_sample(table[method] - table[over])


def by_sample(figures: Series) -> Series:
    """Return the mean over all numbers of labels in each sample of labels."""
    return figures.dropna().groupby(level=SAMPLE, sort=False).mean()


def change(rows: DataFrame, measure: str, method: str) -> Series:
    """Return by how much a method's gain changes from setting (1) to (3)."""
    before, after = (gain(rows, measure, method, setting) for setting in (KNOWN, NO_SUBTREE))
    return after - before


def slope(rows: DataFrame, measure: str, method: str, setting: int = KNOWN) -> Series:
    """Return by how much a method's gain over HAC grows with each doubling of the labels."""
    table = scores(rows, measure, setting)
    gains = (table[method] - table[HAC]).dropna()
    return gains.groupby(level=SAMPLE, sort=False).apply(_slope)


def _slope(gains: Series) -> float:
    doublings = np.log2(gains.index.get_level_values("per_class").to_numpy(float))
    return float(np.polyfit(doublings, gains.to_numpy(), 1)[0])


def share_kept(name: str, before: Series, after: Series) -> Estimate:
    """Return which share of a mean gain is left; the bootstrap resamples samples of labels."""
    pairs = np.stack((before, after.reindex(before.index)))

    def share(drawn: Any) -> float:
        first, last = pairs[:, drawn.astype(int)].mean(axis=1)
        return float(last / first) if first else 0.0

    return estimate(name, np.arange(pairs.shape[1], dtype=float), share)


def unlabelled(rows: DataFrame) -> DataFrame:
    """Return rows in which the H-correlation is that of documents without labels."""
    return rows.assign(h_all=rows["h_correlation"])


def instead(collection: str, tables: Sequence[str]) -> Callable[[DataFrame], DataFrame]:
    """Return what puts one collection in the place of those that a claim is about."""
    return partial(_renamed, collection, tuple(tables))


def _renamed(collection: str, tables: tuple[str, ...], rows: DataFrame) -> DataFrame:
    # A claim about several collections pools their samples: here they share out those of the one.
    part = rows[rows["collection"] == collection]
    return part.assign(collection=[tables[each % len(tables)] for each in part["repeat"]])


def kept(rows: DataFrame, most_runs: int | None = None) -> DataFrame:
    """Return the first run of the lowest error of each fit, among its first runs."""
    part = rows if most_runs is None else rows[rows["run"] < most_runs]
    ordered = part.sort_values(["error", "run"], kind="stable")
    return ordered.groupby(FIT, sort=False).head(1).set_index(FIT).sort_index()


def rank_correlation(rows: DataFrame) -> float:
    """Return that of the error on the constraints and the error on all documents, over runs."""
    if rows["error"].nunique() < 2 or rows["h_all"].nunique() < 2:
        return float("nan")
    return float(rows["error"].rank().corr((1 - rows["h_all"]).rank()))


def each(figures: Series) -> str:
    """Return the mean of each collection, in words."""
    means = figures.groupby(level="collection", sort=False).mean()
    return ", ".join(f"{value:+.3f} on {name}" for name, value in means.items())
