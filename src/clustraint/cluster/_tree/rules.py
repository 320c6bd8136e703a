"""Clusters of a tree described by few conditions."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from clustraint.cluster._tree.arrays import Tree
from clustraint.cluster._tree.boxes import Box, Cells, NumericAxis, Space, Span
from clustraint.cluster._tree.conditions import Condition, NominalCondition, NumericCondition
from clustraint.constraints import Constraints
from clustraint.constraints.atoms import Atom
from clustraint.exceptions import ClustraintError
from clustraint.tables import Schema
from clustraint.typing import BoolArray, FloatArray, IntArray
from clustraint.wording import counted


@dataclass(frozen=True)
class Conjunction:
    """Conditions that hold together for some samples of a cluster, at most one for each column.

    Attributes
    ----------
    conditions : tuple of NumericCondition and NominalCondition
        In the order of the columns; without any, all samples are meant.
    n_samples : int
        For how many samples of `fit` they all hold.
    coverage : float
        The share of all samples that these are.

    Examples
    --------
    >>> x, y = NumericCondition(0, "x", lower=2), NumericCondition(1, "y", upper=0.5, missing=True)
    >>> both = Conjunction((x, y), n_samples=3, coverage=0.1)
    >>> print(both)
    x > 2 and (y <= 0.5 or y is missing)
    >>> both.formula
    'x > 2 and (y <= 0.5 or y is missing)'
    """

    conditions: tuple[Condition, ...]
    n_samples: int
    coverage: float

    @property
    def formula(self) -> str:
        """The conjunction as a formula that `Rule` reads; empty without conditions."""
        if len(self.conditions) == 1:
            return self.conditions[0].formula
        return " and ".join(
            condition.formula if len(condition.alternatives) == 1 else f"({condition.formula})"
            for condition in self.conditions
        )

    def __str__(self) -> str:
        if len(self.conditions) == 1:
            return str(self.conditions[0])
        texts = [
            str(condition) if len(condition.alternatives) == 1 else f"({condition})"
            for condition in self.conditions
        ]
        return " and ".join(texts) or "always"


@dataclass(frozen=True)
class ClusterDescription:
    """Which samples a tree puts into a cluster, told by few conditions on their columns.

    Attributes
    ----------
    cluster : int, or what a given cluster is called
        The cluster's label.
    conjunctions : tuple of Conjunction
        A sample belongs to the cluster if one of them holds, that of most samples first. They may
        overlap.
    n_samples : int
        How many samples of `fit` are in the cluster.
    coverage : float
        The share of all samples that these are.
    violated : Constraints
        Of what was given, the must-links that leave the cluster and the cannot-links inside it.
    precision : float or None
        Where given clusters are explained: the share of the samples described that are in the given
        cluster; nan if there are none.
    recall : float or None
        Likewise, the share of the given cluster that is described.

    Notes
    -----
    The conjunctions are the leaves of the cluster made simple: bounds that others imply are left
    out, each conjunction is widened up to the thresholds and values where leaves of other clusters
    begin, and conjunctions are left out that others cover. Together they are the cluster exactly,
    not only on the samples of `fit`.

    Nothing is said of where missing values go in a column that had none in `fit`. `covers` knows
    this, too; conjunctions, texts and formulas hold for none.

    Examples
    --------
    >>> from clustraint import Rule
    >>> tree = Tree([4, 3, -1, -1, -1], [1, 2, -1, -1, -1], [1, 0, -2, -2, -2],
    ...             [103.5, 113.5, -2, -2, -2], (None,) * 5, [False] * 5, [4, 3, 1, 2, 1],
    ...             [0] * 5, [[0, 0]] * 5, [-1, -1, 1, 0, 1])
    >>> X = np.array([[120.0, 110], [100, 110], [101, 120], [90, 80]])
    >>> columns = Schema(("X", "Y"), (None, None))
    >>> first, second = describe(tree, columns, X, Constraints(4, cannot_link=[(0, 3)]))
    >>> print(second)
    cluster 1: 2 of 4 samples (50 %)
      X > 113.5 (1 sample)
      or Y <= 103.5 (1 sample)
      violates 1 cannot-link
    >>> second.formula
    'X > 113.5 or Y <= 103.5'
    >>> Rule(second.formula).scope(X, feature_names=["X", "Y"])
    array([ True, False, False,  True])
    """

    cluster: Any
    conjunctions: tuple[Conjunction, ...]
    n_samples: int
    coverage: float
    violated: Constraints
    precision: float | None = None
    recall: float | None = None
    _columns: Schema = field(repr=False, default=Schema((), ()))
    _tree: Tree | None = field(repr=False, compare=False, default=None)
    _label: int = field(repr=False, default=-1)

    @property
    def formula(self) -> str:
        """The description as a formula that `Rule` reads, true for the samples of the cluster."""
        texts = dict.fromkeys(conjunction.formula for conjunction in self.conjunctions)
        if texts and "" not in texts:
            return " or ".join(texts)
        name = self._columns.names[0]
        connective = " or " if texts else " and "
        return connective.join([Atom(name, "!=").text, Atom(name, "==").text])

    def covers(self, X: Any) -> BoolArray:
        """Return which samples the description holds for.

        Parameters
        ----------
        X : DataFrame or array of shape (n_samples, n_features)
            Samples with the columns of `fit`.

        Returns
        -------
        bool ndarray of shape (n_samples,)
            True for the samples that the tree puts into the cluster.

        Examples
        --------
        >>> tree = Tree([2, -1, -1], [1, -1, -1], [0, -2, -2], [3.5, -2, -2], (None,) * 3,
        ...             [True, False, False], [5, 2, 3], [1, 0, 0], [[3], [7], [1]], [-1, 0, 1])
        >>> columns = Schema(("x0",), (None,))
        >>> first, second = describe(tree, columns, np.array([[1.0], [7.0]]), Constraints(2))
        >>> first.covers(np.array([[0.0], [9.0], [np.nan]]))
        array([False,  True,  True])
        """
        if self._tree is None:
            raise ClustraintError("only a description that belongs to a tree tells what it covers.")
        reached = self._tree.apply(self._columns.encode(X))
        return np.asarray(self._tree.label[reached] == self._label)

    def __str__(self) -> str:
        total = self.violated.n_samples
        # Of a given cluster, its rules may tell more samples or fewer than it has.
        whose = "" if self.precision is None else ", by its rules"
        head = f"cluster {self.cluster}{whose}: {self.n_samples:,} of {counted(total, 'sample')}"
        lines = [f"{conj} ({counted(conj.n_samples, 'sample')})" for conj in self.conjunctions]
        lines = ["or " * (place > 0) + line for place, line in enumerate(lines)] or ["never"]
        lines += self._quality()
        return f"{head} ({self.coverage:.0%})\n".replace("%", " %") + textwrap.indent(
            "\n".join(lines), "  "
        )

    def _quality(self) -> list[str]:
        """Return what else is to be said, each in a line."""
        lines = []
        if self.violated.n_constraints:
            kinds = {"must-link": self.violated.must_link, "cannot-link": self.violated.cannot_link}
            counts = [counted(len(rows), kind) for kind, rows in kinds.items() if len(rows)]
            lines.append(f"violates {' and '.join(counts)}")
        if self.precision is not None and self.recall is not None:
            lines.append(f"precision {self.precision:.3g}, recall {self.recall:.3g}")
        return lines


def holds_for(conjunctions: Sequence[Conjunction], values: FloatArray) -> BoolArray:
    """Return for which encoded samples one of some conjunctions holds.

    Examples
    --------
    >>> high = Conjunction((NumericCondition(0, "x", lower=3),), 1, 0.5)
    >>> holds_for([high], np.array([[1.0], [4.0]]))
    array([False,  True])
    """
    holds = np.zeros(len(values), bool)
    for conjunction in conjunctions:
        holds |= _all_hold(conjunction.conditions, values)
    return holds


def _all_hold(conditions: Sequence[Condition], values: FloatArray) -> BoolArray:
    # Most samples fail one of the first conditions, and are not asked for the others.
    rows = np.arange(len(values))
    for condition in conditions:
        rows = rows[condition.holds(values[rows, condition.feature])]
    holds = np.zeros(len(values), bool)
    holds[rows] = True
    return holds


def describe(
    tree: Tree,
    columns: Schema,
    values: FloatArray,
    constraints: Constraints,
    clusters: IntArray | None = None,
) -> list[ClusterDescription]:
    """Describe each cluster of a tree.

    Parameters
    ----------
    tree : Tree
        The tree.
    columns : Schema
        Its columns.
    values : float64 ndarray of shape (n_samples, n_features)
        The samples of `fit`, as `Schema.read` gives them.
    constraints : Constraints
        What was given about them.
    given : int64 ndarray of shape (n_samples,), optional
        The clusters that the tree is to explain, in the numbers of ``tree.label``.

    Returns
    -------
    list of ClusterDescription
        By label.

    Examples
    --------
    >>> tree = Tree([-1], [-1], [-2], [-2], (None,), [False], [2], [0], [[1.5]], [0])
    >>> (all_of_them,) = describe(tree, Schema(("x",), (None,)), np.ones((2, 1)), Constraints(2))
    >>> all_of_them.conjunctions, all_of_them.formula
    ((Conjunction(conditions=(), n_samples=2, coverage=1.0),), 'x is known or x is missing')
    """
    space = Space(tree, columns)
    labels = tree.label[tree.apply(values)]
    descriptions = []
    for label in np.unique(tree.label[tree.leaves]).tolist():
        members = labels == label
        precision, recall = None, None
        if clusters is not None:
            precision, recall = _agreement(members, clusters == label)
        description = ClusterDescription(
            tree.name_of(label),
            _conjunctions(space, label, columns, values),
            int(members.sum()),
            float(members.mean()),
            _violated(constraints, members),
            precision,
            recall,
            columns,
            tree,
            label,
        )
        descriptions.append(description)
    return descriptions


def _agreement(described: BoolArray, wanted: BoolArray) -> tuple[float, float]:
    both = int((described & wanted).sum())
    precision, recall = (
        both / total if (total := int(mask.sum())) else float("nan") for mask in (described, wanted)
    )
    return precision, recall


def _violated(constraints: Constraints, members: BoolArray) -> Constraints:
    must, cannot = members[constraints.must_link], members[constraints.cannot_link]
    return constraints.take(
        must_link=np.flatnonzero(must[:, 0] != must[:, 1]),
        cannot_link=np.flatnonzero(cannot.all(axis=1)),
    )


def _conjunctions(
    space: Space, cluster: int, columns: Schema, values: FloatArray
) -> tuple[Conjunction, ...]:
    conjunctions = []
    for box in space.description(cluster):
        conditions = _conditions(space, box, columns)
        n_samples = int(_all_hold(conditions, values).sum())
        conjunctions.append(Conjunction(conditions, n_samples, n_samples / len(values)))
    return tuple(sorted(conjunctions, key=lambda conjunction: -conjunction.n_samples))


def _conditions(space: Space, box: Box, columns: Schema) -> tuple[Condition, ...]:
    return tuple(
        _numeric(feature, columns, space.axes[feature], part)
        if isinstance(part, Span)
        else _nominal(feature, columns, part)
        for feature, part in box.items()
    )


def _numeric(feature: int, columns: Schema, axis: NumericAxis, part: Span) -> NumericCondition:
    bounds = np.concatenate(([-np.inf], axis.thresholds, [np.inf]))
    has_values = part.first < part.stop
    return NumericCondition(
        feature,
        columns.names[feature],
        float(bounds[part.first]) if has_values else -np.inf,
        float(bounds[part.stop]) if has_values else -np.inf,
        part.missing,
    )


def _nominal(feature: int, columns: Schema, part: Cells) -> NominalCondition:
    levels = columns.levels[feature] or ()
    return NominalCondition(
        feature,
        columns.names[feature],
        tuple(level for code, level in enumerate(levels) if code in part),
        tuple(level for code, level in enumerate(levels) if code not in part),
        tuple(code for code in range(len(levels)) if code in part),
        len(levels) in part,
        len(levels) + 1 in part,
    )
