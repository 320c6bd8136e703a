"""Which method is chosen, why, and what is said where none can be."""

import io

import numpy as np
import pytest

from clustraint import Constraints, Rule
from clustraint.exceptions import NoMethodError, NoNumberOfClustersError, UnknownMethodError
from clustraint.tables import read_table
from clustraint.workflow import _choice, choose, methods
from clustraint.workflow._choice import (
    ENOUGH_CONSTRAINTS,
    PREFERENCES,
    Facts,
    candidates,
    choose_for,
    constraints_for,
    make_pipeline,
    obstacle,
)

METHODS = methods()

NUMERIC, BINARY, NOMINAL = {"numeric"}, {"binary"}, {"nominal", "binary"}
MIXED, TEXT = {"numeric", "nominal"}, {"text", "numeric"}
PAIRS, RULES = {"must_link", "cannot_link"}, {"together", "exactly"}


def facts(kinds, columns=NUMERIC, n_samples=100, n_clusters=3, n_constraints=3):
    kinds, columns = frozenset(kinds), frozenset(columns)
    return Facts(kinds, n_samples, columns, n_clusters, n_constraints=n_constraints)


@pytest.mark.parametrize(
    ("given", "options", "method"),
    [
        (PAIRS, {"n_constraints": ENOUGH_CONSTRAINTS}, "best"),
        (RULES | PAIRS, {"n_constraints": 500, "columns": MIXED}, "best"),
        (PAIRS, {"n_constraints": 500, "columns": TEXT}, "best"),
        (PAIRS, {}, "cop-kmeans"),
        (PAIRS, {"n_samples": 10**5}, "cop-kmeans"),
        (PAIRS, {"columns": NOMINAL}, "cop-kmeans"),
        (PAIRS, {"columns": MIXED}, "cop-kmeans"),
        (PAIRS, {"columns": TEXT}, "cop-kmeans"),
        ({"triplets"}, {}, "recon"),
        ({"triplets"}, {"columns": MIXED}, "recon"),
        ({"triplets"}, {"columns": TEXT}, "bihac"),
        ({"triplets"} | PAIRS, {}, "recon"),
        ({"triplets"} | RULES, {"columns": NOMINAL}, "recon"),
        (RULES, {"columns": NOMINAL}, "attribute-kmedoids"),
        (RULES, {"columns": BINARY}, "attribute-kmedoids"),
        (RULES, {}, "cop-kmeans"),
        (RULES, {"columns": MIXED}, "cop-kmeans"),
        (RULES, {"n_samples": 10**5}, "cop-kmeans"),
        (RULES | PAIRS, {"columns": NOMINAL}, "cop-kmeans"),
        (set(), {}, "cop-kmeans"),
        (set(), {"columns": MIXED}, "cop-kmeans"),
        (set(), {"columns": TEXT}, "cop-kmeans"),
    ],
)
def test_the_choice(given, options, method):
    choice = choose_for(facts(given, **options))
    assert choice.method.name == method
    assert choice.reason
    assert ("rules count as the pairs" in choice.reason) == bool(
        given & RULES and method != "attribute-kmedoids"
    )


def test_without_constraints_it_is_plain_k_means():
    assert "plain k-means" in choose_for(facts(set())).reason


def test_what_cannot_go_together_is_named(monkeypatch):
    assert obstacle(METHODS["tree"], facts(PAIRS, TEXT)) == "does not read texts"
    assert obstacle(METHODS["tree"], facts(PAIRS, {"vector"})) == "does not read vectors"
    some = {name: METHODS[name] for name in ("tree", "bihac")}
    monkeypatch.setattr(_choice, "methods", lambda: some)
    with pytest.raises(NoMethodError, match="no method accepts all of this") as caught:
        choose_for(facts({"triplets"} | PAIRS, TEXT))
    for words in ("tree does not accept triplets", "bihac does not accept must-links or cannot-"):
        assert words in str(caught.value)


