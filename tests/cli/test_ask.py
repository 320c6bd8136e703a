"""`clustraint ask`: one question at a time, every answer on disk."""

import json
import os
import shlex
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from clustraint import ActiveCompleteLinkage, Constraints
from clustraint.cli._options import TableOptions, as_words
from clustraint.tables import read_frame, read_table
from clustraint.workflow import cluster_table
from tests.commands import COMMAND, Run, call, run_installed

TABLE = """name,size,weight,milk
dog,3,30,yes
wolf,4,40,yes
cow,9,700,yes
trout,1,2,no
carp,2,5,no
eel,2,4,no
"""
MAMMALS = {"dog", "wolf", "cow"}
ASK = ("ask", "t.csv", "-k", 2, "-n", 6, "--strategy", "klein", "-o", "a.txt")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    (tmp_path / "t.csv").write_text(TABLE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def ask(capsys, monkeypatch, folder):
    """Run the command with lines on standard input."""

    def run(lines, *arguments):
        (folder / "lines").write_text("".join(f"{line}\n" for line in lines))
        with open(folder / "lines") as replies:
            monkeypatch.setattr(sys, "stdin", replies)
            return call(capsys, *(arguments or ASK))

    return run


def as_json(ask, lines, *arguments):
    done = ask(lines, *(arguments or ASK), "--json")
    assert (done.code, done.err) == (0, "")
    return json.loads(done.out)


def truly(question):
    return "y" if (question["first"] in MAMMALS) == (question["second"] in MAMMALS) else "n"


def answer_all(ask, *arguments):
    """Answer each question in a run of its own, as the taxonomy has it."""
    said = 0
    while (found := as_json(ask, [], *arguments))["next"]:
        found = as_json(ask, [truly(found["next"])], *arguments)
        said += 1
    return found, said


def test_questions_are_those_of_the_estimator(ask):
    found = as_json(ask, ["y", "no", "s", "Yes", "don't know", "N"])
    table = read_table("t.csv")
    model = ActiveCompleteLinkage(2, 6)
    answers = []
    names = list(table.names)
    for question in found["questions"]:
        query = model.next_query(table.matrix(), answers)
        assert [names[query.first], names[query.second]] == [question["first"], question["second"]]
        answers.append(query.answered(question["answer"]))
    answered = Constraints(
        table.n_samples,
        must_link=[each[:2] for each in answers if each.answer == "yes"],
        cannot_link=[each[:2] for each in answers if each.answer == "no"],
    )
    labels = cluster_table(table, answered, 2).labels
    assert list(found["labels"].values()) == labels.tolist()
    assert [each["answer"] for each in found["questions"]][:3] == ["yes", "no", "don't know"]
    assert {each["by"] for each in found["questions"]} == {"person"}


def test_both_samples_are_shown_with_their_differences_first(ask):
    done = ask(["q"])
    words = " ".join(done.out.split())
    assert done.code == 0
    assert "Question 1 of 6" in words
    assert "carp eel weight 5 4 the same: size 2, milk no" in words
    assert "Do they belong together?" in words
    assert "Stopped; run the same command again" in words


def test_long_texts_are_shortened(ask):
    words = ("cat mat hat", "cat mat dog", "cat sun moon", "one two three")
    rows = [f"{each} {'very ' * 90}still" for each in words]
    Path("texts.csv").write_text("story\n" + "".join(f"{row}\n" for row in rows))
    done = ask(["y", "q"], "ask", "texts.csv", "-k", 2, "--text", "story")
    assert done.code == 0, done.err
    assert " …" in done.out
    assert "still" not in done.out
    assert Path("texts.answers.txt").exists()


def test_every_answer_is_on_disk_and_the_file_is_one_of_constraints(ask, folder):
    ask(["y", "n", "s"])
    lines = (folder / "a.txt").read_text().splitlines()
    assert lines[0] == "# clustraint ask: 6 samples of t.csv"
    assert [" = " in line and "#" not in line for line in lines[1:]] == [True, False, False]
    assert lines[3].startswith("# don't know: ")
    known = Constraints.read("a.txt", names=read_table("t.csv").names)
    assert (len(known.must_link), len(known.cannot_link)) == (1, 1)


def test_running_again_goes_on(ask):
    at_once = as_json(ask, ["y", "n", "s", "n", "y", "n"], *ASK[:-1], "once.txt")
    for reply in ("y", "n", "s", "n", "y", "n"):
        found = as_json(ask, [reply])
    assert Path("a.txt").read_text() == Path("once.txt").read_text()
    assert found["labels"] == at_once["labels"]
    assert [each["by"] for each in found["questions"]][:-1] == ["file"] * (
        len(found["questions"]) - 1
    )
    assert "answers from before" in ask([]).out


def test_answered_by_the_truth_the_clusters_are_right(ask):
    found, said = answer_all(ask)
    assert len(found["questions"]) == said <= 6
    clusters = {name: found["labels"][name] for name in MAMMALS}
    assert len({*clusters.values()}) == 1
    assert all(not each["violated"] for each in found["constraints"]["kinds"].values())


def test_undo_takes_back_answers_of_this_run_and_of_earlier_ones(ask):
    ask(["y"])
    after_one = Path("a.txt").read_text()
    ask(["n", "s", "u", "undo"])
    assert Path("a.txt").read_text() == after_one
    ask(["u"])
    assert Path("a.txt").read_text() == "# clustraint ask: 6 samples of t.csv\n"
    assert "there is no answer to take back" in ask(["u", "q"]).out


def test_the_end_of_input_and_q_are_the_same(ask):
    once = as_json(ask, ["y", "n"], *ASK[:-1], "one.txt")
    again = as_json(ask, ["y", "n", "q", "y"], *ASK[:-1], "two.txt")
    assert once["questions"] == again["questions"]
    assert Path("one.txt").read_text() == Path("two.txt").read_text()


def test_labels(ask):
    done = ask(["y", "n"], *ASK, "--labels", "l.csv", "-q")
    assert done.out == "a.txt\nl.csv\n"
    lines = Path("l.csv").read_text().splitlines()
    assert lines[0].endswith("milk,cluster")
    assert len({line.rpartition(",")[2] for line in lines[1:]}) == 2


def test_what_is_known_is_not_asked(ask):
    first = as_json(ask, [])["next"]
    Path("known.txt").write_text(f"{first['first']} = {first['second']}\n")
    found = as_json(ask, [], *ASK, "-c", "known.txt")
    assert found["questions"][0] == {
        **first,
        "answer": "yes",
        "by": "constraints",
        "drawn": "strategy",
    }
    assert found["next"] != first
    assert found["labels"][first["first"]] == found["labels"][first["second"]]
    assert "1 question answered by the constraints" in ask([], *ASK, "-c", "known.txt").out
    assert first["first"] not in Path("a.txt").read_text()


def test_rules_are_knowledge_too(ask):
    Path("rule.txt").write_text("exactly: milk\n")
    found, _ = answer_all(ask, *ASK, "-c", "rule.txt")
    assert any(each["by"] == "constraints" for each in found["questions"])
    assert len({found["labels"][name] for name in MAMMALS}) == 1
    assert found["constraints"]["kinds"]["exactly"]["violated"] == 0


@pytest.mark.parametrize("strategy", ["klein", "expected-change", "balanced"])
def test_cluster_shows_what_ask_showed(ask, capsys, strategy):
    arguments = ("ask", "t.csv", "-k", 2, "-n", 3, "--strategy", strategy, "-o", "b.txt")
    found, _ = answer_all(ask, *arguments)
    done = call(capsys, "cluster", "t.csv", "-k", 2, "-c", "b.txt", "--json")
    assert json.loads(done.out)["labels"] == found["labels"]


def test_more_questions_use_the_answers_of_before(ask):
    ask(["y"], "ask", "t.csv", "-k", 2, "-n", 5, "-o", "a.txt", "--strategy", "klein")
    before = Path("a.txt").read_text()
    found = as_json(ask, ["y"])
    assert [each["by"] for each in found["questions"]] == ["person", "file"]
    assert Path("a.txt").read_text().startswith(before)


def test_lines_of_others_stay_in_the_file(ask):
    Path("a.txt").write_text("# mine\ndog = wolf   # sure\r\n\r\n#3 != #2\n")
    ask(["y", "u", "n"])
    lines = Path("a.txt").read_text().splitlines()
    assert lines[:4] == ["# mine", "dog = wolf   # sure", "", "#3 != #2"]
    assert len(lines) == 5


def test_row_numbers_without_names(ask):
    arguments = (*ASK, "--ignore", "name")
    ask(["y"], *arguments)
    assert Path("a.txt").read_text().splitlines()[1].replace(" = ", "").isdigit()
    assert "row " in ask(["q"], *arguments).out
    Path("t.csv").write_text(TABLE + "hen,2,3,no\n")
    done = ask(["q"], *arguments)
    assert done.code == 2
    assert "about 6 samples, but there are 7" in done.err


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (
            "dog = wolf\nwolf = cow\ndog != cow\n",
            "the answers in a.txt contradict each other: dog and cow",
        ),
        ("dog = wolve\n", "a.txt, line 1: no sample is called 'wolve'; did you mean 'wolf'"),
        ("# don't know: dog = wolve\n", "a.txt, line 1: no sample is called 'wolve'"),
        ("# don't know: dog wolf\n", "a.txt, line 1: a line reads"),
        ("dog, wolf | eel\n", "a.txt: holds triplets, but answers are must-links"),
        ("together: milk\n", "a.txt: holds rules, but answers are must-links"),
        ("id,cluster\ndog,0\n", "a.txt, line 1: a line reads"),
        ("dog = 99\n", "a.txt, line 1: no sample is called '99'"),
        (b"\xff\xfe\x00", "a.txt"),
    ],
)
def test_contradictory_or_foreign_content(ask, folder, content, words):
    content = content if isinstance(content, bytes) else content.encode()
    (folder / "a.txt").write_bytes(content)
    done = ask(["y"])
    assert done.code == 2
    assert done.err.count("\n") == 1
    assert words in done.err
    assert (folder / "a.txt").read_bytes() == content


