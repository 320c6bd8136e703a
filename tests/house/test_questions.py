"""The comparison behind docs/questions.rst: who answers, what is counted, and that runs resume."""

import json

import pytest

from benchmarks.accuracy.tables import table
from benchmarks.questions.__main__ import main
from benchmarks.questions.grid import ASKED, OURS, Oracle, run
from benchmarks.questions.summary import Curves, sections
from clustraint.active import STRATEGIES
from docs import generate


def cell(strategy, wrong, seed=0, name="iris"):
    return {"table": name, "strategy": strategy, "seed": seed, "wrong": wrong}


def record(n_answers, ari, **others):
    return {"answers": n_answers, "ari": ari, **others}


def test_every_strategy_takes_part():
    assert [name for name, each in ASKED.items() if each.package == OURS] == [*STRATEGIES]


def test_who_is_wrong_is_wrong_again(global_random_seed):
    data = table("iris")
    pairs = [(a, b) for a in range(0, 150, 3) for b in range(1, 150, 4) if a != b]
    truth = Oracle(data, 0.0, global_random_seed)
    assert all(truth(a, b) == (data.y[a] == data.y[b]) for a, b in pairs)
    person = Oracle(data, 0.1, global_random_seed)
    answers = [person(a, b) for a, b in pairs]
    assert answers == [person(b, a) for a, b in pairs]
    n_wrong = sum(answer != truth(a, b) for answer, (a, b) in zip(answers, pairs, strict=True))
    assert 0.05 < n_wrong / len(pairs) < 0.15


def test_a_run_counts_answers():
    records = run(
        table="iris", strategy="min-max", seed=0, wrong=0.0, estimator="ConstrainedMixture"
    )
    assert [each["answers"] for each in records] == [0, *range(10, 201, 10)]
    assert records[-1]["ari"] >= records[0]["ari"]
    assert records[3]["ari"] is None
    assert records[1].get("expected") is None
    assert records[4]["expected"] >= 0


def test_means_are_over_seeds_and_then_tables():
    curves = Curves(
        [
            (cell("klein", 0.0, 0), [record(10, 0.2)]),
            (cell("klein", 0.0, 1), [record(10, 0.4)]),
            (cell("klein", 0.0, name="wine"), [record(10, 0.9)]),
        ]
    )
    assert curves.by_table("klein", 0.0, 10) == pytest.approx({"iris": 0.3, "wine": 0.9})
    assert curves.mean("klein", 0.0, 10) == pytest.approx(0.6)
    assert curves.mean("klein", 0.0, 10, ["iris"]) == pytest.approx(0.3)
    assert curves.mean("klein", 0.1, 10) is None


def test_targets_compare_the_same_tables():
    ours = [record(0, 0.5), record(10, 0.6), record(50, 0.7)]
    curves = Curves(
        [
            (cell("balanced", 0.0), ours),
            (cell("balanced", 0.0, name="wine"), [record(50, 0.1)]),
            (cell("balanced", 0.1), [record(0, 0.5), record(50, 0.45)]),
            (cell("NPU", 0.0), [record(100, 0.65)]),
        ]
    )
    targets = next(each for each in sections(curves) if each.title == "Targets")
    assert targets.rows[0][1:] == (".70", ".65", "met")
    assert targets.rows[1][1].startswith("iris at 50: .05")
    assert targets.rows[1][3] == "not met"


def test_a_run_resumes_and_is_shown(tmp_path, monkeypatch, capsys):
    arguments = ["--tables", "iris", "--strategies", "min-max", "--seeds", "1"]
    arguments += ["--estimator", "ConstrainedMixture"]
    arguments += ["--results", str(tmp_path / "cells.sqlite")]
    shown = []
    for _ in range(2):
        assert main([*arguments, "--json", str(tmp_path / "questions.json")]) == 0
        shown.append(capsys.readouterr().out)
        monkeypatch.setattr("benchmarks.questions.grid.run", None)
    assert shown[0] == shown[1]
    assert "| min-max |" in shown[0]
    assert json.loads((tmp_path / "questions.json").read_text())["estimator"]
    monkeypatch.setattr(generate, "DOCS", tmp_path)
    assert "min-max" in generate.questions()


def test_there_may_be_no_run_yet(tmp_path, monkeypatch):
    monkeypatch.setattr(generate, "DOCS", tmp_path)
    assert "There has been no run yet" in generate.questions()
