"""Figures 9 and 10: HAC, iHAC, biHAC and biiHAC under the same constraints."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from clustraint import IHAC, BiHAC, Constraints, Hierarchy
from clustraint.evaluation import h_correlation, hierarchy_f_score
from papers._experiment import Record
from papers._guests import Problem
from papers._timing import timed
from papers.bihac.labelling import Labelling, labelling
from papers.bihac.texts import Texts, texts_of

METHODS = ("HAC", "iHAC", "biHAC", "biiHAC")


def compare(*, collection: str, setting: int, per_class: int, repeat: int) -> list[Record]:
    """Cluster a collection by all four methods and judge them on its unlabelled documents."""
    warm_up()
    texts = texts_of(collection)
    labels = labelling(texts, collection, setting=setting, per_class=per_class, repeat=repeat)
    return [
        {
            "method": method,
            "unknown": labels.unknown,
            "n_constraints": labels.n_ordered,
            **scores(texts, hierarchy, labels),
            **details,
        }
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


def clusterings(
    X: csr_array, constraints: Constraints
) -> Iterator[tuple[str, Hierarchy, dict[str, Any]]]:
    """Yield the methods, what each has found, and what it took."""
    plain, seconds = fitted(IHAC(), X, None)
    yield "HAC", plain.hierarchy_, {"cpu": seconds}
    enforced, seconds = fitted(IHAC(), X, constraints)
    yield "iHAC", enforced.hierarchy_, {"cpu": seconds, **enforcement(enforced)}
    learned, seconds = fitted(BiHAC(), X, constraints)
    yield "biHAC", learned.hierarchy_, {"cpu": seconds, **learning(learned)}
    both, more = fitted(IHAC(), reweighted(X, learned.feature_weights_), constraints)
    yield "biiHAC", both.hierarchy_, {"cpu": seconds + more, **enforcement(both)}


def fitted(model: Any, X: csr_array, constraints: Constraints | None) -> tuple[Any, float]:
    """Fit a model and tell the CPU time it took."""
    return timed(lambda: model.fit(X, constraints=constraints))


def reweighted(X: csr_array, weights: Any) -> csr_array:
    """Return vectors whose cosine is the weighted cosine of the given ones.

    iHAC on these is biiHAC, and the weights need not be learned a second time.
    """
    return csr_array(X.multiply(np.sqrt(weights)[np.newaxis]))


def enforcement(model: IHAC) -> dict[str, Any]:
    """Tell how often no merge was left that violates nothing."""
    return {"dead_ends": len(model.violating_merges_)}


def learning(model: BiHAC) -> dict[str, Any]:
    """Tell what the runs came to."""
    return {
        "runs": model.n_iter_,
        "kept_run": model.best_iter_,
        "first_adaptations": model.history_["n_adaptations"][0],
        "last_adaptations": model.history_["n_adaptations"][-1],
        "first_error": model.history_["error"][0],
        "kept_error": model.history_["error"][model.best_iter_],
    }


def scores(texts: Texts, hierarchy: Hierarchy, labels: Labelling) -> dict[str, Any]:
    """Return the measures of section 5.2 on unlabelled documents."""
    estimates = hierarchy_f_score(texts.hierarchy, hierarchy, labels.samples)
    unknown = [each.f for each in estimates.per_class if is_within(each.name, labels.unknown)]
    return {
        "h_correlation": h_correlation(texts.hierarchy, hierarchy, labels.samples),
        "h_all": h_correlation(texts.hierarchy, hierarchy),
        "leaf_f": estimates.leaf,
        "higher_f": estimates.higher,
        "unknown_f": float(np.mean(unknown)) if unknown else None,
    }


def is_within(name: str, path: str | None) -> bool:
    """Tell whether a class is one of a given class's own."""
    return path is not None and f"{name}/".startswith(f"{path}/")


@cache
def warm_up() -> None:
    """Compile the kernels, once for a process, so that no clock runs over it."""
    X = csr_array(np.eye(6) + 0.1)
    constraints = Constraints(6, triplets=[(0, 1, 2), (3, 4, 0)])
    paths = Hierarchy.from_paths(["a/b", "a/b", "a/c", "a/c", "d", "d"])
    for _, hierarchy, _ in clusterings(X, constraints):
        h_correlation(paths, hierarchy, np.array([0]))
        hierarchy_f_score(paths, hierarchy, np.array([0]))
