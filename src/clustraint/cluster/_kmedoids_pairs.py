"""Must-links and cannot-links beside rules: what is linked is assigned as components."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clustraint.cluster._assignment import DeadEndError, Exact, InOrder
from clustraint.cluster._exact_assignment import CannotLinkGraph, InfeasiblePieceError
from clustraint.cluster._rule_scopes import Scopes
from clustraint.constraints import Constraints
from clustraint.exceptions import NoFeasibleClusteringError
from clustraint.kernels.kmedoids import Table, distances
from clustraint.typing import BoolArray, IntArray


class LinkedSamples(NamedTuple):
    """The samples that pairs are about.

    Attributes
    ----------
    samples : int64 ndarray of shape (n_linked,)
        Their rows.
    component : int64 ndarray of shape (n_linked,)
        What must-links tie together, numbered by first samples.
    linked : int64 ndarray
        The components that cannot-links are about.
    graph : CannotLinkGraph
        Which of these are kept apart.
    constraints : Constraints
        All constraints, for messages.
    """

    samples: IntArray
    component: IntArray
    linked: IntArray
    graph: CannotLinkGraph
    constraints: Constraints

    @classmethod
    def of(cls, constraints: Constraints) -> LinkedSamples:
        """Return the samples that pairs are about, none where there are no pairs."""
        samples = constraints.mentioned
        components = constraints.restrict(kinds=("must_link", "cannot_link"))[samples].components
        linked, graph = CannotLinkGraph.from_components(components)
        return cls(samples, components.labels, linked, graph, constraints)

    def joined(self, scopes: Scopes) -> BoolArray:
        """Return which rules must-links make one: those with scopes in one component."""
        n_components = int(self.component.max(initial=-1)) + 1
        holds = scopes.covers[scopes.pattern[self.samples]]
        touched = np.zeros((n_components, holds.shape[1]), np.int64)
        np.add.at(touched, self.component, holds)
        return np.asarray((touched > 0).T.astype(np.int64) @ (touched > 0) > 0)

    def assign(
        self,
        table: Table,
        rows: NDArray[np.uint64],
        scopes: Scopes,
        choices: tuple[IntArray, IntArray],
        labels: NDArray[np.int32],
    ) -> None:
        """Put linked samples into clusters that keep all pairs and are open to all of a component.

        One component after the other takes the cheapest cluster, in row order; where that ends in a
        dead end, the cheapest assignment of all is sought, which fails only if there is none.
        """
        if not len(self.samples):
            return
        costs, closed = self._costs(table, rows, scopes, choices)
        places = costs.argmin(axis=1)
        if len(self.linked):
            own = costs[self.linked]
            places[self.linked] = self._apart(own, closed)
        astray = costs[np.arange(len(places)), places] >= closed
        if astray.any():
            raise self._homeless(int(np.argmax(astray)), len(rows))
        labels[self.samples] = places[self.component]

    def _costs(
        self,
        table: Table,
        rows: NDArray[np.uint64],
        scopes: Scopes,
        choices: tuple[IntArray, IntArray],
    ) -> tuple[NDArray[np.float64], float]:
        """Return the summed distance of components to medoids, and what a closed cluster costs."""
        few = table._replace(words=table.words[self.samples])
        away = np.empty(len(self.samples), np.int32)
        costs = np.zeros((int(self.component.max()) + 1, len(rows)))
        start, clusters = choices
        is_open = np.zeros((len(scopes.covers), len(rows)), np.bool_)
        is_open[np.repeat(np.arange(len(scopes.covers)), np.diff(start)), clusters] = True
        here = is_open[scopes.pattern[self.samples]]
        for cluster in range(len(rows)):
            distances(few, rows, np.full(len(away), cluster, np.int32), away)
            costs[:, cluster] = np.bincount(self.component, away, len(costs))
        # More than all components together pay elsewhere: closed clusters are the last resort.
        closed = costs.sum() + 1.0
        shut = np.zeros_like(costs)
        np.add.at(shut, self.component, ~here)
        return np.where(shut > 0, closed, costs), closed

    def _apart(self, costs: NDArray[np.float64], closed: float) -> IntArray:
        try:
            places = InOrder(self.graph, np.arange(len(costs))).assign(costs)
            if (costs[np.arange(len(costs)), places] < closed).all():
                return places
        except DeadEndError:
            pass
        try:
            return Exact(self.graph, costs.shape[1], np.ones(len(costs))).assign(costs)
        except InfeasiblePieceError:
            raise self._homeless(int(self.linked[0]), costs.shape[1]) from None

    def _homeless(self, component: int, n_clusters: int) -> NoFeasibleClusteringError:
        sample = int(self.samples[self.component == component][0])
        return NoFeasibleClusteringError(
            f"{self.constraints.name_of(sample)} could not be placed: with every rule in its own "
            f"one of {n_clusters} clusters, none is left that keeps all must-links and "
            "cannot-links. Ask for more clusters, or leave out some of the constraints.",
            sample,
        )
