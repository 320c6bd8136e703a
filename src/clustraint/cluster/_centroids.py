"""What clusterers with a centre for each cluster have in common."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from clustraint.base import ConstrainedClusterer
from clustraint.checks import (
    check_choice,
    check_differences,
    check_number,
    check_whole_number,
)
from clustraint.cluster._lloyd import LloydRun
from clustraint.exceptions import ClustraintError, SampleWeightError
from clustraint.kernels.kmeans import nearest
from clustraint.rows.nearest import costs, distances
from clustraint.typing import FloatingArray, IntArray


class CentroidClusterer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ConstrainedClusterer):
    """K-means under constraints; new samples go to the nearest centre.

    Sub-classes fit `cluster_centers_` and have the parameters `n_clusters`, `init`, `n_init`,
    `max_iter` and `tol`.
    """

    init: str | ArrayLike
    n_init: int
    max_iter: int
    tol: float
    cluster_centers_: FloatingArray

    def _validate(self, X: Any, *, reset: bool = True) -> Any:
        dtypes = [np.float64, np.float32]
        return validate_data(self, X, accept_sparse="csr", dtype=dtypes, order="C", reset=reset)

    def _check_rounds(self, n_samples: int, starts: Iterable[str]) -> None:
        self._check_n_clusters(n_samples)
        if isinstance(self.init, str):
            check_choice("init", self.init, starts)
        check_whole_number("n_init", self.n_init, least=1)
        check_whole_number("max_iter", self.max_iter, least=1)
        check_number("tol", self.tol, least=0)

    def _given_start(self, mean: FloatingArray) -> FloatingArray:
        """Return the centres that `init` lists, around the mean of the data."""
        centers = np.array(self.init, dtype=mean.dtype)
        if centers.shape != (self.n_clusters, len(mean)):
            raise ClustraintError(
                f"init must have the shape {(self.n_clusters, len(mean))}, but has {centers.shape}."
            )
        return centers - mean

    def _keep(self, X: Any, best: LloydRun, mean: FloatingArray, weights: FloatingArray) -> None:
        """Set the attributes that a run of k-means leaves."""
        self.labels_ = best.labels.astype(np.int32)
        self.cluster_centers_ = best.centers + mean
        self.inertia_ = float((weights * distances(X, best.centers, best.labels)).sum())
        self.n_iter_ = best.n_iter
        self._n_features_out = self.n_clusters
        if len(np.unique(best.labels)) < self.n_clusters:
            message = "fewer clusters than n_clusters were found, perhaps because of equal samples."
            warnings.warn(message, ConvergenceWarning, stacklevel=5)

    def predict(self, X: Any) -> IntArray:
        """Return the nearest centre of each sample; constraints have no say in it.

        Examples
        --------
        >>> from clustraint import COPKMeans
        >>> model = COPKMeans(2, random_state=0).fit([[0.0], [1.0], [9.0]])
        >>> model.predict([[2.0], [8.0]]).tolist()
        [0, 1]
        """
        labels = nearest(costs(self._checked(X), self.cluster_centers_))
        return np.asarray(labels, np.int32)

    def transform(self, X: Any) -> FloatingArray:
        """Return the distances of samples to all centres, (n_samples, n_clusters).

        Examples
        --------
        >>> from clustraint import COPKMeans
        >>> model = COPKMeans(2, random_state=0).fit([[0.0], [1.0], [9.0]])
        >>> model.transform([[2.0]])
        array([[1.5, 7. ]])
        """
        return np.asarray(euclidean_distances(self._checked(X), self.cluster_centers_))

    def _score_alone(self, X: Any, sample_weight: ArrayLike | None) -> float:
        """Return minus the weighted sum of squared distances to the nearest centres."""
        X = self._checked(X)
        weights = _check_sample_weight(sample_weight, X, dtype=X.dtype)
        labels = nearest(costs(X, self.cluster_centers_))
        return -float((weights * distances(X, self.cluster_centers_, labels)).sum())

    def _checked(self, X: Any) -> Any:
        check_is_fitted(self)
        return self._validate(X, reset=False).astype(self.cluster_centers_.dtype, copy=False)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def centred(X: Any) -> tuple[Any, FloatingArray]:
    """Return samples around their mean, and the mean; sparse ones stay where they are.

    Around the mean, products of large coordinates do not swallow small distances.

    Raises
    ------
    HugeDifferenceError, TinyDifferenceError
        If squared distances are infinite or vanish.
    """
    check_differences(X)
    if issparse(X):
        return X, np.zeros(X.shape[1], X.dtype)
    mean = X.mean(axis=0)
    return X - mean, mean


def checked_weights(sample_weight: ArrayLike | None, X: Any) -> FloatingArray:
    """Return how much each sample counts, in the type of the samples.

    Raises
    ------
    SampleWeightError
        If a weight becomes 0 or infinite in that type.
    """
    exact = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    with np.errstate(over="ignore", under="ignore"):
        weights = exact.astype(X.dtype)
    lost = ~np.isfinite(weights) | ((weights == 0) & (exact > 0))
    if lost.any():
        raise SampleWeightError(float(exact[np.argmax(lost)]), X.dtype)
    return np.asarray(weights)


def mean_variance(X: Any) -> float:
    """Return the variance of the columns, on average."""
    if not issparse(X):
        return float(np.var(X, axis=0).mean())
    squares = X.multiply(X).mean(axis=0)
    return float(np.mean(np.asarray(squares) - np.asarray(X.mean(axis=0)) ** 2))
