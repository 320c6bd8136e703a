"""Hierarchies from files: trees in Newick format, ontologies in OBO format."""

from importlib.resources import files

import numpy as np
import pytest

from clustraint import Constraints, Hierarchy, ReCon
from clustraint.datasets import load
from clustraint.exceptions import ClustraintError, HierarchyFileError, InvalidHierarchyError
from clustraint.hierarchy import read_hierarchy

ANIMALS = files("clustraint.datasets").joinpath("animals.obo")
SMALL = """format-version: 1.2
! a comment
[Term]
id: T:1
name: pets

[Term]
id: T:2
name: dog  {source="us"} ! the best one
is_a: T:1 ! pets
relationship: part_of T:3

[Typedef]
id: part_of
name: part of

[Term]
id: T:3
name: cat
is_a: T:1

[Term]
id: T:4
name: old cat
is_a: T:9
is_obsolete: true

[Term]
id: T:5
name: stone
"""


@pytest.fixture
def written(tmp_path):
    def write(text, name="terms.obo"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def test_leaves_of_an_ontology_are_samples(written):
    hierarchy = read_hierarchy(written(SMALL))
    assert hierarchy.names == ("stone", "dog", "cat")
    assert hierarchy == Hierarchy.from_newick("((dog,cat)pets,stone);", names=hierarchy.names)
    assert hierarchy.node_names[0] == "pets"


def test_samples_sit_on_terms_by_id_or_name(written):
    path = written(SMALL.replace("\n", "\r\n"))
    hierarchy = read_hierarchy(path, ["T:2", "cat", "T:5", "pets", "dog"])
    assert hierarchy.to_newick() == "((0,4)dog,1,3)pets,2);".replace("((0,4)", "(((0,4)")
    assert read_hierarchy(path, ["T:2", "cat"], names=["rex", "tom"]).names == ("rex", "tom")


def test_the_animals_are_those_of_the_table():
    animals = load("animals")
    hierarchy = read_hierarchy(ANIMALS, animals.names, names=animals.names)
    expected = Hierarchy.from_paths(animals.paths, names=animals.names)
    assert hierarchy == expected
    assert {*read_hierarchy(ANIMALS).names} == {*animals.names}
    chosen = np.arange(0, len(animals.names), 6)
    some = [animals.names[row] for row in chosen]
    triplets = Constraints.from_hierarchy(read_hierarchy(ANIMALS, some))
    model = ReCon(3).fit(animals.X[chosen], constraints=triplets)
    assert model.hierarchy_.displays(triplets.triplets).all()


def test_any_tree_is_read_back(written, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    for _ in range(30):
        n_terms = int(rng.integers(1, 20))
        parents = [-1] + [int(rng.integers(0, node)) for node in range(1, n_terms)]
        order = rng.permutation(n_terms)
        text = "".join(
            f"[Term]\nid: X:{node}\n" + (f"is_a: X:{parents[node]}\n" if node else "") + "\n"
            for node in order
        )
        terms = [f"X:{node}" for node in rng.integers(0, n_terms, int(rng.integers(1, 12)))]

        def path_to(node, parents=parents):
            above = f"{path_to(parents[node])}/" if parents[node] >= 0 else ""
            return f"{above}X:{node}"

        paths = [path_to(int(term[2:])) for term in terms]
        assert read_hierarchy(written(text), terms) == Hierarchy.from_paths(paths)


@pytest.mark.parametrize("suffix", ["nwk", "newick", "tree", "TRE"])
def test_trees_in_newick_format(written, suffix):
    path = written("\ufeff((dog,wolf)canids,trout);\n", f"tree.{suffix}")
    assert read_hierarchy(path).node_names == ("canids", "")
    assert read_hierarchy(path, names=["trout", "dog", "wolf"]).names[0] == "trout"


TWO_PARENTS = SMALL.replace("is_a: T:1 ! pets\n", "is_a: T:1 ! pets\nis_a: T:5\n")


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("", 0, r"no \[Term\] that is not obsolete is in it; is it an OBO file\?"),
        ("dog = wolf", 0, "is it an OBO file"),
        ("[Term]\nname: dog", 1, "this term has no id"),
        ("[Term]\nid: a\n\n[Term]\nid: a", 4, "the id a is taken by the term of line 1"),
        ("[Term]\nid: a\nis_a: b", 3, "there is no term 'b', or it is obsolete"),
        ("[Term]\nid: a\nis_a: b\n[Term]\nid: b\nis_a: a", 1, "the term a is above itself"),
        ("[Term]\nid: a\njust words", 3, "'just words' is not of the form 'tag: value'"),
        ("[Term\nid: a", 1, r"'\[Term' is not a stanza like \[Term\]"),
        (b"[Term]\nid: \xff", 2, "is not UTF-8 text; save it as UTF-8"),
        (TWO_PARENTS, 11, r"the term T:2 has 2 parents \(T:1, T:5\)"),
    ],
)
def test_bad_ontologies_are_sentences(written, text, line, problem):
    path = written(text)
    with pytest.raises(HierarchyFileError, match=problem) as told:
        read_hierarchy(path)
    assert told.value.line == line
    assert str(told.value).startswith(f"{path}, line {line}: " if line else f"{path}: ")


def test_the_first_of_several_parents_may_be_taken(written):
    hierarchy = read_hierarchy(written(TWO_PARENTS), several_parents="first")
    assert hierarchy == read_hierarchy(written(SMALL))


def test_bad_arguments_are_sentences(written, tmp_path):
    path = written(SMALL)
    with pytest.raises(InvalidHierarchyError, match=r"'cats' of sample 1 .* mean 'cat'"):
        read_hierarchy(path, ["dog", "cats"])
    twins = written(SMALL.replace("name: stone", "name: dog"))
    with pytest.raises(InvalidHierarchyError, match=r"'dog' .* is the name of 2 terms; give an id"):
        read_hierarchy(twins, ["dog"])
    assert read_hierarchy(twins).names == ("T:5", "T:2", "cat")
    with pytest.raises(InvalidHierarchyError, match="terms must be one text for each sample"):
        read_hierarchy(path, "dog")
    with pytest.raises(InvalidHierarchyError, match="there are no samples"):
        read_hierarchy(path, [])
    with pytest.raises(ClustraintError, match="several_parents must be"):
        read_hierarchy(path, several_parents="last")
    with pytest.raises(HierarchyFileError, match="give the term of each sample, too"):
        read_hierarchy(path, names=["a"])
    with pytest.raises(HierarchyFileError, match=r"ends in \.obo, \.nwk.*, not in '.txt'"):
        read_hierarchy(tmp_path / "tree.txt")
    with pytest.raises(HierarchyFileError, match="cannot be read: No such file"):
        read_hierarchy(tmp_path / "none.obo")
    tree = written("((a,b)\n,c", "bad.nwk")
    with pytest.raises(HierarchyFileError, match="line 2: the ';' that ends the tree is missing"):
        read_hierarchy(tree)
    with pytest.raises(HierarchyFileError, match="terms are for ontologies"):
        read_hierarchy(written("(a,b);", "tree.nwk"), ["a"])
