"""Data sets for cells: loaded once in each process, and looked for only once."""

from __future__ import annotations

from functools import lru_cache

from clustraint.datasets import Dataset, load
from clustraint.exceptions import DatasetNotFoundError


def dataset(name: str) -> Dataset:
    """Return a data set by its name.

    Raises
    ------
    DatasetNotFoundError
        If it is not here. Where it is asked for again, nobody waits for the network again.
    """
    estimates = _looked_for(name)
    if isinstance(estimates, DatasetNotFoundError):
        raise estimates
    return estimates


@lru_cache(maxsize=8)
def _looked_for(name: str) -> Dataset | DatasetNotFoundError:
    try:
        return load(name)
    except DatasetNotFoundError as error:
        return error
