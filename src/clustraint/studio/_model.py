"""The clusters shown as a model that places new samples."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline

from clustraint.studio._clusters import COARSE, FittedClusters
from clustraint.studio._studio import Studio
from clustraint.typing import IntArray
from clustraint.workflow import ClusterModel


class RenumberedClusters(ClusterMixin, BaseEstimator):
    """A fitted clusterer whose clusters have other numbers.

    The studio keeps the number of a cluster while its samples stay the same ones; a method numbers
    its clusters anew in each fit.

    Parameters
    ----------
    estimator : fitted clusterer
        What places samples.
    numbers : int64 ndarray of shape (n_clusters,)
        The number of each of its clusters.
    """

    def __init__(self, estimator: Any, numbers: IntArray) -> None:
        self.estimator, self.numbers = estimator, numbers

    def fit(self, X: Any, y: Any = None, **knowledge: Any) -> RenumberedClusters:
        """Cluster other samples by the same method."""
        self.estimator.fit(X, y, **knowledge)
        return self

    def __sklearn_is_fitted__(self) -> bool:
        """Say that it is made of what is fitted already."""
        return True

    @property
    def labels_(self) -> IntArray:
        """The cluster of each sample that the method was fitted to."""
        return np.asarray(self.numbers[self.estimator.labels_])

    def predict(self, X: Any) -> IntArray:
        """Return the cluster of each sample."""
        return np.asarray(self.numbers[self.estimator.predict(X)])


def write_model(studio: Studio, path: Path) -> None:
    """Write the model of the clusters shown, under their numbers and names."""
    fitted = studio.fitted()
    numbers = {int(label): number for label, number in fitted.about["numbers"].items()}
    steps = fitted.pipeline.named_steps
    if fitted.about["method"] in COARSE:
        X = studio.samples.encoded(steps["encode"].view)[1]
        placing = _by_neighbours(X, fitted, steps["cluster"])
    else:
        by_label = np.full(max(numbers) + 1, -1, np.int64)
        by_label[list(numbers)] = list(numbers.values())
        placing = RenumberedClusters(steps["cluster"], by_label)
    pipeline = Pipeline([("encode", steps["encode"]), ("cluster", placing)])
    names = {number: studio.names.cluster(number) for number in sorted(numbers.values())}
    ClusterModel(pipeline, fitted.about["method"], names).save(path)


def _by_neighbours(X: Any, fitted: FittedClusters, estimator: Any) -> Any:
    """Return what places a sample with the nearest of those that were clustered.

    The linkage of a hierarchy, by its farthest members, would undo what was said: statements join
    samples that are far from each other.
    """
    rows = np.arange(X.shape[0]) if fitted.few is None else fitted.few.rows
    metric = getattr(estimator, "metric", None) or "euclidean"
    nearest = KNeighborsClassifier(1, metric=metric, algorithm="brute")
    return nearest.fit(X[rows], fitted.labels[rows])
