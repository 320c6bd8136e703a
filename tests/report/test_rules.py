"""One explanation of a clustering: what is printed, what Python returns and what the page shows."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_wine

from clustraint import ClusteringTree, Report
from clustraint.tables import read_table
from clustraint.workflow import cluster_table, explain
from tests.commands import call
from tests.html_page import read_page


def shown_rules(page):
    """Return the conjunctions of each cluster that a page shows, without how many they hold for."""
    (section,) = page.find("section", id="rules")
    return [
        [case.text.rsplit(" (", 1)[0] for case in each.find("span", cls="case")]
        for each in section.find("dd")
    ]


def written(load, folder):
    """Write a table of scikit-learn as a CSV file."""
    data = load(as_frame=True)
    data.data.to_csv(folder / "table.csv", index=False)


@pytest.mark.parametrize("load", [load_wine, load_breast_cancer])
@pytest.mark.parametrize("method", ["cop-kmeans", "tree"])
def test_a_page_shows_the_rules_that_the_command_prints(
    capsys, tmp_path, monkeypatch, load, method
):
    monkeypatch.chdir(tmp_path)
    written(load, tmp_path)
    arguments = ("-k", 3, "-m", method, "--report", "page.html", "--json")
    done = call(capsys, "cluster", "table.csv", *arguments)
    printed = [rule["rules"] for rule in json.loads(done.out)["rules"]]
    page = read_page((tmp_path / "page.html").read_text(encoding="utf-8"))
    assert shown_rules(page) == printed
    assert sum(map(len, printed)) >= 3


def test_a_page_finds_the_rules_of_workflow_by_itself(tmp_path):
    written(load_wine, tmp_path)
    table = read_table(tmp_path / "table.csv")
    clustering = cluster_table(table, n_clusters=3, method="complete-linkage")
    explanation = explain(clustering)
    pages = [
        Report(table, clustering.estimator, explanation=each).html for each in (None, explanation)
    ]
    assert pages[0] == pages[1]
    shown = shown_rules(read_page(pages[0]))
    assert shown == [list(map(str, each.conjunctions)) for each in explanation.descriptions]


def test_an_array_with_names_has_the_rules_of_the_frame():
    data = load_wine(as_frame=True)
    labels = np.arange(len(data.data)) % 2 + 2 * (data.data["proline"].to_numpy() > 800)
    frame = Report(data.data, labels)
    array = Report(data.data.to_numpy(), labels, feature_names=list(data.data.columns))
    assert shown_rules(read_page(frame.html)) == shown_rules(read_page(array.html))
    narrow = sparse.csr_array(data.data.to_numpy())
    sparse_page = Report(narrow, labels, feature_names=list(data.data.columns))
    assert shown_rules(read_page(sparse_page.html)) == shown_rules(read_page(array.html))


def test_truth_values_missing_values_and_categories_stay_what_they_are():

    frame = pd.DataFrame(
        {
            "milk": [True, True, False, False, True, False],
            "color": ["red", None, "blue", "blue", "red", "green"],
            "legs": pd.Categorical([4, 4, 2, 2, 4, 6]),
        }
    )
    for column, text in (("milk", "milk"), ("color", "color"), ("legs", "legs")):
        part = frame[[column]]
        labels = [0, 0, 1, 1, 0, 1]
        tree = ClusteringTree(min_samples_leaf=1, max_leaves=6).explain(part, labels)
        own = sorted([list(map(str, rule.conjunctions)) for rule in tree.rules_])
        page = read_page(Report(part, labels).html)
        assert sorted(shown_rules(page)) == own
        assert text in own[0][0]


def test_words_of_texts_are_shown(tmp_path):
    lines = ["name,text", "a,sun and sea", "b,the sea and the sun", "c,a train to town"]
    lines += ["d,town and train by rail", "e,rail to town"]
    (tmp_path / "t.csv").write_text("\n".join(lines), encoding="utf-8")
    table = read_table(tmp_path / "t.csv", id_column="name", text=["text"])
    clustering = cluster_table(table, n_clusters=2, method="ihac")
    encoder = clustering.pipeline["encode"]
    page = Report(
        encoder.transform(table),
        clustering.estimator,
        feature_names=encoder.feature_names_,
        explanation=explain(clustering),
    )
    (section,) = read_page(page.html).find("section", id="rules")
    assert "by its words: " in section.text
    assert "town" in section.text
