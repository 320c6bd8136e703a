"""What the columns of a table are: each recognised by its values and its name, with a reason."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from clustraint.exceptions import DatasetFileError
from clustraint.tables._dates import (
    COMPACT,
    TIME_OF_DAY,
    DateShape,
    date_shape,
    days_of,
    hours_of,
    read_dates,
)
from clustraint.tables._numbers import (
    LARGEST_WHOLE,
    NUMBER,
    TYPED,
    WHOLE,
    NumberShape,
    missing_expr,
    nearly_numbers,
)
from clustraint.tables._table_column import Kind, TableColumn
from clustraint.wording import counted, excerpt, listed

TRUE = frozenset(("yes", "y", "true", "t", "ja", "j", "oui", "sí", "si", "sì", "sim", "on", "wahr",
                  "vrai", "✓", "1"))  # fmt: skip
FALSE = frozenset(("no", "n", "false", "f", "nein", "non", "não", "nao", "off", "falsch", "faux",
                   "✗", "0"))  # fmt: skip
# Ways to write two truth values.
MOST_SPELLINGS = 20
# A text has so many words on average, and so large a share of different values.
TEXT_WORDS = 5.0
TEXT_DISTINCT = 0.5
# Identifiers are nearly all different, from so many samples on; fewer must all be different.
NEARLY_UNIQUE = 0.95
FEW = 20
# From so many cells on, it is worth to look at their different values first.
MANY = 10_000
# So many categories are not looked through for other spellings of the same.
MOST_JOINED = 20_000
INFINITE = r"(?i)^[+-]?(?:inf|infinity|∞)$"
UUID = r"(?i)^\{?[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}\}?$"
PHONE = r"^(?:\+|00)?[0-9(][0-9()\s/.-]{5,}[0-9]$"

COUNTS_ROWS = "counts the rows"
PHONES = "telephone numbers"

# Names of columns, cut into words: customerID and customer_id are both "customer id".
WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-zà-ÿ]+|\d+|#")
ID_WORDS = frozenset(("id", "ids", "key", "uuid", "guid", "nr", "no", "#", "number", "index"))
CODE_WORDS = frozenset(("zip", "zipcode", "postal", "postcode", "plz", "phone", "telephone", "tel",
                        "mobile", "fax", "ssn", "isbn", "ean", "iban", "sku", "barcode", "code",
                        "codes", "telefon"))  # fmt: skip
DATE_WORDS = frozenset(("date", "datum", "day", "dob", "fecha", "data"))


def words_of(name: str) -> list[str]:
    """Return the words of a column's name."""
    return [word.lower() for word in WORDS.findall(name)]


def is_id_name(name: str) -> bool:
    """Tell whether a column is called as identifiers are: id, customer_id, Order No."""
    words = words_of(name)
    if not words:
        return False
    return words[-1] in ("id", "ids", "key", "uuid", "guid", "nr", "no", "#") or (
        len(words) == 1 and words[0] in ID_WORDS
    )


