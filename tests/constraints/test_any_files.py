"""Constraint files of any content: each is understood or refused, and nothing else happens."""

import json
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clustraint import Constraints
from clustraint.exceptions import ConstraintFileError, DroppedConstraintWarning
from tests.constraints.test_files import ANIMALS, NUMBERED_TEXTS, SUFFIXES, TEXTS, knowledge


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("any constraint files")


# What each format is made of, so that random texts get far.
PIECES = {
    ".txt": [
        *("dog = wolf\n", "0 != 1\n", "dog, wolf | fox\n", "0.5 * 0, 1 | 2\n", "exactly: milk\n"),
        *"=!,|*:#\"'`\\ ab05-.\n\r\t\0",
        *(" = ", " != ", "0.5 * ", "dog", "wolf", "fox", "together:", "exactly: ", "milk", " & "),
        *('"a b"', '"\\n"', "\\u2028", "\u2028", "\x85", "\ud7ff", "nan", "1e999", "9" * 30),
    ],
    ".csv": [
        *("must_link,dog,wolf\n", "cannot_link,0,1\n", "triplets,dog,wolf,fox\n", "exactly,milk\n"),
        *",\"'\\ ab05-.\n\r\t\0",
        *("kind,a,b,c,weight\n", "kind,a,b\n", "must_link,", "cannot_link,", "triplets,"),
        *(
            "together,",
            "exactly,",
            "dog",
            "wolf",
            "fox",
            "dog,wolf",
            "\ndog,",
            ",,0.5\n",
            '"a,\nb"',
        ),
        *("\u2028", "\x85", "nan", "1e999", "9" * 30, ";"),
    ],
    ".json": [
        *'{}[],:"\\ 05-.\n\0',
        *('"n_samples": ', '"names": ', '"must_link": ', '"cannot_link": ', '"triplets": '),
        *('"must_link_weights": ', '"triplets_weights": ', '"rules": ', '{"together": "milk"}'),
        *('"dog"', '"wolf"', '["dog", "wolf"]', "[0, 1]", "[0, 1, 2]", "null", "true", "NaN"),
        *("1e999", "0.5", "9" * 30, '"\\ud800"', "\u2028"),
    ],
}
ARGUMENTS = [
    {},
    {"names": ANIMALS},
    {"names": ["dog", "wolf", "fox", "a", "0"]},
    {"n_samples": 3},
    {"n_samples": 10**18},
]


def outcome(act, *arguments, **keywords):
    try:
        return act(*arguments, **keywords)
    except ConstraintFileError as error:
        return error


def check(path, content, arguments):
    """Check that a file is refused, or that it is understood, and again when written by us."""
    path.write_bytes(content)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DroppedConstraintWarning)
        read = outcome(Constraints.read, path, **arguments)
    if isinstance(read, ConstraintFileError):
        assert read.path == str(path)
        assert str(read).encode()
        return
    problem = outcome(read.write, path)
    if problem is None:
        assert Constraints.read(path, read.n_samples, read.names) == read
    else:
        assert "half a surrogate pair" in str(problem)


def pieces(suffix):
    return st.lists(st.sampled_from(PIECES[suffix]), max_size=25).map("".join)


@pytest.mark.parametrize("suffix", SUFFIXES)
@given(data=st.data(), arguments=st.sampled_from(ARGUMENTS))
@settings(max_examples=150)
def test_any_text_is_understood_or_refused(suffix, data, arguments, folder):
    text = data.draw(st.text() | pieces(suffix))
    header = data.draw(st.sampled_from(["", "kind,a,b\n"])) if suffix == ".csv" else ""
    check(folder / f"any{suffix}", (header + text).encode(), arguments)


@pytest.mark.parametrize("suffix", SUFFIXES)
@given(content=st.binary(), arguments=st.sampled_from(ARGUMENTS))
def test_any_bytes_are_understood_or_refused(suffix, content, arguments, folder):
    check(folder / f"bytes{suffix}", content, arguments)


@st.composite
def changed(draw, suffix, text):
    """A text of which some stretches are removed, doubled or replaced."""
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(text)))
        stop = draw(st.integers(start, min(len(text), start + 20)))
        new = draw(
            st.sampled_from(["", text[start:stop] * 2, *PIECES[suffix]]) | st.text(max_size=3)
        )
        text = text[:start] + new + text[stop:]
    return text


@pytest.mark.parametrize("suffix", SUFFIXES)
@given(data=st.data(), constraints=knowledge())
@settings(max_examples=100)
def test_changed_files_are_understood_or_refused(suffix, data, constraints, folder):
    path = folder / f"changed{suffix}"
    constraints.write(path)
    text = data.draw(changed(suffix, path.read_bytes().decode()))
    known = {"names": constraints.names, "n_samples": constraints.n_samples}
    check(path, text.encode(), data.draw(st.sampled_from([known, *ARGUMENTS])))


@pytest.mark.parametrize("suffix", SUFFIXES)
@given(data=st.data())
@settings(max_examples=100)
def test_changed_examples_are_understood_or_refused(suffix, data, folder):
    text = data.draw(st.sampled_from([TEXTS[suffix], NUMBERED_TEXTS[suffix]]))
    content = data.draw(changed(suffix, text)).encode()
    check(folder / f"example{suffix}", content, data.draw(st.sampled_from(ARGUMENTS)))


values = st.recursive(
    st.sampled_from([0, 1, -1, 10**30, 0.5, True, None, "dog", "0", "", "\ud800"])
    | st.text(max_size=3)
    | st.floats(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2)
    ),
    max_leaves=6,
)


@st.composite
def objects(draw):
    """Contents of which a part, or something within a part, is replaced by something else."""
    content = json.loads(draw(st.sampled_from([TEXTS[".json"], NUMBERED_TEXTS[".json"]])))
    for _ in range(draw(st.integers(1, 2))):
        within, place = content, draw(st.sampled_from(list(content)))
        while isinstance(inner := within[place], list) and inner and draw(st.booleans()):
            within, place = inner, draw(st.integers(0, len(inner) - 1))
        within[place] = draw(values)
    return content


@given(content=objects(), arguments=st.sampled_from(ARGUMENTS))
@settings(max_examples=200)
def test_changed_objects_are_understood_or_refused(content, arguments, folder):
    check(folder / "object.json", json.dumps(content).encode(), arguments)
