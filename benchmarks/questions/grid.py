"""Which strategies are run, who answers, and what one run gives."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from itertools import pairwise
from typing import Any

import numpy as np
from sklearn.metrics import adjusted_rand_score

from benchmarks.accuracy.tables import AccuracyTable, table
from benchmarks.questions import peers
from clustraint import Constraints
from clustraint.active import STRATEGIES, Session, SessionProgress
from clustraint.active import share_changed as changed

BUDGETS = (10, 20, 50, 100, 200)
# Answers after which clusters are looked at, for the progress of a session.
STEP = 10
GRIDS: dict[str, tuple[float, ...]] = {
    "quick": (0.0, 0.1),
    "short": (0.0, 0.1),
    "default": (0.0, 0.1),
    "full": (0.0, 0.05, 0.1),
}
SEEDS = {"quick": 1, "short": 1, "default": 3, "full": 10}
QUICK_TABLES = ("animals", "iris", "wine")
# Klein's strategy begins elsewhere if more questions are allowed: every budget is a run.
BY_BUDGET = ("klein",)


@dataclass(frozen=True)
class Asked:
    """A strategy that is run; tables of more samples than `limit` would take a peer minutes."""

    name: str
    package: str
    limit: int | None = None


OURS = "clustraint"
ASKED = {
    each.name: each
    for each in (
        *(Asked(name, OURS) for name in STRATEGIES),
        *(Asked(name, peers.PACKAGE, limit) for name, limit in peers.LIMITS.items()),
    )
}


def is_here(asked: Asked) -> bool:
    """Tell whether the package of a strategy is installed."""
    return asked.package == OURS or peers.are_here()


class Oracle:
    """Somebody who knows the classes and is wrong now and then, about a pair always alike."""

    def __init__(self, data: AccuracyTable, wrong: float, seed: int) -> None:
        self._classes = data.y
        self._wrong = wrong
        self._seed = seed

    def __call__(self, first: int, second: int) -> bool:
        low, high = sorted((int(first), int(second)))
        is_wrong = np.random.default_rng([self._seed, low, high]).random() < self._wrong
        return bool(self._classes[low] == self._classes[high]) != is_wrong


def cells(
    names: Iterable[str], strategy: str, shares: Iterable[float], n_seeds: int, estimator: str
) -> Iterator[dict[str, Any]]:
    """Yield the parameters of all cells of a strategy."""
    tables, wrongs = list(names), list(shares)
    for seed in range(n_seeds):
        for wrong in wrongs:
            for name in tables:
                parameters = {"table": name, "strategy": strategy, "seed": seed, "wrong": wrong}
                yield parameters | {"estimator": estimator}


def run(
    *, table: str, strategy: str, seed: int, wrong: float, estimator: str
) -> list[dict[str, Any]]:
    """Return a record for each budget, or none where a table is too large for a peer."""
    data, asked = _table(table), ASKED[strategy]
    if asked.limit is not None and len(data.y) > asked.limit:
        return []
    oracle = Oracle(data, wrong, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if asked.package != OURS:
            return [
                {"answers": budget, **peers.ask(strategy, data, oracle, budget, seed)}
                for budget in peers.BUDGETS
            ]
        final = _estimator(estimator, data, seed)
        plain = {"answers": 0, "ari": _index(data, final, Constraints(len(data.y)))}
        if strategy in BY_BUDGET:
            sessions = (_ask(strategy, data, oracle, budget, final, seed) for budget in BUDGETS)
            return [plain, *(records[-1] for records in sessions)]
        return [plain, *_ask(strategy, data, oracle, max(BUDGETS), final, seed)]


def _ask(
    strategy: str, data: AccuracyTable, oracle: Oracle, n_queries: int, final: Any, seed: int
) -> list[dict[str, Any]]:
    """Answer all questions; look at the clusters now and then.

    The mixture says what each `STEP` answers change, as it does where people answer; `final`
    clusters after those numbers of answers that are shown.
    """
    model = _estimator("ConstrainedMixture", data, seed)
    options: dict[str, Any] = {} if strategy in BY_BUDGET else {"random_state": seed}
    start = time.process_time()
    session = Session(
        strategy, data.X, n_clusters=data.n_classes, n_queries=n_queries, estimator=model, **options
    )
    first = time.process_time() - start
    labels = [model.fit(data.X).labels_]
    indices: dict[int, float] = {}
    waits: list[float] = []
    steps = [n for n in range(STEP, n_queries + 1, STEP) if strategy not in BY_BUDGET]
    for n_answers in steps or [n_queries]:
        while (query := session.question) is not None and len(session.answers) < n_answers:
            start = time.process_time()
            session.answer(oracle(query.first, query.second))
            waits.append(time.process_time() - start)
        labels.append(model.fit(data.X, constraints=session.constraints).labels_)
        if n_answers in BUDGETS:
            indices[n_answers] = _index(data, final, session.constraints)
    changes = [changed(before, after) for before, after in pairwise(labels)]
    wait = float(np.median(waits)) if waits else None
    return [
        {
            "answers": n_answers,
            "ari": indices.get(n_answers),
            "first": first,
            "next": wait,
            "changed": changes[place],
            "expected": SessionProgress.after(STEP, changes[place - 2 : place][::-1]).expected
            if place >= 2
            else None,
        }
        for place, n_answers in enumerate(steps or [n_queries])
    ]


def _index(data: AccuracyTable, model: Any, constraints: Constraints) -> float:
    labels = model.fit(data.X, constraints=constraints).labels_
    return float(adjusted_rand_score(data.y, labels))


def _estimator(name: str, data: AccuracyTable, seed: int) -> Any:
    return getattr(import_module("clustraint"), name)(data.n_classes, random_state=seed)


@cache
def _table(name: str) -> AccuracyTable:
    return table(name)
