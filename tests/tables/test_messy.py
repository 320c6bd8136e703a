"""Messy tables are recognised for what they are; nothing ends in a traceback."""

import io
import string

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from clustraint.exceptions import ClustraintError, DatasetFileError, InvalidParameterError
from clustraint.tables import _delimited_files, read_frame, read_table
from clustraint.workflow import cluster_table
from tests.tables.messy_tables import FOLDER, MESSY, packed


def read(content, /, **options):
    content = content if isinstance(content, bytes) else content.encode()
    return read_table(io.BytesIO(content), **options)


def attempt(call, *arguments, **options):
    """Return what a call gives, or the sentence by which it refuses."""
    try:
        return call(*arguments, **options), ""
    except ClustraintError as error:
        return None, f"{type(error).__name__}: {error}"


def kinds(table):
    return {column.name: column.kind for column in table.columns}


def column_of(cells, /, name="x", **options):
    """Return the column of some cells beside one of numbers."""
    lines = [f'"{cell}",{row * row % 7}' for row, cell in enumerate(cells)]
    return read("\n".join([f'"{name}",other', *lines]), **options).column(name)


@pytest.mark.parametrize("messy", MESSY, ids=lambda messy: messy.file)
def test_kinds_and_reasons(messy, tmp_path):
    table = read_table(messy.write(tmp_path), **messy.options)
    assert kinds(table) == messy.kinds
    assert table.id_column == messy.id_column
    left_out = {column.name for column in table.left_out} - {messy.id_column}
    assert left_out == {*messy.left_out} - {messy.id_column}
    for words in messy.notes:
        assert any(words in note for note in table.notes), table.notes
    for name, reason in messy.reasons.items():
        assert table.column(name).reason == reason
    assert all(column.reason for column in table.columns)
    assert all(column.note for column in table.left_out)


def test_every_file_of_the_folder_is_tried():
    assert {path.name for path in FOLDER.iterdir()} <= {messy.file for messy in MESSY}
    assert len(MESSY) >= 25


@pytest.mark.parametrize("messy", MESSY, ids=lambda messy: messy.file)
def test_every_table_can_be_clustered_and_read_again(messy, tmp_path):
    path = messy.write(tmp_path)
    table = read_table(path, **messy.options)
    clustering = cluster_table(table, n_clusters=2)
    arguments = clustering.pipeline["encode"].arguments_
    again = clustering.pipeline.predict(read_table(path, **arguments))
    assert again.tolist() == clustering.labels.tolist()


@pytest.mark.parametrize("ending", [".gz", ".bz2", ".xz", ".zst"])
def test_packed_files(tmp_path, ending):
    content = (FOLDER / "us_money.csv").read_bytes()
    path = tmp_path / f"us_money.csv{ending}"
    path.write_bytes(packed(content, ending))
    assert kinds(read_table(path)) == kinds(read(content))
    path.write_bytes(packed(content, ending)[:-7])
    with pytest.raises(DatasetFileError, match=f"is packed as {ending}, but cannot be unpacked"):
        read_table(path)


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["1,234", "5,678", "9"], [1234, 5678, 9]),
        (["1.234,5", "2", "0,5"], [1234.5, 2, 0.5]),
        (["1 234,50", "12", "3"], [1234.5, 12, 3]),
        (["1'234.5", "12", "3"], [1234.5, 12, 3]),
        (["1,00,000", "2,50,000", "3"], [100000, 250000, 3]),
        (["$5", "-$6.50", "$ 1,200"], [5, -6.5, 1200]),
        (["5 EUR", "6,50 EUR", "7 EUR"], [5, 6.5, 7]),
        (["(12)", "13", "(0.5)"], [-12, 13, -0.5]),
        (["5-", "6", "7"], [-5, 6, 7]),
        (["−5", "6", "7"], [-5, 6, 7]),
        (["12.5%", "3 %", "-4%"], [12.5, 3, -4]),
        (["3 kg", "4kg", "5.5 kg"], [3, 4, 5.5]),
        (["36.6 °C", "37 °C", "39.1 °C"], [36.6, 37, 39.1]),
        (["1e3", "2.5E-1", "3"], [1000, 0.25, 3]),
        (["none", "7", "8"], [np.nan, 7, 8]),
        ([".5", "1.", "+2"], [0.5, 1, 2]),
    ],
)
def test_numbers(cells, numbers):
    column = column_of(cells)
    assert column.kind == "numeric"
    np.testing.assert_allclose(column.values, numbers)


