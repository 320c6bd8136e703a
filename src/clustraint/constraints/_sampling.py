"""Drawing constraints at random, from labels and from each other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from clustraint.exceptions import InvalidLabelsError
from clustraint.typing import IntArray


def draw_pairs(
    classes: IntArray, n_pairs: int, rng: np.random.Generator
) -> tuple[IntArray, IntArray]:
    """Return must-links and cannot-links among `n_pairs` independent uniform pairs of samples."""
    known = np.flatnonzero(classes >= 0)
    if n_pairs and len(known) < 2:
        raise InvalidLabelsError(f"pairs need 2 labelled samples, but y has {len(known)}.")
    first = rng.integers(len(known), size=n_pairs) if n_pairs else np.empty(0, np.int64)
    second = rng.integers(len(known) - 1, size=n_pairs) if n_pairs else np.empty(0, np.int64)
    second += second >= first
    pairs = known[np.stack((first, second), axis=1)]
    same = classes[pairs[:, 0]] == classes[pairs[:, 1]]
    return pairs[same], pairs[~same]


def draw_triplets(classes: IntArray, n_triplets: int, rng: np.random.Generator) -> IntArray:
    """Return independent uniform draws of triplets with a, b of one class and c of another."""
    known = np.flatnonzero(classes >= 0)
    by_class = known[np.argsort(classes[known], kind="stable")]
    sizes = np.bincount(classes[known])
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1])).astype(np.int64)
    ways = sizes * (sizes - 1.0) * (len(known) - sizes)
    if not n_triplets:
        return np.empty((0, 3), np.int64)
    if not ways.sum():
        raise InvalidLabelsError(
            "triplets need a class of 2 or more samples and a sample of another, but y has "
            f"{len(sizes)} classes among {len(known)} labelled samples."
        )
    drawn = rng.choice(len(sizes), size=n_triplets, p=ways / ways.sum())
    size, start = sizes[drawn], starts[drawn]
    first = rng.integers(size)
    second = rng.integers(size - 1)
    second += second >= first
    other = rng.integers(len(known) - size)
    other += np.where(other >= start, size, 0)
    places = np.stack((start + first, start + second, other), axis=1)
    return np.asarray(by_class[places], np.int64)


def choose(total: int, count: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Return a mask of `total` that is true in `count` places drawn at random."""
    mask = np.zeros(total, bool)
    mask[rng.choice(total, size=count, replace=False)] = True
    return mask
