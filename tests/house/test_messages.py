"""Below the command line nothing speaks of its options: people use clustraint from Python, too."""

import ast
import re
from pathlib import Path

import pytest

import clustraint

SOURCES = sorted(
    path
    for path in Path(clustraint.__file__).parent.rglob("*.py")
    if "cli" not in path.relative_to(Path(clustraint.__file__).parent).parts
)
OPTION = re.compile(r"(?<![\w-])(?:--[a-z]|-[a-z]\b)")


def texts(tree):
    """Yield the texts of a module and their lines, without what documents it."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    for node in ast.walk(tree):
        if isinstance(node, documented) and ast.get_docstring(node, clean=False) is not None:
            node.body[0].value.value = ""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: "/".join(path.parts[-2:]))
def test_no_message_speaks_of_options(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert [(line, text) for line, text in texts(tree) if OPTION.search(text)] == []


@pytest.mark.parametrize("text", ["give -k.", "another --holdout", "(-c)"])
def test_the_check_itself_sees_options(text):
    assert OPTION.search(text)
    assert not OPTION.search("must-link, cannot-link, -1 or a - b, k-means")
