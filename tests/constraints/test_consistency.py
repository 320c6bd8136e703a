"""Whether constraints can hold together, the smallest part that cannot, and what follows."""

import re

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from clustraint import Constraints
from clustraint.kernels.build import build_tree
from tests.contradictions import (
    assert_minimal,
    assert_part_of,
    contradiction_of,
    fits_a_hierarchy,
    tables,
)
from tests.reference import build as reference
from tests.reference import closure as pairs_reference
from tests.reference import hierarchy as tree_reference
from tests.strategies_constraints import (
    KINDS,
    all_rows,
    constraint_sets,
    members,
    without_one,
)

PAIRS = ("must_link", "cannot_link")

triplet_sets = constraint_sets(max_samples=8, max_size=10, kinds=("triplets",))
small_sets = constraint_sets(max_samples=5, max_size=5)
# Few cannot-links beside much else, so that contradictions need several kinds.
mixed_sets = constraint_sets(max_samples=7, max_size=6) | constraint_sets(max_samples=7, max_size=3)


def chain(n_links):
    return np.stack((np.arange(n_links), np.arange(1, n_links + 1)), axis=1)


def resolved(codes, rows):
    """Triplets of samples at the leaves of a binary trie: two share the longest prefix."""
    a, b, c = np.asarray(rows).T
    ab, ac, bc = codes[a] ^ codes[b], codes[a] ^ codes[c], codes[b] ^ codes[c]
    first = np.where(ab < np.minimum(ac, bc), a, np.where(ac < bc, a, b))
    out = np.where(ab < np.minimum(ac, bc), c, np.where(ac < bc, b, a))
    return np.stack((first, a + b + c - first - out, out), axis=1)


def noisy_triplets(n_samples, n_triplets, share, rng):
    """Triplets of a random binary tree, of which a share is reversed."""
    codes = rng.permutation(n_samples)
    rows = np.argsort(rng.random((n_triplets, n_samples)), axis=1)[:, :3]
    triplets = resolved(codes, rows)
    reversed_ = rng.permutation(n_triplets)[: round(share * n_triplets)]
    triplets[reversed_] = triplets[reversed_][:, [0, 2, 1]]
    return triplets


# The tree of triplets


@given(triplet_sets)
def test_tree_against_the_reference(constraints):
    expected = reference.one_tree(tables(constraints)[2], range(constraints.n_samples))
    parents = build_tree(constraints.n_samples, constraints.triplets.copy())
    assert constraints.is_consistent() is (expected is not None)
    if expected is None:
        assert len(parents) == 0
    else:
        clades = {clade for clade in expected if len(clade) > 1}
        assert tree_reference.clades(parents.tolist()) == clades


