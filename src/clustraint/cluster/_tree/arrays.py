"""A fitted tree as arrays, and how samples walk down it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from clustraint.typing import BoolArray, FloatArray, IntArray

NO_CHILD = -1
NO_FEATURE = -2
NO_THRESHOLD = -2.0
NO_LABEL = -1


@dataclass(frozen=True, eq=False, repr=False)
class Tree:
    """A tree of tests as arrays with one place for each node, laid out like scikit-learn's.

    Nodes are numbered depth-first, each before those below it, the side where its test holds
    before the side where it fails.

    Parameters
    ----------
    children_left : array of int64 of shape (n_nodes,)
        Where to go if the test fails: x <= threshold, or a value not in `levels`; -1 at leaves.
    children_right : array of int64 of shape (n_nodes,)
        Where to go if it holds: x > threshold, or a value in `levels`; -1 at leaves.
    feature : array of int64 of shape (n_nodes,)
        The column tested; -2 at leaves.
    threshold : array of float64 of shape (n_nodes,)
        Of a numeric test; minus infinity asks whether the value is known; -2 elsewhere.
    levels : tuple of (None or tuple of int), one for each node
        Of a nominal test, the codes of the values for which it holds; None elsewhere.
    missing_go_to_right : array of bool of shape (n_nodes,)
        Whether the test counts as holding where the value is missing.
    n_node_samples : array of int64 of shape (n_nodes,)
        How many samples of `fit` reach a node.
    impurity : array of float64 of shape (n_nodes,)
        How much these differ.
    value : array of float64 of shape (n_nodes, n_features)
        Their centroid: the mean of the known values of a numeric column, the most frequent code
        of a nominal one, nan if all are missing.
    label : array of int64 of shape (n_nodes,)
        The cluster of a leaf; -1 elsewhere.
    clusters : tuple, optional
        What given clusters are called, by label; unless told, they are called by their labels.

    Examples
    --------
    >>> import numpy as np
    >>> tree = Tree(children_left=[2, -1, -1], children_right=[1, -1, -1], feature=[0, -2, -2],
    ...             threshold=[3.5, -2, -2], levels=(None, None, None),
    ...             missing_go_to_right=[True, False, False], n_node_samples=[5, 2, 3],
    ...             impurity=[1.0, 0.0, 0.0], value=[[3.4], [7.0], [1.0]], label=[-1, 0, 1])
    >>> tree
    Tree(3 nodes, 2 leaves, depth 1)
    >>> tree.apply(np.array([[1.0], [7.0], [np.nan]]))
    array([2, 1, 1])
    """

    children_left: IntArray
    children_right: IntArray
    feature: IntArray
    threshold: FloatArray
    levels: tuple[tuple[int, ...] | None, ...]
    missing_go_to_right: BoolArray
    n_node_samples: IntArray
    impurity: FloatArray
    value: FloatArray
    label: IntArray
    clusters: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        for name, dtype in _DTYPES.items():
            array = np.array(getattr(self, name), dtype)
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        object.__setattr__(self, "levels", tuple(self.levels))
        object.__setattr__(self, "clusters", tuple(self.clusters))

    def __reduce__(self) -> tuple[Any, ...]:
        # Unpickled by themselves, arrays could be written to again.
        return type(self), tuple(getattr(self, field.name) for field in fields(self))

    def __repr__(self) -> str:
        leaves = f"{self.n_leaves:,} lea{'f' if self.n_leaves == 1 else 'ves'}"
        nodes = f"{self.node_count:,} node{'s' * (self.node_count != 1)}"
        return f"Tree({nodes}, {leaves}, depth {self.max_depth})"

    @property
    def node_count(self) -> int:
        """How many nodes there are."""
        return len(self.feature)

    @property
    def n_features(self) -> int:
        """How many columns the data have."""
        return int(self.value.shape[1])

    @property
    def n_leaves(self) -> int:
        """How many of the nodes are leaves."""
        return len(self.leaves)

    @property
    def max_depth(self) -> int:
        """How many tests the longest way to a leaf has."""
        return int(self.depths.max())

    @cached_property
    def leaves(self) -> IntArray:
        """The leaves' numbers, rising."""
        return np.flatnonzero(self.children_left == NO_CHILD)

    @cached_property
    def parents(self) -> IntArray:
        """The node above each node; -1 above the root."""
        parents = np.full(self.node_count, NO_CHILD)
        inner = np.flatnonzero(self.children_left != NO_CHILD)
        parents[self.children_left[inner]] = inner
        parents[self.children_right[inner]] = inner
        return parents

    @cached_property
    def depths(self) -> IntArray:
        """How many tests lie above each node."""
        depths = np.zeros(self.node_count, np.int64)
        for node, parent in enumerate(self.parents[1:].tolist(), start=1):
            depths[node] = depths[parent] + 1
        return depths

    def name_of(self, label: int) -> Any:
        """Return what a cluster is called.

        Examples
        --------
        >>> leaf = [-1], [-1], [-2], [-2], (None,), [False], [3], [0], [[1]], [0]
        >>> Tree(*leaf).name_of(0), Tree(*leaf, clusters=("cats",)).name_of(0)
        (0, 'cats')
        """
        return self.clusters[label] if self.clusters else label

    def passes(self, node: int, values: FloatArray) -> BoolArray:
        """Return for which values of its column the test of a node counts as holding.

        Parameters
        ----------
        node : int
            An inner node.
        values : float64 ndarray of shape (n,)
            Numbers, or codes of nominal values, -1 for a value that `fit` did not see; nan for a
            missing one.

        Examples
        --------
        >>> tree = Tree([2, -1, -1], [1, -1, -1], [0, -2, -2], [-2, -2, -2], ((0, 2), None, None),
        ...             [False, False, False], [5, 2, 3], [1, 0, 0], [[0], [0], [1]], [-1, 0, 1])
        >>> tree.passes(0, np.array([0, 1, 2, -1, np.nan]))
        array([ True, False,  True, False, False])
        """
        levels = self.levels[node]
        holds = values > self.threshold[node] if levels is None else np.isin(values, levels)
        return np.asarray(np.where(np.isnan(values), self.missing_go_to_right[node], holds))

    def apply(self, values: FloatArray) -> IntArray:
        """Return the leaf that each sample reaches.

        Parameters
        ----------
        values : float64 ndarray of shape (n_samples, n_features)
            The samples, as `columns.encode` gives them.

        Returns
        -------
        int64 ndarray of shape (n_samples,)
            Numbers of nodes.

        Examples
        --------
        >>> tree = Tree([-1], [-1], [-2], [-2], (None,), [False], [3], [0], [[1]], [0])
        >>> tree.apply(np.array([[1.0], [2.0]]))
        array([0, 0])
        """
        reached = np.empty(len(values), np.int64)
        for leaf, samples in self._walk(values):
            reached[samples] = leaf
        return reached

    def _walk(self, values: FloatArray) -> Iterator[tuple[int, IntArray]]:
        """Yield each leaf that samples reach, with these; one test is done for all at a time."""
        pending = [(0, np.arange(len(values)))]
        while pending:
            node, samples = pending.pop()
            if self.children_left[node] == NO_CHILD:
                yield node, samples
                continue
            holds = self.passes(node, values[samples, self.feature[node]])
            sides = (self.children_left[node], ~holds), (self.children_right[node], holds)
            pending += [(int(child), samples[chosen]) for child, chosen in sides if chosen.any()]

    def decision_path(self, values: FloatArray) -> sparse.csr_matrix:
        """Return the nodes that each sample passes.

        Parameters
        ----------
        values : float64 ndarray of shape (n_samples, n_features)
            The samples, as `columns.encode` gives them.

        Returns
        -------
        CSR matrix of shape (n_samples, n_nodes)
            1 where a sample passes a node, the root and its leaf among them.

        Examples
        --------
        >>> tree = Tree([2, -1, -1], [1, -1, -1], [0, -2, -2], [0, -2, -2], (None,) * 3,
        ...             [False] * 3, [2, 1, 1], [1, 0, 0], [[0], [1], [-1]], [-1, 0, 1])
        >>> tree.decision_path(np.array([[3.0], [-3.0]])).toarray()
        array([[1, 1, 0],
               [1, 0, 1]])
        """
        reached = self.apply(values)
        paths = [self.path(leaf) for leaf in self.leaves.tolist()]
        lengths = self.depths[self.leaves] + 1
        starts = np.concatenate(([0], np.cumsum(lengths)))
        ones = np.ones(starts[-1], np.int64)
        shape = (self.n_leaves, self.node_count)
        ways = sparse.csr_matrix((ones, np.concatenate(paths), starts), shape=shape)
        return ways[np.searchsorted(self.leaves, reached)]

    def path(self, node: int) -> list[int]:
        """Return the nodes from the root to a node, both of them included.

        Examples
        --------
        >>> tree = Tree([2, -1, -1], [1, -1, -1], [0, -2, -2], [0, -2, -2], (None,) * 3,
        ...             [False] * 3, [2, 1, 1], [1, 0, 0], [[0], [1], [-1]], [-1, 0, 1])
        >>> tree.path(2)
        [0, 2]
        """
        nodes = [node]
        while nodes[-1]:
            nodes.append(int(self.parents[nodes[-1]]))
        return nodes[::-1]


_DTYPES: dict[str, Any] = {
    "children_left": np.int64,
    "children_right": np.int64,
    "feature": np.int64,
    "threshold": np.float64,
    "missing_go_to_right": np.bool_,
    "n_node_samples": np.int64,
    "impurity": np.float64,
    "value": np.float64,
    "label": np.int64,
}
