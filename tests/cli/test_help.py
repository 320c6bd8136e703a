"""Help shows flags and names as they are typed, and the options of a table once."""

import re

import pytest

from clustraint.cli import _app, _options
from clustraint.workflow import methods
from docs import generate
from tests.commands import call

COMMANDS = generate.command_line().commands
READING = ["--id", "--only", "--ignore", "--show", "--numeric", "--date", "--binary", "--nominal"]
READING += ["--text", "--missing", "--impute", "--duplicates", "--format", "--sheet", "--table"]
READING += ["--delimiter", "--decimal", "--day-first", "--encoding"]


@pytest.mark.parametrize("name", [None, *COMMANDS])
def test_help_is_plain(capsys, name):
    done = call(capsys, *([name] if name else []), "--help")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"Usage: clustraint {name or ''}".rstrip() + " [OPTIONS]")
    assert not re.search(r"<\w+|\{[A-Z]|\[\[", done.out)
    assert "-h, --help" in done.out


@pytest.mark.parametrize(("name", "usage"), [("check", "[DATA]"), ("convert", "IN OUT")])
def test_usage(capsys, name, usage):
    first = call(capsys, name, "--help").out.splitlines()[0]
    assert first == f"Usage: clustraint {name} [OPTIONS] {usage}"


@pytest.mark.parametrize("name", ["cluster", "check", "ask", "compare", "explain", "convert"])
def test_every_table_is_read_by_the_same_options(name):
    options = {option for each in COMMANDS[name].params for option in each.opts}
    assert set(READING) <= options


def test_the_options_of_a_table_are_declared_once():
    declared = [
        name
        for bundle in (_options.FileOptions, _options.ReadOptions)
        for name in vars(bundle)["__annotations__"]
    ]
    assert len(declared) == len(set(declared)) == len(READING)


def test_methods_are_named_in_the_help_of_cluster():
    (option,) = (each for each in COMMANDS["cluster"].params if each.name == "method")
    assert all(name in option.help for name in ("auto", *methods()))


def test_a_default_is_told_and_so_is_what_is_required(capsys):
    words = " ".join(call(capsys, "compare", "--help").out.split())
    assert "--holdout SHARE Share of constraints to hold out. Default: 0.3." in words
    assert "-k, --clusters K Number of clusters; a range such as 2-8, or auto, to" in words
    assert "to compare several. Required." in words


def test_help_names_every_command(capsys):
    out = call(capsys, "--help").out
    assert all(f"\n  {command.__name__} " in out for command in _app.COMMANDS)
