"""Which clusters ReCon keeps apart: walls in the BUILD tree, and knots that tests have found.

Both say of two sets of items, A and B, that no cluster of A may merge with one of B before all of A
is one cluster and all of B is another. A wall stands between two nodes of the BUILD tree and needs
no list of items; a node with two children has one between them from the start. A knot has its items
listed.
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
    """Sets A and B by their items, and the knots of each cluster."""

    first: Any  # per slot: the list of its knots, -1 if it is empty
    links: Any  # 2 * knot + side, and the next link
    count: Any  # clusters on each side
    border: Any  # where the items of A begin, those of B, and where these end
    items: Any
    side: Any  # per knot: 2 * merge + side where the last merge met it
    used: Any  # knots, items, links


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
    return Knots(
        np.full(n_items, -1, np.int64),
        np.empty((16, 2), np.int64),
        np.empty((4, 2), np.int64),
        np.empty((4, 3), np.int64),
        np.empty(16, np.int64),
        np.full(4, -1, np.int64),
        np.zeros(3, np.int64),
    )


@piece
def tie(knots, owner, mark, queue, left, right):
    """Return the knots with one more, whose clusters are in `queue`.

    Two knots that meet on both sides are one, and the one that a test finds is the largest, so
    that it replaces all that it meets. `mark` is of use to nobody else for the moment.
    """
    _untie(knots, owner, mark, queue, left, right)
    total = left + right
    if (
        knots.used[0] == len(knots.count)
        or knots.used[1] + total > len(knots.items)
        or knots.used[2] + total > len(knots.links)
    ):
        knots = _with_room(knots, owner, mark, total)
    knot, n_items, n_links = knots.used
    knots.count[knot, 0], knots.count[knot, 1] = left, right
    border = knots.border[knot]
    border[0], border[1], border[2] = n_items, n_items + left, n_items + total
    knots.side[knot] = -1
    for k in range(total):
        slot = queue[k]
        knots.items[n_items + k] = slot
        knots.links[n_links + k, 0] = 2 * knot + (k >= left)
        knots.links[n_links + k, 1] = knots.first[slot]
        knots.first[slot] = n_links + k
    knots.used[0], knots.used[1], knots.used[2] = knot + 1, n_items + total, n_links + total
    return knots


@piece
def _untie(knots, owner, mark, queue, left, right):
    """Undo the knots that a larger one contains."""
    less, more = queue[:left], queue[left : left + right]
    if right < left:
        less, more = more, less
    for slot in more:
        mark[slot] = -1
    # A knot that is contained has clusters on both sides: those on the smaller one tell them all.
    for slot in less:
        before, link = -1, knots.first[slot]
        while link >= 0:
            knot, side = knots.links[link, 0] >> 1, knots.links[link, 0] & 1
            after = knots.links[link, 1]
            # Either the whole other side of a knot lies in the other side of the new one, or none
            # of it: one item tells.
            if mark[find(owner, knots.items[knots.border[knot, 1 - side]])] == -1:
                knots.count[knot, 0] = knots.count[knot, 1] = 1
            if knots.count[knot, 0] + knots.count[knot, 1] <= 2:
                _drop_link(knots, slot, before, after)
            else:
                before = link
            link = after
    for slot in more:
        mark[slot] = 0


@piece
def _drop_link(knots, slot, before, after):
    """Take a knot that is undone, for good, out of a cluster's list: nobody need come by again."""
    if before < 0:
        knots.first[slot] = after
    else:
        knots.links[before, 1] = after


@piece
def _with_room(knots, owner, mark, more):
    """Return the knots that hold, by their clusters of today, with room for so many items more."""
    n_knots, n_items = 0, 0
    for knot in range(knots.used[0]):
        n_clusters = knots.count[knot, 0] + knots.count[knot, 1]
        if n_clusters > 2:
            n_knots += 1
            n_items += n_clusters
    room = 2 * (n_items + more) + 16
    knots.first[:] = -1
    new = Knots(
        knots.first,
        np.empty((room, 2), np.int64),
        np.empty((2 * n_knots + 16, 2), np.int64),
        np.empty((2 * n_knots + 16, 3), np.int64),
        np.empty(room, np.int64),
        np.empty(2 * n_knots + 16, np.int64),
        np.zeros(3, np.int64),
    )
    # Knots that are undone are left behind, and clusters that have merged are written once: what is
    # copied is at most what stood, so that room for twice as much lasts.
    for knot in range(knots.used[0]):
        if knots.count[knot, 0] + knots.count[knot, 1] > 2:
            _move(knots, new, owner, mark, knot)
    return new


@piece
def _move(knots, new, owner, mark, knot):
    """Write a knot down anew, each cluster once."""
    number, start, _ = new.used
    place = start
    for side in range(2):
        new.border[number, side] = place
        for k in range(knots.border[knot, side], knots.border[knot, side + 1]):
            slot = find(owner, knots.items[k])
            if mark[slot] != -1:
                mark[slot] = -1
                new.items[place] = slot
                new.links[place, 0], new.links[place, 1] = 2 * number + side, new.first[slot]
                new.first[slot] = place
                place += 1
    for slot in new.items[start:place]:
        mark[slot] = 0
    new.border[number, 2] = place
    copy(knots.count[knot], new.count[number])
    new.side[number] = -1
    new.used[0], new.used[1], new.used[2] = number + 1, place, place


@piece
def merge_knots(knots, low, high):
    """Merge two clusters: where both are on one side of a knot, that has one cluster less."""
    # `side` of a knot remembers, by the number of this merge's higher slot, that the lower cluster
    # is on that side of it.
    link = knots.first[low]
    end = -1
    while link >= 0:
        knot, side = knots.links[link, 0] >> 1, knots.links[link, 0] & 1
        after = knots.links[link, 1]
        if knots.count[knot, 0] + knots.count[knot, 1] <= 2:
            _drop_link(knots, low, end, after)
        else:
            knots.side[knot] = 2 * high + side
            end = link
        link = after
    link = knots.first[high]
    knots.first[high] = -1
    while link >= 0:
        after = knots.links[link, 1]
        knot, side = knots.links[link, 0] >> 1, knots.links[link, 0] & 1
        if knots.side[knot] == 2 * high + side:
            knots.count[knot, side] -= 1
        elif knots.count[knot, 0] + knots.count[knot, 1] > 2:
            if end < 0:
                knots.first[low] = link
            else:
                knots.links[end, 1] = link
            knots.links[link, 1] = -1
            end = link
        link = after


@piece
def hide_knotted(knots, owner, slot, row, columns):
    """Make the distances of a cluster infinite to those that a knot keeps it from."""
    before, link = -1, knots.first[slot]
    while link >= 0:
        knot, side = knots.links[link, 0] >> 1, knots.links[link, 0] & 1
        after = knots.links[link, 1]
        if knots.count[knot, 0] + knots.count[knot, 1] <= 2:
            _drop_link(knots, slot, before, after)
        else:
            before = link
            for k in range(knots.border[knot, 1 - side], knots.border[knot, 2 - side]):
                row[columns[find(owner, knots.items[k])]] = np.inf
        link = after
