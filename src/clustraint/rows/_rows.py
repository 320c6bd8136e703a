"""Rows in chunks, and sums over them that do not depend on who computed what.

An algorithm is written once, as steps: a step is called with each chunk and gives results that add
up. They are added in a tree whose shape only the numbers of the chunks decide, so that the sum has
the same bits whether chunks are slices of an array, pieces of files, or tasks on many machines.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from scipy.sparse import issparse, vstack

from clustraint.checks import check_whole_number
from clustraint.exceptions import ClustraintError, RowNameError, TableColumnError, UnnamedRowsError
from clustraint.rows._labels import ChunkedLabels
from clustraint.tables import has_columns, read_columns
from clustraint.typing import FloatArray, IntArray
from clustraint.wording import counted

Step: TypeAlias = Callable[..., Any]
Own: TypeAlias = Sequence[Any] | None
Progress: TypeAlias = Callable[[int, int], None]

# Numbers in a chunk of an array, and the most rows.
CHUNK_SIZE, CHUNK_ROWS = 2**22, 2**17


class Rows(ABC):
    """Rows of a table in chunks, of which few are in memory at a time.

    Estimators that work chunk by chunk take it where others take an array. `Rows.read` opens files;
    dask collections need not be wrapped.

    Attributes
    ----------
    progress : callable or None
        Called after each chunk with the number of chunks done and of all, in each pass.

    Examples
    --------
    >>> import numpy as np
    >>> from clustraint.rows import ArrayRows
    >>> rows = ArrayRows(np.arange(10.0).reshape(5, 2), chunk_rows=2)
    >>> rows.shape, rows.n_chunks, rows.lengths
    ((5, 2), 3, array([2, 2, 1]))
    >>> rows.map_add(lambda chunk, own: chunk.sum(axis=0))
    array([20., 25.])
    """

    progress: Progress | None = None

    @staticmethod
    def read(
        path: Any,
        *,
        columns: Sequence[str] | None = None,
        id_column: str | None = None,
        chunk_rows: int | None = None,
    ) -> Rows:
        """Open files whose rows are read chunk by chunk, again for each pass.

        Parameters
        ----------
        path : str, path, or sequence of them
            Parquet or CSV files of the same columns, also by a pattern such as
            ``"events/*.parquet"`` or a folder of Parquet files; or one ``.npy`` file with an array.
            A CSV file is turned into Parquet once, in a temporary folder.
        columns : sequence of str, optional
            The columns that are features; by default all but `id_column`.
        id_column : str, optional
            The column that holds the names of the rows, which constraints speak of.
        chunk_rows : int, optional
            The most rows of a chunk; by default such that a chunk has some megabytes.

        Returns
        -------
        Rows

        Examples
        --------
        >>> import tempfile, pathlib
        >>> import numpy as np
        >>> from clustraint import COPKMeans, Rows
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "points.npy"
        >>> np.save(path, np.array([[0.0], [1.0], [8.0], [9.0]]))
        >>> model = COPKMeans(2, random_state=0).fit(Rows.read(path, chunk_rows=3))
        >>> sorted(model.cluster_centers_.ravel().tolist())
        [0.5, 8.5]
        """
        from clustraint.rows._files import open_rows

        if chunk_rows is not None:
            check_whole_number("chunk_rows", chunk_rows, least=1)
        return open_rows(path, columns, id_column, chunk_rows)

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...] | None:
        """The names of the columns, None where they have none."""

    @property
    @abstractmethod
    def n_features(self) -> int:
        """How many columns there are."""

    @property
    @abstractmethod
    def n_chunks(self) -> int:
        """How many chunks there are."""

    @abstractmethod
    def _results(self, step: Step, own: Sequence[Any], shared: tuple[Any, ...]) -> Iterator[Any]:
        """Yield what a step gives for each chunk, in their order."""

    @property
    @abstractmethod
    def has_ids(self) -> bool:
        """Whether rows have names, by which constraints may speak of them."""

    @abstractmethod
    def _places(self, names: frozenset[str]) -> list[tuple[str, int]]:
        """Return all rows that have one of these names, as (name, row)."""

    @cached_property
    def lengths(self) -> IntArray:
        """How many rows each chunk has; counted on first use where it is not known."""
        return np.array(self.map(_length), np.int64)

    @cached_property
    def starts(self) -> IntArray:
        """The number of the first row of each chunk, and at last of all rows."""
        return np.concatenate(([0], np.cumsum(self.lengths))).astype(np.int64)

    @property
    def shape(self) -> tuple[int, int]:
        """How many rows and columns there are."""
        return int(self.starts[-1]), self.n_features

    def __len__(self) -> int:
        return int(self.starts[-1])

    def __repr__(self) -> str:
        chunks, columns = counted(self.n_chunks, "chunk"), counted(self.n_features, "column")
        return f"{type(self).__name__}({chunks}, {columns})"

    def map(self, step: Step, own: Own = None, *shared: Any) -> list[Any]:
        """Return ``step(chunk, own[i], *shared)`` for each chunk.

        Examples
        --------
        >>> import numpy as np
        >>> from clustraint.rows import ArrayRows
        >>> ArrayRows(np.ones((5, 2)), chunk_rows=2).map(lambda chunk, own: len(chunk))
        [2, 2, 1]
        """
        return list(self._with_progress(self._results(step, self._owned(own), shared)))

    def map_add(self, step: Step, own: Own = None, *shared: Any) -> Any:
        """Return the sum of what a step gives for each chunk: numbers, arrays, tuples of them.

        Anything that has ``+`` can be added. The order of additions depends on the numbers of the
        chunks alone.

        Examples
        --------
        >>> import numpy as np
        >>> from clustraint.rows import ArrayRows
        >>> rows = ArrayRows(np.ones((5, 2)), chunk_rows=2)
        >>> rows.map_add(lambda chunk, own, factor: (len(chunk), factor * chunk.sum()), None, 3)
        (5, np.float64(30.0))
        """
        return added(self._with_progress(self._results(step, self._owned(own), shared)))

    def _owned(self, own: Own) -> Sequence[Any]:
        return [None] * self.n_chunks if own is None else own

    def _with_progress(self, results: Iterable[Any]) -> Iterator[Any]:
        for done, result in enumerate(results, start=1):
            if self.progress is not None:
                self.progress(done, self.n_chunks)
            yield result

    def split(self, wanted: IntArray) -> list[IntArray]:
        """Return for each chunk which of its rows, from 0, are among those wanted.

        Parameters
        ----------
        wanted : int64 ndarray
            Numbers of rows, in rising order.

        Examples
        --------
        >>> import numpy as np
        >>> from clustraint.rows import ArrayRows
        >>> ArrayRows(np.ones((5, 2)), chunk_rows=2).split(np.array([1, 2, 4]))
        [array([1]), array([0]), array([0])]
        """
        cuts = np.searchsorted(wanted, self.starts)
        bounds = zip(cuts[:-1], cuts[1:], self.starts[:-1], strict=True)
        return [np.asarray(wanted[low:high] - start) for low, high, start in bounds]

    def take(self, wanted: IntArray) -> Any:
        """Return some rows as numbers, for row numbers in rising order.

        Examples
        --------
        >>> import numpy as np
        >>> from clustraint.rows import ArrayRows
        >>> ArrayRows(np.arange(5.0).reshape(5, 1), chunk_rows=2).take(np.array([1, 4]))
        array([[1.],
               [4.]])
        """
        return self._stacked(self.map(_taken, self.split(wanted)))

    def _stacked(self, parts: Iterable[Any]) -> Any:
        filled = [part for part in parts if part.shape[0]]
        if not filled:
            return np.empty((0, self.n_features))
        return vstack(filled, format="csr") if issparse(filled[0]) else np.concatenate(filled)

    def find(self, names: Sequence[str]) -> IntArray:
        """Return the number of the row of each name; each must be there once.

        Examples
        --------
        >>> import numpy as np
        >>> from clustraint.rows import ArrayRows
        >>> ArrayRows(np.ones((3, 1)), ids=["dog", "wolf", "eel"]).find(["eel", "dog"])
        array([2, 0])
        """
        if not self.has_ids:
            raise UnnamedRowsError
        places: dict[str, int] = {}
        for name, row in self._places(frozenset(names)):
            if name in places:
                raise RowNameError(name, (places[name], row))
            places[name] = row
        for name in names:
            if name not in places:
                raise RowNameError(name, ())
        return np.array([places[name] for name in names], np.int64)

    def labels(self, step: Step, own: Own = None, *shared: Any, dtype: Any = np.int32) -> Any:
        """Return the whole numbers that a step gives for the rows of each chunk, not computed yet.

        Examples
        --------
        >>> import numpy as np
        >>> from clustraint.rows import ArrayRows
        >>> rows = ArrayRows(np.arange(5.0).reshape(5, 1), chunk_rows=2)
        >>> np.asarray(rows.labels(lambda chunk, own: (chunk[:, 0] > 2).astype(np.int32)))
        array([0, 0, 0, 1, 1], dtype=int32)
        """
        return ChunkedLabels(self, step, self._owned(own), shared, dtype)


class LocalRows(Rows):
    """Rows that this process reads, one chunk after the other."""

    @abstractmethod
    def chunks(self, needed: Sequence[bool] | None = None) -> Iterator[Any]:
        """Yield the chunks in their order, or None for those that are not needed."""

    def _results(self, step: Step, own: Sequence[Any], shared: tuple[Any, ...]) -> Iterator[Any]:
        for chunk, mine in zip(self.chunks(), own, strict=True):
            yield step(chunk, mine, *shared)

    def take(self, wanted: IntArray) -> Any:
        """Return some rows as numbers, for row numbers in rising order.

        Examples
        --------
        >>> import numpy as np
        >>> from clustraint.rows import ArrayRows
        >>> ArrayRows(np.arange(5.0).reshape(5, 1), chunk_rows=2).take(np.array([1, 4]))
        array([[1.],
               [4.]])
        """
        places = self.split(wanted)
        chunks = self.chunks([len(place) > 0 for place in places])
        return self._stacked(
            _taken(chunk, place)
            for chunk, place in zip(chunks, places, strict=True)
            if chunk is not None
        )


class ArrayRows(LocalRows):
    """Slices of an array or CSR matrix, in memory or mapped from a file.

    Parameters
    ----------
    array : ndarray, memmap or CSR matrix of shape (n_rows, n_features)
        The rows.
    chunk_rows : int, optional
        The most rows of a chunk.
    ids : sequence of str, optional
        The names of the rows.
    names : sequence of str, optional
        The names of the columns.

    Examples
    --------
    >>> import numpy as np
    >>> from clustraint.rows import ArrayRows
    >>> ArrayRows(np.ones((5, 2)), chunk_rows=2)
    ArrayRows(3 chunks, 2 columns)
    """

    def __init__(
        self,
        array: Any,
        chunk_rows: int | None = None,
        *,
        ids: Sequence[str] | None = None,
        names: Sequence[str] | None = None,
    ) -> None:
        self.array = array
        self._ids = ids
        self._names = None if names is None else tuple(names)
        self._chunk_rows = chunk_rows or default_rows(array.shape[1])

    @property
    def names(self) -> tuple[str, ...] | None:
        """The names of the columns, None where they have none."""
        return self._names

    @property
    def n_features(self) -> int:
        """How many columns there are."""
        return int(self.array.shape[1])

    @property
    def n_chunks(self) -> int:
        """How many chunks there are; at least one."""
        return max(1, -(-int(self.array.shape[0]) // self._chunk_rows))

    @cached_property
    def lengths(self) -> IntArray:
        """How many rows each chunk has."""
        ends = np.arange(1, self.n_chunks + 1) * self._chunk_rows
        bounded = np.minimum(ends, self.array.shape[0])
        return np.asarray(np.diff(bounded, prepend=0), np.int64)

    def chunks(self, needed: Sequence[bool] | None = None) -> Iterator[Any]:
        """Yield the slices in their order, or None for those that are not needed.

        Examples
        --------
        >>> import numpy as np
        >>> from clustraint.rows import ArrayRows
        >>> [len(chunk) for chunk in ArrayRows(np.ones((3, 1)), chunk_rows=2).chunks()]
        [2, 1]
        """
        for number in range(self.n_chunks):
            start = number * self._chunk_rows
            wanted = needed is None or needed[number]
            yield self.array[start : start + self._chunk_rows] if wanted else None

    @property
    def has_ids(self) -> bool:
        """Whether rows have names."""
        return self._ids is not None

    def _places(self, names: frozenset[str]) -> list[tuple[str, int]]:
        return [(str(name), row) for row, name in enumerate(self._ids or ()) if str(name) in names]


def default_rows(n_features: int) -> int:
    """Return how many rows a chunk has where nobody chose."""
    return max(1024, min(CHUNK_ROWS, CHUNK_SIZE // max(n_features, 1)))


def is_chunked(X: Any) -> bool:
    """Say whether a table comes in chunks: `Rows`, or a dask array or DataFrame.

    Examples
    --------
    >>> import numpy as np
    >>> from clustraint.rows import ArrayRows, is_chunked
    >>> is_chunked(np.ones((2, 2))), is_chunked(ArrayRows(np.ones((2, 2))))
    (False, True)
    """
    return isinstance(X, Rows) or hasattr(X, "__dask_graph__")


def as_rows(X: Any) -> Rows:
    """Return rows in chunks, from `Rows`, a dask collection or an array.

    Examples
    --------
    >>> import numpy as np
    >>> from clustraint.rows import as_rows
    >>> as_rows(np.ones((5, 2)))
    ArrayRows(1 chunk, 2 columns)
    """
    if isinstance(X, Rows):
        return X
    if hasattr(X, "__dask_graph__"):
        from clustraint.rows._dask import DaskRows

        return DaskRows(X)
    return ArrayRows(X)


def as_numbers(chunk: Any) -> Any:
    """Return the rows of a chunk as a float array that kernels take, CSR matrices as they are.

    Examples
    --------
    >>> from clustraint.rows import as_numbers
    >>> as_numbers({"a": [1, 2], "b": [0.5, 1.5]})
    array([[1. , 0.5],
           [2. , 1.5]])
    """
    if issparse(chunk):
        return chunk
    if isinstance(chunk, Mapping) or has_columns(chunk):
        columns = list(read_columns(chunk))
        for column in columns:
            if column.kind not in ("number", "nothing"):
                raise TableColumnError(column.name, "holds values that are not numbers")
        arrays = [np.asarray(column.to_numpy()) for column in columns]
        chunk = np.column_stack(arrays) if arrays else np.empty((len(chunk), 0))
    dtype = np.float32 if chunk.dtype == np.float32 else np.float64
    # Kernels compile anew for read-only arrays.
    return np.require(chunk, dtype, ["C", "W", "E"])


def plus(first: Any, second: Any) -> Any:
    """Return the sum of two results of a step."""
    # A named tuple may know better how to add itself.
    if type(first) is tuple:
        return tuple(plus(a, b) for a, b in zip(first, second, strict=True))
    return first + second


def added(results: Iterable[Any]) -> Any:
    """Add results in a balanced tree over their numbers, with few of them at hand.

    Sums of 1, 2, 4, … neighbours wait for an equal, as digits carry in a binary number; what is
    left at the end is added from the right.

    Examples
    --------
    >>> from clustraint.rows import added
    >>> added([(1, 2.0), (3, 4.0), (5, 6.0)])
    (9, 12.0)
    """
    waiting: list[tuple[int, Any]] = []
    for result in results:
        level = 0
        while waiting and waiting[-1][0] == level:
            result = plus(waiting.pop()[1], result)
            level += 1
        waiting.append((level, result))
    if not waiting:
        raise ClustraintError("there are no chunks: the collection of rows is empty.")
    total = waiting.pop()[1]
    while waiting:
        total = plus(waiting.pop()[1], total)
    return total


def counted_rows(rows: Rows) -> tuple[int, FloatArray]:
    """Return how many rows there are and their sums, by one pass that also checks the numbers.

    It is the first pass, after which the lengths of chunks are known, also where dask does not.

    Raises
    ------
    TableColumnError
        If a value is missing or infinite; it says where.

    Examples
    --------
    >>> from clustraint.rows import ArrayRows, counted_rows
    >>> counted_rows(ArrayRows(np.array([[1.0, 2.0], [3.0, 4.0]])))
    (2, array([4., 6.]))
    """
    counts = rows.map(_moments, list(range(rows.n_chunks)), rows.names)
    rows.lengths = np.array([n_rows for n_rows, _ in counts], np.int64)
    n_rows, total = added(counts)
    return int(n_rows), total


def drawn_rows(n_rows: int, count: int, rng: np.random.Generator) -> IntArray:
    """Return so many row numbers in rising order, drawn at random, or all where there are no more.

    Examples
    --------
    >>> from clustraint.rows import drawn_rows
    >>> drawn_rows(3, 5, np.random.default_rng(0)), len(drawn_rows(9, 5, np.random.default_rng(0)))
    (array([0, 1, 2]), 5)
    """
    if n_rows <= count:
        return np.arange(n_rows)
    return np.sort(rng.choice(n_rows, count, replace=False))


def _moments(chunk: Any, number: int, names: Any) -> tuple[int, FloatArray]:
    """Return the number of rows and their sums, or say where a number is missing."""
    points = as_numbers(chunk)
    total = np.asarray(points.sum(axis=0, dtype=np.float64)).ravel()
    if not np.isfinite(total).all():
        dense = points.toarray() if issparse(points) else points
        rows, columns = np.nonzero(~np.isfinite(dense))
        if len(rows):
            name = f"x{columns[0]}" if names is None else names[columns[0]]
            problem = f"holds {dense[rows[0], columns[0]]} in row {rows[0]} of chunk {number}"
            raise TableColumnError(name, f"{problem}, counted from 0")
    return points.shape[0], total


def _length(chunk: Any, own: None) -> int:
    return int(chunk.shape[0]) if hasattr(chunk, "shape") else len(chunk)


def _taken(chunk: Any, places: IntArray) -> Any:
    if not len(places):
        return np.empty((0, 0))
    if hasattr(chunk, "iloc"):
        return as_numbers(chunk.iloc[places])
    return as_numbers(chunk[places])


def paths_of(path: Any) -> list[Path]:
    """Return the files that a path, a pattern, a folder or a list of them stands for.

    Examples
    --------
    >>> from clustraint.rows import paths_of
    >>> [path.name for path in paths_of(["one.parquet", "two.parquet"])]
    ['one.parquet', 'two.parquet']
    """
    if not isinstance(path, str | Path):
        return [each for part in path for each in paths_of(part)]
    whole = Path(path)
    if whole.is_dir():
        return sorted(whole.glob("*.parquet"))
    if any(sign in str(path) for sign in "*?[") and not whole.exists():
        return sorted(Path(whole.anchor).glob(str(whole.relative_to(whole.anchor))))
    return [whole]
