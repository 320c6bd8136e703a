import copy
import pickle
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import chisquare

from clustraint import machine
from clustraint.exceptions import (
    InconsistentConstraintsError,
    LargeResultWarning,
    UnreachableCutError,
)
from clustraint.hierarchy import Hierarchy
from clustraint.kernels.merges import Merges, linkage_of_merges
from tests.reference import build as reference_build
from tests.reference import hierarchy as reference
from tests.strategies import hierarchies, named_hierarchies, parents_arrays
from tests.strategies_constraints import constraint_sets
from tests.trees import by_lowest, clades

# Tiny known cases


def test_one_sample():
    hierarchy = Hierarchy([-1], names=["only"])
    assert repr(hierarchy) == "Hierarchy(1 sample, 0 inner nodes, depth 0)"
    assert (len(hierarchy), hierarchy.n_nodes, hierarchy.root) == (1, 1, 0)
    assert hierarchy.cut(1).tolist() == [0]
    assert hierarchy.to_linkage().shape == (0, 4)
    assert hierarchy.to_newick() == "only;"
    assert hierarchy.n_triplets == 0
    assert hierarchy.triplets().shape == hierarchy.informative_triplets().shape == (0, 3)
    assert hierarchy.displays([]).shape == (0,)
    assert hierarchy.meet(0, 0) == 0
    assert Hierarchy.from_linkage(hierarchy.to_linkage()) == Hierarchy([-1])


def test_two_samples():
    hierarchy = Hierarchy([2, 2, -1])
    assert repr(hierarchy) == "Hierarchy(2 samples, 1 inner node, depth 1)"
    assert hierarchy.cut(2).tolist() == [0, 1]
    assert hierarchy.triplets().shape == (0, 3)


def test_a_small_tree():
    hierarchy = Hierarchy([5, 6, 5, 7, 7, 6, 7, -1])
    assert hierarchy.depths.tolist() == [3, 2, 3, 1, 1, 2, 1, 0]
    assert hierarchy.sizes.tolist() == [1, 1, 1, 1, 1, 2, 3, 5]
    assert hierarchy.children(7).tolist() == [6, 3, 4]
    assert hierarchy.children(6).tolist() == [5, 1]
    assert hierarchy.children(0).tolist() == []
    assert hierarchy.samples_below(6).tolist() == [0, 1, 2]
    assert hierarchy.samples_below(3).tolist() == [3]
    assert hierarchy.meet([[0], [5]], [2, 6, 4]).tolist() == [[5, 6, 7], [5, 6, 7]]
    assert hierarchy.meet_depth(0, 1) == 1
    assert hierarchy.displays([(0, 2, 1), (1, 0, 4), (3, 4, 0)]).tolist() == [True, True, False]
    assert hierarchy.to_newick() == "(((0,2),1),3,4);"


def test_names_and_heights_are_kept():
    hierarchy = Hierarchy(
        [3, 3, 4, 4, -1], names=list("abc"), node_names=["ab", ""], heights=[2, 1]
    )
    assert hierarchy.names == ("a", "b", "c")
    assert hierarchy.node_names == ("ab", "")
    assert hierarchy.heights.tolist() == [2.0, 1.0]


@st.composite
def merge_lists(draw, max_samples=9):
    """Merges of clusters that are called by their first samples, all or some of them."""
    n_samples = draw(st.integers(1, max_samples))
    slots, clusters = [], list(range(n_samples))
    for _ in range(draw(st.integers(0, n_samples - 1))):
        low, high = sorted(draw(st.permutations(clusters))[:2])
        clusters.remove(high)
        slots.append((low, high))
    heights = st.integers(0, 4).map(float) | st.floats(0, 10)
    distances = draw(st.lists(heights, min_size=len(slots), max_size=len(slots)))
    return Merges(np.array(slots, np.int64).reshape(-1, 2), np.array(distances)), n_samples


