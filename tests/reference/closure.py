"""What pairs entail and how many clusters they need, by loops over everything."""

from itertools import combinations, product


def strengths(n_samples, must_link, weights):
    """Return the weakest link of the strongest chain for every ordered pair that is tied."""
    found = {}
    for (a, b), weight in zip(must_link, weights, strict=True):
        for pair in ((a, b), (b, a)):
            found[pair] = max(weight, found.get(pair, 0))
    grown = True
    while grown:
        grown = False
        for a, b, c in product(range(n_samples), repeat=3):
            if a != c and (a, b) in found and (b, c) in found:
                weight = min(found[a, b], found[b, c])
                if weight > found.get((a, c), 0):
                    found[a, c] = weight
                    grown = True
    return found


def closure(n_samples, must_link, must_weights, cannot_link, cannot_weights, duplicates):
    """Return entailed must-links and cannot-links, each as a dict from pair to weight.

    None instead where a cannot-link is between samples that must-links tie.
    """
    strength = strengths(n_samples, must_link, must_weights)
    if any(tuple(pair) in strength for pair in cannot_link):
        return None
    must = {(a, b): weight for (a, b), weight in strength.items() if a < b}
    entailing = {}
    for (x, y), weight in zip(cannot_link, cannot_weights, strict=True):
        for a, b in product(range(n_samples), repeat=2):
            if (a == x or (a, x) in strength) and (b == y or (b, y) in strength):
                entailing.setdefault((min(a, b), max(a, b)), []).append(weight)
    combine = {"drop": max, "sum": sum}[duplicates]
    return must, {pair: combine(weights) for pair, weights in entailing.items()}


def clusterings(n_samples, n_clusters):
    """Yield the labels of every clustering with at most so many clusters, once."""
    if not n_samples:
        yield []
        return
    for labels in clusterings(n_samples - 1, n_clusters):
        for label in range(min(max(labels, default=-1) + 2, n_clusters)):
            yield [*labels, label]


def fits(n_samples, must_link, cannot_link, n_clusters):
    """Say by exhaustion whether some clustering with at most so many clusters keeps all pairs."""
    return any(
        all(labels[a] == labels[b] for a, b in must_link)
        and all(labels[a] != labels[b] for a, b in cannot_link)
        for labels in clusterings(n_samples, n_clusters)
    )


def chain_length(must_link, source, sink):
    """Return how few must-links tie two samples, or None, by growing a ball around one."""
    ball, radius = {source}, 0
    while sink not in ball:
        larger = ball | {b for pair in must_link for a in pair for b in pair if a in ball}
        if larger == ball:
            return None
        ball, radius = larger, radius + 1
    return radius


def rule_pairs(scope, exactly):
    """Return the pairs of a rule (attribute paper, sections III-B and III-C).

    {mustLink(x, y) | x in scope and y in scope}, and for `exactly` moreover
    {cannotLink(x, y) | x in scope and y not in scope}.
    """
    pairs = list(combinations(range(len(scope)), 2))
    must = {(x, y) for x, y in pairs if scope[x] and scope[y]}
    cannot = {(x, y) for x, y in pairs if scope[x] != scope[y]} if exactly else set()
    return must, cannot
