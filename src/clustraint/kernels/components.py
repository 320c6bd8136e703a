"""Must-link components, the chains that hold them together, and what keeps components apart."""

import numpy as np

from clustraint.kernels._jit import jit, piece
from clustraint.kernels.disjoint_set import number_sets, singles, unite

# What searches over many cannot-links may cost before the rest of these is left alone.
MANY_VISITS = 10_000_000


@jit
def component_labels(n_samples, must_link):
    """Return the must-link component of each sample, numbered by first sample, and their number."""
    labels = singles(n_samples)
    for i in range(len(must_link)):
        unite(labels, must_link[i, 0], must_link[i, 1])
    count = number_sets(labels)
    return labels, count


@jit
def unite_pairs(roots, pairs):
    """Unite the ends of pairs; return how many pairs joined two sets."""
    joined = 0
    for i in range(len(pairs)):
        joined += unite(roots, pairs[i, 0], pairs[i, 1])
    return joined


@jit
def settle_roots(roots):
    """Make every member lead to its root at once; return how many roots there are."""
    count = 0
    for member in range(len(roots)):
        # Lower than itself, so that it leads to a root already.
        roots[member] = roots[roots[member]]
        count += roots[member] == member
    return count


@jit
def group_sizes(roots):
    """Return how many sets have several members, how many members these have, and the most.

    `roots` is used up, so that 10⁸ of them need no second array. A root is the lowest of its set,
    so that, from the last down, it comes after all others: until then its place counts them, below
    zero.
    """
    n_groups, n_members, largest = 0, 0, min(len(roots), 1)
    for member in range(len(roots) - 1, -1, -1):
        root = roots[member]
        if root < 0:
            size = 1 - root
            n_groups += 1
            n_members += size
            largest = max(largest, size)
        elif root != member:
            roots[root] = -1 if roots[root] >= 0 else roots[root] - 1
    return n_groups, n_members, largest


@piece
def neighbours(n_samples, pairs):
    """Return `start`, `items`: the pairs at sample v are items[start[v]:start[v + 1]]."""
    start = np.zeros(n_samples + 1, np.int64)
    for i in range(len(pairs)):
        start[pairs[i, 0] + 1] += 1
        start[pairs[i, 1] + 1] += 1
    # A counting sort: first how many pairs each sample has, then where its stretch begins.
    for sample in range(n_samples):
        start[sample + 1] += start[sample]
    free = start[:-1].copy()
    items = np.empty(2 * len(pairs), np.int64)
    for i in range(len(pairs)):
        for j in range(2):
            items[free[pairs[i, j]]] = i
            free[pairs[i, j]] += 1
    return start, items


@piece
def _chain(pairs, start, items, source, sink, longest, came_by, distance, queue):
    """Search breadth-first from `source`; return the distance to `sink`, or -1, and the visits.

    `distance` comes and goes as -1: only what was visited is reset, so that many short searches in
    a large graph stay cheap.
    """
    queue[0] = source
    distance[source] = 0
    count = 1
    head = 0
    length = -1
    # Samples are queued by rising distance: the first way to the sink is a shortest one.
    while head < count and length < 0:
        sample = queue[head]
        head += 1
        if distance[sample] == longest:
            break
        for pair in items[start[sample] : start[sample + 1]]:
            other = pairs[pair, 0] + pairs[pair, 1] - sample
            if distance[other] < 0:
                distance[other] = distance[sample] + 1
                came_by[other] = pair
                queue[count] = other
                count += 1
                if other == sink:
                    length = distance[other]
                    break
    for i in range(count):
        distance[queue[i]] = -1
    return length, count


