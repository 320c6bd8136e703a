"""Running, killing and resuming experiments; judging claims; writing pages."""

import dataclasses
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import joblib
import numpy as np
import pytest

from clustraint.exceptions import ClustraintError, InvalidParameterError
from papers import PAPERS, Finding, Results, Verdict, estimate, paper, reproduce
from papers._exceptions import ResultsFileError, UnknownExperimentError, UnknownPaperError
from papers._experiment import Cell, generator_of
from papers._pages import EARLIER, Change, Judged, changes_of, duration, moves, show
from papers._runner import ordered, run_paper
from papers._store import CellResult, Store
from tests.papers.toy_paper import TOY

ROOT = Path(__file__).parents[2]


@pytest.fixture
def log(tmp_path, monkeypatch):
    path = tmp_path / "calls"
    path.touch()
    monkeypatch.setenv("TOY_LOG", str(path))
    return path


def calls(log):
    return len(log.read_text().splitlines())


def verdicts(done):
    return {judged.claim.name: judged.finding.verdict.value for judged in done.page.judged}


def test_a_run_gives_verdicts_figures_tables_and_pages(tmp_path):
    (done,) = reproduce([TOY], size="full", folder=tmp_path)
    assert (done.run.kept, done.run.done, done.run.troubles) == (0, 17, [])
    assert verdicts(done) == {
        "a-gain": "holds",
        "a-loss": "does not hold",
        "no-data": "not testable here",
        "rows": "checked",
    }
    assert done.page.counts == {
        "holds": 1,
        "holds in direction": 0,
        "does not hold": 1,
        "on other data": 0,
        "not testable here": 1,
    }
    files = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert files == {
        "results.sqlite",
        "index.html",
        "changes.html",
        "toy.html",
        "toy/draw.svg",
        "toy/draw.png",
        "toy/draw-means.csv",
        "toy/draw-rows.csv",
        "toy/fetch-rows.csv",
    }
    page = done.path.read_text()
    assert "Toys &amp; drawings" in page
    assert "nobody has &lt;these&gt; data" in page
    assert "gain: 1.000 (1.000 to 1.000, n = 15)" in page
    assert '<td data-label="printed">1</td>' in page
    assert page.index("toy/draw.svg") < page.index('id="claim-a-gain"')
    assert 'href="toy.html#claim-a-loss"' in (tmp_path / "index.html").read_text()


