"""The merges of ReCon: first within what must be one cluster, then all."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from clustraint.constraints import Constraints
from clustraint.hierarchy import Hierarchy
from clustraint.kernels import recon
from clustraint.kernels.agglomeration import CENTROID, WARD
from clustraint.kernels.build import build
from clustraint.kernels.merges import Merges
from clustraint.typing import FloatArray, IntArray

LINKAGES = {"centroid": CENTROID, "ward": WARD}


def units_of(constraints: Constraints) -> IntArray:
    """Return which samples must-links hold together, as units numbered by first sample.

    A unit is more than a must-link component where a triplet ab|c ties b in: if a and c are in one
    cluster, b joins a before. In the BUILD tree with must-links as bonds such a set is a node, the
    highest one at which the ends of a must-link part.
    """
    must_link = constraints.links["must_link"].rows
    if not len(must_link):
        return np.arange(constraints.n_samples)
    bonds = np.concatenate(
        (constraints.links["triplets"].rows, np.insert(must_link, 2, -1, axis=1)), dtype=np.int64
    )
    tied = Hierarchy(build(constraints.n_samples, bonds, np.empty((0, 2), np.int64)).parents)
    is_unit = np.zeros(tied.n_nodes, np.bool_)
    is_unit[tied.meet(must_link[:, 0], must_link[:, 1])] = True
    highest = np.arange(tied.n_nodes)
    for node in range(tied.n_nodes - 2, -1, -1):
        above = tied.parents[node]
        if is_unit[above] or highest[above] != above:
            highest[node] = highest[above]
    _, first, places = np.unique(
        highest[: constraints.n_samples], return_index=True, return_inverse=True
    )
    return np.asarray(np.argsort(np.argsort(first))[places])


def merges_of(
    X: FloatArray, constraints: Constraints, units: IntArray, n_clusters: int, linkage: str
) -> Merges:
    """Return all merges: those within units, unit by unit, and then those of units."""
    parts = [
        _within(X, constraints, np.flatnonzero(units == unit), linkage)
        for unit in np.flatnonzero(np.bincount(units) > 1)
    ]
    parts.append(_of_units(X, constraints, units, n_clusters, linkage))
    slots, distances = (np.concatenate([part[place] for part in parts]) for place in range(2))
    return Merges(slots, distances)


def _within(X: FloatArray, constraints: Constraints, samples: IntArray, linkage: str) -> Merges:
    inside = constraints[samples].restrict(kinds="triplets")
    return _called(_agglomerate(X[samples], np.ones(len(samples)), inside, 1, linkage), samples)


def _of_units(
    X: FloatArray, constraints: Constraints, units: IntArray, n_clusters: int, linkage: str
) -> Merges:
    sizes = np.bincount(units)
    if len(sizes) == len(X):
        return _agglomerate(X, sizes, constraints, n_clusters, linkage)
    sums = np.zeros((len(sizes), X.shape[1]))
    np.add.at(sums, units, X)
    first = np.unique(units, return_index=True)[1]
    between = _between(constraints, units, len(sizes))
    merges = _agglomerate(sums / sizes[:, np.newaxis], sizes, between, n_clusters, linkage)
    return _called(merges, first)


def _between(constraints: Constraints, units: IntArray, n_units: int) -> Constraints:
    """Return the triplets and cannot-links between units."""
    triplets, cannot_link = constraints.links["triplets"], constraints.links["cannot_link"]
    rows = units[triplets.rows]
    apart = rows[:, 0] != rows[:, 1]
    return Constraints(
        n_units,
        triplets=rows[apart],
        triplets_weights=triplets.weights[apart],
        cannot_link=units[cannot_link.rows],
        cannot_link_weights=cannot_link.weights,
    )


def _called(merges: Merges, names: IntArray) -> Merges:
    return Merges(names[merges.slots], merges.distances)


def _agglomerate(
    X: FloatArray,
    sizes: NDArray[np.integer | np.floating],
    constraints: Constraints,
    k: int,
    linkage: str,
) -> Merges:
    """Merge the rows of `X`, each standing for so many samples."""
    # Without must-links, the tree of all constraints is that of the triplets.
    slots, squares, _ = recon.agglomerate(
        np.array(X.T, np.float64, order="C"),
        sizes.astype(np.int64),
        constraints.links["triplets"].rows,
        Hierarchy.from_constraints(constraints).layout,
        *constraints.links["cannot_link"],
        k,
        LINKAGES[linkage],
    )
    return Merges(slots, np.sqrt(squares))
