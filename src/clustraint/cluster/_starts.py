"""The first centres of k-means: drawn from samples, or from what is known to be together."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.cluster import kmeans_plusplus
from sklearn.metrics.pairwise import euclidean_distances

from clustraint.cluster._lloyd import LloydProblem
from clustraint.constraints import Constraints
from clustraint.typing import FloatingArray, IntArray


def plus_plus(problem: LloydProblem, n_clusters: int, rng: np.random.Generator) -> FloatingArray:
    """Draw points far from each other."""
    seed = int(rng.integers(2**31))
    weights = problem.weights if problem.weights.any() else None
    centers, _ = kmeans_plusplus(
        problem.points, n_clusters, sample_weight=weights, random_state=seed
    )
    return np.asarray(centers.toarray() if issparse(centers) else centers)


def uniform(problem: LloydProblem, n_clusters: int, rng: np.random.Generator) -> FloatingArray:
    """Draw points, each as likely as any other."""
    return _rows(problem.points, rng.choice(len(problem.weights), n_clusters, replace=False))


def from_cannot_links(
    problem: LloydProblem, n_clusters: int, rng: np.random.Generator
) -> FloatingArray:
    """Draw the ends of cannot-links, both of one after both of another; then points, if too few."""
    ends = rng.permutation(problem.cannot_link).ravel()
    others = rng.permutation(len(problem.weights))
    candidates = np.concatenate((ends, others))
    first = np.sort(np.unique(candidates, return_index=True)[1])
    return _rows(problem.points, candidates[first[:n_clusters]])


STARTS = {"k-means++": plus_plus, "random": uniform}
LINKED_STARTS = {**STARTS, "cannot-link": from_cannot_links}


def neighbourhoods(
    problem: LloydProblem, constraints: Constraints, classes: IntArray | None
) -> LloydProblem | None:
    """Return the neighbourhoods among samples as weighted points, None where there are none.

    They are what must-links tie together, and samples of one known label (-1 is unknown). A sample
    alone is one if its label is known.
    """
    labelled = np.empty(0, np.int64)
    if classes is not None:
        labelled = np.flatnonzero(classes >= 0)
        labelled = labelled[np.argsort(classes[labelled], kind="stable")]
        same = classes[labelled[1:]] == classes[labelled[:-1]]
        chains = np.stack((labelled[:-1], labelled[1:]), axis=1)[same]
        constraints = constraints | Constraints(constraints.n_samples, must_link=chains)
    components = constraints.component_labels
    counts = np.bincount(components, minlength=constraints.n_samples)
    counts[components[labelled]] += 1
    samples = np.flatnonzero(counts[components] > 1)
    if not len(samples):
        return None
    distinct, labels = np.unique(components[samples], return_inverse=True)
    return LloydProblem.from_samples(
        problem.points[samples], problem.weights[samples], labels, len(distinct)
    )


def from_neighbourhoods(
    problem: LloydProblem, hoods: LloydProblem | None, n_clusters: int, rng: np.random.Generator
) -> FloatingArray:
    """Draw centres of neighbourhoods, large and far from each other; then samples, if too few."""
    if hoods is None:
        return plus_plus(problem, n_clusters, rng)
    centers = _dense(hoods.points)
    if len(centers) >= n_clusters:
        return plus_plus(hoods, n_clusters, rng)
    while len(centers) < n_clusters:
        nearest = euclidean_distances(problem.points, centers, squared=True).min(axis=1)
        chances = np.asarray(nearest * problem.weights, np.float64)
        total = chances.sum()
        row = rng.choice(len(chances), p=chances / total if total else None)
        centers = np.concatenate((centers, _rows(problem.points, np.array([row]))))
    return centers


def _rows(points: Any, rows: IntArray) -> FloatingArray:
    return _dense(points[rows])


def _dense(points: Any) -> FloatingArray:
    return np.asarray(points.toarray() if issparse(points) else points)
