"""What a description asks of a single column, as data, as text and as a formula."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from clustraint.constraints.atoms import Atom, spell_name
from clustraint.typing import BoolArray, FloatArray

# Of more values, a set is printed short.
MOST_VALUES = 10


@dataclass(frozen=True)
class NumericCondition:
    """What a description asks of a numeric column: ``lower < x <= upper``.

    Attributes
    ----------
    feature : int
        The place of the column.
    name : str
        Its name.
    lower, upper : float
        The bounds, infinite where there are none; an upper bound of minus infinity leaves missing
        values only.
    missing : bool
        Whether a missing value will do, too.

    Examples
    --------
    >>> condition = NumericCondition(0, "body size", 1.5, 4.0, missing=False)
    >>> print(condition)
    1.5 < "body size" <= 4
    >>> condition.formula
    '1.5 < "body size" <= 4'
    """

    feature: int
    name: str
    lower: float = -math.inf
    upper: float = math.inf
    missing: bool = False

    def holds(self, values: FloatArray) -> BoolArray:
        """Return for which values of the column the condition holds.

        Examples
        --------
        >>> NumericCondition(0, "x", lower=3).holds(np.array([3, 4, np.nan]))
        array([False,  True, False])
        """
        inside = (values > self.lower) & (values <= self.upper)
        return inside | np.isnan(values) if self.missing else inside

    @property
    def alternatives(self) -> list[str]:
        """Formulas without parentheses, of which one must hold."""
        return self._alternatives(*map(_exact_bound, (self.lower, self.upper)))

    def _alternatives(self, lower: ConditionBound, upper: ConditionBound) -> list[str]:
        atoms = [] if self.upper == -math.inf else [self._within(lower, upper)]
        return [atom.text for atom in (*atoms, *[Atom(self.name, "==")] * self.missing)]

    def _within(self, lower: ConditionBound, upper: ConditionBound) -> Atom:
        above = "<=" if lower.is_next else "<"
        below = "<" if upper.is_next else "<="
        if self.lower > -math.inf and self.upper < math.inf:
            return Atom(self.name, f"{above} {below}", (lower.number, upper.number))
        if self.lower > -math.inf:
            return Atom(self.name, ">=" if lower.is_next else ">", lower.number)
        return (
            Atom(self.name, below, upper.number) if self.upper < math.inf else Atom(self.name, "!=")
        )

    @property
    def formula(self) -> str:
        """The condition as a formula that `Rule` reads."""
        return " or ".join(self.alternatives)

    def __str__(self) -> str:
        bounds = (ConditionBound(shown_number(each), False) for each in (self.lower, self.upper))
        return " or ".join(self._alternatives(*bounds))


@dataclass(frozen=True)
class NominalCondition:
    """What a description asks of a nominal column: to be, or not to be, one of some values.

    Attributes
    ----------
    feature : int
        The place of the column.
    name : str
        Its name.
    values, excluded : tuple
        Of the values that `fit` saw, those that will do and those that will not.
    codes : tuple of int
        The codes of those that will do.
    unseen : bool
        Whether a value that `fit` did not see will do.
    missing : bool
        Whether a missing value will do.

    Examples
    --------
    >>> condition = NominalCondition(0, "color", ("red", "blue"), ("green",), (0, 2))
    >>> print(condition)
    color in {red, blue}
    >>> condition.formula
    'color in {red, blue}'
    """

    feature: int
    name: str
    values: tuple[Any, ...]
    excluded: tuple[Any, ...]
    codes: tuple[int, ...]
    unseen: bool = False
    missing: bool = False

    def holds(self, values: FloatArray) -> BoolArray:
        """Return for which codes the condition holds.

        Examples
        --------
        >>> condition = NominalCondition(0, "color", ("red",), ("green",), (0,), missing=True)
        >>> condition.holds(np.array([0, 1, -1, np.nan]))
        array([ True, False, False,  True])
        """
        holds = np.isin(values, self.codes)
        if self.unseen:
            holds |= values == -1
        return holds | np.isnan(values) if self.missing else holds

    @property
    def alternatives(self) -> list[str]:
        """Formulas without parentheses, of which one must hold."""
        return self._alternatives(most=None)

    def _alternatives(self, most: int | None) -> list[str]:
        listed = self.excluded if self.unseen else self.values
        texts = [show_membership(self.name, listed, self.unseen, most)] if listed else []
        if self._is_any_known:
            texts = [Atom(self.name, "!=").text]
        return texts + [Atom(self.name, "==").text] * self.missing

    @property
    def _is_any_known(self) -> bool:
        is_either = len(self.values) == 2 and isinstance(self.values[0], bool)
        return not self.excluded and (self.unseen or is_either)

    @property
    def formula(self) -> str:
        """The condition as a formula that `Rule` reads."""
        return " or ".join(self.alternatives)

    def __str__(self) -> str:
        return " or ".join(self._alternatives(MOST_VALUES))


Condition: TypeAlias = NumericCondition | NominalCondition


def show_number(number: float, decimals: int | None = None) -> str:
    """Return a number for people, of six digits or of so many decimals.

    Examples
    --------
    >>> show_number(103.50000000001), show_number(2 / 3, decimals=2), show_number(-0.0)
    ('103.5', '0.67', '0')
    """
    text = f"{number:.6g}" if decimals is None else f"{number:.{decimals}f}"
    return text.removeprefix("-") if not text.strip("-0.") else text


def shown_number(number: float) -> float:
    """Return a number to six digits, as it is shown.

    Examples
    --------
    >>> shown_number(103.50000000001)
    103.5
    """
    return float(show_number(number)) if math.isfinite(number) else number


def show_membership(
    name: str, values: tuple[Any, ...], negated: bool = False, most: int | None = MOST_VALUES
) -> str:
    """Return ``color in {red, blue}``, ``color is not red`` or ``not milk``, as rules are written.

    Of more than `most` values, the first five are listed.

    Examples
    --------
    >>> show_membership("milk", (True,), negated=True), show_membership("color", ("red",))
    ('not milk', 'color is red')
    >>> show_membership("n", tuple("abcdefghijkl"))
    'n in {a, b, c, d, e and 7 more}'
    """
    if len(values) == 1 and isinstance(values[0], bool):
        return spell_name(name) if values[0] != negated else f"not {spell_name(name)}"
    if len(values) == 1:
        return Atom(name, "!=" if negated else "==", values[0]).text
    if most is None or len(values) <= most:
        return Atom(name, "not in" if negated else "in", values).text
    text = Atom(name, "not in" if negated else "in", values[:5]).text
    return f"{text[:-1]} and {len(values) - 5:,} more}}"


class ConditionBound(NamedTuple):
    """A bound of a range; `is_next`, where it is the float after the threshold."""

    number: float
    is_next: bool


def _exact_bound(threshold: float) -> ConditionBound:
    """Return a bound that parts the same values whatever the precision of the column."""
    if not math.isfinite(threshold) or not _rounds_onto_a_value(threshold):
        return ConditionBound(threshold, False)
    return ConditionBound(float(np.nextafter(threshold, np.inf)), True)


def _rounds_onto_a_value(threshold: float) -> bool:
    """Tell whether a threshold is half-way between two neighbours of single precision.

    Rules compare at the precision of the column, where the threshold may become the upper of the
    two values that it is there to part.
    """
    with np.errstate(over="ignore"):
        nearest = np.float32(threshold)
    if not float(nearest) > threshold:
        return False
    lower = float(np.nextafter(nearest, np.float32(-np.inf)))
    return threshold - lower == float(nearest) - threshold
