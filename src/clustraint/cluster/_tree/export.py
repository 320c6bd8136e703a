"""Trees as indented text and in the language of Graphviz."""

from __future__ import annotations

from collections.abc import Iterator

from clustraint.cluster._tree.arrays import NO_CHILD, Tree
from clustraint.cluster._tree.captions import (
    caption_of_test,
    centroid_captions,
    cluster_caption,
    cluster_color,
    n_leaves_below,
    size_caption,
)
from clustraint.cluster._tree.columns import Columns


def export_text(
    tree: Tree,
    columns: Columns,
    *,
    decimals: int | None = None,
    max_depth: int | None = None,
    n_features: int = 0,
) -> str:
    """Return a tree as indented text, the side where a test holds first.

    The parameters are those of `ClusteringTree`'s method of this name.

    Examples
    --------
    >>> tree = Tree([4, 3, -1, -1, -1], [1, 2, -1, -1, -1], [1, 0, -2, -2, -2],
    ...             [103.5, 113.5, -2, -2, -2], (None,) * 5, [False] * 5, [4, 3, 1, 2, 1],
    ...             [0] * 5, [[0, 0]] * 5, [-1, -1, 1, 0, 1])
    >>> print(export_text(tree, Columns(("X", "Y"), (None, None))))
    Y > 103.5
    |-- yes: X > 113.5
    |   |-- yes: cluster 1 (1 sample)
    |   |-- no: cluster 0 (2 samples)
    |-- no: cluster 1 (1 sample)
    """
    return "\n".join(_lines(tree, columns, decimals, max_depth, n_features))


def _lines(
    tree: Tree, columns: Columns, decimals: int | None, max_depth: int | None, n_features: int
) -> Iterator[str]:
    leaves_below = n_leaves_below(tree)
    pending = [(0, "", 0)]
    while pending:
        node, answer, depth = pending.pop()
        head = "|   " * (depth - 1) + "|-- " * (depth > 0) + answer
        if tree.children_left[node] == NO_CHILD:
            yield head + _leaf_line(tree, columns, node, decimals, n_features)
        elif max_depth is not None and depth >= max_depth:
            yield f"{head}… {leaves_below[node]:,} leaves"
        else:
            yield head + _one_line(caption_of_test(tree, columns, node, decimals))
            pending.append((int(tree.children_left[node]), "no: ", depth + 1))
            pending.append((int(tree.children_right[node]), "yes: ", depth + 1))


def _leaf_line(
    tree: Tree, columns: Columns, node: int, decimals: int | None, n_features: int
) -> str:
    size = size_caption(int(tree.n_node_samples[node]))
    centroid = ", ".join(centroid_captions(tree, columns, node, n_features, decimals))
    caption = f"{size}: {centroid}" if centroid else size
    return _one_line(f"{cluster_caption(tree, node)} ({caption})")


def _one_line(text: str) -> str:
    return " ".join(text.splitlines())


def export_graphviz(
    tree: Tree, columns: Columns, *, decimals: int | None = None, n_features: int = 4
) -> str:
    r"""Return a tree in DOT, the language of Graphviz.

    The parameters are those of `ClusteringTree`'s method of this name.

    Examples
    --------
    >>> tree = Tree([2, -1, -1], [1, -1, -1], [0, -2, -2], [3.5, -2, -2], (None,) * 3,
    ...             [False] * 3, [5, 2, 3], [1, 0, 0], [[3], [7], [1]], [-1, 0, 1])
    >>> print(export_graphviz(tree, Columns(("legs",), (None,))))
    digraph ClusteringTree {
      node [shape=box, style="filled,rounded", fillcolor="#ffffff", fontname="Helvetica"];
      edge [fontname="Helvetica"];
      0 [label="legs > 3.5\n5 samples"];
      1 [label="cluster 0\n2 samples\nlegs = 7", fillcolor="#f1ca73"];
      2 [label="cluster 1\n3 samples\nlegs = 1", fillcolor="#a2d6f3"];
      0 -> 1 [label="yes"];
      0 -> 2 [label="no"];
    }
    """
    nodes = (
        _dot_node(tree, columns, node, decimals, n_features) for node in range(tree.node_count)
    )
    return "\n".join([*_DOT_HEAD, *nodes, *_dot_edges(tree), "}"])


_DOT_HEAD = (
    "digraph ClusteringTree {",
    '  node [shape=box, style="filled,rounded", fillcolor="#ffffff", fontname="Helvetica"];',
    '  edge [fontname="Helvetica"];',
)


def _dot_node(
    tree: Tree, columns: Columns, node: int, decimals: int | None, n_features: int
) -> str:
    size = size_caption(int(tree.n_node_samples[node]))
    if tree.children_left[node] != NO_CHILD:
        return (
            f"  {node} [label={_quoted([caption_of_test(tree, columns, node, decimals), size])}];"
        )
    centroid = centroid_captions(tree, columns, node, n_features, decimals)
    lines = _quoted([cluster_caption(tree, node), size, *centroid])
    return f'  {node} [label={lines}, fillcolor="{cluster_color(int(tree.label[node]))}"];'


def _quoted(lines: list[str]) -> str:
    r"""Return lines as a string of DOT, in which \n ends a line and \\ is a backslash."""
    plain = ("".join(c if c.isprintable() else " " for c in _one_line(line)) for line in lines)
    escaped = (line.replace("\\", "\\\\").replace('"', '\\"') for line in plain)
    return '"' + "\\n".join(escaped) + '"'


def _dot_edges(tree: Tree) -> Iterator[str]:
    for node in range(tree.node_count):
        if tree.children_left[node] != NO_CHILD:
            yield f'  {node} -> {tree.children_right[node]} [label="yes"];'
            yield f'  {node} -> {tree.children_left[node]} [label="no"];'
