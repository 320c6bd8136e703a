"""Dropping a small weight of constraints so that the rest holds together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clustraint.constraints._consistency import broken_cannot_links, is_consistent
from clustraint.constraints._kinds import PAIR_KINDS
from clustraint.constraints._links import Links
from clustraint.exceptions import UnrepairableRulesError
from clustraint.kernels.components import chain_loads
from clustraint.kernels.flow import minimum_cut
from clustraint.kernels.repair import lost_triplets
from clustraint.typing import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from clustraint.constraints._constraints import Constraints

# Dropped constraints are tried once more while that tests fewer rows than this in all.
MOST_RETRIED = 2_000_000


def repair(constraints: Constraints) -> tuple[Constraints, Constraints]:
    """Return what to keep and what to drop."""
    kept = {kind: np.ones(len(links.rows), bool) for kind, links in constraints.links.items()}
    # Pairs first: triplets are then dropped where they contradict each other or the pairs kept.
    _repair_pairs(constraints, kept)
    pairs = constraints.take(must_link=kept["must_link"], cannot_link=kept["cannot_link"])
    triplets = constraints.links["triplets"]
    if len(triplets.rows):
        kept["triplets"] = ~lost_triplets(
            constraints.n_samples,
            triplets.rows,
            triplets.weights,
            np.array(pairs.component_labels),
            pairs.links["cannot_link"].rows,
        )
    # Heuristics drop too much at times: whatever fits in again goes back.
    _retry(constraints, kept)
    dropped = {kind: ~mask for kind, mask in kept.items()}
    return constraints.take(**kept, rules=constraints.rules), constraints.take(**dropped)


def repair_around_rules(
    constraints: Constraints, expanded: Constraints
) -> tuple[Constraints, Constraints]:
    """Return what to keep and what to drop, where rules mean the pairs of `expanded`."""
    if is_consistent(expanded):
        return constraints, constraints.take()
    # The pairs of rules weigh more than all others together, so that these go first.
    total = 1 + sum(float(links.weights.sum()) for links in constraints.links.values())
    stated = {kind: _row_set(links) for kind, links in constraints.links.items()}
    weighted = {}
    for kind, links in expanded.links.items():
        weights = np.where(_among(links, stated[kind]), links.weights, total)
        weighted[kind] = Links(links.rows, weights)
    _, dropped = repair(expanded._with(links=weighted))
    lost = {kind: _row_set(links) for kind, links in dropped.links.items()}
    # Rules contradict each other, as only they weigh so much.
    if any(rows - stated[kind] for kind, rows in lost.items()):
        raise UnrepairableRulesError
    masks = {kind: _among(links, lost[kind]) for kind, links in constraints.links.items()}
    kept = {kind: ~mask for kind, mask in masks.items()}
    return constraints.take(**kept, rules=constraints.rules), constraints.take(**masks)


def _row_set(links: Links) -> set[tuple[int, ...]]:
    return {*map(tuple, links.rows.tolist())}


def _among(links: Links, rows: set[tuple[int, ...]]) -> BoolArray:
    return np.array([tuple(row) in rows for row in links.rows.tolist()], bool)


def _repair_pairs(constraints: Constraints, kept: dict[str, BoolArray]) -> None:
    """Settle one contradicted cannot-link after the other, the heaviest first.

    Either a light cut of the must-links that link its ends goes, where all cannot-links that this
    settles weigh more than it does, or the cannot-link itself. Of cuts that weigh the same, the one
    through which most chains between contradicted pairs run is likely to be wrong.
    """
    must_link, cannot_link = (constraints.links[kind] for kind in PAIR_KINDS)
    broken = np.flatnonzero(broken_cannot_links(constraints))
    loads = chain_loads(constraints.n_samples, must_link.rows, *cannot_link, broken)
    # Each round settles the heaviest broken cannot-link at least, by dropping it or by parting its
    # ends, so that the list gets shorter.
    while len(broken):
        heaviest = broken[np.argmax(cannot_link.weights[broken])]
        left = constraints.take(must_link=kept["must_link"])
        side = _side(left, cannot_link.rows[heaviest], loads[kept["must_link"]])
        cut = kept["must_link"] & (side[must_link.rows[:, 0]] != side[must_link.rows[:, 1]])
        sides = side[cannot_link.rows[broken]]
        settled = broken[sides[:, 0] != sides[:, 1]]
        if must_link.weights[cut].sum() < cannot_link.weights[settled].sum():
            kept["must_link"][cut] = False
        else:
            kept["cannot_link"][heaviest] = False
        ends = constraints.take(must_link=kept["must_link"]).component_labels[cannot_link.rows]
        broken = np.flatnonzero(kept["cannot_link"] & (ends[:, 0] == ends[:, 1]))


def _side(constraints: Constraints, pair: IntArray, loads: FloatArray) -> BoolArray:
    """Return the samples on the first sample's side of a light cut between a pair."""
    links = constraints.links["must_link"]
    labels = constraints.component_labels
    inside = labels[links.rows[:, 0]] == labels[pair[0]]
    # Links through which many contradictions run are lighter to the cut, and so go first among
    # equals.
    weights = links.weights[inside] / (1 + loads[inside])
    side = minimum_cut(constraints.n_samples, links.rows[inside], weights, pair[0], pair[1])
    return np.asarray(side)


def _retry(constraints: Constraints, kept: dict[str, BoolArray]) -> None:
    """Take back every dropped constraint that the others do not contradict after all."""
    n_dropped = sum(int((~mask).sum()) for mask in kept.values())
    if n_dropped * constraints.n_constraints > MOST_RETRIED:
        return
    for kind, mask in kept.items():
        weights = constraints.links[kind].weights
        for row in sorted(np.flatnonzero(~mask).tolist(), key=lambda row: -weights[row]):
            mask[row] = True
            mask[row] = is_consistent(constraints.take(**kept))
