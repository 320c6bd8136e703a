"""The open triplets of ReCon, and whether two clusters may merge while they hold together.

What keeps clusters i and j apart is the largest knot around them: two sets of clusters, connected
to i and to j by pairs ab whose c is in either set. A test starts from all that could be in it, as a
forest that grows from i and j over such pairs. What cannot be reached is not in the knot; so the
pairs whose c it is are lost, and what hung by these is loose. It may find another hold, and then
all that hangs from it stays where it is; else what hangs from it is loose, too. What finds no hold
in the end is out of reach in turn. So the forest shrinks to the knot, or to i and j alone.
"""

from typing import Any, NamedTuple

import numpy as np

from clustraint.kernels._jit import piece
from clustraint.kernels.arrays import copy
from clustraint.kernels.disjoint_set import find, singles, unite
from clustraint.kernels.scopes import (
    DEPTH,
    PARENT,
    TWIN,
    covers,
    hanging,
    make_scopes,
    mark_path,
    merge_idle,
    merge_scopes,
    move_down,
    open_parts,
    open_scope,
    part,
    smaller,
)

# Columns of `slots`: eight numbers are one line of the processor's cache, and one array is faster
# to hand to a function than a tuple of many.
FIRST, LAST = 0, 1  # the list of half-edges
FIRST_OUTER, LAST_OUTER = 2, 3  # the list of the triplets whose c is in the slot
MARK = 4  # what the last search that reached it says of it
HELD = 5  # the triplet that it hangs by, -1 for a root
ABOVE = 6  # the slot that it hangs from
SAFE = 7  # the last round in which it was seen to hang from a root

# Columns of `halves`: 2t is in the list of the cluster of a, 2t + 1 in that of b of triplet t.
OTHER, OUTER = 0, 1  # b or a, and c
FOLLOWING, FOLLOWING_OUTER = 2, 3  # in the lists; the outer one is that of the triplet


class OpenTriplets(NamedTuple):
    """The triplets that are open, as pairs ab of clusters."""

    owner: Any  # leads from each item to the slot of its cluster
    slots: Any  # per slot: the columns above
    halves: Any  # per half-edge: the columns above
    length: Any  # per slot: how many half-edges its list has
    degree: Any  # per slot: in how many open triplets it takes part
    clock: Any  # the last mark set, the last round, how many the last test has dropped
    queue: Any  # the forest of the last test
    loose: Any  # slots that have lost their hold
    dropped: Any  # slots that were in the forest and are out of reach
    level: Any  # per slot that is dropped: in which round
    small: Any  # the clusters in reach on the smaller side
    split: Any  # the nodes to split if these move, and their children
    moved: Any  # beside which node, how many, whether all of their side, how many to split
    outers: Any  # the c of triplets that a merge has closed
    scopes: Any


@piece
def open_triplets(n_items, triplets, layout):
    """Return all triplets, open; `layout` is their BUILD tree."""
    slots = np.full((n_items, 8), -1, np.int64)
    halves = np.full((2 * len(triplets), 4), -1, np.int64)
    length, degree = np.zeros(n_items, np.int64), np.zeros(n_items, np.int64)
    for item in range(n_items):
        slots[item, MARK] = slots[item, SAFE] = 0
    for k in range(len(triplets)):
        for half in (2 * k, 2 * k + 1):
            item = triplets[k, half & 1]
            halves[half, OTHER], halves[half, OUTER] = triplets[k, 1 - (half & 1)], triplets[k, 2]
            _put_before(slots, FIRST, halves, FOLLOWING, item, half)
            length[item] += 1
            degree[item] += 1
        _put_before(slots, FIRST_OUTER, halves, FOLLOWING_OUTER, triplets[k, 2], 2 * k)
        degree[triplets[k, 2]] += 1
    return OpenTriplets(
        singles(n_items),
        slots,
        halves,
        length,
        degree,
        np.zeros(3, np.int64),
        np.empty(n_items, np.int64),
        np.empty(n_items, np.int64),
        np.empty(n_items, np.int64),
        np.empty(n_items, np.int64),
        np.empty(n_items, np.int64),
        np.empty((n_items, 2), np.int64),
        np.empty(4, np.int64),
        np.empty(len(triplets), np.int64),
        make_scopes(layout),
    )


@piece
def _put_before(slots, first, halves, following, slot, half):
    """Put a half-edge before the others of a list; the end of a list is the column after."""
    if slots[slot, first] < 0:
        slots[slot, first + 1] = half
    halves[half, following] = slots[slot, first]
    slots[slot, first] = half


