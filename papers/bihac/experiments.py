"""What is run: constraints counted, terms chosen, methods compared, weights learned."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_selection import chi2

from clustraint import IHAC, BiHAC, Hierarchy
from clustraint.evaluation import h_correlation
from papers._experiment import Experiment, Record, Size, generator_of
from papers._guests import Challenge, Problem
from papers.bihac import figures
from papers.bihac.data import (
    ABSTRACTS,
    ALIKE,
    ALL,
    APART,
    COLLECTIONS,
    GENERATED,
    KNOWN,
    MOST_TERMS,
    SETTINGS,
    TREES,
    Texts,
    all_terms,
    document_frequencies,
    labelling,
    leaves_of,
    most_frequent,
    texts_of,
    weighted,
)
from papers.bihac.measures import MEASURES
from papers.bihac.methods import adaptations, clusterings, scores

N_REPEATS: dict[Size, int] = {"quick": 2, "full": 5}
# Labelled documents per class. Triplets grow with their cube, and small classes have few to give.
PER_CLASS = {
    GENERATED: (1, 2, 5, 10, 20, 30),
    APART: (1, 2, 5, 10, 20, 30),
    ALIKE: (1, 2, 5, 10, 20, 30),
    ABSTRACTS: (1, 2, 3, 5),
    ALL: (1, 2, 5, 10, 15),
}
QUICK_PER_CLASS = (1, 5, 10)
PAPER_RATE = 5.0
OTHER_RATES = (0.5, 1.0, 2.0, 10.0, 20.0)
# Fewer and more labelled documents per class.
LEARNED = {GENERATED: (5, 10), APART: (5, 10), ALIKE: (5, 10), ABSTRACTS: (3, 5)}
N_RUNS = 50
# Terms whose learned weights are looked at.
N_WATCHED = 100
MOST_LABELS = 30
TERM_COUNTS = (MOST_TERMS, 2000, 1000, 500, 200, 100)
# Repetitions of the choice of terms cluster so large a part of the documents.
SHARE = 0.8


def count_constraints(*, tree: str) -> list[Record]:
    """Count the constraints of a tree of the paper with 1 to 30 labelled documents per class.

    As in the paper, (x, y, z) and (y, x, z) are two constraints.
    """
    return [
        {
            "per_class": per_class,
            "n_labelled": per_class * len(TREES[tree]),
            "n_constraints": 2 * Hierarchy.from_paths([*TREES[tree]] * per_class).n_triplets,
            "n_leaf_constraints": 2 * leaf_triplets(tree, per_class),
        }
        for per_class in range(1, MOST_LABELS + 1)
    ]


def leaf_triplets(tree: str, per_class: int) -> int:
    """Count the triplets whose first two documents are of one leaf class."""
    classes = TREES[tree]
    pairs = per_class * (per_class - 1) // 2
    return len(leaves_of(classes)) * pairs * per_class * (len(classes) - 1)


def reduce_terms(*, collection: str, repeat: int) -> list[Record]:
    """Cluster a random part of a collection by HAC with fewer and fewer of its terms."""
    texts = all_terms(collection)
    n_documents, n_terms = texts.counts.shape
    order = generator_of("part", collection, repeat).permutation(n_documents)
    rows = np.sort(order[: round(SHARE * n_documents)])
    part = Texts(texts.counts[rows], texts.paths[rows])
    return [
        {"n_terms": count, "all_terms": count == n_terms, "h_correlation": _plain(part, count)}
        for count in (n_terms, *(count for count in TERM_COUNTS if count < n_terms))
    ]


def _plain(texts: Texts, n_terms: int) -> float:
    """Return the H-correlation of HAC with the terms that are in most documents."""
    X = weighted(most_frequent(texts.counts, n_terms))
    return h_correlation(texts.hierarchy, IHAC().fit(X).hierarchy_)


def compare(*, collection: str, setting: int, per_class: int, repeat: int) -> list[Record]:
    """Cluster a collection by all four methods under the same constraints (figures 9 and 10)."""
    texts = texts_of(collection)
    labels = labelling(texts, collection, setting=setting, per_class=per_class, repeat=repeat)
    shared = {"unknown": labels.unknown, "n_constraints": labels.n_ordered}
    return [
        {"method": method, **shared, **scores(texts, hierarchy, labels), **details}
        for method, hierarchy, details in clusterings(texts.vectors, labels.constraints)
    ]


def problems(*, collection: str, setting: int, per_class: int, repeat: int) -> Iterator[Problem]:
    """Yield what the methods are given; the clusters of one without a hierarchy are all of it."""
    texts = texts_of(collection)
    labels = labelling(texts, collection, setting=setting, per_class=per_class, repeat=repeat)

    def score(model: Any) -> Record:
        hierarchy = getattr(model, "hierarchy_", None) or Hierarchy.from_labels(model.labels_)
        return scores(texts, hierarchy, labels)

    yield Problem(texts.vectors, labels.constraints, len(texts.classes), repeat, score)


def learn(
    *,
    collection: str,
    per_class: int,
    rate: float,
    updates: Literal["joint", "sequential"],
    repeat: int,
) -> list[Record]:
    """Run biHAC to the last run, whatever its error, and tell about each run."""
    texts = texts_of(collection)
    labels = labelling(texts, collection, setting=KNOWN, per_class=per_class, repeat=repeat)
    frequent, telling = watched(texts)
    model = BiHAC(learning_rate=rate, updates=updates, max_iter=N_RUNS)
    return [
        {
            "n_constraints": labels.n_ordered,
            "run": run.number,
            "error": run.error,
            "h_all": h_correlation(texts.hierarchy, run.hierarchy),
            "h_correlation": h_correlation(texts.hierarchy, run.hierarchy, labels.samples),
            "violated": 2 * int((~run.hierarchy.displays(labels.constraints.triplets)).sum()),
            **adaptations(run, texts, labels),
            "frequent_weight": float(run.weights[frequent].mean()),
            "telling_weight": float(run.weights[telling].mean()),
            "largest_weight": float(run.weights.max()),
        }
        for run in model.runs(texts.vectors, constraints=labels.constraints)
    ]


def watched(texts: Texts) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return terms that are in most documents, and the terms that tell most about the class.

    The former are not among the latter.
    """
    explanation = np.nan_to_num(chi2(texts.counts > 0, texts.paths)[0])
    telling = np.argsort(-explanation, kind="stable")[:N_WATCHED]
    others = document_frequencies(texts.counts).copy()
    others[telling] = 0
    return np.argsort(-others, kind="stable")[:N_WATCHED], telling


