"""Where a table comes from: a file's content or a frame in memory, and how it is read."""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from clustraint.checks import check_names
from clustraint.exceptions import InvalidParameterError
from clustraint.tables import SampleTable, read_table

LONGEST_STEM = 60


@dataclass(frozen=True)
class Source:
    """A table in memory, so that it can be read again when the kinds of columns change.

    Attributes
    ----------
    name : str
        What the table is called.
    data : bytes or polars.DataFrame
        What its file holds, or its cells.
    arguments : mapping
        How `read_table` is to read it.
    """

    name: str
    data: Any
    arguments: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def digest(self) -> str:
        """The same for the same content, read in the same way."""
        digest = hashlib.sha256()
        for part in (self.data,) if isinstance(self.data, bytes) else _parts(self.data):
            digest.update(part)
        digest.update(repr(sorted(self.arguments.items())).encode())
        return digest.hexdigest()

    @cached_property
    def table(self) -> SampleTable:
        """The table as it is read first."""
        return read_table(self._file(), **self.reading({}))

    def read(self, kinds: Mapping[str, str]) -> SampleTable:
        """Read the table, some columns as kinds that a person chose."""
        return read_table(self._file(), **self.reading(kinds)) if kinds else self.table

    def reading(self, kinds: Mapping[str, str]) -> dict[str, Any]:
        """Return the arguments of `read_table`."""
        arguments = dict(self.arguments)
        for kind in ("numeric", "date", "binary", "nominal", "text"):
            before = [name for name in arguments.get(kind) or () if name not in kinds]
            chosen = [name for name, each in kinds.items() if each == kind]
            if before or chosen:
                arguments[kind] = (*before, *chosen)
        return arguments

    def _file(self) -> Any:
        if not isinstance(self.data, bytes):
            return self.data
        file = io.BytesIO(self.data)
        # The name tells the format.
        file.name = self.name
        return file

    @property
    def as_file(self) -> tuple[str, bytes]:
        """The ending and the content of a file that is read as this table."""
        if isinstance(self.data, bytes):
            return Path(self.name).suffix, self.data
        buffer = io.BytesIO()
        self.data.write_parquet(buffer)
        return ".parquet", buffer.getvalue()


def _parts(frame: Any) -> Iterator[bytes]:
    """Return names and cells of a frame as octets."""
    for column in frame:
        yield f"{column.name}\0{column.dtype}\0".encode()
        is_plain = column.dtype.is_numeric() and not column.null_count()
        yield column.to_numpy().tobytes() if is_plain else repr(column.to_list()).encode()


def source_of(
    X: Any, names: Sequence[str] | None = None, feature_names: Sequence[str] | None = None
) -> Source:
    """Return a table in memory as a source, with names for its samples and columns if given.

    Examples
    --------
    >>> source_of([[0.0, 1.0], [8.0, 9.0]], names=["ant", "cow"]).table
    SampleTable(2 samples: x0 (numeric), x1 (numeric); names from name)
    """
    table = X if isinstance(X, SampleTable) else read_table(_as_columns(X, feature_names))
    frame, arguments = table.frame, dict[str, Any]()
    if table.id_column:
        arguments["id_column"] = table.id_column
    # Categories that are numbers are told by the table alone, not by its cells.
    categories = [name for name in table.kinds.get("nominal", ()) if frame[name].dtype.is_numeric()]
    if categories:
        arguments["nominal"] = tuple(categories)
    if names is not None:
        check_names(names, table.n_samples)
        own = "name" if "name" not in frame.columns else "name of the sample"
        frame = frame.clone().insert_column(
            0, type(frame[:, 0])(own, [str(name) for name in names])
        )
        arguments["id_column"] = own
    return Source("table", frame, arguments)


def _as_columns(X: Any, feature_names: Sequence[str] | None) -> Any:
    """Return what `read_table` takes: a frame as it is, an array as named columns."""
    if hasattr(X, "columns") or isinstance(X, Mapping):
        return X
    array = np.asarray(X)
    if array.ndim != 2:
        raise InvalidParameterError("X", X, "a table: one row for each sample")
    named = feature_names or [f"x{place}" for place in range(array.shape[1])]
    return dict(zip(named, array.T, strict=True))


def stem_of(name: str) -> str:
    """Return what files about a table begin with, whatever the table is called.

    Examples
    --------
    >>> stem_of("my animals (2).csv"), stem_of("../..")
    ('my-animals-2', 'table')
    """
    stem = re.sub(r"[^\w.-]+", "-", Path(name).stem, flags=re.ASCII).strip("-.")
    return stem[:LONGEST_STEM] or "table"
