"""Every route answers as API.md says, and is in it."""

import base64
import threading
from pathlib import Path

import numpy as np
import pytest

import clustraint.studio
from clustraint.constraints import Rule
from clustraint.studio._rows import as_bits
from clustraint.studio._statements import KINDS
from tests.studio.desk import BASE, PORT, blobs, make_app, open_studio, visiting

API = (Path(clustraint.studio.__file__).parent / "API.md").read_text(encoding="utf-8")


def test_every_route_and_every_kind_is_documented():
    app = make_app(open_studio(), "token").app
    for route in app.routes:
        path = route.path.replace(":int", "").replace("{first}/{second}", "{a}/{b}")
        assert path in API, path
    for kind in KINDS:
        assert f"`{kind}`" in API, kind


@pytest.fixture(scope="module")
def visitor():
    with visiting(content=blobs(), n_clusters=3) as visitor:
        visitor.say("together", {"rows": [0, 1]})
        visitor.say("apart", {"rows": [0], "from": [10, 11]})
        yield visitor


def numbers(answer, dtype):
    return np.frombuffer(answer.content, dtype)


def test_the_state_tells_all(visitor):
    state = visitor.state()
    assert state["table"]["n_samples"] == 30
    assert sum(each["size"] for each in state["clusters"]) == 30
    assert [each["text"] for each in state["statements"]] == [
        "s0 = s1",
        "s0 apart from s10 and s11",
    ]
    assert [each["holds"] for each in state["statements"]] == [True, True]
    assert state["can_undo"] == {"Ann": "s0 apart from s10 and s11"}
    assert state["people"] == ["Ann"]
    assert len(state["shapes"]) == 8
    same = visitor.get(f"/api/state?since={state['revision']}")
    assert (same.status_code, same.content) in ((204, b""), (200, same.content))


def test_points_and_labels(visitor):
    points = numbers(visitor.get("/api/points"), "<f4").reshape(-1, 2)
    assert points.shape == (30, 2)
    assert (np.abs(points) <= 1).all()
    by_columns = visitor.get("/api/points?x=0&y=1")
    assert "x and y" in by_columns.headers["x-about"].replace("%20", " ")
    answer = visitor.get("/api/labels/now")
    assert answer.headers["x-bytes"] == "1"
    labels = numbers(answer, np.uint8)
    assert (labels == visitor.studio.shown.labels).all()
    number = visitor.studio.shown.id
    assert visitor.get(f"/api/labels/{number}").content == answer.content
    assert visitor.get("/api/labels/999").status_code == 404
    assert visitor.get("/api/labels/x").status_code == 404


def test_columns(visitor):
    columns = visitor.get("/api/columns").json()["columns"]
    assert [(each["name"], each["role"]) for each in columns] == [
        ("x", "cluster"),
        ("y", "cluster"),
        ("colour", "cluster"),
        ("name", "show"),
    ]
    assert columns[2]["histogram"] == {
        "levels": ["blue", "green", "red"],
        "counts": [10, 10, 10],
        "others": 0,
    }
    assert sum(columns[0]["histogram"]["counts"]) == 30
    colours = numbers(visitor.get("/api/columns/2/values"), "<f4")
    assert colours[:3].tolist() == [2, 0, 1]
    assert visitor.get("/api/columns/77/values").status_code == 422


def test_a_sample_and_its_neighbours(visitor):
    sample = visitor.get("/api/sample/3").json()
    assert (sample["name"], sample["row"]) == ("s3", 3)
    assert all(each["row"] < 10 for each in sample["neighbours"][:3])
    distances = [each["distance"] for each in sample["neighbours"]]
    assert distances == sorted(distances)
    assert visitor.get("/api/sample/0").json()["statements"] == [1, 2]
    assert visitor.get("/api/sample/30").status_code == 422
    assert "values" not in visitor.get("/api/sample/3?brief=1").json()


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ("query=S12", [12]),
        ("query=blue&count=3", [1, 4, 7]),
        ("sort=0&descending=1&count=1", None),
        ("sort=name&from=28&count=5", [8, 9]),
        ("rows=4,2", [2, 4]),
    ],
)
def test_a_page_of_the_table(visitor, query, rows):
    page = visitor.get(f"/api/samples?{query}").json()
    listed = [each["row"] for each in page["rows"]]
    if rows is None:
        assert listed == [int(np.argmax(visitor.studio.table.column("x").values))]
    else:
        assert listed == rows
    assert page["columns"] == ["x", "y", "colour", "name"]


def test_a_bad_page_of_the_table_is_one_sentence(visitor):
    for query in ("sort=zz", "from=zz", "cluster=zz", "rows=zz", "sort=99"):
        assert visitor.get(f"/api/samples?{query}").status_code == 422


def test_a_group_and_rules_that_describe_it(visitor):
    mask = np.zeros(30, bool)
    mask[10:20] = True
    view = visitor.post("/api/group", {"rows": {"bits": as_bits(mask)}}).json()
    assert view["n"] == 10
    assert sum(each["n"] for each in view["clusters"]) == 10
    best = view["rules"][0]
    assert (best["precision"], best["recall"], best["n"]) == (1.0, 1.0, 10)
    assert (Rule(best["rule"]).scope(visitor.studio.table) == mask).all()
    assert view["telling"][0]["column"] in ("x", "y")


