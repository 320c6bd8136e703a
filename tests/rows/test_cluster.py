"""A cluster of real processes: a scheduler and two workers on the loopback interface."""

import os
import subprocess
import sys

import numpy as np
import pytest

from clustraint import Constraints, COPKMeans, Rows, Rule
from clustraint.evaluation import constraint_satisfaction
from tests.rows.engines import da, dd, pq
from tests.rows.moments import slept
from tests.rows.processes import Processes, made

pytestmark = [
    pytest.mark.filterwarnings("ignore:The inplace keyword in DataFrame"),
    # Sockets of a worker that was killed are closed by the collector.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning:distributed"),
]


def test_a_cluster_of_processes_is_one_process_to_the_bit(client, tmp_path):
    X, _, constraints = made(tmp_path)
    model = COPKMeans(3, init=X[[0, 3000, 77]] + 3, random_state=0, tol=0)
    here = model.fit(Rows.read(tmp_path), constraints=constraints).cluster_centers_.tobytes()
    labels = np.asarray(model.labels_).tolist()
    frame = dd.read_parquet(tmp_path)
    model.fit(frame, constraints=constraints)
    assert model.cluster_centers_.tobytes() == here
    assert model.constraint_report_.all_satisfied
    assert not isinstance(model.labels_, np.ndarray)
    assert model.labels_.compute().tolist() == labels
    held = frame.persist()
    assert model.fit(held, constraints=constraints).cluster_centers_.tobytes() == here


def imported_packages():
    return sorted({name.split(".")[0] for name in sys.modules})


# As a function of no module it travels as it is.
imported_packages.__module__ = "__main__"


def test_the_scheduler_imports_nothing_of_ours(tmp_path):
    X, y, constraints = made(tmp_path)
    cluster = Processes(tmp_path, 1)
    try:
        with cluster.client(1) as client:
            frame = dd.read_parquet(tmp_path)
            model = COPKMeans(3, init=X[:3])
            model.fit(frame, np.where(np.arange(len(y)) < 30, y, -1), constraints=constraints)
            model.fit(frame, da.from_array(np.where(np.arange(len(y)) < 30, y, -1), chunks=500))
            assert model.labels_.compute().shape == model.predict(frame).compute().shape
            rules = Constraints(len(y), rules=[Rule("x1 > 2")])
            assert constraint_satisfaction(rules, model.labels_, frame)
            imported = client.run_on_scheduler(imported_packages)
    finally:
        cluster.close()
    assert "distributed" in imported
    assert "clustraint" not in imported


def fitted_bits(X, constraints, *, shuffled=False):
    chunks = da.from_array(X, chunks=(len(X) // 16, X.shape[1]))
    source = chunks.map_blocks(slept) if shuffled else chunks
    model = COPKMeans(3, init=X[[0, 3000, 77]] + 3, random_state=0, tol=0, max_iter=6)
    return model.fit(source, constraints=constraints).cluster_centers_.tobytes()


def test_the_order_in_which_tasks_end_makes_no_difference(client, tmp_path):
    X, _, constraints = made(tmp_path)
    assert len({fitted_bits(X, constraints, shuffled=True) for _ in range(3)}) == 1


@pytest.mark.slow
@pytest.mark.parametrize("n_workers", [1, 2, 4])
def test_the_number_of_workers_makes_no_difference(n_workers, tmp_path):
    X, _, constraints = made(tmp_path)
    model = COPKMeans(3, init=X[[0, 3000, 77]] + 3, random_state=0, tol=0, max_iter=6)
    expected = model.fit(Rows.read(tmp_path), constraints=constraints).cluster_centers_
    cluster = Processes(tmp_path, n_workers)
    try:
        with cluster.client(n_workers):
            model.fit(dd.read_parquet(tmp_path), constraints=constraints)
    finally:
        cluster.close()
    assert model.cluster_centers_.tobytes() == expected.tobytes()


def command(*words):
    """Return what a command prints, run as a program of its own."""
    answer = subprocess.run(
        [sys.executable, "-m", "clustraint.cli", *map(str, words)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert answer.returncode == 0, answer.stderr
    return answer.stdout


def test_the_command_line_works_on_the_cluster(processes, client, tmp_path):
    _, y, constraints = made(tmp_path)
    constraints.write(tmp_path / "known.txt")
    data, model = tmp_path / "*.parquet", tmp_path / "model.skops"
    known = ["-c", tmp_path / "known.txt", "--scheduler", processes.address]
    fitted, placed = tmp_path / "fitted", tmp_path / "placed"
    command("cluster", data, "-k", 3, *known, "--save", model, "-o", fitted, "--quiet")
    labels = pq.read_table(fitted).to_pydict()
    assert labels["row"] == list(range(len(y)))
    assert (np.bincount(labels["cluster"]) > 1000).all()
    assert "Consistent" in command("check", data, "-k", 3, *known)
    shown = command("predict", model, data, *known[2:], "-o", placed)
    assert "4,000 samples placed by cop-kmeans, by 8 chunks" in shown
    # Constraints have no say in predictions, and few rows are where only they would put them.
    again = np.array(pq.read_table(placed).to_pydict()["cluster"])
    assert (again == labels["cluster"]).mean() > 0.9
