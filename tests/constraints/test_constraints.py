"""The container: what goes in comes out, cannot change, and survives joining and copying."""

import copy
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from clustraint import Constraints, Hierarchy, Rule
from clustraint.exceptions import ClustraintError
from tests.strategies_constraints import KINDS, constraint_sets, members

sets = constraint_sets(weighted=True, ruled=True, named=True)


ANIMALS = Constraints(
    5,
    must_link=[(0, 1), (3, 2)],
    cannot_link=[(4, 0)],
    triplets=[(1, 0, 4), (2, 3, 0)],
    rules=[Rule("milk"), Rule("feathers", exactly=True)],
    names=["dog", "wolf", "hen", "duck", "trout"],
    must_link_weights=[2, 0.5],
    triplets_weights=[1, 4],
)


# Construction


def test_everything_comes_out_in_canonical_form():
    assert ANIMALS.n_samples == len(ANIMALS) == 5
    assert ANIMALS.shape == (5,)
    assert ANIMALS.must_link.tolist() == [[0, 1], [2, 3]]
    assert ANIMALS.must_link_weights.tolist() == [2, 0.5]
    assert ANIMALS.cannot_link.tolist() == [[0, 4]]
    assert ANIMALS.cannot_link_weights.tolist() == [1]
    assert ANIMALS.triplets.tolist() == [[0, 1, 4], [2, 3, 0]]
    assert ANIMALS.triplets_weights.tolist() == [1, 4]
    assert ANIMALS.rules == (Rule("milk"), Rule("feathers", exactly=True))
    assert ANIMALS.names == ("dog", "wolf", "hen", "duck", "trout")
    assert ANIMALS.n_constraints == 7
    assert [ANIMALS.name_of(sample) for sample in (0, 4)] == ["dog", "trout"]
    assert Constraints(5).name_of(4) == "sample 4"


def test_arrays_have_one_type_and_shape_even_if_empty():
    nothing = Constraints(3)
    for kind, width in zip(KINDS, (2, 2, 3), strict=True):
        table, weights = getattr(nothing, kind), getattr(nothing, f"{kind}_weights")
        assert (table.dtype, table.shape) == (np.int64, (0, width))
        assert (weights.dtype, weights.shape) == (np.float64, (0,))
    assert (nothing.rules, nothing.names, nothing.n_constraints) == ((), None, 0)


@pytest.mark.parametrize(
    "table",
    [
        [(0, 2), (1, 0)],
        ((0, 2), (1, 0)),
        [np.array([0, 2]), np.array([1, 0])],
        np.array([(0, 2), (1, 0)], np.int8),
        np.array([(0, 2), (1, 0)], np.uint64),
        np.array([(0, 1), (2, 0)], np.int32).T,
        np.asfortranarray([(0, 2), (1, 0)]),
        pd.DataFrame({"from": [0, 1], "to": [2, 0]}),
        pl.DataFrame({"from": [0, 1], "to": [2, 0]}),
    ],
)
def test_pairs_may_come_as_any_table_of_integers(table):
    constraints = Constraints(np.int16(3), must_link=table)
    assert constraints.must_link.tolist() == [[0, 2], [0, 1]]
    assert constraints.must_link.dtype == np.int64
    assert type(constraints.n_samples) is int


@pytest.mark.parametrize(
    "names", [np.array(["a", "b"]), pd.Index(["a", "b"]), pl.Series(["a", "b"]), ("a", "b")]
)
def test_names_may_come_as_any_sequence_of_texts(names):
    constraints = Constraints(2, names=names)
    assert constraints.names == ("a", "b")
    assert all(type(name) is str for name in constraints.names)


def test_from_names():
    same = Constraints.from_names(
        ["dog", "wolf", "hen", "duck", "trout"],
        must_link=[("duck", "hen"), ("dog", "wolf")],
        cannot_link=[("trout", "dog")],
        triplets=[("hen", "duck", "dog"), ("dog", "wolf", "trout")],
        rules=ANIMALS.rules,
        must_link_weights=[0.5, 2],
        triplets_weights=[4, 1],
    )
    assert same == ANIMALS


