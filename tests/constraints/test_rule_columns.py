"""Rules on data: every kind of table and column, missing values, and what does not fit."""

from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from clustraint.constraints._rule import Rule
from clustraint.exceptions import ClustraintError, RuleColumnError, UnknownAttributeError
from tests.reference import formula as reference

COMPARISONS = ["==", "!=", "<", "<=", ">", ">="]

ANIMALS = {
    "milk": [True, False, True, False],
    "legs": [4, 2, 0, 0],
    "color": ["red", "green", "red", "blue"],
    "body size": [1.5, 0.25, 9.0, 0.5],
}


def by_name(frame, text):
    return Rule(text).scope(frame).tolist()


def single(values, text, dtype=None):
    """Return the scope of a formula about `x` on a pandas frame with that single column."""
    return by_name(pd.DataFrame({"x": pd.Series(values, dtype=dtype)}), text)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("milk", [0, 2]),
        ("~milk", [1, 3]),
        ("milk & legs == 4", [0]),
        ("milk | legs == 2", [0, 1, 2]),
        ("milk & (legs == 2 | color == 'red')", [0, 2]),
        ("milk & legs == 2 | color == 'blue'", [3]),
        ("~milk & color != 'green'", [3]),
        ("~(milk | legs > 1)", [3]),
        ("`body size` < .5", [1]),
        ("`body size` <= .5", [1, 3]),
        ("legs >= 2", [0, 1]),
        ("milk == 1", [0, 2]),
        ("milk < 0.5", [1, 3]),
        ("legs > 3.5", [0]),
        ("color == 'Red'", []),
    ],
)
def test_frames(frame, text, rows):
    scope = Rule(text).scope(frame(ANIMALS))
    assert scope.dtype == bool
    assert np.flatnonzero(scope).tolist() == rows


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil", "dok", "dia", "bsr"])
@pytest.mark.parametrize("make", [sp.csr_matrix, sp.csr_array])
def test_sparse(make, form):
    X = make(np.array([[1.0, 0, 3], [0, 0, 0], [1, 2, np.nan]])).asformat(form)
    assert Rule("x0 & x2 == 3").scope(X).tolist() == [True, False, False]
    assert Rule("b == 0").scope(X, ["a", "b", "c"]).tolist() == [True, True, False]
    assert Rule("x2 == 0").scope(X).tolist() == [False, True, False]


def test_only_the_used_columns_of_sparse_data_are_made_dense():
    X = sp.csr_array((np.ones(2), ([0, 99_999], [7, 99_999])), shape=(100_000, 100_000))
    assert np.flatnonzero(Rule("x7 | x99999").scope(X)).tolist() == [0, 99_999]


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int32, np.int64, np.float32, float, object])
def test_arrays(dtype):
    X = np.array([[1, 0], [0, 0], [1, 1]], dtype=dtype)
    assert Rule("x0 & ~x1").scope(X).tolist() == [True, False, False]
    assert Rule("a != 1").scope(X, np.array(["a", "b"], dtype=object)).tolist() == [0, 1, 0]


@pytest.mark.parametrize("dtype", [str, object, np.dtypes.StringDType()])
def test_arrays_of_text(dtype):
    X = np.array([["red", "4"], ["green", "4"]], dtype=dtype)
    assert Rule('x0 == "red" & x1 == "4"').scope(X).tolist() == [True, False]


def test_lists_of_mixed_values_keep_their_types():
    assert Rule("x0 == 4 & x1 == 'a'").scope([[4, "a"], [5, "a"]]).tolist() == [True, False]


def test_masked_arrays():
    X = np.ma.masked_array([[1, 0], [1, 1]], mask=[[True, False], [False, False]])
    assert Rule("x0").scope(X).tolist() == [False, True]
    assert Rule("~x0").scope(X).tolist() == [False, False]


@pytest.mark.parametrize(
    "X",
    [
        np.empty((0, 1)),
        sp.csr_array((0, 1)),
        pd.DataFrame({"x0": []}),
        pl.DataFrame({"x0": []}),
    ],
)
@pytest.mark.parametrize("text", ["x0", "x0 == 1", "x0 == 'a'"])
def test_no_rows(X, text):
    assert Rule(text).scope(X).shape == (0,)


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([1, 0, None], "Int64"),
        ([1, 0, None], "Float32"),
        ([True, False, None], "boolean"),
        ([1, 0, np.nan], "float32"),
        ([1, 0, None], "category"),
        ([True, False, None], object),
        ([1, 0.0, pd.NA], object),
        ([np.float32(1), np.int64(0), np.nan], object),
        ([Decimal(1), Decimal(0), Decimal("NaN")], object),
        ([np.True_, 0, pd.NaT], object),
        (pd.arrays.SparseArray([1, 0, np.nan]), None),
    ],
)
def test_numbers_of_pandas(values, dtype):
    assert single(values, "x", dtype) == [True, False, False]
    assert single(values, "~x", dtype) == [False, True, False]
    assert single(values, "x < 0.5", dtype) == [False, True, False]
    assert single(values, "x != 0", dtype) == [True, False, False]


