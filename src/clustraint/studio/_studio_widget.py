"""The widget of a studio: a server's routes, carried by the messages of a notebook."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import Any
from urllib.parse import urlsplit

import anywidget
import traitlets

from clustraint.plot import theme
from clustraint.studio._bundle import STATIC, bundle
from clustraint.studio._server import Pages, make_routes
from clustraint.studio._studio import Studio


class StudioWidget(anywidget.AnyWidget):
    """The page of a studio in a notebook.

    Parameters
    ----------
    studio : Studio
        What it shows.
    **traits
        `person`: who speaks.
    """

    _esm = bundle()
    _css = theme().replace(":root", ".studio") + STATIC.joinpath("studio.css").read_text(
        encoding="utf-8"
    )
    person = traitlets.Unicode("").tag(sync=True)

    def __init__(self, studio: Studio, **traits: Any) -> None:
        super().__init__(**traits)
        self.studio = studio
        self._app = make_routes(Pages(studio))
        # Requests are answered by a thread of their own, while the kernel runs a cell.
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._serve, name="widget", daemon=True)
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
            self._app, content["method"], content["path"], content.get("body")
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
            self.studio.end()
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
        super().close()


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
