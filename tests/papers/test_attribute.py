"""The attribute-level paper's experiments: grids, cells, figures, and verdicts that follow data."""

import warnings
from itertools import product

import numpy as np
import pytest

from clustraint import Rule
from papers import Results, Store, Verdict
from papers.attribute import PAPER
from papers.attribute.data import KINDS, animals, costs_of, draw, random_pairs, rule_sets
from papers.attribute.data import RULES as ANIMAL_RULES
from papers.attribute.experiments import VALUES, run_animals, run_costs, run_generated
from papers.attribute.measures import by_size, compared, gains, marginal_gains, trend
from tests.papers.handmade import finding_of, results_with

pd = pytest.importorskip("pandas")
pytest.importorskip("matplotlib")

CLAIMS = {claim.name: claim for claim in PAPER.claims}
STUDIES = ("table-2", "figure-2", "figure-3", "figure-4")
TIMES = ("fit_seconds",)


@pytest.fixture(autouse=True)
def _few_resamples(monkeypatch):
    """Keep the bootstrap short: what decides here is far from every threshold."""
    monkeypatch.setattr("papers._estimate.N_RESAMPLES", 50)


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
            for way, (place, ruled) in product(("paper", "ten starts"), enumerate((True, False)))
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


def costs(all_gain=0.1, pairs_gain=0.0, links=196):
    def record(n_samples, dataset):
        needed = {
            "links_needed": links,
            "links_needed_exactly": 3500,
            "pairs_induced": n_samples**2 // 200,
            "scope_checks": 4 * n_samples,
        }
        noise = 0.001 * (dataset % 2)
        rows = [("rules", 4, 0.8), ("rules", 0, 0.7), ("must-links", 0, 0.7)]
        rows += [("must-links", count, 0.7 + pairs_gain) for count in (4, 16, 64)]
        rows += [("must-links", links, 0.7 + all_gain + noise)]
        names = ("by", "n_constraints", "ari")
        return [
            dict(zip(names, row, strict=True)) | needed | {"ruled": row[:2] == ("rules", 4)}
            for row in rows
        ]

    return record


def verdict(name, results):
    return finding_of(PAPER, name, results).verdict


