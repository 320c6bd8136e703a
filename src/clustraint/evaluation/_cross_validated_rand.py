"""How a constrained clustering does on samples that no constraint names."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils.validation import _num_samples

from clustraint.checks import as_generator, check_count
from clustraint.constraints import Constraints
from clustraint.evaluation._pair_counts import check_clusterings, class_numbers, count_pairs
from clustraint.exceptions import (
    DifferentSamplesError,
    InvalidLabelsError,
    InvalidParameterError,
    NoFeasibleClusteringError,
)
from clustraint.typing import IntArray, RandomState


class CrossValidatedRand(NamedTuple):
    """Rand indices of the folds.

    Attributes
    ----------
    mean : float
        Over the folds that did not fail; nan if all did.
    scores : ndarray of float64 of shape (n_folds,)
        The Rand index of each fold, nan where it failed.
    failures : int
        In how many folds the estimator found no clustering that keeps the constraints.

    Examples
    --------
    >>> CrossValidatedRand(1.0, np.array([1.0, np.nan]), 1).failures
    1
    """

    mean: float
    scores: NDArray[np.float64]
    failures: int


def cross_validated_rand(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    n_pairs: int,
    n_folds: int = 10,
    random_state: RandomState = None,
) -> CrossValidatedRand:
    """Return the mean Rand index on folds that the constraints say nothing about.

    For each fold, pairs are drawn from the classes of the other folds, all samples are clustered
    with them as constraints, and the Rand index is taken over the pairs of the fold's own samples.

    Parameters
    ----------
    estimator : estimator
        A clusterer that takes ``fit_predict(X, constraints=...)`` with must-links and
        cannot-links. It is cloned for each fold.
    X : array-like of shape (n_samples, n_features)
        The samples, handed to the estimator as they are.
    y : array-like of shape (n_samples,)
        The true classes. Samples of unknown class (-1, None or nan) are clustered like all, but are
        in no fold.
    n_pairs : int
        How many pairs to draw for each fold, see `Constraints.from_labels`.
    n_folds : int, default=10
        How many folds to make, at random and of as equal a size as can be.
    random_state : int, RandomState, Generator or None, default=None
        Where the folds and pairs come from; the estimator has its own.

    Returns
    -------
    CrossValidatedRand
        The mean, the score of each fold, and the number of folds that failed.

    Raises
    ------
    InvalidLabelsError
        If a fold would have fewer than two samples, which make no pair.

    Notes
    -----
    Struyf and Džeroski, Clustering trees with instance level constraints (2007), section 4.1.
    The closure that the paper adds to the pairs is made by the estimators, as there, when they
    begin. The paper draws again until COP-k-means finds a clustering; here a fold whose estimator
    raises `NoFeasibleClusteringError` counts as failed and is left out of the mean, so that how
    often this happens can be seen.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from clustraint import COPKMeans
    >>> from clustraint.evaluation import cross_validated_rand
    >>> X, y = load_iris(return_X_y=True)
    >>> model = COPKMeans(3, n_init=1, random_state=0)
    >>> result = cross_validated_rand(model, X, y, n_pairs=50, random_state=0)
    >>> result.scores.shape, result.failures
    ((10,), 0)
    >>> bool(0.7 < result.mean < 1)
    True
    """
    classes = _check_classes(X, y, n_folds)
    count, rng = check_count("n_pairs", n_pairs), as_generator(random_state)
    scores = np.array(
        [
            _fold_score(estimator, X, classes, fold, _drawn_elsewhere(classes, fold, count, rng))
            for fold in np.array_split(rng.permutation(np.flatnonzero(classes >= 0)), n_folds)
        ]
    )
    failed = np.isnan(scores)
    mean = float(scores[~failed].mean()) if not failed.all() else np.nan
    return CrossValidatedRand(mean, scores, int(failed.sum()))


def _check_classes(X: Any, y: ArrayLike, n_folds: int) -> IntArray:
    if check_count("n_folds", n_folds) < 2:
        raise InvalidParameterError("n_folds", n_folds, "a whole number from 2 up")
    classes = class_numbers("y", y)
    if len(classes) != _num_samples(X):
        raise DifferentSamplesError(f"X has {_num_samples(X)} and y has {len(classes)} labels")
    n_labelled = np.count_nonzero(classes >= 0)
    if n_labelled < 2 * n_folds:
        raise InvalidLabelsError(
            f"n_folds={n_folds} folds of two or more samples need {2 * n_folds} labels, but y has "
            f"{n_labelled}; make fewer folds."
        )
    return classes


def _drawn_elsewhere(
    classes: IntArray, fold: IntArray, n_pairs: int, rng: np.random.Generator
) -> Constraints:
    """Return pairs over all samples, none of them with a sample of the fold."""
    elsewhere = classes.copy()
    elsewhere[fold] = -1
    return Constraints.from_labels(elsewhere, n_pairs=n_pairs, random_state=rng)


def _fold_score(
    estimator: Any, X: Any, classes: IntArray, fold: IntArray, constraints: Constraints
) -> float:
    try:
        labels = clone(estimator).fit_predict(X, constraints=constraints)
    except NoFeasibleClusteringError:
        return float("nan")
    both = check_clusterings(classes[fold], np.asarray(labels)[fold])
    pairs = count_pairs(both.classes, both.clusters)
    return pairs.agreed / pairs.total
