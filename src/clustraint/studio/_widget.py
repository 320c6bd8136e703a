"""The studio in a notebook: the same routes, carried by the messages of a widget."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import os
import threading
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from clustraint.constraints import Constraints
from clustraint.exceptions import MissingPackageError
from clustraint.plot import theme
from clustraint.studio._bundle import STATIC, bundle
from clustraint.studio._exports import statement_rows
from clustraint.studio._log import EventLog
from clustraint.studio._open import read_source
from clustraint.studio._samples import Source
from clustraint.studio._studio import Studio
from clustraint.tables import read_columns


def widget(
    X: Any,
    *,
    names: Sequence[str] | None = None,
    feature_names: Sequence[str] | None = None,
    n_clusters: int | None = None,
    constraints: Constraints | None = None,
    path: str | os.PathLike[str] | None = None,
    person: str = "",
) -> Any:
    """Show the studio of a table in a notebook.

    Parameters
    ----------
    X : DataFrame, array-like of shape (n_samples, n_features), str or PathLike
        The samples: any table that `clustraint.tables.read_columns` takes, or what `serve` takes.
    names : sequence of str, optional
        One name for each sample.
    feature_names : sequence of str, optional
        Names of the columns of an array.
    n_clusters : int, optional
        The number of clusters to begin with.
    constraints : Constraints, optional
        What is known already.
    path : str or PathLike, optional
        Where everything that is said is kept; by default only in memory.
    person : str, default=""
        Who speaks.

    Returns
    -------
    AnyWidget
        The widget. Its `studio` has what was said as `studio.constraints`, and the clusters shown
        as `studio.shown.labels`.

    Raises
    ------
    MissingPackageError
        If the packages of the extras ``notebook`` and ``studio`` are not installed.

    Examples
    --------
    >>> from clustraint.studio import widget
    >>> X = [[0.0, 1.0], [1.0, 1.0], [8.0, 9.0], [9.0, 9.0]]
    >>> shown = widget(X, names=["ant", "bee", "cow", "dog"], n_clusters=2)
    >>> shown.studio.constraints
    Constraints(4 samples: nothing known)
    >>> shown.close()
    """
    try:
        import anywidget
        import traitlets

        from clustraint.studio._server import Pages, make_routes
    except ImportError as error:
        extra = "notebook" if error.name in ("anywidget", "traitlets") else "studio"
        package = error.name or "anywidget"
        raise MissingPackageError("the studio in a notebook", package, extra) from error
    is_file = isinstance(X, str | os.PathLike)
    source = read_source(X, {}) if is_file else _source_of(X, names, feature_names)
    studio = Studio(source, EventLog(":memory:" if path is None else path), n_clusters)
    if constraints is not None and not studio.events:
        studio.record("constraints", None, lambda: statement_rows(constraints))
    app = make_routes(Pages(studio))

    class StudioWidget(anywidget.AnyWidget):
        """The studio in a notebook."""

        _esm = bundle()
        _css = theme().replace(":root", ".studio") + STATIC.joinpath("studio.css").read_text(
            encoding="utf-8"
        )
        person = traitlets.Unicode("").tag(sync=True)

        def __init__(self, **options: Any) -> None:
            super().__init__(**options)
            self.studio = studio
            self._loop = asyncio.new_event_loop()
            self._thread = threading.Thread(target=self._serve, daemon=True)
            self._thread.start()
            self.on_msg(self._asked)
            self._leave = studio.listen(lambda message: self.send({"push": message}))
            studio.start()

        def _serve(self) -> None:
            self._loop.run_forever()
            self._loop.run_until_complete(self._loop.shutdown_default_executor())
            self._loop.close()

        def _asked(self, _: Any, content: Any, buffers: Any) -> None:
            asyncio.run_coroutine_threadsafe(self._answer(content), self._loop)

        async def _answer(self, content: Any) -> None:
            status, headers, body = await call(
                app, content["method"], content["path"], content.get("body")
            )
            reply = {"id": content["id"], "status": status, "headers": headers, "body": None}
            if headers.get("content-type") == "application/json":
                self.send({**reply, "body": json.loads(body)})
            else:
                self.send(reply, [body])

        def close(self) -> None:
            """End the studio, and show it no more."""
            if self._thread.is_alive():
                self._leave()
                studio.end()
                self._loop.call_soon_threadsafe(self._loop.stop)
                self._thread.join()
            super().close()

    return StudioWidget(person=person)


async def call(app: Any, method: str, path: str, body: Any) -> tuple[int, dict[str, str], bytes]:
    """Ask an application for what a path answers, without a server in between."""
    address = urlsplit(path)
    sent = b"" if body is None else json.dumps(body).encode()
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": address.path,
        "raw_path": address.path.encode(),
        "query_string": address.query.encode(),
        "root_path": "",
        "headers": [(b"host", b"notebook"), (b"content-type", b"application/json")],
        "server": ("notebook", 80),
        "client": None,
    }
    status, headers, parts = 500, {}, []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": sent, "more_body": False}

    async def send(message: Any) -> None:
        nonlocal status, headers
        if message["type"] == "http.response.start":
            status = message["status"]
            headers = {name.decode(): value.decode() for name, value in message["headers"]}
        else:
            parts.append(message.get("body", b""))

    await app(scope, receive, send)
    return status, headers, b"".join(parts)


def _source_of(X: Any, names: Sequence[str] | None, feature_names: Sequence[str] | None) -> Source:
    """Return a table in memory as the file that it would be."""
    table = X if hasattr(X, "columns") else np.asarray(X)
    cells = []
    for column in read_columns(table, feature_names):
        values = np.full(len(column.missing), "", object)
        values[~column.missing] = column.values
        cells.append((column.name, values))
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\n")
    own = [] if names is None else [("name", np.asarray(names, object))]
    writer.writerow([name for name, _ in (*own, *cells)])
    writer.writerows(zip(*(values for _, values in (*own, *cells)), strict=True))
    arguments = {} if names is None else {"id_column": "name"}
    return Source("table.csv", buffer.getvalue().encode(), arguments)
