import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import fcluster
from scipy.cluster.hierarchy import linkage as scipy_linkage
from scipy.sparse import csc_array, csr_array, csr_matrix
from scipy.spatial.distance import pdist
from sklearn import config_context
from sklearn.base import clone
from sklearn.model_selection import cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

from clustraint import IHAC, Constraints, Hierarchy
from clustraint.exceptions import NoAllowedMergeError
from tests.reference import bihac as reference
from tests.strategies import hierarchies
from tests.strategies_constraints import constraint_sets

METRICS = ["cosine", "euclidean"]
LINKAGES = ["average", "complete", "single"]


@st.composite
def problems(draw, max_samples=8):
    """Samples without ties, and triplets, contradictory ones included."""
    known = draw(constraint_sets(max_samples=max_samples, max_size=15, kinds=("triplets",)))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    return rng.random((known.n_samples, 4)), known


def clades(hierarchy):
    inner = range(hierarchy.n_samples, hierarchy.n_nodes)
    return [frozenset(hierarchy.samples_below(node).tolist()) for node in inner]


@pytest.fixture(scope="module")
def topics():
    """Three topics of sparse texts, and all triplets of a few labelled ones."""
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1, 2], 20)
    X = rng.random((60, 30)) * (rng.random((60, 30)) < 0.3)
    X += (np.arange(30) % 3 == labels[:, np.newaxis]) * rng.random((60, 30)) * 0.3
    labelled = np.flatnonzero(np.arange(60) % 20 < 4)
    rows = Hierarchy.from_labels(labels[labelled]).triplets()
    return X, labels, Constraints(60, triplets=labelled[rows])


def test_tiny_case():
    X = np.array([[1.0, 0.0], [0.9, 0.1], [0.2, 0.8], [0.0, 1.0]])
    model = IHAC(2).fit(X, constraints=Constraints(4, triplets=[(0, 2, 1), (2, 0, 3)]))
    # Neither 0 nor 2 may join 1 or 3 before they have joined each other.
    assert model.hierarchy_.to_newick() == "(((0,2),1),3);"
    assert model.labels_.tolist() == [0, 0, 0, 1]
    assert model.violating_merges_.size == 0
    assert model.constraint_report_["triplets"].satisfied == 2
    assert model.merge_distances_[0] > model.merge_distances_[1]
    assert (np.diff(model.linkage_[:, 2]) > 0).all()


@pytest.mark.parametrize("metric", METRICS)
@given(problem=problems())
def test_it_is_the_literal_one(metric, problem):
    X, known = problem
    similarity = reference.SIMILARITIES[metric]
    ones = np.ones(X.shape[1])
    table = [[1 - similarity(x, y, ones) for y in X] for x in X]
    merges, forced = reference.ihac(table, known.triplets.tolist())
    model = IHAC(metric=metric).fit(X, constraints=known)
    assert clades(model.hierarchy_) == [c1 | c2 for c1, c2 in merges]
    assert model.violating_merges_.tolist() == forced


@given(problems())
def test_merges_before_the_first_dead_end_violate_nothing(problem):
    X, known = problem
    stopped = IHAC(dead_end="stop").fit(X, constraints=known)
    merged = IHAC(dead_end="merge").fit(X, constraints=known)
    assert stopped.violating_merges_.size == 0
    n_merges = len(stopped.merge_distances_)
    assert clades(stopped.hierarchy_)[:n_merges] == clades(merged.hierarchy_)[:n_merges]
    if merged.violating_merges_.size:
        assert merged.violating_merges_[0] == n_merges
        assert stopped.n_clusters_ >= known.n_samples - n_merges
    else:
        assert stopped.hierarchy_ == merged.hierarchy_
        assert merged.constraint_report_.all_satisfied


@given(problems())
def test_what_the_hierarchy_does_not_display_is_in_the_report(problem):
    X, known = problem
    for dead_end in ("merge", "stop"):
        model = IHAC(dead_end=dead_end).fit(X, constraints=known)
        shown = model.hierarchy_.displays(known.triplets)
        report = model.constraint_report_
        violated = report["triplets"].rows if len(known.triplets) else np.empty(0)
        assert violated.tolist() == np.flatnonzero(~shown).tolist()


@given(problems())
def test_a_dead_end_can_be_an_error(problem):
    X, known = problem
    merged = IHAC().fit(X, constraints=known)
    model = IHAC(dead_end="raise")
    if not merged.violating_merges_.size:
        assert model.fit(X, constraints=known).hierarchy_ == merged.hierarchy_
        return
    with pytest.raises(NoAllowedMergeError, match="clusters are left") as caught:
        model.fit(X, constraints=known)
    error = pickle.loads(pickle.dumps(caught.value))
    assert error.n_clusters == known.n_samples - merged.violating_merges_[0]
    [row] = error.violated.triplets.tolist()
    assert row in known.triplets.tolist()
    first = known.n_samples + merged.violating_merges_[0]
    c1, c2 = (set(merged.hierarchy_.samples_below(v)) for v in merged.hierarchy_.children(first))
    assert reference.violates(reference.ordered([row]), c1, c2)


