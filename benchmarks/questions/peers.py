"""Strategies of active-semi-supervised-clustering, with the clusterer that goes with them there."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.metrics import adjusted_rand_score

from benchmarks.accuracy.tables import AccuracyTable

PACKAGE = "active-semi-supervised-clustering"
# Their loops in Python: larger tables, or more questions, take minutes.
LIMITS = {"ExploreConsolidate": 600, "MinMax": 350, "NPU": 220}
BUDGETS = (10, 20, 50, 100)


def are_here() -> bool:
    return find_spec("active_semi_clustering") is not None


def ask(
    name: str, data: AccuracyTable, answer: Callable[[int, int], bool], budget: int, seed: int
) -> dict[str, Any]:
    """Return the index of PCK-means after so many answers; a failure counts as chance does."""
    with np.errstate():
        from active_semi_clustering.active import pairwise_constraints as active
        from active_semi_clustering.semi_supervised.pairwise_constraints import PCKMeans

    class PeerOracle(active.ExampleOracle):
        def query(self, first: int, second: int) -> bool:
            return super().query(first, second) is not None and answer(first, second)

    np.random.seed(seed)
    try:
        strategy = getattr(active, name)(
            n_clusters=data.n_classes, clusterer=PCKMeans(data.n_classes)
        )
        strategy.fit(data.X, oracle=PeerOracle(data.y, max_queries_cnt=budget))
        must, cannot = strategy.pairwise_constraints_
        labels = PCKMeans(data.n_classes).fit(data.X, ml=must, cl=cannot).labels_
    except Exception as error:
        return {"ari": 0.0, "failed": type(error).__name__}
    return {"ari": float(adjusted_rand_score(data.y, labels))}
