"""The studio as a notebook shows it: the widget's module in a browser, its kernel in Python."""

import base64
import json
import queue
import time

import pytest

from clustraint.studio import widget

MODEL = """
async ([source, style]) => {
  const sheet = Object.assign(document.createElement("style"), { textContent: style });
  document.head.append(sheet);
  const listeners = [], el = document.createElement("div");
  document.body.append(el);
  const model = {
    get: (key) => ({ person: "Ann" })[key],
    on: (event, listener) => listeners.push(listener),
    send: (message) => toKernel(JSON.stringify(message)),
  };
  globalThis.deliver = (message, octets) => {
    const bytes = Uint8Array.from(atob(octets ?? ""), (each) => each.charCodeAt(0));
    const buffers = octets === null ? [] : [new DataView(bytes.buffer)];
    for (const listener of listeners) listener(message, buffers);
  };
  const address = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  const module = await import(address);
  globalThis.close = await module.default.render({ model, el });
  globalThis.studio = el.firstChild.studio;
}
"""


class Notebook:
    """A page that shows a widget, and carries messages between the two."""

    def __init__(self, page, shown):
        self.page = page
        self.complaints = []
        self.outbox = queue.Queue()
        # The kernel answers from a thread of its own; the browser is driven from this one only.
        shown.send = lambda content, buffers=None: self.outbox.put((content, buffers))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", lambda message: self.complaints.append(message.text))
        page.expose_function("toKernel", lambda text: shown._asked(None, json.loads(text), []))
        page.goto("about:blank")
        page.evaluate(MODEL, [shown._esm, shown._css])

    def pump(self):
        while not self.outbox.empty():
            content, buffers = self.outbox.get()
            octets = base64.b64encode(bytes(buffers[0])).decode() if buffers else None
            self.page.evaluate("([content, octets]) => deliver(content, octets)", [content, octets])

    def until(self, condition, patience=120):
        end = time.monotonic() + patience
        while not condition():
            assert time.monotonic() < end, "it did not come about in time"
            self.pump()
            self.page.wait_for_timeout(20)


@pytest.fixture
def shown():
    X = [[0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [8.0, 9.0], [9.0, 9.0], [9.0, 8.0]]
    shown = widget(X, names=["ant", "bee", "cat", "cow", "dog", "emu"], n_clusters=2)
    yield shown
    shown.close()


def test_the_same_page_runs_in_a_notebook(browser, shown):
    notebook = Notebook(browser.new_page(viewport={"width": 1000, "height": 800}), shown)
    page = notebook.page
    notebook.until(lambda: page.evaluate("() => Boolean(studio.labels.value && studio.board)"))
    assert page.evaluate("() => studio.board.raster.n") == 6
    assert page.locator(".studio.studio-widget").count() == 1
    # What is said in the notebook is in the kernel, by the name that the kernel gave.
    page.evaluate("() => { studio.send('together', { rows: [0, 3] }); }")
    notebook.until(lambda: page.locator("[data-name=known] .text").count() == 1)
    assert "ant = cow" in page.locator("[data-name=known] .text").inner_text()
    assert "Ann" in page.locator("[data-name=known] .text").inner_text()
    assert shown.studio.constraints.must_link.tolist() == [[0, 3]]
    # And the colours follow.
    same = "() => { const { of } = studio.labels.value; return of[0] === of[3]; }"
    notebook.until(lambda: page.evaluate(same))
    assert shown.studio.shown.labels[0] == shown.studio.shown.labels[3]
    # A contradiction is told here too, and nothing more is known.
    page.evaluate("() => { studio.send('apart', { rows: [0], from: [3] }); }")
    notebook.until(lambda: page.get_by_role("alertdialog").count() == 1)
    assert len(shown.studio.constraints.cannot_link) == 0
    assert notebook.complaints == []
    page.evaluate("() => close()")
    assert page.locator(".head").count() == 0
    page.close()


def test_a_kernel_that_is_told_something_tells_the_page(browser, shown):
    notebook = Notebook(browser.new_page(viewport={"width": 420, "height": 800}), shown)
    page = notebook.page
    notebook.until(lambda: page.evaluate("() => Boolean(studio.labels.value && studio.board)"))
    assert page.locator(".studio.narrow").count() == 1
    shown.studio.say("00000000-0000-4000-8000-000000000001", "Ben", "together", {"rows": [1, 2]})
    notebook.until(lambda: page.evaluate("() => studio.state.value.statements.length") == 1)
    assert page.evaluate("() => studio.state.value.statements[0].person") == "Ben"
    page.close()
