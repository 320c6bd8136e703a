"""A small tree that describes given clusters."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from clustraint.cluster._tree.leaves import SplitProblem
from clustraint.cluster._tree.links import GroupLinks
from clustraint.cluster._tree.nodes import Node, from_search
from clustraint.cluster._tree.prospects import TOLERANCE
from clustraint.cluster._tree.search import GrownTree, Options, Search
from clustraint.cluster._tree.targets import TargetTable
from clustraint.constraints import Constraints
from clustraint.typing import FloatArray, IntArray

# Leaves for each cluster at the most, where no number is given: what more people would not read.
LEAVES_PER_CLUSTER = 20


class Limits(NamedTuple):
    """How large the tree may be, how well it is to describe, and how widely it is searched for."""

    max_leaves: int | None
    max_depth: int
    min_leaf: int
    fidelity: float
    beam_width: int


def explain(
    values: FloatArray, n_levels: IntArray, clusters: IntArray, limits: Limits
) -> tuple[Node, SplitProblem]:
    """Return the smallest tree found that puts enough samples into their clusters.

    Splits lower the Gini index of the clusters (as in CART); leaves take their commonest cluster.
    Then what adds too little is taken back.
    """
    n_clusters = int(clusters.max()) + 1
    columns = np.array([n_clusters])
    targets = TargetTable.from_values(clusters[:, None].astype(np.float64), columns)
    links = GroupLinks.from_constraints(Constraints(len(values)))
    problem = SplitProblem(
        values, n_levels, targets, links, links.shares(0.0), limits.min_leaf, TOLERANCE, False
    )
    n_leaves = min(limits.max_leaves or LEAVES_PER_CLUSTER * n_clusters, len(values))
    search = Search(problem, Options(n_leaves, False, n_leaves, limits.max_depth, -1.0, True))
    aim = _Aim(clusters, n_clusters, limits.fidelity)
    grown = [search.climb(width, aim.is_reached) for width in sorted({1, limits.beam_width})]
    roots = [aim.pruned(from_search(tree)) for tree in grown]
    return min(roots, key=aim.rank), problem


class _Aim:
    """How well a tree describes clusters."""

    def __init__(self, clusters: IntArray, n_clusters: int, fidelity: float) -> None:
        self._clusters = clusters
        self._n_clusters = n_clusters
        self._wanted = fidelity * len(clusters)
        self._counts: dict[int, IntArray] = {}

    def _count(self, rows: IntArray) -> IntArray:
        return np.bincount(self._clusters[rows], minlength=self._n_clusters)

    def is_reached(self, tree: GrownTree) -> bool:
        """Say whether enough samples are in their clusters, and no cluster is without a leaf."""
        for leaf in tree.leaves:
            if leaf.number not in self._counts:
                self._counts[leaf.number] = self._count(leaf.rows)
        return self._is_enough([self._counts[leaf.number] for leaf in tree.leaves])

    def _is_enough(self, counts: list[IntArray]) -> bool:
        right = sum(int(count.max()) for count in counts)
        named = {int(count.argmax()) for count in counts}
        return right >= self._wanted and len(named) == self._n_clusters

    def pruned(self, root: Node) -> Node:
        """Label the leaves, and take back every test that is not needed, the least useful first."""
        for node in root.walk():
            if not node.sides:
                node.label = int(self._count(node.rows).argmax())
        enough = self._is_enough(self._leaf_counts(root))
        while True:
            tests = [node for node in root.walk() if node.sides]
            ends = [node for node in tests if not any(side.sides for side in node.sides)]
            least = min(ends, key=self._loss, default=None)
            if least is None or not self._may_go(root, least, enough):
                return root
            least.become_leaf(int(self._count(least.rows).argmax()))

    def _leaf_counts(self, root: Node, without: Node | None = None) -> list[IntArray]:
        hidden = set() if without is None else {id(side) for side in without.sides}
        return [
            self._count(node.rows)
            for node in root.walk()
            if (not node.sides and id(node) not in hidden) or node is without
        ]

    def _loss(self, node: Node) -> int:
        """Return how many samples leave their cluster if the sides of a node become one leaf."""
        apart = sum(int(self._count(side.rows).max()) for side in node.sides)
        return apart - int(self._count(node.rows).max())

    def _may_go(self, root: Node, node: Node, enough: bool) -> bool:
        if self._loss(node) == 0 and len({side.label for side in node.sides}) == 1:
            return True
        return enough and self._is_enough(self._leaf_counts(root, node))

    def rank(self, root: Node) -> tuple[bool, int, int]:
        """Return a key by which better trees come first."""
        counts = self._leaf_counts(root)
        right = sum(int(count.max()) for count in counts)
        return not self._is_enough(counts), len(counts), -right
