"""Hierarchies from and to the linkage matrices of scipy."""

from __future__ import annotations

from typing import Any

import numpy as np

from clustraint.exceptions import InvalidHierarchyError
from clustraint.hierarchy._checks import as_array, check_heights
from clustraint.kernels import tree
from clustraint.kernels.tree import Layout
from clustraint.typing import FloatArray, IntArray


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
    parents[children.astype(np.int64)] = np.arange(n_samples, parents.size)[:, None]
    return parents, heights


def _check_children(children: np.ndarray[Any, np.dtype[Any]], n_samples: int) -> None:
    """Raise unless each merge joins two clusters that are there and not yet merged."""
    merges = np.arange(n_samples, n_samples + len(children))[:, None]
    with np.errstate(invalid="ignore"):
        outside = ~((children >= 0) & (children < merges) & (children == np.floor(children)))
    _check_row(np.any(outside, axis=1), children, "both clusters must be samples or earlier merges")
    flat = children.astype(np.int64).ravel()
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
        result[:, 2] = np.arange(1, len(result) + 1)
    if not np.isfinite(result[:, 2]).all():
        raise InvalidHierarchyError("the heights are too large to be made strictly increasing.")
    return result
