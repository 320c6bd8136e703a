"""Reading a user's file, whatever its format, into a table of samples."""

from __future__ import annotations

import codecs
import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any, Literal, TypeAlias

from clustraint.exceptions import DatasetFileError, InvalidParameterError
from clustraint.tables._formats import (
    parse_arff,
    parse_delimited,
    parse_json_lines,
    parse_parquet,
)
from clustraint.tables._kinds import ColumnChoices, RawTable, recognised
from clustraint.tables._sample_table import SampleTable
from clustraint.tables.delimited import TableContentError

Format: TypeAlias = Literal["csv", "tsv", "parquet", "jsonl", "arff"]
Source: TypeAlias = str | os.PathLike[str] | IO[bytes]

FORMATS: dict[str, Callable[[str, str | None], RawTable]] = {
    "csv": parse_delimited,
    "tsv": parse_delimited,
    "jsonl": parse_json_lines,
    "arff": parse_arff,
}
SUFFIXES = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".arff": "arff",
}
ARFF_START = re.compile(r"(?:\s*(?:%.*)?\n)*\s*@(?:relation|attribute)\s", re.I)
JSON_START = re.compile(r"\s*\{\s*[\"}]")
PARQUET_START = b"PAR1"
# What other files begin with, and what to do about them.
BINARY_STARTS = {
    b"PK\x03\x04": "is a zip file or an Excel workbook; save the table as CSV",
    b"\xd0\xcf\x11\xe0": "is an old Excel or Word file; save the table as CSV",
    b"\x1f\x8b": "is compressed by gzip; unpack it",
    b"BZh": "is compressed by bzip2; unpack it",
    b"\xfd7zXZ": "is compressed by xz; unpack it",
    b"%PDF": "is a PDF; save the table as CSV",
}
EMPTY = "is empty; a table has a line of column names and one line per sample."
NO_DELIMITERS = '"\r\n'
UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def read_table(
    path: Source,
    *,
    id_column: str | None = None,
    drop: Sequence[str] = (),
    numeric: Sequence[str] = (),
    nominal: Sequence[str] = (),
    text: Sequence[str] = (),
    delimiter: str | None = None,
    encoding: str | None = None,
    format: Format | None = None,
) -> SampleTable:
    r"""Read a table of samples, one per row, and recognise what its columns are.

    Parameters
    ----------
    path : str, path or binary file
        A CSV, TSV, Parquet, JSONL or ARFF file, or "-" for standard input. Of delimited text, the
        first line names the columns.
    id_column : str, optional
        The column that names the samples; its values must be unique. By default the first column
        of different values that are neither numbers nor texts of many words.
    drop : sequence of str
        Columns to leave out.
    numeric, nominal, text : sequence of str
        Columns that are of this kind, whatever they look like. Otherwise a column of numbers is
        numeric, of 0 and 1, yes and no, or true and false binary, of many words and mostly
        different values text, and any other nominal. Columns that have always the same value, no
        value, or a different name for each sample are left out: see `left_out`.
    delimiter : str, optional
        One character; by default that of comma, semicolon, tab and pipe which gives most columns.
    encoding : str, optional
        Text encoding; by default UTF-8, or UTF-16 where the file begins with its mark.
    format : {"csv", "tsv", "parquet", "jsonl", "arff"}, optional
        By default what the name of the file says, or its content.

    Returns
    -------
    SampleTable

    Raises
    ------
    DatasetFileError
        If the file cannot be read, or its ids are not unique.
    UnknownColumnError
        If a column is not there.

    Notes
    -----
    Missing values are empty cells, ``?``, ``NA`` and ``nan``; they stay missing. After a
    semicolon as the delimiter, ``1,5`` is a number.

    Examples
    --------
    >>> import io
    >>> read_table(io.BytesIO(b"name;legs;color\ndog;4;brown\nhen;2;?\nelk;4;brown\n"))
    SampleTable(3 samples: legs (numeric), color (nominal); names from name)
    """
    source, raw = _raw(path, delimiter, encoding, format)
    choices = ColumnChoices.of(
        source, raw.names, id_column, drop, numeric=numeric, nominal=nominal, text=text
    )
    return recognised(raw, choices, source)


