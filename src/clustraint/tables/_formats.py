"""Formats of tables, and what each becomes: a frame of cells as they are."""

from __future__ import annotations

import io
import json
import re
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from clustraint.exceptions import MissingPackageError
from clustraint.tables._arff import parse_arff
from clustraint.tables._columns import is_missing
from clustraint.tables._content import WORDS, FileContent, check_encoding
from clustraint.tables._delimited_files import EMPTY, read_delimited, unrepeated
from clustraint.tables._table_column import Kind
from clustraint.tables.delimited import TableContentError
from clustraint.wording import excerpt, listed, near_matches

Format: TypeAlias = Literal[
    "csv", "tsv", "json", "jsonl", "arff", "parquet", "arrow", "excel", "sqlite", "numpy"
]

SUFFIXES = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".arff": "arff",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".xlsx": "excel",
    ".xlsm": "excel",
    ".xlsb": "excel",
    ".xls": "excel",
    ".ods": "excel",
    ".sqlite": "sqlite",
    ".sqlite3": "sqlite",
    ".db": "sqlite",
    ".npy": "numpy",
    ".npz": "numpy",
}
STARTS = {
    b"PAR1": "parquet",
    b"ARROW1": "arrow",
    b"SQLite format 3\0": "sqlite",
    b"\x93NUMPY": "numpy",
    b"\xd0\xcf\x11\xe0": "excel",
}
# What other files begin with, and what to do about them.
FOREIGN_STARTS = {
    b"%PDF": "is a PDF; save the table as CSV",
    b"7z\xbc\xaf": "is packed by 7-Zip; unpack it",
}
ARFF_START = re.compile(r"(?:\s*(?:%.*)?\n)*\s*@(?:relation|attribute)\s", re.I)
# What a row of sums is called.
TOTALS = ("total", "totals", "grand total", "sum", "summe", "gesamt", "insgesamt", "totale", "suma")
# Wider arrays without names are one column of vectors.
MOST_NAMELESS = 100
# Arrays of an npz file that name the columns of another one.
NAMES = ("feature_names", "columns")


@dataclass(frozen=True)
class ReadingChoices:
    """How a file is to be read, where it does not say so itself."""

    format: str | None = None
    delimiter: str | None = None
    encoding: str | None = None
    decimal: str | None = None
    sheet: str | int | None = None
    table: str | None = None


class RawTable(NamedTuple):
    """What a file holds, before anything is recognised."""

    frame: Any
    kinds: Mapping[str, Kind] = {}
    delimiter: str | None = None
    notes: tuple[str, ...] = ()
    # Names of the rows that come beside the columns, as the index of a frame of pandas.
    row_names: str | None = None


def read_raw(file: FileContent, choices: ReadingChoices) -> RawTable:
    """Return what a file holds."""
    if choices.encoding is not None:
        check_encoding(choices.encoding)
    if not file.head.strip():
        raise TableContentError(0, EMPTY)
    format = choices.format or _format_of(file)
    raw = READERS[format](file, choices)
    if not raw.frame.width:
        raise TableContentError(0, "holds samples without any value.")
    if not len(raw.frame):
        raise TableContentError(0, "holds column names only, and no sample.")
    return _with_total_noted(_without_empty_rows(_flat(raw)))


def _with_total_noted(raw: RawTable) -> RawTable:
    """Return a table with a note where its last row seems to be the sum of the others."""
    cells = (cell for cell in raw.frame.row(-1) if cell is not None)
    first = next(cells, None) if len(raw.frame) else None
    if not isinstance(first, str) or first.strip(" :").casefold() not in TOTALS:
        return raw
    note = f"The last row is called {first.strip()!r}; if it sums up the others, take it out."
    return raw._replace(notes=(*raw.notes, note))


def _format_of(file: FileContent) -> str:
    """Return the format that a file has by its content or, if that does not tell, its name."""
    head, suffix = file.head, Path(file.name).suffix.lower()
    for start, format in STARTS.items():
        if head.startswith(start):
            return format
    for start, problem in FOREIGN_STARTS.items():
        if head.startswith(start):
            raise TableContentError(0, f"{problem}.")
    if head.startswith(b"PK\x03\x04"):
        if b"xl/" in file.content or b"mimetypeapplication/vnd.oasis" in head:
            return "excel"
        if suffix == ".npz" or b".npy" in head:
            return "numpy"
        raise TableContentError(0, "is a zip file; unpack it.")
    if suffix in SUFFIXES:
        return SUFFIXES[suffix]
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1000].decode("latin-1")
    if ARFF_START.match(text):
        return "arff"
    if re.match(r"\{\s*[\"}]", text):
        return "jsonl"
    return "json" if re.match(r"\[\s*[\[{]", text) else "csv"


