"""Parts of constraints: by samples, by places, by kinds, and at random."""

import pickle
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from clustraint import Constraints, Rule
from clustraint.exceptions import ClustraintError
from tests.constraints.test_constraints import ANIMALS, sets
from tests.strategies_constraints import members


def reference_members(constraints, rows):
    """The constraints among `rows`, renumbered by their places there, one by one."""
    place = {row: number for number, row in enumerate(rows)}
    found = []
    for kind, row, weight in members(constraints):
        if all(sample in place for sample in row):
            first, second, *others = (place[sample] for sample in row)
            found.append((kind, (*sorted((first, second)), *others), weight))
    return sorted(found)


# Slicing


@pytest.mark.parametrize(
    ("rows", "chosen"),
    [
        ([4, 0, 1], [4, 0, 1]),
        (np.array([4, 0, 1]), [4, 0, 1]),
        (np.array([4, 0, 1], np.uint8), [4, 0, 1]),
        (pd.Index([4, 0, 1]), [4, 0, 1]),
        ([-1, 0], [4, 0]),
        ([True, True, False, False, True], [0, 1, 4]),
        (np.array([True, True, False, False, True]), [0, 1, 4]),
        (slice(None), [0, 1, 2, 3, 4]),
        (slice(1, 4), [1, 2, 3]),
        (slice(None, None, -1), [4, 3, 2, 1, 0]),
        (slice(7, 9), []),
        (([2, 3, 0], ...), [2, 3, 0]),
        ((slice(0, 2), ...), [0, 1]),
        ((..., [0, 1]), [0, 1]),
        ([], []),
        ((), [0, 1, 2, 3, 4]),
        (np.empty(0), []),
        (np.zeros(5, bool), []),
    ],
)
def test_slicing_gives_the_induced_renumbered_part(rows, chosen):
    part = ANIMALS[rows]
    assert part.n_samples == len(chosen)
    assert members(part) == reference_members(ANIMALS, chosen)
    assert part.names == tuple(ANIMALS.names[sample] for sample in chosen)
    assert part.rules == ANIMALS.rules


@given(sets, st.data())
def test_slicing_any_rows(constraints, data):
    order = data.draw(st.permutations(range(constraints.n_samples)))
    rows = list(order[: data.draw(st.integers(0, constraints.n_samples))])
    assert members(constraints[rows]) == reference_members(constraints, rows)
    mask = np.isin(np.arange(constraints.n_samples), rows)
    assert constraints[mask] == constraints[sorted(rows)]


@given(sets, st.data())
def test_slicing_twice_is_slicing_once(constraints, data):
    rows = np.array(data.draw(st.permutations(range(constraints.n_samples))))[:-1]
    again = np.array(data.draw(st.permutations(range(len(rows)))))[:-1]
    assert constraints[rows][again] == constraints[rows[again]]
    inverse = np.argsort(data.draw(st.permutations(range(constraints.n_samples))))
    assert constraints[inverse][np.argsort(inverse)] == constraints


def test_slicing_does_not_change_the_original():
    before = pickle.dumps(members(ANIMALS))
    ANIMALS[[4, 3, 2, 1, 0]]
    assert pickle.dumps(members(ANIMALS)) == before


# Choosing


def test_take():
    taken = ANIMALS.take(must_link=[1], triplets=[False, True], rules=ANIMALS.rules[:1])
    assert members(taken) == [("must_link", (2, 3), 0.5), ("triplets", (2, 3, 0), 4)]
    assert taken.rules == (Rule("milk"),)
    assert (taken.n_samples, taken.names) == (5, ANIMALS.names)
    assert ANIMALS.take() == Constraints(5, names=ANIMALS.names)
    assert ANIMALS.take(must_link=[], cannot_link=()) == ANIMALS.take()
    assert ANIMALS.take(must_link=np.array([1, 0])).must_link.tolist() == [[2, 3], [0, 1]]


@pytest.mark.parametrize("chosen", [[2], [-3], [True], [0.0], ["a"], [[0]], [None]])
def test_take_refuses_what_is_not_there(chosen):
    with pytest.raises(ClustraintError, match="must_link"):
        ANIMALS.take(must_link=chosen)


