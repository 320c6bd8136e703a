"""The constraints of one kind as arrays, and what can be done with these."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from clustraint.checks import check_index, read_only
from clustraint.constraints._kinds import KINDS
from clustraint.typing import BoolArray, FloatArray, IntArray


class Links(NamedTuple):
    """The constraints of one kind: a row of samples and a weight for each."""

    rows: IntArray
    weights: FloatArray

    def select(self, chosen: BoolArray | IntArray) -> Links:
        """Return the rows that a mask or a list of row numbers chooses."""
        return Links(self.rows[chosen], self.weights[chosen])

    def chosen(self, kind: str, choice: ArrayLike | None) -> Links:
        """Return the rows that a stranger's mask or list of row numbers chooses, none for None."""
        return self.select(check_index(kind, [] if choice is None else choice, len(self.rows)))


def rows_property(kind: str, meaning: str) -> Any:
    """Return the property that holds the rows of a kind."""

    def rows(self: Any) -> IntArray:
        return read_only(self.links[kind].rows)

    rows.__doc__ = meaning
    return property(rows)


def weights_property(kind: str) -> Any:
    """Return the property that holds the weights of a kind."""

    def weights(self: Any) -> FloatArray:
        return read_only(self.links[kind].weights)

    weights.__doc__ = f"One weight for each {KINDS[kind].noun}."
    return property(weights)


def in_order(kind: str, rows: IntArray) -> IntArray:
    """Return rows whose members that may change places are in rising order."""
    rows = np.ascontiguousarray(rows)
    rows[:, : KINDS[kind].n_symmetric].sort(axis=1)
    return rows


def reindexed(links: Mapping[str, Links], chosen: IntArray) -> dict[str, Links]:
    """Return the rows whose samples are all chosen, numbered by their places among these."""
    # By search, not by a table of all samples: there may be 10⁹ of them, and few are chosen.
    order = np.argsort(chosen, kind="stable")
    ordered = chosen[order]
    result = {}
    for kind, (rows, weights) in links.items():
        places = np.minimum(np.searchsorted(ordered, rows), max(len(ordered) - 1, 0))
        inside = (
            (ordered[places] == rows).all(axis=1) if len(ordered) else np.zeros(len(rows), bool)
        )
        renamed = order[places[inside]] if len(ordered) else rows[:0]
        result[kind] = Links(in_order(kind, renamed), weights[inside])
    return result


def canonical_bytes(links: Mapping[str, Links]) -> tuple[bytes, ...]:
    """Return all rows, sorted by kind, by members and by weight, in a form that is hashable."""
    ordered = (each.select(_canonical_order(each)) for each in links.values())
    return tuple(table.tobytes() for each in ordered for table in each)


def _canonical_order(links: Links) -> IntArray:
    return np.lexsort((links.weights, *links.rows.T[::-1]))


def union(mine: Links, theirs: Links) -> Links:
    """Return all of both; what both have is there as often as in the one with more of it."""
    both = Links(
        np.concatenate((mine.rows, theirs.rows)), np.concatenate((mine.weights, theirs.weights))
    )
    numbers = _statements(both)
    split = len(mine.rows)
    mine_count = np.bincount(numbers[:split], minlength=len(numbers))
    new = _occurrence(numbers[split:]) >= mine_count[numbers[split:]]
    return both.select(np.concatenate((np.ones(split, bool), new)))


def _statements(links: Links) -> IntArray:
    """Return a number for each row that equals that of the rows which say the same."""
    order = _canonical_order(links)
    rows, weights = links.select(order)
    differs = (rows[1:] != rows[:-1]).any(axis=1) | (weights[1:] != weights[:-1])
    numbers = np.empty(len(order), np.int64)
    numbers[order] = np.concatenate(([0], np.cumsum(differs)))[: len(order)]
    return numbers


def _occurrence(values: IntArray) -> IntArray:
    """Return for each value how many equal ones come before it."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    first = np.searchsorted(ordered, ordered)
    counts = np.empty(len(values), np.int64)
    counts[order] = np.arange(len(values)) - first
    return counts
