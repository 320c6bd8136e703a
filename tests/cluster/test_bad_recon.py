import numpy as np
import pytest
from sklearn.base import BaseEstimator, TransformerMixin

from clustraint import Constraints, ReCon, Rule
from clustraint.exceptions import (
    BranchSizeError,
    ClustraintError,
    HugeDifferenceError,
    InconsistentConstraintsError,
    InvalidParameterError,
    NoFeasibleClusteringError,
    SampleIndexError,
    UnsupportedConstraintsError,
)

X = np.array([[0.0, 1.0], [1.0, 0.0], [5.0, 5.0], [6.0, 5.0]])
CUTS = ["whole", "resolved", "last"]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_clusters": 0}, "n_clusters must be a whole number from 1 up, but is 0"),
        ({"n_clusters": 2.0}, "n_clusters must be a whole number"),
        ({"linkage": "complete"}, "linkage must be 'centroid' or 'ward', but is 'complete'"),
        ({"cut": "first"}, "cut must be 'whole', 'levels', 'resolved' or 'last'"),
        ({"noise": "ignore"}, "noise must be 'raise', 'repair' or 'doubt'"),
        ({"min_branch_size": "small"}, "min_branch_size must be 'auto' or a number from 0 up"),
        ({"min_branch_size": -1}, "min_branch_size must be a number from 0 up"),
        ({"metric": "euclidean"}, "metric must be a transformer or None, but is 'euclidean'"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(InvalidParameterError, match=message):
        ReCon(**parameters).fit(X)


def test_more_clusters_than_samples():
    with pytest.raises(ClustraintError, match="n_samples=4 should be >= n_clusters=5"):
        ReCon(5).fit(X)


def test_a_threshold_that_leaves_too_few_branches():
    with pytest.raises(BranchSizeError, match="min_branch_size=3 leaves 1 cluster"):
        ReCon(2, min_branch_size=3).fit(X)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_values_that_are_no_numbers(value):
    bad = X.copy()
    bad[1, 1] = value
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        ReCon(2).fit(bad)


def test_differences_beyond_all_numbers():
    bad = X.copy()
    bad[1, 1] = 1e200
    with pytest.raises(HugeDifferenceError, match=r"column 1 .* scale that column"):
        ReCon(2).fit(bad)


def test_triplets_about_samples_that_are_not_there():
    with pytest.raises(SampleIndexError, match="names sample 4"):
        Constraints(4, triplets=[(0, 1, 4)])
    with pytest.raises(ClustraintError, match="about 5 samples, but X has 4"):
        ReCon(2).fit(X, constraints=Constraints(5, triplets=[(0, 1, 4)]))


def test_kinds_that_it_does_not_take():
    with pytest.raises(UnsupportedConstraintsError, match=r"AttributeKMedoids or .* would take"):
        ReCon(2).fit(X, constraints=Constraints(4, rules=[Rule("x0")]))


def test_contradictions_come_with_their_witness():
    known = Constraints(4, triplets=[(0, 1, 2), (0, 2, 1), (0, 1, 3)])
    with pytest.raises(InconsistentConstraintsError) as caught:
        ReCon(2).fit(X, constraints=known)
    assert caught.value.witness == known.take(triplets=[0, 1])
    model = ReCon(2, noise="repair").fit(X, constraints=known)
    assert model.dropped_.n_constraints == 1
    assert model.constraint_report_["triplets"].total == 3


@pytest.mark.parametrize("cut", CUTS)
def test_all_samples_must_linked(cut):
    known = Constraints(4, must_link=[(0, 1), (1, 2), (2, 3)])
    assert ReCon(1, cut=cut).fit(X, constraints=known).labels_.tolist() == [0] * 4
    with pytest.raises(NoFeasibleClusteringError, match="must-links leave 1 group of samples"):
        ReCon(2, cut=cut).fit(X, constraints=known)


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("n_samples", [1, 2, 3])
def test_few_samples_and_every_number_of_clusters(cut, n_samples):
    for n_clusters in range(1, n_samples + 1):
        model = ReCon(n_clusters, cut=cut).fit(X[:n_samples])
        assert len(np.unique(model.labels_)) == n_clusters
        assert model.linkage_.shape == (n_samples - 1, 4)


@pytest.mark.parametrize("cut", CUTS)
def test_duplicates_and_ties(cut):
    known = Constraints(6, triplets=[(0, 5, 1), (1, 4, 0), (2, 3, 0), (2, 3, 1)])
    for same in (np.ones((6, 2)), np.indices((2, 3)).reshape(2, 6).T.astype(float)):
        model = ReCon(3, cut=cut).fit(same, constraints=known)
        assert model.hierarchy_.displays(known.triplets).all()
        assert len(np.unique(model.labels_)) == 3


def test_a_transformer_that_loses_samples():
    class Loses(TransformerMixin, BaseEstimator):
        def fit(self, X, y=None):
            return self

        def transform(self, X):
            return np.asarray(X)[1:]

        def __sklearn_is_fitted__(self):
            return True

    with pytest.raises(InvalidParameterError, match="metric must be a transformer to one finite"):
        ReCon(2, metric=Loses()).fit(X)
