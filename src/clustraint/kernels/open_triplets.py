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
from clustraint.kernels.disjoint_set import find, singles, unite
from clustraint.kernels.knots import scope


class OpenTriplets(NamedTuple):
    """The triplets that are open, as pairs ab of clusters.

    Half-edge 2t is in the list of the cluster of a, 2t + 1 in that of b of triplet t.
    """

    triplets: Any
    owner: Any  # leads from each item to the slot of its cluster
    first: Any  # per slot: the list of its half-edges
    last: Any
    following: Any
    length: Any
    first_outer: Any  # per slot: the list of the triplets whose c is in it
    last_outer: Any
    following_outer: Any
    degree: Any  # per slot: in how many open triplets it takes part
    mark: Any  # per slot: what the last search that reached it says of it
    clock: Any  # the last mark set, the last round
    queue: Any
    held: Any  # per slot: the triplet that it hangs by, -1 for a root
    above: Any  # per slot: the slot that it hangs from
    safe: Any  # per slot: the last round in which it was seen to hang from a root
    loose: Any  # slots that have lost their hold
    lost: Any  # slots that are out of reach


@piece
def open_triplets(n_items, triplets):
    """Return all triplets, open."""
    degree = np.zeros(n_items, np.int64)
    for triplet in triplets:
        for item in triplet:
            degree[item] += 1
    # Half-edges come as a and b of one triplet after the other.
    first, last, following, length = _lists(n_items, triplets[:, :2].copy().ravel())
    outer = _lists(n_items, triplets[:, 2].copy())
    return OpenTriplets(
        triplets,
        singles(n_items),
        first,
        last,
        following,
        length,
        outer[0],
        outer[1],
        outer[2],
        degree,
        np.zeros(n_items, np.int64),
        np.zeros(2, np.int64),
        np.empty(n_items, np.int64),
        np.empty(n_items, np.int64),
        np.empty(n_items, np.int64),
        np.zeros(n_items, np.int64),
        np.empty(n_items, np.int64),
        np.empty(n_items, np.int64),
    )


@piece
def _lists(n_items, items):
    """Return lists of the places of each item, by first, last and following, and their lengths."""
    first = np.full(n_items, -1, np.int64)
    last = np.full(n_items, -1, np.int64)
    following = np.full(len(items), -1, np.int64)
    length = np.zeros(n_items, np.int64)
    # Lists are built from the back: each place is put before those that came earlier, so that
    # the first one put in stays the last.
    for place in range(len(items)):
        item = items[place]
        if first[item] < 0:
            last[item] = place
        following[place] = first[item]
        first[item] = place
        length[item] += 1
    return first, last, following, length


@piece
def close_triplets(pending, low, high):
    """Merge two clusters: close the triplets whose a and b they are, and join their lists."""
    # Walking the shorter list finds every triplet that the merge closes, as both of its half-edges
    # lie in the two lists. A half-edge is walked only when its list at least doubles: O(T log T) in
    # all.
    less, more = (low, high) if pending.length[low] < pending.length[high] else (high, low)
    half = pending.first[less]
    closed = 0
    while half >= 0:
        if find(pending.owner, pending.triplets[half >> 1, 1 - (half & 1)]) == more:
            closed += 1
            pending.degree[find(pending.owner, pending.triplets[half >> 1, 2])] -= 1
        half = pending.following[half]
    # What is closed stays in the lists and is taken out by whoever meets it next (`_grow`,
    # `_lose`), since here its neighbours in the list are not at hand.
    unite(pending.owner, low, high)
    pending.degree[low] += pending.degree[high] - 2 * closed
    pending.length[low] += pending.length[high]
    _append(pending.first, pending.last, pending.following, low, high)
    _append(pending.first_outer, pending.last_outer, pending.following_outer, low, high)


@piece
def _append(first, last, following, low, high):
    """Put the list of one slot behind that of another."""
    if first[high] >= 0:
        if first[low] < 0:
            first[low] = first[high]
        else:
            following[last[low]] = first[high]
        last[low] = last[high]


