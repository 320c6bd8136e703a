"""Constraint files are written whole or not at all, and only what can be read back."""

import csv
import io
import os
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clustraint import Constraints, Rule
from clustraint.constraints import _csv_format
from clustraint.constraints._statement import ContentError
from clustraint.exceptions import ConstraintFileError
from tests.constraints.test_files import ANIMALS, KNOWLEDGE, SUFFIXES


@pytest.fixture(params=SUFFIXES)
def old(request, tmp_path):
    path = tmp_path / f"knowledge{request.param}"
    path.write_text("old", encoding="utf-8")
    return path


def test_writing_replaces_what_was_there(old):
    KNOWLEDGE.write(old)
    assert Constraints.read(old, names=ANIMALS) == KNOWLEDGE
    assert list(old.parent.iterdir()) == [old]


@pytest.mark.parametrize("step", ["write_bytes", "replace"])
def test_writing_that_fails_leaves_the_old_file(step, old, monkeypatch):
    done = getattr(Path, step)

    def fail(path, *arguments):
        if step == "write_bytes":
            done(path, b"half of")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, step, fail)
    with pytest.raises(ConstraintFileError, match=r"cannot be written: No space left on device\.$"):
        KNOWLEDGE.write(old)
    assert old.read_text(encoding="utf-8") == "old"
    assert list(old.parent.iterdir()) == [old]


def test_writing_that_is_interrupted_leaves_the_old_file(old, monkeypatch):
    def interrupt(path, target):
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        KNOWLEDGE.write(old)
    assert old.read_text(encoding="utf-8") == "old"
    assert list(old.parent.iterdir()) == [old]


@pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")
def test_writing_keeps_permissions_and_links(old):
    old.chmod(0o640)
    link = old.with_name(f"link{old.suffix}")
    link.symlink_to(old)
    KNOWLEDGE.write(link)
    assert link.is_symlink()
    assert old.stat().st_mode & 0o777 == 0o640
    assert Constraints.read(old, names=ANIMALS) == KNOWLEDGE


def test_writing_where_nothing_can_be_written(old):
    for path in (old.parent / "nowhere" / old.name, old / old.name):
        with pytest.raises(ConstraintFileError, match="cannot be written") as caught:
            KNOWLEDGE.write(path)
        assert caught.value.path == str(path)
    folder = old.with_name(f"folder{old.suffix}")
    folder.mkdir()
    with pytest.raises(ConstraintFileError, match="cannot be written"):
        KNOWLEDGE.write(folder)
    assert sorted(old.parent.iterdir()) == sorted([old, folder])


@pytest.mark.parametrize("name", ["knowledge", "knowledge.yaml", ".txt"])
def test_writing_needs_a_known_suffix(name, tmp_path):
    with pytest.raises(ConstraintFileError, match=r"ends in \.txt, \.csv, \.json, not in"):
        KNOWLEDGE.write(tmp_path / name)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("suffix", [".txt", ".csv"])
def test_what_could_not_be_read_back_is_not_written(suffix, tmp_path):
    path = tmp_path / f"knowledge{suffix}"
    huge = Constraints(2, must_link=[(0, 1)], names=["a", "b" * 200_000])
    with pytest.raises(ConstraintFileError, match=r"too long for .*; write a \.json file"):
        huge.write(path)
    assert not list(tmp_path.iterdir())
    huge.write(path.with_suffix(".json"))
    assert Constraints.read(path.with_suffix(".json")) == huge


@pytest.fixture
def field_size_limit():
    """Set the limit that Python's csv module has for the whole process."""
    before = csv.field_size_limit()
    yield csv.field_size_limit
    csv.field_size_limit(before)


@pytest.mark.parametrize("limit", [1, 10**9])
def test_tables_do_not_depend_on_the_limit_of_the_csv_module(limit, field_size_limit, tmp_path):
    path = tmp_path / "knowledge.csv"
    longest = Constraints(2, must_link=[(0, 1)], names=["a", "b" * 131_072])
    longer = Constraints(2, must_link=[(0, 1)], names=["a", "b" * 131_073])
    field_size_limit(limit)
    longest.write(path)
    assert Constraints.read(path) == longest
    with pytest.raises(ConstraintFileError, match="too long for the cell of a table"):
        longer.write(path)
    path.write_text(path.read_text().replace("bb", "bbb", 1))
    with pytest.raises(ConstraintFileError, match="may have 131,072 characters, but one has 131,"):
        Constraints.read(path)


def test_tables_do_not_depend_on_what_another_thread_does_to_the_csv_module(
    field_size_limit, tmp_path
):
    done = threading.Event()

    def meddle():
        while not done.is_set():
            field_size_limit(1)
            field_size_limit(10**9)

    meddler = threading.Thread(target=meddle)
    meddler.start()
    try:
        for number in range(20):
            KNOWLEDGE.write(tmp_path / f"{number}.csv")
            assert Constraints.read(tmp_path / f"{number}.csv", names=KNOWLEDGE.names) == KNOWLEDGE
    finally:
        done.set()
        meddler.join()


@given(
    st.lists(
        st.lists(st.text(alphabet='ab ,"\r\n;', max_size=5), min_size=1, max_size=3), max_size=4
    ),
    st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_tables_are_read_as_the_csv_module_reads_them(rows, line_end):
    stream = io.StringIO(newline="")
    csv.writer(stream, lineterminator=line_end, quoting=csv.QUOTE_ALL).writerows(rows)
    expected = [row for row in rows if any(cell.strip() for cell in row)]
    assert [row for _, row in _csv_format._rows(stream.getvalue())] == expected


@given(st.text(alphabet='ab ,"\r\n', max_size=12))
def test_any_text_is_read_as_the_csv_module_reads_it(text):
    try:
        reader = csv.reader(io.StringIO(text, newline=""), strict=True)
        expected = [row for row in reader if any(cell.strip() for cell in row)]
    except csv.Error:
        with pytest.raises(ContentError, match="is not CSV"):
            list(_csv_format._rows(text))
    else:
        assert [row for _, row in _csv_format._rows(text)] == expected


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_rule_about_what_no_file_can_hold_is_written_in_other_words(suffix, tmp_path):
    constraints = Constraints(2, rules=[Rule("`\ud800`")])
    constraints.write(tmp_path / f"knowledge{suffix}")
    assert Constraints.read(tmp_path / f"knowledge{suffix}", n_samples=2) == constraints
