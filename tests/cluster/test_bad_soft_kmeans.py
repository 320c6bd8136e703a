import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.exceptions import ConvergenceWarning

from clustraint import Constraints, COPKMeans, MPCKMeans, PCKMeans, Rule
from clustraint.exceptions import (
    ClustraintError,
    InvalidLabelsError,
    InvalidParameterError,
    UnsupportedConstraintsError,
)

X = np.array([[0.0, 1.0], [1.0, 0.0], [5.0, 5.0], [6.0, 5.0]])
KINDS = (PCKMeans, MPCKMeans)
each_kind = pytest.mark.parametrize("kind", KINDS)
SOFT = (*KINDS, lambda k, **options: COPKMeans(k, assignment="soft", **options))
every_soft_one = pytest.mark.parametrize("kind", SOFT, ids=["PCK", "MPCK", "COP"])


@each_kind
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_clusters": 0}, "n_clusters must be a whole number from 1 up, but is 0"),
        ({"violation_cost": -1}, "violation_cost must be a number from 0 up, but is -1"),
        ({"violation_cost": np.inf}, "violation_cost must be a number from 0 up"),
        ({"init": "neighbourhoods"}, r"init must be 'neighborhoods', 'k-means\+\+' or 'random'"),
        ({"n_init": 0}, "n_init must be a whole number from 1 up"),
        ({"max_iter": 0}, "max_iter must be a whole number from 1 up"),
        ({"tol": -1}, "tol must be a number from 0 up"),
    ],
)
def test_bad_parameters(kind, parameters, message):
    with pytest.raises(InvalidParameterError, match=message):
        kind(**{"n_clusters": 2, **parameters}).fit(X)


def test_bad_metric():
    with pytest.raises(InvalidParameterError, match="metric must be 'diagonal' or 'full'"):
        MPCKMeans(2, metric="diag").fit(X)


@each_kind
def test_start_of_another_shape(kind):
    with pytest.raises(ClustraintError, match=r"init must have the shape \(2, 2\)"):
        kind(2, init=np.zeros((2, 3))).fit(X)


@every_soft_one
def test_more_clusters_than_samples(kind):
    with pytest.raises(ClustraintError, match="n_samples=4 should be >= n_clusters=5"):
        kind(5).fit(X)


@each_kind
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_values_that_are_no_numbers(kind, value):
    bad = X.copy()
    bad[1, 1] = value
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        kind(2).fit(bad)


def test_mpck_means_takes_no_sparse_matrix():
    with pytest.raises(TypeError, match="dense data is required"):
        MPCKMeans(2).fit(csr_array(X))


@each_kind
@pytest.mark.parametrize(
    ("constraints", "message"),
    [
        (Constraints(4, triplets=[(0, 1, 2)]), "but the constraints hold triplets"),
        (Constraints(4, rules=[Rule("x0")]), r"together; AttributeKMedoids or .* would take them"),
        (Constraints(3), "about 3 samples, but X has 4"),
        ([(0, 1)], "constraints cannot be read: row 0"),
    ],
)
def test_constraints_that_it_does_not_take(kind, constraints, message):
    with pytest.raises((UnsupportedConstraintsError, ClustraintError), match=message):
        kind(2).fit(X, constraints=constraints)


@each_kind
@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([0, 1], "y must be one label for each of 4 samples, but has 2"),
        ([[0, 1]] * 4, "y must be one label for each sample"),
        (7, "y must be one label for each sample"),
    ],
)
def test_labels_of_other_samples(kind, y, message):
    with pytest.raises(InvalidLabelsError, match=message):
        kind(2).fit(X, y)


@every_soft_one
def test_all_samples_in_one_component(kind):
    chain = Constraints(4, must_link=[(0, 1), (1, 2), (2, 3)])
    assert kind(1).fit(X, constraints=chain).labels_.tolist() == [0, 0, 0, 0]
    # Two clusters are asked for, so at least one must-link is violated.
    labels = kind(2, random_state=0).fit(X, constraints=chain).labels_
    assert len(np.unique(labels)) == 2


@every_soft_one
def test_one_cluster_keeps_nobody_apart(kind):
    model = kind(1).fit(X, constraints=Constraints(4, cannot_link=[(0, 1)]))
    assert model.constraint_report_["cannot_link"].violated == 1


@every_soft_one
def test_equal_samples(kind):
    same = np.ones((6, 2))
    with pytest.warns(ConvergenceWarning, match="fewer clusters than n_clusters"):
        model = kind(3, random_state=0).fit(same)
    assert model.labels_.shape == (6,)
    assert np.isfinite(model.cluster_centers_).all()
    apart = Constraints(6, cannot_link=[(0, 1), (1, 2), (0, 2)])
    try:
        labels = kind(3, random_state=0).fit(same, constraints=apart).labels_
    except ConvergenceWarning:
        assert kind is MPCKMeans  # whose cannot-links cost nothing where all distances are 0
    else:
        assert len(set(labels[:3])) == 3


@every_soft_one
def test_constant_columns_and_more_columns_than_samples(kind):
    rng = np.random.default_rng(0)
    wide = np.c_[np.ones((8, 2)), rng.normal(size=(8, 20)) + np.repeat([0, 9], 4)[:, np.newaxis]]
    pair = Constraints(8, must_link=[(0, 1)], cannot_link=[(0, 7)])
    model = kind(2, random_state=0).fit(wide, constraints=pair)
    assert model.labels_[0] == model.labels_[3] != model.labels_[4] == model.labels_[7]


@every_soft_one
def test_samples_of_weight_zero(kind):
    pair = Constraints(4, must_link=[(0, 2)], cannot_link=[(0, 1)])
    model = kind(2, random_state=0)
    model.fit(X, constraints=pair, sample_weight=[0.0, 1.0, 0.0, 1.0])
    assert np.isfinite(model.cluster_centers_).all()
    with pytest.raises(ValueError, match="Negative values"):
        model.fit(X, sample_weight=[-1.0, 1, 1, 1])
