"""Rows about k-medoids under rules."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.rows import Contest, at_most, row
from clustraint.typing import BoolArray


def fasterpam(X: BoolArray, n_clusters: int, seed: int) -> Any:
    """Return what FasterPAM finds, its distance matrix included."""
    import kmedoids

    ones = X.astype(np.float32)
    sums = ones.sum(axis=1)
    distances = sums[:, np.newaxis] + sums - 2 * ones @ ones.T
    return kmedoids.fasterpam(distances, n_clusters, random_state=seed, n_cpu=1)


def against_fasterpam(quick: bool, n_init: int) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """Return our fit and FasterPAM's, with its distance matrix."""
    from clustraint import AttributeKMedoids
    from clustraint.datasets import make_rule_clusters

    n_samples, n_attributes = (1_000, 200) if quick else (4_000, 1_000)
    X = make_rule_clusters(n_samples, 10, n_attributes, n_constrained=0, random_state=0).X

    def ours() -> Any:
        return AttributeKMedoids(10, n_init=n_init, random_state=0).fit(X)

    return ours, lambda: fasterpam(X, 10, seed=0)


@row(
    "AttributeKMedoids, n=4,000, A=1,000, k=10, one start",
    at_most(0.1),
    peer_name="FasterPAM",
)
def one_start(quick: bool) -> Contest:
    return Contest(*against_fasterpam(quick, n_init=1))


@row(
    "AttributeKMedoids, n=4,000, A=1,000, k=10, n_init=10",
    at_most(0.5),
    peer_name="FasterPAM",
)
def ten_starts(quick: bool) -> Contest:
    def remark(model: Any, theirs: Any) -> str:
        assert model.inertia_ <= 1.02 * theirs.loss
        return f"loss {model.inertia_:,} beside FasterPAM's {theirs.loss:,.0f}"

    return Contest(*against_fasterpam(quick, n_init=10), remark=remark)


@row(
    "AttributeKMedoids, n=1,000,000, A=100, k=20, 4 rules",
    at_most(1.3),
    peer_name="10 × n=100,000",
)
def large(quick: bool) -> Contest:
    from clustraint import AttributeKMedoids, Constraints
    from clustraint.datasets import make_rule_clusters

    n_samples = 100_000 if quick else 1_000_000
    X, _, rules = make_rule_clusters(n_samples, random_state=0)

    def fit(n_rows: int) -> Any:
        # Two rounds on either side, so that times per row compare.
        model = AttributeKMedoids(20, n_init=1, max_iter=2, random_state=0)
        return model.fit(X[:n_rows], constraints=Constraints(n_rows, rules=rules))

    def remark(model: Any, small: Any) -> str:
        assert model.n_iter_ == small.n_iter_ == 2
        assert model.constraint_report_.all_satisfied
        tracemalloc.start()
        fit(n_samples)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        packed = n_samples * 100 / 8
        assert peak <= 3 * packed
        return f"memory {peak / packed:.2g}× the packed data"

    def small_fits() -> Any:
        models = [fit(n_samples // 10) for _ in range(10)]
        return models[0]

    return Contest(lambda: fit(n_samples), small_fits, remark=remark)
