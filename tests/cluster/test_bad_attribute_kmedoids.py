import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array
from sklearn.exceptions import NotFittedError

from clustraint import AttributeKMedoids, Constraints, Rule
from clustraint.exceptions import (
    ClustraintError,
    EmptyClusterWarning,
    EmptyScopeError,
    EmptyScopeWarning,
    InvalidParameterError,
    NoFeasibleClusteringError,
    NominalValueError,
    OverlappingRulesError,
    RuleColumnError,
    TooFewClustersError,
    UnknownAttributeError,
    UnsupportedConstraintsError,
)

NAMES = ["dog", "wolf", "whale", "trout", "hen"]
ANIMALS = pd.DataFrame(
    {
        "milk": [1, 1, 1, 0, 0],
        "hair": [1, 1, 0, 0, 0],
        "swims": [0, 0, 1, 1, 0],
        "flies": [0, 0, 0, 0, 1],
        "legs": [4, 4, 0, 0, 2],
    }
)


def fit(n_clusters, *rules, **options):
    known = Constraints(5, rules=rules, names=NAMES)
    return AttributeKMedoids(n_clusters, random_state=0, **options).fit(ANIMALS, constraints=known)


def exactly(text):
    return Rule(text, exactly=True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_clusters": 0}, "n_clusters must be a whole number from 1 up, but is 0"),
        ({"n_clusters": 2.5}, "n_clusters must be a whole number from 1 up, but is 2.5"),
        ({"n_init": 0}, "n_init must be a whole number from 1 up"),
        ({"max_iter": "many"}, "max_iter must be a whole number from 1 up, but is 'many'"),
        ({"attach": "last"}, "attach must be 'seed' or 'first', but is 'last'"),
        ({"init": "k-means"}, "init must be 'd2' or 'random', but is 'k-means'"),
        ({"overlap": None}, "overlap must be 'merge' or 'nearest', but is None"),
    ],
)
def test_parameters(options, message):
    with pytest.raises(InvalidParameterError, match=message):
        AttributeKMedoids(**options).fit(ANIMALS)


def test_a_random_state_that_is_none():
    with pytest.raises(ClustraintError, match="random_state must be None"):
        AttributeKMedoids(2, random_state="today").fit(ANIMALS)


def test_more_clusters_than_samples():
    with pytest.raises(ClustraintError, match="n_samples=5 should be >= n_clusters=6"):
        fit(6)


def test_two_exactly_rules_for_one_sample():
    with pytest.raises(OverlappingRulesError) as caught:
        fit(3, exactly("milk"), Rule("flies"), exactly("swims"))
    assert str(caught.value) == (
        "rules 'exactly: milk' and 'exactly: swims' both hold for whale, but the clusters of two "
        "exactly rules have no sample in common."
    )
    assert caught.value.witness.rules == (exactly("milk"), exactly("swims"))


def test_a_together_rule_half_within_an_exactly_rule():
    with pytest.raises(OverlappingRulesError) as caught:
        fit(3, exactly("hair"), Rule("milk"))
    assert str(caught.value) == (
        "rules 'together: milk' and 'exactly: hair' both hold for dog, but whale is in scope of "
        "the first only and may not join the cluster of the second."
    )


def test_an_exactly_rule_within_a_together_rule():
    # The other way round: the together rule reaches beyond.
    with pytest.raises(OverlappingRulesError, match="whale is in scope of the first only"):
        fit(3, Rule("milk"), exactly("hair"))


@pytest.mark.parametrize("attach", ["seed", "first"])
def test_an_empty_exactly_scope(attach):
    with pytest.raises(EmptyScopeError, match="'exactly: milk and flies' holds for no sample"):
        fit(3, exactly("milk & flies"), attach=attach)


@pytest.mark.parametrize("attach", ["seed", "first"])
def test_an_empty_together_scope(attach):
    with pytest.warns(
        EmptyScopeWarning, match="'together: milk and flies' holds for no sample"
    ) as w:
        model = fit(2, Rule("milk & flies"), attach=attach)
    assert w[0].filename == __file__
    assert model.rule_clusters_.tolist() == [-1]
    assert model.constraint_report_["together"].satisfied == 1
    assert model.predict(ANIMALS.assign(flies=1)).shape == (5,)


