"""Peers: other packages, and E2CP as its paper has it."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Pairs = tuple[IntArray, IntArray]

# Lu & Ip: neighbours of the graph, and how much of a constraint is passed on.
NEIGHBOURS = 10
PASSED_ON = 0.8


class Labelled(NamedTuple):
    """A result that is labels and nothing else."""

    labels_: IntArray


def k_means(X: FloatArray, n_clusters: int, seed: int) -> Any:
    from sklearn.cluster import KMeans

    return KMeans(n_clusters, n_init=10, random_state=seed).fit(X)


def gaussian_mixture(X: FloatArray, n_clusters: int, seed: int) -> Any:
    from sklearn.mixture import GaussianMixture

    model = GaussianMixture(n_clusters, covariance_type="tied", n_init=5, random_state=seed)
    return Labelled(model.fit_predict(X))


def spectral(X: FloatArray, n_clusters: int, seed: int) -> Any:
    from sklearn.cluster import SpectralClustering

    model = SpectralClustering(
        n_clusters, affinity="nearest_neighbors", n_neighbors=NEIGHBOURS, random_state=seed
    )
    return model.fit(X)


def label_spreading(X: FloatArray, labels: IntArray) -> Any:
    """Return the classes that labels spread to; scikit-learn's label propagation with noise."""
    from sklearn.semi_supervised import LabelSpreading

    model = LabelSpreading(kernel="knn", n_neighbors=NEIGHBOURS, alpha=0.2, max_iter=200)
    return Labelled(model.fit(X, labels).transduction_)


def e2cp(X: FloatArray, n_clusters: int, must: IntArray, cannot: IntArray, seed: int) -> Any:
    """Propagate pairs over a neighbour graph, exhaustively, and cluster the adjusted graph.

    After Lu and Ip, Constrained spectral clustering via exhaustive and efficient constraint
    propagation, ECCV 2010: equations 9 and 10 in closed form, and 12. The propagated matrix is
    scaled to at most 1, without which few pairs change nothing.
    """
    graph, passing = _graph(X.tobytes(), X.shape)
    rows, columns = np.concatenate((must, must[:, ::-1], cannot, cannot[:, ::-1])).T
    signs = np.repeat([1.0, -1.0], [2 * len(must), 2 * len(cannot)])
    spread = (passing[:, rows] * signs) @ passing[columns]
    spread /= np.abs(spread).max() or 1.0
    adjusted = np.where(
        spread >= 0, 1 - (1 - spread) * (1 - graph), (1 + np.minimum(spread, 0)) * graph
    )
    return Labelled(_spectral_labels((adjusted + adjusted.T) / 2, n_clusters, seed))


@lru_cache(maxsize=6)
def _graph(data: bytes, shape: tuple[int, int]) -> tuple[FloatArray, FloatArray]:
    """Return the weights of a neighbour graph, and the matrix that passes constraints on."""
    from sklearn.neighbors import NearestNeighbors

    X = np.frombuffer(data).reshape(shape)
    n_samples = len(X)
    search = NearestNeighbors(n_neighbors=min(NEIGHBOURS, n_samples - 1)).fit(X)
    lengths, others = search.kneighbors()
    width = lengths[:, -1:] + 1e-12
    weights = np.exp(-(lengths**2) / (width * width[others, 0]))
    graph = np.zeros((n_samples, n_samples))
    np.put_along_axis(graph, others, weights, axis=1)
    graph = np.maximum(graph, graph.T)
    passing = np.linalg.inv(np.eye(n_samples) - PASSED_ON * _normalised(graph))
    return graph, np.asarray((1 - PASSED_ON) * passing, np.float64)


def _normalised(graph: FloatArray) -> FloatArray:
    root = 1 / np.sqrt(graph.sum(axis=1) + 1e-12)
    return np.asarray(root[:, np.newaxis] * graph * root)


def _spectral_labels(graph: FloatArray, n_clusters: int, seed: int) -> IntArray:
    from scipy.linalg import eigh
    from scipy.sparse.linalg import eigsh

    matrix = _normalised(graph)
    n_samples = len(matrix)
    if n_samples <= 500:
        last = [n_samples - n_clusters, n_samples - 1]
        vectors = eigh(matrix, subset_by_index=last)[1]
    else:
        vectors = eigsh(matrix, n_clusters, which="LA", v0=np.ones(n_samples), tol=1e-4)[1]
    vectors = vectors / (np.linalg.norm(vectors, axis=1, keepdims=True) + 1e-12)
    labels: IntArray = k_means(vectors, n_clusters, seed).labels_
    return labels


def has_active_semi_clustering() -> bool:
    return find_spec("active_semi_clustering") is not None


def _active(name: str) -> Callable[..., Any]:
    """Return a peer's method as a function; what it sets for numpy is set back."""

    def fit(X: FloatArray, n_clusters: int, must: IntArray, cannot: IntArray, seed: int) -> Any:
        with np.errstate():
            from active_semi_clustering.semi_supervised import pairwise_constraints

            kind = getattr(pairwise_constraints, name)
        np.random.seed(seed)
        links = ([tuple(pair) for pair in each.tolist()] for each in (must, cannot))
        must_links, cannot_links = links
        return kind(n_clusters).fit(X, ml=must_links, cl=cannot_links)

    return fit


cop_k_means = _active("COPKMeans")
pck_means = _active("PCKMeans")
mpck_means = _active("MPCKMeans")
