"""K-medoids over chunks is k-medoids in memory, to the last bit."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from clustraint import AttributeKMedoids, Constraints, Rows, Rule
from clustraint.cluster import _attribute_kmedoids
from clustraint.cluster._kmedoids_chunks import ChunkedRun, Plan, label_step, looked_at
from clustraint.cluster._kmedoids_pairs import LinkedSamples
from clustraint.cluster._kmedoids_rounds import MedoidRounds
from clustraint.cluster._kmedoids_start import Start
from clustraint.cluster._rule_scopes import Scopes
from clustraint.exceptions import LinkedLabelsError, NominalValueError, OverlappingRulesError
from clustraint.metric.packing import pack
from clustraint.rows import ArrayRows
from clustraint.tables import read_columns
from tests.rows.engines import da, dd, pa, pd, pq

pytestmark = pytest.mark.usefixtures("one_thread")


@settings(max_examples=60)
@given(
    st.integers(0, 10_000),
    st.integers(1, 17),
    st.integers(1, 5),
    st.sampled_from([(), ("x0 == 1",), ("x0 == 1", "x1 == 0")]),
    st.booleans(),
    st.integers(1, 4),
)
def test_a_run_over_chunks_is_the_run_in_memory(seed, chunk, k, texts, exactly, max_iter):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (40, 4))
    rules = tuple(Rule(text, exactly=exactly and not place) for place, text in enumerate(texts))
    columns = read_columns(X)
    table, scopes = pack(columns), Scopes.from_rules(rules, columns)
    # Equal medoids leave clusters empty, which is the hard part.
    medoids = rng.choice(40, k + len(rules), replace=bool(rng.integers(2)))
    start = Start(medoids.astype(np.int64), np.arange(len(rules)))
    rounds = MedoidRounds(table, scopes, LinkedSamples.of(Constraints(len(columns))))
    memory = rounds.run(start, max_iter)
    rows = ArrayRows(X, chunk)
    names = columns.names
    look = looked_at(rows, names, rules)
    assert look.n_rows == 40
    codes = tuple({value: code for code, value in enumerate(levels)} for levels in look.levels)
    offsets = np.cumsum([0, *map(len, codes)])
    empty = np.empty((0, 0), np.int32)
    plan = Plan(names, codes, offsets, rules, 0, start.rule_clusters, empty, start.medoids)
    plan = plan._replace(medoids=plan.coded(columns[start.medoids]))
    chunked = ChunkedRun(rows, plan)
    cost, n_iter, _ = chunked.run(max_iter)
    assert chunked.plan.rows.tolist() == memory.medoids.tolist()
    assert (cost, n_iter) == (memory.cost, memory.n_iter)
    labels = np.asarray(rows.labels(label_step, chunked.unmoved, chunked.plan))
    assert labels.tolist() == rounds.final_labels(memory).tolist()


@pytest.fixture
def table(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    y = rng.integers(3, size=400)
    words = np.array(["red", "green", "blue"])
    noisy = np.where(rng.random((400, 5)) < 0.1, rng.integers(3, size=(400, 5)), y[:, np.newaxis])
    return {f"c{column}": words[noisy[:, column]] for column in range(5)}


def test_texts_in_files_and_frames(table, tmp_path):
    frame = pd.DataFrame(table)
    constraints = Constraints(400, rules=[Rule('c0 == "red" & c1 == "red"')])
    model = AttributeKMedoids(3, random_state=0, n_init=2)
    memory = clone(model).fit(frame, constraints=constraints)
    pq.write_table(pa.table(table), tmp_path / "a.parquet", row_group_size=150)
    sources = [Rows.read(tmp_path, chunk_rows=64), dd.from_pandas(frame, npartitions=3)]
    for source in sources:
        model.fit(source, constraints=constraints)
        assert np.asarray(model.labels_).tolist() == memory.labels_.tolist()
        assert model.medoid_indices_.tolist() == memory.medoid_indices_.tolist()
        assert model.inertia_ == memory.inertia_
        assert repr(model.constraint_report_) == repr(memory.constraint_report_)
        assert np.asarray(model.predict(source)).tolist() == memory.predict(frame).tolist()
        assert model.predict(frame).tolist() == memory.predict(frame).tolist()


def test_starts_are_compared_on_some_rows(table, monkeypatch):
    monkeypatch.setattr(_attribute_kmedoids, "START_ROWS", 60)
    X = np.stack([np.unique(column, return_inverse=True)[1] for column in table.values()], axis=1)
    constraints = Constraints(400, rules=[Rule("x0 == 1 & x1 == 1", exactly=True)])
    bits = set()
    for source in (ArrayRows(X, 50), da.from_array(X, chunks=(50, 2))):
        model = AttributeKMedoids(3, random_state=0).fit(source, constraints=constraints)
        assert model.constraint_report_.all_satisfied
        bits.add((np.asarray(model.labels_).tobytes(), model.inertia_))
    assert len(bits) == 1


def test_what_is_wrong_is_said_of_all_rows(table, monkeypatch):
    monkeypatch.setattr(_attribute_kmedoids, "START_ROWS", 5)
    X = np.zeros((300, 2), int)
    X[250] = 1
    overlapping = [Rule("x0 == 1", exactly=True), Rule("x1 == 1", exactly=True)]
    model = AttributeKMedoids(3, random_state=0)
    with pytest.raises(OverlappingRulesError, match="sample 250"):
        model.fit(ArrayRows(X, 100), constraints=Constraints(300, rules=overlapping))
    missing = X.astype(float)
    missing[120, 1] = np.nan
    with pytest.raises(NominalValueError, match="column 'x1 in chunk 1' holds no value"):
        model.fit(ArrayRows(missing, 100))
    rules = [Rule("x0 == 1")]
    labels = [-1] * 250 + ["a"] + [-1] * 48 + ["b"]
    X[299] = 1
    with pytest.raises(LinkedLabelsError):
        model.fit(ArrayRows(X, 100), labels, constraints=Constraints(300, rules=rules))


@pytest.mark.filterwarnings("ignore::clustraint.exceptions.EmptyScopeWarning")
@settings(max_examples=20)
@given(st.integers(0, 1000), st.integers(1, 17), st.booleans())
def test_labels_of_some_rows_are_kept_as_in_memory(seed, chunk, is_ruled):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (40, 4))
    known = np.full(40, -1)
    known[rng.choice(40, 6, replace=False)] = rng.integers(3, size=6)
    rules = [Rule("x0 == 1 & x1 == 1 & x2 == 1")] if is_ruled else []
    constraints = Constraints(40, rules=rules)
    model = AttributeKMedoids(5, n_init=2, random_state=0)
    try:
        memory = clone(model).fit(X, known, constraints=constraints)
    except LinkedLabelsError as error:
        with pytest.raises(LinkedLabelsError, match=re.escape(str(error))):
            model.fit(ArrayRows(X, chunk), known, constraints=constraints)
        return
    far = da.from_array(X, chunks=(chunk, 4)), da.from_array(known, chunks=7)
    for source, labels in ((ArrayRows(X, chunk), known), far):
        model.fit(source, labels, constraints=constraints)
        # The start is drawn from a generator that has drawn rows before.
        clusters = np.asarray(model.labels_)
        for one in range(3):
            assert len(set(clusters[known == one])) <= 1
        assert len(set(clusters[known >= 0])) == len(set(known[known >= 0]))
        assert repr(model.constraint_report_) == repr(memory.constraint_report_)
        assert np.asarray(model.predict(source)).tolist() == model.predict(X).tolist()
