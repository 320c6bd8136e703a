"""What a report holds, for each kind of data, clustering and knowledge."""

import re
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from scipy.cluster.hierarchy import linkage
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris

import clustraint
from clustraint import (
    IHAC,
    AttributeKMedoids,
    ClusteringTree,
    ConstrainedCompleteLinkage,
    Constraints,
    COPKMeans,
    Hierarchy,
    ReCon,
    Report,
    Rule,
)
from tests.html_page import check_readable, read_page
from tests.report.pages import NAMES, NOUNS, SQUARE, links, page_of, rows, section

LINKS = {
    "must_link": ([(0, 1), (0, 2)], ["ant = bee", "ant = cow"]),
    "cannot_link": ([(0, 2), (0, 1)], ["ant != cow", "ant != bee"]),
    "triplets": ([(0, 1, 2), (0, 2, 1)], ["ant, bee | cow", "ant, cow | bee"]),
}


@pytest.mark.parametrize("kind", LINKS)
def test_pairs_and_triplets_are_drawn_and_told_of(kind):
    given, (kept, broken) = LINKS[kind]
    known = Constraints(4, names=NAMES, **{kind: given})
    page = page_of(SQUARE, [0, 0, 1, 1], constraints=known)
    assert links(page, kind) == [
        (f"{NOUNS[kind]}, satisfied: {kept}", ["link", "satisfied"]),
        (f"{NOUNS[kind]}, violated: {broken}", ["link", "violated"]),
    ]
    told = section(page, "constraints")
    (row,) = rows(told.find("table")[0])
    assert row[:5] == [NOUNS[kind], "2", "1", "1", "50 %"]
    violated, everything = told.find("ul", cls="statements")
    assert violated.find("code")[0].text == broken
    assert [each.text for each in everything.find("code")] == [kept, broken]
    assert "Of 2 constraints, 1 is violated." in page.find("header")[0].text


@pytest.mark.parametrize("exactly", [False, True])
def test_rules_are_told_of_with_the_samples_astray(exactly):
    frame = pd.DataFrame({"legs": [6, 6, 4, 4], "milk": [False, False, True, True]})
    known = Constraints(
        4, rules=[Rule("milk", exactly=exactly), Rule("legs == 6", exactly=exactly)]
    )
    page = page_of(frame, [0, 0, 1, 0], constraints=known, names=NAMES)
    told = section(page, "constraints")
    word = "exactly" if exactly else "together"
    (row,) = rows(told.find("table")[0])
    assert row[:4] == [f"{word} rule", "2", "0" if exactly else "1", "2" if exactly else "1"]
    first = told.find("ul", cls="statements")[0].find("li")[0].text
    assert re.match(f"✕ {word}: milk \\d samples? misplaced: ", first)
    marked = page.find("g", cls="astray")[0].find("circle")
    assert len(marked) == (4 if exactly else 1)
    assert "not where a rule wants it" in marked[0].text


def test_weights_are_told():
    known = Constraints(4, must_link=[(0, 1)], must_link_weights=[0.5], names=NAMES)
    assert (
        "0.5 * ant = bee"
        in section(page_of(SQUARE, [0, 0, 1, 1], constraints=known), "constraints").text
    )


def test_without_constraints_nothing_is_drawn_or_listed():
    page = page_of(SQUARE, [0, 0, 1, 1])
    assert not page.find("svg", id="scatter")[0].find("g", cls="link")
    assert "No constraints were given." in section(page, "constraints").text
    assert not page.find("input", **{"data-state": "violated"})


def test_names_come_from_constraints_or_hierarchy_or_are_numbers():
    labels = [0, 0, 1, 1]
    sources = [
        {"names": NAMES},
        {"constraints": Constraints(4, names=NAMES)},
        {"hierarchy": Hierarchy.from_newick("((ant,bee),(cow,dog));")},
    ]
    for source in sources:
        board = page_of(SQUARE, labels, **source).find("svg", id="scatter")[0]
        assert [each.text for each in board.find("use") if each.text] == NAMES
    board = page_of(SQUARE, labels).find("svg", id="scatter")[0]
    assert "sample 3" in board.text