def _collections(size: Size) -> list[str]:
    return [name for name in COLLECTIONS if size == "full" or name != ALL]


def trees(size: Size) -> Iterator[Record]:
    """Yield the trees of the paper, whose constraints are counted."""
    for tree in TREES:
        yield {"tree": tree}


def reductions(size: Size) -> Iterator[Record]:
    """Yield the cells of the choice of terms."""
    for repeat, collection in product(range(N_REPEATS[size]), _collections(size)):
        yield {"collection": collection, "repeat": repeat}


def comparisons(size: Size) -> Iterator[Record]:
    """Yield the cells of figures 9 and 10."""
    settings = product(range(N_REPEATS[size]), _collections(size), SETTINGS)
    for repeat, collection, setting in settings:
        for per_class in PER_CLASS[collection]:
            if size == "full" or per_class in QUICK_PER_CLASS:
                yield {
                    "collection": collection,
                    "setting": setting,
                    "per_class": per_class,
                    "repeat": repeat,
                }


def learnings(size: Size) -> Iterator[Record]:
    """Yield the cells of the learning curves: several rates, and the paper's order of updates."""
    for repeat, (collection, (few, more)) in product(range(N_REPEATS[size]), LEARNED.items()):
        for per_class, rate, updates in [(few, PAPER_RATE, "joint"), *_ways(size, more)]:
            yield {
                "collection": collection,
                "per_class": per_class,
                "rate": rate,
                "updates": updates,
                "repeat": repeat,
            }


def _ways(size: Size, per_class: int) -> list[tuple[int, float, str]]:
    rates = (PAPER_RATE, 1.0) if size == "quick" else (PAPER_RATE, *OTHER_RATES)
    ways = [(per_class, rate, "joint") for rate in rates]
    return ways if size == "quick" else [*ways, (per_class, PAPER_RATE, "sequential")]


EXPERIMENTS = (
    Experiment(
        "constraints",
        "How many constraints follow from labelled documents?",
        "All ordered triplets of the trees of figures 6 to 8 with 1 to 30 documents on each class "
        "are counted. Nothing is random.",
        count_constraints,
        trees,
        figures.show_counts,
    ),
    Experiment(
        "terms",
        "How many terms does HAC need?",
        "HAC on a random 80 % of each collection, five times, with all terms that occur five times "
        "and with those of them that are in most documents. The paper says that there was such a "
        "preliminary evaluation, and no more.",
        reduce_terms,
        reductions,
        figures.show_terms,
    ),
    Experiment(
        "figures-9-10",
        "What do constraints gain, with all classes known and with some unknown?",
        "Labels on 1 to 30 random documents of each known class, five samples, give all "
        "triplets of the hierarchy over them; HAC, iHAC, biHAC and biiHAC cluster all "
        "documents under the same ones. The H-correlation (equation 8) is that of all documents, "
        "the F-score that of those without labels. Setting (1): all classes are known; (2): one "
        "leaf class is not; (3): one subtree of the top level is not.",
        compare,
        comparisons,
        figures.show_comparisons,
        Challenge(
            problems,
            ("triplets",),
            MEASURES,
            panels=("collection", "setting"),
            x="per_class",
            of_texts=True,
        ),
    ),
    Experiment(
        "learning",
        "How are weights learned, and with which learning rate?",
        "50 runs of biHAC, no matter whether the error falls, in setting (1): the paper's rate of "
        "5 with fewer and more labels, and with more labels other rates and the paper's order of "
        "updates. Five samples of labels.",
        learn,
        learnings,
        figures.show_learning,
    ),
)
