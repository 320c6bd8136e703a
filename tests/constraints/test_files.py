"""Constraint files: what is written, what is read, and that the one gives back the other."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from clustraint import Constraints, Rule
from tests.constraints.test_rule import trees
from tests.reference import formula
from tests.strategies_constraints import KINDS, rows

SUFFIXES = (".txt", ".csv", ".json")
DOCS = Path(__file__).parents[2] / "docs" / "constraint-files.rst"

ANIMALS = ["dog", "wolf", "trout", "fox", "polar bear"]
KNOWLEDGE = Constraints.from_names(
    ANIMALS,
    must_link=[("dog", "wolf"), ("dog", "fox")],
    cannot_link=[("dog", "trout"), ("polar bear", "trout")],
    triplets=[("dog", "wolf", "trout")],
    rules=[Rule("milk"), Rule("fins and eggs", exactly=True)],
    must_link_weights=[1, 0.5],
)
TEXTS = {
    ".txt": """\
dog = wolf
0.5 * dog = fox
dog != trout
trout != polar bear
dog, wolf | trout
together: milk
exactly: fins and eggs
""",
    ".csv": """\
kind,a,b,c,weight
must_link,dog,wolf,,1.0
must_link,dog,fox,,0.5
cannot_link,dog,trout,,1.0
cannot_link,trout,polar bear,,1.0
triplets,dog,wolf,trout,1.0
together,milk,,,
exactly,fins and eggs,,,
""",
    ".json": """\
{
  "n_samples": 5,
  "names": [
    "dog",
    "wolf",
    "trout",
    "fox",
    "polar bear"
  ],
  "must_link": [
    ["dog", "wolf"],
    ["dog", "fox"]
  ],
  "must_link_weights": [
    1.0,
    0.5
  ],
  "cannot_link": [
    ["dog", "trout"],
    ["trout", "polar bear"]
  ],
  "triplets": [
    ["dog", "wolf", "trout"]
  ],
  "rules": [
    {"together": "milk"},
    {"exactly": "fins and eggs"}
  ]
}
""",
}
NUMBERED = Constraints(
    9, must_link=[(0, 5)], triplets=[(0, 5, 7)], triplets_weights=[0.1], rules=[Rule("milk")]
)
NUMBERED_TEXTS = {
    ".txt": "0 = 5\n0.1 * 0, 5 | 7\ntogether: milk\n",
    ".csv": "kind,a,b,c,weight\nmust_link,0,5,,1.0\ntriplets,0,5,7,0.1\ntogether,milk,,,\n",
    ".json": """\
{
  "n_samples": 9,
  "names": null,
  "must_link": [
    [0, 5]
  ],
  "cannot_link": [],
  "triplets": [
    [0, 5, 7]
  ],
  "triplets_weights": [
    0.1
  ],
  "rules": [
    {"together": "milk"}
  ]
}
""",
}

# Names that one of the formats, or a line of a file, could take for something else.
AWKWARD = [
    "",
    " ",
    " dog ",
    "dog",
    "\tdog",
    "polar bear",
    "a, b",
    "a | b",
    "a = b",
    "a != b",
    "2 * a",
    "together: milk",
    "exactly",
    "#",
    "a # b",
    '"',
    '"dog"',
    "it's",
    "`",
    "\\",
    "\\n",
    "\n",
    "a\r\nb",
    "\r",
    "\0",
    "\x1c",
    "\x7f",
    "\x85",
    "\u2028",
    "\ufeff",
    "\ufeffdog",
    "été",
    "e\u0301",
    "😀",
    "0",
    "5",
    "007",
    "-1",
    "+1",
    "1.5",
    "1e5",
    "²",
    "٣",
    "nan",
    "null",
    "[0, 1]",
    "{}",
    "kind",
    "must_link",
]
names = st.sampled_from(AWKWARD) | st.text(max_size=5) | st.text(" \r\n\"'#=,|*:!\\05a", max_size=5)
weights = st.floats(0, 1e308, exclude_min=True) | st.just(1.0)

rules = st.builds(Rule, trees.map(formula.write), st.booleans())


@st.composite
def knowledge(draw, named=None):
    """Constraints of all kinds with names, weights and rules that are hard to write down."""
    n_samples = draw(st.integers(3, 7))
    parts = {"rules": draw(st.lists(rules, max_size=2))}
    for kind in KINDS:
        parts[kind] = draw(rows(kind, n_samples, 4))
        size = len(parts[kind])
        parts[f"{kind}_weights"] = draw(st.lists(weights, min_size=size, max_size=size))
    if draw(st.booleans()) if named is None else named:
        unique = st.lists(names, min_size=n_samples, max_size=n_samples, unique=True)
        return Constraints(n_samples, **parts, names=draw(unique))
    return Constraints(n_samples + draw(st.sampled_from([0, 1, 10**15])), **parts)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("constraint files")


@pytest.fixture
def read(folder):
    """Read a text or bytes as a file of a format."""

    def read(suffix, content, **arguments):
        path = folder / f"knowledge{suffix}"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return Constraints.read(path, **arguments)

    return read


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_what_is_written(suffix, tmp_path):
    path = tmp_path / f"knowledge{suffix}"
    KNOWLEDGE.write(path)
    assert path.read_bytes().decode() == TEXTS[suffix]
    NUMBERED.write(path)
    assert path.read_bytes().decode() == NUMBERED_TEXTS[suffix]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_what_is_read(suffix, read):
    assert read(suffix, TEXTS[suffix], names=ANIMALS) == KNOWLEDGE
    assert read(suffix, NUMBERED_TEXTS[suffix], n_samples=9) == NUMBERED


def test_json_needs_no_arguments(read):
    assert read(".json", TEXTS[".json"]) == KNOWLEDGE
    assert read(".json", NUMBERED_TEXTS[".json"]) == NUMBERED


@pytest.mark.parametrize("nothing", [Constraints(0), Constraints(3), Constraints(0, names=[])])
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_nothing_known(suffix, nothing, tmp_path):
    path = tmp_path / f"knowledge{suffix}"
    nothing.write(path)
    assert Constraints.read(path, n_samples=nothing.n_samples, names=nothing.names) == nothing


def test_an_example_for_people(read):
    text = """\
