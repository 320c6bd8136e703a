"""Which cells are run, and in which order."""

from __future__ import annotations

from collections.abc import Iterator

from papers._experiment import Record, Size
from papers.clusilc.tables import LARGE, SMALL

N_SETS = {"quick": 4, "full": 60}
# The paper gives no x values; these go from nothing to where COP-k-means knows every class.
PAIRS = dict.fromkeys(SMALL, (0, 50, 100, 200, 500, 1000)) | {
    "yeast": (0, 100, 500, 1000, 2000),
    "image-segmentation": (0, 100, 500, 2000),
    "pendigits-train": (0, 500, 2000, 5000),
}
QUICK_PAIRS = dict.fromkeys(SMALL, (0, 100, 1000)) | {
    "yeast": (0, 500, 2000),
    "image-segmentation": (0, 500, 2000),
    "pendigits-train": (0, 500, 5000),
}
# Where COP-k-means needs still more pairs to know every class: without cross-validation.
FAR_PAIRS = {
    "glass": (2000,),
    "ecoli": (2000,),
    "balance-scale": (2000,),
    "yeast": (3000,),
    "image-segmentation": (5000, 10_000),
    "pendigits-train": (10_000, 20_000),
}
# From these counts on "auto" is left out: single fits took 10 to 21 s (pendigits not timed).
SOLVED_BELOW = {"yeast": 1500, "image-segmentation": 3000, "pendigits-train": 15_000}
FAILURE_PAIRS = (50, 100, 200, 300, 500, 1000)
QUICK_FAILURE_PAIRS = (100, 300, 1000)
MAX_SETS = 100
RULE_PAIRS = (50, 200, 500)
QUICK_RULE_PAIRS = (50, 500)
RULE_REPEATS_IN_FOLDS = 10
N_FOLDS = 10


def figure_5(size: Size) -> Iterator[Record]:
    """Yield the cells of figure 5: all data and, but for the largest counts, ten folds."""
    pairs = QUICK_PAIRS if size == "quick" else PAIRS
    for repeat in range(N_SETS[size]):
        for table, counts in pairs.items():
            for n_pairs in counts:
                yield _comparison(table, n_pairs, repeat, N_FOLDS)
            for n_pairs in FAR_PAIRS.get(table, ()) if size == "full" else ():
                yield _comparison(table, n_pairs, repeat, 0)


def _comparison(table: str, n_pairs: int, repeat: int, n_folds: int) -> Record:
    solved = table not in LARGE or n_pairs < SOLVED_BELOW[table]
    return {
        "table": table,
        "n_pairs": n_pairs,
        "repeat": repeat,
        "n_folds": n_folds,
        "methods": "tree+instance+auto" if solved else "tree+instance",
    }


def failures(size: Size) -> Iterator[Record]:
    """Yield the cells that count failures of COP-k-means, on the tables below 1,000 samples."""
    pairs = QUICK_FAILURE_PAIRS if size == "quick" else FAILURE_PAIRS
    for repeat in range(N_SETS[size]):
        for table in SMALL:
            for n_pairs in pairs:
                yield {
                    "table": table,
                    "n_pairs": n_pairs,
                    "repeat": repeat,
                    "methods": "instance+component+auto+exact",
                    "max_sets": MAX_SETS,
                }


def label_rules(size: Size) -> Iterator[Record]:
    """Yield the cells that compare label rules; ten sets are cross-validated, all on all data."""
    pairs = QUICK_RULE_PAIRS if size == "quick" else RULE_PAIRS
    for repeat in range(2 if size == "quick" else N_SETS[size]):
        for table in SMALL:
            for n_pairs in pairs:
                yield {
                    "table": table,
                    "n_pairs": n_pairs,
                    "repeat": repeat,
                    "n_folds": N_FOLDS if repeat < RULE_REPEATS_IN_FOLDS else 0,
                    "methods": "tree+any+counted+conjunctive",
                }
