"""ReCon's merges: what they display, and that they are the paper's."""

import math
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import fcluster
from scipy.cluster.hierarchy import linkage as scipy_linkage
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import load_iris, make_blobs
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import KFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from clustraint import Constraints, Hierarchy, ReCon
from clustraint.cluster._recon import merges_of, units_of
from clustraint.exceptions import InconsistentConstraintsError
from clustraint.metric import RelativeMetric
from tests.reference import recon as reference
from tests.reference.build import has_clustered_hierarchy
from tests.strategies import hierarchies
from tests.strategies_constraints import constraint_sets, weights


def merges(X, known, n_clusters=1):
    merged = merges_of(X, known, np.arange(len(X)), n_clusters, "centroid")
    return [
        (*slots, distance)
        for slots, distance in zip(merged.slots.tolist(), merged.distances.tolist(), strict=True)
    ]


def papers_merges(X, known, *options):
    """The merges of the slow reading, whose distances are squared."""
    triplets = [tuple(triplet) for triplet in known.triplets.tolist()]
    squared = reference.recon(X, triplets, *options)
    return [(*slots, math.sqrt(square)) for *slots, square in squared]


def points(n_samples, seed, on_grid):
    rng = np.random.default_rng(seed)
    shape = n_samples, 2
    return rng.integers(0, 3, shape).astype(float) if on_grid else rng.normal(size=shape)


@st.composite
def problems(draw, max_samples=9, binary=False):
    """Samples, with ties or without, and some of the triplets of a random tree."""
    tree = draw(hierarchies(min_samples=1, max_samples=max_samples, binary=binary))
    every = tree.triplets().tolist() if len(tree) > 2 else []
    drawn = draw(st.lists(st.sampled_from(every), max_size=15)) if every else []
    X = points(len(tree), draw(st.integers(0, 10_000)), draw(st.booleans()))
    return X, Constraints(len(tree), triplets=drawn or None)


def random_problem(rng):
    """Return samples and a random part of the triplets of a random tree of any shape."""
    n_samples = int(rng.integers(3, 30))
    roots = list(range(n_samples))
    parents = [-1] * n_samples
    degree = int(rng.integers(2, 5))
    while len(roots) > 1:
        # Joining the newest node again makes the tree deep.
        order = rng.permutation(roots[:-1]).tolist()
        order.insert(0 if rng.random() < 0.5 else len(order), roots[-1])
        chosen = order[:degree]
        for node in chosen:
            parents[node] = len(parents)
        roots = [*order[degree:], len(parents)]
        parents.append(-1)
    tree = Hierarchy(parents)
    triplets = np.empty((0, 3), np.int64)
    if tree.n_triplets:
        triplets = tree.sample_triplets(int(rng.integers(1, 3 * n_samples)), rng)
    X = points(n_samples, int(rng.integers(1 << 30)), rng.random() < 0.3)
    return X, Constraints(n_samples, triplets=triplets)


def test_tiny_case():
    # The paper's own dead end: with b and d merged first, no other merge would be left.
    X = np.array([[0.0], [5.0], [9.0], [5.1]])
    known = Constraints(4, triplets=[(0, 1, 2), (2, 3, 0)])
    model = ReCon(2).fit(X, constraints=known)
    assert model.hierarchy_.to_newick() == "((0,1),(2,3));"
    assert model.labels_.tolist() == [0, 0, 1, 1]
    np.testing.assert_allclose(model.merge_distances_, [3.9, 5.0, 4.55])
    assert (np.diff(model.linkage_[:, 2]) > 0).all()
    assert model.constraint_report_.all_satisfied


@given(problems(max_samples=12), st.integers(1, 12), st.sampled_from(["whole", "resolved", "last"]))
def test_every_consistent_set_of_triplets_is_displayed(problem, n_clusters, cut):
    X, known = problem
    k = min(n_clusters, len(X))
    model = ReCon(k, cut=cut).fit(X, constraints=known)
    assert model.hierarchy_.displays(known.triplets).all()
    assert len(np.unique(model.labels_)) == k


