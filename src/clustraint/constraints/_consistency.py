"""Whether constraints can hold together, and which of them cannot.

Pairs speak of clusters and triplets of a hierarchy. They hold together if some hierarchy displays
the triplets and some cut of it into clusters keeps the pairs; `clustraint.kernels.build` decides
that exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from clustraint.constraints._describe import contradiction, crowding, ring
from clustraint.constraints._links import Links
from clustraint.exceptions import InconsistentConstraintsError, TooFewClustersError
from clustraint.kernels.build import build
from clustraint.kernels.components import clique, odd_cycle, shortest_chain
from clustraint.kernels.witness import minimal_core
from clustraint.typing import BoolArray, IntArray

if TYPE_CHECKING:
    from clustraint.constraints._constraints import Constraints

# Branches after which the search for too large a clique gives up.
MOST_STEPS = 100_000


def broken_cannot_links(constraints: Constraints) -> BoolArray:
    """Return which cannot-links lie within one must-link component."""
    ends = constraints.component_labels[constraints.links["cannot_link"].rows]
    return np.asarray(ends[:, 0] == ends[:, 1])


def bonds(constraints: Constraints) -> IntArray:
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
    return not broken_cannot_links(constraints).any() and _verdict(constraints) is None


def _verdict(constraints: Constraints) -> tuple[IntArray, int] | None:
    """Return bonds and a cannot-link, or -1, that contradict each other, if any do."""
    if not len(constraints.links["triplets"].rows):
        return None
    cannot_link = constraints.links["cannot_link"].rows
    verdict = build(constraints.n_samples, bonds(constraints), cannot_link)
    return None if len(verdict.parents) else (verdict.core, verdict.cannot)


def check(constraints: Constraints) -> None:
    """Raise InconsistentConstraintsError with a minimal witness if there is a contradiction."""
    broken = np.flatnonzero(broken_cannot_links(constraints))
    if len(broken):
        raise _pair_contradiction(constraints, broken)
    verdict = _verdict(constraints)
    if verdict is None:
        return
    cannot_link = constraints.links["cannot_link"].rows
    core, cannot = minimal_core(constraints.n_samples, bonds(constraints), cannot_link, *verdict)
    n_triplets = len(constraints.links["triplets"].rows)
    witness = constraints.take(
        triplets=core[core < n_triplets],
        must_link=core[core >= n_triplets] - n_triplets,
        cannot_link=[cannot] if cannot >= 0 else None,
    )
    raise InconsistentConstraintsError(contradiction(witness), witness)


def _pair_contradiction(constraints: Constraints, broken: IntArray) -> InconsistentConstraintsError:
    must_link, cannot_link = (constraints.links[kind].rows for kind in ("must_link", "cannot_link"))
    chain, pair = shortest_chain(constraints.n_samples, must_link, cannot_link, broken)
    witness = constraints.take(must_link=chain, cannot_link=np.array([pair]))
    return InconsistentConstraintsError(contradiction(witness), witness)


def check_n_clusters(constraints: Constraints, n_clusters: int) -> None:
    """Raise TooFewClustersError where the cannot-links are seen to need more clusters.

    Two clusters: an odd ring of cannot-links, if there is one, is found. Otherwise: more than
    `n_clusters` components that exclude each other, within a bounded search.
    """
    found = constraints.components
    if not len(found.cannot_link):
        return
    excluding = clique(found.n_components, found.cannot_link, n_clusters + 1, MOST_STEPS)
    if len(excluding):
        edges = [(a, b) for i, a in enumerate(excluding) for b in excluding[:i]]
        message = crowding(constraints, first_samples(found.labels)[excluding], n_clusters)
        raise TooFewClustersError(message, _witness_of(constraints, edges))
    cycle = odd_cycle(found.n_components, found.cannot_link) if n_clusters == 2 else []
    if len(cycle):
        edges = list(zip(cycle, np.roll(cycle, -1), strict=True))
        witness = _witness_of(constraints, edges)
        message = ring(constraints, first_samples(found.labels)[cycle])
        raise TooFewClustersError(message, witness)


def first_samples(labels: IntArray) -> IntArray:
    """Return the first sample of each component."""
    return np.unique(labels, return_index=True)[1]


def _witness_of(constraints: Constraints, edges: list[tuple[int, int]]) -> Constraints:
    """Return one cannot-link for each pair of components and the must-links that tie their ends."""
    labels = constraints.component_labels
    rows = constraints.links["cannot_link"].rows
    ends = np.sort(labels[rows], axis=1)
    chosen = [
        int(np.flatnonzero((ends[:, 0] == min(edge)) & (ends[:, 1] == max(edge)))[0])
        for edge in edges
    ]
    samples = np.unique(rows[chosen])
    ties: set[int] = set()
    for component in np.unique(labels[samples]):
        ties |= _ties(constraints, samples[labels[samples] == component])
    return constraints.take(
        must_link=np.array(sorted(ties), np.int64), cannot_link=np.array(chosen)
    )


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


def denials(kind: str, row: Sequence[int]) -> list[dict[str, Any]]:
    """Return what would hold instead if the constraint did not, as arguments of Constraints."""
    if kind == "triplets":
        a, b, c = row
        return [{kind: [(a, c, b)]}, {kind: [(b, c, a)]}]
    opposite = {"must_link": "cannot_link", "cannot_link": "must_link"}[kind]
    return [{opposite: [tuple(row)]}]
