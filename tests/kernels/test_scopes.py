"""The tree that tells ReCon where to search, after each of many merges."""

import numpy as np
import pytest

from clustraint import Constraints, Hierarchy
from clustraint.kernels.open_triplets import close_triplets, compatible, open_triplets
from clustraint.kernels.scopes import (
    AFTER,
    FIRST,
    N_CHILDREN,
    PARENT,
    make_scopes,
    move_down,
)
from tests.reference import recon as reference


def random_triplets(n_items, n_triplets, rng):
    """Triplets of a random hierarchy."""
    merges = np.zeros((n_items - 1, 4))
    roots = list(range(n_items))
    for step in range(n_items - 1):
        first, second = (roots.pop(rng.integers(len(roots))) for _ in range(2))
        merges[step] = first, second, step + 1, 2
        roots.append(n_items + step)
    return Hierarchy.from_linkage(merges).sample_triplets(n_triplets, rng)


def above(nodes, node):
    """All nodes above one."""
    path = []
    while nodes[node, PARENT] >= 0:
        node = nodes[node, PARENT]
        path.append(int(node))
    return path


def child_towards(nodes, node, leaf):
    while nodes[leaf, PARENT] != node:
        leaf = nodes[leaf, PARENT]
    return leaf


def check(scopes, slots, triplets):
    """Leaves are clusters, lists of children are right, and no pair lies in two children."""
    nodes = scopes.nodes
    inner = {node for slot in slots for node in above(nodes, slot)}
    for node in inner:
        children, child = [], nodes[node, FIRST]
        while child >= 0:
            children.append(int(child))
            child = nodes[child, AFTER]
        assert len(children) == nodes[node, N_CHILDREN] > 1
        assert all(nodes[child, PARENT] == node for child in children)
        assert inner.union(slots).issuperset(children)
    for a, b, c in triplets:
        common = set(above(nodes, a)).intersection(above(nodes, b), above(nodes, c))
        for node in common:
            assert child_towards(nodes, node, a) == child_towards(nodes, node, b)


def test_scopes_hold_after_every_merge(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    # Many small ones, and some large enough that branches are split on the way down.
    for most in [16] * 15 + [40] * 3:
        n_items = int(rng.integers(4, most))
        triplets = random_triplets(n_items, int(rng.integers(1, 3 * n_items)), rng)
        rows = Constraints(n_items, triplets=triplets).links["triplets"].rows
        layout = Hierarchy.from_triplets(triplets, n_items).layout
        pending = open_triplets(n_items, rows, layout)
        left, slots = [tuple(map(int, row)) for row in rows], list(range(n_items))
        while len(slots) > 1:
            check(pending.scopes, slots, left)
            low, high = sorted(map(int, rng.choice(slots, 2, replace=False)))
            passes = sum(compatible(pending, low, high)) == 2
            assert passes == (
                not any({low, high} in ({a, c}, {b, c}) for a, b, c in left)
                and reference.test_compatibility(left, set(slots), low, high)
            )
            if passes:
                close_triplets(pending, low, high)
                left = reference.update(left, low, high)
                slots.remove(high)


def nested(nodes, node):
    """What is below a node, as sets of sets."""
    children, child = [], nodes[node, FIRST]
    while child >= 0:
        children.append(nested(nodes, child))
        child = nodes[child, AFTER]
    assert len(children) == nodes[node, N_CHILDREN]
    return frozenset(children) if children else int(node)


def sets(tree):
    return frozenset(map(sets, tree)) if isinstance(tree, tuple) else tree


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
@pytest.mark.parametrize("leaves", [(6,), (6, 7), (6, 7, 8)])
def test_leaves_move_down_past_nodes_that_are_split(order, leaves):
    scopes = make_scopes(Hierarchy.from_newick("((((0,1),2,3),4,5),(6,7,8));").layout)
    nodes = scopes.nodes
    pair = nodes[0, PARENT]
    inner = nodes[pair, PARENT]
    outer = nodes[inner, PARENT]
    split = np.array([(outer, inner), (inner, pair)])[list(order)]
    move_down(scopes, pair, np.array(leaves), len(leaves) == 3, split)
    moved = leaves[0] if len(leaves) == 1 else leaves
    large = ((((0, 1), moved), (2, 3)), (4, 5))
    rest = {(6,): (7, 8), (6, 7): 8}
    whole = nested(nodes, above(nodes, 0)[-1])
    assert whole == sets((large, rest[leaves]) if leaves in rest else large)
