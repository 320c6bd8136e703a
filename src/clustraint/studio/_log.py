"""The log of what people did, in SQLite: what `append` has returned from is on disk."""

from __future__ import annotations

import json
import os
import sqlite3
import threading
import time
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from clustraint.exceptions import StudioFileError
from clustraint.typing import FloatArray, IntArray

APPLICATION = 0x636C7374
SCHEMA_VERSION = 1
SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE event (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  command TEXT NOT NULL,
  part INTEGER NOT NULL,
  at REAL NOT NULL,
  person TEXT NOT NULL,
  kind TEXT NOT NULL,
  body TEXT NOT NULL CHECK (json_valid(body)),
  retracts INTEGER REFERENCES event(seq),
  UNIQUE (command, part)
) STRICT;
CREATE TABLE clustering (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  seq INTEGER NOT NULL,
  at REAL NOT NULL,
  fingerprint TEXT NOT NULL,
  about TEXT NOT NULL CHECK (json_valid(about)),
  start BLOB,
  labels BLOB NOT NULL
) STRICT;
CREATE INDEX by_fingerprint ON clustering (fingerprint);
"""
# So many of the last clusterings are kept; of older ones, one for each minute.
MOST_KEPT = 200
# Milliseconds to wait for another process that writes.
PATIENCE = 10_000


@dataclass(frozen=True)
class Event:
    """Something that a person did.

    Attributes
    ----------
    seq : int
        Its number; 0 while it is only considered.
    command : str
        The command that it is a part of; all events of a command are one step.
    at : float
        When, in seconds since 1970.
    person : str
        Who.
    kind : str
        What, see `KINDS` in `_statements`; "undo" and "redo" take back one event each.
    body : dict
        The details.
    retracts : int or None
        The event that it takes back.
    """

    seq: int
    command: str
    at: float
    person: str
    kind: str
    body: dict[str, Any]
    retracts: int | None = None


class KeptClustering(NamedTuple):
    """A clustering as the log keeps it.

    Attributes
    ----------
    id : int
        Its number.
    seq : int
        The last event that it knows of.
    at : float
        When it was made.
    fingerprint : str
        Of all statements and settings that it was made by.
    about : dict
        Method, reason, seconds and the like.
    start : float64 ndarray of shape (n_clusters, n_features), or None
        The centres that the method began with.
    labels : int64 ndarray of shape (n_samples,)
        The cluster of each sample.
    """

    id: int
    seq: int
    at: float
    fingerprint: str
    about: dict[str, Any]
    start: FloatArray | None
    labels: IntArray


class EventLog:
    """Events and clusterings in a file.

    Parameters
    ----------
    path : str or PathLike
        The file, which need not be there yet; ":memory:" keeps all in memory.

    Raises
    ------
    StudioFileError
        If it cannot be opened, or is something else.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = path if path == ":memory:" else Path(path)
        self._lock = threading.Lock()
        try:
            if isinstance(self.path, Path):
                # Nobody else on this machine reads what people say about their data.
                os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
            self._database = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
            self._prepare()
        except (OSError, sqlite3.Error) as error:
            raise StudioFileError(path, str(error)) from error

    def _prepare(self) -> None:
        run = self._database.execute
        run(f"PRAGMA busy_timeout={PATIENCE}")
        # Of several that find no file, one makes the tables, and the others wait for it.
        run("BEGIN IMMEDIATE")
        try:
            self._make_tables()
            run("COMMIT")
        finally:
            if self._database.in_transaction:
                run("ROLLBACK")
        self._write_ahead()
        # An acknowledged statement survives a power cut, not only the end of this process.
        run("PRAGMA synchronous=FULL")
        run("PRAGMA foreign_keys=ON")

    def _make_tables(self) -> None:
        """Make the tables of a new file; an old one must be ours."""
        run = self._database.execute
        if not run("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            run(f"PRAGMA application_id={APPLICATION}")
            for statement in filter(str.strip, SCHEMA.split(";")):
                run(statement)
            run(f"PRAGMA user_version={SCHEMA_VERSION}")
        elif run("PRAGMA application_id").fetchone()[0] != APPLICATION:
            raise sqlite3.DatabaseError("it is a database of another program")
        elif run("PRAGMA user_version").fetchone()[0] != SCHEMA_VERSION:
            raise sqlite3.DatabaseError("another version of clustraint has written it")

    def _write_ahead(self) -> None:
        """Set the way of writing, for which SQLite waits for nobody by itself."""
        deadline = time.monotonic() + PATIENCE / 1000
        while True:
            try:
                self._database.execute("PRAGMA journal_mode=WAL")
                return
            except sqlite3.OperationalError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.01)

    @property
    def place(self) -> str | None:
        """Where the file is, None if all is in memory."""
        return str(self.path.resolve()) if isinstance(self.path, Path) else None

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._database.close()

    def meta(self) -> dict[str, str]:
        """Return what is noted about the table."""
        with self._lock:
            return dict(self._database.execute("SELECT key, value FROM meta").fetchall())

    def note(self, **values: str) -> None:
        """Note something about the table."""
        with self._transaction():
            self._database.executemany("REPLACE INTO meta VALUES (?, ?)", values.items())

    def claim(self, earlier: str, link: str) -> bool:
        """Note who serves this file, unless somebody else has come since `earlier`."""
        with self._transaction():
            row = self._database.execute("SELECT value FROM meta WHERE key = 'server'").fetchone()
            if (row[0] if row else "") != earlier:
                return False
            self._database.execute("REPLACE INTO meta VALUES ('server', ?)", (link,))
            return True

    def append(
        self, command: str, person: str, events: Iterable[tuple[str, Mapping[str, Any], int | None]]
    ) -> list[Event]:
        """Add the events (kind, body, retracts) of a command in one transaction.

        A command that is there already is not added again: its events are returned.
        """
        with self._transaction():
            if earlier := self._events("WHERE command = ?", (command,)):
                return earlier
            rows = [
                (command, part, time.time(), person, kind, json.dumps(body), retracts)
                for part, (kind, body, retracts) in enumerate(events)
            ]
            names = "command, part, at, person, kind, body, retracts"
            self._database.executemany(
                f"INSERT INTO event ({names}) VALUES (?, ?, ?, ?, ?, ?, ?)", rows
            )
            return self._events("WHERE command = ?", (command,))

    def events(self) -> list[Event]:
        """Return all events, in their order."""
        with self._lock:
            return self._events("", ())

    def replace_bodies(self, bodies: Mapping[int, Mapping[str, Any]], **meta: str) -> None:
        """Give events other bodies, as when rows have moved; clusterings are forgotten."""
        with self._transaction():
            changes = [(json.dumps(body), seq) for seq, body in bodies.items()]
            self._database.executemany("UPDATE event SET body = ? WHERE seq = ?", changes)
            self._database.execute("DELETE FROM clustering")
            self._database.executemany("REPLACE INTO meta VALUES (?, ?)", meta.items())

    def keep(
        self,
        seq: int,
        fingerprint: str,
        about: Mapping[str, Any],
        start: FloatArray | None,
        labels: IntArray,
    ) -> KeptClustering:
        """Keep a clustering, and forget old ones that nothing refers to."""
        packed = zlib.compress(labels.astype(np.int32).tobytes(), 1)
        begun = None if start is None else zlib.compress(_shaped(start), 1)
        now = time.time()
        with self._transaction():
            cursor = self._database.execute(
                "INSERT INTO clustering (seq, at, fingerprint, about, start, labels) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                (seq, now, fingerprint, json.dumps(about), begun, packed),
            )
            number = int(cursor.lastrowid or 0)
            self._thin(number)
        return KeptClustering(number, seq, now, fingerprint, dict(about), start, labels)

    def clustering(self, number: int) -> KeptClustering | None:
        """Return a clustering by its number, None if it is not there."""
        return self._clustering("WHERE id = ?", (number,))

    def clustering_by(self, fingerprint: str) -> KeptClustering | None:
        """Return the last clustering made by these statements and settings, if there is one."""
        return self._clustering("WHERE fingerprint = ? ORDER BY id DESC", (fingerprint,))

    def clusterings(self) -> list[dict[str, Any]]:
        """Return what is known about all clusterings but their labels, the oldest first."""
        with self._lock:
            rows = self._database.execute(
                "SELECT id, seq, at, about FROM clustering ORDER BY id"
            ).fetchall()
        return [{"id": i, "seq": seq, "at": at, **json.loads(about)} for i, seq, at, about in rows]

    def _clustering(self, where: str, values: Sequence[Any]) -> KeptClustering | None:
        with self._lock:
            row = self._database.execute(
                "SELECT id, seq, at, fingerprint, about, start, labels FROM clustering "
                f"{where} LIMIT 1",
                values,
            ).fetchone()
        if row is None:
            return None
        start = None if row[5] is None else _array(zlib.decompress(row[5]))
        labels = np.frombuffer(zlib.decompress(row[6]), np.int32).astype(np.int64)
        number, seq, at, fingerprint, about = row[:5]
        return KeptClustering(number, seq, at, fingerprint, json.loads(about), start, labels)

    def _thin(self, last: int) -> None:
        """Forget clusterings of the same minute, the last ones and those referred to excepted."""
        self._database.execute(
            "DELETE FROM clustering WHERE id <= ? AND id NOT IN "
            "(SELECT max(id) FROM clustering GROUP BY CAST(at / 60 AS INTEGER)) AND id NOT IN "
            "(SELECT json_extract(body, '$.clustering') FROM event WHERE kind = 'take')",
            (last - MOST_KEPT,),
        )

    def _events(self, where: str, values: Sequence[Any]) -> list[Event]:
        rows = self._database.execute(
            "SELECT seq, command, at, person, kind, body, retracts FROM event "
            f"{where} ORDER BY seq",
            values,
        ).fetchall()
        return [
            Event(seq, command, at, person, kind, json.loads(body), retracts)
            for seq, command, at, person, kind, body, retracts in rows
        ]

    def _transaction(self) -> _Transaction:
        return _Transaction(self)


