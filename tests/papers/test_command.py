"""`python -m papers`, as it is started from the repository."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from papers import PAPERS

ROOT = Path(__file__).parents[2]


@pytest.fixture
def run(tmp_path):
    """Run the command in a folder of its own."""

    def run(*arguments):
        return subprocess.run(
            [sys.executable, "-m", "papers", *arguments],
            cwd=tmp_path,
            env={**os.environ, "NO_COLOR": "1", "COLUMNS": "120", "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            timeout=300,
        )

    return run


def test_help_names_every_paper(run):
    text = " ".join(run("--help").stdout.replace("│", " ").split())
    assert all(name in text for name in PAPERS)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["clusilk"], "did you mean 'clusilc'"),
        (["ccl", "--only", "figure-99"], "ccl has no experiment 'figure-99'"),
        (["ccl", "-o", "taken"], "taken"),
        (["ccl", "--method", "recom"], "there is no method 'recom'"),
        (["ccl", "--method", "bihac"], "bihac cannot take part in any experiment"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(run, tmp_path, arguments, words):
    (tmp_path / "taken").write_text("a file where a folder is wanted")
    done = run(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("papers: ")
    assert words in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_run_writes_pages_and_tells_verdicts(run, tmp_path):
    done = run("ccl", "--quick", "--cells", "1", "--jobs", "1", "--json")
    assert done.returncode == 0, done.stderr
    (paper,) = json.loads(done.stdout)
    assert paper["paper"] == "ccl"
    assert {claim["verdict"] for claim in paper["claims"]} <= {
        "holds",
        "does not hold",
        "not testable here",
        "not enough runs",
    }
    assert (tmp_path / "clustraint-papers" / "ccl.html").exists()
    again = run("ccl", "--quick", "--cells", "1", "--quiet")
    assert again.stdout == "clustraint-papers/ccl.html\n"


def test_data_lists_every_table_with_its_state(run, tmp_path, monkeypatch):
    monkeypatch.setenv("CLUSTRAINT_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "uci").mkdir()
    file = tmp_path / "uci" / "mine.csv"
    file.write_text("a,b,class\n1,2,x\n3,4,y\n")
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")  # no network
    done = run("data", "--json")
    assert done.returncode == 0, done.stderr
    tables = {each["name"]: each for each in json.loads(done.stdout)}
    assert tables["circles"]["state"] == "generated"
    assert tables["mine"]["state"] == "here"
    assert tables["mine"]["checksum"] == hashlib.sha256(file.read_bytes()).hexdigest()
    assert tables["iris"]["licence"] == "CC BY 4.0"
    assert tables["ecoli"]["state"] == "not here"
    assert "OpenML has not given it" in tables["ecoli"]["origin"]
    assert "ecoli" in run("data").stdout
