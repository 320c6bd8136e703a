"""Checks of what generators are asked for."""

from __future__ import annotations

import math
import numbers
from typing import Any

from clustraint.constraints._validation import is_whole
from clustraint.exceptions import InvalidParameterError


def check_whole(name: str, value: Any, *, least: int, most: float = math.inf) -> int:
    """Return the value as an int, or say why it is no whole number in range."""
    if not is_whole(value) or not least <= value <= most:
        bounds = f"from {least} up" if most == math.inf else f"from {least} to {most}"
        raise InvalidParameterError(name, value, f"a whole number {bounds}")
    return int(value)


def check_share(name: str, value: Any) -> float:
    """Return the value as a float, or say why it is no number from 0 to 1."""
    if not isinstance(value, numbers.Real) or not 0 <= float(value) <= 1:
        raise InvalidParameterError(name, value, "a number from 0 to 1")
    return float(value)


def check_range(name: str, value: Any, *, least: int) -> tuple[int, int]:
    """Return the bounds that a whole number, or two of them, stand for."""
    bounds = (value, value) if is_whole(value) else value
    ordered = isinstance(bounds, tuple | list) and len(bounds) == 2 and all(map(is_whole, bounds))
    if not ordered or not least <= bounds[0] <= bounds[1]:
        wanted = f"a whole number from {least} up, or the least and the most of them"
        raise InvalidParameterError(name, value, wanted)
    return int(bounds[0]), int(bounds[1])
