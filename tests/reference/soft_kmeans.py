"""PCK-means (Basu et al. 2004) and MPCK-means (Bilenko et al. 2004) read literally."""

import numpy as np


def pck_objective(X, centers, labels, must_link, cannot_link):
    """Return equation 1 of PCK-means; pairs are (a, b, weight)."""
    total = sum(((X[i] - centers[labels[i]]) ** 2).sum() / 2 for i in range(len(X)))
    total += sum(w for a, b, w in must_link if labels[a] != labels[b])
    return total + sum(w for a, b, w in cannot_link if labels[a] == labels[b])


def part_of_sample(X, centers, i, h, labels, must_link, cannot_link):
    """Return what sample i costs in cluster h beside those that have one (others have -1)."""
    total = ((X[i] - centers[h]) ** 2).sum() / 2
    for a, b, w in must_link:
        if i in (a, b) and labels[a + b - i] not in (-1, h):
            total += w
    for a, b, w in cannot_link:
        if i in (a, b) and labels[a + b - i] == h:
            total += w
    return total


def pck_assign(X, centers, labels, order, must_link, cannot_link):
    """Return the clusters after passes in which each sample goes where it costs least."""
    labels = list(labels)
    while True:
        before = list(labels)
        for i in order:
            costs = [
                part_of_sample(X, centers, i, h, labels, must_link, cannot_link)
                for h in range(len(centers))
            ]
            labels[i] = int(np.argmin(costs))
        if labels == before:
            return labels


def squared(difference, metric):
    return float(difference @ metric @ difference)


def farthest(X, metric):
    """Return the largest squared distance of two samples, by trying all."""
    return max(squared(a - b, metric) for a in X for b in X)


def mpck_objective(X, centers, metrics, labels, must_link, cannot_link, longest):
    """Return equation 5 of MPCK-means; `longest` are the largest squared distances."""
    total = 0.0
    for i in range(len(X)):
        metric = metrics[labels[i]]
        total += squared(X[i] - centers[labels[i]], metric) - np.log(np.linalg.det(metric))
    for a, b, w in must_link:
        if labels[a] != labels[b]:
            lengths = [squared(X[a] - X[b], metrics[labels[i]]) for i in (a, b)]
            total += w * sum(lengths) / 2
    for a, b, w in cannot_link:
        if labels[a] == labels[b]:
            metric = metrics[labels[a]]
            total += w * max(longest[labels[a]] - squared(X[a] - X[b], metric), 0)
    return total


def mpck_metric(X, center, h, labels, must_link, cannot_link, span):
    """Return equation 6 of MPCK-means, a full metric; `span` is the longest difference."""
    inside = [i for i in range(len(X)) if labels[i] == h]
    moment = sum(np.outer(X[i] - center, X[i] - center) for i in inside)
    for a, b, w in must_link:
        for i in (a, b):
            if labels[a] != labels[b] and labels[i] == h:
                moment = moment + w * np.outer(X[a] - X[b], X[a] - X[b]) / 2
    for a, b, w in cannot_link:
        if labels[a] == labels[b] == h:
            moment = moment + w * (np.outer(span, span) - np.outer(X[a] - X[b], X[a] - X[b]))
    return np.linalg.inv(moment / len(inside))
