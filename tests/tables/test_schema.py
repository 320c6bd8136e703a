"""Reading tables of numeric and nominal columns."""

from datetime import date
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clustraint import Rule
from clustraint.exceptions import ClustraintError, RuleColumnError, TableColumnError
from clustraint.tables import Schema
from tests.strategies_trees import columns, frame_of, samples

NAN = np.nan


def only(values, dtype=None):
    """Return what is read of a pandas frame with that single column."""
    schema, numbers = Schema.read(pd.DataFrame({"x": pd.Series(values, dtype=dtype)}))
    return schema.levels[0], numbers[:, 0]


def only_polars(values, dtype=None):
    schema, numbers = Schema.read(pl.DataFrame({"x": pl.Series(values, dtype=dtype)}))
    return schema.levels[0], numbers[:, 0]


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([2, 1, 1], None),
        ([2, 1, 1], "int8"),
        ([2, 1, None], "Int64"),
        ([2.0, 1.0, None], "Float32"),
        ([2, 1, NAN], "float32"),
        ([2, 1.0, pd.NA], object),
        ([Decimal(2), Decimal(1), None], object),
        (pd.arrays.SparseArray([2, 1, NAN]), None),
    ],
)
def test_numbers_of_pandas(values, dtype):
    levels, numbers = only(values, dtype)
    assert levels is None
    assert numbers[:2].tolist() == [2, 1]
    assert numbers[2] == 1 or np.isnan(numbers[2])


@pytest.mark.parametrize(
    ("values", "dtype", "levels", "codes"),
    [
        (["b", "a", None], None, ("a", "b"), [1, 0, NAN]),
        (["b", "a", None], "string", ("a", "b"), [1, 0, NAN]),
        (["b", "a", NAN], object, ("a", "b"), [1, 0, NAN]),
        (["b", "a", None], "category", ("a", "b"), [1, 0, NAN]),
        (["b", "a", None], pd.CategoricalDtype(["c", "b", "a"]), ("b", "a"), [0, 1, NAN]),
        ([3, 1, None], "category", (1, 3), [1, 0, NAN]),
        ([3, 1, None], pd.CategoricalDtype([3, 2, 1], ordered=True), (3, 1), [0, 1, NAN]),
        ([0.5, -0.5, 0.5], "category", (-0.5, 0.5), [1, 0, 1]),
        ([True, False, True], None, (False, True), [1, 0, 1]),
        ([True, False, None], "boolean", (False, True), [1, 0, NAN]),
        ([True, False, None], object, (False, True), [1, 0, NAN]),
        ([True, True, None], "category", (True,), [0, 0, NAN]),
    ],
)
def test_nominal_columns_of_pandas(values, dtype, levels, codes):
    levels_read, numbers = only(values, dtype)
    assert levels_read == levels
    np.testing.assert_equal(numbers, codes)


@pytest.mark.parametrize(
    ("values", "dtype", "levels", "codes"),
    [
        ([2, 1, None], pl.Int64, None, [2, 1, NAN]),
        ([2.0, NAN, None], pl.Float32, None, [2, NAN, NAN]),
        (["b", "a", None], pl.String, ("a", "b"), [1, 0, NAN]),
        (["b", "a", None], pl.Categorical, ("a", "b"), [1, 0, NAN]),
        (["b", "a", None], pl.Enum(["c", "b", "a"]), ("b", "a"), [0, 1, NAN]),
        ([True, False, None], pl.Boolean, (False, True), [1, 0, NAN]),
        ([None, None, None], pl.Null, None, [NAN, NAN, NAN]),
    ],
)
def test_columns_of_polars(values, dtype, levels, codes):
    levels_read, numbers = only_polars(values, dtype)
    assert levels_read == levels
    np.testing.assert_equal(numbers, codes)


@pytest.mark.parametrize("dtype", [None, float, "string", "category", "boolean", "Int64", object])
def test_a_column_of_missing_values_is_kept_and_takes_anything_later(dtype):
    frame = pd.DataFrame({"x": pd.Series([None, None], dtype=dtype), "y": [1, 2]})
    schema, values = Schema.read(frame)
    assert schema.missing == ("all", "none")
    assert schema.levels == (None, None)
    np.testing.assert_equal(values, [[NAN, 1], [NAN, 2]])
    later = schema.encode(pd.DataFrame({"x": ["a", None], "y": [3, None]}))
    np.testing.assert_equal(later, [[NAN, 3], [NAN, NAN]])


def test_arrays():
    X = np.array([[1.0, NAN], [2.0, NAN], [NAN, NAN]])
    schema, values = Schema.read(X)
    assert schema == Schema(("x0", "x1"), (None, None), ("some", "all"))
    assert values.flags.f_contiguous
    np.testing.assert_equal(values, X)
    np.testing.assert_equal(schema.encode(X[::-1]), X[::-1])


def test_truth_values_of_arrays_are_numbers():
    schema, values = Schema.read(np.array([[True], [False]]))
    assert schema.levels == (None,)
    assert values.tolist() == [[1], [0]]


