"""The page by keyboard alone, on a phone, in the dark: everything can be reached, read and done."""

import pytest
from playwright.sync_api import expect

from tests.studio.page import RunningStudio, Screen, until

PHONE = {"width": 360, "height": 740}
VIEWS = ("plane", "table", "columns", "history", "compare", "takeaway")


@pytest.fixture(scope="module")
def studio(tmp_path_factory):
    running = RunningStudio("animals", tmp_path_factory.mktemp("studio") / "animals.studio")
    yield running
    running.stop()


@pytest.fixture
def open_screen(browser, studio):
    screens = []

    def open_screen(**options):
        screens.append(Screen(browser, studio, "Ann", **options))
        screens[-1].clear()
        return screens[-1]

    yield open_screen
    for screen in screens:
        screen.close()


FOCUS = """
() => {
  const element = document.activeElement;
  const seen = [element, element.closest("label"), element.nextElementSibling].some((each) => {
    const style = each && getComputedStyle(each);
    return style && style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
  });
  const label = element.labels?.[0]?.textContent;
  const words = element.getAttribute("aria-label") || element.textContent || label || "";
  return { tag: element.tagName, seen, words: words.trim(), page: element === document.body };
}
"""


def tab_to(page, words, most=120):
    """Press Tab until something of that name has the focus; all on the way must be seen."""
    for _ in range(most):
        page.keyboard.press("Tab")
        focus = page.evaluate(FOCUS)
        if not focus["page"]:
            assert focus["seen"], focus
            assert focus["words"], focus
        if words.lower() in focus["words"].lower():
            return
    raise AssertionError(f"no {words!r} within {most} tabs")


def search(page, name):
    """Type into the field that has the focus, and pick the first sample that comes up."""
    page.keyboard.type(name)
    expect(page.get_by_role("option").first).to_contain_text(name)
    page.keyboard.press("Enter")


def test_a_phone_in_the_dark_by_keyboard_alone(open_screen):
    screen = open_screen(viewport=PHONE, color_scheme="dark")
    page = screen.page
    # Two samples found by search belong together.
    page.keyboard.press("/")
    search(page, "dolphin")
    search(page, "salmon")
    expect(page.locator(".picked li")).to_have_count(2)
    tab_to(page, "Together")
    page.keyboard.press("Enter")
    until(lambda: len(screen.texts()) == 1)
    assert "dolphin" in screen.texts()[0]
    assert "salmon" in screen.texts()[0]
    screen.settle()
    # A cluster gets a name.
    tab_to(page, "Clusters")
    page.keyboard.press("Enter")
    tab_to(page, "Name of")
    page.keyboard.type("swimmers")
    page.keyboard.press("Enter")
    until(lambda: "swimmers" in [each["name"] for each in screen.state()["clusters"]])
    # A question is answered.
    before = screen.state()["question"]["answered"]
    tab_to(page, "Questions")
    page.keyboard.press("Enter")
    expect(page.locator(".answers")).to_be_visible()
    page.keyboard.press("s")
    until(lambda: screen.state()["question"]["answered"] == before + 1)
    # And the labels are saved.
    page.keyboard.press("e")
    expect(page.get_by_role("button", name="Save labels.csv")).to_be_visible()
    tab_to(page, "Save labels.csv")
    with page.expect_download() as download:
        page.keyboard.press("Enter")
    assert download.value.suggested_filename.endswith("labels.csv")
    assert screen.overflow <= 0
    assert screen.complaints == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 768, 1280])
def test_every_view_fits_the_window(open_screen, scheme, width):
    screen = open_screen(viewport={"width": width, "height": 740}, color_scheme=scheme)
    page = screen.page
    for view in (*VIEWS, *(("ask", "clusters", "known", "more") if width < 800 else ())):
        page.evaluate("(view) => { studio.view.value = view; }", view)
        page.wait_for_timeout(120)
        assert screen.overflow <= 0, view
        assert page.evaluate("() => document.getElementById('studio').scrollWidth") <= width, view
    assert screen.complaints == []


STICKS_OUT = """
() => [...document.querySelectorAll(".side button, .side table, .head > *, .top > *, .tabs")]
  .filter((each) => each.checkVisibility({ visibilityProperty: true }))
  .filter((each) => {
    const box = each.getBoundingClientRect();
    const around = (each.closest(".card") ?? each.parentElement).getBoundingClientRect();
    return box.right > around.right + 1 || box.left < around.left - 1;
  }).map((each) => each.outerHTML.slice(0, 90))
"""
OVERLAP = """
() => {
  const texts = ".head > *, .top > :not(.grow), .zoom";
  const parts = [...document.querySelectorAll(texts)].filter((each) =>
    each.checkVisibility() && each.textContent.trim() + each.children.length);
  const boxes = parts.map((each) => each.getBoundingClientRect());
  return boxes.flatMap((a, i) => boxes.flatMap((b, j) => (i < j && a.right > b.left + 1
    && b.right > a.left + 1 && a.bottom > b.top + 1 && b.bottom > a.top + 1
    ? [`${parts[i].className} over ${parts[j].className}`] : [])));
}
"""


