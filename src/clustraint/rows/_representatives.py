"""A few rows that stand for all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
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
        rows: Rows,
        n_representatives: int,
        kept: IntArray,
        random_state: RandomState = None,
        groups: RowGroups | None = None,
    ) -> tuple[IntArray, FloatingArray, FloatingArray, Any]:
        """Choose rows among chunks; where all are at home is not computed yet.

        Parameters
        ----------
        rows : Rows
            The rows, all numbers.
        n_representatives : int
            How many rows stand for others, at most; at least one for each group.
        kept : int64 ndarray
            Rows that stand for themselves alone, in rising order.
        random_state : int, RandomState, Generator or None, default=None
            The source of randomness.
        groups : RowGroups, optional
            Only rows of one group share a representative.

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
        if len(rows) - len(kept) <= n_representatives:
            kept = np.arange(len(rows))
        own_groups = [None] * rows.n_chunks if groups is None else groups.own
        places = rows.split(kept)
        own = list(zip(rows.starts[:-1].tolist(), places, own_groups, strict=True))
        centers = _drawn_centers(rows, n_representatives, own, groups, as_generator(random_state))
        closest: ClosestRows = rows.map_add(closest_step, own, centers)
        used = np.flatnonzero(closest.rows >= 0)
        chosen = np.concatenate((closest.rows[used], kept))
        points = np.concatenate((closest.points[used], rows.take(kept)))
        weights = np.concatenate((closest.sizes[used], np.ones(len(kept)))).astype(np.float64)
        order = np.argsort(chosen)
        position = np.argsort(order)

        def spread(values: Any) -> Any:
            ordered = np.asarray(values, np.int32)[position]
            of_centers = np.zeros(len(centers.points), np.int32)
            of_centers[used] = ordered[: len(used)]
            parts = np.split(ordered[len(used) :], np.cumsum([len(part) for part in places])[:-1])
            return rows.labels(home_step, list(zip(own, parts, strict=True)), centers, of_centers)

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


class RowGroups(NamedTuple):
    """Which rows of chunks may share a representative: those of one group.

    Attributes
    ----------
    of_chunk : callable
        Called with a chunk and what belongs to it, returns a whole number for each row.
    own : sequence
        What belongs to each chunk.

    Examples
    --------
    >>> from clustraint.rows import RowGroups
    >>> RowGroups(lambda chunk, own: chunk[:, 0].astype(int), [None]).own
    [None]
    """

    of_chunk: Callable[[Any, Any], IntArray]
    own: Sequence[Any]


class GroupedCenters(NamedTuple):
    """Centres of small clusters, those of one group after the other."""

    points: FloatingArray
    ranges: dict[int, tuple[int, int]]  # by group, from where to where its centres are
    of_chunk: Callable[[Any, Any], IntArray] | None

    def members(self, chunk: Any, own: Any, n_rows: int) -> list[tuple[int, IntArray]]:
        """Return the rows of each group that a chunk has."""
        if self.of_chunk is None:
            return [(0, np.arange(n_rows))]
        groups = self.of_chunk(chunk, own)
        return [(int(each), np.flatnonzero(groups == each)) for each in np.unique(groups)]

    def homes(self, chunk: Any, own: Any) -> tuple[FloatingArray, IntArray, FloatingArray]:
        """Return the rows of a chunk, the nearest centre of each in its group, and how far."""
        points = as_numbers(chunk)
        labels = np.zeros(len(points), np.int64)
        away = np.zeros(len(points))
        for group, members in self.members(chunk, own, len(points)):
            # A group of which all rows are kept has no centres.
            start, stop = self.ranges.get(group, (0, 0))
            if start < stop:
                whole = len(members) == len(points)
                part = points if whole else points[members]
                nearest, distances = _homes(part, self.points[start:stop])
                labels[members], away[members] = nearest + start, distances
        return points, labels, away


# What steps know of a chunk: its first row, the places of rows that are kept, and of groups.
OwnShare = tuple[int, IntArray, Any]


