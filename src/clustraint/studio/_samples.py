"""The table behind a studio: where it comes from, and its samples as methods take them."""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from clustraint.checks import check_names
from clustraint.exceptions import InvalidParameterError, MissingValuesError, StudioRequestError
from clustraint.plot import Membership, Subject, scatter_view
from clustraint.rows import Representatives
from clustraint.tables import SampleTable, TableEncoder, read_table
from clustraint.typing import FloatArray, IntArray

# So much of all samples is within the plane from -1 to 1; the others are drawn at its edges.
EDGE = 0.0005
# So many stand for all others where methods compare all pairs.
N_REPRESENTATIVES = 500
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


def with_roles(table: SampleTable, roles: Mapping[str, str]) -> SampleTable:
    """Return a table with the columns to cluster by that a person chose."""
    chosen, others = [], []
    for column in (*table.columns, *table.left_out):
        by_default = "cluster" if column in table.columns else "leave"
        if column.kind != "identifier" and roles.get(column.name, by_default) == "cluster":
            chosen.append(column.noted("") if column in table.left_out else column)
        else:
            others.append(column.noted(column.note or "left out, as requested"))
    if not chosen:
        raise StudioRequestError("at least one column must be there to cluster by.")
    return replace(table, columns=tuple(chosen), left_out=tuple(others))


class StudioSamples:
    """The samples of a table, encoded once for each way in which methods take them."""

    def __init__(self, table: SampleTable) -> None:
        self.table = table
        self._encoded: dict[str, tuple[TableEncoder, Any]] = {}

    def encoded(self, view: Any) -> tuple[TableEncoder, Any]:
        """Return a fitted encoder and the samples as it encodes them."""
        if view not in self._encoded:
            encoder = TableEncoder(view)
            self._encoded[view] = encoder, encoder.fit_transform(self.table)
        return self._encoded[view]

    @cached_property
    def numbers(self) -> Any:
        """The samples as numbers for distances: the plane where values are missing."""
        try:
            X = self.encoded("matrix")[1]
        except MissingValuesError:
            return np.asarray(self.plane[0], np.float64)
        return X.tocsr() if sparse.issparse(X) else X

    @cached_property
    def representatives(self) -> Representatives:
        """A few samples that stand for all others."""
        return Representatives.of(self.encoded("matrix")[1], N_REPRESENTATIVES, random_state=0)

    @cached_property
    def _subject(self) -> Subject:
        """The samples as pictures take them, all in one cluster."""
        return Subject.of(self.table, np.zeros(self.table.n_samples, np.int64))

    def subject(self, labels: IntArray) -> Subject:
        """Return samples and clusters as pictures take them, without reading the samples again."""
        clusters = np.unique(labels)
        place = np.searchsorted(clusters, labels)
        return replace(
            self._subject, members=Membership(place, tuple(clusters.tolist()), self.table.names)
        )

    @cached_property
    def plane(self) -> tuple[Any, str]:
        """The samples in two dimensions as float32, and what is drawn in a sentence."""
        return self.plane_of(None)

    def plane_of(self, axes: tuple[str, str] | None) -> tuple[Any, str]:
        """Return the samples in two dimensions as float32, and what is drawn in a sentence."""
        view = scatter_view(self._subject, axes)
        low, high = np.quantile(view.points, [EDGE, 1 - EDGE], axis=0)
        room = float((high - low).max()) / 2 or 1.0
        points = np.clip((view.points - (low + high) / 2) / room, -1, 1)
        return points.astype(np.float32), view.about[0]

    def neighbours(self, row: int, count: int) -> list[tuple[int, float]]:
        """Return the samples nearest to one, and how far they are."""
        X = self.numbers
        squares = self._squares
        product = X @ X[[row]].T
        product = product.toarray() if sparse.issparse(product) else product
        distances = np.sqrt(np.maximum(squares + squares[row] - 2 * product.ravel(), 0))
        distances[row] = np.inf
        nearest = np.argsort(distances, kind="stable")[: min(count, len(distances) - 1)]
        return [(each, float(distances[each])) for each in nearest.tolist()]

    @cached_property
    def _squares(self) -> FloatArray:
        X = self.numbers
        squares = X.multiply(X) if sparse.issparse(X) else X * X
        return np.asarray(squares.sum(axis=1)).ravel()

    def means(self, labels: IntArray) -> FloatArray:
        """Return the centre of each cluster, in the order of their numbers."""
        clusters, place = np.unique(labels, return_inverse=True)
        members = sparse.csr_array(
            (np.ones(len(labels)), (place, np.arange(len(labels)))),
            shape=(len(clusters), len(labels)),
        )
        sums = members @ self.numbers
        sums = sums.toarray() if sparse.issparse(sums) else np.asarray(sums)
        return np.asarray(sums / np.bincount(place)[:, np.newaxis])


class Unseen:
    """A value that a cache takes without a look: other arguments tell what it is."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __hash__(self) -> int:
        return 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Unseen)
