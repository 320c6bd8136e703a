import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import load_wine, make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from clustraint import Constraints, Hierarchy
from clustraint.exceptions import UnlearnableMetricWarning
from clustraint.metric import RelativeMetric
from clustraint.metric._interior_point import solve
from tests.reference import relative_metric as reference


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True)


def drawn(y, n_triplets, seed=0):
    return Constraints.from_labels(y, n_triplets=n_triplets, random_state=seed)


def test_tiny_case():
    # Only the first feature parts 2 from 0 and 1; the second would bring 2 nearer to 0.
    X = np.array([[0.0, 0.0], [0.0, 9.0], [2.0, 0.0]])
    metric = RelativeMetric().fit(X, constraints=Constraints(3, triplets=[(0, 1, 2)]))
    # The margin of 1 is reached at a distance of 2² w = 1.
    np.testing.assert_allclose(metric.feature_weights_, [0.25, 0], atol=1e-6)
    assert metric.feature_weights_[1] == 0


def test_squared_distances_of_the_transformed_are_the_learned_ones(wine):
    X, y = wine
    metric = RelativeMetric().fit(X, constraints=drawn(y, 100))
    moved = metric.transform(X)
    expected = ((X[:10] - X[-10:]) ** 2) @ metric.feature_weights_
    np.testing.assert_allclose(((moved[:10] - moved[-10:]) ** 2).sum(axis=1), expected)


@pytest.mark.parametrize("seed", [9, 35])
def test_collinear_columns_end_no_search(seed):
    # Rounding makes the equations of a step indefinite for these two draws.
    rng = np.random.default_rng(seed)
    column = rng.integers(1, 50, 400).astype(float)
    others = rng.integers(0, 75, 400), column, 250 * column, rng.integers(2, 99, 400)
    y = (rng.random(400) < 0.24).astype(int)
    known = Constraints.from_hierarchy(Hierarchy.from_labels(y))
    metric = RelativeMetric().fit(np.column_stack(others).astype(float), constraints=known)
    assert (metric.feature_weights_ >= 0).all()
    assert metric.feature_weights_.max() > 0


@st.composite
def programs(draw):
    """Rows on a grid or of any scale, with costs from tiny to large."""
    n_rows, n_columns = draw(st.integers(1, 8)), draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    rows = rng.integers(-3, 4, (n_rows, n_columns)).astype(float)
    if draw(st.booleans()):
        rows = rng.normal(size=(n_rows, n_columns)) * 10.0 ** rng.integers(-1, 2, n_columns)
    return rows, 10.0 ** rng.integers(-2, 3) * rng.integers(1, 4, n_rows)


@given(programs())
def test_nobody_finds_a_cheaper_solution(program):
    rows, costs = program
    found = solve(rows, costs, 1e-8, 100)
    least = reference.cost(reference.solve(rows, costs).clip(0), rows, costs)
    cost = reference.cost(found.weights, rows, costs)
    assert (found.weights >= 0).all()
    assert 0 <= found.gap <= 1e-8
    assert cost <= least + 1e-7 * max(1, least)
    assert least <= cost + 1e-3 * max(1, cost)  # SLSQP is no better than that on some


@given(programs(), st.integers(-12, 12))
def test_the_gap_closes_whatever_the_scale(program, power):
    rows, costs = program
    rows = rows * 10.0 ** np.linspace(-power, power, rows.shape[1])
    found = solve(rows, costs, 1e-8, 100)
    assert (found.weights >= 0).all()
    assert found.gap <= 1e-8


