import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from clustraint import Constraints, Hierarchy
from clustraint.cluster._triplet_error import cluster_error, triplet_weights
from clustraint.evaluation import h_correlation
from tests.strategies import hierarchies


@given(hierarchies(min_samples=3), hierarchies(min_samples=9, max_samples=9))
def test_all_triplets_of_a_hierarchy_weigh_as_in_the_h_correlation(true, found):
    assume(true.n_triplets)
    # Among other samples, in another order, and cut down to those that the triplets mention.
    samples = np.random.default_rng(0).permutation(9)[: true.n_samples]
    known = Constraints(9, triplets=samples[true.triplets()][::-1])
    weights = triplet_weights(known)
    error = cluster_error(found, known.triplets, weights)
    below = [set(samples) & set(found.samples_below(v).tolist()) for v in range(found.n_nodes)]
    restricted = induced(below, samples.tolist())
    assert 1 - error == pytest.approx(h_correlation(true, restricted))


def induced(below, samples):
    """The hierarchy over some of the samples, from the sets below each node."""
    clades = sorted({frozenset(clade) for clade in below if clade}, key=len)
    inner = [clade for clade in clades if len(clade) > 1]
    nodes = [*(frozenset([sample]) for sample in samples), *inner]
    parents = [
        next((i for i, clade in enumerate(nodes) if node < clade), -1) for node in nodes[:-1]
    ]
    return Hierarchy([*parents, -1])


@given(hierarchies(min_samples=4), st.data())
def test_a_part_of_the_triplets_has_its_own_weights(hierarchy, data):
    assume(hierarchy.n_triplets > 1)
    triplets = hierarchy.triplets()
    whole = Constraints(hierarchy.n_samples, triplets=triplets)
    left_out = data.draw(st.integers(0, len(triplets) - 1))
    part = whole.take(triplets=np.arange(len(triplets)) != left_out)
    # What is left may be all triplets of a smaller hierarchy, or of one with fewer nodes.
    smaller = Hierarchy.from_triplets(part.triplets, part.n_samples)
    mentioned = len(np.unique(part.triplets))
    assume(smaller.n_triplets > len(part.triplets) and mentioned == part.n_samples)
    assert triplet_weights(part).tolist() == [1] * len(part.triplets)


@pytest.mark.parametrize(
    "constraints",
    [
        Constraints(3, triplets=[(0, 1, 2), (0, 2, 1)]),
        Constraints(4, triplets=[(0, 1, 2), (2, 3, 0)]),
        Constraints(3, triplets=[(0, 1, 2), (0, 1, 2)]),
        Constraints(5),
    ],
    ids=["contradictory", "partial", "repeated", "none"],
)
def test_other_triplets_weigh_what_they_weigh(constraints):
    expected = constraints.triplets_weights.tolist()
    assert triplet_weights(constraints).tolist() == expected


def test_given_weights_stay():
    rows = Hierarchy.from_labels([0, 0, 0, 1, 1]).triplets()
    weights = np.arange(1.0, len(rows) + 1)
    known = Constraints(5, triplets=rows, triplets_weights=weights)
    assert triplet_weights(known).tolist() == weights.tolist()
    even = Constraints(5, triplets=rows, triplets_weights=np.full(len(rows), 7.0))
    assert triplet_weights(even).sum() == pytest.approx(2)


def test_slices_of_a_whole_hierarchy_are_whole():
    hierarchy = Hierarchy.from_labels([0, 0, 0, 0, 1, 1, 1, 2, 2])
    known = Constraints(9, triplets=hierarchy.triplets())[[0, 1, 2, 4, 5, 7]]
    assert triplet_weights(known).sum() == pytest.approx(2)


def test_without_triplets_there_is_no_error():
    known = Constraints(3)
    assert cluster_error(Hierarchy([3, 3, 4, 4, -1]), known.triplets, triplet_weights(known)) == 0
