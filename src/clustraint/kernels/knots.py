"""Which clusters ReCon keeps apart: walls in the BUILD tree, and knots that tests have found.

Both say of two sets of items, A and B, that no cluster of A may merge with one of B before all of A
is one cluster and all of B is another. A wall stands between two nodes of the BUILD tree and needs
no list of items; a node with two children has one between them from the start. Of a knot every pair
of clusters is written down, as one bit; and what its clusters are, so that a merge can tell whether
the pair that it makes is still kept apart.
"""

from typing import Any, NamedTuple

import numpy as np

from clustraint.kernels._jit import piece
from clustraint.kernels.arrays import copy
from clustraint.kernels.disjoint_set import find


class Walls(NamedTuple):
    """The BUILD tree of all triplets, the walls in it, and how clusters lie in it.

    Nodes and their stretches of leaves are those of `tree.Layout`.
    """

    parents: Any
    begin: Any  # per node: the first place of its leaves
    sizes: Any
    order: Any  # the item at each place
    closed: Any  # per node: whether no cluster lies partly in it
    top: Any  # per slot: the lowest node above all its items
    following: Any  # per item: the next one of its cluster, -1 at the end
    last: Any  # per slot: the end of that list
    weight: Any  # per slot: how many items it has
    stamp: Any  # per node: the last walk that came by
    walls: Any  # per node: the list of nodes behind a wall, -1 if it is empty
    links: Any  # node and the next link
    count: Any  # per node that has walls: the clusters in it
    numbers: Any  # the last stamp, the walls that still stand, the links used


class Knots(NamedTuple):
    """Knots by number, and the pairs of clusters that they keep apart.

    Only clusters in a knot have a row. Both kinds of bits are those of rows: `bits`, one for each
    slot, say from whom a cluster is kept, and are set in both directions; `sides`, two for each
    knot, say on which side of which knots it is.
    """

    rows: Any  # per slot: its row, -1 if it has none
    bits: Any
    sides: Any
    sizes: Any  # per knot: how many clusters it has
    free: Any  # rows that are not in use
    unused: Any  # numbers that no knot has
    count: Any  # how many rows and how many numbers these are


@piece
def make_walls(layout):
    """Return the tree of all triplets with walls between children that have no other siblings."""
    n_nodes, n_items = len(layout.parents), len(layout.order)
    walls = Walls(
        layout.parents,
        layout.first,
        layout.sizes,
        layout.order,
        np.ones(n_nodes, np.bool_),
        np.arange(n_items),
        np.full(n_items, -1, np.int64),
        np.arange(n_items),
        np.ones(n_items, np.int64),
        np.zeros(n_nodes, np.int64),
        np.full(n_nodes, -1, np.int64),
        np.empty((4 * n_nodes, 2), np.int64),
        layout.sizes.copy(),
        np.zeros(3, np.int64),
    )
    for node in range(n_items, n_nodes):
        begin, end = layout.starts[node], layout.starts[node + 1]
        if end - begin == 2 and layout.sizes[node] > 2:
            _wall(walls, layout.children[begin], layout.children[begin + 1])
    return walls


@piece
def _wall(walls, first, second):
    for node, other in ((first, second), (second, first)):
        link = walls.numbers[2]
        walls.numbers[2] += 1
        walls.links[link, 0] = other
        walls.links[link, 1] = walls.walls[node]
        walls.walls[node] = link
    # Both directions are one wall.
    walls.numbers[1] += 1


@piece
def _nodes_around(walls, first, second):
    """Return two nodes that hold all that can keep two clusters apart; -1 if there are none such.

    These and all nodes above them are closed, so that no pair ab of a triplet whose c is in them
    leads out of them.
    """
    parents, closed = walls.parents, walls.closed
    left, right = walls.top[first], walls.top[second]
    left_child, right_child = -1, -1
    # Parents have higher numbers, so that the lower of two nodes is never above the other.
    while left != right:
        if left < right:
            left_child, left = left, parents[left]
        else:
            right_child, right = right, parents[right]
    if left_child < 0 or right_child < 0 or not (closed[left_child] and closed[right_child]):
        return -1, -1
    while left >= 0:
        if not closed[left]:
            return -1, -1
        left = parents[left]
    return left_child, right_child


@piece
def wall_off(walls, queue, left, right):
    """Raise a wall where the knot in `queue` is two whole nodes; say whether it is."""
    first, second = _nodes_around(walls, queue[0], queue[left])
    if first < 0 or walls.numbers[2] + 2 > len(walls.links):
        return False
    # The sides of a knot are disjoint and lie in the two nodes, so equal numbers of items mean that
    # they are the nodes.
    items = 0
    for slot in queue[:left]:
        items += walls.weight[slot]
    if items != walls.sizes[first]:
        return False
    for slot in queue[left : left + right]:
        items += walls.weight[slot]
    if items != walls.sizes[first] + walls.sizes[second]:
        return False
    walls.count[first], walls.count[second] = left, right
    _wall(walls, first, second)
    return True


