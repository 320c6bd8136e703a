"""Complete link under constraints: the paper's figures, and what it never does."""

import pickle
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import fcluster, is_valid_linkage, linkage
from scipy.spatial.distance import pdist, squareform
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score, pairwise_distances
from sklearn.utils.estimator_checks import parametrize_with_checks

from clustraint import ConstrainedCompleteLinkage, Constraints
from clustraint.exceptions import (
    InconsistentConstraintsError,
    NotEnoughMemoryError,
    UnsupportedConstraintsError,
)
from clustraint.kernels.merges import linkage_of_merges
from tests.reference import ccl as reference
from tests.strategies_constraints import labelled_pairs


def partition(labels):
    """Return the clusters as sets of samples, whatever they are called."""
    return {frozenset(np.flatnonzero(labels == label)) for label in np.unique(labels)}


@st.composite
def distance_matrices(draw, n_samples, largest=6):
    """Whole numbers, so that paths add up exactly, with ties, zeros and broken triangles."""
    size = n_samples * (n_samples - 1) // 2
    entries = draw(st.lists(st.integers(0, largest), min_size=size, max_size=size))
    return squareform(np.array(entries, float), checks=False) if size else np.zeros((1, 1))


@st.composite
def problems(draw, max_samples=9, max_size=8):
    constraints = draw(labelled_pairs(3, max_samples, max_size=max_size, weighted=True))
    return draw(distance_matrices(constraints.n_samples)), constraints


def fit(X, constraints=None, n_clusters=1, **parameters):
    return ConstrainedCompleteLinkage(n_clusters, **parameters).fit(X, constraints=constraints)


def test_a_must_link_pulls_its_neighbourhood_along():
    """Figure 4: two far groups whose ends are linked become one."""
    X = np.array([[0.0], [0.5], [1.0], [10.0], [10.5], [11.0], [5.0], [5.5]])
    model = fit(X, Constraints(8, must_link=[(2, 3)]), n_clusters=2)
    assert model.labels_.tolist() == [0, 0, 0, 0, 0, 0, 1, 1]


def test_a_cannot_link_is_inherited():
    X = np.array([[0.0], [1.0], [1.9], [2.7]])
    model = fit(X, Constraints(4, cannot_link=[(1, 2)]), n_clusters=2)
    assert model.labels_.tolist() == [0, 0, 1, 1]
    assert model.n_forced_merges_ == 1
    assert model.merge_distances_[-1] == 2.7 + 1
    assert (
        fit(X, Constraints(4, cannot_link=[(1, 2)])).constraint_report_.violated.n_constraints == 1
    )


@given(problems())
def test_the_paper_read_literally(problem):
    D, constraints = problem
    links = constraints.links
    expected = reference.constrained_complete_link(
        D,
        links["must_link"].rows.tolist(),
        links["cannot_link"].rows.tolist(),
        links["cannot_link"].weights.tolist(),
    )
    model = fit(D, constraints, metric="precomputed")
    merges = np.array([merge[:2] for merge in expected])
    heights = np.array([merge[2] for merge in expected])
    theirs = linkage_of_merges(merges, heights)
    np.testing.assert_array_equal(model.linkage_[:, [0, 1, 3]], theirs[:, [0, 1, 3]])
    np.testing.assert_array_equal(model.merge_distances_, heights)


@given(problems())
def test_the_papers_matrix_read_literally(problem):
    D, constraints = problem
    links = constraints.links
    expected = reference.constrained_proximities(
        D, links["must_link"].rows.tolist(), links["cannot_link"].rows.tolist()
    )
    model = ConstrainedCompleteLinkage(metric="precomputed")
    np.testing.assert_array_equal(model.proximities(D, constraints=constraints), expected)


