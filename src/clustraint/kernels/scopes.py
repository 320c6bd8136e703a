"""Where ReCon has to search for what keeps two clusters apart: the BUILD tree of open triplets.

The leaves are the clusters that are left. Invariant: no pair ab of an open triplet lies in two
children of a node that its c is below, too. Hence what can keep two clusters apart lies in the two
children of the node where they meet.

A merge keeps it so. Let A and B be these children, S the clusters in them, S' those that pairs ab
connect to either cluster while c is in S, S'' the same with c in S', and so on until only the two
are left. Then A and B become one node with the children S', the rest of A and the rest of B; S' has
the children S'', what of A is in S' but not in S'', and so of B. What lies in a part of A keeps the
nodes that it had, as far as that part is in them.

Most of S is often out of reach for a reason that the tree tells. Let A be the larger child and S_B
what is in reach in B. From node to node down to the cluster in A, while no pair ab whose c is in
S_B leads from the child with the cluster to another one, nothing in the others is in reach: for c
is not below the node, nor anywhere above that is in reach. So S_B may move down to there, beside
the child, and the rest of B stays beside A.
"""

from typing import Any, NamedTuple

import numpy as np

from clustraint.kernels._jit import piece

# Columns of `nodes`: eight numbers are one line of the processor's cache, and one array is faster
# to hand to a function than a tuple of many.
PARENT = 0  # -1 for the root
FIRST = 1  # the first child
AFTER, BEFORE = 2, 3  # siblings
N_CHILDREN = 4  # -1 for a node that is not in use
STAMP = 5  # what the last walk that came by says of it
TWIN = 6  # what it was reached from, or what takes over a part of it
DEPTH = 7  # how far below the node that a merge changes


class ScopeTree(NamedTuple):
    """A tree that changes; the leaf of a cluster has the number of its slot."""

    nodes: Any  # per node: the columns above
    free: Any  # inner nodes that are not in use
    touched: Any  # nodes that have lost children
    numbers: Any  # the last stamp, how many nodes are free


@piece
def make_scopes(layout):
    """Return the BUILD tree of all triplets."""
    n_items, n_nodes = len(layout.order), len(layout.parents)
    # A tree without nodes of one child has less than n inner ones; a merge makes twice as many at
    # most before it removes others.
    room = 4 * n_items + 4
    nodes = np.full((room, 8), -1, np.int64)
    for node in range(room):
        nodes[node, N_CHILDREN] = nodes[node, STAMP] = 0
    for node in range(n_nodes):
        if layout.parents[node] >= 0:
            _attach(nodes, node, layout.parents[node])
    free = np.arange(room - 1, -1, -1)
    return ScopeTree(nodes, free, np.empty(room, np.int64), np.array([0, room - n_nodes]))


@piece
def _attach(nodes, node, parent):
    head = nodes[parent, FIRST]
    nodes[node, PARENT], nodes[node, BEFORE], nodes[node, AFTER] = parent, -1, head
    if head >= 0:
        nodes[head, BEFORE] = node
    nodes[parent, FIRST] = node
    nodes[parent, N_CHILDREN] += 1


@piece
def _join_siblings(nodes, parent, before, after):
    """Let two siblings, of which either may be none, follow one another."""
    if before >= 0:
        nodes[before, AFTER] = after
    elif parent >= 0:
        nodes[parent, FIRST] = after
    if after >= 0:
        nodes[after, BEFORE] = before


@piece
def _detach(nodes, node):
    parent = nodes[node, PARENT]
    _join_siblings(nodes, parent, nodes[node, BEFORE], nodes[node, AFTER])
    nodes[parent, N_CHILDREN] -= 1


@piece
def _replace(nodes, node, new):
    """Put a node that has no place into that of another one."""
    parent, before, after = nodes[node, PARENT], nodes[node, BEFORE], nodes[node, AFTER]
    nodes[new, PARENT] = parent
    _join_siblings(nodes, parent, before, new)
    _join_siblings(nodes, parent, new, after)


@piece
def _new(nodes, free, numbers):
    numbers[1] -= 1
    node = free[numbers[1]]
    nodes[node, FIRST], nodes[node, N_CHILDREN] = -1, 0
    return node


@piece
def _release(nodes, free, numbers, node):
    # Whoever has the node on a list sees that it is no more.
    nodes[node, N_CHILDREN] = -1
    free[numbers[1]] = node
    numbers[1] += 1


@piece
def _tidy_all(nodes, free, numbers, touched):
    """Remove inner nodes that have no child, or only one, and those above that this leaves so."""
    for node in touched:
        while node >= 0 and nodes[node, N_CHILDREN] == 0:
            above = nodes[node, PARENT]
            _detach(nodes, node)
            _release(nodes, free, numbers, node)
            node = above
        if node >= 0 and nodes[node, N_CHILDREN] == 1:
            _replace(nodes, node, nodes[node, FIRST])
            _release(nodes, free, numbers, node)


@piece
def _tidy(nodes, free, numbers, node):
    _tidy_all(nodes, free, numbers, (node,))


