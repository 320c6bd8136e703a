"""Rows about agglomeration: the core alone, complete link under constraints, and questions."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.memory import peak_memory
from benchmarks.rows import Contest, at_most, row
from clustraint.typing import FloatArray

CODES = {"complete": 1, "average": 2}


def blobs(n_samples: int) -> tuple[FloatArray, NDArray[np.int64]]:
    from sklearn.datasets import make_blobs

    X, y = make_blobs(n_samples, n_features=16, centers=10, random_state=0)
    return X, y


def core(X: FloatArray, linkage: str) -> Any:
    """Return the linkage matrix by our core, from the samples on."""
    from clustraint.kernels import agglomeration, centroids
    from clustraint.kernels.merges import linkage_of_merges
    from clustraint.kernels.single_link import single_link
    from clustraint.metric.distances import distance_triangle

    if linkage == "centroid":
        columns = np.array(X.T, order="C")
        merges, squares = centroids.agglomerate(columns, agglomeration.CENTROID)
        return linkage_of_merges(merges, np.sqrt(squares))
    if linkage == "single":
        return linkage_of_merges(*single_link(np.array(X.T, order="C")))
    distances, _ = distance_triangle(X, "euclidean", None)
    merges, heights = agglomeration.agglomerate(distances, len(X), CODES[linkage])
    return linkage_of_merges(merges, heights)


def fastcluster(X: FloatArray, linkage: str) -> Any:
    """Return the linkage matrix by what a user of fastcluster would call."""
    import fastcluster

    # What needs no matrix of distances, where there is such.
    if linkage in ("centroid", "single"):
        return fastcluster.linkage_vector(X, linkage)
    return fastcluster.linkage(X, linkage)


def same_merges(ours: Any, theirs: Any) -> None:
    np.testing.assert_array_equal(ours[:, [0, 1, 3]], theirs[:, [0, 1, 3]])
    np.testing.assert_allclose(ours[:, 2], theirs[:, 2])


def against_fastcluster(linkage: str, n_samples: int, quick: bool) -> Contest:
    X, _ = blobs(n_samples // 5 if quick else n_samples)
    return Contest(partial(core, X, linkage), partial(fastcluster, X, linkage), same_merges)


TARGETS = {"complete": 1.3, "average": 1.3, "centroid": 1.3, "single": 1.2}
for _linkage, _target in TARGETS.items():
    for _n_samples in (5_000, 10_000):
        row(
            f"core, {_linkage} link, n={_n_samples:,}, d=16",
            at_most(_target),
            quick=at_most(1.5),
            peer_name="fastcluster",
        )(partial(against_fastcluster, _linkage, _n_samples))


def known_of_blobs(y: NDArray[np.int64]) -> Any:
    """Return 100 must-link groups of 3, and 1,000 cannot-links."""
    from clustraint import Constraints

    rng = np.random.default_rng(0)
    groups = [rng.choice(np.flatnonzero(y == k % 10), 3, replace=False) for k in range(100)]
    drawn = Constraints.from_labels(y, n_pairs=2_000, random_state=0)
    must_link = [pair for a, b, c in groups for pair in ((a, b), (b, c))]
    return Constraints(len(y), must_link=must_link, cannot_link=drawn.cannot_link[:1_000])


def constrained(n_samples: int) -> Any:
    from clustraint import ConstrainedCompleteLinkage

    X, y = blobs(n_samples)
    return ConstrainedCompleteLinkage(10).fit(X, constraints=known_of_blobs(y))


def unconstrained_peer(n_samples: int) -> Any:
    return fastcluster(blobs(n_samples)[0], "complete")


@row(
    "ConstrainedCompleteLinkage, n=10,000, 100 must-link groups, 1,000 cannot-links",
    at_most(2),
    peer_name="fastcluster complete",
)
def complete_linkage(quick: bool) -> Contest:
    from clustraint import ConstrainedCompleteLinkage

    n_samples = 2_000 if quick else 10_000
    X, y = blobs(n_samples)
    constraints = known_of_blobs(y)

    def remark(ours: Any, theirs: Any) -> str:
        assert ours.constraint_report_.all_satisfied
        peaks = [peak_memory(call, n_samples) for call in (constrained, unconstrained_peer)]
        if peaks[0] is None or peaks[1] is None:
            return "peak memory: not measured on this system"
        return (
            f"peak memory: ours {peaks[0] / 1e6:.0f} MB, theirs {peaks[1] / 1e6:.0f} MB, "
            f"{peaks[0] / peaks[1]:.2f}× (to reach: ≤ 1.2×)"
        )

    return Contest(
        lambda: ConstrainedCompleteLinkage(10).fit(X, constraints=constraints),
        lambda: fastcluster(X, "complete"),
        remark=remark,
    )


def known_pairs(y: NDArray[np.int64], n_pairs: int) -> Any:
    """Return pairs of a class, no sample in two of them: as many must-link components."""
    from clustraint import Constraints

    rng = np.random.default_rng(0)
    members = [rng.permutation(np.flatnonzero(y == k)) for k in range(10)]
    pairs = [members[k % 10][2 * (k // 10) :][:2] for k in range(n_pairs)]
    return Constraints(len(y), must_link=np.array(pairs))


@row(
    "ConstrainedCompleteLinkage, n=4,000, 1,000 must-link components",
    at_most(1.8),
    quick=at_most(3),
    peer_name="fastcluster complete",
)
def many_components(quick: bool) -> Contest:
    from clustraint import ConstrainedCompleteLinkage

    X, y = blobs(2_000 if quick else 4_000)
    constraints = known_pairs(y, len(y) // 4)
    return Contest(
        lambda: ConstrainedCompleteLinkage(10).fit(X, constraints=constraints),
        lambda: fastcluster(X, "complete"),
    )


def asked_throughout(n_samples: int, quick: bool) -> Contest:
    from clustraint import ActiveCompleteLinkage, ConstrainedCompleteLinkage

    X, y = blobs(n_samples)
    classes = y % 5

    def ours() -> Any:
        model = ActiveCompleteLinkage(5, n_queries=60)
        return model.fit(X, oracle=lambda first, second: classes[first] == classes[second])

    return Contest(ours, lambda: ConstrainedCompleteLinkage(5).fit(X))


for _n_samples in (1_000, 2_000):
    row(
        f"ActiveCompleteLinkage, n={_n_samples:,}, all of 60 questions",
        at_most(3),
        quick=at_most(3),
        peer_name="one plain complete link",
    )(partial(asked_throughout, _n_samples))


@row(
    "ActiveCompleteLinkage, n=5,000, the question after 30 of 60 answers",
    at_most(2),
    peer_name="one plain complete link",
)
def next_query(quick: bool) -> Contest:
    from clustraint import ActiveCompleteLinkage, ConstrainedCompleteLinkage

    X, y = blobs(1_000 if quick else 5_000)
    classes = y % 5
    model = ActiveCompleteLinkage(5, n_queries=60)
    model.fit(X, oracle=lambda first, second: classes[first] == classes[second])
    answers = model.queries_[:30]

    def remark(ours: Any, theirs: Any) -> str:
        return f"{len(model.queries_)} questions in all, asked of {len(X):,} samples"

    return Contest(
        lambda: model.next_query(X, answers),
        lambda: ConstrainedCompleteLinkage(5).fit(X),
        remark=remark,
    )
