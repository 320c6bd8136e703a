"""The comparison behind docs/accuracy.rst: what is drawn, what is counted, and that runs resume."""

import dataclasses
import json
from xml.etree import ElementTree

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from benchmarks.accuracy import grid, peers, tables
from benchmarks.accuracy.__main__ import main
from benchmarks.accuracy.grid import GRIDS, NOTHING_SAID, Condition, cells, doubts
from benchmarks.accuracy.knowledge import KINDS, knowledge
from benchmarks.accuracy.methods import METHODS, as_pairs
from benchmarks.accuracy.peers import has_active_semi_clustering
from benchmarks.accuracy.results import Outcomes
from benchmarks.accuracy.summary import AccuracyPage, number, sections, title_of
from benchmarks.accuracy.tables import NAMES, TABLES, TUNED, table
from clustraint import Constraints
from clustraint.exceptions import DatasetNotFoundError
from docs import generate

SMALL = ["--quick", "--tables", "animals; iris", "--methods", "k-means; PCKMeans"]


@pytest.fixture(autouse=True)
def _threads(monkeypatch):
    # The threads of these tests are not to be told anything.
    monkeypatch.setattr("benchmarks.__main__.THREADS", ())


@pytest.fixture
def results(tmp_path):
    return ["--results", str(tmp_path / "cells.sqlite")]


def failing(name):
    def fit(data, statements, seed):
        raise ZeroDivisionError("not today")

    return dataclasses.replace(METHODS[name], fit=fit)


def test_a_small_run(results, tmp_path, capsys):
    files = {ending: tmp_path / f"run.{ending}" for ending in ("json", "md", "svg")}
    options = ["--json", files["json"], "--markdown", files["md"], "--picture", files["svg"]]
    assert main([*SMALL, *results, *map(str, options)]) == 0
    shown = capsys.readouterr()
    lines = shown.out.splitlines()
    assert "| method | 0 | 60 | 60, 10% wrong |" in lines
    assert sum(line.startswith("| k-means (scikit-learn) |") for line in lines) > 2
    assert any(line.startswith("| PCKMeans | both halves |") for line in lines)
    assert any(line.startswith("| animals | .") for line in lines)
    assert "The quick grid, 1 seed." in shown.out
    # Two tables: k-means once each, PCKMeans in five conditions.
    assert "12 of 12 cells" in shown.err
    assert files["md"].read_text(encoding="utf-8").strip() == shown.out.strip()
    assert AccuracyPage.read(files["json"]).markdown().strip() == shown.out.strip()
    assert ElementTree.fromstring(files["svg"].read_text(encoding="utf-8")).tag.endswith("svg")


def test_a_run_is_resumed(results, capsys, monkeypatch):
    assert main([*SMALL, *results]) == 0
    first = capsys.readouterr().out
    monkeypatch.setitem(METHODS, "PCKMeans", failing("PCKMeans"))
    assert main([*SMALL, *results]) == 0
    assert capsys.readouterr().out == first
    assert main([*SMALL, *results, "--again", "PCKMeans"]) == 0
    assert "| PCKMeans | .00 | .00 | .00 |" in (again := capsys.readouterr().out)
    assert "| 100.0% |" in again


def test_a_table_that_is_not_here_is_skipped_with_a_word(results, capsys, monkeypatch):
    def missing():
        raise DatasetNotFoundError("iris", "nowhere")

    tables.table.cache_clear()
    monkeypatch.setitem(TABLES, "iris", missing)
    assert main([*SMALL, *results]) == 0
    shown = capsys.readouterr()
    assert "iris: not found on this machine, skipped" in shown.err
    assert "Not found on this machine, and left out: iris." in shown.out
    assert "| animals |" in shown.out
    tables.table.cache_clear()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--tables", "irises"], "there is no table 'irises'"),
        (["--methods", "K-Means"], "there is no method 'K-Means'; there are k-means;"),
        (["--again", "nobody"], "there is no method 'nobody'"),
        (["--docs", "--quick"], "--docs shows all tables"),
        (["--quick", "--full"], "not allowed with"),
    ],
)
def test_bad_options(options, message, results, capsys):
    with pytest.raises(SystemExit) as caught:
        main([*results, *(options if "--quick" in options else ["--quick", *options])])
    assert caught.value.code == 2
    assert message in capsys.readouterr().err


