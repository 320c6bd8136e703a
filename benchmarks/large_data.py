"""Rows about data beyond memory, and about representatives."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.rows import Contest, Reference, at_most, row

N_CLUSTERS, N_ROUNDS = 8, 5


def blobs(n_rows: int) -> tuple[Any, Any, Any, Any]:
    """Return rows in 16 dimensions, first centres, pairs of one row in a hundred, and classes."""
    from clustraint import Constraints

    rng = np.random.default_rng(0)
    centers = rng.normal(size=(N_CLUSTERS, 16)) * 3
    y = rng.integers(N_CLUSTERS, size=n_rows)
    X = (centers[y] + rng.normal(size=(n_rows, 16))).astype(np.float32)
    constraints = Constraints.from_labels(y, n_pairs=n_rows // 100, random_state=0)
    return X, X[:N_CLUSTERS].astype(np.float64), constraints, y


def rounds(X: Any, init: Any, constraints: Any) -> Any:
    from clustraint import COPKMeans

    model = COPKMeans(N_CLUSTERS, init=init, max_iter=N_ROUNDS, tol=0, random_state=0)
    return model.fit(X, constraints=constraints)


@row(
    "COP-k-means on dask, 10,000,000 rows, 100,000 pairs, 5 rounds",
    at_most(1.25),
    peer_name="dask-ml KMeans without pairs, on the same scheduler",
    peer_limit=900,
)
def on_dask(quick: bool) -> Contest:
    import dask
    import dask.array as da
    from dask_ml.cluster import KMeans

    X, init, constraints, _ = blobs(100_000 if quick else 10_000_000)
    # One thread and no messages on either side: what is compared is the work on chunks. Both take
    # five rounds, ours in 9 passes over the chunks, the peer in 12.
    dask.config.set(scheduler="synchronous")
    chunks = da.from_array(X, chunks=(len(X) // 40, 16))

    def ours() -> Any:
        model = rounds(chunks, init, constraints)
        assert model.constraint_report_.all_satisfied
        return model

    def peer(rows: Any = chunks) -> Any:
        start = init.astype(np.float32)
        return KMeans(N_CLUSTERS, init=start, max_iter=N_ROUNDS, tol=0).fit(rows)

    # It compiles some ten seconds in each process, which is no part of a round: the processes
    # that it is measured in are copies of this one.
    peer(da.from_array(X[:1000], chunks=(500, 16)))
    return Contest(ours, peer)


@row(
    "COP-k-means from disk, 10,000,000 rows, 100,000 pairs, 5 rounds",
    at_most(1.1),
    peer_name="the same in memory",
)
def from_disk(quick: bool) -> Contest:
    from clustraint import Rows

    X, init, constraints, _ = blobs(100_000 if quick else 10_000_000)
    path = Path(tempfile.mkdtemp()) / "rows.npy"
    np.save(path, X)

    def verify(ours: Any, peer: Any) -> None:
        np.testing.assert_allclose(ours.cluster_centers_, peer.cluster_centers_, rtol=1e-5)
        np.testing.assert_array_equal(ours.labels_, peer.labels_)

    return Contest(
        lambda: rounds(Rows.read(path), init, constraints),
        lambda: rounds(X, init, constraints),
        verify,
    )


@row("check of 100,000,000 streamed pairs", at_most(1), peer_name="target")
def streamed_check(quick: bool) -> Contest:
    from clustraint.constraints import check_pairs

    count = 10**6 if quick else 10**8

    class RandomPairs:
        """Pairs that are made when they are asked for, so that none is kept."""

        def chunks(self) -> Any:
            rng = np.random.default_rng(0)
            for _ in range(20):
                yield rng.integers(0, count, (count // 20, 2))

    return Contest(lambda: check_pairs(count, RandomPairs()), Reference(30.0, "the target"))


@row(
    "Coarse complete link, 1,000,000 rows, 200 pairs",
    at_most(2),
    peer_name="MiniBatchKMeans and AgglomerativeClustering on 2,000 centres",
)
def coarse(quick: bool) -> Contest:
    from sklearn.cluster import AgglomerativeClustering, MiniBatchKMeans
    from sklearn.metrics import adjusted_rand_score

    from clustraint import Coarse, ConstrainedCompleteLinkage, Constraints

    X, _, _, blob = blobs(50_000 if quick else 1_000_000)
    y = blob % 4
    count = 500 if quick else 2000
    constraints = Constraints.from_labels(y, n_pairs=200, random_state=0)
    model = Coarse(ConstrainedCompleteLinkage(4), count, random_state=0)

    def peer() -> Any:
        small = MiniBatchKMeans(count, n_init=1, random_state=0).fit(X)
        tops = AgglomerativeClustering(4, linkage="complete").fit(small.cluster_centers_)
        return tops.labels_[small.labels_]

    def remark(ours: Any, theirs: Any) -> str:
        scores = [adjusted_rand_score(y, labels) for labels in (ours.labels_, theirs)]
        return "adjusted Rand index {:.2f} with pairs, {:.2f} without".format(*scores)

    return Contest(lambda: model.fit(X, constraints=constraints), peer, remark=remark)
