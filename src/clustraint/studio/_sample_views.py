"""Columns and samples, as JSON for the page."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from clustraint.exceptions import StudioRequestError
from clustraint.studio._samples import StudioSamples, Unseen
from clustraint.studio._state import touched
from clustraint.studio._studio import Studio
from clustraint.tables import TableColumn, cell_text
from clustraint.typing import IntArray
from clustraint.wording import counted, number_text, share_text

MOST_BINS = 20
MOST_LEVELS = 12
MOST_NEIGHBOURS = 10
MOST_TELLING = 4
MOST_PAGE = 500


def all_columns(studio: Studio) -> list[TableColumn]:
    """Return all columns, in the order of the file as it was read first."""
    table = studio.table
    return [table.column(column.name) for column in (*studio.base.columns, *studio.base.left_out)]


def columns_view(studio: Studio) -> dict[str, Any]:
    """Return the columns: kind, role, what is odd about them, and how values are spread."""
    roles = tuple(studio.state.settings.roles.items())
    return _columns_view(studio.samples, roles, Unseen(all_columns(studio)))


@lru_cache(maxsize=8)
def _columns_view(samples: StudioSamples, chosen: Any, columns: Unseen) -> dict[str, Any]:
    used = {column.name for column in samples.table.columns}
    views = []
    for index, column in enumerate(columns.value):
        views.append(
            {
                "index": index,
                "name": column.name,
                "kind": column.kind,
                "role": "cluster" if column.name in used else _role(column, dict(chosen)),
                "reason": column.reason,
                "why": column.note,
                "n_missing": column.n_missing,
                "n_distinct": column.n_distinct,
                "oddities": list(_oddities(column)),
                "histogram": _histogram(column),
            }
        )
    return {"columns": views}


def _role(column: TableColumn, roles: Mapping[str, str]) -> str:
    """Return whether a column that nothing is clustered by is shown; by default if it tells."""
    if column.kind == "identifier":
        return "show"
    return roles.get(column.name, "show" if column.n_distinct > 1 else "leave")


def _shown_columns(studio: Studio) -> list[tuple[int, TableColumn, str]]:
    """Return the columns that a person wants to see, each with its place and role."""
    used, roles = {column.name for column in studio.table.columns}, studio.state.settings.roles
    rated = [
        (index, column, "cluster" if column.name in used else _role(column, roles))
        for index, column in enumerate(all_columns(studio))
    ]
    return [each for each in rated if each[2] != "leave"]


def _text(column: TableColumn, row: int) -> str:
    """Return a cell as people read it: a date is a number of days to methods only."""
    if column.kind in ("date", "vector"):
        return column.shown(row)
    return cell_text(column.kind, column.values[row])


def _oddities(column: TableColumn) -> Iterable[str]:
    if column.n_missing:
        verb = "value is" if column.n_missing == 1 else "values are"
        yield f"{column.n_missing:,} {verb} missing"
    if column.kind == "numeric":
        values = column.values[~column.missing]
        if len(values):
            low, high = np.quantile(values, [0.25, 0.75])
            room = 5 * (high - low)
            far = int(((values < low - room) | (values > high + room)).sum()) if room else 0
            if far:
                yield f"{counted(far, 'value')} far from the others"
    if column.note and column.kind == "nominal" and column.note.startswith("would be"):
        yield column.note


def _histogram(column: TableColumn) -> dict[str, Any] | None:
    if column.kind in ("identifier", "vector"):
        return None
    values = column.values[~column.missing]
    if column.kind in ("numeric", "date"):
        if not len(values):
            return None
        bins = min(MOST_BINS, max(1, column.n_distinct))
        counts, edges = np.histogram(values, bins)
        low, high = float(edges[0]), float(edges[-1])
        return {"low": low, "high": high, "counts": counts.tolist(), "ends": _ends(column)}
    levels, sizes = _levels(column)
    return {
        "levels": [cell_text(column.kind, level) for level in levels[:MOST_LEVELS]],
        "counts": sizes[:MOST_LEVELS],
        "others": len(values) - sum(sizes[:MOST_LEVELS]),
    }


def _ends(column: TableColumn) -> list[str]:
    """Return the least and the largest value as people read them."""
    rows = [int(np.nanargmin(column.values)), int(np.nanargmax(column.values))]
    if column.kind == "date":
        return [column.shown(row) for row in rows]
    return [number_text(float(column.values[row])) for row in rows]


def _levels(column: TableColumn) -> tuple[list[Any], list[int]]:
    """Return the values of a column and how often they occur, the most frequent first."""
    values = column.values[~column.missing].tolist()
    counts: dict[Any, int] = {}
    for value in values:
        counts[value] = counts.get(value, 0) + 1
    if column.kind == "binary":
        return [0.0, 1.0], [counts.get(0.0, 0), counts.get(1.0, 0)]
    ordered = sorted(counts, key=lambda value: (-counts[value], str(value)))
    return ordered, [counts[value] for value in ordered]


def column_values(studio: Studio, index: int) -> Any:
    """Return a column as float32, to colour samples by."""
    columns = all_columns(studio)
    if not 0 <= index < len(columns):
        raise StudioRequestError(f"there is no column {index}.")
    column = columns[index]
    if column.kind == "vector":
        raise StudioRequestError(f"column {column.name!r:.60} has several numbers for each sample.")
    if column.values.dtype.kind == "f":
        return column.values.astype(np.float32)
    place = {level: number for number, level in enumerate(_levels(column)[0][:MOST_LEVELS])}
    codes = [math.nan if value is None else place.get(value, -1) for value in column.values]
    return np.array(codes, np.float32)


def sample_view(studio: Studio, row: int, *, brief: bool = False) -> dict[str, Any]:
    """Return a sample: its values, neighbours, and the statements that speak of it."""
    table, names = studio.table, studio.names
    if not 0 <= row < table.n_samples:
        raise StudioRequestError(f"there is no row {row}.")
    labels = None if studio.shown is None else studio.shown.labels
    view = {
        "row": row,
        "name": names.sample(row),
        "cluster": None if labels is None else int(labels[row]),
        "telling": _telling_values(studio, row),
    }
    if brief:
        return view
    view["values"] = [
        {"column": column.name, "index": index, "value": _text(column, row), "role": role}
        for index, column, role in _shown_columns(studio)
    ]
    view["neighbours"] = [
        {
            "row": other,
            "name": names.sample(other),
            "cluster": None if labels is None else int(labels[other]),
            "distance": round(distance, 4),
        }
        for other, distance in studio.samples.neighbours(row, MOST_NEIGHBOURS)
    ]
    view["statements"] = [
        event.seq for event in studio.state.statements if row in touched(event, table)
    ]
    return view


def _telling_values(studio: Studio, row: int) -> list[dict[str, str]]:
    """Return the values in which a sample is furthest from the others."""
    rated = []
    for column in studio.table.columns:
        if not column.missing[row] and column.kind not in ("text", "vector"):
            rated.append((*_oddness(column, column.values[row]), column))
    rated.sort(key=lambda each: -each[0])
    return [
        {"column": column.name, "value": _text(column, row), "overall": overall}
        for _, overall, column in rated[:MOST_TELLING]
    ]


def _oddness(column: TableColumn, value: Any) -> tuple[float, str]:
    """Return how far a value is from the usual ones, and what these are."""
    mean, spread, counts = _usual(_Identity(column))
    if column.kind == "numeric":
        return abs(value - mean) / spread if spread else 0.0, number_text(mean)
    share = counts.get(value, 0) / max(1, len(column.values))
    return 2 * (1 - share), share_text(share)


class _Identity:
    """A column that a cache can take: the same only if it is the same object."""

    def __init__(self, column: TableColumn) -> None:
        self.column = column

    def __hash__(self) -> int:
        return id(self.column)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Identity) and other.column is self.column


@lru_cache(maxsize=2_000)
def _usual(identity: _Identity) -> tuple[float, float, dict[Any, int]]:
    column = identity.column
    if column.kind == "numeric":
        present = column.values[~column.missing]
        return float(present.mean()), float(present.std()), {}
    levels, counts = _levels(column)
    return 0.0, 1.0, dict(zip(levels, counts, strict=True))


def samples_view(studio: Studio, arguments: dict[str, str]) -> dict[str, Any]:
    """Return a page of the table, sorted and searched."""
    names = studio.names
    columns = [column for _, column, _ in _shown_columns(studio)]
    labels = None if studio.shown is None else studio.shown.labels
    query = arguments.get("query", "").strip().casefold()
    rows = _searched(studio, columns, query)
    if arguments.get("rows"):
        wanted = [_whole(part, "rows") for part in arguments["rows"].split(",")]
        rows = np.intersect1d(rows, wanted)
    if arguments.get("cluster", "") != "" and labels is not None:
        rows = rows[labels[rows] == _whole(arguments["cluster"], "cluster")]
    keys = _sort_keys(studio, arguments.get("sort") or "row", rows)
    order = sorted(range(len(rows)), key=keys.__getitem__)
    if arguments.get("descending") == "1":
        order.reverse()
    first = max(0, _whole(arguments.get("from") or "0", "from"))
    count = min(MOST_PAGE, _whole(arguments.get("count") or "50", "count"))
    return {
        "total": len(rows),
        "from": first,
        "columns": [column.name for column in columns],
        "rows": [
            {
                "row": row,
                "name": names.sample(row),
                "cluster": None if labels is None else int(labels[row]),
                "values": [_text(each, row) for each in columns],
                "match": _match(columns, row, names.sample(row), query),
            }
            for row in rows[order[first : first + count]].tolist()
        ],
    }


def _searched(studio: Studio, columns: Sequence[TableColumn], query: str) -> IntArray:
    """Return the rows with a text in their name or in one of their values."""
    if not query:
        return np.arange(studio.table.n_samples)
    roles = tuple(studio.state.settings.roles.items())
    texts = _texts(studio.samples, roles, Unseen(columns))
    return np.array([row for row, text in enumerate(texts) if query in text], np.int64)


# Every key that is pressed in a search field asks again: a row is written out once.
@lru_cache(maxsize=2)
def _texts(samples: StudioSamples, roles: Any, columns: Unseen) -> list[str]:
    cells = [
        [_text(column, row) for row in range(samples.table.n_samples)] for column in columns.value
    ]
    return ["\n".join(parts).casefold() for parts in zip(samples.table.ids, *cells, strict=True)]


def _match(
    columns: Sequence[TableColumn], row: int, name: str, query: str
) -> dict[str, str] | None:
    """Return the value in which a search was successful; None if the name tells already."""
    if not query or query in name.casefold():
        return None
    texts = ((column.name, _text(column, row)) for column in columns)
    return next(({"column": c, "value": t} for c, t in texts if query in t.casefold()), None)


def _sort_keys(studio: Studio, by: str, rows: IntArray) -> Any:
    if by == "row":
        return rows.tolist()
    if by == "cluster":
        shown = studio.shown
        return [0] * len(rows) if shown is None else shown.labels[rows].tolist()
    if by == "name":
        ids = studio.table.ids
        return [ids[row].casefold() for row in rows.tolist()]
    columns = all_columns(studio)
    index = _whole(by, "sort")
    if not 0 <= index < len(columns):
        raise StudioRequestError(f"there is no column {index} to sort by.")
    values = columns[index].values[rows].tolist()
    # Missing values come last, texts after numbers.
    return [
        (2, 0.0, "")
        if value is None or value != value
        else (0, float(value), "")
        if isinstance(value, int | float)
        else (1, 0.0, str(value).casefold())
        for value in values
    ]


def _whole(text: str, what: str) -> int:
    try:
        return int(text[:20])
    except ValueError:
        raise StudioRequestError(f"{what} must be a whole number, but is {text!r:.60}.") from None


def plane_of_columns(studio: Studio, x: str, y: str) -> tuple[Any, str]:
    """Return the samples by two columns, given by their places."""
    columns = all_columns(studio)
    used = {column.name for column in studio.table.columns}
    places = [_whole(each, "x and y") for each in (x, y)]
    if not all(0 <= place < len(columns) for place in places):
        raise StudioRequestError("there is no such column.")
    names = (columns[places[0]].name, columns[places[1]].name)
    if not {*names} <= used:
        raise StudioRequestError("the plane shows columns to cluster by only.")
    return studio.samples.plane_of(names)
