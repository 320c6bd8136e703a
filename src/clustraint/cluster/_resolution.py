"""How many clusters tell apart most of what triplets tell apart."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from clustraint.constraints import Constraints
from clustraint.hierarchy import Hierarchy


def resolving_count(hierarchy: Hierarchy, constraints: Constraints, fewest: int = 1) -> int:
    """Return the number of clusters whose cut resolves the largest weight of triplets.

    A cut resolves ab|c if a and b are in one cluster and c is in another. Among equals the fewest
    clusters are taken; without triplets it is `fewest`, the number of clusters that were left when
    merging ended.
    """
    n_samples = hierarchy.n_samples
    rows, weights = constraints.links["triplets"]
    pairs = hierarchy.meet(rows[:, 0], rows[:, 1])
    wholes = hierarchy.meet(pairs, rows[:, 2])
    shown = pairs < wholes
    # With k clusters the first n - k merges stand, and node n + s is merge s.
    resolved = np.zeros(n_samples + 2)
    np.add.at(resolved, 2 * n_samples - wholes[shown], weights[shown])
    np.subtract.at(resolved, 2 * n_samples - pairs[shown], weights[shown])
    totals: NDArray[np.float64] = np.cumsum(resolved)[fewest : n_samples + 1]
    # Sums in another order differ in their last digits, which must not decide.
    best = totals.max()
    return fewest + int(np.flatnonzero(totals >= best - 1e-9 * abs(best))[0])
