"""What a clustering tree cannot use, and data on the edge."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from clustraint import ClusteringTree, Constraints, Rule
from clustraint.exceptions import (
    ClustraintError,
    InvalidLabelsError,
    InvalidParameterError,
    TableColumnError,
    UnsupportedConstraintsError,
)

X = np.array([[0.0, 1.0], [1.0, 0.0], [5.0, 5.0], [6.0, 5.0]])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_clusters": 0}, "n_clusters must be a whole number from 1 up, but is 0"),
        ({"gamma": -0.1}, "gamma must be a number from 0 to 1, but is -0.1"),
        ({"gamma": 1.1}, "gamma must be a number from 0 to 1"),
        ({"gamma": float("nan")}, "gamma must be a number from 0 to 1"),
        ({"gamma": "half"}, "gamma must be a number from 0 to 1"),
        ({"min_samples_leaf": 0}, "min_samples_leaf must be a whole number from 1 up"),
        ({"min_samples_leaf": 0.5}, "min_samples_leaf must be a whole number from 1 up"),
        ({"max_leaves": 0}, "max_leaves must be a whole number from 1 up"),
        ({"max_depth": 0}, "max_depth must be a whole number from 1 up"),
        ({"beam_width": 0}, "beam_width must be a whole number from 1 up"),
        ({"min_improvement": -1}, "min_improvement must be a number from 0 up"),
        ({"label_reuse": "all"}, "label_reuse must be 'linked' or 'any', but is 'all'"),
        ({"noise": "ignore"}, "noise must be 'raise', 'repair' or 'doubt'"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(InvalidParameterError, match=message):
        ClusteringTree(**parameters).fit(X)
    with pytest.raises(InvalidParameterError, match=message):
        ClusteringTree(**parameters).explain(X, [0, 0, 1, 1])


@pytest.mark.parametrize("fidelity", [-0.5, 1.5, "all"])
def test_bad_fidelity(fidelity):
    with pytest.raises(InvalidParameterError, match="fidelity must be a number from 0 to 1"):
        ClusteringTree().explain(X, [0, 0, 1, 1], fidelity=fidelity)


def test_kinds_that_it_does_not_take():
    triplets = Constraints(4, triplets=[(0, 1, 2)])
    with pytest.raises(UnsupportedConstraintsError, match="triplets"):
        ClusteringTree().fit(X, constraints=triplets)
    with pytest.raises(UnsupportedConstraintsError, match="AttributeKMedoids"):
        ClusteringTree().fit(X, constraints=Constraints(4, rules=[Rule("x0 > 1")]))


def test_constraints_about_other_samples():
    with pytest.raises(ClustraintError, match="about 3 samples, but X has 4"):
        ClusteringTree().fit(X, constraints=Constraints(3))


def test_infinite_numbers():
    with pytest.raises(ValueError, match="infinity"):
        ClusteringTree().fit([[0.0], [np.inf]])
    with pytest.raises(TableColumnError, match="size"):
        ClusteringTree().fit(pd.DataFrame({"size": [0.0, np.inf]}))


def test_columns_of_other_kinds():
    frame = pd.DataFrame({"born": pd.to_datetime(["2001-01-01", "2002-01-01"])})
    with pytest.raises(TableColumnError, match="born"):
        ClusteringTree().fit(frame)


def test_a_frame_without_rows_or_columns():
    for shape in ((0, 2), (2, 0)):
        with pytest.raises(ClustraintError, match="X must have at least 1"):
            ClusteringTree().fit(pd.DataFrame(np.empty(shape)))


def test_texts_in_an_array():
    with pytest.raises(ValueError, match="could not convert string"):
        ClusteringTree().fit(np.array([["red"], ["blue"]]))


def test_nothing_before_fit():
    for method in ("predict", "apply", "decision_path", "score"):
        with pytest.raises(NotFittedError):
            getattr(ClusteringTree(), method)(X)
    assert not hasattr(ClusteringTree(), "rules_")


def test_other_columns_in_predict():
    model = ClusteringTree().fit(pd.DataFrame({"color": ["red", "red", "blue", "blue"]}))
    with pytest.raises(TableColumnError, match="held texts in fit"):
        model.predict(pd.DataFrame({"color": [1.0]}))
    with pytest.raises(ValueError, match="feature names"):
        model.predict(pd.DataFrame({"colour": ["red"]}))


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([0, 1], "labels must be one for each of the 4 samples, but are 2"),
        ([[0], [1], [0], [1]], "one label for each sample"),
        ([-1, None, -1, float("nan")], "at least one sample"),
    ],
)
def test_bad_labels_to_explain(labels, message):
    with pytest.raises(InvalidLabelsError, match=message):
        ClusteringTree().explain(X, labels)


linked = {"must_link": [(0, 1)], "cannot_link": [(1, 2)]}


@pytest.mark.parametrize("label_reuse", ["linked", "any"])
@pytest.mark.parametrize("values", [np.ones((4, 2)), np.full((4, 2), np.nan), np.zeros((4, 1))])
def test_nothing_to_split(values, label_reuse):
    model = ClusteringTree(3, label_reuse=label_reuse)
    model.fit(values, constraints=Constraints(4, **linked))
    assert model.labels_.tolist() == [0, 0, 0, 0]
    assert model.tree_.node_count == 1
    assert model.heuristic_ == pytest.approx(0.5 * 2 / 3)
    assert model.history_ == []
    assert len(model.constraint_report_.violated.cannot_link) == 1
    assert model.rules_[0].n_samples == 4
    assert model.score(values) == 0


def test_one_sample():
    model = ClusteringTree(3).fit([[1.0, np.nan]])
    assert model.labels_.tolist() == [0]
    assert model.predict([[2.0, 3.0]]).tolist() == [0]


def test_one_cluster():
    model = ClusteringTree(1).fit(X, constraints=Constraints(4, **linked))
    assert model.labels_.tolist() == [0, 0, 0, 0]


def test_a_column_of_only_missing_values_changes_nothing():
    frame = pd.DataFrame(X, columns=["a", "b"])
    with_empty = frame.assign(empty=np.nan, none=[None] * 4)[["empty", "a", "none", "b"]]
    constraints = Constraints(4, **linked)
    model = ClusteringTree(2).fit(frame, constraints=constraints)
    other = ClusteringTree(2).fit(with_empty, constraints=constraints)
    assert other.labels_.tolist() == model.labels_.tolist()
    assert other.heuristic_ == pytest.approx(model.heuristic_)


def test_all_pairs_there_are():
    labels = np.array([0, 0, 1, 1])
    constraints = Constraints.from_labels(labels).closure()
    model = ClusteringTree(2).fit(X, constraints=constraints)
    assert model.constraint_report_.all_satisfied
    twice = Constraints(
        4,
        must_link=np.tile(constraints.must_link, (3, 1)),
        cannot_link=np.tile(constraints.cannot_link, (3, 1)),
    )
    again = ClusteringTree(2).fit(X, constraints=twice)
    assert again.heuristic_ == pytest.approx(model.heuristic_)


def test_numbers_at_the_ends_of_their_range():
    values = np.array([[-1.7e308], [-1.7e308], [1.7e308], [1.7e308]])
    for scale in (1, 1e-200, 1e-320):
        model = ClusteringTree(2).fit(values * scale)
        assert model.labels_.tolist() == [1, 1, 0, 0]
        assert model.heuristic_ == pytest.approx(0)