@pytest.mark.parametrize(
    "cells",
    [
        ["007", "008", "007"],
        ["$5", "€6", "$5"],
        ["5 cm", "6 m", "5 cm"],
        ["12a", "12b", "12a"],
        ["1.2.3", "1.2.4", "1.2.3"],
        ["1,23,4", "1,2", "1,2"],
        ["(5", "6)", "6)"],
    ],
)
def test_what_only_looks_like_numbers_is_nominal(cells):
    assert column_of(cells).kind == "nominal"


def test_one_column_settles_the_decimal_sign_of_the_file():
    table = read("a;b\n1,5;1.200\n2,25;3.400\n0,5;700\n")
    assert table.column("b").values.tolist() == [1200, 3400, 700]
    assert read("a\tb\n1.5\t1.200\n2.25\t3.400\n").column("b").values.tolist() == [1.2, 3.4]
    english = read('a,b\n"1,500",x\n"2,700",y\n', nominal="b")
    assert english.column("a").values.tolist() == [1500, 2700]
    german = read('a,b\n"1,500",x\n"2,700",y\n', nominal="b", decimal=",")
    assert german.column("a").values.tolist() == [1.5, 2.7]


@pytest.mark.parametrize(
    ("cells", "day"),
    [
        (["2021-03-04", "2021-12-31"], "2021-03-04"),
        (["2021/03/04", "2021/12/31"], "2021-03-04"),
        (["4.3.2021", "31.12.2021"], "2021-03-04"),
        (["4.3.21", "31.12.21"], "2021-03-04"),
        (["3/4/2021", "12/31/2021"], "2021-03-04"),
        (["4/3/2021", "31/12/2021"], "2021-03-04"),
        (["4-3-2021", "31-12-2021"], "2021-03-04"),
        (["4 Mar 2021", "31 Dec 2021"], "2021-03-04"),
        (["4-mar-21", "31-DEC-21"], "2021-03-04"),
        (["March 4, 2021", "December 31, 2021"], "2021-03-04"),
        (["2021-03-04 00:00", "2021-12-31 10:30"], "2021-03-04"),
        (["2021-03-04T00:00:00Z", "2021-12-31T10:30:05+01:00"], "2021-03-04"),
        (["3/4/2021 12:00 AM", "12/31/2021 1:30 PM"], "2021-03-04"),
        (["2021-03", "2021-12"], "2021-03-01"),
        (["Mar 2021", "Dec 2021"], "2021-03-01"),
    ],
)
def test_dates(cells, day):
    column = column_of(cells)
    assert column.kind == "date"
    assert column.values[0] == np.datetime64(day).astype(int)


def test_dates_that_can_be_read_in_two_ways_are_said_and_chosen():
    cells = ["3/4/2021", "5/6/2021"]
    column = column_of(cells)
    assert column.values[0] == np.datetime64("2021-03-04").astype(int)
    assert column.note.startswith("dates read as month before day")
    assert column_of(cells, day_first=True).values[0] == np.datetime64("2021-04-03").astype(int)
    assert column_of(["20210304", "20211231"], name="start date").kind == "date"
    assert column_of(["20210304", "20211231"]).kind == "numeric"
    assert column_of(["1614816000", "1640908800"], date="x").values[0] == 18690


