"""The experiments on constrained complete link: grids, cells, figures and verdicts."""

from itertools import product

import numpy as np
import pytest

from clustraint.constraints import Constraints
from papers import Cell, Drawing, Results, ShownTable, Store, Verdict
from papers._drawing import means
from papers._store import CellResult
from papers.ccl import PAPER
from papers.ccl.data import MIXES, REAL, SYNTHETIC, _indicators, links, task
from papers.ccl.experiments import REPEATS, accuracy, as_classes, mixes
from papers.ccl.measures import errors_avoided, fallback, needed, share_needed
from papers.ccl.methods import ACTIVE, BEST, CCL, COP, METHODS, MIX_METHODS, SOLVED, outliers
from tests.papers.handmade import finding_of, results_with

CLAIMS = {claim.name: claim for claim in PAPER.claims}
FIGURE_8, FIGURE_9, FIGURE_11 = "figure-8", "figure-9", "figure-11"


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch):
    """Intervals of forty resamples: the verdicts here are clear ones."""
    monkeypatch.setattr("papers._estimate.N_RESAMPLES", 40)


def results_of(experiment, records, size="full"):
    """Results of one experiment: `records` gives those of a cell for its parameters."""
    return results_with(PAPER, size, **{experiment.replace("-", "_"): records})


def verdict(claim, experiment, records):
    return finding_of(PAPER, claim, results_of(experiment, records))


