"""Coarse, rules, reports and streamed pairs over rows in chunks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score

from clustraint import (
    IHAC,
    Coarse,
    ConstrainedCompleteLinkage,
    ConstrainedMixture,
    Constraints,
    COPKMeans,
    ReCon,
    Rows,
    Rule,
)
from clustraint.constraints import check_pairs
from clustraint.evaluation import constraint_satisfaction, satisfaction_score
from clustraint.exceptions import (
    ClustraintError,
    EmptyScopeWarning,
    InconsistentConstraintsError,
    InvalidLabelsError,
    RulesInChunksError,
    SampleIndexError,
)
from clustraint.rows import ArrayRows, KnownLabels
from tests.rows.engines import da, dd, pa, pd, pq
from tests.strategies_constraints import labelled_pairs

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture
def blobs(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    y = rng.integers(3, size=900)
    return rng.normal(size=(900, 3)) + 20 * np.eye(3)[y], y


@pytest.mark.parametrize(
    "inner",
    [ConstrainedCompleteLinkage(3), ReCon(3), IHAC(3), COPKMeans(3, random_state=0)],
    ids=lambda inner: type(inner).__name__,
)
def test_coarse_over_chunks(inner, blobs):
    X, y = blobs
    kinds = {"n_pairs": 20} if "must_link" in inner.constraint_kinds else {"n_triplets": 20}
    constraints = Constraints.from_labels(y, random_state=0, **kinds)
    seen = set()
    for source in (ArrayRows(X, 100), da.from_array(X, chunks=(100, 3))):
        model = Coarse(inner, 50, random_state=0).fit(source, constraints=constraints)
        assert model.constraint_report_.all_satisfied
        labels, homes = np.asarray(model.labels_), np.asarray(model.home_)
        assert adjusted_rand_score(y, labels) == 1
        assert (labels == model.estimator_.labels_[homes]).all()
        assert (model.representatives_[homes[constraints.mentioned]] == constraints.mentioned).all()
        assert len(model.representatives_) <= 50 + len(constraints.mentioned)
        seen.add(labels.tobytes())
    assert len(seen) == 1


@pytest.mark.parametrize("engine", [ArrayRows, da.from_array])
def test_coarse_keeps_rules_and_labels_of_chunks(blobs, engine, global_random_seed):
    X, y = blobs
    X[:, 2] = y == 0
    rng = np.random.default_rng(global_random_seed)
    labels = np.where(rng.random(900) < 0.1, y, -1)
    constraints = Constraints(900, rules=[Rule("x2 == 1"), Rule("x0 > 1000")])
    model = Coarse(ConstrainedMixture(3, random_state=0), 60, random_state=0)
    with pytest.warns(EmptyScopeWarning):
        model.fit(engine(X, 100), labels, constraints=constraints)
    assert model.constraint_report_.all_satisfied
    homes = np.asarray(model.home_)
    owner = model.representatives_[homes]
    # Nobody shares a representative with those of another label, or in another scope.
    assert (labels[owner] == labels).all()
    assert (X[owner, 2] == X[:, 2]).all()
    assert (homes[model.representatives_] == np.arange(len(model.representatives_))).all()
    assert len(model.representatives_) <= 60
    assert adjusted_rand_score(y, np.asarray(model.labels_)) == 1


@given(st.integers(0, 99), st.integers(1, 30))
def test_enough_representatives_of_chunks_are_all_rows(seed, chunk):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (40, 2)).astype(float)
    constraints = Constraints.from_labels(rng.integers(3, size=40), n_pairs=5, random_state=seed)
    inner = ConstrainedCompleteLinkage(3)
    expected = clone(inner).fit(X, constraints=constraints).labels_.tolist()
    model = Coarse(inner, 40, random_state=0).fit(ArrayRows(X, chunk), constraints=constraints)
    assert np.asarray(model.labels_).tolist() == expected
    assert model.representatives_.tolist() == list(range(40))


def test_scopes_of_rules_come_in_chunks(tmp_path):
    rng = np.random.default_rng(0)
    table = {"legs": rng.integers(0, 5, 50), "milk": rng.integers(0, 2, 50).astype(bool)}
    rule = Rule("milk & legs == 4")
    expected = rule.scope(table).tolist()
    pq.write_table(pa.table(table), tmp_path / "a.parquet")
    lazy = rule.scope(Rows.read(tmp_path, chunk_rows=7))
    assert lazy.dtype == bool
    assert np.asarray(lazy).tolist() == expected
    frame = dd.from_pandas(pd.DataFrame(table), npartitions=4)
    assert rule.scope(frame).compute().tolist() == expected
    array = np.column_stack([table["legs"], table["milk"]])
    blocks = rule.scope(da.from_array(array, chunks=(9, 1)), ["legs", "milk"])
    assert blocks.chunks == ((9,) * 5 + (5,),)
    assert blocks.compute().tolist() == expected


@given(labelled_pairs(6, 12), st.integers(1, 5), st.integers(0, 99))
def test_reports_on_lazy_labels_are_those_on_arrays(constraints, chunk, seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(3, size=len(constraints)).astype(np.int32)
    X = labels[:, np.newaxis].astype(float)
    lazy = ArrayRows(X, chunk).labels(lambda part, own: part[:, 0].astype(np.int32))
    expected = repr(constraint_satisfaction(constraints, labels))
    assert repr(constraint_satisfaction(constraints, lazy)) == expected
    far = da.from_array(labels, chunks=chunk)
    assert repr(constraint_satisfaction(constraints, far)) == expected


@given(st.integers(0, 999), st.integers(1, 9))
def test_reports_on_rules_of_chunks(seed, chunk):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (12, 3))
    X[:, 2] = rng.integers(0, 3, 12)
    rules = [Rule("x0"), Rule("x1", exactly=True), Rule("x0 & ~x0", exactly=True)]
    constraints = Constraints(12, rules=rules, triplets=[(3, 7, 9)])
    expected = constraint_satisfaction(constraints, X[:, 2], X)
    near, far = ArrayRows(X, chunk), da.from_array(X, chunks=(chunk, 2))
    lazy = near.labels(lambda part, own: part[:, 2].astype(np.int32))
    for report in (
        constraint_satisfaction(constraints, lazy, near),
        constraint_satisfaction(constraints, da.from_array(X[:, 2], chunks=5), far),
        constraint_satisfaction(constraints, X[:, 2], near),
    ):
        assert repr(report) == repr(expected)
        for kind, each in expected.items():
            assert report[kind].rows.tolist() == each.rows.tolist()
            for place, samples in each.samples.items():
                assert report[kind].samples[place].tolist() == samples.tolist()
    score = satisfaction_score(constraints, X[:, 2], X)
    assert satisfaction_score(constraints, lazy, near) == score


@settings(max_examples=100)
@given(labelled_pairs(3, 12, max_size=12), st.integers(1, 4))
def test_streamed_components_are_those_of_constraints(constraints, chunk):
    must, cannot = constraints.must_link, constraints.cannot_link
    blocks = [must[start : start + chunk] for start in range(0, len(must), chunk)]
    components = check_pairs(len(constraints), blocks, cannot)
    labels = constraints.component_labels
    assert components.n_components == labels.max() + 1
    assert components.n_pairs == len(must)
    first = {label: int(np.flatnonzero(labels == label)[0]) for label in labels}
    assert components.roots.tolist() == [first[label] for label in labels]


def test_a_planted_contradiction_is_found_with_its_shortest_chain(tmp_path):
    rng = np.random.default_rng(0)
    n_samples = 20_000
    half = rng.integers(0, n_samples // 2, (30_000, 2)) * 2
    half = half[half[:, 0] != half[:, 1]]
    chain = np.array([[1, 3], [3, 5], [5, 7]])
    must = np.concatenate((half[:10_000], chain, half[10_000:]))
    pq.write_table(pa.table({"a": must[:, 0], "b": must[:, 1]}), tmp_path / "must.parquet")
    with pytest.raises(InconsistentConstraintsError) as error:
        check_pairs(n_samples, Rows.read(tmp_path, chunk_rows=999), [np.array([[0, 9], [7, 1]])])
    assert error.value.witness.must_link.tolist() == chain.tolist()
    assert error.value.witness.cannot_link.tolist() == [[1, 7]]
    assert "sample 3" in str(error.value)


def test_pairs_that_are_none():
    with pytest.raises(SampleIndexError, match="must_link row 4 names sample 9"):
        check_pairs(5, [np.array([[0, 1], [1, 2], [2, 3], [3, 4]]), np.array([[1, 9]])])
    with pytest.raises(ClustraintError, match="must be pairs of sample numbers"):
        check_pairs(5, np.zeros((2, 3), int))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::clustraint.exceptions.EmptyScopeWarning")
@settings(max_examples=12)
@given(
    st.integers(0, 10_000),
    st.sampled_from(["tied", "full", "diag", "spherical"]),
    st.integers(20, 90),
    st.sampled_from(["learn", 0.9, 1]),
    st.sampled_from(["soft", "hard"]),
    st.booleans(),
    st.booleans(),
)
def test_a_mixture_over_chunks_is_that_of_memory(
    seed, covariance, chunk, trust, assignment, is_labelled, is_weighted
):
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=150)
    X = rng.normal(size=(150, 2)) + 4 * y[:, np.newaxis]
    constraints = Constraints.from_labels(y, n_pairs=10, n_triplets=5, random_state=seed)
    if is_labelled:
        constraints |= Constraints(150, rules=[Rule("x0 > 5"), Rule("x1 < -1")])
    known = np.where(rng.random(150) < 0.1, y, -1) if is_labelled else None
    options = {"sample_weight": rng.integers(1, 3, 150).astype(float)} if is_weighted else {}
    init = X[[int(np.argmax(y == 0)), int(np.argmax(y == 1))]]
    chosen = {"covariance": covariance, "trust": trust, "assignment": assignment}
    model = ConstrainedMixture(2, init=init, random_state=0, max_iter=8, **chosen)
    memory = clone(model).fit(X, known, constraints=constraints, **options)
    bits = set()
    for source in (ArrayRows(X, chunk), da.from_array(X, chunks=(chunk, 2))):
        lazy = known if known is None or isinstance(source, Rows) else da.from_array(known, 40)
        model.fit(source, lazy, constraints=constraints, **options)
        np.testing.assert_allclose(model.means_, memory.means_, rtol=1e-6, atol=1e-9)
        assert np.asarray(model.labels_).tolist() == memory.labels_.tolist()
        assert model.bic_ == pytest.approx(memory.bic_, rel=1e-6)
        assert model.trust_ == pytest.approx(memory.trust_, rel=1e-6)
        for (statement, doubt), expected in zip(
            model.doubtful(99), memory.doubtful(99), strict=True
        ):
            assert doubt == pytest.approx(dict(memory.doubtful(99))[statement], abs=1e-6)
            assert doubt == pytest.approx(expected[1], abs=1e-6)
        assert repr(model.constraint_report_) == repr(memory.constraint_report_)
        bits.add(model.means_.tobytes())
    assert len(bits) == 1


def test_a_mixture_starts_from_some_rows(blobs, monkeypatch):
    X, y = blobs
    monkeypatch.setattr("clustraint.cluster._mixture.in_chunks.START_ROWS", 200)
    constraints = Constraints.from_labels(y, n_pairs=30, random_state=0)
    model = ConstrainedMixture(3, random_state=0).fit(ArrayRows(X, 128), constraints=constraints)
    assert adjusted_rand_score(y, np.asarray(model.labels_)) == 1
    assert adjusted_rand_score(y, model.predict(da.from_array(X, chunks=(99, 3)))) == 1


@pytest.mark.parametrize("trust", ["learn", 1])
def test_a_mixture_of_named_columns_hears_rules_and_labels(blobs, tmp_path, monkeypatch, trust):
    X, y = blobs
    monkeypatch.setattr("clustraint.cluster._mixture.in_chunks.START_ROWS", 200)
    table = {"a": X[:, 0], "b": X[:, 1], "c": X[:, 2]}
    pq.write_table(pa.table(table), tmp_path / "part.parquet")
    constraints = Constraints(900, rules=[Rule("a > 10")])
    known = ["zero", *[None] * 899]
    known[int(np.argmax(y != y[0]))] = "one"
    model = ConstrainedMixture(3, trust=trust, random_state=0)
    for source in (Rows.read(tmp_path, chunk_rows=100), dd.from_pandas(pd.DataFrame(table), 5)):
        model.fit(source, known, constraints=constraints)
        assert adjusted_rand_score(y, np.asarray(model.labels_)) == 1
        assert model.constraint_report_.all_satisfied
        assert model.classes_[0] == "zero"
        assert np.asarray(model.labels_)[0] == 0
        assert "sample 0 is zero" in dict(model.doubtful(5))


def test_a_mixture_has_to_see_every_row_for_some_rules(blobs):
    constraints = Constraints(900, rules=[Rule("x0 == 1", exactly=True)])
    with pytest.raises(RulesInChunksError, match="no rules with exactly=True, as these are about"):
        ConstrainedMixture(3).fit(ArrayRows(blobs[0]), constraints=constraints)


def test_labels_of_some_rows():
    known = KnownLabels.of(da.from_array(np.array([5, -1, 7, 5, -1, -1]), chunks=4), 6)
    assert known.rows.tolist() == [0, 2, 3]
    assert known.classes.tolist() == [0, 1, 0]
    assert known.names == [5, 7]
    series = dd.from_pandas(pd.Series(["b", None, "a", None]), npartitions=2)
    assert KnownLabels.of(series, 4).labels_at(np.array([1, 2])) == [None, "a"]
    assert KnownLabels.of([1, 1], 2).labels_at(np.array([0])) is None
    with pytest.raises(InvalidLabelsError, match="one label for each of 5 samples, but has 4"):
        KnownLabels.of(series, 5)


def test_labels_of_some_rows_are_pairs_for_others(blobs):
    X, y = blobs
    known = np.where(np.arange(900) % 50 == 0, y, -1)
    model = COPKMeans(3, random_state=0)
    for source, labels in (
        (ArrayRows(X, 100), known),
        (da.from_array(X, chunks=(100, 3)), da.from_array(known, chunks=90)),
    ):
        model.fit(source, labels)
        assert model.constraint_report_["must_link"].total == 15
        assert model.constraint_report_.all_satisfied
