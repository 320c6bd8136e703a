"""The plane in a real browser: what is said by pointer holds, moves what it said, and is undone."""

import io

import numpy as np
import pytest
from playwright.sync_api import expect

from clustraint import Rule
from clustraint.datasets import load_animals
from clustraint.exceptions import RuleSyntaxError
from clustraint.studio._open import _as_csv
from clustraint.tables import read_table
from tests.studio.page import RunningStudio, Screen, until


@pytest.fixture(scope="module")
def studio(tmp_path_factory):
    running = RunningStudio("animals", tmp_path_factory.mktemp("studio") / "animals.studio")
    yield running
    running.stop()


@pytest.fixture
def screen(browser, studio):
    screen = Screen(browser, studio, "Ann", viewport={"width": 1280, "height": 800})
    screen.clear()
    yield screen
    screen.close()


def known(screen):
    return screen.page.locator("[data-name=known] .statements .text")


def test_it_draws_every_sample_without_complaints_from_its_own_host(screen, studio):
    assert screen.complaints == []
    assert all(url.startswith((studio.host, "data:")) for url in screen.fetched)
    assert screen.look("() => studio.board.raster.n") == screen.state()["table"]["n_samples"] == 96
    # Every sample that no other one covers has its cluster's colour where it is.
    script = """(rows) => rows.map((row) => {
      const { raster, inks } = studio.board, { pixels, image, canvas, camera, places } = raster;
      const [x, y] = camera.toScreen(places[2 * row], places[2 * row + 1]).map(Math.floor);
      const margin = (image.width - canvas.width) / 2;
      const pixel = pixels[(y + margin) * image.width + x + margin];
      const hex = [0, 8, 16].map((shift) => (pixel >>> shift & 255).toString(16).padStart(2, "0"));
      return `#${hex.join("")}` === inks.clusters[studio.labels.value.of[row] % 8];
    })"""
    rows = screen.lonely(14)
    assert len(rows) > 20
    assert all(screen.look(script, rows))


def test_beyond_a_million_it_draws_a_choice_and_what_was_spoken_of_and_says_so(screen):
    footer = screen.page.get_by_role("contentinfo")
    assert screen.look("() => studio.most.value") == 1_000_000
    expect(footer).not_to_contain_text("drawn at random")
    # The same for fewer samples, as if forty were a million.
    screen.look("() => { studio.most.value = 40; }")
    order = "() => Array.from(studio.board.raster.order)"
    chosen = screen.look(order)
    assert len(set(chosen)) == 40
    expect(footer).to_contain_text(
        "40 of 96 samples, drawn at random, and all that statements name"
    )
    hidden = sorted(set(range(96)) - set(chosen))
    camera = "() => [studio.board.raster.camera.x, studio.board.raster.camera.zoom]"
    screen.look("() => studio.board.zoom(1.5)")
    before = screen.look(camera)
    screen.look("(rows) => studio.send('together', { rows })", hidden[:3])
    screen.settle()
    until(lambda: sorted(screen.look(order)) == sorted([*chosen, *hidden[:3]]))
    # The view stays where it was, and what is drawn has the colours of its clusters.
    assert screen.look(camera) == before
    codes = screen.look("() => Array.from(studio.board.raster.codes)")
    labels = screen.labels()
    assert codes == [labels[row] for row in screen.look(order)]


def test_the_palette_is_that_of_every_picture(screen):
    from clustraint.plot import PALETTE, SHAPES

    assert screen.look("() => studio.board.inks.clusters") == list(PALETTE)
    assert screen.look("() => studio.state.value.shapes") == list(SHAPES)


def pair(screen, same):
    """Return two samples that are far from others on the screen, in one cluster or in two."""
    labels = screen.labels()
    for first in screen.lonely():
        for second in screen.lonely():
            if first != second and (labels[first] == labels[second]) == same:
                return first, second
    raise AssertionError("there is no such pair")


@pytest.mark.parametrize(("key", "same"), [("t", False), ("a", True)])
def test_a_drag_says_together_or_apart_and_the_colours_follow(screen, key, same):
    first, second = pair(screen, same)
    screen.link(key, first, second)
    expect(known(screen)).to_have_count(1)
    screen.settle()
    (statement,) = screen.state()["statements"]
    assert statement["kind"] == {"t": "together", "a": "apart"}[key]
    assert {*statement["rows"], *statement["from"]} == {first, second}
    assert statement["holds"] is True
    labels = screen.labels()
    assert (labels[first] == labels[second]) == (key == "t")
    assert statement["text"] in known(screen).inner_text()