def test_parts_of_dates_are_features_where_they_vary():
    lines = [f"{np.datetime64('2019-01-01') + 50 * row},{row % 3}" for row in range(12)]
    table = read("\n".join(["day,x", *lines]))
    assert table.as_columns().names == ("day: year", "day: month", "day: weekday", "x")
    assert table.as_columns()["day: weekday"].values[0] == "Tue"
    assert table.as_columns()["day: month"].values[-1] == "Jul"
    years = table.as_columns()["day: year"].values
    assert (np.diff(years) > 0).all()
    assert years[0] == 2019
    short = read("\n".join(["day,x", *(f"2020-05-{row + 1:02d},{row}" for row in range(5))]))
    assert short.as_columns().names == ("day: year", "x")


def test_spellings_of_a_value_are_joined_and_it_is_said():
    column = column_of(["FR", "fr", " FR ", "DE", "FR", "de", "DE"])
    assert column.levels == ["DE", "FR"]
    assert column.note == "read 'fr' as 'FR', 'de' as 'DE'"


def test_duplicates_are_numbered_kept_once_or_without_names():
    text = "id,x\na,1\nb,2\na,3\na,4\n"
    assert read(text, id_column="id").names == ("a", "b", "a (2)", "a (3)")
    first = read(text, id_column="id", duplicates="first")
    assert (first.names, first.n_samples) == (("a", "b"), 2)
    assert first.notes == ("2 rows that repeat an identifier are left out.",)
    every = read(text, id_column="id", duplicates="all")
    assert (every.names, every.n_samples) == (None, 4)
    with pytest.raises(InvalidParameterError, match="duplicates"):
        read(text, duplicates="some")
    clash = read("id,x\na,1\na,2\na (2),3\n", id_column="id")
    assert clash.names == ("a", "a (3)", "a (2)")


def test_columns_can_be_chosen_in_lists():
    text = "a,b,c,d\n1,2,3,x\n4,5,6,y\n7,8,9,x\n"
    assert kinds(read(text, only="a, b")) == {"a": "numeric", "b": "numeric"}
    assert kinds(read(text, ignore=["a,b", "d"])) == {"c": "numeric"}
    table = read(text, show="d", nominal="a,b")
    assert [column.name for column in table.shown] == ["d"]
    assert kinds(table) == {"a": "nominal", "b": "nominal", "c": "numeric"}
    with pytest.raises(DatasetFileError, match="named as ignore and as nominal"):
        read(text, ignore="a", nominal="a")


def test_tables_in_memory():
    frame = pd.DataFrame({"a": [1, 2, 4], "b": ["x", None, "x"]}, index=["p", "q", "r"])
    table = read_table(frame)
    assert table.names == ("p", "q", "r")
    assert kinds(table) == {"a": "numeric", "b": "nominal"}
    assert read_table(frame.reset_index(drop=True)).names is None
    assert kinds(read_table(pl.DataFrame({"a": [1.5, 2, 4]}))) == {"a": "numeric"}
    assert kinds(read_table({"a": [1, 2, 3], "b": ["u", "v", "v"]}))["b"] == "nominal"
    assert kinds(read_table(np.eye(3))) == {"x0": "binary", "x1": "binary", "x2": "binary"}


def test_sheets_tables_and_queries(tmp_path):
    by_name = {messy.file: messy for messy in MESSY}
    book = by_name["book.xlsx"].write(tmp_path)
    with pytest.raises(DatasetFileError, match=r"has no sheet 'stok' \(sheet=\); did you mean"):
        read_table(book, sheet="stok")
    assert read_frame(book, sheet="1").columns == ["item", "price", "sold", "color"]
    base = by_name["base.sqlite"].write(tmp_path)
    query = "SELECT item, price * 2 AS double FROM stock WHERE color = 'red'"
    table = read_table(base, table=query)
    assert kinds(table) == {"double": "numeric"}
    assert table.n_samples == 8
    for wrong in ("SELECT nothing FROM stock", "DROP TABLE stock", "nowhere"):
        with pytest.raises(DatasetFileError, match=r"\(table=\)"):
            read_table(base, table=wrong)
    assert read_table(io.BytesIO(base.read_bytes())).n_samples == 16


