"""Reading any table into named columns: the same columns whatever the table is made of."""

import io
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from clustraint import AttributeKMedoids, ClusteringTree, Report, Rule
from clustraint.exceptions import (
    ClustraintError,
    NominalValueError,
    TableColumnError,
    UnknownColumnError,
)
from clustraint.tables import Column, Columns, has_columns, read_columns, read_table

NAN = np.nan


def objects(cells):
    held = np.empty(len(cells), dtype=object)
    held[:] = cells
    return held


MAKES = {
    "mapping": lambda cells: {"x": cells},
    "mapping of arrays": lambda cells: {"x": objects(cells)},
    "list": lambda cells: [[cell] for cell in cells],
    "object array": lambda cells: objects(cells)[:, np.newaxis],
    "masked array": lambda cells: np.ma.masked_array(
        objects([-7 if cell is None else cell for cell in cells])[:, np.newaxis],
        [[cell is None] for cell in cells],
    ),
    "fields": lambda cells: np.array([(cell,) for cell in cells], dtype=[("x", object)]),
    "pandas": lambda cells: pd.DataFrame({"x": pd.Series(cells, dtype=object)}),
    "polars": lambda cells: pl.DataFrame({"x": cells}),
}


@pytest.mark.parametrize("make", MAKES)
@pytest.mark.parametrize(
    ("cells", "kind", "levels"),
    [
        ([3, None, 1, 3], "number", [1, 3]),
        ([0.5, -1.0, None, 0.5], "number", [-1.0, 0.5]),
        ([True, False, None, True], "number", [False, True]),
        (["b", "a", None, "b"], "text", ["a", "b"]),
        ([None, None], "nothing", []),
    ],
)
def test_the_make_of_a_table_does_not_matter(make, cells, kind, levels):
    (column,) = read_columns(MAKES[make](cells))
    present = [cell for cell in cells if cell is not None]
    assert column.name in ("x", "x0")
    assert column.kind == kind
    assert column.values.tolist() == present
    assert column.missing.tolist() == [cell is None for cell in cells]
    assert column.levels.tolist() == levels
    assert column.codes.tolist() == [-1 if c is None else levels.index(c) for c in cells]
    assert {*map(type, column.levels.tolist())} <= {int, float, bool, str}


NUMBERS = {
    "array": np.asarray,
    "fortran": np.asfortranarray,
    "float32": lambda X: X.astype(np.float32),
    "CSR": sp.csr_array,
    "CSC": sp.csc_matrix,
    "COO": sp.coo_array,
    "pandas": lambda X: pd.DataFrame(X, columns=["x0", "x1", "x2"]),
    "polars": lambda X: pl.DataFrame(X, schema=["x0", "x1", "x2"]),
}


@pytest.mark.parametrize("make", NUMBERS)
def test_tables_of_numbers(make):
    X = np.array([[0, 1, 5], [2, 0, 5], [0, 0, 7], [9, 0, 5.0]])
    columns = read_columns(NUMBERS[make](X))
    assert columns.names == ("x0", "x1", "x2")
    assert (columns.shape, len(columns)) == ((4, 3), 4)
    for place, column in enumerate(columns):
        assert column.values.tolist() == X[:, place].tolist()
        assert not column.missing.any()
        assert column.levels[column.codes].tolist() == X[:, place].tolist()
    assert [column.name for column in columns.pick([2, 0])] == ["x2", "x0"]
    assert columns[1:3]["x2"].values.tolist() == [5, 7]
    assert columns[[3, 0]]["x0"].values.tolist() == [9, 0]
    assert columns[np.array([True, False, False, True])]["x1"].values.tolist() == [1, 0]
    assert (columns.numbers is None) == (make in ("pandas", "polars"))


@given(
    st.lists(
        st.one_of(st.none(), st.integers(-3, 3), st.sampled_from([0.5, NAN, "a", "b", True])),
        min_size=1,
        max_size=12,
    )
)
def test_codes_say_which_values_are_equal(cells):
    (column,) = read_columns({"x": cells})
    missing = [cell is None or cell != cell for cell in cells]
    assert column.missing.tolist() == (column.codes < 0).tolist() == missing
    for code, cell in zip(column.codes, cells, strict=True):
        assert code < 0 or column.levels[code] == cell
    levels = column.levels.tolist()
    assert len(set(levels)) == len(levels)
    assert column.codes.max() == len(levels) - 1


@pytest.mark.parametrize("low", [-(2**63), -3, 0, 2**62])
@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint64, np.float64, "M8[s]"])
def test_numbers_in_a_small_range_are_coded_as_any_other(dtype, low, global_random_seed):
    steps = np.random.default_rng(global_random_seed).integers(0, 50, 30)
    if dtype == np.int8 or (dtype in (np.uint64, "M8[s]") and low < 0):
        low = 0  # below, there are no such integers, and the lowest time is NaT
    values = (steps + low).astype(dtype)
    (column,) = read_columns(values[:, np.newaxis])
    levels, codes = np.unique(values, return_inverse=True)
    assert column.levels.dtype == values.dtype
    assert column.levels.tolist() == levels.tolist()
    assert column.codes.tolist() == codes.tolist()


