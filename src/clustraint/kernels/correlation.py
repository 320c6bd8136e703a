"""How many triplets of one tree another one displays, counted without listing them."""

import numpy as np

from clustraint.kernels._jit import jit


@jit
def _count_below(layout, parents, node, places, counts):
    """Count, for each node of the tree `parents`, its samples below `node` of the laid-out one."""
    counts[:] = 0
    first = layout.first[node]
    for sample in layout.order[first : first + layout.sizes[node]]:
        counts[places[sample]] = 1
    for other in range(parents.size - 1):
        counts[parents[other]] += counts[other]


@jit
def _count_pairs(parents, counts, n_samples, pairs):
    """Count, for each node, the counted pairs that meet there; samples hold none."""
    pairs[:] = 0
    for node in range(parents.size - 1):
        pairs[parents[node]] += counts[node] * counts[node]
    for node in range(n_samples, parents.size):
        pairs[node] = (counts[node] * counts[node] - pairs[node]) // 2


@jit
def displayed_shares(layout, places, parents, sizes):
    """Return the share of each true node's triplets that the tree `parents` displays.

    The true tree is laid out; its sample s is sample ``places[s]`` of the other tree, whose nodes
    have `sizes`. Only nodes between samples and root have triplets.
    """
    n_samples, n_true = layout.order.size, layout.sizes.size
    shares = np.empty(max(n_true - 1 - n_samples, 0))
    counts, pairs = np.empty(parents.size, np.int64), np.empty(parents.size, np.int64)
    part_counts, part_pairs = np.empty_like(counts), np.empty_like(pairs)
    for node in range(n_samples, n_true - 1):
        _count_below(layout, parents, node, places, counts)
        _count_pairs(parents, counts, n_samples, pairs)
        possible = pairs[n_samples:].sum()
        # What meets in a child of the true node does not meet at the node itself.
        for child in layout.children[layout.starts[node] : layout.starts[node + 1]]:
            if child >= n_samples:
                _count_below(layout, parents, child, places, part_counts)
                _count_pairs(parents, part_counts, n_samples, part_pairs)
                possible -= part_pairs[n_samples:].sum()
                pairs -= part_pairs
        outside = n_samples - layout.sizes[node]
        displayed = 0
        for other in range(n_samples, parents.size):
            displayed += pairs[other] * (outside - (sizes[other] - counts[other]))
        shares[node - n_samples] = displayed / (possible * outside)
    return shares
