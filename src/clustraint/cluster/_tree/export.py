"""Trees as indented text."""

from __future__ import annotations

from collections.abc import Iterator

from clustraint.cluster._tree.arrays import NO_CHILD, Tree
from clustraint.cluster._tree.captions import NodeCaption, captions_of, n_leaves_below
from clustraint.tables import Schema


def export_text(
    tree: Tree,
    columns: Schema,
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
    >>> print(export_text(tree, Schema(("X", "Y"), (None, None))))
    Y > 103.5
    |-- yes: X > 113.5
    |   |-- yes: cluster 1 (1 sample)
    |   |-- no: cluster 0 (2 samples)
    |-- no: cluster 1 (1 sample)
    """
    return "\n".join(_lines(tree, columns, decimals, max_depth, n_features))


def _lines(
    tree: Tree, columns: Schema, decimals: int | None, max_depth: int | None, n_features: int
) -> Iterator[str]:
    leaves_below = n_leaves_below(tree)
    captions = captions_of(tree, columns, decimals, n_features)
    pending = [(0, "", 0)]
    while pending:
        node, answer, depth = pending.pop()
        head = "|   " * (depth - 1) + "|-- " * (depth > 0) + answer
        if tree.children_left[node] == NO_CHILD:
            yield head + _leaf_line(captions[node])
        elif max_depth is not None and depth >= max_depth:
            yield f"{head}… {leaves_below[node]:,} leaves"
        else:
            yield head + _one_line(captions[node].test)
            pending.append((int(tree.children_left[node]), "no: ", depth + 1))
            pending.append((int(tree.children_right[node]), "yes: ", depth + 1))


def _leaf_line(caption: NodeCaption) -> str:
    centroid = ", ".join(caption.centroid)
    details = f"{caption.size}: {centroid}" if centroid else caption.size
    return _one_line(f"{caption.cluster} ({details})")


def _one_line(text: str) -> str:
    return " ".join(text.splitlines())
