"""What pairs entail: components, and the closure against a literal loop."""

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clustraint import Constraints, Rule, machine
from clustraint.constraints import _closure
from clustraint.exceptions import InconsistentConstraintsError, LargeResultWarning
from tests.reference import closure as reference
from tests.strategies_constraints import constraint_sets, labelled_pairs, members

PAIRS = ("must_link", "cannot_link")

mixed_pairs = constraint_sets(max_size=5, kinds=PAIRS, weighted=True)
good_pairs = labelled_pairs(weighted=True)


def weighted(constraints, kind):
    """The rows of one kind as a dict from pair to weight; no pair may occur twice."""
    rows = list(map(tuple, getattr(constraints, kind).tolist()))
    assert len(set(rows)) == len(rows)
    return dict(zip(rows, getattr(constraints, f"{kind}_weights").tolist(), strict=True))


def reference_closure(constraints, duplicates):
    parts = []
    for kind in PAIRS:
        parts += [getattr(constraints, kind).tolist(), getattr(constraints, f"{kind}_weights")]
    return reference.closure(constraints.n_samples, *parts, duplicates)


def chain(n_links):
    return np.stack((np.arange(n_links), np.arange(1, n_links + 1)), axis=1)


# Components


def test_components_of_a_small_set():
    constraints = Constraints(
        7,
        must_link=[(5, 2), (2, 6), (0, 3)],
        cannot_link=[(6, 4), (3, 2), (0, 5), (4, 5)],
        cannot_link_weights=[1, 2, 4, 8],
    )
    found = constraints.components
    assert found.labels.tolist() == constraints.component_labels.tolist() == [0, 1, 2, 0, 3, 2, 2]
    assert found.n_components == 4
    assert found.cannot_link.tolist() == [[0, 2], [2, 3]]
    assert found.cannot_link_weights.tolist() == [6, 9]


@pytest.mark.parametrize("n_samples", [0, 1, 4])
def test_components_of_nothing(n_samples):
    found = Constraints(n_samples).components
    assert found.labels.tolist() == list(range(n_samples))
    assert found.n_components == n_samples
    assert found.cannot_link.shape == (0, 2)
    assert found.cannot_link_weights.shape == (0,)


@given(good_pairs)
def test_components_against_the_reference(constraints):
    found = constraints.components
    must, cannot = reference_closure(constraints, "drop")
    n_samples = constraints.n_samples
    for a in range(n_samples):
        for b in range(a):
            assert (found.labels[a] == found.labels[b]) == ((b, a) in must)
    firsts = [found.labels.tolist().index(label) for label in range(found.n_components)]
    assert firsts == sorted(firsts)
    assert set(found.labels.tolist()) == set(range(found.n_components))
    apart = {tuple(sorted((found.labels[a], found.labels[b]))) for a, b in cannot}
    assert list(map(tuple, found.cannot_link.tolist())) == sorted(apart)
    assert found.cannot_link_weights.sum() == constraints.cannot_link_weights.sum()