def test_halves_are_in_alphabetical_order():
    assert len(NAMES) == 18
    assert sorted(NAMES, key=str.lower) == NAMES
    assert NAMES[:9] == list(TUNED)


@pytest.mark.parametrize("wrong", [0.0, 0.1, 0.2])
def test_wrong_pairs_say_the_opposite(wrong, global_random_seed):
    y = table("iris").y
    statements = knowledge("iris", "pairs", 60, wrong, global_random_seed)
    assert statements.constraints.n_constraints == 60
    for kind, is_right in (("must_link", np.equal), ("cannot_link", np.not_equal)):
        first, second = getattr(statements.constraints, kind).T
        assert (is_right(y[first], y[second]) == ~statements.wrong[kind]).all()
    assert sum(mask.sum() for mask in statements.wrong.values()) == round(60 * wrong)


def test_wrong_triplets_name_another_odd_one(global_random_seed):
    y = table("animals").y
    for wrong in (0.0, 0.2):
        rows = knowledge("animals", "triplets", 50, wrong, global_random_seed).constraints.triplets
        first, second, odd = y[rows].T
        right = (first == second) & (first != odd)
        assert right.sum() == round(50 * (1 - wrong))


def test_labels_are_of_each_class(global_random_seed):
    y = table("iris").y
    statements = knowledge("iris", "labels", 5, 0.2, global_random_seed)
    drawn = statements.labels >= 0
    assert np.bincount(y[drawn]).tolist() == [5, 5, 5]
    assert (statements.labels[drawn] != y[drawn]).sum() == 3
    assert statements.touched.sum() == 15


def test_rules_hold_unless_they_are_wrong(global_random_seed):
    data = table("animals")
    statements = knowledge("animals", "rules", 5, 0.2, global_random_seed)
    scopes = [rule.scope(data.X) for rule in statements.constraints.rules]
    n_classes = [len(np.unique(data.y[scope])) for scope in scopes]
    assert sorted(n_classes)[:4] == [1, 1, 1, 1]
    assert sorted(n_classes)[4] > 1
    for rule, scope in zip(statements.constraints.rules, scopes, strict=True):
        if rule.exactly:
            assert (scope == (data.y == data.y[scope][0])).all()


def test_pairs_say_what_labels_and_rules_say(global_random_seed):
    data = table("animals")
    statements = knowledge("animals", "mixture", 60, 0.0, global_random_seed)
    assert set(statements.constraints.kinds) >= {"must_link", "cannot_link", "triplets"}
    pairs = as_pairs(data, statements)
    assert set(pairs.kinds) <= {"must_link", "cannot_link"}
    for kind, is_right in (("must_link", np.equal), ("cannot_link", np.not_equal)):
        first, second = getattr(pairs, kind).T
        assert is_right(data.y[first], data.y[second]).all()


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_seed_draws_the_same(kind, global_random_seed):
    once, again, other = (
        knowledge("animals", kind, 4, 0.2, seed)
        for seed in (global_random_seed, global_random_seed, global_random_seed + 1)
    )
    assert once.constraints == again.constraints
    assert once.labels.tolist() == again.labels.tolist()
    assert (once.constraints, once.labels.tolist()) != (other.constraints, other.labels.tolist())


def test_nothing_is_drawn_for_plain_methods():
    plain = list(cells(["iris"], ["k-means"], GRIDS["full"], 2))
    assert [each["budget"] for each in plain] == [0, 0]
    kinds = {each["kind"] for each in cells(["iris"], ["ReCon"], GRIDS["full"], 1)}
    assert kinds == {"pairs", "triplets", "mixture"}  # pairs: only the one without any


