"""Groups of near samples that are split where answers differ, and joined by answers."""

from __future__ import annotations

import warnings
from collections.abc import Generator
from itertools import combinations

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from clustraint.active._pair_strategy import Memory, Pairs, PairStrategy
from clustraint.active._protocol import Pair, Word
from clustraint.typing import IntArray

# Smaller ones are not split further while the number of parts is looked for.
LEAST_SPLIT = 3


class SuperInstance:
    """Near samples that are taken to belong together, and the one that stands for them."""

    def __init__(self, samples: IntArray, medoid: int) -> None:
        self.samples = samples
        self.medoid = medoid


class SuperInstances(PairStrategy):
    """A strategy: split the largest group of near samples, and ask how its parts go together.

    After Van Craenendonck, Dumančić, Van Wolputte and Blockeel, COBRAS: interactive clustering with
    pairwise queries, IDA 2018. All samples are one super-instance at first. The largest one is
    split: into as many parts as it takes, judged by halving it and asking whether the medoids of
    the halves belong together, until they do. Then clusters, which are super-instances that belong
    together, are compared, the nearest first, until every two have been compared. The number of
    clusters follows from the answers, and shapes need not be round.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_samples, n_features)
        The samples.
    n_clusters : int, default=2
        Not used: the number of clusters follows from the answers.
    n_queries : int, default=20
        The maximum number of questions.
    constraints, random_share, max_samples, random_state
        As in `ExpectedChange`.

    Examples
    --------
    >>> from clustraint.active import Session
    >>> X = [[0.0], [1.0], [8.0], [9.0]]
    >>> session = Session("super-instances", X, n_queries=5)
    >>> while (query := session.question) is not None:
    ...     answer = session.answer((query.first < 2) == (query.second < 2))
    >>> session.constraints.component_labels
    array([0, 0, 1, 1])
    """

    def _pairs(self, memory: Memory, rng: np.random.Generator) -> Pairs:
        clusters = [[self._super_instance(np.arange(len(self._X)))]]
        # Clusters are lists of super-instances that answers have joined; a split takes one
        # super-instance apart, and its parts are clusters of their own until they are compared.
        while True:
            place, largest = max(
                ((place, each) for place, cluster in enumerate(clusters) for each in cluster),
                key=lambda pair: len(pair[1].samples),
            )
            n_parts = yield from self._n_parts(largest, rng)
            parts = self._split(largest, n_parts, rng)
            # Equal samples cannot be split: here the questions end.
            if len(parts) == 1:
                return
            clusters[place] = [each for each in clusters[place] if each is not largest]
            clusters = [cluster for cluster in clusters if cluster] + [[part] for part in parts]
            clusters = yield from self._merge(clusters)

    def _n_parts(
        self, whole: SuperInstance, rng: np.random.Generator
    ) -> Generator[tuple[int, int], Word | None, int]:
        """Ask into how many parts a super-instance is to be split."""
        level, part = 0, whole
        # Each "no" doubles the parts; one half is drawn to go on with, as asking about all of them
        # would cost as many questions as parts.
        while len(halves := self._split(part, 2, rng)) == 2:
            if (yield halves[0].medoid, halves[1].medoid) == "yes":
                break
            level += 1
            large = [each for each in halves if len(each.samples) >= LEAST_SPLIT]
            if not large:
                break
            part = large[rng.integers(len(large))]
        return int(min(2 ** max(level, 1), len(whole.samples)))

    def _merge(
        self, clusters: list[list[SuperInstance]]
    ) -> Generator[tuple[int, int], Word | None, list[list[SuperInstance]]]:
        """Ask about clusters, the nearest first, until every two have been compared."""
        compared: set[Pair] = set()
        while True:
            pairs = []
            for low, high in combinations(range(len(clusters)), 2):
                first, second = (
                    np.array([each.medoid for each in clusters[place]]) for place in (low, high)
                )
                gaps = ((self._X[first][:, np.newaxis] - self._X[second]) ** 2).sum(axis=2)
                a, b = np.unravel_index(np.argmin(gaps), gaps.shape)
                medoids = int(first[a]), int(second[b])
                if frozenset(medoids) not in compared:
                    pairs.append((float(gaps[a, b]), low, high, medoids))
            if not pairs:
                return clusters
            _, low, high, medoids = min(pairs)
            compared.add(frozenset(medoids))
            if (yield medoids) == "yes":
                joined = clusters[low] + clusters[high]
                clusters = [c for p, c in enumerate(clusters) if p not in (low, high)] + [joined]

    def _super_instance(self, samples: IntArray) -> SuperInstance:
        gaps = ((self._X[samples] - self._X[samples].mean(axis=0)) ** 2).sum(axis=1)
        return SuperInstance(samples, int(samples[np.argmin(gaps)]))

    def _split(
        self, whole: SuperInstance, n_parts: int, rng: np.random.Generator
    ) -> list[SuperInstance]:
        """Split by k-means; equal samples stay together, so that there may be fewer parts."""
        seed, n_parts = int(rng.integers(2**31)), min(n_parts, len(whole.samples))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = KMeans(n_parts, n_init=1, random_state=seed)
            labels = model.fit_predict(self._X[whole.samples])
        return [self._super_instance(whole.samples[labels == each]) for each in np.unique(labels)]