def test_from_hierarchy(global_random_seed):
    hierarchy = Hierarchy.from_newick("(((dog,wolf),hen),trout);")
    informative = Constraints.from_hierarchy(hierarchy)
    assert informative.triplets.tolist() == hierarchy.informative_triplets().tolist()
    assert informative.names == hierarchy.names
    drawn = Constraints.from_hierarchy(hierarchy, 50, random_state=global_random_seed)
    assert drawn.triplets.shape == (50, 3)
    assert hierarchy.displays(drawn.triplets).all()
    assert drawn == Constraints.from_hierarchy(hierarchy, 50, random_state=global_random_seed)


def test_kinds():
    assert ANIMALS.kinds == ("must_link", "cannot_link", "triplets", "together", "exactly")
    assert Constraints(3).kinds == ()
    assert Constraints(3, triplets=[(0, 1, 2)]).kinds == ("triplets",)
    assert Constraints(3, rules=[Rule("a", exactly=True)]).kinds == ("exactly",)


# Immutability


@pytest.mark.parametrize("name", ["n_samples", "must_link", "names", "rules", "links", "anything"])
def test_no_attribute_can_be_set_or_deleted(name):
    with pytest.raises(AttributeError, match=f"immutable.*{name}"):
        setattr(ANIMALS, name, None)
    with pytest.raises(AttributeError, match=f"immutable.*{name}"):
        delattr(ANIMALS, name)


@pytest.mark.parametrize("name", [*KINDS, *(f"{kind}_weights" for kind in KINDS)])
def test_no_array_can_be_written(name):
    before = getattr(ANIMALS, name).tolist()
    for same in (ANIMALS, pickle.loads(pickle.dumps(ANIMALS)), ANIMALS[:], ANIMALS | ANIMALS):
        with pytest.raises(ValueError, match="read-only"):
            getattr(same, name)[...] = 0
        assert getattr(same, name).tolist() == before


def test_derived_arrays_cannot_be_written():
    constraints = Constraints(4, must_link=[(0, 1)], cannot_link=[(1, 2)])
    found = constraints.components
    arrays = [constraints.component_labels, found.labels]
    for array in [*arrays, found.cannot_link, found.cannot_link_weights]:
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


def test_links_cannot_be_exchanged():
    with pytest.raises(TypeError):
        ANIMALS.links["must_link"] = None


def test_later_changes_of_the_input_do_not_reach_in():
    table, weights, names = np.array([(0, 1), (1, 2)]), np.ones(2), ["a", "b", "c"]
    constraints = Constraints(3, must_link=table, names=names, must_link_weights=weights)
    expected = Constraints(3, must_link=[(0, 1), (1, 2)], names=list("abc"))
    table[:], weights[:], names[:] = 2, 7, "xyz"
    assert constraints == expected


def test_construction_does_not_reorder_the_input():
    table = np.array([(1, 0), (2, 1)])
    Constraints(3, must_link=table)
    assert table.tolist() == [[1, 0], [2, 1]]


# Equality


@given(sets, st.data())
def test_equality_is_of_multisets_in_any_order(constraints, data):
    shuffled = {}
    for kind in KINDS:
        order = data.draw(st.permutations(range(len(getattr(constraints, kind)))))
        rows = getattr(constraints, kind)[list(order)]
        if data.draw(st.booleans()):
            rows = np.concatenate((rows[:, 1::-1], rows[:, 2:]), axis=1)
        shuffled[kind] = rows
        shuffled[f"{kind}_weights"] = getattr(constraints, f"{kind}_weights")[list(order)]
    rules = data.draw(st.permutations(constraints.rules))
    same = Constraints(constraints.n_samples, **shuffled, rules=rules, names=constraints.names)
    assert same == constraints
    assert hash(same) == hash(constraints)
    assert len({same, constraints}) == 1


@given(sets, sets)
def test_equal_exactly_if_all_parts_are(left, right):
    same = (
        left.n_samples == right.n_samples
        and left.names == right.names
        and members(left) == members(right)
        and sorted(map(str, left.rules)) == sorted(map(str, right.rules))
    )
    assert (left == right) is same
    assert (left != right) is not same


