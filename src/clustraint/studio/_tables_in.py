"""Tables that come in by the page: dropped on it, or chosen there."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from clustraint.exceptions import StudioRequestError
from clustraint.studio._page import HANDLERS, page_routes, until_left

if TYPE_CHECKING:
    from clustraint.studio._sessions import Sessions

LONGEST_NAME = 200


class TablesIn:
    """The answers about tables that are not open yet.

    Parameters
    ----------
    sessions : Sessions
        Where they are opened.
    """

    def __init__(self, sessions: Sessions) -> None:
        self.sessions = sessions

    async def open(self, request: Request) -> Response:
        """Open a table that the page sends as a session of its own."""
        name = _name(request.headers.get("x-name", ""))
        content = await request.body()
        session = await asyncio.to_thread(self.sessions.open, name, content)
        view = {"link": session.link, "kept": str(session.path), "is_new": session.is_new}
        return JSONResponse(view, 201)

    async def place(self, request: Request) -> Response:
        """Return where the files of new sessions go."""
        return JSONResponse({"folder": str(self.sessions.folder)})

    async def state(self, request: Request) -> Response:
        """Return the state of a studio that has no table yet."""
        return JSONResponse({"table": None, "seq": 0, "revision": 0, "statements": []})

    async def live(self, socket: WebSocket) -> None:
        """Stay connected to a page, so that it sees when the server ends."""
        await socket.accept()
        await socket.send_json({"type": "hello", "seq": 0, "revision": 0})
        await until_left(socket)

    def routes(self) -> list[Any]:
        """Return the routes that every page has."""
        return [
            Route("/api/tables", self.open, methods=["POST"]),
            Route("/api/tables", self.place, methods=["GET"]),
        ]


def _name(header: str) -> str:
    """Return the name of a file: a name and no path."""
    name = unquote(header)
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise StudioRequestError(f"a table has a name of at most {LONGEST_NAME} characters.")
    if any(mark in name for mark in "/\\:") or name.startswith("."):
        raise StudioRequestError("the name of a table is the name of a file, not a path.")
    return name


def make_door(tables_in: TablesIn) -> Starlette:
    """Return the routes of a page that asks for a table."""
    routes = [
        *page_routes(),
        Route("/api/state", tables_in.state),
        WebSocketRoute("/api/live", tables_in.live),
        *tables_in.routes(),
    ]
    return Starlette(routes=routes, exception_handlers=HANDLERS)
