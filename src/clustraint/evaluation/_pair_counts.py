"""Pairs of samples that labels hold together, counted from the sizes of groups."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from clustraint.checks import encode_labels
from clustraint.exceptions import DifferentSamplesError, UnclusteredSampleError
from clustraint.typing import IntArray

# Groups whose numbers stay below this many times their members are counted without sorting.
SPARE = 4


class Clusterings(NamedTuple):
    """The true class and the cluster of each sample whose class is known, as numbers from 0.

    These are `samples` out of `n_samples`.
    """

    n_samples: int
    samples: IntArray
    classes: IntArray
    clusters: IntArray


class Pairs(NamedTuple):
    """How many pairs there are, in one class, in one cluster, and in both."""

    total: int
    same_class: int
    same_cluster: int
    same_both: int

    @property
    def agreed(self) -> int:
        """How many are together in both or apart in both."""
        return self.total - self.same_class - self.same_cluster + 2 * self.same_both


def check_clusterings(y_true: ArrayLike, y_pred: ArrayLike) -> Clusterings:
    """Return the samples of known class, all of which must have a cluster."""
    classes, clusters = class_numbers("y_true", y_true), class_numbers("y_pred", y_pred)
    if len(classes) != len(clusters):
        raise DifferentSamplesError(
            f"y_true has {len(classes)} labels and y_pred has {len(clusters)}"
        )
    if not len(classes) or (classes.min() >= 0 and clusters.min() >= 0):
        return Clusterings(len(classes), np.arange(len(classes)), classes, clusters)
    samples = np.flatnonzero(classes >= 0)
    without = samples[clusters[samples] < 0]
    if len(without):
        raise UnclusteredSampleError("y_pred", int(without[0]))
    return Clusterings(len(classes), samples, classes[samples], clusters[samples])


def class_numbers(name: str, y: ArrayLike) -> IntArray:
    """Return a number from 0 for each label, -1 where it is unknown."""
    labels: NDArray[Any] | None = None if isinstance(y, list | tuple) else np.asarray(y)
    if labels is None or labels.ndim != 1 or labels.dtype.kind not in "iu" or not len(labels):
        return encode_labels(y, name)[0]
    low, high = int(labels.min()), int(labels.max())
    if high - low > SPARE * len(labels) or high > np.iinfo(np.int64).max:
        return encode_labels(labels, name)[0]
    numbers = labels.astype(np.int64)
    if low == 0:
        return numbers
    return np.where(numbers == -1, -1, numbers - low)


def joint(first: IntArray, second: IntArray) -> IntArray:
    """Return one number for each combination of two."""
    n_second = np.int64(second.max(initial=-1) + 1)
    return first * n_second + second


def together(numbers: IntArray) -> int:
    """Return how many pairs have the same number."""
    if numbers.max(initial=0) <= SPARE * len(numbers):
        sizes = np.bincount(numbers)
    else:
        sizes = np.unique(numbers, return_counts=True)[1]
    return int((sizes * (sizes - 1)).sum()) // 2


def count_pairs(classes: IntArray, clusters: IntArray) -> Pairs:
    """Count the pairs of all samples."""
    total = len(classes) * (len(classes) - 1) // 2
    both = together(joint(classes, clusters))
    return Pairs(total, together(classes), together(clusters), both)
