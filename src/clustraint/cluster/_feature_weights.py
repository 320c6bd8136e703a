"""Feature weights that learn from merges which should not have been made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from clustraint.typing import FloatArray

# Centroids x, y and z: x should have been more similar to y than to z.
Triple: TypeAlias = tuple[FloatArray, FloatArray, FloatArray]


def cosine_gradient(triple: Triple, weights: FloatArray) -> FloatArray:
    """Return how sim(x, y) - sim(x, z) changes with each weight: equation (7) of the paper.

    A centroid that is zero under the weights is similar to nothing and stays so.
    """
    x, y, z = (_scaled(centroid, weights) for centroid in triple)
    weighted = weights * x
    similar_y, similar_z = weighted @ y, weighted @ z
    gradient = x * (y - z)
    gradient -= 0.5 * similar_y * (x * x + y * y)
    gradient += 0.5 * similar_z * (x * x + z * z)
    return gradient


def _scaled(centroid: FloatArray, weights: FloatArray) -> FloatArray:
    norm = np.sqrt(weights @ (centroid * centroid))
    return centroid / norm if norm else np.zeros_like(centroid)


def euclidean_gradient(triple: Triple, weights: FloatArray) -> FloatArray:
    """Return the same where the similarity is minus the weighted Euclidean distance."""
    x, y, z = triple
    return _growth(x - z, weights) - _growth(x - y, weights)


def _growth(difference: FloatArray, weights: FloatArray) -> FloatArray:
    """Return how a weighted distance grows with each weight; 0 where it is 0 and has a kink."""
    squares = difference * difference
    distance = np.sqrt(weights @ squares)
    return 0.5 * squares / distance if distance else np.zeros_like(squares)


GRADIENTS: dict[str, Callable[[Triple, FloatArray], FloatArray]] = {
    "cosine": cosine_gradient,
    "euclidean": euclidean_gradient,
}


def adapted(
    weights: FloatArray, triples: Sequence[Triple], rate: float, metric: str, updates: str
) -> FloatArray:
    """Return the weights after one violation: equation (6), then the conditions of (3)."""
    gradient = GRADIENTS[metric]
    if updates == "joint":
        steps = [gradient(triple, weights) for triple in triples]
        return _projected(weights, rate * np.sum(steps, axis=0)) if steps else weights
    for triple in triples:
        weights = _projected(weights, rate * gradient(triple, weights))
    return weights


def _projected(weights: FloatArray, step: FloatArray) -> FloatArray:
    """Return the weights after a step, none below 0 and their sum the number of features.

    A step that would leave no weight above 0 is not made. With the cosine there is none: its
    gradient is at right angles to the weights.
    """
    moved = np.maximum(weights + step, 0)
    total = moved.sum()
    return moved * (len(moved) / total) if total else weights