def test_grids_have_the_papers_values_and_repetitions():
    counts = {each.name: len(list(each.cells("full"))) for each in PAPER.experiments}
    assert counts == {
        "table-2": 560,
        "figure-2": 560,
        "figure-3": 560,
        "figure-4": 560,
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


def without_times(records):
    return [{k: v for k, v in record.items() if k not in TIMES} for record in records]


@pytest.mark.parametrize("kind", KINDS)
def test_a_generated_cell_gives_the_same_twice_and_violates_nothing(kind):
    setting = {"kind": kind, "n_attributes": 20, "n_rules": 2, "n_literals": 2}
    cell = {**setting, "radii": "attributes", "n_samples": 60, "dataset": 0, "n_clusters": 5}
    first, second = run_generated(**cell), run_generated(**cell)
    assert without_times(first) == without_times(second)
    assert [(record["way"], record["ruled"]) for record in first] == list(
        product(("paper", "ten starts"), (True, False))
    )
    assert [record["way"] for record in run_generated(**{**cell, "radii": "shares"})] == [
        "paper"
    ] * 2
    assert all(record["violated"] == 0 and record["fit_seconds"] > 0 for record in first)


def test_rules_of_empty_clusters_are_left_out():
    tasks = [
        draw(
            kind="exactly",
            radii="shares",
            n_attributes=30,
            n_rules=4,
            n_literals=2,
            n_samples=40,
            dataset=dataset,
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


def rows_of(experiment, **measures):
    results = results_with(PAPER, "quick", **{experiment.replace("-", "_"): generated(**measures)})
    frame = results.frame(experiment)
    return frame[
        (frame["kind"] == "together") & (frame["radii"] == "attributes") & (frame["way"] == "paper")
    ]


def test_differences_are_paired():
    rows = rows_of("table-2", ari=(0.7, 0.4), rounds=(3, 4), seconds=(0.03, 0.02))
    table = compared("n_attributes", rows)
    assert np.allclose(table["gain"], 0.3)
    assert np.allclose(table["rounds_saved"], 1)
    assert np.allclose(table["round_time"], 0.005)


def test_trends_are_rank_correlations_and_none_where_nothing_changes():
    rows = rows_of("figure-2", ari=(lambda cell: cell["n_rules"] ** 2 / 400, lambda cell: 0.1))
    table = compared("n_rules", rows)
    assert trend(table, "ari_with").value == pytest.approx(1)
    assert trend(table, "ari_without").value == 0


def over(parameter, slope, start=0.0):
    """Return a measure that changes from `start` by `slope` over the values of a parameter."""
    values = VALUES[parameter]

    def measure(cell):
        return start + slope * values.index(cell[parameter]) / (len(values) - 1)

    return measure


A, C, F, I = "n_attributes", "n_rules", "n_literals", "n_samples"  # noqa: E741


def by_kind(together, exactly):
    return lambda cell: together if cell["kind"] == "together" else exactly


HOLDS, DIRECTION, FAILS = Verdict.HOLDS, Verdict.DIRECTION, Verdict.FAILS
# For each claim about generated data: measures, and the verdict that they must give.
CASES = {
    "few attributes are harder": (
        ({"ari": (over(A, 0.5, 0.2), over(A, 0.5, 0.1))}, HOLDS),
        ({"ari": (over(A, 0.5, 0.2), over(A, -0.5, 0.6))}, FAILS),
    ),
    "few attributes, low ARI": (
        ({"ari": (0.3, 0.2)}, HOLDS),
        ({"ari": (0.3, 0.26)}, FAILS),
    ),
    "ceiling over A": (
        ({"ari": (0.83, 0.80)}, HOLDS),
        ({"ari": (0.84, 0.79)}, FAILS),
        ({"ari": (0.82, 0.81)}, FAILS),
    ),
    "exactly helps at every A": (
        ({"ari": (0.7, 0.5)}, HOLDS),
        ({"ari": (0.55, 0.5)}, DIRECTION),
        ({"ari": (over(A, -0.3, 0.8), 0.5)}, FAILS),
    ),
    "together helps only at small A": (
        ({"ari": (lambda cell: 0.65 if cell[A] < 100 else 0.5, 0.5)}, HOLDS),
        ({"ari": (lambda cell: 0.95 if cell[A] < 100 else 0.4, 0.5)}, DIRECTION),
        ({"ari": (0.6, 0.5)}, FAILS),
    ),
    "more attributes, more time": (
        ({"seconds": (1, over(A, 1, 1))}, HOLDS),
        ({"seconds": (1, over(A, -0.5, 1))}, FAILS),
    ),
    "rounds fall with A": (
        ({"rounds": (over(A, -1, 4), 4)}, HOLDS),
        ({"rounds": (over(A, 1, 4), 4)}, FAILS),
    ),
    "together saves rounds": (
        ({"rounds": (3.76, 4)}, HOLDS),
        ({"rounds": (2, 4)}, DIRECTION),
        ({"rounds": (over(A, 2, 3), 4)}, FAILS),
    ),
    "few rules: good without them": (
        ({"ari": (0.9, 0.7)}, HOLDS),
        ({"ari": (0.9, 0.65)}, FAILS),
    ),
    "more rules: harder without them": (
        ({"ari": (0.9, over(C, -0.5, 0.8))}, HOLDS),
        ({"ari": (0.9, over(C, 0.1, 0.5))}, FAILS),
    ),
    "highest gain with many rules": (
        ({"ari": (0.9, over(C, -0.5, 0.8))}, HOLDS),
        ({"ari": (lambda cell: {10: 0.9, 14: 0.8}.get(cell[C], cell[C] / 30), 0.0)}, DIRECTION),
        ({"ari": (0.9, over(C, 0.5, 0.2))}, FAILS),
    ),
    "more rules, less time": (
        ({"rounds": (over(C, -0.5, 4), 4)}, HOLDS),
        ({"rounds": (over(C, 0.5, 4), 4)}, FAILS),
    ),
    "more rules, more savings": (
        ({"rounds": (over(C, -0.5, 4), 4)}, HOLDS),
        ({"rounds": (over(C, 0.5, 4), 4)}, FAILS),
    ),
    "more rules, fewer rounds": (
        ({"rounds": (over(C, -2.06, 4), over(C, -1, 4))}, HOLDS),
        ({"rounds": (over(C, -3.9, 4), over(C, -1, 4))}, DIRECTION),
        ({"rounds": (over(C, -1, 4), over(C, -2, 4))}, FAILS),
    ),
    "exactly gains more than together": (
        ({"ari": (by_kind(0.6, 0.7), 0.5)}, HOLDS),
        ({"ari": (by_kind(0.7, 0.6), 0.5)}, FAILS),
    ),
    "best gain with few literals": (
        ({"ari": (over(F, -0.2, 0.8), 0.5)}, HOLDS),
        ({"ari": (lambda cell: 0.9 if cell[F] == 8 else 0.8 - cell[F] / 99, 0.5)}, DIRECTION),
        ({"ari": (over(F, 0.2, 0.6), 0.5)}, FAILS),
    ),
    "many literals: good without rules": (
        ({"ari": (0.9, over(F, 0.2, 0.6))}, HOLDS),
        ({"ari": (0.9, over(F, -0.2, 0.6))}, FAILS),
    ),
    "rounds do not depend on F": (
        ({"rounds": (over(F, 0.5, 3), over(F, -0.5, 4))}, HOLDS),
        ({"rounds": (over(F, 1, 3), over(F, -0.5, 4))}, DIRECTION),
        ({"rounds": (3, 4)}, FAILS),
    ),
    "mostly fewer rounds": (({"rounds": (3, 4)}, HOLDS), ({"rounds": (4, 3)}, FAILS)),
    "average gain over I": (
        ({"ari": (by_kind(0.542, 0.62), 0.5)}, HOLDS),
        ({"ari": (by_kind(0.584, 0.74), 0.5)}, HOLDS),
        ({"ari": (0.9, 0.5)}, DIRECTION),
        ({"ari": (0.4, 0.5)}, FAILS),
    ),
    "small data sets gain most": (
        ({"ari": (lambda cell: by_kind(0.568, 0.65)(cell) - cell[I] / 1e5, 0.5)}, HOLDS),
        ({"ari": (over(I, -0.2, 0.9), 0.5)}, DIRECTION),
        ({"ari": (over(I, -0.2, 0.4), 0.5)}, FAILS),
    ),
    "no trend of the gain over I": (
        ({"ari": (0.6, 0.5)}, HOLDS),
        ({"ari": (over(I, 0.2, 0.6), 0.5)}, FAILS),
    ),
    "more samples, more time and rounds": (
        ({"seconds": (1, over(I, 9, 1)), "rounds": (over(I, 1, 3),) * 2}, HOLDS),
        ({"seconds": (1, over(I, 9, 1)), "rounds": (over(I, 1, 3), 3)}, FAILS),
    ),
    "rules save time and rounds": (({"rounds": (3, 4)}, HOLDS), ({"rounds": (4, 4)}, FAILS)),
}


@pytest.mark.parametrize("name", CASES)
def test_verdicts_on_generated_data_follow_the_data(name):
    (experiment,) = CLAIMS[name].needs
    for case, wanted in CASES[name]:
        results = results_with(PAPER, **{experiment.replace("-", "_"): generated(**case)})
        assert verdict(name, results) == wanted


@pytest.mark.parametrize("violated", [0, 1])
def test_a_violated_rule_is_told(violated):
    record = generated(violated=violated)
    results = results_with(PAPER, **{study.replace("-", "_"): record for study in STUDIES})
    wanted = Verdict.FAILS if violated else Verdict.CHECKED
    assert verdict("rules are satisfied", results) == wanted


@pytest.mark.parametrize(
    ("name", "case", "wanted"),
    [
        ("four rules for 200 must-links", {"links": 220}, Verdict.CHECKED),
        ("four rules for 200 must-links", {"links": 221}, FAILS),
        ("linear checks for quadratic ones", {}, Verdict.CHECKED),
        ("better results for less", {}, HOLDS),
        # A rival that needs no constraints proves nothing, nor does one that few serve as well.
        ("better results for less", {"pairs_gain": 0.2}, FAILS),
        ("better results for less", {"all_gain": 0.0, "pairs_gain": 0.01}, FAILS),
    ],
)
def test_verdicts_on_costs_follow_the_data(name, case, wanted):
    assert verdict(name, results_with(PAPER, costs=costs(**case))) == wanted


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
        assert verdict(name, results_with(PAPER, figure_5=zoo(worth))) == wanted


def test_every_claim_that_is_tested_has_a_case():
    empty = Results(PAPER, Store(":memory:"), "full")
    open_ones = {
        name for name, claim in CLAIMS.items() if claim.test(empty).verdict == Verdict.PENDING
    }
    tested = {*CASES, *ZOO_CASES, "rules are satisfied", "four rules for 200 must-links"}
    assert tested | {"better results for less", "linear checks for quadratic ones"} == open_ones


def test_gains_on_the_zoo():
    frame = pd.DataFrame([{"": 0.5, "1": 0.6, "2": 0.4, "12": 0.7}])
    assert gains(frame).iloc[0].to_dict() == pytest.approx({"1": 0.1, "2": -0.1, "12": 0.2})
    assert by_size(frame).iloc[0].to_dict() == pytest.approx({0: 0.5, 1: 0.5, 2: 0.7})
    assert marginal_gains(frame)["1"].value == pytest.approx(0.65 - 0.45)


def test_figures_and_tables_are_made_without_warnings():
    results = results_with(
        PAPER,
        "quick",
        **{study.replace("-", "_"): generated() for study in STUDIES},
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
