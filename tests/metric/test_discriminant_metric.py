import pickle

import numpy as np
import pytest
from scipy.linalg import eigh
from sklearn import config_context
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import load_wine, make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from clustraint import Constraints, Rule
from clustraint.exceptions import InvalidParameterError, UnsupportedConstraintsError
from clustraint.metric import DiscriminantMetric
from tests.metric.test_propagated_embedding import CONSTRAINTS, TABLES


def drawn(seed, n_samples=40, **counts):
    X, y = make_blobs(n_samples, 4, centers=3, cluster_std=3.0, random_state=seed)
    return X, Constraints.from_labels(y, random_state=seed, **counts)


def test_tiny_case():
    # The second column is twice as wide, and says nothing about the clusters.
    X = np.array([[0.0, 0.0], [0.0, 8.0], [4.0, 0.0], [4.0, 8.0]])
    constraints = Constraints(4, must_link=[(0, 1), (2, 3)], cannot_link=[(0, 2), (1, 3)])
    metric = DiscriminantMetric(shrinkage=0.01).fit(X, constraints=constraints)
    distances = np.linalg.norm(metric.transform(X) - metric.transform(X[:1]), axis=1)
    assert distances[1] < 0.1 < 1 < distances[2]


def test_the_formula(global_random_seed):
    X, constraints = drawn(global_random_seed, n_pairs=15)
    metric = DiscriminantMetric(shrinkage=7).fit(X, constraints=constraints)
    total = np.cov(X.T, bias=True)
    prior = (total + np.trace(total) / 4 * np.eye(4)) / 2

    def spread(pairs):
        differences = X[pairs[:, 0]] - X[pairs[:, 1]]
        return (differences.T @ differences / 2 + 7 * prior) / (len(pairs) + 7)

    within, between = spread(constraints.must_link), spread(constraints.cannot_link)
    values, vectors = eigh(between, within)
    np.testing.assert_allclose(metric.ratios_, values[::-1])
    learned = (vectors * values) @ vectors.T
    np.testing.assert_allclose(metric.components_.T @ metric.components_, learned, atol=1e-9)


def test_without_constraints_no_direction_is_preferred(global_random_seed):
    X, _ = drawn(global_random_seed)
    metric = DiscriminantMetric().fit(X)
    np.testing.assert_allclose(metric.ratios_, 1)
    np.testing.assert_allclose(metric.transform(X).mean(axis=0), 0, atol=1e-9)


def test_weights_count_as_repetitions(global_random_seed):
    X, constraints = drawn(global_random_seed, n_pairs=10)
    must, cannot = constraints.must_link, constraints.cannot_link
    heavy = Constraints(
        len(X), must, cannot, must_link_weights=np.full(len(must), 2.0),
        cannot_link_weights=np.full(len(cannot), 2.0),
    )  # fmt: skip
    double = Constraints(len(X), np.tile(must, (2, 1)), np.tile(cannot, (2, 1)))
    one, two = (DiscriminantMetric().fit(X, constraints=each) for each in (heavy, double))
    np.testing.assert_allclose(one.components_, two.components_)


def test_directions_of_crossed_columns_are_found(global_random_seed):
    # Clusters differ along x - y only, which no weights of columns can tell.
    rng = np.random.default_rng(global_random_seed)
    y = rng.integers(2, size=300)
    along, across = rng.normal(0, 5, 300), rng.normal(0, 0.3, 300) + 2 * y
    X = np.column_stack((along + across, along - across))
    for counts in ({"n_pairs": 60}, {"n_triplets": 40}):
        constraints = Constraints.from_labels(y, random_state=rng, **counts)
        metric = DiscriminantMetric(1, shrinkage=1)
        turned = metric.fit_transform(X, constraints=constraints)
        assert abs(np.corrcoef(turned[:, 0], across)[0, 1]) > 0.9


def test_order_does_not_matter(global_random_seed):
    X, constraints = drawn(global_random_seed, n_pairs=10, n_triplets=4)
    metric = DiscriminantMetric().fit(X, constraints=constraints)
    order = np.random.default_rng(global_random_seed).permutation(len(X))
    again = DiscriminantMetric().fit(X[order], constraints=constraints[order])
    np.testing.assert_allclose(again.transform(X), metric.transform(X), atol=1e-8)


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("kinds", CONSTRAINTS)
def test_odd_tables(table, kinds):
    X = TABLES[table]
    metric = DiscriminantMetric().fit(X, constraints=Constraints(len(X), **CONSTRAINTS[kinds]))
    assert np.isfinite(metric.transform(X)).all()
    assert (metric.ratios_ > 0).all()
    assert metric.transform(X).shape == (len(X), min(X.shape))


def test_very_many_columns():
    X = np.random.default_rng(0).normal(size=(30, 1_200))
    metric = DiscriminantMetric(5, n_axes=12).fit(
        X, constraints=Constraints(30, must_link=[(0, 1)])
    )
    assert metric.transform(X).shape == (30, 5)
    assert metric.components_.shape == (5, 1_200)


def test_pipelines_and_copies():
    X, y = load_wine(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    constraints = Constraints.from_labels(y, n_pairs=60, random_state=0)
    model = make_pipeline(DiscriminantMetric(3), KMeans(3, n_init=5, random_state=0))
    with config_context(enable_metadata_routing=True):
        model.fit(X, constraints=constraints)
    assert adjusted_rand_score(y, model[-1].labels_) > 0.85
    metric = pickle.loads(pickle.dumps(model[0]))
    again = clone(metric).fit_transform(X, constraints=constraints)
    np.testing.assert_array_equal(again, metric.transform(X))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_components": 0}, "n_components must be a whole number from 1 up"),
        ({"shrinkage": 0}, "shrinkage must be a number above 0"),
        ({"shrinkage": "much"}, "shrinkage must be a number from 0 up"),
        ({"n_axes": 0}, "n_axes must be a whole number from 1 up"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(InvalidParameterError, match=message):
        DiscriminantMetric(**parameters).fit([[0.0], [1.0], [2.0]])


def test_rules_are_refused():
    with pytest.raises(UnsupportedConstraintsError, match="takes must_link, cannot_link, triplets"):
        DiscriminantMetric().fit([[0.0], [1.0]], constraints=Constraints(2, rules=[Rule("x0")]))


@parametrize_with_checks([DiscriminantMetric()])
def test_scikit_learns_checks(estimator, check):
    check(estimator)
