"""The constraints of one kind as arrays, and what can be done with these."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from clustraint.typing import BoolArray, FloatArray, IntArray

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


def in_canonical_order(links: Links) -> Links:
    """Return the rows sorted by their members, then by weight."""
    return links.select(np.lexsort((links.weights, *links.rows.T[::-1])))


def union(mine: Links, theirs: Links) -> Links:
    """Return all of both; what both say is said as often as the one says it that says it more."""
    both = Links(
        np.concatenate((mine.rows, theirs.rows)), np.concatenate((mine.weights, theirs.weights))
    )
    said = _statements(both)
    split = len(mine.rows)
    mine_said = np.bincount(said[:split], minlength=len(said))
    new = _occurrence(said[split:]) >= mine_said[said[split:]]
    return both.select(np.concatenate((np.ones(split, bool), new)))


def _statements(links: Links) -> IntArray:
    """Return a number for each row that equals that of the rows which say the same."""
    order = np.lexsort((links.weights, *links.rows.T[::-1]))
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
