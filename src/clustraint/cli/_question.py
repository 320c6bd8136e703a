"""A question on the screen: two samples side by side, where they differ most first."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape

from clustraint.cli._console import table
from clustraint.wording import counted

if TYPE_CHECKING:
    from clustraint.active import Query
    from clustraint.tables import SampleTable

MOST_ROWS = 15
LONGEST_CELL = 160
LONGEST_SAME = 240
# "In full" still ends somewhere.
FULL_CELL = 20_000
# Of the columns that are not clustered by.
MOST_UNUSED = 5
KEYS = "y yes · n no · s don't know · u undo · f in full · q stop"


def print_question(
    out: Console, data: SampleTable, query: Query, number: int, most: int, *, full: bool = False
) -> None:
    """Print a question, the one of that number among at most so many; in full, nothing is cut.

    Columns that are not clustered by are shown as well: a person may know what they mean.
    """
    from clustraint.tables import cell_text, differences

    ids, samples = data.ids, (query.first, query.second)
    names = [ids[sample] if data.names else f"row {sample}" for sample in samples]
    longest = FULL_CELL if full else LONGEST_CELL
    columns = differences(data, *samples, longest=longest)
    unused = differences(data, *samples, left_out=True, longest=longest)
    differing = [each for each in columns if full or each.size > 0]
    unused = [each for each in unused if full or each.size > 0]
    room = len(differing) if full else MOST_ROWS
    listing = table("", *(escape(cell_text("nominal", name, longest)) for name in names))
    for each in differing[:room]:
        listing.add_row(*map(escape, each[:3]))
    for each in unused if full else unused[:MOST_UNUSED]:
        cells = (f"{each.column} (not used)", each.first, each.second)
        listing.add_row(*(f"[dim]{escape(cell)}[/]" for cell in cells))
    out.print(f"\n[bold]Question {number:,} of {most:,}[/]")
    out.print(listing)
    if n_more := len(differing[room:]):
        out.print(f"… and {counted(n_more, 'column')} with smaller differences (f shows all)")
    if not full and (same := [f"{each.column} {each.first}" for each in columns if not each.size]):
        shown = textwrap.shorten(", ".join(same), LONGEST_SAME, placeholder=" …")
        out.print(f"[dim]the same: {escape(shown)}[/]")
    # On a line of their own, the keys fit into 80 columns: none is torn from its word.
    out.print(f"Do they belong together?\n[dim]{KEYS}[/]")
