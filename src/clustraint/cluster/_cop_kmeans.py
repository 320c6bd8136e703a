"""COP-k-means: k-means under must-links and cannot-links."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from clustraint.checks import as_generator, check_choice, check_differences
from clustraint.cluster._assignment import (
    Assigner,
    Auto,
    DeadEndError,
    Exact,
    InOrder,
    Unlinked,
)
from clustraint.cluster._centroids import CentroidClusterer, checked_weights
from clustraint.cluster._dead_end import dead_end, infeasible, too_many_clusters, undecided
from clustraint.cluster._exact_assignment import CannotLinkGraph, InfeasiblePieceError
from clustraint.cluster._lloyd import LloydRun
from clustraint.cluster._lloyd_rows import LloydRows
from clustraint.cluster._searched_assignment import UndecidedPieceError
from clustraint.cluster._soft_assignment import MovingGroups, Soft, SoftPairs
from clustraint.cluster._starts import LINKED_STARTS
from clustraint.constraints import Constraints
from clustraint.machine import Footprint
from clustraint.rows import ArrayRows, Rows, counted_rows
from clustraint.typing import FloatingArray, IntArray, RandomState

ASSIGNMENTS = ("auto", "instance", "component", "exact", "soft")

# The order in which so many are assigned.
ORDERS: dict[str, Callable[[np.random.Generator, int], IntArray]] = {
    "random": lambda rng, count: rng.permutation(count),
    "rows": lambda rng, count: np.arange(count),
}


class COPKMeans(CentroidClusterer):
    """K-means in which no must-link and no cannot-link is ever violated.

    After Wagstaff, Cardie, Rogers and Schrödl, Constrained k-means clustering with background
    knowledge, ICML 2001. Where their assignment of one sample after the other ends in a dead end,
    though an assignment exists, the default finds it. With ``assignment="soft"`` constraints may
    be violated, at a price.

    Parameters
    ----------
    n_clusters : int, default=8
        The number of clusters.
    assignment : {"auto", "instance", "component", "exact", "soft"}, default="auto"
        How samples get their clusters. "instance" is the paper's: in a random order, each sample
        goes to the nearest centre that its constraints leave it. "component" moves samples that
        must-links tie together as one, by their summed distance. "exact" finds the cheapest
        feasible assignment of each connected piece of the cannot-link graph, by mixed-integer
        programming (HiGHS), and fails only if there is none; near the limit of what is feasible
        that may take very long. "auto" is "component", but searches in pieces that have ended in a
        dead end: exactly where they are small, otherwise by moves that lower the cost and keep all
        constraints. "soft" never fails, and takes contradictory
        constraints: it minimises the squared distances plus the weights of violated constraints,
        in units of the mean squared distance of samples to their mean. Samples that must-links
        tie together move as one, and then each on its own where that pays.
    order : {"random", "rows"}, default="random"
        In which order "instance", "component" and "auto" assign what cannot-links are about:
        drawn once for each start, or as the rows come, must-link components by their first row.
    init : {"k-means++", "random", "cannot-link"} or array-like (n_clusters, n_features)
        The first centres. The names draw must-link components, so that no two centres start
        in one. "cannot-link" draws cannot-links one after the other, and starts at both ends
        of each; where these are too few, components are drawn as by "random".
    n_init : int, default=10
        How many starts; the one with the least inertia (and violated weight, if assignment is
        "soft") is kept. Ignored if `init` is an array.
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
        What was given and satisfied; nothing is ever violated unless `assignment` is "soft".

    Notes
    -----
    Without constraints the result is that of scikit-learn's ``KMeans(algorithm="lloyd")`` from the
    same start. With them, a round may raise the inertia, so `max_iter` may end a run. Before the
    solver is called, hanging trees of cannot-links are solved by dynamic programming.

    ``COPKMeans(k, assignment="component", order="rows", init="cannot-link", n_init=1, tol=0)`` is
    the COP-k-means that Struyf and Džeroski, Clustering trees with instance level constraints,
    ECML 2007, compare with: components are weighted means that are visited in row order, and a run
    ends when an assignment repeats. Where it ends in a dead end, it is the error
    `NoFeasibleClusteringError`, and their experiments draw other constraints.

    A piece that has once ended in a dead end under "auto" is searched for the rest of that start.
    In a large one, samples with fewer cannot-links left than there are clusters are placed last,
    where they always find a place. A tabu search looks for an assignment of the others; only if it
    finds none are all tried, one after the other, until there is a proof, one comes up, or some
    seconds have passed. From then on each round improves the assignment of the last one: a sample
    moves to a nearer centre and pushes others away, or two clusters are swapped along a chain of
    cannot-links.

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
    footprint: ClassVar[Footprint] = Footprint(per_value=2, per_cluster=2, per_sample=8)
    takes_chunks: ClassVar[bool] = True

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        assignment: Literal["auto", "instance", "component", "exact", "soft"] = "auto",
        order: Literal["random", "rows"] = "random",
        init: Literal["k-means++", "random", "cannot-link"] | ArrayLike = "k-means++",
        n_init: int = 10,
        max_iter: int = 300,
        tol: float = 1e-4,
        random_state: RandomState = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.assignment = assignment
        self.order = order
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
        y : array-like of shape (n_samples,), optional
            Labels of some samples, as the constraints that they mean; -1, None or nan where
            unknown. Ignored if none is unknown.
        constraints : Constraints, optional
            Must-links and cannot-links.
        sample_weight : array-like of shape (n_samples,), optional
            How much each sample counts.

        Raises
        ------
        InconsistentConstraintsError
            If the constraints contradict each other and `assignment` is not "soft".
        NoFeasibleClusteringError
            If no assignment exists, or none was found; it says which sample could not be placed.

        Examples
        --------
        >>> COPKMeans(2, random_state=0).fit([[0.0], [1.0], [9.0]]).labels_.tolist()
        [0, 0, 1]
        """
        return self._fit_checked(X, y, constraints, sample_weight=sample_weight)

    def _check_parameters(self, n_samples: int) -> None:
        self._check_rounds(n_samples, LINKED_STARTS)
        check_choice("assignment", self.assignment, ASSIGNMENTS)
        check_choice("order", self.order, ORDERS)

    def _fit(
        self, X: Any, constraints: Constraints, sample_weight: ArrayLike | None = None
    ) -> None:
        check_differences(X)
        if sample_weight is not None:
            sample_weight = checked_weights(sample_weight, X).astype(np.float64)
        self._fit_rows(ArrayRows(X), constraints, sample_weight)
        self.labels_ = np.asarray(self.labels_)
        self.cluster_centers_ = self.cluster_centers_.astype(X.dtype)

    def _fit_in_chunks(  # type: ignore[override]  # it names the only option
        self,
        rows: Rows,
        y: Any,
        constraints: Constraints | None,
        sample_weight: ArrayLike | None = None,
    ) -> None:
        totals = counted_rows(rows)
        self._check_parameters(len(rows))
        if sample_weight is not None:
            sample_weight = checked_weights(sample_weight, np.empty((len(rows), 0)))
        checked = self._check_knowledge(constraints, y, rows)
        self._fit_rows(rows, checked, sample_weight, totals)

    def _fit_rows(
        self,
        rows: Rows,
        constraints: Constraints,
        weights: Any,
        totals: tuple[int, FloatingArray] | None = None,
    ) -> None:
        """Fit rows in chunks; `labels_` are not computed yet."""
        if totals is None:
            totals = counted_rows(rows)
        is_soft = self.assignment == "soft"
        data = LloydRows(rows, totals, constraints, weights, is_soft=is_soft)
        if data.n_components < self.n_clusters:
            raise too_many_clusters(data.n_components, self.n_clusters)
        best = self._best_run(data, as_generator(self.random_state))
        self.labels_ = data.labels(best)
        self.cluster_centers_ = best.centers + data.mean
        self.constraint_report_ = data.report(best)
        self.inertia_ = data.inertia(best)
        self.n_iter_ = best.n_iter
        self._n_features_out = self.n_clusters
        if best.n_filled < self.n_clusters:
            message = "fewer clusters than n_clusters were found, perhaps because of equal samples."
            warnings.warn(message, ConvergenceWarning, stacklevel=6)

    def _best_run(self, data: LloydRows, rng: np.random.Generator) -> LloydRun:
        """Return the run of the least objective; dead ends count as failed starts."""
        if not isinstance(self.init, str):
            return self._best_of(data, [self._given_start(data.mean)], rng)
        chosen, weights = data.drawn(rng)
        if isinstance(data.rows, ArrayRows) and not isinstance(data.rows.array, np.memmap):
            start = data.start(chosen, weights, is_soft=self.assignment == "soft")
            starts = (
                LINKED_STARTS[self.init](start, self.n_clusters, rng) for _ in range(self.n_init)
            )
            return self._best_of(data, starts, rng)
        # A pass over files or a cluster is dear: starts are compared on the rows that were drawn.
        few = clone(self).set_params(random_state=rng)
        few.fit(
            data.rows.take(chosen),
            constraints=data.constraints_on_all[chosen],
            sample_weight=weights,
        )
        return self._best_of(data, [few.cluster_centers_ - data.mean], rng)

    def _best_of(
        self, data: LloydRows, starts: Iterable[FloatingArray], rng: np.random.Generator
    ) -> LloydRun:
        best: LloydRun | None = None
        ends: list[DeadEndError] = []
        constraints = data.constraints_on_all
        for centers in starts:
            try:
                deciders, assigner = self._assigner(data, rng)
                run = data.run(deciders, centers, assigner, self.max_iter, self.tol * data.variance)
            except DeadEndError as error:
                ends.append(error)
                continue
            except InfeasiblePieceError:
                raise infeasible(constraints, self.n_clusters) from None
            except UndecidedPieceError:
                raise undecided(constraints, self.n_clusters) from None
            if best is None or run.objective < best.objective:
                best = run
        if best is None:
            raise dead_end(constraints, self.n_clusters, self.assignment, ends[-1])
        return best

    def _assigner(self, data: LloydRows, rng: np.random.Generator) -> tuple[Any, Assigner]:
        """Return the points by which linked components are assigned, and what assigns them."""
        problem, components = data.problem, data.components
        if self.assignment == "soft":
            return problem.points, self._soft_assigner(data, rng)
        linked, graph = CannotLinkGraph.from_components(components)
        if self.assignment == "instance":
            visit = ORDERS[self.order](rng, len(components.labels))
            first = visit[np.unique(components.labels[visit], return_index=True)[1]]
            turn = np.argsort(np.argsort(visit)[first[linked]])
            return data.samples[first], Unlinked(linked, InOrder(graph, turn))
        order = ORDERS[self.order](rng, len(linked))
        weights = problem.weights[linked]
        assigners: dict[str, Any] = {
            "component": lambda: InOrder(graph, order),
            "auto": lambda: Auto(graph, order, weights),
            "exact": lambda: Exact(graph, self.n_clusters, weights),
        }
        return problem.points, Unlinked(linked, assigners[self.assignment]())

    def _soft_assigner(self, data: LloydRows, rng: np.random.Generator) -> Assigner:
        pairs = SoftPairs.from_constraints(data.constraints)
        unit = data.variance * len(data.mean) or 1.0
        prices = np.repeat(pairs.weights[:, np.newaxis] * unit, self.n_clusters, axis=1)
        labels = data.constraints.component_labels[pairs.samples]
        components = MovingGroups.from_labels(labels, rng)
        single = MovingGroups.from_labels(pairs.samples, rng)
        weights = data.weights[pairs.samples]
        return Unlinked(pairs.samples, Soft(pairs, prices, weights, (components, single)))
