"""What every hierarchical clusterer has after its merges."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from clustraint.base import ConstrainedClusterer
from clustraint.hierarchy import Hierarchy
from clustraint.kernels.merges import Merges
from clustraint.typing import FloatArray


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

    def _keep_merges(self, merges: Merges) -> None:
        """Set what the merges make."""
        self.merge_distances_ = merges.distances
        self.hierarchy_ = Hierarchy.from_merges(merges)
        # Strictly increasing, so that scipy's cuts undo the last merges.
        self.linkage_ = self.hierarchy_.to_linkage()

    def _cut(self, n_clusters: int) -> NDArray[np.int32]:
        """Return the labels of the clusters that undoing the last merges leaves."""
        return self.hierarchy_.cut(n_clusters).astype(np.int32)
