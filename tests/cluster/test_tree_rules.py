"""Descriptions of clusters: the same samples as the leaves, in fewer and wider conditions."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clustraint import Constraints, Rule
from clustraint.cluster._tree.arrays import Tree
from clustraint.cluster._tree.conditions import NominalCondition, NumericCondition
from clustraint.cluster._tree.rules import describe, holds_for
from clustraint.tables import Schema
from tests.cluster.test_tree_arrays import chain
from tests.strategies_trees import columns, every_sample, frame_of, samples, trees


def tree_of(nested, columns):
    """Build a tree of (column, threshold or codes, yes, no) and, for leaves, labels.

    A fifth member True sends missing values to the yes-side.
    """
    nodes = []

    def add(part):
        place = len(nodes)
        nodes.append(None)
        if isinstance(part, int):
            nodes[place] = (-1, -1, -2, -2.0, None, False, part)
            return place
        feature, test, yes, no, *missing = part
        right = add(yes)
        left = add(no)
        numeric = columns.levels[feature] is None
        test = (test, None) if numeric else (-2.0, tuple(test))
        nodes[place] = (left, right, feature, *test, bool(missing and missing[0]), -1)
        return place

    add(nested)
    left, right, feature, threshold, levels, missing, label = zip(*nodes, strict=True)
    zeros = np.zeros(len(nodes))
    value = np.zeros((len(nodes), len(columns.names)))
    return Tree(left, right, feature, threshold, levels, missing, zeros, zeros, value, label)


def described(nested, columns, values=None, constraints=None, **options):
    values = np.zeros((1, len(columns.names))) if values is None else values
    constraints = constraints or Constraints(len(values))
    return describe(tree_of(nested, columns), columns, values, constraints, **options)


XY = Schema(("X", "Y"), (None, None))
COLOR = Schema(("color", "size"), (("blue", "green", "red"), None))


def formulas(nested, columns):
    return [description.formula for description in described(nested, columns)]


def test_the_example_of_the_paper():
    tree = (1, 103.5, (0, 113.5, 2, 1), 2)
    assert formulas(tree, XY) == ["X <= 113.5 and Y > 103.5", "Y <= 103.5 or X > 113.5"]


def test_implied_bounds_are_left_out():
    tree = (0, 1, (0, 2, (0, 3, 0, 1), 0), 1)
    assert formulas(tree, XY) == ["X > 3 or 1 < X <= 2", "X <= 1 or 2 < X <= 3"]


def test_sibling_leaves_join():
    assert formulas((0, 1, (1, 5, 0, 0), 1), XY) == ["X > 1", "X <= 1"]
    assert formulas((0, 1, 0, 0), XY) == ["X is known or X is missing"]


def test_neighbouring_leaves_join_across_the_tree():
    tree = (0, 0, (1, 5, 0, 1), (1, 5, 0, 1))
    assert formulas(tree, XY) == ["Y > 5", "Y <= 5"]


def test_bounds_are_relaxed_to_thresholds_that_still_work():
    tree = (0, 0, (1, 5, 0, 1), (1, 2, 0, 1))
    first, second = formulas(tree, XY)
    assert first == "Y > 5 or X <= 0 and Y > 2"
    assert second == "Y <= 2 or X > 0 and Y <= 5"


def test_levels_join():
    tree = (0, [0], 1, (0, [1], 1, 2))
    assert formulas(tree, COLOR) == [
        "color in {blue, green}",
        "color not in {blue, green}",
    ]
    tree = (0, [0], (1, 3, 0, 1), (0, [1], (1, 3, 0, 1), 2))
    assert formulas(tree, COLOR)[0] == "color in {blue, green} and size > 3"


def test_texts():
    tree = (0, [0, 2], (1, 3, (1, 4, 0, 1), 0), 1)
    values = np.array([[0, 5.0], [0, 3.5], [2, 1], [1, 5], [1, 9]])
    constraints = Constraints(5, must_link=[(0, 1), (3, 4)], cannot_link=[(0, 2), (2, 3)])
    first, second = described(tree, COLOR, values, constraints, clusters=np.array([0, 1, 0, 1, 1]))
    assert str(first) == (
        "cluster 0, by its rules: 2 of 5 samples (40 %)\n"
        "  color in {blue, red} and size > 4 (1 sample)\n"
        "  or color in {blue, red} and size <= 3 (1 sample)\n"
        "  violates 1 must-link and 1 cannot-link\n"
        "  precision 1, recall 1"
    )
    assert str(second).splitlines()[1:] == [
        "  color not in {blue, red} (2 samples)",
        "  or 3 < size <= 4 (1 sample)",
        "  violates 1 must-link",
        "  precision 1, recall 1",
    ]


def test_only_links_that_the_cluster_breaks():
    values = np.array([[0.0, 0], [0, 0], [9, 0], [9, 0]])
    constraints = Constraints(4, must_link=[(0, 1), (0, 2)], cannot_link=[(0, 1), (1, 2), (2, 3)])
    low, high = described((0, 5, 1, 0), XY, values, constraints)
    assert low.violated == Constraints(4, must_link=[(0, 2)], cannot_link=[(0, 1)])
    assert high.violated == Constraints(4, must_link=[(0, 2)], cannot_link=[(2, 3)])


def test_fidelity():
    values = np.array([[0.0, 0], [0, 0], [9, 0], [9, 0]])
    low, high = described((0, 5, 1, 0), XY, values, clusters=np.array([0, 1, 1, 1]))
    assert (low.precision, low.recall) == (0.5, 1.0)
    assert (high.precision, high.recall) == (1.0, pytest.approx(2 / 3))
    (only,) = described(0, XY, values)
    assert only.precision is None


def test_missing_values_are_mentioned_only_where_some_were():
    tree = (0, 1, 0, 1, True)
    assert formulas(tree, XY) == ["X > 1", "X <= 1"]
    incomplete = XY._replace(missing=("some", "none"))
    assert formulas(tree, incomplete) == ["X > 1 or X is missing", "X <= 1"]
    assert formulas((0, -np.inf, 0, 1), incomplete) == ["X is known", "X is missing"]
    first, second = described((0, -np.inf, 0, (1, 2, 0, 1)), incomplete)
    assert str(first.conjunctions[0]) == "X is known"
    assert str(second.conjunctions[0]) == "X is missing and Y <= 2"


def test_conditions_in_words():
    known = NominalCondition(0, "c", ("a", "b"), (), (0, 1), unseen=True)
    assert str(known) == "c is known"
    assert str(NominalCondition(0, "c", (), ("a",), (), missing=True)) == "c is missing"
    assert str(NominalCondition(0, "c", ("b",), ("a",), (1,), unseen=True)) == "c is not a"
    assert str(NominalCondition(0, "c", (False,), (True,), (0,))) == "not c"
    assert NominalCondition(0, "c", (False, True), (), (0, 1)).formula == "c is known"
    assert str(NumericCondition(0, "x", missing=True, upper=3)) == "x <= 3 or x is missing"


def is_sane(known, values):
    """Whether samples miss no value in a column that had all of them in `fit`."""
    complete = [known.is_complete(feature) for feature in range(len(known.names))]
    return ~np.isnan(values)[:, complete].any(axis=1)


def every_sane_sample(known):
    values = every_sample(known)
    return values[is_sane(known, values)]


@given(st.data())
def test_exactly_the_leaves_on_every_possible_input(data):
    known = data.draw(columns())
    tree = data.draw(trees(known))
    values = every_sample(known)
    labels = tree.label[tree.apply(values)]
    descriptions = describe(tree, known, values, Constraints(len(values)))
    assert [each.cluster for each in descriptions] == np.unique(tree.label[tree.leaves]).tolist()
    frame = frame_of(known, values)
    for description in descriptions:
        members = labels == description.cluster
        assert (description.covers(frame) == members).all()
        assert description.n_samples == members.sum()
        told = holds_for(description.conjunctions, values)
        assert (told == members)[is_sane(known, values)].all()


@given(st.data())
def test_no_conjunction_is_needless(data):
    known = data.draw(columns())
    tree = data.draw(trees(known))
    values = every_sane_sample(known)
    for description in describe(tree, known, values, Constraints(len(values))):
        parts = [holds_for([part], values) for part in description.conjunctions]
        for place, part in enumerate(parts):
            others = np.any([np.zeros(len(values), bool), *parts[:place], *parts[place + 1 :]], 0)
            assert (part & ~others).any()
        n_leaves = (tree.label[tree.leaves] == description.cluster).sum()
        assert len(description.conjunctions) <= n_leaves


@given(st.data())
def test_every_conjunction_is_as_wide_as_can_be(data):
    """Dropping any one condition lets in a sample of another cluster."""
    known = data.draw(columns())
    tree = data.draw(trees(known))
    values = every_sane_sample(known)
    labels = tree.label[tree.apply(values)]
    for description in describe(tree, known, values, Constraints(len(values))):
        for conjunction in description.conjunctions:
            for place in range(len(conjunction.conditions)):
                fewer = list(conjunction.conditions)
                del fewer[place]
                wider = np.all([c.holds(values[:, c.feature]) for c in fewer], axis=0)
                assert (wider & (labels != description.cluster)).any()


@given(st.data())
def test_the_formula_is_a_rule_for_the_same_samples(data):
    known = data.draw(columns())
    tree = data.draw(trees(known))
    values = data.draw(samples(known, missing=False))
    labels = tree.label[tree.apply(values)]
    frame = frame_of(known, values)
    for description in describe(tree, known, values, Constraints(len(values))):
        rule = Rule(description.formula)
        assert (rule.scope(frame) == (labels == description.cluster)).all()
        assert rule.text == description.formula


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_formulas_at_single_precision(frame, global_random_seed):
    """Neighbours of single precision are parted by a number that it does not have."""
    rng = np.random.default_rng(global_random_seed)
    for low in rng.normal(scale=100, size=50).astype(np.float32):
        high = np.nextafter(low, np.float32(np.inf))
        tree = (0, (float(low) + float(high)) / 2, 1, 0)
        X = frame({"x": np.array([low, high])})
        for cluster, each in enumerate(described(tree, Schema(("x",), (None,)))):
            assert Rule(each.formula).scope(X).tolist() == [cluster == 0, cluster == 1]


def test_many_leaves():
    tree = chain(1_000)
    descriptions = describe(tree, Schema(("x",), (None,)), np.zeros((1, 1)), Constraints(1))
    assert sum(len(each.conjunctions) for each in descriptions) == 1_000
    values = np.arange(-1, 1002, 0.5)[:, None]
    labels = tree.label[tree.apply(values)]
    for each in descriptions:
        assert (each.covers(values) == (labels == each.cluster)).all()


def test_pickling_and_equality():
    first, _ = described((0, 1, 0, 1), XY)
    assert pickle.loads(pickle.dumps(first)) == first
    assert first == described((0, 1, 0, 1), XY)[0]
    assert hash(first.conjunctions[0])
