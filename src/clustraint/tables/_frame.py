"""Named columns of several kinds, as much of a frame as rules and trees ask of one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


class _Categories(tuple[Any, ...]):
    """The values of a nominal column, in order."""

    __slots__ = ()

    def to_list(self) -> list[Any]:
        return list(self)


@dataclass(frozen=True)
class _NominalType:
    """The type of a column whose numbers are names and have no distances."""

    categories: _Categories
    kind: str = "O"


class Series:
    """One column of a `Frame`, with the methods by which polars tells what is missing."""

    def __init__(self, values: NDArray[Any], *, nominal: bool = False) -> None:
        self._values = values
        self._nominal = nominal

    @property
    def dtype(self) -> Any:
        """The type of the values; that of nominal numbers lists them."""
        if not self._nominal:
            return self._values.dtype
        return _NominalType(_Categories(sorted({*self.drop_nulls().to_numpy().tolist()})))

    def __len__(self) -> int:
        return len(self._values)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self._values, dtype=dtype, copy=copy)

    def is_null(self) -> Series:
        """Return where a value is missing."""
        if self._values.dtype.kind == "f":
            return Series(np.isnan(self._values))
        if self._values.dtype.kind == "O":
            return Series(np.array([value is None for value in self._values], np.bool_))
        return Series(np.zeros(len(self), np.bool_))

    def drop_nulls(self) -> Series:
        """Return the values that are there."""
        return Series(self._values[~self.is_null().to_numpy()])

    def to_numpy(self) -> NDArray[Any]:
        """Return the values, missing ones as None or nan."""
        return self._values


class Frame:
    """A table of named columns for estimators and rules, without pandas or polars.

    Parameters
    ----------
    columns : mapping of str to ndarray of shape (n_samples,)
        Numbers with nan, or truth values, texts and other objects with None for what is missing.
    nominal : sequence of str
        Columns of numbers that are only names.

    Examples
    --------
    >>> frame = Frame({"legs": np.array([4.0, 2.0]), "milk": np.array([True, False])})
    >>> frame
    Frame(2 × 2: legs, milk)
    >>> frame[[1]]["legs"].to_numpy()
    array([2.])
    """

    def __init__(self, columns: Mapping[str, NDArray[Any]], nominal: Sequence[str] = ()) -> None:
        self._columns = dict(columns)
        self._nominal = tuple(nominal)

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._columns)

    @property
    def dtypes(self) -> list[Any]:
        """The types of the columns."""
        return [values.dtype for values in self._columns.values()]

    @property
    def shape(self) -> tuple[int, int]:
        """How many samples and columns there are."""
        return len(self), len(self._columns)

    def __len__(self) -> int:
        return len(next(iter(self._columns.values()), ()))

    def get_columns(self) -> list[Series]:
        """Return all columns.

        Examples
        --------
        >>> [len(column) for column in Frame({"legs": np.array([4.0, 2.0])}).get_columns()]
        [2]
        """
        return [self[name] for name in self._columns]

    def __getitem__(self, key: Any) -> Any:
        """Return the column of a name, or a frame of some rows."""
        if isinstance(key, str):
            return Series(self._columns[key], nominal=key in self._nominal)
        rows = key[0] if isinstance(key, tuple) else key
        return Frame({name: held[rows] for name, held in self._columns.items()}, self._nominal)

    def __repr__(self) -> str:
        return f"Frame({len(self):,} × {len(self._columns)}: {', '.join(self._columns)})"
