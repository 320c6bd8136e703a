"""Which cells there are: the paper's own size, and a part of it that takes minutes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from papers._experiment import Record, Size
from papers.recon.runs import EXAMPLE
from papers.recon.tables import LARGE_TABLES, TABLES

REPEATS = {"quick": 5, "full": 50}

# Shares of |D| (figures 2, 3 and 5), and of all informative triplets (figure 4).
RANDOM_SHARES = {
    "quick": (0.0, 0.1, 0.4, 1.0),
    "full": (0.0, 0.02, 0.05, 0.1, 0.2, 0.4, 0.7, 1.0),
}
INFORMATIVE_SHARES = {"quick": (0.0, 0.1, 0.5, 1.0), "full": (0.0, 0.1, 0.25, 0.5, 0.75, 1.0)}
LARGE_SHARES = {"quick": (0.1, 1.0), "full": (0.0, 0.1, 0.25, 0.5, 0.75, 1.0)}
UTILITY_SHARES = (0.1, 0.4)
DEAD_END_SHARES = (0.1, 1.0)
LABEL_TREES = ((12, 2), (20, 3), (40, 4))
BINARY_TREES = (8, 20, 40)


def random_grid(size: Size) -> Iterator[Record]:
    """Yield the cells of figures 2 and 3."""
    return _by_table(TABLES, RANDOM_SHARES[size], REPEATS[size])


def informative_grid(size: Size) -> Iterator[Record]:
    """Yield the cells of figure 4."""
    return _by_table(TABLES, INFORMATIVE_SHARES[size], REPEATS[size])


def large_grid(size: Size) -> Iterator[Record]:
    """Yield the cells of figure 5 that are not those of figure 2."""
    return _by_table(LARGE_TABLES, LARGE_SHARES[size], REPEATS[size])


def utility_grid(size: Size) -> Iterator[Record]:
    """Yield the cells of the two utilities; their triplets are those of figure 2."""
    return _by_table(TABLES, UTILITY_SHARES, REPEATS[size])


def dead_end_grid(size: Size) -> Iterator[Record]:
    """Yield the paper's example, then the tables."""
    yield {"table": EXAMPLE, "share": 0.5, "repeat": 0}
    tables = TABLES[:4] if size == "quick" else TABLES
    yield from _by_table(tables, DEAD_END_SHARES, REPEATS[size])


def inference_grid(size: Size) -> Iterator[Record]:
    """Yield random hierarchies: binary ones, and those of classes."""
    for repeat in range(REPEATS[size]):
        for n_samples in BINARY_TREES:
            yield {"tree": "binary", "n_samples": n_samples, "n_classes": 0, "repeat": repeat}
        for n_samples, n_classes in LABEL_TREES:
            yield {
                "tree": "classes",
                "n_samples": n_samples,
                "n_classes": n_classes,
                "repeat": repeat,
            }


def _by_table(tables: tuple[str, ...], shares: tuple[float, ...], repeats: int) -> Iterator[Record]:
    for repeat, table, share in product(range(repeats), tables, shares):
        yield {"table": table, "share": share, "repeat": repeat}
