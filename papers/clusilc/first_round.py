"""Whether the authors' COP-k-means comes to a dead end at once, in a fraction of the time of a fit.

Their experiments draw thousands of sets of constraints until one can be clustered, and of a hundred
sets that cannot, some 98 end in the first round of assignments.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from papers.clusilc.data import Draw, samples

# Clusters whose squared distances differ by less, relative to the largest, may change places by
# rounding.
ROUNDING = 1e-9


def ends_at_once(draw: Draw, number: int, seed: int) -> bool:
    """Tell whether the first round certainly has a dead end.

    Parameters
    ----------
    draw : Draw
        The table and how many pairs are drawn.
    number : int
        Which of the sets that are drawn one after the other.
    seed : int
        The `random_state` of the estimator.

    Returns
    -------
    bool
        True only if a fit fails. Where rounding might decide, or a start is drawn from components
        beyond cannot-links, it is False.
    """
    pairs = draw.pairs(number)
    classes = samples(draw.table)[1][pairs]
    same = classes[:, 0] == classes[:, 1]
    ends = np.random.default_rng(seed).permutation(pairs[~same])
    return bool(_is_dead_end(_centred(draw.table), pairs[same], ends, draw.n_clusters))


@lru_cache(maxsize=4)
def _centred(table: str) -> NDArray[np.float64]:
    X = samples(table)[0]
    return np.ascontiguousarray(X - X.mean(axis=0))


@njit(cache=True)
def _is_dead_end(X: Any, must_link: Any, cannot_link: Any, n_clusters: int) -> bool:
    """Follow one round of assignments, components in the order of their first rows.

    The ends of `cannot_link`, in that order, are the first centres.
    """
    first = _first_rows(len(X), must_link)
    means = _means(X, first)
    centers = _distinct(first, cannot_link, n_clusters)
    if len(centers) < n_clusters:
        return False
    start, others = _neighbours(first, cannot_link)
    origin = np.zeros(X.shape[1])
    largest = 0.0
    for center in centers:
        largest = max(largest, _squared_distance(means[center], origin))
    labels = np.full(len(X), -1)
    for node in range(len(X)):
        if start[node] == start[node + 1]:
            continue
        taken = np.zeros(n_clusters, np.bool_)
        for other in others[start[node] : start[node + 1]]:
            if labels[other] >= 0:
                taken[labels[other]] = True
        least, second = np.inf, np.inf
        for j in range(n_clusters):
            if taken[j]:
                continue
            cost = _squared_distance(means[node], means[centers[j]])
            if cost < least:
                least, second, labels[node] = cost, least, j
            else:
                second = min(second, cost)
        if least == np.inf:
            return True
        if second - least <= ROUNDING * (_squared_distance(means[node], origin) + largest):
            return False
    return False


@njit(cache=True)
def _first_rows(n_samples: int, must_link: Any) -> Any:
    """Return the first row of the component of each sample."""
    first = np.arange(n_samples)
    for i in range(len(must_link)):
        a, b = must_link[i]
        while first[a] != a:
            a = first[a]
        while first[b] != b:
            b = first[b]
        first[max(a, b)] = min(a, b)
    for sample in range(n_samples):
        first[sample] = first[first[sample]]
    return first


@njit(cache=True)
def _means(X: Any, first: Any) -> Any:
    """Return the means of components at their first rows."""
    sums = np.zeros(X.shape)
    sizes = np.zeros(len(X))
    for sample in range(len(X)):
        sizes[first[sample]] += 1
        for t in range(X.shape[1]):
            sums[first[sample], t] += X[sample, t]
    for sample in range(len(X)):
        for t in range(X.shape[1]):
            sums[sample, t] /= max(sizes[sample], 1.0)
    return sums


@njit(cache=True)
def _squared_distance(first: Any, second: Any) -> float:
    total = 0.0
    for t in range(len(first)):
        total += (first[t] - second[t]) ** 2
    return total


@njit(cache=True)
def _distinct(first: Any, cannot_link: Any, count: int) -> Any:
    """Return the first components among the ends of cannot-links, each once."""
    components = np.empty(count, np.int64)
    n_distinct = 0
    for end in cannot_link.ravel():
        component = first[end]
        if n_distinct < count and not (components[:n_distinct] == component).any():
            components[n_distinct] = component
            n_distinct += 1
    return components[:n_distinct]


@njit(cache=True)
def _neighbours(first: Any, cannot_link: Any) -> Any:
    """Return which components are kept apart: those of v are others[start[v]:start[v + 1]]."""
    start = np.zeros(len(first) + 1, np.int64)
    for end in cannot_link.ravel():
        start[first[end] + 1] += 1
    start = np.cumsum(start)
    place = start[:-1].copy()
    others = np.empty(2 * len(cannot_link), np.int64)
    for i in range(len(cannot_link)):
        a, b = first[cannot_link[i, 0]], first[cannot_link[i, 1]]
        others[place[a]], others[place[b]] = b, a
        place[a] += 1
        place[b] += 1
    return start, others
