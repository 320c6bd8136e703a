"""How clusters are told apart: by colour and by shape."""

from __future__ import annotations

import math
from typing import NamedTuple

# The colours, Okabe and Ito's, stand in the style sheet, for light and for dark pages.
N_COLOURS = 8


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
SHAPES = {
    "circle": "M-4.6 0A4.6 4.6 0 1 1 4.6 0A4.6 4.6 0 1 1-4.6 0Z",
    "square": "M-4-4H4V4H-4Z",
    "triangle": _polygon([6.2] * 3),
    "diamond": _polygon([5.8] * 4),
    "upturned triangle": _polygon([6.2] * 3, math.pi),
    "plus": _cross(5.4, 1.9),
    "pentagon": _polygon([5.2] * 5),
    "star": _polygon([6.6, 2.9] * 5),
}
# For samples in no cluster.
NO_SHAPE = "M-3-3L3 3M-3 3L3-3"


class Look(NamedTuple):
    """The colour of a cluster, a class of the style sheet, and its shape, a place in `SHAPES`."""

    colour: str
    shape: int


def look_of(cluster: int) -> Look:
    """Return how a cluster looks; after 64 clusters the same comes again.

    Examples
    --------
    >>> look_of(0), look_of(8), look_of(-1)
    (Look(colour='c0', shape=0), Look(colour='c0', shape=1), Look(colour='none', shape=-1))
    """
    if cluster < 0:
        return Look("none", -1)
    cycle, place = divmod(cluster, N_COLOURS)
    return Look(f"c{place}", (place + cycle) % len(SHAPES))
