"""Which settings are run: the paper's table I, and the values of its figures and tables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from papers._experiment import Record, Size

Value: TypeAlias = str | int

KINDS = ("together", "exactly")
N_CLUSTERS = 20
DEFAULTS = {"n_attributes": 100, "n_literals": 4, "n_rules": 4, "n_samples": 1000}
# Those of tables II to IV; the paper gives none for figure 3, only its ends (table I).
VALUES = {
    "n_attributes": (20, 60, 100, 200, 600, 800, 1000),
    "n_rules": (1, 4, 7, 10, 14, 17, 20),
    "n_literals": (1, 2, 4, 8, 16, 30, 60),
    "n_samples": (40, 100, 400, 600, 1000, 2000, 4000),
}
DATASETS = {"quick": 3, "full": 20}
ANIMAL_REPEATS = {"quick": 8, "full": 50}
COST_SAMPLES = (1000, 4000)


def varied(parameter: str, size: Size) -> Iterable[Record]:
    """Yield the settings in which one parameter of the generator varies."""
    for dataset in range(DATASETS[size]):
        for value in VALUES[parameter]:
            for kind in KINDS:
                yield {"kind": kind, **DEFAULTS, parameter: value, "dataset": dataset}


def over_attributes(size: Size) -> Iterable[Record]:
    """Yield the settings of table II: A."""
    return varied("n_attributes", size)


def over_rules(size: Size) -> Iterable[Record]:
    """Yield the settings of figure 2 and table III: C."""
    return varied("n_rules", size)


def over_literals(size: Size) -> Iterable[Record]:
    """Yield the settings of figure 3: F."""
    return varied("n_literals", size)


def over_samples(size: Size) -> Iterable[Record]:
    """Yield the settings of figure 4 and table IV: I."""
    return varied("n_samples", size)


def costs(size: Size) -> Iterable[Record]:
    """Yield the settings in which rules are compared with must-links."""
    for dataset in range(DATASETS[size]):
        for n_samples in COST_SAMPLES:
            yield {"n_samples": n_samples, "dataset": dataset}


def animals(table: str, size: Size) -> Iterable[Record]:
    """Yield the repetitions on a table of animals, each with all sets of rules."""
    for repeat in range(ANIMAL_REPEATS[size]):
        for kind in KINDS:
            yield {"table": table, "kind": kind, "repeat": repeat}


def zoo(size: Size) -> Iterable[Record]:
    """Yield the repetitions of figure 5."""
    return animals("zoo-binary", size)


def own_animals(size: Size) -> Iterable[Record]:
    """Yield the repetitions on the table of animals that comes with clustraint."""
    return animals("animals", size)
