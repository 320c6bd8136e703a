"""Every attack is refused, with the status that says why."""

import base64
import json

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from clustraint.studio._guard import LARGEST_BODY, LARGEST_TABLE, POLICY
from tests.studio.desk import BASE, HEADERS, PORT, blobs, make_app, open_studio, visiting

LINK = {"command": "0123456789", "kind": "together", "body": {"rows": [0, 1]}}
JSON = {"content-type": "application/json"}
TABLE = "name,x,y\na,1,2\nb,2,3\nc,9,8\nd,8,9\n"
# Whoever unpickles it ends.
PICKLE = "cbuiltins\nexit\n(tR."
NO_NAME = {**HEADERS, "content-type": "application/octet-stream"}
OCTETS = {**NO_NAME, "x-name": "more.csv"}
NO_ORIGIN = {name: value for name, value in OCTETS.items() if name != "origin"}


def deep(levels):
    return "[" * levels + "]" * levels


ATTACKS = {
    "no token": (403, "GET", "/api/state", {}, None, False),
    "no token for the page": (403, "GET", "/", {}, None, False),
    "no token for a file of the page": (403, "GET", "/static/index.html", {}, None, False),
    "wrong token": (403, "GET", "/?token=wrong", {}, None, False),
    "empty token": (403, "GET", "/?token=", {}, None, False),
    "token elsewhere than at the door": (403, "GET", "/api/state?token={token}", {}, None, False),
    "foreign cookie": (403, "GET", "/api/state", {"cookie": f"clustraint-{PORT}=x"}, None, False),
    "foreign host": (421, "GET", "/api/state", {"host": "evil.example"}, None, True),
    "host of another port": (421, "GET", "/api/state", {"host": "127.0.0.1:1"}, None, True),
    "token by a foreign host": (421, "GET", "/?token={token}", {"host": "evil.example"}, None, 0),
    "no origin": (403, "POST", "/api/events", JSON, LINK, True),
    "foreign origin": (403, "POST", "/api/events", {**JSON, "origin": "http://evil"}, LINK, True),
    "null origin": (403, "POST", "/api/events", {**JSON, "origin": "null"}, LINK, True),
    "https origin": (
        403,
        "POST",
        "/api/events",
        {**JSON, "origin": f"https://127.0.0.1:{PORT}"},
        LINK,
        True,
    ),
    "foreign origin that reads": (403, "GET", "/api/state", {"origin": "http://evil"}, None, True),
    "text/plain": (
        415,
        "POST",
        "/api/events",
        {**HEADERS, "content-type": "text/plain"},
        LINK,
        True,
    ),
    "a form": (
        415,
        "POST",
        "/api/events",
        {**HEADERS, "content-type": "application/x-www-form-urlencoded"},
        LINK,
        True,
    ),
    "traversal": (404, "GET", "/static/../_guard.py", {}, None, True),
    "traversal, encoded": (404, "GET", "/static/%2e%2e/_guard.py", {}, None, True),
    "traversal, half encoded": (404, "GET", "/static/..%2f_guard.py", {}, None, True),
    "traversal, from the root": (404, "GET", "/static//etc/passwd", {}, None, True),
    "traversal by an export": (404, "GET", "/api/export/..%2f..%2fsecret", {}, None, True),
    "huge body": (413, "POST", "/api/events", HEADERS, "x" * (LARGEST_BODY + 1), True),
    "deep JSON": (400, "POST", "/api/events", HEADERS, deep(100_000), True),
    "no JSON": (400, "POST", "/api/events", HEADERS, "{", True),
    "a list": (400, "POST", "/api/events", HEADERS, [1], True),
    "row out of range": (
        422,
        "POST",
        "/api/events",
        HEADERS,
        LINK | {"body": {"rows": [0, 10**9]}},
        True,
    ),
    "negative row": (422, "POST", "/api/events", HEADERS, LINK | {"body": {"rows": [0, -1]}}, True),
    "rows that are no numbers": (
        422,
        "POST",
        "/api/events",
        HEADERS,
        LINK | {"body": {"rows": [0, "1"]}},
        True,
    ),
    "rows that are truth values": (
        422,
        "POST",
        "/api/events",
        HEADERS,
        LINK | {"body": {"rows": [False, True]}},
        True,
    ),
    "bits of another table": (
        422,
        "POST",
        "/api/events",
        HEADERS,
        LINK | {"body": {"rows": {"bits": base64.b64encode(b"\xff" * 999).decode()}}},
        True,
    ),
    "a path as a file's name": (
        422,
        "POST",
        "/api/import",
        HEADERS,
        {"command": "0123456789", "name": "../../etc/passwd", "text": "s0 = s1"},
        True,
    ),
    "a rule that is code": (
        422,
        "POST",
        "/api/events",
        HEADERS,
        LINK | {"kind": "rule", "body": {"rule": "__import__('os').system('true')"}},
        True,
    ),
    "an unknown kind": (422, "POST", "/api/events", HEADERS, LINK | {"kind": "drop table"}, True),
    "a person of two lines": (422, "POST", "/api/events", HEADERS, LINK | {"person": "a\nb"}, True),
    "a table without a token": (403, "POST", "/api/tables", OCTETS, TABLE, False),
    "a table without an origin": (403, "POST", "/api/tables", NO_ORIGIN, TABLE, True),
    "a table from elsewhere": (
        403,
        "POST",
        "/api/tables",
        {**OCTETS, "origin": "http://evil.example"},
        TABLE,
        True,
    ),
    "a table as JSON": (415, "POST", "/api/tables", HEADERS, TABLE, True),
    "a table as a form": (
        415,
        "POST",
        "/api/tables",
        {**OCTETS, "content-type": "multipart/form-data"},
        TABLE,
        True,
    ),
    "a table that is too large": (
        413,
        "POST",
        "/api/tables",
        {**OCTETS, "content-length": str(LARGEST_TABLE + 1)},
        TABLE,
        True,
    ),
    "statements as octets": (415, "POST", "/api/events", OCTETS, LINK, True),
    "a table without a name": (422, "POST", "/api/tables", NO_NAME, TABLE, True),
    "a path as a table's name": (
        422,
        "POST",
        "/api/tables",
        {**OCTETS, "x-name": "..%2F..%2Fetc%2Fblobs.csv"},
        TABLE,
        True,
    ),
    "a path of Windows as a table's name": (
        422,
        "POST",
        "/api/tables",
        {**OCTETS, "x-name": "C%3A%5Cblobs.csv"},
        TABLE,
        True,
    ),
    "a hidden file as a table's name": (
        422,
        "POST",
        "/api/tables",
        {**OCTETS, "x-name": ".bashrc"},
        TABLE,
        True,
    ),
    "a table's name of two lines": (
        422,
        "POST",
        "/api/tables",
        {**OCTETS, "x-name": "a%0Ab.csv"},
        TABLE,
        True,
    ),
    "a pickle as a table": (
        422,
        "POST",
        "/api/tables",
        {**OCTETS, "x-name": "blobs.pkl"},
        PICKLE,
        True,
    ),
    "a saved session as a table": (
        422,
        "POST",
        "/api/tables",
        {**OCTETS, "x-name": "blobs.studio"},
        TABLE,
        True,
    ),
    "another method": (405, "DELETE", "/api/state", HEADERS, {}, True),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("sessions")


@pytest.fixture(scope="module")
def visitor(folder):
    with visiting(folder=folder) as visitor:
        yield visitor


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_is_refused(attack, visitor, folder):
    status, method, path, headers, body, with_cookie = ATTACKS[attack]
    before = visitor.studio.state.seq
    content = body if isinstance(body, str) else None if body is None else json.dumps(body)
    headers = headers | visitor.cookie if with_cookie else headers
    path = path.replace("{token}", visitor.token)
    answer = visitor.client.request(method, path, headers=headers, content=content)
    assert answer.status_code == status
    assert set(answer.json()) >= {"sentence", "chain", "ways_out"}
    assert answer.json()["sentence"]
    assert answer.headers["content-security-policy"] == POLICY
    assert visitor.token not in answer.text
    assert visitor.studio.state.seq == before
    assert not any(folder.iterdir())


def test_a_body_without_a_length_is_cut_off_too(visitor):
    pieces = (b" " * 100_000 for _ in range(12))
    headers = HEADERS | visitor.cookie
    answer = visitor.client.post("/api/events", content=pieces, headers=headers)
    assert answer.status_code == 413


def connected(visitor, **changes):
    own = {
        "host": f"127.0.0.1:{PORT}",
        "origin": BASE,
        **visitor.cookie,
    }
    headers = {name: value for name, value in (own | changes).items() if value is not None}
    return visitor.client.websocket_connect(f"ws://127.0.0.1:{PORT}/api/live", headers=headers)


@pytest.mark.parametrize(
    "changes",
    [
        {"origin": "http://evil.example"},
        {"origin": None},
        {"cookie": f"clustraint-{PORT}=wrong"},
        {"host": "evil.example"},
    ],
)
def test_a_foreign_websocket_is_refused(changes, visitor):
    with pytest.raises(WebSocketDisconnect) as caught, connected(visitor, **changes):
        pass
    assert caught.value.code == 1008


def test_an_own_websocket_is_let_in(visitor):
    with connected(visitor) as socket:
        assert socket.receive_json()["type"] == "hello"


def test_the_link_gives_a_cookie_and_a_clean_address(visitor):
    answer = visitor.client.get(f"/?token={visitor.token}")
    visitor.client.cookies.clear()
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert len(base64.urlsafe_b64decode(visitor.token)) * 8 == 192


def test_a_cookie_of_before_a_restart_is_refused(visitor):
    app = make_app(open_studio(), "another token")
    with TestClient(app, base_url=BASE) as client:
        assert client.get("/api/state", headers=visitor.cookie).status_code == 403


def test_nothing_unsafe_is_in_the_policy(visitor):
    assert "unsafe" not in POLICY
    headers = visitor.get("/api/state").headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cache-control"] == "no-store"


SCRIPT = "<script>alert(1)</script>"


def test_scripts_in_cells_columns_names_and_rules_stay_texts():
    content = f'name,x,"{SCRIPT}"\n"{SCRIPT}",1,5\nb,2,6\nc,8,1\nd,9,2\n'.encode()
    with visiting(content=content, n_clusters=2) as visitor:
        assert visitor.say("name", {"cluster": 0, "name": SCRIPT}).status_code == 200
        assert visitor.say("rule", {"rule": f"`{SCRIPT}` > 4"}).status_code == 200
        assert visitor.say("note", {"text": SCRIPT}, person="<b>Ann</b>").status_code == 200
        for path in ("/api/state", "/api/columns", "/api/sample/0", "/api/samples", "/api/history"):
            answer = visitor.get(path)
            assert answer.headers["content-type"] == "application/json"
            assert SCRIPT in answer.text or path == "/api/columns"
        report = visitor.get("/api/export/report.html").text
        assert SCRIPT not in report
        assert "&lt;script&gt;alert(1)" in report


def test_formulas_are_neutralised_in_spreadsheets():
    content = blobs().replace(b"s0,", b"=1+1,", 1).replace(b"s1,", b"@x,", 1)
    with visiting(content=content, ignore=("colour",)) as visitor:
        visitor.say("name", {"cluster": 0, "name": "=cmd()"})
        for name in ("labels.csv", "table.csv"):
            text = visitor.get(f"/api/export/{name}").text
            assert "\n'=1+1," in text
            assert "\n'@x," in text
            assert "'=cmd()" in text
