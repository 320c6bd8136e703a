"""Gaussian clusters: densities of rows, and parameters from sums over rows.

Everything that a round of a fit takes from the rows is a `Sums`, and those of two parts of the rows
add up to those of both: so rows may come in chunks, from anywhere and in any order.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
from sklearn.utils.validation import _check_sample_weight

from clustraint.exceptions import IllDefinedCovarianceError, InvalidParameterError
from clustraint.kernels.mixture import to_shares
from clustraint.typing import FloatArray

# The largest weight of a sample is between these.
LEAST_MASS, MOST_MASS = 1e-9, 1e9


class Gaussians(NamedTuple):
    """The parameters of all clusters; the shapes of `covariances` are scikit-learn's."""

    weights: FloatArray  # (n_clusters,)
    means: FloatArray  # (n_clusters, n_features)
    covariances: FloatArray


class Sums(NamedTuple):
    """What rows add up to, each counted in every cluster by its share there."""

    log_likelihood: float
    masses: FloatArray  # (n_clusters,)
    firsts: FloatArray  # (n_clusters, n_features): sums of rows
    seconds: FloatArray  # sums of products of rows, as the covariances need them

    def plus(self, other: Sums) -> Sums:
        """Return the sums of both parts."""
        return Sums(
            self.log_likelihood + other.log_likelihood,
            self.masses + other.masses,
            self.firsts + other.firsts,
            self.seconds + other.seconds,
        )


class Covariance(Protocol):
    """What differs between covariances that are full, tied, diagonal and spherical."""

    def seconds(self, X: FloatArray, shares: FloatArray) -> FloatArray:
        """Return the sums of products of rows."""

    def estimate(self, sums: Sums, means: FloatArray) -> FloatArray:
        """Return the covariances of greatest likelihood."""

    def shrunk(self, covariances: FloatArray, weights: FloatArray, shrinkage: float) -> FloatArray:
        """Return covariances moved towards what is safer to estimate."""

    def regular(self, covariances: FloatArray, addition: float) -> FloatArray:
        """Return covariances with something added to all variances."""

    def squares(self, X: FloatArray, gaussians: Gaussians) -> tuple[FloatArray, FloatArray]:
        """Return squared distances in units of the covariances, and the logs of determinants."""

    def n_parameters(self, n_clusters: int, n_features: int) -> int:
        """Return how many numbers the covariances are made of."""


class Full:
    """Each cluster has a covariance matrix of its own."""

    def seconds(self, X: FloatArray, shares: FloatArray) -> FloatArray:
        """Return the sums of products of rows, (n_clusters, n_features, n_features)."""
        return np.stack([(X * column[:, np.newaxis]).T @ X for column in shares.T])

    def estimate(self, sums: Sums, means: FloatArray) -> FloatArray:
        """Return the covariances of greatest likelihood."""
        around_zero = sums.seconds / sums.masses[:, np.newaxis, np.newaxis]
        return np.asarray(around_zero - means[:, :, np.newaxis] * means[:, np.newaxis, :])

    def shrunk(self, covariances: FloatArray, weights: FloatArray, shrinkage: float) -> FloatArray:
        """Return covariances moved towards their weighted mean."""
        pooled = np.tensordot(weights, covariances, axes=1)
        return (1 - shrinkage) * covariances + shrinkage * pooled

    def regular(self, covariances: FloatArray, addition: float) -> FloatArray:
        """Return covariances with something added to all variances."""
        return covariances + addition * np.eye(covariances.shape[-1])

    def squares(self, X: FloatArray, gaussians: Gaussians) -> tuple[FloatArray, FloatArray]:
        """Return squared distances in units of the covariances, and the logs of determinants."""
        squares = np.empty((len(X), len(gaussians.means)))
        logs = np.empty(len(gaussians.means))
        for cluster, (mean, covariance) in enumerate(
            zip(gaussians.means, gaussians.covariances, strict=True)
        ):
            whitening, logs[cluster] = _whitening(covariance)
            squares[:, cluster] = (((X - mean) @ whitening) ** 2).sum(axis=1)
        return squares, logs

    def n_parameters(self, n_clusters: int, n_features: int) -> int:
        """Return how many numbers the covariances are made of."""
        return n_clusters * n_features * (n_features + 1) // 2


