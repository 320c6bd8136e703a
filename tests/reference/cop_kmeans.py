"""COP-k-means read literally (Wagstaff et al. 2001, table 1), and the exact assignment by trial."""

from itertools import product

import numpy as np


def violates(sample, cluster, labels, must_link, cannot_link):
    """Return VIOLATE-CONSTRAINTS of the paper; samples without a cluster yet have -1."""
    for a, b in must_link:
        other = {a: b, b: a}.get(sample)
        if other is not None and labels[other] not in (-1, cluster):
            return True
    for a, b in cannot_link:
        other = {a: b, b: a}.get(sample)
        if other is not None and labels[other] == cluster:
            return True
    return False


def assign(X, centers, order, must_link, cannot_link):
    """Return the clusters of all samples, or None where one sample finds no cluster."""
    labels = np.full(len(X), -1)
    for sample in order:
        distances = ((X[sample] - centers) ** 2).sum(axis=1)
        for cluster in np.argsort(distances, kind="stable"):
            if not violates(sample, cluster, labels, must_link, cannot_link):
                labels[sample] = cluster
                break
        else:
            return None
    return labels


def closure(n_samples, must_link, cannot_link):
    """Return all must-links and cannot-links that follow, by repetition until nothing does."""
    together = {(i, i) for i in range(n_samples)}
    together |= {pair for a, b in must_link for pair in ((a, b), (b, a))}
    apart = {pair for a, b in cannot_link for pair in ((a, b), (b, a))}
    while True:
        more_together = {(a, d) for a, b in together for c, d in together if b == c}
        more_apart = {(a, d) for a, b in together for c, d in apart if b == c}
        more_apart |= {(b, a) for a, b in more_apart}
        if more_together <= together and more_apart <= apart:
            return {(a, b) for a, b in together if a < b}, {(a, b) for a, b in apart if a < b}
        together |= more_together
        apart |= more_apart


def cheapest(costs, pairs):
    """Return the least cost of an assignment that keeps pairs apart, or None, by trying all."""
    n_nodes, n_clusters = costs.shape
    totals = [
        sum(costs[node, cluster] for node, cluster in enumerate(labels))
        for labels in product(range(n_clusters), repeat=n_nodes)
        if all(labels[a] != labels[b] for a, b in pairs)
    ]
    return min(totals, default=None)


def components(n_samples, must_link):
    """Return what must-links tie together, as lists of rows, in the order of their first rows."""
    together, _ = closure(n_samples, must_link, [])
    groups = [
        [row] + [other for other in range(n_samples) if (row, other) in together]
        for row in range(n_samples)
        if not any((other, row) in together for other in range(row))
    ]
    return groups


def ends_of_cannot_links(groups, cannot_link, links, others, n_clusters):
    """Return the components to start at, from cannot-links and components as they were drawn."""
    owner = {row: number for number, group in enumerate(groups) for row in group}
    chosen = []
    for number in [owner[row] for link in links for row in cannot_link[link]] + list(others):
        if number not in chosen and len(chosen) < n_clusters:
            chosen.append(number)
    return chosen


def in_row_order(X, n_clusters, must_link, cannot_link, starts, max_iter):
    """Return COP-k-means on weighted means of components, as the authors of ClusILC have it.

    Components are visited in row order, and it ends when an assignment repeats. None stands for a
    dead end, for a cluster that runs empty, and for a run that goes in circles.
    """
    groups = components(len(X), must_link)
    owner = {row: number for number, group in enumerate(groups) for row in group}
    apart = {frozenset((owner[a], owner[b])) for a, b in cannot_link}
    means = [X[group].mean(axis=0) for group in groups]
    centers = [means[number] for number in starts]
    before = None
    for _ in range(max_iter):
        labels = [-1] * len(groups)
        for number, mean in enumerate(means):
            distances = [((mean - center) ** 2).sum() for center in centers]
            for cluster in np.argsort(distances, kind="stable"):
                taken = any(
                    labels[other] == cluster and frozenset((number, other)) in apart
                    for other in range(number)
                )
                if not taken:
                    labels[number] = int(cluster)
                    break
            else:
                return None
        if len(set(labels)) < n_clusters:
            return None
        if labels == before:
            return [labels[owner[row]] for row in range(len(X))]
        before = labels
        rows = np.array([labels[owner[row]] for row in range(len(X))])
        centers = [X[rows == cluster].mean(axis=0) for cluster in range(n_clusters)]
    return None