ODD_CODECS = ("punycode", "undefined", "idna", "rot13", "base64", "unicode_escape", "utf-7", "mbcs")


@pytest.mark.parametrize("file", ["german_export.csv", "nested.jsonl", "records.json", "weka.arff",
                                  "wide.npy", "typed.parquet"])  # fmt: skip
@pytest.mark.parametrize("encoding", [*ODD_CODECS, "klingon", ""])
def test_a_wrong_encoding_is_a_sentence(tmp_path, file, encoding):
    path = next(messy for messy in MESSY if messy.file == file).write(tmp_path)
    table, sentence = attempt(read_table, path, encoding=encoding)
    assert "\n" not in sentence
    if table is None:
        is_named = "encoding must be a text encoding that Python knows" in sentence
        assert is_named or sentence.startswith("DatasetFileError")
    else:  # a codec that is odd, but makes some text of what is there
        assert encoding in ODD_CODECS


def test_large_files_are_read_as_small_ones(monkeypatch, tmp_path):
    messy = [each for each in MESSY if each.file.endswith(".csv")]
    for each in messy:
        path = each.write(tmp_path)
        small = read_table(path, **each.options)
        monkeypatch.setattr(_delimited_files, "SMALL", 0)
        large = read_table(path, **each.options)
        monkeypatch.undo()
        assert kinds(large) == kinds(small), each.file
        assert large.names == small.names
        for column in small.columns:
            np.testing.assert_equal(large.column(column.name).values, column.values)


CELLS = st.one_of(
    st.text(alphabet=string.printable, max_size=8),
    st.text(max_size=4),
    st.integers().map(str),
    st.floats().map(str),
    st.sampled_from(["", "NA", "-", "1,5", "1.234,5", "$3", "(4)", "50%", "007", "yes", "No", "inf",
                     "2020-01-31", "31.1.2020", "1/2/03", "12:30", "[1, 2]", "[]", "{}", '"', "'",
                     "1e999", "None", "#1", "x" * 50, "a b c d e f g"]),
)  # fmt: skip


@given(
    st.lists(st.lists(CELLS, min_size=1, max_size=4), min_size=1, max_size=8),
    st.sampled_from([",", ";", "\t", "|"]),
)
@example([["[1, 2]"], ["[1]"]], ",")
@example([["x"], ["2020-01-31"], ["NA"]], ",")
def test_no_table_makes_a_traceback(rows, delimiter):
    text = "\n".join(delimiter.join(row) for row in rows)
    table, sentence = attempt(read, text.encode("utf-8", "surrogatepass"))
    assert "\n" not in sentence
    if table is not None:
        assert len(table.as_columns()) == table.n_samples
        X, sentence = attempt(table.matrix)
        assert "\n" not in sentence
        assert X is None or (X.shape[0] == table.n_samples and np.isfinite(X).all())


@given(st.binary(max_size=200))
@example(b"\0")
@example(b"PAR1")
@example(b"ARROW1\0\0")
@example(b"SQLite format 3\0")
@example(b"\x93NUMPY")
@example(b"PK\x03\x04xl/")
@example(b"\xd0\xcf\x11\xe0")
def test_no_bytes_make_a_traceback(content):
    _, sentence = attempt(read, content)
    assert "\n" not in sentence


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)


@given(st.lists(st.dictionaries(st.sampled_from("abc"), JSON, max_size=3), min_size=1, max_size=5))
def test_no_json_makes_a_traceback(records):
    import json

    text = "\n".join(map(json.dumps, records))
    _, sentence = attempt(read, text, format="jsonl")
    assert "\n" not in sentence
