"""Sets that are united pair by pair; pieces of kernels run in plain Python, too."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from clustraint.kernels.disjoint_set import find, number_sets, singles, unite


@st.composite
def unions(draw):
    n_members = draw(st.integers(1, 10))
    member = st.integers(0, n_members - 1)
    return n_members, draw(st.lists(st.tuples(member, member), max_size=15))


def test_a_small_case():
    roots = singles(5)
    assert unite(roots, 4, 1)
    assert unite(roots, 3, 4)
    assert not unite(roots, 1, 3)
    assert [find(roots, member) for member in range(5)] == [0, 1, 2, 1, 1]
    assert number_sets(roots) == 3
    assert roots.tolist() == [0, 1, 2, 1, 1]


@given(unions())
def test_sets_are_those_of_a_slow_reading(problem):
    n_members, pairs = problem
    roots, groups = singles(n_members), [{member} for member in range(n_members)]
    for first, second in pairs:
        assert unite(roots, first, second) == (groups[first] is not groups[second])
        joined = groups[first] | groups[second]
        for member in joined:
            groups[member] = joined
        assert (roots <= np.arange(n_members)).all()
    assert [find(roots, member) for member in range(n_members)] == [min(group) for group in groups]
    lowest = sorted({min(group) for group in groups})
    assert number_sets(roots) == len(lowest)
    assert roots.tolist() == [lowest.index(min(group)) for group in groups]
