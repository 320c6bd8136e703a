"""HAC, iHAC, biHAC and biiHAC under the same constraints, and how each is scored."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from clustraint import IHAC, BiHAC, Constraints, Hierarchy
from clustraint.cluster import BiHACRun
from clustraint.evaluation import h_correlation, hierarchy_f_score
from papers.bihac.data import Labelling, Texts, is_within

METHODS = HAC, INSTANCE, METRIC, BOTH = "HAC", "iHAC", "biHAC", "biiHAC"
CONSTRAINED = METHODS[1:]


def clusterings(
    X: csr_array, constraints: Constraints
) -> Iterator[tuple[str, Hierarchy, dict[str, Any]]]:
    """Yield each method with its hierarchy and what is to be told of it."""
    yield HAC, IHAC().fit(X).hierarchy_, {}
    enforced = IHAC().fit(X, constraints=constraints)
    yield INSTANCE, enforced.hierarchy_, {"dead_ends": len(enforced.violating_merges_)}
    learned = BiHAC().fit(X, constraints=constraints)
    yield METRIC, learned.hierarchy_, {"runs": learned.n_iter_}
    both = IHAC().fit(reweighted(X, learned.feature_weights_), constraints=constraints)
    yield BOTH, both.hierarchy_, {"dead_ends": len(both.violating_merges_)}


def reweighted(X: csr_array, weights: Any) -> csr_array:
    """Return vectors whose cosine is the weighted cosine of those given.

    iHAC on these is biiHAC, and the weights need not be learned a second time.
    """
    return csr_array(X.multiply(np.sqrt(weights)[np.newaxis]))


def scores(texts: Texts, hierarchy: Hierarchy, labels: Labelling) -> dict[str, Any]:
    """Return the measures of section 5.2: F on unlabelled documents, equation 8 on all as well."""
    estimates = hierarchy_f_score(texts.hierarchy, hierarchy, labels.samples)
    unknown = [each.f for each in estimates.per_class if is_within(each.name, labels.unknown)]
    return {
        "h_all": h_correlation(texts.hierarchy, hierarchy),
        "h_correlation": h_correlation(texts.hierarchy, hierarchy, labels.samples),
        "leaf_f": estimates.leaf,
        "higher_f": estimates.higher,
        "unknown_f": float(np.mean(unknown)) if unknown else None,
    }


def adaptations(run: BiHACRun, texts: Texts, labels: Labelling) -> dict[str, int]:
    """Count the weight adaptations of a run, one for each triple of clusters, as in figure 5.

    Deep ones come from merges of clusters whose labelled documents are of one class each.
    """
    labelled = np.zeros(len(texts.paths), bool)
    labelled[labels.samples] = True

    def is_of_one_class(node: int) -> bool:
        samples = run.hierarchy.samples_below(node)
        return len(set(texts.paths[samples[labelled[samples]]].tolist())) <= 1

    counts = (run.mistakes[:, [1, 3]] >= 0).sum(axis=1)
    merged = run.mistakes[:, [0, 2]].tolist()
    deep = np.array([all(map(is_of_one_class, pair)) for pair in merged], bool)
    return {"adaptations": int(counts.sum()), "deep_adaptations": int(counts[deep].sum())}