@piece
def merge_walls(walls, low, high):
    """Merge two clusters: nodes that both are in have one cluster less."""
    if walls.numbers[1] > 0:
        _count_down(walls, low, high)
    walls.following[walls.last[low]] = high
    walls.last[low] = walls.last[high]
    walls.weight[low] += walls.weight[high]
    left, right = walls.top[low], walls.top[high]
    # All nodes below the meeting point, on both ways up, now have a cluster that is only partly in
    # them.
    while left != right:
        if left < right:
            walls.closed[left] = False
            left = walls.parents[left]
        else:
            walls.closed[right] = False
            right = walls.parents[right]
    walls.top[low] = left


@piece
def _count_down(walls, low, high):
    stamp = _walk(walls, low)
    walls.numbers[0] += 1
    again = walls.numbers[0]
    # Nodes that both clusters are in are those stamped by the walk of the first that the second
    # comes by; each is counted once, as it gets the new stamp.
    item = high
    while item >= 0:
        node = item
        while node >= 0 and walls.stamp[node] != again:
            if walls.stamp[node] == stamp and walls.walls[node] >= 0:
                walls.count[node] -= 1
                if walls.count[node] == 1:
                    _take_down(walls, node)
            walls.stamp[node] = again
            node = walls.parents[node]
        item = walls.following[item]


@piece
def _take_down(walls, node):
    """Count the walls that stand no more as the node is one cluster."""
    link = walls.walls[node]
    while link >= 0:
        if walls.count[walls.links[link, 0]] == 1:
            walls.numbers[1] -= 1
        link = walls.links[link, 1]


@piece
def _walk(walls, slot):
    """Stamp all nodes that a cluster is in; return the stamp."""
    walls.numbers[0] += 1
    stamp = walls.numbers[0]
    item = slot
    while item >= 0:
        node = item
        while node >= 0 and walls.stamp[node] != stamp:
            walls.stamp[node] = stamp
            node = walls.parents[node]
        item = walls.following[item]
    return stamp


@piece
def hide_walled(walls, owner, slot, row, columns):
    """Make the distances of a cluster infinite to those behind walls."""
    if walls.numbers[1] == 0:
        return
    walls.numbers[0] += 1
    stamp = walls.numbers[0]
    item = slot
    while item >= 0:
        node = item
        while node >= 0 and walls.stamp[node] != stamp:
            walls.stamp[node] = stamp
            link = walls.walls[node]
            while link >= 0:
                other = walls.links[link, 0]
                # One cluster on each side: the wall stands no more.
                if walls.count[node] + walls.count[other] > 2:
                    start = walls.begin[other]
                    for hidden in walls.order[start : start + walls.sizes[other]]:
                        row[columns[find(owner, hidden)]] = np.inf
                link = walls.links[link, 1]
            node = walls.parents[node]
        item = walls.following[item]


@piece
def make_knots(n_items):
    """Return no knots."""
    bits = np.zeros((0, (n_items + 7) >> 3), np.uint8)
    sides = np.zeros((0, 2, 0), np.uint8)
    sizes, unused = np.empty(0, np.int64), np.empty(0, np.int64)
    free, count = np.empty(n_items, np.int64), np.zeros(2, np.int64)
    return Knots(np.full(n_items, -1), bits, sides, sizes, free, unused, count)


@piece
def tie(knots, queue, left, right):
    """Return the knots with one more, whose clusters are in `queue`."""
    total = left + right
    if knots.count[0] < total or knots.count[1] == 0:
        knots = _with_room(knots, total)
    rows, count = knots.rows, knots.count
    for slot in queue[:total]:
        if rows[slot] < 0:
            count[0] -= 1
            rows[slot] = knots.free[count[0]]
    _keep_from(knots, queue[:left], queue[left:total])
    _keep_from(knots, queue[left:total], queue[:left])
    count[1] -= 1
    knot = knots.unused[count[1]]
    knots.sizes[knot] = total
    for place in range(total):
        side = 0 if place < left else 1
        knots.sides[rows[queue[place]], side, knot >> 3] |= 1 << (knot & 7)
    return knots


