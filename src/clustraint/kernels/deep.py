"""BUILD for trees that are deep, in decremental form.

Only the parts other than the largest are scanned for triplets whose c has left, and each lost edge
runs two searches in lockstep, so that the side that ends first pays. No level is walked as a whole,
and a caterpillar costs no more than a balanced tree.
"""

from typing import NamedTuple

import numpy as np

from clustraint.kernels._jit import jit, piece
from clustraint.kernels.arrays import copy

# A block that loses more than one bond for so many of its samples is walked as a whole.
MANY = 4


class BondGraph(NamedTuple):
    """The edges that are left: half-edge 2e leaves a and 2e + 1 leaves b of triplet e."""

    first: np.ndarray  # first half-edge of each sample, -1 for none
    following: np.ndarray
    preceding: np.ndarray
    target: np.ndarray
    alive: np.ndarray  # per bond
    first_outgroup: np.ndarray  # first bond of which a sample is the c
    following_outgroup: np.ndarray


class Blocks(NamedTuple):
    """A partition of the samples; each block is a stretch of `order`."""

    order: np.ndarray
    position: np.ndarray
    block: np.ndarray
    start: np.ndarray
    stop: np.ndarray
    count: np.ndarray  # one number: how many blocks there are


class Lockstep(NamedTuple):
    """Room for two searches in lockstep."""

    mark: np.ndarray
    stamp: np.ndarray  # one number: the last mark set
    left: np.ndarray
    right: np.ndarray


@piece
def _graph(n_samples, bonds):
    n_bonds = len(bonds)
    first = np.full(n_samples, -1, np.int64)
    following = np.full(2 * n_bonds, -1, np.int64)
    preceding = np.full(2 * n_bonds, -1, np.int64)
    target = np.empty(2 * n_bonds, np.int64)
    first_outgroup = np.full(n_samples, -1, np.int64)
    following_outgroup = np.full(n_bonds, -1, np.int64)
    # Lists with a way back, so that a bond is taken out in constant time wherever it is.
    for bond in range(n_bonds):
        for side in range(2):
            half = 2 * bond + side
            sample = bonds[bond, side]
            target[half] = bonds[bond, 1 - side]
            following[half] = first[sample]
            if first[sample] >= 0:
                preceding[first[sample]] = half
            first[sample] = half
        outgroup = bonds[bond, 2]
        if outgroup >= 0:
            following_outgroup[bond] = first_outgroup[outgroup]
            first_outgroup[outgroup] = bond
    alive = np.ones(n_bonds, np.bool_)
    return BondGraph(first, following, preceding, target, alive, first_outgroup, following_outgroup)


@piece
def _unlink(graph, bond):
    graph.alive[bond] = False
    for half in range(2 * bond, 2 * bond + 2):
        before, after = graph.preceding[half], graph.following[half]
        if before >= 0:
            graph.following[before] = after
        else:
            graph.first[graph.target[half ^ 1]] = after
        if after >= 0:
            graph.preceding[after] = before


@piece
def _blocks_of(samples, node):
    """Return the partition of `samples` by node."""
    n_samples = len(node)
    order = samples[np.argsort(node[samples], kind="mergesort")]
    position = np.full(n_samples, -1, np.int64)
    block = np.full(n_samples, -1, np.int64)
    start = np.zeros(n_samples, np.int64)
    stop = np.zeros(n_samples, np.int64)
    count = 0
    for place in range(len(order)):
        if place == 0 or node[order[place]] != node[order[place - 1]]:
            start[count] = place
            count += 1
        position[order[place]] = place
        block[order[place]] = count - 1
        stop[count - 1] = place + 1
    return Blocks(order, position, block, start, stop, np.array([count]))


@piece
def _split_all(graph, blocks, search, lo, hi):
    """Split the block that is the stretch lo:hi into its connected parts, walking all of it."""
    order, position, block = blocks.order, blocks.position, blocks.block
    # Two marks a search, one for each side in lockstep; those of earlier searches mean nothing.
    search.stamp[0] += 2
    stamp = search.stamp[0]
    seeds = search.right[: hi - lo]
    copy(order[lo:hi], seeds)
    name = block[order[lo]]
    placed = lo
    # The stretch is written anew part by part: what is before `placed` is sorted into parts, and
    # the seeds are a copy of what stood there. The first part keeps the name of the block.
    for seed in seeds:
        if search.mark[seed] == stamp:
            continue
        if placed > lo:
            name = blocks.count[0]
            blocks.count[0] += 1
        blocks.start[name] = placed
        search.mark[seed] = stamp
        order[placed] = seed
        head = placed
        placed += 1
        while head < placed:
            sample = order[head]
            position[sample] = head
            block[sample] = name
            head += 1
            half = graph.first[sample]
            while half >= 0:
                other = graph.target[half]
                if search.mark[other] != stamp:
                    search.mark[other] = stamp
                    order[placed] = other
                    placed += 1
                half = graph.following[half]
        blocks.stop[name] = placed