@pytest.mark.parametrize("attach", ["seed", "first"])
def test_more_exactly_rules_than_clusters(attach):
    with pytest.raises(TooFewClustersError) as caught:
        fit(1, exactly("milk"), exactly("flies"), attach=attach)
    assert str(caught.value) == (
        "2 exactly rules need clusters of their own, but n_clusters=1; ask for more clusters. The "
        "first are 'exactly: milk', 'exactly: flies'."
    )
    assert caught.value.witness.rules == (exactly("milk"), exactly("flies"))


def test_more_rules_than_clusters():
    with pytest.raises(TooFewClustersError, match="let rules share them with attach='first'"):
        fit(1, Rule("milk"), Rule("flies"))
    assert fit(1, Rule("milk"), Rule("flies"), attach="first").constraint_report_.all_satisfied
    # Rules that overlap act as one.
    assert fit(1, Rule("milk"), Rule("swims")).rule_clusters_.tolist() == [0, 0]


@pytest.mark.parametrize("attach", ["seed", "first"])
def test_every_cluster_is_taken(attach):
    with pytest.raises(NoFeasibleClusteringError) as caught:
        fit(2, exactly("milk"), exactly("flies"), attach=attach)
    assert str(caught.value) == (
        "all 2 clusters belong to exactly rules, 'exactly: milk', 'exactly: flies', but trout is "
        "in the scope of none; ask for more clusters."
    )
    assert caught.value.sample == 3


def test_every_cluster_is_taken_from_new_samples():
    model = fit(2, exactly("milk"), exactly("~milk"))
    assert model.predict(ANIMALS).tolist() == [0, 0, 0, 1, 1]
    model = fit(2, exactly("legs > 3"), exactly("legs < 3"))
    with pytest.raises(NoFeasibleClusteringError, match="sample 2 of X is in the scope of none"):
        model.predict(ANIMALS.assign(legs=[4, 0, 3, 3, 2]))


def test_no_sample_is_left_to_start_a_cluster():
    with pytest.raises(ClustraintError, match=r"only 1 more can start.* Ask for at most 3"):
        fit(4, exactly("milk"), Rule("flies"))


def test_a_rule_without_a_sample_of_its_own():
    rules = Rule("milk"), Rule("hair")
    with pytest.raises(ClustraintError, match="scope of rule 'together: hair' is in that of anoth"):
        fit(3, *rules, overlap="nearest")
    assert fit(3, *rules, overlap="merge").rule_clusters_.tolist() == [0, 0]
    assert fit(3, *rules, overlap="nearest", attach="first").rule_clusters_.shape == (2,)


def test_rules_about_columns_that_are_not_there():
    with pytest.raises(UnknownAttributeError, match="names 'wings', which is not a column"):
        fit(2, Rule("wings"))
    known = Constraints(5, rules=[Rule("x7")])
    for X in (ANIMALS.to_numpy(), csr_array(ANIMALS)):
        with pytest.raises(UnknownAttributeError, match=r"names 'x7', which is not a column.*x1"):
            AttributeKMedoids(2).fit(X, constraints=known)


@pytest.mark.parametrize("form", [pd.DataFrame.to_numpy, csr_array, pl.from_pandas])
def test_a_bare_name_for_a_column_that_is_not_binary(form):
    X = form(ANIMALS)
    name = "legs" if hasattr(X, "columns") else "x4"
    known = Constraints(5, rules=[Rule(f"~{name}")])
    with pytest.raises(RuleColumnError, match=f"column '{name}' "):
        AttributeKMedoids(2).fit(X, constraints=known)


def test_constraints_for_other_samples():
    with pytest.raises(ClustraintError, match="constraints are about 4 samples, but X has 5"):
        AttributeKMedoids(2).fit(ANIMALS, constraints=Constraints(4, rules=[Rule("milk")]))