@piece
def _with_room(knots, more):
    """Return the same knots with room for so many rows more, and for one more knot.

    Whatever is full becomes twice as large at least.
    """
    rows, count = knots.rows, knots.count
    n_rows, n_knots = len(knots.bits), len(knots.sizes)
    room = n_rows if count[0] >= more else min(len(rows), 2 * n_rows + more)
    numbers = n_knots if count[1] else 2 * n_knots + 64
    bits = np.zeros((room, knots.bits.shape[1]), np.uint8)
    sides = np.zeros((room, 2, numbers >> 3), np.uint8)
    for row in range(n_rows):
        copy(knots.bits[row], bits[row])
        for side in range(2):
            copy(knots.sides[row, side], sides[row, side])
    for row in range(n_rows, room):
        knots.free[count[0]] = row
        count[0] += 1
    sizes, unused = np.empty(numbers, np.int64), np.empty(numbers, np.int64)
    copy(knots.sizes, sizes)
    copy(knots.unused[: count[1]], unused)
    for knot in range(n_knots, numbers):
        unused[count[1]] = knot
        count[1] += 1
    return Knots(rows, bits, sides, sizes, knots.free, unused, count)


@piece
def _keep_from(knots, side, others):
    """Keep each cluster of a side from all the others."""
    bits, width = knots.bits, knots.bits.shape[1]
    if len(others) < width:
        for slot in side:
            row = knots.rows[slot]
            for other in others:
                bits[row, other >> 3] |= 1 << (other & 7)
        return
    together = np.zeros(width, np.uint8)
    for other in others:
        together[other >> 3] |= 1 << (other & 7)
    for slot in side:
        row = knots.rows[slot]
        for k in range(width):
            bits[row, k] |= together[k]


@piece
def merge_knots(knots, low, high, outers):
    """Merge two clusters; `outers` are the clusters c of the triplets that this closes.

    The merged cluster is kept from all that either was kept from, unless that knot is undone. It
    is only if it was the two against one other cluster: then a triplet with that one as c has held
    the two together.
    """
    rows, bits, sides = knots.rows, knots.bits, knots.sides
    if rows[high] >= 0:
        gone = bits[rows[high]]
        _rename(knots, gone, low, high)
        if rows[low] < 0:
            rows[low] = rows[high]
        else:
            kept = bits[rows[low]]
            for k in range(len(kept)):
                kept[k] |= gone[k]
                gone[k] = 0
            for side in range(2):
                _merge_side(knots, sides[rows[low], side], sides[rows[high], side])
            knots.free[knots.count[0]] = rows[high]
            knots.count[0] += 1
        rows[high] = -1
    if rows[low] >= 0:
        for slot in outers:
            if rows[slot] >= 0 and not _tied(knots, rows[low], rows[slot]):
                bits[rows[low], slot >> 3] &= 255 - (1 << (slot & 7))
                bits[rows[slot], low >> 3] &= 255 - (1 << (low & 7))


@piece
def _merge_side(knots, kept, gone):
    """Let one cluster be where two were; a knot that both were in has one cluster less."""
    for k in range(len(kept)):
        both = kept[k] & gone[k]
        kept[k] |= gone[k]
        gone[k] = 0
        if both:
            for knot in range(8 * k, 8 * k + 8):
                if both >> (knot & 7) & 1:
                    knots.sizes[knot] -= 1


@piece
def _tied(knots, row, other):
    """Say whether two clusters are on both sides of a knot; free the numbers of those undone."""
    sides = knots.sides
    answer = False
    for side in range(2):
        ours, theirs = sides[row, side], sides[other, 1 - side]
        for k in range(len(ours)):
            if ours[k] & theirs[k]:
                for knot in range(8 * k, 8 * k + 8):
                    bit = 1 << (knot & 7)
                    if ours[k] & theirs[k] & bit:
                        if knots.sizes[knot] > 2:
                            answer = True
                            continue
                        ours[k] &= 255 - bit
                        theirs[k] &= 255 - bit
                        knots.unused[knots.count[1]] = knot
                        knots.count[1] += 1
    return answer


@piece
def _rename(knots, row, low, high):
    """Let all that are in a row be kept from `low` instead of from `high`."""
    rows, bits = knots.rows, knots.bits
    for k in range(len(row)):
        if row[k]:
            for slot in range(8 * k, min(8 * k + 8, len(rows))):
                if row[k] >> (slot & 7) & 1:
                    other = rows[slot]
                    bits[other, high >> 3] &= 255 - (1 << (high & 7))
                    bits[other, low >> 3] |= 1 << (low & 7)


@piece
def are_knotted(knots, slot, other):
    """Say whether a knot keeps two clusters apart."""
    row = knots.rows[slot]
    return row >= 0 and knots.bits[row, other >> 3] >> (other & 7) & 1 == 1


@piece
def hide_knotted(knots, slot, distances, columns):
    """Make the distances of a cluster infinite to those that a knot keeps it from."""
    if knots.rows[slot] < 0:
        return
    row = knots.bits[knots.rows[slot]]
    for k in range(len(row)):
        if row[k]:
            for other in range(8 * k, min(8 * k + 8, len(columns))):
                if row[k] >> (other & 7) & 1:
                    distances[columns[other]] = np.inf