BAD = [
    ("ask t.csv", "Missing option '-k'"),
    ("ask t.csv -k 0", "'-k'"),
    ("ask t.csv -k 9", "9"),
    ("ask t.csv -k 2 -n 0", "'-n'"),
    ("ask none.csv -k 2", "none.csv: cannot be read"),
    ("ask - -k 2", "ask reads answers from standard input"),
    ("ask t.csv -k 2 -o a.csv", "which takes a .txt file"),
    ("ask t.csv -k 2 -o none/a.txt", "cannot be written: No such file"),
    ("ask t.csv -k 2 -o folder.txt", "folder.txt cannot be written: it is a folder"),
    ("ask t.csv -k 2 -c triplet.txt", "but triplets are given"),
    (
        "ask t.csv -k 2 -c against.txt",
        "clustraint: the constraints contradict each other: dog and eel cannot",
    ),
    ("ask t.csv -k 2 --scale log", "scale must be 'standard', 'minmax' or 'none'"),
    ("ask t.csv -k 2 --id nam", "did you mean 'name'"),
    ("ask one.csv -k 1", "holds one sample"),
]


@pytest.fixture
def bad_files(folder):
    (folder / "triplet.txt").write_text("dog, wolf | eel\n")
    (folder / "against.txt").write_text("dog = wolf\nwolf = eel\ndog != eel\n")
    (folder / "one.csv").write_text("name,x\ndog,1\n")
    (folder / "folder.txt").mkdir()
    return {*os.listdir(folder)}