def test_e2cp_follows_its_equations(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    X = rng.normal(size=(30, 2))
    graph, passing = peers._graph(X.tobytes(), X.shape)
    assert (graph == graph.T).all()
    root = np.diag(graph.sum(axis=1) ** -0.5)
    system = np.eye(30) - peers.PASSED_ON * root @ graph @ root
    np.testing.assert_allclose(passing @ system, (1 - peers.PASSED_ON) * np.eye(30), atol=1e-8)


def test_e2cp_separates_what_k_means_cannot():
    data = table("circles")
    statements = knowledge("circles", "pairs", 60, 0.0, 0)
    by_pairs = METHODS["E2CP"].fit(data, statements, 0).labels_
    plain = METHODS["k-means"].fit(data, statements, 0).labels_
    assert adjusted_rand_score(data.y, by_pairs) > 0.8 > adjusted_rand_score(data.y, plain)


@pytest.mark.skipif(not has_active_semi_clustering(), reason="the peer is not installed")
@pytest.mark.parametrize("name", ["COP-k-means", "PCK-means", "MPCK-means"])
def test_what_a_peer_raises_or_sets_is_survived(name):
    before = np.geterr()
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(METHODS, name, failing(name))
        (record,) = grid.run(table="iris", method=name, seed=0, kind="pairs", budget=20, wrong=0.0)
    assert record["failed"] == "ZeroDivisionError: not today"
    pairs = knowledge("iris", "labels", 1, 0.0, 0)
    METHODS[name].fit(table("iris"), pairs, 0)
    assert np.geterr() == before


def test_tables_that_are_too_large_for_a_peer_are_left_out():
    assert METHODS["MPCK-means"].limit < len(table("breast cancer").y)
    parameters = {"table": "breast cancer", "seed": 0, "kind": "pairs", "budget": 20, "wrong": 0.0}
    assert grid.run(method="MPCK-means", **parameters) == []
    rules = {**parameters, "kind": "rules", "budget": 3}
    assert grid.run(method="PCKMeans", **rules) == []


class Doubting:
    def __init__(self, **doubt):
        self.doubt_ = doubt


def test_doubts_are_judged_by_what_is_wrong():
    statements = knowledge("iris", "pairs", 40, 0.1, 0)
    sure = Doubting(**{kind: mask.astype(float) for kind, mask in statements.wrong.items()})
    judged = doubts(sure, statements)
    assert judged["precision"] == 1
    counts = json.loads(judged["bins"])
    assert counts[0] == [36, 0.0, 0]
    assert counts[-1] == [4, 4.0, 4]
    worst = Doubting(**{kind: 1.0 - mask for kind, mask in statements.wrong.items()})
    assert doubts(worst, statements)["precision"] < 0.2
    assert doubts(object(), statements) == {}
    assert doubts(sure, knowledge("iris", "pairs", 40, 0.0, 0)) == {}


def records_of(method, condition, by_table):
    for name, records in by_table.items():
        for seed, record in enumerate(records):
            parameters = {"table": name, "method": method, "seed": seed, **condition._asdict()}
            yield parameters, [{"seconds": 1.0, **record}]


def test_means_are_over_seeds_and_then_tables():
    sixty = Condition("pairs", 60)
    bins = json.dumps([[2, 0.2, 0], [2, 1.8, 1]])
    outcomes = Outcomes(
        [
            *records_of("k-means", NOTHING_SAID, {"iris": [{"ari": 0.5, "free": 0.5}]}),
            *records_of(
                "ConstrainedMixture",
                sixty,
                {
                    "iris": [{"ari": 0.8, "bins": bins, "precision": 0.9}, {"ari": 1.0}],
                    "wine": [{"failed": "ValueError: no"}, {"ari": 0.4, "bins": bins}],
                },
            ),
        ]
    )
    assert outcomes.by_table("ConstrainedMixture", sixty) == pytest.approx(
        {"iris": 0.9, "wine": 0.2}
    )
    assert outcomes.mean("ConstrainedMixture", sixty) == pytest.approx(0.55)
    assert outcomes.mean("ConstrainedMixture", sixty, tables=["iris"]) == pytest.approx(0.9)
    assert outcomes.mean("k-means", sixty) == 0.5
    assert outcomes.mean("E2CP", sixty) is None
    assert outcomes.failures("ConstrainedMixture") == 0.25
    assert outcomes.by_table("ConstrainedMixture", sixty, "precision") == {"iris": 0.9}
    assert outcomes.calibration("ConstrainedMixture", sixty) == [(0.1, 0.0, 4), (0.9, 0.5, 4)]
    shown = {section.title: section for section in sections(outcomes)}
    targets = dict(
        zip(("what", "target", "reached", "verdict"), shown["Targets"].rows[0], strict=True)
    )
    assert targets["reached"] == ".90"
    assert targets["verdict"] == "**missed**"


def test_targets_about_all_tables_are_open_where_some_were_left_out():
    sixty = Condition("pairs", 60)
    for names, verdict in ((NAMES[:3], "open: 3 of 18 tables"), (NAMES, "met")):
        records = {name: [{"ari": 0.9, "free": 0.9}] for name in names}
        plain = records_of("k-means", NOTHING_SAID, {name: [{"ari": 0.5}] for name in names})
        outcomes = Outcomes([*plain, *records_of("BestClusterer", sixty, records)])
        (targets,) = (each for each in sections(outcomes) if each.title == "Targets")
        assert {row[-1] for row in targets.rows} == {verdict}
        assert [row[2] for row in targets.rows] == [".90", f"+0.40 ({min(names)}, 60)"]


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        (Condition("pairs", 60, 0.1), "60, 10% wrong"),
        (Condition("pairs", "5 %"), "5 %"),
        (Condition("labels", 3), "3 per class"),
    ],
)
def test_conditions_in_words(condition, words):
    assert title_of(condition) == words


