"""Distances between the rows of a sparse matrix, as the lower triangle row by row.

Row i is compared with the rows before it only, through the entries that these have in its columns:
half the products of a matrix product, and no table of them besides the result.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from clustraint.kernels._jit import jit


class Sparse(NamedTuple):
    """Rows of a sparse matrix: those of row i are at ``starts[i] : starts[i + 1]``."""

    starts: npt.NDArray[np.int64]
    columns: npt.NDArray[np.int64]
    values: npt.NDArray[np.float64]


@jit
def dot_products(rows, n_columns, products):
    """Write the dot product of each two rows into `products`, the lower triangle."""
    n_rows = rows.starts.size - 1
    starts = np.zeros(n_columns + 1, np.int64)
    for column in rows.columns:
        starts[column + 1] += 1
    for column in range(n_columns):
        starts[column + 1] += starts[column]
    ends = starts[:-1].copy()
    above = np.empty(rows.columns.size, np.int64)
    values = np.empty(rows.columns.size)
    sums = np.zeros(n_rows)
    for row in range(n_rows):
        sums[:row] = 0
        for entry in range(rows.starts[row], rows.starts[row + 1]):
            column, value = rows.columns[entry], rows.values[entry]
            for i in range(starts[column], ends[column]):
                sums[above[i]] += value * values[i]
        for entry in range(rows.starts[row], rows.starts[row + 1]):
            column = rows.columns[entry]
            above[ends[column]] = row
            values[ends[column]] = rows.values[entry]
            ends[column] += 1
        products[row * (row - 1) // 2 : row * (row + 1) // 2] = sums[:row]


@jit
def to_cosine_distances(products):
    """Turn dot products of unit vectors into distances, rounding errors below 0 into 0."""
    for i in range(products.size):
        products[i] = max(1 - products[i], 0.0)


# Below this share of the two squared lengths, a squared distance has lost half its digits.
CANCELLED = 1e-7


@jit
def to_euclidean_distances(rows, products):
    """Turn dot products into distances; those of near rows are summed up difference by difference.

    The columns of each row must be in rising order.
    """
    n_rows = rows.starts.size - 1
    squares = np.zeros(n_rows)
    for row in range(n_rows):
        for entry in range(rows.starts[row], rows.starts[row + 1]):
            squares[row] += rows.values[entry] * rows.values[entry]
    i = 0
    for row in range(n_rows):
        for other in range(row):
            total = squares[row] + squares[other]
            square = total - 2 * products[i]
            if square < CANCELLED * total:
                square = _squared_distance(rows, row, other)
            products[i] = np.sqrt(square)
            i += 1


@jit
def _squared_distance(rows, first, second):
    """Sum up the squared differences of two rows."""
    i, j = rows.starts[first], rows.starts[second]
    i_end, j_end = rows.starts[first + 1], rows.starts[second + 1]
    total = 0.0
    while i < i_end or j < j_end:
        if j == j_end or (i < i_end and rows.columns[i] < rows.columns[j]):
            total += rows.values[i] * rows.values[i]
            i += 1
        elif i == i_end or rows.columns[j] < rows.columns[i]:
            total += rows.values[j] * rows.values[j]
            j += 1
        else:
            total += (rows.values[i] - rows.values[j]) ** 2
            i += 1
            j += 1
    return total