@jit
def shortest_chain(n_samples, must_link, cannot_link, broken):
    """Return the shortest chain of must-links over the `broken` cannot-links, and which one.

    Later cannot-links are tried only as far as they may beat the earlier ones, and no more once
    all searches together have visited very many samples.
    """
    start, items = neighbours(n_samples, must_link)
    came_by = np.empty(n_samples, np.int64)
    distance = np.full(n_samples, -1, np.int64)
    queue = np.empty(n_samples, np.int64)
    longest = n_samples
    best = -1
    chain = queue[:0]
    left = 10 * n_samples + MANY_VISITS
    # `longest` is one less than the best chain so far: a search that would not beat it is cut off.
    for pair in broken:
        source, sink = cannot_link[pair, 0], cannot_link[pair, 1]
        length, visits = _chain(
            must_link, start, items, source, sink, longest, came_by, distance, queue
        )
        if length >= 0:
            best, longest = pair, length - 1
            chain = np.empty(length, np.int64)
            sample = sink
            for i in range(length - 1, -1, -1):
                chain[i] = came_by[sample]
                sample = must_link[chain[i], 0] + must_link[chain[i], 1] - sample
        left -= visits
        if left < 0 or longest < 1:
            break
    return chain, best


@jit
def chain_loads(n_samples, must_link, cannot_link, weights, broken):
    """Return for each must-link the weight of the broken cannot-links whose chain it is part of."""
    start, items = neighbours(n_samples, must_link)
    came_by = np.empty(n_samples, np.int64)
    distance = np.full(n_samples, -1, np.int64)
    queue = np.empty(n_samples, np.int64)
    loads = np.zeros(len(must_link))
    left = 10 * n_samples + MANY_VISITS
    # Every broken cannot-link has a chain, as its ends are in one component.
    for pair in broken:
        source, sink = cannot_link[pair, 0], cannot_link[pair, 1]
        _, visits = _chain(
            must_link, start, items, source, sink, n_samples, came_by, distance, queue
        )
        sample = sink
        while sample != source:
            link = came_by[sample]
            loads[link] += weights[pair]
            sample = must_link[link, 0] + must_link[link, 1] - sample
        left -= visits
        if left < 0:
            break
    return loads


@jit
def odd_cycle(n_nodes, edges):
    """Return nodes of a short cycle of odd length, or none where two colours suffice."""
    start, items = neighbours(n_nodes, edges)
    colour = np.full(n_nodes, -1, np.int64)
    parent = np.full(n_nodes, -1, np.int64)
    depth = np.zeros(n_nodes, np.int64)
    queue = np.empty(n_nodes, np.int64)
    for seed in range(n_nodes):
        if colour[seed] >= 0:
            continue
        colour[seed] = 0
        queue[0] = seed
        count = 1
        head = 0
        # Colours are the parity of the depth: an edge within a colour closes an odd cycle.
        while head < count:
            node = queue[head]
            head += 1
            for edge in items[start[node] : start[node + 1]]:
                other = edges[edge, 0] + edges[edge, 1] - node
                if colour[other] < 0:
                    colour[other] = 1 - colour[node]
                    parent[other] = node
                    depth[other] = depth[node] + 1
                    queue[count] = other
                    count += 1
                elif colour[other] == colour[node]:
                    return _cycle(parent, depth, node, other)
    return queue[:0]


@piece
def _cycle(parent, depth, left, right):
    """Return the nodes on the way from `left` to `right` through the tree that `parent` spans."""
    up = [left]
    down = [right]
    # The deeper end climbs, so that both meet where the ways first join.
    while up[-1] != down[-1]:
        if depth[up[-1]] >= depth[down[-1]]:
            up.append(parent[up[-1]])
        else:
            down.append(parent[down[-1]])
    cycle = np.empty(len(up) + len(down) - 1, np.int64)
    for i in range(len(up)):
        cycle[i] = up[i]
    for i in range(len(down) - 1):
        cycle[len(cycle) - 1 - i] = down[i]
    return cycle