@given(hierarchies(min_samples=3), st.integers(0, 10_000))
def test_all_triplets_of_a_hierarchy_are_displayed(hierarchy, seed):
    X = np.random.default_rng(seed).random((hierarchy.n_samples, 3))
    known = Constraints(hierarchy.n_samples, triplets=hierarchy.triplets())
    model = IHAC(dead_end="raise").fit(X, constraints=known)
    assert model.constraint_report_.all_satisfied


@pytest.mark.parametrize("container", [np.asarray, csr_matrix])
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("linkage", LINKAGES)
def test_without_constraints_it_is_scipys_linkage(container, metric, linkage, global_random_seed):
    X = np.random.default_rng(global_random_seed).random((70, 6))
    theirs = Hierarchy.from_linkage(scipy_linkage(pdist(X, metric), linkage))
    ours = IHAC(5, metric=metric, linkage=linkage).fit(container(X))
    assert ours.hierarchy_ == theirs
    np.testing.assert_allclose(ours.merge_distances_, theirs.heights, atol=1e-12)
    assert ours.labels_.tolist() == theirs.cut(5).tolist()


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("dead_end", ["merge", "stop"])
def test_dense_and_sparse_agree(topics, metric, dead_end, global_random_seed):
    X, labels, known = topics
    drawn = Constraints.from_labels(labels, n_triplets=80, random_state=global_random_seed)
    for constraints in (known, drawn):
        dense, *others = (
            IHAC(4, metric=metric, dead_end=dead_end).fit(form(X), constraints=constraints)
            for form in (np.asarray, csr_matrix, csc_array, pd.DataFrame)
        )
        for other in others:
            assert other.hierarchy_ == dense.hierarchy_
            assert other.labels_.tolist() == dense.labels_.tolist()
            np.testing.assert_allclose(other.merge_distances_, dense.merge_distances_)


@given(problems(), st.randoms(use_true_random=False))
def test_the_order_of_the_samples_does_not_matter(problem, random):
    X, known = problem
    order = list(range(len(X)))
    random.shuffle(order)
    here = IHAC().fit(X, constraints=known)
    there = IHAC().fit(X[order], constraints=known[order])
    moved = [frozenset(order[i] for i in clade) for clade in clades(there.hierarchy_)]
    assert moved == clades(here.hierarchy_)


def test_fcluster_undoes_the_last_merges(topics):
    X, _, known = topics
    for n_clusters in (1, 2, 3, 7, 60):
        model = IHAC(n_clusters).fit(X, constraints=known)
        theirs = fcluster(model.linkage_, n_clusters, "maxclust")
        _, theirs = np.unique(theirs, return_inverse=True)
        assert len(np.unique(model.labels_)) == model.n_clusters_ == n_clusters
        pairs = {*zip(theirs.tolist(), model.labels_.tolist(), strict=True)}
        assert len(pairs) == n_clusters


def test_without_a_number_the_triplets_say_how_many_clusters(topics):
    X, labels, known = topics
    model = IHAC().fit(X + 5 * np.eye(3)[labels].repeat(10, axis=1), constraints=known)
    assert model.n_clusters_ == 3
    assert model.labels_.tolist() == labels.tolist()
    assert IHAC().fit(X).labels_.tolist() == [0] * 60


def test_clusters_that_may_not_merge_stay_apart():
    X = np.array([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0]])
    known = Constraints(3, triplets=[(0, 1, 2), (0, 2, 1), (1, 2, 0)])
    model = IHAC(2, dead_end="stop").fit(X, constraints=known)
    assert model.hierarchy_.to_newick() == "(0,1,2);"
    assert model.n_clusters_ == 3
    assert model.labels_.tolist() == [0, 1, 2]
    assert model.merge_distances_.shape == (0,)
    assert model.linkage_.shape == (2, 4)
    assert model.constraint_report_["triplets"].violated == 3
    merged = IHAC(2).fit(X, constraints=known)
    assert merged.labels_.tolist() == [0, 0, 1]
    assert merged.violating_merges_.tolist() == [0, 1]


def test_names_reach_the_hierarchy():
    known = Constraints.from_names(["dog", "wolf", "trout"], triplets=[("dog", "wolf", "trout")])
    model = IHAC().fit([[1.0, 0.0], [0.5, 0.5], [0.6, 0.4]], constraints=known)
    assert model.hierarchy_.to_newick() == "((dog,wolf),trout);"


def test_pickle_and_clone(topics):
    X, _, known = topics
    model = pickle.loads(pickle.dumps(IHAC(3).fit(X, constraints=known)))
    again = clone(model).fit(X, constraints=known)
    assert again.hierarchy_ == model.hierarchy_
    assert model.constraint_report_.constraints == known


def test_routed_constraints_reach_every_fold(topics):
    X, _, known = topics
    pipeline = make_pipeline(FunctionTransformer(csr_array), IHAC(3))
    with config_context(enable_metadata_routing=True):
        scores = cross_validate(
            pipeline,
            X,
            cv=3,
            params={"constraints": known},
            scoring=lambda estimator, X, y=None: 0.0,
            return_estimator=True,
            return_indices=True,
        )
    for model, train in zip(scores["estimator"], scores["indices"]["train"], strict=True):
        assert model[-1].constraint_report_.constraints == known[train]


@parametrize_with_checks([IHAC(), IHAC(metric="euclidean", linkage="complete")])
def test_scikit_learns_checks(estimator, check):
    check(estimator)
