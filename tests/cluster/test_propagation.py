import pickle

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import load_iris, make_circles, make_moons
from sklearn.decomposition import PCA
from sklearn.metrics import adjusted_rand_score, average_precision_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from clustraint import ConstraintPropagation, Constraints, Rule
from clustraint.cluster import ViewedMixture
from clustraint.exceptions import (
    ClustraintError,
    InvalidParameterError,
    UnsupportedConstraintsError,
)
from clustraint.metric import DiscriminantMetric, PropagatedEmbedding


@pytest.fixture(scope="module")
def moons():
    return make_moons(300, noise=0.07, random_state=5)


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return StandardScaler().fit_transform(X), y


def with_mistakes(constraints, n_mistakes):
    """Turn the first must-links into cannot-links, and say which cannot-links are wrong."""
    wrong, right = np.split(constraints.must_link, [n_mistakes])
    cannot = np.concatenate((wrong, constraints.cannot_link))
    is_wrong = np.arange(len(cannot)) < n_mistakes
    return Constraints(constraints.n_samples, right, cannot), is_wrong


def test_shapes_that_are_not_blobs(moons, global_random_seed):
    circles = make_circles(300, noise=0.05, factor=0.4, random_state=global_random_seed)
    for X, y in (moons, circles):
        constraints = Constraints.from_labels(y, n_pairs=40, random_state=global_random_seed)
        model = ConstraintPropagation(2, random_state=global_random_seed)
        assert adjusted_rand_score(y, model.fit(X, constraints=constraints).labels_) > 0.9


def test_wrong_pairs_are_doubted(moons, global_random_seed):
    X, y = moons
    constraints = Constraints.from_labels(y, n_pairs=100, random_state=global_random_seed)
    constraints, is_wrong = with_mistakes(constraints, 8)
    model = ConstraintPropagation(2, random_state=global_random_seed)
    model.fit(X, constraints=constraints)
    assert adjusted_rand_score(y, model.labels_) > 0.9
    assert average_precision_score(is_wrong, model.doubt_["cannot_link"]) > 0.7
    assert len(model.doubtful(5)) == 5
    assert model.constraint_report_["cannot_link"].violated >= 4


def test_triplets_teach_it_too(moons, global_random_seed):
    X, y = moons
    constraints = Constraints.from_labels(y, n_triplets=40, random_state=global_random_seed)
    model = ConstraintPropagation(2, random_state=global_random_seed)
    assert adjusted_rand_score(y, model.fit(X, constraints=constraints).labels_) > 0.9
    assert set(model.doubt_) == {"triplets"}


def test_labels_teach_view_and_mixture(moons, global_random_seed):
    X, y = moons
    rng = np.random.default_rng(global_random_seed)
    labels = np.where(rng.random(len(y)) < 0.15, y, -1)
    model = ConstraintPropagation(2, random_state=0).fit(X, labels)
    assert adjusted_rand_score(y, model.labels_) > 0.6
    assert "labels" in model.doubt_


def test_results_fit_together(moons):
    X, y = moons
    constraints = Constraints.from_labels(y, n_pairs=30, random_state=0)
    model = ConstraintPropagation(2, random_state=0).fit(X, constraints=constraints)
    assert model.embedding_.shape == (300, 2)
    np.testing.assert_allclose(model.transform(X), model.embedding_, rtol=1e-9)
    np.testing.assert_allclose(model.probabilities_.sum(axis=1), 1)
    np.testing.assert_array_equal(model.probabilities_.argmax(axis=1), model.labels_)
    assert np.mean(model.predict(X + 1e-6) == model.labels_) > 0.98
    assert model.predict_proba(X[:5]).shape == (5, 2)
    assert np.isfinite(model.score(X))
    assert model.get_feature_names_out().tolist() == [
        "constraintpropagation0",
        "constraintpropagation1",
    ]


