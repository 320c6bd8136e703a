"""Explore, then always the sample that is least like those that were asked about."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from clustraint.active._explore import ExploreConsolidate
from clustraint.typing import BoolArray, FloatArray, IntArray


class MinMax(ExploreConsolidate):
    """A strategy: explore, then the sample whose greatest likeness to any other is least.

    After Mallapragada, Jin and Jain, Active query selection for semi-supervised clustering, ICPR
    2008. It begins as `ExploreConsolidate`. After that, the next sample is the one of which least
    is known: its likeness to the most similar sample that was asked about is the smallest. Their
    kernel falls with the distance, so that this is the sample farthest from all of them.

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
    >>> session = Session("min-max", [[0.0], [1.0], [8.0], [9.0]], n_clusters=2, n_queries=3)
    >>> session.question.distance
    9.0
    """

    def _others(
        self, visited: BoolArray, reach: FloatArray, rng: np.random.Generator
    ) -> Iterator[int]:
        while not visited.all():
            sample = int(np.argmax(np.where(visited, -1.0, reach)))
            yield sample
            visited[sample] = True
            # Squared distance to the nearest sample that was asked about: updated, never computed
            # anew.
            reach = np.minimum(reach, self._squares(sample))

    def _gap(self, sample: int, members: IntArray) -> float:
        return float(self._squares(sample)[members].min())
