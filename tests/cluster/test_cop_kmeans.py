import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array, csr_matrix
from sklearn import config_context
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.model_selection import GridSearchCV, KFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from clustraint import Constraints, COPKMeans
from clustraint.cluster._assignment import Auto, DeadEndError, InOrder
from clustraint.cluster._exact_assignment import (
    CannotLinkGraph,
    InfeasiblePieceError,
    PiecewiseAssigner,
)
from clustraint.exceptions import InconsistentConstraintsError, NoFeasibleClusteringError
from tests.reference import cop_kmeans as reference

MODES = ["auto", "instance", "component", "exact"]


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(200, n_features=4, centers=5, cluster_std=4.0, random_state=0)


@pytest.mark.parametrize("assignment", MODES)
def test_tiny_case(assignment):
    X = np.array([[0.0], [1.0], [10.0], [11.0]])
    known = Constraints(4, must_link=[(1, 2)], cannot_link=[(0, 1), (2, 3)])
    model = COPKMeans(2, assignment=assignment, random_state=0).fit(X, constraints=known)
    a, b, c, d = model.labels_
    assert (a == d, b == c, a != b) == (True, True, True)
    assert sorted(model.cluster_centers_.ravel()) == [5.5, 5.5]
    assert model.inertia_ == pytest.approx(2 * 5.5**2 + 2 * 4.5**2)
    assert model.constraint_report_.all_satisfied


@st.composite
def problems(draw):
    """Samples on a small grid, few clusters, and pairs of which some labelling approves."""
    n_samples = draw(st.integers(3, 8))
    n_clusters = draw(st.integers(2, 3))
    X = draw(st.lists(st.tuples(*[st.integers(0, 3)] * 2), min_size=n_samples, max_size=n_samples))
    truth = draw(st.lists(st.integers(0, n_clusters - 1), min_size=n_samples, max_size=n_samples))
    pairs = draw(
        st.lists(
            st.tuples(st.integers(0, n_samples - 1), st.integers(0, n_samples - 1)).filter(
                lambda pair: pair[0] != pair[1]
            ),
            max_size=8,
        )
    )
    must_link = [(a, b) for a, b in pairs if truth[a] == truth[b]]
    cannot_link = [(a, b) for a, b in pairs if truth[a] != truth[b]]
    constraints = Constraints(n_samples, must_link or None, cannot_link or None)
    return np.array(X, float), n_clusters, constraints


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("assignment", MODES)
@given(problem=problems(), seed=st.integers(0, 5))
def test_no_constraint_is_ever_violated(assignment, problem, seed):
    X, n_clusters, constraints = problem
    model = COPKMeans(n_clusters, assignment=assignment, n_init=2, random_state=seed)
    if constraints.components.n_components < n_clusters:
        with pytest.raises(NoFeasibleClusteringError, match="cannot fill"):
            model.fit(X, constraints=constraints)
        return
    try:
        labels = model.fit(X, constraints=constraints).labels_
    except NoFeasibleClusteringError as failure:
        error = failure
    else:
        must_link, cannot_link = constraints.must_link, constraints.cannot_link
        assert (labels[must_link[:, 0]] == labels[must_link[:, 1]]).all()
        assert (labels[cannot_link[:, 0]] != labels[cannot_link[:, 1]]).all()
        assert model.constraint_report_.all_satisfied
        return
    assert assignment in ("instance", "component")
    assert '"exact" or "auto" would find' in str(error)
    assert len(error.blockers) == n_clusters


