"""Tables that come in by the page: each a session of its own, whatever is there already."""

from http.client import HTTPConnection
from urllib.parse import quote, urlsplit

import numpy as np
import polars as pl
import pytest
from starlette.testclient import TestClient

from clustraint.studio import _guard, _sessions
from clustraint.studio._guard import Guard
from clustraint.studio._log import EventLog
from clustraint.studio._sessions import Sessions
from clustraint.studio._tables_in import TablesIn, make_door
from tests.studio.desk import BASE, PORT, blobs

OCTETS = {"origin": BASE, "content-type": "application/octet-stream"}
COOKIE = {"cookie": f"clustraint-{PORT}=token"}


class Door:
    """A page that asks for a table, and somebody who drops some on it."""

    def __init__(self, client, sessions):
        self.client, self.sessions = client, sessions

    def get(self, path):
        return self.client.get(path, headers=COOKIE)

    def drop(self, name, content):
        headers = OCTETS | COOKIE | {"x-name": quote(name)}
        return self.client.post("/api/tables", content=content, headers=headers)


@pytest.fixture
def door(tmp_path):
    sessions = Sessions(tmp_path)
    app = Guard(make_door(TablesIn(sessions)), "token", PORT)
    with TestClient(app, base_url=BASE, follow_redirects=False) as client:
        yield Door(client, sessions)
    sessions.end()


def visit(link):
    """Open a link as a browser would, and return where it leads and the cookie."""
    address = urlsplit(link)
    connection = HTTPConnection(address.hostname, address.port, timeout=30)
    connection.request("GET", f"{address.path}?{address.query}")
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status, answer.headers["set-cookie"]


def test_a_page_without_a_table_asks_for_one(door, tmp_path):
    assert door.get("/").status_code == 200
    assert door.get("/static/tablein.js").status_code == 200
    assert door.get("/api/state").json()["table"] is None
    assert door.get("/api/tables").json() == {"folder": str(tmp_path.resolve())}
    assert door.get("/api/points").status_code == 404
    with door.client.websocket_connect(
        f"ws://127.0.0.1:{PORT}/api/live",
        headers={"host": f"127.0.0.1:{PORT}", "origin": BASE, **COOKIE},
    ) as socket:
        assert socket.receive_json()["type"] == "hello"


def test_a_dropped_table_has_its_own_link_file_and_token(door, tmp_path):
    answer = door.drop("my blobs.csv", blobs())
    assert answer.status_code == 201
    opened = answer.json()
    assert opened["kept"] == str(tmp_path.resolve() / "my-blobs.studio")
    assert opened["is_new"]
    assert "token=token" not in opened["link"]
    status, cookie = visit(opened["link"])
    assert status == 303
    assert cookie.startswith(f"clustraint-{urlsplit(opened['link']).port}=")
    assert EventLog(opened["kept"]).meta()["source"] == "my blobs.csv"


def test_the_same_table_goes_on_and_another_never_takes_its_place(door, tmp_path):
    first = door.drop("blobs.csv", blobs()).json()
    # While it is open, whoever drops it again gets to the same page.
    again = door.drop("blobs.csv", blobs()).json()
    assert again == first | {"is_new": False}
    other = door.drop("blobs.csv", blobs(seed=1)).json()
    assert other["kept"] == str(tmp_path.resolve() / "blobs-2.studio")
    assert other["link"] != first["link"]
    # Another run of the program goes on with each of them.
    door.sessions.end()
    later = Sessions(tmp_path)
    assert later.open("blobs.csv", blobs(seed=1))[1:] == (tmp_path.resolve() / "blobs-2.studio", 0)
    assert later.open("blobs.csv", blobs())[1:] == (tmp_path.resolve() / "blobs.studio", False)
    later.end()


@pytest.mark.parametrize("content", [b"", b"a file of somebody else's\n"])
def test_a_file_that_is_no_session_is_left_alone(door, tmp_path, content):
    foreign = tmp_path / "blobs.studio"
    foreign.write_bytes(content)
    opened = door.drop("blobs.csv", blobs()).json()
    assert opened["kept"] == str(tmp_path.resolve() / "blobs-2.studio")
    assert foreign.read_bytes() == content


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("picture.png", b"\x89PNG\r\n\x1a\n" + bytes(200), "is a binary file, not a table"),
        ("empty.csv", b"", "empty.csv"),
        ("broken.parquet", b"PAR1 and nothing else", "broken.parquet"),
        ("packed.csv.gz", b"\x1f\x8b and nothing else", "cannot be unpacked"),
        ("blobs.studio", b"SQLite format 3\0", "give the table that it is about"),
        ("same.csv", b"name,x\na,1\nb,1\n", "has no column to cluster by"),
    ],
)
def test_what_is_no_table_is_refused_in_a_sentence_and_leaves_no_file(
    door, tmp_path, name, content, words
):
    answer = door.drop(name, content)
    assert answer.status_code == 422
    assert words in answer.json()["sentence"]
    assert str(tmp_path) not in answer.json()["sentence"]
    assert list(tmp_path.iterdir()) == []


def test_a_table_without_a_length_is_cut_off_too(door, tmp_path, monkeypatch):
    small = _guard.TABLES._replace(size=200_000)
    monkeypatch.setitem(_guard.BODIES, "/api/tables", small)
    answer = door.drop("blobs.csv", (b"1,2\n" * 25_000 for _ in range(3)))
    assert answer.status_code == 413
    assert "clustraint studio FILE" in answer.json()["sentence"]
    assert list(tmp_path.iterdir()) == []


def test_a_table_may_be_larger_than_statements(door):
    rng = np.random.default_rng(0)
    lines = "\n".join(f"{x:.6f},{y:.6f}" for x, y in rng.normal(size=(60_000, 2)))
    assert len(lines) > _guard.LARGEST_BODY
    assert door.drop("large.csv", f"x,y\n{lines}\n".encode()).status_code == 201


def test_other_kinds_of_files_are_read_by_their_ending(door, tmp_path):
    frame = pl.DataFrame({"name": list("abcd"), "x": [1.0, 2.0, 8.0, 9.0]})
    frame.write_parquet(tmp_path / "table.parquet")
    frame.write_json(tmp_path / "table.json")
    for name in ("table.parquet", "table.json"):
        assert door.drop(name, (tmp_path / name).read_bytes()).status_code == 201


def test_so_many_tables_and_no_more(door, monkeypatch):
    monkeypatch.setattr(_sessions, "MOST_SESSIONS", 1)
    assert door.drop("one.csv", blobs()).status_code == 201
    refused = door.drop("two.csv", blobs(seed=1))
    assert refused.status_code == 422
    assert "open already" in refused.json()["sentence"]
    # What is open can still be visited.
    assert door.drop("one.csv", blobs()).status_code == 201
