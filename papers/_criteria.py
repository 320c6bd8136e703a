"""When a measured figure meets what a paper says: one rule for numbers, one for intervals.

*Numbers.* A figure that a paper prints has so many decimals; ours is rounded to as many and then
compared. A value that equals the printed figure to the printed precision meets it.

*Intervals.* An effect is there if its whole 95 % interval lies on the claimed side of the bound,
and rests on more than one run. An interval whose end is the bound does not lie beyond it.

A claim that something rises, leads or differs is about a *sign*, and is decided by an interval; one
about how much it does is about a *size*, and is decided by a number. Where all signs are right
and a size is not, the claim holds in direction.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from papers._estimate import Estimate, digits, exact

# Differences of equal means may differ from 0 in their last digits.
ROUNDING = 1e-9
# What a figure without its own limits may be off by, either way: "about 0.2" is 0.1 to 0.4.
TIMES = 2


@dataclass(frozen=True)
class Check:
    """Whether a measured figure meets a criterion.

    Attributes
    ----------
    measured : Estimate
        The figure.
    meets : bool
        Whether it does.
    wanted : str
        The criterion, to be read after "is".
    is_sign : bool
        Whether it is about a sign, not a size.

    Examples
    --------
    >>> from papers import estimate
    >>> print(above(estimate("gain", [0.1, 0.2])))
    gain is 0.150 (0.100 to 0.200), above 0
    """

    measured: Estimate
    meets: bool
    wanted: str
    is_sign: bool

    def __str__(self) -> str:
        sentence = f"{self.measured.name} is {self.figures}"
        if self.meets and self.figures == self.wanted:
            return sentence
        return f"{sentence}, {'' if self.meets else 'not '}{self.wanted}"

    @property
    def figures(self) -> str:
        """The figure with its interval where it has one."""
        if not self.measured.n:
            return "not measured"
        if self.measured.n == 1 and float(self.measured.value).is_integer():
            return f"{self.measured.value:,.0f}"
        value, low, high = map(digits, (self.measured.value, self.measured.low, self.measured.high))
        return f"{value} ({low} to {high})" if self.measured.n > 1 and low != high else value


def above(measured: Estimate, bound: float = 0.0) -> Check:
    """Check that the whole interval is above a bound.

    Examples
    --------
    >>> from papers import estimate
    >>> above(estimate("gain", [0.0, 0.0])).meets
    False
    """
    beyond = measured.n > 1 and measured.low > bound + ROUNDING
    return Check(measured, beyond, f"above {bound:g}", True)


def below(measured: Estimate, bound: float = 0.0) -> Check:
    """Check that the whole interval is below a bound.

    Examples
    --------
    >>> from papers import estimate
    >>> below(estimate("gain", [-0.1, -0.2])).meets
    True
    """
    beyond = measured.n > 1 and measured.high < bound - ROUNDING
    return Check(measured, beyond, f"below {bound:g}", True)


def unclear(measured: Estimate, bound: float = 0.0) -> Check:
    """Check that the interval is on neither side of a bound.

    Examples
    --------
    >>> from papers import estimate
    >>> unclear(estimate("gain", [-0.1, 0.1])).meets
    True
    """
    beyond = above(measured, bound).meets or below(measured, bound).meets
    return Check(measured, measured.n > 1 and not beyond, f"with {bound:g} in its interval", True)


def at_least(measured: Estimate, printed: str) -> Check:
    """Check that a figure, rounded as the printed one, is no smaller.

    Examples
    --------
    >>> at_least(exact("ARI", 0.645), "0.65").meets, at_least(exact("ARI", 0.644), "0.65").meets
    (True, False)
    """
    return _size(measured, _compared(measured, printed) >= 0, f"at least {printed}")


def at_most(measured: Estimate, printed: str) -> Check:
    """Check that a figure, rounded as the printed one, is no larger.

    Examples
    --------
    >>> at_most(exact("ARI", 0.8349), "0.83").meets, at_most(exact("ARI", 0.836), "0.83").meets
    (True, False)
    """
    return _size(measured, _compared(measured, printed) <= 0, f"at most {printed}")


def between(measured: Estimate, low: str, high: str) -> Check:
    """Check that a figure, rounded as the printed ones, is between them or one of them.

    Examples
    --------
    >>> between(exact("ARI", 0.2), "0", "0.2").meets
    True
    """
    within = _compared(measured, low) >= 0 >= _compared(measured, high)
    return _size(measured, within, f"between {low} and {high}")


def about(measured: Estimate, printed: str) -> Check:
    """Check that a figure is between half and twice the printed one, or is one of both.

    Examples
    --------
    >>> about(exact("gain", 0.3), "0.15").meets, about(exact("gain", 0.06), "0.15").meets
    (True, False)
    """
    figure = float(printed.replace(",", ""))
    low, high = sorted((figure / TIMES, figure * TIMES))
    within = low - ROUNDING <= measured.value <= high + ROUNDING
    return _size(measured, within, f"between half and twice {printed}")


def equal(measured: Estimate, printed: str) -> Check:
    """Check that a figure equals the printed one to the printed precision.

    Examples
    --------
    >>> equal(exact("constraints", 37200), "37,200").meets
    True
    """
    return _size(measured, _compared(measured, printed) == 0, f"equal to {printed}")


def so(name: str, value: float, meets: bool, wanted: str) -> Check:
    """Check a condition that is about no single figure, such as where a curve is highest.

    Examples
    --------
    >>> print(so("the best C", 20, 20 > 10, "above 10"))
    the best C is 20, above 10
    """
    return Check(exact(name, value), bool(meets), wanted, False)


def _size(measured: Estimate, meets: bool, wanted: str) -> Check:
    return Check(measured, measured.n > 0 and meets, wanted, False)


def _compared(measured: Estimate, printed: str) -> float:
    """Return below 0, 0 or above 0 where ours is below, equal to or above the printed figure."""
    return _rounded(measured.value, printed) - float(printed.replace(",", ""))


def _rounded(value: float, printed: str) -> float:
    """Return a value with as many decimals as a printed figure; a half goes up, as in print."""
    decimals = len(printed.partition(".")[2])
    if not math.isfinite(value):
        return value
    scale = 10.0**decimals
    return round(math.floor(value * scale + 0.5 + ROUNDING) / scale, decimals)
