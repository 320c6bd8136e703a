"""A user's table: samples, their names, and columns of several kinds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np

from clustraint.exceptions import ClustraintError, UnknownColumnError
from clustraint.tables._columns import Columns
from clustraint.typing import AnyArray, BoolArray

Kind: TypeAlias = Literal["numeric", "binary", "nominal", "text", "identifier"]
Scale: TypeAlias = Literal["standard", "minmax", "none"]

FEATURE_KINDS: tuple[Kind, ...] = ("numeric", "binary", "nominal", "text")


@dataclass(frozen=True, eq=False, repr=False)
class TableColumn:
    """A column of a table.

    Parameters
    ----------
    name : str
        What the file calls it.
    kind : {"numeric", "binary", "nominal", "text", "identifier"}
        What its values are; "binary" are 0 and 1, yes and no, or true and false.
    values : ndarray of shape (n_samples,)
        float64, missing values nan, if numeric or binary; otherwise texts, or the numbers of a
        nominal column, missing values None.
    note : str
        A remark, such as why it is left out; "" for none.

    Examples
    --------
    >>> TableColumn("legs", "numeric", np.array([4.0, np.nan]))
    TableColumn('legs', numeric, 1 of 2 missing)
    """

    name: str
    kind: Kind
    values: AnyArray
    note: str = ""

    @cached_property
    def missing(self) -> BoolArray:
        """Where no value is."""
        if self.values.dtype.kind == "f":
            return np.asarray(np.isnan(self.values))
        return np.array([value is None for value in self.values], np.bool_)

    @property
    def n_missing(self) -> int:
        """How many values are missing."""
        return int(self.missing.sum())

    @property
    def n_distinct(self) -> int:
        """How many different values there are."""
        if self.values.dtype.kind == "f":
            return len(np.unique(self.values[~self.missing]))
        return len({*self.values[~self.missing].tolist()})

    def __repr__(self) -> str:
        lost = f", {self.n_missing} of {len(self.values)} missing" if self.n_missing else ""
        return f"TableColumn({self.name!r}, {self.kind}{lost})"


@dataclass(frozen=True, eq=False, repr=False)
class SampleTable:
    r"""The samples of a file: what `read_table` gives.

    Parameters
    ----------
    source : str
        The file.
    columns : tuple of TableColumn
        The columns to cluster by.
    left_out : tuple of TableColumn
        The others, each with a note why: the identifier, dropped and constant columns.
    names : tuple of str, or None
        Unique names of the samples, where a column holds some.
    n_samples : int
        How many samples there are.
    notes : tuple of str
        What else was decided in reading, each a sentence.

    Examples
    --------
    >>> import io
    >>> from clustraint.tables import read_table
    >>> table = read_table(io.BytesIO(b"name,legs,milk\ndog,4,yes\nhen,2,no\ncow,4,yes\n"))
    >>> table
    SampleTable(3 samples: legs (numeric), milk (binary); names from name)
    >>> table.names
    ('dog', 'hen', 'cow')
    """

    source: str
    columns: tuple[TableColumn, ...]
    left_out: tuple[TableColumn, ...]
    names: tuple[str, ...] | None
    n_samples: int
    notes: tuple[str, ...] = field(default=())

    @property
    def id_column(self) -> str | None:
        """The column that the names are from."""
        return next((each.name for each in self.left_out if each.kind == "identifier"), None)

    @property
    def ids(self) -> tuple[str, ...]:
        """The names of the samples, or their row numbers where there are no names."""
        return self.names or tuple(str(row) for row in range(self.n_samples))

    @property
    def kinds(self) -> dict[str, tuple[str, ...]]:
        """The names of the columns of each kind that occurs."""
        by_kind = {
            kind: tuple(column.name for column in self.columns if column.kind == kind)
            for kind in FEATURE_KINDS
        }
        return {kind: names for kind, names in by_kind.items() if names}

    @property
    def has_missing(self) -> bool:
        """Whether a value of a column other than a text is missing."""
        return any(column.n_missing for column in self.columns if column.kind != "text")

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments by which `read_table` reads another file of this kind in the same way."""
        kinds = self.kinds
        chosen = {name for names in kinds.values() for name in names}
        dropped = [each.name for each in self.left_out if each.kind != "identifier"]
        return {
            "id_column": self.id_column,
            "drop": tuple(name for name in dropped if name not in chosen),
            "numeric": (*kinds.get("numeric", ()), *kinds.get("binary", ())),
            "nominal": kinds.get("nominal", ()),
            "text": kinds.get("text", ()),
        }

    def column(self, name: str) -> TableColumn:
        r"""Return the column of a name, whether it is left out or not.

        Examples
        --------
        >>> import io
        >>> from clustraint.tables import read_table
        >>> table = read_table(io.BytesIO(b"name,legs\ndog,4\nhen,2\n"))
        >>> table.column("legs").values
        array([4., 2.])
        """
        everything = (*self.columns, *self.left_out)
        for each in everything:
            if each.name == name:
                return each
        raise UnknownColumnError(name, [each.name for each in everything], self.source)

    def matrix(self, scale: Scale = "standard") -> Any:
        r"""Return the columns as numbers whose Euclidean distances mean something.

        Parameters
        ----------
        scale : {"standard", "minmax", "none"}, default="standard"
            Numeric columns get the standard deviation 1 and the mean 0, or the range from 0 to 1,
            or stay as they are. A difference in a binary or nominal column counts 1 in any case.

        Returns
        -------
        ndarray or csr_array of shape (n_samples, n_features)
            Sparse if there are texts, which become tf-idf weights, or very many nominal values.

        Raises
        ------
        MissingValuesError
            If a value is missing.

        See Also
        --------
        TableEncoder : the same for several tables, and the names of the features.

        Examples
        --------
        >>> import io
        >>> from clustraint.tables import read_table
        >>> table = read_table(io.BytesIO(b"legs,milk\n4,yes\n2,no\n"))
        >>> table.matrix()
        array([[ 1.,  1.],
               [-1.,  0.]])
        """
        from clustraint.tables._encoder import TableEncoder

        return TableEncoder("matrix", scale=scale).fit_transform(self)

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The names of the columns of `matrix`."""
        from clustraint.tables._encoder import TableEncoder

        return TableEncoder("matrix").fit(self).feature_names_

    def as_columns(self) -> Columns:
        r"""Return numbers, truth values and texts by column, as rules, trees and reports read them.

        They do so by themselves where they are given the table. Texts of many words and the columns
        left out are only for rules that name them.

        Examples
        --------
        >>> import io
        >>> from clustraint import Rule
        >>> from clustraint.tables import read_table
        >>> table = read_table(io.BytesIO(b"name,legs,milk\ndog,4,yes\nhen,2,no\n"))
        >>> table.as_columns()
        Columns(2 × 2: legs, milk)
        >>> Rule('milk & name == "dog"').scope(table)
        array([ True, False])
        """
        features = [column for column in self.columns if column.kind != "text"]
        texts = [column for column in self.columns if column.kind == "text"]
        return _as_columns([*features, *texts, *self.left_out], len(features))

    def nominal(self) -> Columns:
        r"""Return the binary and nominal columns, for `AttributeKMedoids`.

        Raises
        ------
        ClustraintError
            If there are others.

        Examples
        --------
        >>> import io
        >>> from clustraint.tables import read_table
        >>> table = read_table(io.BytesIO(b"color,milk\nred,yes\nblue,no\nred,no\n"))
        >>> table.nominal()
        Columns(3 × 2: color, milk)
        """
        others = [each for each in self.columns if each.kind not in ("binary", "nominal")]
        if others:
            raise ClustraintError(
                f"column {others[0].name!r} is {others[0].kind}, but only binary and nominal "
                "columns have values that are just equal or not; declare it nominal, or drop it."
            )
        return _as_columns(self.columns, len(self.columns))

    def __len__(self) -> int:
        return self.n_samples

    @property
    def shape(self) -> tuple[int, int]:
        """How many samples and columns there are."""
        return self.n_samples, len(self.columns)

    def __repr__(self) -> str:
        listed = ", ".join(f"{column.name} ({column.kind})" for column in self.columns)
        names = f"; names from {self.id_column}" if self.id_column else ""
        return f"SampleTable({self.n_samples:,} samples: {listed}{names})"


def _as_columns(columns: Sequence[TableColumn], n_features: int) -> Columns:
    return Columns(
        [column.name for column in columns],
        tuple(_cells(column) for column in columns),
        nominal=[column.name for column in columns if _is_nominal_number(column)],
        n_features=n_features,
    )


def _is_nominal_number(column: TableColumn) -> bool:
    return column.kind == "nominal" and not any(isinstance(each, str) for each in column.values)


def _cells(column: TableColumn) -> AnyArray:
    if column.kind != "binary":
        return column.values
    if not column.n_missing:
        return np.asarray(column.values == 1)
    truths = np.array([bool(value) for value in column.values], object)
    truths[column.missing] = None
    return truths
