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


class Passes(NamedTuple):
    """What `splits.best_gains` gives, with where each pass begins among the moves."""

    start: np.ndarray
    events: np.ndarray
    gains: np.ndarray
    places: np.ndarray


class Beyond(NamedTuple):
    """The links that leave a leaf, by group and label of the far ends.

    Those of group g, summed over what one member has, are at start[g] up to start[g + 1]: the label
    of the far ends, the weight of must-links and of cannot-links to these.
    """

    start: np.ndarray
    label: np.ndarray
    must: np.ndarray
    cannot: np.ndarray


@jit
def local_links(
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
def beyond(groups, links, label, counts, group_weight, edge_start, edge_group, edge_weight):
    """Return the links that leave a leaf; counts[g, c] members of group g have label c."""
    n_labels = counts.shape[1]
    inside = np.zeros(len(counts), np.int64)
    for i in range(len(groups)):
        inside[groups[i]] = links.size[i]
    start = np.zeros(len(groups) + 1, np.int64)
    labels = np.empty(len(groups) * n_labels, np.int64)
    must = np.empty(len(labels))
    cannot = np.empty(len(labels))
    row = np.empty(n_labels)
    filled = 0
    for i in range(len(groups)):
        g = groups[i]
        row[:] = 0
        for e in range(edge_start[g], edge_start[g + 1]):
            other = edge_group[e]
            for c in range(n_labels):
                row[c] += edge_weight[e] * counts[other, c]
            # Members of the leaf itself have its label too, and are no far ends.
            row[label] -= edge_weight[e] * inside[other]
        for c in range(n_labels):
            far = counts[g, c] - (inside[g] if c == label else 0)
            weight = group_weight[g] * far
            if weight > 0 or row[c] != 0:
                labels[filled] = c
                must[filled] = weight
                cannot[filled] = row[c]
                filled += 1
        start[i + 1] = filled
    return Beyond(start, labels[:filled].copy(), must[:filled].copy(), cannot[:filled].copy())


@piece
def _pick(best, cost, second, second_cost, new_cost, may_open, banned):
    """Return the cheapest label of a side that is not banned, NEW or NONE, and its cost."""
    if best == banned:
        best, cost = second, second_cost
    if may_open and new_cost < cost:
        return NEW, new_cost
    return best, cost


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
def _all_links(links, far, n_labels):
    """Return all links that leave the leaf, and the weight of the cannot-links within it.

    By label of the far ends: the weight of must-links, how many samples have one, and the weight
    of cannot-links. For each group, the most that one member can add to the cost of a label.
    """
    most = np.zeros(len(links.size))
    for g in range(len(links.size)):
        heaviest = 0.0
        for item in range(far.start[g], far.start[g + 1]):
            most[g] += far.must[item]
            heaviest = max(heaviest, far.cannot[item])
        # One member that moves takes its must-links to all labels off or on, and cannot-links to
        # one label.
        most[g] += heaviest
    must = np.zeros(n_labels)
    reaches = np.zeros(n_labels, np.int64)
    cannot = np.zeros(n_labels)
    for g in links.group:
        for item in range(far.start[g], far.start[g + 1]):
            must[far.label[item]] += far.must[item]
            reaches[far.label[item]] += far.must[item] > 0
            cannot[far.label[item]] += far.cannot[item]
    within = 0.0
    for g in range(len(links.size)):
        for e in range(links.edge_start[g], links.edge_start[g + 1]):
            within += 0.5 * links.edge_weight[e] * links.size[g] * links.size[links.edge_group[e]]
    return must, reaches, cannot, within, most


@jit
def best_refinements(passes, links, far, label, n_labels, choices, shares, bound, width, tolerance):
    """Return the changes of H by the best refinements of a leaf, and what they are.

    The choices are the labels on other leaves, whether a side may take any of them or only one that
    its must-links reach, and how many new ones may be opened. `shares` are what the variance and a
    violated link count in H. A row of the second result is: the pass, the move after which the
    split is made, the labels of the yes-side and of the no-side, NEW for a new one. The third
    result is less than any change; if it is not below `bound`, nothing is searched for.
    """
    labels, any_label, n_new = choices
    # Fields of tuples are slow to get at in the loops below.
    pass_start, events, gains, places = passes
    tops = np.full(width, np.inf)
    rows = np.full((width, 4), -1, np.int64)
    all_must, all_reaches, all_cannot, within, most = _all_links(links, far, n_labels)
    all_total = all_must.sum()
    before = within + all_cannot[label] + all_total - all_must[label]
    # No refinement mends more than all links that are violated now, or gains more than the best
    # split.
    limit = -shares[1] * before - shares[0] * gains.max()
    if limit >= bound:
        return tops, rows, limit
    start, group, size, weight, edge_start, edge_group, edge_weight = links
    far_start, far_label, far_must, far_cannot = far
    must = np.zeros(n_labels)
    reaches = np.zeros(n_labels, np.int64)
    cannot = np.zeros(n_labels)
    members = np.zeros(len(size), np.int64)
    for s in range(len(pass_start) - 1):
        must[:] = 0
        reaches[:] = 0
        cannot[:] = 0
        members[:] = 0
        total = 0.0
        inside = within
        # The labels cost no less than this, be they allowed or not; a move makes only one side
        # cheaper, by what it takes off.
        least_cost = 0.0
        # After the moves so far: `members` of each group on the yes-side, the weight `inside` of
        # links within the leaf that the split violates, and by label what the links that leave the
        # yes-side weigh. Those of the no-side are the rest of all.
        for event in range(pass_start[s], pass_start[s + 1] + 1):
            gain = gains[event + s]
            least = shares[1] * (inside + least_cost - before) - shares[0] * gain
            if gain >= 0 and least < tops[width - 1] - tolerance:
                no_total = all_total - total
                yes_1, yes_2, no_1, no_2 = NONE, NONE, NONE, NONE
                yes_cost_1, yes_cost_2, no_cost_1, no_cost_2 = np.inf, np.inf, np.inf, np.inf
                yes_least, no_least = total, no_total
                for c in labels:
                    cost = cannot[c] - must[c]
                    yes_least = min(yes_least, cost + total)
                    if any_label or reaches[c] > 0:
                        if cost + total < yes_cost_1:
                            yes_2, yes_cost_2 = yes_1, yes_cost_1
                            yes_1, yes_cost_1 = c, cost + total
                        elif cost + total < yes_cost_2:
                            yes_2, yes_cost_2 = c, cost + total
                    cost = all_cannot[c] - all_must[c] - cost + no_total
                    no_least = min(no_least, cost)
                    if any_label or all_reaches[c] > reaches[c]:
                        if cost < no_cost_1:
                            no_2, no_cost_2 = no_1, no_cost_1
                            no_1, no_cost_1 = c, cost
                        elif cost < no_cost_2:
                            no_2, no_cost_2 = c, cost
                # The two sides must have different labels. So the cheapest pair has the cheapest
                # label of one side at least: either it takes its cheapest and the other the
                # cheapest of the rest, or the other way round.
                on_yes, on_no, lowest = NONE, NONE, np.inf
                one, cost = _pick(yes_1, yes_cost_1, yes_2, yes_cost_2, total, n_new > 0, NONE - 1)
                if one != NONE:
                    may_open = n_new > (one == NEW)
                    two, more = _pick(no_1, no_cost_1, no_2, no_cost_2, no_total, may_open, one)
                    if two != NONE:
                        on_yes, on_no, lowest = one, two, cost + more
                one, cost = _pick(no_1, no_cost_1, no_2, no_cost_2, no_total, n_new > 0, NONE - 1)
                if one != NONE:
                    may_open = n_new > (one == NEW)
                    two, more = _pick(yes_1, yes_cost_1, yes_2, yes_cost_2, total, may_open, one)
                    if two != NONE and cost + more < lowest:
                        on_yes, on_no, lowest = two, one, cost + more
                least_cost = yes_least + no_least
                if on_yes != NONE:
                    change = shares[1] * (inside + lowest - before) - shares[0] * gain
                    _keep(tops, rows, change, (s, places[event + s], on_yes, on_no), tolerance)
            if event == pass_start[s + 1]:
                break
            sample = events[event]
            sign = 1
            if sample < 0:
                sample = ~sample
                sign = -1
            for item in range(start[sample], start[sample + 1]):
                g = group[item]
                # With m of s members on the yes-side, m (s - m) must-links are cut; one more or one
                # less changes that by ±(s - 2m) - 1.
                inside += weight[g] * (sign * (size[g] - 2 * members[g]) - 1)
                for e in range(edge_start[g], edge_start[g + 1]):
                    other = edge_group[e]
                    # A cannot-link is violated while both ends are on one side.
                    inside += edge_weight[e] * sign * (2 * members[other] - size[other])
                for place in range(far_start[g], far_start[g + 1]):
                    c = far_label[place]
                    cannot[c] += sign * far_cannot[place]
                    if far_must[place] > 0:
                        must[c] += sign * far_must[place]
                        total += sign * far_must[place]
                        reaches[c] += sign
                members[g] += sign
                least_cost = max(least_cost - most[g], 0.0)
    return tops, rows, limit
