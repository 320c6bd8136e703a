"""Messy tables, each a trap, and what their columns should be recognised as.

The files are in the folder messy; what is not text is made by a function.
"""

import io
import sqlite3
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import polars as pl

FOLDER = Path(__file__).parent / "messy"


@dataclass(frozen=True)
class Messy:
    """A table, the kinds of the columns to cluster by, those left out, and words of its notes."""

    file: str
    kinds: dict[str, str]
    left_out: tuple[str, ...] = ()
    id_column: str | None = None
    notes: tuple[str, ...] = ()
    reasons: dict[str, str] = field(default_factory=dict)
    options: dict[str, str] = field(default_factory=dict)

    @property
    def arguments(self):
        """The options as they are written on a command line."""
        return [word for name, value in self.options.items() for word in (f"--{name}", value)]

    def write(self, folder):
        """Put the file into a folder, and return where it is."""
        path = folder / self.file
        if self.file in MADE:
            MADE[self.file](path)
        else:
            path.write_bytes((FOLDER / self.file).read_bytes())
        return path


NUMBERS = {"x": "numeric", "y": "numeric"}

MESSY = [
    Messy(
        "us_money.csv",
        {"balance": "numeric", "income": "numeric"},
        id_column="customer",
        reasons={
            "balance": "numbers, money in $, thousands separators, parentheses for negatives",
            "income": "numbers, money in USD, thousands separators",
        },
    ),
    Messy(
        "german_export.csv",
        {"Betrag": "numeric", "Menge": "numeric", "Anteil": "numeric"},
        id_column="Kunde",
        notes=("The file is not UTF-8; it is read as Windows-1252", "separated by semicolons"),
        reasons={"Anteil": "numbers, per cent, decimal commas"},
    ),
    Messy(
        "percent_units.csv",
        {"rate": "numeric", "height": "numeric", "weight": "numeric"},
        reasons={"rate": "numbers, per cent", "weight": "numbers, in kg"},
    ),
    Messy(
        "zip_phone.csv",
        {"zip": "nominal", "age": "numeric"},
        ("phone",),
        reasons={"zip": "leading zeros, so they are codes"},
    ),
    Messy("zip_by_name.csv", {"ZIP Code": "nominal", "visits": "numeric"}),
    Messy(
        "dates.csv",
        {"signup": "date", "birthday": "date", "last_seen": "date"},
        reasons={"signup": "dates like 2018-01-01"},
    ),
    Messy(
        "times.csv",
        {"when": "date", "at": "numeric", "stamp": "date"},
        reasons={"at": "times of day, in hours"},
    ),
    Messy("month_names.csv", {"hired": "date", "left": "date", "score": "numeric"}),
    Messy(
        "yes_no.csv",
        {"a": "binary", "b": "binary", "c": "binary", "d": "binary", "x": "numeric"},
        reasons={"a": "yes against n or no"},
    ),
    Messy("variants.csv", {"country": "nominal", "x": "numeric"}),
    Messy(
        "missing.csv",
        {"a": "numeric", "b": "nominal", "c": "numeric"},
        options={"missing": "-999"},
    ),
    Messy("answer.csv", NUMBERS, ("class",)),
    Messy(
        "duplicates.csv",
        {"spent": "numeric"},
        id_column="customer_id",
        notes=("Several rows have the customer_id '1003'; a later one is called '1003 (2)'",),
    ),
    Messy(
        "keys.csv",
        {"store_id": "nominal", "total": "numeric"},
        ("uuid",),
        id_column="order_no",
        reasons={"uuid": "UUIDs, all different"},
    ),
    Messy(
        "preamble.csv", NUMBERS, id_column="name", notes=("The first 3 lines are not part of the",)
    ),
    Messy(
        "no_header.csv",
        {"column 1": "numeric", "column 2": "numeric"},
        notes=("The first line holds numbers, so the columns have no names.",),
    ),
    Messy(
        "header.csv",
        {"x": "numeric", "x (2)": "numeric", "column 3": "nominal"},
        ("column 4",),
        notes=("A second column 'x' is called 'x (2)'.",),
    ),
    Messy(
        "short_lines.csv",
        {**NUMBERS, "z": "numeric"},
        notes=("5 lines have fewer values than there are columns; the rest counts as missing.",),
    ),
    Messy("excel_sep.csv", NUMBERS, notes=("it is read as UTF-16",)),
    Messy("quotes.csv", {"a, b": "numeric", "note": "nominal"}, id_column="name"),
    Messy("german_texts.csv", {"stars": "numeric", "review": "text"}, id_column="id"),
    Messy("titles.csv", {"title": "text"}),
    Messy("vectors.csv", {"embedding": "vector"}, id_column="name"),
    Messy("constants.csv", {"flag": "nominal", "x": "numeric"}, ("same", "empty")),
    Messy("edges.csv", {"serial": "nominal", "ratio": "numeric", "x": "numeric"}),
    Messy("empty_rows.csv", NUMBERS, notes=("8 empty rows are left out.",)),
    Messy("many_levels.csv", {"x": "numeric"}, ("city",)),
    Messy("mixed_units.csv", {"price": "nominal", "size": "nominal", "x": "numeric"}),
    Messy(
        "nested.jsonl",
        {"tags": "text", "v": "vector", "size.w": "numeric", "size.h": "numeric"},
        id_column="id",
    ),
    Messy("records.json", {"a": "numeric", "b": "nominal"}),
    Messy(
        "weka.arff",
        {"it's": "nominal", "x": "numeric", "d": "date"},
        reasons={"x": "as the file declares"},
    ),
    Messy("swiss.csv", {"amount": "numeric", "area": "numeric"}),
    Messy("mac.csv", NUMBERS),
    Messy(
        "blank_ids.csv",
        {"x": "numeric"},
        id_column="id",
        notes=("2 samples have no id, and have the row number as name: #3.",),
    ),
    Messy("hostile.csv", {"`x`": "numeric", 'a"b': "nominal"}, id_column="=cmd|' /C calc'!A0"),
    Messy(
        "book.xlsx",
        {"price": "numeric", "sold": "date", "color": "nominal"},
        id_column="item",
        notes=("Read from the sheet 'stock' (sheet=); the file also has 'other'.",),
    ),
    Messy(
        "base.sqlite",
        {"price": "numeric", "color": "nominal"},
        id_column="item",
        notes=("Read from the table 'stock' (table=); the file also has 'other'.",),
    ),
    Messy("arrays.npz", {"x0": "numeric", "x1": "numeric"}, ("label",)),
    Messy("wide.npy", {"vector": "vector"}),
    Messy("typed.parquet", {"price": "numeric", "sold": "date", "embedding": "vector"}, ("item",),
          id_column="item"),
    Messy("frame.feather", {"price": "numeric", "color": "nominal"}, id_column="item"),
]  # fmt: skip