@piece
def close_triplets(pending, low, high):
    """Merge two clusters that passed the last test: close the triplets whose a and b they are.

    Returns the clusters of their c.
    """
    owner, slots, halves, degree = pending.owner, pending.slots, pending.halves, pending.degree
    if degree[low] == 0 or degree[high] == 0:
        merge_idle(pending.scopes, low, high, high if degree[low] == 0 else low)
    else:
        node, n_small, are_all, n_split = pending.moved
        if node >= 0:
            leaves, split = pending.small[:n_small], pending.split[:n_split]
            move_down(pending.scopes, node, leaves, are_all, split)
        merge_scopes(pending.scopes, low, high, pending.dropped[: pending.clock[2]], pending.level)
    # Walking the shorter list finds every triplet that the merge closes, as both of its half-edges
    # lie in the two lists. A half-edge is walked only when its list at least doubles: O(T log T) in
    # all.
    less, more = (low, high) if pending.length[low] < pending.length[high] else (high, low)
    half = slots[less, FIRST]
    closed = 0
    while half >= 0:
        if find(owner, halves[half, OTHER]) == more:
            outer = find(owner, halves[half, OUTER])
            pending.outers[closed] = outer
            closed += 1
            degree[outer] -= 1
        half = halves[half, FOLLOWING]
    # What is closed stays in the lists and is taken out by whoever meets it next (`_grow`,
    # `_lose`), since here its neighbours in the list are not at hand.
    unite(owner, low, high)
    degree[low] += degree[high] - 2 * closed
    pending.length[low] += pending.length[high]
    _append(slots, FIRST, halves, FOLLOWING, low, high)
    _append(slots, FIRST_OUTER, halves, FOLLOWING_OUTER, low, high)
    return pending.outers[:closed]


@piece
def _append(slots, first, halves, following, low, high):
    """Put the list of one slot behind that of another."""
    if slots[high, first] >= 0:
        if slots[low, first] < 0:
            slots[low, first] = slots[high, first]
        else:
            halves[slots[low, first + 1], following] = slots[high, first]
        slots[low, first + 1] = slots[high, first + 1]


@piece
def _take_out(slots, first, halves, following, slot, before, after):
    """Take out of the list of a slot what stands between two of its places."""
    if before < 0:
        slots[slot, first] = after
    else:
        halves[before, following] = after
    if after < 0:
        slots[slot, first + 1] = before


@piece
def compatible(pending, i, j):
    """Say whether two clusters may merge; if not, `queue` holds the knot.

    Returns the sizes of its two sides, 1 and 1 if there is none.
    """
    pending.clock[2] = 0
    pending.moved[0] = -1
    if pending.degree[i] == 0 or pending.degree[j] == 0:
        return 1, 1
    left, right = part(pending.scopes, i, j)
    if left == i and right == j:
        return 1, 1
    owner, slots, halves, nodes = pending.owner, pending.slots, pending.halves, pending.scopes.nodes
    queue, loose, dropped = pending.queue, pending.loose, pending.dropped
    # From here on an item leads to its slot at once: the lowest first, so one pass does.
    for item in range(len(owner)):
        owner[item] = owner[owner[item]]
    is_left, n_leaves = smaller(pending.scopes, left, right)
    if is_left:
        large, small, n_small = _narrow(pending, j, right, i, left)
    else:
        large, small, n_small = _narrow(pending, i, left, j, right)
    pending.moved[2] = n_small == n_leaves
    if n_small == 1 and (large == i or large == j):
        return 1, 1
    # Clusters in the forest are marked `fast`, those that have lost their hold `fast + 1`.
    fast = pending.clock[0] + 1
    pending.clock[0] += 2
    for place, slot in enumerate((i, j)):
        queue[place] = slot
        slots[slot, MARK], slots[slot, HELD], slots[slot, ABOVE] = fast, -1, -1
    inside = open_parts(pending.scopes, large, small, pending.small[:n_small])
    n_reached = _grow(owner, slots, halves, queue, nodes, fast, inside, 2)
    n_loose = _loosen(owner, slots, halves, queue[2:n_reached], fast, loose)
    n_dropped, rounds = 0, 0
    # At the end of a round everything that is left hangs from i or j by pairs whose c was left when
    # the round began. When a round has dropped nothing, what is left is the knot.
    while n_loose and n_reached - n_dropped > 2:
        rounds += 1
        pending.clock[1] += 1
        # `dropped` has room behind for those that grow anew, which are not dropped in this round.
        again = dropped[n_dropped:]
        n_loose = _hold_loose(owner, slots, halves, fast, pending.clock[1], loose, n_loose, again)
        begin = n_dropped
        for slot in loose[:n_loose]:
            if slots[slot, MARK] == fast + 1:
                slots[slot, MARK], pending.level[slot] = 0, rounds
                dropped[n_dropped] = slot
                n_dropped += 1
        n_loose = _lose(owner, slots, halves, fast, dropped[begin:n_dropped], loose)
    pending.clock[2] = n_dropped
    if n_reached - n_dropped == 2:
        return 1, 1
    return _sides(slots, queue, loose, fast, n_reached, i)


