"""From what people write down to clean arrays."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterable, Mapping, Sequence
from types import EllipsisType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from clustraint.checks import check_index, is_whole
from clustraint.constraints._kinds import KINDS
from clustraint.constraints._links import Links, in_order
from clustraint.constraints._rule import Rule
from clustraint.exceptions import (
    ClustraintError,
    ConstraintShapeError,
    DroppedConstraintWarning,
    InvalidWeightError,
    RepeatedSampleError,
    SampleIndexError,
    UnknownNameError,
)
from clustraint.typing import BoolArray, FloatArray, IntArray
from clustraint.wording import counted

if TYPE_CHECKING:
    from clustraint.constraints._constraints import Constraints


def check_rows(kind: str, rows: ArrayLike | None, n_samples: int) -> IntArray:
    """Return constraints as int64 rows whose symmetric members are in rising order."""
    width = KINDS[kind].width
    if rows is None:
        return np.empty((0, width), np.int64)
    table = _as_table(kind, width, rows)
    outside = (table < 0) | (table >= n_samples)
    if outside.any():
        row, column = np.argwhere(outside)[0]
        raise SampleIndexError(kind, int(row), int(table[row, column]), n_samples)
    return in_order(kind, table.astype(np.int64))


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
        raise InvalidWeightError(
            kind, f"there are {table.size} for {counted(n_rows, 'constraint')}"
        )
    bad = ~(np.isfinite(checked) & (checked > 0))
    if bad.any():
        row = int(np.argmax(bad))
        raise InvalidWeightError(kind, f"that of row {row} is {checked[row]}")
    return checked


def check_links(kind: str, rows: Any, weights: Any, n_samples: int) -> Links:
    """Return the clean rows and weights of one kind."""
    table = check_rows(kind, rows, n_samples)
    links = Links(table, check_weights(kind, weights, len(table)))
    repeats = has_repeats(table)
    if not repeats.any():
        return links
    check_distinct(kind, table)
    row = int(np.argmax(repeats))
    message = f"{kind} row {row} links sample {table[row, 0]} to itself; it says nothing and"
    warnings.warn(
        f"{message} is left out ({counted(int(repeats.sum()), 'such row')}).",
        DroppedConstraintWarning,
        stacklevel=3,
    )
    return links.select(~repeats)


def has_repeats(rows: IntArray) -> BoolArray:
    """Tell which rows name a sample twice."""
    # Column by column: numpy sorts rows of two or three far more slowly.
    equal = [left == right for left, right in itertools.combinations(rows.T, 2)]
    return np.asarray(np.logical_or.reduce(equal))


def check_distinct(kind: str, rows: IntArray) -> None:
    """Raise if a row names a sample twice, unless such a row of that kind merely says nothing."""
    repeats = has_repeats(rows)
    if KINDS[kind].why_distinct and repeats.any():
        row = int(np.argmax(repeats))
        values, counts = np.unique(rows[row], return_counts=True)
        twice = int(values[np.argmax(counts)])
        raise RepeatedSampleError(f"{kind} row {row}", twice, KINDS[kind].why_distinct)


def rows_from_names(
    tables: Mapping[str, Sequence[Sequence[str]] | None], names: Sequence[str]
) -> dict[str, IntArray]:
    """Return rows of names as rows of sample numbers, by kind."""
    numbers = {name: place for place, name in enumerate(names)}
    return {
        kind: np.array(
            [_numbers_of(kind, place, row, numbers) for place, row in enumerate(table or ())],
            np.int64,
        ).reshape(-1, KINDS[kind].width)
        for kind, table in tables.items()
    }


def _numbers_of(kind: str, place: int, row: Any, numbers: Mapping[str, int]) -> list[int]:
    width = KINDS[kind].width
    if isinstance(row, str) or not isinstance(row, Sequence) or len(row) != width:
        raise ConstraintShapeError(kind, width, f"row {place} is {row!r}")
    for name in row:
        if not isinstance(name, str):
            problem = f"row {place} holds {name!r}, which is not a name"
            raise ConstraintShapeError(kind, width, problem)
        if name not in numbers:
            raise UnknownNameError(name, numbers)
    return [numbers[name] for name in row]


def check_rules(rules: Iterable[Rule] | None) -> tuple[Rule, ...]:
    """Return rules in their order, each once."""
    if rules is None:
        return ()
    checked = tuple(rules) if isinstance(rules, Iterable) else (rules,)
    for rule in checked:
        if not isinstance(rules, Iterable) or not isinstance(rule, Rule):
            raise ClustraintError(f"rules must hold Rule objects, but there is {rule!r:.60}.")
    return tuple(dict.fromkeys(checked))


def check_kinds(kinds: str | Iterable[str] | None) -> set[str]:
    """Return names of kinds as a set, all of them for None."""
    if kinds is None:
        return set(KINDS)
    wanted = {kinds} if isinstance(kinds, str) else set(kinds)
    if unknown := wanted - set(KINDS):
        raise ClustraintError(
            f"kinds must be among {', '.join(sorted(KINDS))}, but one is {sorted(unknown)[0]!r}."
        )
    return wanted


def check_same_samples(first: Constraints, second: Constraints) -> tuple[str, ...] | None:
    """Return the names of the samples that two sets of constraints are both about."""
    if first.n_samples != second.n_samples:
        raise ClustraintError(
            "constraints can be joined only if they are about the same samples, but one is "
            f"about {first.n_samples} and the other about {second.n_samples}."
        )
    names = first.names if second.names is None else second.names
    if first.names is not None and first.names != names:
        raise ClustraintError("constraints can be joined only if their names are the same.")
    return names


def chosen_samples(rows: Any, n_samples: int) -> IntArray:
    """Return the sample numbers that a slice, mask or list of numbers chooses, each once.

    A tuple is how numpy indexes several axes: its first part other than an ellipsis counts.
    """
    if isinstance(rows, tuple):
        rows = next((row for row in rows if not isinstance(row, EllipsisType)), slice(None))
    if isinstance(rows, slice):
        return np.arange(n_samples)[rows]
    index = check_index("samples", rows, n_samples)
    if index.dtype.kind == "b":
        return np.flatnonzero(index)
    chosen: IntArray = index % max(n_samples, 1)
    values, counts = np.unique(chosen, return_counts=True)
    if len(values) < len(chosen):
        twice = int(values[np.argmax(counts)])
        raise RepeatedSampleError("the choice", twice, "constraints do not carry over to copies")
    return chosen
