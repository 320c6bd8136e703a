"""Two samples side by side: where they differ, and cells as people read them."""

from __future__ import annotations

import textwrap
from typing import Any, NamedTuple

import numpy as np

from clustraint.tables._sample_table import SampleTable
from clustraint.tables._table_column import TableColumn

LONGEST_CELL = 160


class Difference(NamedTuple):
    """How two samples differ in a column.

    Attributes
    ----------
    column : str
        The column.
    first, second : str
        The values, as they are shown.
    size : float
        0 if they are equal. Numbers differ by so many standard deviations of the column; other
        values that are not the same differ by 1, as in the distances between samples.

    Examples
    --------
    >>> Difference("legs", "4", "2", 1.5).size
    1.5
    """

    column: str
    first: str
    second: str
    size: float


def differences(
    table: SampleTable,
    first: int,
    second: int,
    *,
    left_out: bool = False,
    longest: int = LONGEST_CELL,
) -> list[Difference]:
    r"""Return how two samples differ in each column to cluster by, the largest difference first.

    Parameters
    ----------
    table : SampleTable
        The samples.
    first, second : int
        Their rows.
    left_out : bool, default=False
        Compare the columns that are left out instead, except those that only name samples.
    longest : int, default=160
        The length at which texts are cut.

    Examples
    --------
    >>> import io
    >>> from clustraint.tables import differences, read_table
    >>> table = read_table(io.BytesIO(b"name,legs,milk\ndog,4,yes\nhen,2,no\ncow,4,yes\n"))
    >>> [(each.column, each.first, each.second) for each in differences(table, 0, 1)]
    [('legs', '4', '2'), ('milk', 'yes', 'no')]
    """
    columns = table.columns
    if left_out:
        columns = tuple(column for column in table.left_out if column.kind != "identifier")
    by_column = [_difference(column, first, second, longest) for column in columns]
    return sorted(by_column, key=lambda each: -each.size)


def _difference(column: TableColumn, first: int, second: int, longest: int) -> Difference:
    values = column.values[[first, second]].tolist()
    if values[0] == values[1]:
        size = 0.0
    elif column.kind in ("numeric", "date"):
        spread = float(np.nanstd(column.values))
        size = abs(values[0] - values[1]) / spread if spread else 1.0
    else:
        size = 1.0
    shown = [cell_text(column.kind, value, longest) for value in values]
    if column.kind in ("date", "vector"):
        shown = [column.shown(row) for row in (first, second)]
    return Difference(column.name, shown[0], shown[1], size)


def cell_text(kind: str, value: Any, longest: int = LONGEST_CELL) -> str:
    """Return a value of a column of some kind as people read it.

    Parameters
    ----------
    kind : str
        The kind of the column.
    value : float, str or None
        The value; None and nan are missing.
    longest : int, default=160
        The length at which texts are cut.

    Examples
    --------
    >>> cell_text("binary", 1.0), cell_text("numeric", 2.5), cell_text("nominal", None)
    ('yes', '2.5', '–')
    """
    if value is None or value != value:
        return "–"
    if kind == "binary":
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.10g}"
    return textwrap.shorten(str(value), longest, placeholder=" …") or str(value)[:longest]
