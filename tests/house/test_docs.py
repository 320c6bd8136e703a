"""The documentation says what is: its files can be read, its reference names everything."""

import importlib
import inspect
import re
import shlex
import textwrap
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

import clustraint
from clustraint import Constraints, metric
from clustraint.base import ConstraintTaker
from docs import generate
from docs.pictures import draw
from tests.commands import call

DOCS = Path(__file__).parents[2] / "docs"
CAPTIONED = re.compile(r"^   :caption: (\S+)\n\n((?:   .*\n|\n)+)", re.M)


def example_files():
    page = (DOCS / "constraint-files.rst").read_text(encoding="utf-8")
    return {name: textwrap.dedent(text) for name, text in CAPTIONED.findall(page)}


@pytest.mark.parametrize("name", ["knowledge.csv", "knowledge.json"])
def test_the_three_example_files_say_the_same(tmp_path, name):
    files = example_files()
    for file in ("knowledge.txt", name):
        (tmp_path / file).write_text(files[file], encoding="utf-8")
    constraints = Constraints.read(tmp_path / name)
    assert constraints == Constraints.read(tmp_path / "knowledge.txt")
    assert len(constraints.must_link) == 3
    assert len(constraints.rules) == 2


def test_the_reference_names_everything():
    reference = (DOCS / "api" / "index.rst").read_text(encoding="utf-8")
    listed = set(re.findall(r"^   ([A-Za-z]\w+)$", reference, re.M))
    assert listed == {name for name in clustraint.__all__ if not name.startswith("_")}


MODULES = (
    "active",
    "cluster",
    "constraints",
    "datasets",
    "evaluation",
    "hierarchy",
    "metric",
    "plot",
    "report",
    "rows",
    "studio",
    "tables",
    "workflow",
)


@pytest.mark.parametrize("module", MODULES)
def test_the_reference_names_all_of_a_module(module):
    reference = (DOCS / "api" / "index.rst").read_text(encoding="utf-8")
    listed = set(re.findall(r"^   ([\w.]+)$", reference, re.M))
    names = importlib.import_module(f"clustraint.{module}").__all__
    objects = {name for name in names if name[0] != "_" and not name.isupper()}
    missing = objects - set(clustraint.__all__) - {name.rpartition(".")[2] for name in listed}
    assert not missing


COMMANDS = generate.command_line().commands
PARAMETERS = [
    (name, parameter)
    for name, command in COMMANDS.items()
    for parameter in command.params
    if parameter.name != "help"
]
ESTIMATORS = [
    value
    for value in (
        *(getattr(clustraint, name) for name in clustraint.__all__),
        *(getattr(metric, name) for name in metric.__all__),
    )
    if inspect.isclass(value) and issubclass(value, ConstraintTaker)
]
METHOD_PAGES = {
    path.stem: path.read_text(encoding="utf-8")
    for path in (DOCS / "methods").glob("*.rst")
    if path.stem != "index"
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_says_what_it_does(name):
    assert COMMANDS[name].help
    assert f".. _command-{name}:" in generate.commands()


@pytest.mark.parametrize(
    ("command", "parameter"), PARAMETERS, ids=[f"{name} {each.name}" for name, each in PARAMETERS]
)
def test_an_option_says_what_it_does(command, parameter):
    assert generate.words_of(parameter), f"{parameter.name} of {command} has no help"
    page = generate.commands()
    section = page.partition(f".. _command-{command}:")[2].partition(".. _command-")[0]
    for name in (*parameter.opts, *parameter.secondary_opts):
        assert generate.is_argument(parameter) or name in section


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda estimator: estimator.__name__)
def test_an_estimator_has_its_page(estimator):
    (name,) = (
        name
        for name, text in METHOD_PAGES.items()
        if text.startswith(f"{estimator.__name__}\n====")
    )
    text = METHOD_PAGES[name]
    assert ">>> " in text
    assert f"../pictures/{name}.svg" in text
    assert re.findall(r"^(\w+)\n-+$", text, re.M) == ["Decisions", "Limits", "Paper"]
    assert f"   {name}\n" in (DOCS / "methods" / "index.rst").read_text(encoding="utf-8")