def test_closer_takes_a_drag_and_a_click(screen):
    first, second, third = screen.lonely()[:3]
    screen.link("c", first, second)
    expect(screen.page.locator(".picked li")).to_have_count(2)
    screen.page.keyboard.press("c")
    screen.page.mouse.click(*screen.place(third))
    expect(known(screen)).to_have_count(1)
    screen.settle()
    (statement,) = screen.state()["statements"]
    assert (statement["kind"], statement["rows"]) == ("closer", [first, second, third])


def test_what_is_said_is_in_the_files(screen):
    first, second = pair(screen, False)
    screen.link("t", first, second)
    expect(known(screen)).to_have_count(1)
    screen.settle()
    text = screen.look("() => fetch('/api/export/knowledge.txt').then((answer) => answer.text())")
    names = screen.look(
        "(rows) => Promise.all(rows.map((row) => studio.brief(row)))", [first, second]
    )
    assert all(each["name"] in text for each in names)


def test_escape_ends_a_drag_and_nothing_is_said(screen):
    first, second = pair(screen, False)
    before = screen.state()["seq"]
    screen.page.keyboard.press("t")
    screen.page.mouse.move(*screen.place(first))
    screen.page.mouse.down()
    screen.page.mouse.move(*screen.place(second), steps=3)
    screen.page.keyboard.press("Escape")
    screen.page.mouse.up()
    screen.page.wait_for_timeout(150)
    assert screen.state()["seq"] == before
    assert screen.page.locator(".picked").count() == 0


def encircle(screen, centre, radius=130, corners=14):
    """Draw around a place, and return the polygon in the plane's own pixels."""
    box = screen.page.locator(".over").bounding_box()
    turns = np.linspace(0, 2 * np.pi, corners, endpoint=False)
    around = np.stack([np.cos(turns), np.sin(turns)], axis=1) * radius + centre
    around = np.clip(
        around,
        (box["x"] + 5, box["y"] + 5),
        (box["x"] + box["width"] - 70, box["y"] + box["height"] - 5),
    )
    screen.page.keyboard.press("l")
    screen.page.mouse.move(*around[0])
    screen.page.mouse.down()
    for place in around[1:]:
        screen.page.mouse.move(*place)
    screen.page.mouse.up()
    return around


def test_a_lasso_says_how_many_would_move_and_that_many_move(screen):
    row = screen.lonely()[0]
    encircle(screen, screen.place(row))
    card = screen.page.locator("[data-name=group]")
    expect(card).to_be_visible()
    chosen = screen.look("() => studio.group.value.rows")
    assert len(chosen) > 1
    act = card.locator(".act", has_text="They belong together")
    expect(act.locator("span")).to_contain_text("would move")
    words = act.locator("span").inner_text()
    promised = 0 if "nothing" in words else int(words.split()[2].replace(",", ""))
    before, n_before = np.array(screen.labels()), screen.state()["seq"]
    act.locator("button").click()
    expect(card).to_have_count(0)
    screen.settle()
    after = np.array(screen.labels())
    assert (before != after).sum() == promised == screen.state()["clustering"]["moved"]
    assert len(set(after[chosen])) == 1
    assert screen.state()["seq"] > n_before
    # One undo takes all of it back.
    screen.page.keyboard.press("u")
    expect(known(screen)).to_have_count(0)
    screen.settle()
    assert (np.array(screen.labels()) == before).all()


def test_a_rule_shows_its_scope_before_it_is_added_and_errors_save_nothing(screen):
    before = screen.state()["seq"]
    screen.page.keyboard.press("r")
    field = screen.page.get_by_label("Rule", exact=True).and_(screen.page.locator("input"))
    expect(field).to_be_focused()
    field.fill("legs ==")
    says = screen.page.locator("#rule-says")
    expect(says).to_have_class("broken")
    with pytest.raises(RuleSyntaxError) as caught:
        Rule("legs ==")
    sentence = str(caught.value).splitlines()[0].rstrip(":")
    assert sentence[1:] in says.inner_text()
    assert screen.page.get_by_role("button", name="Add the rule").is_disabled()
    field.fill("legs == 4")
    expect(says).to_contain_text("samples;")
    flags = screen.look("() => Array.from(studio.emphasis.value.flags)")
    table = read_table(io.BytesIO(_as_csv(load_animals())))
    assert np.flatnonzero(flags).tolist() == np.flatnonzero(Rule("legs == 4").scope(table)).tolist()
    scope = sum(flags)
    assert says.inner_text().startswith(f"{scope} samples")
    assert screen.state()["seq"] == before
    screen.page.get_by_role("button", name="Add the rule").click()
    expect(known(screen)).to_have_count(1)
    assert screen.state()["statements"][0]["n_rows"] == scope


