"""Cells on tables of animals: all sets of six rules."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np

from clustraint import Rule
from papers._data import dataset
from papers._experiment import Parameter, generator_of
from papers._guests import Problem
from papers.attribute.fits import RuleTask, fit, problem, warm_up

# Section IV.C.5 of the paper, rules 1 to 6, with its 4Legs and 6Legs as the columns are called.
ZOO_RULES = (
    "milk",
    "feathers",
    "fins & eggs",
    "legs_4 & toothed & eggs",
    "legs_6 & breathes",
    "~backbone & ~breathes",
)
# The same about the animals that come with clustraint, among them squids, which have fins.
OWN_RULES = (
    "milk",
    "feathers",
    "fins & eggs & backbone",
    "legs == 4 & toothed & eggs",
    "legs == 6 & breathes",
    "~backbone & ~breathes",
)
RULES = {"zoo-binary": ZOO_RULES, "animals": OWN_RULES}
WAYS_HERE = ("paper", "ten starts")


def rule_sets() -> Iterator[str]:
    """Yield the sets of rules by their numbers, from "" to "123456"."""
    numbers = range(1, len(ZOO_RULES) + 1)
    for size in range(len(ZOO_RULES) + 1):
        for chosen in combinations(numbers, size):
            yield "".join(map(str, chosen))


@cache
def animals(table: str) -> tuple[Any, Any, int]:
    """Return the nominal columns of a table, the classes, and how many there are."""
    from pandas import DataFrame

    data = dataset(table)
    X = DataFrame(data.X, columns=list(data.feature_names))
    binary = [name for name in X if X[name].isin((0, 1)).all() or name == "legs"]
    return X[binary].astype(np.int64), np.asarray(data.y), len(set(data.y))


def run_animals(*, table: str, kind: str, repeat: int) -> list[dict[str, Parameter]]:
    """Cluster the animals, in a random order, with each set of rules and in each way."""
    warm_up()
    task, seed = _shuffled(table, kind, repeat)
    return [_record(way, task, seed, chosen) for way in WAYS_HERE for chosen in rule_sets()]


def animal_problems(*, table: str, kind: str, repeat: int) -> Iterator[Problem]:
    """Yield the animals in the same order with each set of rules."""
    task, seed = _shuffled(table, kind, repeat)
    for chosen in rule_sets():
        fields: dict[str, Parameter] = {"rule_set": chosen, "n_rules": len(chosen)}
        yield problem(task, _rules(task, chosen), seed, fields)


def _shuffled(table: str, kind: str, repeat: int) -> tuple[RuleTask, int]:
    X, y, n_clusters = animals(table)
    rules = [Rule(text, exactly=kind == "exactly") for text in RULES[table]]
    rng = generator_of("animals", table, repeat)
    task = RuleTask(X, y, tuple(rules), n_clusters).shuffled(rng)
    return task, int(rng.integers(2**31))


def _rules(task: RuleTask, chosen: str) -> list[Rule]:
    return [task.rules[int(number) - 1] for number in chosen]


def _record(way: str, task: RuleTask, seed: int, chosen: str) -> dict[str, Parameter]:
    fitted = fit(way, task, seed, _rules(task, chosen))
    return {
        "way": way,
        "rule_set": chosen,
        "n_rules": len(chosen),
        "ari": fitted.ari,
        "rounds": fitted.rounds,
        "fit_seconds": fitted.seconds,
        "violated": fitted.violated,
    }
