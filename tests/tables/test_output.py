"""Tables that are written with clusters come back as they were."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clustraint.exceptions import MissingPackageError, OutputFileError
from clustraint.tables import (
    SampleTable,
    TableColumn,
    as_meant,
    neutralised,
    read_frame,
    read_labels,
    read_table,
    write_table,
)

CONTENT = b"""name,size,code,remark
dog,3,007,=1+1
"wolf, grey",-4.5,010,-5
eel,,012,"@SUM(A1)
x"
cod,2,007,+49 30 1234
"""
HOSTILE = ["=1+1", "+1;DROP", "-2+3", "@SUM(A1)", "\tx", "\rx", "\nx", "-", "+"]


@pytest.fixture
def table():
    return read_table(io.BytesIO(CONTENT), id_column="name", nominal=["code", "remark"])


def test_cells_are_written_as_they_were_read(tmp_path, table):
    write_table(tmp_path / "out.csv", table, [0, 1, 1, 0], raw=True)
    frame = read_frame(tmp_path / "out.csv")
    original = read_frame(io.BytesIO(CONTENT))
    assert frame.columns == [*original.columns, "cluster"]
    assert frame[:, :-1].rows() == original.rows()
    assert frame["cluster"].to_list() == list("0110")


def test_formulas_are_neutralised_and_numbers_are_not(tmp_path, table):
    write_table(tmp_path / "out.csv", table, [0, 1, 1, 0], names={0: "=a", 1: "b"})
    columns = read_frame(tmp_path / "out.csv")
    columns = [each.to_list() for each in columns]
    assert list(columns[1]) == ["3", "-4.5", None, "2"]
    assert list(columns[2]) == ["007", "010", "012", "007"]
    assert list(columns[3]) == ["'=1+1", "-5", "'@SUM(A1)\nx", "'+49 30 1234"]
    assert list(columns[5]) == ["'=a", "b", "b", "'=a"]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_formula_gets_an_apostrophe(text):
    assert neutralised(text) == f"'{text}"
    assert as_meant(f"'{text}") == text


@pytest.mark.parametrize("text", ["-5", "+3.25", "-1,000.5", "-2e-3", "-5%", "a=b", "", "'tis"])
def test_what_is_no_formula_stays(text):
    assert neutralised(text) == as_meant(text) == text


@given(st.text())
def test_every_text_is_meant_as_it_was(text):
    safe = neutralised(text)
    if safe != text:
        assert as_meant(safe) == text


def test_hostile_ids_and_column_names(tmp_path):
    table = read_table(io.BytesIO(b"=name,x\n=dog,1\n@hen,2\n"), id_column="=name")
    for labels_only in (True, False):
        write_table(tmp_path / "out.csv", table, [0, 1], labels_only=labels_only)
        assert "\n'=dog," in (tmp_path / "out.csv").read_text()
        assert read_labels(tmp_path / "out.csv", table) == [0, 1]
    assert (tmp_path / "out.csv").read_text().startswith("'=name,")


def test_excel_holds_numbers_as_numbers_and_formulas_as_texts(tmp_path, table):
    polars = pytest.importorskip("polars")
    pytest.importorskip("fastexcel")
    write_table(tmp_path / "out.xlsx", table, [0, 1, 1, 0], names={0: "a", 1: "b"})
    frame = polars.read_excel(tmp_path / "out.xlsx")
    assert frame["size"].to_list() == [3.0, -4.5, None, 2.0]
    assert frame["code"].to_list() == ["007", "010", "012", "007"]
    assert frame["remark"].to_list()[0] == "=1+1"
    assert frame["cluster"].to_list() == [0, 1, 1, 0]
    assert frame["cluster_name"].to_list() == ["a", "b", "b", "a"]


def formulas(path):
    import zipfile

    with zipfile.ZipFile(path) as book:
        return book.read("xl/worksheets/sheet1.xml").count(b"<f>"), book.read("xl/styles.xml")


def test_in_excel_only_raw_texts_are_formulas(tmp_path, table):
    write_table(tmp_path / "out.xlsx", table, [0, 1, 1, 0])
    count, styles = formulas(tmp_path / "out.xlsx")
    assert count == 0
    assert b'quotePrefix="1"' in styles
    write_table(tmp_path / "raw.xlsx", table, [0, 1, 1, 0], raw=True)
    assert formulas(tmp_path / "raw.xlsx")[0] == 1


def test_a_sheet_has_limits(tmp_path):
    table = read_table(io.BytesIO(f"a,b\n{'x' * 40_000},1\ny,2\n".encode()), nominal=["a"])
    with pytest.raises(OutputFileError, match=r"at most 32,767 characters.*write a CSV"):
        write_table(tmp_path / "out.xlsx", table, [0, 1])
    assert not (tmp_path / "out.xlsx").exists()


def test_parquet_keeps_kinds(tmp_path, table):
    parquet = pytest.importorskip("pyarrow.parquet")
    write_table(tmp_path / "out.parquet", table, [0, 1, 1, 0])
    read = parquet.read_table(tmp_path / "out.parquet").to_pydict()
    assert read["size"] == [3.0, -4.5, None, 2.0]
    assert read["code"][0] == "007"
    assert read["remark"][0] == "=1+1"
    assert read["cluster"] == [0, 1, 1, 0]
    again = read_table(tmp_path / "out.parquet", id_column="name")
    write_table(tmp_path / "again.parquet", again, [1, 1, 1, 1])
    assert list(parquet.read_table(tmp_path / "again.parquet").to_pydict())[-2:] == [
        "cluster",
        "cluster_2",
    ]
    assert read_labels(tmp_path / "again.parquet", again) == [1, 1, 1, 1]


def test_a_decimal_comma_keeps_its_semicolon(tmp_path):
    table = read_table(io.BytesIO(b"a;b\n1,5;2\n2,5;3\n"))
    write_table(tmp_path / "out.csv", table, [0, 1])
    assert (tmp_path / "out.csv").read_text() == "a;b;cluster\n1,5;2;0\n2,5;3;1\n"
    write_table(tmp_path / "out.tsv", table, [0, 1])
    assert (tmp_path / "out.tsv").read_text().splitlines()[1] == "1,5\t2\t0"


def test_a_table_that_was_not_read(capsys):
    import numpy as np

    column = TableColumn("x", "numeric", np.array([1.0, 2.0]))
    write_table("-", SampleTable("X", (column,), (), None, 2), ["a", "b"])
    assert capsys.readouterr().out == "x,cluster\n1.0,a\n2.0,b\n"


def test_a_missing_package_is_named(tmp_path, table, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    with pytest.raises(MissingPackageError, match="xlsxwriter, which is not installed"):
        write_table(tmp_path / "out.xlsx", table, [0, 1, 1, 0])
    assert list(tmp_path.iterdir()) == []


def test_rows_in_order_where_there_are_no_names(tmp_path):
    table = read_table(io.BytesIO(b"x,y,z\n1,2,5\n2,3,6\n5,5,5\n"))
    write_table(tmp_path / "out.csv", table, [2, 0, 1])
    assert read_labels(tmp_path / "out.csv", table) == [2, 0, 1]
