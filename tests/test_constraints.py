"""The container: what goes in comes out, cannot change, and survives slicing and joining."""

import copy
import pickle
from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import chisquare

from clustraint import Constraints, Hierarchy, Rule, exceptions
from clustraint.exceptions import ClustraintError, InconsistentConstraintsError
from tests.reference.closure import rule_pairs
from tests.strategies_constraints import KINDS, RULES, constraint_sets, members

sets = constraint_sets(weighted=True, ruled=True, named=True)


@pytest.fixture
def animals():
    return Constraints(
        5,
        must_link=[(0, 1), (3, 2)],
        cannot_link=[(4, 0)],
        triplets=[(1, 0, 4), (2, 3, 0)],
        rules=[Rule("milk"), Rule("feathers", exactly=True)],
        names=["dog", "wolf", "hen", "duck", "trout"],
        must_link_weights=[2, 0.5],
        triplets_weights=[1, 4],
    )


def reference_members(constraints, rows):
    """The constraints among `rows`, renumbered by their places there, one by one."""
    place = {row: number for number, row in enumerate(rows)}
    found = []
    for kind, row, weight in members(constraints):
        if all(sample in place for sample in row):
            first, second, *others = (place[sample] for sample in row)
            found.append((kind, (*sorted((first, second)), *others), weight))
    return sorted(found)


# Construction


def test_everything_comes_out_in_canonical_form(animals):
    assert animals.n_samples == len(animals) == 5
    assert animals.shape == (5,)
    assert animals.must_link.tolist() == [[0, 1], [2, 3]]
    assert animals.must_link_weights.tolist() == [2, 0.5]
    assert animals.cannot_link.tolist() == [[0, 4]]
    assert animals.cannot_link_weights.tolist() == [1]
    assert animals.triplets.tolist() == [[0, 1, 4], [2, 3, 0]]
    assert animals.triplets_weights.tolist() == [1, 4]
    assert animals.rules == (Rule("milk"), Rule("feathers", exactly=True))
    assert animals.names == ("dog", "wolf", "hen", "duck", "trout")
    assert animals.n_constraints == 7
    assert [animals.name_of(sample) for sample in (0, 4)] == ["dog", "trout"]
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


def test_from_names(animals):
    same = Constraints.from_names(
        ["dog", "wolf", "hen", "duck", "trout"],
        must_link=[("duck", "hen"), ("dog", "wolf")],
        cannot_link=[("trout", "dog")],
        triplets=[("hen", "duck", "dog"), ("dog", "wolf", "trout")],
        rules=animals.rules,
        must_link_weights=[0.5, 2],
        triplets_weights=[4, 1],
    )
    assert same == animals


def test_from_hierarchy(global_random_seed):
    hierarchy = Hierarchy.from_newick("(((dog,wolf),hen),trout);")
    informative = Constraints.from_hierarchy(hierarchy)
    assert informative.triplets.tolist() == hierarchy.informative_triplets().tolist()
    assert informative.names == hierarchy.names
    drawn = Constraints.from_hierarchy(hierarchy, 50, random_state=global_random_seed)
    assert drawn.triplets.shape == (50, 3)
    assert hierarchy.displays(drawn.triplets).all()
    assert drawn == Constraints.from_hierarchy(hierarchy, 50, random_state=global_random_seed)


def test_kinds(animals):
    assert animals.kinds == ("must_link", "cannot_link", "triplets", "together", "exactly")
    assert Constraints(3).kinds == ()
    assert Constraints(3, triplets=[(0, 1, 2)]).kinds == ("triplets",)
    assert Constraints(3, rules=[Rule("a", exactly=True)]).kinds == ("exactly",)


# Immutability


@pytest.mark.parametrize("name", ["n_samples", "must_link", "names", "rules", "links", "anything"])
def test_no_attribute_can_be_set_or_deleted(animals, name):
    with pytest.raises(AttributeError, match=f"immutable.*{name}"):
        setattr(animals, name, None)
    with pytest.raises(AttributeError, match=f"immutable.*{name}"):
        delattr(animals, name)


