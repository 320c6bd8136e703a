import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clustraint.exceptions import (
    DuplicateNameError,
    InvalidHierarchyError,
    InvalidNameError,
    NewickSyntaxError,
    UnknownNameError,
)
from clustraint.hierarchy import Hierarchy
from tests.strategies import hierarchies, named_hierarchies

N_MANY = 100_000


def test_names_and_labels():
    hierarchy = Hierarchy.from_newick("((cat,dog)mammals,trout)animals;")
    assert hierarchy.names == ("cat", "dog", "trout")
    assert hierarchy.node_names == ("mammals", "animals")
    assert hierarchy.parents.tolist() == [3, 3, 4, 4, -1]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a;", ("a",)),
        ("  a\n;\n", ("a",)),
        ("(a);", ("a",)),
        ("(((a))b)c:1;", ("a",)),
        ("(a,b);", ("a", "b")),
        ("(a:1,b:2e-3):.5;", ("a", "b")),
        ("(a : -1 , b:+1.)r : 0;", ("a", "b")),
        ("[&R] ( a[one, (two);] , b [three] : [four] 1 ) ; [five]", ("a", "b")),
        ("('a b','it''s');", ("a b", "it's")),
        ("('',b);", ("", "b")),
        ("('''','''a''');", ("'", "'a'")),
        ("(a_b,A_B);", ("a_b", "A_B")),
        ("(a{1},b/c);", ("a{1}", "b/c")),
        ("('[no comment]','(a,b);');", ("[no comment]", "(a,b);")),
        ("('two\nlines',é);", ("two\nlines", "é")),
    ],
)
def test_reading_names(text, names):
    assert Hierarchy.from_newick(text).names == names


def test_a_chain_keeps_the_label_of_the_node_that_branches():
    hierarchy = Hierarchy.from_newick("(((a,b)low)high,c);")
    assert hierarchy.node_names == ("low", "")


def test_given_names_set_the_sample_order():
    text = "((cat,dog),trout);"
    hierarchy = Hierarchy.from_newick(text, names=["trout", "dog", "cat"])
    assert hierarchy.names == ("trout", "dog", "cat")
    assert hierarchy.parents.tolist() == [4, 3, 3, 4, -1]
    assert hierarchy == Hierarchy.from_newick(text)


@pytest.mark.parametrize(
    ("names", "error", "message"),
    [
        (["cat"], InvalidNameError, "1 names for 2 samples"),
        (["cat", "dig"], UnknownNameError, "'dig'; did you mean 'dog'"),
        (["cat", "cat"], DuplicateNameError, "samples 0 and 1 are both called 'cat'"),
    ],
)
def test_given_names_must_be_those_of_the_text(names, error, message):
    with pytest.raises(error, match=message):
        Hierarchy.from_newick("(cat,dog);", names=names)


def test_writing_quotes_what_needs_them():
    names = ["plain", "two words", "it's", "", "a,b", "x{1}", "under_score", " lead", "é", "1"]
    hierarchy = Hierarchy([len(names)] * len(names) + [-1], names=names, node_names=["(root)"])
    assert hierarchy.to_newick() == (
        "(plain,'two words','it''s','','a,b','x{1}',under_score,' lead',é,1)'(root)';"
    )


@given(named_hierarchies())
def test_round_trip(hierarchy):
    again = Hierarchy.from_newick(hierarchy.to_newick())
    assert again == hierarchy
    assert hash(again) == hash(hierarchy)
    aligned = Hierarchy.from_newick(hierarchy.to_newick(), names=hierarchy.names)
    assert aligned.names == hierarchy.names
    for node, name in enumerate(hierarchy.node_names or (), start=hierarchy.n_samples):
        samples = hierarchy.samples_below(node)
        met = aligned.meet(samples[0], samples[1:]).max()
        assert aligned.samples_below(met).tolist() == samples.tolist()
        assert aligned.node_names[met - hierarchy.n_samples] == name


@given(hierarchies())
def test_numbers_stand_for_missing_names(hierarchy):
    again = Hierarchy.from_newick(hierarchy.to_newick())
    numbers = [str(sample) for sample in range(hierarchy.n_samples)]
    assert again == Hierarchy(hierarchy.parents, names=numbers)


@given(st.text() | st.text("(),;:'[]ab 1", max_size=30))
def test_any_text_is_a_tree_or_an_error(text):
    try:
        hierarchy = Hierarchy.from_newick(text)
    except (NewickSyntaxError, DuplicateNameError):
        return
    assert Hierarchy.from_newick(hierarchy.to_newick()) == hierarchy


