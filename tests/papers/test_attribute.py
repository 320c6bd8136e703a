"""The attribute-level paper's experiments: grids, cells, figures, and verdicts that follow data."""

import warnings
from itertools import product

import numpy as np
import pytest

from clustraint import Rule
from papers import Results, Store, Verdict
from papers._exceptions import NotTestableError
from papers._pages import judge
from papers._store import CellResult
from papers.attribute import PAPER, grids
from papers.attribute.claims_zoo import by_size, gains, marginal_gains
from papers.attribute.generated import (
    costs_of,
    draw,
    random_pairs,
    run_costs,
    run_generated,
)
from papers.attribute.measures import ATTRIBUTES, RULES, STUDIES
from papers.attribute.zoo import RULES as ANIMAL_RULES
from papers.attribute.zoo import animals, rule_sets, run_animals

pd = pytest.importorskip("pandas")
pytest.importorskip("matplotlib")

CLAIMS = {claim.name: claim for claim in PAPER.claims}
STUDY_OF = {study.experiment: study for study in STUDIES}
TIMES = ("fit_seconds",)


@pytest.fixture(autouse=True)
def _few_resamples(monkeypatch):
    """Keep the bootstrap short: what decides here is far from every threshold."""
    monkeypatch.setattr("papers._claim.N_RESAMPLES", 50)


def results_with(**records):
    """Return results in which functions of a cell's parameters stand for its run."""
    store = Store(":memory:")
    for name, record in records.items():
        name = name.replace("_", "-")
        for cell in PAPER.experiment(name).cells("quick"):
            store.add(PAPER.name, CellResult(cell, tuple(record(**cell.parameters)), 0.1))
    return Results(PAPER, store, "quick")


def generated(ari=(0.5, 0.4), rounds=(3, 4), seconds=(0.01, 0.01), violated=0):
    """Return a record function: values, or functions of the cell, with rules and without."""

    def value(given, cell):
        return given(cell) if callable(given) else given

    def record(**cell):
        return [
            {
                "way": way,
                "ruled": ruled,
                "ari": value(ari[place], cell),
                "rounds": value(rounds[place], cell),
                "fit_seconds": value(seconds[place], cell),
                "violated": violated,
                "starts": 10,
            }
            for way, (place, ruled) in product(
                ("paper", "one start", "ten starts"), enumerate((True, False))
            )
        ]

    return record


def zoo(worth, noise=0.001):
    """Return a record function in which each rule adds its worth to the index."""

    def record(kind, repeat, **_):
        return [
            {
                "way": way,
                "rule_set": chosen,
                "n_rules": len(chosen),
                "ari": 0.5 + sum(worth[int(number) - 1] for number in chosen) + noise * repeat,
                "violated": 0,
            }
            for way in ("paper", "ten starts")
            for chosen in rule_sets()
        ]

    return record


def costs(rules_gain=0.1, pairs_gain=0.0, rules_time=0.001, pairs_time=0.01, links=196):
    def record(n_samples, dataset):
        needed = {
            "links_needed": links,
            "links_needed_exactly": 3500,
            "pairs_induced": n_samples**2 // 200,
            "scope_checks": 4 * n_samples,
        }
        rows = [("rules", 4, 0.7 + rules_gain, 0.01 + rules_time), ("rules", 0, 0.7, 0.01)]
        rows += [("must-links", 0, 0.7, 0.01)]
        rows += [
            ("must-links", count, 0.7 + pairs_gain, 0.01 + pairs_time) for count in (4, 16, 64, 196)
        ]
        names = ("by", "n_constraints", "ari", "fit_seconds")
        return [dict(zip(names, row, strict=True)) | needed for row in rows]

    return record


def verdict(name, results):
    finding = judge(CLAIMS[name], results)
    assert finding.explanation
    return finding.verdict


def test_grids_have_the_papers_values_and_repetitions():
    counts = {each.name: len(list(each.cells("full"))) for each in PAPER.experiments}
    assert counts == {
        "table-2": 280,
        "figure-2": 280,
        "figure-3": 280,
        "figure-4": 280,
        "figure-5": 100,
        "animals": 100,
        "costs": 40,
    }


@pytest.mark.parametrize("experiment", PAPER.experiments, ids=lambda each: each.name)
def test_quick_cells_are_the_first_of_the_full_ones(experiment):
    quick = [cell.key for cell in experiment.cells("quick")]
    full = [cell.key for cell in experiment.cells("full")]
    assert full[: len(quick)] == quick
    assert len(set(full)) == len(full)


def test_claims_have_names_of_their_own_and_known_experiments():
    assert len(CLAIMS) == len(PAPER.claims)
    names = {each.name for each in PAPER.experiments}
    assert all(set(claim.needs) <= names for claim in PAPER.claims)


