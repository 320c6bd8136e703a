"""PCK-means: k-means that pays for the pairs that it violates."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from clustraint.checks import as_generator, check_number, encode_labels
from clustraint.cluster._assignment import Unlinked
from clustraint.cluster._centroids import (
    CentroidClusterer,
    centred,
    checked_weights,
    mean_variance,
)
from clustraint.cluster._lloyd import LloydProblem, LloydRun, lloyd
from clustraint.cluster._soft_assignment import MovingGroups, Soft, SoftPairs
from clustraint.cluster._starts import STARTS, from_neighbourhoods, neighbourhoods
from clustraint.constraints import Constraints
from clustraint.typing import FloatingArray, IntArray, RandomState


class SoftKMeans(CentroidClusterer):
    """What `PCKMeans` and `MPCKMeans` share: pairs at a price, starts from neighbourhoods."""

    constraint_kinds: ClassVar[tuple[str, ...]] = ("must_link", "cannot_link")
    takes_labels: ClassVar[bool] = True

    violation_cost: float
    random_state: RandomState

    def _check_parameters(self, n_samples: int) -> None:
        self._check_rounds(n_samples, (NEIGHBOURHOODS, *STARTS))
        check_number("violation_cost", self.violation_cost, least=0)

    def _starts(
        self,
        problem: LloydProblem,
        constraints: Constraints,
        classes: IntArray | None,
        mean: FloatingArray,
        rng: np.random.Generator,
    ) -> list[FloatingArray]:
        """Return the first centres of each start."""
        if not isinstance(self.init, str):
            return [self._given_start(mean)]
        if self.init != NEIGHBOURHOODS:
            start = STARTS[self.init]
            return [start(problem, self.n_clusters, rng) for _ in range(self.n_init)]
        hoods = neighbourhoods(problem, constraints, classes)
        # A few random must-links are neighbourhoods of few classes, and often several of one;
        # labels are of as many classes as their giver knows.
        every = 1 if classes is not None else 2
        return [
            from_neighbourhoods(
                problem, hoods if number % every == 0 else None, self.n_clusters, rng
            )
            for number in range(self.n_init)
        ]


NEIGHBOURHOODS = "neighborhoods"


class PCKMeans(SoftKMeans):
    """K-means that pays for each must-link and cannot-link that it violates.

    After Basu, Banerjee and Mooney, Active semi-supervision for pairwise constrained clustering,
    SDM 2004. Constraints are not hard, so that they may be wrong and contradict each other, and
    their weights count. Known labels and must-links give the first centres, which is the seeded
    k-means of Basu, Banerjee and Mooney, Semi-supervised clustering by seeding, ICML 2002.

    Parameters
    ----------
    n_clusters : int, default=8
        The number of clusters.
    violation_cost : float, default=1.0
        What violating a constraint of weight 1 costs, beside half of the squared distances of
        samples to their centres: scale the data, or this.
    init : {"neighborhoods", "k-means++", "random"} or array-like (n_clusters, n_features)
        The first centres. "neighborhoods" are what must-links tie together, and samples of one
        known label: their means are drawn, large ones and those far from each other first, and
        then samples by k-means++ where there are too few. Where no labels are known, every second
        start is by k-means++ alone.
    n_init : int, default=10
        How many starts; the one with the least objective is kept. Ignored if `init` is an array.
    max_iter : int, default=300
        Maximum number of rounds of a start.
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
    objective_ : float
        Half of `inertia_` plus the cost of violated constraints (equation 1 of the paper).
    inertia_ : float
        The weighted sum of squared distances to the centres.
    n_iter_ : int
        The rounds of the start that was kept.
    constraint_report_ : ConstraintReport
        Which constraints are satisfied and which are violated.

    Notes
    -----
    Each round assigns one sample after the other to the cluster that lowers the objective most,
    until no sample moves, and then moves the centres (figure 2 of the paper). Without constraints
    the result is that of scikit-learn's ``KMeans(algorithm="lloyd")`` from the same start.

    Departures: constraints count as they are given, since entailed ones would multiply those that
    are wrong (``constraints.closure()`` gives the paper's); the order of samples is drawn once for
    each start and not for each pass; neighbourhoods are drawn by size and distance, where the paper
    takes the largest, and every second start is without them, since a few random
    must-links make neighbourhoods of a few classes only; further centres are drawn by k-means++,
    where the paper looks for a sample that is cannot-linked to all neighbourhoods and draws the
    rest uniformly.

    Examples
    --------
    >>> import numpy as np
    >>> from clustraint import Constraints, PCKMeans
    >>> X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0]])
    >>> c = Constraints(5, must_link=[(2, 3)], cannot_link=[(0, 1)], must_link_weights=[99])
    >>> model = PCKMeans(2, random_state=0).fit(X, constraints=c)
    >>> bool(model.labels_[2] == model.labels_[3]), bool(model.labels_[0] == model.labels_[1])
    (True, True)
    >>> model.constraint_report_
    ConstraintReport(must_link: 1 of 1 satisfied; cannot_link: 0 of 1 satisfied)
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        violation_cost: float = 1.0,
        init: Literal["neighborhoods", "k-means++", "random"] | ArrayLike = "neighborhoods",
        n_init: int = 10,
        max_iter: int = 300,
        tol: float = 1e-4,
        random_state: RandomState = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.violation_cost = violation_cost
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
            Known labels for the start by "neighborhoods"; -1, None and nan are unknown.
            Ignored if none is unknown.
        constraints : Constraints, optional
            Must-links and cannot-links; they may contradict each other.
        sample_weight : array-like of shape (n_samples,), optional
            How much each sample counts.

        Examples
        --------
        >>> PCKMeans(2, random_state=0).fit([[0.0], [1.0], [9.0]], [0, None, 1]).labels_.tolist()
        [0, 0, 1]
        """
        return self._fit_checked(X, y, constraints, sample_weight=sample_weight)

    def _fit(
        self,
        X: Any,
        constraints: Constraints,
        y: Any = None,
        sample_weight: ArrayLike | None = None,
    ) -> None:
        classes = None if y is None else encode_labels(y)[0]
        weights = checked_weights(sample_weight, X)
        X, mean = centred(X)
        best = self._best_run(X, mean, constraints, classes, weights)
        self._keep(X, best, mean, weights)
        self.objective_ = best.objective / 2

    def _best_run(
        self,
        X: Any,
        mean: FloatingArray,
        constraints: Constraints,
        classes: IntArray | None,
        weights: FloatingArray,
    ) -> LloydRun:
        rng = as_generator(self.random_state)
        tol = self.tol * mean_variance(X)
        problem = LloydProblem(X, weights, np.arange(X.shape[0]))
        pairs = SoftPairs.from_constraints(constraints)
        # The loop minimises whole squared distances, where the paper halves them.
        each = 2 * self.violation_cost * pairs.weights[:, np.newaxis]
        prices = np.repeat(each, self.n_clusters, axis=1)
        runs = []
        for centers in self._starts(problem, constraints, classes, mean, rng):
            order = MovingGroups.from_labels(pairs.samples, rng)
            soft = Soft(pairs, prices, weights[pairs.samples], (order,))
            assigner = Unlinked(pairs.samples, soft)
            runs.append(lloyd(problem, X, centers, assigner, self.max_iter, tol))
        return min(runs, key=lambda run: run.objective)
