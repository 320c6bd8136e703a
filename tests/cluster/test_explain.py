"""Small trees that describe given clusters."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris, make_blobs

from clustraint import ClusteringTree, Rule


def test_the_species_of_irises():
    X, y = load_iris(return_X_y=True, as_frame=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    found = ClusteringTree().explain(X, names)
    assert found.tree_.n_leaves == 3
    assert found.fidelity_ == pytest.approx(0.96)
    assert found.predict(X).tolist() == found.labels_.tolist()
    assert np.mean(found.labels_ == names) == found.fidelity_
    assert [rule.cluster for rule in found.rules_] == names[[0, 50, 100]].tolist()
    setosa = found.rules_[0]
    assert (setosa.precision, setosa.recall) == (1, 1)
    assert Rule(setosa.formula).scope(X).tolist() == (names == "setosa").tolist()


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(1, 3))
def test_what_a_tree_made_is_explained_by_no_larger_one(seed, n_leaves, beam_width):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 2))
    given_tree = ClusteringTree(n_leaves, min_samples_leaf=1).fit(X)
    model = ClusteringTree(min_samples_leaf=1, beam_width=beam_width)
    found = model.explain(X, given_tree.labels_, fidelity=1)
    assert found.fidelity_ == 1
    assert found.labels_.tolist() == given_tree.labels_.tolist()
    assert found.tree_.n_leaves >= len(np.unique(given_tree.labels_))


def test_more_fidelity_takes_more_leaves():
    X, _ = make_blobs(500, 4, centers=5, cluster_std=4, random_state=0)
    labels = KMeans(5, n_init=3, random_state=0).fit_predict(X)
    sizes = []
    for fidelity in (0.6, 0.8, 0.9, 1):
        found = ClusteringTree(min_samples_leaf=1).explain(X, labels, fidelity=fidelity)
        assert found.fidelity_ >= fidelity
        sizes.append(found.tree_.n_leaves)
        assert {rule.cluster for rule in found.rules_} == set(range(5))
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[-1]


def test_limits_go_before_fidelity():
    X, _ = make_blobs(500, 4, centers=5, cluster_std=4, random_state=0)
    labels = KMeans(5, n_init=3, random_state=0).fit_predict(X)
    found = ClusteringTree(max_leaves=6).explain(X, labels, fidelity=1)
    assert found.tree_.n_leaves <= 6
    assert found.fidelity_ < 1
    assert ClusteringTree(max_depth=2).explain(X, labels).tree_.max_depth == 2
    large = ClusteringTree(min_samples_leaf=30).explain(X, labels)
    assert large.tree_.n_node_samples.min() >= 30


def test_a_checkerboard_needs_a_split_that_gains_nothing():
    X = np.array([[a, b] for a in (0.0, 1.0) for b in (0.0, 1.0)] * 5)
    found = ClusteringTree().explain(X, X[:, 0] != X[:, 1], fidelity=1)
    assert found.fidelity_ == 1
    assert found.tree_.n_leaves == 4


def test_nominal_columns_and_missing_values():
    frame = pd.DataFrame(
        {
            "color": ["red", "green", "blue", "red", None, "green", None, "blue"],
            "milk": [True, True, False, True, False, True, False, False],
        }
    )
    clusters = ["a", "b", "b", "a", "c", "b", "c", "b"]
    found = ClusteringTree(min_samples_leaf=1).explain(frame, clusters, fidelity=1)
    assert found.fidelity_ == 1
    for rule in found.rules_:
        expected = [cluster == rule.cluster for cluster in clusters]
        assert rule.covers(frame).tolist() == expected
        assert Rule(rule.formula).scope(frame).tolist() == expected


def test_unknown_labels_are_left_out():
    X = np.array([[0.0], [1.0], [2.0], [8.0], [9.0], [10.0]])
    found = ClusteringTree().explain(X, [7, 7, -1, 3, 3, -1])
    assert found.labels_.tolist() == [7, 7, 7, 3, 3, 3]
    assert found.fidelity_ == 1
    assert sum(rule.n_samples for rule in found.rules_) == 4


def test_one_cluster():
    found = ClusteringTree().explain([[1.0], [2.0]], ["all", "all"])
    assert found.tree_.n_leaves == 1
    assert found.predict([[5.0]]).tolist() == ["all"]


def test_the_model_that_explains_stays_as_it_is():
    X, y = load_iris(return_X_y=True)
    model = ClusteringTree(4).fit(X)
    before = model.labels_.copy()
    found = model.explain(X, y)
    assert model.labels_.tolist() == before.tolist()
    assert not hasattr(model, "fidelity_")
    assert found.get_params() == model.get_params()


def test_labels_of_several_types_stay_what_they_are():
    found = ClusteringTree(min_samples_leaf=1).explain([[0.0], [1.0], [5.0]], [1, "1", (2, 3)])
    assert found.labels_.tolist() == [1, "1", (2, 3)]
