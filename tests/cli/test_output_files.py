"""No command writes over a file that it reads, over its own output, or under a wrong name."""

import inspect
import io
import os
from pathlib import Path

import pytest

from clustraint.cli import _app
from clustraint.cli._command import Input, Option, Output, check_files, prepared
from clustraint.exceptions import OutputFileError
from clustraint.tables import read_table
from clustraint.workflow import ClusterModel, cluster_table
from tests.commands import call

TABLE = "name,x,y\ndog,1,1\nwolf,2,1\ntrout,8,9\ncarp,9,9\n"
PAIRS = "dog = wolf\ntrout = carp\ndog != trout\nwolf != carp\n"
# How each command is called; {…} are the files that it reads. A new command needs a line here.
CALLS = {
    "cluster": "cluster {d.csv} -k 2 -c {k.txt}",
    "predict": "predict {m.skops} {d.csv}",
    "check": "check {d.csv} -c {k.txt}",
    "ask": "ask {d.csv} -k 2 -c {k.txt}",
    "compare": "compare {d.csv} -k 2 -c {k.txt} -m cop-kmeans --splits 2",
    "explain": "explain {d.csv} {l.csv}",
    "convert": "convert {k.txt} --data {d.csv}",
    "datasets": "datasets export animals",
    "studio": "studio {d.csv} -k 2 -c {k.txt} --no-browser",
    "demo": "demo --jobs 1",
    "version": "version",
}
COMMANDS = {command.__name__: command for command in _app.COMMANDS}


def options(name):
    """Return the parameters of a command that are files, by what marks them."""
    parameters = inspect.signature(prepared(COMMANDS[name])).parameters.values()
    every = [Option.of(each.name, each.annotation, each.default) for each in parameters]
    return {
        mark: [option for option in every if isinstance(option.role, mark)]
        for mark in (Input, Output)
    }


def is_argument(option):
    return not option.shown.startswith("-")


def arguments(name, written):
    """Return a call of a command; `written` are the files that its outputs go to."""
    words = CALLS[name].replace("{", "").replace("}", "").split()
    for option, path in written.items():
        words += [path] if is_argument(option) else [option.shown, path]
    return words


OUTPUTS = [(name, option) for name in COMMANDS for option in options(name)[Output]]
OVERWRITTEN = [
    (name, option, path)
    for name, option in OUTPUTS
    for path in ("d.csv", "k.txt", "l.csv")
    if f"{{{path}}}" in CALLS[name]
]
TWICE = [
    (name, first, second)
    for name in COMMANDS
    for place, first in enumerate(options(name)[Output])
    for second in options(name)[Output][place + 1 :]
]
IDS = {"ids": lambda value: value.shown if isinstance(value, Option) else str(value)}


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """Return a saved model of the table."""
    table = read_table(io.BytesIO(TABLE.encode()))
    path = tmp_path_factory.mktemp("model") / "m.skops"
    return ClusterModel.of(cluster_table(table, n_clusters=2)).save(path).read_bytes()


