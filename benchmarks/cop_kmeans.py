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
    from clustraint.rows.nearest import costs

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


def near_the_limit(n_clusters: int, n_pairs: int, n_features: int, spread: float) -> Contest:
    """Return a fit under true cannot-links in which one after the other ends in a dead end."""
    from sklearn.cluster import KMeans
    from sklearn.datasets import make_blobs

    from clustraint import Constraints, COPKMeans

    X, y = make_blobs(2_000, n_features, centers=n_clusters, cluster_std=spread, random_state=0)
    pairs = np.random.default_rng(0).integers(2_000, size=(3 * n_pairs, 2))
    pairs = pairs[y[pairs[:, 0]] != y[pairs[:, 1]]][:n_pairs]
    constraints = Constraints(2_000, cannot_link=pairs)

    def remark(ours: Any, theirs: Any) -> str:
        assert ours.constraint_report_.all_satisfied
        return f"inertia {ours.inertia_:.4g}, {theirs.inertia_:.4g} without constraints"

    return Contest(
        lambda: COPKMeans(n_clusters, n_init=10, random_state=0).fit(X, constraints=constraints),
        lambda: KMeans(n_clusters, n_init=10, random_state=0).fit(X),
        remark=remark,
    )


def register_limit(n_clusters: int, n_pairs: int, n_features: int, spread: float) -> None:
    name = f"COPKMeans, n=2,000, d={n_features}, k={n_clusters}, {n_pairs:,} cannot-links"

    @row(name, at_most(20), peer_name="scikit-learn KMeans")
    def limit(quick: bool) -> Contest:
        return near_the_limit(n_clusters, n_pairs, n_features, spread)


for limit_case in ((5, 4_000, 2, 3.0), (5, 4_000, 16, 6.0), (10, 12_000, 16, 6.0)):
    register_limit(*limit_case)


def rounds(n_samples: int, n_features: int, n_clusters: int) -> Contest:
    """Return as many rounds without constraints, from the same start, as scikit-learn makes."""
    from sklearn.cluster import KMeans

    from clustraint import COPKMeans

    X = np.random.default_rng(0).normal(size=(n_samples, n_features))
    start: dict[str, Any] = {"init": X[:n_clusters], "n_init": 1, "max_iter": 20, "tol": 0}

    def verify(ours: Any, theirs: Any) -> None:
        assert ours.n_iter_ == theirs.n_iter_

    return Contest(
        lambda: COPKMeans(n_clusters, **start).fit(X),
        lambda: KMeans(n_clusters, **start, algorithm="lloyd").fit(X),
        verify,
    )


def register_rounds(n_samples: int, n_features: int, n_clusters: int) -> None:
    name = f"COPKMeans, 20 rounds, n={n_samples:,}, d={n_features:,}, k={n_clusters}"

    @row(name, at_most(1.3), peer_name="scikit-learn KMeans")
    def many_rounds(quick: bool) -> Contest:
        return rounds(20_000 if quick else n_samples, n_features, n_clusters)


for rounds_case in (
    (20_000, 2, 80),
    (20_000, 16, 10),
    (20_000, 128, 320),
    (20_000, 1_024, 80),
    (320_000, 2, 5),
    (320_000, 16, 80),
    (320_000, 64, 20),
):
    register_rounds(*rounds_case)
