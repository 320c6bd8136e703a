"""Which conditions are run, and what one of them gives."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import adjusted_rand_score, average_precision_score

from benchmarks.accuracy import tables
from benchmarks.accuracy.knowledge import FIVE_PERCENT, Knowledge, knowledge
from benchmarks.accuracy.methods import METHODS

N_BINS = 10


class Condition(NamedTuple):
    """How much is said, of which kind, and what share of it is wrong."""

    kind: str
    budget: int | str
    wrong: float = 0.0


NOTHING_SAID = Condition("pairs", 0)
BUDGETS: tuple[int | str, ...] = (20, 60, 120, FIVE_PERCENT)
OTHER_KINDS = (
    Condition("triplets", 60),
    Condition("triplets", 60, 0.1),
    *(Condition("labels", budget) for budget in (1, 3, 5)),
    Condition("labels", 3, 0.1),
    Condition("rules", 3),
    Condition("rules", 5, 0.2),
    Condition("mixture", 60),
    Condition("mixture", 60, 0.1),
)
GRIDS: dict[str, tuple[Condition, ...]] = {
    "quick": (
        NOTHING_SAID,
        Condition("pairs", 60),
        Condition("pairs", 60, 0.1),
        Condition("labels", 3),
        Condition("mixture", 60),
    ),
    "short": (
        NOTHING_SAID,
        *(Condition("pairs", budget, wrong) for budget in (60, 120, 20) for wrong in (0.0, 0.1)),
    ),
    "default": (
        NOTHING_SAID,
        *(Condition("pairs", budget, wrong) for wrong in (0.0, 0.1) for budget in BUDGETS),
        Condition("pairs", 120, 0.2),
        *OTHER_KINDS,
    ),
    "full": (
        NOTHING_SAID,
        *(
            Condition("pairs", budget, wrong)
            for wrong in (0.0, 0.05, 0.1, 0.2)
            for budget in BUDGETS
        ),
        *OTHER_KINDS,
        *(Condition("triplets", 120, wrong) for wrong in (0.0, 0.1)),
        *(Condition("labels", budget, wrong) for budget in (2, 4) for wrong in (0.0, 0.1)),
        *(Condition("labels", budget, 0.1) for budget in (1, 5)),
        Condition("rules", 5),
        *(Condition("mixture", 120, wrong) for wrong in (0.0, 0.1)),
    ),
}
SEEDS = {"quick": 1, "short": 1, "default": 5, "full": 10}
QUICK_TABLES = ("animals", "iris", "wine")


def cells(
    tables: Iterable[str], methods: Sequence[str], conditions: Iterable[Condition], n_seeds: int
) -> Iterator[dict[str, Any]]:
    """Yield the parameters of all cells; seeds come first, so that half a run is a whole table."""
    names, wanted = list(tables), list(conditions)
    for seed in range(n_seeds):
        for condition in wanted:
            for name in names:
                for method in methods:
                    if _is_run(method, condition):
                        yield {"table": name, "method": method, "seed": seed, **condition._asdict()}


def _is_run(name: str, condition: Condition) -> bool:
    method = METHODS[name]
    if condition == NOTHING_SAID:
        # With nothing to go by, most methods are some plain method; from labels alone none is.
        return method.is_plain or (method.limit is None and bool(method.takes - {"labels"}))
    return method.takes_part(condition.kind)


def run(
    *, table: str, method: str, seed: int, kind: str, budget: int | str, wrong: float
) -> list[dict[str, Any]]:
    """Return what a method comes to: one record, or none where the table is not for it."""
    data = tables.table(table)
    chosen = METHODS[method]
    if kind == "rules" and not data.binary:
        return []
    if chosen.limit is not None and len(data.y) > chosen.limit:
        return []
    statements = knowledge(table, kind, budget, wrong, seed)
    start = time.process_time()
    try:
        model = chosen.fit(data, statements, seed)
    except Exception as error:  # a method that fails is a result, too
        reason = f"{type(error).__name__}: {error}"[:200]
        return [{"failed": reason, "seconds": time.process_time() - start}]
    seconds = time.process_time() - start
    return [
        {
            "seconds": seconds,
            **scores(data.y, np.asarray(model.labels_), statements),
            **doubts(model, statements),
        }
    ]


def scores(truth: Any, labels: Any, statements: Knowledge) -> dict[str, float]:
    """Return the adjusted Rand index of all samples, and of those that nobody spoke of."""
    free = ~statements.touched
    return {
        "ari": adjusted_rand_score(truth, labels),
        "free": adjusted_rand_score(truth[free], labels[free]) if free.any() else float("nan"),
    }


def doubts(model: Any, statements: Knowledge) -> dict[str, Any]:
    """Return how well doubts about pairs find the wrong ones, and how well they are calibrated."""
    values = getattr(model, "doubt_", None)
    if not values or not statements.wrong or not set(statements.wrong) & set(values):
        return {}
    kinds = [kind for kind in statements.wrong if kind in values]
    doubt = np.concatenate([np.asarray(values[kind]) for kind in kinds])
    wrong = np.concatenate([statements.wrong[kind] for kind in kinds])
    if doubt.shape != wrong.shape or not wrong.any():
        return {}
    bins = np.minimum((doubt * N_BINS).astype(int), N_BINS - 1)
    counts = [
        (
            int((bins == each).sum()),
            float(doubt[bins == each].sum()),
            int(wrong[bins == each].sum()),
        )
        for each in range(N_BINS)
    ]
    return {"precision": average_precision_score(wrong, doubt), "bins": json.dumps(counts)}
