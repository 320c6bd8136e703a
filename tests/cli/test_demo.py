"""`clustraint demo`: every kind of knowledge helps on its table, and a report is left."""

import json
import subprocess
import sys

import pytest

from clustraint.cli._showcase import ORDER, SYSTEMS
from tests.commands import COMMAND, call

KINDS = {"100 pairs", "100 triplets", "3 rules", "40 questions"}


@pytest.fixture
def without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)


def test_it_tells_what_each_method_got_right(capsys, tmp_path, without_matplotlib):
    page = tmp_path / "demo.html"
    done = call(capsys, "demo", "--jobs", "1", "--report", page)
    assert done.code == 0, done.err
    assert all(name in done.out for name in (*SYSTEMS, *KINDS))
    assert "milk and warm_blooded (27 samples)" in done.out
    assert "wolf = bottlenose dolphin = cod" in " ".join(done.out.split())
    assert "drop bottlenose dolphin = cod" in " ".join(done.out.split())
    assert str(page) in done.out.replace("\n", "")
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_knowledge_helps_and_is_kept(capsys, tmp_path):
    done = call(capsys, "demo", "--jobs", "1", "--json", "--report", tmp_path / "demo.html")
    systems = json.loads(done.out)["systems"]
    assert [each["method"] for each in systems] == list(SYSTEMS)
    assert {each["knowledge"] for each in systems} == KINDS
    for each in systems:
        assert each["after"] > each["before"], each["method"]
        assert each["satisfied"] == each["total"] > 0


def test_a_report_that_cannot_be_written_is_one_sentence(capsys, tmp_path):
    done = call(capsys, "demo", "--jobs", "1", "--quiet", "--report", tmp_path)
    assert done.code == 2
    assert done.err.count("\n") == 1
    assert "it is a folder" in done.err


@pytest.mark.slow
def test_several_processes_do_the_same(tmp_path):
    arguments = [str(COMMAND), "demo", "--json", "--jobs", "2", "--report", "demo.html"]
    done = subprocess.run(arguments, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert [each["method"] for each in json.loads(done.stdout)["systems"]] == list(SYSTEMS)
    assert done.stderr == ""
    assert [path.name for path in tmp_path.iterdir()] == ["demo.html"]


def test_the_order_of_work_names_systems():
    assert set(ORDER) - {"findings"} < set(SYSTEMS)
