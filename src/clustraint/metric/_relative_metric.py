"""A metric that triplets teach: which features count, and how much."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from clustraint.base import ConstraintTaker
from clustraint.checks import check_number, check_whole_number
from clustraint.constraints import Constraints
from clustraint.exceptions import (
    HugeDifferenceError,
    InvalidParameterError,
    UnlearnableMetricWarning,
)
from clustraint.machine import Footprint, one_thread
from clustraint.metric._interior_point import solve

FloatArray: TypeAlias = NDArray[np.floating]
DTYPES = [np.float64, np.float32]


class RelativeMetric(ConstraintTaker, OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Feature weights under which triplets hold, learned with a margin as a linear SVM is.

    After Schultz and Joachims, Learning a distance metric from relative comparisons, NIPS 2003,
    with A = I: the "SVM-Metric" of Liu, Zhang and Wang, Clustering with relative constraints,
    KDD 2011, section 5. The squared distance of x and y is Σ w·(x - y)².

    Parameters
    ----------
    C : float, default=1.0
        What a triplet of weight 1 costs that is short of its margin by 1. Large values fit the
        triplets, small ones keep the weights small.
    tol : float, default=1e-8
        The duality gap at which the solver stops, relative to the cost where that exceeds 1.
    max_iter : int, default=100
        Points that the solver may look at; some twenty are usual.

    Attributes
    ----------
    feature_weights_ : ndarray of shape (n_features,)
        One weight from 0 up for each feature.
    dual_gap_ : float
        How far the cost of the weights is above the least possible one at the most, relative to
        the cost where that exceeds 1.
    n_iter_ : int
        Points that the solver looked at, its start included.

    Notes
    -----
    The weights minimise ½‖w‖² + C Σ ξ with w ≥ 0, ξ ≥ 0 and, for each triplet ab|c,
    d²(a, c) - d²(a, b) ≥ 1 - ξ and d²(b, c) - d²(a, b) ≥ 1 - ξ'. There is one solution, found by a
    primal-dual interior-point method. Repeating a triplet is the same as doubling its weight.

    The penalty is on the weights of the features as they are, as in the paper, so that scaling a
    feature changes the result; columns are scaled inside the solver only. Where no weights are
    better than none, all become 1, with a warning; so they do, without one, where no triplets are
    given. A feature that only makes triplets fail gets the weight 0.

    Examples
    --------
    >>> import numpy as np
    >>> from clustraint import Constraints
    >>> from clustraint.metric import RelativeMetric
    >>> X = np.array([[0.0, 0.0], [0.0, 9.0], [2.0, 0.0]])
    >>> known = Constraints(3, triplets=[(0, 1, 2)])
    >>> metric = RelativeMetric().fit(X, constraints=known)
    >>> metric.feature_weights_.round(6)
    array([0.25, 0.  ])
    >>> metric.transform(X)[2].round(6)
    array([1., 0.])
    >>> metric.score(X, constraints=known)
    1.0
    """

    constraint_kinds: ClassVar[tuple[str, ...]] = ("triplets",)
    footprint: ClassVar[Footprint] = Footprint(per_value=1, per_sample=4, per_difference=10)

    # With metadata routing on, `score` gets the constraints of the samples that it scores.
    __metadata_request__score: ClassVar[dict[str, Any]] = {"constraints": True}

    def __init__(self, C: float = 1.0, *, tol: float = 1e-8, max_iter: int = 100) -> None:
        self.C = C
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X: Any, y: Any = None, *, constraints: Constraints | None = None) -> Self:
        """Learn the weights of the features.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            The samples.
        y : array-like of shape (n_samples,), optional
            Labels of some samples, as the constraints that they mean; -1, None or nan where
            unknown. Ignored if none is unknown.
        constraints : Constraints, optional
            Triplets; their weights multiply `C`.

        Warns
        -----
        UnlearnableMetricWarning
            If no weights are better than none.

        Examples
        --------
        >>> RelativeMetric().fit([[0.0, 1.0], [2.0, 3.0]]).feature_weights_
        array([1., 1.])
        """
        samples = validate_data(self, X, dtype=DTYPES)
        self._check_parameters()
        pairs = self._check_knowledge(constraints, y, X)
        X = samples
        with one_thread():
            self._fit(X, pairs)
        return self

    def _check_parameters(self) -> None:
        check_number("C", self.C, least=0)
        check_number("tol", self.tol, least=0)
        if self.C == 0:
            raise InvalidParameterError("C", self.C, "a number above 0")
        check_whole_number("max_iter", self.max_iter, least=1)

    def _fit(self, X: FloatArray, constraints: Constraints) -> None:
        triplets, weights = constraints.links["triplets"]
        self.feature_weights_ = np.ones(X.shape[1])
        self.dual_gap_, self.n_iter_ = 0.0, 1
        if not len(triplets):
            return
        rows = _differences(X, triplets)
        costs = self.C * np.concatenate((weights, weights))
        solution = solve(rows, costs, self.tol, self.max_iter)
        self.dual_gap_, self.n_iter_ = solution.gap, solution.n_iter
        if not solution.weights.any():
            warnings.warn(UnlearnableMetricWarning(), stacklevel=3)
            return
        self.feature_weights_ = solution.weights
        if solution.gap > self.tol:
            message = f"the duality gap is {solution.gap:.2g}, above tol={self.tol}, at the end."
            warnings.warn(message, ConvergenceWarning, stacklevel=3)

    def transform(self, X: Any) -> FloatArray:
        """Scale the features so that squared Euclidean distances are the learned ones.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            Each feature times the square root of its weight; float32 stays float32.

        Examples
        --------
        >>> metric = RelativeMetric().fit([[0.0, 1.0], [2.0, 3.0]])
        >>> metric.transform([[4.0, 5.0]])
        array([[4., 5.]])
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=DTYPES, reset=False)
        return np.asarray(X * np.sqrt(self.feature_weights_).astype(X.dtype))

    def score(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        constraints: Constraints | None = None,
    ) -> float:
        """Return the share of the triplets that hold in the learned metric.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Samples.
        y : None
            Ignored.
        sample_weight : None
            Ignored; scikit-learn's pipelines look for it.
        constraints : Constraints, optional
            Triplets over these samples; each counts by its weight.

        Returns
        -------
        float
            The share of those ab|c with a and b closer to each other than to c; nan where there
            are no triplets.

        Examples
        --------
        >>> metric = RelativeMetric().fit([[0.0], [1.0]])
        >>> known = Constraints(4, triplets=[(0, 1, 2), (0, 2, 3), (0, 3, 1)])
        >>> round(metric.score([[0.0], [1.0], [3.0], [7.0]], constraints=known), 2)
        0.67
        """
        check_is_fitted(self)
        triplets, weights = self._check_constraints(constraints, X).links["triplets"]
        X = validate_data(self, X, dtype=DTYPES, reset=False)
        if not len(triplets):
            return float("nan")
        margins = (_differences(X, triplets) @ self.feature_weights_).reshape(2, -1)
        return float(weights[(margins > 0).all(axis=0)].sum() / weights.sum())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _differences(X: FloatArray, triplets: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return (c - a)² - (a - b)² for all triplets ab|c and then (c - b)² - (a - b)²."""
    a, b, c = (X[samples].astype(np.float64, copy=False) for samples in triplets.T)
    with np.errstate(over="ignore", invalid="ignore"):
        near = (a - b) ** 2
        rows = np.concatenate(((c - a) ** 2 - near, (c - b) ** 2 - near))
    column = np.flatnonzero(~np.isfinite(rows).all(axis=0))
    if len(column):
        raise HugeDifferenceError(int(column[0]))
    return rows
