"""K-medoids under rules, from a start until no medoid changes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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


def run(table: Table, scopes: Scopes, start: Start, max_iter: int) -> KMedoidsRun:
    """Assign samples and move medoids in turn, until none moves or the rounds are used up."""
    medoids = start.medoids.copy()
    choices = scopes.open_clusters(start.rule_clusters, len(medoids))
    labels = np.full(len(scopes.pattern), -1, np.int32)
    agreement = np.empty(len(labels), np.int64)
    for n_iter in range(1, max_iter + 1):
        rows = table.words[medoids]
        cost, sizes, touched = assign(table, rows, scopes.pattern, *choices, labels)
        if not sizes.all():
            fill_empty(table, rows, scopes.is_free[scopes.pattern], labels, sizes, touched)
        if not move_medoids(table, labels, sizes, touched, medoids, agreement):
            return KMedoidsRun(medoids, start.rule_clusters, cost, n_iter)
    cost, _, _ = assign(table, table.words[medoids], scopes.pattern, *choices, labels)
    return KMedoidsRun(medoids, start.rule_clusters, cost, max_iter)


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


def final_labels(table: Table, scopes: Scopes, best: KMedoidsRun) -> Labels:
    """Return the cluster of each sample at the end of a run."""
    choices = scopes.open_clusters(best.rule_clusters, len(best.medoids))
    labels = np.full(len(scopes.pattern), -1, np.int32)
    assign(table, table.words[best.medoids], scopes.pattern, *choices, labels)
    return labels