def estimators(X):
    triplets = Constraints(len(X), triplets=[(0, 1, 149)])
    pairs = Constraints(len(X), must_link=[(0, 1)], cannot_link=[(0, 149)])
    return {
        "tree": ClusteringTree(3).fit(X, constraints=pairs),
        "complete": ConstrainedCompleteLinkage(3).fit(X, constraints=pairs),
        "recon": ReCon(3).fit(X, constraints=triplets),
        "ihac": IHAC(3, metric="euclidean").fit(X, constraints=triplets),
        "cop": COPKMeans(3, random_state=0).fit(X, constraints=pairs),
        "kmeans": KMeans(3, n_init=1, random_state=0).fit(X),
    }


@pytest.fixture(scope="module")
def iris():
    return load_iris()


@pytest.fixture(scope="module")
def fitted(iris):
    return estimators(iris.data)


@pytest.mark.parametrize("name", ["tree", "complete", "recon", "ihac", "cop", "kmeans"])
def test_a_fitted_estimator_brings_all_it_has(fitted, iris, name):
    model = fitted[name]
    page = page_of(iris.data, model, feature_names=iris.feature_names)
    sizes = rows(page.find("table", cls="sizes")[0])
    found = np.unique(model.labels_, return_counts=True)[1]
    assert [int(row[1]) for row in sizes] == found.tolist()
    assert bool(page.find("section", id="tree")) == (name == "tree")
    assert bool(page.find("section", id="hierarchy")) == hasattr(model, "hierarchy_")
    drawn = page.find("svg", id="scatter")[0].find("g", cls="link")
    assert len(drawn) == sum(
        report.total for report in getattr(model, "constraint_report_", {}).values()
    )
    again = section(page, "again").text
    assert type(model).__name__ in again
    assert ["n_clusters", "3"] in rows(section(page, "again").find("table")[0])
    assert ("random_state=0" in again) == (name in ("cop", "kmeans"))


def test_rule_makers_bring_their_rules():
    X = pd.DataFrame({"milk": [True, True, False, False], "eggs": [False, False, True, True]})
    model = AttributeKMedoids(2, random_state=0)
    model.fit(X, constraints=Constraints(4, rules=[Rule("milk")]))
    assert "together: milk" in section(page_of(X, model), "constraints").text


def test_the_rules_of_a_tree_are_its_own(fitted, iris):
    page = page_of(iris.data, fitted["tree"], feature_names=iris.feature_names)
    rules = section(page, "rules")
    assert "These rules are the clusters" in rules.text
    told = {case.text for case in rules.find("span", cls="case")}
    assert any("petal" in case for case in told)
    assert len(rules.find("dt")) == len(set(fitted["tree"].labels_))


def test_other_clusters_are_explained_with_fidelity(iris):
    page = page_of(iris.data, iris.target, feature_names=iris.feature_names)
    rules = section(page, "rules").text
    assert "found afterwards" in rules
    assert "96 % of the samples" in rules
    # A name of several words is in quotes, as in a rule that one writes.
    assert re.search(r'"petal (width|length) \(cm\)" <= [\d.]+ \(50 samples\)', rules)


def test_a_tree_that_explains_can_be_given(iris):
    tree = ClusteringTree().explain(iris.data, iris.target_names[iris.target])
    page = page_of(iris.data, iris.target_names[iris.target], tree=tree)
    assert "cluster setosa" in section(page, "tree").text
    assert f"{100 * tree.fidelity_:.0f} % of the samples follow" in section(page, "rules").text


def test_profiles_tell_means_shares_and_top_values():
    frame = pd.DataFrame(
        {
            "size": [1.0, 3.0, 10.0, 10.0],
            "wings": [1, 1, 0, 0],
            "color": ["red", "blue", "black", "black"],
        }
    )
    page = page_of(frame, [0, 0, 1, 1])
    first, second = page.find("table", cls="profile")
    told = {(row[0], row[2]): row[3] for row in rows(first)}
    assert told["size", "2 ± 1"] == "6 ± 4.1"
    assert told["wings", "100 %"] == "50 %"
    assert told["color", "blue: 50 %"] == "25 %"
    assert ("color", "black: 100 %") in {(row[0], row[2]) for row in rows(second)}


def test_of_two_values_one_is_told():
    legs = ["two", "two", "two", "four", "four"]
    page = page_of(pd.DataFrame({"legs": legs, "size": range(5)}), [0, 0, 1, 1, 1])
    profiles = page.find("table", cls="profile")
    told = [[row[2] for row in rows(each) if row[0] == "legs"] for each in profiles]
    assert told == [["two: 100 %"], ["four: 67 %"]]


