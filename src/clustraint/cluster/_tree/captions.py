"""What is written on the nodes of a tree, wherever it is shown."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from clustraint.cluster._tree.arrays import NO_CHILD, Tree
from clustraint.cluster._tree.conditions import show_membership, show_number
from clustraint.constraints.atoms import spell_name
from clustraint.tables import Schema
from clustraint.typing import FloatArray, IntArray
from clustraint.wording import counted


class NodeCaption(NamedTuple):
    """What is written on a node of a tree.

    Attributes
    ----------
    test : str
        The test of an inner node, as people write it; empty at a leaf.
    cluster : str
        The cluster of a leaf; empty at an inner node.
    size : str
        How many samples reach the node.
    centroid : tuple of str
        Some columns of the centroid of a leaf.

    Examples
    --------
    >>> from clustraint import ClusteringTree
    >>> ClusteringTree(2).fit([[0.0], [1.0], [8.0], [9.0]]).captions(n_features=1)[1]
    NodeCaption(test='', cluster='cluster 0', size='2 samples', centroid=('x0 = 8.5',))
    """

    test: str
    cluster: str
    size: str
    centroid: tuple[str, ...]


def captions_of(
    tree: Tree, columns: Schema, decimals: int | None = None, n_features: int = 0
) -> list[NodeCaption]:
    """Return what is written on each node."""
    return [_caption(tree, columns, node, decimals, n_features) for node in range(tree.node_count)]


def _caption(
    tree: Tree, columns: Schema, node: int, decimals: int | None, n_features: int
) -> NodeCaption:
    size = counted(int(tree.n_node_samples[node]), "sample")
    if tree.children_left[node] != NO_CHILD:
        return NodeCaption(caption_of_test(tree, columns, node, decimals), "", size, ())
    cluster = f"cluster {tree.name_of(int(tree.label[node]))}"
    centroid = centroid_captions(tree, columns, node, n_features, decimals) if n_features else ()
    return NodeCaption("", cluster, size, tuple(centroid))


def caption_of_test(tree: Tree, columns: Schema, node: int, decimals: int | None = None) -> str:
    """Return the test of an inner node, as people write it.

    Examples
    --------
    >>> tree = Tree([2, -1, -1], [1, -1, -1], [0, -2, -2], [3.5, -2, -2], (None,) * 3,
    ...             [True, False, False], [5, 2, 3], [1, 0, 0], [[3], [7], [1]], [-1, 0, 1])
    >>> caption_of_test(tree, Schema(("size",), (None,), ("some",)), 0)
    'size > 3.5 or size is missing'
    """
    feature, chosen = int(tree.feature[node]), tree.levels[node]
    name, threshold = columns.names[feature], float(tree.threshold[node])
    if chosen is not None:
        levels = columns.levels[feature] or ()
        text = show_membership(name, tuple(levels[code] for code in chosen))
    elif threshold == -np.inf:
        return f"{spell_name(name)} is known"
    else:
        text = f"{spell_name(name)} > {show_number(threshold, decimals)}"
    # Where no value was missing in `fit`, nobody asks where missing ones would go.
    has_missing = tree.missing_go_to_right[node] and not columns.is_complete(feature)
    return f"{text} or {spell_name(name)} is missing" if has_missing else text


def centroid_captions(
    tree: Tree, columns: Schema, node: int, most: int, decimals: int | None = None
) -> list[str]:
    """Return the centroid of a node, in all columns or where it is farthest from the root's.

    Parameters
    ----------
    tree, columns : Tree, Schema
        The tree and its columns.
    node : int
        A node.
    most : int
        How many columns to show.
    decimals : int, optional
        Of numbers; four digits by default.

    Returns
    -------
    list of str
        In the order of the columns if there is room for all, otherwise those that the tree tests
        first, and of these the farthest.

    Examples
    --------
    >>> tree = Tree([2, -1, -1], [1, -1, -1], [0, -2, -2], [3.5, -2, -2], (None,) * 3,
    ...             [True, False, False], [5, 2, 3], [1, 0, 0],
    ...             [[3, 0], [7, 1], [1, 0]], [-1, 0, 1])
    >>> columns = Schema(("size", "color"), (None, ("blue", "red")))
    >>> centroid_captions(tree, columns, 1, most=2)
    ['size = 7', 'color = red']
    """
    features = np.arange(tree.n_features)
    if most < len(features):
        untested = ~np.isin(features, tree.feature)
        features = np.lexsort((-_deviations(tree, columns)[node], untested))[:most]
    return [
        f"{columns.names[feature]} = "
        f"{_show_value(tree.value[node, feature], columns.levels[feature], decimals)}"
        for feature in features.tolist()
    ]


def _show_value(value: float, levels: tuple[Any, ...] | None, decimals: int | None) -> str:
    if np.isnan(value):
        return "?"
    if levels is not None:
        return str(levels[int(value)])
    # A mean need not be as exact as a threshold.
    return f"{value:.4g}" if decimals is None else show_number(value, decimals)


def _deviations(tree: Tree, columns: Schema) -> FloatArray:
    """Return how far each centroid is from the root's, in spreads of the leaves' centroids."""
    differences = np.abs(np.nan_to_num(tree.value - tree.value[0]))
    nominal = np.array([levels is not None for levels in columns.levels])
    differences[:, nominal] = differences[:, nominal] > 0
    largest = differences.max(axis=0)
    differences /= np.where(largest > 0, largest, 1.0)  # squares of large numbers would overflow
    weights = np.maximum(tree.n_node_samples[tree.leaves], 1)
    spread = np.sqrt(np.average(differences[tree.leaves] ** 2, axis=0, weights=weights))
    return np.asarray(differences / np.where(spread > 0, spread, 1.0))


def n_leaves_below(tree: Tree) -> IntArray:
    """Return how many leaves are below each node, 1 for a leaf itself.

    Examples
    --------
    >>> tree = Tree([2, -1, -1], [1, -1, -1], [0, -2, -2], [0, -2, -2], (None,) * 3,
    ...             [False] * 3, [2, 1, 1], [1, 0, 0], [[0], [1], [-1]], [-1, 0, 1])
    >>> n_leaves_below(tree)
    array([2, 1, 1])
    """
    counts = np.asarray(tree.children_left == NO_CHILD, np.int64)
    for node in range(tree.node_count - 1, 0, -1):
        counts[tree.parents[node]] += counts[node]
    return counts
