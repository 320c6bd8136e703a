"""K-medoids under rules by all pairwise distances, a literal reading of the documentation."""

import math
from itertools import combinations, product


class NoStartError(Exception):
    """The rules contradict each other, or leave no way to begin."""


def fit(rows, scopes, exactly, n_clusters, attach, init, overlap, n_init, max_iter, rng):
    """Return (cost, labels, medoids, clusters of rules, rounds) of the first cheapest run.

    `scopes` holds the set of samples in the scope of each rule, `exactly` its kind.
    """
    away = [[sum(x != y for x, y in zip(a, b, strict=True)) for b in rows] for a in rows]
    units = find_units(scopes, exactly, overlap)
    runs = [
        run(away, units, start(away, units, n_clusters, attach, init, rng), max_iter)
        for _ in range(n_init)
    ]
    cost, labels, medoids, clusters, n_iter = min(runs, key=lambda found: found[0])
    of_rule = {rule: c for (_, _, rules), c in zip(units, clusters, strict=True) for rule in rules}
    return cost, labels, medoids, [of_rule.get(rule, -1) for rule in range(len(scopes))], n_iter


def find_units(scopes, exactly, overlap):
    """Return (is exactly, samples, rules) of rules that act as one, by their first rule."""
    units = []
    for rule, scope in enumerate(scopes):
        if exactly[rule] and not scope:
            raise NoStartError
        if exactly[rule]:
            units.append((True, set(scope), {rule}))
    if any(a[1] & b[1] for a, b in combinations(units, 2)):
        raise NoStartError
    for rule, scope in enumerate(scopes):
        if scope and not exactly[rule]:
            units = with_together(units, rule, set(scope), overlap)
    return sorted(units, key=lambda unit: min(unit[2]))


def with_together(units, rule, scope, overlap):
    for is_exactly, samples, rules in units:
        if is_exactly and scope & samples:
            if not scope <= samples:
                raise NoStartError
            rules.add(rule)
            return units
    kept, rules = [], {rule}
    for unit in units:
        is_same = unit[1] & scope if overlap == "merge" else unit[1] == scope
        if is_same and not unit[0]:
            scope, rules = scope | unit[1], rules | unit[2]
        else:
            kept.append(unit)
    return [*kept, (False, scope, rules)]


def start(away, units, n_clusters, attach, init, rng):
    """Return the medoids and the cluster of each unit."""
    medoids, counted, clusters = [], [], [None] * len(units)
    for place, (is_exactly, samples, _) in enumerate(units):
        if is_exactly or attach == "seed":
            others = set().union(*(unit[1] for unit in units if unit[1] is not samples))
            own = sorted(samples - others)
            if not own:
                raise NoStartError
            clusters[place] = len(medoids)
            medoids.append(own[rng.integers(len(own))])
            counted += [] if is_exactly else medoids[-1:]
    limit = 0 if attach == "seed" else 1
    free = [
        sample
        for sample in range(len(away))
        if sum(sample in unit[1] for unit in units) <= limit
        and not any(unit[0] and sample in unit[1] for unit in units)
    ]
    n_free = n_clusters - len(medoids)
    outside = [s for s in range(len(away)) if not any(u[0] and s in u[1] for u in units)]
    n_exactly = sum(unit[0] for unit in units)
    if not 0 <= n_free <= len(free) or (n_exactly == n_clusters and outside):
        raise NoStartError
    n_trials = 2 + int(math.log(n_clusters)) if init == "d2" else 1
    medoids += draw_free(away, free, counted, n_free, n_trials, rng)
    attach_rest(away, units, medoids, clusters)
    return medoids, clusters


def draw_free(away, free, counted, n_free, n_trials, rng):
    """Return medoids among the free samples; equal rows only where there are no others.

    Uniformly for one trial and for the first; else by squared distance, the best of the trials.
    """
    drawn = []
    while len(drawn) < n_free:
        chosen = counted + drawn
        nearest = {s: min((away[s][m] for m in chosen), default=1) for s in free}
        if not any(nearest.values()):
            left = [s for s in free if s not in drawn]
            return drawn + draw_free(away, left, [], n_free - len(drawn), 1, rng)
        by_square = n_trials > 1 and chosen
        weights = {s: d * d if by_square else min(d, 1) for s, d in nearest.items()}
        trials = [draw(weights, rng) for _ in range(n_trials if by_square else 1)]
        left_by = [sum(min(d, away[s][t]) ** 2 for s, d in nearest.items()) for t in trials]
        drawn.append(trials[left_by.index(min(left_by))])
    return drawn


def draw(weights, rng):
    threshold, total = rng.random() * sum(weights.values()), 0
    for sample, weight in weights.items():
        total += weight
        if total > threshold:
            return sample
    raise AssertionError


def attach_rest(away, units, medoids, clusters):
    """Give rules without one the cluster of their first sample, going through the samples."""
    for sample in range(len(away)):
        cluster = nearest_open(away, units, medoids, clusters, sample)
        for place, unit in enumerate(units):
            if clusters[place] is None and sample in unit[1]:
                clusters[place] = cluster


