"""Tables of numeric and nominal columns as one array of numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from clustraint.exceptions import ClustraintError, TableColumnError
from clustraint.tables._columns import Column, Columns, read_columns
from clustraint.typing import AnyArray, FloatArray
from clustraint.wording import counted, excerpt

Levels: TypeAlias = tuple[Any, ...] | None
Missing: TypeAlias = Literal["none", "some", "all"]

UNSEEN = -1.0


class Schema(NamedTuple):
    """What the columns of a table are, so that other tables are read in the same way.

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
    >>> schema = Schema(("legs", "milk"), (None, (False, True)), ("some", "none"))
    >>> schema.is_complete(0), schema.is_complete(1)
    (False, True)
    """

    names: tuple[str, ...]
    levels: tuple[Levels, ...]
    missing: tuple[Missing, ...] = ()

    def is_complete(self, feature: int) -> bool:
        """Tell whether no value of a column was missing.

        Examples
        --------
        >>> Schema(("legs",), (None,), ("all",)).is_complete(0)
        False
        """
        return not self.missing or self.missing[feature] == "none"

    def is_empty(self, feature: int) -> bool:
        """Tell whether all values of a column were missing.

        Examples
        --------
        >>> Schema(("legs",), (None,), ("all",)).is_empty(0)
        True
        """
        return bool(self.missing) and self.missing[feature] == "all"

    @classmethod
    def read(cls, X: Any, feature_names: Sequence[str] | None = None) -> tuple[Schema, FloatArray]:
        """Return what the columns of a table are, and its values as numbers.

        Parameters
        ----------
        X : table of shape (n_samples, n_features), not sparse
            Categories, enumerations, texts and truth values of named columns are nominal; all
            columns of an array of numbers are numeric.
        feature_names : sequence of str, optional
            Names of the columns of an array.

        Returns
        -------
        schema : Schema
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
        >>> X = {"legs": [4, 2, None], "color": ["red", "blue", None]}
        >>> schema, values = Schema.read(X)
        >>> schema.levels
        (None, ('blue', 'red'))
        >>> values
        array([[ 4.,  1.],
               [ 2.,  0.],
               [nan, nan]])
        """
        columns = read_columns(array_of_rows(X), feature_names)
        names = _unrepeated(columns.names)
        if columns.numbers is not None:
            values = _finite(columns)
            return cls(names, (None,) * len(names), _missing(values)), values
        values = np.empty(columns.shape, order="F")
        levels: list[Levels] = []
        for place, column in enumerate(columns):
            levels.append(_levels(column))
            values[:, place] = _numbers(column) if levels[-1] is None else _codes(column)
        return cls(names, tuple(levels), _missing(values)), values

    def encode(self, X: Any) -> FloatArray:
        """Return the values of a table in the numbers that `read` gave to those of another.

        Parameters
        ----------
        X : table of shape (n_samples, n_features), not sparse
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
        >>> schema, _ = Schema.read({"color": ["red", "blue"]})
        >>> schema.encode({"color": ["blue", "green", None]}).T
        array([[ 0., -1., nan]])
        """
        columns = read_columns(array_of_rows(X))
        if columns.shape[1] != len(self.names):
            raise ClustraintError(
                f"X has {counted(columns.shape[1], 'column')}, but fit had {len(self.names)}."
            )
        columns = columns.renamed(self.names)
        if columns.numbers is not None and all(levels is None for levels in self.levels):
            return _finite(columns)
        values = np.full(columns.shape, np.nan, order="F")
        for place, (column, levels) in enumerate(zip(columns, self.levels, strict=True)):
            if not self.is_empty(place):
                _check_family(column, levels)
                values[:, place] = _numbers(column) if levels is None else _codes(column, levels)
        return values


def array_of_rows(X: Any) -> Any:
    """Return a list of rows as the array that estimators make of it, anything else as it is.

    Examples
    --------
    >>> array_of_rows([[4, "red"], [2, "blue"]]).tolist()
    [[4, 'red'], [2, 'blue']]
    """
    if not isinstance(X, list | tuple):
        return X
    try:
        array = np.asarray(X)
    except ValueError:
        raise ClustraintError("X must be a table, but its rows are not equally long.") from None
    # Among texts, numpy would turn numbers into texts.
    return np.asarray(X, dtype=object) if array.dtype.kind in "SU" else array


def _missing(values: FloatArray) -> tuple[Missing, ...]:
    counts = np.count_nonzero(np.isnan(values), axis=0).tolist()
    return tuple(
        "none" if not count else "all" if count == len(values) else "some" for count in counts
    )


def _finite(columns: Columns) -> FloatArray:
    """Return an array of numbers in Fortran order, or raise where one is infinite."""
    values = np.asarray(columns.numbers, np.float64, order="F")
    infinite = np.isinf(values)
    if infinite.any():
        place = int(np.argmax(infinite.any(axis=0)))
        _refuse_infinite(values[:, place], columns.names[place])
    return values


def _unrepeated(names: Sequence[str]) -> tuple[str, ...]:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise TableColumnError(name, "is there twice; give each column a name of its own")
        seen.add(name)
    return tuple(names)


def _family(column: Column) -> str:
    """Return what the values of a column are, in words."""
    if column.kind != "number":
        return _FAMILIES[column.kind]
    if column.values.dtype.kind != "O":
        return "truth values" if column.values.dtype.kind == "b" else "numbers"
    truths = sum(isinstance(value, bool) for value in column.values)
    return {0: "numbers", len(column.values): "truth values"}.get(truths, "a mixture")


_FAMILIES = {"text": "texts", "nothing": "nothing", "mixed": "a mixture", "other": "other"}


def _levels(column: Column) -> Levels:
    """Return the levels of a nominal column, None for a numeric one, or raise."""
    family = _family(column)
    if family in _REFUSED:
        raise TableColumnError(column.name, _REFUSED[family](column.values))
    if family == "nothing" or (family == "numbers" and column.categories is None):
        return None
    levels = column.levels.tolist()
    if not all(isinstance(level, bool | int | float | str) for level in levels):
        problem = "has categories that are neither texts nor plain numbers; make them texts"
        raise TableColumnError(column.name, problem)
    if family == "numbers":
        _refuse_infinite(np.array(levels, np.float64), column.name)
    return tuple(levels)


def _other(values: AnyArray) -> str:
    shown = excerpt(repr(values[0]))
    return f"holds {shown}; make its values numbers, truth values or texts, or leave it out"


def _mixture(values: AnyArray) -> str:
    kinds = {type(value): value for value in values}
    shown = " and ".join(excerpt(repr(value)) for value in list(kinds.values())[:2])
    return f"mixes values of several kinds ({shown}); make all of one kind"


_REFUSED: dict[str, Callable[[AnyArray], str]] = {"other": _other, "a mixture": _mixture}


def _check_family(column: Column, levels: Levels) -> None:
    """Raise unless the values are of the kind that was there in `fit`."""
    family = _family(column)
    if family in _REFUSED:
        raise TableColumnError(column.name, _REFUSED[family](column.values))
    wanted = "numbers" if levels is None else _family_of_levels(levels)
    if family not in (wanted, "nothing"):
        shown = excerpt(repr(column.values[:1].tolist()[0]))
        raise TableColumnError(
            column.name, f"holds {family}, such as {shown}, but held {wanted} in fit"
        )


def _family_of_levels(levels: tuple[Any, ...]) -> str:
    if isinstance(levels[0], bool):
        return "truth values"
    return "texts" if isinstance(levels[0], str) else "numbers"


def _codes(column: Column, levels: Levels = None) -> FloatArray:
    """Return the codes of a column, by its own levels or those of another; nan for no value."""
    places = np.arange(len(column.levels), dtype=np.float64)
    if levels is not None:
        place_of = {level: float(place) for place, level in enumerate(levels)}
        places = np.array([place_of.get(level, UNSEEN) for level in column.levels.tolist()])
    return np.append(places, np.nan)[column.codes]


def _numbers(column: Column) -> FloatArray:
    """Return the numbers of a column, nan for no value, or raise where one is infinite."""
    result = np.full(len(column.missing), np.nan)
    try:
        result[~column.missing] = np.asarray(column.values, np.float64)
    except OverflowError:
        raise TableColumnError(column.name, "holds a number too large for float64") from None
    _refuse_infinite(result, column.name)
    return result


def _refuse_infinite(values: FloatArray, name: str) -> None:
    infinite = np.isinf(values)
    if infinite.any():
        raise TableColumnError(
            name,
            f"holds an infinite number at sample {int(np.argmax(infinite))}; replace it by a "
            "finite one, or by nan for a missing value",
        )
