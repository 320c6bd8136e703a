"""Comparisons of methods: paired gains, and how many constraints reach an accuracy."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from clustraint.typing import FloatArray
from papers._estimate import Estimate, estimate

if TYPE_CHECKING:
    from pandas import DataFrame


# A mean over fewer runs than this is no point of a curve: COP-k-means may fail in nearly all.
FEWEST_RUNS = 3
N_LEVELS = 5


def runs(frame: DataFrame, method: str, field: str = "cri") -> DataFrame:
    """Return what a method measured: repetitions as rows, numbers of constraints as columns.

    Parameters
    ----------
    frame : pandas.DataFrame
        The records of one table and one mix.
    method : str
        Which.
    field : str
        The field; runs that failed, or had nothing to measure, are nan.
    """
    own = frame[frame["method"] == method]
    return own.pivot(index="repeat", columns="n_pairs", values=field).astype(float)


def differences(frame: DataFrame, one: str, other: str, field: str = "cri") -> DataFrame:
    """Return by how much a method is ahead of another, run by run; nan where either has nothing."""
    return runs(frame, one, field) - runs(frame, other, field)


def mean_lead(name: str, frame: DataFrame, one: str, other: str, field: str = "cri") -> Estimate:
    """Return the lead of a method over all numbers of constraints above 0, on the same constraints.

    It is averaged over the numbers first, so that a repetition is one measurement.
    """
    return estimate(name, _row_means(differences(frame, one, other, field)))


def errors_avoided(name: str, frame: DataFrame, one: str, other: str) -> Estimate:
    """Return the share of the other's wrong decisions that a method avoids on the same constraints.

    Over all numbers of constraints above 0 and all runs in which both have an accuracy. The
    bootstrap resamples repetitions.
    """
    ours, theirs = (1 - runs(frame, method).drop(columns=0) for method in (one, other))
    both = ours.notna() & theirs.notna()
    sums = [np.asarray(wrong.where(both).sum(axis=1)) for wrong in (ours, theirs)]
    repeats = np.flatnonzero(both.any(axis=1)).astype(float)
    return estimate(name, repeats, _avoided(*sums))


def _avoided(ours: FloatArray, theirs: FloatArray) -> Callable[[FloatArray], float]:
    def avoided(drawn: FloatArray) -> float:
        rows = drawn.astype(int)
        wrong = float(theirs[rows].sum())
        return 1 - float(ours[rows].sum()) / wrong if wrong else 0.0

    return avoided


def mean_gain(name: str, frame: DataFrame, method: str) -> Estimate:
    """Return what constraints bring over none, averaged over all numbers of them above 0."""
    return estimate(name, gains(frame, method))


def gains(frame: DataFrame, method: str) -> FloatArray:
    """Return for each repetition what constraints bring over none, on average."""
    measured = runs(frame, method)
    return _row_means(measured.sub(measured[0], axis=0))


def gain_at(name: str, frame: DataFrame, method: str, n_pairs: int) -> Estimate:
    """Return what so many constraints bring over none."""
    measured = runs(frame, method)
    return estimate(name, measured[n_pairs] - measured[0])


def _row_means(table: DataFrame) -> FloatArray:
    return np.asarray(table[[count for count in table.columns if count > 0]].mean(axis=1))


def needed(counts: FloatArray, curve: FloatArray, level: float) -> float:
    """Return at how many constraints a curve first reaches a level, straight lines between points.

    Where it never does, the largest number that was measured; never less than 1. Points that are
    nan are left out.

    Examples
    --------
    >>> import numpy as np
    >>> needed(np.array([0.0, 10.0, 30.0]), np.array([0.5, 0.6, 1.0]), 0.8)
    20.0
    """
    present = ~np.isnan(curve)
    places, heights = counts[present], curve[present]
    above = np.flatnonzero(heights >= level)
    if not len(above):
        return float(counts[-1])
    after = above[0]
    if after == 0:
        return 1.0
    step = (level - heights[after - 1]) / (heights[after] - heights[after - 1])
    reached = places[after - 1] + step * (places[after] - places[after - 1])
    return max(1.0, float(reached))


def share_needed(name: str, frame: DataFrame, one: str, other: str) -> Estimate:
    """Return the share of the other's constraints with which a method is as accurate.

    The median over five levels, evenly spaced between the higher of both accuracies without
    constraints and the highest mean of either, both left out. A level that a method never reaches
    counts as reached at the largest number that was measured: where the other never gets there
    the share is overstated, where the method does not it is 1 or more. The bootstrap resamples
    repetitions.
    """
    repeats, share = _share_of(frame, one, other)
    return estimate(name, repeats, share)


def share_value(frame: DataFrame, one: str, other: str) -> float:
    """Return what `share_needed` does, without an interval."""
    repeats, share = _share_of(frame, one, other)
    return share(repeats)


def _share_of(
    frame: DataFrame, one: str, other: str
) -> tuple[FloatArray, Callable[[FloatArray], float]]:
    """Return the numbers of the repetitions, and the share as a function of those drawn."""
    ours, theirs = runs(frame, one), runs(frame, other)
    repeats = ours.index.intersection(theirs.index)
    first, second = (np.asarray(part.loc[repeats]) for part in (ours, theirs))
    counts = np.asarray(ours.columns, float)
    levels = _levels(mean_curve(first), mean_curve(second))
    return np.arange(len(repeats), dtype=float), _share(counts, first, second, levels)


def _levels(first: FloatArray, second: FloatArray) -> FloatArray:
    low = max(first[0], second[0])
    return np.linspace(low, max(np.nanmax(first), np.nanmax(second)), N_LEVELS + 2)[1:-1]


def _share(
    counts: FloatArray, first: FloatArray, second: FloatArray, levels: FloatArray
) -> Callable[[FloatArray], float]:
    """Return the median share as a function of the repetitions drawn."""

    def share(drawn: FloatArray) -> float:
        rows = drawn.astype(int)
        ours, theirs = mean_curve(first[rows]), mean_curve(second[rows])
        shares = [needed(counts, ours, level) / needed(counts, theirs, level) for level in levels]
        return float(np.median(shares))

    return share


def mean_curve(measured: FloatArray) -> FloatArray:
    """Return the mean of each column, nan where fewer than three runs have a value."""
    present = ~np.isnan(measured)
    counts = present.sum(axis=0)
    sums = np.where(present, measured, 0).sum(axis=0)
    enough = counts >= min(FEWEST_RUNS, len(measured))
    return np.where(enough, sums / np.maximum(counts, 1), np.nan)


def fallback(frame: DataFrame, method: str) -> DataFrame:
    """Return the accuracies of a method; runs that fail count with what it has without any."""
    measured = runs(frame, method)
    return measured.T.fillna(measured[0]).T


def lost(frame: DataFrame, method: str) -> FloatArray:
    """Return what is lost at the largest number of constraints against a method's best number."""
    measured = fallback(frame, method)
    return np.asarray(measured[measured.mean().idxmax()] - measured[measured.columns[-1]])