@pytest.mark.parametrize("name", [*KINDS, *(f"{kind}_weights" for kind in KINDS)])
def test_no_array_can_be_written(animals, name):
    before = getattr(animals, name).tolist()
    for same in (animals, pickle.loads(pickle.dumps(animals)), animals[:], animals | animals):
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


def test_links_cannot_be_exchanged(animals):
    with pytest.raises(TypeError):
        animals.links["must_link"] = None


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


def test_repr(animals):
    expected = "Constraints(5 samples: 2 must-links, 1 cannot-link, 2 triplets, 2 rules)"
    assert repr(animals) == expected
    assert repr(Constraints(1)) == "Constraints(1 sample: nothing known)"
    assert repr(Constraints(0)) == "Constraints(0 samples: nothing known)"
    chain = np.stack((np.arange(1500), np.arange(1, 1501)), axis=1)
    assert (
        repr(Constraints(1501, must_link=chain)) == "Constraints(1,501 samples: 1,500 must-links)"
    )


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
def test_slicing_gives_the_induced_renumbered_part(animals, rows, chosen):
    part = animals[rows]
    assert part.n_samples == len(chosen)
    assert members(part) == reference_members(animals, chosen)
    assert part.names == tuple(animals.names[sample] for sample in chosen)
    assert part.rules == animals.rules


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


def test_slicing_does_not_change_the_original(animals):
    before = pickle.dumps(members(animals))
    animals[[4, 3, 2, 1, 0]]
    assert pickle.dumps(members(animals)) == before


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


def test_union_keeps_the_names_of_either(animals):
    nameless = Constraints(5, must_link=[(0, 4)])
    assert (animals | nameless).names == (nameless | animals).names == animals.names
    nobody, nameless = animals[[]], Constraints(0)
    assert (nobody | nameless) == (nameless | nobody)


def test_union_needs_the_same_samples(animals):
    with pytest.raises(ClustraintError, match="about 5 and the other about 4"):
        animals | Constraints(4)
    with pytest.raises(ClustraintError, match="names are the same"):
        animals | Constraints(5, names=["dog", "wolf", "duck", "hen", "trout"])
    with pytest.raises(TypeError):
        animals | [(0, 1)]


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


def test_errors_can_be_pickled_with_their_witness():
    constraints = Constraints(
        3, must_link=[(0, 1), (1, 2)], cannot_link=[(0, 2)], names=list("abc")
    )
    with pytest.raises(InconsistentConstraintsError) as caught:
        constraints.check()
    same = pickle.loads(pickle.dumps(caught.value))
    assert type(same) is InconsistentConstraintsError
    assert str(same) == str(caught.value)
    assert same.witness == caught.value.witness == constraints


def test_errors_about_the_number_of_clusters_can_be_pickled():
    with pytest.raises(exceptions.TooFewClustersError) as caught:
        Constraints(2, cannot_link=[(0, 1)]).check(n_clusters=1)
    same = pickle.loads(pickle.dumps(caught.value))
    assert type(same) is exceptions.TooFewClustersError
    assert (str(same), same.witness) == (str(caught.value), caught.value.witness)


@pytest.mark.parametrize(
    "error",
    [
        exceptions.ConstraintShapeError("must_link", 2, "the shape is (3,)"),
        exceptions.SampleIndexError("must_link", 0, 9, 3),
        exceptions.RepeatedSampleError("cannot_link row 0", 1, "why"),
        exceptions.InvalidWeightError("must_link", "that of row 0 is nan"),
        exceptions.InvalidNameError("there are 2 names for 3 samples"),
        exceptions.DuplicateNameError("dog", 0, 2),
        exceptions.UnknownNameError("dgo", ["dog", "wolf"]),
        exceptions.InvalidLabelsError("y"),
        exceptions.RuleSyntaxError("a &", 4, "the formula ends too early"),
        exceptions.UnknownAttributeError("mlik", "mlik", ["milk"]),
        exceptions.RuleColumnError("milk", "milk", "is odd"),
        exceptions.ConstraintFileError("a.txt", 3, "odd"),
        exceptions.NewickSyntaxError("((a,b);", 7, "a parenthesis is missing"),
    ],
)
def test_every_error_can_be_pickled(error):
    same = pickle.loads(pickle.dumps(error))
    assert type(same) is type(error)
    assert str(same) == str(error)
    assert vars(same) == vars(error)


