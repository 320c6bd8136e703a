"""What a cell measures: all methods on the same samples and constraints."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from clustraint.cluster import ActiveCompleteLinkage, ConstrainedCompleteLinkage, COPKMeans
from clustraint.constraints import Constraints
from clustraint.evaluation import constrained_rand_score, constraint_satisfaction
from clustraint.exceptions import NoFeasibleClusteringError, NothingToMeasureError
from papers._experiment import Parameter, Record, generator_of
from papers._guests import Problem
from papers.ccl.links import MIXES, Mix, links
from papers.ccl.tables import SYNTHETIC, ClusteringTask, neighbours, task

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


def accuracy(*, table: str, n_pairs: int, repeat: int) -> list[Fields]:
    """Compare all methods on random pairs as they come (figures 8 and 9)."""
    records = []
    for method, outcome in _outcomes(METHODS, table, n_pairs, "pairs as drawn", repeat):
        records.append(_measured(method, outcome, table, repeat))
        if outcome.labels is not None:
            records[-1] |= _seen(outcome.labels, outcome.constraints, table, repeat)
    return records


def mixes(*, table: str, n_pairs: int, repeat: int) -> list[Fields]:
    """Compare CCL and COP-k-means on constraints of each mix (figure 11)."""
    return [
        {"mix": mix, **_measured(method, outcome, table, repeat)}
        for mix in MIXES
        for method, outcome in _outcomes(MIX_METHODS, table, n_pairs, mix, repeat)
    ]


def accuracy_problems(*, table: str, n_pairs: int, repeat: int) -> Iterator[Problem]:
    """Yield what the methods of figures 8 and 9 are given."""
    yield _problem(table, n_pairs, "pairs as drawn", repeat)


def mix_problems(*, table: str, n_pairs: int, repeat: int) -> Iterator[Problem]:
    """Yield what the methods of figure 11 are given."""
    for mix in MIXES:
        yield _problem(table, n_pairs, mix, repeat)


def _problem(table: str, n_pairs: int, mix: Mix, repeat: int) -> Problem:
    problem = task(table, repeat)
    constraints = links(problem.y, n_pairs, mix, table, repeat)

    def score(model: Any) -> Record:
        return {"cri": free_accuracy(problem.y, model.labels_, constraints)}

    seed = _seed(table, n_pairs, repeat)
    return Problem(problem.vectors, constraints, problem.n_clusters, seed, score, {"mix": mix})


def _seed(table: str, n_pairs: int, repeat: int) -> int:
    return int(generator_of("ccl seed", table, n_pairs, repeat).integers(2**31))


def _outcomes(
    methods: Sequence[str], table: str, n_pairs: int, mix: Mix, repeat: int
) -> Iterator[tuple[str, FitOutcome]]:
    problem = task(table, repeat)
    constraints = links(problem.y, n_pairs, mix, table, repeat)
    for method in methods:
        seed = _seed(table, n_pairs, repeat)
        yield method, clustered(method, problem, constraints, n_pairs, seed)


def _measured(method: str, outcome: FitOutcome, table: str, repeat: int) -> Fields:
    constraints, labels = outcome.constraints, outcome.labels
    accuracy = None if labels is None else free_accuracy(task(table, repeat).y, labels, constraints)
    return {
        "method": method,
        "failed": labels is None,
        "must_links": len(constraints.must_link),
        "cannot_links": len(constraints.cannot_link),
        "cri": accuracy,
    }


def _seen(labels: IntArray, constraints: Constraints, table: str, repeat: int) -> Fields:
    """Return what the clusters look like: broken constraints, outliers, straight borders."""
    report = constraint_satisfaction(constraints, labels)
    fields: Fields = {"violated": sum(kind.violated for kind in report.values())}
    if table not in SYNTHETIC:
        return fields
    if not len(constraints.must_link) + len(constraints.cannot_link):
        return fields | shape(labels, task(table, repeat).vectors)
    return fields | {"outliers": outliers(labels, constraints, neighbours(table, repeat))}


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
