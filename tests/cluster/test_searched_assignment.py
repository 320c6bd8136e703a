"""Assignments by a search of bounded effort: never two neighbours together, never dearer again."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import make_blobs

from clustraint import Constraints, COPKMeans
from clustraint.cluster import _assignment, _searched_assignment
from clustraint.cluster._exact_assignment import (
    CannotLinkGraph,
    InfeasiblePieceError,
    PiecewiseAssigner,
)
from clustraint.cluster._searched_assignment import SearchedPiece
from clustraint.exceptions import NoFeasibleClusteringError
from clustraint.kernels.colouring import try_all
from tests.reference import cop_kmeans as reference

# The Grötzsch graph has no triangle and yet needs four clusters.
GROETZSCH = [
    *[(i, (i + 1) % 5) for i in range(5)],
    *[(5 + i, (i + d) % 5) for i in range(5) for d in (1, 4)],
    *[(10, 5 + i) for i in range(5)],
]


@st.composite
def graphs(draw):
    n_nodes = draw(st.integers(2, 7))
    n_clusters = draw(st.integers(2, 4))
    every = [(a, b) for b in range(n_nodes) for a in range(b)]
    pairs = draw(st.lists(st.sampled_from(every), unique=True, min_size=1))
    costs = np.random.default_rng(draw(st.integers(0, 1000))).random((n_nodes, n_clusters))
    return np.array(pairs, np.int64), costs


@given(graphs())
def test_an_assignment_comes_up_if_there_is_one(graph):
    pairs, costs = graph
    least = reference.cheapest(costs, pairs.tolist())
    assigner = PiecewiseAssigner(
        CannotLinkGraph.from_pairs(len(costs), pairs), costs.shape[1], SearchedPiece
    )
    if least is None:
        with pytest.raises(InfeasiblePieceError):
            assigner.assign(costs)
        return
    labels = assigner.assign(costs)
    assert (labels[pairs[:, 0]] != labels[pairs[:, 1]]).all()
    assert costs[np.arange(len(costs)), labels].sum() >= least - 1e-9


@given(graphs())
def test_trying_all_decides(graph):
    pairs, costs = graph
    edges = CannotLinkGraph.from_pairs(len(costs), pairs)
    labels = np.empty(len(costs), np.int64)
    verdict = try_all(*edges, costs.shape[1], 10**6, labels)
    assert verdict == (reference.cheapest(costs, pairs.tolist()) is not None)
    if verdict:
        assert (labels[pairs[:, 0]] != labels[pairs[:, 1]]).all()
    assert try_all(*edges, costs.shape[1], 0, labels) == -1


def planted(n_nodes, n_clusters, n_pairs, seed):
    """Clusters, pairs across them, and costs that know little of them."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(n_clusters, size=n_nodes)
    pairs = np.unique(np.sort(rng.integers(n_nodes, size=(4 * n_pairs, 2)), axis=1), axis=0)
    pairs = rng.permutation(pairs[truth[pairs[:, 0]] != truth[pairs[:, 1]]])[:n_pairs]
    costs = rng.random((n_nodes, n_clusters))
    costs[np.arange(n_nodes), truth] -= 0.2
    return pairs, costs


@pytest.mark.parametrize("n_pairs", [300, 600, 1200])
def test_rounds_never_violate_and_never_cost_more(n_pairs, global_random_seed):
    pairs, costs = planted(200, 4, n_pairs, global_random_seed)
    each = np.arange(len(costs))
    graph = CannotLinkGraph.from_pairs(len(costs), pairs)
    assigner = PiecewiseAssigner(graph, 4, SearchedPiece)
    rng = np.random.default_rng(global_random_seed)
    before = None
    for _ in range(6):
        labels = assigner.assign(costs)
        assert (labels[pairs[:, 0]] != labels[pairs[:, 1]]).all()
        if before is not None:
            assert costs[each, labels].sum() <= costs[each, before].sum() + 1e-9
        before = labels
        costs = costs + rng.normal(0, 0.05, costs.shape)


def test_it_comes_near_to_the_cheapest():
    for seed in range(3):
        pairs, costs = planted(120, 4, 240, seed)
        graph = CannotLinkGraph.from_pairs(len(costs), pairs)
        totals = [
            costs[np.arange(len(costs)), PiecewiseAssigner(graph, 4, solver).assign(costs)].sum()
            for solver in (None, SearchedPiece)
        ]
        lowest = costs.min(axis=1).sum()
        assert totals[0] - 1e-9 <= totals[1] <= lowest + 1.5 * (totals[0] - lowest)


@pytest.mark.parametrize(("n_clusters", "n_pairs"), [(3, 500), (5, 1200)])
def test_near_the_limit_auto_keeps_all(n_clusters, n_pairs, global_random_seed):
    X, y = make_blobs(300, centers=n_clusters, cluster_std=4.0, random_state=global_random_seed)
    rng = np.random.default_rng(global_random_seed)
    pairs = rng.integers(300, size=(4 * n_pairs, 2))
    pairs = pairs[y[pairs[:, 0]] != y[pairs[:, 1]]][:n_pairs]
    constraints = Constraints(300, cannot_link=pairs)
    model = COPKMeans(n_clusters, n_init=2, random_state=0).fit(X, constraints=constraints)
    assert model.constraint_report_.all_satisfied
    assert (model.labels_[pairs[:, 0]] != model.labels_[pairs[:, 1]]).all()


def test_a_search_that_ends_early_says_so(monkeypatch):
    monkeypatch.setattr(_assignment, "EXACT_SIZE", 0)
    for name in ("PLACING_STEPS", "PARTING_STEPS", "PROVING_STEPS"):
        monkeypatch.setattr(_searched_assignment, name, 0)
    constraints = Constraints(11, cannot_link=GROETZSCH)
    X = np.arange(11.0)[:, np.newaxis]
    sentence = (
        "no assignment to n_clusters=3 clusters that keeps all cannot-links was found, and the "
        "search ended before it could prove that there is none. Take more clusters or fewer "
        'cannot-links; assignment="exact" searches on, however long that takes.'
    )
    with pytest.raises(NoFeasibleClusteringError) as caught:
        COPKMeans(3, random_state=0).fit(X, constraints=constraints)
    assert str(caught.value) == sentence
    with pytest.raises(NoFeasibleClusteringError, match='"exact" would find an assignment if'):
        COPKMeans(3, random_state=0, assignment="component").fit(X, constraints=constraints)
    with pytest.raises(NoFeasibleClusteringError, match="the exact search has tried all"):
        COPKMeans(3, random_state=0, assignment="exact").fit(X, constraints=constraints)


def test_a_proof_is_found_where_the_piece_is_large():
    # Copies of the graph that hang together: too many for the mixed-integer program.
    copies = [(11 * c + a, 11 * c + b) for c in range(30) for a, b in GROETZSCH]
    bridges = [(11 * c, 11 * c + 11) for c in range(29)]
    constraints = Constraints(330, cannot_link=copies + bridges)
    X = np.arange(330.0)[:, np.newaxis]
    with pytest.raises(NoFeasibleClusteringError, match="the exact search has tried all"):
        COPKMeans(3, random_state=0).fit(X, constraints=constraints)
    model = COPKMeans(4, n_init=1, random_state=0).fit(X, constraints=constraints)
    assert model.constraint_report_.all_satisfied
