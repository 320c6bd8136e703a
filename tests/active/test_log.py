"""The log of answers, in memory and on disk."""

import signal
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clustraint import Constraints
from clustraint.active import Answer, AnswerFile, AnswerLog, Session
from clustraint.exceptions import ConstraintFileError, OutputFileError

NAMES = ["dog", "wolf", "no. 7", "a = b", '"', "#1", "12", "été"]
samples = st.integers(0, len(NAMES) - 1)
answers = st.builds(Answer, samples, samples, st.sampled_from(["yes", "no", "don't know"])).filter(
    lambda answer: answer.first != answer.second
)


@given(st.lists(st.tuples(answers, st.booleans()), max_size=12), st.booleans())
def test_a_file_says_what_a_list_says(tmp_path_factory, steps, has_names):
    path = tmp_path_factory.mktemp("log") / "a.txt"
    names = NAMES if has_names else None
    log, file = AnswerLog(), AnswerFile(path, len(NAMES), names, "animals.csv")
    file.write()
    for answer, is_removed in steps:
        for each in (log, file):
            (each.remove if is_removed else each.add)(answer)
        again = AnswerFile(path, len(NAMES), names)
        assert list(log) == list(file)
        assert {*again} == {*log}
    assert (
        Constraints.read(path, len(NAMES), names).n_constraints
        >= log.constraints(len(NAMES)).n_constraints
    )


@given(st.lists(answers, max_size=12))
def test_the_last_word_counts_unless_it_is_do_not_know(steps):
    log = AnswerLog(steps)
    for answer in steps:
        words = [each.answer for each in steps if each.pair == answer.pair]
        definite = [word for word in words if word != "don't know"]
        assert log.get(answer.pair).answer == (definite or words)[-1]
    assert len(log) == len({answer.pair for answer in steps})


def test_lines_of_others_stay(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("# mine\ndog = wolf   # sure\n\n# don't know: dog, wolf | 12\n")
    file = AnswerFile(path, len(NAMES), NAMES)
    assert list(file) == [(0, 1, "yes")]
    file.add(Answer(0, 2, "no"))
    file.remove(Answer(2, 0, "no"))
    assert path.read_text().splitlines() == [
        "# mine",
        "dog = wolf   # sure",
        "",
        "# don't know: dog, wolf | 12",
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("dog, wolf | 12\n", "a.txt: holds triplets, but answers are must-links and cannot-links"),
        ("exactly: milk\n", "a.txt: holds rules, but .*; keep rules in another file"),
        ("\n# don't know: dog = cat\n", "a.txt, line 2: no sample is called 'cat'"),
        ("\n# don't know: together: milk\n", "a.txt, line 2: .* is not one pair or triplet"),
    ],
)
def test_what_is_not_a_file_of_answers(tmp_path, content, message):
    path = tmp_path / "a.txt"
    path.write_text(content)
    with pytest.raises(ConstraintFileError, match=message):
        AnswerFile(path, len(NAMES), NAMES)
    assert path.read_text() == content


def test_row_numbers_of_another_table(tmp_path):
    path = tmp_path / "a.txt"
    AnswerFile(path, 1).write()
    assert path.read_text() == "# clustraint ask: 1 sample of a table\n"
    with pytest.raises(ConstraintFileError, match="about 1 sample, but there are 8"):
        AnswerFile(path, 8)
    assert len(AnswerFile(path, 8, NAMES)) == 0


def test_other_formats_keep_no_order(tmp_path):
    with pytest.raises(ConstraintFileError, match=r"a\.csv: .*, which takes a \.txt file"):
        AnswerFile(tmp_path / "a.csv", 3)


def test_what_cannot_be_written_is_not_answered(tmp_path):
    session = Session(
        "klein", [[0.0], [1.0], [5.0]], n_clusters=1, answers=AnswerFile(tmp_path / "no/a.txt", 3)
    )
    question = session.question
    with pytest.raises(OutputFileError, match="No such file"):
        session.answer("yes")
    assert (session.question, session.history, session.answers) == (question, [], [])


KILLED = """
import os, signal, sys
from clustraint.active import AnswerFile, Query, Session

def deadly(X):
    for row in range(len(X) - 1):
        yield Query(row, row + 1)
        if row == 1:
            os.kill(os.getpid(), signal.SIGKILL)

session = Session(deadly, [[0.0]] * 4, answers=AnswerFile(sys.argv[1], 4))
for word in ("no", "yes", "no"):
    session.answer(word)
"""


def test_an_answer_is_on_disk_before_the_next_question_is_looked_for(tmp_path):
    path = tmp_path / "a.txt"
    ended = subprocess.run([sys.executable, "-c", KILLED, path], timeout=120, check=False)
    assert ended.returncode == -signal.SIGKILL
    assert path.read_text() == "# clustraint ask: 4 samples of a table\n0 != 1\n1 = 2\n"
    assert list(tmp_path.iterdir()) == [path]
    assert list(AnswerFile(path, 4)) == [(0, 1, "no"), (1, 2, "yes")]
