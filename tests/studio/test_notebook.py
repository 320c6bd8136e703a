"""The studio in a real notebook: a Jupyter kernel runs its cells and answers the widget's page."""

import base64
import json

import pytest
from jupyter_client.manager import start_new_kernel

from tests.studio.page import until
from tests.studio.test_page_widget import MODEL

PATIENCE = 240
SHOW = """
import clustraint.studio
from clustraint.datasets import load_animals

animals = load_animals()
shown = clustraint.studio.widget(
    animals.X, names=animals.names, feature_names=animals.feature_names, n_clusters=7, person="Ann"
)
shown
"""
KNOWN = "print(shown.studio.constraints.must_link.tolist())"
LABELS = "print(shown.studio.shown.labels.tolist())"
CLOSE = "shown.close(); print('closed')"


class Notebook:
    """A kernel that runs cells, and the messages between a widget and whoever shows it."""

    def __init__(self, kernel):
        self.kernel = kernel
        # What widgets open with, by their numbers, and what they have sent since.
        self.states, self.messages = {}, []
        self.number = 0

    def run(self, code):
        """Run a cell, and return what it shows: texts and widgets."""
        cell, shown = self.kernel.execute(code), []
        while True:
            message = self.take()
            kind, content = message["msg_type"], message["content"]
            if message["parent_header"].get("msg_id") != cell:
                continue
            assert kind != "error", "\n".join(content["traceback"])
            if kind in ("stream", "execute_result", "display_data"):
                shown.append(content)
            if kind == "status" and content["execution_state"] == "idle":
                return shown

    def take(self):
        """Return the next message of the kernel, noting it if it is a widget's."""
        message = self.kernel.get_iopub_msg(timeout=PATIENCE)
        content = message["content"]
        if message["msg_type"] == "comm_open":
            self.states[content["comm_id"]] = content["data"]["state"]
        if message["msg_type"] == "comm_msg" and content["data"].get("method") == "custom":
            octets = [bytes(each) for each in message["buffers"]]
            self.messages.append((content["data"]["content"], octets))
        return message

    def listen(self):
        """Take in what the kernel has sent since."""
        while self.kernel.iopub_channel.msg_ready():
            self.take()

    def send(self, model, content):
        """Send what the page of a widget sends."""
        body = {"comm_id": model, "data": {"method": "custom", "content": content}}
        self.kernel.shell_channel.send(self.kernel.session.msg("comm_msg", body))

    def ask(self, model, method, path, body=None):
        """Send a request of the page, and return the answer."""
        self.number += 1
        number = f"test {self.number}"
        self.send(model, {"id": number, "method": method, "path": path, "body": body})

        def answer():
            self.listen()
            return next((each for each in self.messages if each[0].get("id") == number), None)

        return until(answer, PATIENCE)

    def settled(self, model):
        def is_settled():
            state = self.ask(model, "GET", "/api/state")[0]["body"]
            now = state["clustering"]
            return now is not None and now["seq"] == state["seq"] and not state["status"]["running"]

        until(is_settled, PATIENCE)


@pytest.fixture(scope="module")
def notebook():
    manager, kernel = start_new_kernel(startup_timeout=PATIENCE)
    yield Notebook(kernel)
    kernel.stop_channels()
    manager.shutdown_kernel(now=True)


@pytest.fixture(scope="module")
def model(notebook):
    (output,) = notebook.run(SHOW)
    return output["data"]["application/vnd.jupyter.widget-view+json"]["model_id"]


def printed(shown):
    return "".join(each["text"] for each in shown)


def test_a_cell_shows_the_studio_and_its_messages_are_answered(notebook, model):
    assert notebook.states[model]["person"] == "Ann"
    notebook.settled(model)
    state, _ = notebook.ask(model, "GET", "/api/state")
    assert state["body"]["table"]["n_samples"] == 96
    _, (points,) = notebook.ask(model, "GET", "/api/points")
    assert len(points) == 96 * 2 * 4
    link = {"command": "from the notebook", "kind": "together", "body": {"rows": [3, 40]}}
    said, _ = notebook.ask(model, "POST", "/api/events", link)
    assert said["status"] == 200
    # What the page says, the next cell has.
    assert [3, 40] in json.loads(printed(notebook.run(KNOWN)))
    notebook.settled(model)
    labels = json.loads(printed(notebook.run(LABELS)))
    assert labels[3] == labels[40]
    _, (octets,) = notebook.ask(model, "GET", "/api/labels/now")
    assert list(octets) == labels


def test_the_page_draws_what_the_kernel_sends(notebook, model, browser):
    """The widget's own script and style, as the kernel sent them, in a browser."""
    page = browser.new_page(viewport={"width": 1100, "height": 800})
    complaints = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(message.text))
    page.expose_function("toKernel", lambda text: notebook.send(model, json.loads(text)))
    page.goto("about:blank")
    state = notebook.states[model]
    page.evaluate(MODEL, [state["_esm"], state["_css"]])
    place = len(notebook.messages)

    def see(script, *arguments):
        nonlocal place
        notebook.listen()
        for content, buffers in notebook.messages[place:]:
            octets = base64.b64encode(buffers[0]).decode() if buffers else None
            page.evaluate("([content, octets]) => deliver(content, octets)", [content, octets])
        place = len(notebook.messages)
        return page.evaluate(script, *arguments)

    until(lambda: see("() => Boolean(studio.labels.value && studio.board)"), PATIENCE)
    assert page.evaluate("() => studio.board.raster.n") == 96
    page.evaluate("() => { studio.send('together', { rows: [5, 60] }); }")
    until(lambda: see("() => studio.labels.value.of[5] === studio.labels.value.of[60]"), PATIENCE)
    assert [5, 60] in json.loads(printed(notebook.run(KNOWN)))
    # What a cell says, the page shows.
    notebook.run('_ = shown.studio.say("said in a cell", "Ben", "together", {"rows": [7, 70]})')
    people = "() => studio.state.value.statements.map((each) => each.person)"
    until(lambda: "Ben" in see(people), PATIENCE)
    assert complaints == []
    page.close()


def test_a_closed_studio_leaves_the_kernel_at_work(notebook):
    # Under a name of its own: other tests look at the one that is open.
    closing = SHOW.replace("\nshown\n", f"\n{CLOSE}\n").replace("shown", "another")
    assert printed(notebook.run(closing)) == "closed\n"
    assert printed(notebook.run("print(6 * 7)")) == "42\n"