@pytest.mark.parametrize("name", METHODS)
def test_a_method_asked_for_is_taken_or_refused_with_a_way_out(name):
    for given in (set(), PAIRS, {"triplets"}, RULES):
        for columns in (NUMERIC, NOMINAL, MIXED, TEXT):
            known = facts(given, columns)
            if METHODS[name] in candidates(known):
                assert choose_for(known, name).method.name == name
            else:
                with pytest.raises(NoMethodError, match=f"^{name} .*; use .* instead"):
                    choose_for(known, name)


def test_an_unknown_method_has_near_matches():
    with pytest.raises(UnknownMethodError, match="'recom'; did you mean 'recon'"):
        choose_for(facts(PAIRS), "recom")
    with pytest.raises(UnknownMethodError, match="the methods are auto, best, mixture"):
        choose_for(facts(PAIRS), "xyz")


@pytest.mark.parametrize("name", METHODS)
def test_the_number_of_clusters_is_asked_for_where_it_is_needed(name):
    given = next(kinds for kinds in ({"triplets"}, PAIRS, RULES) if kinds <= METHODS[name].kinds)
    known = facts(given, NOMINAL, n_clusters=None)
    if METHODS[name].needs_n_clusters:
        with pytest.raises(
            NoNumberOfClustersError, match=rf"^{name} needs to know .* \(n_clusters=\)"
        ):
            choose_for(known, name)
    else:
        assert choose_for(known, name).method.name == name


def test_no_method_is_chosen_for_which_there_is_no_memory(monkeypatch):
    monkeypatch.setattr(_choice, "available_memory", lambda: 1e6)
    assert choose_for(facts(PAIRS, n_samples=2_000)).method.name == "cop-kmeans"
    assert "GB for the distances between" in obstacle(
        METHODS["ihac"], facts(set(), n_samples=2_000)
    )


def test_preferences_are_about_methods_that_there_are():
    assert {each.method for each in PREFERENCES} <= set(METHODS)


def test_what_methods_need_is_asked_of_their_estimators():
    assert {name for name, method in METHODS.items() if not method.reads_texts} == {
        "tree",
        "attribute-kmedoids",
    }
    assert {name for name, method in METHODS.items() if not method.needs_n_clusters} == {
        "ihac",
        "bihac",
    }
    assert METHODS["ihac"].make(2).metric == "euclidean"
    assert METHODS["ihac"].make(2, of_texts=True).metric == "cosine"


TABLES = {
    "numeric": b"x,y\n0,0\n0,1\n1,0\n8,9\n9,8\n9,9\n",
    "nominal": b"x,y\nred,yes\nred,no\nred,yes\nblue,no\nblue,yes\nblue,no\n",
    "text": b"x\n" + b"the cat sat on a mat %d times\n" * 3 % (11, 12, 13)
    + b"my dog ate all of our food %d\n" * 3 % (21, 22, 23),
}  # fmt: skip


CASES = [
    (columns, given)
    for columns in TABLES
    for given in ("nothing", "pairs", "triplets", "rules")
    if (columns, given) != ("text", "rules")
]


@pytest.mark.parametrize(("columns", "given"), CASES)
def test_every_candidate_runs(columns, given):
    table = read_table(io.BytesIO(TABLES[columns]))
    rule = "x <= 5" if columns == "numeric" else 'x == "red"'
    known = {
        "nothing": Constraints(6),
        "pairs": Constraints(6, must_link=[(0, 1)], cannot_link=[(0, 5)]),
        "triplets": Constraints(6, triplets=[(0, 1, 5)]),
        "rules": Constraints(6, rules=[Rule(rule)]),
    }[given]
    suitable = candidates(Facts.of(table, known, 2))
    assert suitable
    for method in suitable:
        assert choose(table, known, 2, method=method.name).method is method
        pipeline = make_pipeline(method, table, 2, random_state=0)
        pipeline.fit(table, cluster__constraints=constraints_for(method, known, table))
        labels = pipeline["cluster"].labels_
        assert len(np.unique(labels)) == 2
        if given != "nothing":
            assert labels[0] == labels[1]
