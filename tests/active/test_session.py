"""Sessions: what is asked and what is not, taking back, and going on later."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clustraint import ActiveCompleteLinkage, Constraints
from clustraint.active import STRATEGIES, Answer, KleinMerges, Query, Session, register_strategy
from clustraint.exceptions import (
    ClustraintError,
    InconsistentConstraintsError,
    InvalidAnswerError,
    InvalidParameterError,
    NoQuestionError,
    SampleIndexError,
)
from tests.strategies_questions import problems

X = np.array([[0.0], [1.0], [3.0], [7.0]])


def chain(X, n_queries=20):
    """Ask about each sample and the next one; return the answers."""
    answers = []
    for row in range(min(n_queries, len(X) - 1)):
        answer = yield Query(row, row + 1)
        if answer is None:
            break
        answers.append(answer.answer)
    return answers


def begin(problem, **options):
    D, n_clusters, n_queries, _ = problem
    return Session(
        "klein", D, n_clusters=n_clusters, n_queries=n_queries, metric="precomputed", **options
    )


def state(session):
    """Return all that a person sees of a session, but not in which run an answer was given."""
    exchanges = [(each.answer, each.source == "constraints") for each in session.history]
    return session.question, exchanges, session.constraints


@st.composite
def some_constraints(draw, n_samples):
    """Pairs that agree with some classes."""
    sample = st.integers(0, n_samples - 1)
    pairs = draw(st.lists(st.tuples(sample, sample), max_size=4))
    classes = draw(st.lists(st.integers(0, 2), min_size=n_samples, max_size=n_samples))
    distinct = [pair for pair in pairs if pair[0] != pair[1]]
    alike = [classes[first] == classes[second] for first, second in distinct]
    return Constraints(
        n_samples,
        must_link=[pair for pair, same in zip(distinct, alike, strict=True) if same],
        cannot_link=[pair for pair, same in zip(distinct, alike, strict=True) if not same],
    )


@given(problems())
def test_the_estimator_asks_the_same(problem):
    D, n_clusters, n_queries, oracle = problem
    session = begin(problem)
    while (query := session.question) is not None:
        session.answer(oracle(query.first, query.second))
    model = ActiveCompleteLinkage(n_clusters, n_queries, metric="precomputed")
    model.fit(D, oracle=oracle)
    assert [each.answer for each in session.history] == session.answers == model.queries_
    assert session.constraints == model.constraints_
    assert session.finish().distances.tolist() == model.merge_distances_.tolist()


@given(problems(), st.data())
def test_what_follows_is_never_asked_and_never_contradicted(problem, data):
    constraints = data.draw(some_constraints(len(problem[0])))
    session, oracle = begin(problem, constraints=constraints), problem[3]
    while (query := session.question) is not None:
        for kind in ("must_link", "cannot_link"):
            assert not session.constraints.entails(**{kind: query[:2]})
        session.answer(oracle(query.first, query.second))
        session.constraints.check()
    assert len(session.history) <= problem[2]
    for answer, source, _ in session.history:
        if source == "constraints":
            kind = {"yes": "must_link", "no": "cannot_link"}[answer.answer]
            assert session.constraints.entails(**{kind: answer[:2]})


@given(problems(), st.data())
def test_answering_undoing_and_beginning_again_lead_to_the_same(problem, data):
    constraints = data.draw(some_constraints(len(problem[0])))
    session, oracle = begin(problem, constraints=constraints), problem[3]
    for is_undo in data.draw(st.lists(st.booleans(), max_size=12)):
        before, question = state(session), session.question
        if is_undo:
            undone = session.undo()
            assert (undone is None) == (before == state(session))
            if undone is not None and session.question.pair == undone.pair:
                session.answer(undone.answer)
                assert state(session) == before
                session.undo()
        elif question is not None:
            session.answer(oracle(question.first, question.second))
        answers = data.draw(st.permutations(session.answers))
        assert state(begin(problem, constraints=constraints, answers=answers)) == state(session)


@given(problems(), st.data())
def test_earlier_answers_of_any_kind_can_be_taken_back_one_by_one(problem, data):
    """Also those to questions that do not come up, on which others depend."""
    constraints = data.draw(some_constraints(len(problem[0])))
    words = {"must_link": "yes", "cannot_link": "no"}
    answers = [
        (*row, word) for kind, word in words.items() for row in getattr(constraints, kind).tolist()
    ]
    session = begin(problem, answers=answers)
    n_answers = len(session.answers)
    while session.undo() is not None:
        n_answers -= 1
        assert len(session.answers) == n_answers
        assert state(begin(problem, answers=session.answers)) == state(session)
    assert session.answers == session.unused


def test_any_answers_end_and_never_contradict(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    samples = rng.normal(size=(12, 2))
    constraints = Constraints(12, must_link=[(0, 1)], cannot_link=[(1, 2)])
    options = {"n_clusters": 3, "n_queries": 9, "constraints": constraints}
    session = Session("klein", samples, **options)
    for _ in range(60):
        if session.question is None or rng.random() < 0.2:
            session.undo()
        else:
            session.answer(rng.choice(["yes", "no", "don't know"]).item())
        session.constraints.check()
        again = Session("klein", samples, answers=session.answers, **options)
        assert again.question == session.question
        assert [each.answer for each in again.history] == [each.answer for each in session.history]


def test_a_definite_answer_counts_more_than_do_not_know():
    answers = [Answer(0, 1, "yes"), Answer(1, 0, "don't know")]
    session = Session("klein", X, n_clusters=2, n_queries=3, answers=answers)
    assert session.history[0].answer.answer == "yes"


def test_where_answers_come_from():
    options = {"n_queries": 3, "constraints": Constraints(4, must_link=[(0, 1)])}
    session = Session(chain, X, answers=[(2, 1, "no")], **options)
    assert session.question == Query(2, 3)
    session.answer(None)
    assert [tuple(each) for each in session.history] == [
        ((0, 1, "yes"), "constraints", "strategy"),
        ((1, 2, "no"), "file", "strategy"),
        ((2, 3, "don't know"), "person", "strategy"),
    ]
    assert session.question is None
    assert session.finish() == ["yes", "no", "don't know"]


def test_answers_to_no_question_are_constraints():
    session = Session(chain, X, answers=[(0, 3, "yes"), (0, 1, "yes")])
    assert session.unused == [(0, 3, "yes")]
    session.answer("no")
    # 1 and 3 are linked through 0, and 1 and 2 are not.
    assert session.history[-1] == ((2, 3, "no"), "constraints", "strategy")


def test_no_question_is_left():
    session = Session(chain, X, n_queries=1)
    session.answer("yes")
    with pytest.raises(NoQuestionError, match="no question is left"):
        session.answer("yes")
    assert session.undo() == (0, 1, "yes")
    assert session.undo() is None
    assert session.question == Query(0, 1)


def test_finished_early():
    session = Session(chain, X)
    session.answer("yes")
    assert session.finish() == session.finish() == ["yes"]
    assert session.question is None
    session.undo()
    assert session.question == Query(0, 1)


def test_a_strategy_that_goes_on_asking_is_stopped():
    def stubborn(X):
        while True:
            yield Query(0, 1)

    session = Session(stubborn, X)
    assert session.finish() is None
    assert session.question is None


@pytest.mark.parametrize("answer", ["maybe", "Yes", 1, [], np.nan])
def test_what_is_no_answer_changes_nothing(answer):
    session = Session(chain, X)
    with pytest.raises(InvalidAnswerError, match="an answer must be 'yes', 'no' or 'don't know'"):
        session.answer(answer)
    assert session.question == Query(0, 1)
    assert session.answers == session.history == []


def test_contradictions_come_before_any_question():
    answers = [(0, 1, "yes"), (1, 2, "yes"), (0, 2, "no")]
    with pytest.raises(
        InconsistentConstraintsError, match="sample 0 and sample 2 cannot be linked"
    ):
        Session(chain, X, answers=answers)
    with pytest.raises(InconsistentConstraintsError):
        Session(chain, X, answers=answers[:2], constraints=Constraints(4, cannot_link=[(0, 2)]))


def test_bad_arguments():
    with pytest.raises(InvalidParameterError, match="strategy must be 'klein'"):
        Session("clein", X)
    with pytest.raises(InvalidParameterError, match="strategy must be a name or a generator"):
        Session(None, X)
    with pytest.raises(ClustraintError, match="constraints are about 3 samples, but X has 4"):
        Session(chain, X, constraints=Constraints(3))
    with pytest.raises(ClustraintError, match="must be a Constraints object, but is list"):
        Session(chain, X, constraints=[(0, 1)])
    with pytest.raises(SampleIndexError):
        Session(chain, X, answers=[(0, 4, "yes")])
    with pytest.raises(TypeError, match="n_clusters"):
        Session(chain, X, n_clusters=2)


def test_strategies_are_found_by_their_names(monkeypatch):
    monkeypatch.setattr("clustraint.active._strategies.STRATEGIES", {**STRATEGIES})
    assert register_strategy("chain")(chain) is chain
    assert Session("chain", X).question == Query(0, 1)
    assert STRATEGIES["klein"] is KleinMerges
    for taken in ("chain", "klein", None):
        with pytest.raises(InvalidParameterError, match="name must be a text other than klein"):
            register_strategy(taken)