def check_sentence(done, words):
    assert done.code == 2, words
    assert done.err.startswith("clustraint: "), words
    assert done.err.count("\n") == 1, done.err
    assert words in done.err


@pytest.mark.parametrize(("arguments", "words"), BAD)
def test_bad_input(ask, folder, bad_files, arguments, words):
    check_sentence(ask([], *arguments.split()), words)
    assert {*os.listdir(folder)} - {"lines"} == bad_files


def test_bad_input_through_the_installed_command(folder, bad_files, tmp_path_factory):
    runs = [Run(arguments.split(), folder) for arguments, _ in BAD]
    found = run_installed(runs, tmp_path_factory.mktemp("scratch"))
    for done, (_, words) in zip(found, BAD, strict=True):
        check_sentence(done, words)
    assert {*os.listdir(folder)} == bad_files


def test_what_is_no_answer_is_told_and_the_others_are_kept(ask):
    done = ask(["y", "", "maybe", "n"])
    assert done.code == 2
    assert "standard input, line 3: an answer is y, n, s" in done.err
    assert len(Path("a.txt").read_text().splitlines()) == 2


def test_a_full_disk_keeps_the_answers_before(folder, tmp_path_factory):
    scratch = tmp_path_factory.mktemp("scratch")
    (folder / "a.txt").write_text("# " + "x" * 4060 + "\n")
    (folder / "replies").write_text("y\n" * 6)
    run = Run([*ASK], folder, stdin=str(folder / "replies"), limit=4096)
    (done,) = run_installed([run], scratch)
    assert done.code == 2
    assert "a.txt cannot be written: File too large" in done.err
    assert 2 <= (folder / "a.txt").read_text().count("\n") <= 4
    assert not list(folder.glob(".clustraint*"))


