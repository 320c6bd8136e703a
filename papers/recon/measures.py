"""What claims are made of: differences within runs, spreads over runs, verdicts over tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from clustraint.wording import listed
from papers._claim import Finding, verdict_among
from papers._estimate import Estimate, estimate
from papers._exceptions import NotTestableError
from papers.recon.tables import TITLES

if TYPE_CHECKING:
    from pandas import DataFrame, Series

Values: TypeAlias = NDArray[np.float64]
ByTable: TypeAlias = Mapping[str, tuple[Estimate, ...]]


def wide(frame: DataFrame, value: str = "f") -> DataFrame:
    """Return a value with a row for each table, share and repetition, a column for each scheme."""
    return frame.pivot_table(index=["table", "share", "repeat"], columns="scheme", values=value)


def with_triplets(frame: DataFrame) -> DataFrame:
    """Return the rows of cells with any triplets."""
    return frame[frame["share"] > 0]


def run_means(values: Series, table: str) -> Values:
    """Return the means over all amounts of triplets, one for each run on a table."""
    if table not in values.index.get_level_values("table"):
        return np.empty(0)
    return np.asarray(values.xs(table, level="table").groupby(level="repeat").mean(), float)


def gains(
    frame: DataFrame, better: str, worse: str, tables: Sequence[str], label: str = ""
) -> dict[str, tuple[Estimate, ...]]:
    """Return for each table by how much F one scheme is above another, paired within runs."""
    table_of_f = wide(with_triplets(frame))
    return differences(
        table_of_f[better] - table_of_f[worse], tables, label or f"{better} above {worse}"
    )


def differences(
    values: Series, tables: Sequence[str], label: str
) -> dict[str, tuple[Estimate, ...]]:
    """Return the mean of paired differences over the amounts, with its interval, by table."""
    estimates = {table: run_means(values, table) for table in tables}
    return {
        table: (estimate(f"{TITLES[table]}: {label}, F", means),)
        for table, means in estimates.items()
        if len(means)
    }


def change(frame: DataFrame, scheme: str, table: str, low: float, high: float) -> Values:
    """Return the change of F from one share to another within each run, empty if one is absent."""
    rows = frame[(frame["table"] == table) & (frame["scheme"] == scheme)]
    curve = rows.pivot_table(index="repeat", columns="share", values="f")
    if not {low, high} <= set(curve.columns):
        return np.empty(0)
    return np.asarray((curve[high] - curve[low]).dropna(), float)


def runs_by_share(frame: DataFrame, scheme: str, table: str) -> Values:
    """Return F of a scheme, a row for each run that has all amounts, a column for each amount."""
    rows = frame[(frame["table"] == table) & (frame["scheme"] == scheme)]
    return np.asarray(rows.pivot_table(index="repeat", columns="share", values="f").dropna(), float)


def over_runs(name: str, n_runs: int, statistic: Callable[[NDArray[np.int64]], float]) -> Estimate:
    """Return a statistic of a choice of runs, with the interval that resampling runs gives."""
    return estimate(name, np.arange(n_runs), lambda runs: statistic(runs.astype(np.int64)))


def joined(*parts: ByTable) -> dict[str, tuple[Estimate, ...]]:
    """Return the estimates of several comparisons by table."""
    tables = dict.fromkeys(table for part in parts for table in part)
    return {table: tuple(one for part in parts for one in part.get(table, ())) for table in tables}


def above(least: float = 0.0) -> Callable[[Estimate], bool]:
    """Return the test that a mean is at least so much, and its interval above 0."""
    return lambda measurement: measurement.value >= least and measurement.low > 0


def within(most: float) -> Callable[[Estimate], bool]:
    """Return the test that a mean is at most so far from 0."""
    return lambda measurement: abs(measurement.value) <= most


def judged(
    measurements: ByTable,
    test: Callable[[Estimate], bool],
    wanted: Sequence[str],
    *,
    least: int | None = None,
    because: str = "",
) -> Finding:
    """Return the finding of a claim about several tables.

    Parameters
    ----------
    found : mapping of str to tuple of Estimate
        What was measured, by table; all of a table's figures must pass.
    test : callable
        Whether a figure is as the claim says.
    wanted : sequence of str
        The tables that the claim is about.
    least : int, optional
        How many of them must pass; default: all.
    because : str
        What else the data say about it.

    Returns
    -------
    Finding
        Not testable where absent tables could turn the verdict.
    """
    if not any(table in measurements for table in wanted):
        raise NotTestableError(f"none of {_names(wanted)} has results")
    passed = [
        table for table in wanted if table in measurements and all(map(test, measurements[table]))
    ]
    failed = [table for table in wanted if table in measurements and table not in passed]
    absent = [table for table in wanted if table not in measurements]
    verdict = verdict_among(len(passed), len(failed), len(wanted), least)
    estimates = tuple(one for table in wanted for one in measurements.get(table, ()))
    return Finding(verdict, estimates, _sentences(measurements, passed, failed, absent, because))


def _sentences(
    estimates: ByTable, passed: list[str], failed: list[str], absent: list[str], because: str
) -> str:
    parts = []
    if passed:
        parts.append(f"As claimed on {_listed(estimates, passed)}.")
    if failed:
        parts.append(f"Not on {_listed(estimates, failed)}.")
    if absent:
        parts.append(f"No results for {_names(absent)}.")
    return " ".join([*parts, because]).strip()


def _listed(estimates: ByTable, tables: Sequence[str]) -> str:
    return listed(
        f"{TITLES[table]} ({listed(figure(one.value) for one in estimates[table])})"
        for table in tables
    )


def _names(tables: Sequence[str]) -> str:
    return listed(TITLES[table] for table in tables)


def figure(value: Any) -> str:
    """Return a number for a sentence."""
    return f"{float(value):.3g}" if abs(value) >= 1000 else f"{float(value):.3f}"


def share_of(numbers: Any) -> str:
    """Return the mean of a share for a sentence, in per cent."""
    return f"{100 * float(np.mean(numbers)):.1f} %"
