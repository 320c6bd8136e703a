"""Text whose lines are rows and in which a delimiter separates the cells, as in CSV files.

Python's csv.reader is not used: how long a cell may be is a setting of the whole process there,
which any thread may change meanwhile.
"""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Iterator

from clustraint.exceptions import ClustraintError

LINE_END = re.compile(r"\r\n|\n|\r")
# Possessive throughout, so that no text takes more than linear time.
PLAIN_LINE = re.compile(r'([^"\r\n]*+)(?:\r\n|\n|\r|\Z)')
QUOTED = re.compile(r'"([^"]*+(?:""[^"]*+)*+)"')


class TableContentError(ClustraintError):
    """What is wrong with the content of a table, and in which line; 0 for all of it."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(problem)
        self.line = line


def read_rows(
    text: str, delimiter: str = ",", longest: int = sys.maxsize
) -> Iterator[tuple[int, list[str]]]:
    r"""Yield the rows of a text, and the line in which each begins; empty lines are left out.

    A cell in double quotes may hold the delimiter, line ends, and double quotes that are doubled.

    Parameters
    ----------
    text : str
        The text; its lines end in ``\n``, ``\r\n`` or ``\r``.
    delimiter : str
        One character, other than a double quote or a line end.
    longest : int, optional
        How many characters a cell may have; by default any number.

    Raises
    ------
    TableContentError
        Where a quoted cell never ends or text follows it, or a cell is too long.

    Examples
    --------
    >>> list(read_rows('name,sound\n\ndog,"woof, ""wow"" and so on"\n'))
    [(1, ['name', 'sound']), (3, ['dog', 'woof, "wow" and so on'])]
    """
    place, line = 0, 1
    may_be_too_long = len(text) > longest
    while place < len(text):
        # Most lines have no quotes, and are split much faster than they are searched for cells.
        if plain := PLAIN_LINE.match(text, place):
            row, end, n_lines = plain[1].split(delimiter), plain.end(), 1
        else:
            row, end = _quoted_row(text, place, line, delimiter)
            n_lines = len(LINE_END.findall(text, place, end))
        if may_be_too_long and max(map(len, row)) > longest:
            problem = f"a cell has {max(map(len, row)):,} characters, but {longest:,} are allowed"
            raise TableContentError(line, f"is not a table of values ({problem}).")
        if plain is None or plain[1]:
            yield line, row
        place, line = end, line + n_lines


def _quoted_row(text: str, place: int, line: int, delimiter: str) -> tuple[list[str], int]:
    """Return the cells of a row in which there are quotes, and where the next row begins."""
    match_cell, row, end = _cell_pattern(delimiter).match, [], delimiter
    while end == delimiter:
        cell = match_cell(text, place)
        if cell is None:
            is_closed = QUOTED.match(text, place)
            problem = "text follows a cell in quotes" if is_closed else "a quoted cell never ends"
            raise TableContentError(line, f"is not a table of values ({problem}).")
        quoted, bare, end = cell.groups()
        row.append(bare if quoted is None else quoted.replace('""', '"'))
        place = cell.end()
    return row, place


@functools.cache
def _cell_pattern(delimiter: str) -> re.Pattern[str]:
    mark = re.escape(delimiter)
    return re.compile(rf'(?:{QUOTED.pattern}|((?!")[^{mark}\r\n]*+))({mark}|\r\n|\n|\r|\Z)')
