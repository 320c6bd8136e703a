"""The documentation says what is: its files can be read, its reference names everything."""

import re
import textwrap
from pathlib import Path

import pytest

import clustraint
from clustraint import Constraints

DOCS = Path(__file__).parent.parent / "docs"
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
