"""Rows about clustering trees."""

from __future__ import annotations

from functools import partial
from typing import Any

from benchmarks.measure import growth as growth_of
from benchmarks.rows import Contest, at_most, row

N_CLASSES = 10
N_PAIRS = 2_000


def overlapping_blobs(n_samples: int, n_pairs: int = N_PAIRS) -> tuple[Any, Any]:
    """Return blobs in 16 dimensions that overlap, and true pairs."""
    from sklearn.datasets import make_blobs

    from clustraint import Constraints

    X, y = make_blobs(n_samples, 16, centers=N_CLASSES, cluster_std=6.0, random_state=0)
    return X, Constraints.from_labels(y, n_pairs=n_pairs, random_state=0)


def fit(X: Any, constraints: Any, **parameters: Any) -> Any:
    from clustraint import ClusteringTree

    return ClusteringTree(N_CLASSES, **parameters).fit(X, constraints=constraints)


PEER = "DecisionTreeRegressor of as many leaves"


def against_a_regression_tree(n_samples: int, n_pairs: int, quick: bool) -> Contest:
    from sklearn.tree import DecisionTreeRegressor

    X, constraints = overlapping_blobs(n_samples, n_pairs)
    n_leaves = fit(X, constraints).tree_.n_leaves
    peer = DecisionTreeRegressor(max_leaf_nodes=n_leaves, min_samples_leaf=2, random_state=0)

    def verify(ours: Any, theirs: Any) -> None:
        assert ours.tree_.n_leaves == theirs.get_n_leaves()

    def remark(ours: Any, theirs: Any) -> str:
        return f"{ours.tree_.n_leaves} leaves; {ours.constraint_report_}"

    return Contest(lambda: fit(X, constraints), lambda: peer.fit(X, X), verify, remark)


for _n_samples, _n_pairs, _most in ((7_494, 2_000, 6), (8_000, 4_000, 6), (8_000, 16_000, 15)):
    row(
        f"ClusteringTree, n={_n_samples:,}, d=16, {_n_pairs:,} pairs",
        at_most(_most),
        peer_name=PEER,
    )(partial(against_a_regression_tree, _n_samples, _n_pairs))


@row("ClusteringTree, rules of 2,000 leaves", at_most(5), peer_name="ours, 500 leaves")
def rules(quick: bool) -> Contest:
    from clustraint import ClusteringTree

    X, _ = overlapping_blobs(8_000)
    sizes = tuple(n // 4 if quick else n for n in (500, 1_000, 2_000))
    # Without constraints every leaf is a cluster.
    models = {n: ClusteringTree(n).fit(X) for n in sizes}

    def describe(n_leaves: int) -> Any:
        # Kept from when they were last asked for.
        models[n_leaves].__dict__.pop("rules_", None)
        return models[n_leaves].rules_

    def remark(ours: Any, theirs: Any) -> str:
        return growth_of(describe, sizes)

    return Contest(lambda: describe(sizes[-1]), lambda: describe(sizes[0]), None, remark)


@row(
    "ClusteringTree, n=75,000, 2,000 pairs, 50 leaves",
    at_most(13),
    peer_name="ours, n=7,500",
)
def growth(quick: bool) -> Contest:
    large, small = (overlapping_blobs(n_samples) for n_samples in (75_000, 7_500))

    def verify(ours: Any, theirs: Any) -> None:
        assert ours.tree_.n_leaves == theirs.tree_.n_leaves == 50

    return Contest(lambda: fit(*large, max_leaves=50), lambda: fit(*small, max_leaves=50), verify)


@row(
    "ClusteringTree, a refinement of iris under 400 pairs",
    at_most(3),
    peer_name="ours under 50 pairs",
)
def refinements(quick: bool) -> Contest:
    from sklearn.datasets import load_iris

    from clustraint import ClusteringTree, Constraints

    X, y = load_iris(return_X_y=True)
    many, few = (Constraints.from_labels(y, n_pairs=n, random_state=0) for n in (400, 50))

    def fits(constraints: Any, n_times: int) -> Any:
        for _ in range(n_times):
            model = ClusteringTree(3).fit(X, constraints=constraints)
        return model

    # Each side makes as many refinements in all.
    n_many, n_few = (len(fits(constraints, 1).history_) for constraints in (many, few))

    def remark(ours: Any, theirs: Any) -> str:
        n_links = len(many.closure().must_link) + len(many.closure().cannot_link)
        return f"closure of {n_links:,} links; {n_many} and {n_few} refinements"

    return Contest(lambda: fits(many, 10 * n_few), lambda: fits(few, 10 * n_many), None, remark)
