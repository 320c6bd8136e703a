"""A question on the screen: two samples side by side, where they differ most first."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any, NamedTuple

from rich.console import Console
from rich.markup import escape

from clustraint.cli._console import table
from clustraint.wording import counted

if TYPE_CHECKING:
    from clustraint.active import Query
    from clustraint.tables import SampleTable, TableColumn

MOST_ROWS = 15
LONGEST_CELL = 160
LONGEST_SAME = 240
KEYS = "y yes · n no · s don't know · u undo · q stop"


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
    """

    column: str
    first: str
    second: str
    size: float


def differences(data: SampleTable, first: int, second: int) -> list[Difference]:
    """Return all columns to cluster by, the largest difference first."""
    by_column = [_difference(column, first, second) for column in data.columns]
    return sorted(by_column, key=lambda each: -each.size)


def _difference(column: TableColumn, first: int, second: int) -> Difference:
    import numpy as np

    values = column.values[[first, second]].tolist()
    if values[0] == values[1]:
        size = 0.0
    elif column.kind == "numeric":
        spread = float(np.nanstd(column.values))
        size = abs(values[0] - values[1]) / spread if spread else 1.0
    else:
        size = 1.0
    shown = [_shown(column.kind, value) for value in values]
    return Difference(column.name, shown[0], shown[1], size)


def _shown(kind: str, value: Any) -> str:
    if value is None or value != value:
        return "–"
    if kind == "binary":
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.10g}"
    return textwrap.shorten(str(value), LONGEST_CELL, placeholder=" …") or str(value)[:LONGEST_CELL]


def print_question(out: Console, data: SampleTable, query: Query, number: int, most: int) -> None:
    """Print a question, the one of that number among at most so many."""
    ids, samples = data.ids, (query.first, query.second)
    names = [ids[sample] if data.names else f"row {sample}" for sample in samples]
    columns = differences(data, *samples)
    differing = [each for each in columns if each.size > 0]
    listing = table("", *(escape(_shown("nominal", name)) for name in names))
    for each in differing[:MOST_ROWS]:
        listing.add_row(*map(escape, each[:3]))
    out.print(f"\n[bold]Question {number:,} of {most:,}[/]")
    out.print(listing)
    if n_more := len(differing[MOST_ROWS:]):
        out.print(f"… and {counted(n_more, 'column')} with smaller differences")
    if same := [f"{each.column} {each.first}" for each in columns if each.size == 0]:
        shown = textwrap.shorten(", ".join(same), LONGEST_SAME, placeholder=" …")
        out.print(f"[dim]the same: {escape(shown)}[/]")
    out.print(f"Do they belong together? [dim]{KEYS}[/]")
