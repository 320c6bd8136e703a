"""The best ways to split a leaf and label its sides, with links counted by group.

Samples are linked through groups. A must-link of some weight holds between any two members of a
group, and a cannot-link between any member of one group and any of another, so that no pair is ever
listed. Of a leaf's links, those within it change with the split, and those that leave it with the
labels of the two sides (groups alpha and beta of the paper).
"""

from typing import NamedTuple

import numpy as np

from clustraint.kernels._jit import jit, piece
from clustraint.kernels.arrays import copy
from clustraint.kernels.splits import best_gains

NEW = -1
NONE = -2


class LeafLinks(NamedTuple):
    """The links of a leaf, in numbers of its own for linked samples and groups.

    Sample i is in `group[start[i] : start[i + 1]]`; group g has `size[g]` members here, each two of
    them linked with `weight[g]`, and cannot-links of `edge_weight` to the groups
    `edge_group[edge_start[g] : edge_start[g + 1]]` here.
    """

    start: np.ndarray
    group: np.ndarray
    size: np.ndarray
    weight: np.ndarray
    edge_start: np.ndarray
    edge_group: np.ndarray
    edge_weight: np.ndarray


class Scan(NamedTuple):
    """What the search for refinements of a leaf needs, whatever the labels of other leaves.

    Linked sample i is a member of the groups `group[start[i] : start[i + 1]]`, as they are numbered
    outside; beside each, `size` counts its members in the leaf, and `within` is the weight of the
    cannot-links of a member to samples of the leaf. `alone[i]` is the weight of all must-links of
    the sample that leave the leaf. Pass s moves the samples `events[pass_start[s] : pass_start[s +
    1]]`. At the places from pass_start[s] + s on are, after 0, 1, … of them, the share in H of the
    links within the leaf that a split violates less that of its gain, infinite where no split is
    possible, and the move of the split. `blocks` has the least of each BLOCK of the former, for
    pass s from block_start[s] on.
    """

    start: np.ndarray
    group: np.ndarray
    size: np.ndarray
    within: np.ndarray
    alone: np.ndarray
    pass_start: np.ndarray
    events: np.ndarray
    fixed: np.ndarray
    places: np.ndarray
    block_start: np.ndarray
    blocks: np.ndarray


# So many splits are looked at together, as long as none of them can be the best.
BLOCK = 16
# Nor is it far enough from that to tell how far: floors that are too low cost searches later on.
SLACK = 0.25


@piece
def _local_links(
    rows, member_start, member_group, group_weight, edge_start, edge_group, edge_weight
):
    """Return the links of a leaf, its groups, and which of its samples are linked, -1 if not."""
    number = np.full(len(group_weight), -1, np.int64)
    linked = np.full(len(rows), -1, np.int64)
    n_linked = 0
    n_items = 0
    for i in range(len(rows)):
        count = member_start[rows[i] + 1] - member_start[rows[i]]
        if count > 0:
            linked[i] = n_linked
            n_linked += 1
            n_items += count
    start = np.zeros(n_linked + 1, np.int64)
    group = np.empty(n_items, np.int64)
    groups = np.empty(min(n_items, len(group_weight)), np.int64)
    size = np.zeros(len(groups), np.int64)
    n_groups = 0
    filled = 0
    # Groups get numbers of their own as their first member comes by; `number` maps the old to
    # these.
    for i in range(len(rows)):
        if linked[i] < 0:
            continue
        for g in member_group[member_start[rows[i]] : member_start[rows[i] + 1]]:
            if number[g] < 0:
                number[g] = n_groups
                groups[n_groups] = g
                n_groups += 1
            size[number[g]] += 1
            group[filled] = number[g]
            filled += 1
        start[linked[i] + 1] = filled
    groups = groups[:n_groups].copy()
    edges = np.zeros(n_groups + 1, np.int64)
    # Twice over the edges: to count those that stay within the leaf, then to list them.
    for g in range(n_groups):
        edges[g + 1] = edges[g]
        for e in range(edge_start[groups[g]], edge_start[groups[g] + 1]):
            if number[edge_group[e]] >= 0:
                edges[g + 1] += 1
    inner_group = np.empty(edges[n_groups], np.int64)
    inner_weight = np.empty(edges[n_groups])
    filled = 0
    for g in range(n_groups):
        for e in range(edge_start[groups[g]], edge_start[groups[g] + 1]):
            if number[edge_group[e]] >= 0:
                inner_group[filled] = number[edge_group[e]]
                inner_weight[filled] = edge_weight[e]
                filled += 1
    weight = group_weight[groups]
    sizes = size[:n_groups].copy()
    return LeafLinks(start, group, sizes, weight, edges, inner_group, inner_weight), groups, linked


