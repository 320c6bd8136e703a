"""What every server of the studio has: the page's own files, and refusals in sentences."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import CancelledError
from contextlib import suppress
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket, WebSocketDisconnect

from clustraint.exceptions import (
    ClustraintError,
    ContradictionError,
    StudioFileError,
    StudioRequestError,
)
from clustraint.studio._guard import NotLetInError

STATIC = Path(__file__).parent / "static"


async def _index(request: Request) -> Response:
    return FileResponse(STATIC / "index.html")


async def _theme(request: Request) -> Response:
    """Return the colours of the house as a style sheet."""
    return Response(await asyncio.to_thread(_colours), media_type="text/css")


def _colours() -> str:
    # Whatever draws takes long to import; the page shows that it is being opened meanwhile.
    from clustraint.plot import theme

    return theme()


def page_routes() -> list[BaseRoute]:
    """Return the routes of the page and its files."""
    return [
        Route("/", _index),
        Route("/static/theme.css", _theme),
        Mount("/static", StaticFiles(directory=STATIC)),
    ]


async def until_left(socket: WebSocket) -> None:
    """Wait until a page has closed its connection."""
    with suppress(WebSocketDisconnect, RuntimeError):
        while True:
            await socket.receive_text()


def sentence(text: str) -> dict[str, Any]:
    """Return a refusal that offers no way out."""
    return {"sentence": text, "chain": [], "ways_out": []}


def refusal_of(error: ClustraintError) -> tuple[int, dict[str, Any]]:
    """Return the status and body that tell the page what is wrong."""
    body = sentence(str(error))
    if isinstance(error, ContradictionError):
        return 409, body | {"chain": error.chain, "ways_out": error.ways_out}
    if isinstance(error, StudioRequestError) and error.column:
        return 422, body | {"column": error.column}
    return 423 if isinstance(error, StudioFileError) else 422, body


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, ClustraintError)
    status, body = refusal_of(error)
    return JSONResponse(body, status)


async def _not_let_in(request: Request, error: Exception) -> Response:
    assert isinstance(error, NotLetInError)
    return JSONResponse(sentence(str(error)), error.status)


async def _ended(request: Request, error: Exception) -> Response:
    return JSONResponse(sentence("the studio is closing."), 503)


async def _missing(request: Request, error: Exception) -> Response:
    status = getattr(error, "status_code", 404)
    return JSONResponse(sentence(getattr(error, "detail", "not found")), status)


HANDLERS: dict[Any, Callable[[Request, Exception], Awaitable[Response]]] = {
    ClustraintError: _refused,
    NotLetInError: _not_let_in,
    CancelledError: _ended,
    404: _missing,
    405: _missing,
}
