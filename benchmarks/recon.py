"""Rows about ReCon."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks.measure import growth
from benchmarks.memory import peak_memory
from benchmarks.rows import Contest, at_most, row

PEER = "fastcluster linkage_vector, centroid"


# Wide blobs overlap so that about one merge in fifty is refused, wider ones one in two.
WIDE = 5.0
WIDER = 8.0


def blobs(n_samples: int, spread: float = 1.0) -> tuple[Any, Any]:
    """Return four classes, and as many random triplets as there are samples."""
    from sklearn.datasets import make_blobs

    from clustraint import Constraints

    X, y = make_blobs(n_samples, 16, centers=4, cluster_std=spread, random_state=0)
    return X, Constraints.from_labels(y, n_triplets=n_samples, random_state=0)


def caterpillar(n_samples: int) -> tuple[Any, Any]:
    """Return blobs, and the informative triplets of a hierarchy that adds one sample a merge."""
    from clustraint import Constraints, Hierarchy

    X, _ = blobs(n_samples)
    steps = np.arange(1, n_samples)
    before = np.concatenate([[0], n_samples + steps[:-1] - 1])
    merges = np.stack([before, steps, steps, steps + 1], axis=1).astype(np.float64)
    triplets = Hierarchy.from_linkage(merges).informative_triplets()
    return X, Constraints(n_samples, triplets=triplets)


def fit(X: Any, constraints: Any, **parameters: Any) -> Any:
    from clustraint import ReCon

    return ReCon(4, **parameters).fit(X, constraints=constraints)


def fit_blobs(n_samples: int) -> Any:
    return fit(*blobs(n_samples))


def contest(X: Any, constraints: Any, **parameters: Any) -> Contest:
    import fastcluster

    def verify(ours: Any, theirs: Any) -> None:
        assert ours.hierarchy_.displays(constraints.triplets).all()

    return Contest(
        lambda: fit(X, constraints, **parameters),
        lambda: fastcluster.linkage_vector(X, "centroid"),
        verify,
    )


@row("ReCon, n=3,000, d=16, 3,000 triplets", at_most(2), peer_name=PEER)
def small(quick: bool) -> Contest:
    return contest(*blobs(1_000 if quick else 3_000))


@row("ReCon, n=3,000, 3,000 triplets, classes that overlap", at_most(2), peer_name=PEER)
def overlapping(quick: bool) -> Contest:
    return contest(*blobs(1_000 if quick else 3_000, WIDE))


def overlapping_more(n_samples: int, quick: bool) -> Contest:
    rows = contest(*blobs(n_samples // 3 if quick else n_samples, WIDER))

    def remark(ours: Any, theirs: Any) -> str:
        sizes = (250, 500, 1_000) if quick else (1_000, 2_000, 4_000)
        return f"{growth(lambda n: fit(*blobs(n, WIDER)), sizes)}; to reach: 2.3"

    return Contest(rows.ours, rows.peer, rows.verify, remark)


for _n_samples in (3_000, 5_000):
    row(
        f"ReCon, n={_n_samples:,}, as many triplets, classes that overlap more",
        at_most(5),
        quick=at_most(10),
        peer_name=PEER,
    )(partial(overlapping_more, _n_samples))


@row("ReCon, n=10,000, 10,000 triplets", at_most(3), peer_name=PEER)
def large(quick: bool) -> Contest:
    n_samples = 2_000 if quick else 10_000
    rows = contest(*blobs(n_samples))

    def remark(ours: Any, theirs: Any) -> str:
        peaks = [peak_memory(fit_blobs, n) for n in (n_samples, n_samples // 4)]
        if peaks[0] is None or peaks[1] is None:
            return "peak memory: not measured on this system"
        return (
            f"peak memory: {peaks[0] / 1e6:.1f} MB, of a quarter of the samples "
            f"{peaks[1] / 1e6:.1f} MB"
        )

    return Contest(rows.ours, rows.peer, rows.verify, remark)


@row("ReCon, n=2,000, a caterpillar's informative triplets", at_most(5), peer_name=PEER)
def deep(quick: bool) -> Contest:
    return contest(*caterpillar(500 if quick else 2_000), cut="last")
