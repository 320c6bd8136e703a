"""Agglomeration read literally: all pairs are compared at every step."""

import numpy as np


def between(linkage, D, X, first, second):
    """Return the distance of two lists of samples, from the samples alone."""
    if linkage in ("centroid", "ward"):
        away = np.linalg.norm(X[first].mean(axis=0) - X[second].mean(axis=0))
        sizes = len(first), len(second)
        return away * np.sqrt(2 * sizes[0] * sizes[1] / sum(sizes)) if linkage == "ward" else away
    pairs = D[np.ix_(first, second)]
    return {"single": np.min, "complete": np.max, "average": np.mean}[linkage](pairs)


def agglomerate(linkage, D=None, X=None, forbidden=lambda first, second: False):
    """Return the merges as (first samples of both, distance), ties by lowest first samples.

    `forbidden` gets the samples of two clusters; it ends where no pair is left that may merge.
    """
    clusters = [[sample] for sample in range(len(X if D is None else D))]
    merges = []
    while True:
        options = [
            (between(linkage, D, X, first, second), first[0], second[0], first, second)
            for place, first in enumerate(clusters)
            for second in clusters[place + 1 :]
            if not forbidden(first, second)
        ]
        if not options:
            return merges
        distance, low, high, first, second = min(options)
        merges.append((low, high, distance))
        clusters.remove(second)
        first.extend(second)
        first.sort()