@piece
def _take_out(first, last, following, slot, before, after):
    """Take out of the list of a slot what stands between two of its places."""
    if before < 0:
        first[slot] = after
    else:
        following[before] = after
    if after < 0:
        last[slot] = before


@piece
def compatible(pending, walls, i, j):
    """Say whether two clusters may merge; if not, `queue` holds the knot.

    Returns the sizes of its two sides, 1 and 1 if there is none.
    """
    if pending.degree[i] == 0 or pending.degree[j] == 0:
        return 1, 1
    # Clusters in the forest are marked `fast`, those that have lost their hold `fast + 1`.
    fast = pending.clock[0] + 1
    pending.clock[0] += 2
    for place, slot in enumerate((i, j)):
        pending.queue[place] = slot
        pending.mark[slot], pending.held[slot], pending.above[slot] = fast, -1, -1
    n_reached = _grow(pending, fast, scope(walls, i, j), walls.position)
    count = n_reached
    n_loose = 0
    # What the search has not reached is out of the scope from here on.
    owner, triplets, mark = pending.owner, pending.triplets, pending.mark
    held, loose = pending.held, pending.loose
    for slot in pending.queue[2:n_reached]:
        if not _stands(owner, mark, triplets, fast, held[slot]):
            loose[n_loose] = slot
            n_loose += 1
    for slot in loose[:n_loose]:
        mark[slot] = fast + 1
    # At the end of a round everything that is left hangs from i or j by pairs whose c was left when
    # the round began. When a round has lost nothing, what is left is the knot.
    while n_loose and count > 2:
        n_lost = _hold_loose(pending, fast, n_loose)
        count -= n_lost
        n_loose = 0
        for slot in pending.lost[:n_lost]:
            n_loose = _lose(pending, fast, slot, n_loose)
    if count == 2:
        return 1, 1
    return _sides(pending, fast, n_reached, i)


@piece
def _stands(owner, mark, triplets, fast, triplet):
    """Say whether the c of a triplet is in scope."""
    return mark[find(owner, triplets[triplet, 2])] >= fast


@piece
def _grow(pending, fast, stretches, position):
    """Grow the forest over all pairs whose c is in scope; return how many clusters it has.

    The scope is the stretches of the BUILD tree's leaves that `stretches` names.
    """
    # Fields of tuples are slow to get at in a loop, here as below.
    owner, triplets, queue, mark = pending.owner, pending.triplets, pending.queue, pending.mark
    first, last, following = pending.first, pending.last, pending.following
    held, above = pending.held, pending.above
    low, high, low_too, high_too = stretches
    head, count = 0, 2
    # Whatever is before `head` in the queue has had its list walked, and whatever is in the queue
    # is marked: the search ends when everything reachable in scope is in the queue. Being first in,
    # first out it makes branches short.
    while head < count:
        slot = queue[head]
        head += 1
        before, half = -1, first[slot]
        while half >= 0:
            after = following[half]
            other = find(owner, triplets[half >> 1, 1 - (half & 1)])
            if other == slot:  # closed meanwhile
                _take_out(first, last, following, slot, before, after)
            else:
                before = half
                if mark[other] != fast:
                    place = position[triplets[half >> 1, 2]]
                    if low <= place < high or low_too <= place < high_too:
                        mark[other] = fast
                        held[other] = half >> 1
                        above[other] = slot
                        queue[count] = other
                        count += 1
            half = after
    return count


@piece
def _hangs(mark, above, safe, now, fast, slot):
    """Say whether a cluster hangs from a root by clusters that have all kept their hold."""
    here = slot
    while here >= 0 and safe[here] != now:
        if mark[here] != fast:
            return False
        here = above[here]
    # Nothing on the way can lose its hold in this round: the next who asks need not go so far.
    while slot >= 0 and safe[slot] != now:
        safe[slot] = now
        slot = above[slot]
    return True


