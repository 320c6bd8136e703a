"""Lloyd's iteration on must-link components, with the assignment left to others."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array, issparse

from clustraint.cluster._assignment import Assigner
from clustraint.rows.nearest import costs, distances, sum_points
from clustraint.typing import FloatingArray, IntArray


class LloydProblem(NamedTuple):
    """What is clustered: components as weighted points.

    The samples of a component move as one. Its summed squared distance to a centre is its weight
    times the squared distance of its mean, plus what does not depend on the centre.
    """

    points: Any  # (n_components, n_features), dense or CSR
    weights: FloatingArray
    labels: IntArray  # the component of each sample
    cannot_link: IntArray = np.empty((0, 2), np.int64)  # of components, that starts may be drawn by

    @classmethod
    def from_samples(
        cls, X: Any, weights: FloatingArray, labels: IntArray, count: int
    ) -> LloydProblem:
        """Return the components of weighted samples."""
        if count == len(labels):
            return cls(X, weights, labels)
        totals = np.bincount(labels, weights, count)
        # A component of weight 0 still has a place: the plain mean of its samples.
        shares = np.where(totals[labels] > 0, weights, 1.0)
        shares = shares / np.bincount(labels, shares, count)[labels]
        table = (shares.astype(X.dtype), (labels, np.arange(len(labels))))
        mean = csr_array(table, shape=(count, len(labels)))
        return cls(mean @ X, totals.astype(X.dtype), labels)


class LloydRun(NamedTuple):
    """How one start came out."""

    labels: IntArray  # of components
    centers: FloatingArray
    objective: float  # without the spread within components, with what violated pairs cost
    n_iter: int
    free_inertia: float = 0.0  # of what no pair is about
    n_filled: int = 0  # how many clusters have members


def lloyd(
    problem: LloydProblem,
    deciders: Any,
    centers: FloatingArray,
    assigner: Assigner,
    max_iter: int,
    tol: float,
) -> LloydRun:
    """Iterate as scikit-learn's KMeans does, assigning components by their `deciders`."""
    before = np.full(len(problem.weights), -1, np.int64)
    settled = False
    n_iter = 0
    while n_iter < max_iter:
        n_iter += 1
        labels = assigner.assign(costs(deciders, centers))
        moved = update(problem, labels, centers)
        shift = float(((moved - centers) ** 2).sum())
        centers = moved
        settled = np.array_equal(labels, before)
        if settled or shift <= tol:
            break
        before = labels
    if not settled:
        labels = assigner.assign(costs(deciders, centers))
    inertia = float((problem.weights * distances(problem.points, centers, labels)).sum())
    return LloydRun(labels, centers, inertia + assigner.price(labels), n_iter)


def update(problem: LloydProblem, labels: IntArray, centers: FloatingArray) -> FloatingArray:
    """Return the mean of each cluster; an empty one takes the point farthest from its centre."""
    sums, totals = sum_points(problem.points, problem.weights, labels, len(centers))
    empty = np.flatnonzero(totals == 0)
    if len(empty):
        _relocate(problem, labels, centers, sums, totals, empty)
    filled = totals > 0
    sums[filled] /= totals[filled, np.newaxis]
    sums[~filled] = sums[np.argmax(totals)]
    return sums


def _relocate(
    problem: LloydProblem,
    labels: IntArray,
    centers: FloatingArray,
    sums: FloatingArray,
    totals: FloatingArray,
    empty: IntArray,
) -> None:
    """Hand the farthest points over to empty clusters; their labels follow at the next step."""
    away = distances(problem.points, centers, labels)
    if away.max() == 0:
        return
    farthest = np.argpartition(away, -len(empty))[: -len(empty) - 1 : -1]
    for cluster, point in zip(empty, farthest, strict=True):
        weight = problem.weights[point]
        moved = _rows(problem.points, np.array([point]))[0] * weight
        sums[labels[point]] -= moved
        totals[labels[point]] -= weight
        sums[cluster] = moved
        totals[cluster] = weight


def _rows(points: Any, rows: IntArray) -> FloatingArray:
    chosen = points[rows]
    return np.asarray(chosen.toarray() if issparse(chosen) else chosen)