@given(named_hierarchies(), st.data())
def test_a_damaged_tree_is_a_tree_or_an_error(hierarchy, data):
    text = hierarchy.to_newick()
    place = data.draw(st.integers(0, len(text)))
    damage = data.draw(st.sampled_from(["", *"(),;:'[]a "]))
    try:
        damaged = Hierarchy.from_newick(text[:place] + damage + text[place + 1 :])
    except (NewickSyntaxError, DuplicateNameError):
        return
    assert Hierarchy.from_newick(damaged.to_newick()) == damaged


@pytest.mark.parametrize(
    ("text", "position", "problem"),
    [
        ("", 1, "the text is empty"),
        (" \n", 3, "the text is empty"),
        ("[only this]", 12, "the text is empty"),
        (";", 1, "a leaf without a name comes before ';'"),
        ("();", 2, r"a leaf without a name comes before '\)'"),
        ("(a,);", 4, r"a leaf without a name comes before '\)'"),
        ("(,a);", 2, "a leaf without a name comes before ','"),
        ("(a,:1);", 4, "a ':' follows no name"),
        ("(a,b)", 6, "the ';' that ends the tree is missing"),
        ("(a,b", 5, "the ';' that ends the tree is missing"),
        ("((a,b);", 7, r"a ';' comes before every '\(' is closed"),
        ("(a,b));", 6, r"a '\)' has no '\(' before it"),
        ("a,b;", 2, "a ',' stands outside all parentheses"),
        ("(a,b);c", 7, "text after the ';'"),
        ("(a,b);;", 7, "text after the ';'"),
        ("(a,b);)", 7, "text after the ';'"),
        ("(a,b);(", 7, "text after the ';'"),
        ("(a,b);'", 7, "text after the ';'"),
        ("(a b,c);", 4, "a second name follows one node"),
        ("(a,b)c d;", 8, "a second name follows one node"),
        ("(a:1 b,c);", 6, "a second name follows one node"),
        ("(a(b,c));", 3, r"a '\(' follows a finished node"),
        ("(a:(b,c));", 4, r"a branch length is missing before '\('"),
        ("(a:,b);", 4, "a branch length is missing before ','"),
        ("(a:);", 4, r"a branch length is missing before '\)'"),
        ("(a:1:2,b);", 5, "a second ':' follows one node"),
        ("(a:x,b);", 4, "a branch length is not a number"),
        ("(a:'1',b);", 4, "a branch length is not a number"),
        ("('a,b);", 2, "a quoted name is not closed"),
        ("(a,b'c);", 5, "a quoted name is not closed"),
        ("(a[b,c);", 3, "a comment is not closed"),
        ("(a]b,c);", 3, "a comment is closed that was not opened"),
    ],
)
def test_syntax_errors_say_where(text, position, problem):
    with pytest.raises(NewickSyntaxError, match=problem) as caught:
        Hierarchy.from_newick(text)
    assert caught.value.position == position


def test_duplicate_names():
    with pytest.raises(DuplicateNameError, match="samples 0 and 2 are both called 'a'"):
        Hierarchy.from_newick("(a,b,'a');")


def test_only_text_is_read():
    with pytest.raises(InvalidHierarchyError, match="must be a text, not bytes"):
        Hierarchy.from_newick(b"(a,b);")


def test_a_caterpillar_both_ways():
    names = [f"s{sample}" for sample in range(N_MANY)]
    text = "(" * (N_MANY - 1) + "s0," + "),".join(names[1:]) + ");"
    hierarchy = Hierarchy.from_newick(text)
    assert hierarchy.names == tuple(names)
    assert hierarchy.depths[0] == N_MANY - 1
    assert hierarchy.to_newick() == text


@pytest.mark.parametrize(
    "text",
    [
        "(" * N_MANY + "a" + ")" * N_MANY + ";",
        "a;" + " " * N_MANY,
        "[]" * N_MANY + "a;",
        "'" + "''" * N_MANY + "';",
    ],
)
def test_one_sample_in_a_long_text(text):
    hierarchy = Hierarchy.from_newick(text)
    assert hierarchy.n_samples == hierarchy.n_nodes == 1


@pytest.mark.parametrize("text", ["'" + "''" * N_MANY, "[" * N_MANY, "(" * N_MANY, " " * N_MANY])
def test_a_long_text_that_never_ends(text):
    with pytest.raises(NewickSyntaxError):
        Hierarchy.from_newick(text)


def test_branch_lengths_do_not_count():
    assert Hierarchy.from_newick("((a:1,b:2):3,c);") == Hierarchy.from_newick("((b,a),c);")
    assert np.all(Hierarchy.from_newick("(a:1,b:2);").parents == [2, 2, -1])
