"""Scores by their definitions: loops over pairs, triplets, classes and clusters."""

from itertools import combinations

from tests.reference import hierarchy as trees


def pairs(y_true):
    """The pairs of samples whose classes are known."""
    return combinations([i for i, label in enumerate(y_true) if label != -1], 2)


def is_right(y_true, y_pred, a, b):
    return (y_true[a] == y_true[b]) == (y_pred[a] == y_pred[b])


def rand(y_true, y_pred, left_out=()):
    """Correct decisions over all decisions; None where there are none."""
    decisions = [is_right(y_true, y_pred, *pair) for pair in pairs(y_true) if pair not in left_out]
    return sum(decisions) / len(decisions) if decisions else None


def closure(n_samples, must_link, cannot_link):
    """Every pair that the links decide, by adding what follows until nothing does."""
    must = {tuple(sorted(pair)) for pair in must_link}
    cannot = {tuple(sorted(pair)) for pair in cannot_link}
    while True:
        new_must, new_cannot = set(must), set(cannot)
        for a, b in combinations(range(n_samples), 2):
            for c in set(range(n_samples)) - {a, b}:
                first, second = tuple(sorted((a, c))), tuple(sorted((b, c)))
                if first in must and second in must:
                    new_must.add((a, b))
                if (first in must and second in cannot) or (first in cannot and second in must):
                    new_cannot.add((a, b))
        if (new_must, new_cannot) == (must, cannot):
            return must | cannot
        must, cannot = new_must, new_cannot


def pairwise_f(y_true, y_pred):
    """Precision and recall as the ReCon paper writes them; None where there are no pairs."""
    found = right = wanted = total = 0
    for a, b in pairs(y_true):
        total += 1
        found += y_pred[a] == y_pred[b]
        wanted += y_true[a] == y_true[b]
        right += y_pred[a] == y_pred[b] and y_true[a] == y_true[b]
    if not total:
        return None
    if not found and not wanted:
        return 1
    if not right:
        return 0
    precision, recall = right / found, right / wanted
    return 2 * precision * recall / (precision + recall)


def h_correlation(true_parents, parents, labelled=()):
    """Equation 8 of the biHAC paper, by loops over all ordered constraints; None without any."""
    by_node = {}
    for a, b, c in trees.triplets(true_parents):
        if not {a, b, c} & set(labelled):
            node = trees.meet(true_parents, a, b)
            by_node.setdefault(node, []).extend([(a, b, c), (b, a, c)])
    found = total = 0
    for constraints in by_node.values():
        for x, y, z in constraints:
            weight = 1 / len(constraints)
            total += weight
            found += weight * trees.displays(parents, x, y, z)
    return found / total if total else None


def class_f_scores(true_parents, parents, labelled=()):
    """For each class, its level, its best F and the first cluster that reaches this."""
    n_samples = trees.n_samples_of(true_parents)
    scores = {}
    for node in range(n_samples, len(true_parents) - 1):
        members = trees.samples_below(true_parents, node) - set(labelled)
        if not members:
            continue
        best = (-1, None)
        for cluster in range(len(parents)):
            found = trees.samples_below(parents, cluster) - set(labelled)
            if not found & members:
                continue
            precision = len(found & members) / len(found)
            recall = len(found & members) / len(members)
            score = 2 * precision * recall / (precision + recall)
            if score > best[0] + 1e-12:
                best = (score, cluster)
        is_leaf = all(child < n_samples for child in trees.children_of(true_parents, node))
        scores[node] = ("leaf" if is_leaf else "higher", *best)
    return scores


def overlap(segment, line):
    """How much of the line the projected segment covers, times the line's length; exact."""
    (start, end), (zero, one) = segment, line
    direction = [b - a for a, b in zip(zero, one, strict=True)]

    def place(point):
        return sum((p - z) * d for p, z, d in zip(point, zero, direction, strict=True))

    low, high = sorted((place(start), place(end)))
    return max(0, min(high, place(one)) - max(low, 0))


def coherence(points, must_link, cannot_link, triplets=()):
    """The share of pulls and pushes without overlap either way; None where there are none."""
    pulls = [(pair, None) for pair in must_link]
    pulls += [((a, b), row) for row, (a, b, _) in enumerate(triplets)]
    pushes = [(pair, None) for pair in cannot_link]
    pushes += [((end, c), row) for row, (a, b, c) in enumerate(triplets) for end in (a, b)]
    verdicts = []
    for pull, first in pulls:
        for push, second in pushes:
            if first is not None and first == second:
                continue
            one, other = ([points[sample] for sample in pair] for pair in (pull, push))
            verdicts.append(overlap(one, other) == 0 and overlap(other, one) == 0)
    return sum(verdicts) / len(verdicts) if verdicts else None
