"""The page is there before its studio: what takes long at the start is imported meanwhile."""

import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from clustraint.exceptions import StudioRequestError
from clustraint.studio import _open, serve
from clustraint.studio._guard import Guard
from clustraint.studio._opening import StudioOpening
from clustraint.studio._sessions import HOST, _listener
from tests.studio.desk import BASE, PORT, blobs

COOKIE = {"cookie": f"clustraint-{PORT}=token"}
HEAVY = ("sklearn", "scipy", "polars", "numba", "lark", "clustraint.cluster", "clustraint.plot")


def studio_routes():
    async def state(request):
        return JSONResponse({"table": "is there"})

    return Starlette(routes=[Route("/api/state", state)])


@pytest.fixture
def opened():
    """Return a function that opens a page whose studio is loaded by a function."""
    clients = []

    def open_page(load, give_up=lambda: None):
        opening = StudioOpening(load, give_up)
        app = Guard(opening.routes(), "token", PORT)
        clients.append(TestClient(app, base_url=BASE, raise_server_exceptions=False))
        clients[-1].__enter__()
        return opening, clients[-1]

    yield open_page
    for client in clients:
        client.__exit__(None, None, None)


def test_files_of_the_page_do_not_wait_for_the_studio(opened):
    loaded = threading.Event()

    def load():
        assert loaded.wait(60)
        return studio_routes()

    _, client = opened(load)
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(client.get, "/api/state", headers=COOKIE)
        for path in ("/", "/static/app.js", "/static/studio.css", "/static/theme.css"):
            assert client.get(path, headers=COOKIE).status_code == 200
        assert "Opening the studio" in client.get("/", headers=COOKIE).text
        # Whoever has no token is refused at once, and does not learn whether it is loaded.
        assert client.get("/api/state").status_code == 403
        assert not waiting.done()
        loaded.set()
        assert waiting.result(60).json() == {"table": "is there"}


def test_a_studio_that_cannot_be_loaded_says_why_and_ends(opened):
    ended = threading.Event()

    def load():
        raise StudioRequestError("this will not do.")

    opening, client = opened(load, ended.set)
    answer = client.get("/api/state", headers=COOKIE)
    assert (answer.status_code, answer.json()["sentence"]) == (422, "this will not do.")
    assert ended.wait(60)
    assert str(opening.failure) == "this will not do."


def test_a_failure_after_the_link_ends_the_command_with_it(tmp_path, monkeypatch):
    (tmp_path / "blobs.csv").write_bytes(blobs())
    links = []

    def load(*arguments):
        time.sleep(0.1)
        raise StudioRequestError("this will not do.")

    monkeypatch.setattr(_open, "_load", load)
    with pytest.raises(StudioRequestError, match="this will not do"):
        serve(
            tmp_path / "blobs.csv",
            tmp_path / "blobs.studio",
            open_browser=False,
            announce=links.append,
        )
    assert len(links) == 1


@pytest.mark.parametrize(
    ("content", "n_clusters"), [(b"name,x\na,1\nb,2\n", 3), (b"\x00\x01\x02", None)]
)
def test_what_is_wrong_is_told_before_there_is_a_link(tmp_path, content, n_clusters):
    (tmp_path / "data.csv").write_bytes(content)
    links = []
    with pytest.raises(Exception, match=r"n_clusters|data\.csv"):
        serve(
            tmp_path / "data.csv",
            tmp_path / "data.studio",
            n_clusters=n_clusters,
            open_browser=False,
            announce=links.append,
        )
    assert links == []


def test_importing_the_studio_imports_nothing_that_takes_long():
    script = f"import sys, clustraint.studio; print([x for x in {HEAVY} if x in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr


def test_only_this_machine_is_listened_to():
    listener = _listener(0)
    assert listener.getsockname()[0] == HOST == "127.0.0.1"
    listener.close()
