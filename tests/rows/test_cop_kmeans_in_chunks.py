"""COP-k-means over chunks is COP-k-means in memory, whoever holds the chunks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clustraint import Constraints, COPKMeans, Rows
from clustraint.cluster import _lloyd_rows
from clustraint.exceptions import (
    HugeDifferenceError,
    InconsistentConstraintsError,
    NoFeasibleClusteringError,
    RowNameError,
    TableColumnError,
)
from clustraint.rows import ArrayRows
from tests.rows.engines import da, dd, pa, pd, pq

pytestmark = [
    pytest.mark.usefixtures("one_thread"),
    # What dask calls of pandas, pandas is about to drop.
    pytest.mark.filterwarnings("ignore:The inplace keyword in DataFrame"),
]


@st.composite
def chunked_problems(draw):
    """Rows, how they are cut, clusters, pairs that hold together, and weights."""
    lengths = draw(st.lists(st.integers(0, 12), min_size=1, max_size=7))
    n_rows = sum(lengths)
    n_clusters = draw(st.integers(1, 4))
    if n_rows < n_clusters + 3:
        lengths.append(n_clusters + 3)
        n_rows = sum(lengths)
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    dtype = draw(st.sampled_from([np.float64, np.float32, np.int64]))
    X = (rng.normal(size=(n_rows, 3)) * 50 + 1000).astype(dtype)
    truth = rng.integers(n_clusters, size=n_rows)
    pairs = rng.integers(n_rows, size=(draw(st.integers(0, 8)), 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    constraints = Constraints(n_rows, pairs[same], pairs[~same])
    weights = rng.integers(0, 3, n_rows) + 0.5 if draw(st.booleans()) else None
    return X, lengths, n_clusters, constraints, weights


def fitted(model, X, options):
    try:
        return model.fit(X, **options), ""
    except NoFeasibleClusteringError as error:
        return None, str(error)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@settings(max_examples=40)
@given(
    chunked_problems(),
    st.sampled_from(["auto", "instance", "component", "exact", "soft"]),
)
def test_dask_chunks_and_memory_agree(problem, assignment):
    X, lengths, n_clusters, constraints, weights = problem
    init = X[:: max(1, len(X) // n_clusters)][:n_clusters].astype(float)
    settings = {"assignment": assignment, "init": init, "random_state": 0, "max_iter": 20}
    arrays = da.concatenate(
        [
            da.from_array(part, chunks=(len(part), 3)) if len(part) else da.zeros((0, 3), X.dtype)
            for part in np.split(X, np.cumsum(lengths)[:-1])
        ]
    ).rechunk({1: 2})
    options = {"constraints": constraints, "sample_weight": weights}
    memory, failure = fitted(COPKMeans(n_clusters, **settings), X, options)
    if memory is None:
        assert fitted(COPKMeans(n_clusters, **settings), arrays, options) == (None, failure)
        return
    far = COPKMeans(n_clusters, **settings).fit(arrays, **options)
    assert far.labels_.chunks == arrays.chunks[:1]
    assert far.labels_.compute().tolist() == memory.labels_.tolist()
    # Sums of single precision data are of double precision in both, centres in memory are not.
    tolerance = 1e-6 if X.dtype == np.float32 else 1e-9
    np.testing.assert_allclose(far.cluster_centers_, memory.cluster_centers_, rtol=tolerance)
    assert far.n_iter_ == memory.n_iter_
    assert far.inertia_ == pytest.approx(memory.inertia_, rel=1e-6)
    assert repr(far.constraint_report_) == repr(memory.constraint_report_)
    if len(set(lengths[:-1])) == 1 and 0 < lengths[-1] <= lengths[0]:
        near = COPKMeans(n_clusters, **settings).fit(ArrayRows(X, lengths[0]), **options)
        assert near.cluster_centers_.tobytes() == far.cluster_centers_.tobytes()
        assert np.asarray(near.labels_).tolist() == memory.labels_.tolist()


def parts_of(folder, X, lengths, names=None):
    folder.mkdir(exist_ok=True)
    cuts = np.cumsum(lengths)[:-1]
    for number, rows in enumerate(np.split(np.arange(len(X)), cuts)):
        columns = {f"x{column}": X[rows, column] for column in range(X.shape[1])}
        if names is not None:
            columns["id"] = [names[row] for row in rows]
        pq.write_table(pa.table(columns), folder / f"{number:03}.parquet")


def test_files_maps_and_dask_are_equal_to_the_bit(blobs, tmp_path):
    X, y = blobs
    constraints = Constraints.from_labels(y, n_pairs=40, random_state=0)
    lengths = [100] * 6
    parts_of(tmp_path / "parts", X, lengths)
    np.save(tmp_path / "x.npy", X)
    model = COPKMeans(3, init=X[[5, 70, 400]], random_state=0)
    sources = [
        ArrayRows(X, 100),
        Rows.read(tmp_path / "x.npy", chunk_rows=100),
        Rows.read(tmp_path / "parts"),
        da.from_array(X, chunks=(100, 2)),
        dd.read_parquet(tmp_path / "parts", aggregate_files=False),
    ]
    centers, labels = set(), set()
    for source in sources:
        model.fit(source, constraints=constraints)
        centers.add(model.cluster_centers_.tobytes())
        labels.add(np.asarray(model.labels_).tobytes())
        assert model.constraint_report_.all_satisfied
    assert len(centers) == 1
    assert len(labels) == 1


def test_names_survive_other_files_in_another_order(blobs, tmp_path, global_random_seed):
    X, y = blobs
    names = [f"user {row}" for row in range(len(X))]
    rng = np.random.default_rng(global_random_seed)
    pairs = rng.choice(len(X), (10, 2), replace=False)
    same = y[pairs[:, 0]] == y[pairs[:, 1]]
    mentioned = sorted(set(pairs.ravel().tolist()))
    constraints = Constraints.from_names(
        [names[row] for row in mentioned],
        must_link=[(names[a], names[b]) for a, b in pairs[same]],
        cannot_link=[(names[a], names[b]) for a, b in pairs[~same]],
    )
    parts_of(tmp_path / "one", X, [300, 300], names)
    order = rng.permutation(len(X))
    parts_of(tmp_path / "two", X[order], [50] * 12, [names[row] for row in order])
    init = [[0, 0], [12, -12], [24, -24]]
    results = []
    for folder in ("one", "two"):
        rows = Rows.read(tmp_path / folder, id_column="id")
        model = COPKMeans(3, init=init, random_state=0).fit(rows, constraints=constraints)
        assert model.constraint_report_.all_satisfied
        results.append(np.asarray(model.labels_))
    assert results[1].tolist() == results[0][order].tolist()
    frame = dd.read_parquet(tmp_path / "two", index="id")
    far = COPKMeans(3, init=init, random_state=0).fit(frame, constraints=constraints)
    assert far.labels_.compute().tolist() == results[1].tolist()
    # As docs/large-data.rst writes them.
    far.labels_.to_dask_dataframe("cluster", index=frame.index).to_frame().to_parquet(
        tmp_path / "clusters"
    )
    written = pd.read_parquet(tmp_path / "clusters")["cluster"]
    assert written.to_dict() == dict(zip(names, results[0].tolist(), strict=True))
    unknown = Constraints.from_names(["user 1", "nobody"], must_link=[("user 1", "nobody")])
    with pytest.raises(RowNameError, match="'nobody', which is the name of no row"):
        COPKMeans(3).fit(frame, constraints=unknown)


def test_lengths_that_dask_does_not_know_are_counted(blobs):
    X, y = blobs
    frame = dd.from_pandas(pd.DataFrame(X, columns=["a", "b"]), npartitions=4)
    frame = frame[frame["a"] > -1e9]
    constraints = Constraints.from_labels(y, n_pairs=20, random_state=0)
    for source in (frame, frame.to_dask_array()):
        model = COPKMeans(3, random_state=0).fit(source, constraints=constraints)
        assert model.labels_.shape == (600,)
        assert model.constraint_report_.all_satisfied


def test_first_centres_of_chunks_are_drawn_from_some(blobs, monkeypatch):
    X, y = blobs
    monkeypatch.setattr(_lloyd_rows, "START_ROWS", 100)
    constraints = Constraints.from_labels(y, n_pairs=30, random_state=0)
    for source in (X, ArrayRows(X, 64), da.from_array(X, chunks=(64, 2))):
        model = COPKMeans(3, random_state=0).fit(source, constraints=constraints)
        labels = np.asarray(model.labels_)
        assert len({(a, b) for a, b in zip(y, labels, strict=True)}) == 3


def test_prediction_is_lazy_and_by_chunks(blobs, tmp_path):
    X, _ = blobs
    model = COPKMeans(3, random_state=0).fit(X)
    expected = model.predict(X).tolist()
    lazy = model.predict(da.from_array(X, chunks=(77, 1)))
    assert lazy.chunks == ((77,) * 7 + (61,),)
    assert lazy.compute().tolist() == expected
    parts_of(tmp_path / "parts", X, [200] * 3)
    labels = model.predict(Rows.read(tmp_path / "parts"))
    assert np.asarray(labels).tolist() == expected
    assert labels[[3, 400]].tolist() == [expected[3], expected[400]]
    named = COPKMeans(3, random_state=0).fit(Rows.read(tmp_path / "parts"))
    assert named.feature_names_in_.tolist() == ["x0", "x1"]
    other = Rows.read(tmp_path / "parts", columns=["x1", "x0"])
    np.testing.assert_array_equal(named.predict(other), named.labels_)


def test_nan_is_named_with_its_column_and_chunk(blobs):
    X, _ = blobs
    X[310, 1] = np.nan
    frame = dd.from_pandas(pd.DataFrame(X, columns=["age", "income"]), npartitions=6, sort=False)
    with pytest.raises(TableColumnError, match="'income' of X holds nan in row 10 of chunk 3"):
        COPKMeans(3).fit(frame)
    with pytest.raises(TableColumnError, match="'x1' of X holds nan in row 10 of chunk 3"):
        COPKMeans(3).fit(ArrayRows(X, 100))


def test_squares_that_are_no_numbers_are_told_by_column(blobs):
    X, _ = blobs
    X[:, 1] *= 1e200
    with pytest.raises(HugeDifferenceError, match="column 1 "):
        COPKMeans(3).fit(ArrayRows(X, 100))


def test_contradictions_and_infeasible_pieces_are_told_as_in_memory(blobs):
    X, _ = blobs
    contradictory = Constraints(600, must_link=[(3, 400), (400, 7)], cannot_link=[(3, 7)])
    crowded = Constraints(
        600, cannot_link=[(500, 501), (501, 502), (500, 502), (500, 9), (501, 9), (502, 9)]
    )
    for constraints in (contradictory, crowded):
        messages = []
        for source in (X, ArrayRows(X, 100), da.from_array(X, chunks=(100, 2))):
            with pytest.raises((InconsistentConstraintsError, NoFeasibleClusteringError)) as error:
                COPKMeans(3, random_state=0).fit(source, constraints=constraints)
            messages.append((str(error.value), error.value.witness))
        assert messages[0] == messages[1] == messages[2]
