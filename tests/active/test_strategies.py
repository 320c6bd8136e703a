"""What every strategy promises, whatever is answered."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_blobs

from clustraint import ConstrainedMixture, Constraints, COPKMeans
from clustraint.active import (
    STRATEGIES,
    ExploreConsolidate,
    MinMax,
    NormalisedUncertainty,
    Session,
    SuperInstances,
)
from clustraint.active._expected_change import expected_changes
from clustraint.active._pair_strategy import Memory
from clustraint.exceptions import InvalidParameterError, NoEstimatorError
from tests.strategies_questions import Scripted

OURS = [name for name in STRATEGIES if name != "klein"]
MODEL_BASED = ("uncertainty", "expected-change")
WORDS = ("yes", "no", "don't know")


def begin(name, X, n_clusters=3, n_queries=15, **options):
    options.setdefault("estimator", ConstrainedMixture(n_clusters, n_init=1, random_state=0))
    return Session(name, X, n_clusters=n_clusters, n_queries=n_queries, **options)


def blobs(seed, n_samples=40):
    return make_blobs(n_samples, centers=3, cluster_std=0.5, random_state=seed)


def answer_all(session, oracle):
    asked = []
    while (query := session.question) is not None:
        asked.append(query)
        session.answer(oracle(query.first, query.second))
    return asked


@pytest.mark.parametrize("name", STRATEGIES)
def test_nothing_is_asked_twice_or_that_follows(name, global_random_seed):
    X, _ = blobs(global_random_seed)
    constraints = Constraints(40, must_link=[(0, 1), (1, 2)], cannot_link=[(2, 3)])
    session, oracle = begin(name, X, constraints=constraints), Scripted(global_random_seed, WORDS)
    pairs = set()
    while (query := session.question) is not None:
        assert query.first != query.second
        assert query.pair not in pairs
        assert not session.constraints.entails(must_link=query[:2])
        assert not session.constraints.entails(cannot_link=query[:2])
        pairs.add(query.pair)
        session.answer(oracle(query.first, query.second))
        session.constraints.check()
    assert 0 < len(pairs) <= 15


@pytest.mark.parametrize("name", OURS)
@given(seed=st.integers(0, 2**16), words=st.sampled_from([WORDS, ("yes",), ("no",), WORDS[2:]]))
@settings(max_examples=5)
def test_any_answers_end_and_resume_and_are_taken_back(name, seed, words):
    X = np.random.default_rng(seed).normal(size=(12, 2)).round(1)
    oracle = Scripted(seed, words)
    session = begin(name, X, n_queries=8)
    answer_all(session, oracle)
    assert len(session.history) <= 8
    while session.undo() is not None:
        again = begin(name, X, n_queries=8, answers=session.answers)
        assert again.question == session.question
        assert again.history == [each._replace(source="file") for each in session.history] or any(
            each.source == "constraints" for each in session.history
        )


@pytest.mark.parametrize("name", OURS)
def test_the_same_seed_asks_the_same(name, global_random_seed):
    X, y = blobs(global_random_seed)
    options = {"random_share": 0.3, "random_state": global_random_seed}
    first, second = (
        answer_all(begin(name, X, **options), lambda a, b: bool(y[a] == y[b])) for _ in range(2)
    )
    assert first == second


@pytest.mark.parametrize("name", OURS)
def test_a_share_of_the_questions_is_drawn_at_random(name):
    X, y = blobs(0)
    session = begin(name, X, n_queries=10, random_share=0.2)
    answer_all(session, lambda a, b: bool(y[a] == y[b]))
    drawn = [each.drawn for each in session.history]
    assert drawn.count("random") == len(drawn) * 2 // 10 > 0
    assert drawn.index("random") == 4


@pytest.mark.parametrize("name", OURS)
def test_answers_find_the_blobs(name):
    X, y = make_blobs(90, centers=3, cluster_std=0.4, random_state=3)
    session = begin(name, X, n_queries=30)
    answer_all(session, lambda a, b: bool(y[a] == y[b]))
    assert len({*zip(session.labels().tolist(), y.tolist(), strict=True)}) == 3


@pytest.mark.parametrize("name", OURS)
@pytest.mark.parametrize("X", [[[1.0]], [[1.0], [1.0]], np.zeros((6, 2)), [[0.0], [5.0]]])
def test_few_or_equal_samples(name, X):
    estimator = COPKMeans(1, random_state=0)
    session = begin(name, X, n_clusters=1, estimator=estimator)
    answer_all(session, lambda a, b: None)
    assert len(session.history) <= len(X) * (len(X) - 1) // 2


@pytest.mark.parametrize("name", OURS)
def test_questions_are_about_some_of_many_samples(name):
    X, y = blobs(1, n_samples=200)
    constraints = Constraints(200, must_link=[(7, 150)])
    session = begin(name, X, n_queries=10, max_samples=20, constraints=constraints)
    asked = answer_all(session, lambda a, b: bool(y[a] == y[b]))
    samples = {sample for query in asked for sample in query.pair} | {7, 150}
    assert len(samples) <= 20


@pytest.mark.parametrize("name", MODEL_BASED)
def test_any_estimator_will_do(name):
    X, y = blobs(2)
    session = begin(name, X, estimator=COPKMeans(3, random_state=0))
    assert answer_all(session, lambda a, b: bool(y[a] == y[b]))
    with pytest.raises(NoEstimatorError, match=f"the strategy {name} needs an estimator"):
        begin(name, X, estimator=None)


@pytest.mark.parametrize("name", OURS)
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_clusters": 0}, "n_clusters"),
        ({"n_queries": -1}, "n_queries"),
        ({"random_share": 1.5}, "random_share"),
        ({"max_samples": 1}, "max_samples"),
    ],
)
def test_bad_parameters(name, options, message):
    X = blobs(0)[0]
    with pytest.raises(InvalidParameterError, match=message):
        begin(name, X, **{"estimator": ConstrainedMixture(3), **options})


def test_exploring_meets_every_cluster_first():
    X, y = make_blobs(60, centers=4, cluster_std=0.2, random_state=0)
    for strategy in (ExploreConsolidate, MinMax):
        session = Session(strategy, X, n_clusters=4, n_queries=7)
        asked = answer_all(session, lambda a, b: bool(y[a] == y[b]))
        # Farthest first: 1 + 2 + 3 comparisons at most tell four clusters apart.
        assert len({y[sample] for query in asked[:6] for sample in query.pair}) == 4


def test_neighbourhoods_are_apart():
    memory = Memory(Constraints(8, must_link=[(0, 1), (2, 3), (4, 5)], cannot_link=[(0, 2)]))
    # 4 and 5 have been compared with nobody.
    assert [hood.tolist() for hood in memory.neighbourhoods()] == [[0, 1], [2, 3]]


def test_super_instances_need_no_number_of_clusters():
    X, y = make_blobs(60, centers=4, cluster_std=0.2, random_state=0)
    session = Session(SuperInstances, X, n_queries=200)
    answer_all(session, lambda a, b: bool(y[a] == y[b]))
    labels = session.constraints.component_labels
    assert len({*zip(labels.tolist(), y.tolist(), strict=True)}) == 4


def test_the_least_certain_sample_comes_first():
    X = np.array([[0.0], [0.5], [1.0], [5.2], [9.0], [9.5], [10.0]])
    constraints = Constraints(7, must_link=[(0, 1), (5, 6)], cannot_link=[(0, 6)])
    model = ConstrainedMixture(2, random_state=0, reg_covar=1.0)
    strategy = NormalisedUncertainty(X, 2, model=model, constraints=constraints)
    assert 3 in next(strategy.questions()).pair


def test_expected_changes_by_hand():
    beliefs = np.array([[0.8, 0.2]])
    anchors = np.array([[1.0, 0.0]])
    # "yes" with .8 moves all of .2, "no" with .2 moves .8.
    assert expected_changes(beliefs, anchors, 1.0) == pytest.approx(0.32)
    assert expected_changes(beliefs, anchors, 0.5) == pytest.approx(0.0)


def test_balanced_questions_depend_on_no_answer(global_random_seed):
    X, _ = blobs(global_random_seed)
    # Answers that entail nothing: all differ, or nobody knows.
    sessions = [
        answer_all(begin("balanced", X, random_state=global_random_seed), lambda a, b, w=word: w)
        for word in ("no", "don't know")
    ]
    assert sessions[0] == sessions[1]
    assert len(sessions[0]) == 15


def test_balanced_questions_are_as_often_about_one_cluster_as_about_two(global_random_seed):
    X, y = make_blobs(
        80,
        centers=[(0, 0), (9, 0), (0, 9), (9, 9)],
        cluster_std=0.3,
        random_state=global_random_seed,
    )
    session = begin("balanced", X, n_clusters=4, n_queries=20)
    asked = answer_all(session, lambda a, b: None)
    assert [bool(y[query.first] == y[query.second]) for query in asked] == [True, False] * 10


def test_balanced_questions_end_with_the_pairs():
    session = begin("balanced", [[0.0], [1.0], [8.0], [9.0]], n_clusters=2, n_queries=20)
    asked = answer_all(session, lambda a, b: None)
    assert len(asked) == len({query.pair for query in asked}) == 6
