"""The command line, as it is installed: what it prints, and how it fails."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer

import clustraint
from clustraint.cli import app
from tests.commands import call

HEAVY = ("joblib", "matplotlib", "numba", "numpy", "pandas", "scipy", "sklearn")


@pytest.fixture
def run(tmp_path):
    """Run the installed command in a folder of its own."""

    def run(*arguments, **environment):
        return subprocess.run(
            [str(Path(sys.executable).with_name("clustraint")), *arguments],
            cwd=tmp_path,
            env={**os.environ, "NO_COLOR": "1", "COLUMNS": "120", **environment},
            capture_output=True,
            text=True,
            timeout=300,
        )

    return run


@pytest.mark.parametrize(
    "arguments", [["--help"], ["cluster", "--help"], ["demo", "--help"], ["version"]]
)
def test_help_imports_nothing_heavy(arguments):
    program = (
        "import sys; from clustraint.cli import app\n"
        f"try: app({arguments!r})\n"
        f"except SystemExit: print(sorted(set(sys.modules) & {set(HEAVY)!r}), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stderr.strip() == "[]"


def test_version(run):
    assert run("version").stdout == f"{clustraint.__version__}\n"
    assert json.loads(run("version", "--json").stdout) == {"version": clustraint.__version__}


@pytest.mark.parametrize("name", sorted(typer.main.get_command(app).commands))
def test_every_command_writes_json_and_explains_itself_in_whole_paragraphs(name):
    command = typer.main.get_command(app).commands[name]
    # The studio answers a browser, not a program.
    if name != "studio":
        assert "--json" in {option for each in command.params for option in each.opts}
    paragraphs = command.help.split("\n\n")
    assert all("\n" not in each and each.endswith(".") for each in paragraphs)


def test_bad_input_is_one_sentence_and_exit_code_2(run):
    arguments = ["datasets", "irs"]
    done = run(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("clustraint: ")
    assert "did you mean 'iris'" in done.stderr
    assert done.stderr.count("\n") == 1
    assert "Traceback" in run("--debug", *arguments).stderr


def test_datasets_lists_and_describes(run):
    listed = json.loads(run("datasets", "--json").stdout)
    assert "animals" in {info["name"] for info in listed}
    assert "animals" in run("datasets").stdout
    assert "written for clustraint" in run("datasets", "animals").stdout
    assert json.loads(run("datasets", "animals", "--json").stdout)["n_samples"] >= 40


def test_a_data_set_is_exported_once(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    done = call(capsys, "datasets", "export", "animals")
    assert (done.code, done.out) == (0, "animals.csv: 96 samples\n")
    done = call(capsys, "datasets", "export", "animals")
    assert done.err == (
        "clustraint: animals.csv cannot be written: it is there already; name another file (-o).\n"
    )
    assert call(capsys, "datasets", "export", "iris", "-o", "flowers.csv").code == 0
    for words in (["export"], ["animals", "iris"], ["animals", "-o", "a.csv"]):
        done = call(capsys, "datasets", *words)
        assert done.err == (
            "clustraint: to write a dataset to a file: clustraint datasets export NAME.\n"
        )
