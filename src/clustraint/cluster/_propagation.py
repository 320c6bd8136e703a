"""Constraint propagation: clusters of any shape from a few pairs or triplets, wrong ones too."""

from __future__ import annotations

from typing import ClassVar, Literal

from clustraint.cluster._viewed_mixture import ViewedMixture
from clustraint.metric import PropagatedEmbedding
from clustraint.typing import RandomState


class ConstraintPropagation(ViewedMixture):
    """Clusters of any shape: constraints spread over a graph of neighbours.

    After Lu and Ip, Constrained spectral clustering via exhaustive and efficient constraint
    propagation, ECCV 2010 (E2CP). Where they run k-means on the coordinates, a `ConstrainedMixture`
    of round clusters of equal size takes the constraints once more, as evidence that may be wrong.

    Parameters
    ----------
    n_clusters : int, default=8
        The number of clusters.
    n_neighbors : int, default=10
        How many neighbours of each sample the graph links it to.
    reach : float, default=0.9
        How far constraints spread over the graph, from 0 (not at all) to below 1.
    strength : float, default=0.5
        How much constraints count beside the graph.
    trust : "learn" or float above 0.5, at most 1, default="learn"
        How likely a constraint is to be right, see `ConstrainedMixture`.
    n_eigenvectors : int, default=60
        How many eigenvectors of the graph the coordinates may be made of.
    search : {"auto", "exact", "approximate"}, default="auto"
        How neighbours are searched, see `PropagatedEmbedding`.
    n_init : int, default=5
        How many starts of the mixture; the likeliest is kept.
    random_state : int, RandomState, Generator or None, default=None
        The source of randomness.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each sample.
    probabilities_ : ndarray of shape (n_samples, n_clusters)
        The probability of each cluster for each sample, given all constraints.
    doubt_ : dict of str to ndarray
        By kind, the probability that each constraint is wrong.
    trust_ : dict of str to float
        By kind, how likely a constraint is to be right.
    embedding_ : ndarray of shape (n_samples, n_clusters)
        The coordinates in which the samples were clustered.
    constraint_report_ : ConstraintReport
        Which constraints are satisfied and which are violated.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from clustraint import ConstraintPropagation, Constraints
    >>> X, y = make_moons(200, noise=0.05, random_state=0)
    >>> c = Constraints.from_labels(y, n_pairs=20, random_state=0)
    >>> model = ConstraintPropagation(2, random_state=0).fit(X, constraints=c)
    >>> int((model.labels_ == y).sum()) in (0, 200)
    True
    """

    constraint_kinds: ClassVar[tuple[str, ...]] = PropagatedEmbedding.constraint_kinds

    # What the mixture is like: round clusters of equal size, which is k-means with doubts.
    covariance: ClassVar[str] = "tied"  # type: ignore[misc, assignment]
    shrinkage: ClassVar[float] = 1.0  # type: ignore[misc]
    init: ClassVar[str] = "auto"  # type: ignore[misc]
    assignment: ClassVar[str] = "soft"  # type: ignore[misc, assignment]

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_neighbors: int = 10,
        reach: float = 0.9,
        strength: float = 0.5,
        trust: Literal["learn"] | float = "learn",
        n_eigenvectors: int = 60,
        search: Literal["auto", "exact", "approximate"] = "auto",
        n_init: int = 5,
        random_state: RandomState = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.reach = reach
        self.strength = strength
        self.trust = trust
        self.n_eigenvectors = n_eigenvectors
        self.search = search
        self.n_init = n_init
        self.random_state = random_state

    def _make_view(self) -> PropagatedEmbedding:
        return PropagatedEmbedding(
            self.n_clusters,
            n_neighbors=self.n_neighbors,
            reach=self.reach,
            strength=self.strength,
            n_eigenvectors=self.n_eigenvectors,
            search=self.search,
        )