def test_complete_link_on_the_matrix_is_the_fit_while_no_merge_is_forced(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 3, 60)
    constraints = Constraints.from_labels(y, n_pairs=20, random_state=rng)
    model = ConstrainedCompleteLinkage(12).fit(X, constraints=constraints)
    proximities = model.proximities(X, constraints=constraints)
    assert (proximities == proximities.T).all()
    theirs = linkage(squareform(proximities), "complete")
    assert model.n_forced_merges_ < 11
    np.testing.assert_allclose(model.merge_distances_[:-11], theirs[:-11, 2])


def test_the_matrix_takes_what_fit_takes():
    X = np.array([[0.0], [1.0], [9.0]], np.float32)
    model = ConstrainedCompleteLinkage()
    assert model.proximities(X).dtype == np.float32
    assert model.proximities(X, ["a", "b", None])[0, 1] == 10
    assert not hasattr(model, "n_features_in_")
    with pytest.raises(InconsistentConstraintsError):
        model.proximities(X, constraints=Constraints(3, [(0, 1)], [(0, 1)]))
    with pytest.raises(UnsupportedConstraintsError, match="triplet"):
        model.proximities(X, constraints=Constraints(3, triplets=[(0, 1, 2)]))
    with pytest.raises(NotEnoughMemoryError):
        ConstrainedCompleteLinkage(max_memory=40).proximities(X)


