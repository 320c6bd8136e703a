"""Columns of a table by name, whatever the table is made of."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clustraint.exceptions import ClustraintError
from clustraint.typing import BoolArray

__all__ = ["Column", "Table", "as_table"]

Kind = Literal["number", "text", "nothing", "mixed", "other"]

_KIND_OF_DTYPE: dict[str, Kind] = {"b": "number", "i": "number", "u": "number", "f": "number"}


class Column(NamedTuple):
    """One column: the values that are there, and where none is.

    Attributes
    ----------
    kind : {"number", "text", "nothing", "mixed", "other"}
        What the values are; truth values are numbers, "nothing" is a column without values.
    values : ndarray of shape (n_present,)
        The values that are not missing, in row order; texts are Python strings.
    missing : bool ndarray of shape (n_samples,)
        True where the value is None, nan, NA, null or masked.
    """

    kind: Kind
    values: NDArray[Any]
    missing: BoolArray


@dataclass(frozen=True, slots=True)
class Table:
    """Names of columns and the way to read the column at a place.

    Parameters
    ----------
    names : sequence of str
        One name for each column; a pandas frame may use a name twice.
    read : callable
        Takes the place of a column, from 0, and returns a `Column`.
    """

    names: Sequence[str]
    read: Callable[[int], Column]

    def places(self, name: str) -> list[int]:
        """Return the places of all columns of that name."""
        return [place for place, known in enumerate(self.names) if known == name]


def as_table(X: Any, feature_names: Sequence[str] | None = None) -> Table:
    """Return `X` as a table of named columns, without copying it.

    Parameters
    ----------
    X : DataFrame, array or sparse matrix of shape (n_samples, n_features)
        A pandas or polars frame, anything that numpy reads as a 2-D array, or scipy sparse.
    feature_names : sequence of str, optional
        Names of the columns of an array; ``x0``, ``x1``, … where none are given.

    Returns
    -------
    Table

    Examples
    --------
    >>> import numpy as np
    >>> table = as_table(np.array([[1.0, 7.0], [np.nan, 8.0]]))
    >>> table.places("x0")
    [0]
    >>> table.read(0).missing
    array([False,  True])
    """
    if _is_frame(X):
        return _frame_table(X, feature_names)
    if hasattr(X, "tocsc"):
        return _sparse_table(X, feature_names)
    return _array_table(_as_array(X), feature_names)


def _is_frame(X: Any) -> bool:
    # `shape` comes first: asking a polars LazyFrame for `columns` warns, and it has no shape.
    return all(hasattr(X, trait) for trait in ("shape", "columns", "dtypes", "__getitem__"))


def _frame_table(frame: Any, feature_names: Sequence[str] | None) -> Table:
    labels = list(frame.columns)
    names = [str(label) for label in labels]
    if feature_names is not None and _checked_names(feature_names, len(names)) != names:
        raise ClustraintError(
            "feature_names differ from the names of X's columns; leave feature_names out, "
            "or rename the columns."
        )
    return Table(names, lambda place: _series_column(frame[labels[place]]))


def _series_column(series: Any) -> Column:
    # Missing values go before the change to numpy, which would turn large integers into floats.
    if hasattr(series, "drop_nulls"):
        return _column(series.drop_nulls().to_numpy(), series.is_null().to_numpy())
    return _column(series.dropna().to_numpy(), series.isna().to_numpy())


def _sparse_table(X: Any, feature_names: Sequence[str] | None) -> Table:
    names = _array_names(X.shape, feature_names)
    columns = X.tocsc()
    return Table(names, lambda place: _array_column(columns[:, [place]].toarray()[:, 0]))


def _array_table(X: NDArray[Any], feature_names: Sequence[str] | None) -> Table:
    names = _array_names(X.shape, feature_names)
    return Table(names, lambda place: _array_column(X[:, place]))


def _as_array(X: Any) -> NDArray[Any]:
    if isinstance(X, np.ma.MaskedArray):
        return X
    # Rows of mixed values would all become text if numpy chose the type.
    return np.asarray(X, dtype=object if isinstance(X, list | tuple) else None)


def _array_column(values: NDArray[Any]) -> Column:
    masked = np.array(np.ma.getmaskarray(values))
    return _column(np.asarray(values)[~masked], masked)


def _array_names(shape: tuple[int, ...], feature_names: Sequence[str] | None) -> list[str]:
    if len(shape) != 2:
        raise ClustraintError(
            f"X must be a table of shape (n_samples, n_features), but has shape {shape}; "
            "give a DataFrame or a 2-D array, such as X.reshape(-1, 1) for a single column."
        )
    if feature_names is None:
        return [f"x{place}" for place in range(shape[1])]
    names = _checked_names(feature_names, shape[1])
    if len(set(names)) < len(names):
        repeated = next(name for place, name in enumerate(names) if name in names[:place])
        raise ClustraintError(f"feature_names must be unique, but {repeated!r} is there twice.")
    return names


def _checked_names(feature_names: Sequence[str], n_features: int) -> list[str]:
    if isinstance(feature_names, str) or not hasattr(feature_names, "__iter__"):
        raise ClustraintError(
            f"feature_names must be a sequence of texts, but is {feature_names!r}."
        )
    names = list(feature_names)
    if len(names) != n_features:
        raise ClustraintError(
            f"feature_names must hold one name for each of the {n_features} columns of X, "
            f"but holds {len(names)}."
        )
    for place, name in enumerate(names):
        if not isinstance(name, str):
            raise ClustraintError(
                f"feature_names must be texts, but entry {place} is {name!r}; "
                "turn the names into texts with str."
            )
    return names


def _column(values: NDArray[Any], missing: BoolArray) -> Column:
    """Return the column of `values`, which are those that `missing` leaves."""
    if values.ndim > 1:  # polars' structs and arrays of equal length become rows
        return Column("other", values, missing)
    if values.dtype.kind in "UT":
        values = values.astype(object)
    absent = _absent(values)
    if absent.any():
        missing = missing.copy()
        missing[~missing] = absent
        values = values[~absent]
    return _classified(values, missing)


def _absent(values: NDArray[Any]) -> BoolArray:
    if values.dtype.kind == "f":
        return np.asarray(np.isnan(values), dtype=np.bool_)
    if values.dtype.kind == "O":
        return np.fromiter(map(_is_missing, values), dtype=np.bool_, count=len(values))
    return np.zeros(len(values), dtype=np.bool_)


def _is_missing(value: Any) -> bool:
    if value is None:
        return True
    if isinstance(value, Decimal):
        return value.is_nan()
    try:
        return bool(value != value)
    except TypeError:  # pandas' NA is neither equal nor unequal to itself
        return True
    except ValueError:  # an array in a cell
        return False


def _classified(values: NDArray[Any], missing: BoolArray) -> Column:
    if not len(values):
        return Column("nothing", values, missing)
    if values.dtype.kind != "O":
        return Column(_KIND_OF_DTYPE.get(values.dtype.kind, "other"), values, missing)
    kinds = {_kind_of_type(each) for each in set(map(type, values))}
    if kinds == {"number"}:
        # numpy's scalars round the number they are compared with to their own precision.
        plain = [value.item() if isinstance(value, np.generic) else value for value in values]
        values = np.array(plain, dtype=object)
    return Column(_joint_kind(kinds), values, missing)


def _kind_of_type(value_type: type) -> Kind:
    if issubclass(value_type, str):
        return "text"
    # numpy counts time spans among the integers.
    if issubclass(value_type, np.timedelta64):
        return "other"
    return "number" if issubclass(value_type, numbers.Real | Decimal | np.bool_) else "other"


def _joint_kind(kinds: set[Kind]) -> Kind:
    if "other" in kinds:
        return "other"
    return kinds.pop() if len(kinds) == 1 else "mixed"
