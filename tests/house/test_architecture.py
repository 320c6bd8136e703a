"""What holds for the whole house: public imports only, unique names, no options below `cli`."""

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "clustraint"
# Beside the package, and reached through its public names like anybody's code.
BESIDE = ("papers", "benchmarks", "examples")
# Measures inner pieces too, as tests do.
INSIDERS = ("benchmarks",)


def modules():
    """Yield the name and the syntax tree of every module."""
    for base, folder in ((SOURCE.parent, SOURCE), *((ROOT, ROOT / name) for name in BESIDE)):
        for path in sorted(folder.rglob("*.py")):
            name = ".".join(path.relative_to(base).with_suffix("").parts)
            yield name, ast.parse(path.read_text(encoding="utf-8"))


MODULES = dict(modules())


def home(name):
    """Return the package that may use the private names below `name`."""
    parts = name.split(".")
    return parts[1] if parts[0] == "clustraint" and len(parts) > 1 else parts[0]


def imported_names(tree):
    """Yield the dotted name of everything that a module imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def is_private(name):
    return any(part.startswith("_") and not part.startswith("__") for part in name.split("."))


def is_foreign(importer, name):
    """Tell whether a name belongs to another package of ours than the importer."""
    ours = name.split(".")[0] in {"clustraint", *BESIDE}
    return ours and home(name) != home(importer)


@pytest.mark.parametrize("module", [name for name in MODULES if home(name) not in INSIDERS])
def test_no_module_imports_the_private_names_of_another_package(module):
    names = {name for name in imported_names(MODULES[module]) if is_foreign(module, name)}
    assert not {name for name in names if is_private(name)}


def class_names():
    homes = defaultdict(set)
    for module, tree in MODULES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                homes[node.name].add(module)
    return homes


def test_no_two_classes_share_a_name():
    assert {name: places for name, places in class_names().items() if len(places) > 1} == {}


OPTION = re.compile(r"(?<![\w-])--?[a-z][a-z-]+(?![\w=-])(?=[\s.,;:]|$)")


def texts(tree):
    """Yield every text in a module that is no docstring."""
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
        if is_text and id(node) not in docstrings:
            yield node.value


@pytest.mark.parametrize("module", [name for name in MODULES if home(name) not in ("cli", *BESIDE)])
def test_messages_below_the_command_line_speak_of_arguments(module):
    assert [text for text in texts(MODULES[module]) if OPTION.search(text)] == []


RESULTS = {"found", "told", "known", "given", "said"}


def bound_names(tree):
    """Yield the names that a module gives to variables, parameters, functions and fields."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.FunctionDef):
            yield node.name
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr


@pytest.mark.parametrize("module", MODULES)
def test_names_say_what_a_thing_is(module):
    assert {name for name in bound_names(MODULES[module]) if name.strip("_") in RESULTS} == set()
