"""The experiments and claims of the biHAC paper."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from clustraint import IHAC, BiHAC
from papers import Drawing, Results, ShownTable, Verdict
from papers._exceptions import NotTestableError
from papers._store import CellResult, Store
from papers.bihac import (
    PAPER,
    claims_known,
    claims_learning,
    claims_unknown,
    counting,
    grids,
    labelling,
    learning,
    runs,
    texts,
)
from papers.bihac.paired import COMPARISON, MEASURES, sentence
from papers.bihac.texts import Texts

CLASSES = ("a", "a/x", "a/y", "b/u", "b/v")


@pytest.fixture(autouse=True)
def _few_resamples(monkeypatch):
    """Shorten the bootstrap, whose digits are not tested here."""
    monkeypatch.setattr("papers._estimate.N_RESAMPLES", 200)


@pytest.fixture
def tiny(monkeypatch):
    """Let each collection be 40 small documents, without files."""
    rng = np.random.default_rng(0)
    paths = np.repeat(CLASSES, 8)
    profiles = rng.gamma(0.3, size=(len(CLASSES), 30))
    counts = rng.poisson(4 * np.repeat(profiles, 8, axis=0))
    counts[:, 0] += 1
    small = Texts(csr_array(counts, dtype=float), paths)
    for module in (runs, learning):
        monkeypatch.setattr(module, "texts_of", lambda collection: small)
    monkeypatch.setattr(counting, "all_terms", lambda collection: small)
    return small


class Frames:
    """Results that are given by hand."""

    def __init__(self, **frames):
        self.frames = frames

    def frame(self, experiment):
        name = experiment.replace("-", "_")
        if name not in self.frames:
            raise NotTestableError(f"nothing of {experiment} has been run")
        return self.frames[name]


@pytest.mark.parametrize("experiment", PAPER.experiments, ids=lambda each: each.name)
def test_quick_cells_are_unique_and_among_the_full_ones(experiment):
    quick = [cell.key for cell in experiment.cells("quick")]
    full = [cell.key for cell in experiment.cells("full")]
    assert len(set(full)) == len(full)
    assert set(quick) <= set(full)


def test_grid_sizes():
    sizes = {each.name: len(list(each.cells("full"))) for each in PAPER.experiments}
    per_repeat = 3 * sum(map(len, grids.PER_CLASS.values()))
    assert sizes == {
        "constraints": 3,
        "terms": 25,
        COMPARISON: 5 * per_repeat,
        "learning": 5 * 4 * (1 + 7),
    }


def test_repetitions_come_first():
    repeats = [cell["repeat"] for cell in grids.comparisons("full")]
    assert repeats == sorted(repeats)


def test_claims_have_names_of_their_own():
    names = [claim.name for claim in PAPER.claims]
    assert len(set(names)) == len(names) == 41


def test_a_cell_gives_the_same_twice(tiny):
    cell = {"collection": "any", "setting": 2, "per_class": 2, "repeat": 1}
    first, second = (pd.DataFrame(runs.compare(**cell)).drop(columns="cpu") for _ in range(2))
    pd.testing.assert_frame_equal(first, second)
    assert first["method"].tolist() == list(runs.METHODS)
    assert first[[*MEASURES, "unknown_f"]].notna().all(axis=None)
    assert first.set_index("method")["dead_ends"][["iHAC", "biiHAC"]].tolist() == [0, 0]


def test_one_label_per_class(tiny):
    records = runs.compare(collection="any", setting=1, per_class=1, repeat=0)
    assert all(record["unknown_f"] is None for record in records)


def test_the_combination_is_bihac_enforced(tiny):
    known = labelling.labelling(tiny, "any", setting=1, per_class=4, repeat=0).constraints
    learned = BiHAC().fit(tiny.vectors, constraints=known)
    X = runs.reweighted(tiny.vectors, learned.feature_weights_)
    ours = IHAC().fit(X, constraints=known)
    theirs = BiHAC(enforce=True).fit(tiny.vectors, constraints=known)
    assert ours.hierarchy_ == theirs.hierarchy_


def test_labels_are_nested_and_leave_the_unknown_out(tiny):
    def samples(setting, per_class):
        labels = labelling.labelling(tiny, "any", setting=setting, per_class=per_class, repeat=0)
        return set(labels.samples.tolist()), labels.unknown

    few, none = samples(1, 2)
    many, _ = samples(1, 3)
    assert few < many
    assert none is None
    assert len(many) == 3 * len(CLASSES)
    for setting in (2, 3):
        known, unknown = samples(setting, 3)
        hidden = {s for s in many if runs.is_within(tiny.paths[s], unknown)}
        assert known == many - hidden
        assert hidden


def test_unknown_classes_take_turns(tiny):
    def unknown(setting):
        return {
            labelling.unknown_class(tiny, "any", setting=setting, repeat=repeat)
            for repeat in range(4)
        }

    assert unknown(labelling.NO_LEAF) == {"a/x", "a/y", "b/u", "b/v"}
    assert unknown(labelling.NO_SUBTREE) == {"a", "b"}


def test_runs_are_those_of_bihac(tiny):
    labels = labelling.labelling(tiny, "any", setting=1, per_class=4, repeat=0)
    records = learning.learn(collection="any", per_class=4, rate=5.0, updates="joint", repeat=0)
    model = BiHAC(patience=50).fit(tiny.vectors, constraints=labels.constraints)
    assert [record["error"] for record in records] == pytest.approx(model.history_["error"])
    assert [record["adaptations"] for record in records] == model.history_["n_adaptations"].tolist()
    assert all(record["deep_adaptations"] <= record["adaptations"] for record in records)


def test_terms_of_texts():
    spoken = ["alpha beta x1 beta2 ab"] * 5 + ["beta"]
    assert texts.counted(spoken).toarray().tolist() == [[1.0, 1.0]] * 5 + [[0.0, 1.0]]


def test_tf_idf_is_zero_for_a_term_in_all_documents():
    X = texts.weighted(csr_array([[2.0, 1.0], [0.0, 3.0]]))
    np.testing.assert_allclose(X.toarray(), [[2 * np.log(2), 0], [0, 0]])


def test_areas_are_large_and_not_alone():
    paths = ["a/x"] * 10 + ["a/y"] * 12 + ["a/z"] * 9 + ["b/x"] * 30
    assert texts.large_areas(paths) == {"a/x", "a/y"}


def test_the_generated_texts_need_no_files():
    found = texts.texts_of("generated")
    assert found.vectors.shape[0] == sum(texts.REUTERS_1.values())
    assert found.subtrees == ["corporate", "economics", "society"]
    assert len(found.leaves) == 8


def test_paper_counts_of_constraints():
    frame = pd.DataFrame(
        {"tree": tree, **record}
        for tree in texts.TREES
        for record in counting.count_constraints(tree=tree)
    )
    results = Frames(constraints=frame)
    assert claims_learning.printed_counts(results).verdict is Verdict.HOLDS
    assert claims_learning.exponential(results).verdict is Verdict.FAILS
    frame.loc[frame["per_class"] == 5, "n_constraints"] += 1
    assert claims_learning.printed_counts(results).verdict is Verdict.FAILS
    frame["n_constraints"] = 2.0 ** frame["per_class"]
    assert claims_learning.exponential(results).verdict is Verdict.HOLDS


@pytest.mark.parametrize("tree", texts.TREES)
def test_constraints_on_leaf_classes(tree):
    paths = [path for path in texts.TREES[tree] for _ in range(3)]
    rows = texts.Hierarchy.from_paths(paths).triplets()
    leaves = {path for path in paths if not texts.below(path, paths)}
    same = [paths[a] == paths[b] and paths[a] in leaves for a, b, _ in rows]
    assert counting.leaf_triplets(tree, 3) == sum(same)


def compared(gains, *, collections=("newsgroups alike", "newsgroups apart"), n_repeats=4):
    """Return results in which methods gain what a function of the cell says."""
    rows = []
    cells = product(collections, (1, 2, 3), (1, 5, 10), range(n_repeats), runs.METHODS)
    for collection, setting, per_class, repeat, method in cells:
        noise = 0.001 * ((7 * repeat + per_class) % 5)
        gained = 0.0 if method == "HAC" else gains(method, setting, per_class, collection)
        row = dict.fromkeys((*MEASURES, "unknown_f"), 0.6 + gained + noise)
        rows.append(
            {
                "collection": collection,
                "setting": setting,
                "per_class": per_class,
                "repeat": repeat,
                "method": method,
                "n_constraints": 10 * per_class**3,
                "cpu": 1.0,
                "runs": 10,
                "dead_ends": 0,
                **row,
            }
        )
    return Frames(figures_9_10=pd.DataFrame(rows))


def as_the_paper(method, setting, per_class, collection):
    """Return gains as the paper has them."""
    grown = 0.05 + 0.05 * np.log2(per_class) / 3.3
    more = 1.3 if collection == "newsgroups alike" else 1.0
    if method == "biHAC":
        return 0.049 * more**4 / 1.0 if collection == "newsgroups alike" else 0.049
    if method == "biiHAC":
        return more * grown
    return more * {1: grown, 2: 0.02, 3: -0.02 - 0.005 * np.log2(per_class)}[setting]


AGAINST = {
    # What must be so for each claim not to hold.
    "all improve": lambda m, s, p, c: 0.0,
    "iHAC and biiHAC grow": lambda m, s, p, c: 0.1,
    "biHAC constant": lambda m, s, p, c: 0.01 * p,
    "biiHAC follows iHAC": lambda m, s, p, c: 0.1 if m == "iHAC" else 0.0,
    "higher level improves": lambda m, s, p, c: 0.01,
    "metric improves distinct classes little": lambda m, s, p, c: 0.1,
    "all increase alike classes": lambda m, s, p, c: 0.01,
    "higher level by instances": lambda m, s, p, c: 0.1 if m == "biHAC" else 0.0,
    "leaf level by metric": lambda m, s, p, c: 0.1 if m == "iHAC" else 0.0,
    "biiHAC near the better": lambda m, s, p, c: 0.0 if m == "biiHAC" else 0.1,
    "alike classes benefit most": lambda m, s, p, c: 0.1 if c == "newsgroups apart" else 0.0,
    "biiHAC good everywhere": lambda m, s, p, c: 0.1 if c == "newsgroups apart" else 0.0,
    "no clear winner": lambda m, s, p, c: 0.1 if m == "iHAC" else 0.0,
    "less gain with unknown classes": lambda m, s, p, c: 0.1 * s,
    "unknown classes gain": lambda m, s, p, c: -0.1,
    "iHAC ignores unknown classes": lambda m, s, p, c: 0.1,
    "biHAC and biiHAC stable": lambda m, s, p, c: -0.1 * s,
    "iHAC below HAC": lambda m, s, p, c: 0.1,
    "more constraints are worse": lambda m, s, p, c: 0.01 * p,
    "biiHAC keeps the higher level": lambda m, s, p, c: -0.1 * s,
    "metric leaves the higher level": lambda m, s, p, c: 0.1,
    "metric resistant": lambda m, s, p, c: -0.1 * s,
    "biiHAC often better": lambda m, s, p, c: 0.1 if m == "biHAC" else 0.0,
    "successful with unknown classes": lambda m, s, p, c: 0.1 if s == 1 else 0.0,
    "iHAC suffers": lambda m, s, p, c: 0.1,
}
FOR = {
    "leaf level by metric": lambda m, s, p, c: 0.1 if m == "biHAC" else 0.0,
    "higher level by instances": lambda m, s, p, c: 0.0 if m == "biHAC" else 0.1,
    "biHAC constant": lambda m, s, p, c: 0.05 if m == "biHAC" else 0.01 * p,
    "biiHAC near the better": lambda m, s, p, c: 0.0 if m == "biHAC" else 0.1,
    "no clear winner": lambda m, s, p, c: 0.1 * ((m == "iHAC") == (c == "newsgroups alike")),
    "metric leaves the higher level": lambda m, s, p, c: 0.01,
    "biiHAC often better": lambda m, s, p, c: 0.1 if m == "biiHAC" else 0.0,
    "all increase alike classes": lambda m, s, p, c: 0.1,
    "leaf level alike": lambda m, s, p, c: 0.05 if m == "biHAC" else 0.01 * p,
    "metric improves distinct classes little": lambda m, s, p, c: 0.03 if m == "biHAC" else 0.1,
}


def claim_of(name):
    (claim,) = [claim for claim in PAPER.claims if claim.name == name]
    return claim


@pytest.mark.parametrize("name", [*AGAINST, "leaf level alike"])
def test_claims_hold_where_the_paper_is_right(name):
    finding = claim_of(name).test(compared(FOR.get(name, as_the_paper)))
    assert finding.verdict is Verdict.HOLDS, finding
    assert finding.explanation.endswith(".")
    assert finding.estimates


@pytest.mark.parametrize("name", AGAINST)
def test_claims_do_not_hold_where_the_paper_is_wrong(name):
    finding = claim_of(name).test(compared(AGAINST[name]))
    assert finding.verdict is Verdict.FAILS, finding


def test_each_comparison_has_a_test_of_both_verdicts():
    tested = {"leaf level alike", "higher level saturated", "constraints enforced", *AGAINST}
    claims = (*claims_known.CLAIMS, *claims_unknown.CLAIMS)
    assert {claim.name for claim in claims} == tested


def test_a_leaf_level_that_behaves_otherwise():
    finding = claims_known.leaf_alike(compared(lambda m, s, p, c: 0.1))
    assert finding.verdict is Verdict.FAILS


def test_saturation_needs_a_good_baseline():
    results = compared(lambda m, s, p, c: 0.01)
    with pytest.raises(NotTestableError, match="nowhere"):
        claims_known.higher_saturated(results)
    frame = results.frame(COMPARISON)
    frame["higher_f"] += 0.3
    assert claims_known.higher_saturated(results).verdict is Verdict.HOLDS
    with pytest.raises(NotTestableError, match="or more on all"):
        claims_known.higher_improves(results)
    frame.loc[frame["method"] == "iHAC", "higher_f"] += 0.1
    assert claims_known.higher_saturated(results).verdict is Verdict.FAILS


def test_dead_ends_are_seen():
    results = compared(as_the_paper)
    assert claims_known.dead_ends(results).verdict is Verdict.HOLDS
    results.frame(COMPARISON).loc[1, "dead_ends"] = 1
    assert claims_known.dead_ends(results).verdict is Verdict.FAILS


def test_one_sample_of_labels_shows_nothing():
    results = compared(as_the_paper, collections=["generated"], n_repeats=1)
    assert claims_known.all_improve(results).verdict is Verdict.FAILS


@pytest.mark.parametrize(
    "name", ["leaf level by metric", "alike classes benefit most", "all increase alike classes"]
)
def test_claims_on_newsgroups_need_them(name):
    with pytest.raises(NotTestableError, match="newsgroups"):
        claim_of(name).test(compared(as_the_paper, collections=["generated"]))


def learned(**columns):
    """Return learning curves of three runs, in eight fits for each of two rates."""
    rows = []
    fits = product(("generated", "newsgroups alike"), (5, 10), range(2), (1.0, 5.0), range(3))
    for collection, per_class, repeat, rate, run in fits:
        rows.append(
            {
                "collection": collection,
                "per_class": per_class,
                "repeat": repeat,
                "rate": rate,
                "updates": "joint",
                "run": run,
                "n_constraints": 37 * per_class**3,
                "violated": 1000,
                "adaptations": 20 - run,
                "deep_adaptations": 15,
                "error": 0.3 - 0.1 * run,
                "h_correlation": 0.7 + 0.05 * run + 0.01 * repeat,
                "largest_weight": 3.0,
                "frequent_weight": 0.5 + 0.1 * repeat,
                "telling_weight": 1.5 + 0.1 * repeat,
            }
        )
    return Frames(learning=pd.DataFrame(rows).assign(**columns))


@pytest.mark.parametrize(
    ("test", "wrong"),
    [
        (claims_learning.few_adaptations, {"adaptations": lambda d: 10 * d["per_class"] ** 2}),
        (claims_learning.combined, {"violated": 3}),
        (claims_learning.deep_focus, {"deep_adaptations": 1}),
        (claims_learning.rate_behaves, {"h_correlation": lambda d: 0.8 - 0.01 * d["rate"]}),
        (claims_learning.training_error, {"h_correlation": lambda d: 0.8 - 0.1 * d["run"]}),
        (claims_learning.weights_of_terms, {"telling_weight": 0.9}),
    ],
)
def test_claims_on_learning(test, wrong):
    assert test(learned()).verdict is Verdict.HOLDS
    assert test(learned(**wrong)).verdict is Verdict.FAILS


def test_convergence_and_iterations():
    assert claims_learning.weights_converge(learned()).verdict is Verdict.FAILS
    ended = learned(adaptations=lambda d: 2 - d["run"])
    assert claims_learning.weights_converge(ended).verdict is Verdict.HOLDS
    assert claims_learning.fifty_behaves(learned()).verdict is Verdict.HOLDS
    late = learned(run=lambda d: 20 * d["run"])
    assert claims_learning.fifty_behaves(late).verdict is Verdict.FAILS


def test_claims_on_learning_need_curves():
    frame = learned().frame("learning")
    results = Frames(learning=frame[frame["collection"] == "generated"])
    with pytest.raises(NotTestableError, match="newsgroups alike"):
        claims_learning.weights_of_terms(results)
    few = Frames(learning=frame[(frame["per_class"] == 5) & (frame["rate"] == 5)])
    for test in (claims_learning.few_adaptations, claims_learning.rate_behaves):
        with pytest.raises(NotTestableError, match="it takes"):
            test(few)


def test_time_is_compared_with_constraints():
    results = compared(as_the_paper)
    assert claims_learning.not_problematic(results).verdict is Verdict.HOLDS
    frame = results.frame(COMPARISON)
    frame["cpu"] = 1e-3 * frame["n_constraints"]
    assert claims_learning.not_problematic(results).verdict is Verdict.FAILS


def reduced(all_terms, found):
    counts = (all_terms, *(count for count in counting.TERM_COUNTS if count < all_terms))
    rows = [
        {
            "collection": "generated",
            "repeat": repeat,
            "n_terms": count,
            "all_terms": count == all_terms,
            "h_correlation": found(count) + 0.001 * repeat,
        }
        for repeat, count in product(range(3), counts)
    ]
    return Frames(terms=pd.DataFrame(rows))


def test_terms():
    test = claims_learning.terms_needed
    assert test(reduced(7000, lambda n: min(n, 5000) / 9000)).verdict is Verdict.HOLDS
    assert test(reduced(7000, lambda n: n / 9000)).verdict is Verdict.FAILS
    assert test(reduced(7000, lambda n: 0.5)).verdict is Verdict.FAILS
    with pytest.raises(NotTestableError, match="3,000"):
        test(reduced(3000, lambda n: 0.5))


def test_imbalance():
    counts = [
        {"tree": "t", "per_class": 5, "n_constraints": n, "n_leaf_constraints": 10} for n in (40,)
    ]
    test = claims_learning.imbalance
    assert test(Frames(constraints=pd.DataFrame(counts))).verdict is Verdict.HOLDS
    counts[0]["n_constraints"] = 29
    assert test(Frames(constraints=pd.DataFrame(counts))).verdict is Verdict.FAILS


def test_sentences_leave_names_alone():
    assert sentence("iHAC gains") == "iHAC gains."
    assert sentence("it gains") == "It gains."


@pytest.mark.parametrize("claim", PAPER.claims, ids=lambda claim: claim.name)
def test_claims_without_results_are_not_testable(claim):
    with pytest.raises(NotTestableError):
        claim.test(Results(PAPER, Store(":memory:"), "quick"))


def test_figures_and_tables_of_a_small_run(tiny, monkeypatch):
    monkeypatch.setattr(learning, "N_RUNS", 5)
    store = Store(":memory:")
    for experiment in PAPER.experiments:
        for cell in experiment.cells("quick"):
            if cell.parameters.get("collection", "generated") != "generated":
                continue
            if cell.parameters.get("per_class") != 10:
                found = tuple(experiment.run(**cell.parameters))
                store.add(PAPER.name, CellResult(cell, found, 0.1))
    results = Results(PAPER, store, "quick")
    shown = [each for experiment in PAPER.experiments for each in experiment.show(results)]
    assert sum(isinstance(each, Drawing) for each in shown) == 3
    assert sum(isinstance(each, ShownTable) for each in shown) == 5
    assert len({each.name for each in shown}) == len(shown)
    for each in shown:
        assert each.caption
        if isinstance(each, Drawing):
            each.figure.canvas.draw()