def test_a_long_chain_has_components_but_no_listed_closure():
    n_links = 50_000
    rows = chain(n_links)
    assert Constraints(2, must_link=[(0, 1)]).components.n_components == 1  # compiles
    for order in (slice(None), slice(None, None, -1)):
        constraints = Constraints(n_links + 2, must_link=rows[order], cannot_link=[(9, 50_001)])
        started = time.process_time()
        found = constraints.components
        assert constraints.is_closed is False
        assert time.process_time() - started < 2
        assert found.n_components == 2
        assert found.cannot_link.tolist() == [[0, 1]]
        sizes = {"must_link": 50_001 * 50_000 // 2, "cannot_link": 50_001}
        assert found.closure_sizes == sizes


# Closure


def test_closure_of_a_small_set():
    constraints = Constraints(
        5,
        must_link=[(0, 1), (1, 2)],
        cannot_link=[(2, 3)],
        triplets=[(0, 1, 4)],
        rules=[Rule("milk")],
        names=list("abcde"),
        triplets_weights=[3],
    )
    closed = constraints.closure()
    assert closed.must_link.tolist() == [[0, 1], [0, 2], [1, 2]]
    assert closed.cannot_link.tolist() == [[0, 3], [1, 3], [2, 3]]
    assert closed.triplets.tolist() == [[0, 1, 4]]
    assert closed.triplets_weights.tolist() == [3]
    assert closed.rules == constraints.rules
    assert closed.names == constraints.names


@pytest.mark.parametrize(
    ("duplicates", "must", "cannot"),
    [
        # 0-2 is as strong as the weaker link of 0-1-2; 0-1 is said twice.
        ("drop", {(0, 1): 4, (0, 2): 3, (1, 2): 3}, {(0, 3): 5, (1, 3): 5, (2, 3): 5}),
        ("sum", {(0, 1): 4, (0, 2): 3, (1, 2): 3}, {(0, 3): 7, (1, 3): 7, (2, 3): 7}),
    ],
)
def test_weights_of_the_closure(duplicates, must, cannot):
    constraints = Constraints(
        4,
        must_link=[(0, 1), (1, 0), (1, 2)],
        cannot_link=[(0, 3), (1, 3)],
        must_link_weights=[2, 4, 3],
        cannot_link_weights=[2, 5],
    )
    closed = constraints.closure(duplicates)
    assert weighted(closed, "must_link") == must
    assert weighted(closed, "cannot_link") == cannot


@given(mixed_pairs | good_pairs, st.sampled_from(["drop", "sum"]))
def test_closure_against_the_reference(constraints, duplicates):
    expected = reference_closure(constraints, duplicates)
    if expected is None:
        with pytest.raises(InconsistentConstraintsError):
            constraints.closure(duplicates)
        return
    closed = constraints.closure(duplicates)
    must, cannot = expected
    assert weighted(closed, "must_link") == must
    assert weighted(closed, "cannot_link") == cannot
    assert closed.must_link.tolist() == sorted(map(list, must))
    assert closed.cannot_link.tolist() == sorted(map(list, cannot))


@pytest.mark.slow
def test_closure_against_the_reference_many_times(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    for _ in range(10_000):
        n_samples = int(rng.integers(2, 9))
        labels = rng.integers(0, 4, n_samples)
        constraints = Constraints.from_labels(labels, n_pairs=8, random_state=rng)
        parts = {kind: getattr(constraints, kind) for kind in PAIRS}
        for kind in PAIRS:
            parts[f"{kind}_weights"] = rng.integers(1, 5, len(parts[kind]))
        constraints = Constraints(n_samples, **parts)
        for duplicates in ("drop", "sum"):
            closed = constraints.closure(duplicates)
            must, cannot = reference_closure(constraints, duplicates)
            assert weighted(closed, "must_link") == must
            assert weighted(closed, "cannot_link") == cannot


@given(good_pairs)
def test_closing_twice_adds_nothing(constraints):
    closed = constraints.closure()
    assert closed.is_closed
    assert closed.closure() == closed
    assert constraints.closure("sum").is_closed


@given(good_pairs)
def test_closed_exactly_if_closure_adds_nothing(constraints):
    closed = constraints.closure()
    adds_nothing = all(
        set(weighted(closed, kind)) == set(map(tuple, getattr(constraints, kind).tolist()))
        for kind in PAIRS
    )
    assert constraints.is_closed is adds_nothing


@pytest.mark.parametrize(
    ("constraints", "closed"),
    [
        (Constraints(0), True),
        (Constraints(3), True),
        (Constraints(3, must_link=[(0, 1), (1, 0)]), True),
        (Constraints(3, must_link=[(0, 1), (1, 2)]), False),
        (Constraints(3, must_link=[(0, 1), (1, 2), (0, 2)]), True),
        (Constraints(3, must_link=[(0, 1)], cannot_link=[(0, 2)]), False),
        (Constraints(3, must_link=[(0, 1)], cannot_link=[(0, 2), (1, 2)]), True),
        (Constraints(4, cannot_link=[(0, 1), (1, 2)], triplets=[(0, 1, 2)]), True),
        # One of each kind is missing and one is there twice: counting rows is not enough.
        (Constraints(3, must_link=[(0, 1), (1, 2), (1, 2)]), False),
    ],
)
def test_is_closed(constraints, closed):
    assert constraints.is_closed is closed


@given(good_pairs, st.data())
def test_closure_does_not_depend_on_the_order_of_samples(constraints, data):
    order = data.draw(st.permutations(range(constraints.n_samples)))
    for duplicates in ("drop", "sum"):
        closed = constraints.closure(duplicates)
        assert constraints[order].closure(duplicates) == closed[order]


def test_triplets_have_no_say_in_the_closure():
    constraints = Constraints(
        3, must_link=[(0, 1)], cannot_link=[(1, 2)], triplets=[(0, 1, 2), (0, 2, 1)]
    )
    assert not constraints.is_consistent()
    closed = constraints.closure()
    assert closed.cannot_link.tolist() == [[0, 2], [1, 2]]
    assert [m for m in members(closed) if m[0] == "triplets"] == [
        ("triplets", (0, 1, 2), 1),
        ("triplets", (0, 2, 1), 1),
    ]


def test_a_contradiction_has_no_closure():
    constraints = Constraints(
        5, must_link=[(0, 1), (1, 2), (3, 4)], cannot_link=[(0, 2), (0, 3)], triplets=[(0, 1, 4)]
    )
    for close in (
        constraints.closure,
        lambda: constraints.closure("sum"),
        lambda: constraints.is_closed,
        lambda: constraints.components,
    ):
        with pytest.raises(InconsistentConstraintsError) as caught:
            close()
        witness = Constraints(5, must_link=[(0, 1), (1, 2)], cannot_link=[(0, 2)])
        assert caught.value.witness == witness


def test_large_numbers_of_samples_do_not_wrap():
    # Pairs are numbered a * n + b on the way, which leaves 32 bits behind at 46,341 samples.
    n_samples = 2**20
    last = n_samples - 1
    constraints = Constraints(
        n_samples,
        must_link=[(last, last - 1), (0, 1)],
        cannot_link=[(last, 0), (last - 1, 1), (last, 0)],
    )
    found = constraints.components
    assert found.cannot_link.tolist() == [[0, n_samples - 3]]
    assert found.cannot_link_weights.tolist() == [3]
    closed = constraints.closure("sum")
    assert closed.cannot_link.tolist() == [[0, last - 1], [0, last], [1, last - 1], [1, last]]
    assert closed.cannot_link_weights.tolist() == [3] * 4


# What is said before a long list is made


@pytest.fixture
def listings(monkeypatch):
    """The kernels that list pairs, in the order in which they are called."""
    called = []

    def noted(name, kernel):
        def listing(*arguments):
            called.append(name)
            return kernel(*arguments)

        return listing

    for name in ("must_closure", "cannot_closure"):
        monkeypatch.setattr(_closure, name, noted(name, getattr(_closure, name)))
    return called


@pytest.mark.parametrize("duplicates", ["drop", "sum"])
def test_a_large_closure_is_announced_before_it_is_listed(monkeypatch, listings, duplicates):
    constraints = Constraints(60, must_link=chain(49), cannot_link=[(0, 50), (3, 50), (7, 51)])
    total = 50 * 49 // 2 + 50 * 2
    monkeypatch.setattr(machine, "MANY_ROWS", total - 1)
    with pytest.raises(LargeResultWarning, match=f"listing {total:,} entailed links"):
        constraints.closure(duplicates)  # warnings are errors here, so it goes no further
    assert listings == []
    with pytest.warns(LargeResultWarning, match=f"listing {total:,} entailed links"):
        closed = constraints.closure(duplicates)
    assert listings == ["must_closure", "cannot_closure"]
    assert len(closed.must_link) + len(closed.cannot_link) == total


def test_a_closure_at_the_limit_is_not_announced(monkeypatch, listings):
    monkeypatch.setattr(machine, "MANY_ROWS", 3)
    Constraints(4, must_link=[(0, 1), (1, 2)]).closure()
    assert listings == ["must_closure", "cannot_closure"]


def test_the_announcement_points_at_the_caller_and_says_how_much(monkeypatch):
    monkeypatch.setattr(machine, "MANY_ROWS", 2)
    with pytest.warns(LargeResultWarning, match=r"listing 3 entailed links.* GB") as caught:
        Constraints(4, must_link=[(0, 1), (1, 2)]).closure()
    assert [warning.filename for warning in caught] == [__file__]


def test_the_limit_is_ten_million(monkeypatch):
    assert machine.MANY_ROWS == 10**7
    monkeypatch.setattr(machine, "available_memory", lambda: 1e12)
    rows = chain(50_000)
    with pytest.raises(LargeResultWarning, match=f"listing {50_001 * 25_000:,} entailed links"):
        Constraints(50_001, must_link=rows).closure()
