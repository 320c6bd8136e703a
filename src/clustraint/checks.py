"""Checks of arguments that many functions share; each returns the value or says what is wrong."""

from __future__ import annotations

import math
import numbers
import sys
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from clustraint.exceptions import (
    ClustraintError,
    DuplicateNameError,
    HugeDifferenceError,
    InvalidLabelsError,
    InvalidNameError,
    InvalidParameterError,
    TinyDifferenceError,
)
from clustraint.typing import AnyArray, BoolArray, IntArray, RandomState
from clustraint.wording import listed

Array = TypeVar("Array", bound=AnyArray)


def is_whole(value: object) -> bool:
    """Tell whether `value` is an integer, Python's or numpy's, and no truth value.

    Examples
    --------
    >>> is_whole(3), is_whole(3.0), is_whole(True)
    (True, False, False)
    """
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)


def _bounds(least: float, most: float) -> str:
    return f"from {least} up" if most == math.inf else f"from {least} to {most}"


def check_whole_number(name: str, value: Any, *, least: int, most: float = math.inf) -> int:
    """Return a whole number in a range as an int.

    Examples
    --------
    >>> check_whole_number("n_init", 10, least=1)
    10
    """
    if not is_whole(value) or not least <= value <= most:
        raise InvalidParameterError(name, value, f"a whole number {_bounds(least, most)}")
    return int(value)


def check_number(name: str, value: Any, *, least: float, most: float = math.inf) -> float:
    """Return a finite number in a range as a float.

    Examples
    --------
    >>> check_number("tol", 1e-4, least=0)
    0.0001
    """
    is_number = isinstance(value, numbers.Real) and math.isfinite(value)
    if not is_number or not least <= float(value) <= most:
        raise InvalidParameterError(name, value, f"a number {_bounds(least, most)}")
    return float(value)


def check_choice(name: str, value: Any, choices: Iterable[str]) -> str:
    """Return a value that is one of the choices.

    Examples
    --------
    >>> check_choice("init", "random", ("k-means++", "random"))
    'random'
    """
    allowed = list(choices)
    if value not in allowed:
        raise InvalidParameterError(name, value, listed(map(repr, allowed), "or"))
    return str(value)


def check_range(name: str, value: Any, *, least: int) -> tuple[int, int]:
    """Return the bounds that a whole number, or two of them, stand for.

    Examples
    --------
    >>> check_range("depth", 3, least=1), check_range("depth", (2, 4), least=1)
    ((3, 3), (2, 4))
    """
    bounds = (value, value) if is_whole(value) else value
    ordered = isinstance(bounds, tuple | list) and len(bounds) == 2 and all(map(is_whole, bounds))
    if not ordered or not least <= bounds[0] <= bounds[1]:
        wanted = f"a whole number from {least} up, or the least and the most of them"
        raise InvalidParameterError(name, value, wanted)
    return int(bounds[0]), int(bounds[1])


def check_count(name: str, count: Any) -> int:
    """Return a count as an int.

    Examples
    --------
    >>> check_count("n_pairs", 100)
    100
    """
    if not is_whole(count) or not 0 <= count <= sys.maxsize:
        raise ClustraintError(f"{name} must be a whole number from 0, but is {count!r:.60}.")
    return int(count)


def check_names(names: Sequence[str] | None, n_samples: int) -> tuple[str, ...] | None:
    """Return unique names, one for each sample, as a tuple.

    Examples
    --------
    >>> check_names(["dog", "wolf"], 2)
    ('dog', 'wolf')
    """
    if names is None:
        return None
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise InvalidNameError(f"names is {names!r:.60}")
    checked = tuple(names)
    if len(checked) != n_samples:
        raise InvalidNameError(f"there are {len(checked)} names for {n_samples} samples")
    are_plain = {*map(type, checked)} <= {str}
    # Only where something is wrong does it matter which name it is.
    if not are_plain or len({*checked}) < n_samples:
        _check_each_name(checked)
    try:
        "".join(checked).encode()
    except UnicodeEncodeError as error:
        raise InvalidNameError("one has half a surrogate pair, which no file can hold") from error
    return checked if are_plain else tuple(str(name) for name in checked)


def _check_each_name(names: tuple[Any, ...]) -> None:
    places: dict[str, int] = {}
    for place, name in enumerate(names):
        if not isinstance(name, str):
            raise InvalidNameError(f"name {place} is {name!r}; turn it into text first")
        if places.setdefault(name, place) != place:
            raise DuplicateNameError(name, places[name], place)