def without_times(records):
    return [{k: v for k, v in record.items() if k not in TIMES} for record in records]


@pytest.mark.parametrize("kind", grids.KINDS)
def test_a_generated_cell_gives_the_same_twice_and_violates_nothing(kind):
    setting = {"kind": kind, "n_attributes": 20, "n_rules": 2, "n_literals": 2}
    cell = {**setting, "n_samples": 60, "dataset": 0, "n_clusters": 5}
    first, second = run_generated(**cell), run_generated(**cell)
    assert without_times(first) == without_times(second)
    assert [(record["way"], record["ruled"]) for record in first] == list(
        product(("paper", "one start", "ten starts"), (True, False))
    )
    assert all(record["violated"] == 0 and record["fit_seconds"] > 0 for record in first)


def test_rules_of_empty_clusters_are_left_out():
    tasks = [
        draw(
            kind="exactly", n_attributes=30, n_rules=4, n_literals=2, n_samples=40, dataset=dataset
        )
        for dataset in range(12)
    ]
    assert all(rule.scope(task.X).any() for task in tasks for rule in task.rules)
    assert min(len(task.rules) for task in tasks) < 4


def test_costs_are_those_of_the_closure():
    scopes = [np.array([0, 1, 2]), np.array([3, 4])]
    # 2 + 1 must-links; each scope apart from 3 free samples, and from the other.
    assert costs_of(scopes, 8) == {
        "links_needed": 3,
        "links_needed_exactly": 3 + 6 + 1,
        "pairs_induced": 4,
        "scope_checks": 16,
    }


def test_random_pairs_are_within_scopes():
    scopes = [np.array([0, 1, 2]), np.array([7]), np.array([3, 4])]
    pairs = random_pairs(scopes, 20, np.random.default_rng(0))
    assert pairs.shape == (20, 2)
    assert all(
        a != b and any({a, b} <= set(scope.tolist()) for scope in scopes) for a, b in pairs.tolist()
    )


def test_a_cell_of_costs_compares_rules_with_growing_numbers_of_links():
    records = run_costs(n_samples=1000, dataset=0)
    counts = [record["n_constraints"] for record in records if record["by"] == "must-links"]
    assert counts[:4] == [0, 4, 16, 64]
    assert counts[4] == records[0]["links_needed"]


def test_there_are_64_sets_of_rules():
    sets = list(rule_sets())
    assert len(set(sets)) == len(sets) == 64
    assert (sets[0], sets[-1]) == ("", "123456")


def test_rules_about_own_animals_hold_for_animals_and_do_not_overlap():
    X, _, _ = animals("animals")
    scopes = np.array([Rule(text).scope(X) for text in ANIMAL_RULES["animals"]])
    assert scopes.any(axis=1).all()
    assert scopes.sum(axis=0).max() == 1


def test_a_cell_of_animals_has_all_sets_and_gives_the_same_twice():
    cell = {"table": "animals", "kind": "exactly", "repeat": 0}
    first = run_animals(**cell)
    assert without_times(first) == without_times(run_animals(**cell))
    assert len(first) == 2 * 64
    assert not any(record["violated"] for record in first)


def test_differences_are_paired():
    table = ATTRIBUTES.compared(
        results_with(table_2=generated(ari=(0.7, 0.4), rounds=(3, 4), seconds=(0.03, 0.02))),
        "together",
    )
    assert np.allclose(table["gain"], 0.3)
    assert np.allclose(table["rounds_saved"], 1)
    assert np.allclose(table["time_saved"], -0.5)


def test_trends_are_rank_correlations_and_none_where_nothing_changes():
    results = results_with(
        figure_2=generated(ari=(lambda cell: cell["n_rules"] ** 2 / 400, lambda cell: 0.1))
    )
    table = RULES.compared(results, "together")
    assert RULES.trend(table, "ari_with", "x").value == pytest.approx(1)
    assert RULES.trend(table, "ari_without", "x").value == 0


def over(parameter, slope, start=0.0):
    """Return a measure that changes from `start` by `slope` over the values of a parameter."""
    values = grids.VALUES[parameter]

    def measure(cell):
        return start + slope * values.index(cell[parameter]) / (len(values) - 1)

    return measure


A, C, F, I = "n_attributes", "n_rules", "n_literals", "n_samples"  # noqa: E741

