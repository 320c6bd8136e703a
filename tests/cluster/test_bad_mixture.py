"""Mixtures at the edges: odd data and statements give a right result or a clear error."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.exceptions import ConvergenceWarning

from clustraint import ConstrainedMixture, Constraints, Rule
from clustraint.cluster._mixture.gaussians import COVARIANCES
from clustraint.exceptions import (
    ClustraintError,
    EmptyScopeWarning,
    IllDefinedCovarianceError,
    InvalidParameterError,
    InvalidWeightError,
    NoFeasibleClusteringError,
    SparseMixtureError,
    TooManyClassesError,
    UnknownAttributeError,
)

SHAPES = [*COVARIANCES]
X = np.array([[0.0, 1.0], [0.2, 1.1], [0.1, 0.8], [5.0, 1.0], [5.3, 1.2], [5.1, 0.7]])
PAIRS = Constraints(6, must_link=[(0, 1), (3, 4)], cannot_link=[(0, 3)])


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("n_clusters", 0, "a whole number from 1 up"),
        ("n_clusters", 2.5, "a whole number from 1 up"),
        ("covariance", "round", "'tied', 'full'"),
        ("trust", 0.5, "'learn' or a number above 0.5 and at most 1, but is 0.5"),
        ("trust", 1.5, "'learn' or a number above 0.5 and at most 1"),
        ("trust", np.nan, "'learn' or a number above 0.5 and at most 1"),
        ("trust", "blind", "'learn' or a number above 0.5 and at most 1, but is 'blind'"),
        ("n_init", 0, "a whole number from 1 up"),
        ("max_iter", 0, "a whole number from 1 up"),
        ("tol", -1, "a number from 0 up"),
        ("shrinkage", 1.5, "a number from 0 to 1"),
        ("reg_covar", -1e-6, "a number from 0 up"),
        ("init", "somewhere", "'auto'"),
    ],
)
def test_bad_parameters(name, value, message):
    model = ConstrainedMixture(2).set_params(**{name: value})
    with pytest.raises(InvalidParameterError, match=message):
        model.fit(X)


@pytest.mark.parametrize(
    ("init", "message"),
    [
        (np.zeros((3, 2)), r"init must be means of shape \(2, 2\) or shares of shape \(6, 2\)"),
        (np.zeros((6, 2)), "not all 0 for any sample"),
        (-np.ones((6, 2)), "shares from 0 up"),
    ],
)
def test_bad_starts(init, message):
    with pytest.raises(ClustraintError, match=message):
        ConstrainedMixture(2, init=init).fit(X)


def test_more_clusters_than_samples():
    with pytest.raises(ClustraintError, match="n_samples=6 should be >= n_clusters=7"):
        ConstrainedMixture(7).fit(X)


def test_sparse_data_are_refused_with_a_way_out():
    with pytest.raises(SparseMixtureError, match="TruncatedSVD"):
        ConstrainedMixture(2).fit(csr_matrix(X))


@pytest.mark.parametrize("weight", [0, np.inf, np.nan, -1])
def test_weights_that_are_no_confidence_are_refused(weight):
    with pytest.raises(InvalidWeightError):
        Constraints(6, must_link=[(0, 1)], must_link_weights=[weight])


@pytest.mark.parametrize("weight", [1e-300, 1e300])
@pytest.mark.parametrize("trust", ["learn", 0.9])
def test_weights_may_be_next_to_nothing_or_to_certainty(weight, trust):
    stated = Constraints(6, must_link=[(0, 5), (0, 1), (3, 4)], must_link_weights=[weight, 1, 1])
    model = ConstrainedMixture(2, trust=trust, random_state=0, reg_covar=0.1)
    model.fit(X, constraints=stated)
    is_kept = model.labels_[0] == model.labels_[5]
    assert is_kept == (weight > 1)
    assert model.doubt_["must_link"][0] == pytest.approx(0 if is_kept else 1, abs=0.05)


def test_labels_of_too_many_classes():
    with pytest.raises(TooManyClassesError, match="y has 3 classes, but n_clusters=2"):
        ConstrainedMixture(2).fit(X, y=[0, 1, 2, -1, -1, -1])


def test_labels_of_other_samples():
    with pytest.raises(
        ClustraintError, match="y must be one label for each of 6 samples, but has 2"
    ):
        ConstrainedMixture(2).fit(X, y=[0, 1])


def test_constraints_of_other_samples():
    with pytest.raises(ClustraintError, match="about 5 samples, but X has 6"):
        ConstrainedMixture(2).fit(X, constraints=Constraints(5))


def test_a_rule_about_no_column():
    stated = Constraints(6, rules=[Rule("milk")])
    with pytest.raises(UnknownAttributeError, match="milk"):
        ConstrainedMixture(2).fit(X, constraints=stated)


@pytest.mark.parametrize("trust", ["learn", 1])
@pytest.mark.parametrize("exactly", [False, True])
def test_a_rule_that_holds_for_nobody_says_nothing(trust, exactly):
    stated = Constraints(6, rules=[Rule("x0 > 99", exactly=exactly)])
    model = ConstrainedMixture(2, trust=trust, random_state=0, reg_covar=0.1)
    with pytest.warns(EmptyScopeWarning):
        model.fit(X, constraints=stated)
    assert model.labels_.tolist() in ([0, 0, 0, 1, 1, 1], [1, 1, 1, 0, 0, 0])


@pytest.mark.parametrize("trust", ["learn", 0.9, 1])
@pytest.mark.parametrize("covariance", SHAPES)
def test_one_cluster(trust, covariance):
    together = Constraints(6, must_link=[(0, 1)], triplets=[(0, 1, 2)])
    model = ConstrainedMixture(1, trust=trust, covariance=covariance, reg_covar=0.1)
    model.fit(X, y=[0, 0, -1, -1, -1, -1], constraints=together)
    assert model.labels_.tolist() == [0] * 6
    assert model.probabilities_.tolist() == [[1.0]] * 6
    np.testing.assert_allclose(model.means_[0], X.mean(axis=0))


def test_one_cluster_and_a_cannot_link():
    model = ConstrainedMixture(1, reg_covar=0.1).fit(X, constraints=PAIRS)
    assert model.doubt_["cannot_link"] == pytest.approx([1.0])
    with pytest.raises(NoFeasibleClusteringError, match="1 cluster cannot hold") as caught:
        ConstrainedMixture(1, trust=1).fit(X, constraints=PAIRS)
    assert caught.value.witness.cannot_link.tolist() == [[0, 3]]


def test_all_samples_in_one_component():
    chain = Constraints(6, must_link=[(i, i + 1) for i in range(5)])
    model = ConstrainedMixture(2, random_state=0, reg_covar=0.1).fit(X, constraints=chain)
    assert np.isfinite(model.probabilities_).all()
    with pytest.raises(NoFeasibleClusteringError, match="must-links leave 1 group of samples"):
        ConstrainedMixture(2, trust=1).fit(X, constraints=chain)


@pytest.mark.parametrize("trust", ["learn", 1])
@pytest.mark.parametrize("covariance", SHAPES)
def test_equal_rows(covariance, trust):
    equal = np.repeat([[1.0, 2.0], [3.0, 4.0]], 3, axis=0)
    model = ConstrainedMixture(2, covariance=covariance, trust=trust, random_state=0)
    assert model.fit(equal, constraints=PAIRS).constraint_report_.all_satisfied
    with pytest.warns(ConvergenceWarning, match="because of equal samples"):
        ConstrainedMixture(3, covariance=covariance, random_state=0).fit(equal)
    with pytest.warns(ConvergenceWarning, match="because of equal samples"):
        model = ConstrainedMixture(2, covariance=covariance).fit(np.ones((6, 2)))
    assert np.isfinite(model.probabilities_).all()


@pytest.mark.parametrize("covariance", SHAPES)
def test_constant_columns(covariance):
    wide = np.column_stack((X[:, 0], np.full(6, 7.0)))
    model = ConstrainedMixture(2, covariance=covariance, random_state=0)
    model.fit(wide, constraints=PAIRS)
    assert model.labels_.tolist() in ([0, 0, 0, 1, 1, 1], [1, 1, 1, 0, 0, 0])


@pytest.mark.parametrize("covariance", SHAPES)
def test_more_features_than_samples(covariance, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    wide = rng.normal(np.repeat([[0.0], [9.0]], 3, axis=0), 1, (6, 40))
    model = ConstrainedMixture(2, covariance=covariance, random_state=0).fit(
        wide, constraints=PAIRS
    )
    assert model.labels_.tolist() in ([0, 0, 0, 1, 1, 1], [1, 1, 1, 0, 0, 0])


def test_a_flat_cluster_without_regularisation():
    flat = np.column_stack((X[:, 0], X[:, 0]))
    with pytest.raises(IllDefinedCovarianceError, match="raise reg_covar or shrinkage"):
        ConstrainedMixture(2, covariance="full", reg_covar=0, random_state=0).fit(flat)


def test_rounds_that_end_too_early_are_told():
    with pytest.warns(ConvergenceWarning, match="has not converged after max_iter=1 rounds"):
        model = ConstrainedMixture(2, max_iter=1, random_state=0).fit(X)
    assert not model.converged_


def test_far_from_the_origin():
    near, far = (
        ConstrainedMixture(2, init=np.eye(2)[[0, 0, 1, 1, 1, 1]], reg_covar=1e-3).fit(
            X + offset, constraints=PAIRS
        )
        for offset in (0.0, 1e6)
    )
    np.testing.assert_allclose(near.probabilities_, far.probabilities_, atol=1e-5)
    np.testing.assert_allclose(near.means_ + 1e6, far.means_)
    assert far.predict(X + 1e6).tolist() == near.predict(X).tolist()


def test_weights_of_0_leave_samples_out(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    outlier = np.concatenate((X, [[1e3, 1e3]]))
    weights = [1, 1, 1, 1, 1, 1, 0]
    model = ConstrainedMixture(2, reg_covar=0.1, random_state=int(rng.integers(99)))
    model.fit(outlier, sample_weight=weights)
    assert np.abs(model.means_).max() < 6
