"""Matplotlib, imported where something is drawn, and axes that look alike in all pictures."""

from __future__ import annotations

from typing import Any

from clustraint.exceptions import MissingPackageError
from clustraint.plot._palette import LIGHT_INKS

INK, FAINT, LINES = LIGHT_INKS["ink"], LIGHT_INKS["faint"], LIGHT_INKS["line"]
KEPT, BROKEN = LIGHT_INKS["kept"], LIGHT_INKS["broken"]


def pyplot() -> Any:
    """Return ``matplotlib.pyplot``, or raise if it is not there."""
    try:
        from matplotlib import pyplot
    except ImportError:
        raise MissingPackageError("drawing by matplotlib", "matplotlib", "plot") from None
    return pyplot


def axes_or_new(ax: Any, width: float, height: float) -> Any:
    """Return the axes, or those of a new figure of this size in inches."""
    if ax is not None:
        return ax
    return pyplot().subplots(figsize=(width, height), layout="constrained")[1]


def bare(ax: Any, *spines: str) -> None:
    """Take away all lines around the axes but these, and soften the rest."""
    for name, spine in ax.spines.items():
        spine.set_visible(name in spines)
        spine.set_color(FAINT)
    ax.tick_params(colors=FAINT, labelcolor=INK)
    for axis in (ax.xaxis, ax.yaxis):
        axis.label.set_color(FAINT)