@piece
def _narrow(pending, cluster, large, other, small):
    """Return where a knot of two clusters must lie: a node in `large`, and leaves of `small`.

    Writes these leaves down, and what `move_down` needs to make the two siblings.
    """
    slots, halves, nodes = pending.slots, pending.halves, pending.scopes.nodes
    owner, queue, split = pending.owner, pending.queue, pending.split
    pending.clock[0] += 1
    queue[0] = other
    slots[other, MARK] = pending.clock[0]
    inside = open_scope(pending.scopes, large, small)
    n_small = _grow(owner, slots, halves, queue, nodes, pending.clock[0], inside, 1)
    copy(queue[:n_small], pending.small)
    stamp, depth = mark_path(pending.scopes, large, cluster)
    n_split = 0
    # `depth` is that of the highest node where one of the pairs seen leads away from the cluster.
    for leaf in pending.small[:n_small]:
        half = slots[leaf, FIRST_OUTER]
        while half >= 0:
            first = hanging(nodes, stamp, owner[halves[half, OTHER]])
            second = hanging(nodes, stamp, owner[halves[half + 1, OTHER]])
            half = halves[half, FOLLOWING_OUTER]
            if first < 0 or second < 0 or first == second:
                continue
            if nodes[first, DEPTH] != nodes[second, DEPTH]:
                depth = min(depth, nodes[first, DEPTH], nodes[second, DEPTH])
                continue
            above = nodes[first, PARENT]
            if nodes[above, TWIN] >= 0:
                split[n_split, 0], split[n_split, 1] = above, nodes[above, TWIN]
                nodes[above, TWIN] = -1
                n_split += 1
    node = cluster
    while nodes[node, DEPTH] > depth:
        node = nodes[node, PARENT]
    n_passed = 0
    for k in range(n_split):
        if nodes[split[k, 0], DEPTH] < depth:
            split[n_passed, 0], split[n_passed, 1] = split[k, 0], split[k, 1]
            n_passed += 1
    pending.moved[0], pending.moved[1], pending.moved[3] = node, n_small, n_passed
    return node, small, n_small


@piece
def _stands(owner, slots, halves, fast, half):
    """Say whether the c of a pair is in scope."""
    return slots[owner[halves[half, OUTER]], MARK] >= fast


@piece
def _hang(slots, slot, half, above, fast):
    """Let a cluster hang from another one by a triplet."""
    slots[slot, MARK], slots[slot, HELD], slots[slot, ABOVE] = fast, half >> 1, above


@piece
def _grow(owner, slots, halves, queue, nodes, fast, inside, count):
    """Grow the forest from its roots over all pairs whose c is in scope; return its size."""
    head = 0
    # Whatever is before `head` in the queue has had its list walked, and whatever is in the queue
    # is marked: the search ends when everything reachable in scope is in the queue. Being first in,
    # first out it makes branches short.
    while head < count:
        slot = queue[head]
        head += 1
        before, half = -1, slots[slot, FIRST]
        while half >= 0:
            after = halves[half, FOLLOWING]
            other = owner[halves[half, OTHER]]
            if other == slot:  # closed meanwhile
                _take_out(slots, FIRST, halves, FOLLOWING, slot, before, after)
            else:
                before = half
                if slots[other, MARK] != fast and covers(nodes, inside, owner[halves[half, OUTER]]):
                    _hang(slots, other, half, slot, fast)
                    queue[count] = other
                    count += 1
            half = after
    return count


@piece
def _loosen(owner, slots, halves, forest, fast, loose):
    """Loosen what hangs by pairs whose c is not in the forest; return how many are loose."""
    n_loose = 0
    for slot in forest:
        if not _stands(owner, slots, halves, fast, 2 * slots[slot, HELD]):
            loose[n_loose] = slot
            n_loose += 1
    # Marked only now: so far all of the forest counts as in scope.
    for slot in loose[:n_loose]:
        slots[slot, MARK] = fast + 1
    return n_loose


