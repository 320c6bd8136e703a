"""Tables written with the cluster of each sample beside it."""

from __future__ import annotations

import csv
import io
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from clustraint.exceptions import MissingPackageError, OutputFileError
from clustraint.files import write_whole
from clustraint.tables._sample_table import SampleTable
from clustraint.tables._table_column import TableColumn
from clustraint.typing import AnyArray
from clustraint.wording import excerpt

# What makes a spreadsheet take a text for a formula.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")
PLAIN_NUMBER = re.compile(r"[+-]?(\d[\d.,]*|[.,]\d+)([eE][+-]?\d+)?%?")
CLUSTER, CLUSTER_NAME, ID = "cluster", "cluster_name", "id"
# The limits of an Excel sheet.
MOST_ROWS, MOST_COLUMNS, LONGEST_CELL = 1_048_576, 16_384, 32_767


class OutputColumn(NamedTuple):
    """A column to write: its name, its cells as they were read, and as what they were recognised.

    Attributes
    ----------
    name : str
        The name.
    cells : sequence
        Texts, numbers, truth values, None.
    values : ndarray or None
        The same as numbers, where the column is numeric.
    """

    name: str
    cells: Sequence[Any]
    values: AnyArray | None = None


def write_table(
    path: str | os.PathLike[str],
    table: SampleTable,
    labels: Iterable[Any],
    *,
    names: Mapping[Any, str] | None = None,
    labels_only: bool = False,
    raw: bool = False,
) -> None:
    r"""Write a table with the cluster of each sample in a last column, all at once.

    The columns are those of the file that was read, with the cells as they were there. In CSV and
    TSV files a text that a spreadsheet would take for a formula, such as ``=1+1``, gets an
    apostrophe in front; in an Excel file it is marked as text instead.

    Parameters
    ----------
    path : str or PathLike
        A ``.csv``, ``.tsv``, ``.xlsx`` or ``.parquet`` file; "-" is standard output, as CSV.
    table : SampleTable
        The samples.
    labels : iterable
        One label for each sample, for the column ``cluster``; where the table has such a column
        already, for ``cluster_2``.
    names : mapping of label to str, optional
        What the clusters are called, for a column ``cluster_name``.
    labels_only : bool, default=False
        Write the columns ``id`` and ``cluster`` alone.
    raw : bool, default=False
        Write texts as they are, even if a spreadsheet takes them for formulas.

    Raises
    ------
    OutputFileError
        If the file cannot be written; nothing is left behind then.

    See Also
    --------
    read_labels : reads the labels of such a file.

    Examples
    --------
    >>> import io
    >>> from clustraint.tables import read_table, write_table
    >>> table = read_table(io.BytesIO(b"name,legs\ndog,4\nhen,2\n"))
    >>> write_table("-", table, [0, 1], names={0: "mammals", 1: "birds"})
    name,legs,cluster,cluster_name
    dog,4,0,mammals
    hen,2,1,birds
    >>> write_table("-", table, [0, 1], labels_only=True)
    id,cluster
    dog,0
    hen,1
    """
    labels = list(labels)
    columns = [OutputColumn(ID, table.ids)] if labels_only else list(_own_columns(table))
    taken = {column.name for column in columns}
    columns.append(OutputColumn(_free(CLUSTER, taken), labels))
    if names is not None:
        columns.append(
            OutputColumn(_free(CLUSTER_NAME, taken), [names.get(each) for each in labels])
        )
    target = os.fspath(path)
    if target == "-":
        sys.stdout.write(_delimited(columns, ",", raw).decode())
        return
    try:
        content = _WRITERS.get(Path(target).suffix.lower(), _csv)(columns, table, raw)
    except _SheetLimitError as error:
        raise OutputFileError(path, f"{error}; write a CSV or Parquet file") from None
    write_whole(target, content)


