"""Rows about what is known: constraints, their consistency, hierarchies."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.rows import Contest, Reference, at_least, at_most, row
from clustraint.typing import IntArray


def random_parents(n_leaves: int, rng: np.random.Generator) -> IntArray:
    """Return a random binary tree: two of the trees left are joined until one is left."""
    parents = np.full(2 * n_leaves - 1, -1, dtype=np.int64)
    roots = list(range(n_leaves))
    for node in range(n_leaves, 2 * n_leaves - 1):
        for _ in range(2):
            position = int(rng.integers(len(roots)))
            roots[position], roots[-1] = roots[-1], roots[position]
            parents[roots.pop()] = node
        roots.append(node)
    return parents


def balanced_parents(n_leaves: int) -> IntArray:
    """Return the tree that joins neighbours, then neighbouring pairs, and so on."""
    nodes = np.arange(2 * n_leaves - 2)
    return np.append(n_leaves + nodes // 2, -1)


def caterpillar_parents(n_leaves: int) -> IntArray:
    """Return the tree in which every join takes in one more leaf."""
    inner = np.arange(n_leaves, 2 * n_leaves - 1)
    return np.concatenate((inner[:1], inner, inner[1:], [-1]))


def spine_parents(n_cherries: int) -> IntArray:
    """Return the tree in which every join takes in one more pair of leaves."""
    leaves = 2 * n_cherries
    cherries = leaves + np.repeat(np.arange(n_cherries), 2)
    spine = np.arange(leaves + n_cherries, leaves + 2 * n_cherries - 1)
    return np.concatenate((cherries, spine[:1], spine, spine[1:], [-1]))


def contradictory_constraints(n_leaves: int) -> Any:
    """Return ten triplets a leaf of a random tree, of which 5 % have b and c exchanged."""
    from clustraint import Constraints, Hierarchy

    n_triplets = 10 * n_leaves
    rng = np.random.default_rng(0)
    tree = Hierarchy(random_parents(n_leaves, rng))
    triplets = tree.sample_triplets(n_triplets, rng)
    reversed_ = rng.random(n_triplets) < 0.05
    triplets[reversed_] = triplets[reversed_][:, [0, 2, 1]]
    return Constraints(n_leaves, triplets=triplets)


def consistency_test(constraints: Any) -> Callable[[], bool]:
    """Return a test of a copy, which has no answer in store."""
    return lambda: copy(constraints).is_consistent()


def explain(constraints: Any) -> Callable[[], None]:
    """Return a call that looks for the witness of a contradiction."""
    from clustraint.exceptions import InconsistentConstraintsError

    def check() -> None:
        with suppress(InconsistentConstraintsError):
            copy(constraints).check()

    return check


def against_tralda(parents: IntArray, n_triplets: int) -> Contest:
    """Return the contest of building a tree from random triplets of the tree given."""
    from tralda.supertree.build import Build

    from clustraint import Hierarchy

    tree = Hierarchy(parents)
    triplets = tree.sample_triplets(n_triplets, np.random.default_rng(0))
    triples = [tuple(triplet) for triplet in triplets.tolist()]

    def ours() -> Any:
        return Hierarchy.from_triplets(triplets, len(tree))

    def peer() -> Any:
        sys.setrecursionlimit(100_000)
        return Build(triples, set(range(len(tree)))).build_tree()

    def verify(hierarchy: Any, tree: Any) -> None:
        assert hierarchy.n_nodes == sum(1 for _ in tree.preorder())

    return Contest(ours, peer, verify)


@row("OneTree, 5,000 leaves, 100,000 triplets of a random tree", at_least(50), peer_name="tralda")
def onetree_random(quick: bool) -> Contest:
    n_leaves, n_triplets = (500, 10_000) if quick else (5_000, 100_000)
    return against_tralda(random_parents(n_leaves, np.random.default_rng(0)), n_triplets)


@row(
    "OneTree, 5,000 leaves, 100,000 triplets of a tree 2,500 deep",
    at_least(20),
    peer_name="tralda",
    peer_limit=120,
)
def onetree_deep(quick: bool) -> Contest:
    n_cherries, n_triplets = (100, 4_000) if quick else (2_500, 100_000)
    return against_tralda(spine_parents(n_cherries), n_triplets)


@row(
    "OneTree, caterpillar of 100,000 leaves, informative triplets",
    at_most(10),
    peer_name="balanced tree",
)
def onetree_caterpillar(quick: bool) -> Contest:
    from clustraint import Hierarchy

    n_leaves = 10_000 if quick else 100_000
    rng = np.random.default_rng(0)

    def build(parents: IntArray) -> Callable[[], Any]:
        triplets = rng.permutation(Hierarchy(parents).informative_triplets())
        triplets = rng.permutation(n_leaves)[triplets]
        return lambda: Hierarchy.from_triplets(triplets, n_leaves)

    return Contest(build(caterpillar_parents(n_leaves)), build(balanced_parents(n_leaves)))


@row(
    "witness, 1,000 leaves, 10,000 triplets, 5 % reversed",
    at_most(50),
    peer_name="consistency test",
)
def witness_of_triplets(quick: bool) -> Contest:
    constraints = contradictory_constraints(300 if quick else 1_000)
    return Contest(explain(constraints), consistency_test(constraints))


@row(
    "witness, 10,000 leaves, 100,000 triplets, 5 % reversed",
    at_most(1),
    quick=at_most(1),
    peer_name="budget",
)
def witness_of_many_triplets(quick: bool) -> Contest:
    from clustraint.exceptions import InconsistentConstraintsError

    constraints = contradictory_constraints(1_000 if quick else 10_000)
    try:
        constraints.check()
    except InconsistentConstraintsError as error:
        length = len(error.witness.triplets)
    seconds = 0.1 if quick else 1.0
    source = f"the peer is a budget of {seconds:g} CPU seconds; {length:,} triplets contradict"
    return Contest(explain(constraints), Reference(seconds, source))


@row(
    "repair, 1,000 leaves, 10,000 triplets, 5 % reversed",
    at_most(300),
    peer_name="consistency test",
)
def repair_of_triplets(quick: bool) -> Contest:
    constraints = contradictory_constraints(300 if quick else 1_000)

    def verify(repaired: Any, consistent: bool) -> None:
        kept, dropped = repaired
        assert kept.is_consistent()
        assert not consistent
        assert len(dropped.triplets) < 0.1 * len(constraints.triplets)

    return Contest(lambda: copy(constraints).repair(), consistency_test(constraints), verify)


@row(
    "witness, chain of 1,000,000 must-links and a cannot-link",
    at_most(10),
    peer_name="scipy connected_components",
)
def witness_of_chain(quick: bool) -> Contest:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    from clustraint import Constraints

    n_links = 100_000 if quick else 1_000_000
    links = np.stack((np.arange(n_links), np.arange(1, n_links + 1)), axis=1)
    ones = np.ones(n_links, np.int8)
    graph = coo_array((ones, links.T), shape=(n_links + 1, n_links + 1)).tocsr()

    def ours() -> None:
        explain(Constraints(n_links + 1, must_link=links, cannot_link=[(0, n_links)]))()

    return Contest(ours, lambda: connected_components(graph, directed=False))


@row(
    "displays, 1,000,000 triplets on 100,000 leaves",
    at_most(5),
    peer_name="numpy sort",
)
def displays(quick: bool) -> Contest:
    from clustraint import Hierarchy

    n_leaves, n_triplets = (10_000, 100_000) if quick else (100_000, 1_000_000)
    rng = np.random.default_rng(0)
    tree = Hierarchy(random_parents(n_leaves, rng))
    triplets = tree.sample_triplets(n_triplets, rng)

    def verify(displayed: NDArray[np.bool_], _: IntArray) -> None:
        assert displayed.all()

    return Contest(lambda: tree.displays(triplets), lambda: np.sort(triplets, axis=0), verify)
