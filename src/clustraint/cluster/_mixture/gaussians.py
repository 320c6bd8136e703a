"""Gaussian clusters: densities of rows, and parameters from sums over rows.

Everything that a round of a fit takes from the rows is a `Sums`, and those of two parts of the rows
add up to those of both: so rows may come in chunks, from anywhere and in any order.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cholesky, solve_triangular

from clustraint.exceptions import IllDefinedCovarianceError
from clustraint.kernels.mixture import to_shares

FloatArray = NDArray[np.float64]


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
        return Sums(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))


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
        return (X * shares.sum(axis=1)[:, np.newaxis]).T @ X

    def estimate(self, sums: Sums, means: FloatArray) -> FloatArray:
        """Return the covariance of greatest likelihood."""
        between = (means * sums.masses[:, np.newaxis]).T @ means
        return np.asarray((sums.seconds - between) / sums.masses.sum())

    def shrunk(self, covariances: FloatArray, weights: FloatArray, shrinkage: float) -> FloatArray:
        """Return the covariance moved towards equal variances and no correlation."""
        size = covariances.shape[-1]
        even = np.trace(covariances) / size * np.eye(size)
        return (1 - shrinkage) * covariances + shrinkage * even

    def regular(self, covariances: FloatArray, addition: float) -> FloatArray:
        """Return the covariance with something added to all variances."""
        return covariances + addition * np.eye(covariances.shape[-1])

    def squares(self, X: FloatArray, gaussians: Gaussians) -> tuple[FloatArray, FloatArray]:
        """Return squared distances in units of the covariance, and the log of its determinant."""
        whitening, log = _whitening(gaussians.covariances)
        return _squared_distances(X @ whitening, gaussians.means @ whitening), np.array([log])

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
        return _squared_distances(X, gaussians.means) / variances, logs

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
    squares, determinants = covariance.squares(X, gaussians)
    squares *= -0.5
    with np.errstate(divide="ignore"):  # a cluster that nobody is in has a weight of 0
        squares += np.log(gaussians.weights)
    squares -= 0.5 * (determinants + X.shape[1] * np.log(2 * np.pi))
    return squares


def step(X: FloatArray, gaussians: Gaussians, covariance: Covariance) -> Sums:
    """Return the sums of some rows that no statement speaks of."""
    shares = log_densities(X, gaussians, covariance)
    log_likelihood = float(to_shares(shares).sum())
    return moments(X, shares, covariance, log_likelihood)


def moments(
    X: FloatArray, shares: FloatArray, covariance: Covariance, log_likelihood: float = 0.0
) -> Sums:
    """Return the sums of some rows from their shares of the clusters."""
    seconds = covariance.seconds(X, shares)
    return Sums(log_likelihood, shares.sum(axis=0), shares.T @ X, seconds)


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
        root = cholesky(covariance, lower=True)
    except (LinAlgError, ValueError):
        raise IllDefinedCovarianceError from None
    whitening = solve_triangular(root, np.eye(len(root)), lower=True).T
    return np.ascontiguousarray(whitening), 2 * float(np.log(np.diag(root)).sum())


def _positive(variances: FloatArray) -> FloatArray:
    if not (variances > 0).all():
        raise IllDefinedCovarianceError
    return variances


def _squared_distances(X: FloatArray, centers: FloatArray) -> FloatArray:
    squares = -2 * X @ centers.T
    squares += (X**2).sum(axis=1)[:, np.newaxis]
    squares += (centers**2).sum(axis=1)
    return np.maximum(squares, 0, out=squares)
