"""Opening a studio: its table, its file, its server and its link."""

from __future__ import annotations

import contextlib
import csv
import io
import os
import webbrowser
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clustraint.exceptions import DatasetFileError
from clustraint.studio._agreement import agree
from clustraint.studio._log import EventLog
from clustraint.studio._sessions import ENDING, Served, Sessions, running_link
from clustraint.studio._source import Source

# Whatever clusters and draws is imported when the page can be opened already.
if TYPE_CHECKING:
    from starlette.applications import Starlette

    from clustraint.constraints import Constraints
    from clustraint.datasets import Dataset
    from clustraint.studio._tables_in import TablesIn


def read_source(data: str | os.PathLike[str], arguments: Mapping[str, Any]) -> Source:
    """Return a table's file or, where there is no file of that name, a data set of that name."""
    path = Path(data)
    if not path.exists():
        from clustraint.datasets import list_datasets, load

        if os.fspath(data) in {info.name for info in list_datasets()}:
            return Source(f"{data}.csv", _as_csv(load(os.fspath(data))), arguments)
    try:
        return Source(path.name, path.read_bytes(), arguments)
    except OSError as error:
        problem = f"cannot be read: {error.strerror or error}."
        raise DatasetFileError(data, 0, problem) from error


def _as_csv(dataset: Dataset) -> bytes:
    """Return the samples of a data set as a file, without their classes."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\n")
    names, X = dataset.names, dataset.X
    if X.ndim == 1:
        header: tuple[str, ...] = ("text",)
        rows = [[text] for text in X]
    else:
        header = dataset.feature_names or tuple(f"x{place}" for place in range(X.shape[1]))
        rows = (X.toarray() if hasattr(X, "toarray") else X).tolist()
    writer.writerow((["name"] if names else []) + list(header))
    for place, row in enumerate(rows):
        cells = [int(x) if isinstance(x, float) and x.is_integer() else x for x in row]
        writer.writerow(([names[place]] if names else []) + cells)
    return buffer.getvalue().encode()


def serve(
    data: str | os.PathLike[str] | None = None,
    path: str | os.PathLike[str] | None = None,
    *,
    n_clusters: int | None = None,
    constraints: Constraints | None = None,
    port: int = 0,
    open_browser: bool = True,
    announce: Callable[[str], Any] = print,
    **arguments: Any,
) -> None:
    """Serve the studio of a table on this machine, until it is interrupted.

    Parameters
    ----------
    data : str or PathLike, optional
        A file that `clustraint.tables.read_table` reads, or the name of a data set, see
        `clustraint.datasets.list_datasets`. Without one, the page asks for a table.
    path : str or PathLike, optional
        Where everything that people say is kept; by default the name of the table with the ending
        .studio, in this folder. If the file is there, the studio goes on with it.
    n_clusters : int, optional
        The number of clusters to begin with.
    constraints : Constraints, optional
        What is known already: statements of a new studio, which needs `data`.
    port : int, default=0
        The port, 0 for any that is free.
    open_browser : bool, default=True
        Whether to open the page in a browser.
    announce : callable, default=print
        Called with the link of the page, which lets in whoever has it.
    **arguments
        Further arguments of `read_table`.

    Raises
    ------
    MissingPackageError
        If the packages of the extra ``studio`` are not installed.
    StudioFileError
        If the file cannot be used, or is about another table.

    Examples
    --------
    >>> from clustraint.studio import serve
    >>> serve("animals.csv", n_clusters=7)  # doctest: +SKIP
    http://127.0.0.1:40161/?token=...
    """
    if data is None:
        # Tables that are dropped on a page without one are the ones meant by all options.
        sessions = Sessions(".", n_clusters, arguments)
        _run(sessions, sessions.served(None, _door, port), open_browser, announce)
        return
    path = Path(f"{Path(data).stem}{ENDING}" if path is None else path)
    source = read_source(data, arguments)
    log = EventLog(path)
    if (link := running_link(log)) is not None:
        log.close()
        announce(link)
        if open_browser:
            webbrowser.open(link)
        return
    # What is wrong with the table, the file or the number is told before there is a link.
    agree(source, log, n_clusters)

    def load(tables_in: TablesIn) -> Starlette:
        return _load(source, log, n_clusters, constraints, tables_in)

    _open(Sessions(path.parent), log, load, constraints is None, port, open_browser, announce)


def _door(tables_in: TablesIn) -> Starlette:
    from clustraint.studio._tables_in import make_door

    return make_door(tables_in)


def _load(
    source: Source,
    log: EventLog,
    n_clusters: int | None,
    constraints: Constraints | None,
    tables_in: TablesIn,
) -> Starlette:
    """Return the routes of a studio, with all that clusters and draws imported."""
    from clustraint.studio._exports import statement_rows
    from clustraint.studio._server import Pages, make_routes
    from clustraint.studio._studio import Studio

    studio = Studio(source, log, n_clusters)
    if constraints is not None and not studio.events:
        studio.record("constraints", None, lambda: statement_rows(constraints))
    return make_routes(Pages(studio), tables_in)


def _open(
    sessions: Sessions,
    log: EventLog,
    load: Callable[[TablesIn], Starlette],
    is_sure: bool,
    port: int,
    open_browser: bool,
    announce: Callable[[str], Any],
) -> None:
    """Serve the page at once, and its studio as soon as it is loaded.

    Where loading may yet find something wrong, it comes first.
    """
    openings = []

    def make(tables_in: TablesIn) -> Starlette:
        from clustraint.studio._opening import StudioOpening

        if not is_sure:
            return load(tables_in)
        openings.append(StudioOpening(lambda: load(tables_in), lambda: served.stop()))
        return openings[0].routes()

    served = sessions.served(log, make, port)
    _run(sessions, served, open_browser, announce)
    for opening in openings:
        if opening.failure is not None:
            raise opening.failure


def _run(
    sessions: Sessions, served: Served, open_browser: bool, announce: Callable[[str], Any]
) -> None:
    """Serve a page, and those that are opened by it, until it is interrupted."""
    announce(served.link)
    if open_browser:
        webbrowser.open(served.link)
    try:
        with contextlib.suppress(KeyboardInterrupt):
            served.run()
    finally:
        sessions.end()
