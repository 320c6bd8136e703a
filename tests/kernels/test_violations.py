import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clustraint import Constraints, Hierarchy
from clustraint.kernels.triplet_index import index_triplets
from clustraint.kernels.violations import join, start_violations, violates
from tests.reference import bihac as reference
from tests.strategies_constraints import constraint_sets


@st.composite
def merge_orders(draw):
    """Triplets, contradictory ones too, and merges in any order."""
    constraints = draw(constraint_sets(max_samples=8, max_size=25, kinds=("triplets",)))
    clusters = list(range(constraints.n_samples))
    merges = []
    while len(clusters) > 1:
        kept, gone = draw(st.permutations(clusters))[:2]
        merges.append((kept, gone))
        clusters.remove(gone)
    return constraints, merges


def assert_right(violations, mlb, clusters):
    for first in clusters:
        for second in clusters:
            if first != second:
                expected = reference.violates(mlb, clusters[first], clusters[second])
                assert violates(violations, first, second) == expected


@given(merge_orders())
def test_counting_is_the_papers_test_of_each_pair(problem):
    constraints, merges = problem
    mlb = reference.ordered(constraints.triplets.tolist())
    index = index_triplets(constraints.n_samples, constraints.links["triplets"].rows)
    violations = start_violations(index)
    clusters = {i: frozenset([i]) for i in range(constraints.n_samples)}
    assert_right(violations, mlb, clusters)
    for kept, gone in merges:
        join(index, violations, kept, gone)
        clusters[kept] |= clusters.pop(gone)
        assert_right(violations, mlb, clusters)


def test_samples_in_no_triplet_take_no_room():
    index = index_triplets(1000, np.array([[3, 900, 5]]))
    assert start_violations(index).counts.shape == (3,)
    assert index.places[[3, 5, 900]].tolist() == [0, 1, 2]
    assert (index.places >= 0).sum() == 3


def test_without_triplets_everything_may_merge():
    index = index_triplets(3, np.empty((0, 3), np.int64))
    violations = start_violations(index)
    join(index, violations, 0, 1)
    assert not violates(violations, 0, 2)


@pytest.mark.parametrize("repeats", [1, 3])
def test_all_triplets_of_a_hierarchy_forbid_just_what_it_does_not_have(repeats):
    hierarchy = Hierarchy.from_labels([0, 0, 1, 1, 1, -1])
    known = Constraints(6, triplets=np.tile(hierarchy.triplets(), (repeats, 1)))
    violations = start_violations(index_triplets(6, known.links["triplets"].rows))
    allowed = {(p, q) for p in range(6) for q in range(p) if not violates(violations, p, q)}
    assert allowed == {(1, 0), (3, 2), (4, 2), (4, 3)}
