"""The examples of README.md run and print what is written there."""

import doctest
import re
from pathlib import Path

import pytest

README = Path(__file__).parent.parent / "README.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```$", README.read_text(encoding="utf-8"), re.M | re.S)


def test_there_is_an_example():
    assert BLOCKS


@pytest.mark.parametrize("block", BLOCKS)
def test_example(block):
    example = doctest.DocTestParser().get_doctest(block, {}, "README.md", str(README), 0)
    assert example.examples
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    report = []
    results = runner.run(example, out=report.append)
    assert results.failed == 0, "".join(report)
