"""Rows of files, read chunk by chunk: Parquet by Arrow batches, CSV as Parquet, mapped arrays."""

from __future__ import annotations

import tempfile
import weakref
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from clustraint.exceptions import (
    ClustraintError,
    MissingPackageError,
    RowsFileError,
    UnknownColumnError,
)
from clustraint.rows._rows import ArrayRows, LocalRows, Rows, default_rows, paths_of
from clustraint.tables import read_columns
from clustraint.typing import IntArray
from clustraint.wording import excerpt


def open_rows(
    path: Any, columns: Sequence[str] | None, id_column: str | None, chunk_rows: int | None
) -> Rows:
    """Open files by their ending."""
    paths = paths_of(path)
    if not paths:
        raise RowsFileError(path, "there is no such file")
    for each in paths:
        if not each.is_file():
            raise RowsFileError(each, "there is no such file")
    endings = {each.suffix.lower() for each in paths}
    if endings == {".npy"}:
        return _mapped(paths, columns, id_column, chunk_rows)
    if endings <= {".csv", ".tsv", ".txt"}:
        return _converted(paths, columns, id_column, chunk_rows)
    if endings <= {".parquet", ".pq", ".parq"}:
        return ParquetRows(paths, columns, id_column, chunk_rows)
    raise RowsFileError(paths[0], "only .parquet, .csv, .tsv and .npy files are read by chunks")


def _mapped(
    paths: Sequence[Path],
    columns: Sequence[str] | None,
    id_column: str | None,
    chunk_rows: int | None,
) -> Rows:
    if len(paths) > 1 or columns is not None or id_column is not None:
        raise RowsFileError(paths[0], "an .npy file is read alone, and its columns have no names")
    try:
        array = np.load(paths[0], mmap_mode="r")
    except (ValueError, OSError) as error:
        raise RowsFileError(paths[0], f"it holds no array of numbers ({error})") from None
    if array.ndim != 2 or array.dtype.kind not in "fiub":
        raise RowsFileError(paths[0], f"it must hold a 2-D array of numbers, not {array.shape}")
    return ArrayRows(array, chunk_rows)


def _arrow(name: str) -> Any:
    try:
        from importlib import import_module

        return import_module(name)
    except ImportError:
        raise MissingPackageError("reading files by chunks", "pyarrow", "dask") from None


class ParquetRows(LocalRows):
    """Rows of Parquet files; a chunk is an Arrow batch of a row group."""

    def __init__(
        self,
        paths: Sequence[Path],
        columns: Sequence[str] | None = None,
        id_column: str | None = None,
        chunk_rows: int | None = None,
    ) -> None:
        parquet = _arrow("pyarrow.parquet")
        self.paths = list(paths)
        self._id_column = id_column
        # The footer says how many rows each row group has, so that nothing is read to count.
        footers = [self._footer(parquet, path) for path in self.paths]
        schemas = [footer.schema.to_arrow_schema() for footer in footers]
        every = schemas[0].names
        named = () if id_column is None else (id_column,)
        for name in (*(columns or ()), *named):
            if name not in every:
                raise UnknownColumnError(name, every, str(self.paths[0]))
        chosen = every if columns is None else columns
        self._names = tuple(name for name in chosen if name != id_column)
        self._parts = list(zip(self.paths, footers, schemas, strict=True))
        self._chunk_rows = chunk_rows or default_rows(len(self._names))

    @cached_property
    def _groups(self) -> list[tuple[Path, int, int]]:
        """The row groups, of parts that are alike in the columns that are read."""
        named = () if self._id_column is None else (self._id_column,)
        for path, _, schema in self._parts[1:]:
            self._check_alike(path, schema, (*self._names, *named))
        return [
            (path, group, footer.row_group(group).num_rows)
            for path, footer, _ in self._parts
            for group in range(footer.num_row_groups)
            if footer.row_group(group).num_rows
        ]

    @staticmethod
    def _footer(parquet: Any, path: Path) -> Any:
        try:
            return parquet.read_metadata(path)
        except (OSError, ValueError) as error:
            raise RowsFileError(path, f"it is not a Parquet file ({error})") from None

    def _check_alike(self, path: Path, schema: Any, names: Sequence[str]) -> None:
        """Raise where a part lacks a column, or holds something else in it than the first part."""
        first = self._parts[0][2]
        for name in names:
            if name not in schema.names:
                problem = f"it lacks the column {excerpt(name)!r}, which {self.paths[0].name} has"
                raise RowsFileError(path, problem)
            kinds = [_kind_of(part.field(name).type) for part in (first, schema)]
            if kinds[0] != kinds[1] and "nothing" not in kinds:
                problem = f"its column {excerpt(name)!r} holds {kinds[1]}, but that of"
                raise RowsFileError(path, f"{problem} {self.paths[0].name} holds {kinds[0]}")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self._names

    @property
    def n_features(self) -> int:
        """How many columns there are."""
        return len(self._names)

    @property
    def n_chunks(self) -> int:
        """How many chunks there are."""
        return len(self.lengths)

    @cached_property
    def lengths(self) -> IntArray:
        """How many rows each chunk has."""
        lengths = [length for *_, rows in self._groups for length in self._batches(rows)]
        return np.array(lengths or [0], np.int64)

    def _batches(self, n_rows: int) -> list[int]:
        """Return the lengths of the batches of a row group."""
        whole, rest = divmod(n_rows, self._chunk_rows)
        return [self._chunk_rows] * whole + [rest] * (rest > 0)

    def chunks(self, needed: Sequence[bool] | None = None) -> Iterator[Any]:
        """Yield the batches in their order, or None for those of row groups not needed."""
        if not self._groups:
            yield read_columns({name: np.empty(0) for name in self._names})
        number = 0
        for path, group, n_rows in self._groups:
            count = len(self._batches(n_rows))
            if needed is not None and not any(needed[number : number + count]):
                yield from [None] * count
            else:
                for batch in self._read(path, group, self._names):
                    cells = {
                        name: batch.column(place).to_numpy(zero_copy_only=False)
                        for place, name in enumerate(self._names)
                    }
                    yield read_columns(cells)
            number += count

    def _read(self, path: Path, group: int, columns: Sequence[str]) -> Iterator[Any]:
        parquet = _arrow("pyarrow.parquet")
        try:
            with parquet.ParquetFile(path) as file:
                yield from (
                    batch.select(list(columns))
                    for batch in file.iter_batches(
                        self._chunk_rows,
                        row_groups=[group],
                        columns=list(columns),
                        use_threads=False,
                    )
                )
        except (OSError, ValueError) as error:
            raise RowsFileError(path, f"it is damaged ({error})") from None

    @property
    def has_ids(self) -> bool:
        """Whether a column holds the names of the rows."""
        return self._id_column is not None

    def ids_by_chunk(self) -> Iterator[Any]:
        """Yield the names of the rows of each chunk."""
        for path, group, _ in self._groups:
            for batch in self._read(path, group, [str(self._id_column)]):
                yield batch.column(0)

    def _places(self, names: frozenset[str]) -> list[tuple[str, int]]:
        places = []
        start = 0
        for path, group, _ in self._groups:
            for batch in self._read(path, group, [str(self._id_column)]):
                for row, name in enumerate(batch.column(0).to_pylist(), start=start):
                    if str(name) in names:
                        places.append((str(name), row))
                start += batch.num_rows
        return places


