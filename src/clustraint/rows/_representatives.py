"""A few rows that stand for all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse
from sklearn.cluster import MiniBatchKMeans
from threadpoolctl import threadpool_limits

from clustraint.checks import as_generator, check_whole_number
from clustraint.kernels.kmeans import closest_rows, nearest_centers
from clustraint.rows._rows import Rows, as_numbers
from clustraint.typing import FloatingArray, IntArray, LabelArray, RandomState

# Rows that are drawn to find centres among, at least, and for each centre.
DRAWN, DRAWN_EACH = 20_000, 15
# Numbers in a table of rows × centres: small enough to stay in the cache.
BLOCK = 2**20


class Representatives(NamedTuple):
    """Rows that stand for all, and the one that each row is represented by.

    Attributes
    ----------
    rows : int64 ndarray of shape (n_representatives,)
        The rows that stand for others, in rising order.
    home : int32 ndarray of shape (n_rows,)
        For each row, the place of its representative among `rows`.

    Examples
    --------
    >>> X = np.array([[0.0], [0.2], [0.1], [5.0], [5.1], [9.0]])
    >>> few = Representatives.of(X, 2, kept=[5], random_state=0)
    >>> few.rows, few.home, few.weights
    (array([2, 4, 5]), array([0, 0, 0, 1, 1, 2], dtype=int32), array([3., 2., 1.]))
    """

    rows: IntArray
    home: LabelArray

    @classmethod
    def of(
        cls,
        X: Any,
        n_representatives: int,
        *,
        kept: ArrayLike = (),
        groups: ArrayLike | None = None,
        random_state: RandomState = None,
    ) -> Self:
        """Choose rows by k-means on some that are drawn, then send every row to its home.

        Parameters
        ----------
        X : float array or CSR matrix of shape (n_rows, n_features)
            The rows; Euclidean distances count.
        n_representatives : int
            How many rows stand for others, at most; at least one for each group.
        kept : array-like of int, default=()
            Rows that stand for themselves alone, beside the others.
        groups : int array-like of shape (n_rows,), optional
            Only rows of one group share a representative.
        random_state : int, RandomState, Generator or None, default=None
            The source of randomness.

        Returns
        -------
        Representatives
            All rows where there are no more than `n_representatives` beside those kept.

        Examples
        --------
        >>> X = np.arange(6.0).reshape(6, 1)
        >>> few = Representatives.of(X, 2, groups=[0, 1, 0, 1, 0, 1], random_state=0)
        >>> few.rows[few.home]
        array([2, 3, 2, 3, 2, 3])
        """
        check_whole_number("n_representatives", n_representatives, least=1)
        rng = as_generator(random_state)
        n_rows = X.shape[0]
        is_free = np.ones(n_rows, np.bool_)
        is_free[np.asarray(kept, np.int64)] = False
        free = np.flatnonzero(is_free)
        if len(free) <= n_representatives:
            return cls(np.arange(n_rows), np.arange(n_rows, dtype=np.int32))
        owner = np.arange(n_rows)
        for members in _members(free, groups):
            count = max(1, n_representatives * len(members) // len(free))
            with threadpool_limits(1):
                owner[members] = members[_owners(X, members, count, rng)]
        rows = np.unique(owner)
        return cls(rows, np.searchsorted(rows, owner).astype(np.int32))

    @staticmethod
    def of_chunks(
        rows: Rows, n_representatives: int, kept: IntArray, random_state: RandomState = None
    ) -> tuple[IntArray, FloatingArray, FloatingArray, Any]:
        """Choose rows among chunks; where all are at home is not computed yet.

        Parameters
        ----------
        rows : Rows
            The rows, all numbers.
        n_representatives : int
            How many rows stand for others, at most.
        kept : int64 ndarray
            Rows that stand for themselves alone, in rising order.
        random_state : int, RandomState, Generator or None, default=None
            The source of randomness.

        Returns
        -------
        chosen : int64 ndarray
            The rows, in rising order.
        points : float ndarray
            What they hold.
        weights : float64 ndarray
            How many rows each stands for.
        spread : callable
            Turns one whole number for each of them into one for each row, when asked.

        Examples
        --------
        >>> from clustraint.rows import ArrayRows, Representatives
        >>> rows = ArrayRows(np.array([[0.0], [0.2], [0.1], [5.0], [5.1], [9.0]]), chunk_rows=4)
        >>> kept = np.array([5])
        >>> chosen, _, weights, spread = Representatives.of_chunks(rows, 2, kept, 0)
        >>> chosen, weights, np.asarray(spread(np.array([7, 8, 9])))
        (array([2, 4, 5]), array([3., 2., 1.]), array([7, 7, 7, 8, 8, 9], dtype=int32))
        """
        rng = as_generator(random_state)
        count = min(n_representatives, max(1, len(rows) - len(kept)))
        size = min(len(rows), max(DRAWN, DRAWN_EACH * count))
        drawn = np.sort(rng.choice(len(rows), size, replace=False))
        with threadpool_limits(1):
            centers = small_centers(rows.take(drawn).astype(np.float64), count, rng)
        places = rows.split(kept)
        own = list(zip(rows.starts[:-1].tolist(), places, strict=True))
        closest: ClosestRows = rows.map_add(closest_step, own, centers)
        used = np.flatnonzero(closest.rows >= 0)
        chosen = np.concatenate((closest.rows[used], kept))
        points = np.concatenate((closest.points[used], rows.take(kept)))
        weights = np.concatenate((closest.sizes[used], np.ones(len(kept)))).astype(np.float64)
        order = np.argsort(chosen)
        position = np.argsort(order)

        def spread(values: Any) -> Any:
            ordered = np.asarray(values, np.int32)[position]
            of_centers = np.zeros(len(centers), np.int32)
            of_centers[used] = ordered[: len(used)]
            parts = np.split(ordered[len(used) :], np.cumsum([len(part) for part in places])[:-1])
            mine = list(zip(places, parts, strict=True))
            return rows.labels(home_step, mine, centers, of_centers)

        return chosen[order], points[order], weights[order], spread

    @property
    def weights(self) -> FloatingArray:
        """How many rows each representative stands for, itself included."""
        return np.bincount(self.home, minlength=len(self.rows)).astype(np.float64)


def _members(free: IntArray, groups: ArrayLike | None) -> list[IntArray]:
    """Return the rows of each group among the free ones."""
    if groups is None:
        return [free]
    own = np.asarray(groups)[free]
    order = np.argsort(own, kind="stable")
    starts = np.flatnonzero(np.diff(own[order])) + 1
    return [np.asarray(free[part]) for part in np.split(order, starts)]


def _owners(X: Any, members: IntArray, count: int, rng: np.random.Generator) -> IntArray:
    """Return for each of some rows the place of the one that represents it."""
    if count >= len(members):
        return np.arange(len(members))
    size = min(len(members), max(DRAWN, DRAWN_EACH * count))
    drawn = np.sort(rng.choice(len(members), size, replace=False))
    centers = small_centers(X[members[drawn]], count, rng)
    labels = np.empty(len(members), np.int64)
    best = np.full(len(centers), -1, np.int64)
    least = np.full(len(centers), np.inf)
    for start, block in _blocks(X, members, max(64, BLOCK // count)):
        part = labels[start : start + block.shape[0]]
        squares = block.multiply(block).sum(axis=1) if issparse(block) else (block**2).sum(axis=1)
        norms = (centers**2).sum(axis=1)
        away = nearest_centers(np.asarray(block @ centers.T), norms, part) + np.asarray(squares)
        closest_rows(part, away, start, best, least)
    return np.asarray(best[labels])


def small_centers(X: Any, count: int, rng: np.random.Generator) -> FloatingArray:
    """Return the centres of small clusters of some rows."""
    seed = int(rng.integers(2**31))
    model = MiniBatchKMeans(count, n_init=1, batch_size=4096, max_iter=20, random_state=seed)
    return np.asarray(model.fit(X).cluster_centers_)


class ClosestRows(NamedTuple):
    """The row closest to each centre, and how many rows are at home there."""

    least: FloatingArray
    rows: IntArray
    points: FloatingArray
    sizes: IntArray

    def __add__(self, other: ClosestRows) -> ClosestRows:  # type: ignore[override]
        # Chunks are in order: among equals the first row stays.
        nearer = other.least < self.least
        return ClosestRows(
            np.where(nearer, other.least, self.least),
            np.where(nearer, other.rows, self.rows),
            np.where(nearer[:, np.newaxis], other.points, self.points),
            self.sizes + other.sizes,
        )


def closest_step(chunk: Any, own: tuple[int, IntArray], centers: FloatingArray) -> ClosestRows:
    """Return what a chunk has closest to each centre, without the rows that are kept."""
    start, kept = own
    points = np.delete(as_numbers(chunk), kept, axis=0)
    numbers = np.delete(np.arange(len(points) + len(kept)), kept) + start
    labels, away = _homes(points, centers)
    places = np.full(len(centers), -1, np.int64)
    least = np.full(len(centers), np.inf)
    closest_rows(labels, away, 0, places, least)
    filled = places >= 0
    closest = np.zeros((len(centers), centers.shape[1]))
    closest[filled] = points[places[filled]]
    rows = np.full(len(centers), -1, np.int64)
    rows[filled] = numbers[places[filled]]
    return ClosestRows(least, rows, closest, np.bincount(labels, minlength=len(centers)))


def home_step(
    chunk: Any, own: tuple[IntArray, LabelArray], centers: FloatingArray, values: LabelArray
) -> LabelArray:
    """Return the value of each row's centre, or its own if it is kept."""
    places, fixed = own
    labels, _ = _homes(as_numbers(chunk), centers)
    result = values[labels]
    result[places] = fixed
    return result


def _homes(points: FloatingArray, centers: FloatingArray) -> tuple[IntArray, FloatingArray]:
    labels = np.empty(len(points), np.int64)
    away = np.empty(len(points))
    norms = (centers**2).sum(axis=1)
    size = max(64, BLOCK // len(centers))
    with threadpool_limits(1):
        for start in range(0, len(points), size):
            block = points[start : start + size]
            part = labels[start : start + size]
            costs = nearest_centers(block @ centers.T, norms, part)
            away[start : start + size] = costs + (block**2).sum(axis=1)
    return labels, away


def _blocks(X: Any, members: IntArray, size: int) -> Iterator[tuple[int, Any]]:
    whole = len(members) == X.shape[0]
    for start in range(0, len(members), size):
        # A slice copies nothing.
        yield start, X[start : start + size] if whole else X[members[start : start + size]]