# Parts


def test_take(animals):
    taken = animals.take(must_link=[1], triplets=[False, True], rules=animals.rules[:1])
    assert members(taken) == [("must_link", (2, 3), 0.5), ("triplets", (2, 3, 0), 4)]
    assert taken.rules == (Rule("milk"),)
    assert (taken.n_samples, taken.names) == (5, animals.names)
    assert animals.take() == Constraints(5, names=animals.names)
    assert animals.take(must_link=[], cannot_link=()) == animals.take()
    assert animals.take(must_link=np.array([1, 0])).must_link.tolist() == [[2, 3], [0, 1]]


@pytest.mark.parametrize("chosen", [[2], [-3], [True], [0.0], ["a"], [[0]], [None]])
def test_take_refuses_what_is_not_there(animals, chosen):
    with pytest.raises(ClustraintError, match="must_link"):
        animals.take(must_link=chosen)


def test_restrict_to_samples(animals):
    part = animals.restrict([0, 1, 4])
    assert part.n_samples == 5
    assert members(part) == [
        ("cannot_link", (0, 4), 1),
        ("must_link", (0, 1), 2),
        ("triplets", (0, 1, 4), 1),
    ]
    assert (part.rules, part.names) == (animals.rules, animals.names)
    assert animals.restrict([True, True, False, False, True]) == part
    assert animals.restrict([4, 1, 0]) == part
    assert animals.restrict(slice(2, 4)).must_link.tolist() == [[2, 3]]
    assert animals.restrict() == animals
    assert animals.restrict([]).n_constraints == len(animals.rules)


def test_restrict_to_kinds(animals):
    assert animals.restrict(kinds="cannot_link").kinds == ("cannot_link",)
    assert animals.restrict(kinds=["together", "must_link"]).kinds == ("must_link", "together")
    assert animals.restrict(kinds=animals.kinds) == animals
    assert animals.restrict(kinds=()).n_constraints == 0
    assert animals.restrict([0, 1], kinds={"must_link"}).must_link.tolist() == [[0, 1]]
    with pytest.raises(ClustraintError, match=r"kinds must be among .*must_link.*'must-link'"):
        animals.restrict(kinds="must-link")


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