def curve(heights, **fields):
    """Records of a cell: each method as accurate as its height says, a little off each time."""

    def records(*, table, n_pairs, repeat):
        return [
            {"method": method, "failed": False, "cri": height(n_pairs) - 0.001 * (repeat % 5)}
            | {"violated": 0, "must_links": n_pairs // 3, "cannot_links": n_pairs - n_pairs // 3}
            | {name: value(method, n_pairs) for name, value in fields.items()}
            for method, height in heights.items()
        ]

    return records


def rising(pace, start=0.5):
    return lambda n_pairs: start + (0.99 - start) * min(1, n_pairs * pace)


def flat(height=0.5):
    return lambda n_pairs: height


def steady(**heights):
    """Heights of all methods: COP-k-means as SOLVED unless it has its own."""
    other = heights.get("other", flat())
    return {
        CCL: heights["ccl"],
        ACTIVE: heights.get("active", heights["ccl"]),
        SOLVED: other,
        COP: other,
        BEST: other,
    }


@pytest.mark.parametrize("experiment", PAPER.experiments, ids=lambda each: each.name)
def test_quick_cells_are_cells_of_the_full_grid_and_none_comes_twice(experiment):
    quick, full = ([cell.key for cell in experiment.cells(size)] for size in ("quick", "full"))
    assert set(quick) <= set(full)
    assert len(set(full)) == len(full)
    assert len(set(quick)) == len(quick)


def test_full_grids_have_fifty_repetitions_of_every_number():
    sizes = {each.name: len(list(each.cells("full"))) for each in PAPER.experiments}
    assert sizes == {
        "figure-8": 50 * 4 * 9,
        "figure-9": 50 * 4 * 9,
        "figure-10": 2,
        "figure-11": 50 * 7 * 6,
        "figure-12": 6,
    }


def test_an_early_end_leaves_every_curve():
    repeats = [cell.parameters["repeat"] for cell in PAPER.experiment(FIGURE_9).cells("full")]
    assert repeats == sorted(repeats)


@pytest.mark.parametrize("mix", MIXES)
def test_fewer_links_are_among_more_and_true(mix):
    y = task("xor", 0).y
    few, many = (links(y, n, mix, "xor", 0) for n in (10, 40))
    for kind, same in (("must_link", True), ("cannot_link", False)):
        pairs = getattr(many, kind)
        assert (y[pairs[:, 0]] == y[pairs[:, 1]]).tolist() == [same] * len(pairs)
        assert {*map(tuple, getattr(few, kind))} <= {*map(tuple, pairs)}
    counts = {"must-links": (40, 0), "cannot-links": (0, 40), "half of each": (20, 20)}
    if mix in counts:
        assert (len(many.must_link), len(many.cannot_link)) == counts[mix]


def test_repetitions_shuffle_rows():
    first, second = task("iris", 0), task("iris", 1)
    assert (first.X != second.X).any()
    assert np.sort(first.X, axis=0).tolist() == np.sort(second.X, axis=0).tolist()


def test_squared_distances_of_indicators_count_differing_values():
    X = np.array([["a", "x", "u"], ["a", "y", "v"], ["b", "x", "u"]], dtype=object)
    rows = _indicators(X)
    squares = ((rows[:, None] - rows) ** 2).sum(axis=2)
    np.testing.assert_allclose(squares, [[0, 2, 1], [2, 0, 3], [1, 3, 0]], atol=1e-12)


def test_outliers_are_samples_in_another_cluster_than_their_neighbours():
    near = np.array([[1, 2, 3]] * 4)
    known = Constraints(4, cannot_link=[(0, 3)])
    assert outliers(np.array([1, 0, 0, 0]), known, near) == 0.5
    assert outliers(np.array([0, 0, 0, 1]), known, near) == 0.5
    assert outliers(np.array([0, 0, 0, 0]), known, near) == 0


@pytest.mark.parametrize("table", ["circles", "iris"])
def test_a_cell_measures_all_methods_and_the_same_twice(table):
    first = accuracy(table=table, n_pairs=10, repeat=0)
    task.cache_clear()
    assert first == accuracy(table=table, n_pairs=10, repeat=0)
    assert [record["method"] for record in first] == list(METHODS)
    ended = [record for record in first if not record["failed"]]
    assert all(0 <= record["cri"] <= 1 for record in ended)
    assert {CCL, ACTIVE, SOLVED} <= {record["method"] for record in ended}
    assert ("outliers" in ended[0]) == (table == "circles")


def test_without_constraints_ccl_and_active_ccl_are_complete_link():
    records = {each["method"]: each for each in accuracy(table="xor", n_pairs=0, repeat=0)}
    assert records[CCL]["cri"] == records[ACTIVE]["cri"]
    assert 0.5 <= records[CCL]["largest"] <= 1
    assert records[SOLVED]["linear"] > 0.95


def test_a_cell_of_mixes_has_each_mix_with_each_method():
    records = mixes(table="xor", n_pairs=12, repeat=1)
    assert [(r["mix"], r["method"]) for r in records] == list(product(MIXES, MIX_METHODS))
    counts = {r["mix"]: (r["must_links"], r["cannot_links"]) for r in records}
    assert counts["must-links"] == (12, 0)
    assert counts["half of each"] == (6, 6)


def test_clusters_take_the_numbers_of_their_classes():
    y, labels = np.array([0, 0, 1, 1, 2]), np.array([2, 2, 0, 0, 1])
    assert as_classes(y, labels).tolist() == y.tolist()


def test_the_number_needed_lies_between_the_points():
    counts = np.array([0.0, 10.0, 20.0])
    assert needed(counts, np.array([0.5, np.nan, 0.9]), 0.7) == pytest.approx(10)
    assert needed(counts, np.array([0.5, 0.6, 0.7]), 0.9) == 20
    assert needed(counts, np.array([0.5, 0.6, 0.7]), 0.4) == 1


def test_a_curve_three_times_as_steep_needs_a_third():
    heights = steady(ccl=rising(0.009), other=rising(0.003))
    frame = results_of(FIGURE_9, curve(heights)).frame(FIGURE_9)
    share = share_needed("share", frame[frame["table"] == "iris"], CCL, SOLVED)
    assert share.value == pytest.approx(1 / 3, abs=0.02)
    assert share.n == REPEATS["full"]


def test_errors_avoided_are_a_share_of_the_runs_both_have():
    heights = {CCL: flat(0.9), SOLVED: flat(0.8)}
    frame = results_of(FIGURE_8, curve(heights)).frame(FIGURE_8)
    part = frame[frame["table"] == "xor"].copy()
    part.loc[(part["method"] == SOLVED) & (part["n_pairs"] == 10), "cri"] = None
    assert errors_avoided("", part, CCL, SOLVED).value == pytest.approx(0.5, abs=0.01)


def test_runs_that_fail_count_with_what_there_is_without_constraints():
    failing = curve(steady(ccl=flat(0.9), other=flat(0.6)))

    def records(**cell):
        made = failing(**cell)
        return [each | {"cri": None} if cell["n_pairs"] > 50 else each for each in made]

    frame = results_of(FIGURE_9, records).frame(FIGURE_9)
    wide = fallback(frame[frame["table"] == "iris"], COP)
    assert (wide[300] == wide[0]).all()


def test_curves_have_a_gap_where_every_run_failed():
    frame = results_of(FIGURE_8, curve({CCL: flat(0.9)}), "quick").frame(FIGURE_8)
    frame = frame.assign(cri=frame["cri"].where(frame["n_pairs"] != 10))
    line = means(frame, "n_pairs", "cri")
    assert line[:, 0].tolist() == [0, 10, 30, 100]
    assert np.isnan(line[:, 1]).tolist() == [False, True, False, False]


@pytest.mark.parametrize(
    ("claim", "experiment"),
    [
        ("half the constraints", FIGURE_9),
        ("ahead on real data", FIGURE_9),
        ("constraints help on real data", FIGURE_9),
        ("ahead on synthetic data", FIGURE_8),
        ("very few constraints", FIGURE_8),
    ],
)
def test_a_steep_ccl_bears_out_the_paper_and_a_flat_one_does_not(claim, experiment):
    steep = steady(ccl=rising(0.01), other=rising(0.001))
    assert verdict(claim, experiment, curve(steep)).verdict == Verdict.HOLDS
    level = steady(ccl=flat(0.6), other=rising(0.001, 0.6))
    assert verdict(claim, experiment, curve(level)).verdict == Verdict.FAILS


@pytest.mark.parametrize(
    ("claim", "experiment", "ccl"),
    [
        ("ahead on real data", FIGURE_9, rising(0.0012)),
        ("ahead on synthetic data", FIGURE_8, rising(0.0012)),
        ("constraints help on real data", FIGURE_9, rising(0.0002)),
    ],
)
def test_a_small_lead_is_one_in_direction(claim, experiment, ccl):
    little = curve(steady(ccl=ccl, other=rising(0.0001)))
    assert verdict(claim, experiment, little).verdict == Verdict.DIRECTION


def test_the_papers_own_baseline_decides_and_ours_stands_beside():
    heights = steady(ccl=rising(0.01), other=rising(0.001)) | {SOLVED: flat(0.999)}
    found = verdict("ahead on real data", FIGURE_9, curve(heights))
    assert found.verdict == Verdict.HOLDS
    assert [each.verdict for each in found.beside] == [Verdict.FAILS, Verdict.HOLDS]


def test_one_set_alone_can_refute_but_not_bear_out():
    def only_iris(heights):
        records = curve(steady(**heights))
        return lambda table, **rest: records(table=table, **rest) if table == "iris" else "missing"

    good = {"ccl": rising(0.01), "other": rising(0.001)}
    bad = {"ccl": flat(), "other": rising(0.01)}
    assert verdict("ahead on real data", FIGURE_9, only_iris(good)).verdict == Verdict.UNTESTABLE
    assert verdict("ahead on real data", FIGURE_9, only_iris(bad)).verdict == Verdict.FAILS
    missing = verdict("soybean: CCL overtakes", FIGURE_9, only_iris(good))
    assert missing.explanation == "There are no results for soybean large."


def test_robustness_is_a_lead_and_not_the_failures_of_others():
    def failing(heights):
        made = curve(heights)

        def records(**cell):
            fails = cell["n_pairs"] > 50
            return [
                each | ({"failed": True, "cri": None} if fails and each["method"] == COP else {})
                for each in made(**cell)
            ]

        return records

    claim = "robust when over-constrained"
    better = steady(ccl=rising(0.01), other=rising(0.005))
    assert verdict(claim, FIGURE_9, failing(better)).verdict == Verdict.HOLDS
    # COP-k-means fails as often, but is better even without constraints.
    good_rival = steady(ccl=rising(0.001), other=flat(0.97))
    assert verdict(claim, FIGURE_9, failing(good_rival)).verdict == Verdict.FAILS
    sinking = steady(ccl=lambda n_pairs: 0.9 - 0.3 * (n_pairs > 200), other=flat())
    assert verdict(claim, FIGURE_9, failing(sinking)).verdict == Verdict.FAILS


def test_soybean_claims():
    paper = curve(steady(ccl=rising(0.006, 0.8), other=flat(0.9)))
    names = [name for name in CLAIMS if name.startswith("soybean")]
    assert len(names) == 3
    assert {verdict(name, FIGURE_9, paper).verdict for name in names} == {Verdict.HOLDS}
    against = curve(steady(ccl=rising(0.0001, 0.85), other=rising(0.01, 0.8)))
    assert {verdict(name, FIGURE_9, against).verdict for name in names} == {Verdict.FAILS}


def test_most_pairs_are_cannot_links():
    heights = steady(ccl=flat())
    assert verdict("most pairs are cannot-links", FIGURE_9, curve(heights)).verdict == "holds"
    equal = curve(heights, must_links=lambda _, n: n // 2, cannot_links=lambda _, n: n // 2)
    assert verdict("most pairs are cannot-links", FIGURE_9, equal).verdict == Verdict.FAILS


def test_outlier_claims():
    heights = steady(ccl=rising(0.01))
    alone = curve(heights, outliers=lambda method, _: 0.3 if method == COP else 0.0)
    nobody = curve(heights, outliers=lambda *_: 0.0)
    for claim in ("outliers of COP-k-means", "outliers persist"):
        assert verdict(claim, FIGURE_8, alone).verdict == Verdict.HOLDS
        assert verdict(claim, FIGURE_8, nobody).verdict == Verdict.FAILS


def test_halves_are_straight_and_equal():
    def shaped(largest):
        fields = {"linear": lambda *_: 1.0, "largest": lambda *_: largest}
        return curve(steady(ccl=flat()), **fields)

    assert verdict("halves without constraints", FIGURE_8, shaped(0.52)).verdict == Verdict.HOLDS
    assert verdict("halves without constraints", FIGURE_8, shaped(0.8)).verdict == Verdict.FAILS


@pytest.mark.parametrize("first", [0.02, 0.1, 0.4])
def test_size_hides_species_only_if_it_says_nothing_of_it(first):
    def records(*, table):
        shares = ((1, 0.98, first, True), (2, 0.01, 0.1, False), (3, 0.01, 0.6, False))
        names = ("component", "variance", "between_classes", "same_sign")
        return [dict(zip(names, values, strict=True)) for values in shares]

    found = verdict("crabs: size hides species", "figure-10", records)
    assert found.verdict == (Verdict.HOLDS if first <= 0.1 else Verdict.FAILS)


def mixed(paces):
    """Records of figure 11: `paces` gives how fast a method rises with a mix."""

    def records(*, table, n_pairs, repeat):
        return [
            {"mix": mix, "method": method, "failed": False}
            | {"cri": rising(paces(mix, method))(n_pairs) - 0.001 * (repeat % 5)}
            for mix in MIXES
            for method in MIX_METHODS
        ]

    return records


def test_mix_claims():
    good = mixed(lambda mix, method: 0.01 if method == CCL else 0.001)
    for claim in ("every mix helps", "every mix helps CCL more", "either kind shapes the space"):
        assert verdict(claim, FIGURE_11, good).verdict == Verdict.HOLDS
    harmful = mixed(lambda mix, method: -0.001 if mix == "must-links" else 0.01)
    for claim in ("every mix helps", "every mix helps CCL more", "either kind shapes the space"):
        found = verdict(claim, FIGURE_11, harmful)
        assert found.verdict == Verdict.FAILS
        assert "must-links" in found.explanation
    assert verdict("COP-k-means prefers cannot-links", FIGURE_11, harmful).verdict == "holds"
    assert verdict("COP-k-means prefers cannot-links", FIGURE_11, good).verdict == Verdict.FAILS


def both_figures(heights):
    return results_with(PAPER, figure_8=curve(heights), figure_9=curve(heights))


def test_active_claims():
    quick = both_figures(steady(ccl=rising(0.003), active=rising(0.04)))
    near = both_figures(steady(ccl=rising(0.003), active=rising(0.0035)))
    slow = both_figures(steady(ccl=rising(0.003), active=rising(0.0029)))
    names = ("active against random", "active needs fewer", "active finds the structure")
    assert [finding_of(PAPER, name, quick).verdict for name in names] == [Verdict.HOLDS] * 3
    assert finding_of(PAPER, names[0], near).verdict == Verdict.DIRECTION
    assert [finding_of(PAPER, name, slow).verdict for name in names] == [Verdict.FAILS] * 3


def test_a_fall_with_more_questions_is_told():
    dip = both_figures(steady(ccl=flat(), active=lambda n_pairs: 0.9 - 0.2 * (n_pairs == 30)))
    explanation = finding_of(PAPER, "active against random", dip).explanation
    assert "from 0.90 with 20 to 0.70 with 30 on circles" in explanation
    assert "on iris" not in explanation


def test_nothing_run_leaves_every_claim_open():
    results = Results(PAPER, Store(":memory:"), "quick")
    for claim in PAPER.claims:
        assert claim.test(results).verdict == Verdict.PENDING


@pytest.fixture(scope="module")
def small_run():
    """A few cells of each experiment, none of which needs a file."""
    store = Store(":memory:")
    wanted = {
        FIGURE_8: product(("circles", "xor"), (0, 10, 30), (0, 1)),
        FIGURE_9: product(("iris",), (0, 25), (0, 1)),
        FIGURE_11: product(("iris", "xor"), (0, 25, 100), (0,)),
    }
    cells = [
        Cell(name, {"table": table, "n_pairs": n_pairs, "repeat": repeat})
        for name, grid in wanted.items()
        for table, n_pairs, repeat in grid
    ]
    cells += [Cell("figure-12", {"table": table}) for table in ("xor", "storm-clouds", "iris")]
    cells += [Cell("figure-10", {"table": "iris"})]
    for cell in cells:
        run = PAPER.experiment(cell.experiment).run
        store.add(PAPER.name, CellResult(cell, tuple(run(**cell.parameters)), 0.1))
    return Results(PAPER, store, "quick")


@pytest.mark.parametrize("experiment", PAPER.experiments, ids=lambda each: each.name)
def test_figures_and_tables_are_drawn(experiment, small_run, tmp_path):
    shown = list(experiment.show(small_run))
    assert shown
    for each in shown:
        if isinstance(each, Drawing):
            each.figure.savefig(tmp_path / f"{each.name}.svg")
            assert (tmp_path / f"{each.name}.svg").stat().st_size < 150_000
        else:
            assert isinstance(each, ShownTable)
            assert len(each.frame)
    assert len({each.name for each in shown}) == len(shown)


def test_tables_are_those_of_the_paper():
    assert {cell.parameters["table"] for cell in PAPER.experiment(FIGURE_8).cells("full")} == {
        *SYNTHETIC
    }
    assert {*REAL} <= {
        cell.parameters["table"] for cell in PAPER.experiment(FIGURE_9).cells("full")
    }
