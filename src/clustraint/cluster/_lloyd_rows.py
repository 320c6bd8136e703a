"""Lloyd's iteration over rows in chunks: pairs are kept where the few rows they speak of are.

A round is one pass: each chunk gives sums and weights of its own rows, without those that pairs
are about. These linked rows are read once and stay with the caller, where they are assigned as in
memory; so only sums of k × d numbers travel, and no table of rows × clusters is ever made.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from scipy.sparse import issparse

from clustraint.cluster._assignment import Assigner
from clustraint.cluster._lloyd import LloydProblem, LloydRun, costs, distances, sum_points
from clustraint.constraints import Components, Constraints
from clustraint.evaluation import ConstraintReport, constraint_satisfaction
from clustraint.exceptions import HugeDifferenceError, InconsistentConstraintsError
from clustraint.kernels.kmeans import label_nearest, nearest, sums_of_nearest
from clustraint.machine import in_threads
from clustraint.rows import Rows, added, as_numbers, drawn_rows
from clustraint.typing import FloatingArray, IntArray, LabelArray

# Rows of a sparse chunk that are multiplied with all centres at a time.
BLOCK = 2**14
# Rows of a chunk whose sums are computed by one thread; the same, however many threads there are.
PART = 2**13
# Rows that first centres are drawn from; where there are no more, from all.
START_ROWS = 50_000


class ChunkShare(NamedTuple):
    """What belongs to the rows of one chunk."""

    linked: IntArray  # the places of linked rows
    weights: FloatingArray | None  # of all rows, None where each counts once

    def of_free(self, n_rows: int) -> FloatingArray:
        """Return the weights of rows, 0 for those that are linked."""
        weights = np.ones(n_rows) if self.weights is None else self.weights.copy()
        weights[self.linked] = 0
        return weights

    def sums(
        self, points: FloatingArray, start: int, centers: Centers
    ) -> tuple[FloatingArray, FloatingArray]:
        """Return the sums and weights of the free rows of each cluster, in one part of them."""
        here = points[start : start + PART]
        weights = np.empty(0) if self.weights is None else self.weights[start : start + PART]
        first, last = np.searchsorted(self.linked, (start, start + len(here)))
        linked = self.linked[first:last] - start
        return sums_of_nearest(here, *centers, weights, linked)  # type: ignore[no-any-return]


class Centers(NamedTuple):
    """Centres as steps want them."""

    mean: FloatingArray  # of the data
    columns: FloatingArray  # the centres around it, as columns
    norms: FloatingArray

    @classmethod
    def around(cls, mean: FloatingArray, centers: FloatingArray) -> Self:
        """Return centres that are given around the mean."""
        return cls(mean, np.ascontiguousarray(centers.T), (centers**2).sum(axis=1))


class FarRows(NamedTuple):
    """The rows farthest from their centres, the farthest first, and how many are wanted."""

    away: FloatingArray
    labels: IntArray
    weights: FloatingArray
    points: FloatingArray  # around the mean
    wanted: int

    def __add__(self, other: FarRows) -> FarRows:  # type: ignore[override]
        joined = [np.concatenate(parts) for parts in zip(self[:-1], other[:-1], strict=True)]
        first = farthest(joined[0], self.wanted)
        away, labels, weights, points = (part[first] for part in joined)
        return FarRows(away, labels, weights, points, self.wanted)


def farthest(away: FloatingArray, count: int) -> IntArray:
    """Return the places of the largest distances, the largest first, the last among equals."""
    return np.argsort(away, kind="stable")[::-1][:count]


def spread(chunk: Any, own: None, mean: FloatingArray) -> FloatingArray:
    """Return the sums of squared differences to the mean."""
    points = as_numbers(chunk)
    if issparse(points):
        # Zeros are too many to be touched: the mean is taken off at the end.
        return np.asarray(points.multiply(points).sum(axis=0)).ravel()
    total = np.zeros(len(mean))
    with np.errstate(over="ignore"):  # the caller looks at it
        for start in range(0, len(points), BLOCK):
            total += ((points[start : start + BLOCK] - mean) ** 2).sum(axis=0)
    return total


def sum_step(chunk: Any, own: ChunkShare, centers: Centers) -> tuple[FloatingArray, FloatingArray]:
    """Return the sums and weights of the free rows of each cluster."""
    points = as_numbers(chunk)
    if not issparse(points):
        parts = range(0, max(len(points), 1), PART)
        work = points.size * len(centers.norms)
        sums = in_threads(lambda start: own.sums(points, start, centers), parts, work)
        return added(sums)  # type: ignore[no-any-return]
    weights = own.of_free(points.shape[0])
    labels, _ = _labelled(points, centers)
    return sum_points(
        points.astype(np.float64), weights, labels.astype(np.int64), len(centers.norms)
    )


def cost_step(chunk: Any, own: ChunkShare, centers: Centers) -> tuple[float, FloatingArray]:
    """Return the inertia of the free rows, and how many each cluster has."""
    points = as_numbers(chunk)
    labels, away = _labelled(points, centers)
    is_free = np.ones(len(labels), np.bool_)
    is_free[own.linked] = False
    counts = np.bincount(labels[is_free], minlength=len(centers.norms)).astype(np.float64)
    return float((own.of_free(len(labels)) * away).sum()), counts


def far_step(chunk: Any, own: ChunkShare, centers: Centers, count: int) -> FarRows:
    """Return the free rows farthest from their centres."""
    points = as_numbers(chunk)
    labels, away = _labelled(points, centers)
    weights = own.of_free(len(labels))
    away[own.linked] = -1
    rows = farthest(away, count)
    rows = rows[away[rows] >= 0]
    chosen = points[rows]
    dense = chosen.toarray() if issparse(chosen) else chosen
    own_labels = labels[rows].astype(np.int64)
    return FarRows(away[rows], own_labels, weights[rows], dense - centers.mean, count)


def label_step(chunk: Any, own: tuple[IntArray, LabelArray], centers: Centers) -> LabelArray:
    """Return the cluster of each row: the nearest, but for linked rows."""
    labels, _ = _labelled(as_numbers(chunk), centers)
    places, fixed = own
    labels[places] = fixed
    return labels


def _labelled(points: Any, centers: Centers) -> tuple[LabelArray, FloatingArray]:
    """Return the nearest centre of each row, and the squared distance to it."""
    labels = np.empty(points.shape[0], np.int32)
    away = np.empty(points.shape[0])
    if not issparse(points):
        label_nearest(points, *centers, labels, away)
        return labels, away
    columns = np.ascontiguousarray(centers.columns.T)
    for start in range(0, len(labels), BLOCK):
        block = points[start : start + BLOCK].astype(np.float64)
        part = nearest(costs(block, columns))
        labels[start : start + BLOCK] = part
        away[start : start + BLOCK] = distances(block, columns, part)
    return labels, away


class LloydRows:
    """Rows in chunks, and those at hand that pairs are about.

    Attributes
    ----------
    rows : Rows
        All rows.
    mean, variance : ndarray, float
        Of all rows; sparse ones stay where they are, and have the mean 0.
    linked : int64 ndarray
        The numbers of the linked rows.
    samples, weights : ndarray
        These rows around the mean, and how much each counts.
    constraints : Constraints
        The pairs, among the linked rows.
    components : Components
        What moves as one among them.
    problem : LloydProblem
        The same as weighted points.
    """

    def __init__(
        self,
        rows: Rows,
        totals: tuple[int, FloatingArray],
        constraints: Constraints,
        weights: FloatingArray | None,
        *,
        is_soft: bool,
    ) -> None:
        self.rows = rows
        self.constraints_on_all = constraints
        self.linked = constraints.mentioned
        self.constraints = constraints[self.linked]
        self.components = self._components(is_soft)
        n_rows, total = totals
        is_sparse = issparse(getattr(rows, "array", None))
        self.mean = np.zeros(len(total)) if is_sparse else total / n_rows
        squares = rows.map_add(spread, None, self.mean) / n_rows
        if not np.isfinite(squares).all():
            raise HugeDifferenceError(int(np.argmax(squares)))
        # Sparse rows are not around their mean yet.
        off = total / n_rows - self.mean
        self.variance = float((squares - off**2).mean())
        places = rows.split(self.linked)
        parts = (
            np.split(weights, rows.starts[1:-1]) if weights is not None else [None] * len(places)
        )
        self.own = [ChunkShare(*both) for both in zip(places, parts, strict=True)]
        self.samples = self.taken(self.linked)
        self.weights = np.ones(len(self.linked)) if weights is None else weights[self.linked]
        self.problem = self._problem(self.samples, self.weights, self.components)
        self._all_weights = weights

    def _components(self, is_soft: bool) -> Components:
        """Return what moves as one; where must-links may be violated, each row does."""
        if is_soft:
            return Constraints(len(self.linked)).components
        try:
            return self.constraints.components
        except InconsistentConstraintsError:
            # To say it of the rows as they are numbered.
            return self.constraints_on_all.components

    @staticmethod
    def _problem(X: FloatingArray, weights: FloatingArray, components: Components) -> LloydProblem:
        return LloydProblem.from_samples(X, weights, components.labels, components.n_components)

    @property
    def n_components(self) -> int:
        """How many groups of rows must-links leave."""
        return len(self.rows) - len(self.linked) + self.components.n_components

    def taken(self, wanted: IntArray) -> Any:
        """Return some rows around the mean."""
        rows = self.rows.take(wanted).astype(np.float64)
        return rows if issparse(rows) else rows - self.mean

    def start(self, chosen: IntArray, weights: FloatingArray, *, is_soft: bool) -> LloydProblem:
        """Return some rows as what first centres are drawn from."""
        constraints = self.constraints_on_all[chosen]
        components = (Constraints(len(chosen)) if is_soft else constraints).components
        problem = self._problem(self.taken(chosen), weights, components)
        return problem._replace(cannot_link=components.labels[constraints.cannot_link])

    def drawn(self, rng: np.random.Generator) -> tuple[IntArray, FloatingArray]:
        """Return rows to start from, and how much each counts: all of few, or some and the linked.

        Random numbers are drawn only where there are too many.
        """
        chosen = np.union1d(drawn_rows(len(self.rows), START_ROWS, rng), self.linked)
        weights = self._all_weights
        return chosen, np.ones(len(chosen)) if weights is None else weights[chosen]

    def run(
        self,
        deciders: FloatingArray,
        centers: FloatingArray,
        assigner: Assigner,
        max_iter: int,
        tol: float,
    ) -> LloydRun:
        """Iterate as scikit-learn's KMeans does, assigning linked components by their `deciders`.

        Where no label changes, neither does a centre, to the last bit: the tree of sums is fixed.
        """
        n_iter = 0
        while n_iter < max_iter:
            n_iter += 1
            labels = assigner.assign(costs(deciders, centers))
            moved = self._moved(labels, centers)
            shift = float(((moved - centers) ** 2).sum())
            centers = moved
            if shift <= tol:
                break
        labels = assigner.assign(costs(deciders, centers))
        problem = self.problem
        linked = float((problem.weights * distances(problem.points, centers, labels)).sum())
        inertia, counts = self._passed(cost_step, centers)
        counts = counts + np.bincount(labels, minlength=len(centers))
        total = inertia + linked + assigner.price(labels)
        return LloydRun(labels, centers, total, n_iter, inertia, int((counts > 0).sum()))

    def _passed(self, step: Any, centers: FloatingArray, *options: Any) -> Any:
        return self.rows.map_add(step, self.own, Centers.around(self.mean, centers), *options)

    def _moved(self, labels: IntArray, centers: FloatingArray) -> FloatingArray:
        """Return the means; an empty cluster takes the row farthest from its centre."""
        problem = self.problem
        sums, totals = self._passed(sum_step, centers)
        own_sums, own_totals = sum_points(problem.points, problem.weights, labels, len(centers))
        sums, totals = sums + own_sums, totals + own_totals
        empty = np.flatnonzero(totals == 0)
        if len(empty):
            self._relocate(labels, centers, sums, totals, empty)
        filled = totals > 0
        sums[filled] /= totals[filled, np.newaxis]
        sums[~filled] = sums[np.argmax(totals)]
        return np.asarray(sums)

    def _relocate(
        self,
        labels: IntArray,
        centers: FloatingArray,
        sums: FloatingArray,
        totals: FloatingArray,
        empty: IntArray,
    ) -> None:
        """Hand the farthest points over to empty clusters; their labels follow at the next step."""
        problem = self.problem
        away = distances(problem.points, centers, labels)
        first = farthest(away, len(empty))
        points = problem.points[first]
        dense = points.toarray() if issparse(points) else points
        far = self._passed(far_step, centers, len(empty))
        far = far + FarRows(away[first], labels[first], problem.weights[first], dense, len(empty))
        if not len(far.away) or far.away.max() == 0:
            return
        for cluster, _, label, weight, point in zip(empty, *far[:-1], strict=False):
            sums[label] -= weight * point
            totals[label] -= weight
            sums[cluster] = weight * point
            totals[cluster] = weight

    def labels(self, run: LloydRun) -> Any:
        """Return the cluster of each row, not computed yet."""
        fixed = run.labels[self.components.labels].astype(np.int32)
        places = [share.linked for share in self.own]
        parts = np.split(fixed, np.cumsum([len(part) for part in places])[:-1])
        own = list(zip(places, parts, strict=True))
        return self.rows.labels(label_step, own, Centers.around(self.mean, run.centers))

    def report(self, run: LloydRun) -> ConstraintReport:
        """Return which pairs hold; their rows are all at hand."""
        few = constraint_satisfaction(self.constraints, run.labels[self.components.labels])
        return ConstraintReport(self.constraints_on_all, few)

    def inertia(self, run: LloydRun) -> float:
        """Return the weighted sum of squared distances of all rows to their centres."""
        away = distances(self.samples, run.centers, run.labels[self.components.labels])
        return run.free_inertia + float((self.weights * away).sum())
