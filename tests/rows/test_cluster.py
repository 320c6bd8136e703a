"""A cluster of real processes: a scheduler and two workers on the loopback interface."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from clustraint import Constraints, COPKMeans, Rows
from clustraint.exceptions import LostWorkersError
from clustraint.rows import _dask
from tests.rows.engines import da, dd, distributed, pa, pq
from tests.rows.moments import slept

pytestmark = [
    pytest.mark.filterwarnings("ignore:The inplace keyword in DataFrame"),
    # Sockets of a worker that was killed are closed by the collector.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning:distributed"),
]


class Processes:
    """A scheduler and workers, each a process of its own."""

    def __init__(self, folder, n_workers=2, memory="auto"):
        self.folder = folder
        self.file = folder / "scheduler.json"
        self.logs = open(folder / "log.txt", "w")  # noqa: SIM115
        self.running = [self._start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-show")]
        for _ in range(n_workers):
            self.add_worker(memory)

    def _start(self, what, *options):
        program = [sys.executable, "-m", f"distributed.cli.dask_{what}"]
        options = [*options, "--scheduler-file", str(self.file), "--no-dashboard"]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        return subprocess.Popen(
            [*program, *options], stdout=self.logs, stderr=self.logs, env=environment
        )

    def add_worker(self, memory="auto", *options):
        single = ["--nthreads", "1", "--no-nanny", "--host", "127.0.0.1"]
        single += ["--local-directory", str(self.folder), "--memory-limit", memory]
        self.running.append(self._start("worker", *single, *options))

    @property
    def address(self):
        import json

        return json.loads(self.file.read_text())["address"]

    def client(self, n_workers=2):
        limit = time.monotonic() + 120
        while not self.file.exists() and time.monotonic() < limit:
            time.sleep(0.1)
        client = distributed.Client(scheduler_file=str(self.file), timeout=60)
        client.wait_for_workers(n_workers, timeout=120)
        return client

    def kill_worker(self):
        victim = self.running.pop()
        victim.send_signal(signal.SIGKILL)
        victim.wait()

    def close(self):
        for process in self.running[::-1]:
            process.kill()
        for process in self.running:
            process.wait()
        self.logs.close()


@pytest.fixture(scope="module")
def processes(tmp_path_factory):
    cluster = Processes(tmp_path_factory.mktemp("cluster"))
    yield cluster
    cluster.close()


@pytest.fixture
def client(processes):
    with processes.client() as client:
        yield client


def made(folder, n_rows=4000, n_parts=8):
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=n_rows)
    X = rng.normal(size=(n_rows, 4)) * 2 + 6 * np.eye(4)[y]
    for number, rows in enumerate(np.split(np.arange(n_rows), n_parts)):
        table = pa.table({f"x{column}": X[rows, column] for column in range(4)})
        pq.write_table(table, folder / f"{number:02}.parquet")
    return X, y, Constraints.from_labels(y, n_pairs=100, random_state=0)


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


@pytest.mark.slow
@pytest.mark.parametrize("is_held", [False, True])
@pytest.mark.parametrize("attempt", range(10))
def test_a_worker_that_is_killed_costs_time_only(is_held, attempt, tmp_path):
    X, _, constraints = made(tmp_path)
    cluster = Processes(tmp_path, 2)
    try:
        with cluster.client():
            chunks = da.from_array(X, chunks=(250, 4)).map_blocks(slept)
            source = chunks.persist() if is_held else chunks
            model = COPKMeans(3, init=X[[0, 3000, 77]] + 3, random_state=0, tol=0, max_iter=8)
            expected = model.fit(
                da.from_array(X, chunks=(250, 4)), constraints=constraints
            ).cluster_centers_.tobytes()
            moment = np.random.default_rng().random() * 1.5
            killer = threading.Timer(moment, lambda: (cluster.kill_worker(), cluster.add_worker()))
            killer.start()
            model.fit(source, constraints=constraints)
            killer.join()
    finally:
        cluster.close()
    assert model.cluster_centers_.tobytes() == expected


def test_nobody_left_is_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(_dask, "PATIENCE", 2.0)
    _, _, constraints = made(tmp_path)
    cluster = Processes(tmp_path, 1)
    try:
        with cluster.client(1):
            cluster.kill_worker()
            with pytest.raises(LostWorkersError, match="no worker is left; start workers"):
                COPKMeans(3).fit(dd.read_parquet(tmp_path), constraints=constraints)
    finally:
        cluster.close()


def test_workers_that_have_paused_are_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(_dask, "PATIENCE", 2.0)
    made(tmp_path)
    # Less than a worker takes to begin with.
    cluster = Processes(tmp_path, 1, memory="20MB")
    try:
        with (
            cluster.client(1),
            pytest.raises(LostWorkersError, match="all workers have paused for lack of memory"),
        ):
            COPKMeans(3).fit(dd.read_parquet(tmp_path))
    finally:
        cluster.close()


def pause(dask_worker):
    dask_worker.status = distributed.core.Status.paused


def test_a_task_at_a_paused_worker_is_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(_dask, "PATIENCE", 2.0)
    # Without a limit, nobody wakes a worker that has paused.
    cluster = Processes(tmp_path, 2, memory="0")
    try:
        with cluster.client() as client:
            one, _ = client.scheduler_info()["workers"]
            tasks = client.map(time.sleep, [1.0, 1.1, 1.2], workers=[one])
            time.sleep(0.5)
            client.run(pause, workers=[one])
            with pytest.raises(LostWorkersError, match="workers that had tasks have paused"):
                _dask.gathered(client, tasks)
    finally:
        cluster.close()


def test_an_interrupt_leaves_no_task_behind(client, tmp_path):
    X, _, constraints = made(tmp_path)
    rows = _dask.DaskRows(da.from_array(X, chunks=(100, 4)).map_blocks(slept))

    def interrupt(done, total):
        raise KeyboardInterrupt

    rows.progress = interrupt
    model = COPKMeans(3, random_state=0, init=X[:3])
    with pytest.raises(KeyboardInterrupt):
        model.fit(rows, constraints=constraints)
    limit = time.monotonic() + 30
    while any(client.processing().values()) and time.monotonic() < limit:
        time.sleep(0.1)
    assert not any(client.processing().values())
    rows.progress = None
    assert model.fit(rows, constraints=constraints).constraint_report_.all_satisfied


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
