"""A measured figure with its bootstrap interval."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

N_RESAMPLES = 2000


@dataclass(frozen=True)
class Estimate:
    """A measured figure with its bootstrap interval.

    Attributes
    ----------
    name : str
        What was measured, in words, with its unit.
    value : float
        The mean (or other statistic) of what was measured.
    low, high : float
        The 95 % percentile interval of the bootstrap.
    n : int
        How many independent measurements it rests on.

    Examples
    --------
    >>> print(Estimate("gain in Rand", 0.125, 0.1, 0.15, 60))
    gain in Rand: 0.125 (0.100 to 0.150, n = 60)
    """

    name: str
    value: float
    low: float
    high: float
    n: int

    def __str__(self) -> str:
        return f"{self.name}: {self.figures}"

    @property
    def figures(self) -> str:
        """The value, its interval and what it rests on."""
        interval = f"{digits(self.low)} to {digits(self.high)}, " if self.n > 1 else ""
        return f"{digits(self.value)} ({interval}n = {self.n:,})"


def digits(value: float) -> str:
    """Return a figure with the digits that a reader needs.

    Examples
    --------
    >>> digits(0.12345), digits(43.21), digits(1087.4), digits(-0.0001)
    ('0.123', '43.2', '1,087', '0.000')
    """
    if abs(value) < 10:
        return f"{value:z.3f}"
    return f"{value:,.1f}" if abs(value) < 1e3 else f"{value:,.0f}"


def estimate(
    name: str,
    values: ArrayLike,
    statistic: Callable[[NDArray[np.float64]], float] = np.mean,
) -> Estimate:
    """Return a statistic of independent measurements with its 95 % bootstrap interval.

    Parameters
    ----------
    name : str
        What was measured, in words.
    values : array-like of shape (n_measurements,)
        Independent measurements; nan are left out. For a comparison of two methods on the same
        constraint sets give the paired differences.
    statistic : callable, default numpy.mean
        Gives a number for an array.

    Returns
    -------
    Estimate
        The same for the same values.

    Examples
    --------
    >>> estimate("length", [1.0, 1.0, 4.0]).value
    2.0
    """
    present = np.asarray(values, dtype=float)
    present = present[~np.isnan(present)]
    if not len(present):
        return Estimate(name, float("nan"), float("nan"), float("nan"), 0)
    low, high = np.percentile(_resampled(present, statistic), [2.5, 97.5])
    return Estimate(name, float(statistic(present)), float(low), float(high), len(present))


def exact(name: str, value: float) -> Estimate:
    """Return a figure that was counted, not drawn.

    Examples
    --------
    >>> print(exact("rows", 150))
    rows: 150.0 (n = 1)
    """
    return Estimate(name, float(value), float(value), float(value), 1)


def _resampled(
    values: NDArray[np.float64], statistic: Callable[[NDArray[np.float64]], float]
) -> NDArray[np.float64]:
    """Return the statistic of each resample, drawn some at a time."""
    rng = np.random.default_rng(0)
    at_once = max(1, min(N_RESAMPLES, 10**6 // len(values)))
    parts = []
    for start in range(0, N_RESAMPLES, at_once):
        count = min(at_once, N_RESAMPLES - start)
        draws = values[rng.integers(len(values), size=(count, len(values)))]
        # Means, nearly all that is asked for, are taken at once: that is fifty times as fast.
        parts.append(
            draws.mean(axis=1)
            if statistic is np.mean
            else np.array([statistic(draw) for draw in draws])
        )
    return np.concatenate(parts)
