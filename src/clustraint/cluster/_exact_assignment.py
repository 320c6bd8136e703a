"""The cheapest assignment in which no two neighbours share a cluster, or the proof of none."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components

from clustraint.constraints import Components
from clustraint.kernels.colouring import try_all
from clustraint.kernels.kmeans import fold_leaves, nearest, take_off_leaves, unfold_leaves
from clustraint.typing import FloatArray, IntArray

# Looks at a node in a search for a proof, before a program is set up.
SHORT_PROOF = 1_000_000


class InfeasiblePieceError(Exception):
    """No assignment of all nodes exists."""


class CannotLinkGraph(NamedTuple):
    """Who may not share a cluster: the neighbours of v are others[start[v]:start[v + 1]]."""

    start: IntArray
    others: IntArray

    @property
    def n_nodes(self) -> int:
        """How many nodes there are."""
        return len(self.start) - 1

    @classmethod
    def from_pairs(cls, n_nodes: int, pairs: IntArray) -> CannotLinkGraph:
        """Return the graph with an edge for each pair."""
        both = np.concatenate((pairs, pairs[:, ::-1]))
        both = both[np.lexsort((both[:, 1], both[:, 0]))]
        start = np.searchsorted(both[:, 0], np.arange(n_nodes + 1))
        return cls(start.astype(np.int64), np.ascontiguousarray(both[:, 1]))

    @classmethod
    def from_components(cls, components: Components) -> tuple[IntArray, CannotLinkGraph]:
        """Return the components that cannot-links speak of, and the graph of these alone."""
        linked, edges = np.unique(components.cannot_link, return_inverse=True)
        return linked, cls.from_pairs(len(linked), edges.reshape(-1, 2))

    def pieces(self) -> IntArray:
        """Return the connected piece of each node."""
        return np.asarray(connected_components(self.table(), directed=False)[1], np.int64)

    def table(self) -> csr_array:
        """Return a matrix that is 1 where two nodes are neighbours."""
        ones = np.ones(len(self.others), np.int8)
        return csr_array((ones, self.others, self.start), shape=(self.n_nodes, self.n_nodes))

    def induced(self, nodes: IntArray) -> CannotLinkGraph:
        """Return the graph among some nodes, numbered anew."""
        number = np.full(self.n_nodes, -1, np.int64)
        number[nodes] = np.arange(len(nodes))
        owners = np.repeat(np.arange(self.n_nodes), np.diff(self.start))
        pairs = np.stack((number[owners], number[self.others]), axis=1)
        pairs = pairs[(pairs >= 0).all(axis=1)]
        return CannotLinkGraph.from_pairs(len(nodes), pairs[pairs[:, 0] < pairs[:, 1]])


class PieceSolver(Protocol):
    """Assigns the nodes of one connected piece."""

    nodes: IntArray

    def solve(self, costs: FloatArray) -> IntArray:
        """Return the clusters of `nodes`, no two neighbours in the same."""


class PiecewiseAssigner:
    """Assigns the nodes of a graph at the least total cost, if its pieces are so solved.

    Hanging trees are folded into what they hang from, exactly, by dynamic programming. In what
    is left (the 2-core), each connected piece is solved by itself: as a mixed-integer program,
    unless another solver is wanted.
    """

    def __init__(
        self,
        graph: CannotLinkGraph,
        n_clusters: int,
        solver: Callable[[IntArray, CannotLinkGraph, int], PieceSolver] | None = None,
    ) -> None:
        solver = AssignmentProgram if solver is None else solver
        if n_clusters == 1 and len(graph.others):
            raise InfeasiblePieceError
        self.order, self.towards = take_off_leaves(graph.n_nodes, graph.start, graph.others)
        core = np.setdiff1d(np.arange(graph.n_nodes), self.order)
        inner = graph.induced(core)
        labels = inner.pieces()
        members = [np.flatnonzero(labels == piece) for piece in range(labels.max(initial=-1) + 1)]
        self.programs = [solver(core[nodes], inner.induced(nodes), n_clusters) for nodes in members]

    def assign(self, costs: FloatArray) -> IntArray:
        """Return the clusters of all nodes.

        Parameters
        ----------
        costs : ndarray of shape (n_nodes, n_clusters)
            What each node costs in each cluster.

        Raises
        ------
        InfeasiblePieceError
            If no assignment exists; with one cluster the constructor raises it.
        """
        folded = np.array(costs, dtype=np.float64, order="C")
        fold_leaves(folded, self.order, self.towards)
        labels: IntArray = nearest(folded)
        for program in self.programs:
            labels[program.nodes] = program.solve(folded[program.nodes])
        unfold_leaves(folded, self.order, self.towards, labels)
        return labels


class AssignmentProgram:
    """The mixed-integer program of one connected piece; only its costs change.

    Where all nodes can have their cheapest cluster, they have it.
    """

    def __init__(self, nodes: IntArray, graph: CannotLinkGraph, n_clusters: int) -> None:
        self.nodes = nodes
        owners = np.repeat(np.arange(graph.n_nodes), np.diff(graph.start))
        above = owners < graph.others
        self.left, self.right = owners[above], graph.others[above]
        self.constraint = self._constraint(len(nodes), n_clusters)
        self._graph = graph
        self._is_short_of_clusters: bool | None = None

    def _prove(self, n_clusters: int) -> bool:
        """Say whether a short search proves that there is no assignment: programs take long."""
        labels = np.empty(len(self.nodes), np.int64)
        return bool(try_all(*self._graph, n_clusters, SHORT_PROOF, labels) == 0)

    def _constraint(self, n_nodes: int, n_clusters: int) -> LinearConstraint:
        """Return: one cluster for each node, and at most one end of an edge in each cluster."""
        n_edges = len(self.left)
        variable = np.arange(n_nodes * n_clusters).reshape(n_nodes, n_clusters)
        once = np.repeat(np.arange(n_nodes), n_clusters)
        apart = n_nodes + np.arange(n_edges * n_clusters)
        rows = np.concatenate((once, apart, apart))
        columns = np.concatenate(
            (variable.ravel(), variable[self.left].ravel(), variable[self.right].ravel())
        )
        shape = (n_nodes + n_edges * n_clusters, n_nodes * n_clusters)
        table = coo_array((np.ones(len(rows)), (rows, columns)), shape=shape).tocsc()
        lowest = np.concatenate((np.ones(n_nodes), np.zeros(n_edges * n_clusters)))
        return LinearConstraint(table, lowest, np.ones(shape[0]))

    def solve(self, costs: FloatArray) -> IntArray:
        """Return the cheapest clusters."""
        cheapest: IntArray = nearest(costs)
        if not (cheapest[self.left] == cheapest[self.right]).any():
            return cheapest
        if self._is_short_of_clusters is None:
            self._is_short_of_clusters = self._prove(costs.shape[1])
        if self._is_short_of_clusters:
            raise InfeasiblePieceError
        # Costs relative to each node's least keep the numbers small for the solver.
        relative = costs - costs.min(axis=1, keepdims=True)
        scale = relative.max() or 1.0
        solution = milp(
            (relative / scale).ravel(),
            integrality=np.ones(relative.size),
            bounds=Bounds(0, 1),
            constraints=self.constraint,
            options={"mip_rel_gap": 0.0},
        )
        if solution.x is None:
            if solution.status == 2:
                raise InfeasiblePieceError
            raise RuntimeError(f"the mixed-integer program was not solved: {solution.message}")
        return np.asarray(solution.x.reshape(costs.shape).argmax(axis=1), np.int64)