# For each claim about generated data: what agrees with it, and what does not.
CASES = {
    "few attributes are harder": (
        {"ari": (over(A, 0.5, 0.2), over(A, 0.5, 0.1))},
        {"ari": (over(A, 0.5, 0.2), over(A, -0.5, 0.6))},
    ),
    "few attributes, low ARI": ({"ari": (0.3, 0.1)}, {"ari": (0.3, 0.25)}),
    "ceiling over A": ({"ari": (0.82, 0.79)}, {"ari": (0.84, 0.79)}),
    "exactly helps at every A": (
        {"ari": (0.7, 0.5)},
        {"ari": (over(A, -0.3, 0.8), 0.5)},
    ),
    "together helps only at small A": (
        {"ari": (lambda cell: 0.6 if cell[A] < 100 else 0.5, 0.5)},
        {"ari": (0.6, 0.5)},
    ),
    "more attributes, more time": (
        {"seconds": (over(A, 1, 1), over(A, 1, 1))},
        {"seconds": (over(A, 1, 1), over(A, -0.5, 1))},
    ),
    "together saves time at large A": (
        {"seconds": (over(A, -0.5, 1.2), 1)},
        {"seconds": (over(A, -0.1, 1.2), 1)},
    ),
    "exactly costs a little time": ({"seconds": (1.1, 1)}, {"seconds": (3, 1)}),
    "rounds fall with A": (
        {"rounds": (over(A, -1, 4), 4)},
        {"rounds": (over(A, 1, 4), 4)},
    ),
    "together saves rounds": (
        {"rounds": (lambda cell: 3 if cell[A] > 20 else 5, 4)},
        {"rounds": (3, 4)},
    ),
    "few rules: good without them": ({"ari": (0.9, 0.7)}, {"ari": (0.9, 0.5)}),
    "more rules: harder without them": (
        {"ari": (0.9, over(C, -0.5, 0.8))},
        {"ari": (0.9, over(C, 0.1, 0.5))},
    ),
    "highest gain with many rules": (
        {"ari": (0.9, over(C, -0.5, 0.8))},
        {"ari": (0.9, over(C, 0.5, 0.2))},
    ),
    "more rules, less time": (
        {"seconds": (over(C, -0.5, 1), 1)},
        {"seconds": (over(C, 0.5, 1), 1)},
    ),
    "more rules, more savings": (
        {"seconds": (over(C, -0.5, 1), 1)},
        {"seconds": (over(C, 0.5, 1), 1)},
    ),
    "more rules, fewer rounds": (
        {"rounds": (over(C, -2, 4), over(C, -1, 4))},
        {"rounds": (over(C, -1, 4), over(C, -2, 4))},
    ),
    "exactly gains more than together": (
        {"ari": (lambda cell: 0.7 if cell["kind"] == "exactly" else 0.6, 0.5)},
        {"ari": (lambda cell: 0.7 if cell["kind"] == "together" else 0.6, 0.5)},
    ),
    "best gain with few literals": (
        {"ari": (over(F, -0.2, 0.8), 0.5)},
        {"ari": (over(F, 0.2, 0.6), 0.5)},
    ),
    "many literals: good without rules": (
        {"ari": (0.9, over(F, 0.2, 0.6))},
        {"ari": (0.9, over(F, -0.2, 0.6))},
    ),
    "more literals, more time": (
        {"seconds": (over(F, 1, 1), over(F, 1, 1))},
        {"seconds": (over(F, 1, 1), 1)},
    ),
    "time comparable to none": ({"seconds": (1.1, 1)}, {"seconds": (3, 1)}),
    "rounds do not depend on F": (
        {"rounds": (3.5, over(F, -0.5, 4))},
        {"rounds": (over(F, 1, 3), over(F, -0.5, 4))},
    ),
    "mostly fewer rounds": ({"rounds": (3, 4)}, {"rounds": (4, 3)}),
    "average gain over I": (
        {"ari": (lambda cell: 0.62 if cell["kind"] == "exactly" else 0.54, 0.5)},
        {"ari": (0.9, 0.5)},
    ),
    "small data sets gain most": (
        {"ari": (over(I, -0.2, 0.8), 0.5)},
        {"ari": (over(I, 0.2, 0.6), 0.5)},
    ),
    "no trend of the gain over I": ({"ari": (0.6, 0.5)}, {"ari": (over(I, 0.2, 0.6), 0.5)}),
    "more samples, more time and rounds": (
        {"seconds": (over(I, 1, 1),) * 2, "rounds": (over(I, 1, 3),) * 2},
        {"seconds": (over(I, 1, 1),) * 2, "rounds": (over(I, 1, 3), 3)},
    ),
    "rules save time and rounds": (
        {"seconds": (0.9, 1), "rounds": (3, 4)},
        {"seconds": (1.1, 1), "rounds": (3, 4)},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_verdicts_on_generated_data_follow_the_data(name):
    (experiment,) = CLAIMS[name].needs
    for wanted, case in zip((Verdict.HOLDS, Verdict.FAILS), CASES[name], strict=True):
        results = results_with(**{experiment.replace("-", "_"): generated(**case)})
        assert verdict(name, results) == wanted


@pytest.mark.parametrize("violated", [0, 1])
def test_a_violated_rule_is_told(violated):
    record = generated(violated=violated)
    results = results_with(**{study.experiment.replace("-", "_"): record for study in STUDIES})
    wanted = Verdict.FAILS if violated else Verdict.HOLDS
    assert verdict("rules are satisfied", results) == wanted


@pytest.mark.parametrize(
    ("name", "against"),
    [
        ("four rules for 200 must-links", {"links": 100}),
        ("rules cost less time", {"rules_time": 0.02}),
        ("better results for less", {"pairs_gain": 0.2}),
    ],
)
def test_verdicts_on_costs_follow_the_data(name, against):
    assert verdict(name, results_with(costs=costs())) == Verdict.HOLDS
    assert verdict(name, results_with(costs=costs(**against))) == Verdict.FAILS


def test_pairs_that_grow_as_the_square_are_more_than_checks():
    assert verdict("linear checks for quadratic ones", results_with(costs=costs())) == Verdict.HOLDS


# What the six rules add, as the paper found it and otherwise.
AS_IN_THE_PAPER = (0.2, 0.1, 0.01, 0.05, 0.06, -0.02)
OTHERWISE = (-0.02, -0.02, -0.01, -0.01, -0.01, -0.01)
ALL_HELP = (0.02, 0.01, 0.05, 0.03, 0.04, 0.05)

ZOO_CASES = {
    "more rules are better": (AS_IN_THE_PAPER, OTHERWISE),
    "rules help in general": (AS_IN_THE_PAPER, OTHERWISE),
    "some rules do not help": (AS_IN_THE_PAPER, ALL_HELP),
    "rules 3 and 6 help least": (AS_IN_THE_PAPER, ALL_HELP),
    "rule 6 alone harms": (AS_IN_THE_PAPER, ALL_HELP),
    "rules may help substantially": (AS_IN_THE_PAPER, OTHERWISE),
}


@pytest.mark.parametrize("name", ZOO_CASES)
def test_verdicts_on_the_zoo_follow_the_data(name):
    for wanted, worth in zip((Verdict.HOLDS, Verdict.FAILS), ZOO_CASES[name], strict=True):
        assert verdict(name, results_with(figure_5=zoo(worth))) == wanted


def test_every_claim_has_a_case():
    tested = {*CASES, *ZOO_CASES, "rules are satisfied", "four rules for 200 must-links"}
    tested |= {
        "rules cost less time",
        "better results for less",
        "linear checks for quadratic ones",
    }
    assert tested == set(CLAIMS)


def test_nothing_is_testable_without_results():
    empty = Results(PAPER, Store(":memory:"), "quick")
    assert {judge(claim, empty).verdict for claim in PAPER.claims} == {Verdict.UNTESTABLE}


def test_a_study_of_another_kind_alone_is_not_testable():
    cell = next(iter(PAPER.experiment("table-2").cells("quick")))
    store = Store(":memory:")
    store.add(PAPER.name, CellResult(cell, tuple(generated()(**cell.parameters)), 0.1))
    results = Results(PAPER, store, "quick")
    with pytest.raises(NotTestableError, match="exactly"):
        ATTRIBUTES.compared(results, "exactly")
    assert judge(CLAIMS["few attributes are harder"], results).verdict == Verdict.UNTESTABLE


def test_gains_on_the_zoo():
    frame = pd.DataFrame([{"": 0.5, "1": 0.6, "2": 0.4, "12": 0.7}])
    assert gains(frame).iloc[0].to_dict() == pytest.approx({"1": 0.1, "2": -0.1, "12": 0.2})
    assert by_size(frame).iloc[0].to_dict() == pytest.approx({0: 0.5, 1: 0.5, 2: 0.7})
    assert marginal_gains(frame)["1"].value == pytest.approx(0.65 - 0.45)


def test_figures_and_tables_are_made_without_warnings():
    results = results_with(
        **{study.experiment.replace("-", "_"): generated() for study in STUDIES},
        figure_5=zoo(AS_IN_THE_PAPER),
        animals=zoo(ALL_HELP),
        costs=costs(),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        shown = [part for each in PAPER.experiments for part in each.show(results)]
        for part in shown:
            if hasattr(part, "figure"):
                part.figure.draw_without_rendering()
            else:
                assert len(part.frame)
    assert len({part.name for part in shown}) == len(shown)
