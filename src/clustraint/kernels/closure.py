"""Explicit closures of must-links and cannot-links."""

import numpy as np

from clustraint.kernels._jit import jit
from clustraint.kernels.arrays import sort_by
from clustraint.kernels.disjoint_set import find, singles, unite


@jit
def must_closure(n_samples, must_link, weights, total):
    """Return all pairs within components; `must_link` comes strongest first.

    Two samples are as strongly linked as the weakest link of their strongest chain, and that is
    the link that first joins their parts here (Kruskal).
    """
    roots = singles(n_samples)
    following = np.full(n_samples, -1, np.int64)
    last = np.arange(n_samples)
    rows = np.empty((total, 2), np.int64)
    row_weights = np.empty(total)
    filled = 0
    # The members of a set are a list from its root on; `last` is its end. All pairs within sets
    # are listed, and uniting two sets adds the pairs between them.
    for i in range(len(must_link)):
        first, second = find(roots, must_link[i, 0]), find(roots, must_link[i, 1])
        if not unite(roots, first, second):
            continue
        low, high = min(first, second), max(first, second)
        member = high
        while member >= 0:
            other = low
            while other >= 0:
                rows[filled, 0] = min(member, other)
                rows[filled, 1] = max(member, other)
                row_weights[filled] = weights[i]
                filled += 1
                other = following[other]
            member = following[member]
        following[last[low]] = high
        last[low] = last[high]
    return rows, row_weights


@jit
def cannot_closure(labels, n_components, pairs, weights, total):
    """Return all pairs between components that are kept apart."""
    order, border = sort_by(labels, n_components, np.arange(len(labels)))
    rows = np.empty((total, 2), np.int64)
    row_weights = np.empty(total)
    filled = 0
    # Each pair of components comes once, so that no pair of samples is listed twice.
    for i in range(len(pairs)):
        for left in order[border[pairs[i, 0]] : border[pairs[i, 0] + 1]]:
            for right in order[border[pairs[i, 1]] : border[pairs[i, 1] + 1]]:
                rows[filled, 0] = min(left, right)
                rows[filled, 1] = max(left, right)
                row_weights[filled] = weights[i]
                filled += 1
    return rows, row_weights
