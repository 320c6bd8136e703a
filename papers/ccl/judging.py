"""Verdicts over several data sets, some of which may not be here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from clustraint.wording import listed
from papers._claim import Finding, verdict_among
from papers._estimate import Estimate
from papers._exceptions import NotTestableError

if TYPE_CHECKING:
    from pandas import DataFrame

# What a paper may call substantial, and what it may call much: shares of wrong decisions avoided.
# Accuracies near 1 leave no room for a lead of a fixed size.
SUBSTANTIAL, MUCH = 0.25, 0.5


@dataclass(frozen=True)
class Case:
    """What was found for one data set, or one mix of it.

    Attributes
    ----------
    name : str
        Which, for people.
    holds : bool
        Whether the claim does.
    estimates : tuple of Estimate
        The figures; the first one is quoted in the explanation.
    """

    name: str
    holds: bool
    estimates: tuple[Estimate, ...]

    def __str__(self) -> str:
        return f"{self.name} ({self.estimates[0].value:.2f})"


Judge: TypeAlias = Callable[[str, "DataFrame"], Case]


def cases(frame: DataFrame, tables: Sequence[str], judge: Judge) -> list[Case]:
    """Return what is found for each of the tables that have results.

    Raises
    ------
    NotTestableError
        If none has.
    """
    there = [table for table in tables if (frame["table"] == table).any()]
    if not there:
        raise NotTestableError(f"there are no results for {listed(tables)}")
    return [judge(table, frame[frame["table"] == table]) for table in there]


def finding(
    judged: Sequence[Case], n_wanted: int, *, least: int | None = None, more: str = ""
) -> Finding:
    """Return the verdict on a claim about several data sets.

    Parameters
    ----------
    found : sequence of Case
        Those that could be judged.
    n_wanted : int
        How many the claim is about.
    least : int, optional
        For how many of them it must hold; default: all.
    more : str
        Further sentences of the explanation.
    """
    holding = [case for case in judged if case.holds]
    failing = [case for case in judged if not case.holds]
    estimates = tuple(each for case in judged for each in case.estimates)
    parts = [
        f"It holds for {listed([str(case) for case in holding])}." if holding else "",
        f"It does not for {listed([str(case) for case in failing])}." if failing else "",
        f"{n_wanted - len(judged)} of {n_wanted} could not be run."
        if len(judged) < n_wanted
        else "",
        more,
    ]
    verdict = verdict_among(len(holding), len(failing), n_wanted, least)
    return Finding(verdict, estimates, " ".join(part for part in parts if part))


def above(measured: Estimate, size: float = 0.0) -> bool:
    """Return whether the interval is above 0 and the value at least of that size."""
    return measured.low > 0 and measured.value >= size
