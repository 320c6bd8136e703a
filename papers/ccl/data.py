"""The data sets of the paper, their rows shuffled anew for each repetition, and random links."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from clustraint.constraints import Constraints
from clustraint.datasets import make_cell_walls, make_circles, make_storm_clouds, make_xor
from clustraint.typing import FloatArray, IntArray
from papers._data import dataset
from papers._experiment import generator_of

GENERATED: dict[str, Callable[..., tuple[FloatArray, IntArray]]] = {
    "circles": make_circles,
    "cell-walls": make_cell_walls,
    "xor": make_xor,
    "storm-clouds": make_storm_clouds,
}
SYNTHETIC = tuple(GENERATED)
REAL = ("iris", "crabs", "soybean-large")
# The paper clusters the crabs by species alone; their sex is a second, independent labelling.
BY_SEX = "crabs-sex"

Mix: TypeAlias = Literal["pairs as drawn", "must-links", "cannot-links", "half of each"]

MIXES: tuple[Mix, ...] = get_args(Mix)
# Enough that a thousand of either kind are among them in every table.
N_DRAWN = 20_000


@dataclass(frozen=True)
class ClusteringTask:
    """Samples to cluster and what is to be found.

    Attributes
    ----------
    X : array of shape (n_samples, n_features)
        The samples as complete link takes them.
    metric : str
        The metric of complete link.
    vectors : ndarray of float64 of shape (n_samples, n_vector_features)
        The samples as k-means takes them; for nominal tables a column for each value.
    y : ndarray of int64 of shape (n_samples,)
        The classes, from 0.
    """

    X: Any
    metric: str
    vectors: FloatArray
    y: IntArray

    @property
    def n_clusters(self) -> int:
        """The number of classes, which every method is told."""
        return int(self.y.max()) + 1


@lru_cache(maxsize=4)
def task(table: str, repeat: int) -> ClusteringTask:
    """Return the samples of a repetition: generated ones drawn anew, rows always shuffled."""
    rng = generator_of("ccl", table, repeat)
    X, y = GENERATED[table](random_state=rng) if table in GENERATED else _loaded(table)
    order = rng.permutation(len(y))
    X, y = X[order], y[order]
    if X.dtype != object:
        return ClusteringTask(X, "euclidean", X, y)
    return ClusteringTask(X, "hamming", _indicators(X), y)


@lru_cache(maxsize=4)
def _loaded(table: str) -> tuple[Any, IntArray]:
    data = dataset("crabs" if table == BY_SEX else table)
    labels = data.labels["sex"] if table == BY_SEX else data.y
    X = data.X if data.X.dtype == object else np.asarray(data.X, np.float64)
    return X, np.unique(np.asarray(labels), return_inverse=True)[1].astype(np.int64)


def _indicators(X: Any) -> FloatArray:
    """Return a column for each value of a column: squared distances count the differences."""
    codes = [np.unique(column.astype(str), return_inverse=True)[1] for column in X.T]
    indicators = np.concatenate([np.eye(code.max() + 1)[code] for code in codes], axis=1)
    return np.asarray(indicators / np.sqrt(2))


@lru_cache(maxsize=4)
def neighbours(table: str, repeat: int) -> IntArray:
    """Return the five nearest other samples of each, shape (n_samples, 5)."""
    from sklearn.neighbors import NearestNeighbors

    index = NearestNeighbors(n_neighbors=5).fit(task(table, repeat).vectors)
    return np.asarray(index.kneighbors(return_distance=False), np.int64)


def links(y: IntArray, n_pairs: int, mix: Mix, table: str, repeat: int) -> Constraints:
    """Return the first pairs of a repetition: fewer of them are always among more.

    Parameters
    ----------
    y : ndarray of int64 of shape (n_samples,)
        The classes.
    n_pairs : int
        How many.
    mix : {"pairs as drawn", "must-links", "cannot-links", "half of each"}
        Pairs as they come, as in sections 5.2 and 5.3, or the other mixes of figure 11.
    table, repeat
        Which draw.
    """
    pairs = _drawn(len(y), generator_of("ccl links", table, repeat))
    same = y[pairs[:, 0]] == y[pairs[:, 1]]
    if mix == "pairs as drawn":
        pairs, same = pairs[:n_pairs], same[:n_pairs]
        return Constraints(len(y), must_link=pairs[same], cannot_link=pairs[~same])
    n_must = {"must-links": n_pairs, "cannot-links": 0, "half of each": n_pairs // 2}[mix]
    return Constraints(
        len(y),
        must_link=pairs[same][:n_must],
        cannot_link=pairs[~same][: n_pairs - n_must],
    )


def _drawn(n_samples: int, rng: np.random.Generator) -> IntArray:
    """Return independent uniform pairs of different samples."""
    first = rng.integers(n_samples, size=N_DRAWN)
    second = rng.integers(n_samples - 1, size=N_DRAWN)
    return np.stack((first, second + (second >= first)), axis=1)
