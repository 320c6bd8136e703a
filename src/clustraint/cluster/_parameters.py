"""Checks of estimators' parameters, when `fit` sees them first."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable
from typing import Any

from clustraint.constraints._validation import is_whole
from clustraint.exceptions import InvalidParameterError


def check_whole_number(name: str, value: Any, *, least: int) -> None:
    """Raise unless the value is a whole number from `least` up."""
    if not is_whole(value) or value < least:
        raise InvalidParameterError(name, value, f"a whole number from {least} up")


def check_number(name: str, value: Any, *, least: float, most: float = math.inf) -> None:
    """Raise unless the value is a finite number from `least` up, to `most` if that is given."""
    is_number = isinstance(value, numbers.Real) and math.isfinite(value)
    if not is_number or not least <= float(value) <= most:
        wanted = f"from {least} up" if most == math.inf else f"from {least} to {most}"
        raise InvalidParameterError(name, value, f"a number {wanted}")


def check_choice(name: str, value: Any, choices: Iterable[str]) -> None:
    """Raise unless the value is one of the choices."""
    known = list(choices)
    if value not in known:
        raise InvalidParameterError(name, value, " or ".join(map(repr, known)))