def test_a_second_run_runs_nothing_and_writes_the_same(tmp_path, log):
    (first,) = reproduce([TOY], size="quick", folder=tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.svg")}
    page = first.path.read_text()
    assert calls(log) == 8
    (second,) = reproduce([TOY], size="quick", folder=tmp_path)
    assert calls(log) == 8
    assert (second.run.kept, second.run.done) == (8, 0)
    assert second.path.read_text() == page
    assert {path: path.read_bytes() for path in before} == before


def test_quick_cells_serve_the_full_run(tmp_path, log):
    reproduce([TOY], size="quick", folder=tmp_path)
    (done,) = reproduce([TOY], size="full", folder=tmp_path)
    assert (done.run.kept, done.run.done) == (8, 9)
    assert calls(log) == 17


def test_results_of_the_full_grid_do_not_enter_the_quick_page(tmp_path):
    reproduce([TOY], size="full", folder=tmp_path)
    (done,) = reproduce([TOY], size="quick", folder=tmp_path)
    assert done.page.progress.done == done.page.progress.total == 8
    assert len(done.page.results.frame("draw")) == 12


def test_fresh_runs_again_and_only_limits_it(tmp_path, log):
    reproduce([TOY], size="quick", folder=tmp_path)
    (done,) = reproduce([TOY], size="quick", folder=tmp_path, fresh=True, only="fetch")
    assert (done.run.kept, done.run.done) == (0, 2)
    assert calls(log) == 10
    assert done.page.progress.done == 8


def test_cells_limits_each_experiment_and_keeps_the_first(tmp_path):
    (done,) = reproduce([TOY], size="full", folder=tmp_path, cells=1)
    assert done.run.done == 2
    frame = done.page.results.frame("draw")
    assert set(frame["number"]) == {1}
    assert set(frame["repeat"]) == {0}


def test_experiments_go_on_at_the_same_pace():
    names = [cell.experiment for cell in ordered(TOY, "full")]
    assert names[:2] == ["draw", "fetch"]
    assert names.index("fetch", 2) == pytest.approx(len(names) / 2, abs=1)


def test_missing_data_and_faults_end_no_run(tmp_path, monkeypatch):
    monkeypatch.setenv("TOY_TABLES", "absent iris broken")
    (done,) = reproduce([TOY], size="quick", folder=tmp_path)
    absent, broken = sorted(done.run.troubles, key=lambda trouble: trouble.cell.key)
    assert absent.missing_data
    assert not broken.missing_data
    assert broken.reason == "RuntimeError: the table is broken"
    assert done.run.done == 7
    # The broken one may have rows some day; the absent one is not waited for.
    assert verdicts(done)["rows"] == "not enough runs"
    monkeypatch.setenv("TOY_TABLES", "absent")
    (done,) = reproduce([TOY], size="quick", folder=tmp_path / "other")
    assert verdicts(done)["rows"] == "not testable here"
    finding = done.page.judged[3].finding
    assert finding.explanation == "There are no results for fetch."


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_any_backend_gives_the_same_results(tmp_path, backend):
    with joblib.parallel_config(backend, n_jobs=2):
        (ours,) = reproduce([TOY], size="quick", folder=tmp_path / backend)
    (plain,) = reproduce([TOY], size="quick", folder=tmp_path / "plain")
    columns = ["number", "repeat", "method", "score"]
    tables = [
        done.page.results.frame("draw")[columns].sort_values(columns).to_numpy().tolist()
        for done in (ours, plain)
    ]
    assert tables[0] == tables[1]


def test_killing_a_run_loses_only_the_cells_at_work(tmp_path, log):
    program = (
        "from papers import reproduce; from tests.papers.toy_paper import TOY;"
        f"reproduce([TOY], size='full', folder={str(tmp_path)!r}, n_jobs=1)"
    )
    environment = {**os.environ, "TOY_PAUSE": "0.2", "PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, env=environment)
    deadline = time.monotonic() + 60
    while calls(log) < 5 and time.monotonic() < deadline:
        time.sleep(0.02)
    run.send_signal(signal.SIGKILL)
    run.wait()
    begun = calls(log)
    (done,) = reproduce([TOY], size="full", folder=tmp_path)
    assert 5 <= begun < 17
    assert done.run.kept >= begun - 1
    assert done.run.kept + done.run.done == 17
    assert calls(log) <= 18
    assert done.page.progress.done == 17


def test_two_runs_on_one_file_of_results_both_end_and_lose_nothing(tmp_path):
    program = (
        "from papers import reproduce; from tests.papers.toy_paper import TOY;"
        f"reproduce([TOY], size='full', folder={str(tmp_path)!r}, n_jobs=1)"
    )
    environment = {**os.environ, "TOY_PAUSE": "0.05", "PYTHONPATH": os.pathsep.join(sys.path)}
    runs = [
        subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, env=environment)
        for _ in range(2)
    ]
    assert [run.wait(timeout=300) for run in runs] == [0, 0]
    with sqlite3.connect(tmp_path / "results.sqlite") as connection:
        ((count,),) = connection.execute("SELECT count(*) FROM cells")
    (done,) = reproduce([TOY], size="full", folder=tmp_path)
    assert (count, done.run.kept, done.run.done) == (17, 17, 0)
    assert len(done.page.results.frame("draw")) == 30


def test_a_file_of_results_that_stays_locked_is_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr("papers._store.PATIENCE", 0.1)
    path = tmp_path / "results.sqlite"
    with Store(path) as store:
        other = sqlite3.connect(path)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(ResultsFileError, match=r"results\.sqlite: database is locked"):
            store.add("toy", CellResult(Cell("one", {"a": 1}), (), 1.0))
        other.close()
        store.add("toy", CellResult(Cell("one", {"a": 1}), (), 1.0))
        assert len(store.keys("toy", "one")) == 1


def test_the_watch_sees_every_cell(tmp_path):
    seen = []
    with Store(tmp_path / "results.sqlite") as store:
        run_paper(
            TOY,
            store,
            size="quick",
            watch=lambda run, total: seen.append((run.done, total)),
        )
    assert seen == [(done, 8) for done in range(9)]


def test_a_store_replaces_forgets_and_separates_papers(tmp_path):
    with Store(tmp_path / "deep" / "results.sqlite") as store:
        cell = Cell("one", {"b": 2, "a": 1})
        store.add("toy", CellResult(cell, ({"x": 1}, {"x": float("nan")}), 1.0))
        store.add("toy", CellResult(Cell("one", {"a": 1, "b": 2}), ({"x": np.float64(5)},), 2.0))
        store.add("other", CellResult(cell, ({"x": 3},), 1.0))
        (kept,) = store.results("toy", "one")
        assert kept.records == ({"x": 5.0},)
        assert kept.seconds == 2.0
        assert store.papers() == ["other", "toy"]
        store.forget("toy", "one")
        assert store.keys("toy", "one") == set()
        assert store.keys("other", "one") == {cell.key}


def test_results_of_other_versions_are_not_read(tmp_path, monkeypatch, log):
    reproduce([TOY], size="quick", folder=tmp_path)
    monkeypatch.setattr("clustraint.__version__", "99")
    (done,) = reproduce([TOY], size="quick", folder=tmp_path)
    assert done.run.done == 8
    with sqlite3.connect(tmp_path / "results.sqlite") as connection:
        ((count,),) = connection.execute("SELECT count(*) FROM cells")
    assert count == 16


def test_no_value_is_stored_as_none(tmp_path):
    with Store(tmp_path / "results.sqlite") as store:
        store.add(
            "toy", CellResult(Cell("draw", {"number": 1, "repeat": 0}), ({"score": np.nan},), 1)
        )
        frame = Results(TOY, store, "quick").frame("draw")
    assert frame["score"].isna().all()


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"papers": ["clusilk"]}, UnknownPaperError, "did you mean 'clusilc'"),
        ({"papers": [TOY], "only": "drew"}, UnknownExperimentError, "did you mean 'draw'"),
        ({"papers": [TOY], "size": "huge"}, InvalidParameterError, "'quick' or 'full'"),
        ({"papers": [TOY], "cells": -1}, InvalidParameterError, "from 0"),
    ],
)
def test_bad_arguments_are_explained(tmp_path, change, error, words):
    with pytest.raises(error, match=words) as caught:
        reproduce(**{"size": "quick", "folder": tmp_path, **change})
    assert isinstance(caught.value, ClustraintError)