def test_missing_times_and_numbers_have_no_code():
    for values in (np.array(["2020-01-01", "NaT", "NaT"], "M8[D]"), np.array([1, NAN, NAN])):
        (column,) = read_columns(values[:, np.newaxis])
        assert column.codes.tolist() == [0, -1, -1]
        assert len(column.levels) == 1


def test_categories_have_their_own_order():
    ordered = pd.DataFrame({"x": pd.Categorical(["b", "a", None], ["c", "b", "a"])})
    for frame in (ordered, pl.DataFrame({"x": ["b", "a", None]}, schema={"x": pl.Enum("cba")})):
        (column,) = read_columns(frame)
        assert column.categories == ["c", "b", "a"]
        assert column.levels.tolist() == ["b", "a"]
        assert column.codes.tolist() == [0, 1, -1]


def test_values_of_several_kinds_are_coded_as_they_come():
    (column,) = read_columns({"x": ["b", 4, None, "a", 4.0]})
    assert column.kind == "mixed"
    assert column.levels.tolist() == ["b", 4, "a"]
    assert column.codes.tolist() == [0, 1, -1, 2, 1]


@pytest.mark.parametrize("make", ["mapping of arrays", "pandas"])
def test_values_that_cannot_be_compared(make):
    (column,) = read_columns(MAKES[make](["a", ["b"]]))
    with pytest.raises(NominalValueError, match="holds a list at sample 1"):
        _ = column.codes


class Untouchable(pd.DataFrame):
    """A frame of which only the first column may be read."""

    @property
    def iloc(self):
        class Indexer:
            def __getitem__(_, key):  # noqa: N805
                assert key == (slice(None), 0), "another column is read"
                return self["a"]

        return Indexer()


def test_columns_that_are_not_asked_for_are_not_read():
    columns = read_columns(Untouchable({"a": [1, 2], "b": [3, 4]}))
    assert columns.names == ("a", "b")
    assert columns["a"].values.tolist() == [1, 2]
    assert Rule("a == 2").scope(Untouchable({"a": [1, 2], "b": [3, 4]})).tolist() == [False, True]


def test_names_of_columns():
    columns = read_columns(pd.DataFrame([[1, 2, 3]], columns=["a", "b", "a"]))
    assert columns.places("a") == [0, 2]
    assert columns["b"].values.tolist() == [2]
    with pytest.raises(TableColumnError, match="column 'a' of X is there twice"):
        _ = columns["a"]
    with pytest.raises(UnknownColumnError, match="no column 'c'"):
        _ = columns["c"]
    assert columns.renamed(["p", "q", "r"])["r"].values.tolist() == [3]


@pytest.mark.parametrize("X", [{}, {"x": [1, 2], "y": [1]}, {"x": 4}, {"x": np.ones((2, 2))}])
def test_mappings_that_are_no_table(X):
    with pytest.raises(ClustraintError, match=r"X must be a table .* is a mapping whose values"):
        read_columns(X)


def table_of(text, **options):
    return read_table(io.BytesIO(text.encode()), **options)


ANIMALS = "name,legs,milk,color,note\n" + "".join(
    f"{name},{legs},{milk},{color},{name} is what this note is about here\n"
    for name, legs, milk, color in [
        ("dog", 4, "yes", "brown"),
        ("hen", 2, "no", "white"),
        ("cow", 4, "yes", "?"),
        ("emu", 2, "?", "brown"),
    ]
)


def test_a_table_of_a_file_is_read_as_any_other():
    table = table_of(ANIMALS, nominal=["legs"])
    columns = read_columns(table)
    assert columns.names == ("legs", "milk", "color")
    assert columns.aside == ("note", "name")
    assert columns["legs"].categories == [2, 4]
    assert columns["milk"].values.tolist() == [True, False, True]
    assert columns["color"].codes.tolist() == [0, 1, -1, 0]
    assert columns["name"].values.tolist() == ["dog", "hen", "cow", "emu"]
    assert has_columns(table)
    assert Rule('name == "hen" | milk').scope(table).tolist() == [True, True, True, False]
    assert Rule('name == "hen"').scope(columns[1:]).tolist() == [True, False, False]


def test_trees_and_reports_take_a_table_of_a_file():
    table = table_of(ANIMALS)
    tree = ClusteringTree(2, min_samples_leaf=1).fit(table)
    assert tree.n_features_in_ == 3
    assert tree.predict(table).tolist() == tree.labels_.tolist()
    assert "legs" in Report(table, tree, names=table.names).html


def test_columns_are_pickled_with_a_model():
    X = read_columns({"color": ["red", "blue", "red"], "milk": [True, False, False]})
    model = AttributeKMedoids(2, random_state=0).fit(X)
    assert isinstance(model.medoids_, Columns)
    again = pickle.loads(pickle.dumps(model))
    assert again.predict(X).tolist() == model.labels_.tolist()


def test_how_they_are_shown():
    columns = read_columns(np.ones((2000, 2)))
    assert repr(columns) == "Columns(2,000 × 2: x0, x1)"
    assert repr(columns["x1"]) == "Column('x1', number)"
    assert isinstance(columns["x1"], Column)
