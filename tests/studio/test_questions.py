"""Questions are those of `clustraint ask`; they end; none is asked whose answer follows."""

import numpy as np

from clustraint.active import AnswerFile
from clustraint.datasets import load_animals
from clustraint.studio._open import _as_csv
from clustraint.tables import read_table
from clustraint.workflow import Interview
from tests.studio.desk import blobs, say, visiting, working

CLASSES = np.repeat([0, 1, 2], 10)


def true_answer(pair, y):
    return "yes" if y[pair[0]] == y[pair[1]] else "no"


def test_questions_come_in_the_order_of_ask(tmp_path):
    animals = load_animals()
    content = _as_csv(animals)
    (tmp_path / "animals.csv").write_bytes(content)
    table = read_table(tmp_path / "animals.csv")
    interview = Interview(table, 7, 12)
    with working(content=content, n_clusters=7, name="animals.csv") as studio:
        for _ in range(12):
            view = studio.question(12).result(300)
            query = interview.session.question
            if query is None:
                break
            assert view["question"]["rows"] == [query.first, query.second]
            answer = true_answer(view["question"]["rows"], animals.y)
            interview.session.answer(answer)
            say(studio, "answer", {"rows": view["question"]["rows"], "answer": answer})
        assert studio.question(12).result(300)["over"]


def test_questions_end_and_none_follows_from_what_was_said():
    with working() as studio:
        asked = []
        for _ in range(16):
            view = studio.question(15).result(120)
            if view["question"] is None:
                break
            pair = view["question"]["rows"]
            constraints = studio.constraints
            assert not constraints.entails(must_link=pair)
            assert not constraints.entails(cannot_link=pair)
            assert view["question"]["number"] >= len(asked) + 1
            asked.append(frozenset(pair))
            say(studio, "answer", {"rows": pair, "answer": true_answer(pair, CLASSES)})
        assert len(asked) == len({*asked})
        assert view["over"]
        assert view["sentence"].startswith("Done: ")
        assert len(asked) <= 15


def test_a_pure_cluster_is_asked_about_no_more():
    with working() as studio:
        for cluster in np.unique(studio.shown.labels).tolist():
            say(studio, "pure", {"cluster": cluster})
        labels = studio.shown.labels
        question = studio.question().result(120)["question"]
        assert question is None or len({*labels[question["rows"]].tolist()}) == 2


def test_an_answer_taken_back_brings_the_question_back():
    with working() as studio:
        first = studio.question().result(120)["question"]
        say(studio, "answer", {"rows": first["rows"], "answer": "don't know"})
        second = studio.question().result(120)["question"]
        assert second["rows"] != first["rows"]
        say(studio, "undo")
        assert studio.question().result(120)["question"] == first


def test_what_differs_most_comes_first():
    with visiting() as visitor:
        question = visitor.get("/api/question").json()["question"]
        sizes = [each["size"] for each in question["differences"]]
        assert sizes == sorted(sizes, reverse=True)
        assert question["names"] == [f"s{row}" for row in question["rows"]]


def test_answers_go_on_in_ask_and_come_back(tmp_path):
    with visiting() as visitor:
        for _ in range(4):
            pair = visitor.get("/api/question").json()["question"]["rows"]
            visitor.say("answer", {"rows": pair, "answer": true_answer(pair, CLASSES)})
        visitor.say("answer", {"rows": [0, 29], "answer": "don't know"}, person="Ben")
        text = visitor.get("/api/export/answers.txt").text
        constraints = visitor.studio.constraints
    path = tmp_path / "answers.txt"
    path.write_text(text)
    file = AnswerFile(path, 30, [f"s{row}" for row in range(30)])
    assert len(file) == 5
    assert file.constraints(30).n_constraints == constraints.n_constraints
    assert "by Ben at " in text
    with visiting() as visitor:
        answer = visitor.post(
            "/api/import", {"command": "0123456789", "name": "answers.txt", "text": text}
        )
        assert (answer.status_code, answer.json()["n"]) == (200, 5)
        assert visitor.studio.constraints == constraints
        visitor.say("undo", {}, person="")
        assert visitor.studio.constraints.n_constraints == 0


def test_a_wrong_statement_among_right_ones_is_worth_a_check():
    with working(content=blobs(n_each=20), ignore=("colour",)) as studio:
        for row in range(0, 18, 2):
            say(studio, "together", {"rows": [row, row + 1]})
            say(studio, "apart", {"rows": [row], "from": [20 + row]})
        (wrong,) = say(studio, "together", {"rows": [19, 39]})
        assert list(studio.rate().result(120)) == [wrong.seq]
