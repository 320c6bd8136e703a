"""Drawing constraints at random, from labels and from each other."""

from __future__ import annotations

import numbers
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from clustraint.checks import as_generator, check_count
from clustraint.exceptions import ClustraintError, InvalidLabelsError
from clustraint.machine import announce
from clustraint.typing import IntArray, RandomState


def stars(classes: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return the first sample of each class, and of every other labelled sample it and its first.

    Returns
    -------
    first : int64 ndarray of shape (n_classes,)
        The first sample of each class.
    centers, others : int64 ndarray
        The first sample of its class for each sample that is not first, and that sample.
    """
    labelled = np.flatnonzero(classes >= 0)
    _, places, inverse = np.unique(classes[labelled], return_index=True, return_inverse=True)
    first = labelled[places]
    centers = first[inverse]
    is_other = centers != labelled
    return first, centers[is_other], labelled[is_other]


def all_pairs(classes: IntArray) -> tuple[IntArray, IntArray]:
    """Return pairs that entail all that labels say: a star for each class, and their centres."""
    first, centers, others = stars(classes)
    announce("cannot-links between classes", len(first) * (len(first) - 1) // 2)
    apart = first[np.stack(np.triu_indices(len(first), 1), axis=1)]
    return np.stack((centers, others), axis=1), apart


def all_triplets(classes: IntArray) -> IntArray:
    """Return triplets that entail all ab|c with a and b of one class and c of another."""
    first, centers, others = stars(classes)
    announce("triplets", len(others) * max(len(first) - 1, 0))
    rows = np.repeat(np.stack((centers, others), axis=1), len(first), axis=0)
    outside = np.tile(first, len(others))
    triplets = np.column_stack((rows, outside))
    return np.asarray(triplets[outside != rows[:, 0]], np.int64)


def draw_pairs(
    classes: IntArray, n_pairs: int | Literal["all"], rng: np.random.Generator
) -> tuple[IntArray, IntArray]:
    """Return must-links and cannot-links among `n_pairs` independent uniform pairs of samples."""
    if n_pairs == "all":
        return all_pairs(classes)
    n_pairs = check_count("n_pairs", n_pairs)
    labelled = np.flatnonzero(classes >= 0)
    if n_pairs and len(labelled) < 2:
        raise InvalidLabelsError(f"pairs need 2 labelled samples, but y has {len(labelled)}.")
    first = rng.integers(len(labelled), size=n_pairs) if n_pairs else np.empty(0, np.int64)
    second = rng.integers(len(labelled) - 1, size=n_pairs) if n_pairs else np.empty(0, np.int64)
    second += second >= first
    pairs = labelled[np.stack((first, second), axis=1)]
    same = classes[pairs[:, 0]] == classes[pairs[:, 1]]
    return pairs[same], pairs[~same]


def draw_triplets(
    classes: IntArray, n_triplets: int | Literal["all"], rng: np.random.Generator
) -> IntArray:
    """Return independent uniform draws of triplets with a, b of one class and c of another."""
    if n_triplets == "all":
        return all_triplets(classes)
    n_triplets = check_count("n_triplets", n_triplets)
    labelled = np.flatnonzero(classes >= 0)
    by_class = labelled[np.argsort(classes[labelled], kind="stable")]
    sizes = np.bincount(classes[labelled])
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1])).astype(np.int64)
    ways = sizes * (sizes - 1.0) * (len(labelled) - sizes)
    if not n_triplets:
        return np.empty((0, 3), np.int64)
    if not ways.sum():
        raise InvalidLabelsError(
            "triplets need a class of 2 or more samples and a sample of another, but y has "
            f"{len(sizes)} classes among {len(labelled)} labelled samples."
        )
    drawn = rng.choice(len(sizes), size=n_triplets, p=ways / ways.sum())
    size, start = sizes[drawn], starts[drawn]
    first = rng.integers(size)
    second = rng.integers(size - 1)
    second += second >= first
    other = rng.integers(len(labelled) - size)
    other += np.where(other >= start, size, 0)
    places = np.stack((start + first, start + second, other), axis=1)
    return np.asarray(by_class[places], np.int64)


def choose(total: int, count: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Return a mask of `total` that is true in `count` places drawn at random."""
    mask = np.zeros(total, bool)
    mask[rng.choice(total, size=count, replace=False)] = True
    return mask


def choose_some(total: int, count: Any, random_state: RandomState) -> NDArray[np.bool_]:
    """Return a mask of so many out of all constraints."""
    if check_count("n_constraints", count) > total:
        raise ClustraintError(f"n_constraints is {count}, but there are only {total} constraints.")
    return choose(total, int(count), as_generator(random_state))


def choose_share(total: int, share: Any, random_state: RandomState) -> NDArray[np.bool_]:
    """Return a mask of a share of all constraints."""
    if not isinstance(share, numbers.Real) or not 0 <= float(share) <= 1:
        raise ClustraintError(f"test_size must be a share from 0 to 1, but is {share!r}.")
    return choose(total, round(float(share) * total), as_generator(random_state))


def triplets_of(hierarchy: Any, n_triplets: int | None, random_state: RandomState) -> IntArray:
    """Return the informative triplets of a hierarchy, or so many of all."""
    if n_triplets is None:
        return np.asarray(hierarchy.informative_triplets())
    return np.asarray(hierarchy.sample_triplets(n_triplets, random_state))
