"""Messy tables go through every command that reads a table, and a stranger's first one is good."""

import io
from inspect import signature

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from clustraint.cli import _options
from clustraint.tables import read_labels, read_table
from tests.commands import call
from tests.tables.customers import customers
from tests.tables.messy_tables import MESSY


@pytest.mark.parametrize("messy", MESSY, ids=lambda messy: messy.file)
def test_every_command_takes_it(messy, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path, options = messy.write(tmp_path).name, messy.arguments
    writing = ["-o", "out.csv", "--save", "model.skops"]
    done = call(capsys, "cluster", path, "-k", 2, *writing, "--json", *options)
    assert (done.code, done.err) == (0, "")
    table = read_table(path, **messy.options)
    labels = read_labels("out.csv", table)
    assert sorted({*labels}) == [0, 1]
    same = [place for place, label in enumerate(labels) if label == labels[0]]
    (tmp_path / "c.txt").write_text(f"#0 = #{same[-1]}\n")
    monkeypatch.setattr("sys.stdin", io.StringIO("y\nq\n"))
    for command in (
        ["explain", path, "out.csv"],
        ["check", path, "-c", "c.txt"],
        ["ask", path, "-k", 2, "-n", 3, "-o", "answers.txt"],
        ["cluster", path, "-k", 2, "-c", "c.txt"],
    ):
        done = call(capsys, *command, *options)
        assert (done.code, done.err) == (0, ""), command
        assert "\x1b[31m" not in done.out
    # The model knows how the table was read, so that new rows need none of the options.
    done = call(capsys, "predict", "model.skops", path, "-o", "placed.csv")
    assert (done.code, done.err) == (0, "")
    assert read_labels("placed.csv", table) == labels


@pytest.mark.parametrize("name", ["animals", "iris"])
def test_a_dataset_by_name(name, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = call(capsys, "cluster", name, "-k", 3, "-o", "-", "--labels-only")
    assert done.code == 0, done.err
    assert done.out.startswith("id,cluster")
    (tmp_path / name).write_text("a,b\n1,2\n3,4\n9,9\n")
    assert len(call(capsys, "cluster", name, "-k", 3, "-o", "-").out.splitlines()) == 4


def test_a_strangers_first_command_finds_segments_by_behaviour(
    tmp_path, capsys, monkeypatch, global_random_seed
):
    monkeypatch.chdir(tmp_path)
    content, segments = customers(seed=global_random_seed)
    (tmp_path / "customers.csv").write_text(content)
    done = call(capsys, "cluster", "customers.csv", "-k", 4, "-o", "out.csv")
    assert (done.code, done.err) == (0, "")
    words = " ".join(done.out.split())
    assert "Several rows have the Customer ID 'C00017'" in words
    assert "(--duplicates)" in words
    labels = np.array(read_labels("out.csv", read_table("customers.csv")))
    assert adjusted_rand_score(segments, labels) > 0.8
    first = call(capsys, "cluster", "customers.csv", "-k", 4, "--duplicates", "first", "--json")
    assert '"samples": 2999' in first.out


def test_reading_is_declared_once():
    fields = _options.ReadOptions.__dataclass_fields__
    arguments = signature(read_table).parameters
    assert {*fields} == {*arguments} - {"path"}
