"""A graph of nearest neighbours, its leading eigenvectors, and their values at new rows."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from scipy.sparse import coo_array, diags_array
from sklearn.neighbors import NearestNeighbors

from clustraint.exceptions import MissingPackageError
from clustraint.typing import FloatArray, IntArray

SEARCHES = ("auto", "exact", "approximate")

# Up to so many rows, "auto" is exact: some ten seconds even in many dimensions.
EXACT_UP_TO = 50_000
# Which neighbour's distance is the scale around a row (Zelnik-Manor and Perona, 2004).
SCALE_NEIGHBOR = 7
# An outlier whose edges all vanish would be a component of its own, and claim an eigenvector.
SMALLEST_WEIGHT = 1e-6
# Up to so many vertices, all eigenvectors at once are faster than the leading ones by iteration.
DENSE_UP_TO = 400
# Of the iteration: vectors beside those wanted, the degree of the filter, how often it is used at
# the most, and the change of eigenvalues that ends it.
SPARE_VECTORS, DEGREE, MOST_FILTERS, TOLERANCE = 8, 10, 10, 1e-3
# Values at new rows are divided by the eigenvalue: a tiny one would only blow up noise.
SMALLEST_DIVISOR = 0.1


class ApproximateIndex:
    """Finds nearly all nearest neighbours, in less time than all where rows are very many."""

    def __init__(self, rows: FloatArray, n_neighbors: int) -> None:
        try:
            pynndescent = import_module("pynndescent")
        except ImportError:
            raise MissingPackageError(
                "searching approximate neighbours", "pynndescent", "neighbors"
            ) from None
        self._index = pynndescent.NNDescent(rows, n_neighbors=n_neighbors, random_state=0)

    def kneighbors(self, X: FloatArray, n_neighbors: int) -> tuple[FloatArray, IntArray]:
        """Return distances and row numbers, as scikit-learn's index does."""
        neighbors, distances = self._index.query(X, k=n_neighbors)
        return distances, neighbors


def make_index(rows: FloatArray, n_neighbors: int, search: str) -> Any:
    """Return what finds the nearest neighbours among some rows."""
    many = len(rows) > EXACT_UP_TO and find_spec("pynndescent") is not None
    if search == "approximate" or (search == "auto" and many):
        return ApproximateIndex(rows, n_neighbors)
    return NearestNeighbors(n_neighbors=n_neighbors).fit(rows)


@dataclass(frozen=True, eq=False)
class NeighborSpectrum:
    """The leading eigenvectors of the graph of nearest neighbours of distinct rows.

    Equal rows are one vertex: otherwise a row with many copies would have no other neighbours, and
    copies would differ by the order of ties.

    Attributes
    ----------
    rows : ndarray of shape (n_vertices, n_features)
        The distinct rows, sorted.
    vertex : ndarray of shape (n_samples,)
        The vertex of each sample.
    n_neighbors : int
        How many neighbours of a row count.
    scales : ndarray of shape (n_vertices,)
        The distance around each vertex that counts as near.
    degrees : ndarray of shape (n_vertices,)
        The sum of weights of the edges at each vertex.
    values : ndarray of shape (n_vectors,)
        The largest eigenvalues of the graph's normalised weights, from 1 down.
    vectors : ndarray of shape (n_vertices, n_vectors)
        Their eigenvectors.
    index : object
        What finds the neighbours of new rows.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [1.0], [8.0], [9.0]])
    >>> spectrum = NeighborSpectrum.of(X, n_neighbors=1, n_vectors=4, search="exact")
    >>> spectrum.vertex.tolist(), spectrum.values.round(3).tolist()
    ([0, 1, 1, 2, 3], [1.0, 1.0, -1.0, -1.0])
    """

    rows: FloatArray
    vertex: IntArray
    n_neighbors: int
    scales: FloatArray
    degrees: FloatArray
    values: FloatArray
    vectors: FloatArray
    index: Any

    @classmethod
    def of(cls, X: FloatArray, n_neighbors: int, n_vectors: int, search: str) -> NeighborSpectrum:
        """Return the spectrum of samples."""
        rows, vertex = np.unique(X, axis=0, return_inverse=True)
        n_vertices = len(rows)
        n_neighbors = min(n_neighbors, n_vertices - 1)
        index = make_index(rows, n_neighbors + 1, search)
        distances, neighbors = _without_oneself(*index.kneighbors(rows, n_neighbors + 1))
        scales = _scales(distances)
        weights = _weights(distances, scales, scales[neighbors])
        start = np.repeat(np.arange(n_vertices), n_neighbors)
        graph = coo_array((weights.ravel(), (start, neighbors.ravel())), (n_vertices, n_vertices))
        graph = graph.tocsr().maximum(graph.tocsr().T)
        # One vertex alone has no edges, and then any degree will do.
        degrees = np.asarray(graph.sum(axis=1)).ravel() if n_neighbors else np.ones(n_vertices)
        inverse = diags_array(1 / np.sqrt(degrees))
        values, vectors = _leading(inverse @ graph @ inverse, n_vectors)
        vertex = vertex.reshape(-1).astype(np.int64)
        return cls(rows, vertex, n_neighbors, scales, degrees, values, vectors, index)

    def is_of(self, X: FloatArray) -> bool:
        """Say whether these are the samples that the spectrum was made of."""
        return len(X) == len(self.vertex) and np.array_equal(self.rows[self.vertex], X)

    def vectors_at(self, X: FloatArray) -> FloatArray:
        """Return the eigenvectors' values at new rows, by the formula of Nyström.

        A row that equals a vertex has the values of that vertex.
        """
        distances, neighbors = self.index.kneighbors(X, max(self.n_neighbors, 1))
        weights = _weights(distances, _scales(distances), self.scales[neighbors])
        degrees = weights.sum(axis=1, keepdims=True)
        shares = weights / np.sqrt(degrees * self.degrees[neighbors])
        vectors = np.einsum("ij,ijq->iq", shares, self.vectors[neighbors])
        vectors /= np.maximum(self.values, SMALLEST_DIVISOR)
        equal = (self.rows[neighbors[:, 0]] == X).all(axis=1)
        vectors[equal] = self.vectors[neighbors[equal, 0]]
        return np.asarray(vectors)