@piece
def part(scopes, first, second):
    """Return the children, of the node where two clusters meet, that they are below."""
    nodes = scopes.nodes
    scopes.numbers[0] += 2
    latest = scopes.numbers[0]
    mine, other = latest, latest - 1
    # Both ways up are gone in turn, so that neither goes far beyond the meeting point; the twin
    # leads back to where the other one came from.
    while True:
        if first >= 0:
            above = nodes[first, PARENT]
            if above >= 0:
                if nodes[above, STAMP] == other:
                    left, right = first, nodes[above, TWIN]
                    break
                nodes[above, STAMP], nodes[above, TWIN] = mine, first
            first = above
        first, second = second, first
        mine, other = other, mine
    if mine == latest:
        return left, right
    return right, left


@piece
def _first_leaf(nodes, node):
    while nodes[node, FIRST] >= 0:
        node = nodes[node, FIRST]
    return node


@piece
def _next_leaf(nodes, top, leaf):
    """Return the leaf below a node that comes after another; -1 at the end."""
    while leaf != top and nodes[leaf, AFTER] < 0:
        leaf = nodes[leaf, PARENT]
    return -1 if leaf == top else _first_leaf(nodes, nodes[leaf, AFTER])


@piece
def smaller(scopes, first, second):
    """Say whether the first of two nodes has fewer leaves; return how many the smaller one has."""
    nodes = scopes.nodes
    of_first, of_second = _first_leaf(nodes, first), _first_leaf(nodes, second)
    count = 0
    # In turn, so that it takes no longer than the smaller one is large.
    while of_first >= 0 and of_second >= 0:
        count += 1
        of_first = _next_leaf(nodes, first, of_first)
        of_second = _next_leaf(nodes, second, of_second)
    return of_second >= 0, count


@piece
def mark_path(scopes, top, leaf):
    """Mark the way from a node down to a leaf, for `hanging`; return the stamp and its length."""
    nodes = scopes.nodes
    scopes.numbers[0] += 3
    stamp = scopes.numbers[0] - 2
    nodes[nodes[top, PARENT], STAMP] = stamp + 2
    length = 0
    node = leaf
    while node != top:
        node = nodes[node, PARENT]
        length += 1
    below = -1
    # The twin of a node on the way is the next one.
    for depth in range(length, -1, -1):
        nodes[leaf, STAMP], nodes[leaf, DEPTH], nodes[leaf, TWIN] = stamp, depth, below
        below, leaf = leaf, nodes[leaf, PARENT]
    return stamp, length


@piece
def hanging(nodes, stamp, leaf):
    """Return the branch by which a leaf hangs from the way marked; -1 if it hangs elsewhere.

    Its depth is that of the node that it hangs from. The leaf at the end of the way is its own
    branch, one deeper than all others can be.
    """
    here, branch = leaf, leaf
    while here >= 0 and nodes[here, STAMP] < stamp:
        branch, here = here, nodes[here, PARENT]
    last = nodes[here, STAMP] if here >= 0 else stamp + 2
    if last == stamp + 1:
        branch = nodes[here, TWIN]
    elif last == stamp + 2:
        branch = -1
    # All that was passed hangs by the same branch.
    while leaf != here:
        nodes[leaf, STAMP], nodes[leaf, TWIN] = max(last, stamp + 1), branch
        nodes[leaf, DEPTH] = nodes[here, DEPTH] if here >= 0 else 0
        leaf = nodes[leaf, PARENT]
    return branch


@piece
def move_down(scopes, node, leaves, are_all, split):
    """Move leaves beside a node that is in a sibling of theirs, or below it.

    `are_all` says that no others are in their node; the others stay beside that sibling. `split`,
    (n_split, 2), has the nodes passed where pairs ab whose c moves lie in two branches, and the
    child of each that is passed next: what else is in such a node becomes one child.
    """
    nodes, free, touched, numbers = scopes.nodes, scopes.free, scopes.touched, scopes.numbers
    for k in range(len(split)):
        child = split[k, 1]
        # A child that was split is in the place that it had with what was parted from it.
        while nodes[child, PARENT] != split[k, 0]:
            child = nodes[child, PARENT]
        _detach(nodes, child)
        _put_beside(nodes, free, numbers, split[k, 0], child)
    large, small = part(scopes, node, leaves[0])
    meet = nodes[small, PARENT]
    if are_all:
        if node != large:
            _detach(nodes, small)
            _put_beside(nodes, free, numbers, node, small)
            _tidy(nodes, free, numbers, meet)
        return
    _detach(nodes, large)
    _put_beside(nodes, free, numbers, small, large)
    whole = nodes[small, PARENT]
    for k in range(len(leaves)):
        touched[k] = nodes[leaves[k], PARENT]
    moved = _new(nodes, free, numbers)
    _take_over(nodes, free, numbers, leaves, whole, moved)
    _put_beside(nodes, free, numbers, node, moved)
    _tidy_all(nodes, free, numbers, touched[: len(leaves)])
    _tidy(nodes, free, numbers, moved)
    _tidy(nodes, free, numbers, meet)


