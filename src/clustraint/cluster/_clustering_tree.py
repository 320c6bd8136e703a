"""Clustering trees under must-links and cannot-links (ClusILC)."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar, Literal, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils.validation import (
    _check_sample_weight,
    _num_samples,
    check_is_fitted,
    validate_data,
)

from clustraint.base import ConstrainedClusterer
from clustraint.checks import check_choice, check_number, check_whole_number, encode_labels
from clustraint.cluster._noise import NoiseMixin
from clustraint.cluster._tree.captions import NodeCaption, captions_of
from clustraint.cluster._tree.explain import Limits, explain
from clustraint.cluster._tree.export import export_text
from clustraint.cluster._tree.history import history
from clustraint.cluster._tree.leaves import SplitProblem
from clustraint.cluster._tree.links import GroupLinks
from clustraint.cluster._tree.nodes import Node, from_search, to_arrays
from clustraint.cluster._tree.prospects import TOLERANCE
from clustraint.cluster._tree.rules import ClusterDescription, describe
from clustraint.cluster._tree.search import Options, Search
from clustraint.cluster._tree.targets import TargetTable
from clustraint.constraints import Constraints
from clustraint.exceptions import InvalidLabelsError, InvalidParameterError
from clustraint.machine import Footprint
from clustraint.tables import Schema, has_columns, validate_table
from clustraint.typing import FloatArray

Labels: TypeAlias = NDArray[np.int32]


class _Described(NamedTuple):
    """What rules tell of: samples, what was given about them, and clusters to be explained."""

    values: FloatArray
    constraints: Constraints
    clusters: NDArray[np.int64] | None = None


class ClusteringTree(NoiseMixin, ConstrainedClusterer):
    """A decision tree whose leaves are clusters, so that each cluster has a readable description.

    After Struyf and Džeroski, Clustering trees with instance level constraints, ECML 2007
    (ClusILC). Must-links and cannot-links are soft: the tree is grown to lower

        H = (1 - gamma) · variance within leaves + gamma · share of violated constraints,

    where the variance is relative to that of all samples, and constraints are counted with all that
    they entail. Leaves of the same label are one cluster, which may thus have any shape.
    Categories, texts and truth values of a DataFrame are nominal; nan and None are missing values.

    Parameters
    ----------
    n_clusters : int, default=2
        The most labels that the tree may use.
    gamma : float in [0, 1], default=0.5
        What constraints count against the variance.
    min_samples_leaf : int, default=2
        The fewest samples of a leaf.
    label_reuse : {"linked", "any"}, default="linked"
        Which labels of other leaves the sides of a split may take. "linked": those of samples that
        a must-link ties to one of theirs, as the authors' program does; the first split is made
        even if it raises H. "any": all, as the paper says, which overgrows: every leaf may go on to
        be split as long as the variance falls.
    max_leaves : int, optional
        The most leaves; by default there is no such limit.
    max_depth : int, optional
        The most tests on the way to a leaf.
    min_improvement : float, default=0.0
        By how much more than this a split has to lower H.
    beam_width : int, default=1
        How many trees are refined side by side. 1 is the paper's greedy search; more take longer
        and give a tree of the same H or a lower one.
    noise : {"raise", "repair", "doubt"}, default="raise"
        What to do about constraints that contradict each other: raise an error that shows them, or
        drop some of small weight, which `dropped_` holds. "doubt" first drops those that a
        `ConstrainedMixture` takes for rather wrong than right.

    Attributes
    ----------
    labels_ : int32 ndarray of shape (n_samples,)
        The cluster of each sample. A number is missing among them if the search gave up a label.
    tree_ : Tree
        The nodes as arrays, laid out like scikit-learn's.
    rules_ : list of ClusterDescription
        For each cluster, in which cases a sample belongs to it.
    heuristic_ : float
        H of the tree.
    history_ : list of Refinement
        The splits in the order in which they were made, with H after each.
    constraint_report_ : ConstraintReport
        Of the constraints that were given, which are satisfied and which are violated.
    dropped_ : Constraints
        What `noise` left out.
    fidelity_ : float
        Only after `explain`: the share of samples that the tree puts into their given clusters.
    n_features_in_, feature_names_in_
        As scikit-learn defines them.

    Raises
    ------
    TableColumnError
        If a column of a DataFrame is neither numeric nor nominal.

    Notes
    -----
    *The search* (figures 2 to 4 of the paper). Each round looks at every leaf, every column and
    every test ``x > v``, v half-way between two neighbouring values, and makes the split that
    lowers H most. Of splits with the same H (up to 1e-10) the first one counts: leaves depth first
    with the yes-side first, columns in their order, thresholds from large to small. Labels of the
    two sides are chosen one after the other (section 3.3), in both orders; on ties the lowest label
    wins, and one in use before a new one. Both sides always get different labels.

    *Departures from the paper's text*, all but the last two as in the authors' program:

    - ``label_reuse="linked"``; the bound on labels then counts all that were ever opened. A leaf
      that alone has its label gives it up when it is split.
    - Without constraints every leaf opens a label, so that the tree has `n_clusters` leaves.
    - The closure of the constraints is a set. The authors' program counts a cannot-link once for
      each one given that entails it; ``constraints.closure(duplicates="sum")`` does that, since
      constraints that are closed already keep their weights.
    - Nominal columns enter the variance by their Gini index (the paper's plan), and are tested for
      ``a in {…}``: all sets of values if a leaf has up to 6, otherwise those along one order of the
      values, that of their means along the leaf's direction of largest variance. Numeric and
      nominal columns are each taken relative to their variance at the root, and count by the
      number of their columns.
    - A missing value does not enter the variance. In a test it goes with the side on which H is
      lower, and may be a side of its own; if `fit` saw none there, with the larger side.

    *Cost.* Columns are sorted once. The variance of a split is computed once in a leaf's life;
    afterwards only the splits that can be best are looked at again, and only if the label of a
    sample changes to which a constraint of the leaf leads. Constraints are counted by must-link
    component, so that what they entail is never listed.

    Examples
    --------
    >>> import pandas as pd
    >>> from clustraint import ClusteringTree, Constraints
    >>> X = pd.DataFrame({"size": [1.0, 2.0, 3.0, 8.0, 9.0, 9.5], "speed": [5, 5, 1, 1, 5, 5]})
    >>> c = Constraints(6, must_link=[(0, 4)], cannot_link=[(1, 2), (3, 5)])
    >>> model = ClusteringTree(2).fit(X, constraints=c)
    >>> model.labels_
    array([0, 0, 1, 1, 0, 0], dtype=int32)
    >>> for rule in model.rules_:
    ...     print(rule)
    cluster 0: 4 of 6 samples (67 %)
      speed > 3 (4 samples)
    cluster 1: 2 of 6 samples (33 %)
      speed <= 3 (2 samples)
    >>> model.predict(pd.DataFrame({"size": [4.0], "speed": [2]}))
    array([1], dtype=int32)
    """

    constraint_kinds: ClassVar[tuple[str, ...]] = ("must_link", "cannot_link")
    footprint: ClassVar[Footprint] = Footprint(per_value=8, per_sample=40)

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        gamma: float = 0.5,
        min_samples_leaf: int = 2,
        label_reuse: Literal["linked", "any"] = "linked",
        max_leaves: int | None = None,
        max_depth: int | None = None,
        min_improvement: float = 0.0,
        beam_width: int = 1,
        noise: Literal["raise", "repair", "doubt"] = "raise",
    ) -> None:
        self.n_clusters = n_clusters
        self.gamma = gamma
        self.min_samples_leaf = min_samples_leaf
        self.label_reuse = label_reuse
        self.max_leaves = max_leaves
        self.max_depth = max_depth
        self.min_improvement = min_improvement
        self.beam_width = beam_width
        self.noise = noise

    def _check_parameters(self, n_samples: int) -> None:
        for name in ("n_clusters", "min_samples_leaf", "beam_width"):
            check_whole_number(name, getattr(self, name), least=1)
        for name in ("max_leaves", "max_depth"):
            if getattr(self, name) is not None:
                check_whole_number(name, getattr(self, name), least=1)
        check_number("gamma", self.gamma, least=0, most=1)
        check_number("min_improvement", self.min_improvement, least=0)
        check_choice("label_reuse", self.label_reuse, ("linked", "any"))
        self._check_noise()

    def _fit(self, X: Any, constraints: Constraints) -> None:
        self._columns, values = Schema.read(X)
        n_levels = _n_levels(self._columns.levels)
        consistent = self._without_noise(values, constraints, n_levels)
        links = GroupLinks.from_constraints(consistent)
        targets = TargetTable.from_values(values, n_levels)
        tolerance = TOLERANCE / (1 - self.gamma) if self.gamma < 1 else np.inf
        problem = SplitProblem(
            values,
            n_levels,
            targets,
            links,
            links.shares(float(self.gamma)),
            self.min_samples_leaf,
            tolerance,
            split_pure=True,
        )
        grown = Search(problem, self._options(links)).best(self.beam_width)
        self._keep_tree(from_search(grown), problem)
        self.labels_ = self._labels_of(values)
        self.heuristic_ = grown.heuristic
        self.history_ = history(grown.steps(), self._columns)
        self._described = _Described(values, constraints)

    def _options(self, links: GroupLinks) -> Options:
        # Without constraints any label would do as well as a new one, and no cluster would appear.
        any_label = self.label_reuse == "any" and links.has_pairs
        return Options(
            n_clusters=self.n_clusters,
            any_label=any_label,
            max_leaves=self.max_leaves or sys.maxsize,
            max_depth=self.max_depth or sys.maxsize,
            least_improvement=max(float(self.min_improvement), TOLERANCE),
            first_is_free=not any_label,
        )

    def _keep_tree(self, root: Node, problem: SplitProblem, clusters: Sequence[Any] = ()) -> None:
        self.tree_ = to_arrays(root, problem, clusters)
        # What a squared difference counts in the variance, of a number and of a nominal value.
        self._scales = problem.targets.number_scale, problem.targets.code_scale
        self._n_samples = len(problem.values)
        self._names = _as_array(clusters) if clusters else None
        self.__dict__.pop("rules_", None)

    @cached_property
    def rules_(self) -> list[ClusterDescription]:
        """For each cluster, in which cases a sample belongs to it; found when first asked for."""
        if "_described" not in self.__dict__:
            raise AttributeError("rules_ is there after fit or explain.")
        return describe(self.tree_, self._columns, *self._described)

    def __getstate__(self) -> dict[str, Any]:
        # The rules take the place of the samples that they would be found from.
        state: dict[str, Any] = super().__getstate__()
        if "_described" in state:
            state |= {"rules_": self.rules_, "_described": None}
        return state

    def _labels_of(self, values: FloatArray) -> Labels:
        labels = self.tree_.label[self.tree_.apply(values)]
        return labels.astype(np.int32) if self._names is None else self._names[labels]

    def predict(self, X: Any) -> Labels:
        """Return the cluster of the leaf that each sample reaches.

        A nominal value that `fit` did not see fails every test.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        labels : int32 ndarray of shape (n_samples,)

        Examples
        --------
        >>> model = ClusteringTree(2).fit([[0.0], [1.0], [8.0], [9.0]])
        >>> model.predict([[3.0], [7.0]]).tolist()
        [1, 0]
        """
        return self._labels_of(self._encoded(X))

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Return the leaf that each sample reaches, by its number in `tree_`.

        Examples
        --------
        >>> model = ClusteringTree(2).fit([[0.0], [1.0], [8.0], [9.0]])
        >>> model.apply([[3.0], [7.0]]).tolist()
        [2, 1]
        """
        values = self._encoded(X)
        return self.tree_.apply(values)

    def decision_path(self, X: Any) -> Any:
        """Return the nodes that each sample passes, as a CSR matrix of shape (n_samples, n_nodes).

        Examples
        --------
        >>> model = ClusteringTree(2).fit([[0.0], [1.0], [8.0], [9.0]])
        >>> model.decision_path([[3.0], [7.0]]).toarray()
        array([[1, 0, 1],
               [1, 1, 0]])
        """
        values = self._encoded(X)
        return self.tree_.decision_path(values)

    def _score_alone(self, X: Any, sample_weight: ArrayLike | None) -> float:
        """Return minus the variance around the centroids of the leaves that samples reach."""
        values = self._encoded(X)
        away = values - self.tree_.value[self.tree_.apply(values)]
        nominal = _n_levels(self._columns.levels) > 0
        squares = np.where(nominal, self._scales[1] * (away != 0), self._scales[0] * away**2)
        per_sample = np.where(np.isnan(away), 0.0, squares).sum(axis=1)
        weights = _check_sample_weight(sample_weight, values, dtype=np.float64)
        return -float(np.average(per_sample, weights=weights)) * self._n_samples

    def explain(self, X: Any, labels: ArrayLike, *, fidelity: float = 0.95) -> Self:
        """Return a small tree that describes given clusters, whatever method they come from.

        The tree is the smallest one found that puts at least the share `fidelity` of all samples
        into their clusters and has a leaf for each cluster; if none is found, the one that comes
        nearest. Of the parameters, `max_leaves`, `max_depth`, `min_samples_leaf` and `beam_width`
        count; without `max_leaves`, there are at most 20 leaves a cluster.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_samples, n_features)
            The samples, as for `fit`.
        labels : array-like of shape (n_samples,)
            Their clusters. Samples with the label -1, None or nan are left out.
        fidelity : float in (0, 1], default=0.95
            The share of samples to put right.

        Returns
        -------
        explanation : ClusteringTree
            A new one, with `tree_`, `rules_`, `labels_` and `fidelity_`; the labels are the given
            ones. This one stays as it is.

        Raises
        ------
        InvalidLabelsError
            If there is not one label for each sample, or none is known.

        Examples
        --------
        >>> X = [[1.0], [2.0], [3.0], [8.0], [9.0], [7.0]]
        >>> found = ClusteringTree().explain(X, ["low", "low", "low", "high", "high", "high"])
        >>> found.fidelity_
        1.0
        >>> print(found.rules_[0])
        cluster low, by its rules: 3 of 6 samples (50 %)
          x0 <= 5 (3 samples)
          precision 1, recall 1
        """
        check_number("fidelity", fidelity, least=0, most=1)
        explanation: Self = clone(self)
        explanation._check_memory(X)
        samples = explanation._validate(X)
        explanation._check_parameters(_num_samples(samples))
        explanation._explain(samples, labels, float(fidelity))
        return explanation

    def _explain(self, X: Any, labels: ArrayLike, fidelity: float) -> None:
        self._columns, values = Schema.read(X)
        codes, clusters = encode_labels(labels)
        if len(codes) != len(values):
            raise InvalidLabelsError(
                f"labels must be one for each of the {len(values)} samples, but are {len(codes)}."
            )
        labelled = codes >= 0
        if not labelled.any():
            raise InvalidLabelsError("labels must name a cluster for at least one sample.")
        n_levels = _n_levels(self._columns.levels)
        limits = Limits(
            self.max_leaves,
            self.max_depth or sys.maxsize,
            self.min_samples_leaf,
            fidelity,
            self.beam_width,
        )
        samples = np.asfortranarray(values[labelled])
        self._keep_tree(*explain(samples, n_levels, codes[labelled], limits), clusters)
        self.labels_ = self._labels_of(values)
        predicted = self.tree_.label[self.tree_.apply(samples)]
        self.fidelity_ = float(np.mean(predicted == codes[labelled]))
        self._described = _Described(samples, Constraints(len(samples)), codes[labelled])

    @property
    def levels_(self) -> tuple[tuple[Any, ...] | None, ...]:
        """For each column None if it is numeric, otherwise the values that `fit` saw, in order."""
        check_is_fitted(self)
        return self._columns.levels

    def captions(
        self,
        *,
        decimals: int | None = None,
        n_features: int = 0,
        feature_names: Sequence[str] | None = None,
    ) -> list[NodeCaption]:
        """Return what is written on each node of the tree, wherever it is shown.

        Parameters
        ----------
        decimals : int, optional
            Of numbers; six digits by default.
        n_features : int, default=0
            How many columns of its centroid to show at each leaf.
        feature_names : sequence of str, optional
            What to call the columns; by default, as `fit` knew them.

        Returns
        -------
        list of NodeCaption
            In the order of the nodes of `tree_`.

        Examples
        --------
        >>> model = ClusteringTree(2).fit([[0.0], [1.0], [8.0], [9.0]])
        >>> [caption.test or caption.cluster for caption in model.captions(feature_names=["age"])]
        ['age > 4.5', 'cluster 0', 'cluster 1']
        """
        return captions_of(self.tree_, self._columns_as(feature_names), decimals, n_features)

    def _columns_as(self, names: Sequence[str] | None) -> Schema:
        check_is_fitted(self)
        if names is None:
            return self._columns
        if len(names) != self.tree_.n_features:
            rule = f"one name for each of the {self.tree_.n_features} columns"
            raise InvalidParameterError("feature_names", names, rule)
        return self._columns._replace(names=tuple(names))

    def export_text(
        self,
        *,
        decimals: int | None = None,
        max_depth: int | None = None,
        n_features: int = 0,
        feature_names: Sequence[str] | None = None,
    ) -> str:
        """Return the tree as indented text, the side where a test holds first.

        Parameters
        ----------
        decimals : int, optional
            Of numbers; six digits by default.
        max_depth : int, optional
            How many tests below one another to show.
        n_features : int, default=0
            How many columns of its centroid to show at each leaf.
        feature_names : sequence of str, optional
            What to call the columns; by default, as `fit` knew them.

        Examples
        --------
        >>> print(ClusteringTree(2).fit([[0.0], [1.0], [8.0], [9.0]]).export_text())
        x0 > 4.5
        |-- yes: cluster 0 (2 samples)
        |-- no: cluster 1 (2 samples)
        """
        columns = self._columns_as(feature_names)
        return export_text(
            self.tree_, columns, decimals=decimals, max_depth=max_depth, n_features=n_features
        )

    def _encoded(self, X: Any) -> FloatArray:
        check_is_fitted(self)
        return self._columns.encode(self._validate(X, reset=False))

    def _validate(self, X: Any, *, reset: bool = True) -> Any:
        """Return `X` as a frame or an array of float64, with nan for what is masked."""
        if has_columns(X):
            return validate_table(self, X, reset=reset)
        if np.ma.isMaskedArray(X):
            X = np.ma.filled(X.astype(np.float64), np.nan)
        options: dict[str, Any] = {"dtype": np.float64, "ensure_all_finite": "allow-nan"}
        return validate_data(self, X, reset=reset, **options)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags


def _n_levels(levels: tuple[tuple[Any, ...] | None, ...]) -> NDArray[np.int64]:
    """Return how many values each nominal column has, 0 for numeric ones."""
    return np.array([len(values) if values else 0 for values in levels], dtype=np.int64)


def _as_array(clusters: Sequence[Any]) -> NDArray[Any]:
    """Return labels as an array, in which they stay what they are."""
    held = np.empty(len(clusters), dtype=object)
    held[:] = clusters
    plain = len({type(cluster) for cluster in clusters}) == 1 and np.isscalar(clusters[0])
    return np.array(clusters) if plain else held
