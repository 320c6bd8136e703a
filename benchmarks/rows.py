"""What is measured: rows of two callables and the ratio that they should reach."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Call = Callable[[], Any]


@dataclass(frozen=True)
class Bound:
    """A bound on the ratio of the two times."""

    factor: float
    faster: bool

    def __str__(self) -> str:
        return f"≥ {self.factor:g}× faster" if self.faster else f"≤ {self.factor:g}× the time"

    def ratio(self, ours: float, peer: float) -> float:
        """Return peer / ours where we should be faster, ours / peer otherwise."""
        return peer / ours if self.faster else ours / peer

    def is_met(self, ratio: float) -> bool:
        return ratio >= self.factor if self.faster else ratio <= self.factor


def at_least(factor: float) -> Bound:
    """Ours is to be at least `factor` times faster than the peer."""
    return Bound(factor, faster=True)


def at_most(factor: float) -> Bound:
    """Ours is to take at most `factor` times the time of the peer."""
    return Bound(factor, faster=False)


@dataclass(frozen=True)
class Reference:
    """A peer's time that is known but not measured here."""

    seconds: float
    source: str


@dataclass(frozen=True)
class Contest:
    """The two sides, prepared: only the calls are measured.

    `verify` gets both results of the warm-up and raises where they disagree; `remark` says in
    words what else these show.
    """

    ours: Call
    peer: Call | Reference | None
    verify: Callable[[Any, Any], None] | None = None
    remark: Callable[[Any, Any], str] | None = None


@dataclass(frozen=True)
class Row:
    """One line of the table.

    `prepare` gets True where a smaller input will do, by which `quick_target` is judged where
    there is one. A peer with a `peer_limit` (seconds) runs in a process of its own, which is ended
    when they have passed, and is not repeated beyond them.
    """

    name: str
    target: Bound
    prepare: Callable[[bool], Contest]
    peer_name: str = "peer"
    peer_limit: float | None = None
    quick_target: Bound | None = None


REGISTRY: dict[str, Row] = {}


def row(
    name: str,
    target: Bound,
    *,
    peer_name: str = "peer",
    peer_limit: float | None = None,
    quick: Bound | None = None,
) -> Callable[[Callable[[bool], Contest]], Callable[[bool], Contest]]:
    """Register the function below as what prepares the row `name`."""

    def register(prepare: Callable[[bool], Contest]) -> Callable[[bool], Contest]:
        if name in REGISTRY:
            raise ValueError(f"there are two rows called {name!r}")
        REGISTRY[name] = Row(name, target, prepare, peer_name, peer_limit, quick)
        return prepare

    return register
