import pickle
import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array, csr_array, csr_matrix
from scipy.spatial.distance import cdist
from sklearn import config_context
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV, KFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

from clustraint import AttributeKMedoids, Constraints, Rule
from clustraint.datasets import make_rule_clusters
from clustraint.exceptions import ClustraintError, EmptyClusterWarning
from clustraint.kernels.kmedoids import mismatches, popcount
from clustraint.metric.packing import pack
from clustraint.tables import read_columns
from tests.reference import kmedoids as reference

ANIMALS = pd.DataFrame(
    {
        "milk": [True, True, True, False, False, False, False],
        "legs": [4, 4, 0, 2, 2, 0, 0],
        "skin": ["hair", "hair", "bare", "feathers", "feathers", "scales", "scales"],
        "water": [0, 0, 1, 0, 1, 1, 1],
    },
    index=["dog", "cat", "whale", "hen", "duck", "carp", "pike"],
)


def test_tiny_case():
    rules = [Rule("milk"), Rule('skin == "feathers"', exactly=True)]
    known = Constraints(7, rules=rules, names=list(ANIMALS.index))
    model = AttributeKMedoids(3, random_state=0).fit(ANIMALS, constraints=known)
    assert model.labels_.tolist() == [0, 0, 0, 1, 1, 2, 2]
    assert model.rule_clusters_.tolist() == [0, 1]
    assert model.medoids_["skin"].tolist() == ["hair", "feathers", "scales"]
    assert ANIMALS.iloc[model.medoid_indices_].equals(model.medoids_)
    assert model.inertia_ == 4  # the whale is 3 from cats and dogs, hen and duck are 1 apart
    assert model.constraint_report_.all_satisfied
    assert model.feature_names_in_.tolist() == list(ANIMALS.columns)


def test_rounds_are_counted_with_the_one_that_changes_nothing():
    X = np.array([[0, 0, 0], [0, 0, 1], [0, 0, 1], [1, 1, 1]])
    rules = Constraints(4, rules=[Rule("~x0")])
    for seed in range(10):
        model = AttributeKMedoids(2, n_init=1, random_state=seed).fit(X, constraints=rules)
        assert model.labels_.tolist() == [0, 0, 0, 1]
        # The medoid of the first cluster was drawn: its middle, row 1 or 2, or row 0.
        assert (model.medoid_indices_[0], model.n_iter_) in [(1, 1), (1, 2), (2, 1)]


def test_a_rule_within_an_exactly_rule_shares_its_cluster():
    X = np.array([[1, 1], [1, 0], [0, 0], [0, 0]])
    rules = [Rule("x1"), Rule("x0", exactly=True)]
    model = AttributeKMedoids(2, random_state=0).fit(X, constraints=Constraints(4, rules=rules))
    assert model.labels_.tolist() == [0, 0, 1, 1]
    assert model.rule_clusters_.tolist() == [0, 0]


def test_overlapping_rules():
    X = np.array([[1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 1], [0, 0, 1, 1]])
    known = Constraints(4, rules=[Rule("x0"), Rule("x1")])
    merged = AttributeKMedoids(2, random_state=0).fit(X, constraints=known)
    assert merged.labels_.tolist() == [0, 0, 0, 1]
    assert merged.rule_clusters_.tolist() == [0, 0]
    apart = AttributeKMedoids(2, overlap="nearest", random_state=0).fit(X, constraints=known)
    assert apart.labels_.tolist() == [0, 0, 1, 1]
    assert apart.rule_clusters_.tolist() == [0, 1]
    report = apart.constraint_report_["together"]
    assert (report.satisfied, report.rows.tolist()) == (1, [1])
    assert {place: samples.tolist() for place, samples in report.samples.items()} == {1: [2]}


