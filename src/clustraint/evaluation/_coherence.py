"""How little constraints pull one way and push the same way."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils import check_array

from clustraint.constraints import KINDS, Constraints, check_constraints
from clustraint.exceptions import NothingToMeasureError
from clustraint.typing import FloatArray, IntArray
from clustraint.wording import counted, listed

# So many pairs of segments are looked at together.
BLOCK = 2**18

# An overlap shorter than this share of the data's extent is rounding.
ROUNDING = 1e-10


class Segments(NamedTuple):
    """Line segments between samples, and the triplet that each comes from (negative: none)."""

    starts: Any
    ends: Any
    triplets: IntArray

    def part(self, rows: slice) -> Segments:
        """Return some of them."""
        return Segments(self.starts[rows], self.ends[rows], self.triplets[rows])


def coherence(X: Any, constraints: Constraints) -> float:
    """Return the share of pulls and pushes among the constraints that are not in each other's way.

    A must-link pulls along the segment between its samples, a cannot-link pushes along its own.
    The two are coherent if neither segment, projected on the line of the other, overlaps that
    other one.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The samples, where the Euclidean distance is meaningful.
    constraints : Constraints
        Each row counts once, whatever its weight; rules do not count.

    Returns
    -------
    float
        From 0, where all get in each other's way, to 1.

    Raises
    ------
    NothingToMeasureError
        If nothing pulls or nothing pushes.

    Notes
    -----
    Davidson, Wagstaff and Basu, Measuring constraint-set utility for partitional clustering
    algorithms (2006): the share of all (must-link, cannot-link) pairs whose projected overlap is
    null both ways. Positions count, not only directions: parallel segments that lie one behind
    the other do not overlap, nor do orthogonal ones, whose projections are points.

    *Triplets.* The natural form of ab|c: a and b are drawn near, so that the segment ab pulls
    like a must-link; c is kept farther off than they are from each other, so that ac and bc push
    like cannot-links. The pull of a triplet is not compared with its own pushes: at least two
    angles of a triangle are acute, so that almost every triplet would contradict itself. Pairs and
    triplets given together are compared with each other likewise.

    Overlaps below 1e-10 of the data's extent count as null, as rounding alone makes such. The
    time is pulls times pushes times features, the memory linear in the constraints.

    Examples
    --------
    >>> from clustraint import Constraints
    >>> from clustraint.evaluation import coherence
    >>> X = [[0, 0], [1, 0], [2, 0], [3, 0], [0, 1]]
    >>> coherence(X, Constraints(5, must_link=[(0, 2)], cannot_link=[(1, 3)]))
    0.0
    >>> coherence(X, Constraints(5, must_link=[(0, 2)], cannot_link=[(1, 3), (2, 3), (0, 4)]))
    0.6666666666666666
    """
    table = check_array(X, accept_sparse="csr", dtype=np.float64)
    check_constraints(constraints, table.shape[0])
    points, rounding = _scaled(table)
    pulls, pushes = _pulls(points, constraints), _pushes(points, constraints)
    # The pull and the two pushes of one triplet are not compared.
    total = len(pulls.triplets) * len(pushes.triplets) - 2 * len(constraints.triplets)
    if not total:
        counts = [
            counted(len(links.rows), KINDS[kind].noun) for kind, links in constraints.links.items()
        ]
        raise NothingToMeasureError(
            "coherence compares must-links with cannot-links, or triplets with each other, but the "
            f"constraints hold {listed(counts)}"
        )
    in_the_way = sum(_count_overlapping(pulls, block, rounding) for block in _blocks(pulls, pushes))
    return (total - in_the_way) / total


def _scaled(table: Any) -> tuple[Any, float]:
    """Return the points at a size whose squares are numbers, and how long an overlap must be."""
    largest = max(table.max(), -table.min(), 0.0)
    points = table / largest if largest else table
    if not issparse(points):
        points = points - points.mean(axis=0)
    squares = points.multiply(points) if issparse(points) else points * points
    return points, ROUNDING * float(np.sqrt(squares.sum(axis=1).max()))


def _pulls(points: Any, constraints: Constraints) -> Segments:
    near = constraints.triplets[:, [0, 1]]
    return _segments(points, constraints.must_link, near, np.arange(len(near)), outside=-1)


def _pushes(points: Any, constraints: Constraints) -> Segments:
    triplets = constraints.triplets
    far = np.concatenate((triplets[:, [0, 2]], triplets[:, [1, 2]]))
    owners = np.tile(np.arange(len(triplets)), 2)
    return _segments(points, constraints.cannot_link, far, owners, outside=-2)


def _segments(
    points: Any, links: IntArray, of_triplets: IntArray, owners: IntArray, outside: int
) -> Segments:
    rows = np.concatenate((links, of_triplets))
    triplets = np.concatenate((np.full(len(links), outside), owners))
    return Segments(points[rows[:, 0]], points[rows[:, 1]], triplets)


def _blocks(pulls: Segments, pushes: Segments) -> Iterator[Segments]:
    step = max(1, BLOCK // len(pulls.triplets))
    for start in range(0, len(pushes.triplets), step):
        yield pushes.part(slice(start, start + step))


def _count_overlapping(pulls: Segments, pushes: Segments, rounding: float) -> int:
    """Count the pairs of which one, projected on the other, overlaps it; own ones left out."""
    meets = _overlaps(pulls, pushes, rounding) | _overlaps(pushes, pulls, rounding).T
    return int((meets & (pulls.triplets[:, np.newaxis] != pushes.triplets)).sum())


def _overlaps(segments: Segments, lines: Segments, rounding: float) -> NDArray[np.bool_]:
    """Tell which segments, projected on the lines of others, overlap these; one row per segment."""
    directions = lines.ends - lines.starts
    lengths = np.sqrt(_dots(directions, directions))
    units = np.where(lengths, lengths, 1)
    zero = _dots(lines.starts, directions)
    ends = [
        (_product(points, directions) - zero) / units for points in (segments.starts, segments.ends)
    ]
    covered = np.minimum(np.maximum(*ends), lengths) - np.maximum(np.minimum(*ends), 0)
    return np.asarray(covered > rounding)


def _dots(first: Any, second: Any) -> FloatArray:
    products = first.multiply(second) if issparse(first) else first * second
    return np.asarray(products.sum(axis=1), np.float64).ravel()


def _product(points: Any, directions: Any) -> FloatArray:
    result = points @ directions.T
    return np.asarray(result.toarray() if issparse(result) else result)
