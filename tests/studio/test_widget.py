"""The studio in a notebook: the same routes by the messages of a widget."""

import queue

import numpy as np
import pandas as pd
import pytest

from clustraint import Constraints
from clustraint.studio import widget

PATIENCE = 120


class Notebook:
    """What the browser's side of a widget does: sends requests, and gets answers and pushes."""

    def __init__(self, shown):
        self.shown, self.arrived, self.pushed = shown, queue.Queue(), []
        shown.send = lambda content, buffers=None: self.arrived.put((content, buffers))
        self.number = 0

    def ask(self, method, path, body=None):
        self.number += 1
        request = {"id": self.number, "method": method, "path": path, "body": body}
        self.shown._handle_custom_msg(request, [])
        while True:
            content, buffers = self.arrived.get(timeout=PATIENCE)
            if content.get("id") == self.number:
                return content, buffers
            self.pushed.append(content["push"])

    def settled(self):
        self.shown.studio.settle().result(PATIENCE)


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(centre, 0.3, (10, 2)) for centre in (0, 5, 10)])
    return pd.DataFrame({"x": X[:, 0], "y": X[:, 1], "colour": ["red", "blue"] * 15})


def test_a_link_in_a_notebook_reaches_the_kernel(frame):
    shown = widget(frame, n_clusters=3, names=[f"s{row}" for row in range(30)])
    notebook = Notebook(shown)
    notebook.settled()
    state, _ = notebook.ask("GET", "/api/state")
    assert state["status"] == 200
    assert state["body"]["table"]["n_samples"] == 30
    _, (points,) = notebook.ask("GET", "/api/points")
    assert len(points) == 30 * 2 * 4
    link = {"command": "a new command", "kind": "together", "body": {"rows": [0, 29]}}
    answer, _ = notebook.ask("POST", "/api/events", link)
    assert (answer["status"], answer["body"]["seq"]) == (200, 1)
    notebook.settled()
    labels, (octets,) = notebook.ask("GET", "/api/labels/now")
    assert labels["headers"]["x-bytes"] == "1"
    assert octets[0] == octets[29]
    assert shown.studio.constraints == Constraints(
        30, must_link=[(0, 29)], names=[f"s{row}" for row in range(30)]
    )
    assert {"event", "clusters"} <= {message["type"] for message in notebook.pushed}
    refused, _ = notebook.ask(
        "POST",
        "/api/events",
        {"command": "a new command 2", "kind": "apart", "body": {"rows": [0], "from": [29]}},
    )
    assert refused["status"] == 409
    shown.close()


def test_what_is_known_and_who_speaks_are_handed_on(frame):
    constraints = Constraints(30, must_link=[(0, 1)])
    shown = widget(frame[["x", "y"]].to_numpy(), constraints=constraints, person="Ann")
    assert shown.studio.constraints.must_link.tolist() == [[0, 1]]
    assert shown.person == "Ann"
    shown.close()


def test_the_script_is_one_module_and_the_style_the_house_s():
    shown = widget([[0.0, 1.0], [1.0, 0.0], [9.0, 9.0]], n_clusters=2)
    esm = type(shown)._esm
    text = str(esm if isinstance(esm, str) else shown._esm)
    assert "export default" in text
    assert 'from "./' not in text
    assert "--c0:" in str(shown._css)
    shown.close()
