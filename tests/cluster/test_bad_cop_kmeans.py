import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from clustraint import Constraints, COPKMeans, Rule
from clustraint.exceptions import (
    ClustraintError,
    InvalidParameterError,
    NoFeasibleClusteringError,
    UnsupportedConstraintsError,
)

X = np.array([[0.0, 1.0], [1.0, 0.0], [5.0, 5.0], [6.0, 5.0]])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_clusters": 0}, "n_clusters must be a whole number from 1 up, but is 0"),
        ({"n_clusters": 2.0}, "n_clusters must be a whole number"),
        ({"n_clusters": True}, "n_clusters must be a whole number"),
        ({"assignment": "exakt"}, "assignment must be 'auto', 'instance'"),
        ({"init": "kmeans++"}, r"init must be 'k-means\+\+', 'random' or 'cannot-link'"),
        ({"n_init": 0}, "n_init must be a whole number from 1 up"),
        ({"max_iter": 0}, "max_iter must be a whole number from 1 up"),
        ({"tol": -1}, "tol must be a number from 0 up"),
        ({"tol": float("nan")}, "tol must be a number from 0 up"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(InvalidParameterError, match=message):
        COPKMeans(**{"n_clusters": 2, **parameters}).fit(X)


def test_start_of_another_shape():
    with pytest.raises(
        ClustraintError, match=r"init must have the shape \(2, 2\), but has \(2, 3\)"
    ):
        COPKMeans(2, init=np.zeros((2, 3))).fit(X)


def test_more_clusters_than_samples():
    with pytest.raises(ClustraintError, match="n_samples=4 should be >= n_clusters=5"):
        COPKMeans(5).fit(X)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_values_that_are_no_numbers(value):
    bad = X.copy()
    bad[1, 1] = value
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        COPKMeans(2).fit(bad)


def test_constraints_about_other_samples():
    with pytest.raises(ClustraintError, match="about 3 samples, but X has 4"):
        COPKMeans(2).fit(X, constraints=Constraints(3))


def test_constraints_of_another_type():
    with pytest.raises(ClustraintError, match="constraints cannot be read"):
        COPKMeans(2).fit(X, constraints=[(0, 1)])


@pytest.mark.parametrize(
    ("constraints", "message"),
    [
        (Constraints(4, triplets=[(0, 1, 2)]), "but the constraints hold triplets"),
        (Constraints(4, rules=[Rule("x0")]), r"together; AttributeKMedoids or .* would take them"),
    ],
)
def test_kinds_that_it_does_not_take(constraints, message):
    with pytest.raises(UnsupportedConstraintsError, match=message):
        COPKMeans(2).fit(X, constraints=constraints)


def test_all_samples_in_one_component():
    known = Constraints(4, must_link=[(0, 1), (1, 2), (2, 3)])
    assert COPKMeans(1).fit(X, constraints=known).labels_.tolist() == [0, 0, 0, 0]
    with pytest.raises(NoFeasibleClusteringError, match="must-links leave 1 group of samples"):
        COPKMeans(2).fit(X, constraints=known)


def test_one_cluster_keeps_nobody_apart():
    with pytest.raises(NoFeasibleClusteringError, match="1 cluster cannot hold 2 samples"):
        COPKMeans(1).fit(X, constraints=Constraints(4, cannot_link=[(0, 1)]))


def test_equal_samples_and_constant_columns():
    same = np.ones((6, 2))
    known = Constraints(6, cannot_link=[(0, 1), (1, 2), (0, 2)])
    labels = COPKMeans(3, random_state=0).fit(same, constraints=known).labels_
    assert len(set(labels[:3])) == 3
    with pytest.warns(ConvergenceWarning, match="fewer clusters than n_clusters"):
        COPKMeans(3, random_state=0).fit(same)


def test_samples_of_weight_zero_still_keep_their_constraints():
    known = Constraints(4, must_link=[(0, 2)], cannot_link=[(0, 1), (2, 3)])
    weights = [0.0, 1.0, 0.0, 1.0]
    for assignment in ("auto", "instance", "component", "exact"):
        model = COPKMeans(2, assignment=assignment, random_state=0)
        model.fit(X, constraints=known, sample_weight=weights)
        assert model.constraint_report_.all_satisfied
