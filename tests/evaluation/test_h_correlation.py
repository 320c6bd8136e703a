import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clustraint import Hierarchy
from clustraint.evaluation import _h_correlation, h_correlation
from clustraint.evaluation._same_samples import made_comparable
from clustraint.exceptions import ClustraintError, NothingToMeasureError
from clustraint.kernels import correlation
from clustraint.kernels.correlation import displayed_shares
from tests.reference.scores import h_correlation as literal
from tests.strategies import parents_arrays
from tests.trees import caterpillar_parents

REUTERS = {
    "Corporate/Industrial": ["Strategy/Plans", "Research/Development", "Advertising/Promotion"],
    "Economics": ["Economic Performance", "Government Borrowing"],
    "Government/Social": ["Disasters and Accidents", "Health", "Weather"],
}


@st.composite
def two_trees(draw):
    true = draw(parents_arrays(min_samples=3, max_samples=8))
    n_samples = Hierarchy(true).n_samples
    return true, draw(parents_arrays(n_samples, n_samples))


def check_counting(true, found, labelled):
    expected = literal(true.tolist(), found.tolist(), labelled or ())
    if expected is None:
        with pytest.raises(NothingToMeasureError, match="displays no triplets"):
            h_correlation(Hierarchy(true), Hierarchy(found), labelled)
        return
    counted = h_correlation(Hierarchy(true), Hierarchy(found), labelled)
    assert counted == pytest.approx(expected, abs=1e-12)


@given(two_trees())
def test_counting_is_the_loop_over_triplets(trees):
    check_counting(*trees, None)


@given(two_trees(), st.sets(st.integers(0, 2)))
def test_labelled_samples_are_left_out(trees, labelled):
    check_counting(*trees, sorted(labelled))


@given(two_trees(), st.sets(st.integers(0, 2)))
def test_adding_along_long_paths_is_the_loop_over_triplets(trees, labelled):
    with pytest.MonkeyPatch.context() as patch:
        # Every path counts as long; compiled code has the constant in it.
        patch.setattr(correlation, "LONG", -1)
        patch.setattr(_h_correlation, "displayed_shares", displayed_shares.__wrapped__)
        check_counting(*trees, sorted(labelled))


def test_a_deep_tree_is_counted_either_way(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    deep = caterpillar_parents(300)
    true = Hierarchy(np.concatenate((deep[:300][rng.permutation(300)], deep[300:])))
    found = Hierarchy(np.concatenate((deep[:300][rng.permutation(300)], deep[300:])))
    added = displayed_shares(*made_comparable(true, found, [5, 7]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(correlation, "LONG", 300)
        spanned = displayed_shares.__wrapped__(*made_comparable(true, found, [5, 7]))
    np.testing.assert_array_equal(added, spanned)


def test_labelled_samples_as_a_mask():
    true = Hierarchy.from_newick("(((a, b), c), (d, e));")
    found = Hierarchy.from_newick("((a, b), (c, (d, e)));")
    assert h_correlation(true, found, [2]) == 1
    assert h_correlation(true, found, np.arange(5) == 2) == 1
    # Their numbers are those of the true hierarchy, whatever the other one's.
    shuffled = Hierarchy.from_newick("((b, a), ((e, d), c));")
    assert h_correlation(true, shuffled, [2]) == 1


@given(two_trees(), st.randoms(use_true_random=False))
def test_names_matter_more_than_numbers(trees, random):
    true, found = trees
    names = [f"sample {letter}" for letter in "abcdefgh"[: Hierarchy(true).n_samples]]
    if Hierarchy(true).n_triplets == 0:
        return
    order = list(range(len(names)))
    random.shuffle(order)
    shuffled = np.concatenate((found[order], found[len(order) :]))
    here = Hierarchy(found, names=names)
    there = Hierarchy(shuffled, names=[names[sample] for sample in order])
    true_one = Hierarchy(true, names=names)
    assert h_correlation(true_one, there) == h_correlation(true_one, here)


@given(parents_arrays(min_samples=3))
def test_a_tree_finds_itself(parents):
    hierarchy = Hierarchy(parents)
    if hierarchy.n_triplets:
        assert h_correlation(hierarchy, hierarchy) == 1
        star = Hierarchy([hierarchy.n_samples] * hierarchy.n_samples + [-1])
        assert h_correlation(hierarchy, star) == 0


def reuters_paths(per_class):
    paths = [top.replace("/", "-") for top in REUTERS]
    for top, topics in REUTERS.items():
        paths += [f"{top.replace('/', '-')}/{topic.replace('/', '-')}" for topic in topics]
    return [path for path in paths for _ in range(per_class)]


@pytest.mark.parametrize(("per_class", "ordered"), [(5, 37_200), (10, 307_800)])
def test_the_papers_number_of_constraints(per_class, ordered):
    hierarchy = Hierarchy.from_paths(reuters_paths(per_class))
    assert hierarchy.n_samples == 11 * per_class
    assert 2 * hierarchy.n_triplets == ordered
    assert 2 * len(hierarchy.triplets()) == ordered


def test_every_node_weighs_the_same():
    # The triplets of the large class are all found, the one of the small class is not.
    true = Hierarchy.from_labels([0] * 10 + [1, 1, 2])
    found = Hierarchy.from_labels([0] * 10 + [1, 2, 3])
    assert h_correlation(true, found) == 0.5
    shown = found.displays(true.triplets())
    assert shown.mean() > 0.9


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (Hierarchy([2, 2, -1]), "true_hierarchy has 3 and hierarchy has 2"),
        (Hierarchy([3, 3, 4, 4, -1], names=["a", "b", "d"]), "only one has 'c'"),
    ],
)
def test_other_samples(found, message):
    true = Hierarchy([3, 3, 4, 4, -1], names=["a", "b", "c"])
    with pytest.raises(ClustraintError, match=message):
        h_correlation(true, found)
