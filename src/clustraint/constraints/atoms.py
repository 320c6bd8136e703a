"""What formulas are made of: names by themselves, or compared with a value."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

__all__ = ["NAME", "NUMBER", "UNORDERED", "Atom", "quoted", "spell_name", "spell_value"]

NAME = r"[^\W\d]\w*"
NUMBER = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"

# The comparisons that a value without an order knows.
UNORDERED = ("==", "!=")

# What JSON leaves bare although it would break a line or cannot be written to a file.
_UNWRITABLE = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff]")


# Words of the language, which are no names of columns unless they are quoted.
WORDS = frozenset({"and", "or", "not", "is", "in"})
# Words that stand for no text after "is".
MISSING_WORDS = frozenset({"missing", "null", "nan", "none"})
VALUE_WORDS = WORDS | MISSING_WORDS | {"known", "true", "false"}
# Whole numbers up to this size are written without a decimal point.
LARGEST_PLAIN = 1e15


class Atom(NamedTuple):
    """A formula without operators: a name by itself, or compared with a value.

    A comparison with None asks whether a value is missing. ``"in"`` and ``"not in"`` compare with
    several values; two signs, such as ``"< <="``, with a lower and an upper bound.

    Examples
    --------
    >>> Atom("legs", "==", 4).text, Atom("milk").text, Atom("no. of legs", "!=").text
    ('legs is 4', 'milk', '"no. of legs" is known')
    >>> Atom("color", "in", ("red", "dark blue")).text, Atom("size", "< <=", (2, 3.5)).text
    ('color in {red, "dark blue"}', '2 < size <= 3.5')
    """

    name: str
    comparison: str = ""
    value: int | float | str | tuple[int | float | str, ...] | None = None

    @property
    def text(self) -> str:
        """The atom as a formula."""
        name = spell_name(self.name)
        if self.asks_for_missing:
            return f"{name} is {'missing' if self.comparison == '==' else 'known'}"
        if isinstance(self.value, tuple):
            values = [spell_value(value) for value in self.value]
            if self.is_range:
                lower, upper = self.comparison.split()
                return f"{values[0]} {lower} {name} {upper} {values[1]}"
            return f"{name} {self.comparison} {{{', '.join(values)}}}"
        if self.value is None:
            return name
        verb = {"==": "is", "!=": "is not"}.get(self.comparison, self.comparison)
        return f"{name} {verb} {spell_value(self.value)}"

    @property
    def asks_for_missing(self) -> bool:
        """Whether the atom is ``name is missing`` or ``name is known``."""
        return bool(self.comparison) and self.value is None

    @property
    def is_range(self) -> bool:
        """Whether the atom has a lower and an upper bound."""
        return " " in self.comparison and self.comparison != "not in"

    @property
    def parts(self) -> tuple[Atom, ...]:
        """Atoms that compare with one value each: of a range both hold, of a set any."""
        if not isinstance(self.value, tuple):
            return (self,)
        if not self.is_range:
            return tuple(Atom(self.name, "==", value) for value in self.value)
        lower, upper = self.comparison.split()
        flipped = {"<": ">", "<=": ">="}[lower]
        return (
            Atom(self.name, flipped, self.value[0]),
            Atom(self.name, upper, self.value[1]),
        )


def spell_name(name: str) -> str:
    """Return a name as formulas write it.

    Examples
    --------
    >>> spell_name("legs"), spell_name("no. of legs"), spell_name("in")
    ('legs', '"no. of legs"', '"in"')
    """
    plain = re.fullmatch(NAME, name) and name.lower() not in WORDS
    return name if plain else quoted(name)


def spell_value(value: int | float | str) -> str:
    """Return a value as formulas write it.

    Examples
    --------
    >>> spell_value(4), spell_value(4.0), spell_value("four"), spell_value("4")
    ('4', '4', 'four', '"4"')
    """
    if isinstance(value, str):
        plain = re.fullmatch(NAME, value) and value.lower() not in VALUE_WORDS
        return str(value) if plain else quoted(value)
    if isinstance(value, float) and value.is_integer() and abs(value) < LARGEST_PLAIN:
        return repr(int(value))
    return repr(value)


def quoted(text: str) -> str:
    """Return a text in double quotes, in one line and fit for any file.

    Examples
    --------
    >>> print(quoted("it's so"))
    "it's so"
    """
    return _UNWRITABLE.sub(
        lambda match: f"\\u{ord(match[0]):04x}", json.dumps(str(text), ensure_ascii=False)
    )
