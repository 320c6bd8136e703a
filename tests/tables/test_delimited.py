"""Splitting delimited text: as the csv module does, whatever its limits are at the moment."""

import csv
import io
import threading

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from clustraint.exceptions import DatasetFileError
from clustraint.tables import read_table
from clustraint.tables.delimited import TableContentError, read_rows

TEXTS = st.text(st.sampled_from('ab"",;\n\r \t\x0b\x85\0'), max_size=30)


def by_csv(text, delimiter):
    """Return the rows that Python's csv module reads, or None where it refuses the text."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        return [row for row in reader if row]
    except csv.Error:
        return None


@given(TEXTS, st.sampled_from(",;\t"))
@example('a,"b\r\nc"\r\n\r\n"",\n', ",")
@example('"a"b\n', ",")
@example('a\n"b', ",")
def test_rows_are_those_of_the_csv_module(text, delimiter):
    try:
        rows = [row for _, row in read_rows(text, delimiter)]
    except TableContentError:
        rows = None
    assert rows == by_csv(text, delimiter)


@given(st.lists(st.lists(TEXTS, min_size=2, max_size=3), max_size=4), st.sampled_from(",;\t|"))
def test_what_the_csv_module_writes_is_read_back(rows, delimiter):
    buffer = io.StringIO(newline="")
    csv.writer(buffer, delimiter=delimiter, quoting=csv.QUOTE_ALL).writerows(rows)
    assert [row for _, row in read_rows(buffer.getvalue(), delimiter)] == rows


def test_lines_are_those_in_which_rows_begin():
    text = 'a,b\r\n\r\n"1\n2\r3",4\r5,6\n\n7,"8"\n'
    assert [line for line, _ in read_rows(text)] == [1, 3, 6, 8]


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ('a\n"b\n', 2, "a quoted cell never ends"),
        ('a\n\n"b"c\n', 3, "text follows a cell in quotes"),
        ("a\nb\n" + 11 * "c", 3, "a cell has 11 characters, but 10 are allowed"),
        ('a\n"' + 11 * "c" + '"', 2, "a cell has 11 characters, but 10 are allowed"),
    ],
)
def test_refused(text, line, problem):
    with pytest.raises(TableContentError) as caught:
        list(read_rows(text, longest=10))
    assert caught.value.line == line
    assert str(caught.value) == f"is not a table of values ({problem})."


@pytest.fixture
def small_limit():
    """Let the process's limit be smaller than the cells of the tests."""
    limit = csv.field_size_limit(5)
    yield
    assert csv.field_size_limit(limit) == 5, "a test has changed the limit of the process"


ARFF = "@relation x\n@attribute a string\n@attribute b numeric\n@data\n'{0}',1\n{0}q,2\n"
FORMATS = {"csv": 'a,b\n"{0}",1\n{0}q,2\n', "arff": ARFF}


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.usefixtures("small_limit")
def test_the_limit_of_the_process_is_neither_obeyed_nor_changed(format):
    seen, done = set(), threading.Event()

    def watch():
        while not done.is_set():
            seen.add(csv.field_size_limit())

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        long = "long " * 100_000 + "cell"
        table = read_table(io.BytesIO(FORMATS[format].format(long).encode()), text=["a"])
    finally:
        done.set()
        watcher.join()
    assert table.column("a").values.tolist() == [long, f"{long}q"]
    assert seen == {5}


@pytest.mark.parametrize("quote", ["'", '"'])
def test_quotes_of_arff(quote):
    rows = rf"{quote}it{quote}{quote}s, so{quote} , 1" "\n" r" a\,b ,2" "\n" r"C:\\x, 3"
    text = f"@relation x\n@attribute a string\n@attribute b numeric\n@data\n{rows}\n"
    table = read_table(io.BytesIO(text.encode()), text=["a"])
    assert table.column("a").values.tolist() == [f"it{quote}s, so", "a,b", r"C:\x"]


def test_a_quote_of_arff_that_never_ends():
    text = b"@relation x\n@attribute a string\n@attribute b numeric\n@data\n'a, 1\n"
    with pytest.raises(DatasetFileError, match="line 5: has a quoted value that never ends"):
        read_table(io.BytesIO(text))


def test_a_long_cell_of_many_quotes_and_lines():
    # It would take hours if it were read again from its start at each quote or line.
    n_lines = 300_000
    text = 'a\n"' + '"" \n' * n_lines
    with pytest.raises(TableContentError, match="never ends"):
        list(read_rows(text))
    assert list(read_rows(f'{text}"\nb'))[1:] == [(2, ['" \n' * n_lines]), (n_lines + 3, ["b"])]