@pytest.mark.parametrize(
    "other",
    [
        Constraints(5, must_link=[(0, 1)]),
        Constraints(4, must_link=[(0, 2)]),
        Constraints(4, must_link=[(0, 1), (0, 1)]),
        Constraints(4, must_link=[(0, 1)], must_link_weights=[1.5]),
        Constraints(4, must_link=[(0, 1)], names=list("abcd")),
        Constraints(4, must_link=[(0, 1)], rules=[Rule("a")]),
        Constraints(4, cannot_link=[(0, 1)]),
        Constraints(4),
        "Constraints(4 samples: 1 must-link)",
        None,
    ],
)
def test_unequal(other):
    constraints = Constraints(4, must_link=[(0, 1)])
    assert constraints != other
    assert (constraints == other) is False


def test_the_two_samples_of_a_triplet_are_alike_but_not_the_third():
    assert Constraints(3, triplets=[(0, 1, 2)]) == Constraints(3, triplets=[(1, 0, 2)])
    assert Constraints(3, triplets=[(0, 1, 2)]) != Constraints(3, triplets=[(0, 2, 1)])


def test_repr():
    expected = "Constraints(5 samples: 2 must-links, 1 cannot-link, 2 triplets, 2 rules)"
    assert repr(ANIMALS) == expected
    assert repr(Constraints(1)) == "Constraints(1 sample: nothing known)"
    assert repr(Constraints(0)) == "Constraints(0 samples: nothing known)"
    chain = np.stack((np.arange(1500), np.arange(1, 1501)), axis=1)
    assert (
        repr(Constraints(1501, must_link=chain)) == "Constraints(1,501 samples: 1,500 must-links)"
    )


# Union


@given(sets)
def test_union_is_idempotent(constraints):
    assert constraints | constraints == constraints
    assert constraints | Constraints(constraints.n_samples) == constraints


def of_equal_size(number):
    return st.integers(3, 5).flatmap(
        lambda n: st.tuples(
            *[constraint_sets(n, n, max_size=4, weighted=True, ruled=True, named=True)] * number
        )
    )


@given(of_equal_size(2))
def test_union_is_commutative(both):
    left, right = both
    assert left | right == right | left


@given(of_equal_size(3))
def test_union_is_associative(three):
    first, second, third = three
    assert (first | second) | third == first | (second | third)


@given(of_equal_size(2))
def test_union_says_what_either_says_and_no_more(both):
    left, right = (members(constraints) for constraints in both)
    joined = members(both[0] | both[1])
    assert set(joined) == {*left, *right}
    for member in set(joined):
        assert joined.count(member) == max(left.count(member), right.count(member))


def test_union_keeps_the_names_of_either():
    nameless = Constraints(5, must_link=[(0, 4)])
    assert (ANIMALS | nameless).names == (nameless | ANIMALS).names == ANIMALS.names
    nobody, nameless = ANIMALS[[]], Constraints(0)
    assert (nobody | nameless) == (nameless | nobody)


def test_union_needs_the_same_samples():
    with pytest.raises(ClustraintError, match="about 5 and the other about 4"):
        ANIMALS | Constraints(4)
    with pytest.raises(ClustraintError, match="names are the same"):
        ANIMALS | Constraints(5, names=["dog", "wolf", "duck", "hen", "trout"])
    with pytest.raises(TypeError):
        ANIMALS | [(0, 1)]


# Copies


@given(sets)
def test_pickling_and_copying(constraints):
    for same in (
        pickle.loads(pickle.dumps(constraints)),
        copy.copy(constraints),
        copy.deepcopy(constraints),
    ):
        assert same == constraints
        assert hash(same) == hash(constraints)
        assert members(same) == members(constraints)
        assert same.rules == constraints.rules
        assert same.is_consistent() == constraints.is_consistent()


@given(sets)
def test_what_was_computed_does_not_change_equality_or_pickles(constraints):
    assume(constraints.is_consistent())
    fresh = pickle.loads(pickle.dumps(constraints))
    assert constraints.components.n_components == fresh.components.n_components
    assert pickle.dumps(constraints) == pickle.dumps(pickle.loads(pickle.dumps(constraints)))
    assert constraints == fresh
