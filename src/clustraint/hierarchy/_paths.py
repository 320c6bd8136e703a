"""Hierarchies from the paths of a taxonomy and from class labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from numpy.typing import ArrayLike

from clustraint.checks import encode_labels
from clustraint.exceptions import InvalidHierarchyError
from clustraint.hierarchy._assemble import assemble
from clustraint.typing import IntArray
from clustraint.wording import excerpt


def tree_of_paths(paths: Sequence[str], separator: str) -> tuple[IntArray, tuple[str, ...]]:
    """Return the parents and the node names of samples that sit on the nodes of their paths."""
    if not isinstance(separator, str) or not separator:
        raise InvalidHierarchyError(
            f"separator must be a text of one character or more, not {separator!r}."
        )
    if isinstance(paths, str) or not isinstance(paths, Iterable):
        raise InvalidHierarchyError(f"paths must be one text for each sample, not {paths!r}.")
    paths = list(paths)
    nodes: dict[tuple[int, str], int] = {}
    raw_parents, first_sample, ends, sample_nodes = [-1], [-1], [0], []
    for sample, path in enumerate(paths):
        node = end = 0
        for part in _parts(path, separator, sample):
            end += len(part)
            parent, node = node, nodes.setdefault((node, part), len(raw_parents))
            if node == len(raw_parents):
                raw_parents.append(parent)
                first_sample.append(sample)
                ends.append(end)
            end += len(separator)
        sample_nodes.append(node)
    # Whole paths only of nodes that branch: spelling out every one is quadratic in the depth.
    return assemble(raw_parents, sample_nodes, lambda node: paths[first_sample[node]][: ends[node]])


def _parts(path: str, separator: str, sample: int) -> list[str]:
    """Return the steps of a path from the root."""
    if not isinstance(path, str):
        raise InvalidHierarchyError(f"the path of sample {sample} must be a text, not {path!r}.")
    parts = path.split(separator) if path else []
    if not all(parts):
        raise InvalidHierarchyError(
            f"the path {excerpt(path)!r} of sample {sample} has an empty part; write it without "
            f"a leading, trailing or doubled {separator!r} ('' alone is the root)."
        )
    return parts


def tree_of_labels(labels: ArrayLike) -> tuple[IntArray, tuple[str, ...]]:
    """Return the parents and the node names of samples below their classes below a root."""
    codes, classes = encode_labels(labels)
    texts = ["", *map(str, classes)]
    return assemble([-1] + [0] * len(classes), (codes + 1).tolist(), texts.__getitem__)