@piece
def _hold_loose(pending, fast, n_loose):
    """Find another hold for what is loose; return how many are lost, in `lost`."""
    owner, triplets, mark = pending.owner, pending.triplets, pending.mark
    first, following, loose = pending.first, pending.following, pending.loose
    held, above, safe = pending.held, pending.above, pending.safe
    pending.clock[1] += 1
    now = pending.clock[1]
    place = 0
    # The loose ones before `place` have found a hold, or have made loose what hung from them.
    while place < n_loose:
        slot = loose[place]
        place += 1
        half = first[slot]
        while half >= 0:
            triplet = half >> 1
            other = find(owner, triplets[triplet, 1 - (half & 1)])
            if (
                mark[other] == fast
                and held[other] != triplet
                and _stands(owner, mark, triplets, fast, triplet)
                and _hangs(mark, above, safe, now, fast, other)
            ):
                mark[slot], held[slot], above[slot] = fast, triplet, other
                break
            half = following[half]
        if half >= 0:
            continue
        half = first[slot]
        while half >= 0:
            triplet = half >> 1
            other = find(owner, triplets[triplet, 1 - (half & 1)])
            if mark[other] == fast and held[other] == triplet:
                mark[other] = fast + 1
                loose[n_loose] = other
                n_loose += 1
            half = following[half]
    return _regrow(pending, fast, n_loose)


@piece
def _regrow(pending, fast, n_loose):
    """Let the forest grow again over what is loose; return how many are lost, in `lost`."""
    owner, triplets, mark = pending.owner, pending.triplets, pending.mark
    first, following, loose = pending.first, pending.following, pending.loose
    held, above, lost = pending.held, pending.above, pending.lost
    n_held = 0
    # All that is marked `fast` hangs from a root by now, also what seemed to hang from loose ones
    # when a neighbour looked for a hold. `lost` serves as the queue of those that have grown anew.
    for slot in loose[:n_loose]:
        half = first[slot] if mark[slot] != fast else -1
        while half >= 0:
            triplet = half >> 1
            other = find(owner, triplets[triplet, 1 - (half & 1)])
            if mark[other] == fast and _stands(owner, mark, triplets, fast, triplet):
                mark[slot], held[slot], above[slot] = fast, triplet, other
                lost[n_held] = slot
                n_held += 1
                break
            half = following[half]
    head = 0
    while head < n_held:
        slot = lost[head]
        head += 1
        half = first[slot]
        while half >= 0:
            triplet = half >> 1
            other = find(owner, triplets[triplet, 1 - (half & 1)])
            if mark[other] == fast + 1 and _stands(owner, mark, triplets, fast, triplet):
                mark[other], held[other], above[other] = fast, triplet, slot
                lost[n_held] = other
                n_held += 1
            half = following[half]
    n_lost = 0
    for slot in loose[:n_loose]:
        if mark[slot] == fast + 1:
            mark[slot] = 0
            lost[n_lost] = slot
            n_lost += 1
    return n_lost


@piece
def _lose(pending, fast, slot, n_loose):
    """Loosen what hangs by pairs whose c is in a lost slot; return how many are loose by then."""
    owner, triplets, mark = pending.owner, pending.triplets, pending.mark
    held, loose = pending.held, pending.loose
    first_outer, last_outer = pending.first_outer, pending.last_outer
    following = pending.following_outer
    before, triplet = -1, first_outer[slot]
    while triplet >= 0:
        after = following[triplet]
        first, second = find(owner, triplets[triplet, 0]), find(owner, triplets[triplet, 1])
        if first == second:  # closed meanwhile
            _take_out(first_outer, last_outer, following, slot, before, after)
        else:
            before = triplet
            for end in (first, second):
                if mark[end] == fast and held[end] == triplet:
                    mark[end] = fast + 1
                    loose[n_loose] = end
                    n_loose += 1
        triplet = after
    return n_loose


@piece
def _sides(pending, fast, n_reached, i):
    """Bring the clusters that are left to the front of the queue, those on i's side first."""
    queue, above = pending.queue, pending.above
    left, right = 0, 0
    for slot in queue[:n_reached]:
        if pending.mark[slot] == fast:
            root = slot
            while above[root] >= 0:
                root = above[root]
            if root == i:
                queue[left] = slot
                left += 1
            else:
                pending.loose[right] = slot
                right += 1
    for place in range(right):
        queue[left + place] = pending.loose[place]
    return left, right
