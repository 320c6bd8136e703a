"""Pairs drawn at random, as often from one cluster as from two."""

from __future__ import annotations

from itertools import cycle
from typing import Any

import numpy as np
from sklearn.cluster import KMeans

from clustraint.active._pair_strategy import N_DRAWS, Memory, Pairs, PairStrategy
from clustraint.typing import IntArray


class BalancedPairs(PairStrategy):
    """A strategy: random pairs, in turn from one cluster and from two clusters of k-means.

    The questions of other strategies are difficult for one model, so that answers to them say
    little about which of several clusterings is right, and mislead whoever chooses by them. These
    questions depend on no answer and on no model: clusters that keep the answers are likely to be
    right about other pairs as well. Of pairs drawn at random from all, hardly any would be in one
    class if there are many; hence every other pair is drawn from one cluster of k-means.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_samples, n_features)
        The samples.
    n_clusters : int, default=2
        The number of clusters.
    n_queries : int, default=20
        The maximum number of questions.
    constraints, random_share, max_samples, random_state
        As in `ExpectedChange`.

    Examples
    --------
    >>> from clustraint.active import Session
    >>> X = [[0.0], [1.0], [8.0], [9.0]]
    >>> session = Session("balanced", X, n_clusters=2, n_queries=2)
    >>> session.question.distance
    1.0
    >>> answer = session.answer("yes")
    >>> session.question.distance > 6
    True
    """

    def __init__(self, X: Any, n_clusters: int = 2, n_queries: int = 20, **options: Any) -> None:
        super().__init__(X, n_clusters, n_queries, **options)
        n_distinct = len(np.unique(self._X, axis=0))
        model = KMeans(min(self.n_clusters, n_distinct), n_init=5, random_state=self._seed % 2**32)
        self._labels: IntArray = model.fit_predict(self._X)

    def _pairs(self, memory: Memory, rng: np.random.Generator) -> Pairs:
        for together in cycle((True, False)):
            pair = self._draw(memory, rng, together) or self._draw(memory, rng, not together)
            if pair is None:
                return
            yield pair

    def _draw(
        self, memory: Memory, rng: np.random.Generator, together: bool
    ) -> tuple[int, int] | None:
        """Return a pair from one cluster or from two that nothing entails; None if that is rare."""
        for _ in range(N_DRAWS):
            sample = int(rng.integers(len(self._X)))
            others = np.flatnonzero((self._labels == self._labels[sample]) == together)
            other = int(rng.choice(others)) if len(others) else sample
            if other != sample and memory.recall((sample, other)) is None:
                return sample, other
        return None
