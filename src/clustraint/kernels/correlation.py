"""How many triplets of one tree another one displays, counted without listing them."""

import numpy as np

from clustraint.kernels._jit import jit, piece
from clustraint.kernels.arrays import copy
from clustraint.kernels.chosen import (
    COUNTED,
    SIZED,
    add_sample,
    choose_none,
    count_below,
    drop_sample,
    pairs_above,
)
from clustraint.kernels.induced import bounds, fill_span, make_room, sort_below

# A heavy path is long if its nodes have so many times the samples of its top: adding a sample
# takes about as long as looking at it so often.
LONG = 60


@jit(work=lambda groups, target: 200 * target.sizes.size)
def displayed_shares(groups, target):
    """Return the share of each true node's triplets that the target displays; nan where none are.

    The true tree is that of the groups. Only nodes between samples and root have triplets. Its
    heavy paths, from each node to its largest child, are walked upwards. The nodes of a short one
    are each compared with the part of the target that they span; on a long one samples are added,
    as the nodes gain them, to sums over the target. So a sample is looked at a bounded number of
    times, or once, for each of the few light edges above it.
    """
    layout = groups.layout
    n_samples, n_true = layout.order.size, layout.sizes.size
    shares = np.full(max(n_true - 1 - n_samples, 0), np.nan)
    room = make_room(groups.places.size), np.empty(target.sizes.size, np.int64)
    chosen = choose_none(target)
    heavy = _heavy_children(groups)
    # Tops come after all that is below them, and leave their places sorted: `sort_below` merges.
    for top in range(n_samples, n_true):
        if top < n_true - 1 and heavy[layout.parents[top]] == top:
            continue
        node, work = top, 0
        while heavy[node] >= 0:
            begin, end = bounds(groups, node)
            work += end - begin
            node = heavy[node]
        begin, end = bounds(groups, top)
        is_long = work > LONG * (end - begin)
        if is_long:
            _choose_below(groups, target, chosen, node)
        # From the lowest node of the path up to the top; the root has no triplets of its own.
        while node != top and layout.parents[node] < n_true - 1:
            below, node = node, layout.parents[node]
            if is_long:
                share = _share_of_gain(groups, target, chosen, room, node, below)
            else:
                share = _share_of_span(groups, target, room, node)
            shares[node - n_samples] = share
        if is_long:
            begin, end = bounds(groups, node)
            for place in groups.places[begin:end]:
                drop_sample(chosen, target, place)
            chosen.totals[:] = 0
            groups.places[begin:end].sort()
    return shares


@piece
def _choose_below(groups, target, chosen, node):
    begin, end = bounds(groups, node)
    for place in groups.places[begin:end]:
        add_sample(chosen, target, place)


@piece
def _share_of_span(groups, target, room, node):
    """Return the share of a true node from the part of the target that its samples span.

    A pair that meets at the true node and at u in the target is in `outside - sizes[u] + counts[u]`
    displayed triplets: as many of the others are not below u.
    """
    span, counts = room
    layout = groups.layout
    begin, end = bounds(groups, node)
    outside = groups.places.size - (end - begin)
    possible, displayed = 0, 0
    sort_below(groups, node)
    for spanned in range(fill_span(target, groups.buffer[begin:end], span)):
        other, n_pairs = span.nodes[spanned], span.pairs[spanned]
        counts[other] = span.counts[spanned]
        possible += n_pairs
        displayed += n_pairs * (outside - (target.sizes[other] - counts[other]))
    # What meets in a child of the true node does not meet at the node itself.
    for child in layout.children[layout.starts[node] : layout.starts[node + 1]]:
        if child < layout.order.size:
            continue
        child_begin, child_end = bounds(groups, child)
        for spanned in range(fill_span(target, groups.places[child_begin:child_end], span)):
            other, n_pairs = span.nodes[spanned], span.pairs[spanned]
            possible -= n_pairs
            displayed -= n_pairs * (outside - (target.sizes[other] - counts[other]))
    copy(groups.buffer[begin:end], groups.places[begin:end])
    return displayed / (possible * outside) if possible * outside > 0 else np.nan


@piece
def _heavy_children(groups):
    """Return the child of each true node with most samples that count, -1 where there is none."""
    layout = groups.layout
    heavy = np.full(layout.sizes.size, -1, np.int64)
    most = np.full(layout.sizes.size, -1, np.int64)
    for node in range(layout.sizes.size - 1):
        begin, end = bounds(groups, node)
        if end - begin > most[layout.parents[node]]:
            most[layout.parents[node]] = end - begin
            heavy[layout.parents[node]] = node
    return heavy


@piece
def _share_of_gain(groups, target, chosen, room, node, below):
    """Return the share of a true node, after adding its samples to those below its heavy child.

    Of the sums over all pairs below the node, those over the pairs below each child are taken off.
    """
    span = room[0]
    layout = groups.layout
    begin, end = bounds(groups, node)
    below_begin, below_end = bounds(groups, below)
    outside = groups.places.size - (end - begin)
    n_below = below_end - below_begin
    possible = (end - begin) * (end - begin - 1) // 2 - n_below * (n_below - 1) // 2
    displayed = -chosen.totals[COUNTED] + chosen.totals[SIZED]
    for place in groups.places[begin:below_begin]:
        displayed -= pairs_above(chosen, target, place)
    for place in groups.places[below_end:end]:
        displayed -= pairs_above(chosen, target, place)
    for place in groups.places[begin:below_begin]:
        add_sample(chosen, target, place)
    for place in groups.places[below_end:end]:
        add_sample(chosen, target, place)
    displayed += chosen.totals[COUNTED] - chosen.totals[SIZED]
    for child in layout.children[layout.starts[node] : layout.starts[node + 1]]:
        child_begin, child_end = bounds(groups, child)
        if child == below or child_end - child_begin < 2:
            continue
        for spanned in range(fill_span(target, groups.places[child_begin:child_end], span)):
            other, n_pairs = span.nodes[spanned], span.pairs[spanned]
            if n_pairs > 0:
                possible -= n_pairs
                displayed -= n_pairs * (count_below(chosen, target, other) - target.sizes[other])
    displayed += possible * outside
    return displayed / (possible * outside) if possible * outside > 0 else np.nan


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
