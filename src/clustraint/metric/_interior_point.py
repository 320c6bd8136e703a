"""A quadratic program with a hinge loss and weights that are not negative, solved exactly.

The program is: minimise ½‖w‖² + Σ costs·ξ over w ≥ 0 and ξ ≥ 0 with rows·w ≥ 1 - ξ.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from clustraint.typing import FloatArray

# Steps end this far short of the boundary, so that no variable ever becomes 0.
SHORT_OF_BOUNDARY = 0.995

# A corrected step that does not lower the mean product to this share may start a cycle.
ENOUGH = 0.9

# What is added to a diagonal of ones until its matrix is positive.
SHIFTS = (0.0, 1e-14, 1e-12, 1e-10, 1e-8)

# Below this share of the largest, a scaled weight is one that was on its way to 0.
NO_DIFFERENCE = 1e-7


class Solution(NamedTuple):
    """The weights, how far their cost may be from the least, relative to it, and the points tried.

    `gap` is measured at the weights themselves against a feasible point of the dual, so that it
    is a proof however the steps went.
    """

    weights: FloatArray
    gap: float
    n_iter: int


class InteriorPoint(NamedTuple):
    """The variables of the program in columns of equal scale, all of them above 0."""

    weights: FloatArray
    excess: FloatArray  # ξ, what a row lacks of its margin
    surplus: FloatArray  # what it has beyond its margin
    duals: FloatArray  # of the rows, below `costs`
    room: FloatArray  # costs - duals
    bounds: FloatArray  # duals of weights >= 0

    def moved(self, step: InteriorPoint, length: float) -> InteriorPoint:
        """Return the point some way along a step."""
        return InteriorPoint(*(x + length * dx for x, dx in zip(self, step, strict=True)))

    def complementarity(self) -> float:
        """Return the mean product of what should be 0 with what should be 0 instead."""
        products = sum(float(x @ y) for x, y in self.pairs())
        return products / sum(len(x) for x, _ in self.pairs())

    def pairs(self) -> tuple[tuple[FloatArray, FloatArray], ...]:
        """Return the variables of which one of two is 0 at the solution."""
        return (
            (self.surplus, self.duals),
            (self.excess, self.room),
            (self.weights, self.bounds),
        )


class QuadraticProgram(NamedTuple):
    """The program with its columns scaled: weights = scale · (scaled weights)."""

    rows: FloatArray
    costs: FloatArray
    scale: FloatArray

    @classmethod
    def scaled(cls, rows: FloatArray, costs: FloatArray) -> QuadraticProgram:
        """Divide each column by its largest value, so that raw data do no harm."""
        largest = np.abs(rows).max(axis=0)
        scale = 1 / np.where(largest > 0, largest, 1)
        return cls(np.ascontiguousarray(rows * scale), costs, scale)

    def cost(self, weights: FloatArray) -> float:
        """Return the value that is minimised."""
        lacking = np.maximum(1 - self.rows @ weights, 0)
        return float(0.5 * np.sum((self.scale * weights) ** 2) + self.costs @ lacking)

    def dual_cost(self, duals: FloatArray) -> float:
        """Return a lower bound of the cost of any weights."""
        best = np.maximum(self.rows.T @ duals, 0) / self.scale
        return float(duals.sum() - 0.5 * best @ best)

    def gap(self, point: InteriorPoint) -> float:
        """Return how far the cost may be above the least, relative to it where that exceeds 1."""
        cost = self.cost(point.weights)
        lower = self.dual_cost(np.clip(point.duals, 0, self.costs))
        return max(cost - lower, 0) / max(1, cost)


def solve(rows: FloatArray, costs: FloatArray, tol: float, max_iter: int) -> Solution:
    """Solve the program by Mehrotra's predictor and corrector, one d × d system a step.

    Parameters
    ----------
    rows : ndarray of shape (n_rows, n_columns)
        What times the weights should be at least 1.
    costs : ndarray of shape (n_rows,)
        What it costs to be 1 short, above 0.
    tol : float
        The gap at which to stop.
    max_iter : int
        Points to try at the most, the start included.

    References
    ----------
    Mehrotra, On the implementation of a primal-dual interior point method, SIAM Journal on
    Optimization 2 (1992).
    """
    n_columns = rows.shape[1]
    if (rows.T @ costs <= 0).all():
        # At 0 every row lacks its margin, so the cost has a slope there, and it points upwards.
        return Solution(np.zeros(n_columns), 0.0, 1)
    program = QuadraticProgram.scaled(rows, costs)
    point = _start(program)
    best, gap = point, program.gap(point)
    n_iter = 1
    while gap > tol and n_iter < max_iter:
        n_iter += 1
        point = _advanced(program, point)
        if (now := program.gap(point)) < gap:
            best, gap = point, now
    weights, gap = _with_zeros(program, best, gap, tol)
    return Solution(weights * program.scale, gap, n_iter)


def _start(program: QuadraticProgram) -> InteriorPoint:
    n_columns = program.rows.shape[1]
    weights = np.full(n_columns, 1 / n_columns)
    margins = program.rows @ weights - 1
    half = program.costs / 2
    return InteriorPoint(
        weights,
        np.maximum(-margins, 0) + 1,
        np.maximum(margins, 0) + 1,
        half,
        half,
        np.full(n_columns, max(1, float(half.mean()))),
    )


def _advanced(program: QuadraticProgram, point: InteriorPoint) -> InteriorPoint:
    """Return the point after one step."""
    system = NewtonSystem(program, point)
    mean = point.complementarity()
    affine = system.step(0, None)
    ahead = point.moved(affine, _longest(point, affine)).complementarity()
    corrected = _taken(point, system.step(mean * (ahead / mean) ** 3, affine))
    if corrected.complementarity() < ENOUGH * mean:
        return corrected
    return _taken(point, system.step(mean / 2, None))


def _taken(point: InteriorPoint, step: InteriorPoint) -> InteriorPoint:
    return point.moved(step, SHORT_OF_BOUNDARY * _longest(point, step))


def _factor(matrix: FloatArray) -> tuple[FloatArray, bool]:
    """Return the Cholesky factor of a matrix with unit diagonal.

    Where columns are collinear, rounding may leave it not quite positive: then as little as
    serves is added to the diagonal. That bends the step, not the conditions of the end.
    """
    for shift in SHIFTS:
        try:
            return cho_factor(matrix + shift * np.eye(len(matrix)), lower=True, check_finite=False)  # type: ignore[no-any-return]
        except LinAlgError:
            continue
    raise LinAlgError("the equations of a step have no solution")


class NewtonSystem:
    """The equations of a step, reduced to one for each column and factorised once."""

    def __init__(self, program: QuadraticProgram, point: InteriorPoint) -> None:
        self.program, self.point = program, point
        rows, scale = program.rows, program.scale
        self.stiffness = 1 / (point.excess / point.room + point.surplus / point.duals)
        matrix = (rows * self.stiffness[:, np.newaxis]).T @ rows
        matrix[np.diag_indices_from(matrix)] += scale**2 + point.bounds / point.weights
        # A unit diagonal keeps the factor exact where weights of very different size meet.
        self.diagonal = 1 / np.sqrt(matrix.diagonal())
        matrix *= self.diagonal[:, np.newaxis] * self.diagonal
        self.factor = _factor(matrix)
        self.lacking = 1 + point.surplus - point.excess - rows @ point.weights
        self.slope = rows.T @ point.duals + point.bounds - scale**2 * point.weights

    def step(self, centre: float, affine: InteriorPoint | None) -> InteriorPoint:
        """Return the step towards products of `centre`, corrected for those of an affine step."""
        point, rows = self.point, self.program.rows
        errors = [dx * dy for dx, dy in affine.pairs()] if affine else [0.0, 0.0, 0.0]
        surplus = (centre - errors[0]) / point.duals - point.surplus
        excess = (centre - errors[1]) / point.room - point.excess
        bounds = (centre - errors[2]) / point.weights - point.bounds
        lacking = self.lacking + surplus - excess
        slope = self.slope + bounds + rows.T @ (self.stiffness * lacking)
        weights = self.diagonal * cho_solve(self.factor, self.diagonal * slope, check_finite=False)
        duals = self.stiffness * (lacking - rows @ weights)
        return InteriorPoint(
            weights,
            excess + point.excess / point.room * duals,
            surplus - point.surplus / point.duals * duals,
            duals,
            -duals,
            bounds - point.bounds / point.weights * weights,
        )


def _longest(point: InteriorPoint, step: InteriorPoint) -> float:
    """Return how much of a step keeps all variables above 0, at most 1."""
    shares = (float(np.max(-dx / x, initial=0)) for x, dx in zip(point, step, strict=True))
    return 1 / max(1, *shares)


def _with_zeros(
    program: QuadraticProgram, point: InteriorPoint, gap: float, tol: float
) -> tuple[FloatArray, float]:
    """Return the weights, those that make no difference being 0, if the gap allows it."""
    weighty = point.weights > NO_DIFFERENCE * point.weights.max()
    cleared = point._replace(weights=np.where(weighty, point.weights, 0))
    gap_then = program.gap(cleared)
    if gap_then <= max(gap, tol):
        return cleared.weights, gap_then
    return point.weights, gap
