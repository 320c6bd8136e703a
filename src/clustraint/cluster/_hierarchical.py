"""What every hierarchical clusterer has after its merges."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import _safe_indexing, gen_batches
from sklearn.utils.validation import _check_sample_weight, _num_samples, check_is_fitted

from clustraint.base import ConstrainedClusterer
from clustraint.hierarchy import Hierarchy
from clustraint.kernels.merges import Merges
from clustraint.typing import FloatArray, LabelArray

# Rows of which `predict` looks at the distances to all samples at a time.
BATCH = 1_000
# From the distances to its members to the distance to a cluster.
LINKS: dict[str, Callable[..., Any]] = {
    "complete": np.maximum.reduceat,
    "single": np.minimum.reduceat,
    "average": np.add.reduceat,
}


class HierarchicalClusterer(ConstrainedClusterer):
    """A clusterer that merges clusters two by two, and cuts where `n_clusters` are left.

    Attributes
    ----------
    hierarchy_ : Hierarchy
        The merges, in their order; its `heights` are `merge_distances_`.
    linkage_ : ndarray of shape (n_samples - 1, 4)
        The merges as scipy has them, with strictly increasing heights.
    merge_distances_ : ndarray of shape (n_samples - 1,)
        The distance of each merge as it was.
    labels_ : int32 ndarray of shape (n_samples,)
        The clusters without the last ``n_clusters - 1`` merges.
    """

    hierarchy_: Hierarchy
    linkage_: FloatArray
    merge_distances_: FloatArray
    labels_: NDArray[np.int32]
    # How far a sample is from a cluster: by its farthest, nearest or average member.
    _link = "complete"
    # The samples of `fit`, which new ones are compared with.
    _fitted_samples: Any

    def _keep_merges(self, merges: Merges) -> None:
        """Set what the merges make."""
        self.merge_distances_ = merges.distances
        self.hierarchy_ = Hierarchy.from_merges(merges)
        # Strictly increasing, so that scipy's cuts undo the last merges.
        self.linkage_ = self.hierarchy_.to_linkage()

    def _cut(self, n_clusters: int) -> NDArray[np.int32]:
        """Return the labels of the clusters that undoing the last merges leaves."""
        return self.hierarchy_.cut(n_clusters).astype(np.int32)

    def predict(self, X: Any) -> LabelArray:
        """Return the cluster to which each sample is nearest by the linkage of the merges.

        The distance to a cluster is that to its farthest sample (complete linkage), nearest sample
        (single) or centroid, or the mean of those to all its samples (average). Constraints have no
        say in it, and of samples that `fit` saw some may be nearer to another cluster than theirs.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features)
            The samples, as for `fit`; with ``metric="precomputed"``, their distances to those that
            `fit` saw.

        Returns
        -------
        labels : int32 ndarray of shape (n_samples,)

        Examples
        --------
        >>> from clustraint import ConstrainedCompleteLinkage
        >>> model = ConstrainedCompleteLinkage(2).fit([[0.0], [1.0], [9.0]])
        >>> model.predict([[2.0], [8.0]]).tolist()
        [0, 1]
        """
        return np.asarray(self._to_clusters(X).argmin(axis=1), np.int32)

    def _score_alone(self, X: Any, sample_weight: ArrayLike | None) -> float:
        """Return the mean silhouette of samples, by their distances to the nearest two clusters."""
        away = self._to_clusters(X)
        weights = _check_sample_weight(sample_weight, away, dtype=np.float64)
        if away.shape[1] < 2:
            return 0.0
        own, other = np.partition(away, 1, axis=1)[:, :2].T
        apart = np.divide(other - own, other, out=np.zeros(len(away)), where=other > 0)
        return float(np.average(apart, weights=weights))

    def _to_clusters(self, X: Any) -> FloatArray:
        """Return the distance of each sample to each cluster, (n_samples, n_clusters)."""
        check_is_fitted(self)
        samples = self._validate(X, reset=False)
        batches = gen_batches(_num_samples(samples), BATCH)
        return np.concatenate([self._linked(_safe_indexing(samples, each)) for each in batches])

    def _linked(self, X: Any) -> FloatArray:
        """Return the distances of some validated samples to the clusters, by their members."""
        order = np.argsort(self.labels_, kind="stable")
        sizes = np.bincount(self.labels_)
        starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
        link = getattr(self, "linkage", self._link)
        linked = LINKS[link](self._distances_to_fitted(X)[:, order], starts, axis=1)
        return np.asarray(linked / sizes if link == "average" else linked)

    @abstractmethod
    def _distances_to_fitted(self, X: Any) -> FloatArray:
        """Return the distances of some validated samples to those of `fit`."""
