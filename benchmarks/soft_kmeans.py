"""Rows about k-means that pays for violated pairs."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.cop_kmeans import N_CLUSTERS, blobs_and_pairs
from benchmarks.rows import Contest, at_least, at_most, row


def fit(name: str, X: Any, constraints: Any) -> Any:
    import clustraint

    kind = getattr(clustraint, name)
    return kind(N_CLUSTERS, n_init=1, random_state=0).fit(X, constraints=constraints)


def against_another_package(name: str, n_samples: int) -> Contest:
    """Return one start of ours against the peer's."""
    from active_semi_clustering.semi_supervised import pairwise_constraints

    # Importing the peer makes numpy raise on every rounding to 0.
    np.seterr(all="warn", under="ignore")
    X, constraints = blobs_and_pairs(n_samples)
    must_link, cannot_link = (
        [tuple(pair) for pair in pairs.tolist()]
        for pairs in (constraints.must_link, constraints.cannot_link)
    )

    def peer() -> Any:
        np.random.seed(0)
        return getattr(pairwise_constraints, name)(N_CLUSTERS).fit(X, ml=must_link, cl=cannot_link)

    def remark(ours: Any, theirs: Any) -> str:
        from clustraint.evaluation import constraint_satisfaction

        violated = constraint_satisfaction(constraints, theirs.labels_).violated.n_constraints
        mine = ours.constraint_report_.violated.n_constraints
        return f"violated constraints: ours {mine}, theirs {violated}"

    return Contest(lambda: fit(name, X, constraints), peer, remark=remark)


@row(
    "PCKMeans, n=5,000, 1,000 pairs",
    at_least(100),
    peer_name="active-semi-supervised-clustering",
)
def pck_means(quick: bool) -> Contest:
    return against_another_package("PCKMeans", 1_000 if quick else 5_000)


@row(
    "MPCKMeans, n=500, 1,000 pairs",
    at_least(200),
    peer_name="active-semi-supervised-clustering",
)
def mpck_means(quick: bool) -> Contest:
    return against_another_package("MPCKMeans", 200 if quick else 500)


@row("PCKMeans, n=20,000, 1,000 pairs", at_most(4), peer_name="scikit-learn KMeans")
def against_k_means(quick: bool) -> Contest:
    from sklearn.cluster import KMeans

    X, constraints = blobs_and_pairs(20_000)
    return Contest(
        lambda: fit("PCKMeans", X, constraints),
        lambda: KMeans(N_CLUSTERS, n_init=1, random_state=0).fit(X),
    )
