"""What a report draws: samples, hierarchies, trees, and parts of large data."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage
from sklearn.datasets import load_iris, make_blobs

from clustraint import (
    ClusteringTree,
    Constraints,
    Hierarchy,
    ReCon,
    Report,
)
from clustraint.plot import _scatter, _svg
from tests.html_page import check_readable, read_page
from tests.report.pages import NOUNS, SQUARE, links, page_of, section


@pytest.fixture(scope="module")
def iris():
    return load_iris()


def test_own_columns_are_drawn_by_name_or_place(iris):
    options = {"feature_names": iris.feature_names}
    for axes in (["petal length (cm)", "sepal width (cm)"], [2, 1], (-2, np.int64(1))):
        page = page_of(iris.data, iris.target, axes=axes, **options)
        words = page.find("figcaption")[0].text
        assert words.startswith("The picture shows the columns petal length (cm) and sepal width")


def test_principal_components_say_what_they_hold(iris):
    words = page_of(iris.data, iris.target).find("figcaption")[0].text
    assert "Together they hold 96 % of the variance." in words


def test_components_do_not_depend_on_units(iris):
    boards = [
        page_of(iris.data * scale, iris.target).find("svg", id="scatter")[0].find("use")
        for scale in (1.0, [1e-6, 1.0, 1e100, 1e200])
    ]
    places = [
        [(float(use.attributes["x"]), float(use.attributes["y"])) for use in board if use.text]
        for board in boards
    ]
    np.testing.assert_allclose(*places, atol=0.11)


@pytest.mark.parametrize("value", [0.0, 1.7e308, -1.7e308, 5e-324])
def test_extreme_numbers_stay_in_the_frame(value):
    for X in ([[value, 0.0], [0.0, 1.0], [-value, 2.0]], [[value, 0.0, 1.0]] * 3):
        board = page_of(X, [0, 1, 1]).find("svg", id="scatter")[0]
        for use in board.find("use"):
            if use.text:
                assert 0 <= float(use.attributes["x"]) <= _svg.WIDTH
                assert 0 <= float(use.attributes["y"]) <= _svg.HEIGHT


def test_the_hierarchy_is_condensed_and_its_cut_shown():
    X, _ = make_blobs(400, centers=4, cluster_std=0.3, random_state=0)
    Z = linkage(X, "average")
    labels = Hierarchy.from_linkage(Z).cut(4)
    told = section(page_of(X, labels, hierarchy=Z), "hierarchy")
    assert "400 samples are condensed to 50 branches" in told.text
    assert len(told.find("path", cls="cut")) == 1
    assert len(told.find("path", cls="wedge")) > 10
    outline = told.find("ul", cls="outline")[0]
    assert outline.find("li")[0].text.startswith("400 samples, several clusters")


def test_a_cut_that_is_no_level_is_marked_on_each_branch():
    hierarchy = Hierarchy.from_newick("(((a,b),c),((d,e),f));")
    page = page_of(np.eye(6), [0, 0, 1, 2, 2, 2], hierarchy=hierarchy)
    told = section(page, "hierarchy")
    assert len(told.find("path", cls="stroke")) == 3
    assert "short strokes" in told.text
    assert "distance" not in told.text


def test_a_hierarchy_against_the_clusters_says_so():
    hierarchy = Hierarchy.from_newick("(((a,b),c),d);")
    told = section(page_of(SQUARE, [0, 1, 1, 0], hierarchy=hierarchy), "hierarchy")
    assert "Some clusters stand on several branches." in told.text


@pytest.mark.parametrize("n_leaves", [2, 60, 3000])
def test_deep_and_broad_hierarchies_can_be_drawn(n_leaves):
    X = np.arange(n_leaves * 2.0).reshape(-1, 2)
    deep = np.array(
        [[0, 1, 1, 2]] + [[i + n_leaves - 1, i + 1, i + 1, i + 2] for i in range(1, n_leaves - 1)]
    )
    star = Hierarchy([n_leaves] * n_leaves + [-1])
    for hierarchy in (deep.astype(float), star):
        page = page_of(X, np.arange(n_leaves) % 2, hierarchy=hierarchy)
        drawn = section(page, "hierarchy").find("svg")[0].find("text")
        assert 1 <= len(drawn) <= 60


def test_large_trees_are_told_as_text(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    X = rng.normal(size=(200, 3))
    tree = ClusteringTree(60, min_samples_leaf=1).fit(X)
    told = section(page_of(X, tree), "tree")
    assert not told.find("svg")
    assert "60 leaves" in told.text
    assert told.find("pre")[0].text.count("cluster") == 60


@pytest.fixture(scope="module")
def large():
    """More samples, constraints and clusters than a page can show."""
    X, y = make_blobs(30_000, 5, centers=40, random_state=0)
    y[-3:] = [40, 41, 42]
    rng = np.random.default_rng(0)
    pairs = rng.choice(30_000, (2000, 2), replace=False)
    same = y[pairs[:, 0]] == y[pairs[:, 1]]
    must = np.concatenate([pairs[same], pairs[~same][:5]])
    known = Constraints(30_000, must_link=must, cannot_link=pairs[~same][5:])
    names = [f"a sample with a rather long name, number {place}" for place in range(30_000)]
    Z = ReCon(2).fit(X[:500]).linkage_
    return X, y, known, names, Z


def test_of_large_data_a_part_is_drawn_with_the_samples_of_all_links(large):
    X, y, known, names, _ = large
    report = Report(X, y, constraints=known, names=names)
    assert len(report.html.encode()) < 2_000_000
    page = read_page(report.html)
    check_readable(page)
    board = page.find("svg", id="scatter")[0]
    drawn = {use.text for use in board.find("use") if use.text}
    assert len(drawn) == _scatter.MOST_POINTS
    words = page.find("figcaption")[0].text
    assert "5,000 of 30,000 samples are drawn" in words
    n_cannot = len(known.cannot_link)
    assert f"300 of {n_cannot:,} cannot-links are drawn, violated ones first" in words
    titles = [title for kind in NOUNS for title, _ in links(page, kind)]
    assert len(titles) == 300 + len(known.must_link)
    assert sum("violated" in title for title in titles) == 5
    for title in titles:
        ends = title.split(": ")[1].replace("!=", "=").split(" = ")
        assert set(ends) <= drawn
    # A cluster of one sample is not left out.
    assert board.find("g", **{"data-cluster": "42"})
    assert "43 clusters are too many" in section(page, "rules").text
    assert "The 30 largest of 43 clusters" in section(page, "clusters").text


def test_rules_of_large_data_are_found_on_a_part_but_measured_on_all():
    X, y = make_blobs(20_000, 3, centers=3, cluster_std=0.5, random_state=0)
    y[-1] = 3
    told = section(page_of(X, y), "rules")
    assert "samples" in told.find("span", cls="case")[0].text
    counted = [
        int(case.text.rsplit("(", 1)[1].split()[0].replace(",", ""))
        for case in told.find("span", cls="case")
    ]
    assert sum(counted) >= 19_000
