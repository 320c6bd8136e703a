"""Generated data are what their descriptions say, whatever the seed."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import kstest

from clustraint import Hierarchy
from clustraint.datasets import _rule_clusters as rule_clusters
from clustraint.datasets import (
    load,
    make_cell_walls,
    make_circles,
    make_label_tree,
    make_rule_clusters,
    make_storm_clouds,
    make_text_hierarchy,
    make_xor,
)
from clustraint.exceptions import InvalidParameterError

SEEDS = st.integers(0, 2**32)
SHAPES = [make_circles, make_cell_walls, make_xor, make_storm_clouds]


def radii(X, centre=(0, 0)):
    return np.hypot(*(X - centre).T)


@pytest.mark.parametrize("make", [*SHAPES, make_rule_clusters, make_text_hierarchy])
def test_the_same_seed_gives_the_same_data(make, global_random_seed):
    first, second, other = (
        make(random_state=seed)
        for seed in (
            global_random_seed,
            np.random.default_rng(global_random_seed),
            global_random_seed + 1,
        )
    )
    dense = [X.toarray() if hasattr(X, "toarray") else X for X in (first[0], second[0], other[0])]
    np.testing.assert_array_equal(dense[0], dense[1])
    np.testing.assert_array_equal(first[1], second[1])
    assert dense[0].shape != dense[2].shape or not np.array_equal(dense[0], dense[2])


@pytest.mark.parametrize(
    ("make", "counts"),
    list(zip(SHAPES, [(50, 100), (60, 120), (80, 80), (80, 80)], strict=True)),
)
def test_shapes_have_the_sizes_of_their_classes(make, counts, global_random_seed):
    X, y = make(random_state=global_random_seed)
    assert X.dtype == np.float64
    assert y.dtype == np.int64
    assert X.shape == (len(y), 2)
    assert tuple(np.bincount(y)) == counts


@given(SEEDS)
def test_circles_are_a_disc_and_a_ring(seed):
    X, y = make_circles(random_state=seed)
    assert radii(X[y == 0]).max() <= 1
    assert np.abs(radii(X[y == 1]) - 3).max() < 0.7
    angles = np.arctan2(X[y == 1, 1], X[y == 1, 0]) % (2 * np.pi)
    assert np.floor(angles * 100 / (2 * np.pi)).astype(int).tolist() == list(range(100))


@given(SEEDS)
def test_cells_have_a_core_and_a_wall(seed):
    X, y = make_cell_walls(random_state=seed)
    for cell, centre in enumerate([(0, 0), (4.5, 0)]):
        part = slice(90 * cell, 90 * (cell + 1))
        inner, outer = (radii(X[part][y[part] == label], centre) for label in (0, 1))
        assert (len(inner), len(outer)) == (30, 60)
        assert inner.max() <= 0.5
        assert np.abs(outer - 2).max() < 0.7


@given(SEEDS)
def test_xor_is_the_sign_of_the_product(seed):
    X, y = make_xor(random_state=seed)
    assert ((X.prod(axis=1) > 0) == y).all()
    assert np.abs(X).min() >= 0.1
    assert np.abs(X).max() <= 1.1
    assert np.unique(X > 0, axis=0, return_counts=True)[1].tolist() == [40] * 4


@given(SEEDS)
def test_storm_clouds_are_two_banks_of_puffs(seed):
    X, y = make_storm_clouds(random_state=seed)
    across = X[:, 1] - np.where(y == 0, 1.5, 0)
    along = X[:, 0].reshape(2, 80) - np.resize(np.arange(0, 11, 2), 80)
    assert np.abs(across).max() < 0.2 * 7
    assert np.abs(along).max() < 0.758 * 7


def test_spreads_are_as_stated():
    rng = np.random.default_rng(0)
    rings = [make_circles(random_state=rng) for _ in range(50)]
    outer = np.concatenate([radii(X[y == 1]) for X, y in rings])
    inner = np.concatenate([radii(X[y == 0]) for X, y in rings])
    assert kstest(outer, "norm", (3, 0.1)).pvalue > 1e-4
    # Even over the disc: squared radii are even from 0 to 1.
    assert kstest(inner**2, "uniform").pvalue > 1e-4
    clouds = np.array([make_storm_clouds(random_state=rng)[0] for _ in range(50)])
    along = clouds.reshape(50, 2, 80, 2)[..., 0] - np.resize(np.arange(0, 11, 2), 80)
    assert kstest(along.ravel(), "norm", (0, 0.758)).pvalue > 1e-4


@st.composite
def parameters(draw):
    """Sizes with room for samples outside of all rules."""
    n_attributes = draw(st.integers(8, 30))
    k = draw(st.integers(1, 6))
    return {
        "n_samples": draw(st.integers(1, 80)),
        "n_clusters": k,
        "n_attributes": n_attributes,
        "n_literals": draw(st.integers(1, n_attributes)),
        "n_constrained": draw(st.integers(0, k)),
        "exactly": draw(st.booleans()),
        "random_state": draw(SEEDS),
    }


@given(parameters())
def test_each_rule_is_true_of_its_cluster_and_of_no_other_sample(parameters):
    assume(parameters["n_literals"] < parameters["n_attributes"] or parameters["n_constrained"] < 2)
    X, y, rules = make_rule_clusters(**parameters)
    assert X.dtype == bool
    assert X.shape == (parameters["n_samples"], parameters["n_attributes"])
    assert len(rules) == parameters["n_constrained"]
    assert y.min() >= 0
    assert y.max() < parameters["n_clusters"]
    for cluster, rule in enumerate(rules):
        assert rule.exactly is parameters["exactly"]
        assert len(rule.attributes) == parameters["n_literals"]
        assert (rule.scope(X) == (y == cluster)).all()


@pytest.mark.parametrize(
    "sizes",
    [
        {"n_literals": 60},
        {"n_literals": 1, "n_constrained": 20, "n_samples": 100},
        {"n_attributes": 20, "n_literals": 1, "n_constrained": 20, "n_samples": 100},
        {"n_constrained": 20},
        {"n_attributes": 1000},
        {"n_samples": 40},
    ],
    ids=str,
)
@pytest.mark.parametrize("exactly", [False, True])
def test_the_ends_of_the_papers_ranges(sizes, exactly, global_random_seed):
    X, y, rules = make_rule_clusters(**sizes, exactly=exactly, random_state=global_random_seed)
    assert all((rule.scope(X) == (y == c)).all() for c, rule in enumerate(rules))


def plan_of(n_samples, seed, exactly):
    """The hidden medoids and rules of the default sizes, and samples drawn from them."""
    rng = np.random.default_rng(seed)
    plan = rule_clusters._draw_plan(20, 100, 4, 4, exactly, rng)
    y = rng.integers(20, size=n_samples)
    return plan, rule_clusters._draw_samples(plan, y, (10, 50), rng), y


def test_samples_are_as_far_from_their_medoids_as_the_paper_says(global_random_seed):
    plan, X, y = plan_of(40_000, global_random_seed, exactly=False)
    inverted = plan.medoids[y] != X
    distances = inverted.sum(axis=1)
    assert abs(plan.medoids.mean() - 0.3) < 0.06
    # What is still in a foreign scope after many draws has a literal of each such rule inverted.
    is_foreign = rule_clusters._foreign(plan, plan.medoids, np.arange(20)).any(axis=1)
    assert distances[(y >= 4) & ~is_foreign[y]].max(initial=10) == 10
    assert distances[y >= 4].max() <= 10 + len(plan.attributes)
    assert distances[y < 4].max() == 50
    assert not inverted[y < 4].all(axis=0).any()
    for cluster, attributes in enumerate(plan.attributes):
        assert not inverted[y == cluster][:, attributes].any()
    # A medoid in a foreign scope has no sample at distance 0.
    clear = np.flatnonzero(~is_foreign)
    for among, most in ((clear[clear >= 4], 10), (clear[clear < 4], 50)):
        if len(among):
            counts = np.bincount(distances[np.isin(y, among)], minlength=most + 1)
            assert np.abs(counts / counts.sum() - 1 / (most + 1)).max() < 0.02


def test_an_exactly_cluster_overlaps_another(global_random_seed):
    plan, _, _ = plan_of(1, global_random_seed, exactly=True)
    apart = plan.medoids[:4, np.newaxis] != plan.medoids[np.newaxis, 4:]
    for cluster, partner in enumerate(apart.sum(axis=2).argmin(axis=1)):
        # A tenth of the attributes, and the four of the rule unless they are among them.
        assert 10 <= apart[cluster, partner].sum() <= 14
        assert apart[cluster, partner, plan.attributes[cluster]].all()


def test_where_all_clusters_are_constrained_each_overlaps_an_earlier_one(global_random_seed):
    plan = rule_clusters._draw_plan(5, 200, 3, 5, True, np.random.default_rng(global_random_seed))
    for cluster in range(1, 5):
        apart = (plan.medoids[cluster] != plan.medoids[:cluster]).sum(axis=1)
        assert 20 <= apart.min() <= 23


def test_where_redrawing_does_not_help_literals_are_inverted(monkeypatch, global_random_seed):
    monkeypatch.setattr(rule_clusters, "REDRAWS", 0)
    X, y, rules = make_rule_clusters(
        500, 20, 50, 1, 15, exactly=True, random_state=global_random_seed
    )
    assert all((rule.scope(X) == (y == c)).all() for c, rule in enumerate(rules))


def test_rules_that_leave_no_room_are_an_error(monkeypatch):
    plan = rule_clusters._RulePlan(
        np.array([[True], [False], [True]]), np.array([[0], [0]]), np.array([[True], [False]])
    )
    monkeypatch.setattr(rule_clusters, "INVERSIONS", 50)
    with pytest.raises(InvalidParameterError, match="the rules leave no room outside of them"):
        rule_clusters._draw_samples(plan, np.array([2]), (0, 1), np.random.default_rng(0))


@given(
    st.lists(
        st.integers(1, 4) | st.tuples(st.integers(1, 2), st.integers(2, 4)), min_size=1, max_size=4
    ),
    st.integers(1, 3) | st.tuples(st.integers(1, 2), st.integers(2, 3)),
    st.booleans(),
    SEEDS,
)
def test_label_trees_branch_as_asked(branching, sizes, inner, seed):
    paths = make_label_tree(branching, sizes, inner=inner, random_state=seed)
    classes = {tuple(path.split("/")) for path in paths}
    nodes = {path[:depth] for path in classes for depth in range(len(path) + 1)}
    for node in nodes - {path for path in classes if len(path) == len(branching)}:
        children = sorted(int(each[-1]) for each in nodes if each and each[:-1] == node)
        bounds = branching[len(node)]
        least, most = bounds if isinstance(bounds, tuple) else (bounds, bounds)
        assert children == list(range(len(children)))
        assert least <= len(children) <= most
    assert {len(path) for path in classes} == (
        set(range(1, len(branching) + 1)) if inner else {len(branching)}
    )
    least, most = sizes if isinstance(sizes, tuple) else (sizes, sizes)
    assert all(least <= paths.count(path) <= most for path in set(paths))
    assert Hierarchy.from_paths(paths).n_samples == len(paths)


def test_texts_are_rows_of_the_paths_given():
    paths = ["1", "0/1", "", "0/0", "0/1", "1"]
    X, returned = make_text_hierarchy(paths, n_words=500, length=2000, random_state=0)
    assert returned == tuple(paths)
    assert X.shape == (6, 500)
    profiles = X.toarray() / X.sum(axis=1)[:, np.newaxis]
    apart = np.abs(profiles[:, np.newaxis] - profiles).sum(axis=2)
    assert apart[0, 5] < apart[0, [1, 2, 3, 4]].min()
    assert apart[1, 4] < apart[1, [0, 2, 3, 5]].min()
    assert apart[1, 3] < apart[1, 0]


def test_topics_share_words_the_more_of_their_path_they_share(global_random_seed):
    X, paths = make_text_hierarchy(
        make_label_tree((3, 3, 3), 5), topic_share=0.5, length=400, random_state=global_random_seed
    )
    profiles = X.toarray() / X.sum(axis=1)[:, np.newaxis]
    similarity = profiles @ profiles.T
    shared = np.array([[_shared(p, q) for q in paths] for p in paths])
    means = [similarity[shared == level].mean() for level in range(4)]
    assert means == sorted(means)


def _shared(first, second):
    parts = list(zip(first.split("/"), second.split("/"), strict=True))
    return next((place for place, (a, b) in enumerate(parts) if a != b), len(parts))


def test_words_follow_zipfs_law():
    X, _ = make_text_hierarchy([""] * 200, n_words=1000, length=500, random_state=0)
    frequencies = np.asarray(X.sum(axis=0), float)
    ranks = np.arange(1, 101)
    slope = np.polyfit(np.log(ranks + 2.7), np.log(frequencies[:100]), 1)[0]
    assert abs(slope + 1) < 0.1
    lengths = np.asarray(X.sum(axis=1))
    assert lengths.min() >= 1
    assert 400 < np.median(lengths) < 600


def test_no_topic_share_no_topics(global_random_seed):
    paths = make_label_tree((2,), 100)
    X, _ = make_text_hierarchy(paths, topic_share=0, length=500, random_state=global_random_seed)
    profiles = [np.asarray(X[rows].sum(axis=0), float) for rows in (slice(100), slice(100, 200))]
    first, second = (profile / profile.sum() for profile in profiles)
    assert np.abs(first - second).sum() < 0.25


def test_generators_by_name(global_random_seed):
    data = load("rule-clusters", n_samples=60, random_state=global_random_seed)
    made = make_rule_clusters(60, random_state=global_random_seed)
    np.testing.assert_array_equal(data.X, made.X)
    assert data.rules == made.rules
    assert all((rule.scope(data.X) == (data.y == c)).all() for c, rule in enumerate(data.rules))
    assert (
        f"make_rule_clusters(n_samples=60, random_state={global_random_seed})" in data.description
    )
    np.testing.assert_array_equal(load("xor").X, make_xor(random_state=0)[0])
    texts = load("text-hierarchy")
    assert texts.hierarchy.n_samples == len(texts.paths) == texts.X.shape[0]


@pytest.mark.parametrize("n_attributes", [20, 100, 300])
def test_the_spread_of_rule_clusters_is_a_share_or_a_number(n_attributes, global_random_seed):
    def differences(spread):
        data = make_rule_clusters(
            2000, 2, n_attributes, 2, 0, spread=spread, random_state=global_random_seed
        )
        first = data.X[data.y == 0]
        return int((first[:, np.newaxis] != first[:200]).sum(axis=2).max())

    assert differences((0, 0.5)) == differences((0.0, 0.5)) == 0
    assert differences((3, 0.5)) <= 6
    assert differences((0.1, 0.5)) <= 2 * n_attributes // 10
    # More than there are means all.
    assert differences((10**6, 0.5)) == differences((1.0, 0.5))