@given(merge_lists())
def test_merges_make_the_tree_that_a_strangers_would(problem):
    merges, n_samples = problem
    hierarchy = Hierarchy.from_merges(merges, n_samples)
    checked = Hierarchy(hierarchy.parents, heights=hierarchy.heights)
    assert (checked.n_samples, checked) == (n_samples, hierarchy)
    if len(merges.slots) == n_samples - 1:
        other = Hierarchy.from_linkage(linkage_of_merges(merges.slots, merges.distances))
        assert Hierarchy.from_merges(merges) == other
        np.testing.assert_array_equal(other.parents, hierarchy.parents)
        np.testing.assert_array_equal(other.heights, hierarchy.heights)
        np.testing.assert_array_equal(other.to_linkage(), hierarchy.to_linkage())
    else:
        assert hierarchy.heights[-1] == merges.distances.max(initial=0)
        assert len(hierarchy.children(hierarchy.root)) == n_samples - len(merges.slots)


def test_merges_keep_their_own_distances():
    merges = Merges(np.array([[0, 1]]), np.array([1.0]))
    hierarchy = Hierarchy.from_merges(merges, names=["cat", "dog"])
    merges.distances[0] = 5
    assert (hierarchy.names, hierarchy.heights.tolist()) == (("cat", "dog"), [1])


@given(constraint_sets(max_samples=6, max_size=5))
def test_the_tree_of_constraints_displays_triplets_and_has_a_cut_that_keeps_pairs(constraints):
    assume(constraints.is_consistent())
    hierarchy = Hierarchy.from_constraints(constraints)
    assert hierarchy.displays(constraints.triplets).all()
    together = hierarchy.meet(*constraints.must_link.T)
    apart = hierarchy.meet(*constraints.cannot_link.T)
    # No node where must-links meet is, or is above, one where cannot-links do.
    assert not (hierarchy.meet(together[:, None], apart) == together[:, None]).any()


def test_paths():
    paths = ["rec/autos", "rec/sport", "sci", "rec/sport", "sci/space", "sci/space", ""]
    hierarchy = Hierarchy.from_paths(paths)
    assert hierarchy.to_newick() == "((0,(1,3)rec/sport)rec,(2,(4,5)sci/space)sci,6);"
    assert hierarchy.node_names == ("sci/space", "rec/sport", "sci", "rec", "")


def test_paths_leave_out_nodes_that_do_not_branch():
    hierarchy = Hierarchy.from_paths(["a::b::c", "a::b::c", "a::b::d::e"], separator="::")
    assert hierarchy.node_names == ("a::b::c", "a::b")
    assert Hierarchy.from_paths(["a/b", "a/b"]).node_names == ("a/b",)
    assert Hierarchy.from_paths(["", ""]).node_names == ("",)
    assert Hierarchy.from_paths(["a/b/c"], names=["x"]).names == ("x",)


def test_labels():
    hierarchy = Hierarchy.from_labels(["b", "a", "b", None, "a", float("nan"), -1, "c"])
    assert hierarchy.to_newick() == "((0,2)b,(1,4)a,3,5,6,7);"
    assert Hierarchy.from_labels([1, 1, 1]).node_names == ("1",)
    assert Hierarchy.from_labels([-1, -1]).node_names == ("",)


@pytest.mark.parametrize(
    "labels",
    [
        np.array([1, 1, -1, 0, 0]),
        np.array([1.0, 1.0, np.nan, 0.0, 0.0]),
        pd.Series([1, 1, None, 0, 0]),
        pd.Series([1, 1, pd.NA, 0, 0], dtype="Int64"),
        pd.Categorical(["x", "x", None, "y", "y"]),
        [(1,), (1,), None, (0,), (0,)],
    ],
)
def test_unknown_labels_hang_from_the_root(labels):
    expected = {frozenset({0, 1}), frozenset({3, 4}), frozenset(range(5))}
    assert clades(Hierarchy.from_labels(labels)) == expected


