"""The cells of each experiment; those of a quick run are among those of a full one."""

from __future__ import annotations

from collections.abc import Iterator

from papers._experiment import Record, Size
from papers.bihac.labelling import SETTINGS
from papers.bihac.texts import COLLECTIONS, TREES

N_REPEATS = {"quick": 2, "full": 5}

# Labelled documents per class. Triplets grow with their cube, and small classes have few to give.
PER_CLASS = {
    "generated": (1, 2, 5, 10, 20, 30),
    "newsgroups apart": (1, 2, 5, 10, 20, 30),
    "newsgroups alike": (1, 2, 5, 10, 20, 30),
    "science abstracts": (1, 2, 3, 5),
    "all newsgroups": (1, 2, 5, 10, 15),
}
QUICK_PER_CLASS = (1, 5, 10)
QUICK_COLLECTIONS = tuple(name for name in COLLECTIONS if name != "all newsgroups")

PAPER_RATE = 5.0
OTHER_RATES = (0.5, 1.0, 2.0, 10.0, 20.0)
# Fewer and more labelled documents per class.
LEARNED = {
    "generated": (5, 10),
    "newsgroups apart": (5, 10),
    "newsgroups alike": (5, 10),
    "science abstracts": (3, 5),
}


def comparisons(size: Size) -> Iterator[Record]:
    """Yield the cells of figures 9 and 10."""
    names = COLLECTIONS if size == "full" else QUICK_COLLECTIONS
    for repeat in range(N_REPEATS[size]):
        for collection in names:
            for setting in SETTINGS:
                for per_class in counts(collection, size):
                    yield {
                        "collection": collection,
                        "setting": setting,
                        "per_class": per_class,
                        "repeat": repeat,
                    }


def counts(collection: str, size: Size) -> list[int]:
    """Return how many documents of each class are labelled."""
    return [count for count in PER_CLASS[collection] if size == "full" or count in QUICK_PER_CLASS]


def learnings(size: Size) -> Iterator[Record]:
    """Yield the cells of the learning curves: several rates, and the paper's order of updates."""
    for repeat in range(N_REPEATS[size]):
        for collection, (few, more) in LEARNED.items():
            for per_class in (few, more):
                for rate, updates in ways(size, many=per_class == more):
                    yield {
                        "collection": collection,
                        "per_class": per_class,
                        "rate": rate,
                        "updates": updates,
                        "repeat": repeat,
                    }


def ways(size: Size, *, many: bool) -> list[tuple[float, str]]:
    """Return learning rates and orders of updates; the paper's rate alone with few labels."""
    paper = [(PAPER_RATE, "joint")]
    if not many:
        return paper
    if size == "quick":
        return [*paper, (1.0, "joint")]
    return [*paper, *((rate, "joint") for rate in OTHER_RATES), (PAPER_RATE, "sequential")]


def trees(size: Size) -> Iterator[Record]:
    """Yield the trees of the paper, whose constraints are counted."""
    for tree in TREES:
        yield {"tree": tree}


def reductions(size: Size) -> Iterator[Record]:
    """Yield the cells of the choice of terms."""
    names = COLLECTIONS if size == "full" else QUICK_COLLECTIONS
    for repeat in range(N_REPEATS[size]):
        for collection in names:
            yield {"collection": collection, "repeat": repeat}
