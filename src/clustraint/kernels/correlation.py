"""How many triplets of one tree another one displays, counted without listing them."""

import numpy as np

from clustraint.kernels._jit import jit
from clustraint.kernels.arrays import copy
from clustraint.kernels.induced import bounds, fill_span, make_room, sort_below


@jit
def displayed_shares(groups, target):
    """Return the share of each true node's triplets that the target displays; nan where none are.

    The true tree is that of the groups. Only nodes between samples and root have triplets.
    """
    layout = groups.layout
    n_samples, n_true = layout.order.size, layout.sizes.size
    shares = np.full(max(n_true - 1 - n_samples, 0), np.nan)
    span = make_room(groups.places.size)
    counts = np.empty(target.sizes.size, np.int64)
    # Children come before their parent, and leave their places sorted: `sort_below` only merges.
    for node in range(n_samples, n_true - 1):
        begin, end = bounds(groups, node)
        outside = groups.places.size - (end - begin)
        possible, displayed = 0, 0
        sort_below(groups, node)
        # All pairs below the true node, by where they meet in the target: that displays ab|c if c
        # is not below the meeting point, and of those outside the true node sizes - counts are.
        for spanned in range(fill_span(target, groups.buffer[begin:end], span)):
            other, n_pairs = span.nodes[spanned], span.pairs[spanned]
            counts[other] = span.counts[spanned]
            possible += n_pairs
            displayed += n_pairs * (outside - (target.sizes[other] - counts[other]))
        # What meets in a child of the true node does not meet at the node itself.
        for child in layout.children[layout.starts[node] : layout.starts[node + 1]]:
            if child < n_samples:
                continue
            child_begin, child_end = bounds(groups, child)
            for spanned in range(fill_span(target, groups.places[child_begin:child_end], span)):
                other, n_pairs = span.nodes[spanned], span.pairs[spanned]
                possible -= n_pairs
                displayed -= n_pairs * (outside - (target.sizes[other] - counts[other]))
        if possible * outside > 0:
            shares[node - n_samples] = displayed / (possible * outside)
        copy(groups.buffer[begin:end], groups.places[begin:end])
    return shares


@jit
def best_matches(groups, target):
    """Return the highest F-score of a node of the target on each class, and that node.

    Classes are the nodes of the groups' tree between samples and root; nan and -1 where a class
    has no samples. Among the nodes of as many samples of a class the lowest has fewest others,
    so that only nodes where such samples meet can be the best; ties go to the first merge.
    """
    layout = groups.layout
    n_samples, n_true = layout.order.size, layout.sizes.size
    n_classes = max(n_true - 1 - n_samples, 0)
    scores, nodes = np.full(n_classes, np.nan), np.full(n_classes, -1)
    span = make_room(groups.places.size)
    # As above, children come first and leave their places sorted.
    for node in range(n_samples, n_true - 1):
        begin, end = bounds(groups, node)
        sort_below(groups, node)
        best, best_node = -1.0, -1
        for spanned in range(fill_span(target, groups.buffer[begin:end], span)):
            other = span.nodes[spanned]
            score = 2 * span.counts[spanned] / (end - begin + target.sizes[other])
            if score > best or (score == best and other < best_node):
                best, best_node = score, other
        if best_node >= 0:
            scores[node - n_samples], nodes[node - n_samples] = best, best_node
        copy(groups.buffer[begin:end], groups.places[begin:end])
    return scores, nodes
