"""Who may talk to the server: whoever opened its link, from its own page, on this machine."""

from __future__ import annotations

import hmac
import secrets
from http.cookies import CookieError, SimpleCookie
from typing import Any, NamedTuple
from urllib.parse import parse_qs

from starlette.responses import JSONResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_BODY = 1_000_000
# A table is held in memory as it was sent, and once more as it was read.
LARGEST_TABLE = 256_000_000
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
# Data stay on no disk; the page's own files may, if they are asked for again.
NO_STORE = (b"cache-control", b"no-store")
SAFE = ("GET", "HEAD")


class Allowed(NamedTuple):
    """What a request may carry: its content type, how that is called, and how many bytes."""

    content_type: str
    called: str
    size: int
    way_out: str = ""

    @property
    def too_large(self) -> NotLetInError:
        """The refusal of a body that is larger."""
        return NotLetInError(413, f"A request may have {self.size:,} bytes.{self.way_out}")


STATEMENTS = Allowed("application/json", "JSON", LARGEST_BODY)
# Neither is a type that a form of another site could send without asking first.
TABLES = Allowed(
    "application/octet-stream",
    "the bytes of a table",
    LARGEST_TABLE,
    " Start the studio with the file instead: clustraint studio FILE.",
)
BODIES = {"/api/tables": TABLES}


def new_token() -> str:
    """Return a token of 192 bits."""
    return secrets.token_urlsafe(24)


class NotLetInError(Exception):
    """A request that is not let in."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


class Guard:
    """Lets in only requests for this server, from its own page, with its cookie.

    Parameters
    ----------
    app : ASGI application
        What is guarded.
    token : str
        What the printed link carries; the first visit by it gets the cookie.
    port : int
        The port of the server.
    """

    def __init__(self, app: ASGIApp, token: str, port: int) -> None:
        self.app, self.token = app, token
        self.hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        # Browsers send cookies to every port of a host.
        self.cookie = f"clustraint-{port}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or hand it on."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                is_page = scope["path"].startswith("/static/")
                kept = (b"cache-control", b"no-cache") if is_page else NO_STORE
                message["headers"] = [*message.get("headers", ()), *HEADERS, kept]
            await send(message)

        try:
            headers = _headers(scope)
            self._check_origin(scope, headers)
            if scope["type"] == "http" and self._brings_token(scope):
                response = RedirectResponse("/", 303)
                response.set_cookie(self.cookie, self.token, httponly=True, samesite="strict")
                await response(scope, receive, send_guarded)
                return
            self._check_cookie(headers)
            if scope["type"] == "http" and scope["method"] not in SAFE:
                allowed = BODIES.get(scope["path"], STATEMENTS)
                _check_content(headers, allowed)
                receive = _limited(receive, allowed)
            await self.app(scope, receive, send_guarded)
        except NotLetInError as refusal:
            await _refuse(refusal, scope, receive, send_guarded)

    def _check_origin(self, scope: Scope, headers: dict[str, str]) -> None:
        if headers.get("host") not in self.hosts:
            raise NotLetInError(421, "This server answers to 127.0.0.1 and localhost only.")
        origin = headers.get("origin")
        is_unsafe = scope["type"] == "websocket" or scope["method"] not in SAFE
        is_own = origin is not None and origin in {f"http://{host}" for host in self.hosts}
        if (is_unsafe and not is_own) or (origin is not None and not is_own):
            raise NotLetInError(403, "The request does not come from the studio's own page.")

    def _brings_token(self, scope: Scope) -> bool:
        if scope["path"] != "/" or scope["method"] != "GET":
            return False
        query = parse_qs(scope["query_string"].decode("latin-1"))
        return self._is_token(query.get("token", [""])[0])

    def _check_cookie(self, headers: dict[str, str]) -> None:
        cookies: SimpleCookie = SimpleCookie()
        try:
            cookies.load(headers.get("cookie", ""))
        except CookieError:
            cookies = SimpleCookie()
        own = cookies.get(self.cookie)
        if own is None or not self._is_token(own.value):
            raise NotLetInError(403, "Open the link that the terminal shows.")

    def _is_token(self, text: str) -> bool:
        return hmac.compare_digest(text.encode(), self.token.encode())


def _headers(scope: Scope) -> dict[str, str]:
    return {
        name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]
    }


def _check_content(headers: dict[str, str], allowed: Allowed) -> None:
    kind = headers.get("content-type", "").split(";")[0].strip().lower()
    if kind != allowed.content_type:
        expected = f"{allowed.called} (Content-Type: {allowed.content_type})"
        raise NotLetInError(415, f"Requests must be {expected}.")
    length = headers.get("content-length", "")
    if length.isdigit() and int(length) > allowed.size:
        raise allowed.too_large


def _limited(receive: Receive, allowed: Allowed) -> Receive:
    """Return what receives a body up to the limit, whatever its header claimed."""
    size = 0

    async def receive_limited() -> Message:
        nonlocal size
        message = await receive()
        size += len(message.get("body", b""))
        if size > allowed.size:
            raise allowed.too_large
        return message

    return receive_limited


async def _refuse(refusal: NotLetInError, scope: Scope, receive: Receive, send: Any) -> None:
    if scope["type"] == "websocket":
        # Closed before it is accepted: the browser sees 403.
        await receive()
        await send({"type": "websocket.close", "code": 1008, "reason": str(refusal)})
        return
    body = {"sentence": str(refusal), "chain": [], "ways_out": []}
    await JSONResponse(body, refusal.status)(scope, receive, send)
