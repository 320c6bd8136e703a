"""Data sets for cells: loaded once in each process, and looked for only once."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from clustraint.datasets import Dataset, DatasetInfo, list_datasets, load
from clustraint.exceptions import DatasetFileError, DatasetNotFoundError


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


class Inventory(NamedTuple):
    """What is known of a table that the papers use.

    Attributes
    ----------
    name, size, licence : str
        What it is called, its rows and columns, and the terms under which it may be used.
    state : str
        "here", "fetched", "generated" or "not here".
    origin : str
        The file, the package or the generator that it comes from, or why it is not here.
    checksum : str
        The SHA-256 of its file, "" where it has none.
    """

    name: str
    size: str
    state: str
    origin: str
    licence: str
    checksum: str


def inventory() -> Iterator[Inventory]:
    """Yield what is known of each table, and fetch those from OpenML that are not here.

    Where there is no network, the origin says what was looked for; nothing is raised.
    """
    for info in list_datasets():
        yield _inventoried(info)


def _inventoried(info: DatasetInfo) -> Inventory:
    size = " × ".join(f"{n:,}" for n in (info.n_samples, info.n_features) if n is not None)
    if info.origin == "generated":
        return Inventory(info.name, size, "generated", info.source, info.licence, "")
    try:
        data = load(info.name)
    except (DatasetNotFoundError, DatasetFileError) as error:
        return Inventory(info.name, size, "not here", str(error), info.licence, "")
    origin = data.description.rpartition("Read from: ")[2]
    file = Path(origin)
    checksum = hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else ""
    state = "here" if info.origin else "fetched"
    return Inventory(info.name, size, state, f"{info.source}; {origin}", info.licence, checksum)
