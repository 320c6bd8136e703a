"""Tables of nominal values, whatever they are made of, as rows of bit fields."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import validate_data

from clustraint.constraints._columns import _is_missing
from clustraint.exceptions import ClustraintError, NominalValueError
from clustraint.kernels.kmedoids import Table
from clustraint.typing import BoolArray, IntArray

Array: TypeAlias = NDArray[Any]
WordArray: TypeAlias = NDArray[np.uint64]
Codes: TypeAlias = tuple[IntArray, int]

# Entries of a table that are compared at a time, so that they stay in the processor's cache.
BLOCK = 2**16
# Integers of a smaller range are counted instead of sorted.
SMALL_RANGE = 2**16
NUMBERS = "buif"
NUMBERS_AND_TIMES = "buifmM"


def is_frame(X: Any) -> bool:
    """Tell whether `X` is a frame, which has columns of several types."""
    # `shape` comes first: asking a polars LazyFrame for `columns` warns, and it has no shape.
    return all(hasattr(X, trait) for trait in ("shape", "columns", "dtypes"))


def validated_frame(estimator: Any, X: Any, *, reset: bool) -> Any:
    """Return a frame that has samples, features, and the columns that the estimator wants."""
    for size, what in zip(X.shape, ("sample", "feature"), strict=True):
        if not size:
            raise ClustraintError(f"X must have at least 1 {what}, but its shape is {X.shape}.")
    return validate_data(estimator, X, skip_check_array=True, reset=reset)


def validated_nominal(estimator: Any, X: Any, *, reset: bool, **options: Any) -> Any:
    """Return a frame, an array of any type or, if the options accept it, a sparse matrix."""
    if is_frame(X):
        return validated_frame(estimator, X, reset=reset)
    if isinstance(X, list | tuple) and np.asarray(X).dtype.kind in "SU":
        # Among texts, numpy would turn numbers into texts.
        X = np.asarray(X, dtype=object)
    return validate_data(estimator, X, reset=reset, dtype=None, ensure_all_finite=False, **options)


def column_names(X: Any) -> list[str]:
    """Return the names of a frame's columns, or x0, x1, … for any other table."""
    names = X.columns if is_frame(X) else (f"x{place}" for place in range(X.shape[1]))
    return [str(name) for name in names]


def is_numbers(X: Any) -> bool:
    """Tell whether `X` is an array or sparse matrix of numbers or truth values."""
    return sparse.issparse(X) or (isinstance(X, np.ndarray) and X.dtype.kind in NUMBERS)


def columns_of(X: Any) -> list[Any]:
    """Return the columns of a table, series of a frame or 1-D arrays."""
    if isinstance(X, list):
        return X
    if is_frame(X):
        places = range(X.shape[1])
        return [X.iloc[:, j] for j in places] if hasattr(X, "iloc") else list(X.get_columns())
    return list((X.toarray() if sparse.issparse(X) else X).T)


def stacked(upper: Any, lower: Any) -> Any:
    """Return the rows of two tables, perhaps of different make, as one for `pack`."""
    if is_numbers(upper) and is_numbers(lower):
        if sparse.issparse(lower):
            return sparse.vstack([sparse.csr_array(upper), lower], format="csr")
        return np.concatenate([upper.toarray() if sparse.issparse(upper) else upper, lower])
    return list(map(_joined, columns_of(upper), columns_of(lower)))


def _joined(upper: Any, lower: Any) -> Array:
    parts = [_values(upper), _values(lower)]
    # Joined with texts, numpy would turn numbers into texts.
    if not all(part.dtype.kind in NUMBERS for part in parts):
        parts = [part.astype(object) for part in parts]
    return np.concatenate(parts)


def _values(column: Any) -> Array:
    """Return a column as an array, in which no null of polars has become a number."""
    # polars 1.0 crashes where it changes times to numpy itself.
    if hasattr(column, "null_count") and (column.null_count() or column.dtype.is_temporal()):
        return np.fromiter(column.to_list(), dtype=object, count=len(column))
    return np.asarray(column)


def pack(X: Any, names: Sequence[str]) -> Table:
    """Return a table of nominal values as bit fields, one for each column that varies.

    Parameters
    ----------
    X : DataFrame, array, sparse matrix or list of columns
        Every distinct value of a column is a value of its own.
    names : sequence of str
        The names of the columns, for messages.

    Returns
    -------
    Table

    Raises
    ------
    NominalValueError
        Where a value is missing, infinite, or cannot be compared for equality.

    Examples
    --------
    >>> import numpy as np
    >>> table = pack(np.array([[0, 7], [1, 8], [1, 9]]), ["x0", "x1"])
    >>> table.n_flag_words, table.words[:, 1]
    (1, array([0, 1, 2], dtype=uint64))
    """
    if is_numbers(X):
        return _pack_numbers(X, names)
    columns = columns_of(X)
    flags, wide = Fields(len(columns[0])), Fields(len(columns[0]))
    for column, name in zip(columns, names, strict=True):
        codes, n_values = _codes(column, name)
        (wide if n_values > 2 else flags).add(codes, n_values)
    return _table(flags.rows(), wide)


