"""A studio for tests: a small table, a log in a folder, and a client that is let in."""

import json
import time
import uuid
from contextlib import contextmanager

import numpy as np
from starlette.testclient import TestClient

from clustraint.studio._guard import Guard, new_token
from clustraint.studio._log import EventLog
from clustraint.studio._server import Pages, make_routes
from clustraint.studio._sessions import Sessions
from clustraint.studio._source import Source
from clustraint.studio._studio import Studio
from clustraint.studio._tables_in import TablesIn

PORT = 8123
BASE = f"http://127.0.0.1:{PORT}"
PATIENCE = 120


def blobs(n_each=10, n_blobs=3, seed=0, spread=0.3):
    """Return a CSV file of named samples in blobs far from each other, and a column of words."""
    rng = np.random.default_rng(seed)
    centres = np.array([[0, 0], [6, 0], [0, 6], [6, 6], [12, 0], [12, 6]])[:n_blobs]
    X = np.concatenate([rng.normal(centre, spread, (n_each, 2)) for centre in centres])
    words = ("red", "blue", "green")
    lines = [f"s{row},{x:.4f},{y:.4f},{words[row % 3]}" for row, (x, y) in enumerate(X)]
    return "\n".join(["name,x,y,colour", *lines]).encode() + b"\n"


def open_studio(path=":memory:", content=None, n_clusters=3, name="blobs.csv", **arguments):
    """Return a studio that is not working yet."""
    arguments = {"ignore": ("colour",)} | arguments if content is None else arguments
    return Studio(Source(name, content or blobs(), arguments), EventLog(path), n_clusters)


@contextmanager
def working(*args, **options):
    """Have a studio at work."""
    studio = open_studio(*args, **options)
    studio.start()
    try:
        settled(studio)
        yield studio
    finally:
        studio.end()


def settled(studio):
    """Wait until the clusters shown are by all that was said, and return their labels."""
    studio.settle().result(PATIENCE)
    return None if studio.shown is None else studio.shown.labels


def say(studio, kind, body=None, person="Ann", **more):
    """Say something, and wait for what becomes of it."""
    events = studio.say(str(uuid.uuid4()), person, kind, body or {}, **more)
    settled(studio)
    return events


class Visitor:
    """A client with the cookie, which sends JSON from the page's own address."""

    def __init__(self, client, token):
        self.client, self.token = client, token
        self.cookie = {"cookie": f"clustraint-{PORT}={token}"}
        self.studio = None

    def get(self, path):
        return self.client.get(path, headers=self.cookie)

    def post(self, path, body):
        return self.client.post(path, content=json.dumps(body), headers=HEADERS | self.cookie)

    def say(self, kind, body=None, command=None, person="Ann", **more):
        request = {"command": command or str(uuid.uuid4()), "person": person, "kind": kind}
        return self.post("/api/events", {**request, "body": body or {}, **more})

    def state(self):
        """Return the state when it has settled."""
        for _ in range(PATIENCE * 20):
            state = self.get("/api/state").json()
            is_new = state["clustering"] and state["clustering"]["seq"] >= state["seq"]
            if state["status"]["running"] is None and (is_new or state["problem"]):
                return state
            time.sleep(0.05)
        raise TimeoutError("the studio does not settle")


HEADERS = {"origin": BASE, "content-type": "application/json"}


def make_app(studio, token, folder="/nowhere"):
    """Return what answers: the routes behind their guard."""
    return Guard(make_routes(Pages(studio), TablesIn(Sessions(folder))), token, PORT)


@contextmanager
def visiting(*args, folder="/nowhere", **options):
    """Have a studio that is served, and somebody who was let in."""
    studio, token = open_studio(*args, **options), new_token()
    app = make_app(studio, token, folder)
    with TestClient(app, base_url=BASE, follow_redirects=False) as client:
        assert client.get(f"/?token={token}").status_code == 303
        # Tests say themselves when a cookie is sent.
        client.cookies.clear()
        visitor = Visitor(client, token)
        visitor.studio = studio
        visitor.state()
        yield visitor
