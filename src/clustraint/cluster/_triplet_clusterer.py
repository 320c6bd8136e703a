"""What IHAC and BiHAC share: their input, and what they keep of their merges."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import issparse
from sklearn.metrics import pairwise_distances
from sklearn.utils.validation import validate_data

from clustraint.checks import check_choice
from clustraint.cluster._hierarchical import HierarchicalClusterer
from clustraint.cluster._indexed_triplets import IndexedTriplets
from clustraint.cluster._vectors import (
    METRICS,
    Triangle,
    Vectors,
    as_vectors,
    of_unit_length,
    scaled_to_1,
)
from clustraint.constraints import Constraints
from clustraint.evaluation import ConstraintReport, KindReport
from clustraint.exceptions import NoAllowedMergeError
from clustraint.hierarchy import Hierarchy
from clustraint.kernels.agglomeration import AVERAGE, COMPLETE, SINGLE
from clustraint.kernels.merges import Merges
from clustraint.kernels.triplet_index import TripletIndex
from clustraint.kernels.triplet_merges import merge_keeping
from clustraint.machine import check_memory
from clustraint.typing import BoolArray, FloatArray

LINKAGES = {"average": AVERAGE, "complete": COMPLETE, "single": SINGLE}
DEAD_ENDS = ("merge", "stop", "raise")


class TripletClusterer(HierarchicalClusterer):
    """A hierarchical clusterer of vectors under triplets."""

    constraint_kinds: ClassVar[tuple[str, ...]] = ("triplets",)

    _link = "average"
    metric: str
    dead_end: str
    max_memory: float | None

    def _validate(self, X: Any, *, reset: bool = True) -> Any:
        dtypes = [np.float64, np.float32]
        return validate_data(self, X, accept_sparse="csr", dtype=dtypes, order="C", reset=reset)

    def _fit(self, X: Any, constraints: Constraints) -> None:
        triplets = IndexedTriplets(constraints.n_samples, *constraints.links["triplets"])
        _check_size(X, len(triplets.samples), self.max_memory)
        merges = self._merges(as_vectors(X, self.metric), constraints, triplets)
        self._keep(merges, constraints, triplets)
        self._fitted_samples = X

    def _distances_to_fitted(self, X: Any) -> FloatArray:
        weights = getattr(self, "feature_weights_", np.ones(X.shape[1]))
        rows = [_weighted(each, self.metric, weights) for each in (X, self._fitted_samples)]
        # A vector of zeros is at the cosine distance 1 from all, as in scikit-learn.
        return np.asarray(pairwise_distances(*rows, metric=self.metric), np.float64)

    @abstractmethod
    def _merges(
        self, vectors: Vectors, constraints: Constraints, triplets: IndexedTriplets
    ) -> Merges: ...

    def _check_parameters(self, n_samples: int) -> None:
        if self.n_clusters is not None:
            self._check_n_clusters(n_samples)
        check_choice("metric", self.metric, METRICS)
        check_choice("dead_end", self.dead_end, DEAD_ENDS)

    def _keep(self, merges: Merges, constraints: Constraints, triplets: IndexedTriplets) -> None:
        """Set the attributes that say what was merged and what became of the triplets."""
        self.merge_distances_ = merges.distances
        self.hierarchy_ = Hierarchy.from_merges(merges, constraints.n_samples, constraints.names)
        self.linkage_ = self.hierarchy_.to_linkage()
        self.violating_merges_ = np.flatnonzero(merges.violating)
        fewest = constraints.n_samples - len(merges.slots)
        self.n_clusters_ = (
            triplets.resolving_count(self.hierarchy_, fewest)
            if self.n_clusters is None
            else max(int(self.n_clusters), fewest)
        )
        self.labels_ = self._cut(self.n_clusters_)
        self._displayed = triplets.displayed(self.hierarchy_)

    def _report(self, X: Any, constraints: Constraints) -> ConstraintReport:
        return triplet_report(constraints, self._displayed)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _weighted(X: Any, metric: str, weights: FloatArray) -> Any:
    """Return samples in which squared or cosine distances are the weighted ones."""
    values = of_unit_length(scaled_to_1(X)) if metric == "cosine" else X
    roots = np.sqrt(weights)
    return values.multiply(roots).tocsr() if issparse(values) else values * roots


def _check_size(X: Any, n_mentioned: int, max_memory: float | None) -> None:
    """Raise if the distances, and the table of what merges would violate, are too large."""
    n_samples = X.shape[0]
    needed = n_samples * (n_samples - 1) // 2 * X.dtype.itemsize
    needed += n_mentioned * (n_mentioned - 1) // 2 * 4
    way_out = "give X as float32" if X.dtype == np.float64 else "take fewer samples"
    check_memory(f"the distances of {n_samples:,} samples", needed, max_memory, way_out)


def merge_enforcing(
    distances: Triangle, constraints: Constraints, index: TripletIndex, linkage: str, dead_end: str
) -> Merges:
    """Return the merges of iHAC."""
    merges = Merges(
        *merge_keeping(
            distances, constraints.n_samples, LINKAGES[linkage], index, dead_end == "stop"
        )
    )
    if dead_end == "raise" and merges.violating.any():
        raise first_dead_end(merges, constraints)
    return merges


def first_dead_end(merges: Merges, constraints: Constraints) -> NoAllowedMergeError:
    """Return the error that says where no allowed merge was left."""
    step = int(np.argmax(merges.violating))
    n_clusters = constraints.n_samples - step
    labels = Hierarchy.from_merges(merges, constraints.n_samples).cut(n_clusters)
    a, b, c = labels[constraints.links["triplets"].rows.T]
    low, high = labels[merges.slots[step]]
    violated = np.zeros(len(c), bool)
    for here, there in ((low, high), (high, low)):
        violated |= (c == here) & ((a == there) ^ (b == there))
    row = int(np.argmax(violated))
    return NoAllowedMergeError(n_clusters, constraints.take(triplets=[row]))


def triplet_report(constraints: Constraints, displayed: BoolArray) -> ConstraintReport:
    """Return the report on triplets that a hierarchy displays or not."""
    if not len(displayed):
        return ConstraintReport(constraints, {})
    missed = np.flatnonzero(~displayed)
    return ConstraintReport(constraints, {"triplets": KindReport(len(displayed), missed, {})})