def _flat(raw: RawTable) -> RawTable:
    """Return a table in which the fields of structures are columns of their own."""
    import polars as pl

    frame = raw.frame
    while nested := [name for name, kind in frame.schema.items() if isinstance(kind, pl.Struct)]:
        for name in nested:
            fields = frame[name].struct.unnest()
            names = unrepeated([*(n for n in frame.columns if n != name),
                                *(f"{name}.{field}" for field in fields.columns)])  # fmt: skip
            fields.columns = names[frame.width - 1 :]
            frame = frame.drop(name).hstack(fields)
    return raw._replace(frame=frame)


def _without_empty_rows(raw: RawTable) -> RawTable:
    import polars as pl

    frame = raw.frame
    if not all(column.null_count() for column in frame):
        return raw
    kept = frame.filter(~pl.all_horizontal(pl.all().is_null()))
    n_empty = len(frame) - len(kept)
    if not n_empty or not len(kept):
        return raw
    rows = "1 empty row is" if n_empty == 1 else f"{n_empty:,} empty rows are"
    return raw._replace(frame=kept, notes=(*raw.notes, f"{rows} left out."))


def _read_delimited(file: FileContent, choices: ReadingChoices) -> RawTable:
    delimiter = choices.delimiter
    if delimiter is None and (choices.format or SUFFIXES.get(Path(file.name).suffix)) == "tsv":
        delimiter = "\t"
    table = read_delimited(file, delimiter, choices.encoding, choices.decimal)
    return RawTable(table.frame, delimiter=table.delimiter, notes=table.notes)


def _text(file: FileContent, choices: ReadingChoices) -> tuple[str, tuple[str, ...]]:
    codec = file.encoding(choices.encoding)
    text = file.text(codec)
    if not text.strip():
        raise TableContentError(0, EMPTY)
    is_guess = choices.encoding is None and codec != "utf-8-sig"
    note = f"The file is not UTF-8; it is read as {WORDS.get(codec, codec)} (encoding=)."
    return text, (note,) if is_guess else ()


def _read_arff(file: FileContent, choices: ReadingChoices) -> RawTable:
    text, notes = _text(file, choices)
    names, columns, kinds = parse_arff(text)
    unique = unrepeated(names)
    return RawTable(_frame(dict(zip(unique, columns, strict=True))), kinds, notes=notes)


def _read_json_lines(file: FileContent, choices: ReadingChoices) -> RawTable:
    text, notes = _text(file, choices)
    records = [
        _json(line, number) for number, line in enumerate(text.split("\n"), start=1) if line.strip()
    ]
    for number, record in enumerate(records, start=1):
        if not isinstance(record, dict):
            shown = excerpt(json.dumps(record))
            raise TableContentError(number, f"must be a JSON object, but is {shown!r}.")
    return RawTable(_of_records(records), notes=notes)


def _read_json(file: FileContent, choices: ReadingChoices) -> RawTable:
    text, notes = _text(file, choices)
    try:
        content = _json(text, 0)
    except TableContentError:
        # Lines of JSON in a file that is called .json.
        if text.strip().startswith("{") and "\n" in text.strip():
            return _read_json_lines(file, choices)
        raise
    if isinstance(content, dict):
        lists = {name: value for name, value in content.items() if isinstance(value, list)}
        if {"columns", "data"} <= set(lists):
            content = [dict(zip(lists["columns"], row, strict=False)) for row in lists["data"]]
        elif len(lists) == 1 and all(isinstance(row, dict) for row in next(iter(lists.values()))):
            (content,) = lists.values()
        elif len(lists) == len(content) > 0 and len({*map(len, lists.values())}) == 1:
            return RawTable(
                _frame({str(name): value for name, value in lists.items()}), notes=notes
            )
        else:
            content = [content]
    if not isinstance(content, list) or not content:
        raise TableContentError(0, "must hold a list of JSON objects, one per sample.")
    if all(isinstance(row, list) for row in content):
        width = max(map(len, content))
        content = [{f"column {i + 1}": v for i, v in enumerate(row[:width])} for row in content]
    if not all(isinstance(row, dict) for row in content):
        raise TableContentError(0, "must hold a list of JSON objects, one per sample.")
    return RawTable(_of_records(content), notes=notes)