@piece
def _smaller_side(graph, search, x, y):
    """Return the samples that x or y can reach, whichever ends first; none if they still meet."""
    search.stamp[0] += 2
    x_mark = search.stamp[0]
    y_mark = x_mark + 1
    mark, left, right = search.mark, search.left, search.right
    mark[x], mark[y] = x_mark, y_mark
    left[0], right[0] = x, y
    x_count, y_count, x_head, y_head = 1, 1, 0, 0
    x_half, y_half = graph.first[x], graph.first[y]
    # Both sides take one half-edge in turn, so that the cost is that of the smaller side: whichever
    # runs out first is all that its end can reach.
    while True:
        while x_half < 0:
            x_head += 1
            if x_head == x_count:
                return left[:x_count]
            x_half = graph.first[left[x_head]]
        other = graph.target[x_half]
        x_half = graph.following[x_half]
        if mark[other] == y_mark:
            return left[:0]
        if mark[other] != x_mark:
            mark[other] = x_mark
            left[x_count] = other
            x_count += 1
        while y_half < 0:
            y_head += 1
            if y_head == y_count:
                return right[:y_count]
            y_half = graph.first[right[y_head]]
        other = graph.target[y_half]
        y_half = graph.following[y_half]
        if mark[other] == x_mark:
            return left[:0]
        if mark[other] != y_mark:
            mark[other] = y_mark
            right[y_count] = other
            y_count += 1


@piece
def _split_off(blocks, samples):
    """Make `samples`, all of one block, a block of their own at the end of its stretch."""
    order, position, block = blocks.order, blocks.position, blocks.block
    old = block[samples[0]]
    new = blocks.count[0]
    blocks.count[0] += 1
    border = blocks.stop[old]
    blocks.stop[new] = border
    # Swapped with whoever is last before the border: what is after it is the new block.
    for sample in samples:
        border -= 1
        moved = order[border]
        place = position[sample]
        order[place], order[border] = moved, sample
        position[moved], position[sample] = place, border
        block[sample] = new
    blocks.stop[old] = border
    blocks.start[new] = border


@piece
def _separate(bonds, graph, blocks, search, lost, lost_from):
    """Take the lost bonds out of the graph and split the blocks that fall apart.

    A block that loses many bonds for its size is walked as a whole; elsewhere every lost bond is
    searched for another way between its ends. `lost_from` comes and goes as zeros, one per block.
    """
    block = blocks.block
    for bond in lost:
        lost_from[block[bonds[bond, 0]]] += 1
    # First the decision for each block by its size before anything is split: -1 is walked as a
    # whole, 0 is searched bond by bond.
    for bond in lost:
        here = block[bonds[bond, 0]]
        if lost_from[here] > 0:
            many = MANY * lost_from[here] >= blocks.stop[here] - blocks.start[here]
            lost_from[here] = -1 if many else 0
    # The bonds searched one by one are still connected elsewhere or part their block for good; a
    # block to be walked later loses all its bonds first.
    for bond in lost:
        _unlink(graph, bond)
        if lost_from[block[bonds[bond, 0]]] == 0:
            side = _smaller_side(graph, search, bonds[bond, 0], bonds[bond, 1])
            if len(side):
                _split_off(blocks, side)
    for bond in lost:
        here = block[bonds[bond, 0]]
        if lost_from[here] < 0:
            lost_from[here] = 0
            _split_all(graph, blocks, search, blocks.start[here], blocks.stop[here])