def neutralised(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula.

    Examples
    --------
    >>> neutralised("=1+1"), neutralised("-5.2"), neutralised("a=b")
    ("'=1+1", '-5.2', 'a=b')
    """
    is_formula = text.startswith(FORMULA_STARTS) and not PLAIN_NUMBER.fullmatch(text)
    return f"'{text}" if is_formula else text


def as_meant(text: str) -> str:
    """Return a text without the apostrophe that `neutralised` put in front of it.

    Examples
    --------
    >>> as_meant("'=1+1"), as_meant("'tis")
    ('=1+1', "'tis")
    """
    bare = text.removeprefix("'")
    return bare if neutralised(bare) == text else text


def _own_columns(table: SampleTable) -> Iterable[OutputColumn]:
    """Yield the columns as they were read or, of a table that was not read, as they are."""
    recognised = {each.name: each for each in (*table.columns, *table.left_out)}
    if table.frame is None:
        for column in recognised.values():
            yield OutputColumn(column.name, column.values.tolist(), _numbers(column))
        return
    for cells in table.frame:
        yield OutputColumn(cells.name, cells.to_list(), _numbers(recognised.get(cells.name)))


def _numbers(column: TableColumn | None) -> AnyArray | None:
    return column.values if column is not None and column.kind == "numeric" else None


def _free(name: str, taken: Iterable[str]) -> str:
    number = 1
    free = name
    while free in taken:
        number += 1
        free = f"{name}_{number}"
    return free


def _csv(columns: Sequence[OutputColumn], table: SampleTable, raw: bool) -> bytes:
    # Where numbers have a decimal comma, their spreadsheets expect a semicolon.
    has_commas = table.reading.get("decimal") == ","
    return _delimited(columns, ";" if has_commas else ",", raw)


def _tsv(columns: Sequence[OutputColumn], table: SampleTable, raw: bool) -> bytes:
    return _delimited(columns, "\t", raw)


def _delimited(columns: Sequence[OutputColumn], delimiter: str, raw: bool) -> bytes:
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\n", delimiter=delimiter)
    shown: Callable[[Any], Any] = (lambda cell: cell) if raw else _safe
    writer.writerow([shown(column.name) for column in columns])
    writer.writerows(zip(*([*map(shown, column.cells)] for column in columns), strict=True))
    return buffer.getvalue().encode(errors="surrogatepass")


def _safe(cell: Any) -> Any:
    return neutralised(cell) if isinstance(cell, str) else cell


class _SheetLimitError(Exception):
    """More than a sheet of Excel holds."""


def _xlsx(columns: Sequence[OutputColumn], table: SampleTable, raw: bool) -> bytes:
    try:
        import xlsxwriter
    except ImportError:
        raise MissingPackageError("writing an Excel file", "xlsxwriter", "excel") from None
    if table.n_samples >= MOST_ROWS or len(columns) > MOST_COLUMNS:
        limits = f"{MOST_ROWS - 1:,} rows and {MOST_COLUMNS:,} columns"
        raise _SheetLimitError(f"an Excel sheet holds at most {limits}")
    for column in columns:
        longest = max((len(cell) for cell in column.cells if isinstance(cell, str)), default=0)
        if longest > LONGEST_CELL:
            raise _SheetLimitError(
                f"an Excel cell holds at most {LONGEST_CELL:,} characters, but column "
                f"{excerpt(column.name)!r} has one of {longest:,}"
            )
    buffer = io.BytesIO()
    book = xlsxwriter.Workbook(buffer, {"in_memory": True})
    sheet = book.add_worksheet("clusters")
    # Excel keeps such a cell as text even when somebody edits it.
    quoted = book.add_format({"quote_prefix": True})

    def put(row: int, place: int, cell: Any) -> None:
        if isinstance(cell, str):
            style = None if raw or neutralised(cell) == cell else quoted
            if raw and cell.startswith("="):
                sheet.write_formula(row, place, cell)
            else:
                sheet.write_string(row, place, cell, style)
        elif isinstance(cell, bool | np.bool_):
            sheet.write_boolean(row, place, bool(cell))
        elif cell is not None and cell == cell and np.isfinite(cell):
            sheet.write_number(row, place, float(cell))

    for place, column in enumerate(columns):
        put(0, place, column.name)
    typed = [_typed(column) for column in columns]
    for row, cells in enumerate(zip(*typed, strict=True), start=1):
        for place, cell in enumerate(cells):
            put(row, place, cell)
    book.close()
    return buffer.getvalue()


def _typed(column: OutputColumn) -> list[Any]:
    """Return cells as numbers where the column is numeric, and otherwise as texts or numbers."""
    if column.values is not None and any(isinstance(cell, str) for cell in column.cells):
        numbers = column.values.tolist()
        whole = all(each == each and float(each).is_integer() for each in numbers)
        return [int(each) if whole else (None if each != each else each) for each in numbers]
    plain = (bool, int, float, str, np.generic)
    return [
        cell.item() if isinstance(cell, np.generic) else cell
        for cell in (
            each if each is None or isinstance(each, plain) else str(each) for each in column.cells
        )
    ]


def _parquet(columns: Sequence[OutputColumn], table: SampleTable, raw: bool) -> bytes:
    import polars as pl

    def series(column: OutputColumn) -> Any:
        cells = _typed(column)
        kinds = {type(cell) for cell in cells if cell is not None}
        if len(kinds) > 1 and not kinds <= {int, float}:
            cells = [None if cell is None else str(cell) for cell in cells]
        return pl.Series(column.name, cells, strict=False)

    buffer = io.BytesIO()
    pl.DataFrame([series(column) for column in columns]).write_parquet(buffer)
    return buffer.getvalue()


_WRITERS: dict[str, Callable[[Sequence[OutputColumn], SampleTable, bool], bytes]] = {
    ".csv": _csv,
    ".tsv": _tsv,
    ".xlsx": _xlsx,
    ".parquet": _parquet,
}