class _Transaction:
    """All or nothing, on disk at the end, and one at a time."""

    def __init__(self, log: EventLog) -> None:
        self.log = log

    def __enter__(self) -> None:
        self.log._lock.acquire()
        try:
            self.log._database.execute("BEGIN IMMEDIATE")
        except BaseException as error:
            self.log._lock.release()
            if isinstance(error, sqlite3.Error):
                raise StudioFileError(self.log.path, str(error)) from error
            raise

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        database = self.log._database
        try:
            if error is None:
                database.execute("COMMIT")
        except sqlite3.Error as failure:
            error = failure
        finally:
            # A full disk may have ended the transaction already.
            if database.in_transaction:
                database.execute("ROLLBACK")
            self.log._lock.release()
        if isinstance(error, sqlite3.Error):
            raise StudioFileError(self.log.path, str(error)) from error


def _shaped(array: FloatArray) -> bytes:
    shape = np.array(array.shape, np.int64).tobytes()
    return shape + np.ascontiguousarray(array, np.float64).tobytes()


def _array(content: bytes) -> FloatArray:
    shape = np.frombuffer(content[:16], np.int64)
    return np.frombuffer(content[16:], np.float64).reshape(shape).copy()


def live(events: Sequence[Event]) -> list[Event]:
    """Return the events that nobody has taken back; a retraction may itself be taken back."""
    gone: set[int] = set()
    for event in reversed(events):
        if event.retracts is not None and event.seq not in gone:
            gone.add(event.retracts)
    return [event for event in events if event.seq not in gone]
