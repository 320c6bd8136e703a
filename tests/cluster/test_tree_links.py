"""Links counted by groups of samples are the closure, listed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clustraint import Constraints
from clustraint.cluster._tree.links import GroupLinks
from clustraint.kernels.refinements import relabel
from tests.strategies_constraints import labelled_pairs


def counted(links, labels, n_labels):
    """How many members of each group have each label, and their cannot-links by label."""
    counts = np.zeros((len(links.size), n_labels), np.int64)
    samples = np.repeat(np.arange(len(labels)), np.diff(links.member_start))
    np.add.at(counts, (links.member_group, labels[samples]), 1)
    return counts, np.stack([links.cannot_weights(column) for column in counts.T], axis=1)


def violated(constraints, labels):
    same = {
        kind: np.equal(*labels[getattr(constraints, kind)].T)
        for kind in ("must_link", "cannot_link")
    }
    must = constraints.must_link_weights[~same["must_link"]]
    return must.sum() + constraints.cannot_link_weights[same["cannot_link"]].sum()


@given(labelled_pairs(2, 9, weighted=True), st.integers(0, 2**32 - 1))
def test_violated_weight_of_the_closure(constraints, seed):
    links = GroupLinks.from_constraints(constraints)
    closed = constraints.closure() if not constraints.is_closed else distinct(constraints)
    assert links.total == pytest.approx(
        closed.must_link_weights.sum() + closed.cannot_link_weights.sum()
    )
    labels = np.random.default_rng(seed).integers(0, 3, constraints.n_samples)
    assert links.violated(*counted(links, labels, 3)) == pytest.approx(violated(closed, labels))


@given(labelled_pairs(2, 9, weighted=True), st.integers(0, 2**32 - 1))
def test_samples_that_get_another_label_are_counted_anew(constraints, seed):
    rng = np.random.default_rng(seed)
    links = GroupLinks.from_constraints(constraints)
    labels = rng.integers(0, 3, constraints.n_samples)
    owner = rng.integers(0, 2, constraints.n_samples)
    rows = np.flatnonzero((labels == 1) & (rng.random(len(labels)) < 0.5))
    counts, cannot = counted(links, labels, 3)
    moving = links.members, links.weight, links.edges
    must, apart = relabel(rows, 1, 2, *moving, counts, cannot, owner, 2)
    # What the moved samples have to do with each leaf, from the side of the leaves.
    moved, near = counted(links, np.where(np.isin(np.arange(len(labels)), rows), 0, 1), 2)
    samples = np.repeat(owner, np.diff(links.member_start))
    for weights, per_group in ((must, links.weight * moved[:, 0]), (apart, near[:, 0])):
        expected = np.bincount(samples, per_group[links.member_group], minlength=2)
        np.testing.assert_allclose(weights, expected)
    labels[rows] = 2
    for array, expected in zip((counts, cannot), counted(links, labels, 3), strict=True):
        np.testing.assert_allclose(array, expected, atol=1e-12)


def distinct(constraints):
    """Closed constraints with each pair once, at its heaviest."""
    parts = {}
    for kind in ("must_link", "cannot_link"):
        pairs = {}
        weights = getattr(constraints, f"{kind}_weights").tolist()
        for pair, weight in zip(getattr(constraints, kind).tolist(), weights, strict=True):
            key = tuple(sorted(pair))
            pairs[key] = max(weight, pairs.get(key, 0))
        parts[kind] = list(pairs)
        parts[f"{kind}_weights"] = list(pairs.values())
    return Constraints(constraints.n_samples, **parts)


@given(st.data())
def test_closed_constraints_keep_any_weights(data):
    constraints = data.draw(labelled_pairs(2, 8)).closure()
    parts = {}
    for kind in ("must_link", "cannot_link"):
        rows = getattr(constraints, kind)
        drawn = st.lists(st.sampled_from([0.5, 1.0, 3.0]), min_size=len(rows), max_size=len(rows))
        parts |= {kind: rows, f"{kind}_weights": data.draw(drawn)}
    weighted = Constraints(constraints.n_samples, **parts)
    links = GroupLinks.from_constraints(weighted)
    labels = np.array(data.draw(st.lists(st.integers(0, 2), min_size=8, max_size=8)))
    labels = labels[: constraints.n_samples]
    assert links.violated(*counted(links, labels, 3)) == pytest.approx(violated(weighted, labels))


def test_a_large_closure_takes_little_room():
    """A million samples in one component entail half a billion pairs, but are one group."""
    n_samples = 10**6
    chain = np.stack([np.arange(n_samples - 1), np.arange(1, n_samples)], axis=1)
    links = GroupLinks.from_constraints(Constraints(n_samples, must_link=chain))
    assert links.size.tolist() == [n_samples]
    assert links.total == n_samples * (n_samples - 1) // 2


def test_no_constraints():
    links = GroupLinks.from_constraints(Constraints(3))
    assert not links.has_pairs
    assert links.total == 0
    assert links.violated(np.zeros((0, 2), np.int64), np.zeros((0, 2))) == 0
