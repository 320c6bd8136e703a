"""The clusterers that are compared, by name."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Self

import numpy as np

from clustraint import ClusteringTree, Constraints, COPKMeans
from clustraint.exceptions import NoFeasibleClusteringError


class CountedTree(ClusteringTree):
    """A tree that counts a cannot-link once for each given one that entails it.

    The authors' program does so; the closure of `ClusteringTree` is a set.
    """

    def fit(self, X: Any, y: Any = None, *, constraints: Constraints | None = None) -> Self:
        """Grow the tree on the closure with its multiplicities."""
        closed = None if constraints is None else constraints.closure(duplicates="sum")
        return super().fit(X, constraints=closed)


def _cop(assignment: Any) -> Callable[[int, int], COPKMeans]:
    # One start from samples drawn at random, as Wagstaff and others (2001) have it.
    def make(n_clusters: int, seed: int) -> COPKMeans:
        return COPKMeans(
            n_clusters, assignment=assignment, init="random", n_init=1, random_state=seed
        )

    return make


def _authors(n_clusters: int, seed: int) -> COPKMeans:
    """Return the COP-k-means that the authors compare with, as their program has it.

    Must-link components are weighted means that are visited in row order, it starts at the ends of
    random cannot-links, and ends when an assignment repeats.
    """
    return COPKMeans(
        n_clusters,
        assignment="component",
        order="rows",
        init="cannot-link",
        n_init=1,
        tol=0,
        random_state=seed,
    )


# Each is made for a number of clusters and a seed; gamma and m are the paper's by default.
METHODS: dict[str, Callable[[int, int], Any]] = {
    "tree": lambda n_clusters, seed: ClusteringTree(n_clusters),
    "any": lambda n_clusters, seed: ClusteringTree(n_clusters, label_reuse="any"),
    "counted": lambda n_clusters, seed: CountedTree(n_clusters),
    "conjunctive": lambda n_clusters, seed: ClusteringTree(n_clusters, max_leaves=n_clusters),
    "authors": _authors,
    "instance": _cop("instance"),
    "component": _cop("component"),
    "auto": _cop("auto"),
    "exact": _cop("exact"),
}
NAMES = {
    "tree": "ClusteringTree",
    "any": 'ClusteringTree, label_reuse="any"',
    "counted": "ClusteringTree, entailed links counted",
    "conjunctive": "ClusteringTree, one leaf per cluster",
    "authors": "COP-k-means (the authors')",
    "instance": "COP-k-means (instance)",
    "component": "COP-k-means (component)",
    "auto": "COP-k-means (auto)",
    "exact": "COP-k-means (exact)",
}


@cache
def warm_up() -> None:
    """Compile what the methods need, once in each process, so that no measured time has it."""
    X = np.arange(24.0).reshape(12, 2) % 7
    y = np.arange(12) % 3
    for seed in range(3):
        constraints = Constraints.from_labels(y, n_pairs=8 * (seed + 1), random_state=seed)
        for make in METHODS.values():
            try:
                make(3, seed).fit(X, constraints=constraints)
            except NoFeasibleClusteringError:
                continue