@dataclass(frozen=True)
class Recogniser:
    """Tells what columns are.

    Parameters
    ----------
    source : str
        The file, for errors.
    decimal : {".", ","} or None
        The decimal sign of the file; None if each column says it.
    delimiter : str or None
        What separates cells in the file.
    missing : frozenset of str
        More spellings of a missing value, in lower case.
    day_first : bool or None
        Whether 3/4/2021 is in April; None to find out.
    """

    source: str
    decimal: str | None = None
    delimiter: str | None = None
    missing: frozenset[str] = frozenset()
    day_first: bool | None = None
    declared: Mapping[str, Kind] = field(default_factory=dict)

    def column(self, name: str, cells: Any, kind: Kind | None = None) -> TableColumn:
        """Return a column as what it is or, if a kind is given, as that."""
        cells = _plain(cells)
        if kind is not None:
            return MAKERS[kind](self, name, cells)
        if name in self.declared:
            column = MAKERS[self.declared[name]](self, name, cells)
            column.reason = "as the file declares"
            return column
        if cells.dtype.is_nested():
            return self._vector(name, cells)
        if cells.dtype.is_temporal():
            return self._moments(name, cells)
        if cells.dtype.is_numeric():
            return self._typed(name, cells)
        if str(cells.dtype) == "Boolean":
            return TableColumn(name, "binary", cells.cast(float), reason="true and false")
        if str(cells.dtype) != "String":
            blank = cells.cast(bool, strict=False).cast(str)
            return TableColumn(name, "nominal", blank * None, "holds bytes, which are not compared")
        return self._texts(name, cells)

    def texts(self, cells: Any, *, numbers: bool = False) -> Any:
        """Return cells as texts, null where one is missing."""
        cells = cells.cast(str)
        if len(cells) > MANY:
            # Mostly a few values that occur again and again, and need no change.
            distinct = cells.unique()
            if len(distinct) * FEW < len(cells):
                cleaned = missing_expr(distinct, self.missing, numbers=numbers)
                if cleaned.eq_missing(distinct).all():
                    return cells
                return cells.replace_strict(distinct, cleaned, return_dtype=cells.dtype)
        return missing_expr(cells, self.missing, numbers=numbers)

    def shape(self, name: str, cells: Any) -> NumberShape | None:
        """Return how a column of texts writes numbers, if it does."""
        if str(cells.dtype) != "String" or not self._begins(cells, NUMBER):
            return None
        return NumberShape.of(self.texts(cells, numbers=True).drop_nulls())

    def _begins(self, cells: Any, pattern: str) -> bool:
        """Tell whether the first texts match a pattern, so that it is worth to look at all."""
        first = cells.head(1000) if cells.head(1000).null_count() < 1000 else cells
        start = missing_expr(first, self.missing, numbers=True).drop_nulls().head(100)
        return bool(start.str.contains(f"{pattern}|{INFINITE}").all())

    def _texts(self, name: str, cells: Any) -> TableColumn:
        """Return what a column of texts is."""
        texts = self.texts(cells)
        present = texts.drop_nulls()
        if not len(present):
            return TableColumn(name, "nominal", texts, cells=cells)
        if present.head(20).str.contains(r"^\[.*\]$").all():
            column = self._listed(name, cells, present)
            if column is not None:
                return column
        n_distinct = present.n_unique()
        if n_distinct <= MOST_SPELLINGS and (truths := _truths(texts)) is not None:
            values, reason = truths
            return TableColumn(name, "binary", values, reason=reason, cells=cells)
        if column := self._compact_dates(name, cells, texts):
            return column
        for recognise in (self._written_numbers, self._written_dates):
            column = recognise(name, cells)
            if column is not None:
                return column
        if _is_text(present, n_distinct):
            return self._text(name, cells)
        return self._category(name, cells, texts, n_distinct)

    def _written_numbers(self, name: str, cells: Any) -> TableColumn | None:
        if not self._begins(cells, NUMBER):
            return None
        texts = self.texts(cells, numbers=True)
        infinite = texts.str.contains(INFINITE).fill_null(False)
        if n_infinite := int(infinite.sum()):
            texts = _nulled(texts, infinite)
        shape = NumberShape.of(texts.drop_nulls())
        if shape is None:
            return None
        if shape.leads_zero:
            return self._codes(name, cells, "leading zeros, so they are codes")
        sign = shape.sign(self.decimal, self.delimiter)
        numbers = shape.read(texts, sign)
        n_infinite += int(numbers.is_infinite().sum() or 0)
        words = shape.words(sign)
        column = self._numbers(name, numbers, f"numbers{', ' if words else ''}{words}", cells)
        return column.noted(_infinite_words(n_infinite)) if n_infinite else column

    def _written_dates(self, name: str, cells: Any) -> TableColumn | None:
        if not self._begins(cells, r"[0-9]"):
            return None
        texts = self.texts(cells, numbers=True)
        present = texts.drop_nulls()
        if not len(present):
            return None
        if present.head(20).str.contains(TIME_OF_DAY).all():
            hours = hours_of(texts)
            if hours.null_count() == texts.null_count() and hours.max() < 24:
                return TableColumn(
                    name, "numeric", hours, reason="times of day, in hours", cells=cells
                )
        shape = date_shape(present, self.day_first)
        return None if shape is None else self._dates(name, cells, texts, shape)

    def _dates(self, name: str, cells: Any, texts: Any, shape: DateShape) -> TableColumn:
        days = days_of(read_dates(texts, shape.format))
        example = excerpt(texts.drop_nulls()[0], width=30)
        return TableColumn(
            name, "date", days, shape.words, reason=f"dates like {example}", cells=cells
        )

    def _moments(self, name: str, cells: Any) -> TableColumn:
        import polars as pl

        if cells.dtype in (pl.Date, pl.Datetime):
            return TableColumn(name, "date", days_of(cells), reason="dates", cells=cells)
        seconds = cells.cast(pl.Duration("us")) if cells.dtype == pl.Duration else cells
        hours = seconds.to_physical().cast(pl.Float64)
        hours = hours / (3.6e9 if cells.dtype == pl.Duration else 3.6e12)
        return TableColumn(name, "numeric", hours, reason="times, in hours", cells=cells)

    def _typed(self, name: str, cells: Any) -> TableColumn:
        """Return what a column of numbers is."""
        is_whole = cells.dtype.is_integer()
        if is_whole and (column := self._compact_dates(name, cells, cells.cast(str))):
            return column
        return self._numbers(name, cells, "whole numbers" if is_whole else "numbers", cells)

    def _compact_dates(
        self, name: str, cells: Any, texts: Any, *, surely: bool = False
    ) -> TableColumn | None:
        """Return dates like 20210304, which are so only in a column that is called a date."""
        present = texts.drop_nulls()
        called = surely or DATE_WORDS.intersection(words_of(name))
        if not called or not len(present) or not present.str.contains(COMPACT).all():
            return None
        dated = texts.str.replace(r"(\d{4})(\d{2})(\d{2})", "$1-$2-$3")
        return self._dates(name, cells, dated, DateShape("%Y-%m-%d"))

    def _numbers(self, name: str, numbers: Any, reason: str, cells: Any) -> TableColumn:
        """Return what a column is whose cells are numbers: perhaps codes or keys."""
        import polars as pl

        numbers, note = self._finite(numbers)
        present = numbers.drop_nulls()
        if not len(present):
            return TableColumn(name, "numeric", numbers, note, cells=cells)
        low, high = present.min(), present.max()
        is_whole = present.dtype.is_integer() or (
            _is_whole(present.head(FEW)) and _is_whole(present)
        )
        if is_whole and reason.startswith(("numbers", "whole")):
            if max(abs(low), abs(high)) >= LARGEST_WHOLE and _has_long_digits(cells):
                return self._codes(name, cells, "too long to be computed with, so they are codes")
            if CODE_WORDS.intersection(words_of(name)):
                return self._codes(name, cells, f"{name!r} is a name for codes")
            if is_id_name(name) or _counts_rows(present, low, high):
                return self._key(name, cells, present, low, high)
        if is_whole and {low, high} <= {0, 1} and low != high:
            return TableColumn(name, "binary", numbers, note, reason="0 and 1", cells=cells)
        return TableColumn(
            name, "numeric", numbers.cast(pl.Float64), note, reason=reason, cells=cells
        )

    def _finite(self, numbers: Any) -> tuple[Any, str]:
        """Return numbers with null where one is not to be computed with, and a word about it."""
        codes = [float(each) for each in self.missing if re.fullmatch(TYPED[1:-1], each)]
        if codes:
            numbers = _nulled(numbers, numbers.cast(float).is_in(codes))
        if not numbers.dtype.is_float():
            return numbers, ""
        numbers = numbers.fill_nan(None)
        infinite = numbers.is_infinite().fill_null(False)
        n_infinite = int(infinite.sum())
        return (
            (_nulled(numbers, infinite), _infinite_words(n_infinite))
            if n_infinite
            else (numbers, "")
        )

    def _key(self, name: str, cells: Any, present: Any, low: Any, high: Any) -> TableColumn:
        """Return a column of keys: of the samples if nearly all differ, else of something else."""
        if _is_nearly_unique(present.n_unique(), len(present)):
            every = "all" if present.n_unique() == len(present) else "nearly all"
            reason = f"whole numbers, {every} different" if is_id_name(name) else COUNTS_ROWS
            kind: Kind = "identifier"
            return TableColumn(name, kind, self._spelled(cells), reason=reason, cells=cells)
        return self._codes(name, cells, f"{name!r} is a name for keys")

    def _spelled(self, cells: Any) -> Any:
        """Return cells as texts; a whole number is written without a point."""
        import polars as pl

        if cells.dtype.is_float() and bool((cells == cells.round()).fill_null(True).all()):
            cells = cells.cast(pl.Int64, strict=False)
        return self.texts(cells)

    def _codes(self, name: str, cells: Any, reason: str) -> TableColumn:
        spelled = self._spelled(cells)
        present = spelled.drop_nulls()
        column = self._category(name, cells, spelled, present.n_unique())
        column.reason = reason
        return column

    def _category(self, name: str, cells: Any, texts: Any, n_distinct: int) -> TableColumn:
        """Return a column of names: of values that occur again, or of the samples themselves."""
        n_present = len(texts) - texts.null_count()
        if _is_nearly_unique(n_distinct, n_present):
            present = texts.drop_nulls()
            start = present.head(20)
            is_uuid = bool(start.str.contains(UUID).all())
            is_phone = not is_uuid and bool(start.str.contains(PHONE).all())
            every = "all" if n_distinct == n_present else "nearly all"
            what = "UUIDs" if is_uuid else PHONES if is_phone else "names"
            reason = f"{what}, {every} different"
            return TableColumn(name, "identifier", texts, reason=reason, cells=cells)
        joined, remark = _joined(texts, n_distinct)
        note = remark or (nearly_numbers(texts.drop_nulls()) if n_distinct > 2 else "")
        levels = joined.drop_nulls().n_unique() if remark else n_distinct
        reason = counted(levels, "value")
        return TableColumn(name, "nominal", joined, note, reason=reason, cells=cells)

    def _nominal(self, name: str, cells: Any) -> TableColumn:
        import polars as pl

        if cells.dtype.is_nested() or not hasattr(cells.dtype, "is_numeric"):
            cells = pl.Series(cells.name, [None if v is None else str(v) for v in cells.to_list()])
        if str(cells.dtype) == "Boolean":
            return TableColumn(name, "binary", cells.cast(float), reason="true and false")
        texts = self.texts(cells, numbers=cells.dtype.is_numeric())
        numbers = texts.cast(pl.Float64, strict=False)
        is_numbers = numbers.null_count() == texts.null_count() < len(texts)
        if is_numbers and texts.drop_nulls().str.contains(TYPED).all():
            whole = numbers.cast(pl.Int64, strict=False)
            is_whole = bool((whole.cast(pl.Float64) == numbers).fill_null(True).all())
            plain = whole if is_whole else numbers
            return TableColumn(name, "nominal", plain, reason="as requested", cells=cells)
        joined, note = _joined(texts, texts.n_unique())
        return TableColumn(name, "nominal", joined, note, reason="as requested", cells=cells)

    def _numeric(self, name: str, cells: Any) -> TableColumn:
        import polars as pl

        requested = {"reason": "as requested", "cells": cells}
        if str(cells.dtype) == "Boolean":
            return TableColumn(name, "numeric", cells.cast(pl.Float64), **requested)
        if cells.dtype.is_temporal():
            moments = self._moments(name, cells)
            return TableColumn(name, "numeric", moments.data, **requested)
        if cells.dtype.is_numeric():
            numbers, note = self._finite(cells)
            return TableColumn(name, "numeric", numbers.cast(pl.Float64), note, **requested)
        texts = self.texts(cells, numbers=True)
        present = texts.drop_nulls()
        shape = NumberShape.of(present)
        if shape is not None:
            sign = shape.sign(self.decimal, self.delimiter)
            numbers, note = self._finite(shape.read(texts, sign))
            return TableColumn(name, "numeric", numbers, note or shape.words(sign), **requested)
        plain = texts.cast(pl.Float64, strict=False)
        if plain.null_count() == texts.null_count():
            numbers, note = self._finite(plain)
            return TableColumn(name, "numeric", numbers, note, **requested)
        if (truths := _truths(texts)) is not None:
            return TableColumn(name, "numeric", truths[0], **requested)
        hours = hours_of(texts)
        if hours.null_count() == texts.null_count():
            return TableColumn(name, "numeric", hours, "times of day, in hours", **requested)
        self._refuse("numeric", name, texts, lambda each: NumberShape.of(each) is not None)
        raise AssertionError

    def _date(self, name: str, cells: Any) -> TableColumn:
        import polars as pl

        if cells.dtype.is_temporal():
            return self._moments(name, cells)
        if cells.dtype.is_numeric():
            numbers = cells.cast(pl.Float64)
            # Seconds, or thousandths of them, since 1970; YYYYMMDD; or a year.
            scale = 1000 if (numbers.abs().max() or 0) > 1e11 else 1
            texts = self._spelled(cells)
            if column := self._compact_dates(name, cells, texts, surely=True):
                return column
            if (numbers.abs().max() or 0) < 10_000:
                return self._dates(name, cells, texts + "-01-01", DateShape("%Y-%m-%d"))
            days = numbers / (86_400 * scale)
            return TableColumn(name, "date", days, reason="seconds since 1970", cells=cells)
        texts = self.texts(cells, numbers=True)
        present = texts.drop_nulls()
        if len(present) and present.str.contains(WHOLE).all():
            return self._date(name, texts.cast(pl.Int64, strict=False))
        shape = date_shape(present, self.day_first) if len(present) else DateShape("%Y-%m-%d")
        if shape is None:
            self._refuse(
                "dates", name, texts, lambda each: date_shape(each, self.day_first) is not None
            )
            raise AssertionError
        return (
            self._dates(name, cells, texts, shape)
            if len(present)
            else TableColumn(name, "date", texts.cast(pl.Float64), cells=cells)
        )

    def _binary(self, name: str, cells: Any) -> TableColumn:
        import polars as pl

        texts = self._spelled(cells.cast(pl.Int8) if str(cells.dtype) == "Boolean" else cells)
        truths = _truths(texts, both=False)
        if truths is None:
            words = TRUE | FALSE
            self._refuse("yes or no", name, texts, lambda each: each[0].lower() in words)
            raise AssertionError
        return TableColumn(name, "binary", truths[0], reason=truths[1], cells=cells)

    def _text(self, name: str, cells: Any) -> TableColumn:
        if cells.dtype.is_nested():
            joined = [None if v is None else " ".join(map(str, v)) for v in cells.to_list()]
            cells = type(cells)(cells.name, joined)
        import polars as pl

        texts = cells.cast(pl.String)
        cleaned = self.texts(texts)
        kept = pl.select(pl.when(cleaned.is_not_null()).then(texts)).to_series().alias(cells.name)
        words = _mean_words(cleaned.drop_nulls())
        return TableColumn(name, "text", kept, reason=f"{words:.0f} words on average", cells=cells)

    def _identifier(self, name: str, cells: Any) -> TableColumn:
        return TableColumn(name, "identifier", self._spelled(cells), cells=cells)

    def _listed(self, name: str, cells: Any, present: Any) -> TableColumn | None:
        """Return a column of lists that are written as texts, None if they are none."""
        import polars as pl

        try:
            decoded = self.texts(cells).str.json_decode(pl.List(pl.Float64))
        except pl.exceptions.PolarsError:
            return None
        return self._vector(name, decoded)

    def _vector(self, name: str, cells: Any) -> TableColumn:
        import polars as pl

        if isinstance(cells.dtype, pl.Array):
            cells = cells.arr.to_list()
        if not isinstance(cells.dtype, pl.List):
            nothing = pl.Series(name, [None] * len(cells), pl.String)
            return TableColumn(name, "nominal", nothing, "holds structures, which are not compared")
        inner = cells.dtype.inner
        if not inner.is_numeric():
            return self._text(name, cells)
        lengths = cells.drop_nulls().list.len().unique().to_list()
        if len(lengths) != 1 or not lengths[0]:
            note = "holds lists of different lengths, which are not compared"
            return TableColumn(
                name, "nominal", pl.Series(name, [None] * len(cells), pl.String), note
            )
        width = lengths[0]
        values = np.full((len(cells), width), np.nan)
        present = cells.is_not_null().to_numpy()
        flat = cells.drop_nulls().explode().cast(pl.Float64).to_numpy()
        values[present] = flat.reshape(-1, width)
        values[~np.isfinite(values).all(axis=1)] = np.nan
        return TableColumn(name, "vector", values, reason=f"lists of {width:,} numbers")

    def _refuse(self, kind: str, name: str, texts: Any, is_right: Callable[[Any], bool]) -> None:
        rows = (~texts.is_null()).arg_true().to_list()
        sample = next((row for row in rows if not is_right(texts[row : row + 1])), rows[0])
        shown = excerpt(texts[sample])
        problem = f"column {excerpt(name)!r} cannot be {kind}: it holds {shown!r}"
        raise DatasetFileError(self.source, 0, f"{problem} at sample {sample}.")