@pytest.fixture
def folder(tmp_path, monkeypatch, model):
    (tmp_path / "d.csv").write_text(TABLE)
    (tmp_path / "m.skops").write_bytes(model)
    (tmp_path / "k.txt").write_text(PAIRS)
    (tmp_path / "l.csv").write_text("id,cluster\ndog,0\nwolf,0\ntrout,1\ncarp,1\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def check_refused(done, path, words):
    assert done.code == 2, done
    assert done.out == ""
    assert done.err.startswith(f"clustraint: {Path(path)} cannot be written: ")
    assert done.err.count("\n") == 1
    assert words in done.err


def test_every_command_is_called_here():
    assert set(CALLS) == set(COMMANDS)


def test_a_file_that_is_not_marked_is_a_mistake():
    def careless(path: Path) -> None: ...

    with pytest.raises(TypeError, match="path is a file: mark it as Input or Output"):
        prepared(careless)


@pytest.mark.parametrize("name", COMMANDS)
def test_all_that_is_read_is_an_input(name):
    files = [word for word in CALLS[name].split() if word.startswith("{")]
    assert len(files) == len(options(name)[Input])


@pytest.fixture(params=["as it is", "./", "symbolic link", "hard link", "absolute"])
def alias(request, folder):
    """Return another name for a file of the folder."""

    def alias(name):
        other = folder / f"other{Path(name).suffix}"
        if request.param == "symbolic link":
            other.symlink_to(name)
        elif request.param == "hard link":
            os.link(name, other)
        names = {"as it is": name, "./": f"./{name}", "absolute": str(folder / name)}
        return names.get(request.param, other.name)

    return alias


def refuse_to_compute(monkeypatch):
    def compute(*_, **__):
        raise AssertionError("something was read before files were checked")

    monkeypatch.setattr("clustraint.tables.read_table", compute)
    monkeypatch.setattr("clustraint.constraints.Constraints.read", compute)


@pytest.mark.parametrize(("name", "option", "path"), OVERWRITTEN, **IDS)
def test_no_input_is_written_over(folder, capsys, monkeypatch, alias, name, option, path):
    refuse_to_compute(monkeypatch)
    # The ending of an input may be wrong for the output, which is refused as well.
    allowed = Path(path).suffix in option.role.endings
    other = alias(path)
    before = contents(folder)
    words = "this command also reads it" if allowed else "ends in"
    check_refused(call(capsys, *arguments(name, {option: other})), other, words)
    assert contents(folder) == before


@pytest.mark.parametrize(("name", "option", "path"), OVERWRITTEN, **IDS)
def test_no_input_of_the_right_ending_is_written_over(
    folder, capsys, monkeypatch, name, option, path
):
    refuse_to_compute(monkeypatch)
    ending = option.role.endings[0]
    renamed = f"input{ending}"
    (folder / path).rename(folder / renamed)
    words = [renamed if word == path else word for word in arguments(name, {option: renamed})]
    before = contents(folder)
    check_refused(call(capsys, *words), renamed, f"name another file for {option.shown}")
    assert contents(folder) == before


@pytest.mark.parametrize(("name", "first", "second"), TWICE, **IDS)
def test_two_outputs_are_two_files(folder, capsys, monkeypatch, name, first, second):
    refuse_to_compute(monkeypatch)
    done = call(capsys, *arguments(name, {first: "out", second: "./out"}))
    check_refused(done, "./out", f"{first.shown} and {second.shown} must be different files")
    assert not (folder / "out").exists()


@pytest.mark.parametrize(("name", "option"), OUTPUTS, **IDS)
@pytest.mark.parametrize("ending", [".pdf", ".docx", ".PNG"])
def test_a_name_that_does_not_fit_is_refused(folder, capsys, monkeypatch, name, option, ending):
    refuse_to_compute(monkeypatch)
    done = call(capsys, *arguments(name, {option: f"out{ending}"}))
    check_refused(done, f"out{ending}", f"the name of {option.role.what} ends in ")
    assert f", not in {ending.lower()}." in done.err
    assert not (folder / f"out{ending}").exists()


@pytest.mark.parametrize(
    ("name", "option"),
    [each for each in OUTPUTS if each[0] not in ("ask", "demo", "studio")],
    **IDS,
)
def test_a_name_that_fits_is_written(folder, capsys, name, option):
    path = f"out{option.role.endings[0].upper()}"
    before = contents(folder)
    assert call(capsys, *arguments(name, {option: path})).code == 0
    after = contents(folder)
    assert after.pop(path)
    assert after == before


def test_a_saved_model_is_not_called_csv(folder, capsys):
    done = call(capsys, "cluster", "d.csv", "-k", 2, "--save", "model.csv")
    check_refused(done, "model.csv", "the name of a saved model ends in .skops")


def test_the_file_of_answers_is_checked_where_it_is_not_named(folder, capsys):
    (folder / "d.answers.txt").write_text("dog = wolf\n")
    done = call(capsys, "ask", "d.csv", "-k", 2, "-c", "d.answers.txt")
    check_refused(done, "d.answers.txt", "also reads it (-c)")


def test_standard_input_is_an_input(folder, monkeypatch):
    (data,) = (option for option in options("cluster")[Input] if option.shown == "DATA")
    output = options("cluster")[Output][0]
    both = {"data": data, "output": output}
    with open("d.csv") as file:
        monkeypatch.setattr("sys.stdin", file)
        with pytest.raises(OutputFileError, match=r"also reads it \(DATA\)"):
            check_files(both, {"data": "-", "output": Path("d.csv")})
        check_files(both, {"data": "-", "output": Path("new.csv")})


def test_devices_and_streams_may_be_read_and_written(folder, capsys):
    done = call(capsys, "cluster", "d.csv", "-k", 2, "-q", "-o", "/dev/null", "--save", "/dev/null")
    assert (done.code, done.err) == (0, "")


@pytest.mark.parametrize("words", ["convert k.txt d.csv", "check -c k.txt --repair d.csv"])
def test_constraints_are_not_written_over_a_table(folder, capsys, words):
    done = call(capsys, *words.split())
    assert done.code == 2
    assert "d.csv cannot be written: it is there and holds something other" in done.err
    assert (folder / "d.csv").read_text() == TABLE


def test_constraints_may_be_written_over_others(folder, capsys):
    assert call(capsys, "convert", "k.txt", "old.json").code == 0
    assert call(capsys, "convert", "k.txt", "old.json").code == 0
