"""Tables in delimited text: how they are laid out, and their cells, which polars reads."""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice
from typing import Any, NamedTuple

from clustraint.tables._content import FALLBACK, WORDS, FileContent
from clustraint.tables._numbers import MISSING, PLAIN, decimal_vote, sample_dtype
from clustraint.tables.delimited import TableContentError, read_rows
from clustraint.wording import counted, excerpt

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "pipe"}
# Rows by which the layout is recognised, and characters in which they are.
N_SAMPLED = 50
MOST_SAMPLED = 200_000
# Rows by which plain numbers are recognised, so that polars reads them as such.
N_TYPED = 1000
SEPARATOR_LINE = re.compile(r'\s*"?sep=(.)"?\s*(?:\r\n|\n|\r|\Z)', re.I)
# Up to here cells stay texts, so that they can be written again as they were, and lines that are
# too short are counted. Beyond, time and memory count more.
SMALL = 5_000_000
EMPTY = "is empty; a table has a line of column names and one line per sample."


class TextLayout(NamedTuple):
    """How a text is divided: `skipped` lines, then perhaps a line of names, then rows."""

    delimiter: str
    skipped: int
    names: list[str]
    has_header: bool
    notes: tuple[str, ...]


class DelimitedTable(NamedTuple):
    """The cells of a text, the delimiter that separates them, and what was decided."""

    frame: Any
    delimiter: str
    notes: tuple[str, ...]


def read_delimited(
    file: FileContent, delimiter: str | None, encoding: str | None, decimal: str | None
) -> DelimitedTable:
    """Return the cells of a delimited text; columns of plain numbers are numbers already."""
    codec = file.encoding(encoding)
    head = file.head_text(codec)
    if not head.strip():
        raise TableContentError(0, EMPTY)
    layout = _layout(head, delimiter, file.is_whole)
    notes = list(layout.notes)
    if encoding is None and codec != "utf-8-sig":
        notes.insert(0, _not_utf8(codec))
    try:
        frame = _by_polars(file, codec, layout, decimal)
    except _NotForPolarsError:
        if encoding is None and codec == "utf-8-sig" and not _is_utf8(file.content):
            # Only beyond the head is there something that is not UTF-8.
            table = read_delimited(file, delimiter, FALLBACK, decimal)
            return table._replace(notes=(_not_utf8(FALLBACK), *table.notes))
        frame, short = _by_rows(file.text(codec), layout)
    else:
        short = _count_short(file, codec, frame, layout)
    if not len(frame):
        raise TableContentError(0, "holds column names only, and no sample.")
    if short:
        lines = "1 line has" if short == 1 else f"{short:,} lines have"
        notes.append(f"{lines} fewer values than there are columns; the rest counts as missing.")
    return DelimitedTable(frame, layout.delimiter, tuple(notes))


def _not_utf8(codec: str) -> str:
    return f"The file is not UTF-8; it is read as {WORDS[codec]} (encoding=)."


