"""Which cells an experiment has; those of the quick grids are cells of the full ones."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from papers._experiment import Record, Size
from papers.ccl.tables import BY_SEX, REAL, SYNTHETIC

REPEATS: dict[Size, int] = {"quick": 5, "full": 50}
SYNTHETIC_COUNTS: dict[Size, tuple[int, ...]] = {
    "quick": (0, 10, 30, 100),
    "full": (0, 5, 10, 20, 30, 50, 75, 100, 150),
}
REAL_COUNTS: dict[Size, tuple[int, ...]] = {
    "quick": (0, 25, 100, 300),
    "full": (0, 10, 25, 50, 75, 100, 150, 200, 300),
}
# Fifteen classes and 562 samples: the same number of pairs says less about each.
SOYBEAN_COUNTS: dict[Size, tuple[int, ...]] = {
    "quick": (0, 25, 100, 500),
    "full": (0, 10, 25, 50, 100, 200, 300, 500, 1000),
}
MIX_COUNTS: dict[Size, tuple[int, ...]] = {
    "quick": (0, 25, 100),
    "full": (0, 10, 25, 50, 100, 200),
}
PICTURED = ("circles", "cell-walls", "storm-clouds", "xor", "iris", "crabs")
PROJECTED = ("iris", "crabs")


def synthetic(size: Size) -> Iterator[Record]:
    """Yield the cells of figure 8."""
    for repeat in range(REPEATS[size]):
        for table, n_pairs in product(SYNTHETIC, SYNTHETIC_COUNTS[size]):
            yield {"table": table, "n_pairs": n_pairs, "repeat": repeat}


def real(size: Size) -> Iterator[Record]:
    """Yield the cells of figure 9."""
    for repeat in range(REPEATS[size]):
        for table in (*REAL, BY_SEX):
            counts = SOYBEAN_COUNTS if table == "soybean-large" else REAL_COUNTS
            for n_pairs in counts[size]:
                yield {"table": table, "n_pairs": n_pairs, "repeat": repeat}


def mixed(size: Size) -> Iterator[Record]:
    """Yield the cells of figure 11."""
    for repeat in range(REPEATS[size]):
        for table, n_pairs in product((*REAL, *SYNTHETIC), MIX_COUNTS[size]):
            yield {"table": table, "n_pairs": n_pairs, "repeat": repeat}


def pictured(size: Size) -> Iterator[Record]:
    """Yield the cells of figure 12, the same for both sizes."""
    for table in PICTURED:
        yield {"table": table}


def projected(size: Size) -> Iterator[Record]:
    """Yield the cells of figure 10, the same for both sizes."""
    for table in PROJECTED:
        yield {"table": table}
