"""MPCK-means: k-means that pays for violated pairs and learns its metrics."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import _check_sample_weight, validate_data

from clustraint.checks import as_generator, check_choice, encode_labels
from clustraint.cluster._assignment import Unlinked
from clustraint.cluster._centroids import centred, checked_weights, mean_variance
from clustraint.cluster._lloyd import LloydProblem, LloydRun, update
from clustraint.cluster._pc_kmeans import SoftKMeans
from clustraint.cluster._soft_assignment import MovingGroups, Soft, SoftPairs
from clustraint.constraints import Constraints
from clustraint.kernels.kmeans import nearest
from clustraint.machine import Footprint
from clustraint.typing import FloatingArray, IntArray, RandomState

# No direction gets a variance below this share of the mean variance of the data.
LEAST_VARIANCE = 1e-2
# How often the search for the two samples farthest from each other moves on.
FARTHEST_STEPS = 10


class Metric(NamedTuple):
    """One metric A, as a root of it: squared distances are those of `stretched` differences."""

    root: FloatingArray  # (n_features,) if A is diagonal, else (n_features, n_features)
    log_det: float  # of A

    @classmethod
    def from_moment(cls, moment: FloatingArray, least: float) -> Self:
        """Return the inverse of a moment, which may be indefinite, bounded from above."""
        if moment.ndim == 1:
            variances = np.maximum(moment, least)
            return cls(variances**-0.5, -float(np.log(variances).sum()))
        variances, directions = np.linalg.eigh(moment)
        variances = np.maximum(variances, least)
        return cls(directions * variances**-0.5, -float(np.log(variances).sum()))

    def stretched(self, differences: FloatingArray) -> FloatingArray:
        """Return differences in the space in which the metric is Euclidean."""
        if self.root.ndim == 1:
            return differences * self.root
        return differences @ self.root

    def squared(self, differences: FloatingArray) -> FloatingArray:
        """Return the squared length of each difference."""
        return np.asarray((self.stretched(differences) ** 2).sum(axis=1))

    def farthest(self, X: FloatingArray) -> FloatingArray:
        """Return the difference of two samples far from each other: a sweep back and forth."""
        points = self.stretched(X)
        first = second = 0
        length = -1.0
        for _ in range(FARTHEST_STEPS):
            away = ((points - points[first]) ** 2).sum(axis=1)
            other = int(away.argmax())
            if away[other] <= length:
                break
            length, first, second = away[other], other, first
        return np.asarray(X[first] - X[second])


class MPCKMeans(SoftKMeans):
    """K-means that pays for violated must-links and cannot-links, and learns metrics from them.

    After Bilenko, Basu and Mooney, Integrating constraints and metric learning in semi-supervised
    clustering, ICML 2004. A violated must-link costs the more the farther apart its samples are, a
    violated cannot-link the closer they are, and both change how much each direction counts.

    Parameters
    ----------
    n_clusters : int, default=8
        The number of clusters.
    metric : {"diagonal", "full"}, default="diagonal"
        Whether columns are weighted, or any linear map may be learnt.
    per_cluster : bool, default=False
        Whether each cluster has a metric of its own.
    violation_cost : float, default=1.0
        What a violated constraint of weight 1 counts beside the distance of a sample.
    init : {"neighborhoods", "k-means++", "random"} or array-like (n_clusters, n_features)
        The first centres, see `PCKMeans`.
    n_init : int, default=10
        How many starts; the one with the least objective is kept. Ignored if `init` is an array.
    max_iter : int, default=100
        Maximum number of rounds of a start.
    tol : float, default=1e-4
        A start ends when the centres move less than this, relative to the variance of the data,
        or no sample changes its cluster.
    random_state : int, RandomState, Generator or None, default=None
        The source of randomness.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each sample.
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The centres.
    metrics_ : ndarray of shape (n_clusters, n_features, n_features)
        The metric A of each cluster: squared distances are d'Ad.
    objective_ : float
        Squared distances less the logarithms of determinants, plus the cost of violated
        constraints (equation 5 of the paper).
    inertia_ : float
        The weighted sum of squared Euclidean distances to the centres.
    n_iter_ : int
        The rounds of the start that was kept.
    constraint_report_ : ConstraintReport
        Which constraints are satisfied and which are violated.

    Notes
    -----
    Rounds follow figure 1 of the paper: assignment of one sample after the other until none moves,
    means, metrics by its equation 6.

    Departures are those of `PCKMeans`, and: the two samples farthest from each other, from which
    the cost of a cannot-link is counted, are sought by sweeps back and forth, in linear time, and
    no cost is below 0; variances are bounded from below by a hundredth of the mean variance of the
    data, where the paper adds a multiple of the identity and cuts negative eigenvalues off.

    Examples
    --------
    >>> import numpy as np
    >>> from clustraint import Constraints, MPCKMeans
    >>> X = np.array([[0.0, 0.0], [0.1, 5.0], [0.0, 9.0], [1.0, 0.0], [1.1, 5.0], [1.0, 9.0]])
    >>> c = Constraints(6, must_link=[(0, 2), (3, 5)], cannot_link=[(0, 3)])
    >>> model = MPCKMeans(2, random_state=0).fit(X, constraints=c)
    >>> model.labels_.tolist() in ([0, 0, 0, 1, 1, 1], [1, 1, 1, 0, 0, 0])
    True
    >>> bool(model.metrics_[0, 0, 0] > model.metrics_[0, 1, 1])
    True
    """

    footprint: ClassVar[Footprint] = Footprint(per_value=3, per_difference=4)

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        metric: Literal["diagonal", "full"] = "diagonal",
        per_cluster: bool = False,
        violation_cost: float = 1.0,
        init: Literal["neighborhoods", "k-means++", "random"] | ArrayLike = "neighborhoods",
        n_init: int = 10,
        max_iter: int = 100,
        tol: float = 1e-4,
        random_state: RandomState = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.per_cluster = per_cluster
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
        """Cluster the samples and learn metrics.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            The samples.
        y : array-like of shape (n_samples,), optional
            Known labels for the start by "neighborhoods"; -1, None and nan are unknown.
            Ignored if none is unknown.
        constraints : Constraints, optional
            Must-links and cannot-links; they may contradict each other.
        sample_weight : array-like of shape (n_samples,), optional
            How much each sample counts.

        Examples
        --------
        >>> MPCKMeans(2, random_state=0).fit([[0.0], [1.0], [9.0]], [0, None, 1]).labels_.tolist()
        [0, 0, 1]
        """
        return self._fit_checked(X, y, constraints, sample_weight=sample_weight)

    def _validate(self, X: Any, *, reset: bool = True) -> Any:
        return validate_data(self, X, dtype=np.float64, order="C", reset=reset)

    def _check_parameters(self, n_samples: int) -> None:
        super()._check_parameters(n_samples)
        check_choice("metric", self.metric, ("diagonal", "full"))

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
        rng = as_generator(self.random_state)
        learner = MetricRounds(
            LloydProblem(X, weights, np.arange(len(X))),
            SoftPairs.from_constraints(constraints),
            self.violation_cost,
            diagonal=self.metric == "diagonal",
            per_cluster=bool(self.per_cluster),
        )
        starts = self._starts(learner.problem, constraints, classes, mean, rng)
        tol = self.tol * mean_variance(X)
        runs = [learner.run(centers, self.max_iter, tol, rng) for centers in starts]
        best, self._metrics = min(runs, key=lambda both: both[0].objective)
        self._keep(X, best, mean, weights)
        self.objective_ = best.objective
        columns = np.eye(X.shape[1])
        roots = [metric.stretched(columns) for metric in self._metrics]
        self.metrics_ = np.stack([root @ root.T for root in roots])

    def predict(self, X: Any) -> IntArray:
        """Return the closest centre of each sample by the learnt metrics.

        Examples
        --------
        >>> model = MPCKMeans(2, random_state=0).fit([[0.0], [1.0], [9.0]], [0, None, 1])
        >>> model.predict([[2.0], [8.0]]).tolist()
        [0, 1]
        """
        X = self._checked(X)
        costs = costs_under(self._metrics, X, self.cluster_centers_)
        return np.asarray(nearest(costs), np.int32)

    def transform(self, X: Any) -> FloatingArray:
        """Return the distances of samples to all centres by the learnt metrics.

        Examples
        --------
        >>> model = MPCKMeans(2, random_state=0).fit([[0.0], [1.0], [9.0]], [0, None, 1])
        >>> model.transform([[0.5], [9.0]]).round(9).argmin(axis=1).tolist()
        [0, 1]
        """
        X = self._checked(X)
        both = zip(self._metrics, self.cluster_centers_, strict=True)
        return np.sqrt(np.stack([metric.squared(X - center) for metric, center in both], axis=1))

    def _score_alone(self, X: Any, sample_weight: ArrayLike | None) -> float:
        """Return minus the objective of samples, each in its closest cluster."""
        X = self._checked(X)
        weights = _check_sample_weight(sample_weight, X, dtype=X.dtype)
        costs = costs_under(self._metrics, X, self.cluster_centers_)
        return -float((weights * costs.min(axis=1)).sum())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        tags.transformer_tags.preserves_dtype = ["float64"]
        return tags


def costs_under(metrics: list[Metric], X: FloatingArray, centers: FloatingArray) -> FloatingArray:
    """Return what each sample costs in each cluster, but for violated pairs."""
    both = zip(metrics, centers, strict=True)
    columns = [metric.squared(X - center) - metric.log_det for metric, center in both]
    return np.ascontiguousarray(np.stack(columns, axis=1))


class MetricRounds:
    """Rounds of assignment, means and metrics."""

    def __init__(
        self,
        problem: LloydProblem,
        pairs: SoftPairs,
        violation_cost: float,
        *,
        diagonal: bool,
        per_cluster: bool,
    ) -> None:
        self.problem = problem
        self.pairs = pairs
        self.diagonal = diagonal
        self.per_cluster = per_cluster
        ends = problem.points[pairs.samples]
        self.differences = ends[pairs.rows[:, 0]] - ends[pairs.rows[:, 1]]
        self.weights = violation_cost * pairs.weights
        self.least = LEAST_VARIANCE * (mean_variance(problem.points) or 1.0)

    def run(
        self, centers: FloatingArray, max_iter: int, tol: float, rng: np.random.Generator
    ) -> tuple[LloydRun, list[Metric]]:
        """Return how a start came out, and its metrics."""
        X, pairs = self.problem.points, self.pairs
        ones = np.ones(X.shape[1])
        metrics = [Metric(ones if self.diagonal else np.diag(ones), 0.0)] * len(centers)
        soft = Soft(
            pairs,
            np.empty((len(pairs.rows), len(centers))),
            self.problem.weights[pairs.samples],
            (MovingGroups.from_labels(pairs.samples, rng),),
        )
        assigner = Unlinked(pairs.samples, soft)
        labels = np.full(len(X), -1, np.int64)
        settled = False
        n_iter = 0
        while n_iter < max_iter and not settled:
            n_iter += 1
            # One metric for all is one object, whose farthest samples are sought once.
            spans = {id(metric): metric.farthest(X) for metric in metrics}
            soft.prices = self._prices(metrics, spans)
            before = labels
            labels = assigner.assign(costs_under(metrics, X, centers))
            moved = update(self.problem, labels, centers)
            settled = np.array_equal(labels, before) or bool(((moved - centers) ** 2).sum() <= tol)
            centers = moved
            metrics = self._metrics(labels, centers, metrics, spans)
        # The objective of a run, with the price of its pairs, is by its last metrics.
        soft.prices = self._prices(metrics, {id(metric): metric.farthest(X) for metric in metrics})
        costs = costs_under(metrics, X, centers)[np.arange(len(X)), labels]
        objective = float((self.problem.weights * costs).sum()) + assigner.price(labels)
        return LloydRun(labels, centers, objective, n_iter), metrics

    def _prices(self, metrics: list[Metric], spans: dict[int, FloatingArray]) -> FloatingArray:
        """Return f_M and f_C of the paper, times the weights: by pair and cluster."""
        lengths = np.stack([metric.squared(self.differences) for metric in metrics], axis=1)
        longest = [float(m.squared(spans[id(m)][np.newaxis])[0]) for m in metrics]
        missing = np.maximum(np.array(longest) - lengths, 0)
        apart = self.pairs.apart[:, np.newaxis]
        return np.asarray(self.weights[:, np.newaxis] * np.where(apart, missing, lengths))

    def _metrics(
        self,
        labels: IntArray,
        centers: FloatingArray,
        metrics: list[Metric],
        spans: dict[int, FloatingArray],
    ) -> list[Metric]:
        """Return the metrics that minimise the objective for these clusters (equation 6)."""
        n_clusters = len(centers)
        totals = np.bincount(labels, self.problem.weights, n_clusters)
        moments = [
            self._moment(h, labels, centers[h], spans[id(metrics[h])]) for h in range(n_clusters)
        ]
        if not self.per_cluster:
            moment = np.sum(moments, axis=0) / (totals.sum() or 1.0)
            shared = Metric.from_moment(moment, self.least)
            return [shared] * n_clusters
        return [
            Metric.from_moment(moment / total, self.least) if total > 0 else metric
            for moment, total, metric in zip(moments, totals, metrics, strict=True)
        ]

    def _moment(
        self, h: int, labels: IntArray, center: FloatingArray, span: FloatingArray
    ) -> FloatingArray:
        """Return the scatter of a cluster, and what violated pairs add to it and take off."""
        inside = labels == h
        scatter = self._scatter(self.problem.points[inside] - center, self.problem.weights[inside])
        first, second = labels[self.pairs.samples][self.pairs.rows].T
        parted = ~self.pairs.apart & (first != second) & ((first == h) | (second == h))
        joined = self.pairs.apart & (first == h) & (second == h)
        scatter += self._scatter(self.differences[parted], self.weights[parted] / 2)
        scatter += self._scatter(span[np.newaxis], self.weights[joined].sum(keepdims=True))
        scatter -= self._scatter(self.differences[joined], self.weights[joined])
        return scatter

    def _scatter(self, differences: FloatingArray, weights: FloatingArray) -> FloatingArray:
        if self.diagonal:
            return np.asarray(weights @ differences**2)
        return np.asarray((differences * weights[:, np.newaxis]).T @ differences)
