"""Cells on data drawn as the paper's: rules or none, and rules against must-links."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, partial
from itertools import pairwise
from typing import Any

import numpy as np
from sklearn.metrics import adjusted_rand_score

from clustraint import Constraints, COPKMeans, Rule
from clustraint.datasets import make_rule_clusters
from clustraint.typing import IntArray
from papers._experiment import Parameter, generator_of
from papers._guests import Problem
from papers._timing import timed
from papers.attribute.fits import (
    RuleTask,
    fit,
    problem,
    started,
    summary,
    warm_up,
    with_and_without,
)
from papers.attribute.grids import DEFAULTS, N_CLUSTERS

Records = list[dict[str, Parameter]]

# How often each way clusters a data set anew; the last already keeps the best of ten.
STARTS = {"paper": 10, "one start": 10, "ten starts": 1}
# Numbers of must-links beside all that the rules stand for: none, as many as there are rules, as
# many as there are literals, and four times that.
PAIR_COUNTS = (0, 4, 16, 64)
PAIR_STARTS = 3


# What names a data set, in the order in which its starts are drawn.
SETTING = ("kind", "n_attributes", "n_rules", "n_literals", "n_samples", "dataset")


def draw(
    *,
    kind: str,
    n_attributes: int,
    n_rules: int,
    n_literals: int,
    n_samples: int,
    dataset: int,
    n_clusters: int = N_CLUSTERS,
) -> RuleTask:
    """Return a data set of the paper's generator; rules about empty clusters are left out."""
    rng = generator_of("data", kind, n_attributes, n_rules, n_literals, n_samples, dataset)
    drawn = make_rule_clusters(
        n_samples,
        n_clusters,
        n_attributes,
        n_literals,
        n_rules,
        exactly=kind == "exactly",
        random_state=rng,
    )
    rules = tuple(rule for rule in drawn.rules if rule.scope(drawn.X).any())
    return RuleTask(drawn.X, drawn.y, rules, n_clusters)


def run_generated(
    *,
    kind: str,
    n_attributes: int,
    n_rules: int,
    n_literals: int,
    n_samples: int,
    dataset: int,
    n_clusters: int = N_CLUSTERS,
) -> Records:
    """Cluster one data set in each way, with its rules and without."""
    warm_up()
    setting: tuple[Parameter, ...] = (kind, n_attributes, n_rules, n_literals, n_samples, dataset)
    task = draw(
        kind=kind,
        n_attributes=n_attributes,
        n_rules=n_rules,
        n_literals=n_literals,
        n_samples=n_samples,
        dataset=dataset,
        n_clusters=n_clusters,
    )
    return [record for way in STARTS for record in _both(way, task, setting)]


def problems(**setting: Any) -> Iterator[Problem]:
    """Yield the data set of a cell with its rules, in the order of the first start."""
    task, seed = started(draw(**setting), tuple(setting[name] for name in SETTING), 0)
    yield problem(task, task.rules, seed, {"ruled": True, "rules": len(task.rules)})


def _both(way: str, task: RuleTask, setting: Sequence[Parameter]) -> Records:
    fits = [with_and_without(way, task, setting, start) for start in range(STARTS[way])]
    return [
        {"way": way, "ruled": ruled, "rules": len(task.rules), **summary(fitted)}
        for ruled, fitted in zip((True, False), zip(*fits, strict=True), strict=True)
    ]


def run_costs(*, n_samples: int, dataset: int) -> Records:
    """Compare rules with must-links, which say the same of samples instead of attributes."""
    warm_up()
    _warm_up_pairs()
    setting = {**DEFAULTS, "n_samples": n_samples, "kind": "together", "dataset": dataset}
    task = draw(**setting)  # type: ignore[arg-type]
    scopes = [np.flatnonzero(rule.scope(task.X)) for rule in task.rules]
    needed = costs_of(scopes, n_samples)
    chains = np.array([pair for scope in scopes for pair in pairwise(scope)], np.int64)
    records = [{**record, **needed} for record in _by_rules(task, n_samples, dataset)]
    for count in (*PAIR_COUNTS, len(chains)):
        rng = generator_of("pairs", n_samples, dataset, count)
        pairs = chains if count == len(chains) else random_pairs(scopes, count, rng)
        records.append({**_by_pairs(task, pairs, (n_samples, dataset)), **needed})
    return records


def costs_of(scopes: Sequence[IntArray], n_samples: int) -> dict[str, Parameter]:
    """Return what must be specified, and what must be checked, to say the same as the rules.

    A spanning tree of must-links holds a scope together; an `exactly` rule takes a cannot-link
    from it to each sample in no scope as well, and one to each other scope.
    """
    sizes = [len(scope) for scope in scopes]
    links = sum(size - 1 for size in sizes)
    apart = len(sizes) * (n_samples - sum(sizes)) + len(sizes) * (len(sizes) - 1) // 2
    return {
        "links_needed": links,
        "links_needed_exactly": links + apart,
        "pairs_induced": sum(size * (size - 1) // 2 for size in sizes),
        "scope_checks": len(sizes) * n_samples,
    }


def random_pairs(scopes: Sequence[IntArray], count: int, rng: np.random.Generator) -> IntArray:
    """Return pairs of samples, each from a random scope of two or more."""
    usable = [scope for scope in scopes if len(scope) > 1]
    drawn = [
        rng.choice(usable[int(rng.integers(len(usable)))], 2, replace=False) for _ in range(count)
    ]
    return np.array(drawn, np.int64).reshape(-1, 2)


def _by_rules(task: RuleTask, n_samples: int, dataset: int) -> Records:
    setting: tuple[Parameter, ...] = ("costs", n_samples, dataset)
    fits = [with_and_without("paper", task, setting, start) for start in range(STARTS["paper"])]
    ruled, free = (summary(fitted) for fitted in zip(*fits, strict=True))
    return [
        {"by": "rules", "n_constraints": len(task.rules), **ruled},
        {"by": "rules", "n_constraints": 0, **free},
    ]


def _by_pairs(
    task: RuleTask, pairs: IntArray, setting: Sequence[Parameter]
) -> dict[str, Parameter]:
    """Return what COP-k-means finds with must-links, the mean of a few starts."""
    constraints = Constraints(len(task.y), must_link=pairs)
    X = task.X.astype(np.float64)
    indices, seconds = [], []
    for start in range(PAIR_STARTS):
        seed = int(generator_of("cop", *setting, start).integers(2**31))
        model = COPKMeans(task.n_clusters, n_init=1, random_state=seed)
        seconds.append(timed(partial(model.fit, X, constraints=constraints))[1])
        indices.append(adjusted_rand_score(task.y, model.labels_))
    return {
        "by": "must-links",
        "n_constraints": len(pairs),
        "ari": float(np.mean(indices)),
        "fit_seconds": float(np.mean(seconds)),
        "starts": PAIR_STARTS,
    }


@cache
def _warm_up_pairs() -> None:
    X = np.random.default_rng(0).random((40, 12)) < 0.5
    task = RuleTask(X, np.zeros(len(X), np.int64), (Rule("x0"),), 3)
    for pairs in (np.empty((0, 2), np.int64), np.array([[0, 1], [1, 2]])):
        _by_pairs(task, pairs, ("warm",))
    fit("paper", task, 0, task.rules)
