import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from clustraint import (
    IHAC,
    ActiveCompleteLinkage,
    AttributeKMedoids,
    BestClusterer,
    BiHAC,
    Coarse,
    ConstrainedCompleteLinkage,
    ConstrainedMixture,
    Constraints,
    COPKMeans,
    ReCon,
    Rule,
)
from clustraint.exceptions import ClustraintError, UnsupportedConstraintsError
from tests.strategies_constraints import labelled_pairs

INNER = [
    ConstrainedCompleteLinkage(3),
    ReCon(3),
    IHAC(3, metric="euclidean"),
    IHAC(3),
    BiHAC(3, max_iter=2),
    ConstrainedMixture(3, random_state=0, n_init=2),
    BestClusterer(3, random_state=0, candidates=["round", "tied"]),
    COPKMeans(3, random_state=0),
]


@pytest.fixture(scope="module")
def blobs():
    centers = [[0, 0, 9], [9, 0, 0], [0, 9, 0]]
    return make_blobs(600, centers=centers, cluster_std=0.8, random_state=0)


def constraints_for(model, y):
    kinds = model.constraint_kinds
    return Constraints.from_labels(
        y,
        n_pairs=12 if "must_link" in kinds else 0,
        n_triplets=12 if "triplets" in kinds else 0,
        random_state=0,
    )


def test_representatives_are_clustered_and_the_others_follow():
    X = np.array([[0.0], [1.0], [2.0], [50.0], [51.0], [52.0], [98.0], [99.0], [100.0]])
    model = Coarse(ConstrainedCompleteLinkage(2), 3, random_state=0)
    model.fit(X, constraints=Constraints(9, must_link=[(5, 8)]))
    assert model.representatives_.tolist()[:2] == [1, 3]
    assert set(model.representatives_) >= {5, 8}
    assert model.labels_.tolist() == [0, 0, 0, 1, 1, 1, 1, 1, 1]


@pytest.mark.parametrize("inner", INNER, ids=lambda inner: type(inner).__name__)
def test_every_method_takes_representatives(inner, blobs):
    X, y = blobs
    constraints = constraints_for(inner, y)
    model = Coarse(inner, 40, random_state=0).fit(X, constraints=constraints)
    assert adjusted_rand_score(y, model.labels_) == 1
    assert model.constraint_report_.all_satisfied
    assert model.constraint_report_.constraints is constraints
    assert len(model.representatives_) <= 40 + len(constraints.mentioned)
    assert (model.labels_ == model.estimator_.labels_[model.home_]).all()


@pytest.mark.parametrize("inner", INNER, ids=lambda inner: type(inner).__name__)
def test_with_room_for_all_it_is_the_method_itself(inner, blobs):
    X, y = blobs[0][:80], blobs[1][:80]
    constraints = constraints_for(inner, y)
    alone = inner.fit(X, constraints=constraints)
    model = Coarse(inner, 80).fit(X, constraints=constraints)
    assert (model.labels_ == alone.labels_).all()
    assert model.constraint_report_.keys() == alone.constraint_report_.keys()
    assert (model.representatives_ == np.arange(80)).all()


@settings(max_examples=25)
@given(labelled_pairs(8, 30, max_size=12), st.integers(1, 12), st.integers(0, 50))
def test_pairs_are_kept_wherever_the_method_keeps_them(constraints, count, seed):
    X = np.random.default_rng(seed).normal(size=(len(constraints), 2))
    model = Coarse(COPKMeans(4, random_state=seed), count, random_state=seed)
    if constraints.components.n_components < 4 or len(constraints.mentioned) + count < 4:
        return
    try:
        model.fit(X, constraints=constraints)
    except ClustraintError:  # fewer representatives, or must-link groups of them, than clusters
        return
    assert model.constraint_report_.all_satisfied
    labels = model.labels_
    assert (labels[constraints.must_link[:, 0]] == labels[constraints.must_link[:, 1]]).all()
    assert (labels[constraints.cannot_link[:, 0]] != labels[constraints.cannot_link[:, 1]]).all()


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.integers(1, 30), st.booleans())
def test_rules_hold_for_samples_that_nobody_asked_about(seed, count, exactly):
    X = np.random.default_rng(seed).integers(0, 2, (120, 5))
    X[0, :2] = 1
    rules = [Rule("x0 & x1", exactly=exactly)]
    constraints = Constraints(120, rules=rules)
    model = Coarse(AttributeKMedoids(3, random_state=0, n_init=1), count + 8, random_state=seed)
    model.fit(X, constraints=constraints)
    scope = rules[0].scope(X)
    assert len(set(model.labels_[scope])) == 1
    assert model.constraint_report_.all_satisfied
    if exactly:
        assert not set(model.labels_[scope]) & set(model.labels_[~scope])


