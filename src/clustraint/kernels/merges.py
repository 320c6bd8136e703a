"""Merges of clusters in their order, and the trees that they make.

A cluster lives in the slot of its first sample, so a merge of slots low < high empties `high`.
"""

from typing import Any, NamedTuple

import numpy as np

from clustraint.kernels._jit import jit


class Merges(NamedTuple):
    """Merges in their order.

    Attributes
    ----------
    slots : int64 ndarray of shape (n_merges, 2)
        The two clusters, each called by its first sample, the lower one first.
    distances : float64 ndarray of shape (n_merges,)
        Their distance.
    violating : bool ndarray of shape (n_merges,), or None
        Which merges violate a triplet, where that was looked at.
    """

    slots: Any
    distances: Any
    violating: Any = None


@jit
def parents_of_merges(slots, n_samples):
    """Return the parent of each node, -1 for the root; what was not merged hangs from a root."""
    n_merges = len(slots)
    n_nodes = n_samples + n_merges + (n_merges < n_samples - 1)
    parents = np.full(n_nodes, n_nodes - 1, np.int64)
    # The node of the cluster in each slot: merges are nodes, so children come before parents.
    nodes = np.arange(n_samples)
    for step in range(n_merges):
        low, high = slots[step, 0], slots[step, 1]
        parents[nodes[low]] = parents[nodes[high]] = n_samples + step
        nodes[low] = n_samples + step
    parents[n_nodes - 1] = -1
    return parents


@jit
def linkage_of_merges(slots, distances):
    """Return all merges as a linkage matrix of scipy's form, in the same order."""
    n_samples = len(slots) + 1
    nodes = np.arange(n_samples)
    sizes = np.ones(n_samples, np.int64)
    linkage = np.empty((n_samples - 1, 4))
    # nodes[slot] and sizes[slot] are those of the cluster that lives in a slot by now.
    for step in range(n_samples - 1):
        low, high = slots[step, 0], slots[step, 1]
        linkage[step, 0] = min(nodes[low], nodes[high])
        linkage[step, 1] = max(nodes[low], nodes[high])
        sizes[low] += sizes[high]
        nodes[low] = n_samples + step
        linkage[step, 2], linkage[step, 3] = distances[step], sizes[low]
    return linkage
