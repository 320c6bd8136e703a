"""What claims and figures compute with: pairs of clusterings, trends, and lists of means."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import rankdata

from clustraint.wording import listed
from papers._estimate import Estimate, estimate
from papers.attribute.data import NUMBERS

if TYPE_CHECKING:
    from pandas import DataFrame, Series

# The closest reading of the paper.
MAIN = {"radii": "attributes", "way": "paper"}
SYMBOLS = {"n_attributes": "A", "n_rules": "C", "n_literals": "F", "n_samples": "I"}
MEASURES = {"ari": "ari", "rounds": "rounds", "fit_seconds": "time"}
WORDS = {
    "ari_with": "ARI with rules",
    "ari_without": "ARI without rules",
    "gain": "gain in ARI",
    "rounds_with": "number of rounds with rules",
    "rounds_without": "number of rounds without rules",
    "rounds_saved": "number of rounds saved by rules",
    "round_time": "CPU time of a round without rules",
}


def compared(parameter: str, rows: DataFrame) -> DataFrame:
    """Return a row for each data set: what was measured with rules, without, and between."""
    wide = rows.pivot_table(index=[parameter, "dataset"], columns="ruled", values=list(MEASURES))
    names = {True: "with", False: "without"}
    wide.columns = [f"{MEASURES[column]}_{names[ruled]}" for column, ruled in wide.columns]
    table = wide.reset_index().rename(columns={parameter: "x"})
    table.attrs = {"symbol": SYMBOLS[parameter], "kind": rows["kind"].iloc[0]}
    return table.assign(
        gain=table["ari_with"] - table["ari_without"],
        rounds_saved=table["rounds_without"] - table["rounds_with"],
        round_time=table["time_without"] / table["rounds_without"],
    )


def trend(table: DataFrame, measure: str) -> Estimate:
    """Return the mean over data sets of the rank correlation of a measure with what varies."""
    ranks = [_rank_correlation(part["x"], part[measure]) for _, part in table.groupby("dataset")]
    name = f"the rank correlation of {table.attrs['symbol']} and the {WORDS[measure]}"
    return estimate(name, ranks)


def _rank_correlation(x: Series, y: Series) -> float:
    """Return Spearman's correlation, 0 where one of both does not vary."""
    first, second = rankdata(x), rankdata(y)
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return 0.0
    return float(np.corrcoef(first, second)[0, 1])


def by_value(table: DataFrame, measure: str) -> dict[int, Estimate]:
    """Return the mean of a measure for each value of what varies."""
    symbol = table.attrs["symbol"]
    return {
        int(value): estimate(f"the {WORDS[measure]} at {symbol} = {value}", part[measure])
        for value, part in table.groupby("x")
    }


def overall(table: DataFrame, measure: str) -> Estimate:
    """Return the mean of a measure over all values of what varies."""
    means = table.groupby("dataset")[measure].mean()
    return estimate(f"the {WORDS[measure]} over all {table.attrs['symbol']}", means)


def means(table: DataFrame, *measures: str) -> str:
    """Return the means by what varies, in a sentence."""
    values = listed([int(value) for value in sorted(table["x"].unique())])
    lists = [
        f"the {WORDS[measure]} is "
        + ", ".join(f"{mean:.2f}" for mean in table.groupby("x")[measure].mean())
        for measure in measures
    ]
    where = f"At {table.attrs['symbol']} = {values} ({table.attrs['kind']} rules)"
    return f"{where} {'; '.join(lists)}."


def highest(table: DataFrame, measure: str) -> tuple[int, Estimate]:
    """Return where the mean of a measure is largest, and that mean."""
    values = by_value(table, measure)
    best = max(values, key=lambda value: values[value].value)
    return best, values[best]


def wide_of(rows: DataFrame) -> DataFrame:
    """Return the ARI, a row for each repetition and a column for each set of rules."""
    table: DataFrame = rows.pivot(index="repeat", columns="rule_set", values="ari")
    return table


def gains(wide: DataFrame) -> DataFrame:
    """Return what each set of rules gains over none in the same repetition."""
    return wide.sub(wide[""], axis=0).drop(columns="")


def by_size(wide: DataFrame) -> DataFrame:
    """Return the mean ARI over the sets of each size, a row for each repetition."""
    return wide.T.groupby(wide.columns.str.len()).mean().T


def marginal_gains(wide: DataFrame) -> dict[str, Estimate]:
    """Return what each rule adds, on average over all sets of the others."""
    return {
        number: estimate(
            f"what rule {number} adds",
            wide[[name for name in wide if number in name]].mean(axis=1)
            - wide[[name for name in wide if number not in name]].mean(axis=1),
        )
        for number in NUMBERS
    }