@jit
def relabel(rows, old, new, members, group_weight, edges, counts, cannot, owner, n_leaves):
    """Give some samples another label, and return what links them to each leaf.

    `members` are the groups of each sample, `edges` the cannot-links of each group. counts[g, c]
    members of group g have label c, and a member of g has cannot-links of weight cannot[g, c] to
    samples of label c: both are brought up to date. Returned are the weights of the must-links and
    of the cannot-links between these samples and those that belong to each leaf.
    """
    member_start, member_group = members
    edge_start, edge_group, edge_weight = edges
    joined = np.zeros(len(group_weight), np.int64)
    for row in rows:
        for g in member_group[member_start[row] : member_start[row + 1]]:
            joined[g] += 1
    near = np.zeros(len(group_weight))
    for g in range(len(group_weight)):
        if joined[g] == 0:
            continue
        counts[g, old] -= joined[g]
        counts[g, new] += joined[g]
        for e in range(edge_start[g], edge_start[g + 1]):
            near[edge_group[e]] += edge_weight[e] * joined[g]
    for g in range(len(group_weight)):
        cannot[g, old] -= near[g]
        cannot[g, new] += near[g]
    must_weight = np.zeros(n_leaves)
    cannot_weight = np.zeros(n_leaves)
    for row in range(len(owner)):
        for g in member_group[member_start[row] : member_start[row + 1]]:
            must_weight[owner[row]] += group_weight[g] * joined[g]
            cannot_weight[owner[row]] += near[g]
    return must_weight, cannot_weight


@piece
def _cut_weights(passes, links):
    """Return the weight of the links within a leaf that each split of `passes.gains` violates.

    It does not depend on labels, as the sides always have different ones.
    """
    pass_start, events = passes.start, passes.events
    start, group, size, weight, edge_start, edge_group, edge_weight = links
    inside = np.empty(len(passes.gains))
    all_within = 0.0
    for g in range(len(size)):
        for e in range(edge_start[g], edge_start[g + 1]):
            all_within += 0.5 * edge_weight[e] * size[g] * size[edge_group[e]]
    members = np.zeros(len(size), np.int64)
    for s in range(len(pass_start) - 1):
        members[:] = 0
        violated = all_within
        inside[pass_start[s] + s] = violated
        # After the moves so far, `members` of each group are on the yes-side.
        for event in range(pass_start[s], pass_start[s + 1]):
            sample = events[event]
            sign = 1
            if sample < 0:
                sample = ~sample
                sign = -1
            for item in range(start[sample], start[sample + 1]):
                g = group[item]
                # With m of s members on the yes-side, m (s - m) must-links are cut; one more or one
                # less changes that by ±(s - 2m) - 1.
                violated += weight[g] * (sign * (size[g] - 2 * members[g]) - 1)
                for e in range(edge_start[g], edge_start[g + 1]):
                    other = edge_group[e]
                    # A cannot-link is violated while both ends are on one side.
                    violated += edge_weight[e] * sign * (2 * members[other] - size[other])
                members[g] += sign
            inside[event + s + 1] = violated
    return inside