@piece
def _hangs(slots, now, fast, slot):
    """Say whether a cluster hangs from a root by clusters that have all kept their hold."""
    here = slot
    while here >= 0 and slots[here, SAFE] != now:
        if slots[here, MARK] != fast:
            return False
        here = slots[here, ABOVE]
    # Nothing on the way can lose its hold in this round: the next who asks need not go so far.
    while slot >= 0 and slots[slot, SAFE] != now:
        slots[slot, SAFE] = now
        slot = slots[slot, ABOVE]
    return True


@piece
def _finds_hold(owner, slots, halves, fast, now, slot, loose, n_loose):
    """Let a loose cluster hang from one that hangs from a root.

    Returns whether it does, whether it might if others find a hold, and how many are loose if those
    are added that hang from it, which are written behind.
    """
    may_later = False
    half = slots[slot, FIRST]
    while half >= 0:
        other = owner[halves[half, OTHER]]
        mark = slots[other, MARK]
        if mark >= fast and _stands(owner, slots, halves, fast, half):
            if slots[other, HELD] != half >> 1:
                if mark == fast and _hangs(slots, now, fast, other):
                    _hang(slots, slot, half, other, fast)
                    return True, True, n_loose
            elif mark == fast:
                loose[n_loose] = other
                n_loose += 1
            may_later = True
        half = halves[half, FOLLOWING]
    return False, may_later, n_loose


@piece
def _hold_loose(owner, slots, halves, fast, now, loose, n_loose, again):
    """Find another hold for what is loose; return how many have been loose.

    Those that find none keep their mark. `again` is room for those that others hang from anew.
    """
    place, n_left = 0, 0
    # The loose ones before `place` have found a hold, or have made loose what hung from them; those
    # that may find one when others have are in `again`.
    while place < n_loose:
        slot = loose[place]
        place += 1
        is_held, may_later, n_more = _finds_hold(
            owner, slots, halves, fast, now, slot, loose, n_loose
        )
        if is_held:
            continue
        for other in loose[n_loose:n_more]:
            slots[other, MARK] = fast + 1
        n_loose = n_more
        if may_later:
            again[n_left] = slot
            n_left += 1
    n_held = 0
    # All that is marked `fast` hangs from a root by now, also what seemed to hang from loose ones
    # when a neighbour looked for a hold.
    for slot in again[:n_left]:
        if _finds_hold(owner, slots, halves, fast, now, slot, loose, n_loose)[0]:
            again[n_held] = slot
            n_held += 1
    head = 0
    while head < n_held:
        slot = again[head]
        head += 1
        half = slots[slot, FIRST]
        while half >= 0:
            other = owner[halves[half, OTHER]]
            if slots[other, MARK] == fast + 1 and _stands(owner, slots, halves, fast, half):
                _hang(slots, other, half, slot, fast)
                again[n_held] = other
                n_held += 1
            half = halves[half, FOLLOWING]
    return n_loose


@piece
def _lose(owner, slots, halves, fast, lost, loose):
    """Loosen what hangs by pairs whose c is in a lost slot; return how many are loose."""
    n_loose = 0
    for slot in lost:
        before, half = -1, slots[slot, FIRST_OUTER]
        while half >= 0:
            after = halves[half, FOLLOWING_OUTER]
            first, second = owner[halves[half, OTHER]], owner[halves[half + 1, OTHER]]
            if first == second:  # closed meanwhile
                _take_out(slots, FIRST_OUTER, halves, FOLLOWING_OUTER, slot, before, after)
            else:
                before = half
                for end in (first, second):
                    if slots[end, MARK] == fast and slots[end, HELD] == half >> 1:
                        slots[end, MARK] = fast + 1
                        loose[n_loose] = end
                        n_loose += 1
            half = after
    return n_loose


@piece
def _sides(slots, queue, spare, fast, n_reached, i):
    """Bring the clusters that are left to the front of the queue, those on i's side first."""
    left, right = 0, 0
    for slot in queue[:n_reached]:
        if slots[slot, MARK] == fast:
            root = slot
            while slots[root, ABOVE] >= 0:
                root = slots[root, ABOVE]
            if root == i:
                queue[left] = slot
                left += 1
            else:
                spare[right] = slot
                right += 1
    for place in range(right):
        queue[left + place] = spare[place]
    return left, right