def _json(text: str, line: int) -> Any:
    try:
        return json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        problem = getattr(error, "msg", "too deep")
        raise TableContentError(
            line or getattr(error, "lineno", 0), f"is not JSON ({problem})."
        ) from None
    except ValueError:  # a number of very many digits
        raise TableContentError(line, "holds a number of too many digits.") from None


def _of_records(records: Sequence[dict[str, Any]]) -> Any:
    if not records:
        raise TableContentError(0, EMPTY)
    names = list(dict.fromkeys(name for record in records for name in record))
    return _frame({name: [record.get(name) for record in records] for name in names})


def _frame(columns: Mapping[str, Sequence[Any]]) -> Any:
    """Return a frame of lists of anything: numbers, truths, texts, lists, and mixtures as texts."""
    import polars as pl

    series = [_series(name, list(cells)) for name, cells in columns.items()]
    frame = pl.DataFrame(series)
    frame.columns = unrepeated(frame.columns)
    return frame


def _series(name: str, cells: list[Any]) -> Any:
    import polars as pl

    kinds = {type(cell) for cell in cells} - {type(None)}
    try:
        if kinds <= {int, float}:
            if any(isinstance(cell, int) and abs(cell) >= 2**63 for cell in cells):
                return pl.Series(name, [None if c is None else str(c) for c in cells], pl.String)
            return pl.Series(name, cells, pl.Int64 if kinds == {int} else pl.Float64, strict=False)
        if len(kinds) == 1 and kinds <= {str, bool, list, dict}:
            return pl.Series(name, cells, strict=list not in kinds)
        if all(kind.__module__ in ("datetime", "decimal") for kind in kinds) and len(kinds) == 1:
            return pl.Series(name, cells)
    except (pl.exceptions.PolarsError, TypeError, ValueError, OverflowError):
        pass
    return pl.Series(name, [None if cell is None else _as_text(cell) for cell in cells], pl.String)


def _as_text(cell: Any) -> str:
    if isinstance(cell, list | dict):
        return json.dumps(cell, ensure_ascii=False, default=str)
    text = cell.decode("utf-8", "replace") if isinstance(cell, bytes) else str(cell)
    return text.encode("utf-8", "replace").decode()


def _read_parquet(file: FileContent, choices: ReadingChoices) -> RawTable:
    return RawTable(_by_polars(file, "read_parquet", "a Parquet file"))


def _read_arrow(file: FileContent, choices: ReadingChoices) -> RawTable:
    try:
        return RawTable(_by_polars(file, "read_ipc", "an Arrow file"))
    except TableContentError:
        return RawTable(_by_polars(file, "read_ipc_stream", "an Arrow file"))


def _by_polars(file: FileContent, reader: str, what: str) -> Any:
    import polars as pl

    source: Any = io.BytesIO(file.content) if file.path is None else file.path
    try:
        return getattr(pl, reader)(source)
    # Broken files also end in a panic of the library behind polars.
    except (pl.exceptions.PolarsError, OSError, ValueError, pl.exceptions.PanicException) as error:
        problem = excerpt(" ".join(str(error).split()))
        raise TableContentError(0, f"is not {what} that can be read ({problem}).") from None


def _read_excel(file: FileContent, choices: ReadingChoices) -> RawTable:
    try:
        import fastexcel
    except ImportError:
        raise MissingPackageError("reading a spreadsheet", "fastexcel", "excel") from None
    try:
        book = fastexcel.read_excel(file.content)
        sheets = list(book.sheet_names)
        sheet = _chosen(choices.sheet, sheets, "sheet")
        top = _top(book, sheet)
        if choices.sheet is None:
            # Books often begin with a sheet of remarks.
            tops = ((name, _top(book, name)) for name in sheets)
            sheet, top = next((each for each in tops if _is_table(each[1])), (sheet, top))
        frame = _below_header(book, sheet, top) if top.width else top
    except fastexcel.FastExcelError as error:
        problem = excerpt(str(error).split("\n")[0])
        raise TableContentError(0, f"is not a spreadsheet that can be read ({problem}).") from None
    notes: tuple[str, ...] = ()
    if len(sheets) > 1 and choices.sheet is None:
        others = listed([repr(name) for name in sheets if name != sheet][:5])
        notes = (f"Read from the sheet {sheet!r} (sheet=); the file also has {others}.",)
    if not frame.width:
        raise TableContentError(0, f"holds nothing in the sheet {sheet!r} (sheet=).")
    return RawTable(frame, notes=notes)