@piece
def _scan(passes, links, groups, group_size, shares):
    """Return what `best_refinements` needs of a leaf."""
    pass_start, events, gains, places = passes
    size = links.size[links.group]
    within = np.zeros(len(links.group))
    alone = np.zeros(len(links.start) - 1)
    for i in range(len(alone)):
        for item in range(links.start[i], links.start[i + 1]):
            g = links.group[item]
            alone[i] += links.weight[g] * (group_size[groups[g]] - size[item])
            for e in range(links.edge_start[g], links.edge_start[g + 1]):
                within[item] += links.edge_weight[e] * links.size[links.edge_group[e]]
    fixed = shares[1] * _cut_weights(passes, links) - shares[0] * gains
    n_passes = len(pass_start) - 1
    block_start = np.zeros(n_passes + 1, np.int64)
    for s in range(n_passes):
        n_events = pass_start[s + 1] - pass_start[s]
        block_start[s + 1] = block_start[s] + n_events // BLOCK + 1
    blocks = np.full(block_start[n_passes], np.inf)
    for s in range(n_passes):
        first = pass_start[s] + s
        for place in range(first, pass_start[s + 1] + s + 1):
            if gains[place] < 0:
                fixed[place] = np.inf
            block = block_start[s] + (place - first) // BLOCK
            blocks[block] = min(blocks[block], fixed[place])
    group = groups[links.group]
    return Scan(
        links.start,
        group,
        size,
        within,
        alone,
        pass_start,
        events,
        fixed,
        places,
        block_start,
        blocks,
    )


@jit
def survey(rows, members, groups, edges, plans, targets, min_leaf, tolerance, shares):
    """Return the variance of a leaf, and what `best_refinements` needs of it.

    `rows` are its samples, `members` the groups of each sample, `groups` their sizes and weights,
    `edges` the cannot-links of each group. The plans of passes are their moves, which of these are
    stops, and where each pass begins.
    """
    links, own_groups, linked = _local_links(rows, *members, groups[1], *edges)
    moves, stops, start = plans
    spread, passes = best_gains(moves, stops, start, linked, targets, min_leaf, tolerance)
    return spread, _scan(passes, links, own_groups, groups[0], shares)


@piece
def _beyond(scan, label, labels, counts, cannot, group_weight, group_size):
    """Return the links that leave a leaf; `relabel` says what `counts` and `cannot` are.

    By sample and place c among `labels`: what label c costs a side with this sample more than a
    new one, which is less than nothing where must-links to it outweigh cannot-links; and the places
    of the labels that must-links reach. Then the weight of all that is violated now.
    """
    start, group, size, within = scan.start, scan.group, scan.size, scan.within
    net = np.zeros((len(start) - 1, len(labels)))
    reach_start = np.zeros(len(start), np.int64)
    reach = np.empty(len(group) * len(labels), np.int64)
    filled = 0
    before = 0.0
    for i in range(len(start) - 1):
        for item in range(start[i], start[i + 1]):
            g = group[item]
            weight = group_weight[g]
            # A link within the leaf is met from both ends.
            before += cannot[g, label] - 0.5 * within[item]
            before += weight * (group_size[g] - counts[g, label])
            for c in range(len(labels)):
                far = counts[g, labels[c]]
                net[i, c] += cannot[g, labels[c]]
                # Members of the leaf itself have its label too, and are no far ends.
                if labels[c] == label:
                    far -= size[item]
                    net[i, c] -= within[item]
                if far > 0 and weight > 0:
                    net[i, c] -= weight * far
                    reach[filled] = c
                    filled += 1
        reach_start[i + 1] = filled
    return net, reach_start, reach[:filled], before


@piece
def _pick(costs, may_open, banned):
    """Return the cheapest label of a side that is not banned, NEW or NONE, and its cost."""
    best, cost = NONE, np.inf
    for c in range(len(costs)):
        if costs[c] < cost and c != banned:
            best, cost = c, costs[c]
    if may_open and cost > 0:
        return NEW, 0.0
    return best, cost


@piece
def _labels(yes_costs, no_costs, n_new):
    """Return the cheapest labels of both sides, and their cost.

    The two sides must have different labels. So the cheapest pair has the cheapest label of one
    side at least: either it takes its cheapest and the other the cheapest of the rest, or the other
    way round.
    """
    on_yes, on_no, lowest = NONE, NONE, np.inf
    one, cost = _pick(yes_costs, n_new > 0, NONE)
    if one != NONE:
        two, more = _pick(no_costs, n_new > (one == NEW), one)
        if two != NONE:
            on_yes, on_no, lowest = one, two, cost + more
    one, cost = _pick(no_costs, n_new > 0, NONE)
    if one != NONE:
        two, more = _pick(yes_costs, n_new > (one == NEW), one)
        if two != NONE and cost + more < lowest:
            on_yes, on_no, lowest = two, one, cost + more
    return on_yes, on_no, lowest