def test_restrict_to_samples():
    part = ANIMALS.restrict([0, 1, 4])
    assert part.n_samples == 5
    assert members(part) == [
        ("cannot_link", (0, 4), 1),
        ("must_link", (0, 1), 2),
        ("triplets", (0, 1, 4), 1),
    ]
    assert (part.rules, part.names) == (ANIMALS.rules, ANIMALS.names)
    assert ANIMALS.restrict([True, True, False, False, True]) == part
    assert ANIMALS.restrict([4, 1, 0]) == part
    assert ANIMALS.restrict(slice(2, 4)).must_link.tolist() == [[2, 3]]
    assert ANIMALS.restrict() == ANIMALS
    assert ANIMALS.restrict([]).n_constraints == len(ANIMALS.rules)


def test_restrict_to_kinds():
    assert ANIMALS.restrict(kinds="cannot_link").kinds == ("cannot_link",)
    assert ANIMALS.restrict(kinds=["together", "must_link"]).kinds == ("must_link", "together")
    assert ANIMALS.restrict(kinds=ANIMALS.kinds) == ANIMALS
    assert ANIMALS.restrict(kinds=()).n_constraints == 0
    assert ANIMALS.restrict([0, 1], kinds={"must_link"}).must_link.tolist() == [[0, 1]]
    with pytest.raises(ClustraintError, match=r"kinds must be among .*must_link.*'must-link'"):
        ANIMALS.restrict(kinds="must-link")


@given(sets, st.data())
def test_restrict_and_slice_agree(constraints, data):
    rows = sorted(data.draw(st.sets(st.integers(0, constraints.n_samples - 1))))
    assert constraints.restrict(rows)[rows] == constraints[rows]
    inside = [m for m in members(constraints) if set(m[1]) <= set(rows)]
    assert members(constraints.restrict(rows)) == inside


@given(sets, st.integers(0, 2**32 - 1), st.data())
def test_sample_gives_so_many_of_them(constraints, seed, data):
    count = data.draw(st.integers(0, constraints.n_constraints))
    part = constraints.sample(count, random_state=seed)
    assert part.n_constraints == count
    assert Counter(members(part)) <= Counter(members(constraints))
    assert Counter(part.rules) <= Counter(constraints.rules)
    assert part == constraints.sample(count, random_state=seed)
    assert constraints.sample(constraints.n_constraints, random_state=seed) == constraints


def test_sample_draws_all_constraints_alike(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    seen = Counter(ANIMALS.sample(1, random_state=rng).kinds[0] for _ in range(1400))
    expected = {"must_link": 400, "cannot_link": 200, "triplets": 400, "together": 200}
    expected["exactly"] = 200
    observed = [seen[kind] for kind in expected]
    assert chisquare(observed, list(expected.values())).pvalue > 1e-6


def test_sample_refuses_what_is_no_number_of_them():
    with pytest.raises(ClustraintError, match=r"n_constraints is 8, but there are only 7 "):
        ANIMALS.sample(8)
    for count in (-1, 1.0, True, None):
        with pytest.raises(ClustraintError, match="n_constraints must be a whole number from 0"):
            ANIMALS.sample(count)


@given(sets, st.floats(0, 1), st.integers(0, 2**32 - 1))
def test_split_parts_the_whole(constraints, test_size, seed):
    given_, held_out = constraints.split(test_size, random_state=seed)
    assert held_out.n_constraints == round(test_size * constraints.n_constraints)
    assert sorted(members(given_) + members(held_out)) == members(constraints)
    rules = sorted(map(str, given_.rules + held_out.rules))
    assert rules == sorted(map(str, constraints.rules))
    assert given_.names == held_out.names == constraints.names
    assert (given_, held_out) == constraints.split(test_size, random_state=seed)


def test_split_default_and_ends():
    sizes = [part.n_constraints for part in ANIMALS.split(random_state=0)]
    assert sizes == [5, 2]
    assert ANIMALS.split(0, random_state=0) == (ANIMALS, ANIMALS.take())
    assert ANIMALS.split(1, random_state=0) == (ANIMALS.take(), ANIMALS)


@pytest.mark.parametrize("test_size", [-0.1, 1.1, 2, float("nan"), "0.5", None])
def test_split_refuses_other_shares(test_size):
    with pytest.raises(ClustraintError, match="test_size must be a share from 0 to 1"):
        ANIMALS.split(test_size)