def nearest_open(away, units, medoids, clusters, sample):
    """Return the cluster that a sample joins: the rules' nearest, or the nearest open one."""
    own = [
        c for c, unit in zip(clusters, units, strict=True) if sample in unit[1] and c is not None
    ]
    closed = {c for c, unit in zip(clusters, units, strict=True) if unit[0]}
    choices = own or [c for c in range(len(medoids)) if c not in closed]
    return min(choices, key=lambda c: (away[sample][medoids[c]], c))


def run(away, units, begin, max_iter):
    medoids, clusters = list(begin[0]), begin[1]
    samples = range(len(away))
    for n_iter in range(1, max_iter + 1):
        labels = [nearest_open(away, units, medoids, clusters, s) for s in samples]
        fill_empty(away, units, labels, medoids)
        moved = [new_medoid(away, labels, c, medoid) for c, medoid in enumerate(medoids)]
        if moved == medoids:
            return total(away, labels, medoids), labels, medoids, clusters, n_iter
        medoids = moved
    labels = [nearest_open(away, units, medoids, clusters, s) for s in samples]
    return total(away, labels, medoids), labels, medoids, clusters, max_iter


def total(away, labels, medoids):
    return sum(away[sample][medoids[label]] for sample, label in enumerate(labels))


def fill_empty(away, units, labels, medoids):
    ruled = set().union(*(unit[1] for unit in units))
    distance = [away[s][medoids[labels[s]]] for s in range(len(labels))]
    for cluster in range(len(medoids)):
        if cluster in labels:
            continue
        movable = [s for s in range(len(labels)) if s not in ruled and labels.count(labels[s]) > 1]
        farthest = max(movable, key=lambda s: (distance[s], -s), default=None)
        if farthest is None or not distance[farthest]:
            return
        labels[farthest] = cluster
        distance[farthest] = 0


def new_medoid(away, labels, cluster, medoid):
    """Return the member of least summed distance, the present one on ties, then the lowest."""
    members = [s for s, label in enumerate(labels) if label == cluster]
    if not members:
        return medoid
    cost = {s: sum(away[s][t] for t in members) for s in members}
    return min(members, key=lambda s: (cost[s], s != medoid, s))


def groups_of(n_samples, must_link):
    """Return what must-links tie together, as sets in the order of their first samples."""
    groups = [{sample} for sample in range(n_samples)]
    for a, b in must_link:
        first, second = (next(g for g in groups if s in g) for s in (a, b))
        if first is not second:
            first |= second
            groups.remove(second)
    return sorted(groups, key=min)


def assign_pairs(away, medoids, allowed, must_link, cannot_link):
    """Return (labels, cost) under pairs, or None where no assignment exists.

    `allowed` holds the clusters open to each sample. Components take the cheapest cluster open to
    all of them, in row order; where one finds none, the cheapest assignment of all is taken.
    """
    groups = groups_of(len(away), must_link)
    n_clusters = len(medoids)
    cost = [[sum(away[s][m] for s in group) for m in medoids] for group in groups]
    is_open = [set.intersection(*(allowed[s] for s in group)) for group in groups]
    owner = {s: place for place, group in enumerate(groups) for s in group}
    apart = {frozenset((owner[a], owner[b])) for a, b in cannot_link}
    labels = []
    for place in range(len(groups)):
        taken = {labels[other] for other in range(place) if frozenset((place, other)) in apart}
        choices = is_open[place] - taken
        if not choices:
            break
        labels.append(min(choices, key=lambda c: (cost[place][c], c)))
    else:
        return labels_of_groups(groups, labels), sum(cost[p][c] for p, c in enumerate(labels))
    feasible = [
        (sum(cost[p][c] for p, c in enumerate(each)), each)
        for each in product(range(n_clusters), repeat=len(groups))
        if all(c in is_open[p] for p, c in enumerate(each))
        and all(len({each[p] for p in pair}) == 2 for pair in apart)
    ]
    if not feasible:
        return None
    least, labels = min(feasible)
    return labels_of_groups(groups, labels), least


def labels_of_groups(groups, labels):
    by_sample = {s: label for group, label in zip(groups, labels, strict=True) for s in group}
    return [by_sample[sample] for sample in sorted(by_sample)]


def feasible_with_pairs(n_samples, scopes, exactly, must_link, cannot_link, n_clusters):
    """Say whether any clustering keeps rules and pairs, with a cluster of its own for each unit.

    Rules are one unit if they share a sample, or if must-links tie samples of both together.
    """
    groups = groups_of(n_samples, must_link)
    touched = [
        {place for place, group in enumerate(groups) if group & scope} for scope in scopes if scope
    ]
    kinds = [is_exactly for is_exactly, scope in zip(exactly, scopes, strict=True) if scope]
    filled = [scope for scope in scopes if scope]
    units = groups_of(
        len(filled),
        [(a, b) for a, b in combinations(range(len(filled)), 2) if touched[a] & touched[b]],
    )
    for labels in product(range(n_clusters), repeat=n_samples):
        homes = [{labels[s] for rule in unit for s in filled[rule]} for unit in units]
        whole = all(
            {s for s in range(n_samples) if labels[s] == labels[min(scope)]} == scope
            for scope, is_exactly in zip(filled, kinds, strict=True)
            if is_exactly
        )
        if (
            whole
            and all(len(home) == 1 for home in homes)
            and len(set().union(*homes)) == len(units)
            and all(labels[a] == labels[b] for a, b in must_link)
            and all(labels[a] != labels[b] for a, b in cannot_link)
        ):
            return True
    return False
