"""Constraints drawn from labels: uniformly, from labelled samples only, repeatably."""

from collections import Counter
from itertools import combinations, permutations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from clustraint import Constraints
from clustraint.exceptions import ClustraintError, InvalidLabelsError, LargeResultWarning
from tests.strategies_constraints import members

# No test may fail more often than once in a million runs.
RARE = 1e-6

# A large class, a small one and a single sample, the last samples not being of the first classes;
# one unlabelled sample in the midst and one at the start.
LABELS = [-1, 0, 2, 0, 1, 0, -1, 1, 2, 0, 3]
KNOWN = [sample for sample, label in enumerate(LABELS) if label != -1]


def valid_triplets(labels):
    known = [sample for sample, label in enumerate(labels) if label != -1]
    return [
        (a, b, c)
        for a, b in combinations(known, 2)
        for c in known
        if labels[a] == labels[b] != labels[c]
    ]


def assert_uniform(drawn, possible):
    counts = Counter(drawn)
    assert set(counts) <= set(possible)
    assert chisquare([counts[item] for item in possible]).pvalue > RARE


def samples_in(constraints):
    return {sample for _, row, _ in members(constraints) for sample in row}


# Pairs


def test_pairs_are_uniform_over_all_pairs_of_labelled_samples(global_random_seed):
    drawn = Constraints.from_labels(LABELS, n_pairs=40_000, random_state=global_random_seed)
    pairs = [*map(tuple, drawn.must_link.tolist()), *map(tuple, drawn.cannot_link.tolist())]
    assert len(pairs) == 40_000
    assert_uniform(pairs, list(combinations(KNOWN, 2)))


