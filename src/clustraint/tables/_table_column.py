"""A column of a user's table: what its values are, why, and how they look to a person."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np

from clustraint.typing import AnyArray, BoolArray, IntArray
from clustraint.wording import number_text

Kind: TypeAlias = Literal["numeric", "date", "binary", "nominal", "text", "vector", "identifier"]

FEATURE_KINDS: tuple[Kind, ...] = ("numeric", "date", "binary", "nominal", "text", "vector")
FLOAT_KINDS = ("numeric", "binary", "date")
NO_VALUE = "–"


class TableColumn:
    """A column of a table; nothing is converted before it is asked for.

    Parameters
    ----------
    name : str
        What the file calls it.
    kind : {"numeric", "date", "binary", "nominal", "text", "vector", "identifier"}
        What its values are; "binary" are two values such as yes and no, "vector" lists of numbers
        that are equally long.
    values : ndarray of shape (n_samples,) or (n_samples, n_numbers), or polars Series
        What `values` gives.
    note : str
        A remark, such as why it is left out; "" for none.
    reason : str
        Why it is of this kind.
    cells : polars Series, optional
        The cells as the file has them.

    Attributes
    ----------
    values : ndarray
        float64, missing values nan, if numeric, binary (0 and 1), a date (days since 1970) or a
        vector (one row for each sample); otherwise texts, or the numbers of a nominal column,
        missing values None.

    Examples
    --------
    >>> legs = TableColumn("legs", "numeric", np.array([4.0, np.nan]), reason="numbers")
    >>> legs
    TableColumn('legs', numeric, 1 of 2 missing)
    >>> legs.shown(0), legs.shown(1), legs.reason
    ('4', '–', 'numbers')
    """

    def __init__(
        self,
        name: str,
        kind: Kind,
        values: Any,
        note: str = "",
        *,
        reason: str = "",
        cells: Any = None,
    ) -> None:
        self.name = name
        self.kind = kind
        self.note = note
        self.reason = reason
        self.cells = cells
        self._data = values
        # Set where missing values have been filled in.
        self.was_missing: BoolArray = np.zeros(len(values), np.bool_)

    def noted(self, note: str, kind: Kind | None = None) -> TableColumn:
        """Return the same column with another note, perhaps as another kind.

        Examples
        --------
        >>> TableColumn("legs", "numeric", np.array([4.0, 4.0])).noted("is always '4'").note
        "is always '4'"
        """
        return TableColumn(
            self.name, kind or self.kind, self._data, note, reason=self.reason, cells=self.cells
        )

    @property
    def data(self) -> Any:
        """The values as an array or, where they are texts that were not asked for, as a Series."""
        return self.__dict__.get("values", self._data)

    @cached_property
    def values(self) -> AnyArray:
        """The values as an array; see Attributes."""
        if isinstance(self._data, np.ndarray):
            return self._data
        if self.kind in FLOAT_KINDS:
            return np.asarray(self._data.cast(float).to_numpy(), np.float64)
        held = np.empty(len(self._data), object)
        held[:] = self._data.to_list()
        return held

    @cached_property
    def missing(self) -> BoolArray:
        """Where no value is."""
        if not isinstance(self._data, np.ndarray):
            return np.asarray(self._data.is_null().to_numpy(), np.bool_)
        if self.values.ndim == 2:
            return np.asarray(np.isnan(self.values).any(axis=1))
        if self.values.dtype.kind == "f":
            return np.asarray(np.isnan(self.values))
        return np.array([value is None for value in self.values], np.bool_)

    @property
    def n_samples(self) -> int:
        """How many cells there are."""
        return len(self._data)

    @cached_property
    def is_constant(self) -> bool:
        """Whether all samples have the same value."""
        if self.n_missing:
            return False
        if isinstance(self._data, np.ndarray):
            return self.n_distinct == 1
        return bool(self._data.min() == self._data.max())

    @cached_property
    def n_missing(self) -> int:
        """How many values are missing."""
        if not isinstance(self._data, np.ndarray):
            return int(self._data.null_count())
        return int(self.missing.sum())

    @cached_property
    def n_distinct(self) -> int:
        """How many different values there are."""
        if not isinstance(self._data, np.ndarray):
            return int(self._data.n_unique()) - bool(self.n_missing)
        present = self.values[~self.missing]
        if self.values.dtype.kind == "f":
            return len(np.unique(present, axis=0))
        return len({*present.tolist()})

    @cached_property
    def levels(self) -> list[Any]:
        """The different values in order."""
        if not isinstance(self._data, np.ndarray):
            return list(self._data.drop_nulls().unique().sort().to_list())
        distinct = {*self.values[~self.missing].tolist()}
        return sorted(distinct, key=lambda each: (str(type(each)), each))

    def codes(self, levels: list[Any]) -> IntArray:
        """Return the place of each value among some levels, -1 for none and for any other.

        Examples
        --------
        >>> TableColumn("c", "nominal", np.array(["b", None], object)).codes(["a", "b"])
        array([ 1, -1])
        """
        place = {level: number for number, level in enumerate(levels)}
        own = self.levels
        places = np.array([*(place.get(level, -1) for level in own), -1], np.int64)
        if not isinstance(self._data, np.ndarray) and own and isinstance(own[0], str):
            import polars as pl

            codes = self._data.cast(pl.Enum(own)).to_physical().cast(pl.Int64).fill_null(-1)
            return np.asarray(places[codes.to_numpy()])
        order = {level: number for number, level in enumerate(own)}
        return places[[order.get(value, -1) for value in self.values.tolist()]]

    def shown(self, sample: int) -> str:
        """Return the value of a sample as a person reads it, "–" where it is missing.

        Examples
        --------
        >>> TableColumn("milk", "binary", np.array([1.0, 0.0])).shown(0)
        'yes'
        """
        if self.missing[sample]:
            return NO_VALUE
        if self.cells is not None and self.kind != "vector":
            return " ".join(str(self.cells[sample]).split())
        value = self.values[sample]
        if self.kind == "vector":
            start = ", ".join(number_text(float(each)) for each in value[:3])
            return f"[{start}, …]" if len(value) > 3 else f"[{start}]"
        if self.kind == "binary":
            return "yes" if value else "no"
        if self.kind == "date":
            moment = np.datetime64(round(float(value) * 86400), "s")
            return str(moment.astype("datetime64[D]") if value == int(value) else moment)
        return f"{value:.10g}" if isinstance(value, float) else str(value)

    def __repr__(self) -> str:
        n_samples = len(self._data)
        lost = f", {self.n_missing} of {n_samples} missing" if self.n_missing else ""
        return f"TableColumn({self.name!r}, {self.kind}{lost})"
