import numpy as np
import pytest

from clustraint import Constraints, Rule
from clustraint.exceptions import (
    ClustraintError,
    HugeDifferenceError,
    InvalidParameterError,
    UnlearnableMetricWarning,
    UnsupportedConstraintsError,
)
from clustraint.metric import RelativeMetric

X = np.array([[0.0, 1.0], [1.0, 0.0], [5.0, 5.0], [6.0, 5.0]])
KNOWN = Constraints(4, triplets=[(0, 1, 2)])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"C": 0}, "C must be a number above 0, but is 0"),
        ({"C": -1}, "C must be a number from 0 up, but is -1"),
        ({"C": "1"}, "C must be a number"),
        ({"C": float("inf")}, "C must be a number"),
        ({"tol": -1e-8}, "tol must be a number from 0 up"),
        ({"max_iter": 0}, "max_iter must be a whole number from 1 up"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(InvalidParameterError, match=message):
        RelativeMetric(**parameters).fit(X, constraints=KNOWN)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_values_that_are_no_numbers(value):
    bad = X.copy()
    bad[1, 1] = value
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        RelativeMetric().fit(bad, constraints=KNOWN)


def test_differences_beyond_all_numbers():
    bad = X.copy()
    bad[2, 1] = 1e200
    with pytest.raises(HugeDifferenceError, match=r"column 1 .* scale that column"):
        RelativeMetric().fit(bad, constraints=KNOWN)


@pytest.mark.parametrize("method", ["fit", "score"])
def test_constraints_about_other_samples(method):
    call = getattr(RelativeMetric().fit(X), method)
    with pytest.raises(ClustraintError, match="about 3 samples, but X has 4"):
        call(X, constraints=Constraints(3))
    with pytest.raises(ClustraintError, match="constraints cannot be read"):
        call(X, constraints=[(0, 1, 2)])


@pytest.mark.parametrize(
    ("constraints", "kind"),
    [
        (Constraints(4, must_link=[(0, 1)]), "must_link"),
        (Constraints(4, rules=[Rule("x0")]), "together"),
    ],
)
def test_kinds_that_it_does_not_take(constraints, kind):
    with pytest.raises(UnsupportedConstraintsError, match=rf"takes triplets, but .* {kind};"):
        RelativeMetric().fit(X, constraints=constraints)


def test_equal_samples_teach_nothing():
    with pytest.warns(UnlearnableMetricWarning):
        metric = RelativeMetric().fit(np.ones((4, 2)), constraints=KNOWN)
    assert metric.feature_weights_.tolist() == [1, 1]


@pytest.mark.parametrize("n_samples", [1, 2, 3])
def test_few_samples(n_samples):
    few = X[:n_samples]
    assert (
        RelativeMetric().fit_transform(few, constraints=Constraints(n_samples)).shape == few.shape
    )