MAKERS: dict[str, Callable[[Recogniser, str, Any], TableColumn]] = {
    "numeric": Recogniser._numeric,
    "date": Recogniser._date,
    "binary": Recogniser._binary,
    "nominal": Recogniser._nominal,
    "text": Recogniser._text,
    "identifier": Recogniser._identifier,
}


def _plain(cells: Any) -> Any:
    """Return a Series of one of the few types that are told apart here."""
    import polars as pl

    if cells.dtype in (pl.Categorical, pl.Enum):
        return cells.cast(pl.String)
    if cells.dtype == pl.Null:
        return cells.cast(pl.String)
    if cells.dtype == pl.Decimal:
        return cells.cast(pl.Float64)
    if cells.dtype == pl.Object:
        texts = [None if each is None else str(each) for each in cells.to_list()]
        return pl.Series(cells.name, texts, pl.String)
    return cells


def _nulled(cells: Any, where: Any) -> Any:
    """Return cells with null in some places."""
    import polars as pl

    return pl.select(pl.when(~where).then(cells)).to_series().alias(cells.name)


def _infinite_words(count: int) -> str:
    return f"{counted(count, 'infinite value')} {'counts' if count == 1 else 'count'} as missing"


def _is_whole(present: Any) -> bool:
    return bool((present == present.round()).all())