@pytest.mark.parametrize("dtype", ["string", "category", object, None])
def test_texts_of_pandas(dtype):
    assert single(["red", "blue", None], "x == 'red'", dtype) == [True, False, False]
    assert single(["red", "blue", None], "x != 'red'", dtype) == [False, True, False]


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([1, 0, None], pl.Int64),
        ([1, 0, None], pl.UInt8),
        ([1.0, 0.0, float("nan")], pl.Float32),
        ([1.0, 0.0, None], pl.Float64),
        ([True, False, None], pl.Boolean),
    ],
)
def test_numbers_of_polars(values, dtype):
    frame = pl.DataFrame({"x": pl.Series(values, dtype=dtype)})
    assert by_name(frame, "x") == [True, False, False]
    assert by_name(frame, "x == 0") == [False, True, False]


@pytest.mark.parametrize("dtype", [pl.String, pl.Categorical, pl.Enum(["red", "blue"])])
def test_texts_of_polars(dtype):
    frame = pl.DataFrame({"x": pl.Series(["red", "blue", None], dtype=dtype)})
    assert by_name(frame, "x == 'red'") == [True, False, False]
    assert by_name(frame, "x != 'red'") == [False, True, False]


def test_missing_values_follow_kleene():
    cases = [(a, b) for a in (1.0, 0.0, np.nan) for b in (1.0, 0.0, np.nan)]
    scope = {text: Rule(text).scope(np.array(cases)).tolist() for text in ("x0 & x1", "x0 | x1")}
    assert scope["x0 & x1"] == [a == 1 and b == 1 for a, b in cases]
    assert scope["x0 | x1"] == [a == 1 or b == 1 for a, b in cases]
    surely_false = [a == 0 or b == 0 for a, b in cases]
    assert Rule("~(x0 & x1)").scope(np.array(cases)).tolist() == surely_false
    assert Rule("x0 | ~x0").scope(np.array([[np.nan], [1.0]])).tolist() == [False, True]
    assert Rule("x0 == 3 | x0 != 3").scope(np.array([[np.nan]])).tolist() == [False]


@pytest.mark.parametrize("column", [[None, 3], [np.nan, "a"], [pd.NaT, pd.Timestamp(0)]])
def test_whether_a_value_is_missing_can_be_asked_of_any_column(column):
    assert single(column, "x == ?") == [True, False]
    assert single(column, "x != ?") == single(column, "~x == ?") == [False, True]
    assert single(column, "x == ? | x != ?") == [True, True]


@pytest.mark.parametrize(
    "column",
    [[None, None], [np.nan, np.nan], pd.Series([None, None], dtype="string"), [pd.NA, None]],
)
@pytest.mark.parametrize("text", ["x", "~x", "x == 4", "x != 'a'"])
def test_a_column_without_values_is_unknown_to_every_test(column, text):
    assert single(column, text) == [False, False]


def test_a_polars_column_of_nulls_is_unknown():
    assert by_name(pl.DataFrame({"x": [None, None]}), "x == 'a' | ~x") == [False, False]


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("missing", [[], [None]])
def test_large_integers_are_compared_exactly(frame, missing):
    large = 2**53 + 1
    if frame is pd.DataFrame:
        X = frame({"x": pd.Series([large - 1, large, *missing], dtype="Int64")})
    else:
        X = frame({"x": [large - 1, large, *missing]})
    nothing = [False] * len(missing)
    assert by_name(X, f"x == {large}") == [False, True, *nothing]
    assert by_name(X, f"x < {large}") == [True, False, *nothing]
    assert by_name(X, f"x == {large - 1}.0") == [True, False, *nothing]


def test_floats_are_not_equal_to_integers_that_they_cannot_hold():
    X = np.array([[2.0**53]])
    assert Rule(f"x0 < {2**53 + 1} & x0 != {2**53 + 1} & x0 == {2**53}").scope(X).all()
    assert Rule(f"x0 > {-(2**53) - 1}").scope(-X).all()


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int64, np.uint64, np.float32, float, object])
@pytest.mark.parametrize("number", ["1" + "0" * 300, "1e300", str(2**64), str(2**63)])
def test_gigantic_numbers(dtype, number):
    X = np.array([[0], [1]], dtype=dtype)
    assert Rule(f"x0 < {number} & x0 > -{number} & x0 != {number}").scope(X).all()
    assert not Rule(f"x0 >= {number} | x0 <= -{number} | x0 == {number}").scope(X).any()