def _is_utf8(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


class _NotForPolarsError(Exception):
    """A text that polars does not read, or not as it is meant."""


def _by_polars(file: FileContent, codec: str, layout: TextLayout, decimal: str | None) -> Any:
    import polars as pl

    is_old_mac = b"\r" in file.head and b"\n" not in file.head
    # polars takes a quote inside of a cell for the begin of one that goes on over lines.
    is_odd = any('"' in name for name in layout.names)
    if len(layout.delimiter.encode()) != 1 or is_old_mac or is_odd:
        raise _NotForPolarsError
    is_utf8 = codec in ("utf-8", "utf-8-sig", "ascii")
    if is_utf8:
        source: Any = file.path if file.path is not None else file.content
    else:
        source = file.text(codec).encode("utf-8", "surrogatepass")
    options: dict[str, Any] = {
        "has_header": False,
        "separator": layout.delimiter,
        "skip_rows": layout.skipped + layout.has_header,
    }
    texts = dict.fromkeys(layout.names, pl.String)
    try:
        if _is_small(file):
            return pl.read_csv(source, schema=texts, **options)
        missing = sorted(MISSING)
        sample = pl.read_csv(source, schema=texts, n_rows=N_TYPED, null_values=missing, **options)
        types = _types(sample, decimal)
        # To look for spellings of missing values takes time, and only numbers need it.
        for null_values in (None, missing):
            try:
                return pl.read_csv(source, schema=types, null_values=null_values, **options)
            except pl.exceptions.PolarsError:
                continue
        # What looked like numbers is not all numbers.
        return pl.read_csv(source, schema=texts, **options)
    except (pl.exceptions.PolarsError, UnicodeError, OSError):
        raise _NotForPolarsError from None


def _is_small(file: FileContent) -> bool:
    return file.size <= SMALL


def _types(sample: Any, decimal: str | None) -> dict[str, Any]:
    """Return as what each column is read: plain numbers as such, anything else as text."""
    votes = {decimal_vote(sample[name]) for name in sample.columns}
    comma = decimal == "," or (decimal is None and "," in votes)
    return {name: sample_dtype(sample[name], comma) for name in sample.columns}


def _by_rows(text: str, layout: TextLayout) -> tuple[Any, int]:
    """Return the cells as texts, or raise where the text is wrong, and count short lines."""
    import polars as pl

    rows, short, width = [], 0, len(layout.names)
    lines = islice(read_rows(text, layout.delimiter, longest=2**30), layout.has_header, None)
    for line, row in _after(lines, layout.skipped):
        if len(row) > width and any(cell.strip() for cell in row[width:]):
            name = DELIMITERS.get(layout.delimiter, repr(layout.delimiter))
            raise TableContentError(
                line,
                f"has {counted(len(row), 'value')}, but there {'is' if width == 1 else 'are'} "
                f"{counted(width, 'column')} (separated by {name}s); "
                "put values that hold the delimiter in double quotes, or name another delimiter.",
            )
        short += len(row) < width
        rows.append((row + [None] * (width - len(row)))[:width])
    schema = dict.fromkeys(layout.names, pl.String)
    return pl.DataFrame(rows, schema=schema, orient="row"), short


def _after(rows: Any, skipped: int) -> Any:
    return ((line, row) for line, row in rows if line > skipped)


def _count_short(file: FileContent, codec: str, frame: Any, layout: TextLayout) -> int:
    """Return how many lines are too short, which polars fills up in silence."""
    if frame.width < 2 or not frame[:, -1].null_count() or not _is_small(file):
        return 0
    rows = read_rows(file.text(codec), layout.delimiter)
    try:
        return sum(len(row) < frame.width for _, row in _after(rows, layout.skipped))
    except TableContentError:
        return 0


def _layout(head: str, delimiter: str | None, is_whole: bool) -> TextLayout:
    skipped, notes = 0, []
    if match := SEPARATOR_LINE.match(head):
        delimiter, skipped = delimiter or match[1], 1
    text = head[:MOST_SAMPLED]
    is_whole = is_whole and len(text) == len(head)
    is_chosen = delimiter is not None
    delimiter = _delimiter(text, skipped, is_whole) if delimiter is None else delimiter
    records = _sampled(text, delimiter, skipped, is_whole)
    if not records:
        raise TableContentError(0, EMPTY)
    width = _width(records)
    first = next(place for place, (_, row) in enumerate(records) if len(row) >= width)
    line, header = records[first]
    skipped = max(skipped, line - 1)
    if first:
        lines = "line is" if line == 2 else f"{line - 1} lines are"
        notes.append(f"The first {lines} not part of the table.")
    if delimiter != "," and len(header) > 1:
        notes.append(f"Values are separated by {DELIMITERS.get(delimiter, repr(delimiter))}s.")
    has_header = not all(PLAIN.fullmatch(cell.strip()) for cell in header)
    if not has_header:
        notes.append("The first line holds numbers, so the columns have no names.")
        return TextLayout(delimiter, skipped, unrepeated([""] * len(header)), False, tuple(notes))
    if len(header) == 1 and is_chosen:
        _refuse_one_column(header[0], delimiter)
    names = unrepeated(header)
    again = [name for name, own in zip(names, header, strict=True) if own.strip() and name != own]
    notes += [f"A second column {excerpt(own.strip())!r} is called {excerpt(name)!r}."
              for name, own in zip(names, header, strict=True)
              if name in again and name != own.strip()]  # fmt: skip
    return TextLayout(delimiter, skipped, names, True, tuple(notes))


def _refuse_one_column(name: str, delimiter: str) -> None:
    others = [other for other in DELIMITERS if other in name]
    if others:
        raise TableContentError(
            1,
            f"has one column, {excerpt(name)!r}, if {DELIMITERS.get(delimiter, delimiter)}s"
            f" separate the values; perhaps {DELIMITERS[others[0]]}s do.",
        )


def _sampled(text: str, delimiter: str, skipped: int, is_whole: bool) -> list[Any]:
    """Return the first records; the last one may be cut off."""
    records = []
    try:
        for line, row in read_rows(text, delimiter):
            if line > skipped:
                records.append((line, row))
            if len(records) == N_SAMPLED + 1:
                break
    except TableContentError as error:
        if not records or is_whole:
            raise error
    return records[:-1] if len(records) > 2 and not is_whole else records[:N_SAMPLED]


def _width(records: list[Any]) -> int:
    """Return how many columns there are: as many as most rows have, or all but a few."""
    widths = Counter(len(row) for _, row in records)
    width, _ = max(widths.items(), key=lambda item: (item[1], item[0]))
    # A header with more names than most rows have values: the rows are short.
    return max(width, len(records[0][1])) if width > 1 else width


def _delimiter(text: str, skipped: int, is_whole: bool) -> str:
    """Return the delimiter by which most of the first records have the same number of values."""
    best, most = ",", (0.0, 1)
    for delimiter in DELIMITERS:
        try:
            records = _sampled(text, delimiter, skipped, is_whole)
        except TableContentError:
            continue
        if not records:
            continue
        (width, count), *_ = Counter(len(row) for _, row in records).most_common(1)
        share = count / len(records)
        if width > 1 and share > 0.5 and (share > 0.9, width) > (most[0] > 0.9, most[1]):
            best, most = delimiter, (share, width)
    if most[1] == 1:
        first = text.lstrip().split("\n", 1)[0]
        best = max(DELIMITERS, key=first.count)
    return best


def unrepeated(names: list[str]) -> list[str]:
    """Return names of columns, each of them once and none of them empty."""
    own = {name.strip() for name in names}
    result: list[str] = []
    for place, name in enumerate(names, start=1):
        base = name.strip() or f"column {place}"
        unique, number = base, 2
        while unique in result or (unique in own and unique != name.strip()):
            unique, number = f"{base} ({number})", number + 1
        result.append(unique)
    return result
