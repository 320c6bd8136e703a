"""Ways to give nodes their clusters; those of this module never break a cannot-link."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from clustraint.cluster._exact_assignment import (
    AssignmentProgram,
    CannotLinkGraph,
    PieceSolver,
    PiecewiseAssigner,
)
from clustraint.cluster._searched_assignment import SearchedPiece
from clustraint.kernels.kmeans import assign_in_order, nearest
from clustraint.typing import FloatingArray, IntArray

# Rows of the mixed-integer programs that may be solved in a round, in all pieces together.
EXACT_SIZE = 1_000


class DeadEndError(Exception):
    """A node found every cluster taken; `labels` has -1 where nothing was assigned yet."""

    def __init__(self, node: int, labels: IntArray) -> None:
        super().__init__(f"node {node} found every cluster taken")
        self.node = node
        self.labels = labels


class Assigner(ABC):
    """Gives the nodes of a graph of pairs their clusters, from what each costs in each."""

    @abstractmethod
    def assign(self, costs: FloatingArray) -> IntArray:
        """Return the cluster of each node."""

    def price(self, labels: IntArray) -> float:
        """Return what the pairs that clusters violate cost: nothing where none is violated."""
        return 0.0


class InOrder(Assigner):
    """One node after the other takes the cheapest cluster that is left to it."""

    def __init__(self, graph: CannotLinkGraph, order: IntArray) -> None:
        self.graph = graph
        self.order = order

    def assign(self, costs: FloatingArray) -> IntArray:
        """Return the cluster of each node; a dead end is a DeadEndError."""
        labels = np.empty(self.graph.n_nodes, np.int64)
        node = assign_in_order(costs, self.order, self.graph.start, self.graph.others, labels)
        if node >= 0:
            raise DeadEndError(int(node), labels)
        return labels


class Auto(Assigner):
    """One after the other, but by a search in the pieces that have once ended in a dead end.

    That is exact as long as these pieces are small.
    """

    def __init__(self, graph: CannotLinkGraph, order: IntArray, weights: FloatingArray) -> None:
        self.graph = graph
        self.order = order
        self.weights = weights[:, np.newaxis]
        self.searched: dict[int, tuple[IntArray, PiecewiseAssigner]] = {}
        self.n_exact = 0

    def assign(self, costs: FloatingArray) -> IntArray:
        """Return the cluster of each node; what is infeasible or cannot be decided fails."""
        labels = np.empty(self.graph.n_nodes, np.int64)
        while True:
            node = assign_in_order(costs, self.order, self.graph.start, self.graph.others, labels)
            if node < 0:
                break
            self._search(int(node), costs.shape[1])
        for nodes, piece in self.searched.values():
            labels[nodes] = piece.assign(costs[nodes] * self.weights[nodes])
        return labels

    def _search(self, node: int, n_clusters: int) -> None:
        """Take the piece of `node` out of the order."""
        pieces = self.graph.pieces()
        nodes = np.flatnonzero(pieces == pieces[node])
        piece = PiecewiseAssigner(self.graph.induced(nodes), n_clusters, self._solver)
        self.searched[int(pieces[node])] = nodes, piece
        self.order = self.order[pieces[self.order] != pieces[node]]

    def _solver(self, nodes: IntArray, graph: CannotLinkGraph, n_clusters: int) -> PieceSolver:
        size = n_clusters * (len(nodes) + len(graph.others) // 2)
        if self.n_exact + size > EXACT_SIZE:
            return SearchedPiece(nodes, graph, n_clusters)
        self.n_exact += size
        return AssignmentProgram(nodes, graph, n_clusters)


class Exact(Assigner):
    """The cheapest assignment of all, by the weight of each node."""

    def __init__(self, graph: CannotLinkGraph, n_clusters: int, weights: FloatingArray) -> None:
        self.weights = weights[:, np.newaxis]
        self.solver = PiecewiseAssigner(graph, n_clusters)

    def assign(self, costs: FloatingArray) -> IntArray:
        """Return the cluster of each node; only what is infeasible fails."""
        return self.solver.assign(np.asarray(costs * self.weights, np.float64))


class Unlinked(Assigner):
    """All nodes take their nearest centre, but for those that pairs speak of."""

    def __init__(self, linked: IntArray, assigner: Assigner) -> None:
        self.linked = linked
        self.assigner = assigner

    def assign(self, costs: FloatingArray) -> IntArray:
        """Return the cluster of each node."""
        labels: IntArray = nearest(costs)
        if len(self.linked):
            labels[self.linked] = self.assigner.assign(costs[self.linked])
        return labels

    def price(self, labels: IntArray) -> float:
        """Return what the violated pairs cost."""
        return self.assigner.price(labels[self.linked])