def _pack_numbers(X: Any, names: Sequence[str]) -> Table:
    """Pack columns of two values block by block, and only the others one by one."""
    lowest, highest = _extremes(X, names)
    two_valued = _two_valued(X, lowest, highest)
    wide = Fields(X.shape[0])
    for column in chosen_columns(X, ~two_valued):
        wide.add(*_number_codes(column))
    return _table(_pack_flags(X, two_valued & (lowest != highest), lowest), wide)


def _blocks(X: Any) -> Iterator[tuple[int, Array]]:
    n_rows = max(1, BLOCK // X.shape[1])
    for start in range(0, X.shape[0], n_rows):
        block = X[start : start + n_rows]
        yield start, block.toarray() if sparse.issparse(block) else block


def _extremes(X: Any, names: Sequence[str]) -> tuple[Array, Array]:
    _, first = next(_blocks(X))
    lowest, highest = first[0], first[0]
    for _, block in _blocks(X):
        lowest = np.minimum(lowest, block.min(axis=0))
        highest = np.maximum(highest, block.max(axis=0))
    finite = np.isfinite(lowest) & np.isfinite(highest)
    if not finite.all():
        column = int(np.argmin(finite))
        _refuse_non_finite(next(chosen_columns(X, np.arange(len(finite)) == column)), names[column])
    return lowest, highest


def _refuse_non_finite(values: Array, name: str) -> None:
    finite = np.isfinite(values)
    if not finite.all():
        sample = int(np.argmin(finite))
        raise NominalValueError(name, sample, values[sample])


def _two_valued(X: Any, lowest: Array, highest: Array) -> BoolArray:
    """Return which columns hold their extremes only."""
    result = np.ones(X.shape[1], np.bool_)
    for _, block in _blocks(X):
        result &= ((block == lowest) | (block == highest)).all(axis=0)
    return result


def _pack_flags(X: Any, chosen: BoolArray, lowest: Array) -> WordArray:
    """Return rows of words with one bit for each chosen column, set unless the value is lowest."""
    columns = slice(None) if chosen.all() else np.flatnonzero(chosen)
    words = np.zeros((X.shape[0], -(-int(chosen.sum()) // 64)), np.uint64)
    as_bytes = words.view(np.uint8)
    for start, block in _blocks(X):
        bits = np.packbits((block != lowest)[:, columns], axis=1)
        as_bytes[start : start + len(bits), : bits.shape[1]] = bits
    return words


def chosen_columns(X: Any, chosen: BoolArray) -> Iterator[Array]:
    """Return some columns of an array or sparse matrix, one after the other."""
    if sparse.issparse(X):
        columns = X[:, np.flatnonzero(chosen)].tocsc()
        return (columns[:, [j]].toarray()[:, 0] for j in range(columns.shape[1]))
    return (X[:, j] for j in np.flatnonzero(chosen))


def _codes(column: Any, name: str) -> Codes:
    """Return the number of each value among the distinct ones, and how many these are."""
    if hasattr(column, "factorize") and column.dtype.kind not in NUMBERS:
        return _series_codes(column, name)
    values = _values(column)
    if values.dtype.kind in NUMBERS_AND_TIMES:
        _refuse_non_finite(values, name)
        return _number_codes(values)
    return _object_codes(values.tolist(), name)


def _series_codes(series: Any, name: str) -> Codes:
    try:
        codes, distinct = series.factorize()
    except TypeError:
        return _object_codes(series.tolist(), name)
    if codes.min() < 0:
        raise NominalValueError(name, int(np.argmin(codes)), None)
    return codes, len(distinct)


def _number_codes(values: Array) -> Codes:
    if values.dtype.kind in "bui" and int(values.max()) - int(values.min()) < SMALL_RANGE:
        steps = values.astype(np.int64) - np.int64(values.min())
        occurs = np.bincount(steps) > 0
        return (np.cumsum(occurs) - 1)[steps], int(occurs.sum())
    distinct, codes = np.unique(values, return_inverse=True)
    return codes, len(distinct)


def _object_codes(cells: list[Any], name: str) -> Codes:
    numbers: dict[Any, int] = {}
    codes: list[int] = []
    for sample, value in enumerate(cells):
        try:
            codes.append(numbers.setdefault(value, len(numbers)))
        except TypeError:
            raise NominalValueError(name, sample, value) from None
    for value, code in numbers.items():
        if _is_missing(value):
            raise NominalValueError(name, codes.index(code), None)
    return np.array(codes, np.int64), len(numbers)


class Fields:
    """Bit fields put side by side into 64-bit words.

    Parameters
    ----------
    n_samples : int
        How many rows there are.

    Examples
    --------
    >>> fields = Fields(3)
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


def _table(flags: WordArray, wide: Fields) -> Table:
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