@piece
def _keep(tops, rows, change, row, tolerance):
    """Put a refinement among the best, behind those that are not clearly worse."""
    place = len(tops)
    # What is as good as an earlier one within the tolerance stays behind it, so that rounding
    # decides nothing.
    while place > 0 and change < tops[place - 1] - tolerance:
        place -= 1
    if place == len(tops):
        return
    for i in range(len(tops) - 1, place, -1):
        tops[i] = tops[i - 1]
        copy(rows[i - 1], rows[i])
    tops[place] = change
    rows[place, 0], rows[place, 1], rows[place, 2], rows[place, 3] = row


@piece
def _least_cost(yes_costs, yes_walls, no_costs, no_walls, n_new):
    """Return what the cheapest labels of both sides cost; the sides must have different ones."""
    yes_1 = no_1 = 0.0 if n_new > 0 else np.inf
    yes_2 = no_2 = 0.0 if n_new > 1 else np.inf
    yes_label = no_label = NEW
    # The cheapest label of each side, and the cost of the second. Without branches, as nothing
    # could foretell them.
    for c in range(len(yes_costs)):
        cost = yes_costs[c] + yes_walls[c]
        larger = cost if cost > yes_1 else yes_1
        yes_2 = larger if larger < yes_2 else yes_2
        yes_label = c if cost < yes_1 else yes_label
        yes_1 = cost if cost < yes_1 else yes_1
        cost = no_costs[c] + no_walls[c]
        larger = cost if cost > no_1 else no_1
        no_2 = larger if larger < no_2 else no_2
        no_label = c if cost < no_1 else no_label
        no_1 = cost if cost < no_1 else no_1
    if yes_label != no_label:
        return yes_1 + no_1
    one, other = yes_1 + no_2, yes_2 + no_1
    return one if one < other else other


@piece
def _move(moved, net, alone, costs):
    """Take a sample to the yes-side or back, and return how much its cost alone changes."""
    if moved >= 0:
        for c in range(len(costs)):
            costs[c] += net[moved, c]
        return alone[moved]
    for c in range(len(costs)):
        costs[c] -= net[~moved, c]
    return -alone[~moved]


@piece
def _reach(moved, reach_start, reach, reaches):
    """Count the labels that the must-links of the yes-side reach."""
    sample = moved if moved >= 0 else ~moved
    for item in range(reach_start[sample], reach_start[sample + 1]):
        reaches[reach[item]] += 1 if moved >= 0 else -1


