"""Clusters of binary samples that rules hold together or keep apart."""

from __future__ import annotations

from math import comb
from typing import NamedTuple

import numpy as np

from clustraint.checks import as_generator, check_whole_number
from clustraint.constraints import Rule
from clustraint.exceptions import InvalidParameterError
from clustraint.typing import BoolArray, IntArray, RandomState

ONES = 0.3
SPREAD = (0.1, 0.5)
PARTNER_DISTANCE = 0.1
REDRAWS = 500
# Literals that are inverted at random until a sample is in no foreign scope, before giving up.
INVERSIONS = 10_000
ROWS_AT_ONCE = 10_000


class RuleClusters(NamedTuple):
    """Samples, their clusters and rules about them, of `make_rule_clusters`.

    Parameters
    ----------
    X : ndarray of bool of shape (n_samples, n_attributes)
        The samples; attributes are called ``x0``, ``x1``, … as in the rules.
    y : ndarray of int64 of shape (n_samples,)
        The cluster of each sample. Rule number c is about cluster c.
    rules : tuple of Rule
        One rule for each constrained cluster, true of all its samples and of no other.

    Examples
    --------
    >>> data = make_rule_clusters(random_state=0)
    >>> data.X.shape, len(data.rules)
    ((1000, 100), 4)
    """

    X: BoolArray
    y: IntArray
    rules: tuple[Rule, ...]


class _RulePlan(NamedTuple):
    """Medoids of all clusters; attributes and values of each rule's literals."""

    medoids: BoolArray
    attributes: IntArray
    values: BoolArray


def make_rule_clusters(
    n_samples: int = 1000,
    n_clusters: int = 20,
    n_attributes: int = 100,
    n_literals: int = 4,
    n_constrained: int = 4,
    *,
    exactly: bool = False,
    spread: tuple[float, float] = SPREAD,
    random_state: RandomState = None,
) -> RuleClusters:
    """Draw binary samples around medoids, and a rule for each of the first clusters.

    The generator of section IV.A of Schmidt, Brändle and Kramer (2011), "Clustering with
    attribute-level constraints", with its parameters in brackets.

    Parameters
    ----------
    n_samples : int, default=1000
        Number of samples [I].
    n_clusters : int, default=20
        Number of clusters [k]. That of a sample is drawn uniformly, so that a cluster of few may
        be empty.
    n_attributes : int, default=100
        Number of binary attributes [A].
    n_literals : int, default=4
        Number of literals in each rule [F].
    n_constrained : int, default=4
        Number of clusters that have a rule [C]; they are the first.
    exactly : bool, default=False
        False: clusters that rules hold *together* as their samples are far apart. True: clusters
        that rules must tell *exactly* from the one that each overlaps.
    spread : tuple of two numbers, default=(0.1, 0.5)
        How many attributes of a medoid are inverted at most in a sample of its cluster, first if
        the cluster has no rule and then if it has one: a share of the attributes as a float, a
        number of them as an int. The paper says 0.1 and 0.5; ``(10, 50)``, which is the same at
        its default of 100 attributes, agrees better with what it prints for others.
    random_state : int, RandomState, Generator or None, default=None
        The same seed gives the same data.

    Returns
    -------
    RuleClusters
        `X`, `y` and `rules`.

    Raises
    ------
    InvalidParameterError
        If a number is out of range, or if no samples are found outside of all foreign rules.

    Notes
    -----
    The paper's text leaves much open. Here:

    - An attribute of a medoid is 1 with probability 0.3. The rule of a cluster is a conjunction of
      `n_literals` random attributes with its medoid's values, negated literals included. No two
      rules are about the same attributes, so that no scope lies within another.
    - A sample is its medoid with t distinct attributes inverted, t uniform from 0 to what `spread`
      says (in a constrained cluster at most all but the rule's). Attributes of its own rule are
      never inverted.
    - It is drawn again, 500 times at most, while a foreign rule is true of it; then literals of
      such rules, none of them its own, are inverted at random until none is.
    - With `exactly`, the medoid of a constrained cluster is that of an unconstrained one (where
      there is none, of an earlier one) with a random tenth of the attributes, and those of the
      rule, inverted: the two overlap.

    Examples
    --------
    >>> X, y, rules = make_rule_clusters(60, 3, 12, 2, 1, random_state=0)
    >>> rules
    (Rule('not x4 and not x5'),)
    >>> (rules[0].scope(X) == (y == 0)).all().item()
    True
    """
    n_samples = check_whole_number("n_samples", n_samples, least=1)
    k = check_whole_number("n_clusters", n_clusters, least=1)
    n_attributes = check_whole_number("n_attributes", n_attributes, least=1)
    n_constrained = check_whole_number("n_constrained", n_constrained, least=0, most=k)
    n_literals = check_whole_number("n_literals", n_literals, least=1, most=n_attributes)
    if comb(n_attributes, n_literals) < n_constrained:
        wanted = (
            f"at most {comb(n_attributes, n_literals)}, as no two rules may be about the same "
            f"{n_literals} of {n_attributes} attributes"
        )
        raise InvalidParameterError("n_constrained", n_constrained, wanted)
    most = (
        _most_inverted(spread[0], n_attributes),
        min(_most_inverted(spread[1], n_attributes), n_attributes - n_literals),
    )
    rng = as_generator(random_state)
    plan = _draw_plan(k, n_attributes, n_literals, n_constrained, exactly, rng)
    y = rng.integers(k, size=n_samples)
    X = _draw_samples(plan, y, most, rng)
    return RuleClusters(X, y, _rules(plan, bool(exactly)))


