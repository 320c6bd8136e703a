"""Which constraints a clustering satisfies and which it violates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from clustraint.constraints import KINDS, RULE_KINDS, Constraints, Rule
from clustraint.exceptions import ClustraintError
from clustraint.rows import ChunkedLabels, Rows, as_rows, is_chunked, map_chunks
from clustraint.typing import IntArray
from clustraint.wording import html_table


@dataclass(frozen=True)
class KindReport:
    """Which constraints of one kind are satisfied and which are violated.

    Attributes
    ----------
    total : int
        How many there are.
    rows : int64 ndarray of shape (violated,)
        Which of them are violated: row numbers, or places in `Constraints.rules`.
    samples : dict of int to int64 ndarray
        For rules: by place, the samples that are not where the rule wants them.

    Examples
    --------
    >>> from clustraint import Constraints
    >>> report = constraint_satisfaction(Constraints(3, must_link=[(0, 1), (1, 2)]), [0, 0, 1])
    >>> report["must_link"].total, report["must_link"].violated, report["must_link"].rows
    (2, 1, array([1]))
    """

    total: int
    rows: IntArray
    samples: Mapping[int, IntArray]

    @property
    def violated(self) -> int:
        """How many are violated."""
        return len(self.rows)

    @property
    def satisfied(self) -> int:
        """How many are satisfied."""
        return self.total - self.violated


class ConstraintReport(Mapping[str, KindReport]):
    """Which constraints are satisfied and which are violated: a `KindReport` for each kind.

    Parameters
    ----------
    constraints : Constraints
        All constraints.
    kinds : dict of str to KindReport
        The report on each kind that there is.

    Examples
    --------
    >>> from clustraint import Constraints
    >>> c = Constraints.from_names(["dog", "wolf", "trout"], must_link=[("dog", "wolf")],
    ...                            cannot_link=[("dog", "trout")])
    >>> constraint_satisfaction(c, [0, 0, 0])
    ConstraintReport(must_link: 1 of 1 satisfied; cannot_link: 0 of 1 satisfied)
    >>> constraint_satisfaction(c, [0, 0, 0]).violated
    Constraints(3 samples: 1 cannot-link)
    """

    def __init__(self, constraints: Constraints, kinds: Mapping[str, KindReport]) -> None:
        self.constraints = constraints
        self._kinds = dict(kinds)

    def __getitem__(self, kind: str) -> KindReport:
        return self._kinds[kind]

    def __iter__(self) -> Iterator[str]:
        return iter(self._kinds)

    def __len__(self) -> int:
        return len(self._kinds)

    @property
    def violated(self) -> Constraints:
        """The constraints that are violated."""
        rows: dict[str, Any] = {k: r.rows for k, r in self._kinds.items() if not KINDS[k].is_rule}
        places = [place for kind in RULE_KINDS if kind in self for place in self[kind].rows]
        rules = [self.constraints.rules[place] for place in sorted(places)]
        return self.constraints.take(**rows, rules=rules)

    @property
    def all_satisfied(self) -> bool:
        """Whether nothing is violated."""
        return not any(report.violated for report in self._kinds.values())

    def __repr__(self) -> str:
        parts = [f"{k}: {r.satisfied} of {r.total} satisfied" for k, r in self._kinds.items()]
        return f"ConstraintReport({'; '.join(parts) or 'no constraints'})"

    def _repr_html_(self) -> str:
        rows = [
            (KINDS[kind].plural, f"{each.total:,}", f"{each.satisfied:,}", f"{each.violated:,}")
            for kind, each in self._kinds.items()
        ]
        headings = ["kind", "constraints", "satisfied", "violated"]
        table = html_table("Constraints: satisfied and violated", headings, rows)
        # What is violated is the part that somebody wants to read.
        return table if self.all_satisfied else table + self.violated._repr_html_()


def constraint_satisfaction(
    constraints: Constraints,
    labels: ArrayLike,
    X: Any = None,
    feature_names: Sequence[str] | None = None,
) -> ConstraintReport:
    """Say which constraints a clustering satisfies.

    A triplet ab|c is violated if c shares a cluster with one of a and b but not with both.
    A `together` rule is violated if its samples are in several clusters, an `exactly` rule also if
    others are with them.

    Parameters
    ----------
    constraints : Constraints
        The constraints.
    labels : array-like of shape (n_samples,)
        The cluster of each sample. Of labels that are not computed yet, as of rows in chunks, only
        those of samples that pairs and triplets are about are, unless there are rules.
    X : DataFrame, array, sparse matrix, Rows or dask collection, optional
        The data of shape (n_samples, n_features), needed for rules.
    feature_names : sequence of str, optional
        Names of the columns of an array, see `Rule.scope`.

    Returns
    -------
    ConstraintReport
        By kind, what is satisfied and violated.

    Examples
    --------
    >>> from clustraint import Constraints
    >>> c = Constraints(4, must_link=[(0, 1)], triplets=[(0, 1, 2), (0, 2, 3)])
    >>> constraint_satisfaction(c, [0, 0, 1, 1])
    ConstraintReport(must_link: 1 of 1 satisfied; triplets: 1 of 2 satisfied)
    """
    clusters = _as_clusters(labels)
    is_lazy = not isinstance(clusters, np.ndarray)
    if clusters.shape != (constraints.n_samples,):
        raise ClustraintError(
            f"labels must be one for each of {constraints.n_samples} samples, but have the shape "
            f"{clusters.shape}."
        )
    mentioned = constraints.mentioned
    few = np.asarray(clusters[mentioned])
    kinds = {}
    for kind, links in constraints.links.items():
        violated = KINDS[kind].violated
        if len(links.rows) and violated is not None:
            members = few[np.searchsorted(mentioned, links.rows)]
            kinds[kind] = KindReport(len(links.rows), np.flatnonzero(violated(members)), {})
    if constraints.rules:
        if X is None:
            raise ClustraintError("rules are about attributes: give the data as X.")
        if is_lazy and is_chunked(X):
            astray = _astray_in_chunks(constraints.rules, clusters, as_rows(X), feature_names)
        else:
            whole = np.asarray(clusters)
            astray = [
                _astray(rule, whole, np.asarray(rule.scope(X, feature_names)))
                for rule in constraints.rules
            ]
        kinds |= _rule_reports(constraints.rules, astray)
    return ConstraintReport(constraints, kinds)


def satisfaction_score(
    constraints: Constraints,
    labels: ArrayLike,
    X: Any = None,
    feature_names: Sequence[str] | None = None,
) -> float:
    """Return which share of constraints a clustering satisfies, every kind counting the same.

    Few large clusters satisfy must-links, many small ones cannot-links; the mean of both shares is
    high for neither, so that it can be used to choose the number of clusters.

    Parameters
    ----------
    constraints, labels, X, feature_names
        As for `constraint_satisfaction`.

    Returns
    -------
    float
        From 0 to 1; nan without constraints. Pairs and triplets count by their weights. A triplet
        counts half if its samples are in one cluster or in three.

    Examples
    --------
    >>> from clustraint import Constraints
    >>> c = Constraints(4, must_link=[(0, 1)], cannot_link=[(0, 2), (1, 2), (1, 3)])
    >>> satisfaction_score(c, [0, 0, 1, 1]), satisfaction_score(c, [0, 1, 2, 3])
    (1.0, 0.5)
    """
    report = constraint_satisfaction(constraints, labels, X, feature_names)
    shares = []
    for kind, each in report.items():
        holds = np.ones(each.total)
        weights = constraints.links[kind].weights if kind in constraints.links else holds.copy()
        if kind == "triplets":
            mentioned = constraints.mentioned
            few = np.asarray(_as_clusters(labels)[mentioned])
            a, b, c = few[np.searchsorted(mentioned, constraints.triplets)].T
            holds[~((a == b) & (a != c))] = 0.5
        if kind in constraints.links:
            holds[each.rows] = 0
        else:
            holds[: each.violated] = 0
        shares.append(np.average(holds, weights=weights))
    return float(np.mean(shares)) if shares else float("nan")


def _as_clusters(labels: Any) -> Any:
    """Return labels as an array, those that are not computed yet as they are."""
    is_lazy = isinstance(labels, ChunkedLabels) or hasattr(labels, "__dask_graph__")
    return labels if is_lazy else np.asarray(labels)


def _rule_reports(rules: Sequence[Rule], astray: Sequence[IntArray]) -> dict[str, KindReport]:
    reports = {}
    for kind in RULE_KINDS:
        places = [place for place, rule in enumerate(rules) if rule.kind == kind]
        if places:
            violated = {place: astray[place] for place in places if len(astray[place])}
            reports[kind] = KindReport(len(places), np.array([*violated], np.int64), violated)
    return reports


def _astray_in_chunks(
    rules: Sequence[Rule], labels: Any, rows: Rows, feature_names: Sequence[str] | None
) -> list[IntArray]:
    """Return the same by two looks at each chunk, so that only counts and what is astray travel."""
    scopes = [rule.scope(rows, feature_names) for rule in rules]
    counts: list[Counter[int]] = [Counter() for _ in rules]
    for part in map_chunks(_counted_scopes, labels, *scopes):
        for total, count in zip(counts, part, strict=True):
            total.update(count)
    # Of clusters with equally many, the lowest is the main one, as in memory.
    homes = [min(count, key=lambda c: (-count[c], c)) if count else None for count in counts]
    step = partial(_astray_step, homes, [rule.exactly for rule in rules])
    parts = map_chunks(step, labels, *scopes)
    starts = np.cumsum([0, *(length for length, _ in parts)])
    return [
        np.concatenate(
            [each[place] + start for start, (_, each) in zip(starts, parts, strict=False)]
        )
        for place in range(len(rules))
    ]


def _counted_scopes(labels: IntArray, *scopes: NDArray[np.bool_]) -> list[dict[int, int]]:
    parts = (np.unique(np.asarray(labels)[scope], return_counts=True) for scope in scopes)
    return [dict(zip(*(each.tolist() for each in part), strict=True)) for part in parts]


def _astray_step(
    homes: Sequence[int | None],
    exactly: Sequence[bool],
    labels: IntArray,
    *scopes: NDArray[np.bool_],
) -> tuple[int, list[IntArray]]:
    each = zip(homes, exactly, scopes, strict=True)
    return len(labels), [
        _outside(np.asarray(labels) == home, scope, is_exact) for home, is_exact, scope in each
    ]


def _astray(rule: Rule, clusters: NDArray[Any], scope: NDArray[np.bool_]) -> IntArray:
    """Return the samples that are outside the rule's main cluster, or in it and not wanted."""
    if not scope.any():
        return np.empty(0, np.int64)
    candidates, counts = np.unique(clusters[scope], return_counts=True)
    return _outside(clusters == candidates[np.argmax(counts)], scope, rule.exactly)


def _outside(is_home: NDArray[np.bool_], scope: NDArray[np.bool_], is_exact: bool) -> IntArray:
    return np.flatnonzero((scope & ~is_home) | (is_home & ~scope & is_exact))