@given(problem=problems(), order_seed=st.integers(0, 20))
def test_instance_is_the_papers_assignment(problem, order_seed):
    X, n_clusters, constraints = problem
    rng = np.random.default_rng(order_seed)
    X = X + rng.random(X.shape)  # no ties
    centers = rng.random((n_clusters, X.shape[1])) * 3
    visit = rng.permutation(len(X))
    expected = reference.assign(
        X,
        centers,
        visit,
        *reference.closure(
            len(X), constraints.must_link.tolist(), constraints.cannot_link.tolist()
        ),
    )
    found = constraints.components
    first = visit[np.unique(found.labels[visit], return_index=True)[1]]
    graph = CannotLinkGraph.from_pairs(found.n_components, found.cannot_link)
    order = np.argsort(np.argsort(visit)[first])
    costs = ((X[first][:, np.newaxis] - centers) ** 2).sum(axis=2)
    if expected is None:
        with pytest.raises(DeadEndError):
            InOrder(graph, order).assign(costs)
    else:
        labels = InOrder(graph, order).assign(costs)[found.labels]
        assert labels.tolist() == expected.tolist()


@st.composite
def graphs(draw):
    n_nodes = draw(st.integers(1, 6))
    n_clusters = draw(st.integers(1, 3))
    every = [(a, b) for b in range(n_nodes) for a in range(b)]
    pairs = draw(st.lists(st.sampled_from(every), unique=True)) if every else []
    costs = np.random.default_rng(draw(st.integers(0, 1000))).random((n_nodes, n_clusters))
    return np.array(pairs, np.int64).reshape(-1, 2), costs


@given(graphs())
def test_exact_is_the_cheapest_assignment(graph):
    pairs, costs = graph
    expected = reference.cheapest(costs, pairs.tolist())
    edges = CannotLinkGraph.from_pairs(len(costs), pairs)
    if expected is None:
        with pytest.raises(InfeasiblePieceError):
            PiecewiseAssigner(edges, costs.shape[1]).assign(costs)
        return
    labels = PiecewiseAssigner(edges, costs.shape[1]).assign(costs)
    assert (labels[pairs[:, 0]] != labels[pairs[:, 1]]).all()
    assert costs[np.arange(len(costs)), labels].sum() == pytest.approx(expected)


def test_auto_solves_a_piece_exactly_where_the_order_ends_in_a_dead_end():
    # A crown: in this order each pair takes a cluster of its own until none is left.
    pairs = np.array([(a, 3 + b) for a in range(3) for b in range(3) if a != b])
    graph = CannotLinkGraph.from_pairs(6, pairs)
    order = np.array([0, 3, 1, 4, 2, 5])
    costs = np.tile([0.0, 1.0], (6, 1))
    with pytest.raises(DeadEndError):
        InOrder(graph, order).assign(costs)
    labels = Auto(graph, order, np.ones(6)).assign(costs)
    assert (labels[pairs[:, 0]] != labels[pairs[:, 1]]).all()


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("assignment", MODES)
def test_without_constraints_it_is_lloyds_k_means(blobs, assignment, sparse, global_random_seed):
    X, _ = blobs
    rng = np.random.default_rng(global_random_seed)
    start = X[rng.choice(len(X), 8, replace=False)]
    weights = rng.random(len(X)) + 0.1
    data = csr_matrix(X) if sparse else X
    theirs = KMeans(8, init=start, n_init=1).fit(data, sample_weight=weights)
    ours = COPKMeans(8, init=start, assignment=assignment).fit(data, sample_weight=weights)
    np.testing.assert_allclose(ours.cluster_centers_, theirs.cluster_centers_)
    assert ours.labels_.tolist() == theirs.labels_.tolist()
    assert ours.inertia_ == pytest.approx(theirs.inertia_)
    assert ours.n_iter_ == theirs.n_iter_
    assert ours.predict(data).tolist() == theirs.predict(data).tolist()
    np.testing.assert_allclose(ours.transform(data), theirs.transform(data))
    assert ours.score(data) == pytest.approx(theirs.score(data))


def test_empty_clusters_move_as_scikit_learns_do():
    X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [9.0]])
    start = np.array([[0.1], [5.0], [100.0], [200.0]])
    theirs = KMeans(4, init=start, n_init=1).fit(X)
    ours = COPKMeans(4, init=start).fit(X)
    np.testing.assert_allclose(ours.cluster_centers_, theirs.cluster_centers_)


