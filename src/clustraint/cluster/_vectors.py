"""Samples as vectors under feature weights: their distances, and the means of groups of them."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse
from scipy.spatial.distance import cdist
from sklearn.preprocessing import normalize

from clustraint.kernels.sparse_distances import (
    Sparse,
    dot_products,
    to_cosine_distances,
    to_euclidean_distances,
)

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

METRICS = ("cosine", "euclidean")

# Rows that are multiplied with all before them at a time.
BLOCK = 256


class Vectors(Protocol):
    """Samples, of unit length where only their directions count.

    A vector that is zero, or zero under the weights, is at the cosine distance 1 from all.
    """

    @property
    def shape(self) -> tuple[int, int]: ...

    def distances(self, weights: FloatArray) -> FloatArray:
        """Return the weighted distances, the lower triangle row by row."""
        ...

    def means(self, groups: list[IntArray]) -> FloatArray:
        """Return the mean vector of each group of samples, (n_groups, n_features)."""
        ...


def as_vectors(X: Any, metric: str) -> Vectors:
    """Return samples as vectors for a metric; `X` itself is left as it is."""
    return SparseVectors(X, metric) if issparse(X) else DenseVectors(X, metric)


class DenseVectors:
    """Vectors in an array; see `Vectors`."""

    def __init__(self, X: NDArray[Any], metric: str) -> None:
        self.metric = metric
        values = np.asarray(X, np.float64)
        self.values = normalize(values) if metric == "cosine" else values
        self.shape = self.values.shape

    def distances(self, weights: FloatArray) -> FloatArray:
        scaled = self.values * np.sqrt(weights)
        if self.metric == "cosine":
            products = _lower_products(normalize(scaled, copy=False))
            to_cosine_distances(products)
            return products
        return _lower_distances(scaled)

    def means(self, groups: list[IntArray]) -> FloatArray:
        return np.stack([self.values[group].mean(axis=0) for group in groups])


def _lower_products(rows: FloatArray) -> FloatArray:
    """Return the dot product of each row with those before it."""
    result = np.empty(len(rows) * (len(rows) - 1) // 2)
    for start in range(0, len(rows), BLOCK):
        block = rows[start : start + BLOCK] @ rows[: start + BLOCK].T
        for row, products in enumerate(block, start):
            result[row * (row - 1) // 2 : row * (row + 1) // 2] = products[:row]
    return result


def _lower_distances(rows: FloatArray) -> FloatArray:
    """Return the Euclidean distance of each row from those before it."""
    result = np.empty(len(rows) * (len(rows) - 1) // 2)
    for start in range(0, len(rows), BLOCK):
        block = cdist(rows[start : start + BLOCK], rows[: start + BLOCK])
        for row, distances in enumerate(block, start):
            result[row * (row - 1) // 2 : row * (row + 1) // 2] = distances[:row]
    return result


class SparseVectors:
    """Vectors in CSR form; see `Vectors`."""

    def __init__(self, X: Any, metric: str) -> None:
        self.metric = metric
        rows = csr_array(X, dtype=np.float64, copy=True)
        rows.sum_duplicates()
        self.values = normalize(rows, copy=False) if metric == "cosine" else rows
        self.shape = self.values.shape
        self._starts = self.values.indptr.astype(np.int64)
        self._columns = self.values.indices.astype(np.int64)

    def distances(self, weights: FloatArray) -> FloatArray:
        scaled = self.values.copy()
        scaled.data *= np.sqrt(weights)[self._columns]
        if self.metric == "cosine":
            scaled = normalize(scaled, copy=False)
        rows = Sparse(self._starts, self._columns, scaled.data)
        n_samples, n_features = self.shape
        products = np.empty(n_samples * (n_samples - 1) // 2)
        dot_products(rows, n_features, products)
        if self.metric == "cosine":
            to_cosine_distances(products)
        else:
            to_euclidean_distances(rows, products)
        return products

    def means(self, groups: list[IntArray]) -> FloatArray:
        sizes = np.array([len(group) for group in groups])
        starts = np.concatenate(([0], np.cumsum(sizes)))
        shares = np.repeat(1 / sizes, sizes)
        chosen = csr_array(
            (shares, np.concatenate(groups), starts), shape=(len(groups), self.shape[0])
        )
        return np.asarray((chosen @ self.values).toarray())
