"""What the papers left for later: cells that run, and verdicts that follow data."""

import json

import numpy as np
import pytest

from papers import Verdict
from papers.beyond import PAPER
from papers.beyond.claims import RIVALS
from papers.beyond.data import animals, ontology, taxonomy, with_noise
from papers.beyond.experiments import run_mixed, run_ontology, run_rules
from tests.papers.handmade import finding_of, results_with

pytest.importorskip("pandas")
pytest.importorskip("matplotlib")


@pytest.fixture(autouse=True)
def _few_resamples(monkeypatch):
    monkeypatch.setattr("papers._estimate.N_RESAMPLES", 50)


def made(measure, values, **more):
    """Return a record function with these values for each method, a little apart by repetition."""

    def record(repeat, **_):
        return [
            {"method": method, measure: value + 0.001 * repeat * value, **more}
            for method, value in values.items()
        ]

    return record


def verdict(claim, experiment, record):
    results = results_with(PAPER, **{experiment.replace("-", "_"): record})
    return finding_of(PAPER, claim, results).verdict


TREES = {"greedy": 0.7, "beam of 5": 0.8, "at most 2k leaves": 0.7}
RULED = {
    "nothing": 0.5,
    "together": 0.6,
    "together and exactly": 0.6,
    "pairs": 0.6,
    "rules with pairs": 0.7,
    "at most 12 shared": 0.6,
    "rules, at most 12 shared": 0.7,
}
NOISY = {"repair": 0.6, "doubt": 0.7, "metric as a filter": 0.7, "none": 0.5}
TEXTS = {
    "no learning": 0.5,
    "cosine": 0.6,
    "cosine, hold-out error": 0.55,
    "Euclidean, no learning": 0.5,
    "Euclidean": 0.6,
}
CASES = [
    ("beam search is better than greedy", "trees", "rand", TREES, "beam of 5", {"n_leaves": 4}),
    ("small trees cost little", "trees", "rand", TREES, "at most 2k leaves", {"n_leaves": 4}),
    ("nominal columns help", "mixed", "rand", {"mixed": 0.9, "numbers": 0.8}, "mixed", {}),
    *(
        (f"trees lead {name}", "rivals", "rand", {"tree": 0.9, name: 0.8}, "tree", {})
        for name in RIVALS
    ),
    (
        "pairs help beside triplets",
        "pairs-and-triplets",
        "f",
        {"both": 0.9, "pairs": 0.8, "triplets": 0.8},
        "both",
        {"broken": 1},
    ),
    ("repair makes noisy triplets useful", "noise", "f", NOISY, "repair", {"dropped": 1}),
    ("doubt is better than repair alone", "noise", "f", NOISY, "doubt", {"dropped": 1}),
    ("the metric filters noise", "noise", "f", NOISY, "metric as a filter", {"dropped": 1}),
    (
        "an ontology helps with the others",
        "ontology",
        "shown",
        {"half": 0.9, "a quarter": 0.8, "nothing": 0.7},
        "half",
        {"broken": 0},
    ),
    (
        "both kinds of rule at once",
        "rules",
        "ari",
        RULED,
        "together and exactly",
        {"violated": 0, "shared": 12},
    ),
    (
        "rules with pairs in one fit",
        "rules",
        "ari",
        RULED,
        "rules with pairs",
        {"violated": 0, "shared": 12},
    ),
    (
        "bounds on shared attributes help",
        "rules",
        "ari",
        RULED,
        "at most 12 shared",
        {"violated": 0, "shared": 12},
    ),
    ("another similarity learns, too", "texts", "h", TEXTS, "Euclidean", {}),
    ("a hold-out set is not worth its constraints", "texts", "h", TEXTS, "cosine", {}),
]


@pytest.mark.parametrize(
    ("claim", "experiment", "measure", "values", "winner", "more"),
    CASES,
    ids=[case[0] for case in CASES],
)
def test_verdicts_follow_the_data(claim, experiment, measure, values, winner, more):
    record = made(measure, values, **more)
    assert verdict(claim, experiment, record) is Verdict.HOLDS
    lost = made(measure, values | {winner: 0.1}, **more)
    assert verdict(claim, experiment, lost) is Verdict.FAILS
    part = verdict(claim, experiment, lambda repeat, **p: record(repeat, **p) if repeat else None)
    assert part is Verdict.PENDING


def test_equal_values_lead_nowhere_but_are_no_worse():
    equal = dict.fromkeys(TREES, 0.7)
    record = made("rand", equal, n_leaves=4)
    assert verdict("beam search is better than greedy", "trees", record) is Verdict.FAILS
    assert verdict("small trees cost little", "trees", record) is Verdict.HOLDS
    texts = made("h", dict.fromkeys(TEXTS, 0.5))
    name = "a hold-out set is not worth its constraints"
    assert verdict(name, "texts", texts) is Verdict.HOLDS


def test_a_bound_is_checked_up_to_the_bound():
    for most, expected in ((12, Verdict.CHECKED), (13, Verdict.FAILS)):
        record = made("ari", RULED, violated=0, shared=most)
        assert verdict("bounds on shared attributes hold", "rules", record) is expected


def test_a_broken_promise_fails_whatever_is_gained():
    record = made("ari", RULED, violated=1, shared=12)
    assert verdict("both kinds of rule at once", "rules", record) is not Verdict.HOLDS


def test_an_ontology_is_about_the_chosen_alone():
    chosen = np.arange(0, 40, 2)
    constraints = ontology(chosen)
    assert set(constraints.mentioned) <= set(chosen)
    few = np.searchsorted(chosen, constraints.triplets)
    assert taxonomy(chosen).displays(few).all()


def test_so_many_triplets_are_turned_round(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    right = ontology(np.arange(0, 90, 3))
    noisy, wrong = with_noise(right, 0.2, rng)
    assert wrong.sum() == round(0.2 * len(right.triplets))
    assert len(noisy.triplets) <= len(right.triplets)


@pytest.mark.parametrize("run", [run_mixed, run_ontology, run_rules])
def test_cells_are_flat_and_the_same_again(run):
    first, second = (list(run(table="animals", repeat=1)) for _ in range(2))
    assert json.dumps(first) == json.dumps(second)
    assert all(isinstance(record["method"], str) for record in first)


def test_animals_come_in_several_forms():
    flags, numbers, mixed = (animals(form).X for form in ("flags", "numbers", "mixed"))
    assert flags.shape[1] + numbers.shape[1] == mixed.shape[1]
    assert set(np.unique(mixed["milk"])) == {"yes", "no"}