def start(*arguments, **options):
    return subprocess.Popen(
        [COMMAND, *map(str, arguments or ASK)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def read_until(stream, words):
    seen = ""
    while words not in seen:
        line = stream.readline()
        assert line, seen
        seen += line
    return seen


@pytest.mark.parametrize(("signal", "code"), [(9, -9), (2, 130)])
def test_a_run_stopped_midway_loses_no_answer(folder, signal, code):
    process = start(env={**os.environ, "PYTHONUNBUFFERED": "1"})
    for number, reply in enumerate(("y", "n"), start=1):
        read_until(process.stdout, f"Question {number} of")
        process.stdin.write(f"{reply}\n")
        process.stdin.flush()
    read_until(process.stdout, "Question 3 of")
    # The last words before it waits for an answer.
    read_until(process.stdout, "q stop")
    process.send_signal(signal)
    _, told = process.communicate(timeout=120)
    assert process.returncode == code
    assert "Traceback" not in told
    lines = (folder / "a.txt").read_text().splitlines()
    assert len(lines) == 3
    assert "!=" in lines[2]
    assert sorted(os.listdir(folder)) == ["a.txt", "t.csv"]


def _at_its_first_question():
    process = start(env={**os.environ, "PYTHONUNBUFFERED": "1"})
    read_until(process.stdout, "Do they belong together?")
    return process


def test_two_at_once_on_one_file_lose_no_answer(folder):
    """Whoever comes second is told so, and what both were answered is on disk."""
    first, second = (_at_its_first_question() for _ in range(2))
    first.stdin.write("y\n")
    first.stdin.flush()
    read_until(first.stdout, "Question 2 of")
    _, errors = second.communicate("n\n", timeout=120)
    assert second.returncode == 2
    assert "a.txt has been changed" in errors
    assert "Traceback" not in errors
    _, errors = first.communicate("n\nq\n", timeout=120)
    assert first.returncode == 0, errors
    answers = (folder / "a.txt").read_text().splitlines()[1:]
    assert ["!=" in line for line in answers] == [False, True]


def test_words_typed_slowly_at_a_terminal(folder):
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [COMMAND, *map(str, ASK), "--json"],
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**os.environ, "NO_COLOR": "1", "TERM": "dumb"},
    )
    os.close(theirs)
    dialogue = [(1, "yes\n"), (2, "x\n\nno\n"), (3, "s\n"), (4, "undo\n"), (3, "\x04")]
    for number, typed in dialogue:
        seen, question = b"", f"Question {number} of".encode()
        while question not in seen or b"undo" not in seen.partition(question)[2]:
            seen += os.read(ours, 10_000)
        for key in typed.encode():
            time.sleep(0.02)
            os.write(ours, bytes([key]))
    out, _ = process.communicate(timeout=120)
    os.close(ours)
    assert process.returncode == 0
    found = json.loads(out)
    assert [each["answer"] for each in found["questions"]] == ["yes", "no"]
    assert len((folder / "a.txt").read_text().splitlines()) == 3


BEST = ("ask", "t.csv", "-k", 2, "-n", 12, "-o", "a.txt")


def test_the_best_strategy_is_the_default(ask):
    found, n_answers = answer_all(ask, *BEST)
    assert 0 < n_answers <= 12
    clusters = {}
    for name, cluster in found["labels"].items():
        clusters.setdefault(cluster, set()).add(name)
    assert MAMMALS in clusters.values()
    assert {each["drawn"] for each in found["questions"]} == {"strategy"}


def test_strategy_method_and_person(ask, folder):
    options = ("--strategy", "min-max", "--method", "cop-kmeans", "--who", "Ann")
    found = as_json(ask, ["y", "n"], *BEST, *options)
    assert len(found["questions"]) == 2
    assert "# by Ann at " in (folder / "a.txt").read_text()
    assert "somebody" not in ask([], *BEST, *options).out


def test_progress_and_agreement_are_shown(ask, folder):
    (folder / "a.txt").write_text("dog = wolf\n# again: dog != wolf   # by Ben at 2026-11-17\n")
    done = ask(["y", "n"], *BEST)
    assert done.code == 0
    assert "somebody and Ben: the same answer for 0 of 1 pair." in done.out
    rows = "".join(f"{k},{k % 7}\n" for k in range(40))
    (folder / "t.csv").write_text(f"size,weight\n{rows}")
    done = ask(["n"] * 10, "ask", "t.csv", "-k", 3, "-n", 20, "-o", "b.txt")
    assert "Your last 10 answers changed" in done.out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--strategy", "clein"), "strategy must be 'klein'"),
        (("--method", "bihac"), "the method must cluster by must-links and cannot-links: best"),
        (("--who", "#1"), "who must be a name on one line"),
    ],
)
def test_what_cannot_ask(ask, options, message):
    done = ask([], *BEST, *options)
    assert done.code != 0
    assert message in " ".join(done.err.split())


