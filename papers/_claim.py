"""A claim of a paper: its words, how it is tested, and what came of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from papers._results import Results

N_RESAMPLES = 2000


class Verdict(StrEnum):
    """What became of a claim.

    Examples
    --------
    >>> print(Verdict.FAILS)
    does not hold
    """

    HOLDS = "holds"
    FAILS = "does not hold"
    UNTESTABLE = "not testable here"


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
        interval = f"{_digits(self.low)} to {_digits(self.high)}, " if self.n > 1 else ""
        return f"{_digits(self.value)} ({interval}n = {self.n:,})"


def _digits(value: float) -> str:
    return (
        f"{value:.3f}"
        if abs(value) < 10
        else f"{value:,.1f}"
        if abs(value) < 1e3
        else f"{value:,.0f}"
    )


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


@dataclass(frozen=True)
class Finding:
    """What came of a claim.

    Attributes
    ----------
    verdict : Verdict
        Whether it holds here.
    estimates : tuple of Estimate
        The measured figures, those that decide first.
    explanation : str
        A sentence from the data: why the verdict is what it is.

    Examples
    --------
    >>> from papers import Finding, Verdict
    >>> print(Finding(Verdict.HOLDS, (), "It won on 6 of 6 tables.").verdict)
    holds
    """

    verdict: Verdict
    estimates: tuple[Estimate, ...]
    explanation: str


Test: TypeAlias = Callable[["Results"], Finding]


@dataclass(frozen=True)
class Claim:
    """What a paper says it found, and the computation that tells whether it holds here.

    Attributes
    ----------
    name : str
        Short and unique within the paper.
    quote : str
        The paper's own words.
    where : str
        The section, figure or table of the paper.
    criterion : str
        What is computed, and when the claim is taken to hold, in a sentence.
    needs : tuple of str
        The experiments whose results the test reads; without any of them it is not testable.
    test : callable
        Called with the `Results`; gives the `Finding`. It may raise `NotTestableError`.

    Examples
    --------
    >>> from papers import paper
    >>> all(claim.quote for claim in paper("ccl").claims)
    True
    """

    name: str
    quote: str
    where: str
    criterion: str
    needs: tuple[str, ...]
    test: Test


def holds_if(condition: bool) -> Verdict:
    """Return the verdict of a claim that was tested.

    Examples
    --------
    >>> print(holds_if(True))
    holds
    """
    return Verdict.HOLDS if condition else Verdict.FAILS


def verdict_among(n_passed: int, n_failed: int, n_wanted: int, least: int | None = None) -> Verdict:
    """Return the verdict on a claim about several tables, some of which may have no results.

    Parameters
    ----------
    n_passed, n_failed : int
        For how many it was found to hold, and not to.
    n_wanted : int
        How many it is about.
    least : int, optional
        For how many it must hold; default: all.

    Returns
    -------
    Verdict
        What is certain whatever the tables without results would have shown.

    Examples
    --------
    >>> print(verdict_among(2, 0, 3), verdict_among(2, 0, 3, least=2), sep=", ")
    not testable here, holds
    """
    least = n_wanted if least is None else least
    if n_passed >= least:
        return Verdict.HOLDS
    return Verdict.FAILS if n_wanted - n_failed < least else Verdict.UNTESTABLE