def test_sample_draws_all_constraints_alike(animals, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    seen = Counter(animals.sample(1, random_state=rng).kinds[0] for _ in range(1400))
    expected = {"must_link": 400, "cannot_link": 200, "triplets": 400, "together": 200}
    expected["exactly"] = 200
    observed = [seen[kind] for kind in expected]
    assert chisquare(observed, list(expected.values())).pvalue > 1e-6


def test_sample_refuses_what_is_no_number_of_them(animals):
    with pytest.raises(ClustraintError, match=r"n_constraints is 8, but only 7 "):
        animals.sample(8)
    for count in (-1, 1.0, True, None):
        with pytest.raises(ClustraintError, match="n_constraints must be a whole number from 0"):
            animals.sample(count)


@given(sets, st.floats(0, 1), st.integers(0, 2**32 - 1))
def test_split_parts_the_whole(constraints, test_size, seed):
    given_, held_out = constraints.split(test_size, random_state=seed)
    assert held_out.n_constraints == round(test_size * constraints.n_constraints)
    assert sorted(members(given_) + members(held_out)) == members(constraints)
    rules = sorted(map(str, given_.rules + held_out.rules))
    assert rules == sorted(map(str, constraints.rules))
    assert given_.names == held_out.names == constraints.names
    assert (given_, held_out) == constraints.split(test_size, random_state=seed)


def test_split_default_and_ends(animals):
    sizes = [part.n_constraints for part in animals.split(random_state=0)]
    assert sizes == [5, 2]
    assert animals.split(0, random_state=0) == (animals, animals.take())
    assert animals.split(1, random_state=0) == (animals.take(), animals)


@pytest.mark.parametrize("test_size", [-0.1, 1.1, 2, float("nan"), "0.5", None])
def test_split_refuses_other_shares(animals, test_size):
    with pytest.raises(ClustraintError, match="test_size must be a share from 0 to 1"):
        animals.split(test_size)


# Rules as pairs


@given(st.data())
def test_expanded_rules_entail_the_papers_formulas(data):
    n_samples = data.draw(st.integers(1, 7))
    columns = st.lists(st.booleans(), min_size=n_samples, max_size=n_samples)
    frame = pd.DataFrame({name: data.draw(columns) for name in ("milk", "eggs")}).astype(bool)
    frame["legs"] = data.draw(
        st.lists(st.sampled_from([2, 4]), min_size=n_samples, max_size=n_samples)
    )
    rule = data.draw(st.sampled_from(RULES))
    scope = [
        {"milk": milk, "legs == 4": legs == 4, "~milk | eggs": not milk or eggs}[rule.text]
        for milk, eggs, legs in frame.itertuples(index=False)
    ]
    expanded = Constraints(n_samples, rules=[rule]).expand_rules(frame)
    assert expanded.rules == ()
    assert expanded.n_constraints <= n_samples
    closed = expanded.closure()
    must, cannot = rule_pairs(scope, rule.exactly)
    assert set(map(tuple, closed.must_link.tolist())) == must
    assert set(map(tuple, closed.cannot_link.tolist())) == cannot


def test_expanding_joins_with_what_else_is_known():
    X = np.array([[1, 0], [1, 0], [0, 1], [0, 0]])
    constraints = Constraints(
        4,
        cannot_link=[(2, 3)],
        triplets=[(0, 1, 2)],
        rules=[Rule("x0"), Rule("swims", exactly=True)],
        names=["dog", "wolf", "trout", "oak"],
        cannot_link_weights=[3],
    )
    with pytest.raises(exceptions.UnknownAttributeError, match="'swims'"):
        constraints.expand_rules(X)
    with pytest.raises(ClustraintError, match="X has 3 samples, but the constraints are about 4"):
        constraints.expand_rules(X[:3], feature_names=["x0", "swims"])
    expanded = constraints.expand_rules(X, feature_names=["x0", "swims"])
    assert expanded.names == constraints.names
    assert members(expanded) == [
        ("cannot_link", (0, 2), 1),
        ("cannot_link", (1, 2), 1),
        ("cannot_link", (2, 3), 1),
        ("cannot_link", (2, 3), 3),
        ("must_link", (0, 1), 1),
        ("triplets", (0, 1, 2), 1),
    ]


def test_expanding_nothing_and_empty_scopes():
    X = np.zeros((3, 1))
    assert Constraints(3, must_link=[(0, 1)]).expand_rules(X).must_link.tolist() == [[0, 1]]
    for exactly in (False, True):
        rules = [Rule("x0", exactly=exactly)]
        assert Constraints(3, rules=rules).expand_rules(X) == Constraints(3)
    everyone = Constraints(3, rules=[Rule("x0", exactly=True)]).expand_rules(X + 1)
    assert everyone.closure().must_link.tolist() == [[0, 1], [0, 2], [1, 2]]
    assert len(everyone.cannot_link) == 0


def test_overlapping_exact_rules_contradict_each_other():
    X = np.array([[1, 0], [1, 1], [0, 1]])
    rules = [Rule("x0", exactly=True), Rule("x1", exactly=True)]
    with pytest.raises(InconsistentConstraintsError):
        Constraints(3, rules=rules).expand_rules(X).check()
