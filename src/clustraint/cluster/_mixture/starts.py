"""Where mixtures begin: at what labels and groups of samples stand for, and spread out from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from clustraint.cluster._mixture.gaussians import squared_distances
from clustraint.constraints import Constraints
from clustraint.typing import BoolArray, FloatArray, IntArray

# Rounds of k-means that even out a start.
ROUNDS = 3

# How much of a sample begins in the nearest cluster; the rest is spread over all. From a start that
# has not made up its mind, statements lead to better optima (wine with 60 pairs: an adjusted Rand
# index of .98 instead of .95), but wrong ones mislead it; so both are tried.
UNDECIDED, DECIDED = 0.5, 1.0


def draw_starts(
    X: FloatArray,
    weights: FloatArray,
    n_clusters: int,
    classes: IntArray,
    groups: Sequence[IntArray],
    rng: np.random.Generator,
) -> Iterator[FloatArray]:
    """Yield shares of clusters to begin with, without end.

    Half of the starts follow groups of samples that are stated to be together: distances are in
    units of the scatter within these, so that what tells apart what belongs together does not
    count, and the means of groups are drawn before single samples. Where statements are few or
    wrong this misleads, so the others take the data as they are.

    Parameters
    ----------
    X : float64 ndarray of shape (n_samples, n_features)
        The samples.
    weights : float64 ndarray of shape (n_samples,)
        How much each counts.
    n_clusters : int
        How many clusters there are.
    classes : int64 ndarray of shape (n_samples,)
        The cluster that a label puts each sample in, or -1.
    groups : sequence of int64 ndarray
        As `stated_groups` returns them.
    rng : Generator
        The source of randomness.
    """
    labelled = np.flatnonzero(classes >= 0)
    masses = weights if weights.any() else np.ones(len(X))
    by_groups = X @ _scatter_units(X, groups)
    while True:
        for space, first, decided in (
            (by_groups, groups, UNDECIDED),
            (X, [], DECIDED),
            (by_groups, groups, DECIDED),
            (X, [], UNDECIDED),
        ):
            anchors = [space[classes == each].mean(axis=0) for each in range(classes.max() + 1)]
            centers = np.array(anchors).reshape(-1, X.shape[1])
            means = np.array([space[members].mean(axis=0) for members in first])
            sizes = np.array([float(len(members)) for members in first])
            centers = spread(means, sizes, centers, n_clusters, rng)
            centers = spread(space, masses, centers, n_clusters, rng)
            for _ in range(ROUNDS):
                centers = _moved(space, weights, centers)
            shares = np.zeros((len(X), n_clusters))
            shares[:, : len(centers)] = nearest_shares(space, centers, decided)
            shares[labelled] = np.eye(n_clusters)[classes[labelled]]
            yield shares


def stated_groups(
    constraints: Constraints, scopes: Mapping[str, Sequence[BoolArray]], classes: IntArray
) -> list[IntArray]:
    """Return the members of must-link components, of the scopes of rules, and of classes."""
    labels = constraints.component_labels
    order = np.argsort(labels, kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(labels[order])) + 1)
    groups += [np.flatnonzero(scope) for masks in scopes.values() for scope in masks]
    groups += [np.flatnonzero(classes == each) for each in range(classes.max() + 1)]
    return [members for members in groups if len(members) > 1]


def _scatter_units(X: FloatArray, groups: Sequence[IntArray]) -> FloatArray:
    """Return what turns samples into units of the scatter within groups.

    The covariance of all samples counts as so many as there are features, for what groups leave
    open; without groups everything stays as it is.
    """
    n_features = X.shape[1]
    if not groups:
        return np.eye(n_features)
    away = np.concatenate([X[members] - X[members].mean(axis=0) for members in groups])
    freedom = len(away) - len(groups)
    total = X.T @ X / len(X)
    within = (away.T @ away + n_features * total) / (freedom + n_features)
    # Constant columns have no scatter at all.
    within += (1e-6 * np.trace(total) / n_features + 1e-12) * np.eye(n_features)
    return np.ascontiguousarray(np.linalg.inv(np.linalg.cholesky(within)).T)


def spread(
    points: FloatArray,
    masses: FloatArray,
    centers: FloatArray,
    n_centers: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Return centres with points added until there are `n_centers`, or no point is apart from them.

    Points are drawn as k-means++ draws them, by mass times squared distance to the nearest centre,
    the best of 2 + ⌊ln k⌋ draws each. The same are drawn in whichever order the points come.
    """
    if not len(points):
        return centers
    # A line in no special direction puts them in an order of their own: only equal ones share a
    # place on it.
    order = np.argsort(points @ np.sqrt(np.arange(2.0, points.shape[1] + 2)), kind="stable")
    points, masses = points[order], masses[order]
    if not len(centers):
        centers = points[rng.choice(len(points), 1, p=masses / masses.sum())]
    away = masses * squared_distances(points, centers).min(axis=1)
    while len(centers) < n_centers and away.sum() > 0:
        drawn = rng.choice(len(points), 2 + int(np.log(n_centers)), p=away / away.sum())
        left = np.minimum(masses * squared_distances(points[drawn], points), away)
        best = left.sum(axis=1).argmin()
        centers = np.concatenate((centers, points[drawn[best : best + 1]]))
        away = left[best]
    return centers


def _moved(X: FloatArray, weights: FloatArray, centers: FloatArray) -> FloatArray:
    """Return centres moved to the means of the samples that are nearest to them, if any are."""
    shares = nearest_shares(X, centers, 1.0) * weights[:, np.newaxis]
    masses = shares.sum(axis=0)[:, np.newaxis]
    return np.where(masses > 0, shares.T @ X / np.maximum(masses, 1e-300), centers)


def nearest_shares(X: FloatArray, centers: FloatArray, decided: float) -> FloatArray:
    """Return shares of which `decided` is in the cluster of the nearest centre."""
    nearest = squared_distances(X, centers).argmin(axis=1)
    return np.asarray(decided * np.eye(len(centers))[nearest] + (1 - decided) / len(centers))
