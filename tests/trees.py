"""Trees to test with, and what they come down to."""

import numpy as np


def clades(hierarchy):
    """The sets of samples below the inner nodes, as the class under test tells them."""
    inner = range(hierarchy.n_samples, hierarchy.n_nodes)
    return {frozenset(hierarchy.samples_below(node).tolist()) for node in inner}


def by_lowest(labels):
    """Clusters renumbered by their lowest samples."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse]


def caterpillar_parents(n_samples):
    """Samples 0 and 1 merge first, then sample 2 joins them, and so on."""
    inner = np.arange(n_samples, 2 * n_samples - 1)
    return np.concatenate([inner[:1], inner, inner[1:], [-1]])
