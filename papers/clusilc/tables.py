"""The twelve tables of the paper's Table 1."""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from clustraint.wording import listed as in_a_row
from papers._data import dataset

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


def title(table: str) -> str:
    """Return what the paper calls a table."""
    return TITLES[table]


def listed(tables: list[str]) -> str:
    """Return the names of tables in a sentence."""
    return in_a_row(title(table) for table in tables)