@pytest.mark.slow
def test_the_gap_closes_on_many_programs(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    for _ in range(10_000):
        n_rows, n_columns = rng.integers(1, 30), rng.integers(1, 8)
        rows = rng.integers(-3, 4, (n_rows, n_columns)) * 10.0 ** rng.integers(-8, 8, n_columns)
        costs = 10.0 ** rng.integers(-6, 7) * rng.integers(1, 4, n_rows)
        assert solve(rows, costs, 1e-8, 100).gap <= 1e-8


@pytest.mark.parametrize("C", [1e-6, 1e-3, 1.0, 1e3, 1e6])
def test_raw_wine_is_solved(wine, C):
    X, y = wine
    known = drawn(y, 500)
    metric = RelativeMetric(C).fit(X, constraints=known)
    weights = metric.feature_weights_
    rows = reference.rows_of(X, known.triplets)
    costs = np.full(len(rows), C)
    assert (weights >= 0).all()
    assert metric.dual_gap_ <= 1e-8
    assert metric.n_iter_ < 60
    cost = reference.cost(weights, rows, costs)
    # No feature's weight can be changed for the better.
    for feature in range(X.shape[1]):
        for factor in (0, 0.9, 1.1):
            other = weights.copy()
            other[feature] *= factor
            assert reference.cost(other, rows, costs) >= cost - 1e-7 * max(1, cost)


def test_it_learns_what_the_classes_say(wine):
    X, y = wine
    given, held_out = drawn(y, 2_000).split(0.5, random_state=0)
    metric = RelativeMetric().fit(X, constraints=given)
    raw = RelativeMetric().fit(X)
    assert metric.score(X, constraints=given) > 0.85
    assert metric.score(X, constraints=held_out) > raw.score(X, constraints=held_out) + 0.1


def test_a_weight_is_a_repetition(wine):
    X, y = wine
    known = drawn(y, 60)
    often = np.arange(60) % 3 + 1
    repeated = Constraints(len(X), triplets=np.repeat(known.triplets, often, axis=0))
    weighted = Constraints(len(X), triplets=known.triplets, triplets_weights=often)
    first, second = (
        RelativeMetric(0.01).fit(X, constraints=given) for given in (repeated, weighted)
    )
    np.testing.assert_allclose(first.feature_weights_, second.feature_weights_, atol=1e-4)
    assert first.score(X, constraints=repeated) == pytest.approx(
        second.score(X, constraints=weighted)
    )


@given(st.integers(0, 1000))
def test_order_is_of_no_account(seed):
    rng = np.random.default_rng(seed)
    X, y = make_blobs(30, n_features=3, centers=3, cluster_std=5, random_state=seed)
    known = drawn(y, 25, seed)
    order, columns = rng.permutation(30), rng.permutation(3)
    first = RelativeMetric().fit(X, constraints=known)
    second = RelativeMetric().fit(X[order][:, columns], constraints=known[order])
    np.testing.assert_allclose(first.feature_weights_[columns], second.feature_weights_, atol=1e-3)


def test_score_is_the_share_of_triplets_that_hold():
    X = [[0.0], [1.0], [3.0], [7.0]]
    known = Constraints(
        4, triplets=[(0, 1, 2), (0, 2, 3), (0, 3, 1)], triplets_weights=[1.0, 1.0, 6.0]
    )
    metric = RelativeMetric().fit(X)
    assert metric.score(X, constraints=known) == 2 / 8
    # As near is not nearer, and near to one of two is not enough.
    even = Constraints(3, triplets=[(0, 1, 2)])
    assert metric.score([[0.0], [1.0], [2.0]], constraints=even) == 0
    assert np.isnan(metric.score(X))


def test_without_triplets_all_features_count_alike(wine):
    X, _ = wine
    metric = RelativeMetric().fit(X)
    np.testing.assert_array_equal(metric.transform(X), X)
    assert (metric.dual_gap_, metric.n_iter_) == (0, 1)


def test_where_no_weights_are_best_all_features_count_alike():
    # The triplet is the wrong way round in both features.
    X = np.array([[0.0, 5.0], [9.0, 0.0], [1.0, 4.0]])
    with pytest.warns(UnlearnableMetricWarning, match="all are set to 1"):
        metric = RelativeMetric().fit(X, constraints=Constraints(3, triplets=[(0, 1, 2)]))
    assert metric.feature_weights_.tolist() == [1, 1]


@given(programs())
def test_no_weights_are_found_exactly_where_they_are_best(program):
    rows, costs = program
    found = solve(rows, costs, 1e-8, 100)
    slopes = -rows.T @ costs
    assume(np.abs(slopes).min() > 1e-6)
    assert found.weights.any() == (slopes < 0).any()


def test_too_few_steps_are_told(wine):
    X, y = wine
    with pytest.warns(ConvergenceWarning, match=r"duality gap is .* above tol=1e-08"):
        RelativeMetric(max_iter=2).fit(X, constraints=drawn(y, 100))


def test_frames_keep_their_names_and_floats_their_size(wine):
    X, y = wine
    frame = pd.DataFrame(X, columns=[f"f{i}" for i in range(X.shape[1])])
    metric = RelativeMetric().fit(frame, constraints=drawn(y, 50))
    assert metric.get_feature_names_out().tolist() == frame.columns.tolist()
    assert metric.set_output(transform="pandas").transform(frame).columns.equals(frame.columns)
    small = X.astype(np.float32)
    assert RelativeMetric().fit(small, constraints=drawn(y, 50)).transform(small).dtype == "float32"


def test_fit_transform_takes_constraints(wine):
    X, y = wine
    known = drawn(y, 50)
    fitted = pickle.loads(pickle.dumps(RelativeMetric().fit(X, constraints=known)))
    once = clone(fitted).fit_transform(X, constraints=known)
    np.testing.assert_array_equal(once, fitted.transform(X))


def test_routed_constraints_reach_fit_and_score(wine):
    X, y = wine
    known = drawn(y, 3_000)
    model = make_pipeline(StandardScaler(), RelativeMetric())
    with config_context(enable_metadata_routing=True):
        search = GridSearchCV(
            model,
            {"relativemetric__C": [1e-9, 0.1]},
            cv=KFold(3, shuffle=True, random_state=0),
            error_score="raise",
        )
        search.fit(X, constraints=known)
        assert search.score(X, constraints=known) > 0.85
    assert 0.5 < search.best_score_ < 1


@parametrize_with_checks([RelativeMetric()])
def test_scikit_learns_checks(estimator, check):
    check(estimator)
