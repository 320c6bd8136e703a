"""What a report says of doubts, members, names, changes, texts and numbers of clusters."""

import base64

import numpy as np
import pandas as pd
from scipy import sparse

from clustraint import (
    ConstrainedMixture,
    Constraints,
    Report,
)
from clustraint.workflow import Explanation, NumberCurve, NumberScore
from tests.report.pages import NAMES, SQUARE, page_of, rows, section


def test_constraints_that_a_method_doubts_are_listed():
    X = [[0.1], [0.2], [0.3], [9.1], [9.2], [9.3]]
    c = Constraints.from_names(
        ["ant", "bee", "fly", "cow", "dog", "<fox>"],
        must_link=[("ant", "bee"), ("cow", "dog"), ("fly", "<fox>")],
    )
    model = ConstrainedMixture(2, random_state=0).fit(X, constraints=c)
    page = Report(X, model).html
    assert '<code>fly = &lt;fox&gt;</code> <span class="faint">doubt ' in page
    sure = ConstrainedMixture(2, random_state=0).fit(X, constraints=c.take(must_link=[0, 1]))
    assert "Worth checking" not in Report(X, sure).html


def test_typical_and_borderline_samples_are_shown_with_their_values():
    X = pd.DataFrame({"x": [0.0, 1.0, 2.0, 4.4, 8.0, 9.0, 10.0]})
    names = ["ant", "bee", "cow", "dog", "eel", "fox", "gnu"]
    page = page_of(X, [0, 0, 0, 0, 1, 1, 1], names=names)
    tables = page.find("table", cls="people")
    assert rows(tables[0])[0] == ["cow", "2"]
    assert rows(tables[0])[-1] == ["dognear cluster 1", "4.4"]
    assert rows(tables[1])[0] == ["fox", "9"]


def test_clusters_have_names_and_labels_can_be_downloaded():
    page = page_of(SQUARE, [0, 0, 1, 1], names=["=ant", *NAMES[1:]], cluster_names={0: "small"})
    assert "cluster 0: small" in section(page, "clusters").text
    (link,) = page.find("a", cls="download")
    head, _, content = link.attributes["href"].partition(",")
    assert head == "data:text/csv;charset=utf-8;base64"
    assert link.attributes["download"] == "clusters.csv"
    lines = base64.b64decode(content).decode().splitlines()
    assert lines == ["id,cluster,cluster_name", "'=ant,0,small", "bee,0,small", "cow,1,", "dog,1,"]


def test_what_the_constraints_changed():
    known = Constraints(4, must_link=[(0, 3)], names=NAMES)
    page = page_of(SQUARE, [1, 0, 0, 1], constraints=known, before=[1, 1, 0, 0])
    change = section(page, "change")
    assert "Without them, 0 of 1 constraint would hold; with them, 1 does." in change.text
    assert rows(change.find("table")[0]) == [["must-link", "1", "0", "1"]]
    assert "in another cluster than by the same method without constraints." in change.text
    moved = [each.text for each in change.find("li")]
    assert len(moved) == 2
    same = page_of(SQUARE, [1, 1, 0, 0], constraints=known, before=[0, 0, 1, 1])
    assert "No sample is in another cluster" in section(same, "change").text
    assert not section(same, "change").find("li")


def test_texts_are_shown_by_words_and_examples():
    texts = ["red ants and bees", "many bees", "a cow and a dog", "two dogs " * 200]
    X = sparse.csr_array(np.eye(4))
    words = Explanation([], 0.0, 0, {0: ["bees", "ants"], 1: ["dog"]})
    page = page_of(X, [0, 0, 1, 1], texts=texts, explanation=words)
    text = section(page, "clusters").text
    assert "Telling words: bees, ants" in text
    assert "a cow and a dog" in text
    assert not page.find("table", cls="profile")
    assert not page.find("section", id="rules")
    assert all(len(each.text) < 320 for each in page.find("blockquote"))


def test_the_date_is_below_the_title():
    page = page_of(SQUARE, [0, 0, 1, 1], title="t.csv: 2 clusters", date="t.csv, 3 May 2026")
    header = page.find("header")[0].text
    assert header.startswith("t.csv: 2 clusters t.csv, 3 May 2026")


def test_how_numbers_of_clusters_did_is_drawn_and_told():
    scores = [
        NumberScore(2, 0.41, 0.0, 0.95, ""),
        NumberScore(3, 0.62, 0.0, 0.9, ""),
        NumberScore(4, float("nan"), 0.0, float("nan"), "too many"),
    ]
    curve = NumberCurve(scores, "silhouette", "cop-kmeans")
    page = page_of(SQUARE, [0, 0, 1, 2], numbers=curve)
    number = section(page, "number")
    words = " ".join(number.text.split())
    assert "3 clusters were chosen: the silhouette is highest, 0.62" in words
    assert "2 clusters: 0.41, stability 0.95." in words
    assert "4 clusters: no clusters were found." in words
    assert number.find("svg")
    assert page.find("a", href="#number")
    assert not page_of(SQUARE, [0, 0, 1, 2]).find("section", id="number")


def test_typical_texts_have_telling_words():
    """A text of no telling word is as near to one mean as to another, and typical of none."""
    X = np.array([[1.0, 0], [0.98, 0.2], [0.9, 0.43], [0, 0], [0, 1.0], [0.2, 0.98], [0.43, 0.9]])
    texts = ["a", "b", "c", "nothing", "x", "y", "z"]
    page = page_of(X, [0, 0, 0, 0, 1, 1, 1], texts=texts)
    typical = [each.text for each in page.find("figcaption") if each.text.startswith("typical")]
    assert len(typical) == 6
    assert "typical: sample 3" not in typical
    assert "7 texts in 2 clusters." in page.text


def test_years_have_no_separators():
    frame = pd.DataFrame({"built: year": [2001.0, 2003.5, 1987.0], "price": [2001.0, 9e3, 5e3]})
    page = Report(frame, [0, 0, 1]).html
    assert "2003.5" in page
    assert "2,003" not in page
    assert "2,001" in page
