"""The table of kinds says what the rest goes by."""

import inspect

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clustraint import Constraints, Rule
from clustraint.constraints import KINDS, PAIR_KINDS, RULE_KINDS, SAMPLE_KINDS
from clustraint.evaluation import constraint_satisfaction
from clustraint.exceptions import DroppedConstraintWarning, RepeatedSampleError


def test_kinds_are_grouped():
    assert SAMPLE_KINDS == ("must_link", "cannot_link", "triplets")
    assert PAIR_KINDS == ("must_link", "cannot_link")
    assert RULE_KINDS == ("together", "exactly")
    assert tuple(KINDS) == SAMPLE_KINDS + RULE_KINDS
    assert {Rule("milk", exactly=exactly).kind for exactly in (False, True)} == set(RULE_KINDS)


@pytest.mark.parametrize("method", [Constraints.__init__, Constraints.take, Constraints.entails])
def test_every_kind_of_rows_is_an_argument(method):
    assert set(SAMPLE_KINDS) <= set(inspect.signature(method).parameters)


@pytest.mark.parametrize("kind", SAMPLE_KINDS)
def test_rows_and_weights_are_called_by_the_table(kind):
    row = list(range(KINDS[kind].width))
    constraints = Constraints(4, **{kind: [row], KINDS[kind].weights: [2.5]})
    assert getattr(constraints, kind).tolist() == [row]
    assert getattr(constraints, KINDS[kind].weights).tolist() == [2.5]
    assert constraints.kinds == (kind,)
    assert repr(constraints) == f"Constraints(4 samples: 1 {KINDS[kind].noun})"
    assert list(constraints.describe()) == [
        KINDS[kind].describe(f"sample {sample}" for sample in row)
    ]


@pytest.mark.parametrize("kind", SAMPLE_KINDS)
def test_a_sample_twice_in_a_row(kind):
    row = [0] * KINDS[kind].width
    reason = KINDS[kind].why_distinct
    if reason:
        with pytest.raises(RepeatedSampleError, match=reason):
            Constraints(4, **{kind: [row]})
    else:
        with pytest.warns(DroppedConstraintWarning, match=f"{kind} row 0 .* \\(1 such row\\)"):
            assert not Constraints(4, **{kind: [row]}).n_constraints


@given(st.sampled_from(SAMPLE_KINDS), st.permutations(range(5)))
def test_a_constraint_contradicts_its_denials_and_no_other_order(kind, samples):
    row = samples[: KINDS[kind].width]
    constraints = Constraints(5, **{kind: [row]})
    for denial, denied_row in KINDS[kind].denied(row):
        assert not (constraints | Constraints(5, **{denial: [denied_row]})).is_consistent()
    first, second, *others = row
    assert Constraints(5, **{kind: [(second, first, *others)]}) == constraints


@given(st.sampled_from(PAIR_KINDS), st.lists(st.integers(0, 1), min_size=4, max_size=4))
def test_either_a_pair_or_its_denial_is_violated(kind, labels):
    ((denial, row),) = KINDS[kind].denied((0, 1))
    reports = [
        constraint_satisfaction(Constraints(4, **{name: [pair]}), np.array(labels))[name]
        for name, pair in ((kind, (0, 1)), (denial, row))
    ]
    assert sum(report.violated for report in reports) == 1
