"""What k-means asks of each chunk of rows: which centres are nearest, and what that adds up to.

It stands here, and not beside the estimators, because workers import what they are sent:
scikit-learn and all estimators would take 80 MB in each of them.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from scipy.sparse import csr_array, issparse

from clustraint.kernels.kmeans import (
    label_nearest,
    nearest,
    squared_distances,
    sum_by_label,
    sums_of_nearest,
)
from clustraint.machine import in_threads
from clustraint.rows._rows import added, as_numbers
from clustraint.typing import FloatingArray, IntArray, LabelArray

# Rows of a sparse chunk that are multiplied with all centres at a time.
BLOCK = 2**14
# Rows of a chunk whose sums are computed by one thread; the same, however many threads there are.
PART = 2**13


class ChunkShare(NamedTuple):
    """What belongs to the rows of one chunk."""

    linked: IntArray  # the places of linked rows
    weights: FloatingArray | None  # of all rows, None where each counts once

    def of_free(self, n_rows: int) -> FloatingArray:
        """Return the weights of rows, 0 for those that are linked."""
        weights = np.ones(n_rows) if self.weights is None else self.weights.copy()
        weights[self.linked] = 0
        return weights

    def sums(
        self, points: FloatingArray, start: int, centers: Centers
    ) -> tuple[FloatingArray, FloatingArray]:
        """Return the sums and weights of the free rows of each cluster, in one part of them."""
        here = points[start : start + PART]
        weights = np.empty(0) if self.weights is None else self.weights[start : start + PART]
        first, last = np.searchsorted(self.linked, (start, start + len(here)))
        linked = self.linked[first:last] - start
        return sums_of_nearest(here, *centers, weights, linked)  # type: ignore[no-any-return]


class Centers(NamedTuple):
    """Centres as steps want them."""

    mean: FloatingArray  # of the data
    columns: FloatingArray  # the centres around it, as columns
    norms: FloatingArray

    @classmethod
    def around(cls, mean: FloatingArray, centers: FloatingArray) -> Self:
        """Return centres that are given around the mean."""
        return cls(mean, np.ascontiguousarray(centers.T), (centers**2).sum(axis=1))


class FarRows(NamedTuple):
    """The rows farthest from their centres, the farthest first, and how many are wanted."""

    away: FloatingArray
    labels: IntArray
    weights: FloatingArray
    points: FloatingArray  # around the mean
    wanted: int

    def __add__(self, other: FarRows) -> FarRows:  # type: ignore[override]
        joined = [np.concatenate(parts) for parts in zip(self[:-1], other[:-1], strict=True)]
        first = farthest(joined[0], self.wanted)
        away, labels, weights, points = (part[first] for part in joined)
        return FarRows(away, labels, weights, points, self.wanted)


def farthest(away: FloatingArray, count: int) -> IntArray:
    """Return the places of the largest distances, the largest first, the last among equals."""
    return np.argsort(away, kind="stable")[::-1][:count]


def spread(chunk: Any, own: None, mean: FloatingArray) -> FloatingArray:
    """Return the sums of squared differences to the mean."""
    points = as_numbers(chunk)
    if issparse(points):
        # Zeros are too many to be touched: the mean is taken off at the end.
        return np.asarray(points.multiply(points).sum(axis=0)).ravel()
    total = np.zeros(len(mean))
    with np.errstate(over="ignore"):  # the caller looks at it
        for start in range(0, len(points), BLOCK):
            total += ((points[start : start + BLOCK] - mean) ** 2).sum(axis=0)
    return total


def sum_step(chunk: Any, own: ChunkShare, centers: Centers) -> tuple[FloatingArray, FloatingArray]:
    """Return the sums and weights of the free rows of each cluster."""
    points = as_numbers(chunk)
    if not issparse(points):
        parts = range(0, max(len(points), 1), PART)
        work = points.size * len(centers.norms)
        sums = in_threads(lambda start: own.sums(points, start, centers), parts, work)
        return added(sums)  # type: ignore[no-any-return]
    weights = own.of_free(points.shape[0])
    labels, _ = _labelled(points, centers)
    return sum_points(
        points.astype(np.float64), weights, labels.astype(np.int64), len(centers.norms)
    )


def cost_step(chunk: Any, own: ChunkShare, centers: Centers) -> tuple[float, FloatingArray]:
    """Return the inertia of the free rows, and how many each cluster has."""
    points = as_numbers(chunk)
    labels, away = _labelled(points, centers)
    is_free = np.ones(len(labels), np.bool_)
    is_free[own.linked] = False
    counts = np.bincount(labels[is_free], minlength=len(centers.norms)).astype(np.float64)
    return float((own.of_free(len(labels)) * away).sum()), counts


def far_step(chunk: Any, own: ChunkShare, centers: Centers, count: int) -> FarRows:
    """Return the free rows farthest from their centres."""
    points = as_numbers(chunk)
    labels, away = _labelled(points, centers)
    weights = own.of_free(len(labels))
    away[own.linked] = -1
    rows = farthest(away, count)
    rows = rows[away[rows] >= 0]
    chosen = points[rows]
    dense = chosen.toarray() if issparse(chosen) else chosen
    own_labels = labels[rows].astype(np.int64)
    return FarRows(away[rows], own_labels, weights[rows], dense - centers.mean, count)


def label_step(chunk: Any, own: tuple[IntArray, LabelArray], centers: Centers) -> LabelArray:
    """Return the cluster of each row: the nearest, but for linked rows."""
    labels, _ = _labelled(as_numbers(chunk), centers)
    places, fixed = own
    labels[places] = fixed
    return labels


def _labelled(points: Any, centers: Centers) -> tuple[LabelArray, FloatingArray]:
    """Return the nearest centre of each row, and the squared distance to it."""
    labels = np.empty(points.shape[0], np.int32)
    away = np.empty(points.shape[0])
    if not issparse(points):
        label_nearest(points, *centers, labels, away)
        return labels, away
    columns = np.ascontiguousarray(centers.columns.T)
    for start in range(0, len(labels), BLOCK):
        block = points[start : start + BLOCK].astype(np.float64)
        part = nearest(costs(block, columns))
        labels[start : start + BLOCK] = part
        away[start : start + BLOCK] = distances(block, columns, part)
    return labels, away


def costs(points: Any, centers: FloatingArray) -> FloatingArray:
    """Return squared distances but for what is the same for all centres."""
    products = points @ centers.T
    products *= -2
    products += (centers**2).sum(axis=1)
    return np.asarray(products)


def sum_points(
    points: Any, weights: FloatingArray, labels: IntArray, n_clusters: int
) -> tuple[FloatingArray, FloatingArray]:
    """Return the weighted sum of the points of each cluster, and its weight."""
    if not issparse(points):
        return sum_by_label(points, weights, labels, n_clusters)  # type: ignore[no-any-return]
    table = (weights, (labels, np.arange(len(labels))))
    chooser = csr_array(table, shape=(n_clusters, len(labels)))
    return (chooser @ points).toarray(), np.asarray(chooser.sum(axis=1))


def distances(points: Any, centers: FloatingArray, labels: IntArray) -> FloatingArray:
    """Return the squared distance of each point to the centre of its cluster."""
    if not issparse(points):
        return np.asarray(squared_distances(points, centers, labels))
    own = centers[labels]
    squares = np.asarray(points.multiply(points).sum(axis=1)).ravel()
    products = np.asarray(points.multiply(own).sum(axis=1)).ravel()
    return np.asarray(np.maximum(squares - 2 * products + (own**2).sum(axis=1), 0))
