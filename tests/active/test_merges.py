"""Klein's strategy, driven by a plain loop: the questions of the paper, and what follows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clustraint.active import KleinMerges
from clustraint.exceptions import InvalidParameterError
from tests.reference.active import Active
from tests.strategies_questions import problems

X = np.array([[0.0], [1.0], [3.0], [7.0]])


def drive(questions, oracle, n_answers=None):
    """Send answers until none is left, then None; return the answers and the outcome."""
    answers, reply = [], None
    while True:
        try:
            query = questions.send(reply)
        except StopIteration as end:
            return answers, end.value
        reply = None
        if n_answers is None or len(answers) < n_answers:
            reply = query.answered(oracle(query.first, query.second))
            answers.append(reply)


@given(problems())
def test_the_paper_read_literally(problem):
    D, n_clusters, n_queries, oracle = problem
    expected = Active(D, n_clusters, n_queries)
    expected.run(oracle)
    strategy = KleinMerges(D, n_clusters, n_queries, metric="precomputed")
    answers, outcome = drive(strategy.questions(), oracle)
    assert [tuple(answer) for answer in answers] == expected.asked
    assert outcome.distances.tolist() == [height for _, _, height in expected.merges]
    assert outcome.merges.tolist() == [[low, high] for low, high, _ in expected.merges]
    assert outcome.threshold == strategy.threshold == expected.threshold


@given(problems(), st.integers(0, 5))
def test_questions_begin_anew(problem, n_answers):
    """Whatever became of those before, and while others are under way."""
    D, n_clusters, n_queries, oracle = problem
    strategy = KleinMerges(D, n_clusters, n_queries, metric="precomputed")
    first, second, third = (strategy.questions() for _ in range(3))
    part, _ = drive(first, oracle, n_answers)
    answers, outcome = drive(second, oracle)
    again, the_same = drive(third, oracle)
    assert answers[: len(part)] == part
    assert again == answers
    for ours, theirs in zip(outcome, the_same, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_nobody_answers():
    answers, outcome = drive(KleinMerges(X, 1, 3).questions(), None, n_answers=0)
    assert answers == []
    assert outcome.distances.tolist() == [1, 3, 7]
    assert outcome.n_forced == 0


@pytest.mark.parametrize(("n_clusters", "n_queries"), [(2, 0), (4, 3)])
def test_there_is_nothing_to_ask(n_clusters, n_queries):
    strategy = KleinMerges(X, n_clusters, n_queries)
    for _ in range(2):
        answers, outcome = drive(strategy.questions(), None)
        assert answers == []
        assert outcome.distances.tolist() == [1, 3, 7]


def test_merges_that_every_answer_is_against_are_forced():
    _, outcome = drive(KleinMerges(X, 1, 20).questions(), lambda first, second: False)
    assert outcome.n_forced == 3
    assert outcome.distances.tolist() == [8, 8, 8]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_clusters": 5}, "n_clusters must be a whole number from 1 to 4, but is 5"),
        ({"n_queries": -1}, "n_queries must be a whole number from 0 up, but is -1"),
        ({"metric": 3}, "metric must be a name or a function"),
    ],
)
def test_bad_parameters_are_refused_before_the_first_question(parameters, message):
    with pytest.raises(InvalidParameterError, match=message):
        KleinMerges(X, **parameters)


@pytest.mark.parametrize("samples", [[[0.0], [np.nan]], [["a"], ["b"]], []])
def test_samples_that_are_no_numbers(samples):
    with pytest.raises(ValueError, match=r"NaN|convert|Expected 2D|numeric"):
        KleinMerges(samples, 1)