@pytest.mark.parametrize(
    ("value", "text"), [(None, "–"), (0.555, ".56"), (1.0, "1.00"), (-0.1, "-.10")]
)
def test_numbers_in_tables(value, text):
    assert number(value) == text


def test_the_page_shows_a_run(tmp_path, monkeypatch):
    monkeypatch.setattr(generate, "DOCS", tmp_path)
    assert "There has been no run yet" in generate.accuracy()
    outcomes = Outcomes(
        [
            *records_of("k-means", NOTHING_SAID, {"iris": [{"ari": 0.5, "free": 0.5}]}),
            *records_of("PCKMeans", Condition("pairs", 60), {"iris": [{"ari": 0.75, "free": 0.7}]}),
        ]
    )
    about = {
        "date": "2026-01-01",
        "machine": {"processor": "a", "cores": 2, "memory_gb": 8, "system": "b"},
        "versions": {"python": "3"},
        "grid": "default",
        "seeds": 5,
        "skipped": [],
    }
    AccuracyPage(about, sections(outcomes)).write_json(tmp_path / "accuracy.json")
    (tmp_path / "accuracy.svg").write_text("<svg/>", encoding="utf-8")
    page = generate.accuracy()
    assert "   * - PCKMeans\n     - –\n     - .75\n" in page
    assert ".. image:: /accuracy.svg" in page
    assert "The default grid, 5 seeds." in page


def test_knowledge_is_never_of_other_samples():
    statements = knowledge("iris", "pairs", "5 %", 0.0, 0)
    assert statements.constraints.n_constraints == 8
    assert knowledge("iris", "pairs", 0, 0.0, 0).constraints == Constraints(150)
