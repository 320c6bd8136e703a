"""The constraints of one kind as arrays, and what can be done with these."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

IntArray: TypeAlias = NDArray[np.int64]
FloatArray: TypeAlias = NDArray[np.float64]
BoolArray: TypeAlias = NDArray[np.bool_]

# The kinds that are rows of samples, and how many samples each row has.
WIDTHS = {"must_link": 2, "cannot_link": 2, "triplets": 3}


class Links(NamedTuple):
    """The constraints of one kind: a row of samples and a weight for each."""

    rows: IntArray
    weights: FloatArray

    def select(self, chosen: BoolArray | IntArray) -> Links:
        """Return the rows that a mask or a list of row numbers chooses."""
        return Links(self.rows[chosen], self.weights[chosen])


def in_order(rows: IntArray) -> IntArray:
    """Return rows whose first two members, which may change places, are in rising order."""
    rows = np.ascontiguousarray(rows)
    rows[:, :2].sort(axis=1)
    return rows


def reindexed(links: Links, new: IntArray) -> Links:
    """Return the rows whose samples all have a new number, which is -1 for those that leave."""
    rows = new[links.rows]
    inside = (rows >= 0).all(axis=1)
    return Links(in_order(rows[inside]), links.weights[inside])


def records(links: Links) -> Any:
    """Return rows and weights as records that can be sorted and compared."""
    width = links.rows.shape[1]
    records = np.empty(
        len(links.rows), [(f"sample{i}", np.int64) for i in range(width)] + [("weight", float)]
    )
    for i in range(width):
        records[f"sample{i}"] = links.rows[:, i]
    records["weight"] = links.weights
    return records


def union(mine: Links, theirs: Links) -> Links:
    """Return all of both; what both say is said as often as the one says it that says it more."""
    both = Links(
        np.concatenate((mine.rows, theirs.rows)), np.concatenate((mine.weights, theirs.weights))
    )
    _, said = np.unique(records(both), return_inverse=True)
    split = len(mine.rows)
    mine_said = np.bincount(said[:split], minlength=len(said))
    new = _occurrence(said[split:]) >= mine_said[said[split:]]
    return both.select(np.concatenate((np.ones(split, bool), new)))


def _occurrence(values: IntArray) -> IntArray:
    """Return for each value how many equal ones come before it."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    first = np.searchsorted(ordered, ordered)
    counts = np.empty(len(values), np.int64)
    counts[order] = np.arange(len(values)) - first
    return counts
