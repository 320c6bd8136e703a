"""Weka's format of tables, ARFF."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from clustraint.tables._numbers import SPELLINGS
from clustraint.tables._table_column import Kind
from clustraint.tables.delimited import TableContentError
from clustraint.wording import counted, excerpt

ATTRIBUTE = re.compile(
    r"""@attribute\s+(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|(\S+))\s+(.+)""", re.I
)
# A cell and what ends it; possessive, so that no line takes more than linear time.
ARFF_CELLS = {
    quote: re.compile(
        rf"\s*+(?:{quote}((?:[^{quote}\\]|\\.|{quote}{quote})*+){quote}|(?!{quote}))"
        r"((?:[^,\\]|\\.?)*+)(,|\Z)"
    )
    for quote in "'\""
}
ARFF_KINDS = {"numeric": "numeric", "real": "numeric", "integer": "numeric", "{": "nominal"}
ARFF_TYPES = ("{", "numeric", "real", "integer", "string", "date")


def parse_arff(text: str) -> tuple[list[str], list[list[str]], dict[str, Kind]]:
    """Return names, columns of texts, and the kinds that are declared; no sparse rows are read."""
    lines = enumerate(text.splitlines(), start=1)
    names, types = _arff_header(lines)
    rows = [_arff_row(number, line, len(names)) for number, line in lines if _has_content(line)]
    if not rows:
        raise TableContentError(0, "holds attributes only, and no sample.")
    columns: list[Any] = list(zip(*rows, strict=True))
    # Values like yes and no are for the recognition to find out.
    kinds: Any = {
        name: ARFF_KINDS[kind]
        for name, kind, cells in zip(names, types, columns, strict=True)
        if kind in ARFF_KINDS and not _is_truths(cells)
    }
    return names, columns, kinds


def _has_content(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("%")


def _arff_header(lines: Iterator[tuple[int, str]]) -> tuple[list[str], list[str]]:
    names: list[str] = []
    types: list[str] = []
    for number, line in lines:
        word = line.strip().split(None, 1)[0].lower() if line.strip() else ""
        if word == "@data":
            if not names:
                raise TableContentError(number, "begins the data before any @attribute.")
            return names, types
        if word == "@attribute":
            match = ATTRIBUTE.fullmatch(line.strip())
            kind = next((t for t in ARFF_TYPES if match and match[4].lower().startswith(t)), "")
            if match is None or not kind:
                raise TableContentError(number, f"is not an attribute: {excerpt(line.strip())!r}.")
            quoted = match[1] if match[1] is not None else match[2]
            names.append(match[3] if quoted is None else re.sub(r"\\(.)", r"\1", quoted))
            types.append(kind)
        elif _has_content(line) and word != "@relation":
            raise TableContentError(number, f"is neither @attribute nor @data: {excerpt(line)!r}.")
    raise TableContentError(0, "has no @data; an ARFF file has a line @data before its samples.")


def _arff_row(number: int, line: str, width: int) -> list[str]:
    line = line.strip()
    if line.startswith("{"):
        raise TableContentError(number, "is a sparse row, which is not read; write all values.")
    quote = '"' if '"' in line and "'" not in line else "'"
    row, place, end = [], 0, ","
    while end == ",":
        cell = ARFF_CELLS[quote].match(line, place)
        if cell is None:
            raise TableContentError(number, "has a quoted value that never ends.")
        quoted, bare, end = cell.groups()
        escaped = bare if quoted is None else quoted.replace(quote * 2, quote) + bare
        row.append(re.sub(r"\\(.?)", r"\1", escaped).strip())
        place = cell.end()
    if len(row) != width:
        attributes = counted(width, "attribute")
        problem = f"has {counted(len(row), 'value')}, but there {'is' if width == 1 else 'are'}"
        raise TableContentError(number, f"{problem} {attributes}.")
    return row


def _is_truths(cells: Any) -> bool:
    present = {cell.lower() for cell in cells if cell.lower() not in SPELLINGS}
    return any(present <= truths for truths in ({"0", "1"}, {"yes", "no"}, {"true", "false"}))
