"""The format for spreadsheets: columns kind, a, b, c and weight."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from clustraint.constraints._kinds import KINDS, kind_of
from clustraint.constraints._statement import Bare, ContentError, Document, Member, Statement
from clustraint.wording import counted, excerpt, listed, near_matches

if TYPE_CHECKING:
    from clustraint.constraints._constraints import Constraints

COLUMNS = ("kind", "a", "b", "c", "weight")
# What the second of two columns may be called if it tells who belongs together.
GROUP_COLUMNS = ("group", "cluster", "label", "class")
# How many of the columns a, b, c each kind fills; a rule has its formula in a.
FILLED = {name: kind.width or 1 for name, kind in KINDS.items()}
# What spreadsheets and Python's csv module read by default.
LONGEST_CELL = 131_072

# Possessive throughout, so that no table takes more than linear time.
LINE_END = re.compile(r"\r\n|\n|\r")
PLAIN_LINE = re.compile(r'([^"\r\n]*+)(?:\r\n|\n|\r|\Z)')
QUOTED = re.compile(r'"([^"]*+(?:""[^"]*+)*+)"')
CELL = re.compile(rf'(?:{QUOTED.pattern}|((?!")[^,\r\n]*+))(,|\r\n|\n|\r|\Z)')


def parse_csv(text: str) -> Document:
    """Return what the rows of a table state."""
    rows = _rows(text)
    line, names = next(rows, (0, []))
    header = [cell.strip() for cell in names]
    if is_group_header(header):
        return Document(grouped((each, Bare(row[0]), row[1:]) for each, row in rows))
    _check_header(line, header)
    return Document([_parse_row(line, header, row) for line, row in rows])


def is_group_header(header: Sequence[str]) -> bool:
    """Tell whether a table has two columns, of samples and of the groups that they belong to."""
    return len(header) == 2 and header[1].strip().lower() in GROUP_COLUMNS


def grouped(rows: Iterable[tuple[int, Member, Sequence[object]]]) -> list[Statement]:
    """Return what rows (line, sample, [group]) state; nothing where the group is empty.

    Samples of one group are together with its first one, and the first ones are apart.
    """
    statements: list[Statement] = []
    first: dict[str, Member] = {}
    for line, sample, cells in rows:
        group = str(cells[0]).strip() if cells else ""
        if group in first:
            statements.append(Statement("must_link", (first[group], sample), line=line))
        elif group:
            pairs = ((other, sample) for other in first.values())
            statements += [Statement("cannot_link", pair, line=line) for pair in pairs]
            first[group] = sample
    return statements


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that hold anything, and the line in which each begins.

    Python's csv.reader is not used: how long a cell may be is a setting of the whole process there,
    which any thread may change meanwhile.
    """
    place, line = 0, 1
    while place < len(text):
        begin = line
        if plain := PLAIN_LINE.match(text, place):
            row, place = plain[1].split(","), plain.end()
        else:
            row, place = _quoted_row(text, place, line)
            line += sum(len(LINE_END.findall(cell)) for cell in row)
        line += 1
        longest = max(map(len, row))
        if longest > LONGEST_CELL:
            problem = f"a cell may have {LONGEST_CELL:,} characters, but one has {longest:,}."
            raise ContentError(begin, problem)
        if any(cell.strip() for cell in row):
            yield begin, row


def _quoted_row(text: str, place: int, line: int) -> tuple[list[str], int]:
    """Return the cells of a row in which there are quotes, and where the next row begins."""
    row, separator = [], ","
    while separator == ",":
        cell = CELL.match(text, place)
        if cell is None:
            closed = QUOTED.match(text, place)
            problem = "text follows a cell in quotes" if closed else "a quoted cell never ends"
            raise ContentError(line, f"is not CSV ({problem}).")
        quoted, bare, separator = cell.groups()
        row.append(bare if quoted is None else quoted.replace('""', '"'))
        place = cell.end()
    return row, place


def _check_header(line: int, header: list[str]) -> None:
    if not {"kind", "a", "b"} <= set(header) <= set(COLUMNS) or len(set(header)) < len(header):
        problem = (
            f"the first line must name the columns {', '.join(COLUMNS)}, separated by commas, each "
            f"once and at least the first three, but is {excerpt(','.join(header))!r}; or a sample "
            f"and its {listed(GROUP_COLUMNS, 'or')}."
        )
        raise ContentError(line, problem)


def _parse_row(line: int, header: list[str], row: list[str]) -> Statement:
    if len(row) > len(header):
        cells_here, columns = counted(len(row), "cell"), counted(len(header), "column")
        raise ContentError(line, f"there are {cells_here}, but the first line names {columns}.")
    cells = dict.fromkeys(COLUMNS, "") | dict(zip(header, row, strict=False))
    kind = check_kind(line, cells["kind"])
    for column in "abc"[FILLED[kind] :]:
        if cells[column].strip():
            problem = (
                f"{kind} leaves column {column} empty, but it holds {excerpt(cells[column])!r}."
            )
            raise ContentError(line, problem)
    weight = cells["weight"].strip()
    if KINDS[kind].is_rule and weight:
        raise ContentError(line, f"a rule has no weight, but there is {excerpt(weight)!r}.")
    members = tuple(Bare(cells[column]) for column in "abc"[: FILLED[kind]])
    return Statement(kind, members, weight or 1.0, line)


def check_kind(line: int, word: object) -> str:
    """Return the kind that a word means, or raise where it means none."""
    kind = kind_of(word)
    if kind is None:
        text = str(word).strip()
        hint = near_matches(text, FILLED) or f"; kinds are {', '.join(FILLED)}."
        raise ContentError(line, f"there is no kind {excerpt(text)!r}{hint}")
    return kind


def format_csv(constraints: Constraints) -> str:
    """Return the table that states these constraints."""
    names = constraints.names
    table: list[list[str]] = [list(COLUMNS)]
    for kind, links in constraints.links.items():
        for row, weight in zip(links.rows.tolist(), links.weights.tolist(), strict=True):
            members = [str(sample) if names is None else names[sample] for sample in row]
            table.append([kind, *members, *[""] * (3 - len(row)), repr(weight)])
    table += [[rule.kind, rule.text, "", "", ""] for rule in constraints.rules]
    if max(len(cell) for cells in table for cell in cells) > LONGEST_CELL:
        raise ContentError(0, "names are too long for the cell of a table; write a .json file.")
    return "".join(",".join(map(_spell, cells)) + "\n" for cells in table)


def _spell(cell: str) -> str:
    """Return a cell as a table has it; Python's csv.writer may leave line ends bare."""
    special = re.search(r'[",\r\n]|\A\s|\s\Z', cell)
    return '"' + cell.replace('"', '""') + '"' if special else cell
