"""Where an atom is true of a column, and what keeps that from being said."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clustraint.constraints.atoms import NUMBER, UNORDERED, Atom, spell_name
from clustraint.tables import Column
from clustraint.typing import BoolArray
from clustraint.wording import excerpt

__all__ = ["CONNECTIVES", "Truth", "problem_of", "truth_of"]

_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class Truth(NamedTuple):
    """What is known of a formula for each sample; neither is true where it is unknown."""

    is_true: BoolArray
    is_false: BoolArray


CONNECTIVES: dict[str, Callable[[Truth, Truth], Truth]] = {
    "&": lambda a, b: Truth(a.is_true & b.is_true, a.is_false | b.is_false),
    "|": lambda a, b: Truth(a.is_true | b.is_true, a.is_false & b.is_false),
}


def truth_of(atom: Atom, column: Column) -> Truth:
    """Return where an atom is true and where it is false, given that no problem keeps it from that.

    Examples
    --------
    >>> truth_of(Atom("legs", ">", 3), Column("legs", np.array([4, np.nan, 2])))
    Truth(is_true=array([ True, False, False]), is_false=array([False, False,  True]))
    """
    if atom.asks_for_missing:
        answers = Truth(column.missing, ~column.missing)
        return answers if atom.comparison == "==" else Truth(*answers[::-1])
    if column.kind == "nothing":
        return Truth(np.zeros_like(column.missing), np.zeros_like(column.missing))
    holds = _holds(atom, column.values)
    if len(holds) == len(column.missing):
        return Truth(holds, ~holds)
    present = ~column.missing
    truth = Truth(np.zeros_like(present), np.zeros_like(present))
    truth.is_true[present] = holds
    truth.is_false[present] = ~holds
    return truth


def _holds(atom: Atom, values: NDArray[Any]) -> BoolArray:
    if atom.value is None:
        answers = values == 1
    elif isinstance(atom.value, str):
        # Left to itself, numpy takes the null characters off the end of a text.
        answers = _COMPARISONS[atom.comparison](values, np.array(atom.value, dtype=object))
    else:
        number: Any = atom.value
        answers = _COMPARISONS[atom.comparison](_order(values, number), 0)
    return np.asarray(answers, dtype=np.bool_)


def _order(values: NDArray[Any], number: int | float) -> NDArray[np.int8]:
    """Return -1, 0 or 1 where a value is below, at or above the number."""
    if values.dtype.kind == "b":
        values = values.astype(np.uint8)
    below, above = _BOUNDS[values.dtype.kind](values.dtype, number)
    return np.asarray(values > below, np.int8) - np.asarray(values < above, np.int8)


def _integer_bounds(dtype: np.dtype[Any], number: int | float) -> tuple[Any, Any]:
    return math.floor(number), math.ceil(number)


def _float_bounds(dtype: np.dtype[Any], number: int | float) -> tuple[Any, Any]:
    with np.errstate(over="ignore"):
        nearest = dtype.type(number)
    # A decimal means the value that the column would hold for it: 0.1 is no float32.
    if isinstance(number, float) and np.isfinite(nearest):
        return nearest, nearest
    below = nearest if float(nearest) <= number else np.nextafter(nearest, dtype.type(-np.inf))
    above = nearest if float(nearest) >= number else np.nextafter(nearest, dtype.type(np.inf))
    return below, above


def _object_bounds(dtype: np.dtype[Any], number: int | float) -> tuple[Any, Any]:
    return number, number


# The values of the type that are nearest to a number, on either side, so that comparing with
# them instead is exact: numpy would round 2**53 + 1 to a float.
_BOUNDS: dict[str, Callable[[np.dtype[Any], int | float], tuple[Any, Any]]] = {
    "i": _integer_bounds,
    "u": _integer_bounds,
    "f": _float_bounds,
    "O": _object_bounds,
}


def problem_of(atom: Atom, column: Column) -> str | None:
    """Say what keeps the atom from being answered by the column, and the way out."""
    if atom.asks_for_missing:
        return None
    if column.kind == "mixed":
        shown = " and ".join(_show(value) for value in _one_of_each_kind(column.values))
        return f"mixes numbers and text ({shown}); make all of its values the one or the other"
    if column.kind == "other":
        shown = _show(column.values[0])
        return f"holds {shown}; formulas know numbers, truth values and text only"
    if atom.value is None:
        return _problem_of_bare_name(atom, column)
    if isinstance(atom.value, str):
        return _problem_of_text(atom, atom.value, column)
    return _problem_of_number(atom, column)


def _problem_of_bare_name(atom: Atom, column: Column) -> str | None:
    if column.kind == "number":
        strange = column.values[~((column.values == 0) | (column.values == 1))]
    else:
        strange = column.values
    if not len(strange):
        return None
    way_out = excerpt(Atom(atom.name, "==", _plain(strange[0])).text)
    return f"holds {_show(strange[0])}, not only 0 and 1; compare it: {way_out}"


def _problem_of_text(atom: Atom, value: str, column: Column) -> str | None:
    if column.kind == "number" and isinstance(_plain(column.values[0]), bool):
        name = excerpt(spell_name(atom.name))
        return f"holds truth values; write {name} for true and not {name} for false"
    if column.kind == "number":
        return f"holds numbers, such as {_show(column.values[0])}; {_number_hint(atom, value)}"
    if atom.comparison not in UNORDERED:
        way_out = excerpt(atom._replace(comparison="==").text)
        return f"has no order; compare it by is or is not: {way_out}"
    return None


def _number_hint(atom: Atom, value: str) -> str:
    if not re.fullmatch(NUMBER, value):
        return "compare it with a number"
    number = atom._replace(value=float(value))
    return f"leave out the quotes: {excerpt(number.text)}"


def _problem_of_number(atom: Atom, column: Column) -> str | None:
    if column.kind != "text":
        return None
    quoted = atom._replace(value=str(atom.value))
    if atom.comparison in UNORDERED:
        return f"holds text; quote the value: {excerpt(quoted.text)}"
    way_out = excerpt(quoted._replace(comparison="==").text)
    return f"holds text, which has no order; compare it by is or is not: {way_out}"


def _one_of_each_kind(values: NDArray[Any]) -> Iterator[Any]:
    yield next(value for value in values if not isinstance(value, str))
    yield next(value for value in values if isinstance(value, str))


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _show(value: Any) -> str:
    return excerpt(repr(_plain(value)))
