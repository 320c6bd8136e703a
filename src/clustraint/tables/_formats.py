"""Formats of tables: delimited text, lines of JSON, ARFF and Parquet."""

from __future__ import annotations

import io
import itertools
import json
import re
from collections.abc import Iterator
from typing import Any

from clustraint.exceptions import MissingPackageError
from clustraint.tables._kinds import MISSING, RawTable
from clustraint.tables.delimited import TableContentError, read_rows
from clustraint.wording import counted, excerpt

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "pipe"}
# Longer than any document that is one cell.
LONGEST_CELL = 2**30
# Rows by which a delimiter is recognised, and characters in which they are.
N_SAMPLED = 50
MOST_SAMPLED = 200_000


def parse_delimited(text: str, delimiter: str | None) -> RawTable:
    """Return a table of values that commas, semicolons, tabs or pipes separate."""
    delimiter = _delimiter(text) if delimiter is None else delimiter
    header, rows = _records(text, delimiter)
    names = _header(header, delimiter)
    columns: list[Any] = list(zip(*rows, strict=True))
    note = f"Values are separated by {DELIMITERS.get(delimiter, repr(delimiter))}s."
    notes = (note,) if len(names) > 1 and delimiter != "," else ()
    return RawTable(names, columns, decimal_comma=delimiter == ";", notes=notes)


def _records(text: str, delimiter: str) -> tuple[list[str], list[list[str]]]:
    records = read_rows(text, delimiter, LONGEST_CELL)
    _, header = next(records, (0, []))
    if not header:
        raise TableContentError(
            0, "is empty; a table has a line of column names and one line per sample."
        )
    rows = []
    for line, row in records:
        if len(row) != len(header):
            _refuse_ragged(line, row, header, delimiter)
        rows.append(row)
    if not rows:
        raise TableContentError(0, "holds column names only, and no sample.")
    return header, rows


def _refuse_ragged(line: int, row: list[str], header: list[str], delimiter: str) -> None:
    name = DELIMITERS.get(delimiter, repr(delimiter))
    raise TableContentError(
        line,
        f"has {counted(len(row), 'value')}, but there {'is' if len(header) == 1 else 'are'} "
        f"{counted(len(header), 'column name')} (separated by {name}s); "
        "put values that hold the delimiter in double quotes, or name another delimiter.",
    )


def _delimiter(text: str) -> str:
    """Return the delimiter by which the first records have the same, largest number of values."""
    best, most = ",", 1
    for delimiter in DELIMITERS:
        sizes: list[int] = []
        try:
            for _, row in itertools.islice(read_rows(text[:MOST_SAMPLED], delimiter), N_SAMPLED):
                sizes.append(len(row))
        except TableContentError:
            if len(text) <= MOST_SAMPLED:
                continue
        # The last record may be cut off.
        sizes = sizes[:-1] if len(sizes) > 2 else sizes
        if sizes and len(set(sizes)) == 1 and sizes[0] > most:
            best, most = delimiter, sizes[0]
    if most == 1:
        first = text.lstrip().split("\n", 1)[0]
        best = max(DELIMITERS, key=first.count)
    return best


def _header(header: list[str], delimiter: str) -> list[str]:
    names = [name.strip() or f"column {place}" for place, name in enumerate(header, start=1)]
    if len(names) == 1:
        others = [other for other in DELIMITERS if other in names[0]]
        if others:
            raise TableContentError(
                1,
                f"has one column, {excerpt(names[0])!r}, if {DELIMITERS.get(delimiter, delimiter)}s"
                f" separate the values; perhaps {DELIMITERS[others[0]]}s do.",
            )
    if all(_is_number(name) for name in header):
        raise TableContentError(
            1, "holds numbers only, where the names of the columns should be; add a line of names."
        )
    return unrepeated(names, 1)


def unrepeated(names: list[str], line: int) -> list[str]:
    """Return names of columns, or raise where one is there twice."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise TableContentError(
                line, f"names two columns {excerpt(name)!r}; rename one of them."
            )
        seen.add(name)
    return names


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def parse_json_lines(text: str, delimiter: str | None = None) -> RawTable:
    """Return a table of one JSON object per line."""
    records: list[dict[str, Any]] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            records.append(_json_record(number, line))
    if not records:
        raise TableContentError(0, "is empty; a table has one line per sample.")
    names = list(dict.fromkeys(name for record in records for name in record))
    if not names:
        raise TableContentError(0, "holds samples without any value.")
    return RawTable(names, [[record.get(name) for record in records] for name in names])


def _json_record(number: int, line: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (json.JSONDecodeError, RecursionError) as error:
        problem = getattr(error, "msg", "too deep")
        raise TableContentError(number, f"is not JSON ({problem}).") from None
    except ValueError:  # a number of very many digits
        raise TableContentError(number, "holds a number of too many digits.") from None
    if not isinstance(record, dict):
        raise TableContentError(number, f"must be a JSON object, but is {excerpt(line.strip())!r}.")
    for name, value in record.items():
        if isinstance(value, list | dict):
            problem = f"holds {excerpt(json.dumps(value))!r} as {excerpt(name)!r}"
            raise TableContentError(
                number, f"{problem}; values are texts, numbers, truths or null."
            )
    return record


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


def parse_arff(text: str, delimiter: str | None = None) -> RawTable:
    """Return a table of Weka's format; sparse rows are not read."""
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
    return RawTable(unrepeated(names, 0), columns, kinds)


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
    present = {cell.lower() for cell in cells if cell not in MISSING}
    return any(present <= truths for truths in ({"0", "1"}, {"yes", "no"}, {"true", "false"}))


def parse_parquet(content: bytes) -> RawTable:
    """Return a table of Apache Parquet."""
    try:
        import pyarrow.parquet as parquet
        from pyarrow import ArrowException
    except ImportError:
        raise MissingPackageError("reading a Parquet file", "pyarrow", "parquet") from None
    try:
        table = parquet.read_table(io.BytesIO(content))
    except (ArrowException, OSError) as error:
        raise TableContentError(0, f"is not a Parquet file ({excerpt(str(error))}).") from None
    if not table.num_rows:
        raise TableContentError(0, "holds column names only, and no sample.")
    names = unrepeated([str(name) for name in table.column_names], 0)
    return RawTable(names, [_parquet_cells(table, place) for place in range(len(names))])


def _parquet_cells(table: Any, place: int) -> list[Any]:
    cells = table.column(place).to_pylist()
    strange = {type(cell) for cell in cells} - {str, int, float, bool, type(None)}
    if strange & {list, dict, bytes}:
        name = excerpt(table.column_names[place])
        raise TableContentError(0, f"holds lists, structures or bytes in column {name!r}; drop it.")
    return [str(cell) if type(cell) in strange else cell for cell in cells]
