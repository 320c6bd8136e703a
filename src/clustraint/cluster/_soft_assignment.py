"""Assignment that may violate pairs, at a price."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np

from clustraint.cluster._assignment import Assigner
from clustraint.constraints import Constraints
from clustraint.kernels.soft_assignment import sweep
from clustraint.typing import BoolArray, FloatArray, FloatingArray, IntArray

# Each sweep that moves anything lowers the total, so that only rounding could go on for ever.
MAX_SWEEPS = 100


class SoftPairs(NamedTuple):
    """Must-links and cannot-links among the samples that they speak of."""

    samples: IntArray  # (n_nodes,), in rising order
    rows: IntArray  # (n_pairs, 2), places in `samples`
    apart: BoolArray  # (n_pairs,), whether it is a cannot-link
    weights: FloatArray  # (n_pairs,)

    @classmethod
    def from_constraints(cls, constraints: Constraints) -> Self:
        """Return all pairs, contradictory ones too."""
        must_link, cannot_link = (constraints.links[kind] for kind in ("must_link", "cannot_link"))
        rows = np.concatenate((must_link.rows, cannot_link.rows))
        samples, places = np.unique(rows, return_inverse=True)
        apart = np.arange(len(rows)) >= len(must_link.rows)
        weights = np.concatenate((must_link.weights, cannot_link.weights))
        return cls(samples, places.reshape(-1, 2).astype(np.int64), apart, weights)


class MovingGroups(NamedTuple):
    """Nodes that move together, in the order in which they do."""

    start: IntArray
    members: IntArray
    order: IntArray

    @classmethod
    def from_labels(cls, labels: IntArray, rng: np.random.Generator) -> Self:
        """Return nodes of equal labels as groups, in random order."""
        _, groups = np.unique(labels, return_inverse=True)
        n_groups = int(groups.max(initial=-1)) + 1
        start = np.searchsorted(np.sort(groups), np.arange(n_groups + 1)).astype(np.int64)
        members = np.argsort(groups, kind="stable")
        return cls(start, members, rng.permutation(n_groups))


class Soft(Assigner):
    """Nodes move one group after the other until no move lowers distances plus prices.

    Each call goes on from the clusters of the one before, so that a run never loses ground; at
    first, neighbours that have no cluster yet have no say (iterated conditional modes, as Basu,
    Banerjee & Mooney 2004 and Bilenko, Basu & Mooney 2004 assign samples).

    Parameters
    ----------
    pairs : SoftPairs
        The nodes and their pairs.
    prices : ndarray of shape (n_pairs, n_clusters)
        What a violated pair costs by the clusters of its ends: a cannot-link that of the cluster of
        both, a must-link the mean of the two.
    weights : ndarray of shape (n_nodes,)
        How often the distance of each node counts.
    levels : sequence of MovingGroups
        What moves together: each level in turn, until none moves.
    """

    def __init__(
        self,
        pairs: SoftPairs,
        prices: FloatingArray,
        weights: FloatingArray,
        levels: tuple[MovingGroups, ...],
    ) -> None:
        self.pairs = pairs
        self.prices = prices
        self.weights = weights[:, np.newaxis]
        self.levels = levels
        self.labels = np.full(len(pairs.samples), -1, np.int64)
        ends = np.concatenate((pairs.rows[:, 0], pairs.rows[:, 1]))
        order = np.argsort(ends, kind="stable")
        self._start = np.searchsorted(ends[order], np.arange(len(pairs.samples) + 1))
        self._others = np.concatenate((pairs.rows[:, 1], pairs.rows[:, 0]))[order]
        self._edges = np.tile(np.arange(len(pairs.rows)), 2)[order]

    def assign(self, costs: FloatingArray) -> IntArray:
        """Return the cluster of each node; nothing fails."""
        table = np.ascontiguousarray(costs * self.weights, np.float64)
        graph = (self._start, self._others, self._edges, self.pairs.apart, self.prices)
        for _ in range(MAX_SWEEPS):
            moves = [sweep(table, *graph, *groups, self.labels) for groups in self.levels]
            if not any(moves):
                break
        return self.labels.copy()

    def price(self, labels: IntArray) -> float:
        """Return what the violated pairs cost."""
        first, second = labels[self.pairs.rows].T
        every = np.arange(len(self.prices))
        mean = (self.prices[every, first] + self.prices[every, second]) / 2
        return float(mean[(first == second) == self.pairs.apart].sum())
