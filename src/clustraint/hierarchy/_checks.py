"""Checks of what a hierarchy is made of and asked about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from clustraint.exceptions import InvalidHierarchyError
from clustraint.typing import FloatArray, IntArray


def as_array(values: Any) -> np.ndarray[Any, np.dtype[Any]] | None:
    """Return `values` as an array, or None where its rows differ in length."""
    try:
        return np.asarray(values)
    except ValueError:
        return None


def check_parents(parents: Any) -> tuple[IntArray, int]:
    """Return a parents array of one tree, and its number of samples."""
    array = as_array(parents)
    if array is None or array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise InvalidHierarchyError(
            "parents must be one row of node numbers (integers), the parent of each node."
        )
    if array.size == 0:
        raise InvalidHierarchyError("parents is empty, but a hierarchy needs at least one sample.")
    _check_order(array)
    result = np.array(array, dtype=np.int64, order="C")
    n_children = np.bincount(result[:-1], minlength=result.size)
    n_samples = int(np.flatnonzero(n_children)[0]) if result.size > 1 else 1
    _check_degrees(n_children, n_samples)
    return result, n_samples


def _check_order(parents: np.ndarray[Any, np.dtype[Any]]) -> None:
    """Raise unless every node but the last has a parent of a larger number."""
    if parents[-1] != -1:
        raise InvalidHierarchyError(
            f"the last node, {parents.size - 1}, must be the root and have the parent -1, "
            f"not {parents[-1]}."
        )
    nodes = np.arange(parents.size - 1)
    wrong = np.flatnonzero((parents[:-1] <= nodes) | (parents[:-1] >= parents.size))
    if wrong.size:
        node, parent = int(wrong[0]), int(parents[wrong[0]])
        reason = "only the last node is the root" if parent == -1 else "parents come after children"
        raise InvalidHierarchyError(
            f"node {node} must have a parent between {node + 1} and {parents.size - 1}, "
            f"not {parent}: {reason}."
        )


def _check_degrees(n_children: IntArray, n_samples: int) -> None:
    """Raise unless each node from `n_samples` on has two children or more."""
    wrong = n_samples + np.flatnonzero(n_children[n_samples:] < 2)
    if wrong.size == 0:
        return
    node = int(wrong[0])
    if n_children[node]:
        raise InvalidHierarchyError(
            f"inner node {node} has only one child; give the child to the parent of {node} instead."
        )
    raise InvalidHierarchyError(
        f"node {node} has no children but comes after inner node {n_samples}: "
        "the samples must be numbered first."
    )


def check_node_names(node_names: Sequence[str] | None, n_inner: int) -> tuple[str, ...] | None:
    """Return one text for each inner node, or None."""
    if node_names is None:
        return None
    result = tuple(node_names) if isinstance(node_names, Iterable) else ()
    if len(result) != n_inner or not all(isinstance(name, str) for name in result):
        raise InvalidHierarchyError(
            f"node_names must be {n_inner} texts, one for each inner node ('' for no name)."
        )
    return tuple(map(str, result))


def check_heights(heights: Any, n_inner: int) -> FloatArray | None:
    """Return one finite height for each inner node, or None."""
    if heights is None:
        return None
    array = as_array(heights)
    if array is None or array.shape != (n_inner,) or (n_inner and array.dtype.kind not in "iuf"):
        raise InvalidHierarchyError(
            f"heights must be {n_inner} numbers, one for each inner node in merge order."
        )
    result = np.array(array, dtype=np.float64, order="C")
    if not np.isfinite(result).all():
        wrong = int(np.flatnonzero(~np.isfinite(result))[0])
        raise InvalidHierarchyError(f"heights must be finite, but row {wrong} is {result[wrong]}.")
    return result


def check_nodes(nodes: Any, n_nodes: int, argument: str) -> IntArray:
    """Return node numbers of any shape as int64."""
    array = as_array(nodes)
    if array is None or (array.size and array.dtype.kind not in "iu"):
        raise InvalidHierarchyError(f"{argument} must be node numbers (integers), not {nodes!r}.")
    if array.size and (array.min() < 0 or array.max() >= n_nodes):
        wrong = array[(array < 0) | (array >= n_nodes)].flat[0]
        raise InvalidHierarchyError(
            f"{argument} names node {wrong}, but nodes are numbered 0 to {n_nodes - 1}."
        )
    return array.astype(np.int64)


def check_node_pairs(a: Any, b: Any, n_nodes: int) -> tuple[IntArray, IntArray]:
    """Return node numbers of two shapes that broadcast, broadcast."""
    left, right = check_nodes(a, n_nodes, "a"), check_nodes(b, n_nodes, "b")
    try:
        left, right = np.broadcast_arrays(left, right)
    except ValueError:
        raise InvalidHierarchyError(
            f"a and b must have shapes that broadcast, not {left.shape} and {right.shape}."
        ) from None
    return left, right