def _has_long_digits(cells: Any) -> bool:
    """Tell whether whole numbers are written with all their digits, unlike 1e308."""
    if cells.dtype.is_integer():
        return True
    return str(cells.dtype) == "String" and bool(
        cells.str.contains(r"^\s*[+-]?[0-9]{16,}\s*$").any()
    )


def _truths(texts: Any, *, both: bool = True) -> tuple[Any, str] | None:
    """Return yes and no, however they are spelled, as 1 and 0; None if there is anything else."""
    levels = texts.drop_nulls().unique(maintain_order=True).to_list()
    lower = {level.lower() for level in levels}
    yes, no = sorted(lower & TRUE), sorted(lower & FALSE)
    if (both and not (yes and no)) or lower - TRUE - FALSE:
        return None
    is_yes = texts.str.to_lowercase().is_in(sorted(TRUE))
    return is_yes.cast(float), f"{listed(yes, 'or')} against {listed(no, 'or')}"


def _mean_words(present: Any) -> float:
    sample = present.head(2000)
    return float(sample.str.count_matches(r"\S+").mean() or 0.0) if len(sample) else 0.0


def _is_text(present: Any, n_distinct: int) -> bool:
    return n_distinct > TEXT_DISTINCT * len(present) and _mean_words(present) >= TEXT_WORDS