def read_raw_table(
    path: Source,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    format: Format | None = None,
) -> RawTable:
    r"""Read the cells of a table as they are, without recognising what its columns are.

    Parameters
    ----------
    path, delimiter, encoding, format
        As for `read_table`.

    Returns
    -------
    RawTable

    Raises
    ------
    DatasetFileError
        If the file cannot be read.

    Examples
    --------
    >>> import io
    >>> read_raw_table(io.BytesIO(b"id,cluster\ndog,1\nhen,2\n")).columns
    [('dog', 'hen'), ('1', '2')]
    """
    return _raw(path, delimiter, encoding, format)[1]


def _raw(
    path: Source, delimiter: str | None, encoding: str | None, format: Format | None
) -> tuple[str, RawTable]:
    source, content = _content(path)
    if format is not None and format not in (*FORMATS, "parquet"):
        raise InvalidParameterError("format", format, f"one of {', '.join(FORMATS)}, parquet")
    if delimiter is not None and (len(delimiter) != 1 or delimiter in NO_DELIMITERS):
        rule = "one character, neither a double quote nor a line end"
        raise InvalidParameterError("delimiter", delimiter, rule)
    try:
        return source, _parsed(content, format or _format_by_name(source), delimiter, encoding)
    except TableContentError as error:
        raise DatasetFileError(source, error.line, str(error)) from None


def _content(path: Source) -> tuple[str, bytes]:
    """Return what a file is called, and what it holds."""
    if path == "-":
        return "standard input", sys.stdin.buffer.read()
    if hasattr(path, "read"):
        content: Any = path.read()
        if not isinstance(content, bytes):
            raise InvalidParameterError("path", path, "a path or a file opened in binary mode")
        return str(getattr(path, "name", "the file")), content
    try:
        return str(path), Path(path).read_bytes()
    except OSError as error:
        problem = f"cannot be read: {error.strerror or error}."
        raise DatasetFileError(path, 0, problem) from error


def _format_by_name(source: str) -> str | None:
    return SUFFIXES.get(Path(source).suffix.lower())


def _parsed(
    content: bytes, format: str | None, delimiter: str | None, encoding: str | None
) -> RawTable:
    if not content.strip():
        raise TableContentError(0, EMPTY)
    if format == "parquet" or (format is None and content.startswith(PARQUET_START)):
        return parse_parquet(content)
    text = _decoded(content, encoding)
    if not text.strip():
        raise TableContentError(0, EMPTY)
    format = format or _format_by_content(text)
    return FORMATS[format](text, "\t" if format == "tsv" and delimiter is None else delimiter)


def _format_by_content(text: str) -> str:
    if ARFF_START.match(text):
        return "arff"
    return "jsonl" if JSON_START.match(text) else "csv"


def _decoded(content: bytes, encoding: str | None) -> str:
    """Return bytes as text, or raise where they are not text."""
    if encoding is not None:
        return _decoded_as(content, encoding)
    for start, problem in BINARY_STARTS.items():
        if content.startswith(start):
            raise TableContentError(0, f"{problem}.")
    if content.startswith(UTF16):
        return _decoded_as(content, "utf-16")
    if b"\0" in content[:8192]:
        raise TableContentError(0, "is a binary file, not a table in text.")
    return _decoded_as(content, "utf-8-sig")


def _decoded_as(content: bytes, encoding: str) -> str:
    try:
        return content.decode(encoding)
    except LookupError:
        raise InvalidParameterError("encoding", encoding, "one that Python knows") from None
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        name = {"utf-8-sig": "UTF-8"}.get(encoding, encoding)
        problem = f"is not {name} text (byte {error.object[error.start]:#04x})"
        way_out = "save the file as UTF-8, or name its encoding, such as latin-1."
        raise TableContentError(line, f"{problem}; {way_out}") from None