@jit
def clique(n_nodes, edges, size, most_steps):
    """Return `size` nodes that are all joined by an edge, or none where the search finds none.

    Branch and bound in degeneracy order with greedy colours as the bound (Tomita); it gives up
    after `most_steps` branches, so an empty answer is a proof only for small or sparse graphs.
    """
    start, items = neighbours(n_nodes, edges)
    order, later = _degeneracy(n_nodes, edges, start, items)
    members = np.empty(0, np.int64)
    steps = 0
    # Each clique is looked for from the member that comes first in the order, among its later
    # neighbours alone: in a sparse graph these are few, whatever the degree.
    for node in order:
        candidates = [
            edges[e, 0] + edges[e, 1] - node
            for e in items[start[node] : start[node + 1]]
            if later[edges[e, 0] + edges[e, 1] - node] > later[node]
        ]
        if len(candidates) < size - 1 or steps > most_steps:
            continue
        members, taken = _extend(np.array(candidates), edges, start, items, size - 1, most_steps)
        steps += taken
        if len(members) == size - 1:
            return np.append(members, node)
    return members[:0]


@piece
def _degeneracy(n_nodes, edges, start, items):
    """Return nodes in the order in which the least connected is taken away, and their ranks."""
    degree = start[1:] - start[:-1]
    place = np.zeros(n_nodes, np.int64)
    border = np.zeros(degree.max() + 2, np.int64)
    for node in range(n_nodes):
        border[degree[node] + 1] += 1
    border = np.cumsum(border)
    order = np.empty(n_nodes, np.int64)
    free = border.copy()
    for node in range(n_nodes):
        place[node] = free[degree[node]]
        order[place[node]] = node
        free[degree[node]] += 1
    # `order` is sorted by the degrees among what is left; border[d] is where degree d begins. A
    # neighbour that loses an edge moves to the front of its stretch, and the border over it.
    for i in range(n_nodes):
        node = order[i]
        for edge in items[start[node] : start[node + 1]]:
            other = edges[edge, 0] + edges[edge, 1] - node
            if degree[other] > degree[node]:
                swap = order[border[degree[other]]]
                order[place[other]], order[place[swap]] = swap, other
                place[other], place[swap] = place[swap], place[other]
                border[degree[other]] += 1
                degree[other] -= 1
    return order, place


@piece
def _extend(nodes, edges, start, items, size, most_steps):
    """Return a clique of `size` among `nodes`, or a smaller one, and the branches tried."""
    count = len(nodes)
    number = {node: i for i, node in enumerate(nodes)}
    joined = np.zeros((count, count), np.bool_)
    for i in range(count):
        for edge in items[start[nodes[i]] : start[nodes[i] + 1]]:
            other = edges[edge, 0] + edges[edge, 1] - nodes[i]
            if other in number:
                joined[i, number[other]] = True
    chosen = np.empty(size + 1, np.int64)
    left = np.zeros((size + 1, count), np.bool_)
    left[0, :] = True
    depth = 0
    steps = 0
    # left[depth] are the nodes joined to all that are chosen, and not tried at this depth yet.
    while depth >= 0 and steps <= most_steps:
        if depth == size:
            return nodes[chosen[:size]], steps
        branch = _branch(joined, left[depth], size - depth)
        if branch < 0:
            depth -= 1
            continue
        steps += 1
        chosen[depth] = branch
        left[depth, branch] = False
        left[depth + 1] = left[depth] & joined[branch]
        depth += 1
    return nodes[:0], steps


@piece
def _branch(joined, left, needed):
    """Return the node of the highest greedy colour, or -1 where too few colours are needed."""
    count = len(left)
    waiting = left.copy()
    last = -1
    colours = 0
    # Each pass takes off one colour: nodes that are not joined to each other. As many colours as
    # passes suffice, so a clique has no more nodes than that; the last node has the highest colour.
    while True:
        free = waiting.copy()
        any_left = False
        for i in range(count):
            if free[i]:
                any_left = True
                last = i
                waiting[i] = False
                free &= ~joined[i]
        if not any_left:
            return last if colours >= needed else -1
        colours += 1
