"""How much each triplet counts when a hierarchy is judged by the triplets it displays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from clustraint.constraints import Constraints
from clustraint.hierarchy import Hierarchy
from clustraint.kernels.build import build_tree

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


def triplet_weights(constraints: Constraints) -> FloatArray:
    """Return the weight of each triplet in the H-correlation.

    Triplets of one weight that are all those of a hierarchy over the samples they mention, each
    once, share the weight 1 with the others of the node where a and b meet. Any others have their
    own weights.
    """
    rows, weights = constraints.links["triplets"]
    if not len(rows) or (weights != weights[0]).any():
        return weights
    mentioned, places = np.unique(rows, return_inverse=True)
    renamed = np.ascontiguousarray(places.reshape(rows.shape), np.int64)
    nodes = _nodes_of_whole_hierarchy(renamed, len(mentioned))
    return weights if nodes is None else 1 / np.bincount(nodes)[nodes]


def _nodes_of_whole_hierarchy(rows: IntArray, n_samples: int) -> IntArray | None:
    """Return where the pairs meet in the tree that has just these triplets, or None."""
    parents = build_tree(n_samples, rows)
    if parents.size == 0:
        return None
    hierarchy = Hierarchy(parents)
    # The tree displays all that are given, so it is enough to count.
    if hierarchy.n_triplets != len(rows) or hierarchy.n_triplets != _count_distinct(rows):
        return None
    return hierarchy.meet(rows[:, 0], rows[:, 1])


def _count_distinct(rows: IntArray) -> int:
    return len(np.unique(rows @ (rows.max() + 1) ** np.arange(3)))


def cluster_error(hierarchy: Hierarchy, triplets: IntArray, weights: FloatArray) -> float:
    """Return the weighted share of the triplets that a hierarchy does not display."""
    if not len(triplets):
        return 0.0
    missed = ~hierarchy.displays(triplets)
    return float(weights[missed].sum() / weights.sum())
