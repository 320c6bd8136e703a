"""How many constraints a tree of classes gives, and how many terms a collection needs."""

from __future__ import annotations

import numpy as np

from clustraint import IHAC, Hierarchy
from clustraint.evaluation import h_correlation
from papers._experiment import Record, generator_of
from papers.bihac.texts import (
    MOST_TERMS,
    TREES,
    Texts,
    all_terms,
    most_frequent,
    weighted,
)

MOST_LABELS = 30
TERM_COUNTS = (MOST_TERMS, 2000, 1000, 500, 200, 100)
# Repetitions cluster so large a part of the documents.
SHARE = 0.8


def count_constraints(*, tree: str) -> list[Record]:
    """Count the constraints of a tree of the paper with 1 to 30 labelled documents per class.

    As in the paper, (x, y, z) and (y, x, z) are two constraints.
    """
    records: list[Record] = []
    for per_class in range(1, MOST_LABELS + 1):
        paths = [path for path in TREES[tree] for _ in range(per_class)]
        hierarchy = Hierarchy.from_paths(paths)
        leaf = 2 * leaf_triplets(tree, per_class)
        records.append(
            {
                "per_class": per_class,
                "n_labelled": len(paths),
                "n_constraints": 2 * hierarchy.n_triplets,
                "n_leaf_constraints": leaf,
            }
        )
    return records


def leaf_triplets(tree: str, per_class: int) -> int:
    """Count the triplets whose first two documents are of one leaf class."""
    classes = list(TREES[tree])
    leaves = [path for path in classes if not any(c.startswith(f"{path}/") for c in classes)]
    pairs = per_class * (per_class - 1) // 2
    return len(leaves) * pairs * per_class * (len(classes) - 1)


def reduce_terms(*, collection: str, repeat: int) -> list[Record]:
    """Cluster a random part of a collection by HAC with fewer and fewer of its terms."""
    texts = part_of(all_terms(collection), collection, repeat)
    n_terms = texts.counts.shape[1]
    counts = [n_terms, *(count for count in TERM_COUNTS if count < n_terms)]
    return [
        {
            "n_terms": count,
            "all_terms": count == n_terms,
            "h_correlation": correlation(texts, count),
        }
        for count in counts
    ]


def part_of(texts: Texts, collection: str, repeat: int) -> Texts:
    """Return the documents of a repetition."""
    n_documents = len(texts.paths)
    order = generator_of("part", collection, repeat).permutation(n_documents)
    rows = np.sort(order[: round(SHARE * n_documents)])
    return Texts(texts.counts[rows], texts.paths[rows])


def correlation(texts: Texts, n_terms: int) -> float:
    """Return what HAC finds with the terms that are in most documents."""
    X = weighted(most_frequent(texts.counts, n_terms))
    return h_correlation(texts.hierarchy, IHAC().fit(X).hierarchy_)
