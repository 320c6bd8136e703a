"""Trees in DOT, the language of Graphviz."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clustraint.cluster import ClusteringTree, NodeCaption, Tree
from clustraint.plot._palette import tint
from clustraint.plot._tree import cluster_places

_HEAD = (
    "digraph ClusteringTree {",
    '  node [shape=box, style="filled,rounded", fillcolor="#ffffff", fontname="Helvetica"];',
    '  edge [fontname="Helvetica"];',
)


def export_graphviz(
    model: ClusteringTree,
    *,
    decimals: int | None = None,
    n_features: int = 4,
    feature_names: Sequence[str] | None = None,
) -> str:
    r"""Return a clustering tree in DOT, the language of Graphviz.

    Parameters
    ----------
    model : ClusteringTree
        A fitted tree.
    decimals : int, optional
        Of numbers; six digits by default.
    n_features : int, default=4
        How many columns of its centroid to show at each leaf.
    feature_names : sequence of str, optional
        What to call the columns; by default, as `fit` knew them.

    Examples
    --------
    >>> from clustraint import ClusteringTree, plot
    >>> model = ClusteringTree(2).fit([[0.0], [1.0], [8.0], [9.0]])
    >>> print(plot.export_graphviz(model))
    digraph ClusteringTree {
      node [shape=box, style="filled,rounded", fillcolor="#ffffff", fontname="Helvetica"];
      edge [fontname="Helvetica"];
      0 [label="x0 > 4.5\n4 samples"];
      1 [label="cluster 0\n2 samples\nx0 = 8.5", fillcolor="#73b1d5"];
      2 [label="cluster 1\n2 samples\nx0 = 0.5", fillcolor="#e8a673"];
      0 -> 1 [label="yes"];
      0 -> 2 [label="no"];
    }
    """
    captions = model.captions(decimals=decimals, n_features=n_features, feature_names=feature_names)
    return dot(model.tree_, captions)


def dot(tree: Tree, captions: Sequence[NodeCaption]) -> str:
    """Return a tree with what is written on its nodes in DOT."""
    places = cluster_places(tree)
    nodes = (
        _node(node, caption, places.get(label))
        for node, (caption, label) in enumerate(zip(captions, tree.label.tolist(), strict=True))
    )
    return "\n".join([*_HEAD, *nodes, *_edges(tree), "}"])


def _node(node: int, caption: NodeCaption, place: int | None) -> str:
    if place is None:
        return f"  {node} [label={_quoted([caption.test, caption.size])}];"
    lines = _quoted([caption.cluster, caption.size, *caption.centroid])
    return f'  {node} [label={lines}, fillcolor="{tint(place)}"];'


def _quoted(lines: list[str]) -> str:
    r"""Return lines as a string of DOT, in which \n ends a line and \\ is a backslash."""
    single = (" ".join(line.splitlines()) for line in lines)
    plain = ("".join(c if c.isprintable() else " " for c in line) for line in single)
    escaped = (line.replace("\\", "\\\\").replace('"', '\\"') for line in plain)
    return '"' + "\\n".join(escaped) + '"'


def _edges(tree: Tree) -> Iterator[str]:
    for node in (tree.children_left >= 0).nonzero()[0].tolist():
        yield f'  {node} -> {tree.children_right[node]} [label="yes"];'
        yield f'  {node} -> {tree.children_left[node]} [label="no"];'
