"""A page that is there before its studio: its own files at once, all else when that is loaded."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress

from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.types import Receive, Scope, Send

from clustraint.studio._page import HANDLERS, page_routes


class StudioOpening:
    """Routes of a studio that is still being loaded.

    Importing what clusters takes longer than anything else at the start: a browser opens and
    reads the page meanwhile.

    Parameters
    ----------
    load : callable
        Returns the studio's own routes; called in a thread of its own.
    give_up : callable
        Called if that fails.

    Attributes
    ----------
    failure : Exception or None
        Why there is no studio.
    """

    def __init__(self, load: Callable[[], Starlette], give_up: Callable[[], None]) -> None:
        self._load, self._give_up = load, give_up
        self._loaded: asyncio.Task[Starlette] | None = None
        self.failure: Exception | None = None

    def routes(self) -> Starlette:
        """Return the page's own routes at once, and behind them those of the studio."""
        routes = [*page_routes(), Mount("", self._answer)]
        return Starlette(routes=routes, lifespan=self._lifespan, exception_handlers=HANDLERS)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        assert self._loaded is not None
        # A page that leaves must not end what all others wait for.
        routes = await asyncio.shield(self._loaded)
        await routes(scope, receive, send)

    @asynccontextmanager
    async def _lifespan(self, app: Starlette) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            self._loaded = asyncio.create_task(self._begin(stack))
            yield
            with suppress(Exception):  # told by whoever started the server
                await self._loaded

    async def _begin(self, stack: AsyncExitStack) -> Starlette:
        try:
            routes = await asyncio.to_thread(self._load)
            await stack.enter_async_context(routes.router.lifespan_context(routes))
        except Exception as error:
            self.failure = error
            self._give_up()
            raise
        return routes
