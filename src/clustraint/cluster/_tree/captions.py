"""What is written on the nodes of a tree, and in which colours, wherever it is shown."""

from __future__ import annotations

from typing import Any

import numpy as np

from clustraint.cluster._tree.arrays import NO_CHILD, Tree
from clustraint.cluster._tree.columns import Columns
from clustraint.cluster._tree.conditions import show_membership, show_number
from clustraint.typing import FloatArray, IntArray

# Okabe and Ito's colours, which people tell apart whatever colours they see.
HUES = ("#E69F00", "#56B4E9", "#009E73", "#F0E442", "#0072B2", "#D55E00", "#CC79A7", "#999999")
# How much of a colour is left beside white, so that dark text can be read on it.
STRENGTHS = (0.55, 0.25, 0.7)


def cluster_color(cluster: int) -> str:
    """Return a light colour for a cluster, as ``#rrggbb``; after 24 clusters they come again.

    Examples
    --------
    >>> cluster_color(0), cluster_color(8)
    ('#f1ca73', '#f9e7bf')
    """
    cycle, place = divmod(cluster, len(HUES))
    strength = STRENGTHS[cycle % len(STRENGTHS)]
    channels = (int(HUES[place][start : start + 2], 16) for start in (1, 3, 5))
    return "#" + "".join(f"{round(255 + (value - 255) * strength):02x}" for value in channels)


def caption_of_test(tree: Tree, columns: Columns, node: int, decimals: int | None = None) -> str:
    """Return the test of an inner node, as people write it.

    Examples
    --------
    >>> tree = Tree([2, -1, -1], [1, -1, -1], [0, -2, -2], [3.5, -2, -2], (None,) * 3,
    ...             [True, False, False], [5, 2, 3], [1, 0, 0], [[3], [7], [1]], [-1, 0, 1])
    >>> caption_of_test(tree, Columns(("size",), (None,), ("some",)), 0)
    'size > 3.5 or missing'
    """
    feature, chosen = int(tree.feature[node]), tree.levels[node]
    name, threshold = columns.names[feature], float(tree.threshold[node])
    if chosen is not None:
        levels = columns.levels[feature] or ()
        text = show_membership(name, tuple(levels[code] for code in chosen))
    elif threshold == -np.inf:
        return f"{name} is known"
    else:
        text = f"{name} > {show_number(threshold, decimals)}"
    is_told = tree.missing_go_to_right[node] and not columns.is_complete(feature)
    return f"{text} or missing" if is_told else text


def cluster_caption(tree: Tree, leaf: int) -> str:
    """Return which cluster a leaf belongs to.

    Examples
    --------
    >>> tree = Tree([-1], [-1], [-2], [-2], (None,), [False], [3], [0], [[1]], [0], ("cats",))
    >>> cluster_caption(tree, 0)
    'cluster cats'
    """
    return f"cluster {tree.name_of(int(tree.label[leaf]))}"


def size_caption(n_samples: int) -> str:
    """Return how many samples there are, in words.

    Examples
    --------
    >>> size_caption(1), size_caption(1200)
    ('1 sample', '1,200 samples')
    """
    return f"{n_samples:,} sample{'s' * (n_samples != 1)}"


def centroid_captions(
    tree: Tree, columns: Columns, node: int, most: int, decimals: int | None = None
) -> list[str]:
    """Return the centroid of a node, in all columns or where it is farthest from the root's.

    Parameters
    ----------
    tree, columns : Tree, Columns
        The tree and its columns.
    node : int
        A node.
    most : int
        How many columns to tell of.
    decimals : int, optional
        Of numbers; four digits unless told.

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
    >>> columns = Columns(("size", "color"), (None, ("blue", "red")))
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


def _deviations(tree: Tree, columns: Columns) -> FloatArray:
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