def test_infinity_is_above_every_number():
    for dtype in (np.float16, np.float32, np.float64):
        X = np.array([[np.inf], [-np.inf]], dtype=dtype)
        assert Rule("x0 > 1e300").scope(X).tolist() == [True, False]
        assert not Rule("x0 == 1e300 | x0 == -1e300").scope(X).any()


def test_a_decimal_is_compared_at_the_precision_of_the_column():
    X = np.array([[0.1]], dtype=np.float32)
    assert Rule("x0 == 0.1 & x0 <= 0.1 & ~x0 > 0.1").scope(X).all()
    assert not Rule("x0 == 16777217").scope(np.array([[2.0**24]], dtype=np.float32)).any()


def test_text_may_end_in_a_null_character():
    assert not Rule(r'x0 == "a\u0000"').scope(np.array([["a"]])).any()


names = ["flag", "count", "wei`ght", "the color"]
atoms = st.one_of(
    st.just(("atom", "flag", None, None)),
    st.tuples(st.just("atom"), st.sampled_from(names), st.sampled_from(["==", "!="]), st.none()),
    st.tuples(
        st.just("atom"),
        st.sampled_from(["flag", "count", "wei`ght"]),
        st.sampled_from(COMPARISONS),
        st.sampled_from([0, 1, 2, -1.5, 0.5, 2**60]),
    ),
    st.tuples(
        st.just("atom"),
        st.just("the color"),
        st.sampled_from(["==", "!="]),
        st.sampled_from(["red", "", "é"]),
    ),
)
trees = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.tuples(st.just("not"), inner),
        st.tuples(st.sampled_from(["and", "or"]), inner, inner),
    ),
    max_leaves=8,
)
rows = st.fixed_dictionaries(
    {
        "flag": st.sampled_from([True, False, None]),
        "count": st.sampled_from([0, 1, 2, 2**60, 2**60 + 1, None]),
        "wei`ght": st.sampled_from([0.5, -1.5, 1.0, None]),
        "the color": st.sampled_from(["red", "", "blue", None]),
    }
)
TYPES = {"flag": "boolean", "count": "Int64", "wei`ght": "Float64", "the color": "string"}


@given(trees, st.lists(rows, max_size=6))
def test_scope_equals_the_recursive_evaluation(tree, rows):
    rule, expected = Rule(reference.write(tree)), reference.scope(tree, rows)
    columns = {name: [row[name] for row in rows] for name in names}
    X = np.empty((len(rows), len(names)), dtype=object)
    for place, name in enumerate(names):
        X[:, place] = columns[name]
    assert rule.scope(X, names).tolist() == expected
    # Made of arrays of their types: a plain list of large integers and None would become floats.
    frame = pd.DataFrame({n: pd.array(columns[n], dtype=kind) for n, kind in TYPES.items()})
    assert rule.scope(frame).tolist() == expected
    assert rule.scope(pl.DataFrame(columns)).tolist() == expected
    assert Rule(rule.text).scope(X, names).tolist() == expected


@pytest.mark.parametrize(
    ("column", "text", "problem"),
    [
        ([0, 1, 4], "x", "holds 4, not only 0 and 1; compare it: x is 4"),
        ([0.0, 0.5], "~x", "holds 0.5, not only 0 and 1; compare it: x is 0.5"),
        (["yes", "no"], "x", "holds 'yes', not only 0 and 1; compare it: x is yes"),
        (["4", "2"], "x == 4", 'holds text; quote the value: x is "4"'),
        (["4", "2"], "x != 0.5", 'holds text; quote the value: x is not "0.5"'),
        (
            ["4", "2"],
            "x < 3",
            'holds text, which has no order; compare it by is or is not: x is "3"',
        ),
        (["4", "2"], "x < '3'", 'has no order; compare it by is or is not: x is "3"'),
        ([4, 2], "x == '4'", "holds numbers, such as 4; leave out the quotes: x is 4"),
        ([4, 2], "x == 'four'", "holds numbers, such as 4; compare it with a number"),
        ([True, False], "x == 'yes'", "holds truth values; write x for true and not x for false"),
        ([4, "many"], "x == 4", "mixes numbers and text (4 and 'many')"),
        ([4, "many"], "x", "mixes numbers and text (4 and 'many')"),
        ([b"a", b"b"], "x == 'a'", "holds b'a'; formulas know numbers, truth values and text only"),
        ([1j, 2j], "x == 4", "holds 1j; formulas know"),
        ([[1, 2], [3]], "x", "holds [1, 2]; formulas know"),
        ([np.array([1, 2]), None], "x", "holds array([1, 2]); formulas know"),
        ([np.timedelta64(1, "ns"), None], "x == 1", "formulas know numbers, truth values and text"),
        (
            np.array(["2020-01-01"], "M8[ns]"),
            "x > 2",
            "formulas know numbers, truth values and text",
        ),
    ],
)
def test_columns_that_do_not_fit(column, text, problem):
    X = pd.DataFrame({"x": pd.Series(column)})
    with pytest.raises(RuleColumnError) as caught:
        Rule(text).scope(X)
    assert f"rule {Rule(text).text!r}: column 'x' " in str(caught.value)
    assert problem in str(caught.value)


