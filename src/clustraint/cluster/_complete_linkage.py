"""Complete link under must-links and cannot-links."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone

from clustraint.cluster._dead_end import too_many_clusters
from clustraint.cluster._hierarchical import HierarchicalClusterer
from clustraint.constraints import Constraints
from clustraint.kernels.complete_link import constrained_complete_link, constrained_proximities
from clustraint.kernels.merges import Merges
from clustraint.metric.distances import (
    Metric,
    checked_samples,
    distance_triangle,
    distances_between,
)
from clustraint.typing import FloatArray, FloatingArray


class ConstrainedCompleteLinkage(HierarchicalClusterer):
    """Complete link in which must-links pull whole neighbourhoods together.

    After Klein, Kamvar and Manning, From instance-level constraints to space-level constraints,
    ICML 2002. A must-link makes two samples one place, so that the samples around them come closer
    too; a cannot-link keeps apart whatever the two have been merged with.

    Parameters
    ----------
    n_clusters : int, default=2
        The number of clusters: the last ``n_clusters - 1`` merges are undone.
    metric : str or callable, default="euclidean"
        Any metric of scikit-learn's ``pairwise_distances``, or a function of two samples.
        "hamming" takes tables of nominal values, texts included: the share of columns in which two
        samples differ. "precomputed": `X` is the matrix of distances.
    max_memory : float, optional
        The bytes that the distances may take; default: what there is. They take 4 bytes a pair
        of samples if `X` is float32, otherwise 8.

    Attributes
    ----------
    labels_ : int32 ndarray of shape (n_samples,)
        The cluster of each sample, numbered by first samples.
    hierarchy_ : Hierarchy
        All merges, in their order.
    linkage_ : float64 ndarray of shape (n_samples - 1, 4)
        The merges as scipy has them, with distances raised by the smallest float step wherever they
        do not increase, so that cutting by height undoes the last merges.
    merge_distances_ : float64 ndarray of shape (n_samples - 1,)
        The distance of each merge, 0 for must-links. Merges of clusters that cannot-links keep
        apart are the last ones, at the largest distance between samples plus 1.
    n_forced_merges_ : int
        How many these are. ``n_forced_merges_ + 1`` clusters are the fewest that keep all
        constraints in this hierarchy.
    constraint_report_ : ConstraintReport
        What was given, satisfied and violated.
    n_features_in_, feature_names_in_
        As scikit-learn defines them.

    Raises
    ------
    NoFeasibleClusteringError
        In `fit`, if must-links leave fewer groups of samples than `n_clusters`.
    NotEnoughMemoryError
        If the distances do not fit into memory, before they are computed.

    Notes
    -----
    *Figure 5 of the paper*, step by step:

    - imposeMustLinks and propagateMustLinks (section 4.1): must-linked samples are at distance 0,
      and all distances become those of the shortest paths through them. All samples of a must-link
      component are then equally far from any other, so that components take the place of samples:
      O(n²m) for m components. Must-links are merged before all else, so that no cut into as many
      clusters as there are components, or fewer, breaks one.
    - The paper adds pairs at distance 0 to the must-links. Here samples that only happen to be
      equal, or to become so, may still be kept apart.
    - imposeCannotLinks (section 4.2): printed with 0, but the text has the largest distance plus 1;
      they hold between whole must-link components.

    *Figure 6* is complete link, where the printed minimum must be a maximum. Ties: the lowest first
    sample of either cluster, then of the other.

    *Forced merges.* When cannot-links keep apart all clusters that are left, the paper merges any.
    Here the pair that breaks the least weight of given cannot-links comes first, then the one of
    the smallest complete-link distance on the shortest paths, then the lowest first samples.

    *What to expect.* Must-links are taken to speak of neighbourhoods. Where classes overlap,
    must-links alone can pull both together and lower the accuracy below that of plain complete
    link; and nothing makes this method better than `COPKMeans` on every data set.

    Time is quadratic in the number of samples for all practical purposes, as is memory: one number
    for each pair of samples.

    Examples
    --------
    >>> import numpy as np
    >>> from clustraint import ConstrainedCompleteLinkage, Constraints
    >>> X = np.array([[0.0], [1.0], [4.0], [5.1], [9.0], [10.2]])
    >>> ConstrainedCompleteLinkage(2).fit(X).labels_
    array([0, 0, 0, 0, 1, 1], dtype=int32)
    >>> c = Constraints(6, must_link=[(3, 4)], cannot_link=[(0, 2)])
    >>> model = ConstrainedCompleteLinkage(2).fit(X, constraints=c)
    >>> model.labels_
    array([0, 0, 1, 1, 1, 1], dtype=int32)
    >>> model.merge_distances_
    array([ 0. ,  1. ,  1.1,  2.3, 11.2])
    >>> X = [["red", "round"], ["red", "square"], ["blue", "flat"]]
    >>> ConstrainedCompleteLinkage(2, metric="hamming").fit(X).labels_.tolist()
    [0, 0, 1]
    """

    constraint_kinds: ClassVar[tuple[str, ...]] = ("must_link", "cannot_link")

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        metric: Metric = "euclidean",
        max_memory: float | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.max_memory = max_memory

    def proximities(self, X: Any, y: Any = None, *, constraints: Any = None) -> FloatingArray:
        """Return the constrained distances of all pairs of samples, which the merges start from.

        This is the matrix that the paper's algorithm makes (figure 5), for whatever else takes
        precomputed distances. It is a method of its own because `fit` needs half of it, which it
        uses up: keeping it would treble the memory of every fit. Nothing is fitted by it.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features)
            The samples, as for `fit`.
        y : array-like of shape (n_samples,), optional
            Labels of some samples, as for `fit`.
        constraints : Constraints, list, dict, DataFrame or path, optional
            Must-links and cannot-links, as for `fit`.

        Returns
        -------
        proximities : ndarray of shape (n_samples, n_samples)
            0 between samples that must-links tie together, the largest distance of the data plus 1
            where a cannot-link is given or follows, otherwise the shortest path through
            must-links. It is float32 where `X` is.

        Raises
        ------
        InconsistentConstraintsError
            If the constraints contradict each other.
        NotEnoughMemoryError
            If the matrix does not fit into memory.

        Examples
        --------
        >>> from clustraint import ConstrainedCompleteLinkage, Constraints
        >>> c = Constraints(4, must_link=[(1, 2)], cannot_link=[(2, 3)])
        >>> X = [[0.0], [1.0], [5.0], [7.0]]
        >>> ConstrainedCompleteLinkage().proximities(X, constraints=c)
        array([[0., 1., 1., 3.],
               [1., 0., 0., 8.],
               [1., 0., 0., 8.],
               [3., 8., 8., 0.]])
        """
        model = clone(self)  # which remembers the columns of X, as validation makes it
        samples = model._validate(X)
        checked = model._check_knowledge(constraints, y, X)
        n_samples = checked.n_samples
        distances, largest = distance_triangle(
            samples, self.metric, self.max_memory, n_more=n_samples**2
        )
        components, links = checked.components, checked.links["cannot_link"]
        return np.asarray(
            constrained_proximities(distances, components.labels, links.rows, largest + 1)
        )

    def _validate(self, X: Any, *, reset: bool = True) -> Any:
        return checked_samples(self, X, self.metric, reset=reset)

    def _distances_to_fitted(self, X: Any) -> FloatArray:
        return distances_between(X, self._fitted_samples, self.metric)

    def _fit(self, X: Any, constraints: Constraints) -> None:
        components = constraints.components
        if components.n_components < self.n_clusters:
            raise too_many_clusters(components.n_components, self.n_clusters)
        distances, largest = distance_triangle(X, self.metric, self.max_memory)
        links = constraints.links["cannot_link"]
        merges, heights, n_forced = constrained_complete_link(
            distances, components.labels.copy(), links.rows, links.weights, largest + 1
        )
        del distances
        self.n_forced_merges_ = int(n_forced)
        self._keep_merges(Merges(merges, heights))
        self.labels_ = self._cut(self.n_clusters)
        self._fitted_samples = None if self.metric == "precomputed" else X

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.metric == "precomputed"
        tags.input_tags.categorical = tags.input_tags.string = self.metric == "hamming"
        return tags
