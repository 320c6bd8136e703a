"""The number of clusters: by held-out constraints, else by silhouette and stability."""

import io

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from clustraint import Constraints, plot
from clustraint.exceptions import InvalidParameterError, TooManyClustersError, UnknownColumnError
from clustraint.tables import read_table
from clustraint.workflow import (
    NumberCurve,
    NumberScore,
    choose_number,
    cluster_table,
    compare,
    with_known_labels,
)

CENTERS = [[0, 0], [30, 2], [4, 30], [28, 34]]


def table_of(X, labels=None):
    names = "a,b" if labels is None else "a,b,who"
    cells = X.tolist() if labels is None else [[*row, y] for row, y in zip(X, labels, strict=True)]
    lines = "\n".join(",".join(map(str, row)) for row in cells)
    return read_table(io.BytesIO(f"{names}\n{lines}\n".encode()))


@pytest.fixture(name="blobs", scope="module")
def four_blobs():
    return make_blobs(60, centers=CENTERS, cluster_std=1.5, random_state=5)


def test_without_constraints_silhouette_and_stability_decide(blobs):
    curve = choose_number(table_of(blobs[0]), n_clusters=range(2, 7))
    assert (curve.n_clusters, curve.by, curve.method) == (4, "silhouette", "cop-kmeans")
    assert [score.n_clusters for score in curve.scores] == [2, 3, 4, 5, 6]
    assert curve.scores[2].stability > 0.95
    assert "the silhouette is highest" in curve.reason


def test_constraints_decide_even_against_the_silhouette(blobs):
    X, y = blobs
    pairs = Constraints.from_labels(y // 2, n_pairs=60, random_state=0)
    curve = choose_number(table_of(X), pairs, n_clusters=range(2, 6))
    assert (curve.n_clusters, curve.by) == (2, "held-out constraints")
    wrong = pairs | Constraints(60, must_link=pairs.cannot_link[:2])
    assert choose_number(table_of(X), wrong, n_clusters=(2, 5)).n_clusters == 2


def test_unstable_numbers_are_not_chosen():
    scores = [
        NumberScore(2, 0.4, 0.0, 0.9, ""),
        NumberScore(3, 0.9, 0.0, 0.3, ""),
        NumberScore(4, float("nan"), 0.0, float("nan"), "no way"),
    ]
    curve = NumberCurve(scores, "silhouette", "tree")
    assert curve.n_clusters == 2
    assert [row["chosen"] for row in curve.table()] == [True, False, False]
    unstable = NumberCurve([scores[1]], "silhouette", "tree")
    assert "no number gives stable clusters" in unstable.reason
    view = plot.curve_view(curve)
    assert [point.score for point in view.points] == [0.4, 0.9, None]
    assert view.sentences[2] == "4 clusters: no clusters were found."
    drawn = plot.svg(view)
    assert drawn.count("<circle") == 2
    assert "stability" in drawn


def test_clusters_of_a_number_that_was_left_open(blobs):
    table = table_of(blobs[0])
    clustering = cluster_table(table, n_clusters=range(3, 6))
    assert clustering.numbers.n_clusters == len(clustering.sizes) == 4
    assert cluster_table(table, n_clusters=3).numbers is None
    assert cluster_table(table, n_clusters=[3]).numbers is None


@pytest.mark.parametrize("number", ["three", 0, [], [2, 0], 2.5])
def test_numbers_that_are_none(blobs, number):
    with pytest.raises(InvalidParameterError, match="n_clusters must be a whole number"):
        choose_number(table_of(blobs[0]), n_clusters=number)


def test_more_clusters_than_samples(blobs):
    with pytest.raises(TooManyClustersError):
        choose_number(table_of(blobs[0][:5]), n_clusters=(6, 7))
    assert choose_number(table_of(blobs[0][:5]), n_clusters=(2, 7)).n_clusters == 2


def test_methods_compared_with_several_numbers(blobs):
    X, y = blobs
    pairs = Constraints.from_labels(y, n_pairs=60, random_state=1)
    result = compare(
        table_of(X), pairs, range(3, 6), methods=["pc-kmeans", "complete-linkage"], n_splits=2
    )
    assert result.n_clusters == 4
    assert len(result.table()) == 6
    best = result.table()[0]
    assert best["label"] == f"{best['method']}, 4 clusters"
    assert "4 clusters" in plot.svg(plot.bars_view(result))


def test_known_labels_are_constraints_and_no_feature(blobs):
    X, y = blobs
    labels = ["" if place % 3 else "abcd"[label] for place, label in enumerate(y)]
    table, stated = with_known_labels(table_of(X, labels), "who")
    assert [column.name for column in table.columns] == ["a", "b"]
    known = [label or None for label in labels]
    assert stated == Constraints.from_labels(known)
    assert cluster_table(table, stated, 4).report.all_satisfied
    with pytest.raises(UnknownColumnError, match="whom"):
        with_known_labels(table_of(X, labels), "whom")


def test_a_tree_is_no_default():
    rng = np.random.default_rng(0)
    lines = [f"{rng.normal():.3f},{rng.normal():.3f},{'xyz'[i % 3]}" for i in range(30)]
    table = read_table(io.BytesIO(("a,b,c\n" + "\n".join(lines)).encode()))
    assert cluster_table(table, n_clusters=2).choice.method.name == "cop-kmeans"
    few = Constraints(30, must_link=[(0, 1)])
    assert cluster_table(table, few, n_clusters=2).choice.method.name == "cop-kmeans"
