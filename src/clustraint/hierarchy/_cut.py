"""Flat clusters from a hierarchy."""

from __future__ import annotations

from clustraint.checks import is_whole
from clustraint.exceptions import UnreachableCutError
from clustraint.kernels import tree
from clustraint.kernels.tree import Layout
from clustraint.typing import IntArray


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
    return f"no cut of this hierarchy has {n_clusters} clusters{condition}; {way_out}."
