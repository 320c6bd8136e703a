"""Where mixtures begin: at what labels and groups of samples stand for, and spread out from there."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics.pairwise import euclidean_distances

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]

# Rounds of k-means that even out a start.
ROUNDS = 3


def class_means(X: FloatArray, classes: IntArray) -> FloatArray:
    """Return the mean of the samples of each class, -1 being none."""
    return np.array([X[classes == each].mean(axis=0) for each in range(classes.max() + 1)])


def spread(
    points: FloatArray,
    masses: FloatArray,
    centers: FloatArray,
    n_centers: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Return centres with points added until there are `n_centers`, or no point is apart from them.

    Points are drawn as k-means++ draws them, by mass times squared distance to the nearest centre,
    the best of 2 + ⌊ln k⌋ draws each.
    """
    if not len(centers) and len(points):
        centers = points[rng.choice(len(points), 1, p=masses / masses.sum())]
    if not len(points):
        return centers
    away = masses * euclidean_distances(points, centers, squared=True).min(axis=1)
    while len(centers) < n_centers and away.sum() > 0:
        drawn = rng.choice(len(points), 2 + int(np.log(n_centers)), p=away / away.sum())
        left = masses * euclidean_distances(points[drawn], points, squared=True)
        left = np.minimum(left, away)
        best = left.sum(axis=1).argmin()
        centers = np.concatenate((centers, points[drawn[best : best + 1]]))
        away = left[best]
    return centers


def draw_means(
    X: FloatArray,
    n_clusters: int,
    anchors: FloatArray,
    groups: tuple[FloatArray, FloatArray],
    rng: np.random.Generator,
) -> FloatArray:
    """Return the means to begin with.

    Parameters
    ----------
    X : float64 ndarray of shape (n_samples, n_features)
        The samples.
    n_clusters : int
        How many means there are to be; fewer where samples are equal.
    anchors : float64 ndarray of shape (n_anchors, n_features)
        The first means, one for each class of labels.
    groups : means and masses
        Groups of samples that are stated to be together: points that are drawn before others.
    rng : Generator
        The source of randomness.
    """
    centers = spread(*groups, anchors, n_clusters, rng)
    centers = spread(X, np.ones(len(X)), centers, n_clusters, rng)
    for _ in range(ROUNDS):
        shares = nearest_shares(X, centers)
        masses = shares.sum(axis=0)
        is_filled = masses > 0
        centers[is_filled] = (shares.T @ X)[is_filled] / masses[is_filled, np.newaxis]
    return centers


def nearest_shares(X: FloatArray, centers: FloatArray) -> FloatArray:
    """Return shares of 1 in the cluster of the nearest centre."""
    nearest = euclidean_distances(X, centers, squared=True).argmin(axis=1)
    return np.eye(len(centers))[nearest]
