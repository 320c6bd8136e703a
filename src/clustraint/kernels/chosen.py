"""Some samples of a tree, added one by one, and sums over the nodes where pairs of them meet.

Let counts[u] be the chosen samples below node u and pairs[u] those pairs of them that meet there:
half of what counts[u]² exceeds the sum of the squares of its children's counts by. The sums of
pairs · counts and of pairs · sizes over all nodes change along a whole path when a sample is added.
The tree is therefore cut into heavy paths, from each node to its largest child; any path to the
root has few light edges, and what lies between these is a range of sums: over the chosen samples
below the light children of each node (`light`), their squares, those times its size, and the
squares of the single counts.
"""

from typing import NamedTuple

import numpy as np

from clustraint.kernels._jit import piece
from clustraint.kernels.tree import IntArray

# Places in `totals`: the sums of pairs · counts, and of pairs · sizes.
COUNTED, SIZED = 0, 1


class Chosen(NamedTuple):
    """The chosen samples; `positions` number the nodes along heavy paths, from their heads down.

    The last five are trees of partial sums, the first of these over the samples from left to right.
    """

    heavy: IntArray
    heads: IntArray
    positions: IntArray
    totals: IntArray
    light: IntArray
    light_squares: IntArray
    chosen_sums: IntArray
    square_sums: IntArray
    sized_sums: IntArray
    light_square_sums: IntArray


@piece
def _add(sums, position, value):
    i = position + 1
    while i < sums.size:
        sums[i] += value
        i += i & -i


@piece
def _sum_before(sums, position):
    total = 0
    i = position
    while i > 0:
        total += sums[i]
        i -= i & -i
    return total


@piece
def choose_none(target):
    """Return the state in which no sample is chosen."""
    parents, spans = target.parents, target.spans
    n_nodes = parents.size
    heavy = np.full(n_nodes, -1, np.int64)
    for node in range(n_nodes - 1):
        above = parents[node]
        if heavy[above] < 0 or spans[node] > spans[heavy[above]]:
            heavy[above] = node
    heads = np.empty(n_nodes, np.int64)
    positions = np.empty(n_nodes, np.int64)
    n_placed = 0
    # From the root down; a path is numbered when its head is met.
    for node in range(n_nodes - 1, -1, -1):
        if node == n_nodes - 1 or heavy[parents[node]] != node:
            member = node
            while member >= 0:
                heads[member] = node
                positions[member] = n_placed
                n_placed += 1
                member = heavy[member]
    return Chosen(
        heavy,
        heads,
        positions,
        np.zeros(2, np.int64),
        np.zeros(n_nodes, np.int64),
        np.zeros(n_nodes, np.int64),
        np.zeros(target.order.size + 1, np.int64),
        np.zeros(n_nodes + 1, np.int64),
        np.zeros(n_nodes + 1, np.int64),
        np.zeros(n_nodes + 1, np.int64),
    )


@piece
def count_below(chosen, target, node):
    """Return how many chosen samples are below a node."""
    first = target.first[node]
    until = _sum_before(chosen.chosen_sums, first + target.spans[node])
    return until - _sum_before(chosen.chosen_sums, first)


@piece
def _between(sums, chosen, head, node):
    """Return the sum from the head of a path down to above a node."""
    before = _sum_before(sums, chosen.positions[head])
    return _sum_before(sums, chosen.positions[node]) - before


@piece
def pairs_above(chosen, target, place):
    """Return how many pairs of chosen samples meet above a sample, which is not chosen."""
    node = target.order[place]
    twice = 0
    while True:
        head = chosen.heads[node]
        at_head = count_below(chosen, target, head)
        at_node = count_below(chosen, target, node)
        twice += at_head * at_head - at_node * at_node
        twice -= _between(chosen.light_square_sums, chosen, head, node)
        if head == target.parents.size - 1:
            return twice // 2
        node = target.parents[head]
        here = count_below(chosen, target, node)
        inner = count_below(chosen, target, chosen.heavy[node])
        twice += here * here - inner * inner - chosen.light_squares[node]


@piece
def add_sample(chosen, target, place):
    """Choose one more sample."""
    chosen.totals[COUNTED] += pairs_above(chosen, target, place)
    node = target.order[place]
    while True:
        head = chosen.heads[node]
        at_node = count_below(chosen, target, node)
        gained = count_below(chosen, target, head) - at_node
        squares = _between(chosen.square_sums, chosen, head, node)
        chosen.totals[COUNTED] += (gained * gained + squares) // 2 + gained * (at_node + 1)
        chosen.totals[SIZED] += _between(chosen.sized_sums, chosen, head, node)
        if head == target.parents.size - 1:
            break
        node = target.parents[head]
        here = count_below(chosen, target, node)
        inner = count_below(chosen, target, head)
        chosen.totals[COUNTED] += (here - inner) * (here + 1)
        chosen.totals[SIZED] += (here - inner) * target.sizes[node]
        position = chosen.positions[node]
        _add(chosen.square_sums, position, 2 * chosen.light[node] + 1)
        _add(chosen.sized_sums, position, target.sizes[node])
        _add(chosen.light_square_sums, position, 2 * inner + 1)
        chosen.light[node] += 1
        chosen.light_squares[node] += 2 * inner + 1
    _add(chosen.chosen_sums, place, 1)


@piece
def drop_sample(chosen, target, place):
    """Take a sample back, where all others go as well; `totals` are not changed."""
    node = target.order[place]
    while chosen.heads[node] != target.parents.size - 1:
        node = target.parents[chosen.heads[node]]
        if chosen.light[node] > 0:
            position = chosen.positions[node]
            _add(chosen.square_sums, position, -chosen.light[node] * chosen.light[node])
            _add(chosen.sized_sums, position, -chosen.light[node] * target.sizes[node])
            _add(chosen.light_square_sums, position, -chosen.light_squares[node])
            chosen.light[node] = 0
            chosen.light_squares[node] = 0
    _add(chosen.chosen_sums, place, -1)