def test_rules_join_the_cluster_of_their_first_sample():
    X = np.array([[1, 0, 0, 0], [0, 0, 0, 0], [1, 1, 1, 1], [0, 1, 1, 1]])
    known = Constraints(4, rules=[Rule("x0")])
    model = AttributeKMedoids(2, attach="first", n_init=1, random_state=0)
    model.fit(X, constraints=known)
    assert model.labels_[0] == model.labels_[2] == model.rule_clusters_[0]
    reordered = model.fit(X[[2, 3, 0, 1]], constraints=known)
    assert reordered.labels_[0] == reordered.labels_[2] == reordered.rule_clusters_[0]


TEXTS = st.sampled_from(["x{} == {}", "x{} != {}", "x{} < {}"])


@st.composite
def problems(draw):
    """Small tables, rules of both kinds about them, and parameters."""
    n_samples, n_columns = draw(st.integers(1, 14)), draw(st.integers(1, 5))
    highest = draw(st.lists(st.integers(0, 4), min_size=n_columns, max_size=n_columns))
    rows = st.tuples(*(st.integers(0, value) for value in highest))
    X = np.array(draw(st.lists(rows, min_size=n_samples, max_size=n_samples)))
    literals = st.builds(str.format, TEXTS, st.integers(0, n_columns - 1), st.integers(0, 3))
    formulas = st.lists(literals, min_size=1, max_size=3).flatmap(
        lambda parts: st.sampled_from([" & ".join(parts), " | ".join(parts)])
    )
    rules = draw(st.lists(st.builds(Rule, formulas, st.booleans()), max_size=4))
    options = {
        "n_clusters": draw(st.integers(1, min(5, n_samples))),
        "attach": draw(st.sampled_from(["seed", "first"])),
        "init": draw(st.sampled_from(["d2", "random"])),
        "overlap": draw(st.sampled_from(["merge", "nearest"])),
        "n_init": draw(st.integers(1, 2)),
        "max_iter": draw(st.sampled_from([1, 2, 100])),
    }
    return X, Constraints(n_samples, rules=rules), options


def fitted(X, known, options, seed):
    """Return the model, or None where the rules cannot be kept."""
    try:
        return AttributeKMedoids(**options, random_state=seed).fit(X, constraints=known)
    except ClustraintError:
        return None


ignore_empty = pytest.mark.filterwarnings(
    "ignore::clustraint.exceptions.EmptyScopeWarning",
    "ignore::clustraint.exceptions.EmptyClusterWarning",
)


@ignore_empty
@given(problem=problems(), seed=st.integers(0, 1000))
def test_no_rule_is_violated(problem, seed):
    X, known, options = problem
    model = fitted(X, known, {**options, "overlap": "merge"}, seed)
    if model is None:
        return
    assert model.constraint_report_.all_satisfied
    for rule, cluster in zip(known.rules, model.rule_clusters_, strict=True):
        scope = rule.scope(X)
        assert (model.labels_[scope] == cluster).all()
        assert not (rule.exactly and (model.labels_[~scope] == cluster).any())
        assert scope.any() or cluster == -1


@ignore_empty
@given(problem=problems(), seed=st.integers(0, 1000))
def test_equals_the_quadratic_reading(problem, seed):
    X, known, options = problem
    scopes = [set(np.flatnonzero(rule.scope(X)).tolist()) for rule in known.rules]
    exactly = [rule.exactly for rule in known.rules]
    rng = np.random.default_rng(seed)
    try:
        expected = reference.fit(X.tolist(), scopes, exactly, **options, rng=rng)
    except reference.NoStartError:
        assert fitted(X, known, options, seed) is None
        return
    model = AttributeKMedoids(**options, random_state=seed).fit(X, constraints=known)
    found = (model.labels_, model.medoid_indices_, model.rule_clusters_)
    assert (model.inertia_, *(array.tolist() for array in found), model.n_iter_) == expected


@ignore_empty
@given(problem=problems(), seed=st.integers(0, 1000))
def test_predict_repeats_the_fit(problem, seed):
    X, known, options = problem
    model = fitted(X, known, options, seed)
    if model is None:
        return
    assert model.predict(X).tolist() == model.labels_.tolist()
    assert model.score(X) == -model.inertia_


