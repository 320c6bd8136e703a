"""The other views in a real browser: columns, before and after, compare, colours and files."""

import re

import pytest
from playwright.sync_api import expect

from tests.studio.page import COMPILING, RunningStudio, Screen, until


@pytest.fixture(scope="module")
def studio(tmp_path_factory):
    running = RunningStudio(
        "animals", tmp_path_factory.mktemp("studio") / "animals.studio", "-k", 7
    )
    yield running
    running.stop()


@pytest.fixture
def screen(browser, studio):
    screen = Screen(browser, studio, "Ann", viewport={"width": 1280, "height": 800})
    screen.clear()
    yield screen
    # The browser notes every refusal; a preview may ask about a cluster that has just gone.
    assert [text for text in screen.complaints if "status of 4" not in text] == []
    screen.close()


def say(screen, kind, body):
    answer = screen.look("([kind, body]) => studio.send(kind, body)", [kind, body])
    screen.settle()
    return answer


ROLES = "() => studio.columns.value?.map((each) => each.role)"


def places(screen):
    return screen.look("() => Array.from(studio.points.value.places)")


def test_a_column_that_is_left_out_moves_as_many_samples_as_it_said(screen, browser, studio):
    other = Screen(browser, studio, "Ben", viewport={"width": 1280, "height": 800})
    until(lambda: other.look(ROLES))
    first_places, first_roles = places(other), other.look(ROLES)
    page = screen.page
    page.keyboard.press("3")
    before = screen.labels()
    columns = page.locator(".column-list > li")
    expect(columns.filter(has_text="mass_kg")).to_have_attribute("data-role", "cluster")
    columns.filter(has_text="mass_kg").get_by_label("leave out").check()
    act = page.locator(".sticky-act .act")
    expect(act.locator("span")).to_contain_text("would move")
    words = act.locator("span").inner_text()
    act.locator("button").click()
    expect(columns.filter(has_text="mass_kg")).to_have_attribute("data-role", "leave")
    expect(page.locator(".sticky-act")).to_have_count(0)
    screen.settle()
    moved = sum(a != b for a, b in zip(before, screen.labels(), strict=True))
    assert words == ("would move nothing" if not moved else f"would move {moved} samples")
    # Another tab that is open shows the plane and the columns as this one does, and as a new one.
    until(lambda: places(screen) == places(other) != first_places)
    until(lambda: screen.look(ROLES) == other.look(ROLES) != first_roles)
    new = Screen(browser, studio, "Eve", viewport={"width": 1280, "height": 800})
    assert places(new) == places(other)
    new.close()
    page.keyboard.press("u")
    screen.settle()
    until(lambda: screen.labels() == before)
    until(lambda: other.look(ROLES) == first_roles and places(other) == first_places)
    other.close()


def n_told(texts):
    """Return the numbers with which texts begin."""
    return [int(text.split()[0].replace(",", "")) for text in texts]


def test_flows_between_two_moments_hold_every_sample(screen):
    labels = screen.labels()
    others = [row for row in range(96) if labels[row] != labels[0]]
    # Taken back, it leaves a clustering that is newer than the one from which the next step starts.
    say(screen, "together", {"rows": [0, others[-1]]})
    screen.clear()
    before = screen.labels()
    say(screen, "together", {"rows": [0, others[0]]})
    after = screen.labels()
    n_moved = sum(a != b for a, b in zip(before, after, strict=True))
    assert n_moved > 0
    page = screen.page
    page.keyboard.press("4")
    expect(page.locator(".flows")).to_be_visible()
    words = "1 sample moved" if n_moved == 1 else f"{n_moved} samples moved"
    expect(page.locator(".big")).to_have_text(re.compile(rf"^\s*{words}\b"))
    now = screen.state()["clustering"]
    ends = [each.input_value() for each in page.locator(".history-view select").all()]
    assert ends == [str(now["before"]), str(now["id"])]
    flows = n_told(page.locator(".flow title").all_text_contents())
    assert sum(flows) == len(labels) == 96
    assert len(flows) == len(set(zip(before, after, strict=True)))
    assert sum(n_told(page.locator(".flow.moves title").all_text_contents())) == n_moved
    # The clusters of each side, by number, with their sizes.
    sizes = n_told(page.locator(".flows tspan").all_text_contents())
    assert sizes == [side.count(number) for side in (before, after) for number in sorted(set(side))]
    page.get_by_role("button", name=re.compile("Show (it|them) on the plane")).click()
    flags = "() => studio.emphasis.value.flags.reduce((sum, flag) => sum + flag, 0)"
    assert screen.look(flags) == n_moved