def test_profiles_name_the_columns_that_set_clusters_apart_first(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    X = rng.normal(size=(200, 30))
    labels = np.arange(200) % 2
    X[:, 17] += 20 * labels
    page = page_of(X, labels)
    for table in page.find("table", cls="profile"):
        assert table.find("caption")[0].text == "8 of 30 columns"
        assert rows(table)[0][0] == "x17"
        assert len(rows(table)) == 8


def test_a_cluster_that_never_varies_has_no_spread():
    X = np.column_stack([[0.1] * 3 + [0.7] * 3, np.arange(6.0)])
    page = page_of(X, [0, 0, 0, 1, 1, 1])
    assert [rows(table)[0][2] for table in page.find("table", cls="profile")] == [
        "0.1 ± 0",
        "0.7 ± 0",
    ]


HOSTILE = ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "{{ 7 * 7 }}", "&amp;'"]


def test_hostile_texts_are_shown_and_never_run():
    frame = pd.DataFrame({HOSTILE[0]: [1.0, 2.0, 3.0, 4.0], HOSTILE[1]: HOSTILE})
    labels = [HOSTILE[0], HOSTILE[0], HOSTILE[1], HOSTILE[1]]
    known = Constraints(4, must_link=[(0, 2)], triplets=[(0, 1, 2)], names=HOSTILE)
    hierarchy = Hierarchy([4, 4, 5, 5, 6, 6, -1])
    report = Report(
        frame,
        labels,
        constraints=known,
        hierarchy=hierarchy,
        tree=ClusteringTree(2).fit(frame),
        title=HOSTILE[1],
        how=HOSTILE[0],
    )
    page = read_page(report.html)
    check_readable(page)
    assert [each.attributes.get("type") for each in page.find("script")] == [
        "application/json",
        None,
    ]
    assert not page.find("img")
    board = page.find("svg", id="scatter")[0]
    assert {each.text for each in board.find("use") if each.text} == set(HOSTILE)
    assert page.find("h1")[0].text == HOSTILE[1]
    assert "49" not in board.text
    assert HOSTILE[0] in section(page, "again").find("code")[0].text


def test_nothing_is_fetched():
    html = Report(SQUARE, [0, 0, 1, 1]).html
    for word in ("http://", "https://", "//cdn", "@import", "url("):
        assert word not in html
    policy = read_page(html).find("meta", **{"http-equiv": "Content-Security-Policy"})
    assert policy[0].attributes["content"].startswith("default-src 'none'")


def test_missing_values_are_left_out_of_profiles_and_drawn_all_the_same():
    frame = pd.DataFrame(
        {
            "size": [1.0, np.nan, 9.0, 9.0],
            "color": ["red", None, "blue", None],
            "empty": [np.nan] * 4,
        }
    )
    page = page_of(frame, [0, 0, 1, 1])
    assert len(page.find("svg", id="scatter")[0].find("g", cls="cloud")[0].find("use")) == 2
    first = {row[0]: row[2] for row in rows(page.find("table", cls="profile")[0])}
    assert first == {"size": "1 ± 0", "color": "red: 100 %", "empty": "–"}
    page = page_of(frame, [0, 0, 1, 1], axes=["size", "color"])
    assert "3 missing values" in page.find("figcaption")[0].text


def test_one_cluster_and_one_sample():
    page = page_of(SQUARE, [5] * 4, hierarchy=linkage(SQUARE))
    assert "4 samples with 2 columns, in 1 cluster." in page.find("header")[0].text
    assert "always" in section(page, "rules").text
    assert "the cut" not in section(page, "hierarchy").text
    page = page_of([[1.0, 2.0, 3.0]], [0])
    assert page.find("h1")[0].text == "1 cluster of 1 sample"


def test_samples_in_no_cluster_are_told_apart():
    known = Constraints(4, must_link=[(0, 1), (2, 3)])
    page = page_of(SQUARE, [0, 0, -1, -1], constraints=known)
    assert "in 1 cluster; 2 in none." in page.find("header")[0].text
    (cloud,) = page.find("svg", id="scatter")[0].find("g", **{"data-cluster": "-1"})
    assert cloud.attributes["data-name"] == "no cluster"
    # Two samples without a cluster are not in one.
    assert rows(section(page, "constraints").find("table")[0])[0][1:4] == ["2", "1", "1"]


