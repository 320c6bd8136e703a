"""The routes: see API.md for what page and server say to each other."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from clustraint.exceptions import ClustraintError, ContradictionError
from clustraint.studio import _exports, _sample_views, _views
from clustraint.studio._guard import NotLetInError
from clustraint.studio._page import HANDLERS, page_routes, refusal_of, sentence, until_left
from clustraint.studio._studio import Studio
from clustraint.studio._tables_in import TablesIn

OCTETS = "application/octet-stream"
# What waits longer than this for a page is dropped: the page will look again.
MOST_WAITING = 1_000


class Pages:
    """The answers to requests, each from the studio that is open."""

    def __init__(self, studio: Studio) -> None:
        self.studio = studio

    async def state(self, request: Request) -> Response:
        """Return the state, or nothing where it is as it was."""
        if request.query_params.get("since") == str(self.studio.revision):
            return Response(status_code=204)
        return await _json(lambda: _views.state_view(self.studio))

    async def points(self, request: Request) -> Response:
        """Return where samples are on the plane."""
        x, y = (request.query_params.get(axis) for axis in "xy")

        def find() -> tuple[Any, str]:
            if x is None or y is None:
                return self.studio.samples.plane
            return _sample_views.plane_of_columns(self.studio, x, y)

        points, about = await asyncio.to_thread(find)
        return Response(points.tobytes(), media_type=OCTETS, headers={"X-About": quote(about)})

    async def labels(self, request: Request) -> Response:
        """Return the clusters of samples."""
        which, shown = request.path_params["clustering"], self.studio.shown
        if which == "now" or (shown is not None and which == str(shown.id)):
            if shown is None:
                return JSONResponse(sentence("nothing is clustered yet."), 503)
            kept = shown
        else:
            number = int(which) if which.isdigit() and len(which) < 18 else -1
            earlier = await asyncio.to_thread(self.studio.log.clustering, number)
            if earlier is None:
                return JSONResponse(sentence("there is no such clustering any more."), 404)
            kept = earlier
        content, size = _views.labels_bytes(kept.labels)
        headers = {"X-Bytes": str(size), "X-Clustering": str(kept.id)}
        return Response(content, media_type=OCTETS, headers=headers)

    async def spoken(self, request: Request) -> Response:
        """Return the samples that statements name."""
        rows = await asyncio.to_thread(_views.spoken_rows, self.studio)
        return Response(rows.astype("<u4").tobytes(), media_type=OCTETS)

    async def columns(self, request: Request) -> Response:
        """Return the columns."""
        return await _json(lambda: _sample_views.columns_view(self.studio))

    async def column(self, request: Request) -> Response:
        """Return the values of a column, to colour by."""
        index = request.path_params["index"]
        values = await asyncio.to_thread(_sample_views.column_values, self.studio, index)
        return Response(values.tobytes(), media_type=OCTETS)

    async def sample(self, request: Request) -> Response:
        """Return a sample."""
        row, brief = request.path_params["row"], request.query_params.get("brief") == "1"
        return await _json(lambda: _sample_views.sample_view(self.studio, row, brief=brief))

    async def samples(self, request: Request) -> Response:
        """Return a page of the table."""
        arguments = dict(request.query_params)
        return await _json(lambda: _sample_views.samples_view(self.studio, arguments))

    async def group(self, request: Request) -> Response:
        """Return what some samples have in common."""
        body = await _body(request)
        return await _json(lambda: _views.group_view(self.studio, body.get("rows")))

    async def preview(self, request: Request) -> Response:
        """Return what a statement would do."""
        body = await _body(request)
        studio = self.studio

        def begin() -> Any:
            return studio.preview(
                body.get("person"),
                body.get("kind"),
                body.get("body", {}),
                drop=body.get("drop") or (),
                settings=body.get("settings"),
            )

        try:
            state, fresh, future = await asyncio.to_thread(begin)
        except ContradictionError as error:
            view = _views.nothing_view(studio) | {"contradiction": refusal_of(error)[1]}
            return JSONResponse(view)
        try:
            labels, problem = await asyncio.wrap_future(future), None
        except ClustraintError as error:
            labels, problem = None, str(error)
        group = body.get("group")
        view = _views.preview_view(studio, state, fresh, labels, group)
        return JSONResponse(view | {"problem": problem})

    async def events(self, request: Request) -> Response:
        """Do what a person asks."""
        body = await _body(request)

        def act() -> Any:
            return self.studio.say(
                body.get("command"),
                body.get("person"),
                body.get("kind"),
                body.get("body", {}),
                drop=body.get("drop") or (),
                settings=body.get("settings"),
            )

        return self._done(await asyncio.to_thread(act))

    def _done(self, events: Any, **more: Any) -> Response:
        seqs = [event.seq for event in events]
        last = seqs[-1] if seqs else None
        return JSONResponse({"seq": last, "seqs": seqs, "revision": self.studio.revision, **more})

    async def question(self, request: Request) -> Response:
        """Return the next question."""
        most = request.query_params.get("most", "")
        number = {"most": int(most)} if most.isdigit() and len(most) < 9 else {}
        return JSONResponse(await asyncio.wrap_future(self.studio.question(**number)))

    async def doubts(self, request: Request) -> Response:
        """Return the statements worth a check."""
        rated = await asyncio.wrap_future(self.studio.rate())
        return await _json(lambda: _views.doubts_view(self.studio, rated))

    async def history(self, request: Request) -> Response:
        """Return clusterings and events."""
        return await _json(lambda: _views.history_view(self.studio))

    async def changes(self, request: Request) -> Response:
        """Return what moved between two clusterings."""
        first, second = (request.path_params[name] for name in ("first", "second"))
        return await _json(lambda: _views.changes_view(self.studio, first, second))

    async def compare(self, request: Request) -> Response:
        """Return the comparison, or begin one."""
        if request.method == "GET":
            return JSONResponse(self.studio.comparison.view())
        body = await _body(request)
        total = await asyncio.to_thread(self.studio.compare, body)
        return JSONResponse({"total": total}, 202)

    async def files(self, request: Request) -> Response:
        """Return which files there are to take away."""
        return await _json(lambda: {"files": _exports.listing(self.studio)})

    async def file(self, request: Request) -> Response:
        """Return a file to take away."""
        name = request.path_params["name"]
        if name not in _exports.FILES:
            return JSONResponse(sentence("there is no such file."), 404)
        content, kind = await asyncio.to_thread(_exports.made, self.studio, name)
        disposition = f'attachment; filename="{_exports.file_name(self.studio, name)}"'
        return Response(content, media_type=kind, headers={"Content-Disposition": disposition})

    async def take_in(self, request: Request) -> Response:
        """Take statements from a file."""
        body = await _body(request)
        events = await asyncio.to_thread(_exports.take_in, self.studio, body)
        return self._done(events, n=len(events))

    async def live(self, socket: WebSocket) -> None:
        """Tell a page when there is something new, until it leaves."""
        await socket.accept()
        waiting: asyncio.Queue[dict[str, Any]] = asyncio.Queue(MOST_WAITING)
        loop = asyncio.get_running_loop()

        def put(message: dict[str, Any]) -> None:
            with suppress(asyncio.QueueFull):
                waiting.put_nowait(message)

        def listener(message: dict[str, Any]) -> None:
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(put, message)

        leave = self.studio.listen(listener)
        put({"type": "hello", "seq": self.studio.state.seq, "revision": self.studio.revision})
        left = asyncio.create_task(until_left(socket))
        try:
            while not left.done():
                getting = asyncio.create_task(waiting.get())
                await asyncio.wait({left, getting}, return_when=asyncio.FIRST_COMPLETED)
                if getting.done():
                    await socket.send_json(getting.result())
                else:
                    getting.cancel()
        except (WebSocketDisconnect, RuntimeError):
            pass
        finally:
            leave()
            left.cancel()


async def _json(call: Callable[[], Any]) -> Response:
    return JSONResponse(await asyncio.to_thread(call))


async def _body(request: Request) -> dict[str, Any]:
    try:
        body = json.loads(await request.body())
    except (ValueError, RecursionError):
        raise NotLetInError(400, "The request is not JSON.") from None
    if not isinstance(body, dict):
        raise NotLetInError(400, "The request is not a JSON object.")
    return body


def make_routes(pages: Pages, tables_in: TablesIn | None = None) -> Starlette:
    """Return the routes without a guard, as a kernel that talks to its own notebook has them."""
    at: Callable[..., Any] = Route
    post = ["POST"]
    routes = [
        *page_routes(),
        at("/api/state", pages.state),
        at("/api/points", pages.points),
        at("/api/labels/{clustering}", pages.labels),
        at("/api/spoken", pages.spoken),
        at("/api/columns", pages.columns),
        at("/api/columns/{index:int}/values", pages.column),
        at("/api/sample/{row:int}", pages.sample),
        at("/api/samples", pages.samples),
        at("/api/group", pages.group, methods=post),
        at("/api/preview", pages.preview, methods=post),
        at("/api/events", pages.events, methods=post),
        at("/api/question", pages.question),
        at("/api/doubts", pages.doubts),
        at("/api/history", pages.history),
        at("/api/changes/{first:int}/{second:int}", pages.changes),
        at("/api/compare", pages.compare, methods=["GET", "POST"]),
        at("/api/export", pages.files),
        at("/api/export/{name}", pages.file),
        at("/api/import", pages.take_in, methods=post),
        WebSocketRoute("/api/live", pages.live),
        *([] if tables_in is None else tables_in.routes()),
    ]

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        pages.studio.start()
        yield
        await asyncio.to_thread(pages.studio.end)

    return Starlette(routes=routes, lifespan=lifespan, exception_handlers=HANDLERS)
