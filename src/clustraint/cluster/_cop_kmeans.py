"""COP-k-means: k-means under must-links and cannot-links."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.cluster import kmeans_plusplus
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from clustraint.base import ConstrainedClusterer
from clustraint.checks import as_generator, check_choice, check_number, check_whole_number
from clustraint.cluster._assignment import (
    Assigner,
    DeadEndError,
    Exact,
    InOrder,
    InOrderOrExact,
    Unlinked,
)
from clustraint.cluster._dead_end import dead_end, infeasible, too_many_clusters
from clustraint.cluster._exact_assignment import CannotLinkGraph, InfeasiblePieceError
from clustraint.cluster._lloyd import LloydProblem, LloydRun, costs, distances, lloyd
from clustraint.constraints import Components, Constraints
from clustraint.exceptions import ClustraintError
from clustraint.kernels.kmeans import nearest
from clustraint.typing import FloatingArray, IntArray, RandomState

ASSIGNMENTS = ("auto", "instance", "component", "exact")


class COPKMeans(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ConstrainedClusterer):
    """K-means in which no must-link and no cannot-link is ever violated.

    After Wagstaff, Cardie, Rogers and Schrödl, Constrained k-means clustering with background
    knowledge, ICML 2001. Where their assignment of one sample after the other ends in a dead end,
    though an assignment exists, the default finds it.

    Parameters
    ----------
    n_clusters : int, default=8
        The number of clusters.
    assignment : {"auto", "instance", "component", "exact"}, default="auto"
        How samples get their clusters. "instance" is the paper's: in a random order, each sample
        goes to the nearest centre that its constraints leave it. "component" moves samples that
        must-links tie together as one, by their summed distance. "exact" finds the cheapest
        feasible assignment of each connected piece of the cannot-link graph, by mixed-integer
        programming (HiGHS), and fails only if there is none. "auto" is "component", and "exact"
        for pieces that have ended in a dead end.
    init : {"k-means++", "random"} or array-like of shape (n_clusters, n_features)
        The first centres. Both names draw must-link components, so that no two centres start
        in one.
    n_init : int, default=10
        How many starts; the one with the least inertia is kept. Ignored if `init` is an array.
    max_iter : int, default=300
        Rounds of a start at the most.
    tol : float, default=1e-4
        A start ends when the centres move less than this, relative to the variance of the data.
    random_state : int, RandomState, Generator or None, default=None
        The source of randomness.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each sample.
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The centres.
    inertia_ : float
        The weighted sum of squared distances to the centres.
    n_iter_ : int
        The rounds of the start that was kept.
    constraint_report_ : ConstraintReport
        What was given and satisfied; nothing is ever violated.

    Notes
    -----
    Without constraints the result is that of scikit-learn's ``KMeans(algorithm="lloyd")`` from the
    same start. With them, a round may raise the inertia, so `max_iter` may end a run. Before the
    solver is called, hanging trees of cannot-links are solved by dynamic programming. The order is
    drawn once for each start; a piece that has once ended in a dead end under "auto" is solved
    exactly for the rest of that start.

    Examples
    --------
    >>> import numpy as np
    >>> from clustraint import Constraints, COPKMeans
    >>> X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0]])
    >>> c = Constraints(5, must_link=[(2, 3)], cannot_link=[(0, 1)])
    >>> model = COPKMeans(2, random_state=0).fit(X, constraints=c)
    >>> bool(model.labels_[2] == model.labels_[3]), bool(model.labels_[0] == model.labels_[1])
    (True, False)
    """

    constraint_kinds: ClassVar[tuple[str, ...]] = ("must_link", "cannot_link")

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        assignment: Literal["auto", "instance", "component", "exact"] = "auto",
        init: Literal["k-means++", "random"] | ArrayLike = "k-means++",
        n_init: int = 10,
        max_iter: int = 300,
        tol: float = 1e-4,
        random_state: RandomState = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.assignment = assignment
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        constraints: Constraints | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Cluster the samples.

        Parameters
        ----------
        X : array-like, DataFrame or CSR matrix of shape (n_samples, n_features)
            The samples; float32 stays float32.
        y : None
            Ignored.
        constraints : Constraints, optional
            Must-links and cannot-links.
        sample_weight : array-like of shape (n_samples,), optional
            How much each sample counts.

        Raises
        ------
        InconsistentConstraintsError
            If the constraints contradict each other.
        NoFeasibleClusteringError
            If no assignment exists, or none was found; it says which sample could not be placed.

        Examples
        --------
        >>> COPKMeans(2, random_state=0).fit([[0.0], [1.0], [9.0]]).labels_.tolist()
        [0, 0, 1]
        """
        return self._fit_checked(X, constraints, sample_weight=sample_weight)

    def _validate(self, X: Any, *, reset: bool = True) -> Any:
        dtypes = [np.float64, np.float32]
        return validate_data(self, X, accept_sparse="csr", dtype=dtypes, order="C", reset=reset)

    def _check_parameters(self, n_samples: int) -> None:
        self._check_n_clusters(n_samples)
        check_choice("assignment", self.assignment, ASSIGNMENTS)
        if isinstance(self.init, str):
            check_choice("init", self.init, STARTS)
        check_whole_number("n_init", self.n_init, least=1)
        check_whole_number("max_iter", self.max_iter, least=1)
        check_number("tol", self.tol, least=0)

    def _fit(
        self, X: Any, constraints: Constraints, sample_weight: ArrayLike | None = None
    ) -> None:
        weights = _check_sample_weight(sample_weight, X, dtype=X.dtype, ensure_non_negative=True)
        components = constraints.components
        if components.n_components < self.n_clusters:
            raise too_many_clusters(components.n_components, self.n_clusters)
        # Around the mean, products of large coordinates do not swallow small distances.
        mean = np.zeros(X.shape[1], X.dtype) if issparse(X) else X.mean(axis=0)
        centred = X if issparse(X) else X - mean
        problem = LloydProblem.from_samples(
            centred, weights, components.labels, components.n_components
        )
        best = self._best_run(centred, problem, constraints, mean)
        self.labels_ = best.labels[components.labels].astype(np.int32)
        self.cluster_centers_ = best.centers + mean
        away = distances(centred, best.centers, self.labels_.astype(np.int64))
        self.inertia_ = float((weights * away).sum())
        self.n_iter_ = best.n_iter
        self._n_features_out = self.n_clusters
        if len(np.unique(best.labels)) < self.n_clusters:
            message = "fewer clusters than n_clusters were found, perhaps because of equal samples."
            warnings.warn(message, ConvergenceWarning, stacklevel=4)

    def _best_run(
        self, X: Any, problem: LloydProblem, constraints: Constraints, mean: FloatingArray
    ) -> LloydRun:
        """Return the run of least inertia; dead ends count as failed starts."""
        rng = as_generator(self.random_state)
        tol = self.tol * _mean_variance(X)
        best: LloydRun | None = None
        ends: list[DeadEndError] = []
        for _ in range(self.n_init if isinstance(self.init, str) else 1):
            centers = self._start(problem, mean, rng)
            try:
                deciders, assigner = self._assigner(X, problem, constraints.components, rng)
                run = lloyd(problem, deciders, centers, assigner, self.max_iter, tol)
            except DeadEndError as error:
                ends.append(error)
                continue
            except InfeasiblePieceError:
                raise infeasible(constraints, self.n_clusters) from None
            if best is None or run.inertia < best.inertia:
                best = run
        if best is None:
            raise dead_end(constraints, self.n_clusters, self.assignment, ends[-1])
        return best

    def _start(
        self, problem: LloydProblem, mean: FloatingArray, rng: np.random.Generator
    ) -> FloatingArray:
        if isinstance(self.init, str):
            return STARTS[self.init](problem, self.n_clusters, rng)
        centers = np.array(self.init, dtype=problem.points.dtype)
        if centers.shape != (self.n_clusters, len(mean)):
            raise ClustraintError(
                f"init must have the shape {(self.n_clusters, len(mean))}, but has {centers.shape}."
            )
        return centers - mean

    def _assigner(
        self, X: Any, problem: LloydProblem, components: Components, rng: np.random.Generator
    ) -> tuple[Any, Assigner]:
        """Return the points by which components are assigned, and what assigns them."""
        linked, graph = CannotLinkGraph.from_components(components)
        if self.assignment == "instance":
            visit = rng.permutation(len(components.labels))
            first = visit[np.unique(components.labels[visit], return_index=True)[1]]
            turn = np.argsort(np.argsort(visit)[first[linked]])
            return X[first], Unlinked(linked, InOrder(graph, turn))
        order = rng.permutation(len(linked))
        weights = problem.weights[linked]
        assigners: dict[str, Any] = {
            "component": lambda: InOrder(graph, order),
            "auto": lambda: InOrderOrExact(graph, order, weights),
            "exact": lambda: Exact(graph, self.n_clusters, weights),
        }
        return problem.points, Unlinked(linked, assigners[self.assignment]())

    def predict(self, X: Any) -> IntArray:
        """Return the nearest centre of each sample; constraints have no say in it.

        Examples
        --------
        >>> model = COPKMeans(2, random_state=0).fit([[0.0], [1.0], [9.0]])
        >>> model.predict([[2.0], [8.0]]).tolist()
        [0, 1]
        """
        labels = nearest(costs(self._checked(X), self.cluster_centers_))
        return np.asarray(labels, np.int32)

    def transform(self, X: Any) -> FloatingArray:
        """Return the distances of samples to all centres, (n_samples, n_clusters).

        Examples
        --------
        >>> model = COPKMeans(2, random_state=0).fit([[0.0], [1.0], [9.0]])
        >>> model.transform([[2.0]])
        array([[1.5, 7. ]])
        """
        return np.asarray(euclidean_distances(self._checked(X), self.cluster_centers_))

    def score(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> float:
        """Return minus the weighted sum of squared distances to the nearest centres.

        Examples
        --------
        >>> model = COPKMeans(2, random_state=0).fit([[0.0], [1.0], [9.0]])
        >>> model.score([[0.0], [9.0]])
        -0.25
        """
        X = self._checked(X)
        weights = _check_sample_weight(sample_weight, X, dtype=X.dtype)
        labels = nearest(costs(X, self.cluster_centers_))
        return -float((weights * distances(X, self.cluster_centers_, labels)).sum())

    def _checked(self, X: Any) -> Any:
        check_is_fitted(self)
        return self._validate(X, reset=False).astype(self.cluster_centers_.dtype, copy=False)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _mean_variance(X: Any) -> float:
    if not issparse(X):
        return float(np.var(X, axis=0).mean())
    squares = X.multiply(X).mean(axis=0)
    return float(np.mean(np.asarray(squares) - np.asarray(X.mean(axis=0)) ** 2))


def _plus_plus(problem: LloydProblem, n_clusters: int, rng: np.random.Generator) -> FloatingArray:
    seed = int(rng.integers(2**31))
    weights = problem.weights if problem.weights.any() else None
    centers, _ = kmeans_plusplus(
        problem.points, n_clusters, sample_weight=weights, random_state=seed
    )
    return np.asarray(centers)


def _random(problem: LloydProblem, n_clusters: int, rng: np.random.Generator) -> FloatingArray:
    chosen = rng.choice(len(problem.weights), n_clusters, replace=False)
    rows = problem.points[chosen]
    return np.asarray(rows.toarray() if issparse(rows) else rows)


STARTS = {"k-means++": _plus_plus, "random": _random}
