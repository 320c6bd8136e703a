import os
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from clustraint import Rows
from clustraint.exceptions import (
    ClustraintError,
    RowNameError,
    RowsFileError,
    TableColumnError,
    UnknownColumnError,
    UnnamedRowsError,
)
from clustraint.rows import ArrayRows, as_numbers, as_rows, is_chunked
from clustraint.rows._rows import added
from tests.rows.engines import pa, pq


def by_levels(parts):
    """Add neighbours, then neighbours of these: the tree as one would draw it."""
    while len(parts) > 1:
        pairs = [parts[i : i + 2] for i in range(0, len(parts), 2)]
        parts = [pair[0] + pair[1] if len(pair) == 2 else pair[0] for pair in pairs]
    return parts[0]


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=40))
def test_sums_are_those_of_a_balanced_tree(parts):
    assert added(iter(parts)) == by_levels(parts)
    groups = [added(parts[i : i + 8]) for i in range(0, len(parts), 8)]
    # Workers add groups of eight first, which makes no difference.
    assert added(groups) == by_levels(parts)


def test_chunks_of_an_array():
    X = np.arange(14.0).reshape(7, 2)
    rows = ArrayRows(X, chunk_rows=3)
    assert rows.shape == (7, 2)
    assert rows.lengths.tolist() == [3, 3, 1]
    assert rows.map(lambda chunk, own, power: (own, chunk.sum() ** power), "abc", 2)[2] == (
        "c",
        625,
    )
    assert rows.take(np.array([0, 2, 6])).tolist() == X[[0, 2, 6]].tolist()
    assert [part.tolist() for part in rows.split(np.array([2, 3, 6]))] == [[2], [0], [0]]
    assert as_rows(rows) is rows
    assert is_chunked(rows)
    assert not is_chunked(X)


def test_sparse_rows_stay_sparse():
    X = csr_array(np.eye(5))
    rows = ArrayRows(X, chunk_rows=2)
    assert (rows.take(np.array([1, 4])).toarray() == np.eye(5)[[1, 4]]).all()


def test_progress_is_told_by_chunks():
    calls = []
    rows = ArrayRows(np.ones((5, 1)), chunk_rows=2)
    rows.progress = lambda done, total: calls.append((done, total))
    rows.map_add(lambda chunk, own: len(chunk))
    assert calls == [(1, 3), (2, 3), (3, 3)]


def write_parquet(path, columns, row_group_size=None):
    pq.write_table(pa.table(columns), path, row_group_size=row_group_size)


@given(
    st.lists(st.integers(0, 9), min_size=1, max_size=4),
    st.integers(1, 7),
    st.integers(1, 6),
)
def test_parquet_files_are_their_rows_in_order(tmp_path_factory, lengths, group, chunk):
    folder = tmp_path_factory.mktemp("parts")
    X = np.random.default_rng(0).normal(size=(sum(lengths), 2))
    starts = np.cumsum([0, *lengths])
    for number, (start, stop) in enumerate(pairwise(starts)):
        part = {"a": X[start:stop, 0], "b": X[start:stop, 1]}
        write_parquet(folder / f"{number}.parquet", part, group)
    rows = Rows.read(folder / "*.parquet", chunk_rows=chunk)
    assert rows.shape == X.shape
    assert rows.names == ("a", "b")
    parts = [as_numbers(part) for part in rows.chunks()]
    assert [len(part) for part in parts] == rows.lengths.tolist()
    assert (np.concatenate(parts) == X).all()
    wanted = np.flatnonzero(np.random.default_rng(1).random(len(X)) < 0.3)
    assert rows.take(wanted).tolist() == X[wanted].tolist()


def test_columns_and_names_of_rows(tmp_path):
    names = ["dog", "wolf", "eel", "trout"]
    write_parquet(tmp_path / "a.parquet", {"id": names, "legs": [4, 4, 0, 0], "x": [1.5] * 4})
    rows = Rows.read(tmp_path, columns=["legs"], id_column="id", chunk_rows=3)
    assert rows.n_features == 1
    assert rows.find(["trout", "dog"]).tolist() == [3, 0]
    assert Rows.read(tmp_path / "a.parquet", id_column="id").names == ("legs", "x")
    with pytest.raises(RowNameError, match="'cat', which is the name of no row"):
        rows.find(["dog", "cat"])
    with pytest.raises(UnnamedRowsError, match="say which column holds them by id_column"):
        Rows.read(tmp_path).find(["dog"])
    with pytest.raises(UnknownColumnError, match="there is no column 'leg'; did you mean 'legs'"):
        Rows.read(tmp_path, columns=["leg"])


def test_a_name_twice(tmp_path):
    write_parquet(tmp_path / "a.parquet", {"id": ["dog", "eel", "dog"], "legs": [4, 0, 4]})
    rows = Rows.read(tmp_path, id_column="id")
    assert rows.find(["eel"]).tolist() == [1]
    with pytest.raises(RowNameError, match="'dog', which is the name of rows 0 and 2") as error:
        rows.find(["dog"])
    assert error.value.rows == (0, 2)


