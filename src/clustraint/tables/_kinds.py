"""What the columns of a table are: numbers, truth values, names of values, texts, identifiers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clustraint.exceptions import DatasetFileError, UnknownColumnError
from clustraint.tables._sample_table import Kind, SampleTable, TableColumn
from clustraint.typing import FloatArray
from clustraint.wording import excerpt

Cells = Sequence[Any]

MISSING = frozenset(("", "?", "NA", "nan", "NaN", "NAN"))
TRUTH = {"yes": 1.0, "no": 0.0, "true": 1.0, "false": 0.0}
TRUTHS = ({"yes", "no"}, {"true", "false"})
# Ways to write two truth values and what is missing.
MOST_SPELLINGS = 20
DECIMAL_COMMA = re.compile(r"\s*[+-]?\d+(,\d+)?\s*")
WHOLE = re.compile(r"\s*[+-]?\d+\s*")
# From here on neighbouring whole numbers are one float.
LARGEST_WHOLE = 2.0**53
# A text has so many words on average, and so large a share of different values.
TEXT_WORDS = 5.0
TEXT_DISTINCT = 0.5
# A column with so large a share of numbers was probably meant to hold nothing else.
NEARLY_NUMBERS = 0.8


class RawTable(NamedTuple):
    """What a file holds, before anything is recognised.

    Attributes
    ----------
    names : list of str
        The names of the columns.
    columns : list of sequences
        Their cells: texts, numbers, truth values, None.
    kinds : mapping of str to str
        The kinds of columns that the file itself declares.
    decimal_comma : bool
        Whether numbers may be written with a comma.
    notes : tuple of str
        What was decided in reading.

    Examples
    --------
    >>> RawTable(["id", "legs"], [["dog", "hen"], ["4", "2"]]).decimal_comma
    False
    """

    names: list[str]
    columns: list[Cells]
    kinds: Mapping[str, Kind] = {}
    decimal_comma: bool = False
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class ColumnChoices:
    """What the user wants of the columns."""

    id_column: str | None
    drop: tuple[str, ...]
    kinds: Mapping[str, Kind]

    @classmethod
    def of(
        cls,
        source: str,
        names: Collection[str],
        id_column: str | None,
        drop: Sequence[str],
        **kinds: Sequence[str],
    ) -> ColumnChoices:
        """Check that all columns named are there, each for one purpose."""
        kinds = {kind: _as_names(chosen) for kind, chosen in kinds.items()}
        drop = _as_names(drop)
        purposes = {"id": () if id_column is None else (id_column,), "drop": drop, **kinds}
        seen: dict[str, str] = {}
        for purpose, chosen in purposes.items():
            for name in chosen:
                if name not in names:
                    raise UnknownColumnError(name, names, source)
                if seen.setdefault(name, purpose) != purpose:
                    problem = f"column {excerpt(name)!r} is named as {seen[name]} and as {purpose}"
                    raise DatasetFileError(source, 0, f"{problem}; name it once.")
        named: Any = {name: kind for kind, chosen in kinds.items() for name in chosen}
        return cls(id_column, tuple(drop), named)


def _as_names(names: Sequence[str]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


def recognised(raw: RawTable, choices: ColumnChoices, source: str) -> SampleTable:
    """Return the table of what was read, each column as what it is or is chosen to be."""
    n_samples = len(raw.columns[0])
    columns, left_out = [], []
    names: tuple[str, ...] | None = None
    for name, cells in zip(raw.names, raw.columns, strict=True):
        if name == choices.id_column:
            names = _ids(source, name, cells)
            left_out.append(_identifier(name, names))
            continue
        if name in choices.drop:
            left_out.append(replace(_lenient(name, cells, raw), note="dropped as requested"))
            continue
        chosen = choices.kinds.get(name)
        column = _column(source, name, cells, raw, chosen or raw.kinds.get(name))
        seeks_id = names is None and choices.id_column is None and chosen is None
        if seeks_id and column.kind == "nominal" and _is_distinct(column):
            names = _ids(source, name, cells)
            left_out.append(_identifier(name, names))
        elif chosen is None and (reason := _uninformative(column)):
            left_out.append(replace(column, note=reason))
        else:
            columns.append(column)
    if not columns:
        raise DatasetFileError(source, 0, _nothing_left(left_out))
    return SampleTable(source, tuple(columns), tuple(left_out), names, n_samples, raw.notes)


def _nothing_left(left_out: Sequence[TableColumn]) -> str:
    reasons = "; ".join(f"{column.name!r} {column.note}" for column in left_out[:5])
    return f"has no column to cluster by: {reasons}{'; …' if len(left_out) > 5 else ''}."


def _identifier(name: str, names: tuple[str, ...]) -> TableColumn:
    return TableColumn(name, "identifier", _objects(names), "names the samples")


def _is_distinct(column: TableColumn) -> bool:
    return len(column.values) > 1 and column.n_distinct == len(column.values)


def _uninformative(column: TableColumn) -> str:
    """Return why a column says nothing about the samples, "" if it does say something."""
    n_distinct = column.n_distinct
    if n_distinct == 0:
        return "has no values"
    if len(column.values) > 1 and n_distinct == 1 and not column.n_missing:
        return f"is always {excerpt(str(column.values[0]), width=30)!r}"
    if column.kind == "nominal" and _is_distinct(column):
        return "has a different value for each sample"
    return ""


def _ids(source: str, name: str, cells: Cells) -> tuple[str, ...]:
    """Return the names of the samples as the file spells them."""
    names = tuple(spelled(cell) for cell in cells)
    first: dict[str, int] = {}
    for sample, each in enumerate(names):
        if each in MISSING:
            problem = f"the id column {excerpt(name)!r} has no value for sample {sample}"
            raise DatasetFileError(source, 0, f"{problem}; fill it in, or take another column.")
        if first.setdefault(each, sample) != sample:
            problem = f"the id column {excerpt(name)!r} calls samples {first[each]} and {sample}"
            way_out = "ids must be unique: take another column, or none to use row numbers."
            raise DatasetFileError(source, 0, f"{problem} both {excerpt(each)!r}; {way_out}")
    return names


def spelled(cell: Any) -> str:
    """Return a cell as the text that names a value."""
    if cell is None:
        return ""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell).strip()


def _lenient(name: str, cells: Cells, raw: RawTable) -> TableColumn:
    """Return a column that nobody computes with, whatever it holds."""
    numbers = _numbers(cells, raw.decimal_comma)
    if numbers is not None and np.isfinite(numbers).any():
        return TableColumn(name, "numeric", numbers)
    return _nominal("", name, cells, raw)


def _column(source: str, name: str, cells: Cells, raw: RawTable, kind: Kind | None) -> TableColumn:
    if kind is not None:
        return MAKERS[kind](source, name, cells, raw)
    truths = _truths(cells)
    if truths is not None:
        return TableColumn(name, "binary", truths)
    numbers = _numbers(cells, raw.decimal_comma)
    if numbers is not None:
        return _numeric(source, name, cells, raw, numbers)
    if _is_text(cells):
        return _text(source, name, cells, raw)
    return _nominal(source, name, cells, raw)


def _numbers(cells: Cells, decimal_comma: bool) -> FloatArray | None:
    """Return cells as numbers, nan where one is missing, or None if one is not a number."""
    try:
        numbers = np.fromiter(map(float, cells), np.float64, len(cells))
    except (ValueError, TypeError):
        try:
            converted = (_number(cell, decimal_comma) for cell in cells)
            numbers = np.fromiter(converted, np.float64, len(cells))
        except ValueError:
            return None
        except OverflowError:
            numbers = np.array([np.inf])
    except OverflowError:  # a whole number of more than 308 digits that is no text
        numbers = np.array([np.inf])
    return None if _has_underscores(cells) else numbers


def _has_underscores(cells: Cells) -> bool:
    """Tell whether a number is written as 1_000, which Python reads and files do not mean."""
    try:
        return "_" in "".join(cells)
    except TypeError:
        return any(isinstance(cell, str) and "_" in cell for cell in cells)


def _number(cell: Any, decimal_comma: bool) -> float:
    if cell is None:
        return np.nan
    if not isinstance(cell, str):
        return float(cell)
    if cell.strip() in MISSING:
        return np.nan
    if decimal_comma and DECIMAL_COMMA.fullmatch(cell):
        return float(cell.replace(",", "."))
    return float(cell)


def _truths(cells: Cells) -> FloatArray | None:
    """Return yes and no, or true and false, as 1 and 0; None if the cells hold anything else."""
    if len({*cells[:1000]}) > MOST_SPELLINGS:
        return None
    distinct = set(cells)
    if all(isinstance(cell, bool) or cell is None for cell in distinct):
        return np.array([np.nan if cell is None else float(cell) for cell in cells])
    if len(distinct) > MOST_SPELLINGS or not all(
        isinstance(cell, str) or cell is None for cell in distinct
    ):
        return None
    spellings = {cell: (cell or "").strip().lower() for cell in distinct}
    present = {text for cell, text in spellings.items() if (cell or "").strip() not in MISSING}
    if not present or not any(present <= truths for truths in TRUTHS):
        return None
    return np.array([TRUTH.get(spellings[cell], np.nan) for cell in cells])


def _is_text(cells: Cells) -> bool:
    present = [cell for cell in cells if isinstance(cell, str) and cell.strip() not in MISSING]
    if len(set(present)) <= TEXT_DISTINCT * len(present):
        return False
    return sum(len(cell.split()) for cell in present) >= TEXT_WORDS * len(present)


def _numeric(
    source: str, name: str, cells: Cells, raw: RawTable, recognised: FloatArray | None = None
) -> TableColumn:
    """Return a numeric column, or a binary one if its numbers were recognised and are 0 and 1."""
    numbers = _numbers(cells, raw.decimal_comma) if recognised is None else recognised
    if numbers is None:
        numbers = _truths(cells)
    if numbers is None:
        sample, cell = next(
            (i, cell) for i, cell in enumerate(cells) if _numbers([cell], raw.decimal_comma) is None
        )
        problem = f"column {excerpt(name)!r} cannot be numeric: it holds {excerpt(spelled(cell))!r}"
        raise DatasetFileError(source, 0, f"{problem} at sample {sample}.")
    _refuse_huge(source, name, cells, numbers)
    present = numbers[~np.isnan(numbers)]
    is_binary = recognised is not None and len(present) and np.isin(present, (0.0, 1.0)).all()
    return TableColumn(name, "binary" if is_binary else "numeric", numbers)


def _refuse_huge(source: str, name: str, cells: Cells, numbers: FloatArray) -> None:
    """Raise where a number cannot be held, or a whole number not exactly."""
    if np.isinf(numbers).any():
        shown = next(spelled(cell) for cell in cells if _is_infinite(cell))
        problem = (
            f"column {excerpt(name)!r} holds {excerpt(shown, width=30)!r}, which is not a finite"
        )
        way_out = "correct it, or leave the column out."
        raise DatasetFileError(source, 0, f"{problem} number that can be computed with; {way_out}")
    for sample in np.flatnonzero(np.abs(numbers) >= LARGEST_WHOLE).tolist():
        if isinstance(cells[sample], int) or WHOLE.fullmatch(str(cells[sample])):
            shown = excerpt(spelled(cells[sample]), width=30)
            problem = f"column {excerpt(name)!r} holds {shown}, a whole number too large to be"
            way_out = "drop the column, take it as the id, or declare it nominal."
            raise DatasetFileError(source, 0, f"{problem} computed with exactly; {way_out}")


def _is_infinite(cell: Any) -> bool:
    try:
        return bool(np.isinf(float(cell)))
    except OverflowError:
        return True
    except (TypeError, ValueError):
        return False


def _nominal(source: str, name: str, cells: Cells, raw: RawTable) -> TableColumn:
    numbers = _numbers(cells, raw.decimal_comma)
    if numbers is not None and (np.abs(numbers[~np.isnan(numbers)]) < LARGEST_WHOLE).all():
        plain = [None if np.isnan(each) else _plain(each) for each in numbers.tolist()]
        return TableColumn(name, "nominal", _objects(plain))
    texts: dict[Any, str | None] = {
        cell: None if spelled(cell) in MISSING else spelled(cell) for cell in set(cells)
    }
    note = _nearly_numbers(cells, raw.decimal_comma)
    return TableColumn(name, "nominal", _objects([texts[cell] for cell in cells]), note)


def _nearly_numbers(cells: Cells, decimal_comma: bool) -> str:
    """Return a warning of a column that some cells keep from being numeric."""
    room = (1 - NEARLY_NUMBERS) * len(cells)
    first = None
    for cell, count in Counter(cells).items():
        if _numbers([cell], decimal_comma) is None:
            first = cell if first is None else first
            room -= count
            if room < 0:
                return ""
    return f"would be numeric but for {excerpt(spelled(first), width=30)!r}"


def _plain(number: float) -> int | float:
    return int(number) if number.is_integer() else number


def _text(source: str, name: str, cells: Cells, raw: RawTable) -> TableColumn:
    texts = [None if spelled(cell) in MISSING else str(cell) for cell in cells]
    return TableColumn(name, "text", _objects(texts))


def _objects(values: Sequence[Any]) -> NDArray[Any]:
    held = np.empty(len(values), object)
    held[:] = values
    return held


MAKERS: dict[str, Callable[[str, str, Cells, RawTable], TableColumn]] = {
    "numeric": _numeric,
    "nominal": _nominal,
    "text": _text,
}