def test_a_file_that_holds_no_results_is_explained(tmp_path):
    path = tmp_path / "results.sqlite"
    path.write_text("this is no database, but a text that is long enough to be read as one" * 20)
    with pytest.raises(ResultsFileError, match=r"results\.sqlite: file is not a database"):
        reproduce([TOY], size="quick", folder=tmp_path)


def test_an_estimate_covers_the_truth_as_often_as_it_says(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    covered = 0
    for _ in range(100):
        found = estimate("mean", rng.normal(2.0, 1.0, size=40))
        covered += found.low <= 2.0 <= found.high
    assert covered >= 80


def test_an_estimate_leaves_out_what_is_not_known():
    found = estimate("mean", [1.0, np.nan, 3.0])
    assert (found.value, found.n) == (2.0, 2)
    assert estimate("mean", [np.nan]).n == 0
    assert estimate("median", [1, 2, 30], np.median).value == 2


def test_generators_differ_by_every_part():
    draws = {
        float(generator_of(*parts).random())
        for parts in [("a", 1), ("a", 2), ("b", 1), ("a", 1, None), ("a", "1")]
    }
    assert len(draws) == 5


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.0012, "0.0012 s"), (59.7, "1 min 0 s"), (3599.8, "1 h 0 min"), (3700, "1 h 1 min")],
)
def test_durations_are_readable(seconds, text):
    assert duration(seconds) == text