def test_csv_files_and_mapped_arrays(tmp_path):
    (tmp_path / "a.csv").write_text("id,x,y\nu,1,2\nv,3,4.5\n", encoding="utf-8")
    (tmp_path / "b.tsv").write_text("x\ty\n1\t2\n", encoding="utf-8")
    rows = Rows.read(tmp_path / "a.csv", id_column="id", chunk_rows=1)
    assert rows.take(np.array([1])).tolist() == [[3, 4.5]]
    assert rows.find(["v"]).tolist() == [1]
    assert Rows.read(str(tmp_path / "b.tsv")).shape == (1, 2)
    np.save(tmp_path / "c.npy", np.arange(6.0, dtype=np.float32).reshape(3, 2))
    mapped = Rows.read(tmp_path / "c.npy", chunk_rows=2)
    assert mapped.lengths.tolist() == [2, 1]
    assert mapped.take(np.array([2])).dtype == np.float32


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("none.parquet", None, "none.parquet: there is no such file"),
        ("bad.parquet", b"no parquet", "bad.parquet: it is not a Parquet file"),
        ("bad.npy", b"no array", "bad.npy: it holds no array of numbers"),
        ("table.xlsx", b"", "only .parquet, .csv, .tsv and .npy files are read by chunks"),
        ("*.parquet", None, "there is no such file"),
        ("bad.csv", b"a,b\n1,2\n3\n", "bad.csv: it is not read as CSV"),
    ],
)
def test_files_that_cannot_be_read(tmp_path, name, content, message):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(RowsFileError, match=message):
        Rows.read(tmp_path / name)


PART = {"id": ["a", "b"], "x": [1.0, 2.0], "y": [3.0, 4.0]}


@pytest.mark.parametrize(
    ("second", "message"),
    [
        ({"id": ["c"], "x": [1.0]}, r"1.parquet: it lacks the column 'y', which 0.parquet has\.$"),
        ({"x": [1.0], "y": [1.0]}, "1.parquet: it lacks the column 'id', which 0.parquet has"),
        (
            {"id": ["c"], "x": [1.0], "y": ["1"]},
            r"1.parquet: its column 'y' holds texts, but that of 0.parquet holds numbers\.$",
        ),
        (
            {"id": ["c"], "x": [1.0], "y": pa.array([0], pa.timestamp("ms"))},
            r"its column 'y' holds values of type timestamp\[ms\], but that of 0.parquet",
        ),
    ],
)
def test_parts_that_are_not_alike(tmp_path, second, message):
    write_parquet(tmp_path / "0.parquet", PART)
    write_parquet(tmp_path / "1.parquet", second)
    with pytest.raises(RowsFileError, match=message):
        len(Rows.read(tmp_path, id_column="id"))
    if "id" in second:
        assert len(Rows.read(tmp_path, columns=["x"], id_column="id")) == 3


def test_parts_that_are_alike_enough(tmp_path):
    write_parquet(tmp_path / "0.parquet", PART)
    whole = {"y": [7], "z": [0], "x": pa.array([True]), "id": pa.array(["c"]).dictionary_encode()}
    write_parquet(tmp_path / "1.parquet", whole)
    write_parquet(tmp_path / "2.parquet", {name: values[:0] for name, values in PART.items()})
    rows = Rows.read(tmp_path, id_column="id")
    assert rows.take(np.arange(3)).tolist() == [[1, 3], [2, 4], [1, 7]]
    assert rows.find(["c"]).tolist() == [2]


def test_a_part_that_is_damaged_is_named(tmp_path):
    write_parquet(tmp_path / "0.parquet", PART)
    write_parquet(tmp_path / "1.parquet", {name: values * 500 for name, values in PART.items()})
    content = bytearray((tmp_path / "1.parquet").read_bytes())
    content[4:60] = bytes(56)
    (tmp_path / "1.parquet").write_bytes(content)
    with pytest.raises(RowsFileError, match=r"1\.parquet: it is damaged"):
        list(Rows.read(tmp_path).chunks())
    (tmp_path / "1.parquet").write_bytes(content[:300])
    with pytest.raises(RowsFileError, match=r"1\.parquet: it is not a Parquet file"):
        Rows.read(tmp_path)


def test_an_array_of_other_dimensions(tmp_path):
    np.save(tmp_path / "a.npy", np.ones(3))
    with pytest.raises(RowsFileError, match="must hold a 2-D array of numbers"):
        Rows.read(tmp_path / "a.npy")
    with pytest.raises(ClustraintError, match="chunk_rows must be a whole number from 1"):
        Rows.read(tmp_path / "a.npy", chunk_rows=0)


def test_texts_are_no_numbers():
    with pytest.raises(TableColumnError, match="column 'b' of X holds values that are not numbers"):
        as_numbers({"a": [1, 2], "b": ["x", "y"]})


# scikit-learn imports pandas where it is, and pandas pyarrow; scikit-learn 1.8 does so itself.
PROGRAM = """
import sys

class NoPandas:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == "pandas":
            raise ImportError

sys.meta_path.insert(0, NoPandas)
import numpy as np
import sklearn.utils
theirs = set(sys.modules)
import clustraint
assert not {"dask", "pyarrow", "distributed"} & (set(sys.modules) - theirs)
from clustraint import AttributeKMedoids, COPKMeans, Coarse, ConstrainedMixture, ReCon
X = np.arange(24.0).reshape(12, 2)
for model in (COPKMeans(2), ConstrainedMixture(2, n_init=1), Coarse(ReCon(2), 5)):
    model.fit(X)
AttributeKMedoids(2, n_init=1).fit(X.astype(int) % 3)
print(*sorted({"dask", "pyarrow", "distributed"} & (set(sys.modules) - theirs)))
"""


def test_arrays_import_neither_dask_nor_pyarrow():
    # Kernels import neither, so that there is no need to compile them.
    environment = {**os.environ, "CLUSTRAINT_COMPILE": "auto"}
    answer = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True, env=environment
    )
    assert answer.stdout.split() == []
