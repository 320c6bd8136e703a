"""Runs of biHAC, each with the feature weights that the one before has learned."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from clustraint.cluster._feature_weights import Triple
from clustraint.cluster._indexed_triplets import IndexedTriplets
from clustraint.cluster._vectors import Vectors
from clustraint.hierarchy import Hierarchy
from clustraint.kernels.merges import Merges
from clustraint.kernels.triplet_merges import merge_noting
from clustraint.typing import AnyArray, FloatArray, IntArray

# Takes weights and the triples of one mistake, and returns the weights after it.
Step: TypeAlias = Callable[[FloatArray, list[Triple]], FloatArray]

# Mistakes whose centroids are held in memory at a time.
BATCH = 32

# Errors are sums of weights, which differ in their last digits with the order of the terms.
TIE = 1e-12


@dataclass(frozen=True)
class BiHACRun:
    """One clustering of `BiHAC`, and what it has learned for the next one.

    Attributes
    ----------
    number : int
        Which run it is, from 0.
    weights : float64 ndarray of shape (n_features,)
        The feature weights that it used.
    merges : Merges
        Its merges, in their order.
    hierarchy : Hierarchy
        The merges as a tree.
    error : float
        1 minus the H-correlation on the triplets that it learns from.
    mistakes : int64 ndarray of shape (n_mistakes, 4)
        For each merge that was the first in both clusters to violate a triplet: the node of the
        first cluster, the node it should have merged with, and the same of the second cluster; -1
        where no such node exists.
    learned : float64 ndarray of shape (n_features,)
        The weights after the adaptations to all mistakes.

    Examples
    --------
    >>> from clustraint import BiHAC
    >>> (run,) = BiHAC().runs([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0]])
    >>> run.number, run.error, len(run.mistakes)
    (0, 0.0, 0)
    """

    number: int
    weights: FloatArray
    merges: Merges
    hierarchy: Hierarchy
    error: float
    mistakes: IntArray
    learned: FloatArray


@dataclass
class LearningHistory:
    """What each run came to."""

    error: list[float] = field(default_factory=list)
    validation_error: list[float] = field(default_factory=list)
    n_adaptations: list[int] = field(default_factory=list)
    weights_change: list[float] = field(default_factory=list)

    def add(self, run: BiHACRun, validation: IndexedTriplets | None) -> float:
        """Note a run, and return the error that counts."""
        self.error.append(run.error)
        self.n_adaptations.append(len(run.mistakes))
        self.weights_change.append(float(np.abs(run.learned - run.weights).sum()))
        if validation is None:
            return run.error
        self.validation_error.append(validation.error(run.hierarchy))
        return self.validation_error[-1]

    def as_arrays(self) -> dict[str, AnyArray]:
        """Return an array for each column, those that were not kept left out."""
        return {name: np.array(column) for name, column in vars(self).items() if column}


def first_best(
    runs: Iterable[BiHACRun], validation: IndexedTriplets | None, patience: int
) -> tuple[BiHACRun, LearningHistory]:
    """Return the first run of the lowest error, and what all runs came to (figure 5).

    The error is that on the triplets for validation, where there are any.
    """
    history = LearningHistory()
    best: BiHACRun | None = None
    lowest = np.inf
    for run in runs:
        error = history.add(run, validation)
        if best is None or error < lowest - TIE:
            best, lowest = run, error
        if run.number - best.number >= patience:
            break
    assert best is not None, "there is at least one run"
    return best, history


def learning_runs(vectors: Vectors, triplets: IndexedTriplets, step: Step) -> Iterator[BiHACRun]:
    """Yield runs until one has nothing to learn from."""
    n_samples, n_features = vectors.shape
    weights, number = np.ones(n_features), 0
    while True:
        # By mean weighted distances, through all violations.
        *merged, mistakes = merge_noting(vectors.distances(weights), n_samples, triplets.index)
        merges = Merges(*merged)
        hierarchy = Hierarchy.from_merges(merges, n_samples)
        learned = weights
        for triples in mistaken_triples(mistakes, hierarchy, vectors):
            learned = step(learned, triples)
        error = triplets.error(hierarchy)
        yield BiHACRun(number, weights, merges, hierarchy, error, mistakes, learned)
        if np.array_equal(learned, weights):
            return
        weights, number = learned, number + 1


def mistaken_triples(
    mistakes: IntArray, hierarchy: Hierarchy, vectors: Vectors
) -> Iterator[list[Triple]]:
    """Yield (c1, c1s, c2) and (c2, c2s, c1) for each mistake, as far as c1s and c2s exist."""
    for start in range(0, len(mistakes), BATCH):
        batch = mistakes[start : start + BATCH]
        nodes = np.unique(batch[batch >= 0])
        means = vectors.means([hierarchy.samples_below(node) for node in nodes])
        centroids = dict(zip(nodes.tolist(), means, strict=True))
        for first, first_instead, second, second_instead in batch.tolist():
            triples = [(first, first_instead, second), (second, second_instead, first)]
            yield [(centroids[x], centroids[y], centroids[z]) for x, y, z in triples if y >= 0]
