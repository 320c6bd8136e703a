"""Which two of three: a hierarchy from answers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clustraint import BiHAC, Hierarchy, ReCon
from clustraint.active import TripletInsertion, TripletQuery, ask_triplets
from clustraint.exceptions import InvalidParameterError, InvalidTripletAnswerError


def random_linkage(rng, n_samples):
    """Return a random binary tree, as scipy has it."""
    clusters, sizes, rows = list(range(n_samples)), dict.fromkeys(range(n_samples), 1), []
    for step in range(n_samples - 1):
        low, high = sorted(rng.choice(len(clusters), 2, replace=False).tolist())
        second, first = clusters.pop(high), clusters.pop(low)
        sizes[n_samples + step] = sizes[first] + sizes[second]
        clusters.append(n_samples + step)
        rows.append((*sorted((first, second)), step + 1.0, sizes[n_samples + step]))
    return np.array(rows, dtype=float).reshape(-1, 4)


def truth_of(hierarchy):
    """Return who says which sample joins last."""

    def odd_one(query):
        depths = {
            odd: hierarchy.meet_depth(*[sample for sample in query if sample != odd])
            for odd in query
        }
        return max(depths, key=depths.get)

    return odd_one


@given(st.integers(3, 15), st.integers(0, 2**16))
def test_true_answers_give_the_whole_hierarchy(n_samples, seed):
    rng = np.random.default_rng(seed)
    truth = Hierarchy.from_linkage(random_linkage(rng, n_samples))
    strategy = TripletInsertion(rng.normal(size=(n_samples, 2)), n_queries=10_000)
    triplets = ask_triplets(strategy, truth_of(truth)).triplets
    tree = Hierarchy.from_triplets(triplets, n_samples)
    assert tree.displays(truth.triplets()).all()
    # Each question leaves at most about two thirds of the places.
    assert len(triplets) <= n_samples * (np.log(2 * n_samples) / np.log(1.5) + 1)


def test_near_n_log_n_questions():
    rng = np.random.default_rng(0)
    truth = Hierarchy.from_linkage(random_linkage(rng, 200))
    triplets = ask_triplets(TripletInsertion(np.zeros((200, 1)), 10_000), truth_of(truth))
    assert len(triplets.triplets) <= 1.3 * 200 * np.log2(200)


@given(st.integers(3, 12), st.integers(0, 2**16))
def test_any_answers_agree_with_each_other(n_samples, seed):
    rng = np.random.default_rng(seed)
    strategy = TripletInsertion(rng.normal(size=(n_samples, 2)), n_queries=40)
    asked = []

    def anything(query):
        asked.append(frozenset(query))
        return rng.choice([*query, -1]).item()

    constraints = ask_triplets(strategy, lambda q: None if (a := anything(q)) < 0 else a)
    constraints.check()
    assert len(asked) == len(set(asked))
    assert len(constraints.triplets) <= len(asked) <= 40


def test_the_budget_is_kept_and_triplets_are_for_any_clusterer():
    X = np.array([[0.0], [0.4], [1.0], [9.0], [9.4], [10.0]])

    def by_distance(query):
        a, b, c = X[list(query), 0]
        gaps = (abs(b - c), abs(a - c), abs(a - b))
        return query[int(np.argmin(gaps))]

    constraints = ask_triplets(TripletInsertion(X, n_queries=3), by_distance)
    assert len(constraints.triplets) == 3
    constraints = ask_triplets(TripletInsertion(X), by_distance)
    assert ReCon(2).fit(X, constraints=constraints).labels_.tolist() == [0, 0, 0, 1, 1, 1]
    model = BiHAC(enforce=True).fit(np.hstack((X, 10 - X)), constraints=constraints)
    assert model.hierarchy_.displays(constraints.triplets).all()


@pytest.mark.parametrize("n_samples", [1, 2])
def test_fewer_than_three_samples(n_samples):
    constraints = ask_triplets(TripletInsertion(np.zeros((n_samples, 1))), lambda query: None)
    assert constraints.n_constraints == 0


def test_bad_answers_and_parameters():
    for odd in (3, "0", 0.5, True):
        with pytest.raises(InvalidTripletAnswerError, match="one of the samples 0, 5, 9"):
            TripletQuery(0, 5, 9).answered(odd)
    with pytest.raises(InvalidParameterError, match="n_queries"):
        TripletInsertion([[0.0]], n_queries=-1)
