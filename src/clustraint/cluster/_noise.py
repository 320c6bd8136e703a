"""Wrong constraints, for methods that keep all of them: what to leave out beforehand."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

from clustraint.checks import check_choice
from clustraint.cluster._constrained_mixture import ConstrainedMixture
from clustraint.constraints import Constraints
from clustraint.typing import FloatArray

# Constraints that are rather wrong than right are left out.
MOST_DOUBT = 0.5
# Towards equal variances, for samples of many features.
SHRINKAGE = 0.1


class NoiseMixin:
    """What estimators that keep all constraints do about wrong ones, by their parameter `noise`."""

    noise: str
    n_clusters: Any
    dropped_: Constraints

    def _check_noise(self) -> None:
        check_choice("noise", self.noise, ("raise", "repair", "doubt"))

    def _without_noise(
        self, X: Any, constraints: Constraints, n_levels: Iterable[int] | None = None
    ) -> Constraints:
        """Return consistent constraints by the parameter `noise`, and keep what was dropped.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples, as numbers; nan is missing.
        constraints : Constraints
            All constraints.
        n_levels : iterable of int, optional
            How many values each column has whose numbers stand for values, 0 for other columns.
        """
        if self.noise == "raise":
            constraints.check()
            self.dropped_ = Constraints(constraints.n_samples, names=constraints.names)
            return constraints
        if self.noise == "repair":
            consistent, self.dropped_ = constraints.repair()
            return consistent
        values = np.asarray(X, np.float64)
        if n_levels is not None:
            columns = zip(values.T, n_levels, strict=True)
            values = np.column_stack([_as_numbers(column, count) for column, count in columns])
        believed, doubted = self._sorted_by_doubt(values, constraints)
        consistent, contradictory = believed.repair()
        self.dropped_ = doubted | contradictory
        return consistent

    def _sorted_by_doubt(
        self, X: FloatArray, constraints: Constraints
    ) -> tuple[Constraints, Constraints]:
        """Return what a mixture believes, and what it doubts."""
        model = ConstrainedMixture(self.n_clusters, shrinkage=SHRINKAGE, random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(StandardScaler().fit_transform(X), constraints=constraints)
        doubted = {kind: np.asarray(each) > MOST_DOUBT for kind, each in model.doubt_.items()}
        believed = {kind: ~each for kind, each in doubted.items()}
        return constraints.take(**believed), constraints.take(**doubted)


def _as_numbers(column: FloatArray, n_levels: int) -> FloatArray:
    """Return a column of numbers, or one for each value; what is missing says nothing."""
    is_missing = np.isnan(column)
    if n_levels:
        codes = np.where(is_missing, n_levels, column).astype(np.int64)
        return np.eye(n_levels + 1)[codes, :n_levels]
    mean = float(column[~is_missing].mean()) if not is_missing.all() else 0.0
    return np.where(is_missing, mean, column)
