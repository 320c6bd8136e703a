"""Lloyd's iteration over rows in chunks: pairs are kept where the few rows they speak of are.

A round is one pass: each chunk gives sums and weights of its own rows, without those that pairs
are about. These linked rows are read once and stay with the caller, where they are assigned as in
memory; so only sums of k × d numbers travel, and no table of rows × clusters is ever made.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse

from clustraint.cluster._assignment import Assigner
from clustraint.cluster._lloyd import LloydProblem, LloydRun
from clustraint.constraints import Components, Constraints
from clustraint.evaluation import ConstraintReport, constraint_satisfaction
from clustraint.exceptions import HugeDifferenceError, InconsistentConstraintsError
from clustraint.rows import Rows, drawn_rows
from clustraint.rows.nearest import (
    Centers,
    ChunkShare,
    FarRows,
    cost_step,
    costs,
    distances,
    far_step,
    farthest,
    label_step,
    spread,
    sum_points,
    sum_step,
)
from clustraint.typing import FloatingArray, IntArray

# Rows that first centres are drawn from; where there are no more, from all.
START_ROWS = 50_000


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
