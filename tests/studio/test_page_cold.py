"""A first start, with nothing compiled yet: the page is there, and answers meanwhile."""

from playwright.sync_api import expect

from tests.studio.desk import blobs
from tests.studio.page import RunningStudio, until

ASKED = """
async () => {
  const paths = ["/api/state", "/api/columns", "/api/sample/0", "/api/samples?query=s1"];
  const statuses = await Promise.all(paths.map(async (path) => (await fetch(path)).status));
  const { compiling } = await (await fetch("/api/state")).json();
  return { statuses, compiling };
}
"""


def test_the_page_answers_while_kernels_are_compiled(browser, tmp_path):
    data = tmp_path / "blobs.csv"
    data.write_bytes(blobs())
    # Kernels are kept in the user's cache, which is empty here.
    environment = {"XDG_CACHE_HOME": str(tmp_path / "cache"), "CLUSTRAINT_COMPILE": "always"}
    studio = RunningStudio(data, tmp_path / "cold.studio", environment=environment)
    page = browser.new_page()
    page.goto(studio.link)
    until(lambda: page.evaluate("() => globalThis.studio?.board?.raster.n === 30"))
    answered = page.evaluate(ASKED)
    assert answered == {"statuses": [200, 200, 200, 200], "compiling": True}
    # Other views can be looked at, too.
    page.keyboard.press("3")
    expect(page.locator(".column-list > li").first).to_be_visible()
    page.close()
    studio.kill()
