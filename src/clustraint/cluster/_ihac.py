"""iHAC: agglomeration that merges only what no triplet forbids."""

from __future__ import annotations

from typing import Literal

import numpy as np

from clustraint.checks import check_choice
from clustraint.cluster._indexed_triplets import IndexedTriplets
from clustraint.cluster._triplet_clusterer import (
    LINKAGES,
    TripletClusterer,
    merge_enforcing,
)
from clustraint.cluster._vectors import Vectors
from clustraint.constraints import Constraints
from clustraint.kernels.merges import Merges


class IHAC(TripletClusterer):
    """Hierarchical clustering in which each merge is the closest that violates no triplet.

    Merging two clusters violates ab|c if one holds c, and the other holds a but not b, or b but
    not a. After Bade and Nürnberger, Creating a cluster hierarchy under constraints of a partially
    known hierarchy, SDM 2008, as used in their Learning a metric during hierarchical clustering
    based on constraints, 2009, section 4.2.

    Parameters
    ----------
    n_clusters : int, optional
        How many clusters `labels_` has: the last ``n_clusters - 1`` merges are undone. None: the
        number that resolves the largest weight of triplets, having a and b in one cluster and c in
        another; the fewest clusters among equals, hence 1 where nothing is known.
    linkage : {"average", "complete", "single"}, default="average"
        The distance of two clusters: the mean, largest or smallest of their samples' distances.
    metric : {"cosine", "euclidean"}, default="cosine"
        The distance of two samples: 1 minus the cosine of their vectors, where a zero vector is
        at the distance 1 from all; or the Euclidean distance.
    dead_end : {"merge", "stop", "raise"}, default="merge"
        What to do when each merge that is left would violate a triplet. "merge" takes the closest
        two; "stop" leaves the clusters as they are, children of the root; "raise" raises
        `NoAllowedMergeError`.
    max_memory : float, optional
        How many bytes distances and counts may take; None: as many as are free.

    Attributes
    ----------
    labels_ : int32 ndarray of shape (n_samples,)
        The cluster of each sample, numbered by first sample.
    n_clusters_ : int
        How many there are: more than `n_clusters` if merging stopped before.
    hierarchy_ : Hierarchy
        The merges as a tree.
    linkage_ : ndarray of shape (n_samples - 1, 4)
        The same as a linkage matrix, its heights raised where they would not increase.
    merge_distances_ : ndarray of shape (n_merges,)
        The distance of each merge as it was, which constraints may let decrease.
    violating_merges_ : int64 ndarray
        The numbers of the merges that violate a triplet.
    constraint_report_ : ConstraintReport
        Which triplets `hierarchy_` displays, and which it does not. Triplets that contradict each
        other are no error; some of them are in the report.

    Raises
    ------
    NoAllowedMergeError
        In `fit`, with ``dead_end="raise"``, where no merge is left that violates no triplet.

    Notes
    -----
    Dead ends cannot occur with all triplets of a hierarchy. With partial lists they are common,
    even if these are consistent: the order of merges does not look ahead. ReCon is the method for
    partial triplets that have to be kept.

    Which merges are allowed is counted, not tested triplet by triplet: over a whole run the cost is
    linear in the number of triplets. Of equally close pairs, that of the lowest first samples is
    merged; so that rounding errors do not decide instead, cosine distances are rounded to 2⁻⁴⁰.
    Without constraints the merges are those of scipy's `linkage`.

    Examples
    --------
    >>> from clustraint import IHAC, Constraints
    >>> X = [[1.0, 0.0], [0.9, 0.1], [0.1, 0.9], [0.0, 1.0]]
    >>> IHAC().fit(X).hierarchy_.to_newick()
    '((0,1),(2,3));'
    >>> c = Constraints(4, triplets=[(0, 2, 1)])
    >>> model = IHAC(2).fit(X, constraints=c)
    >>> model.hierarchy_.to_newick()
    '((0,(2,3)),1);'
    >>> model.labels_.tolist()
    [0, 1, 0, 0]
    """

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        linkage: Literal["average", "complete", "single"] = "average",
        metric: Literal["cosine", "euclidean"] = "cosine",
        dead_end: Literal["merge", "stop", "raise"] = "merge",
        max_memory: float | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.linkage = linkage
        self.metric = metric
        self.dead_end = dead_end
        self.max_memory = max_memory

    def _check_parameters(self, n_samples: int) -> None:
        super()._check_parameters(n_samples)
        check_choice("linkage", self.linkage, LINKAGES)

    def _merges(
        self, vectors: Vectors, constraints: Constraints, triplets: IndexedTriplets
    ) -> Merges:
        distances = vectors.distances(np.ones(vectors.shape[1]))
        return merge_enforcing(distances, constraints, triplets.index, self.linkage, self.dead_end)
