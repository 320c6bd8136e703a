"""What a description asks of a single column, as data, as text and as a formula."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from clustraint.constraints.atoms import Atom, spell_name
from clustraint.typing import BoolArray, FloatArray


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
    1.5 < body size <= 4
    >>> condition.formula
    '`body size` > 1.5 & `body size` <= 4.0'
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
        if self.upper == -math.inf:
            formulas = []
        else:
            formulas = [" & ".join(self._bounds()) or Atom(self.name, "!=").text]
        return formulas + [Atom(self.name, "==").text] * self.missing

    def _bounds(self) -> Iterator[str]:
        if self.lower > -math.inf:
            yield _above(self.name, self.lower, holds=True)
        if self.upper < math.inf:
            yield _above(self.name, self.upper, holds=False)

    @property
    def formula(self) -> str:
        """The condition as a formula that `Rule` reads."""
        return " | ".join(self.alternatives)

    def __str__(self) -> str:
        return " or ".join(self._known_text() + [f"{self.name} is missing"] * self.missing)

    def _known_text(self) -> list[str]:
        lower, upper = show_number(self.lower), show_number(self.upper)
        if self.upper == -math.inf:
            return []
        if self.lower > -math.inf and self.upper < math.inf:
            return [f"{lower} < {self.name} <= {upper}"]
        if self.lower > -math.inf:
            return [f"{self.name} > {lower}"]
        return [f"{self.name} <= {upper}" if self.upper < math.inf else f"{self.name} is known"]


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
    'color == "red" | color == "blue"'
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
        if self._is_any_known:
            formulas = [Atom(self.name, "!=").text]
        elif self.unseen:
            formulas = [" & ".join(_compared(self.name, value, "!=") for value in self.excluded)]
        else:
            formulas = [_compared(self.name, value, "==") for value in self.values]
        return formulas + [Atom(self.name, "==").text] * self.missing

    @property
    def _is_any_known(self) -> bool:
        is_either = len(self.values) == 2 and isinstance(self.values[0], bool)
        return not self.excluded and (self.unseen or is_either)

    @property
    def formula(self) -> str:
        """The condition as a formula that `Rule` reads."""
        return " | ".join(self.alternatives)

    def __str__(self) -> str:
        return " or ".join(self._known_text() + [f"{self.name} is missing"] * self.missing)

    def _known_text(self) -> list[str]:
        if self._is_any_known:
            return [f"{self.name} is known"]
        listed = self.excluded if self.unseen else self.values
        if not listed:
            return []
        return [show_membership(self.name, listed, negated=self.unseen)]


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


def show_membership(name: str, values: tuple[Any, ...], negated: bool = False) -> str:
    """Return ``color in {red, blue}``, ``color is not red`` or ``not milk``.

    Examples
    --------
    >>> show_membership("milk", (True,), negated=True), show_membership("color", ("red",))
    ('not milk', 'color is red')
    """
    if len(values) == 1 and isinstance(values[0], bool):
        return name if values[0] != negated else f"not {name}"
    if len(values) == 1:
        return f"{name} is {'not ' * negated}{values[0]}"
    listed = ", ".join(map(str, values))
    return f"{name} {'not ' * negated}in {{{listed}}}"


def _compared(name: str, value: Any, comparison: str) -> str:
    if isinstance(value, bool):
        return spell_name(name) if value == (comparison == "==") else f"~{spell_name(name)}"
    return Atom(name, comparison, value).text


def _above(name: str, threshold: float, *, holds: bool) -> str:
    """Return ``x > threshold``, or ``x <= threshold`` where that does not hold."""
    if not _rounds_onto_a_value(threshold):
        return Atom(name, ">" if holds else "<=", float(threshold)).text
    next_up = float(np.nextafter(threshold, np.inf))
    return Atom(name, ">=" if holds else "<", next_up).text


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