def test_other_kinds_of_constraints():
    known = Constraints(5, triplets=[(0, 1, 2)])
    with pytest.raises(UnsupportedConstraintsError, match="AttributeKMedoids takes together, exa"):
        AttributeKMedoids(2).fit(ANIMALS, constraints=known)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("form", [np.asarray, csr_array, pd.DataFrame, pl.from_pandas])
def test_numbers_that_are_none(value, form):
    X = ANIMALS.astype(float)
    X.iloc[2, 4] = value
    found = "no value" if np.isnan(value) else str(value)
    with pytest.raises(NominalValueError, match=rf"column '(legs|x4)' holds {found}.* at sample 2"):
        AttributeKMedoids(2).fit(form(X))
    model = AttributeKMedoids(2).fit(form(ANIMALS.astype(float)))
    with pytest.raises(NominalValueError, match=rf"'(legs|x4)' holds {found}.* at sample 2"):
        model.predict(form(X))


@pytest.mark.parametrize("value", [None, np.nan, pd.NA, pd.NaT])
def test_missing_values(value):
    column = ["red", "blue", value, "red", "red"]
    forms = [
        pd.DataFrame({"color": pd.Series(column, dtype=object)}),
        pd.DataFrame({"color": pd.Series(column, dtype="category")}),
        pl.DataFrame({"color": ["red", "blue", None, "red", "red"]}),
        np.array([column], dtype=object).T,
    ]
    for X in forms:
        with pytest.raises(NominalValueError, match=r"column '(color|x0)' holds no value \(NaN\)"):
            AttributeKMedoids(2).fit(X)


def test_missing_times():
    times = np.array([["2024-01-01"], ["NaT"]], "M8[D]")
    for form in (pd.DataFrame, pl.DataFrame):
        with pytest.raises(NominalValueError, match="holds no value"):
            AttributeKMedoids(1).fit(form(times))
        with pytest.raises(NominalValueError, match=r"holds no value .* at sample 1"):
            AttributeKMedoids(1).fit(form(times[:1])).predict(form(times))


def test_masked_values():
    X = np.ma.array(ANIMALS.to_numpy(), mask=False)
    X[3, 1] = np.ma.masked
    with pytest.raises(NominalValueError, match=r"column 'x1' holds no value .* at sample 3"):
        AttributeKMedoids(2).fit(X)


@pytest.mark.parametrize("form", [pd.DataFrame, np.asarray])
def test_values_that_cannot_be_compared(form):
    X = pd.DataFrame({"tags": [["a"], ["b"], "c"]}, dtype=object)
    with pytest.raises(NominalValueError, match=r"column '(tags|x0)' holds a list at sample 0"):
        AttributeKMedoids(2).fit(form(X))


@pytest.mark.parametrize("shape", [(0, 3), (3, 0)])
def test_empty_tables(shape):
    frame = pd.DataFrame(np.zeros(shape))
    with pytest.raises(ClustraintError, match="X must have at least 1"):
        AttributeKMedoids(1).fit(frame)
    with pytest.raises(ValueError, match="minimum of 1 is required"):
        AttributeKMedoids(1).fit(frame.to_numpy())


def test_predict_before_fit():
    with pytest.raises(NotFittedError):
        AttributeKMedoids().predict(ANIMALS)


def test_predict_with_other_columns():
    model = fit(2)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(ANIMALS[ANIMALS.columns[::-1]])
    with pytest.raises(ValueError, match="expecting 5 features"):
        AttributeKMedoids(2).fit(ANIMALS.to_numpy()).predict([[1, 2]])


def test_only_constant_columns():
    with pytest.warns(EmptyClusterWarning, match=r"1 of 2 clusters stay empty \(1\)") as caught:
        model = AttributeKMedoids(2, random_state=0).fit(np.ones((4, 3)))
    assert caught[0].filename == __file__
    assert model.labels_.tolist() == [0, 0, 0, 0]
    assert AttributeKMedoids(1).fit([["a"], ["a"]]).inertia_ == 0
