"""The distances of all pairs of samples, once, as a lower triangle."""

from __future__ import annotations

from collections.abc import Callable
from math import isqrt
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import pairwise_distances_chunked
from sklearn.utils.validation import validate_data

from clustraint.cluster._nominal import column_names, pack, validated_nominal
from clustraint.exceptions import (
    InvalidDistanceError,
    InvalidDistanceMatrixError,
    InvalidParameterError,
)
from clustraint.kernels import triangle
from clustraint.machine import check_memory

Metric: TypeAlias = str | Callable[..., float]
Triangle: TypeAlias = NDArray[np.floating]

# Megabytes of a square matrix that exist at a time, for metrics that are computed row by row.
WORKING_MEMORY = 16


def checked_samples(estimator: Any, X: Any, metric: Metric) -> Any:
    """Return validated samples: numbers, a table of nominal values, or a matrix of distances."""
    if not isinstance(metric, str) and not callable(metric):
        raise InvalidParameterError("metric", metric, "a name or a function of two samples")
    if metric == "hamming":
        return validated_nominal(estimator, X, reset=True)
    X = validate_data(estimator, X, dtype=[np.float64, np.float32], order="C")
    if metric == "precomputed":
        _check_matrix(X)
    return X


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
    X: Any, metric: Metric, max_memory: float | None, *, n_copied: int = 0
) -> tuple[Triangle, float]:
    """Return the distances of all pairs, samples i > j at i * (i - 1) // 2 + j, and the largest.

    Distances are float32 where the samples are, otherwise float64. The caller is going to copy
    those of `n_copied` samples, which is to fit into memory as well.
    """
    n_samples = X.shape[0]
    single = getattr(X, "dtype", None) == np.float32
    way_out = "take fewer samples" if single else "give X as float32, which halves it"
    size = n_samples * (n_samples - 1) // 2
    needed = (size + n_copied * (n_copied - 1) // 2) * (4 if single else 8)
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
    triangle.hamming(pack(X, column_names(X)), X.shape[1], distances)


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
