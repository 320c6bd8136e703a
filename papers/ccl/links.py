"""Random constraints in the mixes of the paper, each number of them a part of the next."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import numpy as np

from clustraint.constraints import Constraints
from clustraint.typing import IntArray
from papers._experiment import generator_of

Mix: TypeAlias = Literal["pairs as drawn", "must-links", "cannot-links", "half of each"]

MIXES: tuple[Mix, ...] = get_args(Mix)
# Enough that a thousand of either kind are among them in every table.
N_DRAWN = 20_000


def links(y: IntArray, n_pairs: int, mix: Mix, table: str, repeat: int) -> Constraints:
    """Return the first pairs of a repetition: fewer of them are always among more.

    Parameters
    ----------
    y : ndarray of int64 of shape (n_samples,)
        The classes.
    n_pairs : int
        How many.
    mix : {"pairs as drawn", "must-links", "cannot-links", "half of each"}
        Pairs as they come, as in sections 5.2 and 5.3, or the other mixes of figure 11.
    table, repeat
        Which draw.
    """
    pairs = _drawn(len(y), generator_of("ccl links", table, repeat))
    same = y[pairs[:, 0]] == y[pairs[:, 1]]
    if mix == "pairs as drawn":
        pairs, same = pairs[:n_pairs], same[:n_pairs]
        return Constraints(len(y), must_link=pairs[same], cannot_link=pairs[~same])
    n_must = {"must-links": n_pairs, "cannot-links": 0, "half of each": n_pairs // 2}[mix]
    return Constraints(
        len(y),
        must_link=pairs[same][:n_must],
        cannot_link=pairs[~same][: n_pairs - n_must],
    )


def _drawn(n_samples: int, rng: np.random.Generator) -> IntArray:
    """Return independent uniform pairs of different samples."""
    first = rng.integers(n_samples, size=N_DRAWN)
    second = rng.integers(n_samples - 1, size=N_DRAWN)
    return np.stack((first, second + (second >= first)), axis=1)
