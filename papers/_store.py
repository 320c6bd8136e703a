"""Results on disk: an SQLite file that takes each cell as it ends."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Any

import clustraint
from papers._exceptions import ResultsFileError
from papers._experiment import Cell, Parameter, Record, plain

# Seconds to wait for another process that is writing.
PATIENCE = 60
SCHEMA = """
CREATE TABLE IF NOT EXISTS cells (
    id INTEGER PRIMARY KEY,
    version TEXT NOT NULL,
    paper TEXT NOT NULL,
    experiment TEXT NOT NULL,
    parameters TEXT NOT NULL,
    seconds REAL NOT NULL,
    finished TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
    UNIQUE (version, paper, experiment, parameters)
);
CREATE TABLE IF NOT EXISTS records (
    cell INTEGER NOT NULL REFERENCES cells (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    fields TEXT NOT NULL,
    PRIMARY KEY (cell, number)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS missing (
    version TEXT NOT NULL,
    paper TEXT NOT NULL,
    experiment TEXT NOT NULL,
    parameters TEXT NOT NULL,
    UNIQUE (version, paper, experiment, parameters)
);
"""


@dataclass(frozen=True)
class CellResult:
    """A cell that has been run.

    Attributes
    ----------
    cell : Cell
        What was run.
    records : tuple of mappings
        What it gave.
    seconds : float
        The CPU time it took.
    """

    cell: Cell
    records: tuple[Record, ...]
    seconds: float


class Store:
    """The results of all papers in one SQLite file.

    Each cell is written in a transaction of its own, so that a run that is killed loses only
    the cells at work. Results of other versions of clustraint stay in the file, unread.

    Parameters
    ----------
    path : path-like
        The file; made, with its folder, where there is none.

    Examples
    --------
    >>> store = Store(":memory:")
    >>> store.add("toy", CellResult(Cell("sums", {"a": 1}), ({"sum": 2},), 0.1))
    >>> [result.records for result in store.results("toy", "sums")]
    [({'sum': 2},)]
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        self._path = str(path)
        try:
            if str(path) != ":memory:":
                Path(path).parent.mkdir(parents=True, exist_ok=True)
            # Another run on the same file holds it for the moment of a cell.
            self._connection = sqlite3.connect(path, timeout=PATIENCE)
            self._connection.execute("PRAGMA foreign_keys = ON")
            self._connection.executescript(SCHEMA)
        except (sqlite3.Error, OSError) as error:
            raise ResultsFileError(str(path), error) from error

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file.

        Examples
        --------
        >>> store = Store(":memory:")
        >>> store.close()
        """
        self._connection.close()

    def add(self, paper: str, result: CellResult) -> None:
        """Write a cell and its records, in place of what was there for it.

        Examples
        --------
        >>> store.add("ccl", result)  # doctest: +SKIP
        """
        with self._writing():
            self._remove(paper, result.cell)
            row = (clustraint.__version__, paper, result.cell.experiment, result.cell.key)
            cursor = self._connection.execute(
                "INSERT INTO cells (version, paper, experiment, parameters, seconds) "
                "VALUES (?, ?, ?, ?, ?)",
                (*row, result.seconds),
            )
            self._connection.executemany(
                "INSERT INTO records VALUES (?, ?, ?)",
                [
                    (cursor.lastrowid, number, _written(record))
                    for number, record in enumerate(result.records)
                ],
            )

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Write all or nothing; a file that cannot be written is one sentence."""
        try:
            with self._connection:
                # At once: a transaction that begins by reading cannot wait for its turn to write.
                self._connection.execute("BEGIN IMMEDIATE")
                yield
        except sqlite3.Error as error:
            raise ResultsFileError(self._path, error) from error

    def _remove(self, paper: str, cell: Cell) -> None:
        for table in ("cells", "missing"):
            self._connection.execute(
                f"DELETE FROM {table} "
                "WHERE version = ? AND paper = ? AND experiment = ? AND parameters = ?",
                (clustraint.__version__, paper, cell.experiment, cell.key),
            )

    def add_missing(self, paper: str, cell: Cell) -> None:
        """Note that the data of a cell are not here, until it has results.

        Examples
        --------
        >>> store = Store(":memory:")
        >>> store.add_missing("toy", Cell("sums", {"a": 1}))
        >>> store.missing("toy", "sums")
        {'{"a": 1}'}
        """
        with self._writing():
            self._connection.execute(
                "INSERT OR IGNORE INTO missing VALUES (?, ?, ?, ?)",
                (clustraint.__version__, paper, cell.experiment, cell.key),
            )

    def missing(self, paper: str, experiment: str) -> set[str]:
        """Return the keys of the cells whose data are not here.

        Examples
        --------
        >>> Store(":memory:").missing("ccl", "figure-8")
        set()
        """
        rows = self._connection.execute(
            "SELECT parameters FROM missing WHERE version = ? AND paper = ? AND experiment = ?",
            (clustraint.__version__, paper, experiment),
        )
        return {key for (key,) in rows}

    def forget(self, paper: str, experiment: str) -> None:
        """Remove the results of an experiment.

        Examples
        --------
        >>> Store(":memory:").forget("ccl", "figure-8")
        """
        with self._writing():
            for table in ("cells", "missing"):
                self._connection.execute(
                    f"DELETE FROM {table} WHERE version = ? AND paper = ? AND experiment = ?",
                    (clustraint.__version__, paper, experiment),
                )

    def papers(self) -> list[str]:
        """Return the papers that have results.

        Examples
        --------
        >>> Store(":memory:").papers()
        []
        """
        rows = self._connection.execute(
            "SELECT DISTINCT paper FROM cells WHERE version = ? ORDER BY paper",
            (clustraint.__version__,),
        )
        return [name for (name,) in rows]

    def keys(self, paper: str, experiment: str) -> set[str]:
        """Return the keys of the cells that have results.

        Examples
        --------
        >>> Store(":memory:").keys("ccl", "figure-8")
        set()
        """
        return {key for (key,) in self._select("parameters", paper, experiment)}

    def results(self, paper: str, experiment: str) -> Iterator[CellResult]:
        """Yield the cells that have results, as they were run.

        Examples
        --------
        >>> list(Store(":memory:").results("ccl", "figure-8"))
        []
        """
        for number, key, seconds in self._select("id, parameters, seconds", paper, experiment):
            fields = self._connection.execute(
                "SELECT fields FROM records WHERE cell = ? ORDER BY number", (number,)
            )
            records = tuple(json.loads(text) for (text,) in fields)
            yield CellResult(Cell(experiment, json.loads(key)), records, seconds)

    def _select(self, columns: str, paper: str, experiment: str) -> Iterable[tuple[Any, ...]]:
        return self._connection.execute(
            f"SELECT {columns} FROM cells "
            "WHERE version = ? AND paper = ? AND experiment = ? ORDER BY id",
            (clustraint.__version__, paper, experiment),
        ).fetchall()


def _written(record: Mapping[str, Parameter]) -> str:
    return json.dumps({name: plain(value) for name, value in record.items()}, allow_nan=False)
