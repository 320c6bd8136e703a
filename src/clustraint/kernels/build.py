"""BUILD: the tree that triplets describe, or why there is none.

The upper levels are split all at once, which is fastest while many triplets leave at each level;
what is left after some passes is deep and goes on in decremental form. The two are called from
plain Python, so that nobody compiles the second who has no deep trees.
"""

from typing import NamedTuple

import numpy as np

from clustraint.kernels._jit import jit
from clustraint.kernels.deep import split_deep
from clustraint.kernels.levels import split_levels

# How often all bonds, taken together, are passed over level by level before the deep form starts.
PASSES = 10


class BuildVerdict(NamedTuple):
    """`parents` is empty where the bonds contradict each other; `core` and `cannot` say why."""

    parents: np.ndarray
    core: np.ndarray  # bonds that suffice for the contradiction
    cannot: int  # the cannot-link that takes part in it, -1 for none


@jit
def _numbered_bottom_up(leaf_parent, node_parent, n_nodes):
    """Turn the numbering of inner nodes, made from the root down, so that the root is last."""
    n_samples = len(leaf_parent)
    last = n_samples + n_nodes - 1
    parents = np.empty(n_samples + n_nodes, np.int64)
    for sample in range(n_samples):
        parents[sample] = last - leaf_parent[sample]
    for node in range(1, n_nodes):
        parents[last - node] = last - node_parent[node]
    parents[last] = -1
    return parents


def build(n_samples, bonds, cannot_link):
    """Return what becomes of bonds, shape (m, 3), and cannot-links, shape (p, 2); see `levels`."""
    none = np.empty(0, np.int64)
    node = np.zeros(n_samples, np.int64)
    leaf_parent = np.zeros(n_samples, np.int64)
    node_parent = np.empty(n_samples + 1, np.int64)
    if n_samples == 1:
        return BuildVerdict(np.array([-1]), none, -1)
    # Must-links and cannot-links are settled level by level; what goes on in deep form are triplets
    # alone.
    level = split_levels(bonds, cannot_link, node, leaf_parent, node_parent, PASSES)
    if len(level.core):
        return BuildVerdict(none, level.core, level.cannot)
    n_nodes = level.n_nodes
    if len(level.active):
        core, n_nodes = split_deep(
            bonds[level.active], level.samples, n_nodes, node, leaf_parent, node_parent
        )
        if len(core):
            return BuildVerdict(none, level.active[core], -1)
    return BuildVerdict(_numbered_bottom_up(leaf_parent, node_parent, n_nodes), none, -1)


def build_tree(n_samples, triplets):
    """Return the parents of the BUILD tree of `triplets`, or an empty array where there is none."""
    return build(n_samples, triplets, np.empty((0, 2), np.int64)).parents
