"""What claims are made of: differences within runs, spreads over runs, and shares explained."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from papers._estimate import Estimate, estimate

if TYPE_CHECKING:
    from pandas import DataFrame

Values: TypeAlias = NDArray[np.float64]


def wide(rows: DataFrame) -> DataFrame:
    """Return F with a row for each share above 0 and repetition, a column for each scheme."""
    some = rows[rows["share"] > 0]
    table: DataFrame = some.pivot_table(index=["share", "repeat"], columns="scheme", values="f")
    return table


def by_run(values: Any) -> Values:
    """Return the means over all amounts of triplets, one for each run."""
    return np.asarray(values.dropna().groupby(level="repeat").mean(), float)


def gain(rows: DataFrame, better: str, worse: str) -> Estimate:
    """Return by how much F one scheme is above another, paired within runs."""
    f = wide(rows)
    return estimate(f"F of {better} less that of {worse}", by_run(f[better] - f[worse]))


def source_gap(rows: DataFrame, scheme: str) -> Estimate:
    """Return by how much F is higher with informative triplets than with as many random ones."""
    informative, random = (
        wide(rows[rows["source"] == source])[scheme] for source in ("informative", "random")
    )
    name = f"F of {scheme} less that with as many random triplets"
    return estimate(name, by_run(informative - random))


def curve(rows: DataFrame, scheme: str) -> DataFrame:
    """Return F of a scheme, a row for each run, a column for each share."""
    own = rows[rows["scheme"] == scheme]
    table: DataFrame = own.pivot_table(index="repeat", columns="share", values="f")
    return table


def spreads(rows: DataFrame, scheme: str) -> Values:
    """Return F of a scheme by run and share, shares between 0 and all."""
    table = curve(rows, scheme)
    return np.asarray(table[[share for share in table if share > 0]].dropna(), float)


def over_runs(name: str, n_runs: int, statistic: Callable[[NDArray[np.int64]], float]) -> Estimate:
    """Return a statistic of a choice of runs, with the interval that resampling runs gives."""
    return estimate(name, np.arange(n_runs), lambda runs: statistic(runs.astype(np.int64)))


def spread_gap(name: str, wider: Values, narrower: Values) -> Estimate:
    """Return by how much one standard deviation over runs exceeds another."""
    return over_runs(
        name,
        min(len(wider), len(narrower)),
        lambda runs: float((wider[runs].std(axis=0) - narrower[runs].std(axis=0)).mean()),
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