@pytest.mark.parametrize(("n_each", "n_triplets"), [(5, 18_600), (10, 153_900)])
def test_reuters_1_has_the_triplets_of_the_paper(n_each, n_triplets):
    subclasses = {"Corporate/Industrial": 3, "Economics": 2, "Government/Social": 3}
    classes = list(subclasses)
    classes += [f"{name}|{i}" for name, count in subclasses.items() for i in range(count)]
    hierarchy = Hierarchy.from_paths(classes * n_each, separator="|")
    assert len(classes) == 11
    assert hierarchy.n_triplets == n_triplets
    assert len(hierarchy.triplets()) == n_triplets


def test_read_only_triplets_are_taken():
    triplets = np.array([(0, 1, 2)], dtype=np.int32)
    triplets.flags.writeable = False
    assert Hierarchy([3, 3, 4, 4, -1]).displays(triplets).tolist() == [True]


def test_triplets_warn_before_a_long_list(monkeypatch):
    monkeypatch.setattr(machine, "MANY_ROWS", 3)
    with pytest.warns(LargeResultWarning, match="listing 4 triplets"):
        Hierarchy.from_newick("(((a,b),c),d);").triplets()


def test_from_triplets():
    hierarchy = Hierarchy.from_triplets([(0, 1, 2), (3, 2, 0)], 5, names=list("abcde"))
    assert hierarchy.to_newick() == "((a,b),(c,d),e);"
    assert Hierarchy.from_triplets([], 3) == Hierarchy([3, 3, 3, -1])


def test_contradicting_triplets_raise_with_their_witness():
    with pytest.raises(InconsistentConstraintsError) as caught:
        Hierarchy.from_triplets([(0, 1, 2), (3, 4, 0), (1, 2, 0)], 5)
    assert sorted(caught.value.witness.triplets.tolist()) == [[0, 1, 2], [1, 2, 0]]


# Invariants


@given(hierarchies())
def test_numbering(hierarchy):
    assert np.all(hierarchy.parents[:-1] > np.arange(hierarchy.root))
    assert hierarchy.sizes[hierarchy.root] == hierarchy.n_samples
    children = [hierarchy.children(node) for node in range(hierarchy.n_nodes)]
    assert all(len(members) == 0 for members in children[: hierarchy.n_samples])
    assert all(len(members) >= 2 for members in children[hierarchy.n_samples :])
    for node, members in enumerate(children):
        lowest = [hierarchy.samples_below(child)[0] for child in members]
        assert lowest == sorted(lowest)
        assert np.all(hierarchy.parents[members] == node)


@given(hierarchies(min_samples=3), st.integers(0, 2**32))
def test_every_triplet_that_is_listed_or_drawn_is_displayed(hierarchy, seed):
    assert hierarchy.displays(hierarchy.triplets()).all()
    assert hierarchy.displays(hierarchy.informative_triplets()).all()
    assume(hierarchy.n_triplets)
    drawn = hierarchy.sample_triplets(20, random_state=seed)
    assert hierarchy.displays(drawn).all()
    assert np.all(drawn[:, 0] < drawn[:, 1])


@given(hierarchies(binary=True))
def test_a_binary_tree_has_n_minus_2_informative_triplets(hierarchy):
    assert len(hierarchy.informative_triplets()) == max(0, hierarchy.n_samples - 2)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=15))
def test_labels_have_k_minus_1_times_n_minus_k_informative_triplets(labels):
    n_classes = len(set(labels))
    triplets = Hierarchy.from_labels(labels).informative_triplets()
    assert len(triplets) == (n_classes - 1) * (len(labels) - n_classes)


def test_sample_triplets_is_uniform(global_random_seed):
    hierarchy = Hierarchy.from_newick("(((0,5,1),2),(3,4),6);", names=list("0123456"))
    triplets = hierarchy.triplets()
    drawn = hierarchy.sample_triplets(200 * len(triplets), random_state=global_random_seed)
    found, counts = np.unique(drawn, axis=0, return_counts=True)
    assert found.tolist() == triplets.tolist()
    assert chisquare(counts).pvalue > 1e-8


