"""Distances between the rows of a sparse matrix, as a lower triangle row by row.

Row i is compared with the rows before it only, through the entries that these have in its columns:
half the products of a matrix product, and no table of them besides the result.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from clustraint.kernels._jit import jit, piece

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

# Cosine distances are whole numbers of these parts, as the rounding errors of sums are smaller and
# must not decide between pairs that are equally far, in whatever order their terms are added up.
PARTS = 2.0**40

# Below this share of the two squared lengths, a squared distance has lost half its digits.
CANCELLED = 1e-7


class Sparse(NamedTuple):
    """A sparse matrix: row i is at ``starts[i] : starts[i + 1]``, its columns in rising order."""

    starts: IntArray
    columns: IntArray
    values: FloatArray


class SparseColumns(NamedTuple):
    """The columns of the rows seen so far: column j is at ``starts[j] : ends[j]``."""

    starts: IntArray
    ends: IntArray
    rows: IntArray
    values: FloatArray


@jit
def cosine(rows, n_columns, triangle):
    """Fill the triangle with 1 minus the dot products of rows, which are of unit length."""
    n_rows = rows.starts.size - 1
    columns = _empty_columns(rows, n_columns)
    products = np.empty(n_rows)
    # Before each row the columns hold all rows before it, which is what it is compared with.
    for row in range(n_rows):
        _multiply(rows, row, columns, products)
        target = triangle[row * (row - 1) // 2 : row * (row + 1) // 2]
        for other in range(row):
            target[other] = max(np.rint((1 - products[other]) * PARTS) / PARTS, 0.0)


@jit
def euclidean(rows, n_columns, triangle):
    """Fill the triangle with Euclidean distances."""
    n_rows = rows.starts.size - 1
    columns = _empty_columns(rows, n_columns)
    products, squares = np.empty(n_rows), np.zeros(n_rows)
    for row in range(n_rows):
        for value in rows.values[rows.starts[row] : rows.starts[row + 1]]:
            squares[row] += value * value
        _multiply(rows, row, columns, products)
        target = triangle[row * (row - 1) // 2 : row * (row + 1) // 2]
        for other in range(row):
            total = squares[row] + squares[other]
            square = total - 2 * products[other]
            if square < CANCELLED * total:
                square = _squared_distance(rows, row, other)
            target[other] = np.sqrt(square)


@piece
def _empty_columns(rows, n_columns):
    starts = np.zeros(n_columns + 1, np.int64)
    for column in rows.columns:
        starts[column + 1] += 1
    for column in range(n_columns):
        starts[column + 1] += starts[column]
    size = rows.columns.size
    return SparseColumns(starts, starts[:-1].copy(), np.empty(size, np.int64), np.empty(size))


@piece
def _multiply(rows, row, columns, products):
    """Find the dot products of a row with those before it, and add it to the columns."""
    products[:row] = 0
    for entry in range(rows.starts[row], rows.starts[row + 1]):
        column, value = rows.columns[entry], rows.values[entry]
        end = columns.ends[column]
        for i in range(columns.starts[column], end):
            products[columns.rows[i]] += value * columns.values[i]
        columns.rows[end] = row
        columns.values[end] = value
        columns.ends[column] += 1


@piece
def _squared_distance(rows, first, second):
    """Sum up the squared differences of two rows."""
    i, j = rows.starts[first], rows.starts[second]
    i_end, j_end = rows.starts[first + 1], rows.starts[second + 1]
    total = 0.0
    # Two sorted lists of columns, passed by in step; a column that one row lacks is 0 there.
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