def test_texts_are_for_every_strategy(ask, folder):
    (folder / "texts.csv").write_text("id,story\na,one dog\nb,two dogs\nc,a cat\nd,no cat\n")
    options = ("ask", "texts.csv", "-k", 2, "--text", "story")
    for strategy in ("klein", "min-max"):
        done = ask(["y", "q"], *options, "--strategy", strategy, "-o", f"{strategy}.txt")
        assert done.code == 0, done.err
        assert "=" in Path(f"{strategy}.txt").read_text()


def test_the_next_step_repeats_what_was_said_about_the_table_and_nothing_else():
    assert as_words(TableOptions(data="t.csv")) == []
    options = TableOptions(data="t.csv", id_column="name", ignore=["a", "b"], day_first=False)
    words = "--id name --ignore a --ignore b --month-first"
    assert as_words(options) == words.split()


def test_many_answers_choose_the_method(ask, folder):
    rows = "".join(f"{k % 2 * 9 + k / 50},{k % 7}\n" for k in range(60))
    (folder / "t.csv").write_text(f"size,weight\n{rows}")
    options = ("ask", "t.csv", "-k", 2, "-n", 40, "-o", "b.txt", "--strategy", "min-max")
    pairs = "".join(f"{a} {'=' if (a - b) % 2 == 0 else '!='} {b}\n" for a, b in PAIRS)
    (folder / "b.txt").write_text(pairs)
    labels = as_json(ask, [], *options)["labels"]
    assert len({(labels[str(k)], k % 2) for k in range(60)}) == 2


PAIRS = [(k, k + 1 + k % 3) for k in range(50)]


def points_table(rng):
    """Return a table of three groups of points."""
    rows = [
        (f"p{i}", *(rng.normal(size=2) + 4 * np.array([i % 3, (i % 3) ** 2]))) for i in range(30)
    ]
    return "name,x,y\n" + "".join(f"{name},{x:.3f},{y:.3f}\n" for name, x, y in rows)


@pytest.mark.parametrize(
    ("replies", "options", "method"),
    [
        (["y", "n", "y", "n"], (), "cop-kmeans"),
        (["n"] * 4 + ["y", "s"] * 3 + ["n"] * 8, (), "best"),
        (["n", "n", "y"], ("-m", "cop-kmeans", "--scale", "minmax"), "cop-kmeans"),
    ],
)
def test_the_next_step_gives_the_clusters_that_were_shown(
    ask, capsys, folder, replies, options, method, global_random_seed
):
    (folder / "p.csv").write_text(points_table(np.random.default_rng(global_random_seed)))
    run = ("ask", "p.csv", "-k", 3, "-n", 18, "--strategy", "uncertainty", *options)
    done = ask([*replies, "q"], *run, "--labels", "shown.csv")
    assert done.code == 0, done.err
    assert done.out.splitlines()[-1].startswith("Next: clustraint cluster p.csv -k 3 ")
    assert f"\n{method}, " in done.out
    words = shlex.split(done.out.splitlines()[-1].removeprefix("Next: clustraint "))
    again = call(capsys, *words, "-o", "again.csv", "-q")
    assert again.code == 0, again.err
    shown, found = (read_frame(folder / name) for name in ("shown.csv", "again.csv"))
    assert shown["cluster"].to_list() == found["cluster"].to_list()


def test_improbable_answers_are_pointed_out_and_never_with_certainty(ask):
    rows = [f"{x},{x}" for x in (*range(10), *range(100, 110))]
    Path("two.csv").write_text("a,b\n" + "\n".join(rows) + "\n")
    Path("two.answers.txt").write_text("#0 != #1\n#0 = #2\n#0 = #3\n#1 = #4\n#10 != #0\n")
    out = ask(["q"], "ask", "two.csv", "-k", 2, "--strategy", "uncertainty").out
    improbable = [line for line in out.splitlines() if line.startswith("Improbable: ")]
    assert improbable
    assert not any("100 %" in line for line in improbable)
