"""Four shapes in the plane that compactness alone does not find.

The sets of figure 7 of Klein, Kamvar and Manning (2002), "From instance-level constraints to
space-level constraints". The paper shows them as pictures without numbers: sizes, radii and
spreads are read off the figure.
"""

from __future__ import annotations

import numpy as np

from clustraint.checks import as_generator
from clustraint.typing import FloatArray, IntArray, RandomState

RING_SPREAD = 0.1
CELL_CENTRES = ((0.0, 0.0), (4.5, 0.0))
CLOUD_HEIGHTS = (1.5, 0.0)
PUFF_CENTRES = np.arange(0.0, 11.0, 2.0)


def make_circles(*, random_state: RandomState = None) -> tuple[FloatArray, IntArray]:
    """Draw a disc inside a ring (CIRCLES of the paper on constrained complete link).

    Parameters
    ----------
    random_state : int, RandomState, Generator or None, default=None
        The same seed gives the same samples.

    Returns
    -------
    X : ndarray of float64 of shape (150, 2)
        50 samples uniform in the disc of radius 1, and 100 on the ring of radius 3, at even angles
        but for chance within their share, their radius of standard deviation 0.1.
    y : ndarray of int64 of shape (150,)
        0 in the disc and 1 on the ring.

    Examples
    --------
    >>> X, y = make_circles(random_state=0)
    >>> X.shape, [(y == label).sum().item() for label in (0, 1)]
    ((150, 2), [50, 100])
    """
    rng = as_generator(random_state)
    return _joined([(_disc(50, 1, rng), 0), (_ring(100, 3, rng), 1)])


def make_cell_walls(*, random_state: RandomState = None) -> tuple[FloatArray, IntArray]:
    """Draw two cells, whose cores are one class and whose walls are the other (CELLWALLS).

    Parameters
    ----------
    random_state : int, RandomState, Generator or None, default=None
        The same seed gives the same samples.

    Returns
    -------
    X : ndarray of float64 of shape (180, 2)
        Around (0, 0) and around (4.5, 0), 30 samples uniform in a disc of radius 0.5 and 60 on a
        ring of radius 2, at even angles but for chance within their share, their radius of
        standard deviation 0.1.
    y : ndarray of int64 of shape (180,)
        0 in both cores and 1 on both walls.

    Examples
    --------
    >>> X, y = make_cell_walls(random_state=0)
    >>> X.shape, [(y == label).sum().item() for label in (0, 1)]
    ((180, 2), [60, 120])
    """
    rng = as_generator(random_state)
    parts = []
    for centre in CELL_CENTRES:
        parts.append((_disc(30, 0.5, rng) + centre, 0))
        parts.append((_ring(60, 2, rng) + centre, 1))
    return _joined(parts)


def make_xor(*, random_state: RandomState = None) -> tuple[FloatArray, IntArray]:
    """Draw four squares, of which opposite ones are a class (XOR).

    Parameters
    ----------
    random_state : int, RandomState, Generator or None, default=None
        The same seed gives the same samples.

    Returns
    -------
    X : ndarray of float64 of shape (160, 2)
        40 samples in each quadrant, both coordinates uniform from 0.1 to 1.1 away from 0.
    y : ndarray of int64 of shape (160,)
        1 where the coordinates have the same sign, 0 where they differ.

    Examples
    --------
    >>> X, y = make_xor(random_state=0)
    >>> ((X[:, 0] * X[:, 1] > 0) == y).all().item()
    True
    """
    rng = as_generator(random_state)
    signs = [(1, 1), (-1, 1), (-1, -1), (1, -1)]
    return _joined(
        [(rng.uniform(0.1, 1.1, (40, 2)) * sign, int(np.prod(sign) > 0)) for sign in signs]
    )


def make_storm_clouds(*, random_state: RandomState = None) -> tuple[FloatArray, IntArray]:
    """Draw two long banks of clouds, one above the other (STORMCLOUDS).

    Parameters
    ----------
    random_state : int, RandomState, Generator or None, default=None
        The same seed gives the same samples.

    Returns
    -------
    X : ndarray of float64 of shape (160, 2)
        80 samples of each bank, at heights 1.5 and 0, shared out in turn among normal puffs at
        0, 2, …, 10 along it, of standard deviation 0.758 along and 0.2 across.
    y : ndarray of int64 of shape (160,)
        0 in the upper bank and 1 in the lower.

    Examples
    --------
    >>> X, y = make_storm_clouds(random_state=0)
    >>> X.shape, [(y == label).sum().item() for label in (0, 1)]
    ((160, 2), [80, 80])
    """
    rng = as_generator(random_state)
    puffs = np.resize(PUFF_CENTRES, 80)
    banks = [
        np.column_stack((rng.normal(puffs, 0.758), rng.normal(height, 0.2, len(puffs))))
        for height in CLOUD_HEIGHTS
    ]
    return _joined([(bank, label) for label, bank in enumerate(banks)])


def _joined(parts: list[tuple[FloatArray, int]]) -> tuple[FloatArray, IntArray]:
    """Return samples and classes of parts that are of one class each."""
    labels = [np.full(len(samples), label, np.int64) for samples, label in parts]
    return np.concatenate([samples for samples, _ in parts]), np.concatenate(labels)


def _disc(n_samples: int, radius: float, rng: np.random.Generator) -> FloatArray:
    # The root makes the density even: the area within a radius grows with its square.
    return _polar(radius * np.sqrt(rng.random(n_samples)), rng.uniform(0, 2 * np.pi, n_samples))


def _ring(n_samples: int, radius: float, rng: np.random.Generator) -> FloatArray:
    shares = (np.arange(n_samples) + rng.random(n_samples)) / n_samples
    return _polar(rng.normal(radius, RING_SPREAD, n_samples), 2 * np.pi * shares)


def _polar(radii: FloatArray, angles: FloatArray) -> FloatArray:
    return np.column_stack((radii * np.cos(angles), radii * np.sin(angles)))
