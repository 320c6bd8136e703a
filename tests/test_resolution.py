import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from clustraint import Constraints, Hierarchy
from clustraint.cluster._resolution import resolving_count
from tests.strategies import hierarchies
from tests.strategies_constraints import rows, weights


@st.composite
def judged_trees(draw):
    hierarchy = draw(hierarchies(min_samples=3, max_samples=8, binary=True))
    triplets = draw(rows("triplets", hierarchy.n_samples, 15))
    given_weights = draw(st.lists(weights, min_size=len(triplets), max_size=len(triplets)))
    known = Constraints(hierarchy.n_samples, triplets=triplets, triplets_weights=given_weights)
    return hierarchy, known


def resolved_weight(labels, constraints):
    a, b, c = labels[constraints.triplets.T]
    return constraints.triplets_weights[(a == b) & (a != c)].sum()


@given(judged_trees())
def test_no_cut_resolves_more_with_fewer_clusters(problem):
    hierarchy, known = problem
    found = resolving_count(hierarchy, known)
    counts = range(1, hierarchy.n_samples + 1)
    totals = [resolved_weight(hierarchy.cut(count), known) for count in counts]
    assert found == 1 + int(np.argmax(totals))


def test_nothing_known_parts_nothing():
    assert resolving_count(Hierarchy([3, 3, 4, 4, -1]), Constraints(3)) == 1
    assert resolving_count(Hierarchy([-1]), Constraints(1)) == 1


def test_classes_of_which_all_triplets_are_known():
    labels = np.repeat([0, 1, 2], [3, 4, 2])
    known = Constraints(9, triplets=Hierarchy.from_labels(labels).triplets())
    merges = [(0, 1), (9, 2), (3, 4), (5, 6), (11, 12), (7, 8), (13, 14), (10, 15)]
    found = Hierarchy.from_linkage([(*pair, step, 0) for step, pair in enumerate(merges)])
    assert resolving_count(found, known) == 3


def test_clusters_that_were_never_merged_stay_apart():
    # Merging ended with three clusters, which hang from the root.
    hierarchy = Hierarchy([4, 4, 5, 5, 5, -1])
    assert resolving_count(hierarchy, Constraints(4), fewest=3) == 3
    assert resolving_count(hierarchy, Constraints(4, triplets=[(0, 1, 2)]), fewest=3) == 3
