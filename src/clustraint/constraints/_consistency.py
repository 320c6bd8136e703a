"""Whether constraints can hold together, and which of them cannot.

Pairs speak of clusters and triplets of a hierarchy. They hold together if some hierarchy displays
the triplets and some cut of it into clusters keeps the pairs; `clustraint.kernels.build` decides
that exactly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_array

from clustraint.checks import check_count
from clustraint.constraints._describe import contradiction, crowding, ring
from clustraint.constraints._kinds import PAIR_KINDS
from clustraint.constraints._links import Links
from clustraint.constraints._witness import minimal_witness
from clustraint.exceptions import ClustraintError, InconsistentConstraintsError, TooFewClustersError
from clustraint.kernels.build import BuildVerdict, build
from clustraint.kernels.components import clique, odd_cycle, shortest_chain
from clustraint.typing import BoolArray, IntArray

if TYPE_CHECKING:
    from clustraint.constraints._constraints import Constraints

# Branches after which the search for too large a clique gives up.
MOST_STEPS = 100_000
# A branch looks at about as many pairs as there are cannot-links; so many are looked at in all.
MOST_LOOKS = 10**9
# With more cannot-links than this, a clique that is there for the taking is taken.
MANY_LINKS = 20_000


def broken_cannot_links(constraints: Constraints) -> BoolArray:
    """Return which cannot-links lie within one must-link component."""
    ends = constraints.component_labels[constraints.links["cannot_link"].rows]
    return np.asarray(ends[:, 0] == ends[:, 1])


def verdict_on(constraints: Constraints) -> BuildVerdict:
    """Return the tree that BUILD makes of pairs and triplets, or why there is none."""
    cannot_link = constraints.links["cannot_link"].rows
    verdict: BuildVerdict = build(constraints.n_samples, _bonds(constraints), cannot_link)
    return verdict


def _bonds(constraints: Constraints) -> IntArray:
    """Return triplets and must-links as rows (a, b, c), c being -1 for must-links.

    Without cannot-links no must-link can take part in a contradiction: one cluster holds all.
    """
    triplets = constraints.links["triplets"].rows
    if not len(constraints.links["cannot_link"].rows):
        return triplets
    must_link = constraints.links["must_link"].rows
    return np.concatenate((triplets, np.insert(must_link, 2, -1, axis=1)))


def is_consistent(constraints: Constraints) -> bool:
    """Say whether pairs and triplets can hold together."""
    return not broken_cannot_links(constraints).any() and _are_displayed(constraints)


def _are_displayed(constraints: Constraints) -> bool:
    """Say whether some hierarchy keeps all, where no cannot-link is broken already."""
    n_triplets = len(constraints.links["triplets"].rows)
    # Pairs alone hold together if no cannot-link is broken, so that BUILD need not run.
    return n_triplets == 0 or len(constraints.verdict.parents) > 0


def check_pairs(constraints: Constraints) -> None:
    """Raise InconsistentConstraintsError with a shortest chain if a cannot-link is broken."""
    broken = np.flatnonzero(broken_cannot_links(constraints))
    if len(broken):
        must_link, cannot_link = (constraints.links[kind].rows for kind in PAIR_KINDS)
        chain, pair = shortest_chain(constraints.n_samples, must_link, cannot_link, broken)
        witness = constraints.take(must_link=chain, cannot_link=np.array([pair]))
        raise InconsistentConstraintsError(contradiction(witness), witness)


def check(constraints: Constraints) -> None:
    """Raise InconsistentConstraintsError with a minimal witness if there is a contradiction."""
    check_pairs(constraints)
    if _are_displayed(constraints):
        return
    _, core, cannot = constraints.verdict
    cannot_link = constraints.links["cannot_link"].rows
    # The core of BUILD holds a whole block together; most of it takes no part in the contradiction.
    core, cannot = minimal_witness(
        constraints.n_samples, _bonds(constraints), cannot_link, core, cannot
    )
    n_triplets = len(constraints.links["triplets"].rows)
    witness = constraints.take(
        triplets=core[core < n_triplets],
        must_link=core[core >= n_triplets] - n_triplets,
        cannot_link=[cannot] if cannot >= 0 else None,
    )
    raise InconsistentConstraintsError(contradiction(witness), witness)


def check_n_clusters(constraints: Constraints, n_clusters: Any) -> None:
    """Raise TooFewClustersError where the cannot-links are seen to need more clusters.

    Two clusters: any odd ring of cannot-links. Otherwise: more than
    `n_clusters` components that exclude each other, within a bounded search.
    """
    if not check_count("n_clusters", n_clusters):
        raise ClustraintError("n_clusters must be at least 1, but is 0.")
    components = constraints.components
    if not len(components.cannot_link):
        return
    graph = components.n_components, components.cannot_link
    # Colouring is hard, so only two certain reasons are looked for: components that all exclude
    # each other and, for two clusters, a ring of odd length, which decides that case.
    excluding = _excluding(*graph, n_clusters + 1)
    if len(excluding):
        edges = excluding[np.stack(np.triu_indices(len(excluding), 1), axis=1)]
        message = crowding(constraints, first_samples(components.labels)[excluding], n_clusters)
        raise TooFewClustersError(message, _witness_of(constraints, edges))
    cycle = odd_cycle(*graph) if n_clusters == 2 else []
    if len(cycle):
        edges = np.stack((cycle, np.roll(cycle, -1)), axis=1)
        witness = _witness_of(constraints, edges)
        message = ring(constraints, first_samples(components.labels)[cycle])
        raise TooFewClustersError(message, witness)


def _excluding(n_components: int, cannot_link: IntArray, size: int) -> IntArray:
    """Return so many components that exclude each other, or none where the search finds none."""
    if len(cannot_link) > MANY_LINKS:
        members = _greedy_clique(n_components, cannot_link, size)
        if len(members):
            return members
    most_steps = min(MOST_STEPS, MOST_LOOKS // len(cannot_link) + 1)
    return np.asarray(clique(n_components, cannot_link, size, most_steps))


def _greedy_clique(n_nodes: int, edges: IntArray, size: int) -> IntArray:
    """Return a clique of nodes, always taking the one of most edges, or none if it is too small."""
    ends = np.concatenate((edges, edges[:, ::-1]))
    graph = csr_array((np.ones(len(ends), bool), ends.T), shape=(n_nodes, n_nodes))
    degrees = np.diff(graph.indptr)
    members: list[int] = []
    candidates = np.flatnonzero(degrees)
    while len(candidates) and len(members) < size:
        node = int(candidates[np.argmax(degrees[candidates])])
        members.append(node)
        joined = graph.indices[graph.indptr[node] : graph.indptr[node + 1]]
        candidates = np.intersect1d(candidates, joined)
    return np.array(members if len(members) == size else [], np.int64)


def first_samples(labels: IntArray) -> IntArray:
    """Return the first sample of each component."""
    return np.unique(labels, return_index=True)[1]


def _witness_of(constraints: Constraints, edges: IntArray) -> Constraints:
    """Return one cannot-link for each pair of components and the must-links that tie their ends."""
    labels = constraints.component_labels
    rows = constraints.links["cannot_link"].rows
    # A number for each pair of components: looking through all rows for each would take for ever
    # where hundreds of components exclude each other.
    low, high = np.sort(labels[rows], axis=1).T.astype(np.int64)
    pairs, first = np.unique(low * constraints.n_samples + high, return_index=True)
    wanted = np.sort(edges.astype(np.int64), axis=1)
    chosen = first[np.searchsorted(pairs, wanted[:, 0] * constraints.n_samples + wanted[:, 1])]
    samples = np.unique(rows[chosen])
    # A cannot-link of the witness ends in some sample of a component: chains tie the ends of
    # different cannot-links in one component together.
    ties: set[int] = set()
    for component in np.unique(labels[samples]):
        ties |= _ties(constraints, samples[labels[samples] == component])
    return constraints.take(must_link=np.array(sorted(ties), np.int64), cannot_link=chosen)


def _ties(constraints: Constraints, samples: IntArray) -> set[int]:
    """Return must-links that tie samples of one component; all branches end in such a sample."""
    links: Links = constraints.links["must_link"]
    inside = np.flatnonzero(
        constraints.component_labels[links.rows[:, 0]] == constraints.component_labels[samples[0]]
    )
    ties: set[int] = set()
    for sample in samples[1:]:
        pair = np.array([[samples[0], sample]])
        chain, _ = shortest_chain(
            constraints.n_samples, links.rows[inside], pair, np.zeros(1, np.int64)
        )
        ties.update(inside[chain].tolist())
    return ties
