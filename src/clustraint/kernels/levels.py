"""BUILD (Aho et al. 1981; OneTree in the ReCon paper), level by level.

The samples of a block form a graph with one edge a-b per bond. A bond is a row (a, b, c): the
triplet ab|c, or the must-link a = b where c is -1. The connected parts of a block's graph are its
children in the tree; a triplet whose c went to another part is resolved and leaves, the part falls
apart further, and so on.

A block that does not fall apart by triplets alone is a contradiction. One that is held together by
must-links too has to lie within one cluster: then no cannot-link may be inside it, and below it the
must-links say nothing any more.
"""

from typing import NamedTuple

import numpy as np

from clustraint.kernels._jit import jit, piece
from clustraint.kernels.disjoint_set import find, unite


class Level(NamedTuple):
    """How far the tree has come: what is left to split, the nodes made, and what went wrong."""

    samples: np.ndarray  # those not yet below their last node
    active: np.ndarray  # the bonds whose samples are all in one block
    n_nodes: int
    core: np.ndarray  # bonds that hold a block together which should fall apart
    cannot: int  # the cannot-link within it, -1 if the bonds alone are the contradiction


@piece
def _unite(bonds, active, root):
    """Unite the a and b of all active bonds; return those that made a difference."""
    useful = np.empty(len(active), np.int64)
    n_useful = 0
    for bond in active:
        if unite(root, bonds[bond, 0], bonds[bond, 1]):
            useful[n_useful] = bond
            n_useful += 1
    return useful[:n_useful]


@piece
def _pair_within(cannot_link, root, here, node, block):
    """Return a cannot-link whose ends are both in a part of a block, or -1."""
    for pair in range(len(cannot_link)):
        x, y = cannot_link[pair]
        if node[x] == block and node[y] == block and root[x] == here and root[y] == here:
            return pair
    return -1


@jit
def split_levels(bonds, cannot_link, node, leaf_parent, node_parent, passes):
    """Split level by level, by union-find over all bonds that are still in one block.

    `node` is the block of each sample, -1 below its last node; `leaf_parent` and `node_parent` take
    up the tree. Stops when the triplets were passed over `passes` times, all bonds taken together.
    """
    n_samples = len(node)
    samples = np.arange(n_samples)
    active = np.arange(len(bonds))
    n_links = 0
    for bond in active:
        n_links += bonds[bond, 2] < 0
    left = passes * len(bonds)
    root = np.empty(n_samples, np.int64)
    size = np.empty(n_samples, np.int64)
    made = np.empty(n_samples, np.int64)
    busy = np.empty(n_samples, np.bool_)
    linked = np.empty(n_samples, np.bool_)
    block_size = np.empty(n_samples + 1, np.int64)
    block_size[0] = n_samples
    n_nodes = 1
    # At the start of each level `node` is the block of each sample that is left, and `active` are
    # the bonds whose samples are all in one block. A level makes the connected parts of every block
    # its children, and keeps the bonds that lie within one of these.
    while len(active) and (left > 0 or n_links > 0):
        left -= len(active)
        for sample in samples:
            root[sample] = sample
            size[sample] = 0
            made[sample] = -1
            busy[sample] = False
            linked[sample] = False
        # A spanning forest of each block: enough to show why one holds together.
        useful = _unite(bonds, active, root)
        for sample in samples:
            root[sample] = find(root, sample)
            size[root[sample]] += 1
        if n_links:
            for bond in active:
                if bonds[bond, 2] < 0:
                    linked[root[bonds[bond, 0]]] = True
        # A part as large as its block has not fallen apart. By must-links it may have to be one
        # cluster, unless a cannot-link lies within; by triplets alone it is a contradiction.
        for sample in samples:
            block = node[sample]
            if root[sample] == sample and size[sample] == block_size[block]:
                pair = (
                    _pair_within(cannot_link, root, sample, node, block) if linked[sample] else -1
                )
                if pair >= 0 or not linked[sample]:
                    held = useful[node[bonds[useful, 0]] == block]
                    return Level(samples, active, n_nodes, held, pair)
                # One cluster from here on: the block stays whole once more, without its links.
                made[sample] = block
        # A triplet stays while its c is in the same part; a must-link until its part is known to
        # lie in one cluster.
        n_active = 0
        n_links = 0
        for bond in active:
            here = root[bonds[bond, 0]]
            if bonds[bond, 2] < 0:
                stays = made[here] < 0
                n_links += stays
            else:
                stays = root[bonds[bond, 2]] == here
            if stays:
                busy[here] = True
                active[n_active] = bond
                n_active += 1
        active = active[:n_active]
        n_left = 0
        # A part with bonds left is split on the next level; one without is a node whose samples are
        # its leaves, and a single sample is a leaf of the block.
        for sample in samples:
            here = root[sample]
            if size[here] == 1:
                leaf_parent[sample] = node[sample]
                node[sample] = -1
                continue
            if made[here] < 0:
                made[here] = n_nodes
                node_parent[n_nodes] = node[sample]
                block_size[n_nodes] = size[here]
                n_nodes += 1
            if busy[here]:
                node[sample] = made[here]
                samples[n_left] = sample
                n_left += 1
            else:
                leaf_parent[sample] = made[here]
                node[sample] = -1
        samples = samples[:n_left]
    return Level(samples, active, n_nodes, active[:0], -1)


@piece
def contradiction(n_samples, bonds, cannot_link):
    """Return bonds, none if all hold together, and a cannot-link or -1, that contradict."""
    node = np.zeros(n_samples, np.int64)
    leaf_parent = np.empty(n_samples, np.int64)
    node_parent = np.empty(n_samples + 1, np.int64)
    passes = n_samples + 1
    level = split_levels(bonds, cannot_link, node, leaf_parent, node_parent, passes)
    return level.core, level.cannot
