"""The twelve tables of the paper's Table 1, and random pairs of their samples."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from clustraint import Constraints
from papers._data import dataset
from papers._experiment import generator_of

Samples: TypeAlias = tuple[NDArray[np.float64], NDArray[np.int64]]

# The names of the paper, which the figures show, by the names of the loaders.
TITLES = {
    "iris": "iris",
    "hayes-roth": "hayes-roth",
    "wine": "wine",
    "glass": "glass",
    "heart-statlog": "heart-statlog",
    "ecoli": "ecoli",
    "liver-disorders": "liver-disorders",
    "ionosphere": "ionosphere",
    "balance-scale": "balance",
    "yeast": "yeast",
    "image-segmentation": "image",
    "pendigits-train": "pendig",
}
LARGE = ("yeast", "image-segmentation", "pendigits-train")
SMALL = tuple(name for name in TITLES if name not in LARGE)
# Classes that a table declares beyond those that its samples have.
DECLARED = {"hayes-roth": 4}


@lru_cache(maxsize=4)
def samples(table: str) -> Samples:
    """Return the attributes of a table, as they are, and its classes by number.

    Parameters
    ----------
    table : str
        One of `TITLES`.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        Not scaled.
    y : ndarray of shape (n_samples,)
        Classes from 0; the number of clusters is one more than the largest.
    """
    data = dataset(table)
    classes = np.unique(data.y, return_inverse=True)[1]
    return np.asarray(data.X, dtype=np.float64), classes.astype(np.int64)


class Draw(NamedTuple):
    """Which random set of constraints, and of which table.

    Attributes
    ----------
    table : str
        The table.
    n_pairs : int
        How many pairs are drawn.
    repeat : int
        The number of the set.
    """

    table: str
    n_pairs: int
    repeat: int

    def generator(self, *parts: str | int) -> np.random.Generator:
        """Return the source of randomness of this draw, or of a part of it."""
        return generator_of("clusilc", *self, *parts)

    @property
    def seed(self) -> int:
        """Where the starts of COP-k-means come from, the same for all its variants."""
        return int(self.generator("start").integers(2**31))

    def constraints(self, number: int = 0) -> Constraints:
        """Return the pairs on all samples; further sets where the first one will not do."""
        y = samples(self.table)[1]
        rng = self.generator("all", number)
        return Constraints.from_labels(y, n_pairs=self.n_pairs, random_state=rng)

    def pairs(self, number: int = 0) -> NDArray[np.int64]:
        """Return the same pairs as they are drawn, whatever their classes, at little cost."""
        n_samples = len(samples(self.table)[1])
        rng = self.generator("all", number)
        first = rng.integers(n_samples, size=self.n_pairs)
        second = rng.integers(n_samples - 1, size=self.n_pairs)
        second += second >= first
        return np.stack((np.minimum(first, second), np.maximum(first, second)), axis=1)

    @property
    def n_clusters(self) -> int:
        """The number of declared classes, which every method is told."""
        return DECLARED.get(self.table, int(samples(self.table)[1].max()) + 1)
