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
from clustraint.evaluation import constraint_satisfaction
from clustraint.exceptions import (
    ClustraintError,
    InconsistentConstraintsError,
    RulesInChunksError,
    SampleIndexError,
)
from clustraint.rows import ArrayRows
from tests.strategies_constraints import labelled_pairs

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
dask = pytest.importorskip("dask")
pd = pytest.importorskip("pandas")
pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


@pytest.fixture(autouse=True)
def one_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


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


def test_coarse_takes_no_rules_of_chunks(blobs):
    constraints = Constraints(900, rules=[Rule("x0 == 1")])
    model = Coarse(ConstrainedMixture(3))
    with pytest.raises(
        RulesInChunksError, match="Coarse takes pairs and triplets, but no rules or labels in y"
    ):
        model.fit(ArrayRows(blobs[0]), constraints=constraints)


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


def test_reports_on_rules_of_chunks():
    X = np.array([[1, 0], [1, 1], [0, 1], [0, 0]])
    constraints = Constraints(4, rules=[Rule("x0"), Rule("x1", exactly=True)])
    labels = np.array([0, 0, 1, 1], np.int32)
    expected = constraint_satisfaction(constraints, labels, X)
    rows = ArrayRows(X, 3)
    lazy = rows.labels(lambda part, own: 1 - part[:, 0].astype(np.int32))
    report = constraint_satisfaction(constraints, lazy, rows)
    assert repr(report) == repr(expected)
    assert report["exactly"].samples[1].tolist() == expected["exactly"].samples[1].tolist()


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
@settings(max_examples=15)
@given(
    st.integers(0, 10_000),
    st.sampled_from(["tied", "full", "diag", "spherical"]),
    st.integers(20, 90),
)
def test_a_mixture_over_chunks_is_that_of_memory(seed, covariance, chunk):
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=150)
    X = rng.normal(size=(150, 2)) + 4 * y[:, np.newaxis]
    constraints = Constraints.from_labels(y, n_pairs=10, n_triplets=5, random_state=seed)
    init = X[[int(np.argmax(y == 0)), int(np.argmax(y == 1))]]
    model = ConstrainedMixture(2, covariance=covariance, init=init, random_state=0, max_iter=8)
    memory = clone(model).fit(X, constraints=constraints)
    bits = set()
    for source in (ArrayRows(X, chunk), da.from_array(X, chunks=(chunk, 2))):
        model.fit(source, constraints=constraints)
        np.testing.assert_allclose(model.means_, memory.means_, rtol=1e-6, atol=1e-9)
        assert np.asarray(model.labels_).tolist() == memory.labels_.tolist()
        assert model.bic_ == pytest.approx(memory.bic_, rel=1e-6)
        assert model.trust_ == pytest.approx(memory.trust_, rel=1e-6)
        assert model.doubt_.keys() == memory.doubt_.keys()
        assert repr(model.constraint_report_) == repr(memory.constraint_report_)
        bits.add(model.means_.tobytes())
    assert len(bits) == 1


def test_a_mixture_starts_from_some_rows(blobs, monkeypatch):
    X, y = blobs
    monkeypatch.setattr("clustraint.cluster._constrained_mixture.START_ROWS", 200)
    constraints = Constraints.from_labels(y, n_pairs=30, random_state=0)
    model = ConstrainedMixture(3, random_state=0).fit(ArrayRows(X, 128), constraints=constraints)
    assert adjusted_rand_score(y, np.asarray(model.labels_)) == 1
    assert adjusted_rand_score(y, model.predict(da.from_array(X, chunks=(99, 3)))) == 1
    with pytest.raises(RulesInChunksError, match="no rules, labels in y, sample_weight, trust=1"):
        ConstrainedMixture(3, trust=1).fit(ArrayRows(X))