@pytest.fixture
def table(global_random_seed):
    """Samples of four clusters: columns of 2 to 40 values, a tenth of them replaced."""
    rng = np.random.default_rng(global_random_seed)
    n_values = np.repeat([2, 3, 9, 40], 30)
    prototypes = rng.integers(n_values, size=(4, len(n_values)))
    replaced = rng.random((200, len(n_values))) < 0.1
    drawn = rng.integers(n_values, size=replaced.shape)
    return np.where(replaced, drawn, prototypes[rng.integers(4, size=200)])


def test_distances_are_scipys(table):
    model = AttributeKMedoids(4, random_state=0).fit(table)
    away = cdist(table, model.medoids_, "hamming") * table.shape[1]
    assert model.labels_.tolist() == np.argmin(away.round(), axis=1).tolist()
    assert model.inertia_ == pytest.approx(away.min(axis=1).sum())
    for cluster, medoid in enumerate(model.medoid_indices_):
        members = table[model.labels_ == cluster]
        summed = cdist(members, members, "hamming").sum(axis=0)
        own = cdist(table[[medoid]], members, "hamming").sum()
        assert own == pytest.approx(summed.min())


@given(
    st.lists(st.lists(st.integers(0, 9), min_size=7, max_size=7), min_size=1, max_size=20),
    st.lists(st.sampled_from([1, 2, 3, 10, 10**6]), min_size=7, max_size=7),
)
def test_fields_of_any_width_give_hamming_distances(rows, strides):
    # Columns of up to ten values, some of them made distinct in every row.
    is_unique = np.array(strides) == 10**6
    X = np.array(rows) % strides + 10 * np.arange(len(rows))[:, np.newaxis] * is_unique
    packed = pack(read_columns(np.tile(X, 20)))
    for first in range(len(X)):
        found = [mismatches(packed, other, packed.words, first) for other in range(len(X))]
        assert found == (20 * (X[first] != X).sum(axis=1)).tolist()


def test_bits_are_counted(global_random_seed):
    words = np.random.default_rng(global_random_seed).integers(2**64, size=100, dtype=np.uint64)
    for word in (np.uint64(0), ~np.uint64(0), *words):
        assert popcount(word) == int(word).bit_count()


def as_text(X):
    return X.astype(str).astype(object)


FORMS = {
    "float32": lambda X: X.astype(np.float32),
    "int8": lambda X: X.astype(np.int8),
    "fortran": np.asfortranarray,
    "large integers": lambda X: X.astype(np.int64) * 2**55,
    "text": lambda X: X.astype(str),
    "objects": as_text,
    "lists": lambda X: X.tolist(),
    "lists of texts": lambda X: as_text(X).tolist(),
    "CSR array": csr_array,
    "CSR matrix": csr_matrix,
    "COO array": coo_array,
    "pandas": pd.DataFrame,
    "pandas texts": lambda X: pd.DataFrame(as_text(X)),
    "pandas categories": lambda X: pd.DataFrame(as_text(X)).astype("category"),
    "pandas nullable": lambda X: pd.DataFrame(X).astype("Int64"),
    "pandas times": lambda X: pd.DataFrame(X.astype("M8[s]")),
    "polars": pl.DataFrame,
    "polars times": lambda X: pl.DataFrame(X.astype("M8[ms]")),
    "polars texts": lambda X: pl.DataFrame(as_text(X)).cast(pl.String),
    "polars categories": lambda X: pl.DataFrame(as_text(X)).cast(pl.String).cast(pl.Categorical),
}


@pytest.mark.parametrize("form", FORMS)
def test_the_form_of_a_table_does_not_matter(table, form):
    X = FORMS[form](table)
    expected = AttributeKMedoids(4, n_init=2, random_state=0).fit(table)
    model = AttributeKMedoids(4, n_init=2, random_state=0).fit(X)
    assert model.labels_.tolist() == expected.labels_.tolist()
    assert model.predict(X).tolist() == expected.labels_.tolist()
    assert len(np.unique(model.medoid_indices_)) == model.medoids_.shape[0] == 4


