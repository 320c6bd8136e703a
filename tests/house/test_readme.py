"""The examples of README.md run and print what is written there."""

import doctest
import re
from pathlib import Path

import pytest

from benchmarks.report import HIGHLIGHTS, RECORD, BenchmarkReport, with_table

README = Path(__file__).parents[2] / "README.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```$", README.read_text(encoding="utf-8"), re.M | re.S)


LINKS = re.findall(r"\]\(([^)#]+)\)", README.read_text(encoding="utf-8"))


def test_examples():
    """The blocks build on each other: they are one example."""
    text = "\n".join(BLOCKS)
    example = doctest.DocTestParser().get_doctest(text, {}, "README.md", str(README), 0)
    assert len(example.examples) > 10
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    report = []
    results = runner.run(example, out=report.append)
    assert results.failed == 0, "".join(report)


@pytest.mark.parametrize("link", LINKS)
def test_what_it_links_to_is_there(link):
    assert (README.parent / link).exists()


def test_there_is_a_place_for_the_benchmarks():
    assert "| new |" in with_table(README.read_text(encoding="utf-8"), "| new |")


def test_it_shows_six_rows_of_the_last_run_as_the_command_writes_them():
    text = README.read_text(encoding="utf-8")
    assert text == with_table(text, BenchmarkReport.read(RECORD).highlights())
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert [row.split(" | ")[0].removeprefix("| ") for row in rows[2:]] == list(HIGHLIGHTS)
    assert len(HIGHLIGHTS) == 6
