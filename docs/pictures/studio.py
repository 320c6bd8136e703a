"""Photograph the studio for the documentation: `python docs/pictures/studio.py`.

It starts `clustraint studio` on the animals, says a few things as a person would, and writes PNG
files beside this one. It needs the extras `test` and `studio`, and a Chromium.
"""

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import expect, sync_playwright

FOLDER = Path(__file__).parent
sys.path.insert(0, str(FOLDER.parents[1]))

from tests.browser import find_browser  # noqa: E402
from tests.studio.page import RunningStudio, Screen  # noqa: E402

WIDE = {"width": 1200, "height": 760}
PHONE = {"width": 360, "height": 700}
LARGEST = 150_000
NAMES = """
async () => (await (await fetch("/api/samples?count=500")).json()).rows.map((each) => each.name)
"""


def say(screen, kind, **body):
    return screen.look("([kind, body]) => studio.send(kind, body)", [kind, body])


def save(screen, name):
    screen.page.mouse.move(2, 2)
    screen.page.wait_for_timeout(700)
    path = FOLDER / f"studio-{name}.png"
    screen.page.screenshot(path=path)
    assert path.stat().st_size < LARGEST, f"{path} has {path.stat().st_size} bytes"


def begin(screen):
    """Say a few things, and name the largest clusters by what they hold; returns rows by name."""
    rows = {name: row for row, name in enumerate(screen.look(NAMES))}
    # Sizes would outweigh everything else.
    measures = ("mass_kg", "length_cm", "lifespan_years", "domestic")
    say(screen, "columns", roles=dict.fromkeys(measures, "show"), kinds={})
    say(screen, "together", rows=[rows["dog"], rows["bottlenose dolphin"]])
    say(screen, "together", rows=[rows["cod"], rows["blue shark"]])
    say(screen, "apart", rows=[rows["honeybee"]], **{"from": [rows["garden snail"]]})
    say(screen, "apart", rows=[rows["mallard"]], **{"from": [rows["adder"]]})
    screen.settle()
    examples = {"mammals": "dog", "birds": "chicken", "fish": "cod", "insects": "honeybee"}
    labels = screen.labels()
    named = {labels[rows[example]]: name for name, example in reversed(examples.items())}
    for cluster, name in named.items():
        say(screen, "name", cluster=cluster, name=name)
    screen.settle()
    return rows


def lasso(screen, left, top, right, bottom):
    box = screen.page.locator(".over").bounding_box()
    x, y = box["x"], box["y"]
    places = [(left, top), (right, top + 30), (right - 10, bottom), (left + 25, bottom - 20)]
    screen.page.keyboard.press("l")
    screen.page.mouse.move(x + places[0][0], y + places[0][1])
    screen.page.mouse.down()
    for place in places[1:]:
        screen.page.mouse.move(x + place[0], y + place[1], steps=6)
    screen.page.mouse.up()
    expect(screen.page.locator("[data-name=group] .act span").first).to_contain_text("would move")


def photograph(browser, studio):
    screen = Screen(browser, studio, "Ann", viewport=WIDE)
    rows = begin(screen)
    save(screen, "plane")
    lasso(screen, 190, 130, 440, 345)
    save(screen, "lasso")
    screen.page.keyboard.press("Escape")
    screen.page.keyboard.press("v")
    say(screen, "apart", rows=[rows["dog"]], **{"from": [rows["bottlenose dolphin"]]})
    expect(screen.page.get_by_role("alertdialog")).to_be_visible()
    save(screen, "contradiction")
    screen.page.keyboard.press("Escape")
    screen.page.keyboard.press("4")
    expect(screen.page.locator(".flows")).to_be_visible()
    moments = screen.page.locator(".history-view select").first
    moments.select_option(index=moments.locator("option").count() - 1)
    expect(screen.page.locator(".flow.moves").first).to_be_visible()
    save(screen, "history")
    screen.close()
    dark = Screen(browser, studio, "Ann", viewport=WIDE, color_scheme="dark")
    save(dark, "dark")
    dark.close()
    phone = Screen(browser, studio, "Ann", viewport=PHONE)
    phone.page.get_by_role("button", name="Questions").click()
    expect(phone.page.locator(".answers")).to_be_visible()
    save(phone, "phone")
    phone.close()


def main():
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=["--no-sandbox"])
        studio = RunningStudio("animals", Path(folder) / "animals.studio", "-k", 7)
        try:
            photograph(browser, studio)
        finally:
            studio.stop()
            browser.close()


if __name__ == "__main__":
    main()
