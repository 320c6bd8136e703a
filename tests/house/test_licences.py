"""What clustraint depends on may be used by everybody, and nothing of others is copied into it."""

import hashlib
import re
import tomllib
from importlib.metadata import PackageNotFoundError, metadata, requires
from importlib.metadata import files as files_of
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
FOR_DEVELOPERS = {"bench", "docs", "lint", "package", "papers", "test"}
PERMISSIVE = re.compile(r"\b(BSD|MIT|Apache|PSF|Python Software Foundation|ISC|HPND|MPL-2\.0)\b")
COPYLEFT = re.compile(r"\b(A?GPL|LGPL|EUPL|CeCILL|OSL)", re.I)
# Texts and data that people write; what comes from elsewhere would have another ending.
OWN_ENDINGS = {".py", ".html", ".css", ".js", ".csv", ".obo", ".lark", ".typed", ".md", ".svg"}


def needed():
    """What is installed for users, with all extras, and what that needs in turn."""
    texts = list(PROJECT["dependencies"])
    for extra, requirements in PROJECT["optional-dependencies"].items():
        if extra not in FOR_DEVELOPERS:
            texts += requirements
    names, waiting = set(), [Requirement(text) for text in texts]
    while waiting:
        requirement = waiting.pop()
        key = canonicalize_name(requirement.name), frozenset(requirement.extras)
        if key not in names:
            names.add(key)
            waiting += _needs(requirement)
    return sorted({name for name, _ in names})


def _needs(requirement):
    try:
        needs = [Requirement(text) for text in requires(requirement.name) or ()]
    except PackageNotFoundError:
        return []
    extras = requirement.extras or {""}
    return [
        n for n in needs if not n.marker or any(n.marker.evaluate({"extra": e}) for e in extras)
    ]


def licence(name):
    """What a package says of its licence: the short forms, or else the first line of the text."""
    facts = metadata(name)
    classifiers = [
        line.split("::")[-1].strip()
        for line in facts.get_all("Classifier") or ()
        if line.startswith("License ::") and not line.endswith("OSI Approved")
    ]
    first_line = (facts.get("License") or "").strip().split("\n")[0]
    said = facts.get("License-Expression") or ", ".join(classifiers) or first_line
    return said or _licence_file(name)


def _licence_file(name):
    (path,) = [path for path in files_of(name) or () if path.name.startswith("LICEN")]
    return path.read_text()[:300]


@pytest.mark.parametrize("name", needed())
def test_dependencies_are_permissive(name):
    try:
        text = licence(name)
    except PackageNotFoundError:
        pytest.skip(f"{name} is in an extra that is not installed here")
    # The runtime of compilers may be linked to anything.
    text = text.replace("GPL-3.0-or-later WITH GCC-exception-3.1", "")
    assert PERMISSIVE.search(text), text
    assert not COPYLEFT.search(text), text


def files():
    every = [path for path in (ROOT / "src").rglob("*") if path.is_file()]
    return [path for path in every if "__pycache__" not in path.parts]


def test_what_others_wrote_lies_in_vendor_folders():
    own = [path for path in files() if "vendor" not in path.parts]
    assert [path.name for path in own if path.suffix not in OWN_ENDINGS] == []
    for path in own:
        head = path.read_text(encoding="utf-8")[:3000]
        claims = re.findall(r"(?i)copyright \(c\).*|@license.*|licensed under.*", head)
        assert claims == [], path


@pytest.mark.parametrize("folder", sorted({p.parent for p in files() if "vendor" in p.parts}))
def test_what_others_wrote_is_permissive_unchanged_and_says_so(folder):
    table, texts = (folder / "README.txt").read_text(), (folder / "LICENSES.txt").read_text()
    assert "Copyright" in texts
    assert not COPYLEFT.search(table + texts)
    for path in folder.iterdir():
        if path.suffix != ".txt":
            assert hashlib.sha256(path.read_bytes()).hexdigest() in table
            assert path.name in table
    versions = re.findall(r"^  (\S+) +([\d.]+) +(\S+) +Copyright", table, re.M)
    assert versions
    for name, _, licence in versions:
        assert PERMISSIVE.search(licence), name
        assert name in texts


def test_our_own_licence_is_permissive():
    assert PROJECT["license"] == "BSD-3-Clause"
    assert "Redistribution and use" in (ROOT / "LICENSE").read_text()
