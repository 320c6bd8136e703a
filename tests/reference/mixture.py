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
    return not ((c == a) != (c == b))


def answers(constraints, scopes, classes):
    """Yield (kind, place, what is to hold, weight) for all that is stated, rules by sample."""
    for kind in ("must_link", "cannot_link", "triplets"):
        for place, (row, weight) in enumerate(
            zip(getattr(constraints, kind), getattr(constraints, f"{kind}_weights"), strict=True)
        ):
            yield kind, place, lambda z, kind=kind, row=row: is_right(kind, row, z), weight
    hub = constraints.n_samples
    for kind, masks in scopes.items():
        for place, scope in enumerate(masks):
            for sample, is_in in enumerate(scope):
                if is_in:
                    yield kind, place, lambda z, i=sample, h=hub: z[i] == z[h], 1.0
                elif kind == "exactly" and any(scope):
                    yield kind, place, lambda z, i=sample, h=hub: z[i] != z[h], 1.0
            hub += 1
    for place, sample in enumerate(np.flatnonzero(classes >= 0)):
        yield "labels", place, lambda z, i=sample: z[i] == classes[i], 1.0


def posterior(log_densities, constraints, scopes, classes, trust):
    """Return the shares of clusters, the chance of each answer to be wrong, and the evidence.

    The chances are in the order of `answers`; `trust` is by kind.
    """
    n_samples, n_clusters = log_densities.shape
    n_hubs = sum(len(masks) for masks in scopes.values())
    stated = list(answers(constraints, scopes, classes))
    total = 0.0
    shares = np.zeros((n_samples, n_clusters))
    wrong = np.zeros(len(stated))
    for labels in product(range(n_clusters), repeat=n_samples + n_hubs):
        chance = np.exp(sum(log_densities[i, labels[i]] for i in range(n_samples)))
        chance /= n_clusters**n_hubs
        broken = np.zeros(len(stated), bool)
        for place, (kind, _, holds, weight) in enumerate(stated):
            odds = (trust[kind] / (1 - trust[kind])) ** weight
            broken[place] = not holds(labels)
            chance *= (1 if broken[place] else odds) / (1 + odds)
        total += chance
        shares[np.arange(n_samples), labels[:n_samples]] += chance
        wrong += chance * broken
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