def test_texts_are_represented_too(blobs):
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=300)
    table = {
        "color": np.array(["red", "blue"])[y],
        "form": np.array(["round", "flat"])[y ^ (rng.random(300) < 0.02)],
    }
    polars = pytest.importorskip("polars")
    model = Coarse(AttributeKMedoids(2, random_state=0), 20, random_state=0)
    assert adjusted_rand_score(y, model.fit(polars.DataFrame(table)).labels_) > 0.9


def test_labels_of_some_samples_reach_the_method(blobs):
    X, y = blobs
    partial = np.where(np.arange(len(y)) % 3, -1, y)
    model = Coarse(ConstrainedMixture(3, random_state=0), 30, random_state=0).fit(X, partial)
    known = partial >= 0
    assert (partial[known] == np.array(model.estimator_.classes_)[model.labels_[known]]).all()
    # Nobody whose label differs shares a representative.
    homes = [set(model.home_[partial == label]) for label in (-1, 0, 1, 2)]
    assert sum(map(len, homes)) == len(set.union(*homes))


def test_labels_are_constraints_where_the_method_takes_none(blobs):
    X, y = blobs
    partial = np.where(np.arange(len(y)) % 50, -1, y)
    constraints = Constraints(len(y), must_link=[(0, 1)])
    model = Coarse(ConstrainedCompleteLinkage(3), 30, random_state=0)
    labels = model.fit(X, partial, constraints=constraints).labels_
    assert adjusted_rand_score(y[::50], labels[::50]) == 1
    assert model.constraint_report_["must_link"].total == 1


def test_labels_that_are_all_known_are_for_scores_only(blobs):
    X, y = blobs
    model = Coarse(COPKMeans(3, random_state=0), 30, random_state=0)
    assert (model.fit(X).home_ == model.fit(X, y).home_).all()


def test_sparse_samples_by_their_directions():
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=400)
    X = csr_array(np.eye(3)[y] * rng.uniform(0.01, 100, (400, 1)) + rng.random((400, 3)) * 0.01)
    model = Coarse(IHAC(3), 25, random_state=0).fit(csr_array(X))
    # What little noise there is turns the shortest vectors.
    assert adjusted_rand_score(y, model.labels_) > 0.9


def test_weights_reach_methods_that_take_them():
    X = np.repeat([[0.0], [1.0], [5.0]], [90, 10, 100], axis=0)
    model = Coarse(COPKMeans(2, random_state=0), 3, random_state=0).fit(X)
    assert sorted(model.estimator_.cluster_centers_.ravel()) == pytest.approx([0.1, 5.0])
    assert model.predict([[0.4], [4.0]]).tolist() == model.labels_[[0, 199]].tolist()


def test_a_value_that_no_representative_has_is_checked(blobs):
    X = blobs[0].copy()
    X[77, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        Coarse(ConstrainedCompleteLinkage(3), 10).fit(X)


def test_what_cannot_be_inside():
    X = np.zeros((4, 4))
    with pytest.raises(ClustraintError, match="estimator must be a clusterer whose fit takes"):
        Coarse(KMeans(2)).fit(X)
    with pytest.raises(ClustraintError, match="estimator must be a clusterer whose fit takes"):
        Coarse(ActiveCompleteLinkage(2)).fit(X)
    with pytest.raises(ClustraintError, match="a matrix of all distances has no representatives"):
        Coarse(ConstrainedCompleteLinkage(2, metric="precomputed")).fit(X)
    with pytest.raises(ClustraintError, match="n_representatives must be a whole number from 1"):
        Coarse(ReCon(2), 0).fit(X)
    with pytest.raises(ClustraintError, match="y must be one label for each of 4 samples"):
        Coarse(ReCon(2)).fit(X, [0, 1, -1])


def test_other_kinds_are_refused_as_the_method_refuses_them():
    constraints = Constraints(4, triplets=[(0, 1, 2)])
    with pytest.raises(UnsupportedConstraintsError, match="Coarse takes must_link, cannot_link"):
        Coarse(COPKMeans(2)).fit(np.zeros((4, 1)), constraints=constraints)


@pytest.mark.slow
def test_a_million_rows_in_classes_of_three_blobs():
    rng = np.random.default_rng(1)
    centers = rng.normal(size=(12, 16)) * 3
    blob = rng.integers(12, size=1_000_000)
    X = (centers[blob] + rng.normal(size=(len(blob), 16))).astype(np.float32)
    y = blob % 4
    constraints = Constraints.from_labels(y, n_pairs=200, random_state=0)
    model = Coarse(ConstrainedCompleteLinkage(4), random_state=0).fit(X, constraints=constraints)
    assert adjusted_rand_score(y, model.labels_) > 0.95
    assert model.constraint_report_.all_satisfied


@parametrize_with_checks(
    [Coarse(ConstrainedCompleteLinkage(2)), Coarse(COPKMeans(2, random_state=0))]
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)
