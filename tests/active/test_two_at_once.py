"""Two programs on one file of answers: nothing is lost, and whoever comes second is told."""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from clustraint.active import Answer, AnswerFile
from clustraint.exceptions import ChangedAnswersError

ROOT = Path(__file__).parents[2]
PROGRAM = """
import sys, time
from pathlib import Path
from clustraint.active import Answer, AnswerFile
from clustraint.exceptions import ChangedAnswersError

folder, number = Path(sys.argv[1]), int(sys.argv[2])
file = AnswerFile(folder / "answers.txt", 1000)
(folder / f"ready-{number}").touch()
while not (folder / "go").exists():
    time.sleep(0.01)
for step in range(40):
    try:
        file.add(Answer(number, 10 + step, "no"))
        print(f"{number} != {10 + step}")
    except ChangedAnswersError:
        print("refused")
        file = AnswerFile(folder / "answers.txt", 1000)
"""


def test_two_processes_lose_no_answer(tmp_path):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    programs = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM, tmp_path, str(number)],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(2)
    ]
    deadline = time.monotonic() + 120
    while len(list(tmp_path.glob("ready-*"))) < 2 and time.monotonic() < deadline:
        time.sleep(0.02)
    (tmp_path / "go").touch()
    outputs = [program.communicate(timeout=120)[0].splitlines() for program in programs]
    assert [program.returncode for program in programs] == [0, 0]
    written = [line for output in outputs for line in output if line != "refused"]
    lines = (tmp_path / "answers.txt").read_text().splitlines()
    answers = [line for line in lines if re.fullmatch(r"\d+ != \d+", line)]
    assert sorted(answers) == sorted(written)
    assert len(written) > 0


def test_what_somebody_else_wrote_is_not_written_over(tmp_path):
    path = tmp_path / "answers.txt"
    first, second = AnswerFile(path, 5), AnswerFile(path, 5)
    first.add(Answer(0, 1, "yes"))
    before = path.read_text()
    with pytest.raises(ChangedAnswersError, match=r"answers\.txt has been changed .* \(2 != 3\)"):
        second.add(Answer(2, 3, "no"))
    assert path.read_text() == before
    assert list(second) == []
    first.add(Answer(0, 2, "no"))
    again = AnswerFile(path, 5)
    assert list(again) == list(first)


def test_lines_that_people_write_meanwhile_stay(tmp_path):
    path = tmp_path / "answers.txt"
    file = AnswerFile(path, 5)
    file.add(Answer(0, 1, "yes"))
    with path.open("a") as lines:
        lines.write("3 = 4\n")
    with pytest.raises(ChangedAnswersError):
        file.remove(Answer(0, 1, "yes"))
    assert path.read_text().endswith("0 = 1\n3 = 4\n")