def test_must_links_and_weights_are_repetitions(blobs, global_random_seed):
    """A component of equal samples is one sample of their summed weight."""
    X, _ = blobs
    rng = np.random.default_rng(global_random_seed)
    repeats = rng.integers(1, 4, len(X))
    copies = np.repeat(np.arange(len(X)), repeats)
    linked = np.flatnonzero(copies[1:] == copies[:-1])
    known = Constraints(len(copies), must_link=np.stack((linked, linked + 1), axis=1))
    start = X[:6]
    once = COPKMeans(6, init=start).fit(X, sample_weight=repeats)
    often = COPKMeans(6, init=start).fit(X[copies], constraints=known)
    np.testing.assert_allclose(often.cluster_centers_, once.cluster_centers_)
    assert often.labels_.tolist() == once.labels_[copies].tolist()
    assert often.inertia_ == pytest.approx(once.inertia_)


@pytest.mark.parametrize("assignment", MODES)
def test_dense_and_sparse_agree_under_constraints(blobs, assignment):
    X, y = blobs
    known = Constraints.from_labels(y, n_pairs=60, random_state=0)
    model = COPKMeans(5, assignment=assignment, init=X[:5], random_state=3)
    dense = clone(model).fit(X, constraints=known)
    sparse = clone(model).fit(csr_array(X), constraints=known)
    np.testing.assert_allclose(dense.cluster_centers_, sparse.cluster_centers_)
    assert dense.labels_.tolist() == sparse.labels_.tolist()


@pytest.mark.parametrize("assignment", MODES)
def test_same_seed_same_result_also_after_pickling(blobs, assignment):
    X, y = blobs
    known = Constraints.from_labels(y, n_pairs=100, random_state=0)
    model = COPKMeans(5, assignment=assignment, random_state=7)
    first = clone(model).fit(X, constraints=known)
    second = pickle.loads(pickle.dumps(clone(model).fit(X, constraints=known)))
    assert first.labels_.tolist() == second.labels_.tolist()
    assert second.constraint_report_.all_satisfied
    assert second.predict(X).tolist() == first.predict(X).tolist()


def test_float32_stays_float32(blobs):
    X, y = blobs
    known = Constraints.from_labels(y, n_pairs=60, random_state=0)
    model = COPKMeans(5, random_state=0).fit(X.astype(np.float32), constraints=known)
    assert model.cluster_centers_.dtype == np.float32
    assert model.transform(X.astype(np.float32)).dtype == np.float32
    assert model.constraint_report_.all_satisfied


def test_more_starts_are_never_worse(blobs):
    X, y = blobs
    known = Constraints.from_labels(y, n_pairs=60, random_state=0)
    once, often = (
        COPKMeans(5, n_init=n_init, random_state=1).fit(X, constraints=known).inertia_
        for n_init in (1, 10)
    )
    assert often <= once


def test_contradiction_is_explained():
    known = Constraints(3, must_link=[(0, 1), (1, 2)], cannot_link=[(0, 2)])
    with pytest.raises(InconsistentConstraintsError, match="sample 0 and sample 2 cannot be"):
        COPKMeans(2).fit([[0.0], [1.0], [2.0]], constraints=known)


@pytest.mark.parametrize("assignment", MODES)
def test_infeasible_constraints_come_with_their_proof(assignment):
    names = ["dog", "trout", "crow", "wolf"]
    apart = [("dog", "trout"), ("trout", "crow"), ("crow", "wolf")]
    known = Constraints.from_names(names, must_link=[("dog", "wolf")], cannot_link=apart)
    model = COPKMeans(2, assignment=assignment, random_state=0)
    with pytest.raises(NoFeasibleClusteringError, match="no two may be together") as caught:
        model.fit([[0.0], [1.0], [2.0], [3.0]], constraints=known)
    assert caught.value.witness == known
    assert "dog" in str(caught.value)


