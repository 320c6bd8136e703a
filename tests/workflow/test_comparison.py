"""Methods compared by held-out constraints, none of which follows from the others."""

import io

import numpy as np
import pytest

from clustraint import Constraints, Rule
from clustraint.tables import read_table
from clustraint.workflow import compare
from clustraint.workflow._comparison import interval
from clustraint.workflow._holdout import make_splits

# Two groups by x; y says nothing, but varies much more.
ROWS = [(f"s{i}", i % 2 * 4 + i % 5 / 10, (7 * i) % 12 * 3, "ab"[i % 2]) for i in range(12)]
TABLE = "name,x,y,group\n" + "".join(f"{n},{x},{y},{g}\n" for n, x, y, g in ROWS)


@pytest.fixture
def table():
    return read_table(io.BytesIO(TABLE.encode()), ignore=["group"])


def test_nothing_held_out_follows_from_the_rest(table, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    groups = rng.integers(0, 3, 12)
    constraints = Constraints.from_labels(groups, n_pairs=25, n_triplets=6, random_state=rng)
    splits = make_splits(table, constraints, 5, 0.4, global_random_seed)
    for training, held_out, n_implied in splits:
        total = training.n_constraints + held_out.n_constraints + n_implied
        assert total == constraints.n_constraints
        for pair in held_out.must_link.tolist():
            assert not training.entails(must_link=pair)
        for pair in held_out.cannot_link.tolist():
            assert not training.entails(cannot_link=pair)
        for row in held_out.triplets.tolist():
            assert not training.entails(row)


def test_pairs_without_triplets_are_left_out_by_their_closure(table, global_random_seed):
    constraints = Constraints.from_labels(
        [0, 1, 2] * 4, n_pairs=30, random_state=global_random_seed
    )
    for training, held_out, n_implied in make_splits(
        table, constraints, 5, 0.3, global_random_seed
    ):
        closed = {kind: training.closure().links[kind].rows.tolist() for kind in training.links}
        for kind in ("must_link", "cannot_link"):
            assert not any(row in closed[kind] for row in held_out.links[kind].rows.tolist())
        assert n_implied == constraints.n_constraints - (training | held_out).n_constraints


def test_rules_that_follow_are_not_held_out(table):
    first = np.flatnonzero(table.column("x").values < 2)
    ties = np.stack((first[:-1], first[1:]), axis=1)
    rules = [Rule("x < 2"), Rule("x > 2"), Rule("y < 0")]
    constraints = Constraints(12, must_link=np.repeat(ties, 8, axis=0), rules=rules)
    for split in make_splits(table, constraints, 20, 0.3, 0):
        assert {rule.text for rule in split.held_out.rules} <= {"x > 2"}


def test_intervals_widen_with_the_share_that_is_held_out():
    values = np.array([0.5, 0.7, 0.6, 0.8])
    few, many = interval(values, 0.1), interval(values, 0.5)
    assert few.mean == many.mean == pytest.approx(0.65)
    assert many.low < few.low < few.mean < few.high < many.high
    half = 3.1824463 * np.sqrt((1 / 4 + 0.1 / 0.9) * values.var(ddof=1))
    assert few.high - few.mean == pytest.approx(half)
    assert interval(values[:1], 0.3) == (0.5, 0, 1)


def test_each_step_is_announced(table):
    constraints = Constraints.from_labels([row[3] for row in ROWS], n_pairs=14, random_state=0)
    totals = []
    comparison = compare(
        table,
        constraints,
        2,
        methods=["tree"],
        n_splits=3,
        step=lambda name, total: totals.append(total),
    )
    assert totals == [4] * 4
    assert comparison.best.name == "tree"
    assert comparison.table()[0]["score"] >= 0