@piece
def _lost_bonds(bonds, graph, blocks, lo, hi, lost):
    """Collect the triplets whose c lies in another block of the stretch lo:hi than a and b."""
    block = blocks.block
    largest = -1
    place = lo
    while place < hi:
        here = block[blocks.order[place]]
        place = blocks.stop[here]
        if largest < 0 or place - blocks.start[here] > blocks.stop[largest] - blocks.start[largest]:
            largest = here
    n_lost = 0
    place = lo
    # The largest part is not scanned: a bond that crosses between parts has an end or its c in one
    # of the others, and each sample is in a smaller part at most log n times.
    while place < hi:
        sample = blocks.order[place]
        here = block[sample]
        if here == largest:
            place = blocks.stop[here]
            continue
        place += 1
        half = graph.first[sample]
        while half >= 0:
            bond = half >> 1
            outgroup = bonds[bond, 2]
            if graph.alive[bond] and block[outgroup] != here:
                graph.alive[bond] = False
                lost[n_lost] = bond
                n_lost += 1
            half = graph.following[half]
        bond = graph.first_outgroup[sample]
        while bond >= 0:
            if graph.alive[bond] and block[bonds[bond, 0]] != here:
                graph.alive[bond] = False
                lost[n_lost] = bond
                n_lost += 1
            bond = graph.following_outgroup[bond]
    return n_lost


@piece
def _spanning_bonds(graph, search, sample, size):
    """Return size - 1 bonds that connect what `sample` can reach."""
    search.stamp[0] += 2
    stamp = search.stamp[0]
    spanning = np.empty(size - 1, np.int64)
    n_spanning = 0
    search.mark[sample] = stamp
    search.left[0] = sample
    count = 1
    head = 0
    # Breadth first: each new sample adds the bond by which it was reached.
    while head < count:
        half = graph.first[search.left[head]]
        head += 1
        while half >= 0:
            other = graph.target[half]
            if search.mark[other] != stamp:
                search.mark[other] = stamp
                search.left[count] = other
                count += 1
                spanning[n_spanning] = half >> 1
                n_spanning += 1
            half = graph.following[half]
    return spanning[:n_spanning]


@jit
def split_deep(bonds, samples, n_nodes, node, leaf_parent, node_parent):
    """Split the blocks of `samples` by the triplets in `bonds`, down to single samples.

    Returns the triplets that hold a block together which should fall apart, and the number of
    nodes; the tree goes into `leaf_parent` and `node_parent`.
    """
    n_samples = len(node)
    graph = _graph(n_samples, bonds)
    blocks = _blocks_of(samples, node)
    room = np.empty(n_samples, np.int64)
    search = Lockstep(np.zeros(n_samples, np.int64), np.zeros(1, np.int64), room, room.copy())
    lost = np.empty(len(bonds), np.int64)
    lost_from = np.zeros(n_samples, np.int64)
    # Stretches of `order` still to be looked at: their borders and the node that they hang from.
    waiting = np.empty((n_samples, 3), np.int64)
    n_waiting = blocks.count[0]
    for i in range(n_waiting):
        waiting[i, 0], waiting[i, 1] = blocks.start[i], blocks.stop[i]
        waiting[i, 2] = node[blocks.order[blocks.start[i]]]
    for i in range(n_waiting):
        _split_all(graph, blocks, search, waiting[i, 0], waiting[i, 1])
    part_ends = np.empty(n_samples, np.int64)
    # A stretch that waits has been split: its blocks are the connected parts by the bonds that are
    # alive, all of which lie within the stretch. One block alone did not fall apart.
    while n_waiting:
        n_waiting -= 1
        lo, hi, here = waiting[n_waiting, 0], waiting[n_waiting, 1], waiting[n_waiting, 2]
        sample = blocks.order[lo]
        if blocks.stop[blocks.block[sample]] == hi:
            return _spanning_bonds(graph, search, sample, hi - lo), n_nodes
        n_parts = 0
        place = lo
        while place < hi:
            place = blocks.stop[blocks.block[blocks.order[place]]]
            part_ends[n_parts] = place
            n_parts += 1
        n_lost = _lost_bonds(bonds, graph, blocks, lo, hi, lost)
        _separate(bonds, graph, blocks, search, lost[:n_lost], lost_from)
        part_start = lo
        for part in range(n_parts):
            part_stop = part_ends[part]
            if part_stop - part_start == 1:
                leaf_parent[blocks.order[part_start]] = here
            else:
                node_parent[n_nodes] = here
                waiting[n_waiting, 0], waiting[n_waiting, 1] = part_start, part_stop
                waiting[n_waiting, 2] = n_nodes
                n_waiting += 1
                n_nodes += 1
            part_start = part_stop
    return lost[:0], n_nodes
