"""How clusters are told apart, in every picture: by colour and by shape."""

from __future__ import annotations

import math
from typing import NamedTuple

from clustraint.checks import check_whole_number

# Okabe and Ito's colours, which people tell apart whatever colours they see, without black, which
# is for axes, and without yellow, which is lost on white.
PALETTE = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc79a7",
    "#e69f00",
    "#56b4e9",
    "#8c6d46",
    "#666666",
)
# The same, lighter, for dark pages.
DARK_PALETTE = (
    "#4aa3df",
    "#f0803c",
    "#2fc49a",
    "#e39cc6",
    "#f2b93b",
    "#8fd0f5",
    "#c2a27a",
    "#b0b0b0",
)
# What pictures and the pages around them are drawn with, beside the clusters.
LIGHT_INKS = {
    "ink": "#1c2430",
    "paper": "#fff",
    "faint": "#5b6675",
    "line": "#d8dee6",
    "tint": "#f4f6f9",
    "broken": "#b3001b",
    "kept": "#7b8794",
    "edge": "#1c243099",
}
DARK_INKS = {
    "ink": "#e4e8ee",
    "paper": "#14181e",
    "faint": "#9aa5b4",
    "line": "#333c48",
    "tint": "#1c222b",
    "broken": "#ff7384",
    "kept": "#8793a3",
    "edge": "#000000b0",
}
# How much of a colour is left beside white, so that dark text can be read on it.
STRENGTHS = (0.55, 0.25, 0.7)


def palette(n_clusters: int) -> list[str]:
    """Return the colour of each of so many clusters, the same as in every picture.

    Parameters
    ----------
    n_clusters : int
        How many colours to return. There are eight; after them the first comes again, which
        pictures tell apart by shape.

    Returns
    -------
    list of str
        Colours as ``#rrggbb``.

    Examples
    --------
    >>> from clustraint import plot
    >>> plot.palette(3)
    ['#0072b2', '#d55e00', '#009e73']
    """
    check_whole_number("n_clusters", n_clusters, least=0)
    return [PALETTE[cluster % len(PALETTE)] for cluster in range(n_clusters)]


def tint(cluster: int) -> str:
    """Return a light colour for a cluster; after 24 clusters they come again.

    Examples
    --------
    >>> tint(0), tint(8)
    ('#73b1d5', '#bfdcec')
    """
    cycle, place = divmod(cluster, len(PALETTE))
    strength = STRENGTHS[cycle % len(STRENGTHS)]
    channels = (int(PALETTE[place][start : start + 2], 16) for start in (1, 3, 5))
    return "#" + "".join(f"{round(255 + (value - 255) * strength):02x}" for value in channels)


def _polygon(radii: list[float], turn: float = 0.0) -> str:
    """Return a closed path whose corners have these distances from the middle."""
    corners = (
        (radius * math.sin(angle), -radius * math.cos(angle))
        for angle, radius in (
            (turn + 2 * math.pi * place / len(radii), radius) for place, radius in enumerate(radii)
        )
    )
    return "M" + "L".join(f"{x:.2f} {y:.2f}" for x, y in corners) + "Z"


def _cross(arm: float, half: float) -> str:
    return (
        f"M{-half} {-arm}H{half}V{-half}H{arm}V{half}H{half}V{arm}H{-half}V{half}H{-arm}V{-half}"
        f"H{-half}Z"
    )


# All of about the same area, so that no cluster looks more important than another.
SHAPES = (
    "M-4.6 0A4.6 4.6 0 1 1 4.6 0A4.6 4.6 0 1 1-4.6 0Z",
    "M-4-4H4V4H-4Z",
    _polygon([6.2] * 3),
    _polygon([5.8] * 4),
    _polygon([6.2] * 3, math.pi),
    _cross(5.4, 1.9),
    _polygon([5.2] * 5),
    _polygon([6.6, 2.9] * 5),
)
# For samples in no cluster.
NO_SHAPE = "M-3-3L3 3M-3 3L3-3"
# The same shapes as matplotlib calls them.
MARKERS = ("o", "s", "^", "D", "v", "P", "p", "*")
NO_MARKER = "x"
# The cluster of a branch whose samples are in several.
MIXED = -2


class Look(NamedTuple):
    """How a cluster looks.

    Attributes
    ----------
    colour : str
        A class of the style sheet: "c0" to "c7", "none" or "mixed".
    shape : int
        A place in `SHAPES`; -1 for a cross.

    Examples
    --------
    >>> from clustraint import plot
    >>> look = plot.look_of(1)
    >>> look.paint, look.marker
    ('#d55e00', 's')
    """

    colour: str
    shape: int

    @property
    def paint(self) -> str:
        """The colour on white, as ``#rrggbb``."""
        return PALETTE[int(self.colour[1:])] if self.shape >= 0 else LIGHT_INKS["faint"]

    @property
    def marker(self) -> str:
        """The shape as matplotlib calls it."""
        return MARKERS[self.shape] if self.shape >= 0 else NO_MARKER


def look_of(cluster: int) -> Look:
    """Return how a cluster looks; after 64 clusters the same comes again.

    Examples
    --------
    >>> look_of(0), look_of(8), look_of(-1)
    (Look(colour='c0', shape=0), Look(colour='c0', shape=1), Look(colour='none', shape=-1))
    """
    if cluster < 0:
        return Look("mixed" if cluster == MIXED else "none", -1)
    cycle, place = divmod(cluster, len(PALETTE))
    return Look(f"c{place}", (place + cycle) % len(SHAPES))


def theme() -> str:
    """Return the colours as variables of a style sheet, for light and for dark pages.

    Examples
    --------
    >>> theme()[:34]
    ':root { --ink: #1c2430; --paper: #'
    """
    light, dark = (
        " ".join(f"--{name}: {colour};" for name, colour in (inks | colours).items())
        for inks, colours in (
            (LIGHT_INKS, _numbered(PALETTE)),
            (DARK_INKS, _numbered(DARK_PALETTE)),
        )
    )
    # Only on a screen: a dark page would be printed dark.
    return (
        f":root {{ {light} }}\n"
        f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}"
    )


def _numbered(colours: tuple[str, ...]) -> dict[str, str]:
    return {f"c{place}": colour for place, colour in enumerate(colours)}
