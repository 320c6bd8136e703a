"""Hierarchies from and to the linkage matrices of scipy, and cut into flat clusters."""

from __future__ import annotations

from typing import Any

import numpy as np

from clustraint.checks import is_whole
from clustraint.exceptions import InvalidHierarchyError, UnreachableCutError
from clustraint.hierarchy._checks import as_array, check_heights
from clustraint.kernels import tree
from clustraint.kernels.tree import Layout
from clustraint.typing import FloatArray, IntArray
from clustraint.wording import counted


def tree_of_linkage(linkage: Any) -> tuple[IntArray, FloatArray]:
    """Return the parents and the heights of a linkage matrix."""
    matrix = as_array(linkage)
    if matrix is None or matrix.ndim != 2 or matrix.shape[1] != 4 or matrix.dtype.kind not in "iuf":
        raise InvalidHierarchyError(
            "a linkage matrix must have the shape (n_samples - 1, 4) and hold numbers; "
            f"got {'rows of different lengths' if matrix is None else matrix.shape}."
        )
    n_samples = matrix.shape[0] + 1
    children = matrix[:, :2]
    _check_children(children, n_samples)
    heights = np.array(matrix[:, 2], dtype=np.float64)
    _check_row(~(heights >= 0), heights, "the height must be 0 or more")
    check_heights(heights, len(heights))
    parents = np.full(2 * n_samples - 1, -1, dtype=np.int64)
    # Row i is node n + i: every node but the last is the child of exactly one row, as was checked.
    parents[children.astype(np.int64)] = np.arange(n_samples, parents.size)[:, None]
    return parents, heights


def _check_children(children: np.ndarray[Any, np.dtype[Any]], n_samples: int) -> None:
    """Raise unless each merge joins two clusters that are there and not yet merged."""
    merges = np.arange(n_samples, n_samples + len(children))[:, None]
    with np.errstate(invalid="ignore"):
        outside = ~((children >= 0) & (children < merges) & (children == np.floor(children)))
    _check_row(np.any(outside, axis=1), children, "both clusters must be samples or earlier merges")
    flat = children.astype(np.int64).ravel()
    # Whatever is not the first occurrence of its number is merged a second time.
    _, first = np.unique(flat, return_index=True)
    again = np.ones(flat.size, dtype=np.bool_)
    again[first] = False
    _check_row(
        np.any(again.reshape(children.shape), axis=1), children, "a cluster is merged only once"
    )


def _check_row(
    wrong: np.ndarray[Any, np.dtype[np.bool_]], values: np.ndarray[Any, np.dtype[Any]], rule: str
) -> None:
    """Raise with the first row that breaks `rule`."""
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise InvalidHierarchyError(
            f"linkage row {row} has {np.atleast_1d(values[row]).tolist()}, but {rule}."
        )


def linkage_of_tree(layout: Layout, heights: FloatArray | None) -> FloatArray:
    """Return a valid linkage matrix with strictly increasing heights."""
    n_inner = layout.sizes.size - layout.order.size
    if heights is not None and n_inner and heights.min() < 0:
        raise InvalidHierarchyError(
            f"a linkage matrix cannot hold the negative height {heights.min()}; build the "
            "Hierarchy without heights, or with heights from 0 up."
        )
    result = tree.binarise(layout, np.zeros(n_inner) if heights is None else heights)
    if heights is None:
        # Without heights the order of merges is all there is.
        result[:, 2] = np.arange(1, len(result) + 1)
    if not np.isfinite(result[:, 2]).all():
        raise InvalidHierarchyError("the heights are too large to be made strictly increasing.")
    return result


def cut_tree(layout: Layout, n_clusters: int, min_size: int) -> IntArray:
    """Return the labels of the cut into `n_clusters`."""
    n_samples = layout.order.size
    if not is_whole(n_clusters) or not 1 <= n_clusters <= n_samples:
        raise UnreachableCutError(
            f"n_clusters must be a whole number from 1 to {n_samples} (the number of samples), "
            f"not {n_clusters!r}."
        )
    if not is_whole(min_size) or min_size < 1:
        raise UnreachableCutError(f"min_size must be a whole number from 1 up, not {min_size!r}.")
    # No node has more than n samples, so any larger min_size asks the same.
    size = min(int(min_size), n_samples + 1)
    labels, reached, following = tree.cut(layout, int(n_clusters), size)
    if reached != n_clusters:
        raise UnreachableCutError(_unreachable(n_clusters, min_size, reached, following))
    return labels


def _unreachable(n_clusters: int, min_size: int, reached: int, following: int) -> str:
    """Say which numbers of clusters are near."""
    condition = f" of {min_size} or more samples each" if min_size > 1 else ""
    way_out = (
        f"the nearest numbers that it has are {reached} and {following}"
        if following
        else f"the most that it has is {reached}"
    )
    return f"no cut of this hierarchy has {counted(n_clusters, 'cluster')}{condition}; {way_out}."
