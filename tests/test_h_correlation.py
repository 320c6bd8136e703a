import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clustraint import Hierarchy
from clustraint.evaluation import h_correlation
from clustraint.exceptions import ClustraintError
from tests.reference import hierarchy as reference
from tests.strategies import parents_arrays

REUTERS = {
    "Corporate/Industrial": ["Strategy/Plans", "Research/Development", "Advertising/Promotion"],
    "Economics": ["Economic Performance", "Government Borrowing"],
    "Government/Social": ["Disasters and Accidents", "Health", "Weather"],
}


def literal(true_parents, parents):
    """Equation 8 of the paper, by loops over all ordered constraints."""
    by_node = {}
    for a, b, c in reference.triplets(true_parents):
        node = reference.meet(true_parents, a, b)
        by_node.setdefault(node, []).extend([(a, b, c), (b, a, c)])
    found = total = 0
    for constraints in by_node.values():
        for x, y, z in constraints:
            weight = 1 / len(constraints)
            total += weight
            found += weight * reference.displays(parents, x, y, z)
    return found / total


@st.composite
def two_trees(draw):
    true = draw(parents_arrays(min_samples=3, max_samples=8))
    n_samples = Hierarchy(true).n_samples
    return true, draw(parents_arrays(n_samples, n_samples))


@given(two_trees())
def test_counting_is_the_loop_over_triplets(trees):
    true, found = trees
    if not reference.triplets(true.tolist()):
        with pytest.raises(ClustraintError, match="displays no triplets"):
            h_correlation(Hierarchy(true), Hierarchy(found))
        return
    counted = h_correlation(Hierarchy(true), Hierarchy(found))
    assert counted == pytest.approx(literal(true.tolist(), found.tolist()), abs=1e-12)


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
