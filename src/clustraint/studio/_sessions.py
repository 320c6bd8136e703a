"""Sessions side by side: each has its own table, file, server and link."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
from collections.abc import Callable, Mapping
from http.client import HTTPConnection, HTTPException
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from clustraint.exceptions import (
    ClustraintError,
    InvalidParameterError,
    MissingPackageError,
    StudioFileError,
    StudioRequestError,
)
from clustraint.studio._log import EventLog
from clustraint.studio._source import Source, stem_of

if TYPE_CHECKING:
    from starlette.applications import Starlette

    from clustraint.studio._tables_in import TablesIn

HOST = "127.0.0.1"
ENDING = ".studio"
# Each holds its table in memory.
MOST_SESSIONS = 20
SECONDS_TO_END = 30
SECONDS_TO_START = 120
SECONDS_TO_ANSWER = 20
# What stands in place of a link, before the number of a process that has none yet.
STARTING = "starting "


def running_link(log: EventLog) -> str | None:
    """Return the link of a server that has this file open already.

    None if there is none; then the file is noted as this process's, so that of two that come at
    once the second waits for the link of the first. Two on one file would not hear of each other.
    """
    deadline = time.monotonic() + SECONDS_TO_START
    while True:
        server = log.meta().get("server", "")
        if _is_starting(server) and time.monotonic() < deadline:
            time.sleep(0.1)
        elif _is_running(server):
            return server
        elif log.claim(server, f"{STARTING}{os.getpid()}"):
            return None


def _is_starting(server: str) -> bool:
    """Say whether another process has the file, but no link yet."""
    number = server.removeprefix(STARTING)
    if number == server or not number.isdecimal() or int(number) == os.getpid():
        return False
    try:
        # Elsewhere signal 0 is not a question.
        if os.name == "posix":
            os.kill(int(number), 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return os.name == "posix"


def _is_running(link: str) -> bool:
    address = urlsplit(link)
    if not link or address.port is None:
        return False
    # Nobody there is known at once; a busy one may take its time.
    connection = HTTPConnection(HOST, address.port, timeout=SECONDS_TO_ANSWER)
    try:
        connection.request("GET", f"/?{address.query}")
        # Only the server that made the token takes it.
        return connection.getresponse().status == 303
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


class OpenedSession(NamedTuple):
    """A session that is open.

    Attributes
    ----------
    link : str
        What opens its page.
    path : Path
        Where everything that is said is kept.
    is_new : bool
        Whether nothing had been said about this table before.
    """

    link: str
    path: Path
    is_new: bool


class Served(NamedTuple):
    """A server that is about to run, the socket that it listens to already, and its link."""

    server: Any
    listener: socket.socket
    link: str

    def run(self) -> None:
        """Answer, until the server is told to end."""
        self.server.run(sockets=[self.listener])

    def stop(self) -> None:
        """Have the server end."""
        self.server.should_exit = True


class Sessions:
    """The studios that this process serves beside the first.

    Parameters
    ----------
    folder : PathLike
        Where the files of new sessions go.
    n_clusters : int, optional
        The number of clusters that they begin with.
    arguments : mapping
        How `read_table` reads their tables.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        n_clusters: int | None = None,
        arguments: Mapping[str, Any] | None = None,
    ) -> None:
        self.folder = Path(folder).resolve()
        self.n_clusters, self.arguments = n_clusters, dict(arguments or {})
        self._lock = threading.Lock()
        self._open: list[tuple[Served, threading.Thread]] = []

    def open(self, name: str, content: bytes) -> OpenedSession:
        """Open a session about a table; a file that is there is gone on with or left alone.

        Raises
        ------
        ClustraintError
            If it is not a table that can be read; no file is made then.
        """
        if name.lower().endswith(ENDING):
            raise StudioRequestError(
                f"{name} is what was said in a session; give the table that it is about, and it "
                "goes on."
            )
        source = Source(name, content, self.arguments)
        # Before there is a file: what cannot be read leaves none behind.
        n_samples = source.table.n_samples
        with self._lock:
            path, is_new = self._place(source)
            log = EventLog(path)
            if (link := running_link(log)) is not None:
                log.close()
                return OpenedSession(link, path, is_new)
            try:
                if len(self._open) >= MOST_SESSIONS:
                    raise StudioRequestError(
                        f"{MOST_SESSIONS} tables are open already; start another studio."
                    )
                number = None if self.n_clusters is None else min(self.n_clusters, n_samples)
                link = self._begin(source, log, number)
            except ClustraintError:
                log.close()
                if is_new:
                    path.unlink()
                raise
            return OpenedSession(link, path, is_new)

    def _place(self, source: Source) -> tuple[Path, bool]:
        """Return the file of a session about this table, and whether it is new."""
        stem = stem_of(source.name)
        for number in count(1):
            path = self.folder / f"{stem if number == 1 else f'{stem}-{number}'}{ENDING}"
            try:
                # Nobody else on this machine reads what people say about their data.
                os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
                return path, True
            except FileExistsError:
                if _is_about(path, source):
                    return path, False
            except OSError as error:
                raise StudioFileError(path, str(error.strerror or error)) from error
        raise AssertionError("there is always another number")

    def _begin(self, source: Source, log: EventLog, n_clusters: int | None) -> str:
        from clustraint.studio._server import Pages, make_routes
        from clustraint.studio._studio import Studio

        studio = Studio(source, log, n_clusters)
        served = self.served(log, lambda tables_in: make_routes(Pages(studio), tables_in))
        thread = threading.Thread(target=served.run, name="session", daemon=True)
        thread.start()
        self._open.append((served, thread))
        return served.link

    def served(
        self, log: EventLog | None, make: Callable[[TablesIn], Starlette], port: int = 0
    ) -> Served:
        """Return what serves the routes that `make` makes; its link is noted in the log."""
        try:
            import uvicorn

            from clustraint.studio._guard import Guard, new_token
            from clustraint.studio._tables_in import TablesIn

            routes = make(TablesIn(self))
        except ImportError as error:
            package = error.name or "starlette"
            raise MissingPackageError("the studio", package, "studio") from error
        listener = _listener(port)
        token, port = new_token(), listener.getsockname()[1]
        link = f"http://{HOST}:{port}/?token={token}"
        if log is not None:
            log.note(server=link)
        config = uvicorn.Config(
            Guard(routes, token, port),
            log_level="warning",
            access_log=False,
            server_header=False,
            ws="websockets-sansio",
            # Pages that stay open must not keep the server from ending.
            timeout_graceful_shutdown=1,
        )
        return Served(uvicorn.Server(config), listener, link)

    def end(self) -> None:
        """End all sessions."""
        with self._lock:
            for served, _ in self._open:
                served.stop()
            for _, thread in self._open:
                thread.join(SECONDS_TO_END)
            self._open.clear()


def _is_about(path: Path, source: Source) -> bool:
    """Say whether a file is of a session about this very table."""
    with contextlib.suppress(OSError, StudioFileError):
        if path.stat().st_size:
            log = EventLog(path)
            try:
                return log.meta().get("digest") == source.digest
            finally:
                log.close()
    return False


def _listener(port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
        # Whoever opens the link at once waits until the server takes it.
        listener.listen(128)
    except OSError as error:
        listener.close()
        raise InvalidParameterError("port", port, f"free ({error.strerror})") from None
    return listener
