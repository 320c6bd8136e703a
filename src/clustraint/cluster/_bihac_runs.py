"""Runs of biHAC, each with the feature weights that the one before has learned."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustraint.cluster._feature_weights import Triple, adapted
from clustraint.cluster._known_triplets import KnownTriplets
from clustraint.cluster._triplet_clusterer import Merges, hierarchy_of
from clustraint.cluster._vectors import Vectors
from clustraint.hierarchy import Hierarchy
from clustraint.kernels.triplet_index import TripletIndex
from clustraint.kernels.triplet_merges import merge_noting
from clustraint.typing import FloatArray, IntArray

# Mistakes whose centroids are held in memory at a time.
BATCH = 32

# Errors are sums of weights, which differ in their last digits with the order of the terms.
TIE = 1e-12


@dataclass(frozen=True)
class Learning:
    """How weights are learned."""

    rate: float
    metric: str
    updates: str
    max_iter: int
    patience: int


@dataclass(frozen=True)
class Run:
    """One clustering: the weights it used, its merges, and the mistakes among them."""

    number: int
    weights: FloatArray
    merges: Merges
    hierarchy: Hierarchy
    mistakes: IntArray


@dataclass
class History:
    """What each run came to."""

    error: list[float] = field(default_factory=list)
    validation_error: list[float] = field(default_factory=list)
    n_adaptations: list[int] = field(default_factory=list)
    weights_change: list[float] = field(default_factory=list)

    def judge(self, found: Run, training: KnownTriplets, validation: KnownTriplets | None) -> float:
        """Note the errors of a run, and return the one that counts."""
        self.error.append(training.error(found.hierarchy))
        if validation is None:
            return self.error[-1]
        self.validation_error.append(validation.error(found.hierarchy))
        return self.validation_error[-1]

    def note(self, found: Run, weights: FloatArray) -> None:
        """Note what a run has changed."""
        self.n_adaptations.append(len(found.mistakes))
        self.weights_change.append(float(np.abs(weights - found.weights).sum()))

    def as_arrays(self) -> dict[str, NDArray[Any]]:
        """Return an array for each column, those that were not kept left out."""
        return {name: np.array(column) for name, column in vars(self).items() if column}


def learn(
    vectors: Vectors,
    training: KnownTriplets,
    validation: KnownTriplets | None,
    learning: Learning,
) -> tuple[Run, History]:
    """Return the first run of the lowest error, and what all runs came to (figure 5).

    The error is that on the triplets for validation, where there are any.
    """
    history = History()
    found = best = run(0, vectors, np.ones(vectors.shape[1]), training.index)
    lowest = np.inf
    while True:
        error = history.judge(found, training, validation)
        if error < lowest - TIE:
            best, lowest = found, error
        weights = learned_from(found, vectors, learning)
        history.note(found, weights)
        following = found.number + 1
        if (
            following == learning.max_iter
            or found.number - best.number >= learning.patience
            or np.array_equal(weights, found.weights)
        ):
            return best, history
        found = run(following, vectors, weights, training.index)


def run(number: int, vectors: Vectors, weights: FloatArray, index: TripletIndex) -> Run:
    """Cluster by mean weighted distances, through all violations."""
    n_samples = vectors.shape[0]
    *merged, mistakes = merge_noting(vectors.distances(weights), n_samples, index)
    merges = Merges(*merged)
    return Run(number, weights, merges, hierarchy_of(merges, n_samples), mistakes)


def learned_from(found: Run, vectors: Vectors, learning: Learning) -> FloatArray:
    """Return the weights after the adaptations to all mistakes of a run, in their order."""
    weights = found.weights
    for triples in mistaken_triples(found, vectors):
        weights = adapted(weights, triples, learning.rate, learning.metric, learning.updates)
    return weights


def mistaken_triples(found: Run, vectors: Vectors) -> Iterator[list[Triple]]:
    """Yield (c1, c1s, c2) and (c2, c2s, c1) for each mistake, as far as c1s and c2s exist."""
    for start in range(0, len(found.mistakes), BATCH):
        batch = found.mistakes[start : start + BATCH]
        nodes = np.unique(batch[batch >= 0])
        means = vectors.means([found.hierarchy.samples_below(node) for node in nodes])
        centroids = dict(zip(nodes.tolist(), means, strict=True))
        for first, first_instead, second, second_instead in batch.tolist():
            triples = [(first, first_instead, second), (second, second_instead, first)]
            yield [(centroids[x], centroids[y], centroids[z]) for x, y, z in triples if y >= 0]
