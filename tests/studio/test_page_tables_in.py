"""Tables dropped on the page, in a real browser: each becomes a session of its own."""

import sys

import pytest
from playwright.sync_api import expect

from tests.studio.desk import blobs
from tests.studio.page import COMMAND, COMPILING, SETTLED, RunningStudio, Screen, until

DROP = """
async ([name, text]) => {
  const data = new DataTransfer();
  data.items.add(new File([text], name));
  const target = document.getElementById("studio");
  const options = { dataTransfer: data, bubbles: true, cancelable: true };
  for (const kind of ["dragenter", "dragover"]) target.dispatchEvent(new DragEvent(kind, options));
  await new Promise((resolve) => setTimeout(resolve, 50));
  const hinted = Boolean(document.querySelector(".drop-hint"));
  target.dispatchEvent(new DragEvent("drop", options));
  return hinted;
}
"""


class EmptyStudio(RunningStudio):
    """`clustraint studio` without a table, in a folder of its own."""

    def __init__(self, folder):
        self.arguments = [sys.executable, "-c", COMMAND, "studio", "--no-browser"]
        self.environment = None
        self.folder = folder
        self.start()


@pytest.fixture
def empty(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    running = EmptyStudio(tmp_path)
    yield running
    running.stop()


def settled(page):
    # The page of the new session has come up.
    expect(page.locator(".source strong")).to_be_attached()
    until(lambda: page.evaluate(SETTLED), COMPILING)


def test_an_empty_studio_takes_a_dropped_table_in(browser, empty, tmp_path):
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    complaints = []
    page.on("console", lambda message: complaints.append(message.text))
    page.goto(empty.link)
    expect(page.get_by_text("Choose a table, or drop it here")).to_be_visible()
    expect(page.locator(".table-in")).to_contain_text(str(tmp_path))
    # What is no table is said to be none, and the page asks again.
    assert page.evaluate(DROP, ["picture.csv", "\0\1\2" * 100])
    expect(page.locator(".table-in .broken")).to_contain_text("picture.csv")
    complaints.clear()  # the browser notes the refusal
    page.evaluate(DROP, ["my blobs.csv", blobs().decode()])
    settled(page)
    expect(page.locator(".source strong")).to_have_text("my blobs.csv")
    assert page.evaluate("() => studio.board.raster.n") == 30
    kept = tmp_path / "my-blobs.studio"
    assert page.evaluate("() => studio.state.value.kept") == str(kept)
    page.keyboard.press("e")
    expect(page.locator(".takeaway-view")).to_contain_text(str(kept))
    assert complaints == []
    page.close()


def test_a_table_is_chosen_by_keyboard_on_a_narrow_dark_screen(browser, empty, tmp_path):
    data = tmp_path / "blobs.csv"
    data.write_bytes(blobs())
    page = browser.new_page(viewport={"width": 360, "height": 740}, color_scheme="dark")
    page.goto(empty.link)
    field = page.locator(".table-in input")
    expect(field).to_be_attached()
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.type") == "file"
    assert page.evaluate("() => document.body.scrollWidth <= innerWidth")
    field.set_input_files(data)
    settled(page)
    assert page.evaluate("() => studio.n.value") == 30
    page.close()


def test_a_table_dropped_on_an_open_studio_opens_beside_it(browser, tmp_path):
    data = tmp_path / "blobs.csv"
    data.write_bytes(blobs())
    running = RunningStudio(data, tmp_path / "blobs.studio", "-k", 3)
    screen = Screen(browser, running, "Ann", viewport={"width": 1280, "height": 800})
    page = screen.page
    page.evaluate(DROP, ["blobs.csv", blobs(seed=1).decode()])
    dialog = page.get_by_role("dialog", name="Open blobs.csv")
    expect(dialog).to_contain_text(str(tmp_path))
    # It is an offer: nothing has been done.
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    assert not (tmp_path / "blobs-2.studio").exists()
    page.evaluate(DROP, ["blobs.csv", blobs(seed=1).decode()])
    dialog.get_by_role("button", name="Open it as a table").click()
    expect(dialog).to_contain_text(str(tmp_path / "blobs-2.studio"))
    with screen.context.expect_page() as opened:
        dialog.get_by_role("link", name="Go to it").click()
    other = opened.value
    settled(other)
    assert other.url.startswith("http://127.0.0.1:")
    assert other.url.split("/")[2] != page.url.split("/")[2]
    # What is said there is not said here.
    other.evaluate("() => studio.send('together', { rows: [0, 1] })")
    until(lambda: other.evaluate("() => studio.state.value.statements.length") == 1)
    assert screen.texts() == []
    assert page.evaluate("() => studio.n.value") == 30
    # A file of statements may be meant as that.
    page.evaluate(DROP, ["knowledge.txt", "s0 = s1\n"])
    page.get_by_role("button", name="Take in its statements").click()
    until(lambda: screen.texts() == ["s0 = s1"])
    assert screen.complaints == []
    other.close()
    screen.close()
    running.stop()
