"""Distances of all pairs as a lower triangle, row by row: samples i > j at i * (i - 1) // 2 + j."""

import numpy as np

from clustraint.kernels._jit import jit, piece
from clustraint.kernels.kmedoids import mismatches

# Rows and columns of a tile, whose samples stay in the processor's cache.
ROWS, COLUMNS = 16, 256


@jit(work=lambda features, triangle: features.size * features.shape[1])
def euclidean(features, triangle):
    """Fill the triangle with Euclidean distances; samples are columns of `features`."""
    n_samples = features.shape[1]
    sums = np.empty(COLUMNS)
    # By tiles, so that the samples of a tile are read from memory once for all its rows.
    for top in range(0, n_samples, ROWS):
        bottom = min(top + ROWS, n_samples)
        for left in range(0, bottom, COLUMNS):
            for sample in range(max(top, left + 1), bottom):
                right = min(left + COLUMNS, sample)
                part = sums[: right - left]
                squared_distances(features, sample, left, right, part)
                start = sample * (sample - 1) // 2
                target = triangle[start + left : start + right]
                for k in range(len(part)):
                    target[k] = np.sqrt(part[k])


@piece
def squared_distances(features, sample, left, right, sums):
    """Fill `sums` with the squared distances of a column to those from `left` below `right`.

    The features are added up one after the other, whatever the range.
    """
    sums[:] = 0.0
    n_features = len(features)
    for feature in range(0, n_features - 3, 4):
        _add_four(features, feature, sample, left, right, sums)
    for feature in range(n_features - n_features % 4, n_features):
        _add_one(features[feature, left:right], features[feature, sample], sums)


@piece
def _add_four(features, feature, sample, left, right, sums):
    # Row by row: only of a row does the compiler know that its numbers follow one another.
    first, second = features[feature, left:right], features[feature + 1, left:right]
    third, fourth = features[feature + 2, left:right], features[feature + 3, left:right]
    a, b = features[feature, sample], features[feature + 1, sample]
    c, d = features[feature + 2, sample], features[feature + 3, sample]
    for k in range(len(sums)):
        e, f, g, h = a - first[k], b - second[k], c - third[k], d - fourth[k]
        # One after the other: the order of additions, and with it the last bit, is that of
        # `_add_one`.
        sums[k] = sums[k] + e * e + f * f + g * g + h * h


@piece
def _add_one(values, value, sums):
    for k in range(len(sums)):
        difference = value - values[k]
        sums[k] += difference * difference


@jit
def hamming(table, n_columns, triangle):
    """Fill the triangle with the share of columns in which two samples of a table differ."""
    place = 0
    for sample in range(1, len(table.words)):
        for other in range(sample):
            triangle[place] = mismatches(table, sample, table.words, other) / n_columns
            place += 1


@jit
def copy_rows(block, first, triangle):
    """Copy the entries before the diagonal of rows of a square matrix that begin with `first`."""
    for k in range(len(block)):
        sample = first + k
        start = sample * (sample - 1) // 2
        for other in range(sample):
            triangle[start + other] = block[k, other]


@jit
def largest(triangle):
    """Return the largest entry, and the place of the first that is no finite number from 0 up."""
    most = 0.0
    for place in range(len(triangle)):
        if not 0 <= triangle[place] < np.inf:
            return most, place
        if triangle[place] > most:
            most = triangle[place]
    return most, -1


@jit
def asymmetry(matrix):
    """Return the first entry, row and column, that the other side of a square matrix denies."""
    for i in range(len(matrix)):
        for j in range(i + 1):
            here = matrix[i, j]
            there = matrix[j, i] if j < i else 0.0
            if abs(here - there) > 1e-8 + 1e-5 * abs(there):
                return i, j
    return -1, -1
