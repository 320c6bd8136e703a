"""What follows from constraints."""

from collections import Counter
from functools import cache

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from clustraint import Constraints
from clustraint.exceptions import InconsistentConstraintsError
from tests.contradictions import tables
from tests.reference import build as reference
from tests.strategies_constraints import (
    KINDS,
    all_rows,
    constraint_sets,
    labelled_pairs,
    rows,
)

PAIRS = ("must_link", "cannot_link")
triplet_sets = constraint_sets(max_samples=8, max_size=10, kinds=("triplets",))


@cache
def models(n_samples):
    """Every binary hierarchy and cut, as the rows of each kind that they keep."""
    possible = {kind: all_rows(n_samples, kind) for kind in KINDS}
    kept = []
    for clades in reference.binary_hierarchies(frozenset(range(n_samples))):
        shown = {row for row in possible["triplets"] if reference.displays(clades, row)}
        for cut in reference.cuts(clades, frozenset(range(n_samples))):
            linked = {pair for pair in possible["must_link"] if reference.together(cut, *pair)}
            apart = set(possible["cannot_link"]) - linked
            kept.append(dict(zip(KINDS, (linked, apart, shown), strict=True)))
    return kept


@given(constraint_sets(max_samples=4, max_size=2), st.data())
def test_entails_against_all_hierarchies(constraints, data):
    assume(constraints.is_consistent())
    given_rows = dict(zip(KINDS, map(set, tables(constraints)), strict=True))
    fitting = [
        model
        for model in models(constraints.n_samples)
        if all(given_rows[kind] <= model[kind] for kind in KINDS)
    ]
    assert fitting
    for kind in KINDS:
        for row in all_rows(constraints.n_samples, kind):
            follows = all(row in model[kind] for model in fitting)
            a, b, *others = row
            asked = data.draw(st.sampled_from([(a, b, *others), (b, a, *others)]))
            assert constraints.entails(**{kind: asked}) is follows


@settings(max_examples=20)
@given(constraint_sets(min_samples=5, max_samples=5, max_size=3))
def test_entails_against_all_hierarchies_of_five(constraints):
    assume(constraints.is_consistent())
    given_rows = dict(zip(KINDS, map(set, tables(constraints)), strict=True))
    fitting = [
        model for model in models(5) if all(given_rows[kind] <= model[kind] for kind in KINDS)
    ]
    for kind in KINDS:
        entailed = {row for row in all_rows(5, kind) if constraints.entails(**{kind: row})}
        assert entailed == set.intersection(*(model[kind] for model in fitting))


@given(triplet_sets, st.data())
def test_a_triplet_is_entailed_if_both_rivals_contradict(constraints, data):
    assume(constraints.is_consistent())
    a, b, c = data.draw(st.permutations(range(constraints.n_samples)))[:3]
    rivals = [Constraints(constraints.n_samples, triplets=[row]) for row in ((a, c, b), (b, c, a))]
    expected = not any((constraints | rival).is_consistent() for rival in rivals)
    assert constraints.entails((a, b, c)) is expected
    if constraints.entails((a, b, c)):
        extended = constraints | Constraints(constraints.n_samples, triplets=[(a, b, c)])
        assert extended.is_consistent()


@given(constraint_sets(min_samples=3, max_samples=5, max_size=4))
def test_nothing_more_is_redundant_without_what_is(constraints):
    assume(constraints.is_consistent())
    idle = constraints.redundant()
    rest = {}
    for kind, links in constraints.links.items():
        left = Counter(map(tuple, links.rows.tolist()))
        left.subtract(map(tuple, idle.links[kind].rows.tolist()))
        rest[kind] = list(left.elements()) or None
    kept = Constraints(constraints.n_samples, **rest)
    assert kept.redundant().n_constraints == 0
    for kind, links in idle.links.items():
        assert kept.entails(**{kind: links.rows}).all()


@given(labelled_pairs())
def test_pairs_entail_their_closure_and_no_more(constraints):
    closed = constraints.closure()
    n_samples = constraints.n_samples
    for kind in PAIRS:
        listed = set(map(tuple, getattr(closed, kind).tolist()))
        entailed = {row for row in all_rows(n_samples, kind) if constraints.entails(**{kind: row})}
        assert entailed == listed


def test_what_is_given_is_entailed():
    constraints = Constraints(
        5, must_link=[(0, 1)], cannot_link=[(1, 2)], triplets=[(3, 4, 0)], names=list("abcde")
    )
    assert constraints.entails(must_link=(1, 0))
    assert constraints.entails(cannot_link=(0, 2))
    assert constraints.entails((4, 3, 0))
    assert constraints.entails((0, 1, 2))
    assert not constraints.entails(must_link=(0, 2))
    assert not constraints.entails(cannot_link=(0, 1))
    assert not constraints.entails((3, 0, 4))
    assert constraints.entails(np.array([4, 3, 0]))


@given(constraint_sets(max_samples=6, max_size=4), st.data())
def test_a_table_is_as_its_rows(constraints, data):
    assume(constraints.is_consistent())
    for kind in KINDS:
        table = data.draw(rows(kind, constraints.n_samples, 6))
        expected = [constraints.entails(**{kind: row}) for row in table]
        array = np.array(table, np.int64).reshape(-1, 3 if kind == "triplets" else 2)
        assert constraints.entails(**{kind: array}).tolist() == expected


def test_a_sample_is_with_itself():
    assert Constraints(3, must_link=[(0, 1)]).entails(must_link=(2, 2)) is True
    assert Constraints(3, triplets=[(0, 1, 2)]).entails(must_link=(2, 2)) is True


def test_a_contradiction_entails_nothing():
    constraints = Constraints(3, triplets=[(0, 1, 2), (0, 2, 1)])
    with pytest.raises(InconsistentConstraintsError):
        constraints.entails((0, 1, 2))
