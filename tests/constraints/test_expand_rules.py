"""Rules as pairs: they entail what the paper's formulas say."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clustraint import Constraints, Rule
from clustraint.exceptions import (
    ClustraintError,
    InconsistentConstraintsError,
    UnknownAttributeError,
)
from tests.reference.closure import rule_pairs
from tests.strategies_constraints import RULES, members


@given(st.data())
def test_expanded_rules_entail_the_papers_formulas(data):
    n_samples = data.draw(st.integers(1, 7))
    columns = st.lists(st.booleans(), min_size=n_samples, max_size=n_samples)
    frame = pd.DataFrame({name: data.draw(columns) for name in ("milk", "eggs")}).astype(bool)
    frame["legs"] = data.draw(
        st.lists(st.sampled_from([2, 4]), min_size=n_samples, max_size=n_samples)
    )
    rule = data.draw(st.sampled_from(RULES))
    scope = [
        {"milk": milk, "legs is 4": legs == 4, "not milk or eggs": not milk or eggs}[rule.text]
        for milk, eggs, legs in frame.itertuples(index=False)
    ]
    expanded = Constraints(n_samples, rules=[rule]).expand_rules(frame)
    assert expanded.rules == ()
    assert expanded.n_constraints <= n_samples
    closed = expanded.closure()
    must, cannot = rule_pairs(scope, rule.exactly)
    assert set(map(tuple, closed.must_link.tolist())) == must
    assert set(map(tuple, closed.cannot_link.tolist())) == cannot


def test_expanding_joins_with_what_else_is_known():
    X = np.array([[1, 0], [1, 0], [0, 1], [0, 0]])
    constraints = Constraints(
        4,
        cannot_link=[(2, 3)],
        triplets=[(0, 1, 2)],
        rules=[Rule("x0"), Rule("swims", exactly=True)],
        names=["dog", "wolf", "trout", "oak"],
        cannot_link_weights=[3],
    )
    with pytest.raises(UnknownAttributeError, match="'swims'"):
        constraints.expand_rules(X)
    with pytest.raises(ClustraintError, match="constraints are about 4 samples, but X has 3"):
        constraints.expand_rules(X[:3], feature_names=["x0", "swims"])
    expanded = constraints.expand_rules(X, feature_names=["x0", "swims"])
    assert expanded.names == constraints.names
    assert members(expanded) == [
        ("cannot_link", (0, 2), 1),
        ("cannot_link", (1, 2), 1),
        ("cannot_link", (2, 3), 1),
        ("cannot_link", (2, 3), 3),
        ("must_link", (0, 1), 1),
        ("triplets", (0, 1, 2), 1),
    ]


def test_expanding_nothing_and_empty_scopes():
    X = np.zeros((3, 1))
    assert Constraints(3, must_link=[(0, 1)]).expand_rules(X).must_link.tolist() == [[0, 1]]
    for exactly in (False, True):
        rules = [Rule("x0", exactly=exactly)]
        assert Constraints(3, rules=rules).expand_rules(X) == Constraints(3)
    everyone = Constraints(3, rules=[Rule("x0", exactly=True)]).expand_rules(X + 1)
    assert everyone.closure().must_link.tolist() == [[0, 1], [0, 2], [1, 2]]
    assert len(everyone.cannot_link) == 0


def test_overlapping_exact_rules_contradict_each_other():
    X = np.array([[1, 0], [1, 1], [0, 1]])
    rules = [Rule("x0", exactly=True), Rule("x1", exactly=True)]
    with pytest.raises(InconsistentConstraintsError):
        Constraints(3, rules=rules).expand_rules(X).check()
