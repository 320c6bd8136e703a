"""The table of animals: complete, and right where biology leaves no doubt."""

from importlib.resources import files

import numpy as np
import pytest

from clustraint import Constraints, Hierarchy, Rule
from clustraint.datasets import load, load_animals

GROUPS = {"mammal", "bird", "reptile", "amphibian", "fish", "insect", "invertebrate"}
NUMBERS = ("legs", "mass_kg", "length_cm", "lifespan_years")


@pytest.fixture(scope="module")
def animals():
    return load_animals()


@pytest.fixture(scope="module")
def column(animals):
    return lambda name: animals.X[:, animals.feature_names.index(name)]


def test_the_table_is_in_the_package():
    assert files("clustraint.datasets").joinpath("animals.csv").is_file()


def test_size_and_groups(animals):
    assert len(animals.names) == len(set(animals.names)) == animals.n_samples >= 45
    assert set(animals.y) == GROUPS
    assert min(np.unique(animals.y, return_counts=True)[1]) >= 5
    assert "written for clustraint" in animals.description
    assert "BSD-3-Clause" in animals.description
    assert f"{animals.n_samples} × {animals.n_features}" in animals.description


def test_load_knows_it(animals):
    np.testing.assert_array_equal(load("animals").X, animals.X)


def test_values(animals, column):
    assert np.isfinite(animals.X).all()
    for name in animals.feature_names:
        if name in NUMBERS:
            assert column(name).min() >= 0
        else:
            assert set(column(name)) == {0, 1}, name
    assert (column("legs") % 2 == 0).all()
    assert all(column(name).min() > 0 for name in NUMBERS[1:])


def test_the_taxonomy_has_three_levels_and_the_groups_are_in_it(animals):
    parts = [path.split("/") for path in animals.paths]
    assert min(map(len, parts)) >= 3
    for group, steps in zip(animals.y, parts, strict=True):
        backbone = group not in ("insect", "invertebrate")
        assert steps[0] == ("vertebrates" if backbone else "invertebrates")
        assert ("insects" in steps) == (group == "insect")
        if backbone:
            assert steps[1].startswith(group)
    tree = animals.hierarchy
    assert isinstance(tree, Hierarchy)
    wolf, dog, trout = (animals.names.index(name) for name in ("wolf", "dog", "brown trout"))
    assert tree.displays([(wolf, dog, trout)]).all()


# What holds of a group as a whole: of all of it, and of nothing else if that is marked.
ALWAYS = [
    ("milk", {"mammal"}, True),
    ("feathers", {"bird"}, True),
    ("warm_blooded", {"mammal", "bird"}, True),
    ("backbone", GROUPS - {"insect", "invertebrate"}, True),
    ("eggs", {"bird", "insect"}, False),
    ("aquatic", {"fish"}, False),
    ("fins", {"fish"}, False),
    ("antennae", {"insect"}, False),
    ("breathes", {"mammal", "bird", "reptile", "insect"}, False),
]


@pytest.mark.parametrize(("name", "groups", "only"), ALWAYS)
def test_groups_have_what_makes_them(animals, column, name, groups, only):
    inside = np.isin(animals.y, list(groups))
    assert (column(name)[inside] == 1).all()
    assert not only or (column(name)[~inside] == 0).all()


def test_legs_of_groups(animals, column):
    legs = {group: set(column("legs")[animals.y == group]) for group in GROUPS}
    assert legs["bird"] == {2}
    assert legs["insect"] == {6}
    assert legs["fish"] == {0}
    assert legs["amphibian"] == {4}
    assert legs["mammal"] <= {0, 2, 4}


def test_notable_animals(animals, column):
    def those(name, value=1):
        return {each for each, x in zip(animals.names, column(name), strict=True) if x == value}

    mammals = set(np.array(animals.names)[animals.y == "mammal"])
    birds = set(np.array(animals.names)[animals.y == "bird"])
    assert those("eggs") & mammals == {"platypus", "short-beaked echidna"}
    assert those("venomous") & mammals == {"platypus"}
    assert those("flies") & mammals == {"common pipistrelle", "Egyptian fruit bat"}
    assert birds - those("flies") == {
        "chicken", "emperor penguin", "king penguin", "ostrich", "emu",
    }  # fmt: skip
    assert animals.names[np.argmax(column("mass_kg"))] == "blue whale"
    assert animals.names[np.argmax(column("lifespan_years"))] == "Galapagos tortoise"


def test_rules_about_animals(animals):
    rules = {"mammal": Rule("milk"), "bird": Rule("feathers"), "insect": Rule("legs == 6")}
    for group, rule in rules.items():
        assert (rule.scope(animals.X, animals.feature_names) == (animals.y == group)).all()
    known = Constraints(animals.n_samples, rules=list(rules.values()), names=animals.names)
    pairs = known.expand_rules(animals.X, feature_names=animals.feature_names)
    assert (
        pairs.components.labels.max() + 1 == 3 + np.isin(animals.y, list(rules), invert=True).sum()
    )
