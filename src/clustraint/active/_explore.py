"""Find every cluster first, then give each of them more samples: explore and consolidate."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from clustraint.active._pair_strategy import Memory, Pairs, PairStrategy
from clustraint.typing import BoolArray, FloatArray, IntArray


class ExploreConsolidate(PairStrategy):
    """A strategy: samples far apart until each cluster is met, then others at random.

    After Basu, Banerjee and Mooney, Active semi-supervision for pairwise constrained clustering,
    SDM 2004. *Explore*: the sample farthest from all that were asked about is compared with each
    neighbourhood, which is a group of samples that belong together; if it belongs to none, it is
    a new one. *Consolidate*: as soon as there are `n_clusters` neighbourhoods, samples drawn at
    random are compared with them, the nearest centre first. The last one is not asked about, since
    a sample that belongs to no other must belong there.

    The nearest member stands for a neighbourhood, where the paper has any.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_samples, n_features)
        The samples.
    n_clusters : int, default=2
        Exploring ends where so many neighbourhoods have been met.
    n_queries : int, default=20
        The maximum number of questions.
    constraints, random_share, max_samples, random_state
        As in `ExpectedChange`.

    Examples
    --------
    >>> from clustraint.active import Session
    >>> X = [[0.0], [1.0], [8.0], [9.0]]
    >>> session = Session("explore-consolidate", X, n_clusters=2, n_queries=3)
    >>> while (query := session.question) is not None:
    ...     answer = session.answer((query.first < 2) == (query.second < 2))
    >>> session.constraints.n_constraints
    3
    """

    def _pairs(self, memory: Memory, rng: np.random.Generator) -> Pairs:
        n_samples = len(self._X)
        visited = memory.is_linked
        if not visited.any():
            visited[rng.integers(n_samples)] = True
        # Squared distances to the nearest sample that was asked about.
        reach = np.min([self._squares(s) for s in np.flatnonzero(visited).tolist()], axis=0)
        while not visited.all() and len(memory.neighbourhoods()) < self.n_clusters:
            sample = int(np.argmax(np.where(visited, -1.0, reach)))
            hoods = memory.neighbourhoods() or [np.flatnonzero(visited)]
            yield from self._place(sample, hoods)
            visited[sample] = True
            reach = np.minimum(reach, self._squares(sample))
        for sample in self._others(visited, reach, rng):
            hoods = memory.neighbourhoods()
            order = np.argsort([self._gap(sample, hood) for hood in hoods], kind="stable")
            # Of all clusters but one it was said that the sample is not there.
            last = len(hoods) - (len(hoods) >= self.n_clusters)
            yield from self._place(sample, [hoods[place] for place in order[: max(last, 1)]])

    def _others(
        self, visited: BoolArray, reach: FloatArray, rng: np.random.Generator
    ) -> Iterator[int]:
        """Yield the samples to place when every cluster has been met."""
        return iter(rng.permutation(np.flatnonzero(~visited)).tolist())

    def _gap(self, sample: int, members: IntArray) -> float:
        """Return how far a sample is from a neighbourhood."""
        return float(((self._X[members].mean(axis=0) - self._X[sample]) ** 2).sum())
