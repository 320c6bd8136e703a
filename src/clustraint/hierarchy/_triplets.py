"""The triplets that a hierarchy displays: counted, listed and drawn."""

from __future__ import annotations

import numpy as np

from clustraint.checks import is_whole
from clustraint.exceptions import InvalidHierarchyError
from clustraint.kernels import tree
from clustraint.kernels.tree import Layout
from clustraint.machine import announce
from clustraint.typing import IntArray


def count_triplets(layout: Layout, pairs: IntArray) -> int:
    """Return how many triplets a tree displays, exactly."""
    # Python's integers: the products leave int64 at some four million samples.
    outside = layout.order.size - layout.sizes
    return int((pairs.astype(object) * outside).sum())


def all_triplets(layout: Layout, pairs: IntArray) -> IntArray:
    """Return every triplet that a tree displays, in lexicographic order."""
    n_triplets = count_triplets(layout, pairs)
    announce("triplets", n_triplets)
    members, nodes = tree.meeting_pairs(layout, int(pairs[:-1].sum()))
    # By a, then b; `list_triplets` goes through c in rising order.
    order = np.lexsort((members[:, 1], members[:, 0]))
    return tree.list_triplets(layout, members[order], nodes[order], n_triplets)


def draw_triplets(
    layout: Layout, pairs: IntArray, n_triplets: int, random: np.random.Generator
) -> IntArray:
    """Return independent uniform draws from the triplets that a tree displays."""
    if not is_whole(n_triplets) or n_triplets < 0:
        raise InvalidHierarchyError(
            f"n_triplets must be a whole number from 0 up, not {n_triplets!r}."
        )
    outside = layout.order.size - layout.sizes
    weights = pairs.astype(np.float64) * outside
    candidates = np.flatnonzero(weights)
    if candidates.size == 0:
        raise InvalidHierarchyError(
            "this hierarchy displays no triplets: no two samples join before a third."
        )
    shares = weights[candidates] / weights.sum()
    # First the node by its number of triplets, then one of its pairs and one sample outside,
    # independently: every triplet is equally likely, and none is listed.
    nodes = random.choice(candidates, size=n_triplets, p=shares)
    pair_ranks = random.integers(pairs[nodes])
    outside_ranks = random.integers(outside[nodes])
    return tree.pick_triplets(layout, tree.pairs_before(layout), nodes, pair_ranks, outside_ranks)
