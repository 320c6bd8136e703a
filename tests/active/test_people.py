"""People who are unsure, change their minds, disagree, or want to know when to stop."""

import re

import numpy as np
import pytest

from clustraint import ConstrainedMixture, Constraints, COPKMeans
from clustraint.active import (
    Agreement,
    Answer,
    AnswerFile,
    AnswerLog,
    LoggedAnswer,
    Query,
    Session,
    SessionProgress,
)
from clustraint.active._progress import share_changed
from clustraint.exceptions import InvalidParameterError, NoEstimatorError, NotAnsweredError
from tests.active.test_session import X, chain

NAMES = ["dog", "wolf", "# by Ann at 1", "eel"]
SIX = np.array([[0.0], [0.5], [1.0], [9.0], [9.5], [10.0]])


def test_confidence_is_a_weight():
    session = Session(chain, X)
    session.answer("yes", confidence=0.5)
    session.answer("no", 0.25)
    assert session.constraints.must_link_weights.tolist() == [0.5]
    assert session.constraints.cannot_link_weights.tolist() == [0.25]
    for confidence in (0, -1, 1.5, "sure", np.nan):
        with pytest.raises(InvalidParameterError, match="confidence"):
            session.answer("no", confidence)


def test_a_file_says_who_and_when_and_how_sure(tmp_path):
    path = tmp_path / "a.txt"
    session = Session(chain, X, answers=AnswerFile(path, 4, NAMES), who=" Ann ")
    session.answer("yes", 0.5)
    session.answer("don't know")
    session.answer("no")
    lines = path.read_text().splitlines()[1:]
    stamp = r"   # by Ann at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00"
    assert re.fullmatch(r"0\.5 \* dog = wolf" + stamp, lines[0])
    assert re.fullmatch(r"# don't know: wolf = \"# by Ann at 1\"" + stamp, lines[1])
    again = AnswerFile(path, 4, NAMES)
    assert again.entries == session.log.entries
    assert [entry.who for entry in again.entries] == ["Ann"] * 3
    constraints = Constraints.read(path, 4, NAMES)
    assert constraints.must_link.tolist() == again.constraints(4).must_link.tolist()
    assert constraints.cannot_link.tolist() == again.constraints(4).cannot_link.tolist()
    assert constraints.must_link_weights.tolist() == [0.5]


def test_a_name_is_no_signature(tmp_path):
    path = tmp_path / "a.txt"
    AnswerFile(path, 4, NAMES).add(Answer(0, 2, "yes"))
    assert AnswerFile(path, 4, NAMES).entries == [LoggedAnswer(Answer(0, 2, "yes"))]


@pytest.mark.parametrize("who", ["a\nb", "#1", 'the "boss"', None, 3])
def test_names_that_no_line_can_hold(who):
    with pytest.raises(InvalidParameterError, match="who must be a name on one line"):
        Session(chain, X, who=who)


def test_any_answer_can_be_taken_back():
    session = Session(chain, X)
    for word in ("yes", "no", "yes"):
        session.answer(word)
    assert session.question is None
    assert session.take_back((2, 1)) == (1, 2, "no")
    assert session.question == Query(1, 2)
    assert session.answers == [(0, 1, "yes"), (2, 3, "yes")]
    session.answer("no")
    assert session.question is None
    with pytest.raises(NotAnsweredError, match="nobody has answered a question about samples 0"):
        session.take_back((0, 3))


def test_a_question_asked_again():
    session = Session(chain, X)
    with pytest.raises(NotAnsweredError, match="about any samples"):
        session.repeat()
    session.answer("yes")
    session.answer("no")
    pending = session.question
    assert session.repeat() == Query(0, 1, None, "again")
    # Asked for twice before it is answered.
    assert session.repeat((1, 0)) == Query(0, 1, None, "again")
    session.answer("yes")
    assert session.question == pending
    assert [each.drawn for each in session.history] == ["strategy"] * 2
    assert session.constraints.must_link_weights.tolist() == [2.0]
    assert session.log.agreement() == [Agreement("", "", 1, 1)]


def test_who_says_yes_and_no_does_not_know():
    session = Session(chain, X)
    session.answer("yes")
    session.answer("no")
    session.repeat((0, 1))
    session.answer("no")
    assert session.constraints.n_constraints == 1
    assert session.history[0].answer == (0, 1, "don't know")
    assert session.log.agreement() == [Agreement("", "", 1, 0)]
    assert session.log.agreement()[0].share == 0
    later = Session(chain, X, answers=session.log.entries)
    assert later.question == session.question


