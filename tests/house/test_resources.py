"""What cannot fit or end is refused before it is begun, in a sentence."""

import io
import tracemalloc

import numpy as np
import pytest
from scipy import sparse

from clustraint import (
    IHAC,
    ActiveCompleteLinkage,
    BiHAC,
    ClusteringTree,
    ConstrainedCompleteLinkage,
    Constraints,
    Hierarchy,
    Rule,
)
from clustraint.exceptions import NotEnoughMemoryError, RuleSyntaxError, TooFewClustersError
from clustraint.machine import Footprint
from clustraint.report import Report
from clustraint.tables import read_table
from clustraint.workflow import Interview, cluster_table, explain
from tests.estimators import estimators, made

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


# Numbers of which there is but one in memory.
WIDE = np.broadcast_to(0.5, (20_000_000, 30))


def refused(call, words):
    """Check that a call is refused in a sentence, and takes no memory before."""
    tracemalloc.start()
    try:
        with pytest.raises(NotEnoughMemoryError, match=words):
            call()
        assert tracemalloc.get_traced_memory()[1] < 10**7
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", estimators())
def test_every_estimator_states_its_memory_before_it_takes_any(name):
    options = {"oracle": lambda a, b: True} if name == "ActiveCompleteLinkage" else {}
    words = rf"20,000,000 samples in {name} need [\d,.]+ GB of memory, but there is 4 GB; .*\."
    refused(lambda: made(name).fit(WIDE, **options), words)


def test_explaining_and_reporting_very_many_samples():
    words = "20,000,000 samples .* need .* GB of memory, but there is 4 GB"
    labels = np.broadcast_to(np.int64(0), len(WIDE))
    refused(lambda: ClusteringTree().explain(WIDE, labels), words)
    refused(lambda: explain(WIDE, labels), words)
    refused(lambda: Report(WIDE, labels), words)


def test_tables_whose_numbers_do_not_fit(monkeypatch):
    table = read_table(io.BytesIO(b"x,y\n" + b"1,2\n3,1\n" * 500))
    monkeypatch.setattr("clustraint.machine.available_memory", lambda: 1e4)
    words = r"the numbers of 1,000 samples need 3\.2e-05 GB"
    for begin in (cluster_table, Interview):
        with pytest.raises(NotEnoughMemoryError, match=words):
            begin(table, n_clusters=2)


def test_what_is_not_there_needs_no_memory():
    footprint = Footprint(per_value=2, per_cluster=1, per_sample=3, per_constraint=5)
    assert footprint.size(0, 0) == 0
    assert footprint.size(10, 40, n_clusters=4, n_constraints=2) == 8 * (80 + 40 + 30 + 10)
    assert footprint.size(10, 0, n_clusters=10**12) == 8 * (100 + 30)
    # Of a sparse matrix only what is there counts.
    X = sparse.csr_array((5, 10**9))
    with pytest.raises(ValueError, match="n_clusters"):
        made("COPKMeans", n_clusters=9).fit(X)


def test_the_closure_of_very_many_samples():
    chain = np.stack((np.arange(MANY - 1), np.arange(1, MANY)), axis=1)
    constraints = Constraints(MANY, must_link=chain)
    constraints.check()
    assert constraints.entails(must_link=(0, MANY - 1))
    with pytest.raises(NotEnoughMemoryError, match=r"19,999,900,000 entailed links need 640 GB"):
        constraints.closure()


def test_cliques_and_stars_of_cannot_links():
    clique = Constraints(1000, cannot_link=np.stack(np.triu_indices(1000, 1), axis=1))
    clique.check(1000)
    words = "999 clusters cannot hold 1,000 samples"
    with pytest.raises(TooFewClustersError, match=words) as error:
        clique.check(999)
    assert len(error.value.witness.cannot_link) == 499_500
    rest = np.arange(1, MANY)
    star = Constraints(MANY, cannot_link=np.stack((np.zeros_like(rest), rest), axis=1))
    star.check(2)
    assert len(star.closure().cannot_link) == MANY - 1
    with pytest.raises(TooFewClustersError, match="1 cluster cannot hold 2 samples"):
        star.check(1)


def test_a_clique_that_is_not_there_for_the_taking():
    # Each of 300 is apart from all but one, and one of most cannot-links is in no large clique.
    low, high = np.triu_indices(300, 1)
    apart = np.stack((low, high), axis=1)[low // 2 != high // 2]
    hub = np.stack((np.full(600, 300), np.arange(301, 901)), axis=1)
    constraints = Constraints(901, cannot_link=np.concatenate((apart, hub)))
    constraints.check(150)
    with pytest.raises(TooFewClustersError, match="149 clusters cannot hold 150 samples"):
        constraints.check(149)


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
