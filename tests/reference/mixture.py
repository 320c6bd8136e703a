"""Statements about a mixture, by trying every assignment of samples and of rules to clusters."""

from itertools import product

import numpy as np


def is_right(kind, row, labels):
    """Say whether a statement holds in a clustering; `labels` hold those of rules' own clusters."""
    clusters = [labels[node] for node in row]
    if kind == "must_link":
        return clusters[0] == clusters[1]
    if kind == "cannot_link":
        return clusters[0] != clusters[1]
    a, b, c = clusters
    return (c == a) == (c == b)


VOID = -1


def statements(constraints, classes):
    """Yield (kind, what is to hold, weight) for all that is stated, but for rules."""
    for kind in ("must_link", "cannot_link", "triplets"):
        rows, weights = getattr(constraints, kind), getattr(constraints, f"{kind}_weights")
        for row, weight in zip(rows, weights, strict=True):
            yield kind, lambda z, kind=kind, row=row: is_right(kind, row, z), weight
    for sample in np.flatnonzero(classes >= 0):
        yield "labels", lambda z, i=sample: z[i] == classes[i], 1.0


def rule_chance(kind, scope, home, labels, trust, follow, n_clusters):
    """Return the probability of a rule and its cluster, VOID if it is wrong, given the others'."""
    if home == VOID:
        outside = follow ** np.sum(~scope) if kind == "exactly" and scope.any() else 1
        return (1 - trust) * 0.5 ** scope.sum() * outside
    chance = trust / n_clusters
    for label, is_in in zip(labels, scope, strict=True):
        if is_in or (kind == "exactly" and scope.any()):
            chance *= follow if (label == home) == is_in else 1 - follow
    return chance


def posterior(log_densities, constraints, scopes, classes, trust):
    """Return the shares of clusters, the chance of each statement to be wrong, and the evidence.

    The chances are those of pairs and triplets, labels, and rules; `trust` is by kind, and under
    "follow" the probability that a sample follows a right rule.
    """
    n_samples, n_clusters = log_densities.shape
    rules = [(kind, scope) for kind, masks in scopes.items() for scope in masks]
    stated = list(statements(constraints, classes))
    total = 0.0
    shares = np.zeros((n_samples, n_clusters))
    wrong = np.zeros(len(stated) + len(rules))
    for labels in product(range(n_clusters), repeat=n_samples):
        likely = np.exp(sum(log_densities[i, labels[i]] for i in range(n_samples)))
        broken = np.array([not holds(labels) for _, holds, _ in stated], bool)
        for (kind, _, weight), is_broken in zip(stated, broken, strict=True):
            odds = (trust[kind] / (1 - trust[kind])) ** weight
            likely *= (1 if is_broken else odds) / (1 + odds)
        for homes in product(range(VOID, n_clusters), repeat=len(rules)):
            chance = likely
            for (kind, scope), home in zip(rules, homes, strict=True):
                args = (kind, scope, home, labels, trust[kind], trust["follow"], n_clusters)
                chance *= rule_chance(*args)
            total += chance
            shares[np.arange(n_samples), labels] += chance
            wrong += chance * np.array([*broken, *(home == VOID for home in homes)], bool)
    return shares / total, wrong / total, np.log(total)


def can_be_kept(n_samples, n_clusters, must_link, cannot_link, triplets):
    """Say whether some clustering violates nothing."""
    stated = [("must_link", row) for row in must_link]
    stated += [("cannot_link", row) for row in cannot_link]
    stated += [("triplets", row) for row in triplets]
    return any(
        all(is_right(kind, row, labels) for kind, row in stated)
        for labels in product(range(n_clusters), repeat=n_samples)
    )