def _kind_of(dtype: Any) -> str:
    """Return what values of an Arrow type are, as far as the parts of a table have to agree."""
    types = _arrow("pyarrow.types")
    if types.is_null(dtype):
        return "nothing"
    if types.is_dictionary(dtype):
        return _kind_of(dtype.value_type)
    numbers = (types.is_integer, types.is_floating, types.is_decimal, types.is_boolean)
    if any(is_such(dtype) for is_such in numbers):
        return "numbers"
    texts = (types.is_string, types.is_large_string, types.is_string_view)
    return "texts" if any(is_such(dtype) for is_such in texts) else f"values of type {dtype}"


def _converted(
    paths: Sequence[Path],
    columns: Sequence[str] | None,
    id_column: str | None,
    chunk_rows: int | None,
) -> Rows:
    """Write CSV files as Parquet to a temporary folder, which goes when the rows do."""
    csv, parquet = _arrow("pyarrow.csv"), _arrow("pyarrow.parquet")
    folder = tempfile.TemporaryDirectory(prefix="clustraint-rows-")
    written = []
    for number, path in enumerate(paths):
        target = Path(folder.name) / f"{number:06}.parquet"
        delimiter = "\t" if path.suffix.lower() == ".tsv" else ","
        try:
            options = csv.ParseOptions(delimiter=delimiter)
            with (
                csv.open_csv(path, parse_options=options) as reader,
                parquet.ParquetWriter(target, reader.schema) as writer,
            ):
                for batch in reader:
                    writer.write_batch(batch)
        except (OSError, ValueError) as error:
            folder.cleanup()
            raise RowsFileError(path, f"it is not read as CSV ({error})") from None
        written.append(target)
    rows = ParquetRows(written, columns, id_column, chunk_rows)
    weakref.finalize(rows, folder.cleanup)
    return rows


def check_folder(folder: Path) -> None:
    """Raise unless parts can be written into a folder: a new one, or one that is empty.

    Examples
    --------
    >>> check_folder(Path("no such folder"))
    """
    if folder.is_file():
        raise ClustraintError(f"{folder} is a file; name a new folder for the parts.")
    if folder.exists() and any(folder.iterdir()):
        raise ClustraintError(f"{folder} is not empty; name a new folder for the parts.")


def write_parts(folder: Path, parts: Iterable[dict[str, Any]]) -> int:
    """Write tables, each a Parquet file, into a new folder; return how many rows they have.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp()) / "parts"
    >>> write_parts(folder, [{"cluster": np.array([0, 1])}, {"cluster": np.array([1])}])
    3
    >>> sorted(path.name for path in folder.iterdir())
    ['part-000000.parquet', 'part-000001.parquet']
    """
    arrow, parquet = _arrow("pyarrow"), _arrow("pyarrow.parquet")
    check_folder(folder)
    folder.mkdir(parents=True, exist_ok=True)
    n_rows = 0
    for number, part in enumerate(parts):
        table = arrow.table(part)
        n_rows += table.num_rows
        # A reader that looks for *.parquet never sees half a file.
        unfinished = folder / f"part-{number:06}.parquet.unfinished"
        parquet.write_table(table, unfinished)
        unfinished.rename(folder / f"part-{number:06}.parquet")
    return n_rows
