"""What repair keeps is consistent, and what it drops is little and could not stay."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from clustraint import Constraints, Rule
from tests.strategies_constraints import KINDS, constraint_sets, labelled_pairs, members

PAIRS = ("must_link", "cannot_link")

mixed_sets = constraint_sets(max_size=8, weighted=True, ruled=True, named=True)


def weight(constraints):
    return sum(weight for _, _, weight in members(constraints))


def with_member(constraints, kind, row):
    return constraints | Constraints(constraints.n_samples, **{kind: [row]})


def assert_repaired(constraints):
    """Check what every repair promises; return what was kept and what was dropped."""
    kept, dropped = constraints.repair()
    assert kept.is_consistent()
    assert sorted(members(kept) + members(dropped)) == members(constraints)
    assert kept.rules == constraints.rules
    assert dropped.rules == ()
    assert kept.n_samples == dropped.n_samples == constraints.n_samples
    assert kept.names == dropped.names == constraints.names
    for kind, row, _ in members(dropped):
        assert not with_member(kept, kind, row).is_consistent()
    return kept, dropped


def balanced_triplets(depth, n_triplets, rng):
    """Uniform triplets of a balanced binary tree whose leaves are in random order."""
    n_samples = 2**depth
    code = rng.permutation(n_samples)
    rows = np.stack([rng.permutation(n_samples)[:3] for _ in range(n_triplets)])
    codes = code[rows]
    # Two samples meet the lower, the smaller the exclusive or of their leaves' numbers.
    apart = codes[:, [1, 0, 0]] ^ codes[:, [2, 2, 1]]
    out = np.argmin(apart, axis=1)
    order = np.array([(1, 2, 0), (0, 2, 1), (0, 1, 2)])[out]
    return np.take_along_axis(rows, order, axis=1)


@given(mixed_sets)
def test_every_repair_keeps_its_promises(constraints):
    assert_repaired(constraints)


@pytest.mark.parametrize("kinds", [PAIRS, ("triplets",), ("cannot_link", "triplets"), KINDS])
@given(data=st.data())
def test_every_repair_of_some_kinds_keeps_its_promises(kinds, data):
    assert_repaired(data.draw(constraint_sets(max_size=14, kinds=kinds, weighted=True)))


@given(mixed_sets | labelled_pairs(weighted=True))
def test_nothing_is_dropped_without_need(constraints):
    assume(constraints.is_consistent())
    kept, dropped = constraints.repair()
    assert kept == constraints
    assert dropped.n_constraints == 0


@pytest.mark.parametrize("n_samples", [0, 1, 3])
def test_nothing_to_repair(n_samples):
    nothing = Constraints(n_samples, rules=[Rule("milk")])
    assert nothing.repair() == (nothing, Constraints(n_samples))


@given(mixed_sets)
def test_repairing_twice_drops_nothing_more(constraints):
    kept, _ = constraints.repair()
    assert kept.repair() == (kept, kept.take())


# The light ones go


@pytest.mark.parametrize(
    ("must_weight", "cannot_weight", "goes"), [(1, 2, "must_link"), (2, 1, "cannot_link")]
)
def test_the_lighter_of_two_pairs_goes(must_weight, cannot_weight, goes):
    constraints = Constraints(
        3,
        must_link=[(0, 1)],
        cannot_link=[(0, 1)],
        must_link_weights=[must_weight],
        cannot_link_weights=[cannot_weight],
    )
    _, dropped = assert_repaired(constraints)
    assert dropped.kinds == (goes,)


@pytest.mark.parametrize("light", range(5))
def test_the_lightest_link_of_a_chain_goes(light):
    weights = np.full(5, 2.0)
    weights[light] = 1
    chain = [(i, i + 1) for i in range(5)]
    constraints = Constraints(
        6,
        must_link=chain,
        cannot_link=[(0, 5)],
        must_link_weights=weights,
        cannot_link_weights=[1.5],
    )
    _, dropped = assert_repaired(constraints)
    assert members(dropped) == [("must_link", chain[light], 1)]


@pytest.mark.parametrize("light", [0, 1, 2])
def test_the_lighter_of_rival_triplets_goes(light):
    rivals = [(0, 1, 2), (0, 2, 1), (1, 2, 0)]
    weights = np.full(3, 3.0)
    weights[light] = 7
    constraints = Constraints(5, triplets=rivals, triplets_weights=weights)
    kept, _ = assert_repaired(constraints)
    assert members(kept) == [("triplets", rivals[light], 7)]


def test_what_is_said_often_outweighs_what_is_said_once():
    constraints = Constraints(4, triplets=[(0, 1, 2)] * 3 + [(0, 2, 1)])
    _, dropped = assert_repaired(constraints)
    assert dropped.triplets.tolist() == [[0, 2, 1]]
    constraints = Constraints(4, must_link=[(0, 1)], cannot_link=[(0, 1)] * 2)
    _, dropped = assert_repaired(constraints)
    assert dropped.must_link.tolist() == [[0, 1]]
    constraints = Constraints(4, must_link=[(0, 1)] * 2, cannot_link=[(0, 1)])
    _, dropped = assert_repaired(constraints)
    assert dropped.cannot_link.tolist() == [[0, 1]]


def test_one_wrong_must_link_against_many_cannot_links():
    left, right = range(10), range(10, 20)
    must_link = [(i, i + 1) for side in (left, right) for i in side[:-1]]
    cannot_link = [(a, b) for a in left[::3] for b in right[::3]]
    constraints = Constraints(20, must_link=[*must_link, (4, 15)], cannot_link=cannot_link)
    _, dropped = assert_repaired(constraints)
    assert members(dropped) == [("must_link", (4, 15), 1)]


def test_one_wrong_must_link_between_groups_that_hang_together():
    groups = (range(6), range(6, 12))
    must_link = [(a, b) for group in groups for a in group for b in group if a < b]
    cannot_link = [(a, b) for a in groups[0] for b in groups[1][:2]]
    constraints = Constraints(12, must_link=[*must_link, (3, 9)], cannot_link=cannot_link)
    _, dropped = assert_repaired(constraints)
    assert members(dropped) == [("must_link", (3, 9), 1)]


def test_one_wrong_cannot_link_against_many_must_links():
    must_link = [(i, j) for i in range(6) for j in range(i)]
    constraints = Constraints(8, must_link=must_link, cannot_link=[(0, 5), (0, 7)])
    _, dropped = assert_repaired(constraints)
    assert members(dropped) == [("cannot_link", (0, 5), 1)]


def test_a_minimum_cut_of_several_must_links():
    # Two cliques of four joined by two light links, and three cannot-links across.
    cliques = [(i + 4 * k, j + 4 * k) for k in (0, 1) for i in range(4) for j in range(i)]
    constraints = Constraints(
        8,
        must_link=[*cliques, (0, 4), (1, 5)],
        cannot_link=[(0, 7), (2, 6), (3, 5)],
    )
    _, dropped = assert_repaired(constraints)
    assert members(dropped) == [("must_link", (0, 4), 1), ("must_link", (1, 5), 1)]


def test_pairs_and_triplets_that_contradict_jointly():
    constraints = Constraints(
        6,
        must_link=[(0, 2), (3, 4)],
        cannot_link=[(0, 1), (3, 5)],
        triplets=[(0, 1, 2), (3, 4, 5), (0, 2, 5)],
    )
    assert not constraints.is_consistent()
    _, dropped = assert_repaired(constraints)
    assert dropped.n_constraints == 1
    assert members(dropped)[0] in [
        ("must_link", (0, 2), 1),
        ("cannot_link", (0, 1), 1),
        ("triplets", (0, 1, 2), 1),
    ]


@pytest.mark.parametrize("light", KINDS)
def test_pairs_come_first_whatever_they_weigh(light):
    weights = {f"{kind}_weights": [1 if kind == light else 5] for kind in KINDS}
    constraints = Constraints(
        3, must_link=[(0, 2)], cannot_link=[(0, 1)], triplets=[(0, 1, 2)], **weights
    )
    _, dropped = assert_repaired(constraints)
    assert dropped.kinds == ("triplets",)


# Planted noise


@pytest.mark.parametrize(("depth", "n_triplets"), [(5, 800), (7, 3_000)])
def test_planted_noise_in_a_balanced_tree(depth, n_triplets, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    triplets = balanced_triplets(depth, n_triplets, rng)
    clean = Constraints(2**depth, triplets=triplets)
    assert clean.repair() == (clean, clean.take())
    n_reversed = n_triplets // 20
    triplets[:n_reversed] = triplets[:n_reversed, [0, 2, 1]]
    constraints = Constraints(2**depth, triplets=triplets)
    kept, dropped = constraints.repair()
    assert kept.is_consistent()
    assert sorted(members(kept) + members(dropped)) == members(constraints)
    assert 0 < weight(dropped) <= 1.5 * n_reversed


def test_light_planted_noise_is_most_of_what_goes(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    triplets = balanced_triplets(5, 800, rng)
    triplets[:40] = triplets[:40, [0, 2, 1]]
    weights = np.where(np.arange(800) < 40, 0.25, 1)
    constraints = Constraints(32, triplets=triplets, triplets_weights=weights)
    kept, dropped = constraints.repair()
    assert kept.is_consistent()
    assert weight(dropped) <= 1.5 * 40 * 0.25


def test_planted_noise_in_pairs(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    labels = rng.permutation(np.repeat(np.arange(4), 15))
    truth = Constraints.from_labels(labels, n_pairs=600, random_state=rng)
    wrong = rng.permutation(60)[:2]
    other = np.flatnonzero(labels != labels[wrong[0]])[0]
    constraints = truth | Constraints(60, must_link=[(wrong[0], other)])
    assert not constraints.is_consistent()
    kept, dropped = constraints.repair()
    assert kept.is_consistent()
    assert weight(dropped) == 1


def test_joint_noise_of_pairs_and_triplets(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    depth, n_triplets = 5, 600
    n_samples = 2**depth
    code = rng.permutation(n_samples)
    labels = code >> 3  # the four subtrees of eight
    truth = Constraints.from_labels(labels, n_pairs=200, random_state=rng)
    rows = np.stack([rng.permutation(n_samples)[:3] for _ in range(n_triplets)])
    codes = code[rows]
    out = np.argmin(codes[:, [1, 0, 0]] ^ codes[:, [2, 2, 1]], axis=1)
    order = np.array([(1, 2, 0), (0, 2, 1), (0, 1, 2)])[out]
    triplets = np.take_along_axis(rows, order, axis=1)
    clean = truth | Constraints(n_samples, triplets=triplets)
    assert clean.repair() == (clean, clean.take())
    triplets[:30] = triplets[:30, [0, 2, 1]]
    noisy = truth | Constraints(n_samples, triplets=triplets)
    kept, dropped = noisy.repair()
    assert kept.is_consistent()
    assert sorted(members(kept) + members(dropped)) == members(noisy)
    assert weight(dropped) <= 1.5 * 30