def test_sample_triplets_takes_every_kind_of_random_state(global_random_seed):
    hierarchy = Hierarchy.from_labels([0, 0, 1, 1])
    for kind in (int, np.random.default_rng, np.random.RandomState):
        first, second = (
            hierarchy.sample_triplets(50, random_state=kind(global_random_seed)) for _ in range(2)
        )
        assert first.tolist() == second.tolist()
    assert hierarchy.sample_triplets(0).shape == (0, 3)


# The literal readings


@given(parents_arrays())
def test_clades_meets_and_depths(parents):
    hierarchy = Hierarchy(parents)
    assert clades(hierarchy) == reference.clades(parents)
    nodes = np.arange(parents.size)
    meets = hierarchy.meet(nodes[:, None], nodes)
    for a in nodes:
        assert hierarchy.depths[a] == len(reference.ancestors(parents, a)) - 1
        assert meets[a].tolist() == [reference.meet(parents, a, b) for b in nodes]


def test_meets_in_a_larger_tree(global_random_seed):
    random = np.random.default_rng(global_random_seed)
    n_samples, parents = 300, [-1] * 300
    roots, below = list(range(n_samples)), [[sample] for sample in range(n_samples)]
    expected = np.arange(n_samples) * np.eye(n_samples, dtype=int)
    while len(roots) > 1:
        merged = [roots.pop(random.integers(len(roots))) for _ in range(min(3, len(roots)))]
        for a, b in permutations(merged, 2):
            expected[np.ix_(below[a], below[b])] = len(parents)
        for node in merged:
            parents[node] = len(parents)
        roots.append(len(parents))
        below.append([sample for node in merged for sample in below[node]])
        parents.append(-1)
    a, b = np.indices(expected.shape)
    assert np.array_equal(Hierarchy(parents).meet(a, b), expected)


@given(parents_arrays(min_samples=3))
def test_triplets_and_displays(parents):
    hierarchy = Hierarchy(parents)
    expected = reference.triplets(parents)
    assert list(map(tuple, hierarchy.triplets().tolist())) == expected
    assert hierarchy.n_triplets == len(expected)
    a, b, c = np.indices((hierarchy.n_samples,) * 3).reshape(3, -1)
    rows = np.column_stack([a, b, c])[(a < b) & (a != c) & (b != c)]
    assert rows[hierarchy.displays(rows)].tolist() == list(map(list, expected))
    assert hierarchy.displays(rows[:, [1, 0, 2]]).tolist() == hierarchy.displays(rows).tolist()


@given(parents_arrays())
def test_informative_triplets(parents):
    found = Hierarchy(parents).informative_triplets()
    assert sorted(map(tuple, found.tolist())) == reference.informative_triplets(parents)


def newick(nested):
    """Nested tuples of sample numbers as a Newick text."""
    return str(nested).replace(" ", "").replace(",)", ")") + ";"


@pytest.mark.parametrize("n_samples", range(2, 6))
def test_informative_triplets_imply_the_whole_tree(n_samples):
    names = [str(sample) for sample in range(n_samples)]
    for nested in reference.all_trees(list(range(n_samples))):
        hierarchy = Hierarchy.from_newick(newick(nested), names=names)
        informative = hierarchy.informative_triplets()
        assert Hierarchy.from_triplets(informative, n_samples, names=names) == hierarchy
        built = reference_build.one_tree(list(map(tuple, informative)), range(n_samples))
        assert {clade for clade in built if len(clade) > 1} == clades(hierarchy)


@given(hierarchies(max_samples=30))
def test_a_tree_comes_back_from_its_triplets(hierarchy):
    n_samples = hierarchy.n_samples
    assert Hierarchy.from_triplets(hierarchy.informative_triplets(), n_samples) == hierarchy
    assert Hierarchy.from_triplets(hierarchy.triplets(), n_samples) == hierarchy


# Names of samples, numbers of nodes and their order


