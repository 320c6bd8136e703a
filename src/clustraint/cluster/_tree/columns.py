"""Tables of numeric and nominal columns as one array of numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from clustraint.cluster._nominal import NUMBERS, columns_of, is_frame
from clustraint.constraints._columns import Column, as_table
from clustraint.exceptions import ClustraintError, TableColumnError
from clustraint.typing import FloatArray
from clustraint.wording import excerpt

Levels: TypeAlias = tuple[Any, ...] | None

UNSEEN = -1.0


class Columns(NamedTuple):
    """What `fit` saw of each column.

    Attributes
    ----------
    names : tuple of str
        The names, each of them once.
    levels : tuple
        For each column None if it is numeric, otherwise the values that occur, in order.
    missing : tuple of {"none", "some", "all"}
        How many values of each column are missing; an empty tuple says that none is.

    Examples
    --------
    >>> columns = Columns(("legs", "milk"), (None, (False, True)), ("some", "none"))
    >>> columns.is_complete(0), columns.is_complete(1)
    (False, True)
    """

    names: tuple[str, ...]
    levels: tuple[Levels, ...]
    missing: tuple[Literal["none", "some", "all"], ...] = ()

    def is_complete(self, feature: int) -> bool:
        """Tell whether no value of a column was missing."""
        return not self.missing or self.missing[feature] == "none"

    def is_empty(self, feature: int) -> bool:
        """Tell whether all values of a column were missing."""
        return bool(self.missing) and self.missing[feature] == "all"


class _Cells(NamedTuple):
    """A column, what its values are, and their order where the column has one of its own."""

    column: Column
    family: str
    order: Sequence[Any] | None


def read(X: Any) -> tuple[Columns, FloatArray]:
    """Return what the columns of a table are, and its values as numbers.

    Parameters
    ----------
    X : DataFrame or array of shape (n_samples, n_features)
        Categories, enumerations, texts and truth values of a pandas or polars frame are nominal;
        all columns of an array of numbers are numeric.

    Returns
    -------
    columns : Columns
    values : float64 ndarray of shape (n_samples, n_features), Fortran order
        Numbers; codes of nominal values, which are their places among the levels; nan where a
        value is missing.

    Raises
    ------
    TableColumnError
        If a column is neither numeric nor nominal, holds an infinite number, or has no name of
        its own.

    Examples
    --------
    >>> import pandas as pd
    >>> columns, values = read(pd.DataFrame({"legs": [4, 2, None], "color": ["red", "blue", None]}))
    >>> columns.levels
    (None, ('blue', 'red'))
    >>> values
    array([[ 4.,  1.],
           [ 2.,  0.],
           [nan, nan]])
    """
    if _is_plain(X):
        return _read_numbers(X)
    names = _unrepeated(as_table(X).names)
    values = np.empty((X.shape[0], len(names)), order="F")
    levels: list[Levels] = []
    for place, cells in enumerate(_cells(X)):
        levels.append(_levels(cells, names[place]))
        values[:, place] = _coded(cells, levels[-1], names[place])
    return Columns(names, tuple(levels), _missing(values)), values


def encode(columns: Columns, X: Any) -> FloatArray:
    """Return the values of a table in the numbers that `read` gave to those of another.

    Parameters
    ----------
    columns : Columns
        What `read` saw.
    X : DataFrame or array of shape (n_samples, n_features)
        A table with the same columns.

    Returns
    -------
    values : float64 ndarray of shape (n_samples, n_features), Fortran order
        As of `read`; -1 for a nominal value that it did not see.

    Raises
    ------
    TableColumnError
        If a column holds values of another kind than `read` saw there.

    Examples
    --------
    >>> import pandas as pd
    >>> columns, _ = read(pd.DataFrame({"color": ["red", "blue"]}))
    >>> encode(columns, pd.DataFrame({"color": ["blue", "green", None]})).T
    array([[ 0., -1., nan]])
    """
    if X.shape[1] != len(columns.names):
        raise ClustraintError(
            f"X has {X.shape[1]} columns, but {len(columns.names)} were there in fit."
        )
    if _is_plain(X) and all(levels is None for levels in columns.levels):
        return _finite(X, columns.names)
    values = np.full((X.shape[0], len(columns.names)), np.nan, order="F")
    for place, cells in enumerate(_cells(X)):
        if columns.is_empty(place):
            continue
        _check_family(cells, columns.levels[place], columns.names[place])
        values[:, place] = _coded(cells, columns.levels[place], columns.names[place])
    return values


def _is_plain(X: Any) -> bool:
    """Tell whether `X` is an array of numbers, which has no columns of several kinds."""
    is_array = isinstance(X, np.ndarray) and not np.ma.isMaskedArray(X)
    return is_array and X.dtype.kind in NUMBERS


def _read_numbers(X: Any) -> tuple[Columns, FloatArray]:
    names = tuple(as_table(X).names)
    values = _finite(X, names)
    return Columns(names, (None,) * len(names), _missing(values)), values


def _missing(values: FloatArray) -> tuple[Literal["none", "some", "all"], ...]:
    absent = np.isnan(values)
    counts = np.count_nonzero(absent, axis=0).tolist()
    return tuple(
        "none" if not count else "all" if count == len(values) else "some" for count in counts
    )


def _finite(X: Any, names: Sequence[str]) -> FloatArray:
    """Return an array of numbers in Fortran order, or raise where one is infinite."""
    values = np.asarray(X, np.float64, order="F")
    infinite = np.isinf(values)
    if infinite.any():
        place = int(np.argmax(infinite.any(axis=0)))
        _refuse_infinite(values[:, place], names[place])
    return values


def _unrepeated(names: Sequence[str]) -> tuple[str, ...]:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise TableColumnError(name, "is there twice; give each column a name of its own")
        seen.add(name)
    return tuple(names)


def _cells(X: Any) -> Iterator[_Cells]:
    table = as_table(X)
    orders = map(_order, columns_of(X)) if is_frame(X) else [None] * len(table.names)
    for place, order in enumerate(orders):
        column = table.read(place)
        yield _Cells(column, _family(column), order)


def _order(series: Any) -> Sequence[Any] | None:
    """Return the categories of a column that has some; those of polars' Categorical have none."""
    categories: Any = getattr(series.dtype, "categories", None)
    return categories.to_list() if hasattr(categories, "to_list") else None


