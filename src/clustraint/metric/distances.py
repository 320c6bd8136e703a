"""The distances of all pairs of samples, once, as a lower triangle."""

from __future__ import annotations

from collections.abc import Callable
from math import isqrt
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.metrics import (
    euclidean_distances,
    pairwise_distances,
    pairwise_distances_chunked,
)
from sklearn.utils.validation import validate_data

from clustraint.exceptions import (
    InvalidDistanceError,
    InvalidDistanceMatrixError,
    InvalidParameterError,
)
from clustraint.kernels import triangle
from clustraint.machine import check_memory
from clustraint.metric.packing import pack, stack
from clustraint.tables import read_columns, validate_table

Metric: TypeAlias = str | Callable[..., float]
Triangle: TypeAlias = NDArray[np.floating]

# Megabytes of a square matrix that exist at a time, for metrics that are computed row by row.
WORKING_MEMORY = 16


def checked_samples(estimator: Any, X: Any, metric: Metric, *, reset: bool = True) -> Any:
    """Return validated samples: numbers, a table of nominal values, or distances.

    Whether those are distances is for `distance_triangle` to say.
    """
    if not isinstance(metric, str) and not callable(metric):
        raise InvalidParameterError("metric", metric, "a name or a function of two samples")
    if metric == "hamming":
        return validate_table(estimator, X, reset=reset)
    return validate_data(estimator, X, dtype=[np.float64, np.float32], order="C", reset=reset)


def samples_and_metric(X: Any) -> tuple[Any, Metric]:
    """Return samples and the metric to compare them by.

    These are `X` itself and "euclidean" or, where `X` is sparse, its distances and "precomputed".

    Examples
    --------
    >>> samples_and_metric(sparse.csr_array([[3.0, 0.0], [0.0, 4.0]]))
    (array([[0., 5.],
           [5., 0.]]), 'precomputed')
    """
    if not sparse.issparse(X):
        return X, "euclidean"
    n_samples = X.shape[0]
    needed = 2 * 8 * n_samples**2
    check_memory(f"the distances of {n_samples:,} samples", needed, None, "take fewer samples")
    distances = euclidean_distances(X)
    # The product that they come from is symmetric only up to rounding.
    return (distances + distances.T) / 2, "precomputed"


def _check_matrix(X: NDArray[np.floating]) -> None:
    if X.shape[0] != X.shape[1]:
        raise InvalidDistanceMatrixError(f"has the shape {X.shape}")
    row, column = triangle.asymmetry(X)
    if row == column >= 0:
        raise InvalidDistanceMatrixError(f"sample {row} is at {X[row, row]:g} from itself")
    if row >= 0:
        raise InvalidDistanceMatrixError(
            f"the entry ({row}, {column}) is {X[row, column]:g} and the entry ({column}, {row}) "
            f"is {X[column, row]:g}"
        )


def distance_triangle(
    X: Any, metric: Metric, max_memory: float | None, *, n_more: int = 0
) -> tuple[Triangle, float]:
    """Return the distances of all pairs, samples i > j at i * (i - 1) // 2 + j, and the largest.

    Distances are float32 where the samples are, otherwise float64. The caller is going to hold
    `n_more` others, which are to fit into memory as well.
    """
    if metric == "precomputed":
        _check_matrix(X)
    n_samples = X.shape[0]
    single = getattr(X, "dtype", None) == np.float32
    way_out = "take fewer samples" if single else "give X as float32, which halves it"
    size = n_samples * (n_samples - 1) // 2
    needed = (size + n_more) * (4 if single else 8)
    check_memory(f"the distances of {n_samples:,} samples", needed, max_memory, way_out)
    distances = np.empty(size, np.float32 if single else np.float64)
    fill_triangle(X, metric, distances)
    largest, wrong = triangle.largest(distances)
    if wrong >= 0:
        first, second = pair_of_place(wrong)
        raise InvalidDistanceError(second, first, float(distances[wrong]), metric)
    return distances, float(largest)


def fill_triangle(X: Any, metric: Metric, distances: Triangle) -> None:
    """Write the distances of all pairs into a triangle that is there."""
    fill = FILLERS.get(metric, _fill_by_rows) if isinstance(metric, str) else _fill_by_rows
    fill(X, metric, distances)


def distances_between(X: Any, others: Any, metric: Metric) -> NDArray[np.float64]:
    """Return the distances of samples to others, (n_samples, n_others).

    Examples
    --------
    >>> distances_between(np.array([[3.0]]), np.array([[1.0], [9.0]]), "euclidean")
    array([[2., 6.]])
    >>> distances_between([["red", "flat"]], [["red", "round"], ["blue", "round"]], "hamming")
    array([[0.5, 1. ]])
    """
    if metric == "precomputed":
        return np.asarray(X, np.float64)
    if metric != "hamming":
        return np.asarray(pairwise_distances(X, others, metric=metric), np.float64)
    upper, lower = read_columns(others), read_columns(X)
    n_others = len(upper)
    differ = np.zeros((len(lower), n_others))
    for column in stack(upper, lower.renamed(upper.names)):
        differ += column.codes[n_others:, np.newaxis] != column.codes[:n_others]
    return differ / len(upper.names)


def pair_of_place(place: int) -> tuple[int, int]:
    """Return the samples i > j whose distance is at a place of the triangle.

    Examples
    --------
    >>> [pair_of_place(place) for place in range(4)]
    [(1, 0), (2, 0), (2, 1), (3, 0)]
    """
    first = (1 + isqrt(1 + 8 * place)) // 2
    return first, place - first * (first - 1) // 2


def _fill_euclidean(X: NDArray[np.floating], metric: Metric, distances: Triangle) -> None:
    triangle.euclidean(np.array(X.T, np.float64, order="C"), distances)


def _fill_hamming(X: Any, metric: Metric, distances: Triangle) -> None:
    triangle.hamming(pack(read_columns(X)), X.shape[1], distances)


def _fill_precomputed(X: NDArray[np.floating], metric: Metric, distances: Triangle) -> None:
    triangle.copy_rows(X, 0, distances)


def _fill_by_rows(X: NDArray[np.floating], metric: Metric, distances: Triangle) -> None:
    first = 0
    for rows in pairwise_distances_chunked(X, metric=metric, working_memory=WORKING_MEMORY):
        triangle.copy_rows(np.ascontiguousarray(rows), first, distances)
        first += len(rows)


FILLERS: dict[str, Callable[[Any, Metric, Triangle], None]] = {
    "euclidean": _fill_euclidean,
    "l2": _fill_euclidean,
    "hamming": _fill_hamming,
    "precomputed": _fill_precomputed,
}
