"""The Rand index on what constraints leave open."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from clustraint.constraints import Components, Constraints, check_constraints
from clustraint.evaluation._pair_counts import (
    Clusterings,
    Pairs,
    check_clusterings,
    count_pairs,
    joint,
    together,
)
from clustraint.exceptions import NothingToMeasureError
from clustraint.typing import IntArray


def constrained_rand_score(y_true: ArrayLike, y_pred: ArrayLike, constraints: Constraints) -> float:
    """Return the Rand index over the pairs of samples that the constraints leave open.

    A pair is open if neither a must-link nor a cannot-link of the constraints' closure decides
    it. It is right if both labellings have its samples together, or both apart.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        The true classes. Samples of unknown class (-1, None or nan) are in no pair that counts.
    y_pred : array-like of shape (n_samples,)
        The clusters found; whatever has a class must have a cluster.
    constraints : Constraints
        What the clustering was given. Triplets and rules decide no pair.

    Returns
    -------
    float
        From 0 to 1, the share of the open pairs that are right.

    Raises
    ------
    NothingToMeasureError
        If no pair is open.
    InconsistentConstraintsError
        If the must-links and cannot-links contradict each other.

    Notes
    -----
    Klein, Kamvar and Manning, From instance-level constraints to space-level constraints (2002),
    section 5 ("CRI"), after Wagstaff and Cardie (2000). No pair is listed: what the closure decides
    is counted for each must-link component, and for each two components that a cannot-link
    keeps apart, and taken off the counts of all pairs.

    Examples
    --------
    >>> from clustraint import Constraints
    >>> from clustraint.evaluation import constrained_rand_score
    >>> constraints = Constraints(4, must_link=[(0, 1)], cannot_link=[(1, 2)])
    >>> constrained_rand_score([0, 0, 1, 1], [0, 0, 1, 2], constraints)
    0.6666666666666666
    """
    both = check_clusterings(y_true, y_pred)
    check_constraints(constraints, both.n_samples, "y_true")
    pairs, closed = count_pairs(both.classes, both.clusters), _decided(both, constraints)
    n_open = pairs.total - closed.total
    if not n_open:
        raise NothingToMeasureError(
            f"the constraints decide each of the {pairs.total} pairs of samples with known "
            "classes, so none is left to score"
        )
    return (pairs.agreed - closed.agreed) / n_open


def _decided(both: Clusterings, constraints: Constraints) -> Pairs:
    """Count the pairs that the closure decides."""
    components = constraints.components
    own = components.labels[both.samples]
    cells = np.unique(joint(both.classes, both.clusters), return_inverse=True)[1]
    groups = (np.zeros_like(own), both.classes, both.clusters, cells)
    counts = (together(joint(own, group)) + _apart(own, group, components) for group in groups)
    return Pairs(*counts)


def _apart(own: IntArray, group: IntArray, components: Components) -> int:
    """Count the pairs of one group whose components are kept apart."""
    if not len(components.cannot_link) or not len(own):
        return 0
    ones = np.ones(len(own), np.int64)
    shape = (components.n_components, int(group.max()) + 1)
    table = csr_array((ones, (own, group)), shape=shape)
    # The smaller component is added to what the larger one faces: a large one that many
    # cannot-links hold is not gone through again for each.
    sizes = np.bincount(own, minlength=components.n_components)
    left, right = components.cannot_link.T
    is_left = sizes[left] > sizes[right]
    ends = (np.where(is_left, left, right), np.where(is_left, right, left))
    links = csr_array((np.ones(len(left), np.int64), ends), shape=(components.n_components,) * 2)
    return int(table.multiply(links @ table).sum())