def test_a_comparison_runs_beside_everything_else_and_one_is_taken(screen):
    for first, second in ((4, 17), (27, 30), (63, 65), (72, 73)):
        say(screen, "together", {"rows": [first, second]})
    for first, second in ((4, 63), (27, 63), (72, 90), (4, 27)):
        say(screen, "apart", {"rows": [first], "from": [second]})
    page = screen.page
    page.keyboard.press("5")
    view = page.locator(".compare-view")
    screen.look(
        """() => studio.transport.post("/api/compare",
          { n_clusters: [5, 6], methods: ["complete-linkage", "cop-kmeans"], splits: 2 })"""
    )
    until(lambda: len(screen.look("() => studio.comparison.value?.rows ?? []")) == 4, COMPILING)
    expect(view.get_by_role("button", name="Take cop-kmeans with 6 clusters")).to_be_visible()
    view.get_by_role("button", name="Take cop-kmeans with 6 clusters").click()
    until(lambda: screen.state()["settings"]["method"] == "cop-kmeans")
    assert screen.state()["settings"]["n_clusters"] == 6
    screen.settle()
    assert screen.state()["clustering"]["method"] == "cop-kmeans"
    page.keyboard.press("u")
    until(lambda: screen.state()["settings"]["method"] == "auto")


def test_another_number_of_clusters_is_used_when_it_is_asked_for(screen):
    page = screen.page
    slider = page.get_by_role("slider", name="Number of clusters")
    slider.focus()
    page.keyboard.press("ArrowRight")
    act = page.locator(".how-many .act")
    expect(act.locator("button")).to_have_text("Use 8 clusters")
    assert screen.state()["settings"]["n_clusters"] == 7
    expect(act.locator("span")).to_contain_text("would move")
    act.locator("button").click()
    until(lambda: screen.state()["settings"]["n_clusters"] == 8)
    screen.settle()
    assert len(screen.state()["clusters"]) == 8
    page.keyboard.press("u")
    until(lambda: screen.state()["settings"]["n_clusters"] == 7)


def test_clusters_are_merged_split_and_pure_from_their_own_row(screen):
    page = screen.page
    page.locator(".cluster .more").first.click()
    acts = page.locator(".cluster-acts")
    expect(acts.locator(".act", has_text="Split").locator("span")).to_contain_text("would move")
    acts.get_by_role("combobox").select_option(index=1)
    merge = acts.locator(".act", has_text="Merge with")
    expect(merge.locator("span")).to_contain_text("would move")
    merge.locator("button").click()
    until(lambda: screen.state()["settings"]["n_clusters"] == 6)
    screen.settle()
    page.keyboard.press("u")
    until(lambda: screen.state()["settings"]["n_clusters"] == 7)
    screen.settle()
    acts.locator(".act", has_text="Pure: all of it").locator("button").click()
    until(lambda: [each["kind"] for each in screen.state()["statements"]] == ["pure"])


def test_colours_and_axes_may_be_columns(screen):
    page = screen.page
    page.locator(".choices summary").click()
    page.get_by_label("Colour by").select_option(label="legs")
    expect(page.locator(".legend")).to_contain_text("legs")
    page.get_by_label("Across").select_option(label="legs")
    until(lambda: "legs" in screen.look("() => studio.points.value.about"))
    page.get_by_label("Colour by").select_option(index=0)
    expect(page.locator(".legend")).to_have_count(0)


def test_every_file_that_is_offered_can_be_saved(screen):
    page = screen.page
    say(screen, "together", {"rows": [4, 5]})
    page.keyboard.press("e")
    buttons = page.locator(".files button:enabled")
    expect(buttons.first).to_be_visible()
    for name in ("labels.csv", "table.csv", "knowledge.txt", "report.html"):
        with page.expect_download() as download:
            page.get_by_role("button", name=f"Save {name}").click()
        assert download.value.path().stat().st_size > 0


def test_a_sample_shows_all_its_columns_and_neighbours(screen):
    row = screen.lonely()[0]
    screen.page.mouse.click(*screen.place(row))
    card = screen.page.locator("[data-name=sample]")
    expect(card.locator(".neighbours li")).to_have_count(6)
    name = screen.look("(row) => studio.brief(row)", row)["name"]
    expect(card.get_by_role("heading", level=2)).to_have_text(name)
    # Pointing at a sample says what it is.
    screen.page.mouse.move(*screen.place(screen.lonely()[1]))
    expect(screen.page.locator(".tip strong")).to_be_visible()


def test_statements_come_from_a_file(screen, tmp_path):
    statements = tmp_path / "knowledge.txt"
    statements.write_text("dog = wolf\ndog != cod\n", encoding="utf-8")
    screen.page.keyboard.press("e")
    screen.page.get_by_label("Statements or answers from a file").set_input_files(statements)
    until(lambda: screen.texts() == ["dog = wolf", "dog ≠ cod"])
    screen.settle()
    # It was one step.
    screen.page.keyboard.press("u")
    until(lambda: screen.texts() == [])
