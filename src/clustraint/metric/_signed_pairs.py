"""Pairs and triplets as attractions and repulsions between two samples."""

from __future__ import annotations

import numpy as np

from clustraint.constraints import Constraints
from clustraint.typing import FloatArray, IntArray

# By kind: the columns of the two samples of each pair, and the share of the weight that it gets.
# A triplet ab|c says that a and b are closer than either is to c: one attraction against two
# repulsions of half its weight, so that both sides of the comparison count alike.
ATTRACTIONS = {
    "must_link": (((0, 1), 1.0),),
    "cannot_link": (((0, 1), -1.0),),
    "triplets": (((0, 1), 1.0), ((0, 2), -0.5), ((1, 2), -0.5)),
}


def signed_pairs(constraints: Constraints) -> tuple[IntArray, FloatArray]:
    """Return pairs of samples, and how strongly each attracts (above 0) or repels (below 0).

    Examples
    --------
    >>> pairs, signs = signed_pairs(Constraints(3, must_link=[(0, 1)], triplets=[(0, 1, 2)]))
    >>> pairs.tolist(), signs.tolist()
    ([[0, 1], [0, 1], [0, 2], [1, 2]], [1.0, 1.0, -0.5, -0.5])
    """
    pairs, signs = [np.empty((0, 2), np.int64)], [np.empty(0)]
    for kind, attractions in ATTRACTIONS.items():
        rows, weights = constraints.links[kind]
        for columns, share in attractions:
            pairs.append(rows[:, columns])
            signs.append(share * weights)
    return np.concatenate(pairs), np.concatenate(signs)
