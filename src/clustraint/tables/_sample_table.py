"""A user's table: samples, their names, and columns of several kinds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np

from clustraint.exceptions import ClustraintError, UnknownColumnError
from clustraint.tables._columns import Columns
from clustraint.tables._dates import MONTHS, WEEKDAYS
from clustraint.tables._table_column import FEATURE_KINDS, TableColumn
from clustraint.wording import counted

Scale: TypeAlias = Literal["standard", "minmax", "none"]
Impute: TypeAlias = Literal["auto", "frequent", "level", "none"]

# What is said of columns left out for good.
NAMES_SAMPLES = "names the samples"
IGNORED = "ignored as requested"
IMPUTES = ("auto", "frequent", "level", "none")
ARGUMENT_KINDS = ("numeric", "date", "binary", "nominal", "text")


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
        The others, each with a note why: the identifier, ignored and constant columns, answers.
    names : tuple of str, or None
        Unique names of the samples, where a column holds some.
    n_samples : int
        How many samples there are.
    notes : tuple of str
        What else was decided in reading, each a sentence.
    frame : polars DataFrame, optional
        All columns as the file has them, one row for each sample.
    reading : mapping
        Arguments of `read_table` other than those about columns, to read another file likewise.
    shown_names : tuple of str, optional
        Columns left out that a person should see; by default all that say something.
    impute : {"auto", "frequent", "level", "none"}
        What to take where a value is missing, see `TableEncoder`.

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
    frame: Any = None
    reading: Mapping[str, Any] = field(default_factory=dict)
    shown_names: tuple[str, ...] | None = None
    impute: Impute = "auto"

    @property
    def id_column(self) -> str | None:
        """The column that the names are from."""
        is_id = (each.name for each in self.left_out if each.note == NAMES_SAMPLES)
        return next(is_id, None) if self.names is not None else None

    @property
    def shown(self) -> tuple[TableColumn, ...]:
        """The columns left out that a person should see, to judge samples by."""
        if self.shown_names is not None:
            return tuple(self.column(name) for name in self.shown_names)
        return tuple(
            each
            for each in self.left_out
            if each.note not in (NAMES_SAMPLES, IGNORED) and each.n_distinct > 1
        )

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
        lists = {kind: kinds.get(kind, ()) for kind in ARGUMENT_KINDS}
        only = tuple(column.name for column in self.columns)
        return {"id_column": self.id_column, "only": only, **lists, **self.reading}

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
            Texts become topics, and missing values typical ones.

        Returns
        -------
        ndarray or csr_array of shape (n_samples, n_features)
            Sparse if there are very many nominal values.

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

    def as_columns(self, parts: Mapping[str, Sequence[str]] | None = None) -> Columns:
        r"""Return numbers, truth values and texts by column, as rules, trees and reports read them.

        They do so by themselves where they are given the table. Of a date they get its parts, such
        as ``signup: year`` and ``signup: weekday``. Texts of many words and the columns left out
        are only for rules that name them.

        Parameters
        ----------
        parts : mapping of str to sequences of str, optional
            The parts of each date; by default those that vary.

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
        features: list[TableColumn] = []
        aside = []
        for column in self.columns:
            if column.kind == "date":
                features += date_parts(column, None if parts is None else parts[column.name])
                aside.append(_as_days(column))
            elif column.kind != "vector":
                (aside if column.kind == "text" else features).append(column)
        others = [
            _as_days(each) if each.kind == "date" else each
            for each in self.left_out
            if each.kind != "vector"
        ]
        return _as_columns([*features, *aside, *others], len(features))

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
        return f"SampleTable({counted(self.n_samples, 'sample')}: {listed}{names})"


def date_parts(column: TableColumn, parts: Sequence[str] | None = None) -> list[TableColumn]:
    """Return the parts of dates as columns: those named, or those that vary.

    The year has fractions, so that it says the day; months and weekdays vary by themselves only
    where there are several of each.
    """
    days = column.values
    present = days[~column.missing]
    if parts is None:
        span = float(np.ptp(present)) if len(present) else 0.0
        has_hours = bool(len(present)) and len(np.unique(np.round(present % 1 * 24, 3))) > 1
        varying = {"year": True, "month": span > 366, "weekday": span > 14, "hour": has_hours}
        parts = [part for part, varies in varying.items() if varies]
    return [
        TableColumn(f"{column.name}: {part}", *PARTS[part](days, column.missing)) for part in parts
    ]


def _years(days: Any, missing: Any) -> tuple[Any, Any]:
    whole = np.full(len(days), np.nan)
    dates = np.floor(days[~missing]).astype("datetime64[D]")
    years = dates.astype("datetime64[Y]")
    start = years.astype("datetime64[D]")
    length = ((years + 1).astype("datetime64[D]") - start).astype(np.float64)
    passed = (dates - start).astype(np.float64) + days[~missing] % 1
    whole[~missing] = years.astype(np.int64) + 1970 + passed / length
    return "numeric", whole.round(4)


def _named_parts(places: Any, names: Sequence[str], missing: Any) -> tuple[Any, Any]:
    parts = np.full(len(missing), None, object)
    parts[~missing] = np.array(names, object)[places]
    return "nominal", parts


def _months(days: Any, missing: Any) -> tuple[Any, Any]:
    months = np.floor(days[~missing]).astype("datetime64[D]").astype("datetime64[M]")
    return _named_parts(months.astype(np.int64) % 12, MONTHS, missing)


def _weekdays(days: Any, missing: Any) -> tuple[Any, Any]:
    # The first day of 1970 was a Thursday.
    return _named_parts((np.floor(days[~missing]).astype(np.int64) + 3) % 7, WEEKDAYS, missing)


def _hours(days: Any, missing: Any) -> tuple[Any, Any]:
    return "numeric", (days % 1 * 24).round(3)


PARTS = {"year": _years, "month": _months, "weekday": _weekdays, "hour": _hours}


def _as_days(column: TableColumn) -> TableColumn:
    """Return dates as texts, for rules that name a day."""
    texts = np.full(len(column.values), None, object)
    days = np.floor(column.values[~column.missing]).astype("datetime64[D]")
    texts[~column.missing] = np.datetime_as_string(days)
    return TableColumn(column.name, "nominal", texts)


def _as_columns(columns: Sequence[TableColumn], n_features: int) -> Columns:
    return Columns(
        [column.name for column in columns],
        tuple(_cells(column) for column in columns),
        nominal=[column.name for column in columns if _is_nominal_number(column)],
        n_features=n_features,
    )


def _is_nominal_number(column: TableColumn) -> bool:
    if column.kind != "nominal":
        return False
    if not isinstance(column.data, np.ndarray):
        return bool(column.data.dtype.is_numeric())
    return not any(isinstance(each, str) for each in column.values)


def _cells(column: TableColumn) -> Any:
    if column.kind != "binary":
        is_text = not isinstance(column.data, np.ndarray) and str(column.data.dtype) == "String"
        # As it is: most texts are never asked for.
        return column.data if is_text else column.values
    if not column.n_missing:
        return np.asarray(column.values == 1)
    truths = np.array([bool(value) for value in column.values], object)
    truths[column.missing] = None
    return truths