def test_infeasible_without_a_clique_is_proven_by_the_search():
    # The Grötzsch graph has no triangle and yet needs four colours.
    outer = [(i, (i + 1) % 5) for i in range(5)]
    middle = [(5 + i, (i + d) % 5) for i in range(5) for d in (1, 4)]
    known = Constraints(11, cannot_link=[*outer, *middle, *[(10, 5 + i) for i in range(5)]])
    X = np.arange(11.0)[:, np.newaxis]
    with pytest.raises(NoFeasibleClusteringError, match="the exact search has tried all"):
        COPKMeans(3, random_state=0).fit(X, constraints=known)
    assert COPKMeans(4, random_state=0).fit(X, constraints=known).constraint_report_.all_satisfied


def test_dead_end_names_the_sample_and_what_is_in_its_way():
    # A path whose ends are alike: whoever places both ends first cannot place the middle.
    apart = [(0, 1), (1, 2), (2, 3)]
    known = Constraints(4, cannot_link=apart, names=["left", "a", "b", "right"])
    X = np.array([[0.0], [5.0], [5.0], [0.1]])
    failed = []
    for seed in range(20):
        model = COPKMeans(2, assignment="component", init=X[:2], random_state=seed)
        try:
            assert model.fit(X, constraints=known).constraint_report_.all_satisfied
        except NoFeasibleClusteringError as error:
            failed.append(error)
    assert 0 < len(failed) < 20
    for error in failed:
        assert error.sample in (1, 2)
        assert str(error).startswith(f"{known.name_of(error.sample)} could not be placed")
        assert {(min(error.sample, b), max(error.sample, b)) for b in error.blockers} <= {*apart}
        assert len(error.blockers) == 2
        assert '"exact" or "auto" would find an assignment' in str(error)


@pytest.mark.parametrize("assignment", ["auto", "exact"])
def test_no_order_ends_in_a_dead_end_where_an_assignment_exists(assignment):
    known = Constraints(4, cannot_link=[(0, 1), (1, 2), (2, 3)])
    X = np.array([[0.0], [5.0], [5.0], [0.1]])
    for seed in range(20):
        model = COPKMeans(2, assignment=assignment, init=X[:2], random_state=seed)
        assert model.fit(X, constraints=known).constraint_report_.all_satisfied


def test_routed_constraints_are_kept_in_every_fold(blobs):
    X, y = blobs
    known = Constraints.from_labels(y, n_pairs=150, random_state=0)
    pipeline = make_pipeline(StandardScaler(), COPKMeans(random_state=0, n_init=1))
    grid = {"copkmeans__n_clusters": [5, 6], "copkmeans__assignment": ["auto", "exact"]}
    with config_context(enable_metadata_routing=True):
        search = GridSearchCV(pipeline, grid, cv=KFold(3, shuffle=True, random_state=0))
        search.fit(X, constraints=known)
        scores = cross_validate(
            pipeline.set_params(copkmeans__n_clusters=5),
            X,
            cv=3,
            params={"constraints": known},
            return_estimator=True,
            return_indices=True,
        )
    assert search.best_estimator_[-1].constraint_report_.constraints == known
    for model, train in zip(scores["estimator"], scores["indices"]["train"], strict=True):
        assert model[-1].constraint_report_.constraints == known[train]
        assert model[-1].constraint_report_.all_satisfied


# KMeans is excused from the same two checks: its start is drawn, and a draw among repeated samples
# takes other samples than one among weighted samples. That weights are repetitions from the same
# start is tested above.
DRAWN = "the start is drawn from other rows when samples are repeated than when they are weighted"
EXCUSED = {
    "check_sample_weight_equivalence_on_dense_data": DRAWN,
    "check_sample_weight_equivalence_on_sparse_data": DRAWN,
}


@parametrize_with_checks(
    [COPKMeans(n_clusters=3, n_init=2)], expected_failed_checks=lambda estimator: EXCUSED
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)
