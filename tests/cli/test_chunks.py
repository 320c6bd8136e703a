"""Files that are too large for memory, through the command line."""

import json

import numpy as np
import pytest

from clustraint.constraints import _files
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
    labelled = [f"class {y[row]}" if row % 20 == 0 else None for row in range(300)]
    some = {**columns, "who": labelled}
    pq.write_table(pa.table(some), tmp_path / "labelled.parquet", row_group_size=100)
    first = [int(np.flatnonzero(y == each)[0]) for each in range(3)]
    other = int(np.flatnonzero(y == 0)[5])
    lines = f"u{first[0]} = u{other}\nu{first[0]} != u{first[1]}\nu{first[1]} != u{first[2]}\n"
    (tmp_path / "known.txt").write_text(lines, encoding="utf-8")
    return tmp_path, y


def agrees(labels, y):
    return len(set(zip(labels, y.tolist(), strict=True))) == 3


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
    assert agrees(labels["cluster"], y)


def test_a_model_of_chunks_places_rows_by_chunks_and_in_memory(table, monkeypatch, capsys):
    folder, y = table
    data, model = folder / "points.parquet", folder / "model.skops"
    with monkeypatch.context() as patch:
        patch.setattr(_in_chunks, "available_memory", lambda: 100.0)
        options = ["-k", 3, "--id", "user", "--save", model, "-o", folder / "fitted"]
        answer = call(capsys, "cluster", data, *options)
        assert answer.code == 0, answer.err
        answer = call(capsys, "predict", model, data, "-o", folder / "placed", "--json")
        assert answer.code == 0, answer.err
        shown = json.loads(answer.out)
        assert shown["samples"] == 300
        words = call(capsys, "predict", model, data)
        assert "300 samples placed by cop-kmeans, by 3 chunks." in words.out
    fitted = pq.read_table(folder / "fitted").to_pydict()
    placed = pq.read_table(folder / "placed").to_pydict()
    assert placed == fitted
    assert placed["id"] == [f"u{row}" for row in range(300)]
    assert agrees(placed["cluster"], y)
    memory = json.loads(call(capsys, "predict", model, data, "--json").out)
    assert memory["labels"] == dict(zip(placed["id"], placed["cluster"], strict=True))
    assert memory["sizes"] == shown["sizes"]


def test_a_model_of_memory_places_rows_by_chunks(table, monkeypatch, capsys):
    folder, _ = table
    data, model = folder / "points.parquet", folder / "model.skops"
    answer = call(capsys, "cluster", data, "-k", 3, "--id", "user", "-m", "tree", "--save", model)
    assert answer.code == 0, answer.err
    memory = json.loads(call(capsys, "predict", model, data, "--json").out)
    monkeypatch.setattr(_in_chunks, "available_memory", lambda: 100.0)
    answer = call(capsys, "predict", model, data, "-o", folder / "placed")
    assert answer.code == 0, answer.err
    placed = pq.read_table(folder / "placed").to_pydict()
    assert dict(zip(placed["id"], placed["cluster"], strict=True)) == memory["labels"]


@pytest.mark.parametrize("option", [["-c", "known.txt"], ["-c", "ruled.txt"], ["-c", "wrong.txt"]])
def test_a_check_by_chunks_is_that_of_memory(table, monkeypatch, capsys, option):
    folder, _ = table
    (folder / "ruled.txt").write_text("together: x > 14\nu1 = u2\n", encoding="utf-8")
    lines = "u1 = u2\nu2 = u3\nu3 = u4\nu4 != u1\n"
    (folder / "wrong.txt").write_text(lines, encoding="utf-8")
    monkeypatch.chdir(folder)
    options = ["points.parquet", "--id", "user", *option, "--json"]
    memory = call(capsys, "check", *options)
    monkeypatch.setattr(_in_chunks, "available_memory", lambda: 100.0)
    chunks = call(capsys, "check", *options)
    assert chunks.code == memory.code, chunks.err
    expected, shown = json.loads(memory.out), json.loads(chunks.out)
    for name in ("file", "samples", "given", "rules", "consistent", "problem", "witness"):
        assert shown.get(name) == expected.get(name)
    if "rules" not in expected:
        assert shown == expected
    answer = call(capsys, "check", *options[:-1])
    assert answer.code == memory.code
    assert "300 samples" in answer.out


