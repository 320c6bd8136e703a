"""Why samples could not be placed, in words."""

from __future__ import annotations

import numpy as np

from clustraint.cluster._assignment import DeadEndError
from clustraint.cluster._exact_assignment import CannotLinkGraph, InfeasiblePieceError
from clustraint.cluster._searched_assignment import SearchedPiece, UndecidedPieceError
from clustraint.constraints import Constraints
from clustraint.exceptions import NoFeasibleClusteringError, TooFewClustersError
from clustraint.typing import IntArray


def too_many_clusters(n_components: int, n_clusters: int) -> NoFeasibleClusteringError:
    """Return the error for fewer must-link components than clusters."""
    return NoFeasibleClusteringError(
        f"must-links leave {n_components} group{'s' * (n_components != 1)} of samples, which "
        f"cannot fill n_clusters={n_clusters} clusters."
    )


def infeasible(constraints: Constraints, n_clusters: int) -> NoFeasibleClusteringError:
    """Return the error for constraints that no assignment keeps, with a proof if one is short."""
    message = f"no assignment to n_clusters={n_clusters} clusters keeps all cannot-links"
    try:
        constraints.check(n_clusters)
    except TooFewClustersError as error:
        return NoFeasibleClusteringError(f"{message}: {error}", witness=error.witness)
    return NoFeasibleClusteringError(
        f"{message}; the exact search has tried all of them. More clusters, or fewer cannot-links "
        "among samples that exclude each other, are the way out."
    )


def undecided(constraints: Constraints, n_clusters: int) -> NoFeasibleClusteringError:
    """Return the error for a search that ended without an assignment and without a proof."""
    proven = infeasible(constraints, n_clusters)
    if proven.witness is not None:
        return proven
    return NoFeasibleClusteringError(
        f"no assignment to n_clusters={n_clusters} clusters that keeps all cannot-links was found, "
        "and the search ended before it could prove that there is none. Take more clusters or "
        'fewer cannot-links; assignment="exact" searches on, however long that takes.'
    )


def dead_end(
    constraints: Constraints, n_clusters: int, assignment: str, stuck: DeadEndError
) -> NoFeasibleClusteringError:
    """Return the error for a run in which one sample found every cluster taken."""
    linked, graph = CannotLinkGraph.from_components(constraints.components)
    way_out = '"exact" or "auto" would find an assignment'
    try:
        _colour_piece(graph, stuck.node, n_clusters)
    except InfeasiblePieceError:
        return infeasible(constraints, n_clusters)
    except UndecidedPieceError:
        way_out = '"exact" would find an assignment if there is one, however long that takes'
    sample, blockers = _blockers(constraints, linked, graph, stuck)
    taken = ", ".join(
        f"cluster {cluster} by {constraints.name_of(other)}" for cluster, other in blockers
    )
    return NoFeasibleClusteringError(
        f"{constraints.name_of(sample)} could not be placed, as cannot-links keep it out of all "
        f"{n_clusters} clusters: {taken}. assignment={way_out}; "
        f'"{assignment}" may also succeed with another random_state or a larger n_init.',
        sample=sample,
        blockers=[other for _, other in blockers],
    )


def _colour_piece(graph: CannotLinkGraph, node: int, n_clusters: int) -> None:
    """Raise unless there is an assignment of the connected piece around a node."""
    pieces = graph.pieces()
    nodes = np.flatnonzero(pieces == pieces[node])
    SearchedPiece(nodes, graph.induced(nodes), n_clusters).solve(np.zeros((len(nodes), n_clusters)))


def _blockers(
    constraints: Constraints, linked: IntArray, graph: CannotLinkGraph, stuck: DeadEndError
) -> tuple[int, list[tuple[int, int]]]:
    """Return a sample that could not be placed, and by cluster a sample that was in its way."""
    labels = constraints.component_labels
    here = linked[stuck.node]
    rows = constraints.cannot_link
    rows = np.concatenate((rows, rows[:, ::-1]))
    rows = rows[labels[rows[:, 0]] == here]
    blockers: dict[int, int] = {}
    for other in graph.others[graph.start[stuck.node] : graph.start[stuck.node + 1]]:
        cluster = int(stuck.labels[other])
        if cluster >= 0 and cluster not in blockers:
            blockers[cluster] = int(rows[labels[rows[:, 1]] == linked[other]][0, 1])
    return int(rows[0, 0]), sorted(blockers.items())
