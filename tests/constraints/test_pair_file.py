"""A large file of pairs is read by blocks as a small one is read as a whole."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clustraint import Constraints
from clustraint.constraints import (
    _files,
    _pair_file,
    check_file,
    is_large,
    read_named,
)
from clustraint.exceptions import (
    ConstraintFileError,
    DroppedConstraintWarning,
)
from clustraint.kernels.components import group_sizes


@pytest.fixture
def small_blocks(monkeypatch):
    """Let every file be a large one, and a block be a line or two."""
    monkeypatch.setattr(_files, "LARGE", -1)
    monkeypatch.setattr(_pair_file, "BLOCK", 16)


def as_whole(path, **options):
    """Return what the reader of whole files makes of it: constraints, or a message."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_files, "LARGE", 2**40)
        return outcome(path, **options)


def outcome(path, **options):
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            result = Constraints.read(path, **options)
        except ConstraintFileError as error:
            return str(error)
    return result, [str(warning.message) for warning in heard]


NUMBERS = st.integers(0, 12).map(str)
SPACES = st.sampled_from(["", " ", "  ", "\t"])
ODD = ["", "# a comment", "1 = 2 = 3", "0.5 * 1 = 2", "same: 4, 5, 6", "#3 != sample 4", "5=6#x"]
PLAIN = st.builds(
    lambda a, b, sign, gap, end: f"{gap}{a}{gap}{sign}{gap}{b}{gap}{end}",
    *(NUMBERS, NUMBERS, st.sampled_from(["=", "==", "!="]), SPACES, st.sampled_from(["", "\r"])),
)
WRONG = ["1 = anna", "007 = 1", "-1 = 2", "1 =! 2", "1 = ", "3 ! 4", "1 = 99999999999999999999"]


@given(st.lists(st.one_of(PLAIN, PLAIN, st.sampled_from(ODD)), max_size=12), st.booleans())
@pytest.mark.usefixtures("small_blocks")
def test_blocks_are_the_whole_file(tmp_path_factory, lines, is_counted):
    path = tmp_path_factory.mktemp("file") / "pairs.txt"
    path.write_text("\n".join(lines), encoding="utf-8", newline="")
    options = {"n_samples": 11} if is_counted else {}
    assert outcome(path, **options) == as_whole(path, **options)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize(
    "text", ["0=0\n# a comment\n0=0\r\n0=0", "0=0\n0=1\n0=2\n0=3\n0=4\n0, 1 | 2", "0=0\n1=2\r3=4\n"]
)
def test_a_warning_comes_once_however_a_file_is_read(tmp_path, text):
    # Whether a block ends between return and newline, or the file turns out to be of another kind.
    path = tmp_path / "pairs.txt"
    path.write_bytes(text.encode())
    result, heard = outcome(path)
    assert (result, heard) == as_whole(path)
    assert len(heard) == 1


@pytest.mark.parametrize("wrong", WRONG)
def test_a_mistake_is_named_with_its_line(tmp_path, small_blocks, wrong):
    path = tmp_path / "pairs.txt"
    path.write_text("0 = 1\n2 != 3\n# more\n" + wrong + "\n4 = 5\n", encoding="utf-8")
    message = outcome(path)
    assert "pairs.txt, line 4: " in message
    # How many rows there are is not known before all is read.
    assert message.partition("; rows")[0] == as_whole(path).partition("; rows")[0]


@pytest.mark.parametrize("last", ["0, 1 | 2", "together: milk", "a = b\r\rc = d"])
def test_more_than_pairs_is_read_as_a_whole(tmp_path, small_blocks, last):
    path = tmp_path / "pairs.txt"
    first = "a = b" if "a" in last.split() else "0 = 1"
    path.write_bytes(f"{first}\n{last}\n".encode())
    assert check_file(path) is None
    assert outcome(path) == as_whole(path)