def test_pairs_of_many_small_draws_are_uniform(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    pairs = []
    for _ in range(4_000):
        drawn = Constraints.from_labels([0, 0, 1, 1, 1], n_pairs=1, random_state=rng)
        pairs += [tuple(row) for _, row, _ in members(drawn)]
    assert_uniform(pairs, list(combinations(range(5), 2)))


def test_pairs_are_drawn_independently(global_random_seed):
    # The second pair is as likely to repeat the first as any other one.
    rng = np.random.default_rng(global_random_seed)
    both = []
    for _ in range(4_000):
        drawn = Constraints.from_labels([0, 0, 0], n_pairs=2, random_state=rng)
        both.append(tuple(sorted(map(tuple, drawn.must_link.tolist()))))
    pairs = list(combinations(range(3), 2))
    counts = Counter(both)
    observed = [counts[p, p] for p in pairs] + [counts[p, q] for p, q in combinations(pairs, 2)]
    assert sum(observed) == 4_000
    expected = [4_000 / 9] * 3 + [4_000 * 2 / 9] * 3
    assert chisquare(observed, expected).pvalue > RARE


def test_labels_decide_the_kind_of_a_pair(global_random_seed):
    drawn = Constraints.from_labels(LABELS, n_pairs=500, random_state=global_random_seed)
    labels = np.array(LABELS)
    for kind, equal in (("must_link", True), ("cannot_link", False)):
        rows = getattr(drawn, kind)
        assert len(rows)
        assert ((labels[rows[:, 0]] == labels[rows[:, 1]]) == equal).all()
        assert (getattr(drawn, f"{kind}_weights") == 1).all()
    assert drawn.n_samples == len(LABELS)
    assert drawn.is_consistent()


def test_two_labelled_samples_are_enough_for_pairs():
    drawn = Constraints.from_labels([-1, 5, -1, 5], n_pairs=3, random_state=0)
    assert drawn.must_link.tolist() == [[1, 3]] * 3
    drawn = Constraints.from_labels(["a", None, "b"], n_pairs=3, random_state=0)
    assert drawn.cannot_link.tolist() == [[0, 2]] * 3


# Triplets


def test_triplets_are_uniform_over_all_valid_ones(global_random_seed):
    drawn = Constraints.from_labels(LABELS, n_triplets=60_000, random_state=global_random_seed)
    triplets = list(map(tuple, drawn.triplets.tolist()))
    assert len(triplets) == 60_000
    assert_uniform(triplets, valid_triplets(LABELS))


def test_triplets_of_many_small_draws_are_uniform(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    labels = [0, 0, 0, 1, 1]
    triplets = []
    for _ in range(4_000):
        drawn = Constraints.from_labels(labels, n_triplets=1, random_state=rng)
        triplets += map(tuple, drawn.triplets.tolist())
    assert_uniform(triplets, valid_triplets(labels))


@given(
    st.lists(st.integers(-1, 3), min_size=3, max_size=12),
    st.integers(0, 20),
    st.integers(0, 2**32 - 1),
)
def test_triplets_are_valid_for_any_labels(labels, n_triplets, seed):
    possible = valid_triplets(labels)
    if n_triplets and not possible:
        with pytest.raises(InvalidLabelsError, match="triplets need a class of 2 or more"):
            Constraints.from_labels(labels, n_triplets=n_triplets, random_state=seed)
        return
    drawn = Constraints.from_labels(labels, n_triplets=n_triplets, random_state=seed)
    assert len(drawn.triplets) == n_triplets
    assert set(map(tuple, drawn.triplets.tolist())) <= set(possible)
    assert drawn.is_consistent()


def test_pairs_and_triplets_in_one_draw_are_consistent(global_random_seed):
    drawn = Constraints.from_labels(
        LABELS, n_pairs=100, n_triplets=100, random_state=global_random_seed
    )
    assert drawn.n_constraints == 200
    drawn.check(n_clusters=4)


# Labels of all types


@pytest.mark.parametrize(
    "labels",
    [
        ["a", "a", None, "b", "b"],
        ["a", "a", float("nan"), "b", "b"],
        ["a", "a", -1, "b", "b"],
        [0, 0, -1, 1, 1],
        [0.5, 0.5, np.nan, 1.5, 1.5],
        [0.5, 0.5, -1.0, 1.5, 1.5],
        [7, 7, None, -2, -2],
        [True, True, -1, False, False],
        [("a", 1), ("a", 1), None, ("a", 2), ("a", 2)],
        np.array([0, 0, -1, 1, 1], np.int8),
        np.array(["a", "a", None, "b", "b"], object),
        np.array(["a", "a", np.nan, "b", "b"], object),
        np.array([0, 0, np.nan, 1, 1], np.float32),
        np.ma.masked_equal([0, 0, -1, 1, 1], 7),
        pd.Series(["a", "a", None, "b", "b"], index=list("vwxyz")),
        pd.Series(["a", "a", None, "b", "b"], dtype="string"),
        pd.Series([0, 0, None, 1, 1], dtype="Int64"),
        pd.Series([0, 0, -1, 1, 1]),
        pd.Categorical(["a", "a", None, "b", "b"]),
        pd.Index([0, 0, -1, 1, 1]),
        pl.Series(["a", "a", None, "b", "b"]),
        pl.Series([0, 0, None, 1, 1]),
    ],
    ids=lambda labels: f"{type(labels).__name__}-{getattr(labels, 'dtype', labels)}",
)
def test_unlabelled_samples_are_never_drawn(labels, global_random_seed):
    drawn = Constraints.from_labels(
        labels, n_pairs=200, n_triplets=100, random_state=global_random_seed
    )
    assert drawn.n_samples == 5
    assert samples_in(drawn) == {0, 1, 3, 4}
    assert set(map(tuple, drawn.must_link.tolist())) == {(0, 1), (3, 4)}
    same = Constraints.from_labels(
        [0, 0, -1, 1, 1], n_pairs=200, n_triplets=100, random_state=global_random_seed
    )
    assert drawn == same


def test_texts_that_look_unknown_are_labels():
    drawn = Constraints.from_labels(["-1", "nan", "None", ""], n_pairs=100, random_state=0)
    assert samples_in(drawn) == {0, 1, 2, 3}
    assert len(drawn.must_link) == 0


def test_bytes_and_dates_are_labels():
    for labels in (
        np.array([b"a", b"a", b"b"]),
        np.array(["2020-01-01", "2020-01-01", "2021-01-01"], "M8[D]"),
    ):
        drawn = Constraints.from_labels(labels, n_pairs=100, random_state=0)
        assert set(map(tuple, drawn.must_link.tolist())) == {(0, 1)}
    missing = np.array(["2020-01-01", "NaT", "2021-01-01"], "M8[D]")
    drawn = Constraints.from_labels(missing, n_pairs=10, random_state=0)
    assert samples_in(drawn) == {0, 2}


def test_names_go_along():
    drawn = Constraints.from_labels([0, 0, 1], n_pairs=2, random_state=0, names=list("abc"))
    assert drawn.names == ("a", "b", "c")


# Randomness


def draws(random_state):
    return Constraints.from_labels(LABELS, n_pairs=30, n_triplets=30, random_state=random_state)


def test_the_same_seed_gives_the_same(global_random_seed):
    seed = global_random_seed
    assert draws(seed) == draws(seed)
    assert draws(np.int64(seed)) == draws(seed)
    assert draws(np.random.RandomState(seed)) == draws(np.random.RandomState(seed))
    assert draws(np.random.default_rng(seed)) == draws(np.random.default_rng(seed))
    assert draws(seed) != draws(seed + 1)


def test_a_source_of_randomness_moves_on(global_random_seed):
    for source in (
        np.random.RandomState(global_random_seed),
        np.random.default_rng(global_random_seed),
    ):
        assert draws(source) != draws(source)


def test_no_seed_differs_from_call_to_call():
    assert draws(None) != draws(None)


def test_a_seed_leaves_the_global_state_alone():
    before = np.random.get_state()[1].tolist()
    draws(0)
    assert np.random.get_state()[1].tolist() == before


# Errors


@pytest.mark.parametrize("labels", [[], [0], [-1, -1], [None, 0], [np.nan, np.nan, 1.0]])
def test_pairs_need_two_labelled_samples(labels):
    with pytest.raises(
        InvalidLabelsError, match=r"pairs need 2 labelled samples, but y has [01]\."
    ):
        Constraints.from_labels(labels, n_pairs=1)
    assert Constraints.from_labels(labels) == Constraints(len(labels))


@given(st.lists(st.sampled_from([None, "a", "b", "c"]), max_size=8))
def test_all_pairs_entail_what_the_labels_say_and_nothing_else(labels):
    labelled = [place for place, label in enumerate(labels) if label is not None]
    pairs = list(combinations(labelled, 2))
    listed = Constraints(
        len(labels),
        must_link=[(a, b) for a, b in pairs if labels[a] == labels[b]],
        cannot_link=[(a, b) for a, b in pairs if labels[a] != labels[b]],
    )
    stated = Constraints.from_labels(labels)
    assert stated.closure() == listed
    assert stated == Constraints.from_labels(labels, n_pairs="all", n_triplets=0)
    classes = len({labels[place] for place in labelled})
    assert len(stated.must_link) == len(labelled) - classes
    assert len(stated.cannot_link) == classes * (classes - 1) // 2


@given(st.lists(st.sampled_from([None, "a", "b", "c"]), min_size=3, max_size=7))
def test_all_triplets_entail_what_the_labels_say_and_nothing_else(labels):
    stated = Constraints.from_labels(labels, n_triplets="all")
    assert stated.kinds in ((), ("triplets",))
    for a, b, c in permutations(range(len(labels)), 3):
        known = None not in (labels[a], labels[b], labels[c])
        meant = known and labels[a] == labels[b] != labels[c]
        assert stated.entails((a, b, c)) == meant


def test_labels_that_are_all_different_are_announced():
    with pytest.warns(LargeResultWarning, match="cannot-links between classes"):
        Constraints.from_labels(np.arange(4_600))


@pytest.mark.parametrize("labels", [[], [0, 0, 0], [0, 1, 2], [0, 0, -1], [-1, -1]])
def test_triplets_need_two_classes_one_of_them_of_two(labels):
    with pytest.raises(InvalidLabelsError, match=r"triplets need a class of 2 .* another"):
        Constraints.from_labels(labels, n_triplets=1)


@pytest.mark.parametrize(
    "labels",
    [
        [[0], [1]],
        [[0, 1], [1, 0]],
        [[0], [1, 2]],
        np.zeros((3, 1)),
        np.array(3),
        3,
        None,
        "abc",
        [{}, {}],
        pd.DataFrame({"y": [0, 1]}),
    ],
    ids=repr,
)
def test_labels_that_are_not_one_for_each_sample(labels):
    with pytest.raises(InvalidLabelsError, match="y must be one label for each sample"):
        Constraints.from_labels(labels, n_pairs=1)


@pytest.mark.parametrize("name", ["n_pairs", "n_triplets"])
@pytest.mark.parametrize("count", [-1, 1.0, "3", True, np.nan])
def test_counts_that_are_none(name, count):
    with pytest.raises(ClustraintError, match=f"{name} must be a whole number from 0"):
        Constraints.from_labels([0, 0, 1], **{name: count})


def test_many_draws_from_many_samples():
    labels = np.arange(100_000) % 7
    drawn = Constraints.from_labels(labels, n_pairs=50_000, n_triplets=50_000, random_state=0)
    assert drawn.n_constraints == 100_000
    a, b, c = labels[drawn.triplets].T
    assert (a == b).all()
    assert (a != c).all()