dog = wolf              # must-link
dog != trout            # cannot-link
dog, wolf | trout       # triplet
together: milk
exactly: fins and eggs
0.5 * dog = fox         # weight
"""
    expected = Constraints.from_names(
        ["dog", "wolf", "trout", "fox"],
        must_link=[("dog", "wolf"), ("dog", "fox")],
        must_link_weights=[1, 0.5],
        cannot_link=[("dog", "trout")],
        triplets=[("dog", "wolf", "trout")],
        rules=[Rule("milk"), Rule("fins and eggs", exactly=True)],
    )
    assert read(".txt", text) == expected


def test_the_examples_of_the_documentation_say_the_same(read):
    blocks = re.findall(
        r"   :caption: knowledge(\.\w+)\n\n((?:(?:   .*)?\n)+)", DOCS.read_text(encoding="utf-8")
    )
    assert tuple(suffix for suffix, _ in blocks) == SUFFIXES
    known = json.loads(blocks[-1][1])["names"]
    said = {
        read(suffix, re.sub("^   ", "", block, flags=re.M), names=known) for suffix, block in blocks
    }
    assert len(said) == 1
    assert said.pop().n_constraints == 7


@given(constraints=knowledge())
@example(
    constraints=Constraints(
        len(AWKWARD), must_link=[(0, i) for i in range(1, len(AWKWARD))], names=AWKWARD
    )
)
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_what_is_written_is_read_back(suffix, constraints, folder):
    path = folder / f"round{suffix}"
    constraints.write(path)
    count, known = constraints.n_samples, constraints.names
    assert Constraints.read(path, n_samples=count, names=known) == constraints
    if known is not None:
        assert Constraints.read(path, names=known) == constraints
    if suffix == ".json":
        assert Constraints.read(path) == constraints


def in_words(constraints):
    """Return the constraints with names in the place of numbers, in a fixed order."""
    called = constraints.names
    return sorted(
        (kind, sorted(called[i] for i in row[:2]), [called[i] for i in row[2:]], weight)
        for kind in KINDS
        for row, weight in zip(
            getattr(constraints, kind).tolist(),
            getattr(constraints, f"{kind}_weights").tolist(),
            strict=True,
        )
    )


@given(constraints=knowledge(named=True))
def test_text_tells_names_without_being_given_them(constraints, folder):
    path = folder / "words.txt"
    constraints.write(path)
    if in_words(constraints):
        assert in_words(Constraints.read(path)) == in_words(constraints)


@given(name=names)
def test_a_line_of_text_is_a_line_whatever_the_names(name, folder):
    path = folder / "line.txt"
    Constraints(2, must_link=[(0, 1)], names=[name, name + "!"]).write(path)
    text = path.read_bytes().decode()
    assert text.splitlines() == [text[:-1]]


@pytest.mark.parametrize(
    ("line", "first", "second"),
    [
        ("a = b", "a", "b"),
        ("a=b", "a", "b"),
        ("\t a\t=  b ", "a", "b"),
        ("polar bear = grizzly  bear", "polar bear", "grizzly  bear"),
        ("a = b # c = d", "a", "b"),
        ("a = b#c", "a", "b"),
        ('a = b # "', "a", "b"),
        ('"a # b" = "#"# c', "a # b", "#"),
        ('"a = b" = "c"', "a = b", "c"),
        ('"a"="b"', "a", "b"),
        (r'"\"" = "\\"', '"', "\\"),
        (r'"\u00e9" = "\ud83d\ude00"', "é", "😀"),
        ('"5" = ""', "5", ""),
        ('" a" = "a "', " a", "a "),
        ('"\t" = b', "\t", "b"),
        ("it's = b", "it's", "b"),
        ("007 = +1", "007", "+1"),
        ("1.5 = b-c", "1.5", "b-c"),
        ("together = exactly", "together", "exactly"),
        ('"together: a" = b', "together: a", "b"),
        ("2 * a = b", "a", "b"),
        ("2*a=b", "a", "b"),
        ("(a) = <b>", "(a)", "<b>"),
        ("a\u2028b = \u2028c\u2028", "a\u2028b", "c"),
    ],
)
def test_names_in_text(line, first, second, read):
    constraints = read(".txt", line)
    assert constraints.names == (first, second)
    assert constraints.must_link.tolist() == [[0, 1]]


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("together: milk", Rule("milk")),
        (" exactly :milk ", Rule("milk", exactly=True)),
        ("together: milk # comment", Rule("milk")),
        ("together: milk#'", Rule("milk")),
        ('together: color == "#1" # one', Rule('color == "#1"')),
        ("together: color == '\\'#' # \"", Rule('color == "\'#"')),
        ("exactly: `a # b` & c # `", Rule("`a # b` & c", exactly=True)),
        ("together: `a``#` | `\\` # \\", Rule("`a``#` | `\\`")),
        ("together: legs == 4 | a != 'b, c | d'", Rule('legs == 4 | a != "b, c | d"')),
        ("together: together", Rule("together")),
    ],
)
def test_rules_in_text(line, rule, read):
    assert read(".txt", line).rules == (rule,)


@pytest.mark.parametrize("weight", ["2", "2.0", "+2", "02", "2e0", ".2e1", "2."])
def test_weights(weight, read):
    assert read(".txt", f"{weight} * a = b").must_link_weights == [2]
    assert read(".csv", f"kind,a,b,weight\nmust_link,a,b, {weight} ").must_link_weights == [2]


def test_columns_in_any_order(read):
    table = "c,weight,b,kind,a\nx,0.5,y,triplets,z\n,,y,must_link,z\n,,,together,milk\n"
    constraints = read(".csv", table, names=["x", "y", "z"])
    assert constraints.triplets.tolist() == [[1, 2, 0]]
    assert constraints.triplets_weights.tolist() == [0.5]
    assert constraints.must_link.tolist() == [[1, 2]]
    assert constraints.rules == (Rule("milk"),)


def test_c_and_weight_may_be_left_out(read):
    assert read(".csv", "kind,a,b\ncannot_link,x,y\n").cannot_link.tolist() == [[0, 1]]


@pytest.mark.parametrize(
    "row", ["must_link,x,y", "must_link,x,y,", "must_link,x,y,,", " must_link , x , y ,  ,  "]
)
def test_empty_cells_may_be_left_out(row, read):
    constraints = read(".csv", f" kind , a , b , c , weight \n\n{row}\n , ,\n")
    assert constraints.names == ("x", "y")


def test_spaces_around_a_cell_count_if_a_name_has_them(read):
    table = "kind,a,b\nmust_link, x,y \n"
    assert read(".csv", table, names=["x", "y", " x"]).must_link.tolist() == [[1, 2]]
    assert read(".csv", table, names=["x", "y", "y "]).must_link.tolist() == [[0, 2]]


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("line_end", ["\r\n", "\r"])
def test_line_ends_and_byte_order_marks_of_other_systems(suffix, line_end, read):
    content = b"\xef\xbb\xbf" + TEXTS[suffix].replace("\n", line_end).encode()
    assert read(suffix, content, names=ANIMALS) == KNOWLEDGE


def test_a_suffix_in_capitals(tmp_path):
    KNOWLEDGE.write(tmp_path / "KNOWLEDGE.CSV")
    assert Constraints.read(str(tmp_path / "KNOWLEDGE.CSV"), names=ANIMALS) == KNOWLEDGE


PAIRS = {
    ".txt": "{} = {}\n{} = {}\n",
    ".csv": "kind,a,b\nmust_link,{},{}\nmust_link,{},{}\n",
    ".json": '{{"must_link": [[{}, {}], [{}, {}]]}}',
}


def pairs(suffix, *members):
    quoted = json.dumps if suffix == ".json" else str
    return PAIRS[suffix].format(*map(quoted, members))


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_names_in_order_of_appearance(suffix, read):
    text = pairs(suffix, "fox", "dog", "wolf", "fox")
    assert read(suffix, text).names == ("fox", "dog", "wolf")
    assert read(suffix, text, n_samples=3).must_link.tolist() == [[0, 1], [0, 2]]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_names_that_are_given_number_the_samples(suffix, read):
    constraints = read(suffix, pairs(suffix, "fox", "dog", "wolf", "fox"), names=ANIMALS)
    assert constraints.names == tuple(ANIMALS)
    assert constraints.must_link.tolist() == [[0, 3], [1, 3]]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_row_numbers_count_the_samples(suffix, read):
    text = pairs(suffix, 3, 0, 1, 6)
    assert (read(suffix, text).n_samples, read(suffix, text).names) == (7, None)
    assert read(suffix, text, n_samples=10**12).n_samples == 10**12
    assert read(suffix, text).must_link.tolist() == [[0, 3], [1, 6]]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_row_numbers_beside_names_that_are_given(suffix, read):
    rows = (3, 1) if suffix == ".json" else ("#3", "#1")
    constraints = read(suffix, pairs(suffix, "dog", rows[0], "fox", rows[1]), names=ANIMALS)
    assert constraints.must_link.tolist() == [[0, 3], [1, 3]]


@pytest.mark.parametrize("suffix", [".txt", ".csv"])
def test_a_number_is_a_name_if_a_sample_has_it(suffix, read):
    constraints = read(suffix, pairs(suffix, 2, 1, "#0", 1), names=["2", "1", "dog"])
    assert constraints.must_link.tolist() == [[0, 1], [0, 1]]


def test_quotes_make_a_name_of_a_number(read):
    assert read(".txt", '"1" = "0"').names == ("1", "0")
    assert read(".json", '{"must_link": [["1", "0"]]}').names == ("1", "0")


def test_numbers_in_json_are_rows_whatever_the_names(read):
    constraints = read(".json", '{"must_link": [[2, 1]], "names": ["2", "1", "0"]}')
    assert constraints.must_link.tolist() == [[1, 2]]


def test_names_in_json_may_be_others_than_those_given(read):
    text = '{"names": ["wolf", "dog"], "must_link": [[0, "dog"]], "triplets": [[0, 1, "fox"]]}'
    constraints = read(".json", text, names=ANIMALS)
    assert constraints.must_link.tolist() == [[0, 1]]
    assert constraints.triplets.tolist() == [[0, 1, 3]]


def test_subclasses_of_text_are_names(read):
    class Name(str):
        pass

    constraints = read(".txt", "a = b", names=[Name("b"), Name("a")])
    assert [type(name) for name in constraints.names] == [str, str]


@pytest.mark.parametrize("ending", ["txt", "csv", "json"])
def test_names_that_are_formulas_to_a_spreadsheet_are_written_as_they_are(tmp_path, ending):
    names = ["=1+1", "+a", "-b", "@c"]
    constraints = Constraints.from_names(
        names, must_link=[("=1+1", "+a")], cannot_link=[("-b", "@c")]
    )
    path = tmp_path / f"k.{ending}"
    constraints.write(path)
    assert "'=1+1" not in path.read_text()
    assert Constraints.read(path, names=names) == constraints