N_ITEMS = 16
ITEMS = {
    "item": [f"i{row}" for row in range(N_ITEMS)],
    "price": [float(10 + row % 3 + 50 * (row % 2)) for row in range(N_ITEMS)],
    "color": [["red", "blue"][row % 2] for row in range(N_ITEMS)],
}
SOLD = [np.datetime64("2020-01-01") + 40 * row for row in range(N_ITEMS)]
POINTS = np.array([[row % 2 * 9.0 + row / 50, row % 3] for row in range(N_ITEMS)])


def _book(path):
    import xlsxwriter

    book = xlsxwriter.Workbook(str(path))
    sheet = book.add_worksheet("stock")
    sheet.write(0, 0, "Stock of the shop")
    day = book.add_format({"num_format": "yyyy-mm-dd"})
    for place, name in enumerate(("item", "price", "sold", "color")):
        sheet.write(2, place, name)
    for row in range(N_ITEMS):
        sheet.write(row + 3, 0, ITEMS["item"][row])
        sheet.write(row + 3, 1, ITEMS["price"][row])
        sheet.write_datetime(row + 3, 2, SOLD[row].astype(object), day)
        sheet.write(row + 3, 3, ITEMS["color"][row])
    book.add_worksheet("other").write(0, 0, "nothing")
    book.close()


def _base(path):
    path.unlink(missing_ok=True)
    with sqlite3.connect(path) as base:
        base.execute("CREATE TABLE stock (item TEXT, price REAL, color TEXT)")
        rows = zip(*ITEMS.values(), strict=True)
        base.executemany("INSERT INTO stock VALUES (?, ?, ?)", rows)
        base.execute("CREATE TABLE other (a)")
    base.close()


def _wide(path):
    tail = np.tile(np.arange(150.0), (N_ITEMS, 1))
    np.save(path, np.hstack([10 * POINTS, tail]))


def _frame(**more):
    return pl.DataFrame({**ITEMS, **more})


MADE = {
    "book.xlsx": _book,
    "base.sqlite": _base,
    "arrays.npz": lambda path: np.savez(path, X=POINTS, label=POINTS[:, 1].astype(int)),
    "wide.npy": _wide,
    "typed.parquet": lambda path: (
        _frame(sold=[day.astype(object) for day in SOLD], embedding=POINTS.tolist())
        .drop("color")
        .write_parquet(path)
    ),
    "frame.feather": lambda path: _frame().write_ipc(path),
}


def packed(content, ending):
    """Return bytes as they are packed in a file of some ending."""
    import bz2
    import gzip
    import lzma

    import zstandard

    packers = {
        ".gz": gzip.compress,
        ".bz2": bz2.compress,
        ".xz": lzma.compress,
        ".zst": zstandard.ZstdCompressor().compress,
    }
    return io.BytesIO(packers[ending](content)).getvalue()
