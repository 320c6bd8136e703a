"""K-medoids under rules, from a start until no medoid changes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clustraint.cluster._kmedoids_pairs import LinkedSamples
from clustraint.cluster._kmedoids_shared import SharedValues
from clustraint.cluster._kmedoids_start import Start
from clustraint.cluster._rule_scopes import Scopes
from clustraint.kernels.kmedoids import Table, assign, distances, move_medoids
from clustraint.typing import BoolArray, IntArray

Labels = NDArray[np.int32]


class KMedoidsRun(NamedTuple):
    """What a start has led to.

    Attributes
    ----------
    medoids : int64 ndarray of shape (n_clusters,)
        The last medoids.
    rule_clusters : int64 ndarray of shape (n_rules,)
        The cluster that each rule owns, or -1.
    cost : int
        The sum of the distances of all samples to the medoids of their clusters.
    n_iter : int
        The rounds, with the one in which no medoid changed.
    """

    medoids: IntArray
    rule_clusters: IntArray
    cost: int
    n_iter: int


class MedoidRounds(NamedTuple):
    """What every round goes by.

    Attributes
    ----------
    table : Table
        The samples.
    scopes : Scopes
        Which rules hold for which samples.
    pairs : LinkedSamples
        The samples that pairs are about.
    shared : SharedValues, optional
        Bounds on what medoids share.
    """

    table: Table
    scopes: Scopes
    pairs: LinkedSamples
    shared: SharedValues | None = None

    def run(self, start: Start, max_iter: int) -> KMedoidsRun:
        """Assign samples and move medoids in turn, until none moves or the rounds are used up."""
        table, scopes = self.table, self.scopes
        medoids = start.medoids.copy()
        labels = np.full(len(scopes.pattern), -1, np.int32)
        agreement = np.empty(len(labels), np.int64)
        is_free = scopes.is_free[scopes.pattern]
        is_free[self.pairs.samples] = False
        for n_iter in range(1, max_iter + 1):
            cost, sizes, touched = self.assign(medoids, start.rule_clusters, labels)
            if not sizes.all():
                fill_empty(table, table.words[medoids], is_free, labels, sizes, touched)
            if not self._moved(labels, sizes, touched, medoids, agreement):
                return KMedoidsRun(medoids, start.rule_clusters, cost, n_iter)
        cost, _, _ = self.assign(medoids, start.rule_clusters, labels)
        return KMedoidsRun(medoids, start.rule_clusters, cost, max_iter)

    def assign(
        self, medoids: IntArray, rule_clusters: IntArray, labels: Labels
    ) -> tuple[int, IntArray, BoolArray]:
        """Put each sample where rules and pairs leave it; return cost, sizes and what changed."""
        table, rows = self.table, self.table.words[medoids]
        choices = self.scopes.open_clusters(rule_clusters, len(medoids))
        if not len(self.pairs.samples):
            return assign(table, rows, self.scopes.pattern, *choices, labels)  # type: ignore[no-any-return]
        assign(table, rows, self.scopes.pattern, *choices, labels)
        self.pairs.assign(table, rows, self.scopes, choices, labels)
        away = np.empty_like(labels)
        distances(table, rows, labels, away)
        sizes = np.bincount(labels, minlength=len(medoids))
        return int(away.sum(dtype=np.int64)), sizes, np.ones(len(medoids), np.bool_)

    def _moved(
        self,
        labels: Labels,
        sizes: IntArray,
        touched: BoolArray,
        medoids: IntArray,
        agreement: IntArray,
    ) -> bool:
        if self.shared is None:
            return bool(move_medoids(self.table, labels, sizes, touched, medoids, agreement))
        touched[:] = True
        move_medoids(self.table, labels, sizes, touched, medoids.copy(), agreement)
        return self.shared.move(self.table, labels, agreement, medoids)

    def final_labels(self, best: KMedoidsRun) -> Labels:
        """Return the cluster of each sample at the end of a run."""
        labels = np.full(len(self.scopes.pattern), -1, np.int32)
        self.assign(best.medoids, best.rule_clusters, labels)
        return labels


def fill_empty(
    table: Table,
    rows: NDArray[np.uint64],
    is_free: BoolArray,
    labels: Labels,
    sizes: IntArray,
    touched: BoolArray,
) -> None:
    """Give each empty cluster the free sample farthest from its medoid, unless it is alone there.

    A cluster stays empty where all such samples are at their medoids.
    """
    away = np.empty_like(labels)
    distances(table, rows, labels, away)
    away[~is_free] = 0
    for cluster in np.flatnonzero(sizes == 0):
        sample = int(np.argmax(away * (sizes[labels] > 1)))
        home = labels[sample]
        if away[sample] == 0 or sizes[home] == 1:
            return
        labels[sample] = cluster
        sizes[[home, cluster]] += -1, 1
        touched[[home, cluster]] = True
        away[sample] = 0