@pytest.mark.parametrize("is_large", [False, True])
def test_names_that_look_like_numbers(tmp_path, little_memory, monkeypatch, capsys, is_large):
    monkeypatch.setattr(_files, "LARGE", -1 if is_large else 2**40)
    users = np.arange(1000, 1200)[::-1]
    pq.write_table(pa.table({"user": users, "x": users % 7 * 1.0}), tmp_path / "a.parquet")
    (tmp_path / "known.txt").write_text("1003 = 1150\n1003 != 1001\n", encoding="utf-8")
    options = ["--id", "user", "-c", tmp_path / "known.txt"]
    output = tmp_path / "parts"
    answer = call(capsys, "cluster", tmp_path / "a.parquet", "-k", 2, *options, "-o", output)
    assert answer.code == 0, answer.err
    labels = pq.read_table(output).to_pydict()
    cluster = dict(zip(labels["id"], labels["cluster"], strict=True))
    assert cluster[1003] == cluster[1150] != cluster[1001]
    (tmp_path / "known.txt").write_text("1003 = 42\n", encoding="utf-8")
    for command in (
        ["cluster", tmp_path / "a.parquet", "-k", 2],
        ["check", tmp_path / "a.parquet"],
    ):
        answer = call(capsys, *command, *options)
        assert answer.code == 2
        assert "the constraints are about '42', which is the name of no row" in answer.err


@pytest.mark.parametrize("name", ["{}", "u{}"])
def test_a_large_file_of_pairs_is_checked_as_it_is_read(table, monkeypatch, capsys, name):
    folder, _ = table
    chain = [f"{name.format(row)} = {name.format(row + 1)}" for row in range(40, 60)]
    path = folder / "many.txt"
    for end, code in (([], 0), ([f"{name.format(45)} != {name.format(42)}"], 1)):
        path.write_text("\n".join(chain + end), encoding="utf-8")
        data = [folder / "points.parquet", *(["--id", "user"] if name != "{}" else [])]
        for words in ([], data):
            with monkeypatch.context() as patch:
                patch.setattr(_in_chunks, "available_memory", lambda: 100.0)
                memory = call(capsys, "check", *words, "-c", path, "--json")
                patch.setattr(_files, "LARGE", -1)
                streamed = call(capsys, "check", *words, "-c", path, "--json")
                shown = call(capsys, "check", *words, "-c", path)
            assert memory.code == streamed.code == shown.code == code
            expected, result = json.loads(memory.out), json.loads(streamed.out)
            assert result == {key: expected[key] for key in result}
            assert "Must-links join 21 samples" in shown.out or code


def test_labels_of_some_rows_are_kept_by_chunks(table, little_memory, capsys):
    folder, y = table
    options = ["-k", 3, "--id", "user", "--labels-known", "who", "-o", folder / "parts", "--json"]
    answer = call(capsys, "cluster", folder / "labelled.parquet", *options)
    assert answer.code == 0, answer.err
    assert json.loads(answer.out)["constraints"] == {"must_link": [12, 12], "cannot_link": [3, 3]}
    assert agrees(pq.read_table(folder / "parts").to_pydict()["cluster"], y)


def test_a_rule_is_about_columns_as_they_are(table, little_memory, capsys):
    folder, _ = table
    (folder / "ruled.txt").write_text("together: x > 14\n", encoding="utf-8")
    options = ["-k", 3, "--id", "user", "-m", "cop-kmeans", "-c", folder / "ruled.txt", "--json"]
    answer = call(capsys, "cluster", folder / "points.parquet", *options)
    assert answer.code == 0, answer.err
    n_ruled = int((pq.read_table(folder / "points.parquet")["x"].to_numpy() > 14).sum())
    assert json.loads(answer.out)["constraints"] == {"must_link": [n_ruled - 1, n_ruled - 1]}


