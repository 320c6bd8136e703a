"""Numbers, names and lists as a report writes them."""

from __future__ import annotations

import math
from typing import Any

from clustraint.wording import excerpt

# Names come from data: one may be a whole text.
LONGEST_NAME = 60


def number(value: float, digits: int = 3) -> str:
    """Return a number with about so many digits.

    Examples
    --------
    >>> number(3.14159), number(12345.6), number(1e-7), number(float("nan"))
    ('3.14', '12,346', '1e-07', '–')
    """
    if math.isnan(value):
        return "–"
    if 1000 <= abs(value) < 1e7:
        return f"{value:,.0f}"
    return f"{value:.{digits}g}" if abs(value) < 10**digits else f"{value:.3g}"


def share(part: float) -> str:
    """Return a share in per cent, never 0 or 100 unless it is.

    Examples
    --------
    >>> share(0.5), share(0.999), share(0.001), share(1.0)
    ('50 %', '>99 %', '<1 %', '100 %')
    """
    if 0 < part < 0.005:
        return "<1 %"
    if 0.995 < part < 1:
        return ">99 %"
    return f"{100 * part:.0f} %"


def short(value: Any, width: int = LONGEST_NAME) -> str:
    r"""Return a name on one line, cut where it is long.

    Examples
    --------
    >>> short("two\nlines"), short("abcdef", 3)
    ('two lines', 'abc…')
    """
    return excerpt(" ".join(str(value).split()), width=width)
