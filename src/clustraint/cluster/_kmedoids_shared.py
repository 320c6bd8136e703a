"""How many attribute values the medoids of two clusters may share."""

from __future__ import annotations

from functools import reduce
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clustraint.exceptions import NoFeasibleClusteringError
from clustraint.kernels.kmedoids import Table, distances
from clustraint.typing import BoolArray, IntArray

# Medoids that are tried before the search for a start is given up.
MOST_TRIED = 20_000


class SharedValues(NamedTuple):
    """Bounds on the number of columns in which any two medoids agree."""

    at_least: int
    at_most: int
    n_columns: int

    def admissible(self, table: Table, medoid: int) -> BoolArray:
        """Return which samples may be the medoids of other clusters beside one."""
        away = np.empty(len(table.words), np.int32)
        words = table.words[[medoid]]
        distances(table, words, np.zeros(len(away), np.int32), away)
        shared = self.n_columns - away
        return np.asarray((self.at_least <= shared) & (shared <= self.at_most))

    def start(
        self, table: Table, candidates: list[BoolArray], rng: np.random.Generator
    ) -> IntArray:
        """Return random medoids, one of each set of candidates, any two within the bounds.

        A search goes back where no candidate is left for a cluster, so that it fails only where
        there are no such medoids, or where it has tried very many.

        Raises
        ------
        NoFeasibleClusteringError
            If none were found.
        """
        order = rng.permutation(len(table.words))
        medoids: list[int] = []
        left = [list(candidates)]  # by depth, the candidates of each cluster beside those chosen
        queues = [order[candidates[0][order]].tolist()]
        n_tried = 0
        while len(medoids) < len(candidates):
            if not queues[-1] or n_tried == MOST_TRIED:
                queues.pop()
                if not queues or n_tried == MOST_TRIED:
                    raise self._impossible(len(candidates), is_proven=n_tried < MOST_TRIED)
                left.pop()
                medoids.pop()
                continue
            n_tried += 1
            medoid = queues[-1].pop()
            place = len(medoids)
            may = self._beside(table, medoid)
            narrowed = [each & may if at > place else each for at, each in enumerate(left[-1])]
            if not all(each.any() for each in narrowed[place + 1 :]):
                continue
            medoids.append(medoid)
            if len(medoids) < len(candidates):
                left.append(narrowed)
                queues.append(order[narrowed[place + 1][order]].tolist())
        return np.array(medoids, np.int64)

    def _impossible(self, n_clusters: int, *, is_proven: bool) -> NoFeasibleClusteringError:
        bounds = f"at least {self.at_least} and at most {self.at_most} of {self.n_columns} values"
        if is_proven:
            problem = f"no {n_clusters} samples that may be medoids share, two by two, {bounds}"
        else:
            problem = f"no {n_clusters} medoids that share, two by two, {bounds} were found"
        return NoFeasibleClusteringError(
            f"{problem}; widen min_shared and max_shared, or ask for fewer clusters."
        )

    def move(
        self,
        table: Table,
        labels: NDArray[np.int32],
        agreement: IntArray,
        medoids: IntArray,
    ) -> bool:
        """Make the best admissible member the medoid of each cluster, one after the other.

        Each stays within the bounds beside all others, so that they hold at any time. The present
        medoid stays on ties, then the lowest row wins. Returns whether any has changed.
        """
        changed = False
        beside = [self._beside(table, int(medoid)) for medoid in medoids]
        for cluster in range(len(medoids)):
            others = (each for at, each in enumerate(beside) if at != cluster)
            members = np.flatnonzero(reduce(np.logical_and, others, labels == cluster))
            if not len(members):
                continue
            best = members[agreement[members] == agreement[members].max()]
            if medoids[cluster] not in best:
                medoids[cluster] = best[0]
                beside[cluster] = self._beside(table, int(best[0]))
                changed = True
        return changed

    def _beside(self, table: Table, medoid: int) -> BoolArray:
        """Return which other samples may be medoids beside one."""
        may = self.admissible(table, medoid)
        may[medoid] = False
        return may
