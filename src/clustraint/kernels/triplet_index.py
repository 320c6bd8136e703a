"""Triplets sorted by their pairs, so that what holds for a pair is computed once.

Only samples that triplets mention count; they are numbered anew, in the same order.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from clustraint.kernels._jit import jit
from clustraint.kernels.arrays import sort_by
from clustraint.kernels.tree import meet

IntArray = npt.NDArray[np.int64]


class TripletIndex(NamedTuple):
    """Triplets by their pairs; samples are numbered among those that are mentioned.

    `places` has that number for each sample, or -1. The pairs ab at sample s are ``entries
    pair_starts[s] : pair_starts[s + 1]``: the other sample is in `partners`, the number of the
    pair in `pairs`. The samples c of pair p are ``thirds[third_starts[p] : third_starts[p + 1]]``;
    beside them, `rows` has the numbers of the triplets as they came in.
    """

    places: IntArray
    pair_starts: IntArray
    partners: IntArray
    pairs: IntArray
    third_starts: IntArray
    thirds: IntArray
    rows: IntArray


@jit
def index_triplets(n_samples, triplets):
    """Sort triplets by their pairs, in linear time."""
    n_triplets = len(triplets)
    places = np.full(n_samples, -1, np.int64)
    for row in range(n_triplets):
        for j in range(3):
            places[triplets[row, j]] = 0
    n_places = 0
    for sample in range(n_samples):
        if places[sample] == 0:
            places[sample] = n_places
            n_places += 1
    renamed = np.empty((3, n_triplets), np.int64)
    for row in range(n_triplets):
        for j in range(3):
            renamed[j, row] = places[triplets[row, j]]
    # By b and then, stably, by a: triplets of one pair follow one another.
    order, _ = sort_by(renamed[1], n_places, np.arange(n_triplets))
    order, _ = sort_by(renamed[0], n_places, order)

    thirds = np.empty(n_triplets, np.int64)
    third_starts = np.zeros(n_triplets + 1, np.int64)
    ends = np.empty((2, n_triplets), np.int64)
    n_pairs = 0
    # A pair begins where a or b changes; third_starts[p + 1] moves on with each triplet of pair p.
    for i in range(n_triplets):
        a, b = renamed[0, order[i]], renamed[1, order[i]]
        if n_pairs == 0 or ends[0, n_pairs - 1] != a or ends[1, n_pairs - 1] != b:
            ends[0, n_pairs], ends[1, n_pairs] = a, b
            n_pairs += 1
        thirds[i] = renamed[2, order[i]]
        third_starts[n_pairs] = i + 1

    pair_starts = np.zeros(n_places + 1, np.int64)
    for pair in range(n_pairs):
        pair_starts[ends[0, pair] + 1] += 1
        pair_starts[ends[1, pair] + 1] += 1
    for place in range(n_places):
        pair_starts[place + 1] += pair_starts[place]
    free = pair_starts[:-1].copy()
    partners = np.empty(2 * n_pairs, np.int64)
    pairs = np.empty(2 * n_pairs, np.int64)
    for pair in range(n_pairs):
        for j in range(2):
            entry = free[ends[j, pair]]
            partners[entry], pairs[entry] = ends[1 - j, pair], pair
            free[ends[j, pair]] += 1
    third_starts = third_starts[: n_pairs + 1].copy()
    return TripletIndex(places, pair_starts, partners, pairs, third_starts, thirds, order)


@jit
def has_repetitions(index):
    """Tell whether any triplet occurs twice."""
    seen = np.full(index.pair_starts.size - 1, -1, np.int64)
    # seen[c] is the last pair that c came with: no table of all triplets.
    for pair in range(index.third_starts.size - 1):
        for third in index.thirds[index.third_starts[pair] : index.third_starts[pair + 1]]:
            if seen[third] == pair:
                return True
            seen[third] = pair
    return False


@jit
def pair_nodes(index, samples, ancestry):
    """Find where each pair meets in a tree; its leaf of place i is ``samples[i]``."""
    nodes = np.empty(index.third_starts.size - 1, np.int64)
    for place in range(samples.size):
        for entry in range(index.pair_starts[place], index.pair_starts[place + 1]):
            other = index.partners[entry]
            # Each pair is in the lists of both its samples.
            if other > place:
                nodes[index.pairs[entry]] = meet(ancestry, samples[place], samples[other])
    return nodes


@jit
def displayed(index, samples, layout, ancestry):
    """Tell for each triplet, in its own order, whether a tree displays it."""
    result = np.empty(index.rows.size, np.bool_)
    places = layout.first[samples]
    nodes = pair_nodes(index, samples, ancestry)
    for pair in range(nodes.size):
        start, size = layout.first[nodes[pair]], layout.sizes[nodes[pair]]
        for i in range(index.third_starts[pair], index.third_starts[pair + 1]):
            offset = places[index.thirds[i]] - start
            result[index.rows[i]] = offset < 0 or offset >= size
    return result


@jit
def resolved_weights(index, samples, ancestry, weights):
    """Add up, for each number of clusters from 0 to n, the weights of the triplets resolved.

    The nodes of the tree from n on are its merges in their order. With k clusters the first n - k
    of them stand, and ab|c is resolved if that of a and b does, and that with c does not.
    """
    n_samples = index.places.size
    changes = np.zeros(n_samples + 2)
    nodes = pair_nodes(index, samples, ancestry)
    for pair in range(nodes.size):
        for i in range(index.third_starts[pair], index.third_starts[pair + 1]):
            whole = meet(ancestry, nodes[pair], samples[index.thirds[i]])
            weight = weights[index.rows[i]]
            # Where the tree does not display the triplet, both are the same.
            changes[2 * n_samples - whole] += weight
            changes[2 * n_samples - nodes[pair]] -= weight
    return np.cumsum(changes)[: n_samples + 1]