def test_several_people_vote(tmp_path):
    path = tmp_path / "a.txt"
    for who, words in {"Ann": ("yes", "no"), "Ben": ("yes", "yes"), "Cy": ("no", "yes")}.items():
        file = AnswerFile(path, 4)
        for pair, word in zip(((0, 1), (1, 2)), words, strict=True):
            file.add(LoggedAnswer(Answer(*pair, word), who=who, when="2026-11-17T09:30:00Z"))
    file = AnswerFile(path, 4)
    assert list(file) == [(0, 1, "yes"), (1, 2, "yes")]
    assert file.constraints(4).must_link_weights.tolist() == [1.0, 1.0]
    assert file.agreement() == [
        Agreement("Ann", "Ben", 2, 1),
        Agreement("Ann", "Cy", 2, 0),
        Agreement("Ben", "Cy", 2, 1),
    ]
    # To whoever reads constraints, the first answers count.
    assert Constraints.read(path, 4).cannot_link.tolist() == [[1, 2]]
    file.remove(Answer(0, 1, "yes"), who="Ann")
    assert AnswerFile(path, 4).get(frozenset((0, 1))).answer == "don't know"


def test_answers_that_repeat_are_read_back(tmp_path):
    path = tmp_path / "a.txt"
    session = Session(chain, X, answers=AnswerFile(path, 4))
    session.answer("yes")
    session.repeat()
    session.answer("no")
    assert path.read_text().splitlines()[1:] == ["0 = 1", "# again: 0 != 1"]
    assert AnswerFile(path, 4).entries == session.log.entries
    assert Constraints.read(path, 4).n_constraints == 1


def test_improbable_answers_are_shown():
    answers = [(0, 1, "yes"), (3, 4, "yes"), (1, 2, "yes"), (2, 3, "yes")]
    estimator = ConstrainedMixture(2, random_state=0)
    session = Session(chain, SIX, answers=answers, estimator=estimator)
    (worst, doubt), *others = session.doubts()
    assert worst == (2, 3, "yes")
    assert doubt > 0.5 > max(other for _, other in others)
    # It is also what is worth asking again.
    assert session.repeat().pair == {2, 3}
    assert Session(chain, SIX, answers=answers, estimator=COPKMeans(2)).doubts() == []


def test_clusters_of_any_estimator():
    session = Session(chain, SIX, estimator=COPKMeans(2, random_state=0))
    session.answer("yes")
    labels = session.labels()
    assert labels.tolist() == session.labels().tolist()
    for _ in range(4):
        session.answer("no")
    with pytest.raises(NoEstimatorError, match="a clustering in a session needs an estimator"):
        Session(chain, X).labels()


def test_what_the_last_answers_changed():
    estimator = ConstrainedMixture(2, random_state=0)
    session = Session(chain, SIX, n_queries=5, estimator=estimator)
    assert session.progress(1) is None
    for word in ("yes", "yes", "no", "yes"):
        session.answer(word)
    progress = session.progress(2)
    assert progress.changed == 0
    assert str(progress) == (
        "Your last 2 answers changed 0.0 % of the samples; another 2 are expected to change 0.4 %."
    )
    assert session.progress(5) is None
    with pytest.raises(InvalidParameterError, match="n_answers"):
        session.progress(0)


def test_changes_go_by_samples_not_by_names_of_clusters():
    before = np.array([0, 0, 0, 1, 1, 2])
    assert share_changed(before, before[::-1].max() - before) == 0
    assert share_changed(before, np.array([5, 5, 5, 5, 1, 2])) == pytest.approx(1 / 6)
    # Two blocks that changed nothing are no promise: on known tables the next changed 1.8 %.
    assert SessionProgress.after(10, [0.0, 0.0]).expected == pytest.approx(0.018)
    assert SessionProgress.after(10, [0.02, 0.0]).expected > 0.018
    assert SessionProgress.after(1000, [1.0, 1.0]).expected == 1
    assert SessionProgress.after(10, [0.25]).expected < 0.25


def test_votes_need_not_be_whole():
    log = AnswerLog([LoggedAnswer(Answer(0, 1, "yes"), 0.4, "Ann")])
    log.add(LoggedAnswer(Answer(1, 0, "no"), 0.6, "Ben"))
    assert log.get(frozenset((0, 1))) == (0, 1, "no")
    assert log.constraints(2).cannot_link_weights == pytest.approx([0.2])
