"""Spreadsheets: Excel and OpenDocument, which sheet is read, and what is above the table."""

import io
import zipfile
from xml.sax.saxutils import escape

import pytest

from clustraint.exceptions import DatasetFileError
from clustraint.tables import read_table

pytest.importorskip("fastexcel")
xlsxwriter = pytest.importorskip("xlsxwriter")

PEOPLE = [["name", "age", "town"], ["ann", 31, "Ulm"], ["ben", 45, "Bonn"], ["eve", 27, "Ulm"]]
SHOPS = [["shop", "sales"], ["a", 10.5], ["b", 20.25], ["c", 7]]
REMARKS = [["See the next sheet."]]


def as_xlsx(sheets):
    buffer = io.BytesIO()
    with xlsxwriter.Workbook(buffer) as book:
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name)
            for place, row in enumerate(rows):
                sheet.write_row(place, 0, row)
    return buffer.getvalue()


def ods_cell(value):
    if value is None:
        return "<table:table-cell/>"
    if isinstance(value, str):
        text = escape(value)
        return (
            f'<table:table-cell office:value-type="string"><text:p>{text}</text:p>'
            "</table:table-cell>"
        )
    return (
        f'<table:table-cell office:value-type="float" office:value="{value}">'
        f"<text:p>{value}</text:p></table:table-cell>"
    )


def as_ods(sheets):
    """Return the least that is an OpenDocument spreadsheet."""
    tables = "".join(
        f'<table:table table:name="{escape(name)}">'
        + "".join(
            f"<table:table-row>{''.join(map(ods_cell, row))}</table:table-row>" for row in rows
        )
        + "</table:table>"
        for name, rows in sheets.items()
    )
    names = "urn:oasis:names:tc:opendocument:xmlns"
    content = (
        '<?xml version="1.0" encoding="UTF-8"?><office:document-content '
        f'xmlns:office="{names}:office:1.0" xmlns:table="{names}:table:1.0" '
        f'xmlns:text="{names}:text:1.0" office:version="1.2"><office:body><office:spreadsheet>'
        f"{tables}</office:spreadsheet></office:body></office:document-content>"
    )
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    manifest = (
        f'<?xml version="1.0" encoding="UTF-8"?><manifest:manifest xmlns:manifest="{names}:'
        f'manifest:1.0"><manifest:file-entry manifest:full-path="/" manifest:media-type="{kind}"/>'
        '<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/>'
        "</manifest:manifest>"
    )
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as book:
        book.writestr("mimetype", kind)
        book.writestr("content.xml", content)
        book.writestr("META-INF/manifest.xml", manifest)
    return buffer.getvalue()


WRITERS = {".xlsx": as_xlsx, ".ods": as_ods}


@pytest.fixture(name="book", params=WRITERS)
def book_writer(request, tmp_path):
    def write(**sheets):
        path = tmp_path / f"book{request.param}"
        path.write_bytes(WRITERS[request.param](sheets))
        return path

    return write


def test_kinds_are_recognised(book):
    table = read_table(book(Sheet1=PEOPLE))
    assert table.names == ("ann", "ben", "eve")
    assert {column.name: column.kind for column in table.columns} == {
        "age": "numeric",
        "town": "nominal",
    }
    assert not table.notes


@pytest.mark.parametrize("sheet", ["Shops", "2", 2])
def test_a_sheet_is_chosen_by_name_or_number(book, sheet):
    table = read_table(book(People=PEOPLE, Shops=SHOPS), sheet=sheet)
    assert table.names == ("a", "b", "c")
    assert table.column("sales").values.tolist() == [10.5, 20.25, 7.0]


def test_the_first_sheet_with_a_table_is_read_and_the_others_are_named(book):
    table = read_table(book(About=REMARKS, People=PEOPLE, Shops=SHOPS))
    assert table.names == ("ann", "ben", "eve")
    assert table.notes[0] == (
        "Read from the sheet 'People' (sheet=); the file also has 'About' and 'Shops'."
    )


def test_a_sheet_that_is_asked_for_is_read_whatever_it_holds(book):
    with pytest.raises(DatasetFileError, match="holds column names only, and no sample"):
        read_table(book(About=REMARKS, People=PEOPLE), sheet="About")


def test_a_sheet_that_is_not_there_is_named_with_those_that_are(book):
    path = book(People=PEOPLE, Shops=SHOPS)
    with pytest.raises(DatasetFileError, match=r"has no sheet 'Shop'.*did you mean 'Shops'"):
        read_table(path, sheet="Shop")
    with pytest.raises(DatasetFileError, match="there are 'People' and 'Shops'"):
        read_table(path, sheet="7")


def test_titles_above_the_table_are_skipped(book):
    title = [["Sales 2024", None, None], ["confidential", None, None]]
    table = read_table(book(Sheet1=[*title, *PEOPLE]))
    assert table.names == ("ann", "ben", "eve")
    assert [column.name for column in table.columns] == ["age", "town"]


def test_one_column_is_a_table_where_there_is_no_other(book):
    table = read_table(book(Sheet1=[["age"], [31], [45], [27]]))
    assert table.column("age").values.tolist() == [31, 45, 27]


def test_a_row_of_sums_is_pointed_out(book):
    table = read_table(book(Sheet1=[*PEOPLE, ["Total:", 103, None]]))
    assert table.notes == (
        "The last row is called 'Total:'; if it sums up the others, take it out.",
    )
    assert table.n_samples == 4
