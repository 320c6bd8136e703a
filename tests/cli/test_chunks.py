"""Files that are too large for memory, through the command line."""

import json

import numpy as np
import pytest

from clustraint.workflow import _in_chunks
from tests.commands import call

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


@pytest.fixture
def little_memory(monkeypatch):
    monkeypatch.setattr(_in_chunks, "available_memory", lambda: 100.0)


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=300)
    X = rng.normal(size=(300, 2)) + 9 * y[:, np.newaxis]
    columns = {"user": [f"u{row}" for row in range(300)], "x": X[:, 0], "y": X[:, 1]}
    pq.write_table(pa.table(columns), tmp_path / "points.parquet", row_group_size=100)
    first = [int(np.flatnonzero(y == each)[0]) for each in range(3)]
    other = int(np.flatnonzero(y == 0)[5])
    lines = f"u{first[0]} = u{other}\nu{first[0]} != u{first[1]}\nu{first[1]} != u{first[2]}\n"
    (tmp_path / "known.txt").write_text(lines, encoding="utf-8")
    return tmp_path, y


def test_a_file_too_large_is_read_by_chunks(table, little_memory, capsys):
    folder, y = table
    options = ["-c", folder / "known.txt", "-k", 3, "--id", "user", "-o", folder / "parts"]
    answer = call(capsys, "cluster", folder / "points.parquet", *options, "--json")
    assert answer.code == 0, answer.err
    shown = json.loads(answer.out)
    assert sum(shown["sizes"]) == 300
    assert shown["constraints"] == {"must_link": [1, 1], "cannot_link": [2, 2]}
    parts = sorted((folder / "parts").glob("*.parquet"))
    assert len(parts) == 3
    labels = pq.read_table(parts).to_pydict()
    assert labels["id"] == [f"u{row}" for row in range(300)]
    assert len(set(zip(labels["cluster"], y.tolist(), strict=True))) == 3


def test_a_hierarchy_of_chunks_is_one_of_representatives(table, little_memory, capsys):
    folder, _ = table
    options = ["-k", 3, "--id", "user", "-m", "complete-linkage"]
    answer = call(capsys, "cluster", folder / "points.parquet", *options)
    assert answer.code == 0, answer.err
    assert "complete-linkage, by 3 chunks" in answer.out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "the number of clusters is needed for a file read by chunks; give -k"),
        (("-k", 3, "--report", "r.html"), "--report is not available for a file read by chunks"),
        (("-k", 3, "-m", "tree", "--ignore", "user"), "ClusteringTree has to see all samples"),
        (("-k", 3), "column 'user' of X holds values that are not numbers"),
    ],
)
def test_what_does_not_go_with_chunks(table, little_memory, capsys, options, message):
    answer = call(capsys, "cluster", table[0] / "points.parquet", *options)
    assert answer.code == 2
    assert message in answer.err


def test_nobody_at_the_address(table, capsys):
    pytest.importorskip("distributed")
    options = ["-k", 3, "--id", "user", "--scheduler", "tcp://127.0.0.1:9"]
    answer = call(capsys, "cluster", table[0] / "points.parquet", *options)
    assert answer.code == 2
    assert "there is no dask scheduler at tcp://127.0.0.1:9" in answer.err
