"""Rows about the choice among methods by held-out statements."""

from __future__ import annotations

from typing import Any

from benchmarks.cop_kmeans import N_CLUSTERS
from benchmarks.rows import Contest, Reference, at_most, row


def within(seconds: float, n_samples: int) -> Contest:
    """Return a choice by 60 pairs against the CPU time that it may take."""
    from sklearn.datasets import make_blobs

    import clustraint

    X, y = make_blobs(n_samples, 16, centers=N_CLUSTERS, cluster_std=4.0, random_state=0)
    constraints = clustraint.Constraints.from_labels(y, n_pairs=60, random_state=0)
    kind: Any = getattr(clustraint, "BestClusterer")  # noqa: B009

    def fit() -> Any:
        return kind(N_CLUSTERS, random_state=0).fit(X, constraints=constraints)

    return Contest(fit, Reference(seconds, f"the peer is a budget of {seconds:g} CPU seconds"))


@row("BestClusterer, n=1,000, 60 pairs", at_most(1), peer_name="budget")
def small(quick: bool) -> Contest:
    return within(3.0, 1_000)


@row("BestClusterer, n=20,000, 60 pairs", at_most(1), peer_name="budget")
def large(quick: bool) -> Contest:
    return within(60.0, 2_000 if quick else 20_000)