def test_masked_values_are_missing():
    _, values = Schema.read(np.ma.masked_array([[1.0], [2.0]], mask=[[True], [False]]))
    np.testing.assert_equal(values, [[NAN], [2]])


@given(st.data())
def test_encoding_is_the_coding_of_fit(data):
    schema = data.draw(columns())
    values = data.draw(samples(schema))
    np.testing.assert_equal(schema.encode(frame_of(schema, values)), values)


@given(st.data())
def test_what_is_read_is_encoded_the_same(data):
    drawn = data.draw(columns())
    frame = frame_of(drawn, data.draw(samples(drawn)))
    schema, values = Schema.read(frame)
    np.testing.assert_equal(schema.encode(frame), values)
    assert schema.names == drawn.names
    for feature, levels in enumerate(schema.levels):
        codes = np.unique(values[~np.isnan(values[:, feature]), feature])
        assert levels is None or codes.tolist() == [*range(len(levels))]


def test_categories_and_texts_are_the_same_later():
    schema, _ = Schema.read(pd.DataFrame({"x": pd.Categorical(["b", "a"], ["b", "a"])}))
    assert schema.encode(pd.DataFrame({"x": ["a", "b", "c"]})).T.tolist() == [[1, 0, -1]]
    assert schema.encode(pl.DataFrame({"x": ["a", "b", "c"]})).T.tolist() == [[1, 0, -1]]
    assert schema.encode(np.array([["a"], ["b"]], dtype=object)).T.tolist() == [[1, 0]]


@pytest.mark.parametrize(
    ("values", "dtype", "problem"),
    [
        ([1.0, np.inf], None, "holds an infinite number at sample 1"),
        ([1, 10**400], object, "too large"),
        ([1, "a"], object, r"mixes values of several kinds \(1 and 'a'\)"),
        ([1, True], object, r"mixes values of several kinds \(1 and True\)"),
        ([date(2000, 1, 1)] * 2, object, r"holds datetime.date\(2000, 1, 1\)"),
        (["2000-01-01"] * 2, "datetime64[ns]", "make its values numbers, truth values or texts"),
        ([[1], [2]], object, r"holds \[1\]"),
        ([1 + 2j, 1j], None, "make its values numbers"),
        ([1, "a"], "category", "mixes"),
        ([pd.Interval(0, 1)] * 2, "category", "holds Interval"),
        ([Decimal(1), Decimal(2)], "category", "make them texts"),
        ([1.0, np.inf], "category", "holds an infinite number"),
    ],
)
def test_bad_columns(values, dtype, problem):
    with pytest.raises(TableColumnError, match=rf"^column 'x' of X .*{problem}"):
        only(values, dtype)


def test_bad_columns_of_polars():
    pairs = pl.Array(pl.Float64, 2)
    for values, dtype in [
        ([date(2000, 1, 1)], None),
        ([[1, 2]], None),
        ([[1, 2]], pairs),
        ([{"a": 1}], None),
    ]:
        with pytest.raises(TableColumnError, match=r"^column 'x' of X holds"):
            only_polars(values, dtype)
        with pytest.raises(RuleColumnError, match="column 'x' holds"):
            Rule("x == 1").scope(pl.DataFrame({"x": pl.Series(values, dtype=dtype)}))


def test_infinite_numbers_of_arrays():
    with pytest.raises(TableColumnError, match="column 'x1' of X holds an infinite number at samp"):
        Schema.read(np.array([[1.0, 2.0], [1.0, -np.inf]]))
    schema, _ = Schema.read(np.zeros((2, 2)))
    with pytest.raises(TableColumnError, match="column 'x1' of X holds an infinite number at samp"):
        schema.encode(np.array([[1.0, np.inf]]))


def test_repeated_names():
    frame = pd.DataFrame([[1, 2]], columns=["x", "x"])
    with pytest.raises(TableColumnError, match="column 'x' of X is there twice"):
        Schema.read(frame)


@pytest.mark.parametrize(
    ("before", "later", "problem"),
    [
        ([1, 2], ["a", "b"], "holds texts, such as 'a', but held numbers in fit"),
        ([1, 2], [True, False], "holds truth values, such as True, but held numbers in fit"),
        (["a", "b"], [1, 2], "holds numbers, such as 1, but held texts in fit"),
        ([True, False], [1, 0], "holds numbers, such as 1, but held truth values in fit"),
        ([1, 2], [date(2000, 1, 1)] * 2, "holds datetime.date"),
        ([1, 2], [1, np.inf], "holds an infinite number at sample 1"),
    ],
)
def test_columns_of_another_kind_later(before, later, problem):
    schema, _ = Schema.read(pd.DataFrame({"x": before}))
    with pytest.raises(TableColumnError, match=f"^column 'x' of X {problem}"):
        schema.encode(pd.DataFrame({"x": later}))


def test_another_number_of_columns_later():
    schema, _ = Schema.read(np.zeros((2, 2)))
    with pytest.raises(ClustraintError, match="X has 3 columns, but fit had 2"):
        schema.encode(np.zeros((2, 3)))