@given(parents_arrays(), st.randoms(use_true_random=False))
def test_node_numbers_do_not_count(parents, random):
    hierarchy = Hierarchy(parents)
    n_samples, numbers = hierarchy.n_samples, {hierarchy.root: hierarchy.root}
    while len(numbers) < parents.size - n_samples:
        ready = [
            node
            for node in range(n_samples, parents.size)
            if node not in numbers and parents[node] in numbers
        ]
        numbers[random.choice(ready)] = parents.size - 1 - len(numbers)
    renumbered = np.full(parents.size, -1)
    for node in range(parents.size - 1):
        renumbered[numbers.get(node, node)] = numbers[parents[node]]
    other = Hierarchy(renumbered)
    assert other == hierarchy
    assert hash(other) == hash(hierarchy)
    assert other.informative_triplets().tolist() == hierarchy.informative_triplets().tolist()
    assert other.triplets().tolist() == hierarchy.triplets().tolist()
    assert other.to_newick() == hierarchy.to_newick()


@given(parents_arrays(), parents_arrays())
def test_equal_if_and_only_if_the_clades_are(left, right):
    same = reference.clades(left) == reference.clades(right) and left.size == right.size
    assert (Hierarchy(left) == Hierarchy(right)) == same


@given(named_hierarchies(), st.data())
def test_permuted_samples(hierarchy, data):
    n_samples = hierarchy.n_samples
    order = np.array(data.draw(st.permutations(range(n_samples))))
    parents = np.concatenate([hierarchy.parents[order], hierarchy.parents[n_samples:]])
    permuted = Hierarchy(parents, names=[hierarchy.names[sample] for sample in order])
    assert permuted == hierarchy
    assert hash(permuted) == hash(hierarchy)
    assert permuted.n_triplets == hierarchy.n_triplets
    assert hierarchy.displays(order[permuted.triplets()]).all()
    a, b = np.indices((n_samples, n_samples))
    assert np.array_equal(permuted.meet(a, b)[a != b], hierarchy.meet(order[a], order[b])[a != b])
    try:
        labels = hierarchy.cut(2)
    except UnreachableCutError:
        return
    assert by_lowest(labels[order]).tolist() == permuted.cut(2).tolist()


def test_names_count():
    parents = [3, 3, 4, 4, -1]
    named = Hierarchy(parents, names=["a", "b", "c"])
    assert named == Hierarchy(parents, names=["b", "a", "c"])
    assert named != Hierarchy(parents, names=["c", "b", "a"])
    assert named != Hierarchy(parents, names=["a", "b", "d"])
    assert named != Hierarchy(parents)
    assert named != "a tree"


@given(parents_arrays())
def test_paths_of_a_tree_give_the_tree(parents):
    n_samples = reference.n_samples_of(parents)
    paths = [
        "/".join(map(str, reversed(reference.ancestors(parents, sample)[1:])))
        for sample in range(n_samples)
    ]
    hierarchy = Hierarchy.from_paths(paths)
    assert hierarchy == Hierarchy(parents)
    for node, name in enumerate(hierarchy.node_names, start=n_samples):
        below = frozenset(hierarchy.samples_below(node).tolist())
        assert below == reference.samples_below(parents, int(name.split("/")[-1]))


@given(named_hierarchies())
def test_copies_are_equal(hierarchy):
    hierarchy.displays([])
    for again in (pickle.loads(pickle.dumps(hierarchy)), copy.deepcopy(hierarchy)):
        assert again == hierarchy
        assert again.parents.tolist() == hierarchy.parents.tolist()
        assert again.names == hierarchy.names
        assert again.node_names == hierarchy.node_names
        assert again.heights is None


def test_nothing_can_be_changed():
    given_parents = np.array([3, 3, 4, 4, -1])
    hierarchy = Hierarchy(given_parents, heights=[1, 2])
    given_parents[0] = 4
    assert hierarchy.parents[0] == 3
    for array in (hierarchy.parents, hierarchy.heights, hierarchy.depths, hierarchy.sizes):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    with pytest.raises(AttributeError, match="n_samples cannot be set"):
        hierarchy.n_samples = 3
    hierarchy.children(4)[:] = 0
    hierarchy.samples_below(4)[:] = 0
    assert hierarchy.to_newick() == "((0,1),2);"
