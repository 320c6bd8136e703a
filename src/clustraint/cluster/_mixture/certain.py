"""Statements that are certain: none is ever violated, or an error says why that cannot be."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array, csr_array, eye_array, kron
from scipy.sparse.csgraph import connected_components

from clustraint.cluster._assignment import Auto, Unlinked
from clustraint.cluster._dead_end import infeasible, too_many_clusters, undecided
from clustraint.cluster._exact_assignment import CannotLinkGraph, InfeasiblePieceError
from clustraint.cluster._mixture.evidence import Evidence, assertions
from clustraint.cluster._searched_assignment import UndecidedPieceError
from clustraint.constraints import Constraints
from clustraint.exceptions import NoFeasibleClusteringError
from clustraint.typing import BoolArray, FloatArray, IntArray
from clustraint.wording import counted

# Shares below this cost as much as this: the solver has no use for infinity.
LEAST_SHARE = 1e-300


def as_links(
    constraints: Constraints,
    X: FloatArray,
    names: Sequence[str] | None,
    classes: IntArray,
    n_clusters: int,
    n_elsewhere: int = 0,
) -> Constraints:
    """Return pairs and triplets that say all that rules and labels do, and what follows at once.

    Where c is tied to a or b, the triplet ab|c ties all three. Besides the samples in `X` there are
    `n_elsewhere` others, of which nothing is stated.

    Raises
    ------
    InconsistentConstraintsError
        If statements contradict each other.
    NoFeasibleClusteringError
        If must-links leave fewer groups of samples than there are clusters.
    """
    links = constraints.expand_rules(X, names) | _label_links(classes)
    links.check()
    while True:
        first, second, third = links.component_labels[links.triplets].T
        tied = ((first == third) | (second == third)) & (first != second)
        if not tied.any():
            break
        pairs = links.triplets[tied][:, :2]
        links |= Constraints(links.n_samples, must_link=pairs)
    n_groups = links.components.n_components + n_elsewhere
    if n_groups < n_clusters:
        raise too_many_clusters(n_groups, n_clusters)
    return links


def _label_links(classes: IntArray) -> Constraints:
    """Return must-links along each class, and cannot-links between the first of all classes."""
    order = np.argsort(classes, kind="stable")
    order = order[classes[order] >= 0]
    chain = np.stack((order[:-1], order[1:]), axis=1)
    first = order[np.unique(classes[order], return_index=True)[1]]
    left, right = np.triu_indices(len(first), k=1)
    return Constraints(
        len(classes),
        must_link=chain[classes[chain[:, 0]] == classes[chain[:, 1]]],
        cannot_link=np.stack((first[left], first[right]), axis=1),
    )


def certain_evidence(links: Constraints, classes: IntArray, n_clusters: int) -> Evidence:
    """Return the graph in which must-link components are nodes."""
    labels = links.components.labels
    # A triplet whose a and b are one node says nothing more.
    open_triplets = labels[links.triplets[:, 0]] != labels[links.triplets[:, 1]]
    others = links.take(cannot_link=np.arange(len(links.cannot_link)), triplets=open_triplets)
    return Evidence(assertions(others, {}), {}, classes, labels, n_clusters)


def assign(links: Constraints, shares: FloatArray) -> IntArray:
    """Return clusters that keep all statements, from the shares that samples have of them.

    Components are placed as in COPKMeans, the surest first and by a search in pieces where that
    ends in a dead end; then pieces with a violated triplet anew, by mixed-integer programming.

    Raises
    ------
    NoFeasibleClusteringError
        If no assignment exists, with the statements that exclude it.
    """
    components = links.components
    first = np.unique(components.labels, return_index=True)[1]
    costs = -np.log(np.maximum(shares[first], LEAST_SHARE))
    linked, graph = CannotLinkGraph.from_components(components)
    surest_first = np.argsort(costs[linked].min(axis=1), kind="stable")
    assigner = Auto(graph, surest_first, np.ones(len(linked)))
    try:
        labels = Unlinked(linked, assigner).assign(costs)
    except InfeasiblePieceError:
        raise infeasible(links, shares.shape[1]) from None
    except UndecidedPieceError:
        raise undecided(links, shares.shape[1]) from None
    _keep_triplets(links, costs, labels)
    return np.asarray(labels[components.labels])


def _keep_triplets(links: Constraints, costs: FloatArray, labels: IntArray) -> None:
    """Place the pieces anew in which a triplet is violated."""
    components = links.components
    triplets = components.labels[links.triplets]
    first, second, third = labels[triplets].T
    broken = ((first == third) | (second == third)) & (first != second)
    if not broken.any():
        return
    # A piece is what links and triplets connect: outside of it nothing has to move.
    edges = np.concatenate((components.cannot_link, triplets[:, :2], triplets[:, 1:]))
    table = coo_array((np.ones(len(edges)), edges.T), shape=(len(costs), len(costs)))
    pieces = connected_components(table, directed=False)[1]
    for piece in np.unique(pieces[triplets[broken, 0]]):
        nodes = np.flatnonzero(pieces == piece)
        apart, three = (
            np.searchsorted(nodes, rows[pieces[rows[:, 0]] == piece])
            for rows in (components.cannot_link, triplets)
        )
        cheapest = _cheapest(costs[nodes], apart, three)
        if cheapest is None:
            raise _infeasible(links, np.isin(components.labels, nodes), costs.shape[1])
        labels[nodes] = cheapest


def _cheapest(costs: FloatArray, apart: IntArray, triplets: IntArray) -> IntArray | None:
    """Return the cheapest clusters of nodes that keep cannot-links and triplets, if any do.

    With 1 for each node in its cluster and 0 elsewhere, a cannot-link is a + b <= 1 in every
    cluster, and ab|c is a + c - b <= 1 and b + c - a <= 1.
    """
    n_nodes, n_clusters = costs.shape
    both = np.concatenate((triplets, triplets[:, [1, 0, 2]]))
    rows = np.concatenate(
        (np.repeat(np.arange(len(apart)), 2), len(apart) + np.repeat(np.arange(len(both)), 3))
    )
    signs = np.concatenate((np.ones(2 * len(apart)), np.tile([1.0, -1.0, 1.0], len(both))))
    columns = np.concatenate((apart.ravel(), both.ravel()))
    # Where a and b are one node, its signs add up to 0.
    table = csr_array(coo_array((signs, (rows, columns)), shape=(len(apart) + len(both), n_nodes)))
    once = kron(eye_array(n_nodes), np.ones((1, n_clusters)))
    relative = costs - costs.min(axis=1, keepdims=True)
    solution = milp(
        (relative / (relative.max() or 1.0)).ravel(),
        integrality=np.ones(costs.size),
        bounds=Bounds(0, 1),
        constraints=[
            LinearConstraint(csr_array(once), 1, 1),
            LinearConstraint(csr_array(kron(table, eye_array(n_clusters))), -np.inf, 1),
        ],
        options={"mip_rel_gap": 0.0},
    )
    if solution.x is None:
        if solution.status == 2:
            return None
        raise RuntimeError(f"the mixed-integer program was not solved: {solution.message}")
    return np.asarray(solution.x.reshape(costs.shape).argmax(axis=1), np.int64)


def _infeasible(links: Constraints, is_in: BoolArray, n_clusters: int) -> Exception:
    """Return the error for statements that no assignment keeps."""
    witness = links.restrict(is_in)
    return NoFeasibleClusteringError(
        f"no assignment to n_clusters={n_clusters} clusters keeps all pairs and triplets about "
        f"{counted(int(is_in.sum()), 'sample')}; the exact search has tried all of them. More "
        "clusters, or a trust below 1, are the way out.",
        witness=witness,
    )