def bits(view):
    packed = np.frombuffer(base64.b64decode(view["bits"]), np.uint8)
    return np.unpackbits(packed, count=30, bitorder="little").astype(bool)


def test_the_scope_of_a_rule_is_shown_before_it_is_added(visitor):
    before = visitor.state()["seq"]
    body = {"kind": "rule", "body": {"rule": "x > 5 & y < 3"}, "group": [10, 11, 25]}
    view = visitor.post("/api/preview", body).json()
    scope = Rule("x > 5 & y < 3").scope(visitor.studio.table)
    assert (bits(view["scope"]) == scope).all()
    assert view["scope"]["n"] == scope.sum()
    assert (view["precision"], view["recall"]) == (2 / scope.sum(), 2 / 3)
    wrong = visitor.post("/api/preview", {"kind": "rule", "body": {"rule": "x >"}})
    assert wrong.status_code == 422
    assert wrong.json()["column"] == 4
    assert "expected" in wrong.json()["sentence"]
    assert visitor.state()["seq"] == before


def test_history_and_changes():
    with visiting() as visitor:
        visitor.state()
        visitor.say("together", {"rows": [0, 1, 2, 10, 11]})
        visitor.state()
        first, second = (each["id"] for each in visitor.get("/api/history").json()["clusterings"])
        before, after = (
            numbers(visitor.get(f"/api/labels/{number}"), np.uint8) for number in (first, second)
        )
        changes = visitor.get(f"/api/changes/{first}/{second}").json()
        assert changes["moved"] == (before != after).sum()
        assert (bits(changes) == (before != after)).all()
        assert sum(flow["n"] for flow in changes["flows"]) == 30
        moved = sum(flow["n"] for flow in changes["flows"] if flow["from"] != flow["to"])
        assert moved == changes["moved"]
        assert visitor.get(f"/api/changes/{first}/99").status_code == 422


def test_methods_and_numbers_are_compared(visitor):
    few = open_studio()
    assert few.comparison.summary() is None
    answer = visitor.post(
        "/api/compare", {"n_clusters": [2, 3], "methods": ["cop-kmeans"], "splits": 2}
    )
    assert answer.status_code == 202
    for _ in range(1000):
        view = visitor.get("/api/compare").json()
        if not view["running"]:
            break
        threading.Event().wait(0.05)
    assert {(row["method"], row["n_clusters"]) for row in view["rows"]} <= {
        ("cop-kmeans", 2),
        ("cop-kmeans", 3),
    }
    assert view["rows"] or view["problem"]
    for body in ({"n_clusters": []}, {"n_clusters": [0]}, {"methods": ["magic"]}, {"splits": 0}):
        assert visitor.post("/api/compare", body).status_code == 422


def test_a_command_may_be_sent_twice():
    with visiting() as visitor:
        first = visitor.say("together", {"rows": [0, 1]}, command="the same command")
        second = visitor.say("together", {"rows": [0, 1]}, command="the same command")
        assert first.json()["seqs"] == second.json()["seqs"] == [1]
        assert len(visitor.studio.events) == 1


def test_two_people_at_once():
    with visiting(content=blobs(n_each=40), ignore=("colour",)) as visitor:
        statuses = []

        def talk(person, first):
            for row in range(first, first + 40, 2):
                answer = visitor.say("together", {"rows": [row, row + 1]}, person=person)
                statuses.append(answer.status_code)

        people = [threading.Thread(target=talk, args=each) for each in (("Ann", 0), ("Ben", 40))]
        for each in people:
            each.start()
        for each in people:
            each.join()
        assert statuses == [200] * 40
        state = visitor.state()
        assert len(state["statements"]) == 40
        assert {each["person"] for each in state["statements"]} == {"Ann", "Ben"}
        assert all(each["holds"] for each in state["statements"])


def test_everybody_who_listens_hears_of_it():
    with visiting() as visitor:
        headers = {"host": f"127.0.0.1:{PORT}", "origin": BASE, **visitor.cookie}
        address = f"ws://127.0.0.1:{PORT}/api/live"
        connect = visitor.client.websocket_connect
        with connect(address, headers=headers) as one, connect(address, headers=headers) as two:
            assert one.receive_json()["type"] == two.receive_json()["type"] == "hello"
            visitor.say("together", {"rows": [0, 1]}, person="Ben")
            for socket in (one, two):
                while (message := socket.receive_json())["type"] != "event":
                    pass
                assert (message["person"], message["text"]) == ("Ben", "s0 = s1")


def test_truth_values_are_told_as_yes_and_no():
    content = b"name,milk,x\na,yes,1\nb,yes,2\nc,no,8\nd,no,9\n"
    with visiting(content=content, n_clusters=2) as visitor:
        clusters = visitor.state()["clusters"]
        words = {each["here"] for cluster in clusters for each in cluster["telling"]}
        assert {"yes: 100 %", "no: 100 %"} <= words


def test_the_samples_that_statements_name_are_drawn_in_any_case():
    with visiting(content=blobs(), n_clusters=3) as visitor:
        visitor.say("together", {"rows": [7, 3]})
        visitor.say("apart", {"rows": [3], "from": [20, 21]})
        visitor.say("rule", {"rule": "x > 5"})
        rows = np.frombuffer(visitor.get("/api/spoken").content, "<u4")
        assert rows.tolist() == [3, 7, 20, 21]
