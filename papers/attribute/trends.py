"""Claims of one shape: something rises or falls with a parameter of the generator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from papers._claim import Estimate, Finding, holds_if
from papers._results import Results
from papers.attribute.grids import KINDS
from papers.attribute.measures import WORDS, Study, above, below

if TYPE_CHECKING:
    from pandas import DataFrame

Direction = Literal["rises", "falls"]


class Trend(NamedTuple):
    """What is said to rise or fall, on the data of which kind of rule."""

    kind: str
    measure: str
    direction: Direction

    def shown_by(self, measured: Estimate) -> bool:
        """Return whether the interval is on the claimed side of 0."""
        return above(measured) if self.direction == "rises" else below(measured)


def trends(
    study: Study,
    claimed: Sequence[Trend],
    *,
    least: int | None = None,
    remark: Callable[[DataFrame, str], str] = lambda table, kind: "",
) -> Callable[[Results], Finding]:
    """Return the test that all of these trends are there, from the value `least` on.

    The remark on the last of them ends the explanation.
    """

    def test(results: Results) -> Finding:
        estimates, parts = [], []
        for trend in claimed:
            table = study.compared(results, trend.kind)
            table = table[table[study.parameter] >= (least or 0)]
            name = f"{WORDS[trend.measure]} ({trend.kind})"
            estimates.append(study.trend(table, trend.measure, name))
            parts.append(f"{name} {went(estimates[-1])}: {study.means(table, trend.measure)}")
        agree = [trend.shown_by(each) for trend, each in zip(claimed, estimates, strict=True)]
        explanation = (
            f"{study.places(table)}, {'; '.join(parts)}. {remark(table, trend.kind)}".strip()
        )
        return Finding(holds_if(all(agree)), tuple(estimates), explanation)

    return test


def went(measured: Estimate) -> str:
    """Return which way something went."""
    return "rising" if above(measured) else "falling" if below(measured) else "without a sure trend"


def both(measure: str, direction: Direction) -> tuple[Trend, ...]:
    """Return a trend that is claimed for both kinds of rule."""
    return tuple(Trend(kind, measure, direction) for kind in KINDS)
