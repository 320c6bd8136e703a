"""tests/lowest-versions.txt and the lower bounds of pyproject.toml are the same."""

import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).parents[2]


def lower_bounds():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    texts = [*project["dependencies"], *project["optional-dependencies"]["test"]]
    requirements = [Requirement(text) for text in texts]
    return {requirement.name: version_in(requirement, ">=") for requirement in requirements}


def version_in(requirement, operator):
    (specifier,) = requirement.specifier
    assert specifier.operator == operator, f"{requirement} should be written with {operator}"
    return Version(specifier.version)


def test_agree():
    lines = (ROOT / "tests/lowest-versions.txt").read_text().splitlines()
    requirements = [Requirement(line) for line in lines if not line.startswith("#")]
    pinned = {requirement.name: version_in(requirement, "==") for requirement in requirements}
    assert pinned == lower_bounds()


def test_pip_takes_them_as_constraints():
    lines = (ROOT / "tests/lowest-versions.txt").read_text().splitlines()
    requirements = [Requirement(line) for line in lines if not line.startswith("#")]
    assert [str(each) for each in requirements if each.extras or each.marker or each.url] == []
