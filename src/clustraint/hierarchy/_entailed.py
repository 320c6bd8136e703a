"""All triplets that follow from pairs and triplets."""

from __future__ import annotations

import numpy as np

from clustraint.constraints import Constraints
from clustraint.exceptions import TooManyTripletsError
from clustraint.hierarchy._hierarchy import Hierarchy
from clustraint.typing import IntArray

# Each costs two tests of consistency, about a millisecond.
MOST_TESTED = 50_000


def entailed_triplets(constraints: Constraints) -> IntArray:
    """Return every triplet that follows from constraints, their own included.

    What follows holds in every hierarchy that keeps all of them, hence in the one that BUILD makes:
    only the triplets of that one are tested.

    Parameters
    ----------
    constraints : Constraints
        Pairs and triplets that do not contradict each other.

    Returns
    -------
    int64 ndarray of shape (n_triplets, 3)
        Rows (a, b, c) for ab|c, with a < b.

    Raises
    ------
    TooManyTripletsError
        If there are very many to be tested.

    Examples
    --------
    >>> from clustraint import Constraints
    >>> from clustraint.hierarchy import entailed_triplets
    >>> entailed_triplets(Constraints(9, triplets=[(0, 1, 2), (2, 3, 0)])).tolist()
    [[0, 1, 2], [0, 1, 3], [2, 3, 0], [2, 3, 1]]
    """
    constraints.check()
    samples = constraints.mentioned
    if len(samples) < 3:
        return np.empty((0, 3), np.int64)
    part = constraints[samples]
    hierarchy = Hierarchy.from_constraints(part)
    if hierarchy.n_triplets > MOST_TESTED:
        raise TooManyTripletsError(hierarchy.n_triplets, MOST_TESTED)
    candidates = hierarchy.triplets()
    return np.asarray(samples[candidates[part.entails(candidates)]])