def _drawn_centers(
    rows: Rows,
    n_representatives: int,
    own: Sequence[OwnShare],
    groups: RowGroups | None,
    rng: np.random.Generator,
) -> GroupedCenters:
    """Return centres for each group, from rows of it that are drawn at random."""
    empty = GroupedCenters(
        np.empty((0, rows.n_features)), {}, None if groups is None else groups.of_chunk
    )
    if groups is None:
        kept = np.array([len(places) for _, places, _ in own])
        sizes = [{0: int(count)} for count in rows.lengths - kept]
    else:
        sizes = rows.map(_size_step, own, empty)
    n_free = sum(sum(part.values()) for part in sizes)
    wanted: list[dict[int, IntArray]] = [{} for _ in sizes]
    counts = {}
    for group in sorted(set().union(*sizes)):
        ends = np.cumsum([0, *(part.get(group, 0) for part in sizes)])
        if not ends[-1]:
            continue
        counts[group] = min(int(ends[-1]), max(1, n_representatives * int(ends[-1]) // n_free))
        size = min(int(ends[-1]), max(DRAWN, DRAWN_EACH * counts[group]))
        drawn = np.sort(rng.choice(int(ends[-1]), size, replace=False))
        for number, part in enumerate(np.split(drawn, np.searchsorted(drawn, ends[1:-1]))):
            if len(part):
                wanted[number][group] = part - ends[number]
    parts = rows.map(_draw_step, list(zip(own, wanted, strict=True)), empty)
    centers: list[FloatingArray] = [empty.points]
    ranges = {}
    for group, count in counts.items():
        points = np.concatenate([part[group] for part in parts if group in part])
        with threadpool_limits(1):
            if count < len(points):
                points = small_centers(points.astype(np.float64), count, rng)
        start = sum(map(len, centers))
        ranges[group] = start, start + len(points)
        centers.append(points.astype(np.float64))
    return empty._replace(points=np.concatenate(centers), ranges=ranges)


def _free(chunk: Any, own: OwnShare, centers: GroupedCenters) -> dict[int, IntArray]:
    """Return the rows of each group that are not kept."""
    _, kept, of_groups = own
    n_rows = chunk.shape[0] if hasattr(chunk, "shape") else len(chunk)
    is_free = np.ones(n_rows, np.bool_)
    is_free[kept] = False
    members = centers.members(chunk, of_groups, n_rows)
    return {group: places[is_free[places]] for group, places in members}


def _size_step(chunk: Any, own: OwnShare, centers: GroupedCenters) -> dict[int, int]:
    return {group: len(places) for group, places in _free(chunk, own, centers).items()}


def _draw_step(
    chunk: Any, own: tuple[OwnShare, dict[int, IntArray]], centers: GroupedCenters
) -> dict[int, FloatingArray]:
    share, wanted = own
    if not wanted:
        return {}
    free = _free(chunk, share, centers)
    points = as_numbers(chunk)
    return {group: points[free[group][places]] for group, places in wanted.items()}


def closest_step(chunk: Any, own: OwnShare, centers: GroupedCenters) -> ClosestRows:
    """Return what a chunk has closest to each centre, without the rows that are kept."""
    start, kept, of_groups = own
    points, labels, away = centers.homes(chunk, of_groups)
    is_free = np.ones(len(points), np.bool_)
    is_free[kept] = False
    numbers = np.flatnonzero(is_free)
    n_centers = len(centers.points)
    places = np.full(n_centers, -1, np.int64)
    least = np.full(n_centers, np.inf)
    if n_centers:
        closest_rows(labels[numbers], away[numbers], 0, places, least)
    filled = places >= 0
    closest = np.zeros((n_centers, points.shape[1]))
    closest[filled] = points[numbers[places[filled]]]
    rows = np.full(n_centers, -1, np.int64)
    rows[filled] = numbers[places[filled]] + start
    sizes = np.bincount(labels[numbers], minlength=n_centers)[:n_centers]
    return ClosestRows(least, rows, closest, sizes)


def home_step(
    chunk: Any, own: tuple[OwnShare, LabelArray], centers: GroupedCenters, values: LabelArray
) -> LabelArray:
    """Return the value of each row's centre, or its own if it is kept."""
    (_, places, of_groups), fixed = own
    _, labels, _ = centers.homes(chunk, of_groups)
    result = values[labels] if len(values) else np.zeros(len(labels), np.int32)
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