def test_every_method_of_the_command_line_leads_to_its_page():
    from clustraint.workflow import methods

    assert set(generate.PAGES) == set(methods())
    assert {Path(page).name for page in generate.PAGES.values()} <= set(METHOD_PAGES)
    assert all(f"</{page}>" in generate.method_table() for page in generate.PAGES.values())


def test_pictures_are_drawn_by_the_script():
    files = {path.stem: path for path in (DOCS / "pictures").glob("*.svg")}
    assert set(files) == set(draw.PICTURES)
    for path in files.values():
        assert path.stat().st_size < 60_000
        ElementTree.fromstring(path.read_text(encoding="utf-8"))


def test_a_picture_can_be_drawn_again():
    assert ElementTree.fromstring(draw.PICTURES["complete-linkage"]()).tag.endswith("svg")


def test_the_benchmarks_page_shows_a_run(tmp_path, monkeypatch):
    from benchmarks.measure import Result
    from benchmarks.report import BenchmarkReport

    monkeypatch.setattr(generate, "DOCS", tmp_path)
    assert "no full run yet" in generate.benchmarks()
    row = Result("a row", "≥ 2× faster", 0.1, 0.3, "peer", 3.0, True, note="a remark")
    report = BenchmarkReport.now([row], repeats=5, quick=False)
    report.write_json(tmp_path / "benchmarks.json")
    (tmp_path / "benchmarks.md").write_text(report.markdown(), encoding="utf-8")
    page = generate.benchmarks()
    assert "   * - a row\n     - 100 ms\n     - 300 ms (peer)\n" in page
    assert "- a row: a remark" in page


def test_every_page_can_be_reached():
    pages = {path.stem for path in DOCS.glob("*.rst")} - {"index"}
    listed = re.findall(r"^   ([\w-]+)$", (DOCS / "index.rst").read_text(encoding="utf-8"), re.M)
    assert pages <= set(listed)


def quick_start():
    """Return the files and the commands of the quick start, as they are printed."""
    page = (DOCS / "start.rst").read_text(encoding="utf-8").partition("In Python\n")[0]
    files = {name: textwrap.dedent(text).strip() + "\n" for name, text in CAPTIONED.findall(page)}
    blocks = re.findall(r"^\.\. code-block:: console\n\n((?:   .*\n)+)", page, re.M)
    lines = [line.strip().removeprefix("$ ") for block in blocks for line in block.splitlines()]
    return files, [line for line in lines if line.startswith("clustraint ")]


def test_the_quick_start_works_as_printed(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    files, commands = quick_start()
    for name, text in files.items():
        Path(name).write_text(text, encoding="utf-8")
    assert len(commands) == 3
    for command in commands:
        done = call(capsys, *shlex.split(command)[1:])
        assert done.code == 0, done.err
    names = Path("names.csv").read_text(encoding="utf-8")
    for name in ("clustered.csv", "report.html", "model.skops"):
        assert Path(name).stat().st_size > 1000
    # Edited names are in the table of a second run.
    first = names.splitlines()[1].split(",")[0]
    Path("names.csv").write_text(f"cluster,name\n{first},the first\n", encoding="utf-8")
    assert call(capsys, *shlex.split(commands[-1])[1:]).code == 0
    assert ",the first" in Path("clustered.csv").read_text(encoding="utf-8")


def test_recordings_fetch_nothing():
    for path in (DOCS / "_static").glob("*.svg"):
        text = path.read_text(encoding="utf-8")
        assert ElementTree.fromstring(text).tag.endswith("svg")
        assert "@font-face" not in text
        assert path.stat().st_size < 100_000


def test_the_example_report_is_made(tmp_path):
    generate.example_report(tmp_path / "report.html")
    assert "What the constraints changed" in (tmp_path / "report.html").read_text(encoding="utf-8")