def test_several_files_and_several_constraint_files(table, capsys):
    folder, y = table
    columns = pq.read_table(folder / "points.parquet")
    (folder / "events").mkdir()
    for number in range(3):
        part = columns.slice(100 * number, 100)
        pq.write_table(part, folder / "events" / f"{number}.parquet")
    first, second = (int(row) for row in np.flatnonzero(y == 1)[:2])
    (folder / "more.txt").write_text(f"u{first} = u{second}\n", encoding="utf-8")
    options = ["-k", 3, "--id", "user", "-c", folder / "known.txt", "-c", folder / "more.txt"]
    for data in (folder / "events", folder / "events" / "*.parquet"):
        answer = call(capsys, "cluster", data, *options, "--json")
        assert answer.code == 0, answer.err
        shown = json.loads(answer.out)
        assert shown["constraints"] == {"must_link": [2, 2], "cannot_link": [2, 2]}


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
        (("-k", 3, "--numeric", "x"), "--numeric is not available for a file read by chunks"),
        (("-k", 3, "--scale", "minmax"), "--scale minmax is not available for a file read by"),
        (("-k", 3, "-o", "-"), "are written to a folder of Parquet files; name one"),
        (("-k", 3, "--ignore", "usr"), "there is no column 'usr'; did you mean 'user'"),
        (("-k", 3, "-m", "tree", "--ignore", "user"), "ClusteringTree has to see all samples"),
        (("-k", 3), "column 'user' of X holds values that are not numbers"),
        (
            ("-k", 3, "-m", "attribute-kmedoids", "--save", "m.skops"),
            "a model of attribute-kmedoids that was fitted by chunks cannot be saved",
        ),
    ],
)
def test_what_does_not_go_with_chunks(
    table, little_memory, capsys, options, message, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    answer = call(capsys, "cluster", table[0] / "points.parquet", *options)
    assert answer.code == 2
    assert message in answer.err


def test_where_parts_cannot_go_is_said_before_the_work(table, little_memory, capsys):
    folder, _ = table
    # The column is not there, which would be said while the work is done.
    options = ["-k", 3, "--id", "user", "--ignore", "nothing", "-o", folder / "labelled.parquet"]
    answer = call(capsys, "cluster", folder / "points.parquet", *options)
    assert answer.code == 2
    assert "labelled.parquet is a file; name a new folder for the parts" in answer.err


def test_files_without_rows(tmp_path, little_memory, capsys):
    for number in range(2):
        pq.write_table(pa.table({"x": np.empty(0)}), tmp_path / f"{number}.parquet")
    answer = call(capsys, "cluster", tmp_path, "-k", 3)
    assert answer.code == 2
    assert "holds no rows" in answer.err


def test_what_a_check_does_not_do_by_chunks(table, little_memory, capsys):
    folder, _ = table
    options = [folder / "points.parquet", "--id", "user", "-c", folder / "known.txt"]
    answer = call(capsys, "check", *options, "--doubts", "-k", 3)
    assert answer.code == 2
    assert "--doubts is not available for a table read by chunks" in answer.err
    answer = call(capsys, "check", "-c", folder / "known.txt", "--scheduler", "tcp://127.0.0.1:9")
    assert answer.code == 2
    assert "--scheduler reads a table: name DATA, too" in answer.err


@pytest.mark.parametrize("command", ["cluster", "check"])
def test_nobody_at_the_address(table, capsys, command):
    pytest.importorskip("distributed")
    known = table[0] / "known.txt"
    options = ["-k", 3, "--id", "user", "-c", known, "--scheduler", "tcp://127.0.0.1:9"]
    answer = call(capsys, command, table[0] / "points.parquet", *options)
    assert answer.code == 2
    assert "there is no dask scheduler at tcp://127.0.0.1:9" in answer.err