def chain(screen):
    """Say a = b and b = c by pointer, then a ≠ c; returns the three samples."""
    a, b, c = screen.lonely()[:3]
    for count, (first, second) in enumerate(((a, b), (b, c)), 1):
        screen.link("t", first, second)
        expect(known(screen)).to_have_count(count)
    screen.settle()
    screen.link("a", a, c)
    return a, b, c


def test_a_contradiction_names_the_chain_in_red_and_saves_nothing(screen):
    a, b, c = chain(screen)
    seq = screen.state()["seq"]
    alert = screen.page.get_by_role("alertdialog")
    expect(alert).to_be_visible()
    names = [
        each["name"]
        for each in screen.look(
            "(rows) => Promise.all(rows.map((row) => studio.brief(row)))", [a, b, c]
        )
    ]
    assert all(name in alert.inner_text() for name in names)
    assert screen.look("() => studio.contradiction.value.chain.length") == 3
    expect(screen.page.locator("[data-name=known] .bad")).to_have_count(2)
    assert len(screen.state()["statements"]) == 2
    # Exactly those links are red on the plane.
    red = (
        "() => studio.board.scene.chain.map((link) => [...link.rows].sort((a, b) => a - b).join())"
    )
    assert sorted(screen.look(red)) == sorted(
        ",".join(map(str, sorted(pair))) for pair in ((a, b), (b, c), (a, c))
    )
    alert.get_by_role("button").first.click()
    expect(alert).to_have_count(0)
    assert len(screen.state()["statements"]) == 2
    assert screen.state()["seq"] == seq


@pytest.mark.parametrize("place", [1, 2])
def test_each_way_out_leaves_everything_consistent(screen, place):
    chain(screen)
    alert = screen.page.get_by_role("alertdialog")
    expect(alert).to_be_visible()
    alert.get_by_role("button").nth(place).click()
    expect(alert).to_have_count(0)
    screen.settle()
    state = screen.state()
    assert [each["kind"] for each in state["statements"]].count("apart") == 1
    assert state["violated"] == 0
    # It was one step: one undo brings back both links.
    screen.page.keyboard.press("u")
    until(lambda: [each["kind"] for each in screen.state()["statements"]] == ["together"] * 2)


def test_before_shows_how_it_was(screen):
    before = screen.labels()
    first, second = pair(screen, False)
    screen.link("t", first, second)
    expect(known(screen)).to_have_count(1)
    screen.settle()
    screen.page.keyboard.press("b")
    until(lambda: screen.look("() => studio.earlier.value !== null"))
    assert screen.look("() => Array.from(studio.earlier.value.of)") == before
    moved = sum(a != b for a, b in zip(before, screen.labels(), strict=True))
    assert screen.look("() => studio.earlier.value.moved") == moved
    screen.page.keyboard.press("b")
    until(lambda: screen.look("() => studio.earlier.value === null"))


def test_random_actions_and_as_many_undos_give_the_first_state(screen, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    first = screen.texts()
    done = 0
    for _ in range(8):
        a, b = rng.choice(96, 2, replace=False).tolist()
        kind = rng.choice(["together", "apart", "answer"])
        body = {
            "together": {"rows": [a, b]},
            "apart": {"rows": [a], "from": [b]},
            "answer": {"rows": [a, b], "answer": "yes"},
        }
        sent = screen.look("([kind, body]) => studio.send(kind, body)", [str(kind), body[kind]])
        done += sent is not None
        screen.look("() => studio.closeContradiction()")
    last = screen.texts()
    assert len(last) == done
    for count in range(done - 1, -1, -1):
        screen.page.keyboard.press("u")
        until(lambda count=count: len(screen.texts()) == count)
    assert screen.texts() == first
    for count in range(1, done + 1):
        screen.page.keyboard.press("U")
        until(lambda count=count: len(screen.texts()) == count)
    assert screen.texts() == last
