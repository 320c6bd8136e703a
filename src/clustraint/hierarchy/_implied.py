"""All that follows from triplets and pairs, and what of them says nothing new."""

from __future__ import annotations

import numpy as np

from clustraint.constraints import Constraints
from clustraint.constraints._consistency import bonds, denials
from clustraint.exceptions import ClustraintError
from clustraint.hierarchy._assemble import canonical_parents
from clustraint.hierarchy._hierarchy import Hierarchy
from clustraint.kernels.build import build
from clustraint.typing import IntArray

# Each costs two tests of consistency, about a millisecond.
MOST_TESTED = 50_000


def implied_triplets(constraints: Constraints) -> IntArray:
    """Return every triplet that follows, with those that are given.

    What follows holds in every hierarchy in which all is kept, hence in the one that BUILD finds:
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
    ClustraintError
        If there are very many to be tested.

    Examples
    --------
    >>> implied_triplets(Constraints(9, triplets=[(0, 1, 2), (2, 3, 0)])).tolist()
    [[0, 1, 2], [0, 1, 3], [2, 3, 0], [2, 3, 1]]
    """
    constraints.check()
    linked = [links.rows.ravel() for links in constraints.links.values()]
    samples = np.unique(np.concatenate(linked))
    if len(samples) < 3:
        return np.empty((0, 3), np.int64)
    part = constraints[samples]
    verdict = build(len(samples), bonds(part), part.links["cannot_link"].rows)
    hierarchy = Hierarchy(canonical_parents(verdict.parents, len(samples)))
    if hierarchy.n_triplets > MOST_TESTED:
        raise ClustraintError(
            f"{hierarchy.n_triplets:,} triplets may follow, which is too many to test each "
            f"(more than {MOST_TESTED:,}); take fewer constraints."
        )
    held = [row for row in hierarchy.triplets().tolist() if follows(part, "triplets", row)]
    return samples[np.array(held, np.int64).reshape(-1, 3)]


def follows(constraints: Constraints, kind: str, row: list[int]) -> bool:
    """Say whether a constraint follows from others, which are known to be consistent.

    Examples
    --------
    >>> follows(Constraints(3, must_link=[(0, 1), (1, 2)]), "must_link", [0, 2])
    True
    """
    return not any(
        (constraints | Constraints(constraints.n_samples, **denial, names=constraints.names))
        .is_consistent()
        for denial in denials(kind, row)
    )  # fmt: skip


def redundant(constraints: Constraints) -> Constraints:
    """Return constraints that the others entail, so that all of them could be left out together.

    Examples
    --------
    >>> redundant(Constraints(3, must_link=[(0, 1), (1, 2), (0, 2)]))
    Constraints(3 samples: 1 must-link)
    """
    kept = {kind: np.ones(len(links.rows), np.bool_) for kind, links in constraints.links.items()}
    for kind, mask in kept.items():
        rows = constraints.links[kind].rows.tolist()
        for place in range(len(rows) - 1, -1, -1):
            mask[place] = False
            mask[place] = not follows(constraints.take(**kept), kind, rows[place])
    return constraints.take(**{kind: ~mask for kind, mask in kept.items()})
