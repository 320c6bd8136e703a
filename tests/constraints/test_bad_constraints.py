"""Every bad input gets an error of its own class that says what is wrong and where."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clustraint import Constraints, Rule
from clustraint.exceptions import (
    ClustraintError,
    ConstraintShapeError,
    DroppedConstraintWarning,
    DuplicateNameError,
    InvalidNameError,
    InvalidWeightError,
    RepeatedSampleError,
    SampleIndexError,
    UnknownNameError,
)
from tests.strategies_constraints import KINDS

WIDTHS = {"must_link": 2, "cannot_link": 2, "triplets": 3}
HUGE = [2**63 - 1, 2**63, 2**64 - 1, 2**64, 2**70, -(2**63), -(2**63) - 1, -(2**70)]

each_kind = pytest.mark.parametrize("kind", KINDS)


def good_rows(kind, count=1):
    return [tuple(range(WIDTHS[kind]))] * count


# Sample numbers


@each_kind
@pytest.mark.parametrize("sample", [5, 6, -1, -5, 10**12, *HUGE])
def test_samples_outside_the_data(kind, sample):
    for column in range(WIDTHS[kind]):
        bad = list(good_rows(kind)[0])
        bad[column] = sample
        with pytest.raises(SampleIndexError) as caught:
            Constraints(5, **{kind: [*good_rows(kind, 2), bad]})
        assert f"{kind} row 2 names sample {sample}," in str(caught.value)
        assert "0 to 4" in str(caught.value)


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint8, np.uint64])
def test_samples_outside_the_data_in_arrays(dtype):
    largest = np.iinfo(dtype).max
    with pytest.raises(SampleIndexError, match=f"row 1 names sample {largest}, .* 0 to 4"):
        Constraints(5, must_link=np.array([(0, 1), (2, largest)], dtype))


@each_kind
def test_no_sample_is_inside_no_data(kind):
    with pytest.raises(SampleIndexError, match=f"{kind} row 0 .* there are no samples"):
        Constraints(0, **{kind: good_rows(kind)})


@each_kind
def test_the_last_sample_is_inside(kind):
    row = tuple(range(5 - WIDTHS[kind], 5))
    assert getattr(Constraints(5, **{kind: [row]}), kind).tolist() == [list(row)]


# Repeated samples


def test_cannot_link_to_itself():
    with pytest.raises(RepeatedSampleError, match="cannot_link row 1 names sample 2 twice"):
        Constraints(5, cannot_link=[(0, 1), (2, 2), (3, 3)])


@pytest.mark.parametrize("row", [(1, 1, 2), (1, 2, 1), (2, 1, 1), (1, 1, 1)])
def test_triplet_with_a_repeated_member(row):
    with pytest.raises(RepeatedSampleError, match=r"triplets row 1 names sample 1 twice.*three"):
        Constraints(5, triplets=[(0, 1, 2), row])


def test_must_link_to_itself_is_dropped_with_a_word():
    with pytest.warns(DroppedConstraintWarning, match=r"must_link row 1 .*sample 2 to itself"):
        constraints = Constraints(
            5, must_link=[(0, 1), (2, 2), (1, 3), (4, 4)], must_link_weights=[1, 2, 3, 4]
        )
    assert constraints.must_link.tolist() == [[0, 1], [1, 3]]
    assert constraints.must_link_weights.tolist() == [1, 3]


def test_the_word_about_a_dropped_must_link_points_at_the_caller():
    with pytest.warns(DroppedConstraintWarning, match="2 such rows") as caught:
        Constraints(5, must_link=[(2, 2), (3, 3)])
    assert [warning.filename for warning in caught] == [__file__]


def test_a_dropped_must_link_must_be_valid_otherwise():
    with pytest.raises(SampleIndexError, match="sample 7"):
        Constraints(5, must_link=[(7, 7)])
    with pytest.raises(InvalidWeightError, match="nan"):
        Constraints(5, must_link=[(2, 2)], must_link_weights=[np.nan])


# Types and shapes


@each_kind
@pytest.mark.parametrize(
    ("value", "said"),
    [
        (1.0, "decimal numbers"),
        (0.5, "decimal numbers"),
        (np.nan, "decimal numbers"),
        (np.inf, "decimal numbers"),
        ("dog", "texts; use Constraints.from_names"),
        ("1", "texts; use Constraints.from_names"),
        (b"dog", "bytes"),
        (1j, "complex"),
        (None, "object"),
        (pd.NA, "object"),
        (np.datetime64("2020-01-01"), "datetime"),
    ],
)
def test_values_that_are_no_integers(kind, value, said):
    table = [[value] * WIDTHS[kind]]
    with pytest.raises(ConstraintShapeError) as caught:
        Constraints(5, **{kind: table})
    assert f"{kind} must be rows of {WIDTHS[kind]} sample numbers (integers)" in str(caught.value)
    assert said in str(caught.value)


@each_kind
def test_truth_values(kind):
    for table in ([[True, False, True]], np.ones((2, 3), bool), np.ones((5, 5), bool)):
        table = np.asarray(table)[:, : WIDTHS[kind]]
        with pytest.raises(ConstraintShapeError, match="truth values"):
            Constraints(5, **{kind: table})
        with pytest.raises(ConstraintShapeError, match="truth values"):
            Constraints(5, **{kind: table.tolist()})


@each_kind
@pytest.mark.parametrize("value", [False, np.True_])
def test_truth_values_beside_integers(kind, value):
    rows = [good_rows(kind)[0], (value, *good_rows(kind)[0][1:])]
    with pytest.raises(ConstraintShapeError, match="truth values"):
        Constraints(5, **{kind: rows})


def test_a_float_among_integers():
    with pytest.raises(ConstraintShapeError, match="decimal numbers"):
        Constraints(5, must_link=[(0, 1), (1, 2.0)])
    with pytest.raises(ConstraintShapeError, match="decimal numbers"):
        Constraints(5, must_link=np.array([(0, 1)], np.float32))
    with pytest.raises(ConstraintShapeError, match="decimal numbers"):
        Constraints(5, must_link=pd.DataFrame({"a": [0, None], "b": [1, 2]}))


@each_kind
def test_wrong_widths(kind):
    width = WIDTHS[kind]
    for wrong in (1, 5 - width, 4):
        with pytest.raises(ConstraintShapeError) as caught:
            Constraints(5, **{kind: [tuple(range(wrong))] * 2})
        assert f"rows of {width} sample numbers" in str(caught.value)
        assert f"the shape is (2, {wrong})" in str(caught.value)


@each_kind
@pytest.mark.parametrize("shape", [(), (2,), (3,), (2, 2, 2), (3, 3, 3), (1, 2, 1)])
def test_wrong_dimensions(kind, shape):
    with pytest.raises(ConstraintShapeError, match=r"the shape is \("):
        Constraints(5, **{kind: np.zeros(shape, int)})


@each_kind
@pytest.mark.parametrize(
    "table", [[(0, 1), (0, 1, 2)], [(0, 1), (2,)], [(0, 1), 2], [(0, 1), ()], [[0, 1], [[2], 3]]]
)
def test_ragged_rows(kind, table):
    with pytest.raises(ConstraintShapeError, match=f"{kind} .*not equally long"):
        Constraints(5, **{kind: table})


@each_kind
@pytest.mark.parametrize(
    "table",
    [
        "dog",
        b"dog",
        "",
        0,
        0.5,
        True,
        {},
        {0: 1},
        {(0, 1)},
        iter([(0, 1)]),
        object(),
        Constraints,
        Constraints(5, must_link=[(0, 1)]),
    ],
)
def test_things_that_are_no_tables(kind, table):
    with pytest.raises(ConstraintShapeError, match=f"{kind} must be rows of {WIDTHS[kind]} "):
        Constraints(5, **{kind: table})


@each_kind
def test_empty_tables_in_all_spellings(kind):
    width = WIDTHS[kind]
    columns = list("abc")[:width]
    spellings = [
        None,
        [],
        (),
        np.array([]),
        np.empty(0, int),
        np.empty((0, width)),
        np.empty((0, width), int),
        np.empty((0, width), object),
        pd.DataFrame(columns=columns),
        pl.DataFrame({name: [] for name in columns}),
    ]
    for empty in spellings:
        for weights in (None, [], np.empty(0)):
            assert Constraints(5, **{kind: empty, f"{kind}_weights": weights}) == Constraints(5)


@each_kind
@pytest.mark.parametrize("dtype", [int, float])
def test_empty_tables_of_a_wrong_shape(kind, dtype):
    for shape in [(0, 5 - WIDTHS[kind]), (0, 0), (1, 0), (4, 0), (0, 1, WIDTHS[kind])]:
        with pytest.raises(ConstraintShapeError) as caught:
            Constraints(5, **{kind: np.empty(shape, dtype)})
        assert f"the shape is {shape}" in str(caught.value)


def test_one_empty_row():
    with pytest.raises(ConstraintShapeError, match=r"the shape is \(1, 0\)"):
        Constraints(5, must_link=[[]])


# Weights


@each_kind
@pytest.mark.parametrize("weight", [-1, -0.5, 0, 0.0, -0.0, np.nan, np.inf, -np.inf])
def test_weights_that_are_no_finite_positive_numbers(kind, weight):
    with pytest.raises(InvalidWeightError) as caught:
        Constraints(5, **{kind: good_rows(kind, 3), f"{kind}_weights": [1, weight, -3]})
    assert f"{kind}_weights" in str(caught.value)
    assert f"that of row 1 is {float(weight)}" in str(caught.value)


@each_kind
@pytest.mark.parametrize(
    "weights", [[True, True], ["1", "2"], [1, None], [1j, 1], [object(), 2], [b"1", b"2"]]
)
def test_weights_of_other_types(kind, weights):
    with pytest.raises(InvalidWeightError, match=f"{kind}_weights .* of type"):
        Constraints(5, **{kind: good_rows(kind, 2), f"{kind}_weights": weights})


@each_kind
@pytest.mark.parametrize("weights", [[], [1], [1, 2, 3]])
def test_wrong_number_of_weights(kind, weights):
    with pytest.raises(InvalidWeightError, match=f"there are {len(weights)} for 2 constraints"):
        Constraints(5, **{kind: good_rows(kind, 2), f"{kind}_weights": weights})


@each_kind
@pytest.mark.parametrize("weights", [1.0, [[1.0], [2.0]], [[1.0, 2.0]], [[1.0], [1.0, 2.0]]])
def test_weights_in_a_wrong_shape(kind, weights):
    with pytest.raises(InvalidWeightError, match=f"{kind}_weights must hold"):
        Constraints(5, **{kind: good_rows(kind, 2), f"{kind}_weights": weights})


@each_kind
def test_weights_without_constraints(kind):
    with pytest.raises(InvalidWeightError, match="there are 1 for 0 constraints"):
        Constraints(5, **{f"{kind}_weights": [1]})


def test_tiny_and_huge_weights_are_kept():
    constraints = Constraints(
        5, must_link=[(0, 1), (1, 2), (2, 3)], must_link_weights=[5e-324, 1.7e308, 2**63]
    )
    assert constraints.must_link_weights.tolist() == [5e-324, 1.7e308, 2.0**63]


# Names


def test_duplicate_names():
    with pytest.raises(DuplicateNameError, match="samples 1 and 3 are both called 'wolf'"):
        Constraints(4, names=["dog", "wolf", "hen", "wolf"])
    with pytest.raises(DuplicateNameError, match="samples 0 and 1 are both called 'dog'"):
        Constraints.from_names(["dog", "dog"])


@pytest.mark.parametrize("names", [[], ["dog"], ["dog", "wolf", "hen"]])
def test_wrong_number_of_names(names):
    with pytest.raises(InvalidNameError, match=f"there are {len(names)} names for 2 samples"):
        Constraints(2, names=names)


@pytest.mark.parametrize("name", [1, 1.5, None, np.nan, True, b"dog", ("dog",), ["dog"], pd.NA])
def test_names_that_are_no_texts(name):
    with pytest.raises(InvalidNameError, match=r"name 1 is .*turn it into text"):
        Constraints(2, names=["wolf", name])


@pytest.mark.parametrize("names", ["ab", "", 5, 1.5, True, object()])
def test_names_that_are_no_sequence(names):
    with pytest.raises(InvalidNameError, match="names must be one text for each sample"):
        Constraints(2, names=names)


def test_names_that_no_file_can_hold():
    with pytest.raises(InvalidNameError, match="surrogate"):
        Constraints(2, names=["dog", "\ud800"])


def test_a_long_name_does_not_flood_the_message():
    with pytest.raises(DuplicateNameError) as caught:
        Constraints(2, names=["x" * 10**6] * 2)
    assert len(str(caught.value)) < 300


def test_unknown_names():
    with pytest.raises(UnknownNameError, match="'wofl'; did you mean 'wolf'"):
        Constraints.from_names(["dog", "wolf"], must_link=[("dog", "wofl")])
    with pytest.raises(UnknownNameError, match="no sample is called 'trout'"):
        Constraints.from_names(["dog", "wolf"], triplets=[("dog", "wolf", "trout")])


@pytest.mark.parametrize("row", [("dog",), ("dog", "wolf", "hen"), "dw", (), 3])
def test_rows_of_names_of_a_wrong_width(row):
    with pytest.raises(ConstraintShapeError, match=r"must_link must be rows of 2 .*row 1 is"):
        Constraints.from_names(["dog", "wolf", "hen"], must_link=[("dog", "wolf"), row])


@pytest.mark.parametrize("name", [0, None, b"dog", 1.0])
def test_rows_of_names_with_something_else(name):
    with pytest.raises(ConstraintShapeError, match=r"row 0 holds .*not a name"):
        Constraints.from_names(["dog", "wolf"], must_link=[("dog", name)])


# The rest


@pytest.mark.parametrize(
    "n_samples",
    [-1, -(2**70), 2.0, 2.5, np.nan, "3", None, True, np.True_, [3], (3,), np.array([3]), 1j],
)
def test_n_samples_that_is_no_count(n_samples):
    with pytest.raises(ClustraintError, match="n_samples must be a whole number from 0, but is "):
        Constraints(n_samples)


@pytest.mark.parametrize(
    "rules", [["milk"], [None], "milk", [Rule("milk"), 3], Rule("milk"), 5, [["milk"]]]
)
def test_rules_that_are_none(rules):
    with pytest.raises(ClustraintError, match="rules must hold Rule objects"):
        Constraints(3, rules=rules)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([4], "4 samples"),
        ([-5], "4 samples"),
        ([2**40], "4 samples"),
        ([2**63], "4 samples"),
        (np.array([2**64 - 1], np.uint64), "4 samples"),
        ([2**70], "chosen by"),
        ([True, False], "4 samples"),
        ([0.0], "chosen by a slice, a mask or a list of numbers"),
        (["a"], "chosen by"),
        ([None], "chosen by"),
        ([[0, 1]], "chosen by"),
        ([[0], [1, 2]], "chosen by"),
        (0, "chosen by .* not by 0"),
        ("ab", "chosen by"),
        (None, "chosen by"),
    ],
)
def test_choices_of_samples_that_are_none(rows, said):
    constraints = Constraints(4, must_link=[(0, 3)])
    with pytest.raises(ClustraintError, match=said):
        constraints[rows]
    if rows is not None:
        with pytest.raises(ClustraintError, match=said):
            constraints.restrict(rows)


@pytest.mark.parametrize("rows", [[0, 1, 0], [3, -1], np.array([2, 2])])
def test_choices_of_samples_that_repeat_one(rows):
    with pytest.raises(RepeatedSampleError, match=r"names sample [023] twice"):
        Constraints(4, must_link=[(0, 3)])[rows]


def test_iteration_ends_in_an_error_instead_of_nonsense():
    with pytest.raises((ClustraintError, TypeError)):
        list(Constraints(3))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "entails takes one"),
        ({"triplets": (0, 1, 2), "must_link": (0, 1)}, "entails takes one"),
        ({"triplets": (0, 1)}, "triplets must be rows of 3"),
        ({"must_link": (0, 1, 2)}, "must_link must be rows of 2"),
        ({"cannot_link": (0.0, 1.0)}, "cannot_link must be rows of 2.*decimal"),
        ({"cannot_link": (0, 9)}, "names sample 9"),
        ({"cannot_link": (1, 1)}, "names sample 1 twice"),
        ({"triplets": (0, 1, 1)}, "names sample 1 twice"),
        ({"triplets": 5}, "triplets must be rows of 3"),
        ({"triplets": "abc"}, "triplets must be rows of 3"),
    ],
)
def test_entails_checks_what_it_is_asked(arguments, said):
    with pytest.raises(ClustraintError, match=said):
        Constraints(4).entails(**arguments)


@pytest.mark.parametrize("n_clusters", [0, -1, 2.0, "2", True, np.nan])
def test_n_clusters_that_is_no_count(n_clusters):
    with pytest.raises(ClustraintError, match="n_clusters must be"):
        Constraints(4).check(n_clusters=n_clusters)


@pytest.mark.parametrize("duplicates", ["keep", None, True, 1, []])
def test_duplicates_is_one_of_two_words(duplicates):
    with pytest.raises(ClustraintError, match='duplicates must be "drop" or "sum"'):
        Constraints(4, must_link=[(0, 1)]).closure(duplicates=duplicates)


anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-1, 4)
    | st.floats()
    | st.text(max_size=3)
    | st.binary(max_size=3),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.integers(), inner, max_size=2),
    max_leaves=8,
)


@given(
    st.dictionaries(
        st.sampled_from([*KINDS, *(f"{kind}_weights" for kind in KINDS), "names", "rules"]),
        anything | st.lists(st.lists(st.integers(-1, 4), min_size=2, max_size=3), max_size=3),
        max_size=3,
    ),
    st.integers(-1, 4) | anything,
)
def test_no_input_makes_anything_but_the_stated_exceptions(arguments, n_samples):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DroppedConstraintWarning)
        try:
            constraints = Constraints(n_samples, **arguments)
        except ClustraintError as error:
            assert str(error).endswith(".")  # noqa: PT017
        else:
            assert len(constraints) == constraints.n_samples == n_samples
