"""What each run of biHAC learns: errors, adaptations and weights, run after run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_selection import chi2

from clustraint import BiHAC
from clustraint.cluster import BiHACRun
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
    *,
    collection: str,
    per_class: int,
    rate: float,
    updates: Literal["joint", "sequential"],
    repeat: int,
) -> list[Record]:
    """Run biHAC to the last run, whatever its error, and tell about each run."""
    warm_up()
    texts = texts_of(collection)
    labels = labelling(texts, collection, setting=ALL_CLASSES, per_class=per_class, repeat=repeat)
    terms = watched(texts)
    model = BiHAC(learning_rate=rate, updates=updates, max_iter=N_RUNS)
    return [
        {
            "n_constraints": labels.n_ordered,
            **progress(run, texts, labels),
            **weights_of(run.weights, terms),
        }
        for run in model.runs(texts.vectors, constraints=labels.constraints)
    ]


def progress(run: BiHACRun, texts: Texts, labels: Labelling) -> dict[str, Any]:
    """Return errors and adaptations of a run; constraints are counted as the paper does."""
    displayed = run.hierarchy.displays(labels.constraints.triplets)
    return {
        "run": run.number,
        "error": run.error,
        "h_correlation": h_correlation(texts.hierarchy, run.hierarchy, labels.samples),
        "violated": 2 * int((~displayed).sum()),
        "adaptations": len(run.mistakes),
        "deep_adaptations": deep_mistakes(run, texts, labels),
    }


def deep_mistakes(run: BiHACRun, texts: Texts, labels: Labelling) -> int:
    """Count the mistakes between clusters whose labelled documents are of one class each."""
    labelled = np.zeros(len(texts.paths), bool)
    labelled[labels.samples] = True

    def is_of_one_class(node: int) -> bool:
        samples = run.hierarchy.samples_below(node)
        return len(set(texts.paths[samples[labelled[samples]]].tolist())) <= 1

    pairs = run.mistakes[:, [0, 2]].tolist()
    return sum(is_of_one_class(first) and is_of_one_class(second) for first, second in pairs)


def watched(texts: Texts) -> Watched:
    """Return the terms that tell most about the class, and of the others the most frequent."""
    explanation = np.nan_to_num(chi2(texts.counts > 0, texts.paths)[0])
    telling = np.argsort(-explanation, kind="stable")[:N_WATCHED]
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