def _family(column: Column) -> str:
    """Return what the values of a column are, in words."""
    if column.kind != "number":
        return _FAMILIES[column.kind]
    if column.values.dtype.kind != "O":
        return "truth values" if column.values.dtype.kind == "b" else "numbers"
    truths = sum(isinstance(value, bool) for value in column.values)
    return {0: "numbers", len(column.values): "truth values"}.get(truths, "a mixture")


_FAMILIES = {"text": "texts", "nothing": "nothing", "mixed": "a mixture", "other": "other"}


def _levels(cells: _Cells, name: str) -> Levels:
    """Return the levels of a nominal column, None for a numeric one, or raise."""
    if cells.family in _REFUSED:
        raise TableColumnError(name, _REFUSED[cells.family](cells.column))
    if cells.family == "nothing" or (cells.family == "numbers" and cells.order is None):
        return None
    found = set(cells.column.values.tolist())
    ordered = sorted(found) if cells.order is None else [v for v in cells.order if v in found]
    if not all(isinstance(level, bool | int | float | str) for level in ordered):
        problem = "has categories that are neither texts nor plain numbers; make them texts"
        raise TableColumnError(name, problem)
    if cells.family == "numbers":
        _refuse_infinite(np.array(ordered, np.float64), name)
    return tuple(ordered)


def _other(column: Column) -> str:
    shown = excerpt(repr(column.values[0]))
    return f"holds {shown}; make its values numbers, truth values or texts, or leave it out"


def _mixture(column: Column) -> str:
    kinds = {type(value): value for value in column.values}
    shown = " and ".join(excerpt(repr(value)) for value in list(kinds.values())[:2])
    return f"mixes values of several kinds ({shown}); make all of one kind"


_REFUSED: dict[str, Callable[[Column], str]] = {"other": _other, "a mixture": _mixture}


def _check_family(cells: _Cells, levels: Levels, name: str) -> None:
    """Raise unless the values are of the kind that was there in `fit`."""
    if cells.family in _REFUSED:
        raise TableColumnError(name, _REFUSED[cells.family](cells.column))
    wanted = "numbers" if levels is None else _family_of_levels(levels)
    if cells.family not in (wanted, "nothing"):
        shown = excerpt(repr(cells.column.values[:1].tolist()[0]))
        raise TableColumnError(
            name, f"holds {cells.family}, such as {shown}, but held {wanted} in fit"
        )


def _family_of_levels(levels: tuple[Any, ...]) -> str:
    if isinstance(levels[0], bool):
        return "truth values"
    return "texts" if isinstance(levels[0], str) else "numbers"


def _coded(cells: _Cells, levels: Levels, name: str) -> FloatArray:
    """Return one number for each cell of a column."""
    column = cells.column
    result = np.full(len(column.missing), np.nan)
    if levels is None:
        numbers = _numbers(column, name)
        result[~column.missing] = numbers
        _refuse_infinite(result, name)
        return result
    codes = {level: float(code) for code, level in enumerate(levels)}
    found = (codes.get(value, UNSEEN) for value in column.values.tolist())
    result[~column.missing] = np.fromiter(found, np.float64, len(column.values))
    return result


def _numbers(column: Column, name: str) -> FloatArray:
    try:
        return np.asarray(column.values, np.float64)
    except OverflowError:
        raise TableColumnError(name, "holds a number too large for float64") from None


def _refuse_infinite(values: FloatArray, name: str) -> None:
    infinite = np.isinf(values)
    if infinite.any():
        raise TableColumnError(
            name,
            f"holds an infinite number at sample {int(np.argmax(infinite))}; replace it by a "
            "finite one, or by nan for a missing value",
        )