MAKES = {
    "numbers": ["float32", "int8", "lists", "CSR array", "CSR matrix", "pandas", "polars"],
    "texts": ["text", "lists of texts", "pandas texts", "pandas categories", "polars texts"],
}


@pytest.mark.parametrize("fitted_form", [form for forms in MAKES.values() for form in forms])
@pytest.mark.filterwarnings("ignore:X (has|does not have valid) feature names:UserWarning")
@pytest.mark.filterwarnings("ignore:The feature names should match:UserWarning")
def test_another_form_may_come_in_predict(table, fitted_form):
    model = AttributeKMedoids(4, n_init=1, random_state=0).fit(FORMS[fitted_form](table))
    make = next(forms for forms in MAKES.values() if fitted_form in forms)
    for form in make:
        X = FORMS[form](table)
        if hasattr(X, "columns"):
            X.columns = getattr(model, "feature_names_in_", X.columns)
        assert model.predict(X).tolist() == model.labels_.tolist()


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int64, np.float64])
def test_binary_columns(global_random_seed, dtype):
    X = np.random.default_rng(global_random_seed).integers(2, size=(100, 70))
    expected = AttributeKMedoids(5, random_state=0).fit(as_text(X))
    model = AttributeKMedoids(5, random_state=0).fit(X.astype(dtype))
    sparse = AttributeKMedoids(5, random_state=0).fit(csr_array(X.astype(dtype)))
    assert model.labels_.tolist() == sparse.labels_.tolist() == expected.labels_.tolist()
    assert model.medoids_.dtype == sparse.medoids_.dtype == dtype
    assert (sparse.medoids_.toarray() == model.medoids_).all()


def test_tables_of_more_than_one_block(global_random_seed):
    X = np.random.default_rng(global_random_seed).integers(2, size=(1500, 100))
    X[1499, 3] = 2  # the only value of its kind is in the last block
    model = AttributeKMedoids(3, n_init=1, random_state=0).fit(X)
    assert model.labels_.tolist() == (
        AttributeKMedoids(3, n_init=1, random_state=0).fit(as_text(X)).labels_.tolist()
    )