@jit
def best_refinements(scan, label, labels, rule, links, shares, floors, bound, width, tolerance):
    """Return the changes of H by the best refinements of a leaf, and what they are.

    The sides may take `labels` of other leaves, by the rule either any of them or only one that
    their must-links reach, or so many new ones. `links` are `counts` and `cannot`, as `relabel` has
    them, and the weights and sizes of groups; `shares` are what the variance and a violated link
    count in H. A row of the second result is: the pass, the move after which the split is made, the
    labels of the yes-side and of the no-side, NEW for a new one.

    `floors` are what no change in each pass is below: in row 0 with the labels that may be chosen,
    in row 1 with any of them. They are raised to what is seen, and a pass whose floor is not below
    `bound` is left out.
    """
    any_label, n_new = rule
    counts, cannot, group_weight, group_size = links
    # Fields of tuples are slow to get at in the loops below.
    alone, pass_start, events, fixed = scan.alone, scan.pass_start, scan.events, scan.fixed
    n_labels = len(labels)
    tops = np.full(width, np.inf)
    rows = np.full((width, 4), -1, np.int64)
    net, reach_start, reach, before = _beyond(
        scan, label, labels, counts, cannot, group_weight, group_size
    )
    # No refinement mends more than all links that are violated now.
    np.maximum(floors, scan.blocks.min() - shares[1] * before, floors)
    all_alone = alone.sum()
    all_costs = np.zeros(n_labels)
    for i in range(len(alone)):
        for c in range(n_labels):
            all_costs[c] += net[i, c]
    all_reaches = np.zeros(n_labels, np.int64)
    for c in reach:
        all_reaches[c] += 1
    # By label, what it costs the yes-side or the no-side more than a new one, and infinity where it
    # may not be chosen.
    none = np.zeros(n_labels)
    yes_walls = np.zeros(n_labels)
    no_walls = np.zeros(n_labels)
    first_costs = np.empty(n_labels)
    costs = np.empty(n_labels)
    rest = np.empty(n_labels)
    first_reaches = np.empty(n_labels, np.int64)
    reaches = np.empty(n_labels, np.int64)
    cut = bound
    for s in range(len(pass_start) - 1):
        if floors[0, s] >= bound:
            continue
        floor, any_floor = np.inf, np.inf
        start, n_events = pass_start[s], pass_start[s + 1] - pass_start[s]
        costs[:] = 0
        reaches[:] = 0
        yes_alone = 0.0
        for block in range(scan.block_start[s], scan.block_start[s + 1]):
            first = (block - scan.block_start[s]) * BLOCK
            last = min(first + BLOCK - 1, n_events)
            copy(costs, first_costs)
            copy(reaches, first_reaches)
            first_alone = yes_alone
            rises = True
            for event in range(start + first, start + last):
                yes_alone += _move(events[event], net, alone, costs)
                _reach(events[event], reach_start, reach, reaches)
                rises &= events[event] >= 0
            # A side with more samples never costs less: within the block, the yes-side costs no
            # less than before its moves, the no-side no less than after them.
            least, any_least = 0.0, 0.0
            if rises:
                for c in range(n_labels):
                    rest[c] = all_costs[c] - costs[c]
                    if not any_label:
                        yes_walls[c] = 0.0 if reaches[c] > 0 else np.inf
                        no_walls[c] = 0.0 if all_reaches[c] > first_reaches[c] else np.inf
                outer = first_alone + all_alone - yes_alone
                least = outer + _least_cost(first_costs, yes_walls, rest, no_walls, n_new)
                any_least = outer + _least_cost(first_costs, none, rest, none, 2)
            base = scan.blocks[block] - shares[1] * before
            any_floor = min(any_floor, base + shares[1] * any_least)
            lowest = base + shares[1] * least if least < np.inf else np.inf
            if lowest >= cut + SLACK * abs(cut):
                floor = min(floor, lowest)
            else:
                # The block again, split by split.
                for place in range(first, last + 1):
                    if place > first:
                        moved = events[start + place - 1]
                        first_alone += _move(moved, net, alone, first_costs)
                        _reach(moved, reach_start, reach, first_reaches)
                    split = start + s + place
                    if fixed[split] == np.inf:
                        continue
                    for c in range(n_labels):
                        rest[c] = all_costs[c] - first_costs[c]
                        if not any_label:
                            yes_walls[c] = 0.0 if first_reaches[c] > 0 else np.inf
                            no_walls[c] = 0.0 if all_reaches[c] > first_reaches[c] else np.inf
                    least = _least_cost(first_costs, yes_walls, rest, no_walls, n_new)
                    if least == np.inf:
                        continue
                    base = fixed[split] + shares[1] * (all_alone - before)
                    floor = min(floor, base + shares[1] * least)
                    if base + shares[1] * least < cut:
                        for c in range(n_labels):
                            rest[c] += no_walls[c]
                            yes_walls[c] += first_costs[c]
                        on_yes, on_no, cost = _labels(yes_walls, rest, n_new)
                        if on_yes != NONE:
                            yes_label = labels[on_yes] if on_yes >= 0 else on_yes
                            no_label = labels[on_no] if on_no >= 0 else on_no
                            row = s, scan.places[split], yes_label, no_label
                            _keep(tops, rows, base + shares[1] * cost, row, tolerance)
                            cut = min(bound, tops[width - 1] - tolerance)
                        if any_label:
                            yes_walls[:] = 0
            if last < n_events:
                yes_alone += _move(events[start + last], net, alone, costs)
                _reach(events[start + last], reach_start, reach, reaches)
        floors[0, s] = floor
        floors[1, s] = any_floor
    return tops, rows
