import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import linkage as scipy_linkage
from scipy.sparse import csr_array, csr_matrix
from scipy.spatial.distance import pdist
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from clustraint import IHAC, BiHAC, Constraints, Hierarchy
from clustraint.evaluation import h_correlation
from tests.reference import bihac as reference
from tests.strategies_constraints import constraint_sets

METRICS = ["cosine", "euclidean"]
UPDATES = ["joint", "sequential"]

RATES = {"cosine": 5, "euclidean": 0.5}


@st.composite
def problems(draw):
    """Samples without ties, and triplets, contradictory ones included."""
    known = draw(constraint_sets(max_samples=8, max_size=12, kinds=("triplets",)))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    return rng.random((known.n_samples, 5)), known


def clades(hierarchy):
    inner = range(hierarchy.n_samples, hierarchy.n_nodes)
    return [frozenset(hierarchy.samples_below(node).tolist()) for node in inner]


@pytest.fixture(scope="module")
def texts():
    """Four topics below two; the most frequent words tell two styles apart, not topics."""
    rng = np.random.default_rng(0)
    topics, styles, words = np.repeat(np.arange(4), 25), rng.integers(0, 2, 100), np.arange(40)
    shares = np.full((100, 40), 0.1)
    shares[(words < 10) & (words % 2 == styles[:, np.newaxis])] = 0.9
    shares[(words >= 10) & (words < 34) & ((words - 10) // 6 == topics[:, np.newaxis])] = 0.6
    shares[(words >= 34) & ((words - 34) // 3 == topics[:, np.newaxis] // 2)] = 0.9
    X = (0.5 + rng.random((100, 40)) / 2) * (rng.random((100, 40)) < shares)
    paths = [f"{topic // 2}/{topic % 2}" for topic in topics]
    labelled = np.flatnonzero(np.arange(100) % 25 < 6)
    rows = Hierarchy.from_paths([paths[sample] for sample in labelled]).triplets()
    return X, Hierarchy.from_paths(paths), Constraints(100, triplets=labelled[rows])


def test_tiny_case():
    # Texts on two topics, the first two words, in two styles.
    X = np.array([[1, 0, 2, 0], [1, 0, 0, 2], [0, 1, 2, 0], [0, 1, 0, 2], [1, 0, 1, 1]])
    model = BiHAC(2).fit(X, constraints=Constraints(5, triplets=[(0, 1, 2), (2, 3, 0)]))
    assert model.labels_.tolist() == [0, 0, 1, 1, 0]
    assert model.history_["error"].tolist() == [1, 0]
    assert model.history_["n_adaptations"].tolist() == [1, 0]
    assert model.history_["weights_change"][0] > 0
    assert (model.n_iter_, model.best_iter_) == (2, 1)
    assert model.feature_weights_[:2].min() > model.feature_weights_[2:].max()


@pytest.mark.parametrize("updates", UPDATES)
@given(problem=problems(), max_iter=st.integers(1, 12), patience=st.integers(1, 4))
def test_it_is_figure_5(updates, problem, max_iter, patience):
    X, known = problem
    # Weights of their own, so that the error is the same whatever the triplets come from.
    weights = np.full(len(known.triplets), 0.5)
    weights[:1] = 0.5 + 1e-13
    known = Constraints(len(X), triplets=known.triplets, triplets_weights=weights)
    merges, best, history = reference.bihac(
        X, known.triplets.tolist(), 5.0, max_iter, patience, updates
    )
    model = BiHAC(updates=updates, max_iter=max_iter, patience=patience).fit(X, constraints=known)
    np.testing.assert_allclose(model.history_["error"], [error for error, _ in history], atol=1e-9)
    assert model.history_["n_adaptations"].tolist() == [count for _, count in history]
    assert clades(model.hierarchy_) == [c1 | c2 for c1, c2 in merges]
    np.testing.assert_allclose(model.feature_weights_, best, atol=1e-7)


@given(problems(), st.sampled_from(METRICS), st.sampled_from(UPDATES), st.booleans())
def test_weights_and_history_keep_their_promises(problem, metric, updates, enforce):
    X, known = problem
    model = BiHAC(metric=metric, updates=updates, enforce=enforce).fit(X, constraints=known)
    assert (model.feature_weights_ >= 0).all()
    assert model.feature_weights_.sum() == pytest.approx(X.shape[1])
    assert {len(column) for column in model.history_.values()} == {model.n_iter_}
    assert np.flatnonzero(model.history_["error"] <= model.history_["error"].min() + 1e-12)[
        0
    ] == pytest.approx(model.best_iter_)
    changed = model.history_["weights_change"] > 0
    assert changed[:-1].all()
    assert (model.history_["n_adaptations"][changed] > 0).all()
    stale = model.n_iter_ - 1 - model.best_iter_
    assert model.n_iter_ == 50 or stale == 10 or not changed[-1]


@pytest.mark.parametrize("metric", METRICS)
def test_it_learns_what_the_triplets_say(texts, metric):
    X, true, known = texts
    plain = IHAC(metric=metric).fit(X)
    model = BiHAC(metric=metric, learning_rate=RATES[metric]).fit(X, constraints=known)
    gain = h_correlation(true, model.hierarchy_) - h_correlation(true, plain.hierarchy_)
    assert gain > 0.3
    errors = model.history_["error"]
    assert errors.min() < errors[0]
    # The weights of words that tell only styles apart fall.
    assert model.feature_weights_[:10].mean() < 0.6


def test_the_error_is_one_minus_the_h_correlation_on_what_is_labelled(texts):
    X, _, known = texts
    model = BiHAC(max_iter=1).fit(X, constraints=known)
    labelled = np.unique(known.triplets)
    of_labelled = Hierarchy.from_triplets(known[labelled].triplets, len(labelled))
    sets = [set(labelled) & clade for clade in clades(model.hierarchy_)]
    places = {sample: place for place, sample in enumerate(labelled.tolist())}
    found = {frozenset(places[sample] for sample in clade) for clade in sets if len(clade) > 1}
    nodes = [*({place} for place in range(len(labelled))), *sorted(found, key=len)]
    parents = [next((i for i, up in enumerate(nodes) if node < up), -1) for node in nodes]
    expected = 1 - h_correlation(of_labelled, Hierarchy(parents))
    assert model.history_["error"] == pytest.approx([expected])


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("updates", UPDATES)
@pytest.mark.parametrize("enforce", [False, True])
def test_dense_and_sparse_agree(texts, metric, updates, enforce):
    X, _, known = texts
    parameters = {"metric": metric, "updates": updates, "enforce": enforce, "max_iter": 6}
    dense, sparse = (
        BiHAC(4, learning_rate=RATES[metric], **parameters).fit(form(X), constraints=known)
        for form in (np.asarray, csr_matrix)
    )
    assert sparse.hierarchy_ == dense.hierarchy_
    assert sparse.labels_.tolist() == dense.labels_.tolist()
    np.testing.assert_allclose(sparse.feature_weights_, dense.feature_weights_, atol=1e-9)
    np.testing.assert_allclose(sparse.history_["error"], dense.history_["error"])


@pytest.mark.parametrize("container", [np.asarray, csr_array])
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("enforce", [False, True])
def test_without_constraints_it_is_scipys_average_linkage(
    container, metric, enforce, global_random_seed
):
    X = np.random.default_rng(global_random_seed).random((70, 6))
    theirs = Hierarchy.from_linkage(scipy_linkage(pdist(X, metric), "average"))
    ours = BiHAC(5, metric=metric, enforce=enforce).fit(container(X))
    assert ours.hierarchy_ == theirs
    np.testing.assert_allclose(ours.merge_distances_, theirs.heights)
    assert ours.labels_.tolist() == theirs.cut(5).tolist()
    assert ours.feature_weights_.tolist() == [1] * 6
    assert ours.history_["error"].tolist() == [0]
    assert ours.n_iter_ == 1


def test_enforcing_is_one_more_run_of_ihac_with_the_weights(texts):
    X, _, known = texts
    model = BiHAC(enforce=True, max_iter=2).fit(X, constraints=known)
    without = BiHAC(max_iter=2).fit(X, constraints=known)
    weighted = X * np.sqrt(without.feature_weights_)
    expected = IHAC().fit(weighted, constraints=known)
    assert model.hierarchy_ == expected.hierarchy_
    assert model.feature_weights_.tolist() == without.feature_weights_.tolist()
    assert model.constraint_report_.all_satisfied
    assert not without.constraint_report_.all_satisfied
    assert without.violating_merges_.size > 0 == model.violating_merges_.size


@given(problems(), st.randoms(use_true_random=False))
def test_joint_updates_do_not_depend_on_the_order_of_the_samples(problem, random):
    X, known = problem
    order = list(range(len(X)))
    random.shuffle(order)
    here = BiHAC(max_iter=4).fit(X, constraints=known)
    there = BiHAC(max_iter=4).fit(X[order], constraints=known[order])
    np.testing.assert_allclose(here.feature_weights_, there.feature_weights_, atol=1e-7)
    moved = [frozenset(order[i] for i in clade) for clade in clades(there.hierarchy_)]
    assert moved == clades(here.hierarchy_)


def test_held_out_triplets_choose_the_run(texts, global_random_seed):
    X, _, known = texts
    model = BiHAC(validation_fraction=0.3, random_state=global_random_seed, max_iter=8)
    model.fit(X, constraints=known)
    errors = model.history_["validation_error"]
    assert len(errors) == len(model.history_["error"]) == model.n_iter_
    assert model.best_iter_ == np.argmin(errors)
    # Learned from a part, but reported on all.
    assert model.constraint_report_["triplets"].total == len(known.triplets)
    again = clone(model).fit(X, constraints=known)
    assert again.history_["validation_error"].tolist() == errors.tolist()
    without = BiHAC(max_iter=8).fit(X, constraints=known)
    assert "validation_error" not in without.history_
    share = round(0.3 * len(known.triplets)) / len(known.triplets)
    # Both parts add up to the error of the first run on all.
    mixed = (1 - share) * model.history_["error"][0] + share * errors[0]
    assert mixed == pytest.approx(without.history_["error"][0], abs=0.05)


def test_given_weights_of_triplets_decide(texts):
    X, _, known = texts
    plain = BiHAC(max_iter=1).fit(X, constraints=known)
    missed = ~plain.hierarchy_.displays(known.triplets)
    for heavy, expected in ((missed, 1), (~missed, 0)):
        weights = np.where(heavy, 1e9, 1e-9)
        weighty = Constraints(100, triplets=known.triplets, triplets_weights=weights)
        model = BiHAC(max_iter=1).fit(X, constraints=weighty)
        assert model.history_["error"] == pytest.approx([expected])


def test_contradictory_triplets_are_in_the_report(texts):
    X, _, known = texts
    a, b, c = known.triplets[0]
    both = known | Constraints(100, triplets=[(a, c, b)])
    for enforce in (False, True):
        model = BiHAC(enforce=enforce, max_iter=2).fit(X, constraints=both)
        violated = model.constraint_report_.violated.triplets.tolist()
        assert model.constraint_report_["triplets"].violated >= 1
        assert [min(a, c), max(a, c), b] in violated or [a, b, c] in violated


def test_pickle_and_clone(texts):
    X, _, known = texts
    model = BiHAC(3, enforce=True, max_iter=2).fit(X, constraints=known)
    same = pickle.loads(pickle.dumps(model))
    assert same.labels_.tolist() == model.labels_.tolist()
    assert clone(same).fit(X, constraints=known).hierarchy_ == model.hierarchy_


@parametrize_with_checks([BiHAC(), BiHAC(metric="euclidean", enforce=True)])
def test_scikit_learns_checks(estimator, check):
    check(estimator)
