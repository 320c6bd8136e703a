"""Trees as arrays: samples go where a literal walk takes them."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clustraint.cluster._tree.arrays import Tree
from tests.strategies_trees import columns, samples, trees


def walk(tree, row):
    """Return the nodes from the root to the leaf of one sample, by the rules of the docstring."""
    path = [0]
    while tree.children_left[path[-1]] >= 0:
        node = path[-1]
        value = row[tree.feature[node]]
        if np.isnan(value):
            holds = tree.missing_go_to_right[node]
        elif tree.levels[node] is None:
            holds = value > tree.threshold[node]
        else:
            holds = value in tree.levels[node]
        path.append(int((tree.children_right if holds else tree.children_left)[node]))
    return path


@given(st.data())
def test_samples_go_where_a_literal_walk_takes_them(data):
    known = data.draw(columns())
    tree = data.draw(trees(known))
    values = data.draw(samples(known))
    paths = [walk(tree, row) for row in values]
    assert tree.apply(values).tolist() == [path[-1] for path in paths]
    passed = tree.decision_path(values)
    assert passed.shape == (len(values), tree.node_count)
    assert [np.flatnonzero(row).tolist() for row in passed.toarray()] == paths


@given(st.data())
def test_shape_of_a_tree(data):
    tree = data.draw(trees(data.draw(columns())))
    assert tree.node_count == 2 * tree.n_leaves - 1
    assert (tree.label[tree.leaves] >= 0).all()
    assert [tree.path(node)[-1] for node in range(tree.node_count)] == [*range(tree.node_count)]
    assert tree.max_depth == max(len(tree.path(node)) - 1 for node in range(tree.node_count))


def chain(n_leaves):
    """Return a tree in which each test parts off one leaf: x > n, x > n - 1, …."""
    n_nodes = 2 * n_leaves - 1
    inner = np.arange(0, n_nodes - 1, 2)
    left, right, feature = np.full((3, n_nodes), -1)
    feature[:] = -2
    right[inner], left[inner], feature[inner] = inner + 1, inner + 2, 0
    threshold = np.full(n_nodes, -2.0)
    threshold[inner] = np.arange(len(inner))[::-1]
    label = np.where(left < 0, np.arange(n_nodes) % 3, -1)
    nodes = (None,) * n_nodes
    zeros = np.zeros(n_nodes)
    return Tree(left, right, feature, threshold, nodes, zeros, zeros, zeros, zeros[:, None], label)


def test_deep_trees():
    tree = chain(5_000)
    values = np.array([[-1.0], [2500.5], [1e9], [np.nan]])
    assert tree.max_depth == 4_999
    assert tree.apply(values).tolist() == [walk(tree, row)[-1] for row in values]
    assert tree.decision_path(values).sum() == sum(len(walk(tree, row)) for row in values)


def test_immutable_also_when_unpickled():
    tree = chain(3)
    copy = pickle.loads(pickle.dumps(tree))
    assert copy.children_left.tolist() == tree.children_left.tolist()
    assert copy.levels == tree.levels
    for each in (tree, copy):
        with pytest.raises(ValueError, match="read-only"):
            each.threshold[0] = 3
        with pytest.raises(AttributeError):
            each.threshold = None


def test_what_was_given_stays_writable():
    given_label = np.array([0])
    tree = Tree([-1], [-1], [-2], [-2], (None,), [False], [3], [0], [[1]], given_label)
    given_label[0] = 1
    assert tree.label.tolist() == [0]


def test_no_samples():
    assert chain(3).apply(np.empty((0, 1))).shape == (0,)
    assert chain(3).decision_path(np.empty((0, 1))).shape == (0, 5)