class Tied:
    """All clusters share one covariance matrix."""

    def seconds(self, X: FloatArray, shares: FloatArray) -> FloatArray:
        """Return the sums of products of rows, (n_features, n_features)."""
        return np.asarray((X * shares.sum(axis=1)[:, np.newaxis]).T @ X)

    def estimate(self, sums: Sums, means: FloatArray) -> FloatArray:
        """Return the covariance of greatest likelihood."""
        between = (means * sums.masses[:, np.newaxis]).T @ means
        return np.asarray((sums.seconds - between) / sums.masses.sum())

    def shrunk(self, covariances: FloatArray, weights: FloatArray, shrinkage: float) -> FloatArray:
        """Return the covariance moved towards equal variances and no correlation."""
        size = covariances.shape[-1]
        even = float(np.trace(covariances)) / size * np.eye(size)
        return np.asarray((1 - shrinkage) * covariances + shrinkage * even)

    def regular(self, covariances: FloatArray, addition: float) -> FloatArray:
        """Return the covariance with something added to all variances."""
        return covariances + addition * np.eye(covariances.shape[-1])

    def squares(self, X: FloatArray, gaussians: Gaussians) -> tuple[FloatArray, FloatArray]:
        """Return squared distances in units of the covariance, and the log of its determinant."""
        whitening, log = _whitening(gaussians.covariances)
        return squared_distances(X @ whitening, gaussians.means @ whitening), np.array([log])

    def n_parameters(self, n_clusters: int, n_features: int) -> int:
        """Return how many numbers the covariance is made of."""
        return n_features * (n_features + 1) // 2


class Diag:
    """Each cluster has a variance of its own in each feature."""

    def seconds(self, X: FloatArray, shares: FloatArray) -> FloatArray:
        """Return the sums of squares, (n_clusters, n_features)."""
        return shares.T @ X**2

    def estimate(self, sums: Sums, means: FloatArray) -> FloatArray:
        """Return the variances of greatest likelihood."""
        return np.asarray(sums.seconds / sums.masses[:, np.newaxis] - means**2)

    def shrunk(self, covariances: FloatArray, weights: FloatArray, shrinkage: float) -> FloatArray:
        """Return variances moved towards their weighted mean over the clusters."""
        return (1 - shrinkage) * covariances + shrinkage * (weights @ covariances)

    def regular(self, covariances: FloatArray, addition: float) -> FloatArray:
        """Return variances with something added."""
        # Rounding leaves a variance of 0 a little below it.
        return np.maximum(covariances, 0) + addition

    def squares(self, X: FloatArray, gaussians: Gaussians) -> tuple[FloatArray, FloatArray]:
        """Return squared distances in units of the variances, and the logs of determinants."""
        variances = _positive(gaussians.covariances)
        means = gaussians.means
        squares = X**2 @ (1 / variances).T
        squares -= 2 * X @ (means / variances).T
        squares += (means**2 / variances).sum(axis=1)
        return np.maximum(squares, 0), np.log(variances).sum(axis=1)

    def n_parameters(self, n_clusters: int, n_features: int) -> int:
        """Return how many numbers the variances are made of."""
        return n_clusters * n_features


class Spherical(Diag):
    """Each cluster has one variance, the same in all features."""

    def estimate(self, sums: Sums, means: FloatArray) -> FloatArray:
        """Return the variances of greatest likelihood, (n_clusters,)."""
        return np.asarray(super().estimate(sums, means).mean(axis=1))

    def squares(self, X: FloatArray, gaussians: Gaussians) -> tuple[FloatArray, FloatArray]:
        """Return squared distances in units of the variances, and the logs of determinants."""
        variances = _positive(gaussians.covariances)
        logs = gaussians.means.shape[1] * np.log(variances)
        return squared_distances(X, gaussians.means) / variances, logs

    def n_parameters(self, n_clusters: int, n_features: int) -> int:
        """Return how many numbers the variances are made of."""
        return n_clusters