def test_names(tmp_path, small_blocks):
    path = tmp_path / "pairs.txt"
    text = '\ufeffdog = wolf\n"a dog" != dog\nJosé = wolf\nsame: u1, u-2, v.3\n0.5 * dog != eel'
    path.write_text(text, encoding="utf-8")
    assert outcome(path) == as_whole(path)
    path.write_text("dog = wolf\n12 = dog\n", encoding="utf-8")
    with pytest.raises(ConstraintFileError, match="line 2: '12' is a row number, but samples are"):
        Constraints.read(path)


@pytest.mark.parametrize("large", [-1, 2**40])
def test_names_that_look_like_numbers(tmp_path, monkeypatch, large):
    monkeypatch.setattr(_files, "LARGE", large)
    path = tmp_path / "pairs.txt"
    path.write_text("1003 = 1150\n1150 != 007\nsame: 1, 2\n", encoding="utf-8")
    constraints = read_named(path)
    assert constraints.names == ("1003", "1150", "007", "1", "2")
    assert constraints.must_link.tolist() == [[0, 1], [3, 4]]
    path.write_text("1003 = #3\n", encoding="utf-8")
    with pytest.raises(ConstraintFileError, match="line 1: '#3' is a row number, but samples are"):
        read_named(path)


def test_names_of_all_formats(tmp_path):
    (tmp_path / "pairs.csv").write_text("kind,a,b\nmust_link,7,8\n", encoding="utf-8")
    assert read_named(tmp_path / "pairs.csv").names == ("7", "8")
    known = Constraints(3, must_link=[(0, 2)], names=["x", "y", "z"])
    known.write(tmp_path / "pairs.json")
    assert read_named(tmp_path / "pairs.json") == known
    with pytest.raises(ConstraintFileError, match="cannot be read"):
        read_named(tmp_path / "nothing.txt")


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("name", ["{}", "user {}", "u{}"])
def test_a_check_of_a_file_is_that_of_its_constraints(tmp_path, name, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    path = tmp_path / "pairs.txt"
    for _ in range(10):
        pairs = rng.integers(30, size=(25, 2))
        signs = np.where(rng.random(25) < 0.8, "=", "!=")
        rows = zip(pairs.tolist(), signs, strict=True)
        lines = [f"{name.format(a)} {sign} {name.format(b)}" for (a, b), sign in rows if a != b]
        path.write_text("\n".join(lines), encoding="utf-8")
        constraints = Constraints.read(path)
        checked = check_file(path)
        assert checked.n_samples == len(constraints)
        assert checked.counts["must_link"] == len(constraints.must_link)
        if constraints.is_consistent():
            sizes = constraints.components.sizes
            linked = sizes[sizes > 1]
            expected = {"linked": len(linked), "samples": linked.sum(), "largest": sizes.max()}
            assert checked.problem is None
            assert checked.components == expected
        else:
            witness = checked.problem.witness
            assert not witness.is_consistent()
            assert set(witness.describe()) <= set(constraints.describe())


def test_a_link_with_itself_is_told_once(tmp_path, small_blocks):
    path = tmp_path / "pairs.txt"
    path.write_text("0 = 0\n0 = 1\n1 = 1\n", encoding="utf-8")
    with pytest.warns(DroppedConstraintWarning, match="line 1: a sample is linked to itself"):
        assert check_file(path).counts == {"must_link": 1, "cannot_link": 0}
    path.write_text("0 = 1\n1 != 1\n", encoding="utf-8")
    with pytest.raises(ConstraintFileError, match="line 2: '1' occurs twice"):
        check_file(path)


def test_which_files_are_large(tmp_path):
    path = tmp_path / "pairs.txt"
    path.write_bytes(b"0 = 1\n")
    assert not is_large(path)
    with path.open("r+b") as file:
        file.truncate(_files.LARGE + 1)
    assert is_large(path)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=8))
def test_sizes_of_groups(pairs):
    components = Constraints(10, must_link=[pair for pair in pairs if pair[0] != pair[1]] or None)
    labels = components.components.labels
    roots = np.array([np.flatnonzero(labels == label)[0] for label in labels], np.int32)
    sizes = np.bincount(labels)
    expected = (sizes > 1).sum(), sizes[sizes > 1].sum(), sizes.max()
    assert tuple(group_sizes(roots)) == expected