@pytest.mark.slow
@pytest.mark.parametrize("n_samples", [30, 150])
def test_the_paper_read_literally_on_larger_inputs(n_samples, global_random_seed):
    """More components than are tried at a time, too."""
    rng = np.random.default_rng(global_random_seed)
    D = squareform(rng.integers(1, 100, n_samples * (n_samples - 1) // 2).astype(float))
    y = rng.integers(0, n_samples // 3, n_samples)
    constraints = Constraints.from_labels(y, n_pairs=8 * n_samples, random_state=rng)
    links = constraints.links
    expected = reference.constrained_complete_link(
        D,
        constraints.must_link.tolist(),
        links["cannot_link"].rows.tolist(),
        links["cannot_link"].weights.tolist(),
    )
    model = fit(D, constraints, metric="precomputed")
    np.testing.assert_array_equal(model.merge_distances_, [merge[2] for merge in expected])


@given(problems(max_samples=12, max_size=12), st.integers(1, 6))
def test_no_constraint_is_broken_before_merges_run_out(problem, n_clusters):
    D, constraints = problem
    n_components = constraints.components.n_components
    model = fit(D, constraints, min(n_clusters, n_components), metric="precomputed")
    report = model.constraint_report_
    if n_clusters <= n_components and len(constraints.must_link):
        assert not report["must_link"].violated
    if model.n_clusters > model.n_forced_merges_:
        assert report.all_satisfied
    for count in range(model.n_forced_merges_ + 1, n_components + 1):
        labels = model.hierarchy_.cut(count)
        assert all(labels[a] != labels[b] for a, b in constraints.cannot_link)
        assert all(labels[a] == labels[b] for a, b in constraints.must_link)


@given(problems(max_samples=10))
def test_scipys_cuts_undo_the_last_merges(problem):
    D, constraints = problem
    model = fit(D, constraints, metric="precomputed")
    assert is_valid_linkage(model.linkage_)
    assert (np.diff(model.linkage_[:, 2]) > 0).all()
    for count in range(1, len(D) + 1):
        theirs = fcluster(model.linkage_, count, "maxclust")
        assert partition(theirs) == partition(model.hierarchy_.cut(count))


@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "cosine", "chebyshev", "seuclidean"])
def test_complete_link_without_constraints(metric, global_random_seed):
    X = np.random.default_rng(global_random_seed).normal(size=(300, 4))
    theirs = linkage(pdist(X, metric), "complete")
    model = fit(X, n_clusters=7, metric=metric)
    np.testing.assert_allclose(model.linkage_, theirs)
    np.testing.assert_allclose(model.merge_distances_, theirs[:, 2])
    assert partition(model.labels_) == partition(fcluster(theirs, 7, "maxclust"))
    assert model.n_forced_merges_ == 0
    assert repr(model.constraint_report_) == "ConstraintReport(no constraints)"


def test_a_metric_of_ones_own_and_precomputed_distances_agree(global_random_seed):
    X = np.random.default_rng(global_random_seed).normal(size=(40, 3))
    own = fit(X, metric=lambda a, b: np.abs(a - b).max())
    ready = fit(pairwise_distances(X, metric="chebyshev"), metric="precomputed")
    np.testing.assert_allclose(own.linkage_, ready.linkage_)
    np.testing.assert_allclose(own.linkage_, fit(X, metric="chebyshev").linkage_)


def test_nominal_values_by_hamming_distance(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    codes = rng.integers(0, 4, size=(60, 9))
    texts = np.array(["red", "green", "blue", "grey"], dtype=object)[codes]
    expected = fit(codes.astype(float), n_clusters=4, metric="hamming")
    frame = pd.DataFrame(texts).astype("category")
    frame.columns = [f"column {place}" for place in range(9)]
    for table in (codes, texts, texts.tolist(), frame):
        found = fit(table, n_clusters=4, metric="hamming")
        np.testing.assert_array_equal(found.linkage_, expected.linkage_)
    theirs = pdist(codes, "hamming")
    np.testing.assert_array_equal(expected.merge_distances_[-1], theirs.max())
    assert found.feature_names_in_.tolist() == frame.columns.tolist()


def test_float32_stays_float32(global_random_seed):
    X = np.random.default_rng(global_random_seed).integers(0, 9, size=(60, 3))
    half = fit(X.astype(np.float32), metric="cityblock")
    np.testing.assert_array_equal(half.linkage_, fit(X.astype(float), metric="cityblock").linkage_)
    # 60 * 59 / 2 pairs of 4 bytes each.
    fit(X.astype(np.float32), max_memory=7080)


@given(st.integers(1, 12), st.data())
def test_must_links_are_one_place(n_samples, data):
    """Any member may carry the must-link: only components count."""
    D = data.draw(distance_matrices(n_samples))
    labels = data.draw(st.lists(st.integers(0, 4), min_size=n_samples, max_size=n_samples))
    groups = [np.flatnonzero(np.array(labels) == label) for label in set(labels)]
    chain = [pair for group in groups for pair in pairwise(group.tolist())]
    star = [(group[0], other) for group in groups for other in group[1:]]
    found = [
        fit(D, Constraints(n_samples, must_link=pairs), metric="precomputed").linkage_
        for pairs in (chain, star)
    ]
    np.testing.assert_array_equal(*found)


@given(problems(max_samples=9), st.randoms(use_true_random=False))
def test_samples_in_any_order(problem, random):
    """Where no two distances are equal, the order of samples does not count."""
    D, constraints = problem
    rng = np.random.default_rng(random.randrange(2**32))
    away = rng.permutation(np.arange(1.0, len(D) * (len(D) - 1) // 2 + 1)) ** 2
    D = squareform(away)
    # Without must-links no sums of distances can be equal.
    constraints = Constraints(len(D), cannot_link=constraints.cannot_link)
    order = rng.permutation(len(D))
    model = fit(D, constraints, metric="precomputed")
    moved = fit(D[np.ix_(order, order)], constraints[order], metric="precomputed")
    for count in range(model.n_forced_merges_ + 1, len(D) + 1):
        expected = partition(model.hierarchy_.cut(count)[order])
        assert partition(moved.hierarchy_.cut(count)) == expected


def test_constraints_help_on_the_whole(global_random_seed):
    # Not each time: pairs may pull classes together that overlap.
    gains = [gain_by_pairs(global_random_seed + draw) for draw in range(25)]
    assert np.mean(gains) > 0


def gain_by_pairs(seed):
    """Return the gain in ARI by 300 pairs where each class is two of six blobs."""
    X, y = make_blobs(300, centers=6, cluster_std=1.5, random_state=seed)
    classes = y // 2
    known = Constraints.from_labels(classes, n_pairs=300, random_state=seed)
    scores = [
        adjusted_rand_score(classes, fit(X, constraints, n_clusters=3).labels_)
        for constraints in (known, Constraints(300))
    ]
    return scores[0] - scores[1]


def test_forced_merges_break_the_least_weight():
    X = np.array([[0.0], [1.0], [10.0]])
    constraints = Constraints(
        3, cannot_link=[(0, 1), (1, 2), (0, 2)], cannot_link_weights=[3.0, 1.0, 2.0]
    )
    model = fit(X, constraints, n_clusters=2)
    assert model.labels_.tolist() == [0, 1, 1]
    assert model.n_forced_merges_ == 2
    assert model.constraint_report_["cannot_link"].rows.tolist() == [1]
    # Of equal weights, the nearest, after must-links have brought samples closer.
    constraints = Constraints(4, must_link=[(1, 3)], cannot_link=[(0, 1), (1, 2), (0, 2)])
    assert fit(np.array([[0.0], [2.0], [10.0], [9.5]]), constraints, 2).labels_.tolist() == [
        0, 1, 1, 1,
    ]  # fmt: skip


def test_equal_samples_may_be_kept_apart():
    model = fit(np.ones((5, 2)), Constraints(5, cannot_link=[(0, 3), (1, 3)]), n_clusters=2)
    assert model.constraint_report_.all_satisfied
    assert model.merge_distances_.tolist() == [0, 0, 0, 1]


@pytest.mark.parametrize("n_samples", [1, 2, 3])
def test_few_samples(n_samples):
    X = np.arange(n_samples, dtype=float)[:, None] ** 2
    for n_clusters in range(1, n_samples + 1):
        model = fit(X, n_clusters=n_clusters)
        assert len(np.unique(model.labels_)) == n_clusters
    assert model.labels_.tolist() == list(range(n_samples))
    assert model.linkage_.shape == (n_samples - 1, 4)
    assert model.hierarchy_.n_samples == n_samples


def test_all_samples_linked():
    must_link = [(i, i + 1) for i in range(5)]
    model = fit(np.random.default_rng(0).normal(size=(6, 2)), Constraints(6, must_link=must_link))
    assert model.labels_.tolist() == [0] * 6
    assert model.merge_distances_.tolist() == [0] * 5


def test_clone_pickle_and_names():
    frame = pd.DataFrame({"a": [0.0, 1.0, 5.0], "b": [0.0, 0.0, 1.0]})
    model = ConstrainedCompleteLinkage(2, metric="cityblock").fit(frame)
    assert model.feature_names_in_.tolist() == ["a", "b"]
    again = pickle.loads(pickle.dumps(model))
    assert again.labels_.tolist() == model.labels_.tolist() == [0, 0, 1]
    assert again.hierarchy_ == model.hierarchy_
    assert clone(model).metric == "cityblock"


def test_the_samples_are_left_alone():
    D = squareform(np.arange(1.0, 7.0))
    before = D.copy()
    known = Constraints(4, must_link=[(0, 1)], cannot_link=[(1, 2)])
    D.setflags(write=False)
    fit(D, known, metric="precomputed")
    np.testing.assert_array_equal(D, before)


# The first check wants scikit-learn's own words about negative numbers, where ours say which
# distance it is; the second gives samples.
EXCUSED = {
    "check_positive_only_tag_during_fit": "a matrix of distances has no negative entries",
    "check_clustering": "it does not give distances",
}


@parametrize_with_checks(
    [ConstrainedCompleteLinkage(), ConstrainedCompleteLinkage(metric="precomputed")],
    expected_failed_checks=lambda estimator: EXCUSED if estimator.metric == "precomputed" else {},
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)
