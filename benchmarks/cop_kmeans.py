"""Rows about constrained k-means."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.another_package import peer_class
from benchmarks.rows import Contest, at_least, at_most, row

N_CLUSTERS = 10


def blobs_and_pairs(n_samples: int, spread: float = 1.0) -> tuple[NDArray[np.float64], Any]:
    """Return blobs in 16 dimensions, and 1,000 true pairs, half of each kind."""
    from sklearn.datasets import make_blobs

    from clustraint import Constraints

    X, y = make_blobs(
        n_samples, n_features=16, centers=N_CLUSTERS, cluster_std=spread, random_state=0
    )
    drawn = Constraints.from_labels(y, n_pairs=20_000, random_state=0)
    return X, drawn.take(must_link=np.arange(500), cannot_link=np.arange(500))


def fit(X: NDArray[np.float64], constraints: Any, **parameters: Any) -> Any:
    from clustraint import COPKMeans

    model = COPKMeans(N_CLUSTERS, n_init=1, random_state=0, **parameters)
    return model.fit(X, constraints=constraints)


def against_kmeans(n_samples: int) -> Contest:
    from sklearn.cluster import KMeans

    X, constraints = blobs_and_pairs(n_samples)

    def verify(ours: Any, peer: Any) -> None:
        assert ours.constraint_report_.all_satisfied

    return Contest(
        lambda: fit(X, constraints),
        lambda: KMeans(N_CLUSTERS, n_init=1, random_state=0).fit(X),
        verify,
    )


@row("COPKMeans, n=5,000, 1,000 pairs", at_most(5), peer_name="scikit-learn KMeans")
def small(quick: bool) -> Contest:
    return against_kmeans(5_000)


@row("COPKMeans, n=20,000, 1,000 pairs", at_most(4), peer_name="scikit-learn KMeans")
def large(quick: bool) -> Contest:
    return against_kmeans(20_000)


@row(
    "COPKMeans, n=5,000, 1,000 pairs, another package",
    at_least(300),
    peer_name="active-semi-supervised-clustering",
)
def another_package(quick: bool) -> Contest:
    from clustraint.evaluation import constraint_satisfaction

    X, constraints = blobs_and_pairs(1_000 if quick else 5_000)
    must_link, cannot_link = (
        [tuple(pair) for pair in pairs.tolist()]
        for pairs in (constraints.must_link, constraints.cannot_link)
    )

    def peer() -> Any:
        # From start 0 it ends with an empty cluster, and an error, on the smaller input.
        np.random.seed(1)
        return peer_class("COPKMeans")(N_CLUSTERS).fit(X, ml=must_link, cl=cannot_link)

    def remark(ours: Any, theirs: Any) -> str:
        violated = constraint_satisfaction(constraints, theirs.labels_).violated.n_constraints
        assert ours.constraint_report_.all_satisfied
        return f"violated constraints: ours 0, theirs {violated}"

    return Contest(lambda: fit(X, constraints), peer, remark=remark)


def against_one_solve(n_samples: int, spread: float) -> Contest:
    """Return a whole exact fit against one program of its largest piece, as it stands."""
    from scipy.optimize import Bounds, milp

    from clustraint.cluster._exact_assignment import AssignmentProgram, CannotLinkGraph
    from clustraint.cluster._lloyd import costs

    X, constraints = blobs_and_pairs(n_samples, spread)
    components = constraints.components
    graph = CannotLinkGraph.from_pairs(components.n_components, components.cannot_link)
    pieces = graph.pieces()
    nodes = np.flatnonzero(pieces == np.bincount(pieces).argmax())
    program = AssignmentProgram(nodes, graph.induced(nodes), N_CLUSTERS)
    means = np.stack([X[components.labels == node].mean(axis=0) for node in nodes])
    rng = np.random.default_rng(0)
    objective = costs(means, X[rng.choice(len(X), N_CLUSTERS, replace=False)])
    objective = objective - objective.min(axis=1, keepdims=True)

    def peer() -> Any:
        return milp(
            objective.ravel(),
            integrality=np.ones(objective.size),
            bounds=Bounds(0, 1),
            constraints=program.constraint,
        )

    def remark(ours: Any, theirs: Any) -> str:
        assert ours.constraint_report_.all_satisfied
        assert theirs.success
        return f"largest piece: {len(nodes)} components, {len(program.left)} cannot-links"

    return Contest(lambda: fit(X, constraints, assignment="exact"), peer, remark=remark)


@row("COPKMeans exact, n=1,000, 1,000 pairs", at_most(20), peer_name="one HiGHS solve")
def exact(quick: bool) -> Contest:
    return against_one_solve(1_000, spread=1.0)


@row(
    "COPKMeans exact, n=1,000, 1,000 pairs, overlapping blobs",
    at_most(20),
    peer_name="one HiGHS solve",
)
def exact_overlapping(quick: bool) -> Contest:
    return against_one_solve(1_000, spread=6.0)