def _top(book: Any, sheet: str) -> Any:
    """Return the first rows of a sheet as texts, from which its header is found."""
    return book.load_sheet(sheet, header_row=None, n_rows=50, dtypes="string").to_polars()


def _is_table(top: Any) -> bool:
    """Say whether there are several rows of which one at least fills two columns."""
    return len(top) > 1 and top.width > 1 and bool((top.width - _n_empty(top)).max() > 1)


def _n_empty(top: Any) -> Any:
    import polars as pl

    return pl.DataFrame([column.is_null().cast(int) for column in top]).sum_horizontal()


def _below_header(book: Any, sheet: str, top: Any) -> Any:
    """Return the rows below the first row that is filled as the others are."""
    filled = top.width - _n_empty(top)
    first = int((filled >= max(1, 0.5 * filled.max())).arg_max() or 0)
    frame = book.load_sheet(sheet, header_row=first).to_polars()
    names = [cell or "" for cell in top.row(first)]
    frame.columns = unrepeated(names + [""] * (frame.width - len(names)))
    return frame


def _chosen(chosen: str | int | None, names: list[str], what: str) -> str:
    """Return the sheet or table to read."""
    if not names:
        raise TableContentError(0, f"holds no {what}.")
    if chosen is None:
        return names[0]
    if chosen in names:
        return str(chosen)
    if str(chosen).isdigit() and 1 <= int(chosen) <= len(names):
        return names[int(chosen) - 1]
    hint = near_matches(str(chosen), names) or f"; there are {listed(map(repr, names[:10]))}."
    raise TableContentError(0, f"has no {what} {excerpt(str(chosen))!r} ({what}=){hint}")


def _read_sqlite(file: FileContent, choices: ReadingChoices) -> RawTable:
    try:
        if file.path is not None:
            uri = f"{file.path.absolute().as_uri()}?mode=ro"
            connection = sqlite3.connect(uri, uri=True)
        else:
            connection = sqlite3.connect(":memory:")
            connection.deserialize(file.content)
        with closing(connection):
            connection.text_factory = lambda cell: cell.decode("utf-8", "replace")
            return _queried(connection, choices.table)
    except sqlite3.Error as error:
        raise TableContentError(0, f"cannot be read by SQLite: {error} (table=).") from None


def _queried(connection: sqlite3.Connection, table: str | None) -> RawTable:
    listing = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY rowid"
    names = [name for (name,) in connection.execute(listing) if not name.startswith("sqlite_")]
    notes: tuple[str, ...] = ()
    is_query = table is not None and table not in names and " " in table.strip()
    if is_query:
        query = str(table)
    else:
        name = _chosen(table, names, "table")
        quoted = name.replace('"', '""')
        query = f'SELECT * FROM "{quoted}"'
        others = listed([repr(other) for other in names if other != name][:5])
        note = f"Read from the table {name!r} (table=); the file also has {others}."
        notes = (note,) if table is None and len(names) > 1 else ()
    cursor = connection.execute(query)
    if cursor.description is None:
        raise TableContentError(0, "gives no rows for this query (table=); begin it with SELECT.")
    columns = unrepeated([each[0] for each in cursor.description])
    rows = cursor.fetchall()
    cells = zip(*rows, strict=True) if rows else [[] for _ in columns]
    return RawTable(_frame(dict(zip(columns, cells, strict=True))), notes=notes)


def _read_numpy(file: FileContent, choices: ReadingChoices) -> RawTable:
    try:
        loaded = np.load(io.BytesIO(file.content), allow_pickle=False)
        arrays = {"": loaded} if isinstance(loaded, np.ndarray) else dict(loaded)
    except Exception as error:  # numpy raises ValueError, EOFError, zipfile's and tokenize's errors
        problem = excerpt(" ".join(str(error).split()))
        raise TableContentError(
            0, f"is not an array of numbers or texts that can be read ({problem})."
        ) from None
    return RawTable(of_arrays(arrays))


