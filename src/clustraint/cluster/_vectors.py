"""Samples as vectors under feature weights: their distances, and the means of groups of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse
from sklearn.preprocessing import normalize

from clustraint.exceptions import InvalidDistanceError
from clustraint.kernels import sparse_distances, triangle
from clustraint.metric.distances import pair_of_place
from clustraint.typing import FloatArray, IntArray

Triangle = NDArray[np.floating]

METRICS = ("cosine", "euclidean")

# Rows that are multiplied with all before them at a time.
BLOCK = 256


class Vectors(ABC):
    """Samples, of unit length where only their directions count.

    A vector that is zero, or zero under the weights, is at the cosine distance 1 from all.
    """

    def __init__(self, values: Any, metric: str, dtype: np.dtype[Any]) -> None:
        self.metric = metric
        self.dtype = dtype
        # Squares of very large or small numbers would leave the range of floats.
        self.values = of_unit_length(scaled_to_1(values)) if metric == "cosine" else values
        self.shape: tuple[int, int] = self.values.shape

    def distances(self, weights: FloatArray) -> Triangle:
        """Return the weighted distances of all pairs, a lower triangle."""
        n_samples = self.shape[0]
        result = np.empty(n_samples * (n_samples - 1) // 2, self.dtype)
        self._fill(weights, result)
        if self.metric != "cosine":
            _refuse_infinite(result, self.metric)
        return result

    @abstractmethod
    def _fill(self, weights: FloatArray, distances: Triangle) -> None: ...

    @abstractmethod
    def means(self, groups: Sequence[IntArray]) -> FloatArray:
        """Return the mean vector of each group of samples, (n_groups, n_features)."""


def scaled_to_1(rows: Any) -> Any:
    """Return rows whose largest entry is 1 or -1, but for those that are zero."""
    if issparse(rows):
        return normalize(rows, "max")
    return _divided(rows, np.abs(rows).max(axis=1))


def of_unit_length(rows: Any) -> Any:
    """Return rows of unit length, but for those that are zero."""
    if issparse(rows):
        return normalize(rows)
    return _divided(rows, np.sqrt(np.einsum("ij,ij->i", rows, rows)))


def _divided(rows: FloatArray, norms: FloatArray) -> FloatArray:
    # scikit-learn's normalize takes short rows of arrays, though not of sparse ones, for zero.
    return rows / np.where(norms, norms, 1)[:, np.newaxis]


def _refuse_infinite(distances: Triangle, metric: str) -> None:
    _, wrong = triangle.largest(distances)
    if wrong >= 0:
        first, second = pair_of_place(wrong)
        raise InvalidDistanceError(second, first, float(distances[wrong]), metric)


def as_vectors(X: Any, metric: str) -> Vectors:
    """Return samples as vectors for a metric; `X` itself is left as it is."""
    return SparseVectors(X, metric) if issparse(X) else DenseVectors(X, metric)


class DenseVectors(Vectors):
    """Vectors in an array."""

    def __init__(self, X: NDArray[Any], metric: str) -> None:
        super().__init__(np.asarray(X, np.float64), metric, X.dtype)

    def _fill(self, weights: FloatArray, distances: Triangle) -> None:
        scaled = self.values * np.sqrt(weights)
        if self.metric == "cosine":
            _fill_cosine(of_unit_length(scaled), distances)
        else:
            triangle.euclidean(np.ascontiguousarray(scaled.T), distances)

    def means(self, groups: Sequence[IntArray]) -> FloatArray:
        return np.stack([self.values[group].mean(axis=0) for group in groups])


def _fill_cosine(rows: FloatArray, distances: Triangle) -> None:
    for start in range(0, len(rows), BLOCK):
        block = rows[start : start + BLOCK] @ rows[: start + BLOCK].T
        parts = np.rint((1 - block) * sparse_distances.PARTS)
        triangle.copy_rows(np.maximum(parts / sparse_distances.PARTS, 0), start, distances)


class SparseVectors(Vectors):
    """Vectors in CSR form."""

    def __init__(self, X: Any, metric: str) -> None:
        rows = csr_array(X, dtype=np.float64, copy=True)
        rows.sum_duplicates()
        super().__init__(rows, metric, X.dtype)
        self._starts = self.values.indptr.astype(np.int64)
        self._columns = self.values.indices.astype(np.int64)

    def _fill(self, weights: FloatArray, distances: Triangle) -> None:
        scaled = self.values.copy()
        scaled.data *= np.sqrt(weights)[self._columns]
        if self.metric == "cosine":
            scaled = of_unit_length(scaled)
        rows = sparse_distances.Sparse(self._starts, self._columns, scaled.data)
        FILLERS[self.metric](rows, self.shape[1], distances)

    def means(self, groups: Sequence[IntArray]) -> FloatArray:
        sizes = np.array([len(group) for group in groups])
        starts = np.concatenate(([0], np.cumsum(sizes)))
        shares = np.repeat(1 / sizes, sizes)
        chosen = csr_array(
            (shares, np.concatenate(groups), starts), shape=(len(groups), self.shape[0])
        )
        return np.asarray((chosen @ self.values).toarray())


FILLERS: dict[str, Callable[..., None]] = {
    "cosine": sparse_distances.cosine,
    "euclidean": sparse_distances.euclidean,
}