def _most_inverted(spread: float, n_attributes: int) -> int:
    """Return the largest number of attributes in which a sample differs from its medoid."""
    is_count = isinstance(spread, (int, np.integer)) and not isinstance(spread, bool)
    if (not is_count and not 0 <= spread <= 1) or spread < 0:
        raise InvalidParameterError("spread", spread, "shares from 0 to 1, or whole numbers from 0")
    return min(int(spread if is_count else spread * n_attributes), n_attributes)


def _draw_plan(
    k: int,
    n_attributes: int,
    n_literals: int,
    n_constrained: int,
    exactly: bool,
    rng: np.random.Generator,
) -> _RulePlan:
    medoids = rng.random((k, n_attributes)) < ONES
    attributes = _draw_attributes(n_attributes, n_literals, n_constrained, rng)
    if exactly:
        _overlap(medoids, attributes, rng)
    return _RulePlan(
        medoids, attributes, np.take_along_axis(medoids[:n_constrained], attributes, 1)
    )


def _draw_attributes(
    n_attributes: int, n_literals: int, n_rules: int, rng: np.random.Generator
) -> IntArray:
    """Return the attributes of each rule, in ascending order, no two rules of the same ones."""
    drawn: dict[tuple[int, ...], None] = {}
    while len(drawn) < n_rules:
        drawn[tuple(sorted(rng.choice(n_attributes, n_literals, replace=False).tolist()))] = None
    return np.array(list(drawn), np.int64).reshape(n_rules, n_literals)


def _overlap(medoids: BoolArray, attributes: IntArray, rng: np.random.Generator) -> None:
    """Move each constrained medoid near that of a partner."""
    k, n_attributes = medoids.shape
    n_constrained = len(attributes)
    for cluster, own in enumerate(attributes):
        least, most = (n_constrained, k) if n_constrained < k else (0, cluster)
        if least == most:
            continue
        moved = rng.choice(n_attributes, int(PARTNER_DISTANCE * n_attributes), replace=False)
        medoids[cluster] = medoids[rng.integers(least, most)]
        medoids[cluster, np.union1d(moved, own)] ^= True


def _draw_samples(
    plan: _RulePlan, y: IntArray, most: tuple[int, int], rng: np.random.Generator
) -> BoolArray:
    X = np.empty((len(y), plan.medoids.shape[1]), bool)
    rows = np.arange(len(y))
    for _ in range(1 + REDRAWS):
        # In parts, as the random numbers take eight times the memory of the samples.
        for start in range(0, len(rows), ROWS_AT_ONCE):
            part = rows[start : start + ROWS_AT_ONCE]
            X[part] = _around(plan, y[part], most, rng)
        rows = rows[_foreign(plan, X[rows], y[rows]).any(axis=1)]
        if not len(rows):
            return X
    for row in rows:
        _leave_foreign_scopes(plan, X[row], int(y[row]), rng)
    return X


def _around(
    plan: _RulePlan, y: IntArray, most: tuple[int, int], rng: np.random.Generator
) -> BoolArray:
    """Return samples of clusters `y`, wherever they may lie."""
    constrained = np.flatnonzero(y < len(plan.attributes))
    limits = np.full(len(y), most[0])
    limits[constrained] = most[1]
    count = rng.integers(limits + 1)
    keys = rng.random((len(y), plan.medoids.shape[1]))
    # A key above all others: attributes of the own rule are never among the `count` lowest.
    keys[constrained[:, np.newaxis], plan.attributes[y[constrained]]] = 2
    lowest = np.sort(keys, axis=1)[np.arange(len(y)), np.maximum(count - 1, 0)]
    inverted = (keys <= lowest[:, np.newaxis]) & (count > 0)[:, np.newaxis]
    return np.asarray(plan.medoids[y] ^ inverted, bool)


def _foreign(plan: _RulePlan, X: BoolArray, y: IntArray) -> BoolArray:
    """Return which rules of other clusters are true of which samples."""
    foreign = np.empty((len(X), len(plan.attributes)), bool)
    for rule, (attributes, values) in enumerate(zip(plan.attributes, plan.values, strict=True)):
        foreign[:, rule] = (X[:, attributes] == values).all(axis=1) & (y != rule)
    return foreign


def _leave_foreign_scopes(
    plan: _RulePlan, sample: BoolArray, cluster: int, rng: np.random.Generator
) -> None:
    """Invert literals of foreign rules until none of these is true of the sample."""
    own = plan.attributes[cluster] if cluster < len(plan.attributes) else np.empty(0, np.int64)
    for _ in range(INVERSIONS):
        rules = np.flatnonzero(_foreign(plan, sample[np.newaxis], np.array([cluster]))[0])
        if not len(rules):
            return
        for rule in rules:
            sample[rng.choice(np.setdiff1d(plan.attributes[rule], own))] ^= True
    raise InvalidParameterError(
        "n_constrained",
        len(plan.attributes),
        f"smaller, or n_attributes={len(sample)} larger: the rules leave no room outside of them",
    )


def _rules(plan: _RulePlan, exactly: bool) -> tuple[Rule, ...]:
    return tuple(
        Rule(
            " & ".join(f"{'' if v else '~'}x{a}" for a, v in zip(attributes, values, strict=True)),
            exactly=exactly,
        )
        for attributes, values in zip(plan.attributes.tolist(), plan.values.tolist(), strict=True)
    )