@pytest.mark.parametrize("width", [360, 820, 900, 1024, 1200, 1440])
def test_nothing_sticks_out_or_covers_another(open_screen, width):
    screen = open_screen(viewport={"width": width, "height": 700})
    screen.look("() => { studio.view.value = innerWidth < 880 ? 'ask' : 'plane'; }")
    expect(screen.page.locator(".answers")).to_be_visible()
    assert screen.look(STICKS_OUT) == []
    assert screen.look(OVERLAP) == []


CONTRAST = """
() => {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const channel = (value) => (value <= .03928 ? value / 12.92 : ((value + .055) / 1.055) ** 2.4);
  const light = (colour) => [.2126, .7152, .0722]
    .reduce((sum, weight, at) => sum + weight * channel(colour[at] / 255), 0);
  const ground = (element) => {
    for (let each = element; each; each = each.parentElement) {
      const colour = rgba(getComputedStyle(each).backgroundColor);
      if (colour[3] > 250) return colour;
    }
    return [255, 255, 255];
  };
  const isText = (node) => node.nodeType === 3 && node.textContent.trim();
  const visible = { visibilityProperty: true, opacityProperty: true };
  const texts = [...document.querySelectorAll("#studio *")].filter((each) =>
    [...each.childNodes].some(isText) && each.checkVisibility(visible)
    && !each.closest(":disabled, .unseen, [inert], svg"));
  return texts.map((each) => {
    const lights = [rgba(getComputedStyle(each).color), ground(each)].map(light);
    const [low, high] = lights.sort((a, b) => a - b);
    return [(high + .05) / (low + .05), each.className, each.textContent.slice(0, 40)];
  }).sort((a, b) => a[0] - b[0])[0];
}
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_stand_out_from_what_is_behind_them(open_screen, scheme):
    screen = open_screen(viewport={"width": 1280, "height": 800}, color_scheme=scheme)
    for view in VIEWS:
        screen.page.evaluate("(view) => { studio.view.value = view; }", view)
        screen.page.wait_for_timeout(150)
        ratio, *what = screen.look(CONTRAST)
        assert ratio >= 4.5, (view, what)


def test_the_table_is_a_way_in_for_the_keyboard(open_screen):
    screen = open_screen(viewport={"width": 1280, "height": 800})
    page = screen.page
    page.keyboard.press("2")
    grid = page.get_by_role("grid")
    expect(grid.get_by_role("row").nth(1)).to_be_visible()
    grid.locator("tbody tr").first.focus()
    for key in ("Enter", "ArrowDown", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    expect(grid.locator("tr[aria-selected=true]")).to_have_count(2)
    page.keyboard.press("a")
    until(lambda: len(screen.texts()) == 1)
    (statement,) = screen.state()["statements"]
    assert (statement["kind"], statement["rows"], statement["from"]) == ("apart", [0], [2])
    # A search and a column's heading narrow and order it.
    page.get_by_placeholder("Search names and values").fill("seal")
    until(
        lambda: all("seal" in text.lower() for text in grid.locator("tbody tr").all_inner_texts())
    )
    page.get_by_placeholder("Search names and values").fill("")
    # All rows make the columns wider: a heading that moves under the pointer is not clicked.
    expect(grid.locator("tbody tr")).to_have_count(50)
    grid.get_by_role("button", name="legs").click()
    expect(grid.locator("th[aria-sort=ascending]")).to_contain_text("legs")


def test_questions_are_answered_by_keys_and_undone(open_screen):
    screen = open_screen(viewport={"width": 1280, "height": 800})
    page = screen.page
    expect(page.locator(".pair")).to_be_visible()
    asked = [screen.look("() => studio.question.value.question.rows")]
    for count, key in enumerate("yns", 1):
        page.keyboard.press(key)
        until(lambda count=count: screen.state()["question"]["answered"] == count)
        expect(page.locator(".pair")).to_be_visible()
        until(lambda: screen.look("() => Boolean(studio.question.value.question)"))
        asked.append(screen.look("() => studio.question.value.question.rows"))
    assert len({tuple(rows) for rows in asked}) == 4
    screen.settle()
    page.keyboard.press("u")
    until(lambda: screen.state()["question"]["answered"] == 2)
    until(lambda: screen.look("() => studio.question.value.question?.rows") == asked[2])


def test_every_button_has_a_name_and_every_field_a_label(open_screen):
    screen = open_screen(viewport={"width": 1280, "height": 800})
    nameless = """
      () => [...document.querySelectorAll("button, input, select, [tabindex='0']")]
        .filter((each) => ![each.getAttribute("aria-label"), each.textContent.trim(),
          each.labels?.[0]?.textContent.trim(), each.closest("[aria-label]")].some(Boolean))
        .map((each) => each.outerHTML.slice(0, 90))"""
    for view in VIEWS:
        screen.page.evaluate("(view) => { studio.view.value = view; }", view)
        screen.page.wait_for_timeout(100)
        assert screen.look(nameless) == []
