"""Whether so many clusters can keep the cannot-links."""

import re
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from clustraint import Constraints
from clustraint.exceptions import InconsistentConstraintsError, TooFewClustersError
from tests.contradictions import assert_part_of, contradiction_of, tables
from tests.reference import closure as pairs_reference
from tests.strategies_constraints import (
    constraint_sets,
    labelled_pairs,
    members,
    without_one,
)


@given(
    constraint_sets(min_samples=3, max_samples=6, max_size=4, kinds=("must_link",)),
    st.data(),
    st.integers(1, 4),
)
def test_too_few_clusters_against_all_clusterings(ties, data, n_clusters):
    labels = ties.component_labels
    pairs = combinations(range(ties.n_samples), 2)
    apart = [(a, b) for a, b in pairs if labels[a] != labels[b]]
    assume(apart)
    rows = data.draw(st.lists(st.sampled_from(apart), max_size=15))
    assert_right_about(ties | Constraints(ties.n_samples, cannot_link=rows), n_clusters)


def assert_right_about(constraints, n_clusters):
    must_link, cannot_link, _ = tables(constraints)
    n_samples = constraints.n_samples
    fits = pairs_reference.fits(n_samples, must_link, cannot_link, n_clusters)
    error = crowding_of(constraints, n_clusters)
    if error is None:
        # With 1 or 2 clusters the answer is always known.
        assert fits or n_clusters > 2
        return
    assert not fits
    assert_part_of(error.witness, constraints)
    assert_minimal_for(error.witness, n_clusters)
    assert str(error).startswith(f"{n_clusters} cluster")
    assert str(error).endswith(".")


def crowding_of(constraints, n_clusters):
    try:
        constraints.check(n_clusters=n_clusters)
    except TooFewClustersError as error:
        return error
    return None


def assert_minimal_for(witness, n_clusters):
    def fits(constraints):
        must_link, cannot_link, _ = tables(constraints)
        return pairs_reference.fits(constraints.n_samples, must_link, cannot_link, n_clusters)

    assert not fits(witness)
    assert all(map(fits, without_one(witness)))


@given(labelled_pairs(max_size=12), st.integers(1, 4))
def test_pairs_of_labels_and_the_number_of_clusters(constraints, n_clusters):
    assert_right_about(constraints, n_clusters)


@pytest.mark.slow
def test_too_few_clusters_against_all_clusterings_many_times(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    for _ in range(3_000):
        n_samples = int(rng.integers(2, 8))
        ties = rng.integers(n_samples, size=(rng.integers(0, 4), 2))
        ties = Constraints(n_samples, must_link=ties[ties[:, 0] != ties[:, 1]])
        rows = rng.integers(n_samples, size=(rng.integers(1, 20), 2))
        apart = ties.component_labels[rows]
        constraints = ties | Constraints(n_samples, cannot_link=rows[apart[:, 0] != apart[:, 1]])
        for n_clusters in (1, 2, 3, 4):
            assert_right_about(constraints, n_clusters)


@pytest.mark.parametrize("n_clusters", [2, 3, 6, 12])
def test_a_clique_is_found_among_others(n_clusters, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    crowd = np.sort(rng.permutation(60)[: n_clusters + 1]).tolist()
    clique = list(combinations(crowd, 2))
    cannot_link = [*clique, *((i, i + 1) for i in range(0, 58, 2))]
    names = [f"animal {i}" for i in range(60)]
    constraints = Constraints(60, cannot_link=cannot_link, names=names)
    constraints.check(n_clusters=n_clusters + 1)
    error = contradiction_of(constraints, n_clusters=n_clusters)
    assert error.witness == Constraints(60, cannot_link=clique, names=names)
    said = {int(number) for number in re.findall(r"animal (\d+)", str(error))}
    assert said == set(crowd) or (len(crowd) > 12 and said < set(crowd))


def test_messages_about_too_few_clusters_name_the_samples():
    constraints = Constraints.from_names(
        ["dog", "wolf", "hen", "duck", "trout"],
        must_link=[("dog", "wolf")],
        cannot_link=[("dog", "hen"), ("wolf", "trout"), ("hen", "trout"), ("hen", "duck")],
    )
    error = contradiction_of(constraints, n_clusters=2)
    assert type(error) is TooFewClustersError
    assert re.match(r"2 clusters cannot hold 3 samples .*: .*\.$", str(error))
    for name in ("hen", "trout"):
        assert name in str(error)
    assert "duck" not in str(error)
    # The must-link ties the ends of two of the cannot-links.
    assert members(error.witness) == [
        ("cannot_link", (0, 2), 1),
        ("cannot_link", (1, 4), 1),
        ("cannot_link", (2, 4), 1),
        ("must_link", (0, 1), 1),
    ]
    constraints.check(n_clusters=3)


@pytest.mark.parametrize("n_samples", [5, 7, 9, 10_001])
def test_an_odd_ring_needs_three_clusters(n_samples):
    ring = np.stack((np.arange(n_samples), np.roll(np.arange(n_samples), -1)), axis=1)
    constraints = Constraints(n_samples + 3, cannot_link=ring)
    error = contradiction_of(constraints, n_clusters=2)
    assert type(error) is TooFewClustersError
    assert error.witness == constraints
    assert "ring" in str(error)
    assert f"{n_samples:,}" in str(error)
    assert len(str(error)) < 500
    constraints.check(n_clusters=3)
    constraints.check()


def test_a_ring_through_must_links():
    # 0 != 1 = 2 != 3 = 4 != 5 != 6 = 7 != 0
    constraints = Constraints(
        12,
        must_link=[(1, 2), (3, 4), (6, 7), (8, 9), (10, 11)],
        cannot_link=[(0, 1), (2, 3), (4, 5), (5, 6), (7, 0), (8, 10)],
    )
    witness = contradiction_of(constraints, n_clusters=2).witness
    assert_minimal_for_two(witness)
    assert len(witness.cannot_link) == 5
    assert len(witness.must_link) == 3


def assert_minimal_for_two(witness):
    assert crowding_of(witness, 2) is not None
    assert all(crowding_of(rest, 2) is None for rest in without_one(witness))


@pytest.mark.parametrize("n_samples", [4, 6, 10_000])
def test_an_even_ring_needs_two_clusters(n_samples):
    ring = np.stack((np.arange(n_samples), np.roll(np.arange(n_samples), -1)), axis=1)
    constraints = Constraints(n_samples, cannot_link=ring)
    constraints.check(n_clusters=2)
    assert type(contradiction_of(constraints, n_clusters=1)) is TooFewClustersError


def test_a_contradiction_comes_before_the_number_of_clusters():
    constraints = Constraints(4, must_link=[(0, 1)], cannot_link=[(0, 1), (0, 2), (0, 3), (2, 3)])
    assert type(contradiction_of(constraints, n_clusters=1)) is InconsistentConstraintsError
    triplets = Constraints(4, cannot_link=[(0, 1)], triplets=[(0, 1, 2), (0, 2, 1)])
    assert type(contradiction_of(triplets, n_clusters=1)) is InconsistentConstraintsError
