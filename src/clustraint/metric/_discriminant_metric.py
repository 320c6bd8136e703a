"""A linear metric that pairs and triplets teach: must-links short, cannot-links long."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

import numpy as np
from scipy.linalg import eigh
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.extmath import randomized_svd
from sklearn.utils.validation import check_is_fitted, validate_data

from clustraint.base import ConstraintTaker
from clustraint.checks import check_number, check_whole_number
from clustraint.constraints import Constraints
from clustraint.exceptions import InvalidParameterError
from clustraint.machine import Footprint, one_thread
from clustraint.metric._neighbor_spectrum import with_fixed_signs
from clustraint.metric._signed_pairs import signed_pairs
from clustraint.typing import FloatArray

# With more columns than this, principal axes are approximate, from random projections.
EXACT_AXES_UP_TO = 1_000


class DiscriminantMetric(
    ConstraintTaker, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator
):
    """Directions in which cannot-links are long and must-links short.

    Relevant component analysis (Shental, Hertz, Weinshall and Pavel, 2002) and Fisher's
    discriminant in one, for few constraints: what must-links and cannot-links say about the
    directions is shrunk towards what all samples say.

    Parameters
    ----------
    n_components : int or None, default=None
        The number of directions; None keeps all principal axes in use.
    shrinkage : float or "auto", default="auto"
        How many constraints the spread of all samples is worth. "auto" is the number of principal
        axes in use, but at least 10.
    n_axes : int, default=60
        The most principal axes in use, where there are more columns or samples than that.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The directions; their lengths say how much they count.
    ratios_ : ndarray of shape (n_components,)
        How much longer cannot-links are than must-links, squared, in descending order; 1 for
        directions of which constraints say nothing.
    mean_ : ndarray of shape (n_features,)
        The mean of the samples, which is transformed to 0.

    Notes
    -----
    Let S be half the covariance of the samples plus half the identity, times the mean variance.
    With α for the shrinkage, W = (Σ δδᵀ/2 + αS) / (w + α) over the differences δ of must-links,
    whose weights sum to w, and B likewise over cannot-links. A direction v solves Bv = r Wv and
    has vᵀWv = r. A triplet ab|c counts as a must-link of a and b, and as cannot-links of c with
    both, of half its weight. Without constraints the result is half way to equal spread in all
    directions.

    `RelativeMetric` weighs columns, exactly as triplets demand; this turns them too, and takes
    constraints as evidence that may be wrong.

    Examples
    --------
    >>> import numpy as np
    >>> from clustraint import Constraints
    >>> from clustraint.metric import DiscriminantMetric
    >>> X = np.array([[0.0, 0.0], [0.0, 9.0], [2.0, 0.0], [2.0, 9.0]])
    >>> constraints = Constraints(4, must_link=[(0, 1)], cannot_link=[(0, 2), (1, 3)])
    >>> metric = DiscriminantMetric(shrinkage=0.1).fit(X, constraints=constraints)
    >>> metric.components_.round(3)
    array([[2.795, 0.   ],
           [0.   , 0.022]])
    """

    constraint_kinds: ClassVar[tuple[str, ...]] = ("must_link", "cannot_link", "triplets")
    footprint: ClassVar[Footprint] = Footprint(per_value=4, per_sample=4, per_difference=6)

    def __init__(
        self,
        n_components: int | None = None,
        *,
        shrinkage: float | Literal["auto"] = "auto",
        n_axes: int = 60,
    ) -> None:
        self.n_components = n_components
        self.shrinkage = shrinkage
        self.n_axes = n_axes

    def fit(self, X: Any, y: Any = None, *, constraints: Constraints | None = None) -> Self:
        """Learn the directions.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            The samples.
        y : array-like of shape (n_samples,), optional
            Labels of some samples, as the constraints that they mean; -1, None or nan where
            unknown. Ignored if none is unknown.
        constraints : Constraints, optional
            Must-links, cannot-links and triplets; their weights say how much each counts.

        Examples
        --------
        >>> DiscriminantMetric().fit([[0.0, 1.0], [2.0, 3.0], [5.0, 1.0]]).components_.shape
        (2, 2)
        """
        samples = validate_data(self, X, dtype=np.float64)
        self._check_parameters()
        constraints = self._check_knowledge(constraints, y, X)
        X = samples
        self.mean_ = X.mean(axis=0)
        centred = X - self.mean_
        with one_thread():
            axes, variances = _principal_axes(centred, self.n_axes)
            directions, self.ratios_ = self._directions(centred @ axes.T, variances, constraints)
            self.components_ = directions @ axes
        self._n_features_out = len(self.components_)
        return self

    def _check_parameters(self) -> None:
        if self.n_components is not None:
            check_whole_number("n_components", self.n_components, least=1)
        if self.shrinkage != "auto":
            check_number("shrinkage", self.shrinkage, least=0)
            if self.shrinkage == 0:
                raise InvalidParameterError("shrinkage", self.shrinkage, "a number above 0")
        check_whole_number("n_axes", self.n_axes, least=1)

    def _directions(
        self, turned: FloatArray, variances: FloatArray, constraints: Constraints
    ) -> tuple[FloatArray, FloatArray]:
        """Return the directions in principal axes, one a row, and their ratios."""
        n_axes = len(variances)
        shrinkage = max(10, n_axes) if self.shrinkage == "auto" else self.shrinkage
        # Equal samples have no spread, and then any unit will do.
        mean = float(variances.mean()) or 1.0
        prior = np.diag(variances + mean) / 2
        pairs, signs = signed_pairs(constraints)
        differences = turned[pairs[:, 0]] - turned[pairs[:, 1]]

        def spread(weights: FloatArray) -> FloatArray:
            squares = (differences * weights[:, np.newaxis]).T @ differences / 2
            return np.asarray((squares + shrinkage * prior) / (weights.sum() + shrinkage))

        within, between = spread(np.maximum(signs, 0)), spread(np.maximum(-signs, 0))
        values, vectors = eigh(between, within)
        kept = np.argsort(-values, kind="stable")[: self.n_components]
        return (with_fixed_signs(vectors[:, kept]) * np.sqrt(values[kept])).T, values[kept]

    def transform(self, X: Any) -> FloatArray:
        """Return samples in the learned directions.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Their Euclidean distances are the learned ones.

        Examples
        --------
        >>> metric = DiscriminantMetric().fit([[0.0, 1.0], [2.0, 3.0], [5.0, 1.0]])
        >>> metric.transform([[4.0, 5.0]]).shape
        (1, 2)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return np.asarray((X - self.mean_) @ self.components_.T)


def _principal_axes(centred: FloatArray, n_axes: int) -> tuple[FloatArray, FloatArray]:
    """Return the leading principal axes, one a row, and the variances along them."""
    n_samples, n_features = centred.shape
    n_axes = min(n_axes, n_samples, n_features)
    if n_features <= EXACT_AXES_UP_TO:
        values, vectors = np.linalg.eigh(centred.T @ centred / n_samples)
        return vectors[:, ::-1][:, :n_axes].T, np.maximum(values[::-1][:n_axes], 0)
    _, values, axes = randomized_svd(centred, n_axes, random_state=0)
    return axes, values**2 / n_samples
