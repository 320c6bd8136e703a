"""What pictures and pages are about: data, clusters, constraints, hierarchy and tree together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from clustraint.checks import check_names
from clustraint.cluster import ClusteringTree
from clustraint.constraints import Constraints
from clustraint.evaluation import ConstraintReport, constraint_satisfaction
from clustraint.exceptions import (
    ClustraintError,
    DifferentSamplesError,
    InvalidParameterError,
)
from clustraint.hierarchy import Hierarchy
from clustraint.plot._data import Data, read_data
from clustraint.plot._membership import Membership
from clustraint.typing import IntArray
from clustraint.wording import counted, short_text


@dataclass(frozen=True, eq=False)
class Subject:
    """A clustering with its samples and all that is said about them.

    Attributes
    ----------
    data : Data
        The samples.
    members : Membership
        Who is in which cluster.
    satisfaction : ConstraintReport
        The constraints, and which of them the clusters satisfy.
    hierarchy : Hierarchy or None
        The hierarchy that the clusters are a cut of.
    tree : ClusteringTree or None
        The tree whose leaves the clusters are.
    estimator : estimator or None
        What made the clusters.

    Examples
    --------
    >>> from clustraint import ClusteringTree
    >>> from clustraint.plot import Subject
    >>> X = [[0.0], [1.0], [8.0], [9.0]]
    >>> subject = Subject.of(X, ClusteringTree(2).fit(X))
    >>> subject.n_samples, subject.members.sizes, subject.tree
    (4, array([2, 2]), ClusteringTree())
    """

    data: Data
    members: Membership
    satisfaction: ConstraintReport
    hierarchy: Hierarchy | None
    tree: ClusteringTree | None
    estimator: Any

    @classmethod
    def of(
        cls,
        X: Any,
        clusters: Any,
        *,
        constraints: Constraints | None = None,
        names: Sequence[str] | None = None,
        feature_names: Sequence[str] | None = None,
        hierarchy: Any = None,
        tree: Any = None,
        cluster_names: Mapping[Any, str] | None = None,
    ) -> Subject:
        """Return what there is to show, or raise where the parts do not fit each other.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_samples, n_features)
            The samples.
        clusters : array-like of shape (n_samples,), or a fitted estimator
            The cluster of each sample; -1, None and nan are no cluster. Of an estimator its
            `labels_`, and its constraints, hierarchy and tree unless others are given.
        constraints : Constraints, optional
            Statements about the samples.
        names : sequence of str, optional
            What the samples are called; by default, as the constraints or the hierarchy call them.
        feature_names : sequence of str, optional
            What the columns of an array are called.
        hierarchy : Hierarchy or linkage matrix, optional
            What the clusters are a cut of.
        tree : ClusteringTree, optional
            A fitted tree that describes the clusters.
        cluster_names : mapping of label to str, optional
            What the clusters are called.

        Examples
        --------
        >>> from clustraint import Constraints
        >>> from clustraint.plot import Subject
        >>> c = Constraints(3, must_link=[(0, 2)])
        >>> Subject.of([[0.0], [1.0], [8.0]], [0, 0, 1], constraints=c).satisfaction
        ConstraintReport(must_link: 0 of 1 satisfied)
        """
        estimator = clusters if hasattr(clusters, "fit") else None
        data = read_data(X, _feature_names(X, feature_names, estimator))
        members = Membership.of(clusters)
        _check_size("labels", members.n_samples, data)
        satisfaction = _satisfaction(constraints, members.labels, estimator, X, data)
        _check_size("constraints", satisfaction.constraints.n_samples, data)
        hierarchy = hierarchy_of(getattr(estimator, "hierarchy_", None), hierarchy)
        if hierarchy is not None:
            _check_size("hierarchy", hierarchy.n_samples, data)
        others = satisfaction.constraints.names or (hierarchy.names if hierarchy else None)
        members = replace(members, names=check_names(names, data.n_samples) or others)
        if cluster_names is not None:
            titles = (short_text(cluster_names.get(each, "")) for each in members.clusters)
            members = replace(members, titles=tuple(titles))
        return cls(data, members, satisfaction, hierarchy, _tree(tree, estimator, data), estimator)

    @property
    def n_samples(self) -> int:
        """How many samples there are."""
        return self.data.n_samples

    @property
    def constraints(self) -> Constraints:
        """The constraints."""
        return self.satisfaction.constraints


def _feature_names(X: Any, names: Sequence[str] | None, estimator: Any) -> Sequence[str] | None:
    """Return the names, or those that the estimator saw for an array that has lost them."""
    if names is not None or hasattr(X, "columns"):
        return names
    seen = getattr(estimator, "feature_names_in_", None)
    return None if seen is None or len(seen) != np.shape(X)[1] else [str(name) for name in seen]


def _check_size(what: str, size: int, data: Data) -> None:
    if size != data.n_samples:
        raise DifferentSamplesError(
            f"X has {data.n_samples:,} sample{'s' * (data.n_samples != 1)} and {what} "
            f"{'is' if what == 'hierarchy' else 'are'} about {size:,}"
        )


def _satisfaction(
    constraints: Constraints | None, labels: IntArray, estimator: Any, X: Any, data: Data
) -> ConstraintReport:
    if constraints is None:
        report = getattr(estimator, "constraint_report_", None)
        if isinstance(report, ConstraintReport):
            return report
        constraints = Constraints(data.n_samples)
    if not isinstance(constraints, Constraints):
        raise ClustraintError(
            f"constraints must be a Constraints object, but is {type(constraints).__name__}."
        )
    _check_size("constraints", constraints.n_samples, data)
    names = None if hasattr(X, "columns") else data.columns.names
    # A sample without a cluster shares that with no other.
    apart = np.where(labels < 0, -1 - np.arange(len(labels)), labels)
    return constraint_satisfaction(constraints, apart, X, names)


def hierarchy_of(model: Any, hierarchy: Any = None) -> Hierarchy | None:
    """Return a hierarchy, that of a linkage matrix, or the one of the model if there is no other.

    Raises
    ------
    InvalidParameterError
        If it is something else.
    """
    hierarchy = model if hierarchy is None else hierarchy
    if hierarchy is None or isinstance(hierarchy, Hierarchy):
        return hierarchy
    if isinstance(hierarchy, np.ndarray):
        return Hierarchy.from_linkage(hierarchy)
    raise InvalidParameterError("hierarchy", hierarchy, "a Hierarchy or a linkage matrix")


def _tree(tree: Any, estimator: Any, data: Data) -> ClusteringTree | None:
    if tree is None:
        tree = estimator if isinstance(estimator, ClusteringTree) else None
    if tree is None:
        return None
    if not isinstance(tree, ClusteringTree) or not hasattr(tree, "tree_"):
        raise InvalidParameterError("tree", tree, "a fitted ClusteringTree")
    if tree.tree_.n_features != data.n_features:
        raise ClustraintError(
            f"tree knows {counted(tree.tree_.n_features, 'column')}, but X has {data.n_features}."
        )
    if tree.levels_ != data.columns.levels:
        raise ClustraintError(
            "tree was grown on nominal columns with other values than X has; give the same X."
        )
    return tree