def _is_nearly_unique(n_distinct: int, n_present: int) -> bool:
    if n_present < 2:
        return False
    if n_present < FEW:
        return n_distinct == n_present
    return n_distinct >= NEARLY_UNIQUE * n_present


def _counts_rows(present: Any, low: Any, high: Any) -> bool:
    """Tell whether numbers count the rows from 0 or 1."""
    if low not in (0, 1) or high - low != len(present) - 1 or len(present) < FEW:
        return False
    return bool(present.is_sorted()) and present.n_unique() == len(present)


def _key(value: str) -> str:
    """Return what spellings of a value have in common."""
    return " ".join(value.split()).casefold()


def _joined(texts: Any, n_distinct: int) -> tuple[Any, str]:
    """Return values of which spellings that differ in case and blanks only are one, and which."""
    if n_distinct > MOST_JOINED:
        return texts, ""
    present = texts.drop_nulls()
    distinct = present.unique().to_list()
    if len({_key(value) for value in distinct}) == len(distinct):
        return texts, ""
    spellings: dict[str, list[str]] = defaultdict(list)
    counts = present.value_counts().rows()
    for value, _ in sorted(counts, key=lambda row: (-row[1], row[0])):
        spellings[_key(value)].append(value)
    several = {each[0]: each[1:] for each in spellings.values() if len(each) > 1}
    if not several:
        return texts, ""
    replaced = {other: value for value, others in several.items() for other in others}
    shown = [f"{excerpt(other, width=20)!r} as {excerpt(value, width=20)!r}"
             for other, value in list(replaced.items())[:3]]  # fmt: skip
    more = f" and {len(replaced) - 3:,} more" if len(replaced) > 3 else ""
    return texts.replace(replaced), f"read {', '.join(shown)}{more}"