def of_arrays(arrays: Mapping[str, Any]) -> Any:
    """Return a frame of arrays by name; two-dimensional ones are several columns or vectors."""
    import polars as pl

    names = [arrays[key] for key in NAMES if key in arrays]
    lengths = {len(each) for each in arrays.values() if each.ndim == 2}
    columns: dict[str, Any] = {}
    for key, array in arrays.items():
        if array.dtype.names:
            columns |= {name: array[name].tolist() for name in array.dtype.names}
        elif array.ndim == 2 and array.dtype.kind in "buif":
            own = next((list(map(str, n)) for n in names if len(n) == array.shape[1]), None)
            if own is None and array.shape[1] > MOST_NAMELESS:
                columns[key or "vector"] = pl.Series(array.astype(np.float64).tolist())
            else:
                prefix = key if key not in ("", "X", "data") else "x"
                listed_names = own or [f"{prefix}{i}" for i in range(array.shape[1])]
                columns |= {n: array[:, i] for i, n in enumerate(listed_names)}
        elif array.ndim == 1 and (len(array) in lengths if lengths else key not in NAMES):
            columns[key or "x0"] = array
    sizes = {len(cells) for cells in columns.values()}
    if not columns or len(sizes) != 1:
        raise TableContentError(0, "holds no array of one row per sample.")
    series = [
        pl.Series(str(name), cells, nan_to_null=True)
        if isinstance(cells, np.ndarray) and cells.dtype.kind in "buif"
        else (cells.alias(str(name)) if isinstance(cells, pl.Series)
              else _series(str(name), np.asarray(cells).tolist()))
        for name, cells in columns.items()
    ]  # fmt: skip
    frame = pl.DataFrame([each.alias(str(i)) for i, each in enumerate(series)])
    frame.columns = unrepeated([str(name) for name in columns])
    return frame


def of_frame(table: Any) -> RawTable:
    """Return a frame of pandas, polars or Arrow, an array, or a mapping, as one of polars."""
    import polars as pl

    if isinstance(table, pl.LazyFrame):
        table = table.collect()
    if isinstance(table, pl.DataFrame):
        return RawTable(table)
    if hasattr(table, "iloc"):
        return _of_pandas(table)
    if isinstance(table, np.ndarray):
        return RawTable(of_arrays({"": table}))
    if isinstance(table, Mapping):
        return RawTable(_frame({str(k): np.asarray(v).tolist() for k, v in table.items()}))
    return RawTable(pl.DataFrame(table))


def _of_pandas(table: Any) -> RawTable:
    import polars as pl

    columns, index = [], None
    names = [str(name) for name in table.columns]
    if not hasattr(table.index, "start"):  # pandas numbers rows by a range where they have no names
        index = str(table.index.name or "index")
        names = [index, *names]
        columns.append(_series(index, [_plain_cell(each) for each in table.index.tolist()]))
    for place in range(table.shape[1]):
        cells = table.iloc[:, place]
        if getattr(cells.dtype, "kind", "O") in "buif" and isinstance(cells.dtype, np.dtype):
            columns.append(pl.Series("", cells.to_numpy(), nan_to_null=True))
        elif getattr(cells.dtype, "kind", "O") == "M" and isinstance(cells.dtype, np.dtype):
            columns.append(pl.Series("", cells.to_numpy().astype("datetime64[us]")))
        else:
            columns.append(_series("", [_plain_cell(each) for each in cells.tolist()]))
    frame = pl.DataFrame([each.alias(str(i)) for i, each in enumerate(columns)])
    unique = unrepeated(names)
    frame.columns = unique
    kinds: Any = {
        name: "nominal"
        for name, place in zip(unique[len(unique) - table.shape[1] :], range(table.shape[1]),
                               strict=True)
        if hasattr(table.dtypes.iloc[place], "categories")
    }  # fmt: skip
    return RawTable(frame, kinds, row_names=index)


def _plain_cell(cell: Any) -> Any:
    """Return a cell of pandas as one of Python, None where it is missing."""
    if is_missing(cell):
        return None
    if isinstance(cell, np.generic):
        return cell.item()
    return cell.to_pydatetime() if hasattr(cell, "to_pydatetime") else cell


READERS: dict[str, Callable[[FileContent, ReadingChoices], RawTable]] = {
    "csv": _read_delimited,
    "tsv": _read_delimited,
    "json": _read_json,
    "jsonl": _read_json_lines,
    "arff": _read_arff,
    "parquet": _read_parquet,
    "arrow": _read_arrow,
    "excel": _read_excel,
    "sqlite": _read_sqlite,
    "numpy": _read_numpy,
}
