"""One clustering, timed and judged; all compared ways on the same data in the same order."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from sklearn.metrics import adjusted_rand_score

from clustraint import AttributeKMedoids, Constraints, COPKMeans, Rule
from clustraint.exceptions import EmptyClusterWarning
from clustraint.typing import IntArray
from papers._experiment import Parameter, Record, generator_of
from papers._guests import Problem
from papers._timing import timed
from papers.attribute.data import RuleTask

# The paper's algorithms, and what AttributeKMedoids does unless told otherwise.
WAYS: Mapping[str, Mapping[str, Any]] = {
    "paper": {"attach": "first", "init": "random", "overlap": "nearest", "n_init": 1},
    "ten starts": {"n_init": 10},
}
# How often each way clusters a data set anew; the second already keeps the best of ten.
STARTS = {"paper": 10, "ten starts": 1}
PAIR_STARTS = 3


@dataclass(frozen=True)
class Fit:
    """What came of one clustering: rounds, CPU seconds, and how many rules it violates."""

    ari: float
    rounds: int
    seconds: float
    violated: int


def fit(way: str, task: RuleTask, seed: int, rules: Sequence[Rule] = ()) -> Fit:
    """Cluster once; the time is that of `fit` alone."""
    model = AttributeKMedoids(task.n_clusters, random_state=seed, **WAYS[way])
    constraints = Constraints(len(task.y), rules=rules)
    with warnings.catch_warnings():
        # Few samples may be fewer different ones than clusters, which is no mistake here.
        warnings.simplefilter("ignore", EmptyClusterWarning)
        _, seconds = timed(lambda: model.fit(task.X, constraints=constraints))
    broken = sum(report.violated for report in model.constraint_report_.values())
    ari = float(adjusted_rand_score(task.y, model.labels_))
    return Fit(ari, model.n_iter_, seconds, broken)


def problem(
    task: RuleTask, rules: Sequence[Rule], seed: int, fields: Mapping[str, Parameter]
) -> Problem:
    """Return what a method that is not the paper's is given."""

    def score(model: Any) -> Record:
        return {"ari": float(adjusted_rand_score(task.y, model.labels_))}

    constraints = Constraints(len(task.y), rules=rules)
    return Problem(task.X, constraints, task.n_clusters, seed, score, fields)


def with_and_without(
    way: str, task: RuleTask, setting: Sequence[Parameter]
) -> list[dict[str, Parameter]]:
    """Return what a way makes of a task with its rules and without, as means over its starts.

    Both have the same orders of samples and the same seeds. Every other time the one without
    goes first, so that neither always finds the data in the processor's cache.
    """
    fits: dict[bool, list[Fit]] = {True: [], False: []}
    for start in range(STARTS[way]):
        shuffled, seed = task.started("attribute", *setting, start)
        for ruled in (False, True) if start % 2 else (True, False):
            fits[ruled].append(fit(way, shuffled, seed, task.rules if ruled else ()))
    return [
        {"way": way, "ruled": ruled, "rules": len(task.rules), **summary(fits[ruled])}
        for ruled in (True, False)
    ]


def summary(fits: Sequence[Fit]) -> dict[str, Parameter]:
    """Return the means over the starts, the spread of the index, and all violations."""
    indices = [each.ari for each in fits]
    return {
        "ari": float(np.mean(indices)),
        "ari_lowest": min(indices),
        "ari_highest": max(indices),
        "rounds": float(np.mean([each.rounds for each in fits])),
        "fit_seconds": float(np.mean([each.seconds for each in fits])),
        "violated": sum(each.violated for each in fits),
        "starts": len(fits),
    }


def by_pairs(task: RuleTask, pairs: IntArray, setting: Sequence[Parameter]) -> dict[str, Parameter]:
    """Return what COP-k-means finds with must-links, the mean of a few starts."""
    constraints = Constraints(len(task.y), must_link=pairs)
    X = task.X.astype(np.float64)
    indices = []
    for start in range(PAIR_STARTS):
        seed = int(generator_of("cop", *setting, start).integers(2**31))
        model = COPKMeans(task.n_clusters, n_init=1, random_state=seed)
        indices.append(adjusted_rand_score(task.y, model.fit(X, constraints=constraints).labels_))
    return {
        "by": "must-links",
        "n_constraints": len(pairs),
        "ari": float(np.mean(indices)),
        "starts": PAIR_STARTS,
    }


@cache
def warm_up() -> None:
    """Have the kernels compiled before anything is timed."""
    X = np.random.default_rng(0).random((40, 12)) < 0.5
    for exactly in (False, True):
        rules = (Rule("x0 & x1", exactly=exactly), Rule("x2 & ~x1", exactly=exactly))
        task = RuleTask(X, np.zeros(len(X), np.int64), rules, 4)
        for way in WAYS:
            fit(way, task, 0, rules)
            fit(way, task, 0)