def test_cells_that_are_not_run_leave_claims_open(tmp_path):
    (done,) = reproduce([TOY], size="quick", folder=tmp_path)
    assert done.page.counts["not enough runs"] == 2
    finding = done.page.judged[0].finding
    assert finding.explanation.startswith("not enough runs (2 of 5); so far: Gain is 1.000")
    (done,) = reproduce([TOY], size="full", folder=tmp_path / "few", cells=1)
    assert done.page.judged[0].finding.explanation.startswith("not enough runs (0 of 5)")


def test_data_that_come_later_are_no_longer_missing(tmp_path):
    with Store(tmp_path / "results.sqlite") as store:
        cell = Cell("fetch", {"table": "iris"})
        store.add_missing("toy", cell)
        store.add_missing("toy", cell)
        assert store.missing("toy", "fetch") == {cell.key}
        store.add("toy", CellResult(cell, ({"rows": 1},), 1.0))
        assert store.missing("toy", "fetch") == set()
        store.add_missing("toy", cell)
        store.forget("toy", "fetch")
        assert store.missing("toy", "fetch") == set()


def test_a_figure_that_fails_is_hidden_only_where_cells_are_lacking(tmp_path):
    def fragile(results):
        raise IndexError("no row of number 3")

    experiment = dataclasses.replace(TOY.experiments[0], show=fragile)
    (part,) = reproduce([TOY], size="full", folder=tmp_path, cells=1)
    assert show(experiment, part.page.results).drawings == ()
    (whole,) = reproduce([TOY], size="full", folder=tmp_path)
    with pytest.raises(IndexError):
        show(experiment, whole.page.results)


@pytest.mark.parametrize("name", PAPERS)
def test_papers_are_well_formed(name):
    found = paper(name)
    assert found.name == name
    for size in ("quick", "full"):
        for experiment in found.experiments:
            keys = [cell.key for cell in experiment.cells(size)]
            assert len(keys) == len(set(keys)) > 0
            assert json.loads(keys[0]) == dict(next(iter(experiment.cells(size))).parameters)
    names = [claim.name for claim in found.claims]
    assert len(names) == len(set(names))
    known = {experiment.name for experiment in found.experiments}
    assert all(set(claim.needs) <= known for claim in found.claims)
    assert all(claim.quote and claim.where and claim.criterion for claim in found.claims)


# What goes beyond the papers was not there before.
@pytest.mark.parametrize("name", sorted({*PAPERS} - {"beyond"}))
def test_every_claim_has_its_earlier_verdict(name):
    earlier = json.loads(EARLIER.read_text(encoding="utf-8"))[name]
    assert {claim.name for claim in paper(name).claims} == set(earlier)
    assert all(each["why"] for each in earlier.values())


def test_changes_tell_before_now_and_why(tmp_path):
    (done,) = reproduce(["ccl"], size="quick", folder=tmp_path, cells=1, only="figure-10")
    (change,) = changes_of([done.page])
    assert moves([change])["all"] == {"holds": 12, "does not hold": 9}
    text = (tmp_path / "changes.html").read_text()
    assert "own COP-k-means decides" in text


def test_moves_count_claims_by_verdict_now_and_before():
    def judged(before, *finding):
        return Judged(paper("ccl").claims[0], Finding(finding[0], (), "", outcome=finding[-1])), {
            "verdict": before
        }

    rows = (
        judged("holds", Verdict.CHECKED, None),
        judged("does not hold", Verdict.ELSEWHERE, Verdict.FAILS),
        judged("holds", Verdict.ELSEWHERE, Verdict.HOLDS),
        judged("does not hold", Verdict.HOLDS, None),
        judged("holds", Verdict.HOLDS, None),
    )
    assert moves([Change(paper("ccl"), rows[:2]), Change(paper("bihac"), rows[2:])]) == {
        "holds": {"holds": 1, "does not hold": 1},
        "on other data: holds": {"holds": 1},
        "on other data: does not hold": {"does not hold": 1},
        "checked": {"holds": 1},
        "all": {"holds": 3, "does not hold": 2},
    }
    assert next(iter(moves([Change(paper("ccl"), rows)]))) == "holds"
