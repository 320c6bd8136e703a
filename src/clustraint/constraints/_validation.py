"""From what people write down to clean arrays."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from clustraint.checks import check_index, is_whole
from clustraint.constraints._links import WIDTHS, Links, in_order
from clustraint.exceptions import (
    ConstraintShapeError,
    DroppedConstraintWarning,
    InvalidWeightError,
    RepeatedSampleError,
    SampleIndexError,
    UnknownNameError,
)
from clustraint.typing import FloatArray, IntArray


def check_rows(kind: str, rows: ArrayLike | None, n_samples: int) -> IntArray:
    """Return constraints as int64 rows whose symmetric members are in rising order."""
    width = WIDTHS[kind]
    if rows is None:
        return np.empty((0, width), np.int64)
    table = _as_table(kind, width, rows)
    outside = (table < 0) | (table >= n_samples)
    if outside.any():
        row, column = np.argwhere(outside)[0]
        raise SampleIndexError(kind, int(row), int(table[row, column]), n_samples)
    return in_order(table.astype(np.int64))


def _as_table(kind: str, width: int, rows: ArrayLike) -> NDArray[Any]:
    try:
        table = np.asarray(rows)
    except (ValueError, OverflowError):
        raise ConstraintShapeError(kind, width, "the rows are not equally long") from None
    if table.shape in {(0,), (0, width)}:
        return np.empty((0, width), np.int64)
    if _holds_truth_values(rows):
        raise ConstraintShapeError(kind, width, _not_integers(np.empty(0, bool)))
    if table.size and table.dtype.kind not in "iu":
        huge = _huge_integers(rows)
        if huge is None:
            raise ConstraintShapeError(kind, width, _not_integers(table))
        table = huge
    if table.ndim != 2 or table.shape[1] != width or table.size == 0:
        raise ConstraintShapeError(kind, width, f"the shape is {table.shape}")
    return table


def _holds_truth_values(rows: ArrayLike) -> bool:
    """Tell whether lists hold a truth value, which numpy takes for an integer beside others."""
    if not isinstance(rows, list | tuple):
        return False
    tables = (row for row in rows if isinstance(row, list | tuple))
    return any(isinstance(value, bool | np.bool_) for row in tables for value in row)


def _huge_integers(rows: ArrayLike) -> NDArray[Any] | None:
    """Return rows of integers that numpy takes for decimals or objects because of their size."""
    table = None if isinstance(rows, np.ndarray) else np.asarray(rows, dtype=object)
    return table if table is not None and all(map(is_whole, table.flat)) else None


def _not_integers(table: NDArray[Any]) -> str:
    names = {"b": "truth values", "f": "decimal numbers", "U": "texts", "S": "bytes"}
    got = names.get(table.dtype.kind, f"values of type {table.dtype}")
    hint = "; use Constraints.from_names for names" if table.dtype.kind in "UO" else ""
    return f"these are {got}{hint}"


def check_weights(kind: str, weights: ArrayLike | None, n_rows: int) -> FloatArray:
    """Return one weight for each row, all 1 where none are given."""
    if weights is None:
        return np.ones(n_rows)
    try:
        table = np.asarray(weights)
    except ValueError:
        raise InvalidWeightError(kind, "they are not one row of numbers") from None
    if table.size and table.dtype.kind not in "iuf":
        raise InvalidWeightError(kind, f"they are of type {table.dtype}")
    checked = table.astype(np.float64)
    if checked.shape != (n_rows,):
        raise InvalidWeightError(kind, f"there are {table.size} for {n_rows} constraints")
    bad = ~(np.isfinite(checked) & (checked > 0))
    if bad.any():
        row = int(np.argmax(bad))
        raise InvalidWeightError(kind, f"that of row {row} is {checked[row]}")
    return checked


def check_links(kind: str, rows: Any, weights: Any, n_samples: int) -> Links:
    """Return the clean rows and weights of one kind."""
    table = check_rows(kind, rows, n_samples)
    links = Links(table, check_weights(kind, weights, len(table)))
    same = table[:, 0] == table[:, 1]
    if kind == "triplets":
        same |= (table[:, 0] == table[:, 2]) | (table[:, 1] == table[:, 2])
    if not same.any():
        return links
    row = int(np.argmax(same))
    if kind != "must_link":
        raise RepeatedSampleError(f"{kind} row {row}", repeated(table[row]), WHY_DISTINCT[kind])
    message = f"must_link row {row} links sample {table[row, 0]} to itself; it says nothing and"
    warnings.warn(
        f"{message} is left out ({same.sum()} such rows).", DroppedConstraintWarning, stacklevel=3
    )
    return links.select(~same)


WHY_DISTINCT = {
    "cannot_link": "no sample can be apart from itself",
    "triplets": "a triplet compares three different samples",
}


def repeated(row: IntArray) -> int:
    """Return the member that a row holds twice."""
    values, counts = np.unique(row, return_counts=True)
    return int(values[np.argmax(counts)])


def rows_from_names(
    kind: str, rows: Sequence[Sequence[str]] | None, names: Sequence[str]
) -> IntArray:
    """Return rows of names as rows of sample numbers."""
    width = WIDTHS[kind]
    if rows is None:
        return np.empty((0, width), np.int64)
    number = {name: place for place, name in enumerate(names)}
    table = np.empty((len(rows), width), np.int64)
    for i, row in enumerate(rows):
        if isinstance(row, str) or not isinstance(row, Sequence) or len(row) != width:
            raise ConstraintShapeError(kind, width, f"row {i} is {row!r}")
        for j, name in enumerate(row):
            if not isinstance(name, str):
                raise ConstraintShapeError(kind, width, f"row {i} holds {name!r}, no name")
            if name not in number:
                raise UnknownNameError(name, names)
            table[i, j] = number[name]
    return table


def chosen_samples(rows: Any, n_samples: int) -> IntArray:
    """Return the sample numbers that a slice, mask or list of numbers chooses, each once."""
    index = rows if isinstance(rows, slice) else check_index("samples", rows, n_samples)
    chosen = np.arange(n_samples)[index]
    values, counts = np.unique(chosen, return_counts=True)
    if len(values) < len(chosen):
        twice = int(values[np.argmax(counts)])
        raise RepeatedSampleError("the choice", twice, "constraints do not carry over to copies")
    return chosen