@pytest.mark.slow
def test_tree_against_the_reference_many_times(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    verdicts = []
    for _ in range(10_000):
        n_samples = int(rng.integers(3, 10))
        rows = np.argsort(rng.random((rng.integers(0, 2 * n_samples), n_samples)), axis=1)[:, :3]
        if rng.random() < 0.5:
            rows = resolved(rng.permutation(n_samples), rows)
        rows = np.ascontiguousarray(rows, np.int64)
        expected = reference.one_tree(list(map(tuple, rows.tolist())), range(n_samples))
        parents = build_tree(n_samples, rows)
        verdicts.append(expected is not None)
        assert (len(parents) > 0) is verdicts[-1]
        if expected is not None:
            clades = {clade for clade in expected if len(clade) > 1}
            assert tree_reference.clades(parents.tolist()) == clades
    assert 1000 < sum(verdicts) < 9000


@pytest.mark.parametrize(
    ("rows", "n_samples"),
    [([], 1), ([], 2), ([], 5), ([(0, 1, 2)], 3), ([(0, 1, 2), (2, 3, 0)], 4)],
)
def test_small_consistent_sets(rows, n_samples):
    constraints = Constraints(n_samples, triplets=rows)
    assert constraints.is_consistent()
    constraints.check()


@pytest.mark.parametrize(
    "rows",
    [
        [(0, 1, 2), (0, 2, 1)],
        [(0, 1, 2), (1, 2, 0)],
        [(0, 1, 2), (1, 2, 3), (2, 3, 0), (0, 3, 1)],
        [(0, 1, 3), (1, 2, 0), (2, 0, 1)],
    ],
)
def test_small_contradictions(rows):
    constraints = Constraints(5, triplets=rows)
    assert not constraints.is_consistent()
    witness = contradiction_of(constraints).witness
    assert_part_of(witness, constraints)
    assert_minimal(witness)


def test_no_samples_and_nothing_known():
    for n_samples in range(3):
        constraints = Constraints(n_samples)
        assert constraints.is_consistent()
        constraints.check(n_clusters=1)


# Pairs and triplets together


@given(small_sets)
def test_joint_verdict_against_the_reference(constraints):
    assert constraints.is_consistent() is fits_a_hierarchy(constraints)


@pytest.mark.slow
def test_joint_verdict_and_witness_against_the_reference_many_times(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    rows = {(n, kind): all_rows(n, kind) for n in (3, 4, 5) for kind in KINDS}
    verdicts = []
    for _ in range(5_000):
        n_samples = int(rng.integers(3, 6))
        parts = {}
        for kind in KINDS:
            possible = np.array(rows[n_samples, kind])
            parts[kind] = possible[rng.integers(len(possible), size=rng.integers(0, 4))]
        constraints = Constraints(n_samples, **parts)
        verdicts.append(fits_a_hierarchy(constraints))
        assert constraints.is_consistent() is verdicts[-1]
        if not verdicts[-1]:
            witness = contradiction_of(constraints).witness
            assert not fits_a_hierarchy(witness)
            assert all(map(fits_a_hierarchy, without_one(witness)))
    assert 500 < sum(verdicts) < 4500


def test_a_contradiction_of_all_three_kinds():
    # 0 and 2 share a cluster, so 0, 1 and 2 do; but 0 and 1 do not.
    constraints = Constraints(4, must_link=[(0, 2)], cannot_link=[(0, 1)], triplets=[(0, 1, 2)])
    error = contradiction_of(constraints)
    assert error.witness == constraints
    assert_minimal(error.witness)
    constraints.restrict(kinds=("must_link", "triplets")).check()
    constraints.restrict(kinds=("cannot_link", "triplets")).check()


def test_a_cannot_link_that_takes_no_part_is_not_in_the_witness():
    constraints = Constraints(
        4, must_link=[(0, 3), (2, 3)], cannot_link=[(1, 2)], triplets=[(0, 1, 2), (1, 2, 0)]
    )
    assert_minimal(contradiction_of(constraints).witness)


def test_must_links_within_a_cluster_leave_triplets_free():
    constraints = Constraints(
        6, must_link=[(0, 2), (1, 2)], cannot_link=[(0, 5)], triplets=[(0, 1, 2), (3, 4, 0)]
    )
    constraints.check()


@given(mixed_sets)
def test_a_witness_is_contradictory_and_none_of_it_can_go(constraints):
    assume(not constraints.is_consistent())
    witness = contradiction_of(constraints).witness
    assert_part_of(witness, constraints)
    assert_minimal(witness)


@given(small_sets)
def test_a_witness_is_minimal_by_the_reference_too(constraints):
    assume(not fits_a_hierarchy(constraints))
    witness = contradiction_of(constraints).witness
    assert not fits_a_hierarchy(witness)
    assert all(map(fits_a_hierarchy, without_one(witness)))


@given(mixed_sets)
def test_check_and_is_consistent_agree(constraints):
    if constraints.is_consistent():
        constraints.check()
    else:
        contradiction_of(constraints)


@given(mixed_sets, st.data())
def test_the_verdict_does_not_depend_on_the_order_of_samples(constraints, data):
    order = data.draw(st.permutations(range(constraints.n_samples)))
    assert constraints[order].is_consistent() is constraints.is_consistent()


@given(mixed_sets, st.data())
def test_a_part_of_a_consistent_set_is_consistent(constraints, data):
    assume(constraints.is_consistent())
    rows = data.draw(st.sets(st.integers(0, constraints.n_samples - 1), min_size=1))
    assert constraints[sorted(rows)].is_consistent()
    assert all(rest.is_consistent() for rest in without_one(constraints))


def test_rules_are_kept_out_of_witnesses():
    constraints = Constraints(3, must_link=[(0, 1)], cannot_link=[(0, 1)], names=list("abc"))
    assert contradiction_of(constraints).witness == constraints


def test_weights_stay_with_their_constraints_in_a_witness():
    constraints = Constraints(
        5,
        must_link=[(3, 4), (0, 1), (1, 2)],
        cannot_link=[(0, 4), (0, 2)],
        must_link_weights=[1, 2, 3],
        cannot_link_weights=[4, 5],
    )
    assert members(contradiction_of(constraints).witness) == [
        ("cannot_link", (0, 2), 5),
        ("must_link", (0, 1), 2),
        ("must_link", (1, 2), 3),
    ]


# Chains of must-links


@given(constraint_sets(min_samples=4, max_samples=9, max_size=14, kinds=PAIRS))
def test_the_chain_is_the_shortest_of_all(constraints):
    must_link, cannot_link, _ = tables(constraints)
    lengths = [pairs_reference.chain_length(must_link, *pair) for pair in cannot_link]
    contradicted = [length for length in lengths if length is not None]
    if not contradicted:
        constraints.check()
        return
    witness = contradiction_of(constraints).witness
    assert len(witness.must_link) == min(contradicted)
    assert len(witness.cannot_link) == 1
    assert_minimal(witness)


def test_a_short_cut_is_taken():
    rows = [*map(tuple, chain(9)), (0, 4), (5, 9)]
    witness = contradiction_of(Constraints(10, must_link=rows, cannot_link=[(0, 9)])).witness
    assert witness.must_link.tolist() == [[0, 4], [4, 5], [5, 9]]


def test_the_last_contradiction_may_be_the_shortest():
    constraints = Constraints(
        4, must_link=[(0, 1), (0, 2), (1, 3)], cannot_link=[(0, 3)] * 9 + [(0, 1)]
    )
    assert contradiction_of(constraints).witness.must_link.tolist() == [[0, 1]]


def test_the_shortest_of_many_contradictions_is_found():
    n_rings = 40
    must_link, cannot_link = [], []
    for ring in range(n_rings):
        first = 100 * ring
        length = 3 if ring == n_rings - 1 else 50
        must_link += [(first + i, first + i + 1) for i in range(length)]
        cannot_link.append((first, first + length))
    constraints = Constraints(100 * n_rings, must_link=must_link, cannot_link=cannot_link)
    assert len(contradiction_of(constraints).witness.must_link) == 3


def test_a_message_about_pairs_reads_as_a_sentence():
    constraints = Constraints.from_names(
        ["dog", "wolf", "fox", "trout"],
        must_link=[("dog", "wolf"), ("fox", "wolf")],
        cannot_link=[("dog", "fox")],
    )
    assert str(contradiction_of(constraints)) == (
        "dog and fox cannot be linked, but 2 must-links link them: dog = wolf = fox."
    )
    nameless = Constraints(2, must_link=[(0, 1)], cannot_link=[(0, 1)])
    assert str(contradiction_of(nameless)) == (
        "sample 0 and sample 1 cannot be linked, but 1 must-link links them: sample 0 = sample 1."
    )


def test_a_message_about_triplets_reads_as_a_sentence():
    constraints = Constraints.from_names(
        ["dog", "wolf", "fox", "trout"],
        triplets=[("dog", "wolf", "fox"), ("fox", "wolf", "dog"), ("dog", "wolf", "trout")],
    )
    message = str(contradiction_of(constraints))
    found = re.fullmatch(r"These 2 constraints cannot all hold, though .*: (.*); (.*)\.", message)
    assert sorted(found.groups()) == ["dog, wolf | fox", "wolf, fox | dog"]


def test_a_message_about_all_kinds_names_them_all():
    constraints = Constraints(
        4,
        must_link=[(0, 2)],
        cannot_link=[(0, 1)],
        triplets=[(0, 1, 2)],
        names=["dog", "wolf", "fox", "trout"],
    )
    message = str(contradiction_of(constraints))
    for said in ("dog = fox", "dog != wolf", "dog, wolf | fox"):
        assert said in message
    assert "trout" not in message
    assert message.endswith(".")


@given(mixed_sets)
def test_every_message_is_one_sentence_with_the_samples_of_the_witness(constraints):
    assume(not constraints.is_consistent())
    error = contradiction_of(constraints)
    message = str(error)
    assert message.endswith(".")
    assert "\n" not in message
    said = {int(number) for number in re.findall(r"sample (\d+)", message)}
    concerned = {sample for _, row, _ in members(error.witness) for sample in row}
    assert said == concerned


def test_a_chain_of_a_hundred_thousand():
    n_links = 100_000
    order = np.random.default_rng(0).permutation(n_links)
    constraints = Constraints(
        n_links + 1, must_link=chain(n_links)[order], cannot_link=[(n_links, 0)]
    )
    error = contradiction_of(constraints)
    assert error.witness == constraints
    message = str(error)
    assert len(message) < 400
    assert "100,000 must-links" in message
    assert re.search(r"sample 0 = sample 1 = .*….* = sample 100000\.$", message)


@pytest.mark.parametrize("n_links", range(8, 16))
def test_messages_of_chains_around_the_length_that_is_shortened(n_links):
    constraints = Constraints(n_links + 1, must_link=chain(n_links), cannot_link=[(0, n_links)])
    message = str(contradiction_of(constraints))
    said = [int(number) for number in re.findall(r"sample (\d+)", message)][2:]
    assert said[:3] == [0, 1, 2]
    assert said[-3:] == [n_links - 2, n_links - 1, n_links]
    assert sorted(set(said)) == said
    assert ("…" in message) is (len(said) <= n_links)


# Large sets


def caterpillar_triplets(n_samples):
    inner = np.arange(1, n_samples - 1)
    return np.stack((np.zeros_like(inner), inner, inner + 1), axis=1)


def test_a_caterpillar_of_twenty_thousand(global_random_seed):
    n_samples = 20_000
    rng = np.random.default_rng(global_random_seed)
    triplets = rng.permutation(caterpillar_triplets(n_samples))
    parents = build_tree(n_samples, triplets)
    assert len(parents) == 2 * n_samples - 1
    # Sample i > 0 joins the i-th inner node from below, and each of these hangs from the next.
    assert parents[1:n_samples].tolist() == list(range(n_samples, 2 * n_samples - 1))
    assert parents[n_samples:-1].tolist() == list(range(n_samples + 1, 2 * n_samples - 1))
    constraints = Constraints(n_samples, triplets=triplets)
    constraints.check()
    assert constraints.entails((0, 5_000, 15_000))
    assert not constraints.entails((0, 15_000, 5_000))


def test_a_contradiction_along_a_whole_caterpillar():
    n_samples = 300
    closing = [(0, n_samples - 1, 1)]
    triplets = np.concatenate((caterpillar_triplets(n_samples), closing))
    error = contradiction_of(Constraints(n_samples, triplets=triplets))
    assert len(error.witness.triplets) == n_samples - 1
    assert len(str(error)) < 1000
    assert f"{n_samples - 1:,} constraints" in str(error)
    Constraints(n_samples, triplets=triplets[1:]).check()


def test_a_deep_tree_with_branches(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    depth = 10_000
    spine = 2 * np.arange(depth)
    # The pairs (2i, 2i + 1) hang one after the other from a spine that begins with the first.
    along = np.stack((np.zeros(depth - 2, int), spine[1:-1], spine[2:]), axis=1)
    pairs = np.stack((spine[1:], spine[1:] + 1, np.zeros(depth - 1, int)), axis=1)
    first = np.array([(0, 1, 2)])
    triplets = rng.permutation(np.concatenate((along, pairs, first)))
    parents = build_tree(2 * depth, triplets)
    assert len(parents) == 4 * depth - 1
    constraints = Constraints(2 * depth, triplets=triplets, cannot_link=[(0, 2 * depth - 1)])
    constraints.check()
    assert constraints.entails((1, 7, 2 * depth - 1))
    broken = constraints | Constraints(2 * depth, must_link=[(0, 2 * depth - 2)])
    witness = contradiction_of(broken).witness
    assert_minimal(witness)
    # 0 is with the last of the spine, which is nearer to its partner than to 0: they are all
    # in one cluster, but 0 and the partner must not be.
    assert witness.must_link.tolist() == [[0, 2 * depth - 2]]


def test_a_witness_in_a_large_noisy_set(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    triplets = noisy_triplets(1_000, 10_000, 0.05, rng)
    constraints = Constraints(1_000, triplets=triplets)
    assert not constraints.is_consistent()
    error = contradiction_of(constraints)
    assert_part_of(error.witness, constraints)
    assert not error.witness.is_consistent()
    rests = list(without_one(error.witness))
    for number in rng.permutation(len(rests))[:20]:
        assert rests[number].is_consistent()
    assert len(str(error)) < 1000


@pytest.mark.parametrize(
    "planted",
    [[(3, 4, 5), (3, 5, 4)], [(3, 4, 5), (4, 5, 6), (5, 6, 3)]],
    ids=["three samples", "four samples"],
)
def test_a_contradiction_on_few_samples_is_the_witness(planted, global_random_seed):
    """However much larger the block is that holds together."""
    rng = np.random.default_rng(global_random_seed)
    triplets = noisy_triplets(1_000, 10_000, 0.05, rng)
    constraints = Constraints(1_000, triplets=rng.permutation(np.concatenate((triplets, planted))))
    assert len(contradiction_of(constraints).witness.triplets) <= len(planted)


def test_a_large_set_without_noise_is_consistent(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    Constraints(1_000, triplets=noisy_triplets(1_000, 10_000, 0, rng)).check()


def test_a_witness_of_all_kinds_in_a_large_set(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    n_samples = 500
    triplets = noisy_triplets(n_samples, 3_000, 0, rng)
    must_link = rng.integers(n_samples, size=(200, 2))
    cannot_link = rng.integers(n_samples, size=(200, 2))
    constraints = Constraints(
        n_samples,
        must_link=must_link[must_link[:, 0] != must_link[:, 1]],
        cannot_link=cannot_link[cannot_link[:, 0] != cannot_link[:, 1]],
        triplets=triplets,
    )
    witness = contradiction_of(constraints).witness
    assert_part_of(witness, constraints)
    assert_minimal(witness)
