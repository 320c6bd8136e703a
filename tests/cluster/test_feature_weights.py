import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clustraint.cluster._feature_weights import GRADIENTS, adapted, cosine_gradient
from tests.reference import bihac as reference

METRICS = ["cosine", "euclidean"]


@st.composite
def triples(draw, positive=True):
    """Three centroids and weights; some features are in none, some weights zero."""
    n_features = draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    x, y, z = rng.random((3, n_features)) * (rng.random((3, n_features)) < 0.8)
    weights = rng.random(n_features) + 0.1
    if not positive:
        weights *= rng.random(n_features) < 0.7
    total = weights.sum()
    return (x, y, z), weights * n_features / total if total else np.ones(n_features)


@pytest.mark.parametrize("metric", METRICS)
@given(problem=triples())
def test_gradient_is_what_numeric_differentiation_gives(metric, problem):
    triple, weights = problem
    found = GRADIENTS[metric](triple, weights)
    step = 1e-6
    for i in range(len(weights)):
        up, down = weights.copy(), weights.copy()
        up[i] += step
        down[i] -= step
        rise = reference.objective(*triple, up, metric) - reference.objective(*triple, down, metric)
        assert found[i] == pytest.approx(rise / (2 * step), abs=1e-6)


@given(triples(positive=False))
def test_gradient_is_equation_7(problem):
    triple, weights = problem
    expected = reference.gradient(*triple, weights)
    np.testing.assert_allclose(cosine_gradient(triple, weights), expected, atol=1e-12)


@given(triples(positive=False))
def test_the_cosine_ignores_the_length_of_the_weights(problem):
    triple, weights = problem
    assert weights @ cosine_gradient(triple, weights) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("updates", ["joint", "sequential"])
@given(problem=triples(positive=False), other=st.integers(0, 10_000), rate=st.floats(0, 1000))
def test_weights_keep_the_conditions(metric, updates, problem, other, rate):
    triple, weights = problem
    second = tuple(np.random.default_rng(other).random((3, len(weights))))
    for both in ([triple], [triple, second], []):
        result = adapted(weights, both, rate, metric, updates)
        assert (result >= 0).all()
        assert result.sum() == pytest.approx(len(weights))


@pytest.mark.parametrize("updates", ["joint", "sequential"])
@given(problem=triples(), other=st.integers(0, 10_000))
def test_updates_are_those_of_the_paper(updates, problem, other):
    triple, weights = problem
    both = [triple, tuple(np.random.default_rng(other).random((3, len(weights))))]
    expected = reference.adapt(weights, both, 5.0, updates)
    np.testing.assert_allclose(adapted(weights, both, 5.0, "cosine", updates), expected)


def test_joint_updates_do_not_depend_on_the_order():
    rng = np.random.default_rng(0)
    first, second = (tuple(rng.random((3, 4))) for _ in range(2))
    ways = [
        [adapted(np.ones(4), order, 5.0, "cosine", updates) for updates in ("joint", "sequential")]
        for order in ([first, second], [second, first])
    ]
    np.testing.assert_allclose(ways[0][0], ways[1][0])
    assert not np.allclose(ways[0][1], ways[1][1])


@given(triples())
def test_a_small_step_raises_the_objective(problem):
    triple, weights = problem
    stepped = adapted(weights, [triple], 1e-3, "cosine", "joint")
    before = reference.objective(*triple, weights)
    assert reference.objective(*triple, stepped) >= before - 1e-12


@pytest.mark.parametrize("metric", METRICS)
def test_zero_and_equal_centroids_are_no_trouble(metric):
    zero, one = np.zeros(3), np.array([1.0, 0.0, 2.0])
    for triple in ((zero, zero, zero), (one, one, one), (zero, one, one), (one, zero, one)):
        assert np.isfinite(GRADIENTS[metric](triple, np.ones(3))).all()


def test_a_step_that_would_leave_no_weight_is_not_made():
    x, y, z = np.zeros(2), np.ones(2), np.full(2, 1e-3)
    weights = adapted(np.ones(2), [(x, y, z)], 100.0, "euclidean", "joint")
    assert weights.tolist() == [1, 1]
