"""Input that IHAC and BiHAC refuse, and odd input that they must get through."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from clustraint import IHAC, BiHAC, Constraints, Rule
from clustraint.exceptions import (
    ClustraintError,
    InvalidDistanceError,
    InvalidParameterError,
    NoAllowedMergeError,
    NotEnoughMemoryError,
    UnsupportedConstraintsError,
)

X = np.array([[0.0, 1.0], [1.0, 0.0], [5.0, 5.0], [6.0, 5.0]])
KNOWN = Constraints(4, triplets=[(0, 1, 2), (0, 1, 3)])

BOTH = [IHAC, BiHAC]
METRICS = ["cosine", "euclidean"]

each = pytest.mark.parametrize("kind", BOTH)
forms = pytest.mark.parametrize("form", [np.asarray, csr_array])
metrics = pytest.mark.parametrize("metric", METRICS)


def models(metric, **parameters):
    """Every way to cluster under triplets that never raises for a dead end."""
    return [
        IHAC(metric=metric, **parameters),
        IHAC(metric=metric, dead_end="stop", **parameters),
        BiHAC(metric=metric, **parameters),
        BiHAC(metric=metric, enforce=True, updates="sequential", **parameters),
    ]


@each
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_clusters": 0}, "n_clusters must be a whole number from 1 up, but is 0"),
        ({"n_clusters": 2.0}, "n_clusters must be a whole number"),
        ({"n_clusters": True}, "n_clusters must be a whole number"),
        ({"metric": "manhattan"}, "metric must be 'cosine' or 'euclidean', but is 'manhattan'"),
        ({"dead_end": "fail"}, "dead_end must be 'merge', 'stop' or 'raise'"),
        ({"max_memory": -1}, "max_memory must be a number from 0 up"),
    ],
)
def test_bad_parameters_of_both(kind, parameters, message):
    with pytest.raises(InvalidParameterError, match=message):
        kind(**parameters).fit(X)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"learning_rate": -1}, "learning_rate must be a number from 0 up"),
        ({"learning_rate": np.nan}, "learning_rate must be a number from 0 up"),
        ({"max_iter": 0}, "max_iter must be a whole number from 1 up"),
        ({"patience": 0}, "patience must be a whole number from 1 up"),
        ({"updates": "both"}, "updates must be 'joint' or 'sequential'"),
        ({"enforce": "yes"}, "enforce must be True or False, but is 'yes'"),
        ({"validation_fraction": 1}, "validation_fraction must be a share from 0 to below 1"),
        ({"validation_fraction": -0.1}, "validation_fraction must be a share"),
        ({"validation_fraction": None}, "validation_fraction must be a share"),
    ],
)
def test_bad_parameters_of_bihac(parameters, message):
    with pytest.raises(InvalidParameterError, match=message):
        BiHAC(**parameters).fit(X)


def test_bad_linkage():
    with pytest.raises(InvalidParameterError, match="linkage must be 'average', 'complete' or"):
        IHAC(linkage="centroid").fit(X)


@pytest.mark.parametrize(("share", "what"), [(0.1, "choose by"), (0.9, "learn from")])
def test_too_few_triplets_to_hold_some_out(share, what):
    with pytest.raises(ClustraintError, match=f"of 2 triplets leaves none to {what}"):
        BiHAC(validation_fraction=share).fit(X, constraints=KNOWN)
    assert BiHAC(validation_fraction=share).fit(X).n_iter_ == 1


@each
def test_more_clusters_than_samples(kind):
    with pytest.raises(ClustraintError, match="n_samples=4 should be >= n_clusters=5"):
        kind(5).fit(X)


@each
@forms
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_values_that_are_no_numbers(kind, form, value):
    bad = X.copy()
    bad[1, 1] = value
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        kind().fit(form(bad))


@each
def test_constraints_about_other_samples_or_of_another_type(kind):
    with pytest.raises(ClustraintError, match="about 3 samples, but X has 4"):
        kind().fit(X, constraints=Constraints(3, triplets=[(0, 1, 2)]))
    with pytest.raises(ClustraintError, match="about 5 samples, but X has 4"):
        kind().fit(X, constraints=Constraints(5, triplets=[(0, 1, 4)]))
    with pytest.raises(ClustraintError, match="constraints cannot be read"):
        kind().fit(X, constraints=[(0, 1, 2)])


@each
@pytest.mark.parametrize(
    ("constraints", "message"),
    [
        (Constraints(4, must_link=[(0, 1)]), "takes triplets, but the constraints hold must_link"),
        (Constraints(4, rules=[Rule("x0")]), r"together; AttributeKMedoids or .* would take them"),
    ],
)
def test_kinds_that_they_do_not_take(kind, constraints, message):
    with pytest.raises(UnsupportedConstraintsError, match=message):
        kind().fit(X, constraints=constraints)


@each
@forms
def test_memory_is_refused_before_it_is_taken(kind, form):
    with pytest.raises(NotEnoughMemoryError, match=r"4 samples.*max_memory allows.*float32"):
        kind(max_memory=10).fit(form(X))
    with pytest.raises(NotEnoughMemoryError, match="take fewer samples"):
        kind(max_memory=10).fit(form(X.astype(np.float32)))
    # Six distances of 8 bytes, and as many counts of 4.
    with pytest.raises(NotEnoughMemoryError):
        kind(max_memory=48 + 23).fit(form(X), constraints=KNOWN)
    kind(max_memory=48 + 24).fit(form(X), constraints=KNOWN)


@each
@forms
def test_distances_beyond_the_range_of_floats(kind, form):
    far = X * 1e300
    with pytest.raises(InvalidDistanceError, match="samples 0 and 1 is inf"):
        kind(metric="euclidean").fit(form(far))
    # Directions are the same at any length.
    near = kind(2).fit(X, constraints=KNOWN)
    for scale in (1e300, 1e-300):
        same = kind(2).fit(form(X * scale), constraints=KNOWN)
        assert same.labels_.tolist() == near.labels_.tolist()


@metrics
@forms
@pytest.mark.parametrize("n_samples", [1, 2, 3])
def test_few_samples(metric, form, n_samples):
    data = form(X[:n_samples])
    known = Constraints(n_samples, triplets=[(0, 2, 1)][: n_samples - 2])
    for model in models(metric):
        for n_clusters in (None, *range(1, n_samples + 1)):
            model.set_params(n_clusters=n_clusters).fit(data, constraints=known)
            assert len(np.unique(model.labels_)) == model.n_clusters_ >= (n_clusters or 1)
            assert model.linkage_.shape == (n_samples - 1, 4)
            assert model.hierarchy_.n_samples == n_samples


@metrics
@forms
def test_zero_vectors(metric, form):
    rows = np.vstack((X, np.zeros((2, 2))))
    known = Constraints(6, triplets=[(0, 4, 1), (4, 5, 2), (2, 3, 4)])
    for model in models(metric):
        model.fit(form(rows), constraints=known)
        assert np.isfinite(model.merge_distances_).all()
        assert (model.merge_distances_ >= 0).all()
        if metric == "cosine":
            assert np.isfinite(getattr(model, "feature_weights_", np.ones(1))).all()
    for model in models(metric):
        model.fit(form(np.zeros((6, 2))), constraints=known)
        expected = 1 if metric == "cosine" else 0
        assert (model.merge_distances_ == expected).all()


@metrics
@forms
def test_one_feature(metric, form):
    known = Constraints(4, triplets=[(0, 1, 3), (2, 3, 0)])
    for model in models(metric):
        model.fit(form(np.array([[1.0], [4.0], [2.0], [8.0]])), constraints=known)
        assert getattr(model, "feature_weights_", np.ones(1)) == pytest.approx([1])


@metrics
@given(
    rows=st.lists(st.tuples(*[st.integers(0, 2)] * 2), min_size=3, max_size=9),
    data=st.data(),
)
def test_equal_samples_and_ties_everywhere(metric, rows, data):
    n_samples = len(rows)
    members = st.permutations(range(n_samples)).map(lambda order: tuple(order[:3]))
    known = Constraints(n_samples, triplets=data.draw(st.lists(members, max_size=10)))
    for model in models(metric, n_clusters=min(2, n_samples)):
        dense = model.fit(np.array(rows, float), constraints=known)
        weights = getattr(dense, "feature_weights_", np.ones(2))
        assert weights.sum() == pytest.approx(2)
        assert dense.hierarchy_.n_samples == n_samples
        shown = dense.hierarchy_.displays(known.triplets)
        report = dense.constraint_report_
        assert (report["triplets"].satisfied if len(shown) else 0) == shown.sum()


@metrics
@given(
    rows=st.lists(st.tuples(*[st.integers(0, 2)] * 3), min_size=3, max_size=9),
    columns=st.permutations(range(3)),
    data=st.data(),
)
def test_rounding_does_not_decide_between_ties(metric, rows, columns, data):
    n_samples = len(rows)
    members = st.permutations(range(n_samples)).map(lambda order: tuple(order[:3]))
    known = Constraints(n_samples, triplets=data.draw(st.lists(members, max_size=10)))
    table = np.array(rows, float)
    for dead_end in ("merge", "stop"):
        model = IHAC(metric=metric, dead_end=dead_end)
        first, *others = (
            model.fit(form, constraints=known).hierarchy_
            for form in (table, csr_array(table), table[:, columns], csr_array(table[:, columns]))
        )
        assert all(other == first for other in others)


@forms
def test_duplicates_that_may_not_merge_first(form):
    same = form(np.array([[1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [0.0, 1.0]]))
    model = IHAC(2, metric="euclidean", dead_end="raise")
    model.fit(same, constraints=Constraints(4, triplets=[(0, 3, 1), (0, 3, 2)]))
    assert model.constraint_report_.all_satisfied
    assert model.labels_.tolist() == [0, 1, 1, 0]


@each
def test_k_is_1_or_n(kind):
    assert kind(1).fit(X, constraints=KNOWN).labels_.tolist() == [0, 0, 0, 0]
    assert kind(4).fit(X, constraints=KNOWN).labels_.tolist() == [0, 1, 2, 3]


@each
@forms
def test_float32(kind, form):
    model = kind(2).fit(form(X.astype(np.float32)), constraints=KNOWN)
    other = kind(2).fit(form(X), constraints=KNOWN)
    assert model.labels_.tolist() == other.labels_.tolist()
    np.testing.assert_allclose(model.merge_distances_, other.merge_distances_, rtol=1e-5)


def test_a_dead_end_names_the_samples():
    names = ["dog", "wolf", "trout"]
    known = Constraints(3, triplets=[(0, 1, 2), (0, 2, 1), (1, 2, 0)], names=names)
    with pytest.raises(NoAllowedMergeError, match=r"3 clusters are left .* \| ") as caught:
        IHAC(dead_end="raise").fit(X[:3], constraints=known)
    assert any(name in str(caught.value) for name in names)
    with pytest.raises(NoAllowedMergeError):
        BiHAC(enforce=True, dead_end="raise").fit(X[:3], constraints=known)
    assert BiHAC(dead_end="raise").fit(X[:3], constraints=known).n_iter_ >= 1


def test_contradictory_triplets_are_told():
    known = Constraints(4, triplets=[(0, 1, 2), (0, 2, 1)])
    for model in models("cosine"):
        report = model.fit(X, constraints=known).constraint_report_
        assert report["triplets"].violated >= 1
        assert not known.is_consistent()
