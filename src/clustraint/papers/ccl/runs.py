"""What a cell measures: all methods on the same samples and constraints."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import rand_score

from clustraint.cluster import ActiveCompleteLinkage, ConstrainedCompleteLinkage, COPKMeans
from clustraint.constraints import Constraints
from clustraint.evaluation import constrained_rand_score, constraint_satisfaction
from clustraint.exceptions import NoFeasibleClusteringError, NothingToMeasureError
from clustraint.papers._experiment import Parameter, generator_of
from clustraint.papers.ccl.links import MIXES, Mix, links
from clustraint.papers.ccl.tables import SYNTHETIC, Task, neighbours, task

IntArray = NDArray[np.integer[Any]]
Fields = dict[str, Parameter]

CCL = "CCL"
ACTIVE = "active CCL"
COP = "COP-k-means"
BEST = "COP-k-means, best of 10"
FEASIBLE = "COP-k-means, exact where stuck"
METHODS = (CCL, ACTIVE, COP, BEST, FEASIBLE)


@dataclass(frozen=True)
class Outcome:
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
    method: str, given: Task, constraints: Constraints, n_pairs: int, seed: int
) -> Outcome:
    """Return what a method makes of the constraints, or of as many questions."""
    if method == ACTIVE:
        return _asking(given, n_pairs)
    if method == CCL:
        linkage = ConstrainedCompleteLinkage(given.n_clusters, metric=given.metric)
        return Outcome(linkage.fit(given.X, constraints=constraints).labels_, constraints)
    return Outcome(_assigned(method, given, constraints, seed), constraints)


def _asking(given: Task, n_queries: int) -> Outcome:
    asking = ActiveCompleteLinkage(given.n_clusters, n_queries, metric=given.metric)
    asking.fit(given.X, oracle=lambda a, b: bool(given.y[a] == given.y[b]))
    return Outcome(asking.labels_, asking.constraints_)


def _assigned(method: str, given: Task, constraints: Constraints, seed: int) -> IntArray | None:
    variants: dict[str, dict[str, Any]] = {
        COP: {"assignment": "instance", "init": "random", "n_init": 1},
        BEST: {"assignment": "instance", "init": "random", "n_init": 10},
        FEASIBLE: {"assignment": "auto", "init": "k-means++", "n_init": 10},
    }
    model = COPKMeans(given.n_clusters, random_state=seed, **variants[method])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return np.asarray(model.fit(given.vectors, constraints=constraints).labels_)
    except NoFeasibleClusteringError:
        return None


def accuracy(*, table: str, n_pairs: int, repeat: int) -> list[Fields]:
    """Compare all methods on random pairs as they come (figures 8 and 9)."""
    return _compared(METHODS, table, n_pairs, "as drawn", repeat)


def mixes(*, table: str, n_pairs: int, repeat: int) -> list[Fields]:
    """Compare CCL and COP-k-means on constraints of each mix (figure 11)."""
    return [
        {"mix": mix, **record}
        for mix in MIXES
        for record in _compared((CCL, COP, BEST), table, n_pairs, mix, repeat)
    ]


def _compared(
    methods: Sequence[str], table: str, n_pairs: int, mix: Mix, repeat: int
) -> list[Fields]:
    given = task(table, repeat)
    constraints = links(given.y, n_pairs, mix, table, repeat)
    seed = int(generator_of("ccl seed", table, n_pairs, mix, repeat).integers(2**31))
    records = []
    for method in methods:
        outcome = clustered(method, given, constraints, n_pairs, seed)
        records.append({"method": method, **_measured(outcome, table, repeat)})
    return records


def _measured(outcome: Outcome, table: str, repeat: int) -> Fields:
    known, labels = outcome.constraints, outcome.labels
    fields: Fields = {
        "failed": labels is None,
        "must_links": len(known.must_link),
        "cannot_links": len(known.cannot_link),
    }
    if labels is None:
        return fields
    y = task(table, repeat).y
    report = constraint_satisfaction(known, labels)
    fields |= {
        "cri": free_accuracy(y, labels, known),
        "rand": float(rand_score(y, labels)),
        "violated": sum(kind.violated for kind in report.values()),
        "outliers": outliers(labels, known, neighbours(table, repeat)),
    }
    if not len(known.must_link) + len(known.cannot_link) and table in SYNTHETIC:
        fields |= shape(labels, task(table, repeat).vectors)
    return fields


def free_accuracy(y: IntArray, labels: IntArray, known: Constraints) -> float | None:
    """Return the constrained Rand index, or None where the constraints decide every pair."""
    try:
        return float(constrained_rand_score(y, labels, known))
    except NothingToMeasureError:
        return None


def outliers(labels: IntArray, known: Constraints, near: NDArray[np.int64]) -> float | None:
    """Return the share of constrained samples that are not in the cluster of most neighbours."""
    touched = np.unique(np.concatenate((known.must_link, known.cannot_link)))
    if not len(touched):
        return None
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
