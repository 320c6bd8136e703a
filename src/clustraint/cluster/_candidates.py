"""The clusterings that `BestClusterer` chooses from, as data."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning

from clustraint.cluster._attribute_kmedoids import AttributeKMedoids
from clustraint.cluster._clustering_tree import ClusteringTree
from clustraint.cluster._complete_linkage import ConstrainedCompleteLinkage
from clustraint.cluster._constrained_mixture import ConstrainedMixture
from clustraint.cluster._cop_kmeans import COPKMeans
from clustraint.cluster._recon import ReCon
from clustraint.cluster._viewed_mixture import ViewedMixture
from clustraint.metric import DiscriminantMetric, PropagatedEmbedding
from clustraint.typing import FloatArray

PAIRS = frozenset(("must_link", "cannot_link"))
RULES = frozenset(("together", "exactly"))
EVERY_KIND = PAIRS | RULES | {"triplets", "labels"}
# Rules and labels are pairs to those who take only pairs.
AS_PAIRS = PAIRS | RULES | {"labels"}

# Up to so many samples, the distances of all pairs are a matter of a second.
FEW_SAMPLES = 1_000
# Covariances of few samples are noise in more directions than this.
MOST_AXES = 15
# Round clusters of equal size to which samples belong wholly: k-means with doubts.
ROUND: dict[str, Any] = {"covariance": "tied", "shrinkage": 1.0, "assignment": "hard"}
PLAIN_STARTS = 10
# Statements that spread far and faintly help on many kinds of tables, and wrong ones do little
# harm. Methods that keep all pairs keep wrong ones too, which held-out pairs do not show. Chosen on
# the tables for tuning, where odds of 1 gave up to .03 and .01 less (adjusted Rand index).
FAR_ODDS, KEEPING_ODDS = 10.0, 0.1
# Of the graph, the same for all numbers of clusters, so that it is made once.
N_EIGENVECTORS, MORE_VECTORS = 60, 4


@dataclass(frozen=True, eq=False)
class ClusteringProblem:
    """Samples to cluster, and what candidates share about them.

    Attributes
    ----------
    X : float64 ndarray of shape (n_samples, n_features)
        The samples.
    n_clusters : tuple of int
        The numbers of clusters that come into question.
    n_neighbors : int
        How many neighbours of a sample the graph links it to.
    seed : int
        What every draw begins with.

    Examples
    --------
    >>> problem = ClusteringProblem(np.array([[0.0], [1.0], [1.0], [0.0]]), (2,), 10, 0)
    >>> problem.n_axes, problem.is_binary
    (1, True)
    """

    X: FloatArray
    n_clusters: tuple[int, ...]
    n_neighbors: int
    seed: int

    @property
    def n_axes(self) -> int:
        """How many principal axes covariances are estimated in."""
        return min(MOST_AXES, int(self.X.shape[0]), int(self.X.shape[1]))

    @cached_property
    def is_binary(self) -> bool:
        """Whether all values are 0 or 1."""
        return bool(np.isin(self.X, (0, 1)).all())

    @cached_property
    def plain(self) -> dict[int, ConstrainedMixture]:
        """For each number of clusters, k-means, as a mixture that knows nothing."""
        return {number: self._k_means(number, self.X) for number in self.n_clusters}

    @cached_property
    def graph(self) -> PropagatedEmbedding:
        """The neighbour graph and its eigenvectors, which all views of it share."""
        most = max(self.n_clusters)
        return PropagatedEmbedding(
            most,
            n_neighbors=self.n_neighbors,
            n_eigenvectors=max(N_EIGENVECTORS, most + MORE_VECTORS),
            warm_start=True,
        ).fit(self.X)

    @cached_property
    def spectral(self) -> dict[int, ConstrainedMixture]:
        """For each number of clusters, k-means in the graph: spectral clustering."""
        return {
            number: self._k_means(number, self.embedding(number).fit(self.X).embedding_)
            for number in self.n_clusters
        }

    def _k_means(self, n_clusters: int, X: FloatArray) -> ConstrainedMixture:
        with warnings.catch_warnings():
            # Of equal samples there are fewer clusters, of which the mixture will tell.
            warnings.simplefilter("ignore", ConvergenceWarning)
            plain = KMeans(n_clusters, n_init=PLAIN_STARTS, random_state=self.seed).fit(X)
            return ConstrainedMixture(n_clusters, **ROUND, init=plain.cluster_centers_).fit(X)

    def embedding(self, n_clusters: int, **parameters: float) -> PropagatedEmbedding:
        """Return a view of the graph whose `fit` need not make the graph again.

        Examples
        --------
        >>> problem = ClusteringProblem(np.array([[0.0], [1.0], [8.0], [9.0]]), (2, 3), 10, 0)
        >>> problem.embedding(2, strength=0.1).n_components
        2
        """
        view = copy(self.graph)
        view.set_params(n_components=n_clusters, **parameters)
        return view


# From a problem, a number of clusters and a number of starts to an estimator, not fitted.
Maker: TypeAlias = Callable[[ClusteringProblem, int, int], Any]


@dataclass(frozen=True)
class Candidate:
    """One way to cluster.

    Attributes
    ----------
    name : str
        What it is called.
    idea : str
        What it does, in a few words.
    make : callable
        From a `ClusteringProblem`, a number of clusters and a number of starts to an estimator that
        is not fitted.
    kinds : frozenset of str
        The kinds of statements that it takes, among them "labels".
    needs : frozenset of str
        Kinds of which one at least must be there for it to make sense.
    suits : callable or None
        Says whether it suits a `ClusteringProblem`; None suits all.
    odds : float
        How often it is the best beside any other one, before a statement is looked at; the default,
        which the others have to beat, has odds of its own.

    Examples
    --------
    >>> CANDIDATES["tied"].idea
    'clusters of one common shape'
    """

    name: str
    idea: str
    make: Maker
    kinds: frozenset[str] = EVERY_KIND
    needs: frozenset[str] = frozenset()
    suits: Callable[[ClusteringProblem], bool] | None = None
    odds: float = 1.0

    def takes(self, kinds: Iterable[str]) -> bool:
        """Say whether it is made for statements of these kinds.

        Examples
        --------
        >>> CANDIDATES["recon"].takes(["must_link"]), CANDIDATES["recon"].takes(["triplets"])
        (False, True)
        """
        stated = frozenset(kinds)
        is_needed = not self.needs or bool(self.needs & stated)
        return is_needed and stated <= self.kinds


def _mixture(**parameters: Any) -> Maker:
    return lambda problem, n_clusters, n_init: ConstrainedMixture(
        n_clusters, n_init=n_init, random_state=problem.seed, **parameters
    )


def _viewed(view: Callable[[ClusteringProblem, int], Any], **parameters: Any) -> Maker:
    return lambda problem, n_clusters, n_init: ViewedMixture(
        view(problem, n_clusters),
        n_clusters,
        n_init=n_init,
        random_state=problem.seed,
        **parameters,
    )


def _in_principal_axes(**parameters: Any) -> Maker:
    return _viewed(lambda problem, _: PCA(problem.n_axes, random_state=0), **parameters)


def _in_directions(**parameters: Any) -> Maker:
    return _viewed(lambda problem, _: DiscriminantMetric(), **parameters)


def _in_graph(**parameters: float) -> Maker:
    return _viewed(lambda problem, number: problem.embedding(number, **parameters), **ROUND)


def _corrected(problem: ClusteringProblem, n_clusters: int, n_init: int) -> ConstrainedMixture:
    means = problem.plain[n_clusters].means_
    return ConstrainedMixture(n_clusters, **ROUND, init=means)


def _corrected_in_graph(
    problem: ClusteringProblem, n_clusters: int, n_init: int
) -> ConstrainedMixture:
    means = problem.spectral[n_clusters].means_
    return ViewedMixture(problem.embedding(n_clusters, strength=0), n_clusters, **ROUND, init=means)


# The first is the default, which the others have to beat.
CANDIDATES = {
    candidate.name: candidate
    for candidate in (
        Candidate(
            "round",
            "k-means, corrected by the statements",
            _corrected,
        ),
        Candidate(
            "tied",
            "clusters of one common shape",
            _mixture(covariance="tied"),
        ),
        Candidate(
            "shrunk",
            "clusters of one common shape that is not too long",
            _in_principal_axes(covariance="tied", shrinkage=0.1),
        ),
        Candidate(
            "diagonal",
            "clusters with a spread of their own in each direction",
            _in_principal_axes(covariance="diag", shrinkage=0.5),
        ),
        Candidate(
            "full",
            "clusters with shapes of their own",
            _in_principal_axes(covariance="full", shrinkage=0.3),
        ),
        Candidate(
            "directions",
            "round clusters in the directions that the statements point out",
            _in_directions(**ROUND),
        ),
        Candidate(
            "tied-directions",
            "clusters of one common shape in the directions that the statements point out",
            _in_directions(covariance="tied", shrinkage=0.1),
        ),
        Candidate(
            "spectral",
            "groups of near neighbours, corrected by the statements",
            _corrected_in_graph,
        ),
        Candidate(
            "propagation-far",
            "groups of near neighbours, to which the statements spread far and faintly",
            _in_graph(reach=0.95, strength=0.3),
            odds=FAR_ODDS,
        ),
        Candidate(
            "propagation",
            "groups of near neighbours, to which the statements spread",
            _in_graph(reach=0.9, strength=0.5),
        ),
        Candidate(
            "propagation-near",
            "groups of near neighbours, to which the statements spread near and strongly",
            _in_graph(reach=0.8, strength=1.0),
        ),
        Candidate(
            "cop-kmeans",
            "k-means that keeps all pairs",
            lambda problem, n_clusters, n_init: COPKMeans(
                n_clusters, n_init=n_init, random_state=problem.seed
            ),
            kinds=AS_PAIRS,
            odds=KEEPING_ODDS,
        ),
        Candidate(
            "complete-linkage",
            "a hierarchy in which pairs bend the distances around them",
            lambda problem, n_clusters, n_init: ConstrainedCompleteLinkage(n_clusters),
            kinds=AS_PAIRS,
            suits=lambda problem: len(problem.X) <= FEW_SAMPLES,
            odds=KEEPING_ODDS,
        ),
        Candidate(
            "clustering-tree",
            "clusters that a tree of questions about the columns tells apart",
            lambda problem, n_clusters, n_init: ClusteringTree(n_clusters, noise="repair"),
            kinds=AS_PAIRS,
            suits=lambda problem: len(problem.X) <= FEW_SAMPLES,
            odds=KEEPING_ODDS,
        ),
        Candidate(
            "recon",
            "a hierarchy that displays all triplets",
            lambda problem, n_clusters, n_init: ReCon(n_clusters),
            kinds=AS_PAIRS | {"triplets"},
            needs=frozenset({"triplets"}),
            suits=lambda problem: len(problem.X) <= FEW_SAMPLES,
        ),
        Candidate(
            "attribute-kmedoids",
            "k-medoids that keeps all rules",
            lambda problem, n_clusters, n_init: AttributeKMedoids(
                n_clusters, n_init=n_init, random_state=problem.seed
            ),
            kinds=RULES,
            needs=RULES,
            suits=lambda problem: problem.is_binary,
        ),
    )
}
