"""Rows about the studio: from a link that a person draws to the clusters that follow from it."""

from __future__ import annotations

import time
from itertools import count
from typing import Any

from benchmarks.cop_kmeans import N_CLUSTERS
from benchmarks.rows import Contest, at_most, row
from benchmarks.sessions import budget


def link_to_labels(n_samples: int, method: str) -> Any:
    """Return a call that says that two samples belong together and waits for the clusters."""
    from sklearn.datasets import make_blobs

    from clustraint.studio import widget

    X, y = make_blobs(n_samples, 16, centers=N_CLUSTERS, cluster_std=4.0, random_state=0)
    studio = widget(X, n_clusters=N_CLUSTERS).studio
    number = count()

    def say(kind: str, body: dict[str, Any]) -> None:
        studio.say(f"benchmark {next(number)}", None, kind, body)
        studio.settle().result()

    say("method", {"method": method})
    while studio.compiling:
        time.sleep(0.05)
    rows = {label: iter((y == label).nonzero()[0].tolist()) for label in range(N_CLUSTERS)}

    def link() -> None:
        own = rows[next(number) % N_CLUSTERS]
        say("together", {"rows": [next(own), next(own)]})

    return link


@row("studio, n=10,000, link to labels by k-means", at_most(1), peer_name="budget")
def by_k_means(quick: bool) -> Contest:
    return Contest(link_to_labels(1_000 if quick else 10_000, "cop-kmeans"), budget(0.1))


@row("studio, n=100,000, link to labels by representatives", at_most(1), peer_name="budget")
def by_representatives(quick: bool) -> Contest:
    return Contest(link_to_labels(3_000 if quick else 100_000, "auto"), budget(0.5))
