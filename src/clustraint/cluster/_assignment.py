"""Ways to give nodes their clusters; those of this module never break a cannot-link."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from clustraint.cluster._exact_assignment import CannotLinkGraph, ExactAssigner
from clustraint.kernels.kmeans import assign_in_order, nearest
from clustraint.typing import FloatingArray, IntArray


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


class InOrderOrExact(Assigner):
    """One after the other, but exactly in the pieces that have once ended in a dead end."""

    def __init__(self, graph: CannotLinkGraph, order: IntArray, weights: FloatingArray) -> None:
        self.graph = graph
        self.order = order
        self.weights = weights
        self.exact: dict[int, tuple[IntArray, Exact]] = {}

    def assign(self, costs: FloatingArray) -> IntArray:
        """Return the cluster of each node; only what is infeasible fails."""
        labels = np.empty(self.graph.n_nodes, np.int64)
        while True:
            node = assign_in_order(costs, self.order, self.graph.start, self.graph.others, labels)
            if node < 0:
                break
            self._solve_exactly(int(node), costs.shape[1])
        for nodes, exact in self.exact.values():
            labels[nodes] = exact.assign(costs[nodes])
        return labels

    def _solve_exactly(self, node: int, n_clusters: int) -> None:
        """Take the piece of `node` out of the order."""
        pieces = self.graph.pieces()
        nodes = np.flatnonzero(pieces == pieces[node])
        piece = Exact(self.graph.induced(nodes), n_clusters, self.weights[nodes])
        self.exact[int(pieces[node])] = nodes, piece
        self.order = self.order[pieces[self.order] != pieces[node]]


class Exact(Assigner):
    """The cheapest assignment of all, by the weight of each node."""

    def __init__(self, graph: CannotLinkGraph, n_clusters: int, weights: FloatingArray) -> None:
        self.weights = weights[:, np.newaxis]
        self.solver = ExactAssigner(graph, n_clusters)

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
