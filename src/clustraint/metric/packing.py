"""Tables of nominal values as rows of bit fields, which Hamming distances are counted on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from clustraint.exceptions import NominalValueError
from clustraint.kernels.kmedoids import Table
from clustraint.tables import Column, Columns
from clustraint.typing import AnyArray, BoolArray, IntArray

WordArray: TypeAlias = NDArray[np.uint64]

# Entries of a table that are compared at a time, so that they stay in the processor's cache.
BLOCK = 2**16


def stack(upper: Columns, lower: Columns) -> Columns:
    """Return the rows of two tables, perhaps of different make, as one for `pack`.

    Examples
    --------
    >>> from clustraint.tables import read_columns
    >>> stack(read_columns([["red"], ["blue"]]), read_columns([["red"]])).shape
    (3, 1)
    """
    if upper.numbers is not None and lower.numbers is not None:
        return Columns(upper.names, _stacked_numbers(upper.numbers, lower.numbers))
    return Columns(upper.names, tuple(map(_joined, upper, lower)))


def _stacked_numbers(upper: Any, lower: Any) -> Any:
    if sparse.issparse(lower):
        return sparse.vstack([sparse.csr_array(upper), lower], format="csr")
    return np.concatenate([upper.toarray() if sparse.issparse(upper) else upper, lower])


def _joined(upper: Column, lower: Column) -> AnyArray:
    parts = [upper.to_numpy(), lower.to_numpy()]
    # Joined with texts, numpy would turn numbers into texts.
    if not all(part.dtype.kind in "buif" for part in parts):
        parts = [part.astype(object) for part in parts]
    return np.concatenate(parts)


def pack(columns: Columns) -> Table:
    """Return a table of nominal values as bit fields, one for each column that varies.

    Parameters
    ----------
    columns : Columns
        Every distinct value of a column is a value of its own.

    Returns
    -------
    Table

    Raises
    ------
    NominalValueError
        Where a value is missing, infinite, or cannot be compared for equality.

    Examples
    --------
    >>> from clustraint.tables import read_columns
    >>> table = pack(read_columns(np.array([[0, 7], [1, 8], [1, 9]])))
    >>> table.n_flag_words, table.words[:, 1]
    (1, array([0, 1, 2], dtype=uint64))
    """
    if columns.numbers is not None:
        return _pack_numbers(columns)
    flags, wide = BitFields(len(columns)), BitFields(len(columns))
    for column in columns:
        _refuse_non_finite(column)
        n_levels = len(column.levels)
        (wide if n_levels > 2 else flags).add(column.codes, n_levels)
    return _table(flags.rows(), wide)


def _pack_numbers(columns: Columns) -> Table:
    """Pack columns of two values block by block, and only the others one by one."""
    X = columns.numbers
    lowest, highest = _extremes(columns)
    two_valued = _two_valued(X, lowest, highest)
    wide = BitFields(X.shape[0])
    for column in columns.pick(np.flatnonzero(~two_valued).tolist()):
        wide.add(column.codes, len(column.levels))
    return _table(_pack_flags(X, two_valued & (lowest != highest), lowest), wide)


def _blocks(X: Any) -> Iterator[tuple[int, AnyArray]]:
    n_rows = max(1, BLOCK // X.shape[1])
    for start in range(0, X.shape[0], n_rows):
        block = X[start : start + n_rows]
        yield start, block.toarray() if sparse.issparse(block) else block


def _extremes(columns: Columns) -> tuple[AnyArray, AnyArray]:
    X = columns.numbers
    _, first = next(_blocks(X))
    lowest, highest = first[0], first[0]
    for _, block in _blocks(X):
        lowest = np.minimum(lowest, block.min(axis=0))
        highest = np.maximum(highest, block.max(axis=0))
    finite = np.isfinite(lowest) & np.isfinite(highest)
    if not finite.all():
        _refuse_non_finite(columns.read(int(np.argmin(finite))))
    return lowest, highest


def _refuse_non_finite(column: Column) -> None:
    """Raise where a value is missing, or an infinite number of an array of numbers."""
    levels, wrong = column.levels, column.codes < 0
    if levels.dtype.kind == "f":
        wrong |= np.append(np.isinf(levels), False)[column.codes]
    if wrong.any():
        sample = int(np.argmax(wrong))
        raise NominalValueError(
            column.name, sample, None if column.codes[sample] < 0 else levels[column.codes[sample]]
        )


def _two_valued(X: Any, lowest: AnyArray, highest: AnyArray) -> BoolArray:
    """Return which columns hold their extremes only."""
    result = np.ones(X.shape[1], np.bool_)
    for _, block in _blocks(X):
        result &= ((block == lowest) | (block == highest)).all(axis=0)
    return result


def _pack_flags(X: Any, chosen: BoolArray, lowest: AnyArray) -> WordArray:
    """Return rows of words with one bit for each chosen column, set unless the value is lowest."""
    columns = slice(None) if chosen.all() else np.flatnonzero(chosen)
    words = np.zeros((X.shape[0], -(-int(chosen.sum()) // 64)), np.uint64)
    as_bytes = words.view(np.uint8)
    for start, block in _blocks(X):
        bits = np.packbits((block != lowest)[:, columns], axis=1)
        as_bytes[start : start + len(bits), : bits.shape[1]] = bits
    return words


class BitFields:
    """Bit fields put side by side into 64-bit words.

    Parameters
    ----------
    n_samples : int
        How many rows there are.

    Examples
    --------
    >>> fields = BitFields(3)
    >>> fields.add(np.array([0, 1, 2]), 3)
    >>> fields.add(np.array([3, 0, 0]), 4)
    >>> fields.rows()[:, 0], fields.shifts
    (array([12,  1,  2], dtype=uint64), [0, 2])
    """

    def __init__(self, n_samples: int) -> None:
        self.n_samples = n_samples
        self.columns: list[WordArray] = []
        self.words: list[int] = []
        self.shifts: list[int] = []
        self.widths: list[int] = []
        self.n_values: list[int] = []

    def add(self, codes: IntArray, n_values: int) -> None:
        """Append a field for codes from 0 below `n_values`; a single value needs none."""
        width = (n_values - 1).bit_length()
        if not width:
            return
        shift = self.shifts[-1] + self.widths[-1] if self.columns else 64
        if shift + width > 64:
            self.columns.append(np.zeros(self.n_samples, np.uint64))
            shift = 0
        self.columns[-1] |= codes.astype(np.uint64) << np.uint64(shift)
        self.words.append(len(self.columns) - 1)
        self.shifts.append(shift)
        self.widths.append(width)
        self.n_values.append(n_values)

    def rows(self) -> WordArray:
        """Return one row of words for each sample."""
        if not self.columns:
            return np.empty((self.n_samples, 0), np.uint64)
        return np.stack(self.columns, axis=1)


def _table(flags: WordArray, wide: BitFields) -> Table:
    """Return the table of packed flags, one bit each, and of wider fields."""
    one = np.uint64(1)
    word = np.array(wide.words, np.int64)
    shift, width = np.array([wide.shifts, wide.widths], np.uint64)
    mask = (one << width) - one
    tops, below = np.zeros((2, len(wide.columns)), np.uint64)
    np.bitwise_or.at(tops, word, one << (shift + width - one))
    np.bitwise_or.at(below, word, (mask >> one) << shift)
    n_flag_words = flags.shape[1]
    return Table(
        words=np.concatenate((flags, wide.rows()), axis=1) if wide.columns else flags,
        tops=np.concatenate((np.full(n_flag_words, ~np.uint64(0)), tops)),
        below=np.concatenate((np.zeros(n_flag_words, np.uint64), below)),
        n_flag_words=n_flag_words,
        word=word + n_flag_words,
        shift=shift,
        mask=mask,
        n_values=np.array(wide.n_values, np.int64),
    )
