"""The tables of the paper, and the triplets that are drawn from them."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clustraint import Constraints, Hierarchy
from clustraint.typing import IntArray
from papers._data import dataset
from papers._experiment import generator_of

TABLES = ("iris", "wine", "ionosphere", "transfusion", "digits-389", "letters-ijlt")
LARGE_TABLES = ("letters-3000", "digits-3000")
N_LARGE = 3000
EXAMPLE = "the paper's example"
# Features from 0 to 1, which is the main reading, or as they are.
UNIT, RAW = "unit", "raw"
SOURCES = {"letters-3000": "letter-recognition", "digits-3000": "pendigits"}
TITLES = {
    "iris": "Iris",
    "wine": "Wine",
    "ionosphere": "Ionosphere",
    "transfusion": "Transfusion",
    "digits-389": "Digits-389",
    "letters-ijlt": "Letters-IJLT",
    "letters-3000": "Letters-3000",
    "digits-3000": "Digits-3000",
}


class TableSamples(NamedTuple):
    """A table with its rows in the order of one run.

    Attributes
    ----------
    X : float64 ndarray of shape (n_samples, n_features)
        Features, scaled to [0, 1] or as they are.
    y : int64 ndarray of shape (n_samples,)
        Classes from 0 up.
    """

    X: NDArray[np.float64]
    y: IntArray

    @property
    def n_classes(self) -> int:
        """How many clusters are asked for."""
        return int(self.y.max()) + 1


@lru_cache(maxsize=8)
def table_of(table: str) -> TableSamples:
    """Return a table in its own order, or 3,000 rows of a larger one."""
    data = dataset(SOURCES.get(table, table))
    X = np.ascontiguousarray(data.X, np.float64)
    y = np.unique(data.y, return_inverse=True)[1].astype(np.int64)
    if table not in SOURCES:
        return TableSamples(X, y)
    rows = generator_of(table, "sample").choice(len(X), size=N_LARGE, replace=False)
    return TableSamples(X[rows], np.unique(y[rows], return_inverse=True)[1])


@lru_cache(maxsize=8)
def samples_of(table: str, repeat: int, scale: str = UNIT) -> TableSamples:
    """Return a table with its rows shuffled, so that ties and first samples differ by run."""
    samples = table_of(table)
    order = generator_of(table, "rows", repeat).permutation(len(samples.y))
    X = samples.X[order]
    if scale == UNIT:
        span = np.ptp(X, axis=0)
        X = (X - X.min(axis=0)) / np.where(span > 0, span, 1)
    return TableSamples(X, samples.y[order])


@lru_cache(maxsize=4)
def _informative(table: str, repeat: int) -> IntArray:
    y = samples_of(table, repeat).y
    triplets = Hierarchy.from_labels(y).informative_triplets()
    return np.asarray(generator_of(table, "informative", repeat).permutation(triplets))


@lru_cache(maxsize=4)
def _random(table: str, repeat: int) -> IntArray:
    y = samples_of(table, repeat).y
    most = max(len(y), len(_informative(table, repeat)))
    rng = generator_of(table, "random", repeat)
    return Constraints.from_labels(y, n_triplets=most, random_state=rng).triplets


def random_triplets(table: str, repeat: int, n_triplets: int) -> Constraints:
    """Return the first of the triplets drawn at random in a run: fewer are part of more."""
    n_samples = len(samples_of(table, repeat).y)
    return Constraints(n_samples, triplets=_random(table, repeat)[:n_triplets])


def informative_triplets(table: str, repeat: int, share: float) -> Constraints:
    """Return a share of the classes' informative triplets in the random order of a run."""
    triplets = _informative(table, repeat)
    n_samples = len(samples_of(table, repeat).y)
    return Constraints(n_samples, triplets=triplets[: round(share * len(triplets))])
