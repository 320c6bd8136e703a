"""Reports in a real browser: they load, draw, fetch nothing, and fit."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from clustraint import ClusteringTree, Constraints, ReCon, Report, Rule
from clustraint.datasets import load_animals
from tests.browser import find_browser

KINDS = ("must_link", "cannot_link", "triplets")


def known_animals(animals):
    """Pairs and triplets of which the groups keep some."""
    drawn = Constraints.from_labels(animals.y, n_pairs=30, random_state=0)
    triplets = Constraints.from_labels(animals.y, n_triplets=12, random_state=0).triplets
    return Constraints(
        len(animals.y),
        must_link=np.concatenate([drawn.must_link, drawn.cannot_link[:4]]),
        cannot_link=drawn.cannot_link,
        triplets=np.concatenate([triplets, triplets[:3][:, [0, 2, 1]]]),
        rules=[Rule("milk"), Rule("legs == 4")],
        names=animals.names,
    )


@pytest.fixture(scope="module")
def animals():
    return load_animals()


@pytest.fixture(scope="module")
def knowledge(animals):
    return known_animals(animals)


@pytest.fixture(scope="module")
def report(animals, knowledge):
    hierarchy = ReCon(6).fit(animals.X).hierarchy_
    return Report(
        animals.X,
        animals.y,
        constraints=knowledge,
        feature_names=animals.feature_names,
        hierarchy=hierarchy,
    )


def test_it_loads_without_complaints_and_fetches_nothing(visit, report):
    visited = visit(report)
    visited.page.wait_for_load_state("networkidle")
    assert visited.complaints == []
    assert len(visited.fetched) == 1
    assert all(url.startswith(("file:", "data:")) for url in visited.fetched)


def with_all_links(visited):
    """Show satisfied links, too."""
    visited.page.locator("input[data-state=satisfied]").check()
    return visited


def test_only_violated_links_are_drawn_at_first(visit, report):
    visited = visit(report)
    assert visited.count("#scatter .link.violated") == visited.count("#scatter .link") == 7


def test_every_sample_and_every_link_is_drawn(visit, report, knowledge):
    visited = with_all_links(visit(report))
    assert visited.count("#scatter .cloud use") == len(knowledge)
    for kind in KINDS:
        assert visited.count(f"#scatter .{kind} .link") == len(getattr(knowledge, kind))
    assert visited.count("#scatter .must_link .violated") == 4
    assert visited.count("#scatter .triplets .violated") == 3
    assert visited.count("#scatter .astray circle") > 0


def test_violated_links_differ_by_colour_and_by_form(visit, report):
    page = visit(report).page
    looks = [
        page.locator(f"#scatter .must_link .{state} .line").first.evaluate(
            "line => [getComputedStyle(line).stroke, getComputedStyle(line).strokeWidth]"
        )
        for state in ("satisfied", "violated")
    ]
    assert looks[0][0] != looks[1][0]
    assert looks[0][1] != looks[1][1]
    assert page.locator("#scatter .violated > use").count() == 7
    assert page.locator("#scatter .satisfied > use").count() == 0


@pytest.mark.parametrize("kind", KINDS)
def test_kinds_of_links_can_be_hidden(visit, report, knowledge, kind):
    visited = with_all_links(visit(report))
    box = visited.page.locator(f"input[data-kind={kind}]")
    box.uncheck()
    assert visited.count(f"#scatter .{kind} .link") == 0
    others = sum(len(getattr(knowledge, each)) for each in KINDS if each != kind)
    assert visited.count("#scatter .link") == others
    box.check()
    assert visited.count(f"#scatter .{kind} .link") == len(getattr(knowledge, kind))


def test_satisfied_and_violated_links_can_be_hidden(visit, report):
    visited = visit(report)
    visited.page.locator("input[data-state=satisfied]").uncheck()
    assert visited.count("#scatter .link") == 7
    visited.page.locator("input[data-state=violated]").uncheck()
    assert visited.count("#scatter .link") == 0


def test_clusters_can_be_hidden_with_what_leads_to_them(visit, report, animals, knowledge):
    visited = with_all_links(visit(report))
    clusters = sorted(set(animals.y))
    visited.page.locator("input[data-cluster='0']").uncheck()
    assert visited.count("#scatter .cloud use") == int((animals.y != clusters[0]).sum())
    kept = [
        (animals.y[getattr(knowledge, kind)] != clusters[0]).all(axis=1).sum() for kind in KINDS
    ]
    assert visited.count("#scatter .link") == sum(kept)


def test_the_keyboard_reaches_toggles_and_samples(visit, report, animals):
    page = visit(report).page
    box = page.locator("input[data-kind=must_link]")
    box.focus()
    page.keyboard.press("Space")
    assert not box.is_checked()
    page.locator(".board").focus()
    seen = set()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
        seen.add(page.locator(".status").inner_text())
    assert len(seen) == 3
    assert all(text.split(",")[0] in animals.names for text in seen)


def test_pointing_at_a_sample_or_a_link_names_it(visit):
    known = Constraints(4, must_link=[(0, 3)], names=["ant", "bee", "cow", "dog"])
    X = [[0.0, 0.0], [0.0, 1.0], [9.0, 9.0], [9.0, 0.0]]
    page = visit(Report(X, [0, 0, 1, 1], constraints=known)).page
    page.locator(".cloud use").nth(1).hover()
    assert page.locator(".status").inner_text() == "bee, cluster 0"
    page.locator(".link .line").first.hover(force=True)
    assert page.locator(".status").inner_text() == "must-link, violated: ant = dog"


def test_pointing_at_a_sample_shows_its_values_and_its_links(visit):
    c = Constraints(
        4, must_link=[(0, 1)], cannot_link=[(1, 2), (2, 3)], names=["ant", "bee", "cow", "dog"]
    )
    X = [[1.0, 0.0], [0.0, 1.0], [9.0, 9.0], [8.0, 0.0]]
    visited = visit(Report(X, [0, 0, 1, 2], constraints=c, feature_names=["size", "age"]))
    page = visited.page
    assert visited.count(".tip") == visited.count("#scatter .link") == 0
    page.locator(".cloud use").nth(1).hover()
    tip = page.locator(".tip")
    assert tip.inner_text().split() == ["bee", "cluster", "0", "size", "0", "age", "1"]
    assert visited.count("#scatter .link") == 2
    point, box = page.locator(".cloud use").nth(1).bounding_box(), tip.bounding_box()
    assert abs(box["x"] - point["x"]) < 60
    page.locator("h1").hover()
    assert visited.count(".tip") == visited.count("#scatter .link") == 0


def test_labels_can_be_downloaded(visit, report, animals):
    page = visit(report).page
    with page.expect_download() as download:
        page.locator(".download").click()
    lines = Path(download.value.path()).read_text(encoding="utf-8").splitlines()
    assert len(lines) == len(animals.y) + 1
    assert lines[0] == "id,cluster"


def test_cards_print_one_below_the_other(visit, report):
    page = visit(report).page
    page.emulate_media(media="print")
    boxes = [each.bounding_box() for each in page.locator(".card").all()]
    assert all(b["y"] >= a["y"] + a["height"] for a, b in pairwise(boxes))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_it_fits_the_window(visit, report, scheme, width):
    size = {"width": width, "height": 800}
    visited = visit(report, viewport=size, color_scheme=scheme)
    assert visited.overflow <= 0
    for summary in visited.page.locator("summary").all():
        summary.click()
    assert visited.overflow <= 0
    assert visited.complaints == []


def test_long_names_fit_a_phone(visit):
    names = [letter * 300 for letter in "abcd"]
    X = [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [9.0, 9.0, 1.0], [9.0, 0.0, 0.0]]
    known = Constraints(4, must_link=[(0, 3)], triplets=[(0, 2, 1)], names=names)
    model = ClusteringTree(2).fit(X)
    columns = [letter * 200 for letter in "xyz"]
    report = Report(
        X,
        model,
        constraints=known,
        feature_names=columns,
        title="t" * 200,
        how="h" * 300,
        hierarchy=ReCon(2).fit(X).hierarchy_,
    )
    visited = visit(report, viewport={"width": 360, "height": 800})
    for summary in visited.page.locator("summary").all():
        summary.click()
    assert visited.overflow <= 0


CONTRAST = """
() => {
  const channel = value => value <= .03928 ? value / 12.92 : ((value + .055) / 1.055) ** 2.4;
  const light = text => {
    const [r, g, b] = text.match(/[\\d.]+/g).map(each => channel(each / 255));
    return .2126 * r + .7152 * g + .0722 * b;
  };
  const paper = light(getComputedStyle(document.body).backgroundColor);
  const texts = [...document.querySelectorAll('h1, p, td, th, a, code, label, caption, summary')];
  return Math.min(...texts.map(each => {
    const [low, high] = [light(getComputedStyle(each).color), paper].sort((a, b) => a - b);
    return (high + .05) / (low + .05);
  }));
}
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_stand_out_from_the_page(visit, report, scheme):
    assert visit(report, color_scheme=scheme).page.evaluate(CONTRAST) >= 4.5