def test_certain_constraints_are_kept(moons):
    X, y = moons
    constraints = Constraints.from_labels(y, n_pairs=60, random_state=0)
    model = ConstraintPropagation(2, trust=1.0, random_state=0).fit(X, constraints=constraints)
    assert model.constraint_report_.all_satisfied


def test_order_of_samples_and_copies_do_not_matter(moons, global_random_seed):
    X, y = moons
    constraints = Constraints.from_labels(y, n_pairs=30, random_state=global_random_seed)
    model = ConstraintPropagation(2, random_state=0).fit(X, constraints=constraints)
    order = np.random.default_rng(global_random_seed).permutation(len(X))
    again = clone(model).fit(X[order], constraints=constraints[order])
    assert adjusted_rand_score(model.labels_[order], again.labels_) > 0.95
    copied = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copied.predict(X), model.predict(X))


@pytest.mark.filterwarnings("ignore:fewer clusters than n_clusters")
@pytest.mark.parametrize(
    "X",
    [np.ones((6, 2)), np.repeat([[0.0], [1.0]], 8, axis=0), np.eye(5), np.arange(4.0)[:, None]],
    ids=["equal rows", "two rows", "more columns than informative", "few rows"],
)
def test_odd_tables(X):
    constraints = Constraints(len(X), must_link=[(0, 1)], cannot_link=[(0, 3)])
    model = ConstraintPropagation(3, random_state=0).fit(X, constraints=constraints)
    assert np.isfinite(model.probabilities_).all()


def test_a_view_may_be_any_transformer_and_rules_reach_it(iris):
    X, y = iris
    constraints = Constraints.from_labels(y, n_pairs=30, random_state=0)
    plain = ViewedMixture(PCA(2), 3, random_state=0).fit(X, constraints=constraints)
    assert plain.embedding_.shape == (150, 2)
    ruled = constraints | Constraints(150, rules=[Rule("x3 < -1", exactly=True)])
    for view in (DiscriminantMetric(), PropagatedEmbedding(3), PCA(2)):
        model = ViewedMixture(view, 3, random_state=0).fit(X, constraints=ruled)
        assert adjusted_rand_score(y, model.labels_) > 0.6
        assert model.constraint_report_["exactly"].total == 1
        assert not hasattr(view, "n_features_in_")


def test_routed_constraints_arrive(iris):
    X, y = iris
    constraints = Constraints.from_labels(y, n_pairs=60, random_state=0)
    with config_context(enable_metadata_routing=True):
        model = make_pipeline(StandardScaler(), ConstraintPropagation(3, random_state=0))
        model.fit(X, constraints=constraints)
        assert np.isfinite(model.score(X, constraints=constraints))
    assert adjusted_rand_score(y, model[-1].labels_) > 0.7


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_clusters": 0}, "n_clusters must be a whole number from 1 up"),
        ({"n_neighbors": 0}, "n_neighbors must be a whole number from 1 up"),
        ({"reach": 2}, "reach must be a number from 0 to 0.999"),
        ({"trust": 0.5}, "trust must be 'learn' or a number above 0.5"),
        ({"n_init": 0}, "n_init must be a whole number from 1 up"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(InvalidParameterError, match=message):
        ConstraintPropagation(**{"n_clusters": 2, **parameters}).fit([[0.0], [1.0], [2.0]])


def test_bad_constraints_and_too_many_clusters():
    X = [[0.0], [1.0], [2.0]]
    with pytest.raises(UnsupportedConstraintsError, match="takes must_link, cannot_link, triplets"):
        ConstraintPropagation(2).fit(X, constraints=Constraints(3, rules=[Rule("x0 > 1")]))
    with pytest.raises(ClustraintError, match="n_samples=3 should be >= n_clusters=4"):
        ConstraintPropagation(4).fit(X)


@parametrize_with_checks(
    [ConstraintPropagation(3, n_init=2), ViewedMixture(DiscriminantMetric(), 3, n_init=2)]
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)
