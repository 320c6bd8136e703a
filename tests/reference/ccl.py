"""Constrained complete link read literally (Klein, Kamvar and Manning 2002, figures 5 and 6).

Misprints are mended: cannot-links set entries to the largest distance plus 1, and complete link
takes the maximum.
"""

import numpy as np


def closed(n_samples, must_link):
    """Return which samples must-links tie together, by repetition until nothing changes."""
    tied = np.eye(n_samples, dtype=bool)
    for a, b in must_link:
        tied[a, b] = tied[b, a] = True
    while True:
        more = (tied.astype(int) @ tied.astype(int)) > 0
        if (more == tied).all():
            return tied
        tied = more


def impose_must_links(D, must_link):
    for i, j in must_link:
        D[i, j] = D[j, i] = 0


def fast_all_pairs_shortest_paths(D, must_link):
    for k in sorted({sample for pair in must_link for sample in pair}):
        for i in range(len(D)):
            for j in range(len(D)):
                D[i, j] = min(D[i, j], D[i, k] + D[k, j])


def impose_cannot_links(D, tied, cannot_link, apart):
    for i, j in cannot_link:
        for k in np.flatnonzero(tied[i]):
            for other in np.flatnonzero(tied[j]):
                D[k, other] = D[other, k] = apart


def constrained_proximities(D, must_link, cannot_link):
    """Return the matrix of figure 5."""
    apart = D.max() + 1
    D = D.copy()
    impose_must_links(D, must_link)
    fast_all_pairs_shortest_paths(D, must_link)
    impose_cannot_links(D, closed(len(D), must_link), cannot_link, apart)
    return D


def constrained_complete_link(D, must_link, cannot_link, weights):
    """Return the merges as (first samples of both, distance).

    Ties: must-links first, then the lowest first samples. Where only clusters are left that
    cannot-links keep apart: least weight of given ones, then least propagated distance.
    """
    apart = D.max() + 1
    tied = closed(len(D), must_link)
    D = D.copy()
    impose_must_links(D, must_link)
    fast_all_pairs_shortest_paths(D, must_link)
    paths = D.copy()
    impose_cannot_links(D, tied, cannot_link, apart)

    def broken(first, second):
        return sum(
            weight
            for (i, j), weight in zip(cannot_link, weights, strict=True)
            if (i in first and j in second) or (j in first and i in second)
        )

    def order(first, second):
        distance = D[np.ix_(first, second)].max()
        forced = distance == apart
        return (
            distance,
            not tied[first[0], second[0]],
            broken(first, second) if forced else 0,
            paths[np.ix_(first, second)].max() if forced else 0,
            first[0],
            second[0],
        )

    clusters = [[sample] for sample in range(len(D))]
    merges = []
    while len(clusters) > 1:
        pairs = [(a, b) for place, a in enumerate(clusters) for b in clusters[place + 1 :]]
        first, second = min(pairs, key=lambda pair: order(*pair))
        merges.append((first[0], second[0], order(first, second)[0]))
        clusters.remove(second)
        first.extend(second)
        first.sort()
    return merges