def _without_oneself(distances: FloatArray, neighbors: IntArray) -> tuple[FloatArray, IntArray]:
    oneself = neighbors == np.arange(len(neighbors))[:, np.newaxis]
    # Rounding may put so many others first that a row does not find itself.
    oneself[~oneself.any(axis=1), -1] = True
    shape = (len(neighbors), neighbors.shape[1] - 1)
    return distances[~oneself].reshape(shape), neighbors[~oneself].reshape(shape)


def _scales(distances: FloatArray) -> FloatArray:
    if not distances.shape[1]:
        return np.ones(len(distances))
    scales = distances[:, min(SCALE_NEIGHBOR, distances.shape[1]) - 1]
    return np.maximum(scales, np.finfo(np.float64).tiny)


def _weights(distances: FloatArray, scales: FloatArray, theirs: FloatArray) -> FloatArray:
    # Divided one after the other, tiny scales do not underflow as their product would.
    ratios = distances / scales[:, np.newaxis] * (distances / theirs)
    return np.maximum(np.exp(-ratios), SMALLEST_WEIGHT)


def _leading(matrix: Any, n_vectors: int) -> tuple[FloatArray, FloatArray]:
    """Return the largest eigenvalues, in descending order, and their eigenvectors."""
    if matrix.shape[0] <= max(DENSE_UP_TO, 3 * n_vectors):
        values, vectors = np.linalg.eigh(matrix.toarray())
    else:
        values, vectors = _by_iteration(matrix, n_vectors + SPARE_VECTORS)
    order = np.argsort(-values, kind="stable")[:n_vectors]
    return values[order], with_fixed_signs(vectors[:, order])


def _by_iteration(matrix: Any, n_vectors: int) -> tuple[FloatArray, FloatArray]:
    """Return nearly the leading eigenvectors, all at once.

    A whole block is iterated, since each connected component has an eigenvector of value 1, of
    which Lanczos's method would see one. Between two orthogonalisations the block is multiplied
    with a Chebyshev polynomial that is small below the least value in it (Zhou and Saad, 2007).
    What is close to the last eigenvalue mixes, and may: constraints choose from the whole span.
    """
    block = np.random.default_rng(0).normal(size=(matrix.shape[0], n_vectors))
    values = np.zeros(n_vectors)
    for _ in range(MOST_FILTERS):
        middle, half = (values[0] - 1) / 2, (values[0] + 1) / 2
        before, block = block, (matrix @ block - middle * block) / half
        for _ in range(DEGREE - 1):
            before, block = block, 2 / half * (matrix @ block - middle * block) - before
        block, _ = np.linalg.qr(block)
        last = values
        values, turn = np.linalg.eigh(block.T @ (matrix @ block))
        block = block @ turn
        if np.abs(values - last)[SPARE_VECTORS:].max() < TOLERANCE:
            break
    return values, block


def with_fixed_signs(vectors: FloatArray) -> FloatArray:
    """Return eigenvectors, one a column, whose largest entries are positive.

    Their signs would otherwise be a matter of rounding.
    """
    largest = np.abs(vectors).argmax(axis=0)
    return np.ascontiguousarray(vectors * np.sign(vectors[largest, range(vectors.shape[1])]))
