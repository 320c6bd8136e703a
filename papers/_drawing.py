"""How figures look: one style, curves with their bootstrap bands, panels that share a legend."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from clustraint.plot import PALETTE
from papers._estimate import estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from pandas import DataFrame

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
STYLE: dict[str, Any] = {
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": "medium",
    "font.size": 9,
    "grid.alpha": 0.25,
    "lines.linewidth": 1.4,
    "lines.markersize": 3.5,
    "legend.frameon": False,
    "figure.constrained_layout.use": True,
}


def panels(
    titles: Sequence[str], *, columns: int = 3, width: float = 2.6, height: float = 2.1
) -> tuple[Figure, list[Axes]]:
    """Return a figure with one panel for each title, row by row."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    columns = min(columns, len(titles))
    rows = math.ceil(len(titles) / columns)
    with rc_context(STYLE):
        figure = Figure(figsize=(width * columns, height * rows + 0.4))
        grid = figure.subplots(rows, columns, squeeze=False)
        axes: list[Axes] = list(grid.flat)
        for panel in axes[len(titles) :]:
            panel.remove()
        for panel, title in zip(axes, titles, strict=False):
            panel.set_title(title)
    return figure, axes[: len(titles)]


def curves(
    axes: Axes,
    frame: DataFrame,
    *,
    x: str,
    y: str,
    by: str,
    styles: Mapping[str, int] | None = None,
    dashed: Sequence[str] = (),
    band: bool = True,
) -> None:
    """Draw the mean of `y` over `x` for each value of `by`, with its bootstrap interval as a band.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Where.
    frame : pandas.DataFrame
        One row for each measurement.
    x, y, by : str
        Columns.
    styles : mapping of str to int, optional
        The number of each line's colour and marker, so that panels agree; by order otherwise.
    dashed : sequence of str
        Which lines are dashed.
    band : bool
        Whether the interval is drawn.
    """
    for place, (name, part) in enumerate(frame.groupby(by, sort=False)):
        number = place if styles is None else styles[str(name)]
        colour = PALETTE[number % len(PALETTE)]
        line = means(part, x, y)
        axes.plot(
            line[:, 0],
            line[:, 1],
            color=colour,
            marker=MARKERS[number % len(MARKERS)],
            linestyle="--" if name in dashed else "-",
            linewidth=STYLE["lines.linewidth"],
            markersize=STYLE["lines.markersize"],
            label=str(name),
        )
        if band:
            axes.fill_between(
                line[:, 0], line[:, 2], line[:, 3], color=colour, alpha=0.15, linewidth=0
            )


def means(frame: DataFrame, x: str, y: str) -> Any:
    """Return x, the mean of y and its bootstrap interval, a row for each x.

    Where there is no y they are nan, so that a curve has a gap there and no line through it.
    """
    rows = []
    for place, part in frame.groupby(x):
        measured = estimate(y, part[y])
        rows.append((place, measured.value, measured.low, measured.high))
    return np.array(rows, dtype=float).reshape(-1, 4)


def legend(figure: Figure, axes: Sequence[Axes], *, columns: int = 4) -> None:
    """Put one legend for all panels below them."""
    handles: dict[str, Any] = {}
    for panel in axes:
        lines, names = panel.get_legend_handles_labels()
        handles.update(zip(names, lines, strict=True))
    figure.legend(
        list(handles.values()),
        list(handles),
        loc="outside lower center",
        ncols=min(columns, len(handles)),
        frameon=False,
        fontsize=8,
    )
