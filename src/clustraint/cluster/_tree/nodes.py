"""From the search to the fitted tree: nodes, their pruning, and the arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from clustraint.cluster._tree.arrays import NO_CHILD, NO_FEATURE, NO_LABEL, NO_THRESHOLD, Tree
from clustraint.cluster._tree.leaves import SplitProblem, SplitTest
from clustraint.cluster._tree.search import GrownTree
from clustraint.kernels.splits import spreads
from clustraint.typing import FloatArray, IntArray


@dataclass
class Node:
    """A test with its two sides, or a leaf with its label; both with their samples."""

    rows: IntArray
    label: int = NO_LABEL
    test: SplitTest | None = None
    yes: Node | None = None
    no: Node | None = None

    @property
    def sides(self) -> tuple[Node, ...]:
        """The yes-side and the no-side; nothing at a leaf."""
        return () if self.yes is None or self.no is None else (self.yes, self.no)

    def walk(self) -> Iterator[Node]:
        """Yield all nodes depth first, the yes-side first."""
        pending = [self]
        while pending:
            node = pending.pop()
            yield node
            pending += node.sides[::-1]

    def become_leaf(self, label: int) -> None:
        """Put a leaf in the place of the test and all below."""
        self.test = self.yes = self.no = None
        self.label = label


def from_search(grown: GrownTree) -> Node:
    """Return the root of the tree that a search has found."""
    nodes = {
        leaf.number: Node(leaf.rows, label)
        for leaf, label in zip(grown.leaves, grown.labels, strict=True)
    }
    for step in reversed(grown.steps()):
        yes, no = nodes.pop(step.yes), nodes.pop(step.no)
        rows = np.concatenate([yes.rows, no.rows])
        nodes[step.leaf] = Node(rows, NO_LABEL, step.test, yes, no)
    (root,) = nodes.values()
    return root


def to_arrays(root: Node, problem: SplitProblem, clusters: Sequence[Any] = ()) -> Tree:
    """Return the fitted tree; `clusters` are the names of labels where they have some."""
    nodes = list(root.walk())
    place = {id(node): number for number, node in enumerate(nodes)}
    tests = [node.test for node in nodes]
    size = len(problem.values)
    return Tree(
        children_left=_children(nodes, place, 1),
        children_right=_children(nodes, place, 0),
        feature=np.array([test.feature if test else NO_FEATURE for test in tests]),
        threshold=np.array(
            [test.threshold if test and test.levels is None else NO_THRESHOLD for test in tests]
        ),
        levels=tuple(test.levels if test else None for test in tests),
        missing_go_to_right=np.array([bool(test and test.missing) for test in tests]),
        n_node_samples=np.array([len(node.rows) for node in nodes]),
        impurity=np.array(
            [spreads(problem.targets.of(n.rows))[0] * size / len(n.rows) for n in nodes]
        ),
        value=np.array([_centroid(problem, node.rows) for node in nodes]),
        label=np.array([node.label for node in nodes]),
        clusters=tuple(clusters),
    )


def _children(nodes: list[Node], place: dict[int, int], side: int) -> IntArray:
    return np.array(
        [place[id(node.sides[side])] if node.sides else NO_CHILD for node in nodes], np.int64
    )


def _centroid(problem: SplitProblem, rows: IntArray) -> FloatArray:
    """Return the mean of what is known of numeric columns, the commonest code of nominal ones."""
    values = problem.values[rows]
    present = ~np.isnan(values)
    counts = present.sum(axis=0)
    # Divided first, sums of the largest numbers do not overflow.
    means = (np.where(present, values, 0.0) / np.maximum(counts, 1)).sum(axis=0)
    centroid = np.where(counts > 0, means, np.nan)
    for column in np.flatnonzero((problem.n_levels > 0) & (counts > 0)):
        codes = values[present[:, column], column].astype(np.int64)
        centroid[column] = np.bincount(codes).argmax()
    return centroid
