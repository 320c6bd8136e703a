"""Rows about scores: each counts, so that ten times the samples cost little more than ten times."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.rows import Call, Contest, at_most, row

SMALL, LARGE = 2_000, 20_000
N_CLASSES = 20
TEN_TIMES = at_most(25)


def growing(prepare: Callable[[int], Call]) -> Contest:
    """Return a score of many samples against itself on few."""
    return Contest(prepare(LARGE), prepare(SMALL))


def labellings(n_samples: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return classes, and clusters that have most of them right."""
    rng = np.random.default_rng(0)
    classes = rng.integers(N_CLASSES, size=n_samples)
    return classes, np.where(rng.random(n_samples) < 0.7, classes, rng.integers(N_CLASSES))


def drawn_pairs(classes: NDArray[np.int64]) -> Any:
    """Return half as many true pairs as samples."""
    from clustraint import Constraints

    return Constraints.from_labels(classes, n_pairs=len(classes) // 2, random_state=0)


def taxonomy(n_samples: int) -> Any:
    """Return samples in 20 topics below 5 higher ones."""
    from clustraint import Hierarchy

    return Hierarchy.from_paths([f"{i % 5}/{i % N_CLASSES}" for i in range(n_samples)])


def dendrogram(n_samples: int, seed: int = 0) -> Any:
    """Return a tree of two clusters merged at a time, drawn at random: about log n deep."""
    from clustraint import Hierarchy

    rng = np.random.default_rng(seed)
    clusters, parents = list(range(n_samples)), [-1] * (2 * n_samples - 1)
    for merged in range(n_samples, 2 * n_samples - 1):
        for place in rng.integers([len(clusters), len(clusters) - 1]):
            clusters[place], clusters[-1] = clusters[-1], clusters[place]
            parents[clusters.pop()] = merged
        clusters.append(merged)
    return Hierarchy(parents)


def caterpillar(n_samples: int) -> Any:
    """Return a tree as deep as can be: one sample after the other joins those before."""
    from clustraint import Hierarchy

    inner = np.arange(n_samples, 2 * n_samples - 1)
    return Hierarchy(np.concatenate([inner[:1], inner, inner[1:], [-1]]))


def pair_f_call(n_samples: int) -> Call:
    from clustraint.evaluation import pairwise_f_score

    classes, clusters = labellings(n_samples)
    return lambda: pairwise_f_score(classes, clusters)


def constrained_rand_call(n_samples: int) -> Call:
    from clustraint import Constraints
    from clustraint.evaluation import constrained_rand_score

    classes, clusters = labellings(n_samples)
    drawn = drawn_pairs(classes)

    def score() -> float:
        # Anew for each call: constraints remember their components.
        constraints = Constraints(n_samples, drawn.must_link, drawn.cannot_link)
        return constrained_rand_score(classes, clusters, constraints)

    return score


def cross_validated_call(n_samples: int) -> Call:
    from sklearn.base import BaseEstimator

    from clustraint.evaluation import cross_validated_rand

    class Answers(BaseEstimator):
        """Knows the clusters already, so that only the score takes time."""

        def fit_predict(self, X: Any, y: Any = None, *, constraints: Any = None) -> Any:
            return X[:, 0]

    classes, clusters = labellings(n_samples)
    X = clusters[:, np.newaxis]
    return lambda: cross_validated_rand(
        Answers(), X, classes, n_pairs=n_samples // 2, random_state=0
    )


def informativeness_call(n_samples: int) -> Call:
    from sklearn.base import BaseEstimator

    from clustraint.evaluation import informativeness

    class Answers(BaseEstimator):
        """Knows the clusters already, so that only the score takes time."""

        def fit_predict(self, X: Any, y: Any = None) -> Any:
            return X[:, 0]

    classes, clusters = labellings(n_samples)
    constraints = drawn_pairs(classes)
    X = clusters[:, np.newaxis]
    return lambda: informativeness(Answers(), X, constraints)


def coherence_call(n_samples: int) -> Call:
    """Return the score of 1,000 pairs: it is quadratic in these, not in the samples."""
    from clustraint import Constraints
    from clustraint.evaluation import coherence

    classes, _ = labellings(n_samples)
    constraints = Constraints.from_labels(classes, n_pairs=1_000, random_state=0)
    X = np.random.default_rng(0).normal(size=(n_samples, 16))
    return lambda: coherence(X, constraints)


def h_correlation_call(true: Callable[[int], Any]) -> Callable[[int], Call]:
    from clustraint.evaluation import h_correlation

    def prepare(n_samples: int) -> Call:
        true_hierarchy, tree = true(n_samples), dendrogram(n_samples)
        return lambda: h_correlation(true_hierarchy, tree)

    return prepare


def hierarchy_f_call(n_samples: int) -> Call:
    from clustraint.evaluation import hierarchy_f_score

    true_hierarchy, tree = taxonomy(n_samples), dendrogram(n_samples)
    return lambda: hierarchy_f_score(true_hierarchy, tree)


CALLS: dict[str, Callable[[int], Call]] = {
    "pairwise_f_score": pair_f_call,
    "constrained_rand_score": constrained_rand_call,
    "cross_validated_rand": cross_validated_call,
    "informativeness": informativeness_call,
    "coherence": coherence_call,
    "hierarchy_f_score": hierarchy_f_call,
}


def register(name: str, call: Callable[[int], Call]) -> None:
    @row(f"{name}, n=2,000 -> 20,000", TEN_TIMES, peer_name="ours, n=2,000")
    def growth(quick: bool) -> Contest:
        return growing(call)


for name, call in CALLS.items():
    register(name, call)


@row("h_correlation, n=2,000 -> 20,000", TEN_TIMES, peer_name="ours, n=2,000")
def topics(quick: bool) -> Contest:
    return growing(h_correlation_call(taxonomy))


@row("h_correlation, n=2,000 -> 20,000, two dendrograms", TEN_TIMES, peer_name="ours, n=2,000")
def dendrograms(quick: bool) -> Contest:
    return growing(h_correlation_call(lambda n_samples: dendrogram(n_samples, seed=1)))


@row("h_correlation, n=2,000 -> 20,000, caterpillar", TEN_TIMES, peer_name="ours, n=2,000")
def caterpillars(quick: bool) -> Contest:
    return growing(h_correlation_call(caterpillar))


@row(
    "pairwise_f_score, n=20,000",
    at_most(1.5),
    peer_name="scikit-learn pair_confusion_matrix",
)
def pair_f(quick: bool) -> Contest:
    from sklearn.metrics.cluster import pair_confusion_matrix

    classes, clusters = labellings(LARGE)

    def verify(ours: float, theirs: NDArray[np.int64]) -> None:
        right, wrong = theirs[1, 1], theirs[0, 1] + theirs[1, 0]
        assert abs(ours - 2 * right / (2 * right + wrong)) < 1e-12

    return Contest(pair_f_call(LARGE), lambda: pair_confusion_matrix(classes, clusters), verify)
