"""What each run of biHAC learns: errors, adaptations and weights, run after run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_selection import chi2

from clustraint import Constraints
from clustraint.cluster._bihac_runs import Learning, Run, learned_from, run
from clustraint.cluster._known_triplets import KnownTriplets
from clustraint.cluster._vectors import Vectors, as_vectors
from clustraint.evaluation import h_correlation
from clustraint.typing import FloatArray
from papers._experiment import Record
from papers.bihac.labelling import ALL_CLASSES, Labelling, labelling
from papers.bihac.runs import warm_up
from papers.bihac.texts import Texts, document_frequencies, texts_of

N_RUNS = 50
# Terms whose learned weights are looked at.
N_WATCHED = 100


@dataclass(frozen=True)
class Watched:
    """Terms that are in most documents, and terms that tell most about the class."""

    frequent: NDArray[np.int64]
    telling: NDArray[np.int64]


def learn(
    *, collection: str, per_class: int, rate: float, updates: str, repeat: int
) -> list[Record]:
    """Run biHAC to the last run, whatever its error, and tell about each run."""
    warm_up()
    texts = texts_of(collection)
    labels = labelling(texts, collection, setting=ALL_CLASSES, per_class=per_class, repeat=repeat)
    triplets = known_triplets(labels.constraints)
    terms = watched(texts)
    return [
        {
            "n_constraints": labels.n_ordered,
            **progress(found, texts, labels, triplets),
            **weights_of(found.weights, terms),
        }
        for found in runs(as_vectors(texts.vectors, "cosine"), triplets, rate, updates)
    ]


def known_triplets(constraints: Constraints) -> KnownTriplets:
    """Return the triplets as biHAC takes them, all nodes of their hierarchy weighing equally."""
    return KnownTriplets(len(constraints), *constraints.links["triplets"]).node_weighted()


def runs(vectors: Vectors, triplets: KnownTriplets, rate: float, updates: str) -> Iterator[Run]:
    """Yield the runs of biHAC until one has nothing to learn, but no more than the paper's 50."""
    learning = Learning(rate, "cosine", updates, N_RUNS, N_RUNS)
    weights = np.ones(vectors.shape[1])
    for number in range(N_RUNS):
        found = run(number, vectors, weights, triplets.index)
        yield found
        weights = learned_from(found, vectors, learning)
        if np.array_equal(weights, found.weights):
            return


def progress(
    found: Run, texts: Texts, labels: Labelling, triplets: KnownTriplets
) -> dict[str, Any]:
    """Return errors and adaptations of a run; constraints are counted as the paper does."""
    return {
        "run": found.number,
        "error": triplets.error(found.hierarchy),
        "h_correlation": h_correlation(texts.hierarchy, found.hierarchy, labels.samples),
        "violated": 2 * int((~triplets.displayed(found.hierarchy)).sum()),
        "adaptations": len(found.mistakes),
        "deep_adaptations": deep_mistakes(found, texts, labels),
    }


def deep_mistakes(found: Run, texts: Texts, labels: Labelling) -> int:
    """Count the mistakes between clusters whose labelled documents are of one class each."""
    labelled = np.zeros(len(texts.paths), bool)
    labelled[labels.samples] = True

    def is_of_one_class(node: int) -> bool:
        samples = found.hierarchy.samples_below(node)
        return len(set(texts.paths[samples[labelled[samples]]].tolist())) <= 1

    pairs = found.mistakes[:, [0, 2]].tolist()
    return sum(is_of_one_class(first) and is_of_one_class(second) for first, second in pairs)


def watched(texts: Texts) -> Watched:
    """Return the terms that tell most about the class, and of the others the most frequent."""
    told = np.nan_to_num(chi2(texts.counts > 0, texts.paths)[0])
    telling = np.argsort(-told, kind="stable")[:N_WATCHED]
    others = document_frequencies(texts.counts).copy()
    others[telling] = 0
    return Watched(np.argsort(-others, kind="stable")[:N_WATCHED], telling)


def weights_of(weights: FloatArray, terms: Watched) -> dict[str, Any]:
    """Return what the weights have come to; they started at 1 and are 1 on average."""
    return {
        "frequent_weight": float(weights[terms.frequent].mean()),
        "telling_weight": float(weights[terms.telling].mean()),
        "zero_weights": float((weights == 0).mean()),
        "largest_weight": float(weights.max()),
    }
