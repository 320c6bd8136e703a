"""What cannot fit or end is refused before it is begun, in a sentence."""

import numpy as np
import pytest

from clustraint import (
    IHAC,
    ActiveCompleteLinkage,
    BiHAC,
    ConstrainedCompleteLinkage,
    Constraints,
    Hierarchy,
    Rule,
)
from clustraint.exceptions import NotEnoughMemoryError, RuleSyntaxError

MANY = 200_000


@pytest.fixture(autouse=True)
def small_machine(monkeypatch):
    """A machine of 4 GB, so that what is refused does not depend on this one."""
    monkeypatch.setattr("clustraint.machine.available_memory", lambda: 4e9)


@pytest.mark.parametrize(
    "model",
    [
        ConstrainedCompleteLinkage(2),
        IHAC(2, metric="euclidean"),
        BiHAC(2, metric="euclidean"),
        ActiveCompleteLinkage(2, 5),
    ],
)
def test_distances_of_all_pairs(model):
    told = {"oracle": lambda a, b: True} if isinstance(model, ActiveCompleteLinkage) else {}
    with pytest.raises(NotEnoughMemoryError, match=r"distances of 200,000 samples need 1\d\d GB"):
        model.fit(np.zeros((MANY, 2)), **told)


def test_the_closure_of_very_many_samples():
    chain = np.stack((np.arange(MANY - 1), np.arange(1, MANY)), axis=1)
    constraints = Constraints(MANY, must_link=chain)
    constraints.check()
    assert constraints.entails(must_link=(0, MANY - 1))
    with pytest.raises(NotEnoughMemoryError, match=r"19,999,900,000 entailed links need 640 GB"):
        constraints.closure()


def test_all_triplets_of_a_large_hierarchy():
    hierarchy = Hierarchy.from_labels(np.arange(MANY) % 100)
    with pytest.raises(NotEnoughMemoryError, match=r"triplets need .* list fewer of them"):
        hierarchy.triplets()
    assert len(hierarchy.sample_triplets(10, random_state=0)) == 10


def test_all_pairs_that_labels_mean():
    with pytest.raises(NotEnoughMemoryError, match=r"need .* but there is 4 GB"):
        Constraints.from_labels(np.arange(MANY), n_pairs="all")


def test_deep_and_long_rules():
    X = np.arange(10.0).reshape(-1, 1)
    deep = Rule("(" * 40_000 + "x0 > 4" + ")" * 40_000)
    assert deep.scope(X).sum() == 5
    assert Rule("~" * 20_000 + "(x0 > 4)").scope(X).sum() == 5
    long = Rule(" | ".join(f"x0 == {i}" for i in range(5000)))
    assert long.scope(X).all()
    with pytest.raises(RuleSyntaxError, match="a rule may have 100,000 characters"):
        Rule(" | ".join(f"x0 == {i}" for i in range(50_000)))


def test_a_million_constraints():
    rng = np.random.default_rng(0)
    pairs = rng.integers(100_000, size=(1_000_000, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    y = rng.integers(20, size=100_000)
    same = y[pairs[:, 0]] == y[pairs[:, 1]]
    constraints = Constraints(100_000, must_link=pairs[same], cannot_link=pairs[~same])
    constraints.check()
    assert constraints.components.n_components >= 20