def check_index(what: str, rows: Any, count: int) -> BoolArray | IntArray:
    """Return a mask of `count` or numbers below it as an array that can choose among them.

    Examples
    --------
    >>> check_index("samples", [True, False], 2), check_index("samples", [1, 0], 2)
    (array([ True, False]), array([1, 0]))
    """
    try:
        index = np.asarray(rows)
    except ValueError:
        index = np.empty((0, 0))
    if index.shape == (0,):
        return np.empty(0, np.int64)
    if index.ndim != 1 or index.dtype.kind not in "iub":
        raise ClustraintError(
            f"{what} are chosen by a slice, a mask or a list of numbers, not by {rows!r:.80}."
        )
    is_mask = index.dtype.kind == "b"
    if (is_mask and len(index) != count) or (not is_mask and _outside(index, count).any()):
        raise ClustraintError(f"{rows!r:.80} does not choose among {count} {what}.")
    return index if is_mask else index.astype(np.int64)


def _outside(numbers: AnyArray, count: int) -> BoolArray:
    return np.asarray((numbers < -count) | (numbers >= count))


def check_differences(X: Any) -> None:
    """Raise if squared differences within columns, summed up, are infinite or vanish.

    Examples
    --------
    >>> check_differences(np.array([[0.0, 1e200], [1.0, 0.0]]))
    Traceback (most recent call last):
    clustraint.exceptions.HugeDifferenceError: X must hold values whose squared differences are
    finite, but those of column 1 (from 0) are not; scale that column.
    """
    highest, lowest = X.max(axis=0), X.min(axis=0)
    if hasattr(X, "toarray"):
        highest, lowest = highest.toarray().ravel(), lowest.toarray().ravel()
    with np.errstate(over="ignore"):
        ranges = highest - lowest
        squares = ranges * ranges
        # Objectives are sums over samples, in which weights may count a few times more.
        total = squares.sum() * X.dtype.type(10 * X.shape[0])
    if not np.isfinite(total):
        raise HugeDifferenceError(int(np.argmax(ranges)))
    numbers = np.finfo(X.dtype)
    # Differences of rounding size are to have a square, too.
    if ranges.max() > 0 and squares.max() < numbers.tiny / numbers.eps:
        raise TinyDifferenceError(float(ranges.max()))


def encode_labels(y: ArrayLike, name: str = "y") -> tuple[IntArray, list[Hashable]]:
    """Return the class of each sample, numbered by first sample, and the classes.

    The number is -1 where the label is -1, None, nan or NA: nobody knows it.

    Examples
    --------
    >>> encode_labels(["b", "a", None, "b"])
    (array([ 0,  1, -1,  0]), ['b', 'a'])
    """
    # A list is taken as it is: numpy would turn nan into the text "nan" beside other texts.
    table = np.asarray(y) if not isinstance(y, list | tuple) else np.empty(len(y))
    if table.ndim != 1:
        shape = table.shape or repr(y)[:60]
        raise InvalidLabelsError(f"{name} must be one label for each sample, but is {shape}.")
    labels = y if isinstance(y, list | tuple) else table.tolist()
    numbers: dict[Hashable, int] = {}
    codes = [
        -1 if _is_unknown(label, name) else numbers.setdefault(label, len(numbers))
        for label in labels
    ]
    return np.array(codes, dtype=np.int64), list(numbers)


def _is_unknown(label: object, name: str) -> bool:
    if not isinstance(label, Hashable):
        raise InvalidLabelsError(
            f"{name} must be one label for each sample, but holds {label!r:.60}."
        )
    try:
        return label is None or bool(label == -1) or bool(label != label)
    except TypeError:  # pandas' NA equals nothing, not even itself, and says so by raising
        return True


def read_only(array: Array) -> Array:
    """Return a read-only view; kernels get the array itself, as they compile anew for each kind.

    Examples
    --------
    >>> read_only(np.arange(3)).flags.writeable
    False
    """
    view = array.view()
    view.flags.writeable = False
    return view


def as_generator(random_state: RandomState) -> np.random.Generator:
    """Return a generator for whatever scikit-learn or numpy take as a source of randomness.

    Examples
    --------
    >>> as_generator(0).integers(10)
    np.int64(8)
    """
    if isinstance(random_state, np.random.Generator):
        return random_state
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31, size=4))
    if random_state is None or (is_whole(random_state) and random_state >= 0):
        return np.random.default_rng(random_state)
    raise ClustraintError(
        "random_state must be None, a whole number from 0 or a generator of numpy's, but is "
        f"{random_state!r:.60}."
    )
