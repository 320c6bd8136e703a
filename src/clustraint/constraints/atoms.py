"""What formulas are made of: names by themselves, or compared with a value."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

__all__ = ["NAME", "NUMBER", "UNORDERED", "Atom", "spell_name", "spell_value"]

NAME = r"[^\W\d]\w*"
NUMBER = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"

# The comparisons that a value without an order knows.
UNORDERED = ("==", "!=")

# What JSON leaves bare although it would break a line or cannot be written to a file.
_UNWRITABLE = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff]")


class Atom(NamedTuple):
    """A formula without operators: a name by itself, or compared with a value.

    A comparison with None asks whether a value is missing.

    Examples
    --------
    >>> Atom("legs", "==", 4).text, Atom("milk").text, Atom("no. of legs", "!=").text
    ('legs == 4', 'milk', '`no. of legs` != ?')
    """

    name: str
    comparison: str = ""
    value: int | float | str | None = None

    @property
    def text(self) -> str:
        """The atom as a formula."""
        if not self.comparison:
            return spell_name(self.name)
        value = "?" if self.value is None else spell_value(self.value)
        return f"{spell_name(self.name)} {self.comparison} {value}"

    @property
    def asks_for_missing(self) -> bool:
        """Whether the atom is ``name == ?`` or ``name != ?``."""
        return bool(self.comparison) and self.value is None


def spell_name(name: str) -> str:
    """Return a name as formulas write it.

    Examples
    --------
    >>> spell_name("legs"), spell_name("no. of legs")
    ('legs', '`no. of legs`')
    """
    return name if re.fullmatch(NAME, name) else "`" + name.replace("`", "``") + "`"


def spell_value(value: int | float | str) -> str:
    """Return a value as formulas write it.

    Examples
    --------
    >>> spell_value(4), spell_value("four")
    ('4', '"four"')
    """
    if not isinstance(value, str):
        return repr(value)
    quoted = json.dumps(str(value), ensure_ascii=False)
    return _UNWRITABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", quoted)
