"""One clustering, timed and judged; all compared ways on the same data in the same order."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score

from clustraint import AttributeKMedoids, Constraints, Rule
from clustraint.exceptions import EmptyClusterWarning
from papers._experiment import Parameter, Record, generator_of
from papers._guests import Problem
from papers._timing import timed

# The paper's algorithms, and what AttributeKMedoids does unless told otherwise, with one start and
# with ten.
WAYS: Mapping[str, Mapping[str, Any]] = {
    "paper": {"attach": "first", "init": "random", "overlap": "nearest", "n_init": 1},
    "one start": {"n_init": 1},
    "ten starts": {"n_init": 10},
}


@dataclass(frozen=True)
class RuleTask:
    """Samples, their true clusters, what is known of them, and how many clusters to find."""

    X: Any
    y: NDArray[Any]
    rules: tuple[Rule, ...]
    n_clusters: int

    def shuffled(self, rng: np.random.Generator) -> RuleTask:
        """Return the task with its samples in a random order."""
        order = rng.permutation(len(self.y))
        X = self.X.iloc[order] if hasattr(self.X, "iloc") else self.X[order]
        return RuleTask(X, self.y[order], self.rules, self.n_clusters)


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
    way: str, task: RuleTask, setting: Sequence[Parameter], start: int
) -> list[Fit]:
    """Return the clusterings with and without rules of one order of the samples and one seed.

    Every other time the one without goes first, so that neither always finds the data in the
    processor's cache.
    """
    shuffled, seed = started(task, setting, start)
    both = [task.rules, ()]
    places = (1, 0) if start % 2 else (0, 1)
    estimates = {place: fit(way, shuffled, seed, both[place]) for place in places}
    return [estimates[0], estimates[1]]


def started(task: RuleTask, setting: Sequence[Parameter], start: int) -> tuple[RuleTask, int]:
    """Return a task with its samples in the order of one start, and the seed of that start."""
    rng = generator_of("attribute", *setting, start)
    return task.shuffled(rng), int(rng.integers(2**31))


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


@cache
def warm_up() -> None:
    """Have the kernels compiled before anything is timed."""
    X = np.random.default_rng(0).random((40, 12)) < 0.5
    y = np.zeros(len(X), np.int64)
    for exactly in (False, True):
        rules = (Rule("x0 & x1", exactly=exactly), Rule("x2 & ~x1", exactly=exactly))
        for way in WAYS:
            for problem in (rules, ()):
                fit(way, RuleTask(X, y, rules, 4), 0, problem)
