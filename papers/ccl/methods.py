"""The methods that are compared, and what is measured of the clusters that they give."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from clustraint.cluster import ActiveCompleteLinkage, ConstrainedCompleteLinkage, COPKMeans
from clustraint.constraints import Constraints
from clustraint.evaluation import constrained_rand_score
from clustraint.exceptions import NoFeasibleClusteringError, NothingToMeasureError
from papers._experiment import Parameter
from papers.ccl.data import ClusteringTask

IntArray = NDArray[np.integer[Any]]
Fields = dict[str, Parameter]

CCL = "CCL"
ACTIVE = "active CCL"
COP = "COP-k-means, single start"
BEST = "COP-k-means, best of 10"
SOLVED = "COP-k-means, dead ends solved"
METHODS = (CCL, ACTIVE, SOLVED, COP, BEST)
MIX_METHODS = (CCL, SOLVED, COP, BEST)


@dataclass(frozen=True)
class FitOutcome:
    """What a method made of the constraints.

    Attributes
    ----------
    labels : ndarray of int or None
        The cluster of each sample; None if no assignment was found.
    constraints : Constraints
        What was known: what was given, or the answers to the method's own questions.
    """

    labels: IntArray | None
    constraints: Constraints


def clustered(
    method: str, problem: ClusteringTask, constraints: Constraints, n_pairs: int, seed: int
) -> FitOutcome:
    """Return what a method makes of the constraints, or of as many questions."""
    if method == ACTIVE:
        return _asking(problem, n_pairs)
    if method == CCL:
        linkage = ConstrainedCompleteLinkage(problem.n_clusters, metric=problem.metric)
        return FitOutcome(linkage.fit(problem.X, constraints=constraints).labels_, constraints)
    return FitOutcome(_assigned(method, problem, constraints, seed), constraints)


def _asking(problem: ClusteringTask, n_queries: int) -> FitOutcome:
    asking = ActiveCompleteLinkage(problem.n_clusters, n_queries, metric=problem.metric)
    asking.fit(problem.X, oracle=lambda a, b: bool(problem.y[a] == problem.y[b]))
    return FitOutcome(asking.labels_, asking.constraints_)


def _assigned(
    method: str, problem: ClusteringTask, constraints: Constraints, seed: int
) -> IntArray | None:
    variants: dict[str, dict[str, Any]] = {
        COP: {"assignment": "instance", "init": "random", "n_init": 1},
        BEST: {"assignment": "instance", "init": "random", "n_init": 10},
        SOLVED: {"assignment": "auto", "init": "random", "n_init": 1},
    }
    model = COPKMeans(problem.n_clusters, random_state=seed, **variants[method])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return np.asarray(model.fit(problem.vectors, constraints=constraints).labels_)
    except NoFeasibleClusteringError:
        return None


def free_accuracy(y: IntArray, labels: IntArray, constraints: Constraints) -> float | None:
    """Return the constrained Rand index, or None where the constraints decide every pair."""
    try:
        return float(constrained_rand_score(y, labels, constraints))
    except NothingToMeasureError:
        return None


def outliers(labels: IntArray, constraints: Constraints, near: NDArray[np.int64]) -> float:
    """Return the share of constrained samples that are not in the cluster of most neighbours."""
    touched = np.unique(np.concatenate((constraints.must_link, constraints.cannot_link)))
    alike = (labels[near[touched]] == labels[touched, None]).mean(axis=1)
    return float((alike < 0.5).mean())


def shape(labels: IntArray, vectors: NDArray[np.float64]) -> Fields:
    """Return how large the largest cluster is, and how well straight borders tell the clusters."""
    from sklearn.linear_model import LogisticRegression

    borders = LogisticRegression(C=1e3, max_iter=1000).fit(vectors, labels)
    return {
        "largest": float(np.bincount(labels).max() / len(labels)),
        "linear": float(borders.score(vectors, labels)),
    }