@pytest.mark.parametrize(
    "make",
    [
        np.array,
        lambda X: np.ma.masked_equal(X, 1.0),
        lambda X: pd.DataFrame(X, columns=["x0", "x1"]),
        lambda X: pl.DataFrame(X, schema=["x0", "x1"], orient="row"),
        sparse.csr_matrix,
        sparse.coo_array,
        lambda X: np.array(X, dtype=object),
        lambda X: np.array(X, dtype=np.float32),
    ],
)
def test_tables_of_any_make_are_read(make):
    page = page_of(make(SQUARE), [0, 0, 1, 1])
    assert "The picture shows the columns x0 and x1." in page.find("figcaption")[0].text
    assert {row[0] for row in rows(page.find("table", cls="profile")[0])} == {"x0", "x1"}


def test_dense_and_sparse_profiles_are_the_same(global_random_seed):
    dense = sparse.random(60, 12, 0.3, random_state=global_random_seed, format="csr")
    labels = np.arange(60) % 3
    profiles = [
        [rows(table) for table in page_of(X, labels).find("table", cls="profile")]
        for X in (dense, dense.toarray())
    ]
    assert profiles[0] == profiles[1]


def test_wide_sparse_data_take_a_decomposition(global_random_seed):
    X = sparse.random(80, 5000, 0.01, random_state=global_random_seed, format="csr")
    page = page_of(X, np.arange(80) % 2)
    assert "truncated singular value decomposition" in page.find("figcaption")[0].text
    assert "40 that tell the clusters apart best" in section(page, "rules").text


def test_the_same_input_gives_the_same_page(iris):
    first, second = (Report(iris.data, iris.target).html for _ in range(2))
    assert first == second


def test_labels_may_be_of_any_kind():
    for labels in (
        ["b", "b", "a", "a"],
        [2, 2, 1, 1],
        [True, True, False, False],
        ["x", "x", 1, 1],
    ):
        sizes = rows(page_of(SQUARE, labels).find("table", cls="sizes")[0])
        assert {row[0] for row in sizes} == {f"cluster {label}" for label in labels}
    sizes = rows(page_of(SQUARE, ["b", "b", "a", "a"]).find("table", cls="sizes")[0])
    assert [row[0] for row in sizes] == ["cluster a", "cluster b"]


def test_how_to_reproduce_holds_command_and_versions():
    page = page_of(SQUARE, [0, 0, 1, 1], how="clustraint cluster\n  data.csv -k 2")
    again = section(page, "again")
    assert again.find("pre")[0].text == "clustraint cluster data.csv -k 2"
    assert f"clustraint {clustraint.__version__}" in again.text
    assert "numpy" in again.text
    assert "not known" not in again.text
    assert "not known" in section(page_of(SQUARE, [0, 0, 1, 1]), "again").text


def test_an_unset_seed_is_told_of():
    model = COPKMeans(2).fit(SQUARE)
    assert "No seed was set" in section(page_of(SQUARE, model), "again").text


def test_it_is_saved_whole(tmp_path):
    path = tmp_path / "report.html"
    path.write_text("old")
    report = Report(SQUARE, [0, 0, 1, 1])
    assert report.save(path) == path
    assert path.read_text(encoding="utf-8") == report.html
    assert report.save(str(tmp_path / "other.html")) == tmp_path / "other.html"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["other.html", "report.html"]


def test_a_notebook_gets_a_frame_of_its_own():
    report = Report(SQUARE, [0, 0, 1, 1], title='"quoted"')
    (frame,) = read_page(report._repr_html_()).find("iframe")
    assert frame.attributes["srcdoc"] == report.html
    assert frame.attributes["sandbox"] == "allow-scripts allow-downloads"


def test_it_takes_no_pandas_and_no_matplotlib():
    program = (
        "import sys\n"
        "class Absent:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name in ('matplotlib', 'pandas', 'polars'): raise ModuleNotFoundError(name)\n"
        "sys.meta_path.insert(0, Absent())\n"
        "import clustraint\n"
        "X = [[0.0, 'red'], [1.0, 'red'], [9.0, 'blue']]\n"
        "print(clustraint.Report(X, [0, 0, 1]).html.count('</section>'))\n"
    )
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert answer.stderr == ""
    assert answer.stdout.strip() == "5"
