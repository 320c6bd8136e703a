"""Rows about hierarchical clustering under triplets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.rows import Contest, at_most, row

N_DOCUMENTS, N_TERMS, LABELLED = 2_000, 5_000, 13

# How many topics each of three higher ones has; texts are about topics and higher topics alike.
TOPICS = (3, 2, 3)


def topic_paths() -> list[str]:
    higher = [str(number) for number in range(len(TOPICS))]
    return higher + [
        f"{top}/{low}" for top, n in zip(higher, TOPICS, strict=True) for low in range(n)
    ]


def texts() -> tuple[Any, NDArray[np.int64]]:
    """Return TF-IDF vectors of some 90 terms each, of Zipf's frequencies, and their topics."""
    from scipy.sparse import csr_array
    from sklearn.feature_extraction.text import TfidfTransformer

    rng = np.random.default_rng(0)
    paths = topic_paths()
    topics = np.arange(N_DOCUMENTS) % len(paths)
    common = 1 / (np.arange(N_TERMS) + 20.0)
    tilted = common * rng.lognormal(0, 1, (len(paths), N_TERMS))
    # A topic has half of its words from the one above.
    tilted += tilted[[paths.index(path[0]) for path in paths]]
    odds = (tilted / tilted.sum(axis=1, keepdims=True))[topics]
    counts = [np.bincount(rng.choice(N_TERMS, 110, p=row), minlength=N_TERMS) for row in odds]
    return TfidfTransformer().fit_transform(csr_array(np.array(counts))), topics


def known_of_labelled(topics: NDArray[np.int64]) -> Any:
    """Return all triplets of a few labelled texts of each topic."""
    from clustraint import Constraints, Hierarchy

    paths = topic_paths()
    labelled = np.arange(LABELLED * len(paths))
    hierarchy = Hierarchy.from_paths([paths[topics[text]] for text in labelled])
    return Constraints(len(topics), triplets=labelled[hierarchy.triplets()])


def known_of_all(topics: NDArray[np.int64]) -> Any:
    """Return triplets drawn from all texts, two of one topic and one of another."""
    from clustraint import Constraints

    return Constraints.from_labels(topics, n_triplets=300_000, random_state=0)


def average_linkage(X: Any) -> Any:
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import squareform
    from sklearn.metrics.pairwise import cosine_distances

    return linkage(squareform(cosine_distances(X), checks=False), "average")


def one_run(known_about: Callable[[NDArray[np.int64]], Any]) -> Contest:
    from clustraint import BiHAC

    X, topics = texts()
    constraints = known_about(topics)

    def verify(ours: Any, peer: Any) -> None:
        np.testing.assert_allclose(ours.merge_distances_, peer[:, 2], atol=1e-9)

    def remark(ours: Any, peer: Any) -> str:
        count, terms = ours.history_["n_adaptations"][0], X.nnz // len(topics)
        return f"{len(constraints.triplets):,} triplets, {count} adaptations, {terms} terms a text"

    return Contest(
        lambda: BiHAC(max_iter=1).fit(X, constraints=constraints),
        lambda: average_linkage(X),
        verify,
        remark,
    )


@row(
    "BiHAC, one run, 2,000 texts × 5,000 terms, 300,000 triplets",
    at_most(1.5),
    peer_name="similarities and scipy's average linkage",
)
def labelled_texts(quick: bool) -> Contest:
    return one_run(known_of_labelled)


@row(
    "BiHAC, one run, 2,000 texts × 5,000 terms, 300,000 triplets drawn from all",
    at_most(2.5),
    peer_name="similarities and scipy's average linkage",
)
def drawn_triplets(quick: bool) -> Contest:
    return one_run(known_of_all)


@row(
    "IHAC, 2,000 texts × 5,000 terms, 300,000 triplets",
    at_most(4),
    peer_name="similarities and scipy's average linkage",
)
def enforced(quick: bool) -> Contest:
    from clustraint import IHAC

    X, topics = texts()
    constraints = known_of_labelled(topics)

    def verify(ours: Any, peer: Any) -> None:
        assert ours.constraint_report_.all_satisfied

    return Contest(
        lambda: IHAC().fit(X, constraints=constraints), lambda: average_linkage(X), verify
    )