def test_light_and_dark_differ(visit, report):
    pages = [visit(report, color_scheme=scheme).page for scheme in ("light", "dark")]
    colours = [page.evaluate("getComputedStyle(document.body).backgroundColor") for page in pages]
    assert colours[0] == "rgb(255, 255, 255)"
    assert colours[1] != colours[0]


def test_it_can_be_printed_even_from_a_dark_window(visit, report):
    visited = visit(report, color_scheme="dark")
    visited.page.emulate_media(media="print")
    paper = visited.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert paper == "rgb(255, 255, 255)"
    assert visited.count("nav") == visited.count("input") == 0
    assert visited.overflow <= 0
    assert visited.page.pdf().startswith(b"%PDF")


def test_without_scripts_all_is_drawn_and_nothing_pretends_to_work(visit, report, knowledge):
    visited = visit(report, java_script_enabled=False)
    assert visited.count("#scatter .cloud use") == len(knowledge)
    assert visited.count("input") == visited.count(".status") == 0
    assert visited.count(".controls label") > 0


def test_hostile_names_run_nothing(visit):
    names = ["<script>document.title='bad'</script>", '"><img src=x onerror=alert(1)>']
    report = Report([[0.0, 1.0], [2.0, 3.0]], [0, 1], names=names, title="</title><b>")
    visited = visit(report)
    assert visited.complaints == []
    assert visited.page.title() == "</title><b> · clustraint"
    assert visited.page.locator("img").count() == 0


def test_a_notebook_shows_it_within_its_own_page(browser, report):
    page = browser.new_page()
    page.set_content(f"<body>{report._repr_html_()}</body>")
    inner = page.frame_locator("iframe")
    assert inner.locator("h1").inner_text() == "7 clusters of 96 samples"
    inner.locator("input[data-kind=must_link]").uncheck()
    assert inner.locator("#scatter .must_link").first.get_attribute("class").endswith("off")
    page.close()


def test_a_missing_browser_skips_or_fails(monkeypatch):
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.delenv("CLUSTRAINT_NEED_BROWSER", raising=False)
    with pytest.raises(pytest.skip.Exception, match="apt install chromium"):
        find_browser()
    monkeypatch.setenv("CLUSTRAINT_NEED_BROWSER", "1")
    with pytest.raises(pytest.fail.Exception, match="is needed"):
        find_browser()
