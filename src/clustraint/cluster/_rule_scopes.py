"""Which rules hold for which samples, and which clusters that leaves them."""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse.csgraph import connected_components

from clustraint.checks import encode_labels
from clustraint.constraints import Constraints, Rule
from clustraint.exceptions import (
    EmptyScopeError,
    EmptyScopeWarning,
    LinkedLabelsError,
    OverlappingRulesError,
)
from clustraint.tables import Columns
from clustraint.typing import BoolArray, IntArray


class Scopes(NamedTuple):
    """The scopes of all rules; samples in the same ones have one *pattern*.

    Attributes
    ----------
    pattern : int32 ndarray of shape (n_samples,)
        The pattern of each sample.
    covers : bool ndarray of shape (n_patterns, n_rules)
        Which rules hold for the samples of a pattern.
    sizes, first : int64 ndarray of shape (n_patterns,)
        How many samples have a pattern, and the first that has it.
    exactly : bool ndarray of shape (n_rules,)
        Which rules are `exactly` rules.
    """

    pattern: NDArray[np.int32]
    covers: BoolArray
    sizes: IntArray
    first: IntArray
    exactly: BoolArray

    @classmethod
    def from_rules(
        cls, rules: Sequence[Rule], columns: Columns, groups: Sequence[BoolArray] = ()
    ) -> Scopes:
        """Evaluate rules on a table; `groups` are scopes of further `together` rules.

        Examples
        --------
        >>> from clustraint.tables import read_columns
        >>> columns = read_columns(np.array([[1, 0], [1, 1], [0, 1], [1, 0]]))
        >>> scopes = Scopes.from_rules([Rule("x0"), Rule("x1")], columns)
        >>> scopes.covers[scopes.pattern]
        array([[ True, False],
               [ True,  True],
               [False,  True],
               [ True, False]])
        """
        pattern = np.zeros(len(columns), np.int32)
        covers = np.zeros((1, 0), np.bool_)
        for scope in (*(rule.scope(columns) for rule in rules), *groups):
            split = 2 * pattern + scope
            occurs = np.bincount(split, minlength=2 * len(covers)) > 0
            halves = np.flatnonzero(occurs)
            covers = np.column_stack((covers[halves // 2], halves % 2 == 1))
            pattern = (np.cumsum(occurs, dtype=np.int32) - np.int32(1))[split]
        first = np.zeros(len(covers), np.int64)
        first[pattern[::-1]] = np.arange(len(pattern))[::-1]
        sizes = np.bincount(pattern, minlength=len(covers))
        exactly = np.array([rule.exactly for rule in rules] + [False] * len(groups), np.bool_)
        return cls(pattern, covers, sizes, first, exactly)

    @property
    def is_free(self) -> BoolArray:
        """Which patterns are in the scope of no rule."""
        return np.asarray(~self.covers.any(axis=1))

    def open_clusters(self, rule_clusters: IntArray, n_clusters: int) -> tuple[IntArray, IntArray]:
        """Return which clusters samples of each pattern may join.

        Those of the `exactly` rules that hold for it, else those of the `together` rules, else all
        that no `exactly` rule owns.

        Parameters
        ----------
        rule_clusters : int64 ndarray of shape (n_rules,)
            The cluster that each rule owns, or -1.
        n_clusters : int
            How many clusters there are.

        Returns
        -------
        start, clusters : int64 ndarray
            Pattern p leaves ``clusters[start[p]:start[p + 1]]``, in rising order.
        """
        owns = rule_clusters[:, np.newaxis] == np.arange(n_clusters)
        choices = np.tile(~owns[self.exactly].any(axis=0), (len(self.covers), 1))
        for kind in (~self.exactly, self.exactly):
            ruled = self.covers[:, kind].astype(np.int64) @ owns[kind] > 0
            choices = np.where(ruled.any(axis=1, keepdims=True), ruled, choices)
        start = np.concatenate(([0], np.cumsum(choices.sum(axis=1))))
        return start, np.nonzero(choices)[1]


class LabelGroups(NamedTuple):
    """Samples of one label, as `together` rules about a column of labels.

    Attributes
    ----------
    masks : list of bool ndarray of shape (n_samples,)
        The samples of each label.
    rules : list of Rule
        What messages call them.
    """

    masks: list[BoolArray]
    rules: list[Rule]

    @classmethod
    def from_labels(cls, y: ArrayLike | None) -> LabelGroups:
        """Return a group for each label, none where there are no labels.

        Examples
        --------
        >>> LabelGroups.from_labels(["a", None, "b"]).rules
        [Rule('label is a'), Rule('label is b')]
        """
        if y is None:
            return cls([], [])
        classes, names = encode_labels(y)
        rules = [Rule(f"label == {json.dumps(str(name))}") for name in names]
        return cls([classes == place for place in range(len(names))], rules)

    def check_apart(self, units: Units, stated: Constraints) -> None:
        """Raise if rules make samples of two labels one group."""
        own = units.of_rule[len(stated.rules) - len(self.rules) :]
        for place, unit in enumerate(own):
            if unit in own[:place]:
                first = self.rules[int(np.flatnonzero(own == unit)[0])]
                linking = [
                    rule
                    for rule, other in zip(stated.rules, units.of_rule, strict=True)
                    if other == unit and rule not in self.rules
                ]
                raise LinkedLabelsError(first, self.rules[place], stated.take(rules=linking))


class Units(NamedTuple):
    """Rules that act as one: a `together` rule within an `exactly` one, or merged ones.

    Attributes
    ----------
    of_rule : int64 ndarray of shape (n_rules,)
        The unit of each rule, -1 if its scope is empty; units are in the order of their rules.
    exactly : bool ndarray of shape (n_units,)
        Which units are `exactly` ones.
    holds : bool ndarray of shape (n_patterns, n_units)
        Which units hold for the samples of a pattern.
    """

    of_rule: IntArray
    exactly: BoolArray
    holds: BoolArray

    @property
    def is_own(self) -> BoolArray:
        """Which patterns are in the scope of a unit and no other, (n_patterns, n_units)."""
        return np.asarray(self.holds & (self.holds.sum(axis=1, keepdims=True) == 1))

    @property
    def in_exactly(self) -> BoolArray:
        """Which patterns are in the scope of an `exactly` unit, (n_patterns,)."""
        return np.asarray(self.holds[:, self.exactly].any(axis=1))

    def of_rules(self, clusters: IntArray) -> IntArray:
        """Return the cluster of each rule, from those of the units; -1 for an empty scope."""
        return np.append(clusters, -1)[self.of_rule]


def find_units(
    scopes: Scopes, constraints: Constraints, overlap: str, joined: BoolArray | None = None
) -> Units:
    """Return which rules act as one, or say what is wrong with them.

    `joined` says which pairs of rules must-links make one, besides.

    Warns
    -----
    EmptyScopeWarning
        Of a `together` rule that holds for no sample.

    Raises
    ------
    EmptyScopeError
        For an `exactly` rule that holds for no sample.
    OverlappingRulesError
        For two `exactly` rules with a common sample, or a `together` rule that is partly within.
    """
    counts = scopes.covers.astype(np.int64)
    shared = counts.T @ counts
    _tell_empty(constraints, np.diag(shared) == 0)
    _refuse_overlaps(scopes, constraints, shared)
    same = _act_as_one(shared, scopes.exactly, overlap)
    return _units(scopes, same if joined is None else same | joined)


def _tell_empty(constraints: Constraints, is_empty: BoolArray) -> None:
    for place in np.flatnonzero(is_empty):
        rule = constraints.rules[place]
        if rule.exactly:
            raise EmptyScopeError(rule)
        warnings.warn(EmptyScopeWarning(rule), stacklevel=7)


def _refuse_overlaps(scopes: Scopes, constraints: Constraints, shared: IntArray) -> None:
    """Raise where a rule shares a sample with an `exactly` rule within which it does not lie."""
    exactly = scopes.exactly
    lies_within = (shared == np.diag(shared)[:, np.newaxis]) & ~exactly[:, np.newaxis]
    wrong = (shared > 0) & exactly & ~lies_within
    np.fill_diagonal(wrong, False)
    if not wrong.any():
        return
    first, second = (int(place) for place in np.argwhere(wrong)[0])
    in_first, in_second = scopes.covers[:, first], scopes.covers[:, second]
    raise OverlappingRulesError(
        constraints.rules[first],
        constraints.rules[second],
        _name_of_first(scopes, constraints, in_first & in_second),
        constraints.take(rules=[constraints.rules[first], constraints.rules[second]]),
        "" if exactly[first] else _name_of_first(scopes, constraints, in_first & ~in_second),
    )


def _name_of_first(scopes: Scopes, constraints: Constraints, patterns: BoolArray) -> str:
    return constraints.name_of(int(scopes.first[patterns].min()))


def _act_as_one(shared: IntArray, exactly: BoolArray, overlap: str) -> BoolArray:
    """Return which pairs of rules act as one; `shared` counts their common patterns."""
    if overlap == "merge":
        return shared > 0
    size = np.diag(shared)
    equal = (shared == size) & (shared == size[:, np.newaxis])
    return np.asarray(((shared > 0) & exactly) | equal)


def _units(scopes: Scopes, same: BoolArray) -> Units:
    places = np.flatnonzero(scopes.covers.any(axis=0))
    _, component = connected_components(same, directed=False)
    _, first, unit = np.unique(component[places], return_index=True, return_inverse=True)
    of_rule = np.full(len(same), -1)
    of_rule[places] = np.argsort(np.argsort(first))[unit]
    is_in = of_rule[:, np.newaxis] == np.arange(len(first))
    holds = scopes.covers.astype(np.int64) @ is_in > 0
    return Units(of_rule, is_in[scopes.exactly].any(axis=0), holds)