def test_columns_may_come_in_any_order_and_values_under_any_name(table, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    names = rng.permutation(40)
    others = names[table][:, rng.permutation(table.shape[1])]
    models = [AttributeKMedoids(4, n_init=2, random_state=0).fit(X) for X in (table, others)]
    assert models[0].labels_.tolist() == models[1].labels_.tolist()
    assert models[0].inertia_ == models[1].inertia_


def test_constant_columns_change_nothing(table):
    wider = np.column_stack((np.full((200, 70), 7), table))
    models = [AttributeKMedoids(4, n_init=2, random_state=0).fit(X) for X in (table, wider)]
    assert models[0].labels_.tolist() == models[1].labels_.tolist()
    assert models[0].inertia_ == models[1].inertia_


def test_one_cluster(table):
    model = AttributeKMedoids(1, random_state=0).fit(table)
    assert set(model.labels_) == {0}
    away = cdist(table, table, "hamming").sum(axis=0) * table.shape[1]
    assert model.inertia_ == pytest.approx(away.min())


@pytest.mark.parametrize("middle", range(4))
def test_any_row_may_become_the_medoid(middle):
    X = np.roll([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], middle, axis=0)
    for seed in range(8):
        model = AttributeKMedoids(1, n_init=1, random_state=seed).fit(X)
        assert model.medoid_indices_.tolist() == [middle]


def test_all_samples_in_one_scope(table):
    everything = Constraints(200, rules=[Rule("x0 >= 0", exactly=True)])
    model = AttributeKMedoids(1, random_state=0).fit(table, constraints=everything)
    assert set(model.labels_) == {0}
    assert model.constraint_report_.all_satisfied


def test_equal_samples_leave_clusters_empty():
    X = np.array([[0, 0], [0, 0], [1, 1], [1, 1]])
    with pytest.warns(EmptyClusterWarning, match=r"1 of 3 clusters stay empty \(2\)"):
        model = AttributeKMedoids(3, random_state=0).fit(X)
    assert model.inertia_ == 0
    assert len(set(model.labels_)) == 2


def test_unseen_values_differ_from_all():
    X = pd.DataFrame({"color": ["red", "red", "blue"], "size": [1, 1, 2]})
    model = AttributeKMedoids(2, random_state=0).fit(X)
    new = pd.DataFrame({"color": ["green", "blue", "green"], "size": [2, 9, 9]})
    assert model.predict(new).tolist()[:2] == [model.labels_[2]] * 2
    assert model.predict(new)[2] == 0  # a tie: the lowest cluster
    assert model.score(new) == -(1 + 1 + 2)
    assert model.score(new, sample_weight=[1, 0, 3]) == -(1 + 6)


def test_rules_come_first_in_predict():
    X = np.array([[1, 0, 0, 0, 0], [0, 0, 0, 0, 0], [0, 1, 1, 1, 1], [0, 0, 1, 1, 1]])
    rules = [Rule("x0", exactly=True), Rule("x1")]
    model = AttributeKMedoids(3, random_state=0).fit(X, constraints=Constraints(4, rules=rules))
    assert model.rule_clusters_.tolist() == [0, 1]
    new = [[1, 0, 1, 1, 1], [1, 1, 0, 0, 0], [0, 1, 0, 0, 0], [0, 0, 0, 0, 0]]
    assert model.predict(new).tolist()[:3] == [0, 0, 1]
    assert model.predict(new)[3] != 0  # as near as can be, but not in scope


def test_predict_reads_rules_under_the_names_of_fit():
    X = np.array([[1, 0, 0], [1, 1, 1], [0, 0, 0], [0, 1, 1]])
    known = Constraints(4, rules=[Rule("x0", exactly=True)])
    model = AttributeKMedoids(2, random_state=0).fit(X, constraints=known)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    with pytest.warns(UserWarning, match="X has feature names"):
        assert model.predict(frame).tolist() == model.labels_.tolist()
    named = AttributeKMedoids(2, random_state=0)
    named.fit(frame, constraints=Constraints(4, rules=[Rule("a", exactly=True)]))
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        assert named.predict(csr_array(X)).tolist() == named.labels_.tolist()


@pytest.mark.parametrize("exactly", [False, True])
def test_rules_and_starts_gain_what_they_gain_on_the_papers_data(exactly, global_random_seed):
    ways = {
        "paper": {"attach": "first", "init": "random", "overlap": "nearest", "n_init": 1},
        "paper without rules": {"init": "random", "n_init": 1},
        "ours": {},
        "ours without rules": {},
    }
    rng = np.random.default_rng(global_random_seed)
    scores = {way: [] for way in ways}
    for _ in range(4):
        X, classes, rules = make_rule_clusters(exactly=exactly, random_state=rng)
        known = Constraints(len(X), rules=rules)
        for way, options in ways.items():
            model = AttributeKMedoids(20, random_state=int(rng.integers(1000)), **options)
            model.fit(X, constraints=None if "without" in way else known)
            scores[way].append(adjusted_rand_score(classes, model.labels_))
    mean = {way: np.mean(values) for way, values in scores.items()}
    assert mean["ours"] > 0.98
    assert mean["ours"] > mean["paper"] > mean["paper without rules"] - 0.1
    assert mean["ours without rules"] > mean["paper without rules"]


@pytest.mark.parametrize("dtype", [bool, np.int64])
def test_memory_is_three_times_the_packed_data_at_most(dtype):
    n_samples, rng = 100_000, np.random.default_rng(0)
    prototypes = rng.random((20, 100)) < 0.3
    flipped = rng.random((n_samples, 100)) < 0.05
    X = (prototypes[rng.integers(20, size=n_samples)] ^ flipped).astype(dtype)
    known = Constraints(n_samples, rules=[Rule("x0 & ~x1 & x2"), Rule("x3 & x4 & x5 & x6")])
    model = AttributeKMedoids(20, n_init=2, max_iter=3, random_state=0)
    model.fit(X[:1000], constraints=known[:1000])
    tracemalloc.start()
    try:
        model.fit(X, constraints=known)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    packed = pack(read_columns(X)).words.nbytes
    assert peak <= 3 * packed


def test_same_seed_same_result(table):
    first, second = (
        AttributeKMedoids(4, random_state=seed).fit(table) for seed in (7, np.random.default_rng(7))
    )
    assert first.labels_.tolist() == second.labels_.tolist()
    assert AttributeKMedoids(4, random_state=np.random.RandomState(7)).fit(table).inertia_ > 0


def test_clone_and_pickle():
    known = Constraints(7, rules=[Rule("milk")])
    model = AttributeKMedoids(3, attach="first", random_state=0)
    model.fit(ANIMALS, constraints=known)
    assert clone(model).get_params() == model.get_params()
    copy = pickle.loads(pickle.dumps(model))
    assert copy.predict(ANIMALS).tolist() == model.labels_.tolist()
    assert repr(copy.constraint_report_) == repr(model.constraint_report_)


@pytest.mark.parametrize("routing", [True, False])
def test_searches_and_pipelines_hand_on_the_rules(routing, global_random_seed):
    X, _, rules = make_rule_clusters(300, random_state=global_random_seed)
    known = Constraints(300, rules=rules)
    pipeline = make_pipeline(FunctionTransformer(), AttributeKMedoids(n_init=2, random_state=0))
    folds = KFold(3, shuffle=True, random_state=0)
    with config_context(enable_metadata_routing=routing):
        grid = {"attributekmedoids__n_clusters": [5, 20]}
        search = GridSearchCV(pipeline, grid, cv=folds)
        key = "constraints" if routing else "attributekmedoids__constraints"
        search.fit(X, **{key: known})
        scores = cross_validate(
            pipeline, X, cv=folds, params={key: known}, return_estimator=True, return_indices=True
        )
    by_number = search.cv_results_["mean_test_score"]
    if routing:
        # Held-out samples are kept by the rules, whatever the number of clusters.
        assert by_number.tolist() == [1, 1]
    else:
        # Only `fit` is told the rules: the score is minus the distances to the medoids.
        assert by_number[0] < by_number[1] < 0
        assert search.best_params_ == {"attributekmedoids__n_clusters": 20}
    assert search.best_estimator_[-1].constraint_report_.constraints == known
    folds = zip(scores["indices"]["train"], scores["indices"]["test"], strict=True)
    for model, score, (train, test) in zip(
        scores["estimator"], scores["test_score"], folds, strict=True
    ):
        assert model[-1].constraint_report_.constraints == known[train]
        assert model[-1].constraint_report_.all_satisfied
        told = known[test] if routing else None
        assert score == model[-1].score(X[test], constraints=told)


# The check asks for clusters of continuous numbers. No two of these are equal, so all samples are
# as far from each other as can be: by Hamming distance there is nothing to find.
EXCUSED = {"check_clustering": "samples of continuous numbers have no values in common"}
if sklearn.__version__ == "1.6.0":
    EXCUSED["check_positive_only_tag_during_fit"] = "it takes a fraction off integers, and fails"


# Some checks round numbers such that there are fewer different samples than clusters.
@pytest.mark.filterwarnings("ignore::clustraint.exceptions.EmptyClusterWarning")
@parametrize_with_checks([AttributeKMedoids()], expected_failed_checks=lambda estimator: EXCUSED)
def test_scikit_learns_checks(estimator, check):
    check(estimator)