@piece
def _put_beside(nodes, free, numbers, node, other):
    """Make a node of two, where the first one is; the other has no place."""
    both = _new(nodes, free, numbers)
    _replace(nodes, node, both)
    _attach(nodes, node, both)
    _attach(nodes, other, both)


@piece
def open_scope(scopes, left, right):
    """Let two siblings be the scope; return the stamp of what is in it, for `covers`."""
    nodes = scopes.nodes
    scopes.numbers[0] += 2
    inside = scopes.numbers[0] - 1
    nodes[nodes[left, PARENT], STAMP] = inside + 1
    nodes[left, STAMP] = nodes[right, STAMP] = inside
    return inside


@piece
def open_parts(scopes, node, small, leaves):
    """Let a node and some leaves, which are in `small`, be the scope; return its stamp."""
    nodes = scopes.nodes
    scopes.numbers[0] += 2
    inside = scopes.numbers[0] - 1
    nodes[nodes[small, PARENT], STAMP] = nodes[small, STAMP] = inside + 1
    nodes[node, STAMP] = inside
    for leaf in leaves:
        nodes[leaf, STAMP] = inside
    return inside


@piece
def covers(nodes, inside, node):
    """Say whether a node is in scope; all that was passed on the way is stamped then."""
    here = node
    while here >= 0 and nodes[here, STAMP] < inside:
        here = nodes[here, PARENT]
    answer = nodes[here, STAMP] if here >= 0 else inside + 1
    while node >= 0 and nodes[node, STAMP] < inside:
        nodes[node, STAMP] = answer
        node = nodes[node, PARENT]
    return answer == inside


@piece
def merge_idle(scopes, low, high, keep):
    """Merge two clusters of which one is in no open triplet: the other, `keep`, stays in place."""
    nodes = scopes.nodes
    gone = low + high - keep
    above = nodes[gone, PARENT]
    _detach(nodes, gone)
    if keep != low:
        _replace(nodes, high, low)
    _tidy(nodes, scopes.free, scopes.numbers, above)


@piece
def merge_scopes(scopes, low, high, dropped, level):
    """Merge two clusters; `dropped` are those that the test has reached, by rising levels.

    A cluster of level 1 is in S' but not in S'', and so on.
    """
    nodes, free, touched, numbers = scopes.nodes, scopes.free, scopes.touched, scopes.numbers
    left, right = part(scopes, low, high)
    meet = nodes[left, PARENT]
    whole = _new(nodes, free, numbers)
    _attach(nodes, whole, meet)
    for side in (left, right):
        _detach(nodes, side)
        _attach(nodes, side, whole)
    n_touched = 0
    for leaf in (low, high):
        touched[n_touched] = nodes[leaf, PARENT]
        n_touched += 1
        _detach(nodes, leaf)
    inner = low
    end = len(dropped)
    # From the innermost level out: `inner` holds all that is of a higher level than what comes.
    while end > 0:
        begin = end
        while begin > 0 and level[dropped[begin - 1]] == level[dropped[end - 1]]:
            begin -= 1
        for leaf in dropped[begin:end]:
            touched[n_touched] = nodes[leaf, PARENT]
            n_touched += 1
        node = _new(nodes, free, numbers)
        _attach(nodes, inner, node)
        _take_over(nodes, free, numbers, dropped[begin:end], whole, node)
        inner, end = node, begin
    _attach(nodes, inner, whole)
    _tidy_all(nodes, free, numbers, touched[:n_touched])
    _tidy(nodes, free, numbers, whole)
    _tidy(nodes, free, numbers, meet)


@piece
def _take_over(nodes, free, numbers, leaves, whole, node):
    """Move leaves from below `whole` to below `node`, with what they have of the nodes above them.

    A new node is made only where two of the leaves meet.
    """
    nodes[whole, DEPTH] = nodes[node, DEPTH] = 0
    numbers[0] += 1
    now = numbers[0]
    # The twin of an old node that a leaf has passed is one of the leaves taken from below it, or
    # the node made there, which has its depth.
    for leaf in leaves:
        above = nodes[leaf, PARENT]
        _detach(nodes, leaf)
        nodes[leaf, DEPTH] = len(nodes)
        # Up to the first node that was passed before, or to `whole`.
        meet, n_steps = above, 0
        while meet != whole and nodes[meet, STAMP] != now:
            nodes[meet, STAMP], nodes[meet, TWIN] = now, leaf
            meet = nodes[meet, PARENT]
            n_steps += 1
        for step in range(n_steps):
            nodes[above, DEPTH] = nodes[meet, DEPTH] + n_steps - step
            above = nodes[above, PARENT]
        if meet == whole:
            _attach(nodes, leaf, node)
            continue
        top, depth = nodes[meet, TWIN], nodes[meet, DEPTH]
        while nodes[nodes[top, PARENT], DEPTH] >= depth:
            top = nodes[top, PARENT]
        if nodes[top, DEPTH] != depth:
            made = _new(nodes, free, numbers)
            nodes[made, DEPTH], nodes[meet, TWIN] = depth, made
            _replace(nodes, top, made)
            _attach(nodes, top, made)
            top = made
        _attach(nodes, leaf, top)
