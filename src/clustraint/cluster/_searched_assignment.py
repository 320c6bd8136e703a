"""A cheap assignment in which no two neighbours share a cluster, by a search of bounded effort."""

from __future__ import annotations

import numpy as np
from scipy.sparse.csgraph import breadth_first_order

from clustraint.cluster._exact_assignment import CannotLinkGraph, InfeasiblePieceError
from clustraint.kernels.colouring import (
    improve_apart,
    part_neighbours,
    place_in_turn,
    take_off_loose,
    try_all,
)
from clustraint.typing import FloatArray, IntArray

# How often a node may be looked at in a cluster: in each round, for each of both, to place all anew
# and to improve that; and once, to find a first assignment or the proof of none: some seconds.
PLACING_STEPS = 100
IMPROVING_STEPS = 200
PARTING_STEPS = 50_000_000
PROVING_STEPS = 1_000_000_000


class UndecidedPieceError(Exception):
    """No assignment came up, and whether there is one stays open."""


class SearchedPiece:
    """A connected piece whose assignment is kept from round to round, and improved.

    In each round all nodes are also placed anew, those first that lose most if they come late; the
    cheaper of both assignments stays. So the cost never rises while the centres stay as they are.
    """

    def __init__(self, nodes: IntArray, graph: CannotLinkGraph, n_clusters: int) -> None:
        self.nodes = nodes
        self.graph = graph
        self.n_clusters = n_clusters
        self.labels: IntArray | None = None

    def solve(self, costs: FloatArray) -> IntArray:
        """Return the cheapest clusters that came up.

        Raises
        ------
        InfeasiblePieceError
            If there is no assignment.
        UndecidedPieceError
            If none came up, and the proof that there is none takes too long.
        """
        candidates = [] if self.labels is None else [self.labels]
        fresh = self._placed(costs)
        if self._part(self.graph, fresh, PLACING_STEPS * costs.size):
            candidates.append(fresh)
        elif not candidates:
            candidates.append(self._core_first(costs, fresh))
        for labels in candidates:
            improve_apart(costs, *self.graph, labels, IMPROVING_STEPS * costs.size)
        each = np.arange(len(costs))
        self.labels = min(candidates, key=lambda labels: float(costs[each, labels].sum()))
        return self.labels.copy()

    def _placed(self, costs: FloatArray) -> IntArray:
        """Return an assignment in which few neighbours are together."""
        least = np.partition(costs, 1, axis=1)
        order = np.argsort(least[:, 0] - least[:, 1], kind="stable")
        labels = np.full(len(costs), -1, np.int64)
        place_in_turn(costs, order, *self.graph, labels)
        return labels

    def _part(self, graph: CannotLinkGraph, labels: IntArray, max_steps: int) -> bool:
        """Move nodes until no two neighbours are together, and say whether that is so."""
        rng = np.random.default_rng(0)
        return bool(part_neighbours(*graph, labels, self.n_clusters, max_steps, rng))

    def _core_first(self, costs: FloatArray, labels: IntArray) -> IntArray:
        """Return an assignment in which those that always find a place are placed last."""
        loose = take_off_loose(*self.graph, self.n_clusters)
        core = np.setdiff1d(np.arange(len(costs)), loose)
        labels[core] = self._apart(self.graph.induced(core), labels[core])
        labels[loose] = -1
        place_in_turn(costs, loose[::-1].copy(), *self.graph, labels)
        return labels

    def _apart(self, graph: CannotLinkGraph, labels: IntArray) -> IntArray:
        """Return some assignment, near to the labels if one comes up there."""
        for effort in (0.01, 1):  # a short proof comes before a long search
            if self._part(graph, labels, int(effort * PARTING_STEPS)):
                return labels
            self._disprove_near(graph, labels, int(effort * PROVING_STEPS) // 100)
            tried = np.empty_like(labels)
            verdict = try_all(*graph, self.n_clusters, int(effort * PROVING_STEPS), tried)
            if verdict == 0:
                raise InfeasiblePieceError
            if verdict > 0:
                return tried
        raise UndecidedPieceError

    def _disprove_near(self, graph: CannotLinkGraph, labels: IntArray, max_steps: int) -> None:
        """Raise if the nodes around two that are still together have no assignment themselves."""
        owners = np.repeat(np.arange(graph.n_nodes), np.diff(graph.start))
        stuck = owners[labels[owners] == labels[graph.others]][0]
        around = breadth_first_order(graph.table(), stuck, return_predecessors=False)
        size = 16
        while size < len(around):
            nodes = np.sort(around[:size]).astype(np.int64)
            tried = np.empty(len(nodes), np.int64)
            near = graph.induced(nodes)
            if try_all(*near, self.n_clusters, max_steps, tried) == 0:
                raise InfeasiblePieceError
            size *= 2
