"""What a report is about, gathered from data, labels or a fitted estimator, and knowledge."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from clustraint.checks import check_names, encode_labels
from clustraint.cluster import ClusteringTree
from clustraint.constraints import Constraints
from clustraint.evaluation import ConstraintReport, constraint_satisfaction
from clustraint.exceptions import (
    ClustraintError,
    DifferentSamplesError,
    InvalidLabelsError,
    InvalidParameterError,
    NotClusteredError,
)
from clustraint.hierarchy import Hierarchy
from clustraint.reports._data import Data, read_data
from clustraint.reports._words import short
from clustraint.typing import IntArray


@dataclass(frozen=True)
class Subject:
    """All that a report tells of.

    Attributes
    ----------
    data : Data
        The samples.
    labels : int64 ndarray of shape (n_samples,)
        The place of each sample's cluster in `clusters`, -1 for none.
    clusters : tuple
        What the clusters are called.
    names : tuple of str, or None
        What the samples are called.
    outcome : ConstraintReport
        The knowledge, and what became of it.
    hierarchy : Hierarchy or None
        The hierarchy that the clusters are a cut of.
    tree : ClusteringTree or None
        The tree whose leaves the clusters are.
    estimator : estimator or None
        What made the clusters.
    """

    data: Data
    labels: IntArray
    clusters: tuple[Hashable, ...]
    names: tuple[str, ...] | None
    outcome: ConstraintReport
    hierarchy: Hierarchy | None
    tree: ClusteringTree | None
    estimator: Any

    @property
    def n_samples(self) -> int:
        """How many samples there are."""
        return self.data.n_samples

    @property
    def constraints(self) -> Constraints:
        """The knowledge."""
        return self.outcome.constraints

    @property
    def sizes(self) -> IntArray:
        """How many samples each cluster has."""
        return np.bincount(self.labels[self.labels >= 0], minlength=len(self.clusters))

    def name_of(self, sample: int) -> str:
        """Return what a sample is called, on one line."""
        return f"sample {sample}" if self.names is None else short(self.names[sample])

    def cluster_name(self, cluster: int) -> str:
        """Return what a cluster is called, on one line."""
        return f"cluster {short(self.clusters[cluster], 40)}" if cluster >= 0 else "no cluster"


def gather(
    X: Any,
    labels_or_estimator: Any,
    constraints: Constraints | None,
    names: Sequence[str] | None,
    feature_names: Sequence[str] | None,
    hierarchy: Any,
    tree: Any,
) -> Subject:
    """Return what `report` was asked to report on, or raise where the parts do not fit."""
    estimator = labels_or_estimator if hasattr(labels_or_estimator, "fit") else None
    given = labels_or_estimator if estimator is None else _labels_of(estimator)
    data = read_data(X, _feature_names(X, feature_names, estimator))
    labels, clusters = _encoded(given)
    _check_size("labels", len(labels), data)
    outcome = _outcome(constraints, labels, estimator, X, data)
    _check_size("constraints", outcome.constraints.n_samples, data)
    hierarchy = _hierarchy(hierarchy, estimator)
    if hierarchy is not None:
        _check_size("hierarchy", hierarchy.n_samples, data)
    known = outcome.constraints.names or (hierarchy.names if hierarchy else None)
    checked = check_names(names, data.n_samples) or known
    return Subject(
        data, labels, clusters, checked, outcome, hierarchy, _tree(tree, estimator, data), estimator
    )


def _labels_of(estimator: Any) -> Any:
    labels = getattr(estimator, "labels_", None)
    if labels is None:
        raise NotClusteredError(type(estimator).__name__)
    return labels


def _feature_names(X: Any, given: Sequence[str] | None, estimator: Any) -> Sequence[str] | None:
    """Return the names given, or those that the estimator saw for an array that has lost them."""
    if given is not None or hasattr(X, "columns"):
        return given
    seen = getattr(estimator, "feature_names_in_", None)
    return None if seen is None or len(seen) != np.shape(X)[1] else [str(name) for name in seen]


def _encoded(given: Any) -> tuple[IntArray, tuple[Hashable, ...]]:
    """Return clusters in the order of their names, where these have one."""
    codes, found = encode_labels(given, "labels")
    if not found:
        raise InvalidLabelsError("labels must name a cluster for at least one sample.")
    try:
        order = sorted(range(len(found)), key=found.__getitem__)  # type: ignore[arg-type]
    except TypeError:
        order = list(range(len(found)))
    place = np.empty(len(found) + 1, np.int64)
    place[order], place[-1] = np.arange(len(found)), -1
    return place[codes], tuple(found[code] for code in order)


def _check_size(what: str, size: int, data: Data) -> None:
    if size != data.n_samples:
        raise DifferentSamplesError(
            f"X has {data.n_samples:,} sample{'s' * (data.n_samples != 1)} and {what} "
            f"{'is' if what == 'hierarchy' else 'are'} about {size:,}"
        )


def _outcome(
    constraints: Constraints | None, labels: IntArray, estimator: Any, X: Any, data: Data
) -> ConstraintReport:
    if constraints is None:
        known = getattr(estimator, "constraint_report_", None)
        if isinstance(known, ConstraintReport):
            return known
        constraints = Constraints(data.n_samples)
    if not isinstance(constraints, Constraints):
        raise ClustraintError(
            f"constraints must be a Constraints object, but is {type(constraints).__name__}."
        )
    _check_size("constraints", constraints.n_samples, data)
    names = None if hasattr(X, "columns") else data.columns.names
    return constraint_satisfaction(constraints, _apart(labels), X, names)


def _apart(labels: IntArray) -> IntArray:
    """Return labels in which a sample without a cluster shares that with no other."""
    return np.where(labels < 0, -1 - np.arange(len(labels)), labels)


def _hierarchy(given: Any, estimator: Any) -> Hierarchy | None:
    if given is None:
        given = getattr(estimator, "hierarchy_", None)
    if given is None or isinstance(given, Hierarchy):
        return given
    if isinstance(given, np.ndarray):
        return Hierarchy.from_linkage(given)
    raise InvalidParameterError("hierarchy", given, "a Hierarchy or a linkage matrix")


def _tree(given: Any, estimator: Any, data: Data) -> ClusteringTree | None:
    if given is None:
        given = estimator if isinstance(estimator, ClusteringTree) else None
    if given is None:
        return None
    if not isinstance(given, ClusteringTree) or not hasattr(given, "tree_"):
        raise InvalidParameterError("tree", given, "a fitted ClusteringTree")
    if given.tree_.n_features != data.n_features:
        raise ClustraintError(
            f"tree knows {given.tree_.n_features} columns, but X has {data.n_features}."
        )
    if given._columns.levels != data.columns.levels:
        raise ClustraintError(
            "tree was grown on nominal columns with other values than X has; give the same X."
        )
    return given
