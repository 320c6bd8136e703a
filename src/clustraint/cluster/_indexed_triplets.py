"""The triplets that a hierarchy is clustered under, sorted once for all that is asked of them."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from clustraint.hierarchy import Hierarchy
from clustraint.kernels.build import build_tree
from clustraint.kernels.triplet_index import (
    TripletIndex,
    displayed,
    has_repetitions,
    index_triplets,
    pair_nodes,
    resolved_weights,
)
from clustraint.typing import BoolArray, FloatArray, IntArray


class IndexedTriplets:
    """Triplets about samples, with a weight each.

    Parameters
    ----------
    n_samples : int
        How many samples there are.
    rows : int64 ndarray of shape (n_triplets, 3)
        The triplets, a < b in each.
    weights : float64 ndarray of shape (n_triplets,)
        Their weights.
    """

    def __init__(self, n_samples: int, rows: IntArray, weights: FloatArray) -> None:
        self.n_samples = n_samples
        self.rows = rows
        self.weights = weights

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def index(self) -> TripletIndex:
        """The triplets by their pairs."""
        index: TripletIndex = index_triplets(self.n_samples, self.rows)
        return index

    @cached_property
    def samples(self) -> IntArray:
        """The samples that are mentioned."""
        return np.flatnonzero(self.index.places >= 0)

    def select(self, mask: BoolArray) -> IndexedTriplets:
        """Return some of the triplets."""
        return IndexedTriplets(self.n_samples, self.rows[mask], self.weights[mask])

    def displayed(self, hierarchy: Hierarchy) -> BoolArray:
        """Tell which of them a hierarchy displays."""
        return np.asarray(displayed(self.index, self.samples, hierarchy.layout, hierarchy.ancestry))

    def error(self, hierarchy: Hierarchy) -> float:
        """Return the weighted share of what a hierarchy does not display."""
        if not len(self):
            return 0.0
        return float(self.weights[~self.displayed(hierarchy)].sum() / self.weights.sum())

    def resolving_count(self, hierarchy: Hierarchy, fewest: int = 1) -> int:
        """Return the number of clusters whose cut resolves the largest weight of triplets.

        A cut resolves ab|c if a and b are in one cluster and c is in another. Among equals the
        fewest clusters are taken; without triplets it is `fewest`, the number of clusters that
        were left when merging ended.
        """
        totals = resolved_weights(self.index, self.samples, hierarchy.ancestry, self.weights)
        best = totals[fewest:].max()
        # Sums in another order differ in their last digits, which must not decide.
        return fewest + int(np.argmax(totals[fewest:] >= best - 1e-9 * abs(best)))

    def node_weighted(self) -> IndexedTriplets:
        """Return the triplets with the weights that they have in the H-correlation.

        Triplets of one weight that are all those of a hierarchy over the samples they mention,
        each once, share the weight 1 with the others of the node where a and b meet. Any others
        keep their weights.
        """
        if not len(self) or (self.weights != self.weights[0]).any():
            return self
        hierarchy = self._whole_hierarchy()
        if hierarchy is None:
            return self
        nodes = pair_nodes(self.index, np.arange(len(self.samples)), hierarchy.ancestry)
        sizes = np.diff(self.index.third_starts)
        shares = 1 / np.bincount(nodes, sizes)[nodes]
        weights = np.empty(len(self))
        weights[self.index.rows] = np.repeat(shares, sizes)
        weighted = IndexedTriplets(self.n_samples, self.rows, weights)
        weighted.index = self.index
        return weighted

    def _whole_hierarchy(self) -> Hierarchy | None:
        """Return the tree over the mentioned samples that displays just these, or None."""
        parents = build_tree(len(self.samples), self.index.places[self.rows])
        if parents.size == 0 or has_repetitions(self.index):
            return None
        hierarchy = Hierarchy(parents)
        # It displays all that are given, so that counting is enough.
        return hierarchy if hierarchy.n_triplets == len(self) else None