@pytest.mark.slow
def test_every_consistent_set_of_triplets_is_displayed_many_times(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    for _ in range(10_000):
        X, known = random_problem(rng)
        model = ReCon()
        model._keep_merges(merges_of(X, known, np.arange(len(X)), 1, "centroid"))
        assert model.hierarchy_.displays(known.triplets).all()


@given(problems())
def test_merges_are_the_papers(problem):
    X, known = problem
    assert merges(X, known) == papers_merges(X, known)


@pytest.mark.slow
def test_merges_are_the_papers_many_times(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    for _ in range(1_000):
        X, known = random_problem(rng)
        X, known = X[:14], known[: min(14, len(X))]
        assert merges(X, known) == papers_merges(X, known)


def harm_of(known):
    def harm(first, second):
        return sum(
            weight
            for (a, b), weight in zip(
                known.cannot_link.tolist(), known.cannot_link_weights.tolist(), strict=True
            )
            if (a in first and b in second) or (b in first and a in second)
        )

    return harm


@given(problems(), st.data())
def test_cannot_links_are_kept_until_so_many_clusters_are_left(problem, data):
    X, known = problem
    n_samples = len(X)
    sample = st.integers(0, n_samples - 1)
    rows = data.draw(st.lists(st.tuples(sample, sample).filter(lambda p: p[0] != p[1]), max_size=8))
    heavy = data.draw(st.lists(weights, min_size=len(rows), max_size=len(rows)))
    known |= Constraints(n_samples, cannot_link=rows or None, cannot_link_weights=heavy or None)
    n_clusters = data.draw(st.integers(1, n_samples))
    expected = papers_merges(X, known, harm_of(known), n_clusters)
    assert merges(X, known, n_clusters) == expected


@given(constraint_sets(min_samples=3, max_samples=7), st.integers(1, 4), st.booleans())
def test_pairs_beside_triplets(known, n_clusters, on_grid):
    """Must-links hold in the labels, triplets in the hierarchy; contradictions are told."""
    X = points(known.n_samples, known.n_constraints, on_grid)
    n_clusters = min(n_clusters, known.n_samples)
    for cut in ("whole", "resolved", "last"):
        model = ReCon(n_clusters, cut=cut)
        if not known.is_consistent():
            with pytest.raises(InconsistentConstraintsError) as caught:
                model.fit(X, constraints=known)
            assert not caught.value.witness.is_consistent()
            return
        if units_of(known).max() + 1 < n_clusters:
            return
        model.fit(X, constraints=known)
        assert model.hierarchy_.displays(known.triplets).all()
        report = model.constraint_report_
        assert "must_link" not in report or not report["must_link"].violated
    last, whole, resolved = (
        ReCon(n_clusters, cut=cut).fit(X, constraints=known).constraint_report_
        for cut in ("last", "whole", "resolved")
    )
    if "cannot_link" in last and not last["cannot_link"].violated:
        assert not whole["cannot_link"].violated
        assert not resolved["cannot_link"].violated


@given(constraint_sets(min_samples=3, max_samples=5, max_size=4))
def test_units_are_what_must_be_one_cluster(known):
    if not known.is_consistent():
        return
    units = units_of(known)
    samples = range(known.n_samples)
    tables = [
        [tuple(row) for row in getattr(known, kind).tolist()]
        for kind in ("must_link", "cannot_link", "triplets")
    ]
    for a in samples:
        for b in range(a):
            apart = [*tables[1], (a, b)]
            can_part = has_clustered_hierarchy(samples, tables[0], apart, tables[2])
            if units[a] == units[b]:
                assert not can_part
            elif not tables[1]:
                assert can_part


def test_a_triplet_ties_a_third_sample_to_a_must_link():
    # 0 and 1 are one cluster and 2 joins 0 before 1 does, so that 2 is in it.
    known = Constraints(4, must_link=[(0, 1)], triplets=[(0, 2, 1)])
    assert units_of(known).tolist() == [0, 0, 0, 1]
    X = np.array([[0.0], [1.0], [50.0], [2.0]])
    model = ReCon(2).fit(X, constraints=known)
    assert model.labels_.tolist() == [0, 0, 0, 1]
    assert model.hierarchy_.to_newick() == "(((0,2),1),3);"
    assert model.constraint_report_.all_satisfied


def test_forced_merges_break_the_lightest_cannot_link():
    X = np.array([[0.0], [1.0], [5.0]])
    known = Constraints(
        3, cannot_link=[(0, 1), (1, 2), (0, 2)], cannot_link_weights=[3.0, 1.0, 2.0]
    )
    model = ReCon(2, cut="last").fit(X, constraints=known)
    assert model.labels_.tolist() == [0, 1, 1]
    assert model.constraint_report_["cannot_link"].rows.tolist() == [1]


@pytest.mark.parametrize("linkage", ["centroid", "ward"])
def test_without_constraints_it_is_scipys_linkage(linkage, global_random_seed):
    X = np.random.default_rng(global_random_seed).normal(size=(200, 3))
    theirs = scipy_linkage(X, linkage)
    ours = ReCon(5, linkage=linkage, cut="last").fit(X)
    np.testing.assert_array_equal(ours.linkage_[:, [0, 1, 3]], theirs[:, [0, 1, 3]])
    np.testing.assert_allclose(ours.merge_distances_, theirs[:, 2])
    expected = fcluster(ours.linkage_, 5, "maxclust")
    assert len({*zip(ours.labels_, expected, strict=True)}) == 5


@pytest.mark.parametrize("linkage", ["centroid", "ward"])
@given(problem=problems(max_samples=10))
def test_ward_displays_triplets_too(linkage, problem):
    X, known = problem
    model = ReCon(1, linkage=linkage).fit(X, constraints=known)
    assert model.hierarchy_.displays(known.triplets).all()


def test_must_links_start_as_their_centroid():
    X = np.array([[0.0], [4.0], [2.2], [7.0], [8.0]])
    model = ReCon(2).fit(X, constraints=Constraints(5, must_link=[(0, 1)]))
    # 2 is 0.2 from the centroid of 0 and 1.
    np.testing.assert_allclose(model.merge_distances_[:3], [4.0, 0.2, 1.0])


@given(problems(max_samples=12), st.integers(0, 1000))
def test_samples_in_any_order(problem, seed):
    X, known = problem
    rng = np.random.default_rng(seed)
    X = X + 1e-3 * rng.random(X.shape)  # no ties
    order = rng.permutation(len(X))
    k = min(3, len(X))
    straight = ReCon(k).fit(X, constraints=known)
    mixed = ReCon(k).fit(X[order], constraints=known[order])
    np.testing.assert_allclose(straight.merge_distances_, mixed.merge_distances_)
    pairs = {*zip(straight.labels_[order].tolist(), mixed.labels_.tolist(), strict=True)}
    assert len(pairs) == k


def test_noise_is_repaired_and_told():
    X, y = make_blobs(60, n_features=3, centers=3, random_state=0)
    true = Constraints.from_labels(y, n_triplets=150, random_state=0)
    wrong = true.triplets[:5][:, [0, 2, 1]]
    given_ = Constraints(60, triplets=np.concatenate((true.triplets, wrong)))
    with pytest.raises(InconsistentConstraintsError) as caught:
        ReCon(3).fit(X, constraints=given_)
    assert 2 <= caught.value.witness.n_constraints <= given_.n_constraints
    model = ReCon(3, noise="repair").fit(X, constraints=given_)
    assert 0 < model.dropped_.n_constraints <= 10
    assert model.constraint_report_.constraints == given_
    assert model.constraint_report_["triplets"].total == 155
    kept, _ = given_.repair()
    assert model.hierarchy_.displays(kept.triplets).all()
    assert ReCon(3).fit(X, constraints=true).dropped_ == Constraints(60)


def test_a_metric_moves_the_samples():
    X, y = load_iris(return_X_y=True)
    known = Constraints.from_labels(y, n_triplets=100, random_state=0)
    fitted = RelativeMetric().fit(X, constraints=known)
    expected = ReCon(3).fit(fitted.transform(X), constraints=known).labels_.tolist()
    for metric in (fitted, FrozenEstimator(fitted), RelativeMetric()):
        model = ReCon(3, metric=metric).fit(X, constraints=known)
        assert model.labels_.tolist() == expected
    assert clone(ReCon(3, metric=fitted)).fit(X, constraints=known).labels_.tolist() == expected
    scaled = ReCon(3, metric=StandardScaler()).fit(X, constraints=known)
    np.testing.assert_allclose(scaled.metric_.mean_, X.mean(axis=0))
    moved = ReCon(3).fit(StandardScaler().fit_transform(X), constraints=known)
    assert scaled.labels_.tolist() == moved.labels_.tolist()


def test_frames_pickles_and_single_precision():
    X, y = load_iris(return_X_y=True, as_frame=True)
    known = Constraints.from_labels(y, n_triplets=100, random_state=0)
    model = pickle.loads(pickle.dumps(ReCon(3).fit(X, constraints=known)))
    assert model.feature_names_in_.tolist() == X.columns.tolist()
    single = ReCon(3).fit(pd.DataFrame(X).to_numpy(np.float32), constraints=known)
    assert single.hierarchy_.displays(known.triplets).all()


def test_routed_constraints_are_displayed_in_every_fold():
    X, y = load_iris(return_X_y=True)
    known = Constraints.from_labels(y, n_triplets=300, random_state=0)
    pipeline = make_pipeline(StandardScaler(), ReCon(3, metric=RelativeMetric()))
    with config_context(enable_metadata_routing=True):
        result = cross_validate(
            pipeline,
            X,
            y,
            cv=KFold(3, shuffle=True, random_state=0),
            scoring=lambda estimator, X, y: 0.0,
            params={"constraints": known},
            return_estimator=True,
            return_indices=True,
        )
    for model, train in zip(result["estimator"], result["indices"]["train"], strict=True):
        assert model[-1].constraint_report_.constraints == known[train]
        assert model[-1].hierarchy_.displays(known[train].triplets).all()


@parametrize_with_checks([ReCon(), ReCon(cut="resolved"), ReCon(cut="last")])
def test_scikit_learns_checks(estimator, check):
    check(estimator)