def test_categories_must_be_text_or_numbers():
    numbers = pd.DataFrame({"x": pd.Categorical([4, 2, None])})
    assert by_name(numbers, "x == 4") == [True, False, False]
    with pytest.raises(RuleColumnError, match="leave out the quotes: x is 4"):
        by_name(numbers, "x == '4'")
    dates = pl.DataFrame({"x": pl.Series([1, 2]).cast(pl.Date)})
    with pytest.raises(RuleColumnError, match="formulas know numbers"):
        by_name(dates, "x == 1")


@pytest.mark.parametrize("X", [pd.DataFrame(ANIMALS), pl.DataFrame(ANIMALS)])
def test_unknown_names(X):
    with pytest.raises(
        UnknownAttributeError, match="'mlik', which is not a column; did you mean 'm"
    ):
        Rule("legs == 4 & mlik").scope(X)
    with pytest.raises(UnknownAttributeError, match="the columns are milk, legs, color, body size"):
        Rule("zzzzzz").scope(X)


def test_unknown_names_of_arrays():
    with pytest.raises(UnknownAttributeError, match="the columns are x0, x1"):
        Rule("x2").scope(np.ones((3, 2)))


def test_repeated_columns_are_an_error_only_where_used():
    X = pd.DataFrame([[1, 0, 1]], columns=["a", "a", "b"])
    assert by_name(X, "b") == [True]
    with pytest.raises(RuleColumnError, match="column 'a' occurs 2 times in X"):
        by_name(X, "b & a")


def test_columns_whose_names_are_no_texts_go_by_their_str():
    assert by_name(pd.DataFrame([[1, 0]]), "`0` & ~`1`") == [True]
    with pytest.raises(RuleColumnError, match="column '0' occurs 2 times"):
        by_name(pd.DataFrame([[1, 0]], columns=[0, "0"]), "`0`")


@pytest.mark.parametrize(
    ("feature_names", "problem"),
    [
        (["a"], "one name for each of the 2 columns of X, but holds 1"),
        (["a", "b", "c"], "one name for each of the 2 columns of X, but holds 3"),
        (["a", "a"], "feature_names must be unique, but 'a' is there twice"),
        (["a", 4], "feature_names must be texts, but entry 1 is 4"),
        ("ab", "feature_names must be a sequence of texts, but is 'ab'"),
        (7, "feature_names must be a sequence of texts, but is 7"),
    ],
)
@pytest.mark.parametrize("X", [np.ones((3, 2)), sp.csr_array(np.ones((3, 2)))])
def test_wrong_feature_names(X, feature_names, problem):
    with pytest.raises(ClustraintError, match=problem):
        Rule("a").scope(X, feature_names=feature_names)


def test_feature_names_must_agree_with_a_frame():
    X = pd.DataFrame({"a": [1], "b": [0]})
    assert Rule("a").scope(X, feature_names=X.columns).tolist() == [True]
    with pytest.raises(ClustraintError, match="feature_names differ from the names of X's columns"):
        Rule("a").scope(X, feature_names=["b", "a"])


@pytest.mark.parametrize(
    "X",
    [
        np.ones(3),
        np.ones((2, 2, 2)),
        [1, 2, 3],
        [[1, 2], [3]],
        "text",
        None,
        pd.Series([1, 2]),
        pl.DataFrame({"a": [1]}).lazy(),
        sp.coo_array(np.ones(3)),
    ],
)
def test_data_that_are_no_table(X):
    with pytest.raises(ClustraintError, match="X must be a table of shape"):
        Rule("x0").scope(X)
