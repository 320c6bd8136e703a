import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from clustraint import Constraints, Hierarchy
from clustraint.cluster._indexed_triplets import IndexedTriplets
from clustraint.evaluation import h_correlation
from tests.strategies import hierarchies
from tests.strategies_constraints import rows, weights


@st.composite
def judged_trees(draw):
    hierarchy = draw(hierarchies(min_samples=3, max_samples=8, binary=True))
    triplets = draw(rows("triplets", hierarchy.n_samples, 15))
    given_weights = draw(st.lists(weights, min_size=len(triplets), max_size=len(triplets)))
    known = Constraints(hierarchy.n_samples, triplets=triplets, triplets_weights=given_weights)
    return hierarchy, known


def triplets_of(constraints):
    return IndexedTriplets(constraints.n_samples, *constraints.links["triplets"])


def weighted(constraints):
    return triplets_of(constraints).node_weighted()


def error_weights(constraints):
    return weighted(constraints).weights


@given(hierarchies(min_samples=3), hierarchies(min_samples=9, max_samples=9))
def test_all_triplets_of_a_hierarchy_weigh_as_in_the_h_correlation(true, found):
    assume(true.n_triplets)
    # Among other samples, in another order, and cut down to those that the triplets mention.
    samples = np.random.default_rng(0).permutation(9)[: true.n_samples]
    known = Constraints(9, triplets=samples[true.triplets()][::-1])
    error = weighted(known).error(found)
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
    assert error_weights(part).tolist() == [1] * len(part.triplets)


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
    assert error_weights(constraints).tolist() == expected


def test_given_weights_stay():
    rows = Hierarchy.from_labels([0, 0, 0, 1, 1]).triplets()
    weights = np.arange(1.0, len(rows) + 1)
    known = Constraints(5, triplets=rows, triplets_weights=weights)
    assert error_weights(known).tolist() == weights.tolist()
    even = Constraints(5, triplets=rows, triplets_weights=np.full(len(rows), 7.0))
    assert error_weights(even).sum() == pytest.approx(2)


def test_slices_of_a_whole_hierarchy_are_whole():
    hierarchy = Hierarchy.from_labels([0, 0, 0, 0, 1, 1, 1, 2, 2])
    known = Constraints(9, triplets=hierarchy.triplets())[[0, 1, 2, 4, 5, 7]]
    assert error_weights(known).sum() == pytest.approx(2)


def test_without_triplets_there_is_no_error():
    assert weighted(Constraints(3)).error(Hierarchy([3, 3, 4, 4, -1])) == 0


@given(judged_trees())
def test_triplets_by_pairs_are_displayed_as_one_by_one(problem):
    hierarchy, known = problem
    found = triplets_of(known).displayed(hierarchy)
    assert found.tolist() == hierarchy.displays(known.triplets).tolist()


def resolved_weight(labels, constraints):
    a, b, c = labels[constraints.triplets.T]
    return constraints.triplets_weights[(a == b) & (a != c)].sum()


@given(judged_trees())
def test_no_cut_resolves_more_with_fewer_clusters(problem):
    hierarchy, known = problem
    found = triplets_of(known).resolving_count(hierarchy)
    counts = range(1, hierarchy.n_samples + 1)
    totals = [resolved_weight(hierarchy.cut(count), known) for count in counts]
    assert found == 1 + int(np.argmax(totals))


def test_nothing_known_parts_nothing():
    assert triplets_of(Constraints(3)).resolving_count(Hierarchy([3, 3, 4, 4, -1])) == 1
    assert triplets_of(Constraints(1)).resolving_count(Hierarchy([-1])) == 1


def test_classes_of_which_all_triplets_are_known():
    labels = np.repeat([0, 1, 2], [3, 4, 2])
    known = Constraints(9, triplets=Hierarchy.from_labels(labels).triplets())
    merges = [(0, 1), (9, 2), (3, 4), (5, 6), (11, 12), (7, 8), (13, 14), (10, 15)]
    found = Hierarchy.from_linkage([(*pair, step, 0) for step, pair in enumerate(merges)])
    assert triplets_of(known).resolving_count(found) == 3


def test_clusters_that_were_never_merged_stay_apart():
    # Merging ended with three clusters, which hang from the root.
    hierarchy = Hierarchy([4, 4, 5, 5, 5, -1])
    for known in (Constraints(4), Constraints(4, triplets=[(0, 1, 2)])):
        assert triplets_of(known).resolving_count(hierarchy, fewest=3) == 3