COVARIANCES: dict[str, Covariance] = {
    "tied": Tied(),
    "full": Full(),
    "diag": Diag(),
    "spherical": Spherical(),
}


def log_densities(X: FloatArray, gaussians: Gaussians, covariance: Covariance) -> FloatArray:
    """Return the log of weight times density of each row in each cluster."""
    logs, determinants = covariance.squares(X, gaussians)
    logs *= -0.5
    logs += np.log(gaussians.weights)
    logs -= 0.5 * (determinants + X.shape[1] * np.log(2 * np.pi))
    return logs


def step(
    X: FloatArray,
    weights: FloatArray,
    gaussians: Gaussians,
    covariance: Covariance,
    decides: bool = False,
) -> Sums:
    """Return the sums of some weighted rows that no statement speaks of.

    They count wholly in their likeliest cluster if `decides`, else in all by their shares.
    """
    shares = log_densities(X, gaussians, covariance)
    if decides:
        log_likelihood = float(weights @ shares.max(axis=1, initial=-np.inf))
        shares = decided(shares)
    else:
        log_likelihood = float(weights @ to_shares(shares))
    return moments(X, weights, shares, covariance)._replace(log_likelihood=log_likelihood)


def decided(shares: FloatArray) -> FloatArray:
    """Return shares of which the largest of each row is 1 and the others are 0."""
    return np.asarray(np.eye(shares.shape[1])[shares.argmax(axis=1)])


def checked_masses(sample_weight: Any, X: FloatArray) -> FloatArray:
    """Return how often each sample counts.

    Beside the one that a statement counts, or what `reg_covar` adds, masses of all samples that
    are next to nothing would vanish, and huge ones swallow everything: clusters would be wrong.
    """
    weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    largest = float(weights.max(initial=0))
    if largest and not LEAST_MASS <= largest <= MOST_MASS:
        rule = f"weights of which the largest is from {LEAST_MASS:g} to {MOST_MASS:g}; scale them"
        raise InvalidParameterError("sample_weight", largest, rule)
    return np.asarray(weights)


def moments(X: FloatArray, weights: FloatArray, shares: FloatArray, covariance: Covariance) -> Sums:
    """Return the sums of some weighted rows from their shares of the clusters."""
    counted = shares * weights[:, np.newaxis]
    return Sums(0.0, counted.sum(axis=0), counted.T @ X, covariance.seconds(X, counted))


def maximise(sums: Sums, covariance: Covariance, shrinkage: float, reg_covar: float) -> Gaussians:
    """Return the parameters of greatest likelihood, as scikit-learn has them, but shrunk."""
    # As in scikit-learn: a cluster that nobody is in has a mean too.
    filled = sums._replace(masses=sums.masses + 10 * np.finfo(np.float64).eps)
    means = filled.firsts / filled.masses[:, np.newaxis]
    weights = filled.masses / filled.masses.sum()
    covariances = covariance.estimate(filled, means)
    covariances = covariance.shrunk(covariances, weights, shrinkage)
    return Gaussians(weights, means, covariance.regular(covariances, reg_covar))


def _whitening(covariance: FloatArray) -> tuple[FloatArray, float]:
    """Return what turns differences into ones of unit covariance, and the log-determinant."""
    try:
        root = np.linalg.cholesky(covariance)
    except np.linalg.LinAlgError:
        raise IllDefinedCovarianceError from None
    # For a matrix as small as this, scipy's triangular solver waits longer for its threads than
    # the inverse takes.
    whitening = np.linalg.inv(root).T
    return np.ascontiguousarray(whitening), 2 * float(np.log(np.diag(root)).sum())


def _positive(variances: FloatArray) -> FloatArray:
    if not (variances > 0).all():
        raise IllDefinedCovarianceError
    return variances


def squared_distances(X: FloatArray, centers: FloatArray) -> FloatArray:
    """Return the squared Euclidean distances of rows to centres."""
    squares = -2 * X @ centers.T
    squares += (X**2).sum(axis=1)[:, np.newaxis]
    squares += (centers**2).sum(axis=1)
    return np.maximum(squares, 0, out=squares)
