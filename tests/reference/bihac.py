"""iHAC and biHAC by the book: clusters are sets, constraints ordered triples, nothing is updated.

Bade and Nürnberger (2009): violation and adaptation in section 4.2, the algorithm in figure 5. The
tie rule, the linkage (mean pairwise similarity) and what counts as the error are DESIGN.md's.
"""

import math

import numpy as np


def ordered(triplets):
    """The paper's MLB: both (x, y, z) and (y, x, z) for each xy|z."""
    return [row for a, b, c in triplets for row in ((a, b, c), (b, a, c))]


def violates(mlb, c1, c2):
    """One cluster contains z, and the other contains x but not y."""
    return any(
        (z in here and x in there and y not in there)
        for x, y, z in mlb
        for here, there in ((c1, c2), (c2, c1))
    )


def between(distances, c1, c2):
    """The mean pairwise distance, which is 1 minus the mean pairwise similarity."""
    return math.fsum(distances[i][j] for i in c1 for j in c2) / (len(c1) * len(c2))


def rank(distances, c1, c2):
    """What comes first: the closest, then the one with the lowest first samples."""
    return (between(distances, c1, c2), *sorted((min(c1), min(c2))))


def pairs(clusters):
    """Every two clusters; the first is the one with the lowest first sample."""
    return [(c1, c2) for c1 in clusters for c2 in clusters if min(c1) < min(c2)]


def ihac(distances, triplets, dead_end="merge"):
    """Return the clusters merged, in order, and which of the merges violated something."""
    mlb = ordered(triplets)
    clusters = [frozenset([i]) for i in range(len(distances))]
    merges, forced = [], []
    while len(clusters) > 1:
        allowed = [pair for pair in pairs(clusters) if not violates(mlb, *pair)]
        if not allowed and dead_end == "stop":
            break
        c1, c2 = min(allowed or pairs(clusters), key=lambda pair: rank(distances, *pair))
        if not allowed:
            forced.append(len(merges))
        merges.append((c1, c2))
        clusters = [c for c in clusters if c not in (c1, c2)] + [c1 | c2]
    return merges, forced


def run(distances, triplets):
    """One clustering of biHAC: the merges, and for each adaptation (c1, c1s, c2, c2s)."""
    mlb = ordered(triplets)
    clusters = [frozenset([i]) for i in range(len(distances))]
    dirty = set()
    merges, adaptations, violating = [], [], []
    while len(clusters) > 1:
        c1, c2 = min(pairs(clusters), key=lambda pair: rank(distances, *pair))
        violated = violates(mlb, c1, c2)
        if violated:
            violating.append(len(merges))
        if violated and c1 not in dirty and c2 not in dirty:
            c1s, c2s = (instead(distances, mlb, clusters, c) for c in (c1, c2))
            adaptations.append((c1, c1s, c2, c2s))
        if violated or c1 in dirty or c2 in dirty:
            dirty.add(c1 | c2)
        merges.append((c1, c2))
        clusters = [c for c in clusters if c not in (c1, c2)] + [c1 | c2]
    return merges, adaptations, violating


def instead(distances, mlb, clusters, cluster):
    """The most similar cluster that can be merged according to MLB, or None."""
    others = [c for c in clusters if c != cluster and not violates(mlb, cluster, c)]
    return min(others, key=lambda other: rank(distances, cluster, other), default=None)


def cosine(x, y, weights):
    """Equation 2; 0 where a vector is zero."""
    norms = math.sqrt((weights * x * x).sum()) * math.sqrt((weights * y * y).sum())
    return (weights * x * y).sum() / norms if norms else 0.0


def euclidean(x, y, weights):
    return -math.sqrt((weights * (x - y) ** 2).sum())


SIMILARITIES = {"cosine": cosine, "euclidean": euclidean}


def objective(x, y, z, weights, metric="cosine"):
    """Equation 5, on centroids."""
    similarity = SIMILARITIES[metric]
    return similarity(x, y, weights) - similarity(x, z, weights)


def gradient(x, y, z, weights):
    """Equation 7, one feature after the other."""

    def scaled(v):
        norm = math.sqrt((weights * v * v).sum())
        return v / norm if norm else np.zeros_like(v)

    cx, cy, cz = scaled(x), scaled(y), scaled(z)
    delta = np.zeros(len(weights))
    for i in range(len(weights)):
        delta[i] = (
            cx[i] * (cy[i] - cz[i])
            - 0.5 * cosine(x, y, weights) * (cx[i] ** 2 + cy[i] ** 2)
            + 0.5 * cosine(x, z, weights) * (cx[i] ** 2 + cz[i] ** 2)
        )
    return delta


def fit_to_conditions(weights):
    """Equation 3: no weight below 0, and their sum is their number."""
    weights = np.maximum(weights, 0)
    return weights * len(weights) / weights.sum()


def adapt(weights, triples, rate, updates):
    """Equation 6 for triples of centroids; jointly, or one after the other as in figure 5."""
    if updates == "joint":
        steps = [gradient(*triple, weights) for triple in triples]
        return fit_to_conditions(weights + rate * sum(steps)) if steps else weights
    for triple in triples:
        weights = fit_to_conditions(weights + rate * gradient(*triple, weights))
    return weights


def bihac(X, triplets, rate=5.0, max_iter=50, patience=10, updates="joint"):
    """Figure 5. Return the best merges and weights, and (error, adaptations) of each run."""
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    weights = np.ones(X.shape[1])
    best = (math.inf, None, None)
    history = []
    stale = 0
    for _ in range(max_iter):
        current = weights
        distances = [[1 - cosine(x, y, current) for y in unit] for x in unit]
        merges, adaptations, _ = run(distances, triplets)
        for c1, c1s, c2, c2s in adaptations:
            triples = [
                [unit[sorted(c)].mean(axis=0) for c in triple]
                for triple in ((c1, c1s, c2), (c2, c2s, c1))
                if triple[1] is not None
            ]
            weights = adapt(weights, triples, rate, updates)
        error = cluster_error(merges, triplets)
        history.append((error, len(adaptations)))
        stale = 0 if error < best[0] else stale + 1
        if error < best[0]:
            best = (error, merges, current)
        if (weights == current).all() or stale == patience:
            break
    return best[1], best[2], history


def cluster_error(merges, triplets):
    """The share of the triplets, equally weighted, that the dendrogram does not have."""
    clades = [c1 | c2 for c1, c2 in merges]
    missed = [
        not any(a in clade and b in clade and c not in clade for clade in clades)
        for a, b, c in triplets
    ]
    return sum(missed) / len(missed) if missed else 0.0
