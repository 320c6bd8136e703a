"""Constraint propagation with matrices of all samples by all samples, as Lu and Ip print it."""

import numpy as np

NEIGHBOR_OF_SCALE = 7


def normalised_weights(X, n_neighbors):
    """Return the graph's weights over the roots of both degrees, and the degrees."""
    n_samples = len(X)
    distances = np.sqrt(((X[:, np.newaxis] - X) ** 2).sum(axis=2))
    n_neighbors = min(n_neighbors, n_samples - 1)
    near = [np.argsort(row, kind="stable")[1 : n_neighbors + 1] for row in distances]
    scales = [
        distances[i, near[i][min(NEIGHBOR_OF_SCALE, n_neighbors) - 1]] for i in range(n_samples)
    ]
    weights = np.zeros((n_samples, n_samples))
    for i in range(n_samples):
        for j in near[i]:
            weight = max(np.exp(-(distances[i, j] ** 2) / (scales[i] * scales[j])), 1e-6)
            weights[i, j] = weights[j, i] = max(weight, weights[i, j])
    degrees = weights.sum(axis=1)
    return weights / np.sqrt(np.outer(degrees, degrees)), degrees


def propagated(weights, degrees, signs, reach):
    """Return what pairs say about all pairs: (1 - α)² (I - αW)⁻¹ Z (I - αW)⁻¹."""
    n_samples = len(weights)
    said = np.zeros((n_samples, n_samples))
    for (first, second), sign in signs.items():
        said[first, second] += sign / 2 / np.sqrt(degrees[first] * degrees[second])
        said[second, first] += sign / 2 / np.sqrt(degrees[first] * degrees[second])
    spread = np.linalg.inv(np.eye(n_samples) - reach * weights)
    return (1 - reach) ** 2 * spread @ said @ spread


def similarities(X, signs, n_components, n_neighbors, reach, strength):
    """Return the inner products of all samples' coordinates, which no rotation changes."""
    weights, degrees = normalised_weights(X, n_neighbors)
    matrix = weights
    if signs:
        spread = propagated(weights, degrees, signs, reach)
        matrix = weights + strength * spread / np.abs(np.linalg.eigvalsh(spread)).max()
    coordinates = np.linalg.eigh(matrix)[1][:, ::-1][:, :n_components]
    coordinates = coordinates / np.linalg.norm(coordinates, axis=1, keepdims=True)
    return coordinates @ coordinates.T
