"""Workers that die, pause or are interrupted while a model is fitted on them."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from clustraint import COPKMeans, Rule
from clustraint.exceptions import LostWorkersError
from clustraint.rows import KnownLabels, _dask, chunks_of
from tests.rows.engines import da, dd, distributed
from tests.rows.moments import slept
from tests.rows.processes import Processes, made

pytestmark = [
    pytest.mark.filterwarnings("ignore:The inplace keyword in DataFrame"),
    # Sockets of a worker that was killed are closed by the collector.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning:distributed"),
]

# What must be over, whoever is lost.
LIMIT = 60


@pytest.fixture
def cluster(tmp_path):
    cluster = Processes(tmp_path, 2)
    yield cluster
    cluster.close()


class Passes:
    """Counts passes over the chunks, and does something while the tasks of one are running."""

    def __init__(self, monkeypatch):
        self.count = 0
        self.waiting = None
        wait_for = _dask.wait_for

        def disturbed(*arguments):
            self.count += 1
            if self.waiting is not None and self.waiting[0] == self.count - 1:
                _, action = self.waiting
                self.waiting = None
                action()
            return wait_for(*arguments)

        monkeypatch.setattr(_dask, "wait_for", disturbed)

    def disturb(self, number, action):
        self.count, self.waiting = 0, (number, action)


@pytest.fixture
def passes(monkeypatch):
    return Passes(monkeypatch)


def problem(folder, *, is_held=False, n_chunks=16):
    """Return rows that take a moment to make, constraints on them, and a model that waits."""
    X, _, constraints = made(folder)
    rows = da.from_array(X, chunks=(len(X) // n_chunks, 4)).map_blocks(slept)
    model = COPKMeans(3, init=X[[0, 3000, 77]] + 3, random_state=0, tol=0, max_iter=8)
    return rows.persist() if is_held else rows, constraints, model


def bits(model):
    return model.cluster_centers_.tobytes()


@pytest.mark.slow
@pytest.mark.parametrize("is_held", [False, True])
@pytest.mark.parametrize("attempt", range(10))
def test_a_worker_that_is_killed_costs_time_only(cluster, passes, is_held, attempt, tmp_path):
    rng = np.random.default_rng()

    def replace_worker():
        time.sleep(rng.random() * 0.1)
        cluster.kill_worker()
        cluster.add_worker()

    with cluster.client():
        rows, constraints, model = problem(tmp_path, is_held=is_held)
        expected = bits(model.fit(rows, constraints=constraints))
        number = rng.integers(passes.count)
        print(f"killed in pass {number} of {passes.count}")
        passes.disturb(number, replace_worker)
        assert bits(model.fit(rows, constraints=constraints)) == expected
        assert passes.waiting is None


@pytest.mark.parametrize("is_held", [False, True])
@pytest.mark.parametrize("patience", [2.0, pytest.param(_dask.PATIENCE, marks=pytest.mark.slow)])
def test_nobody_left_in_a_round_is_one_sentence(
    cluster, passes, is_held, patience, tmp_path, monkeypatch
):
    monkeypatch.setattr(_dask, "PATIENCE", patience)
    with cluster.client() as client:
        rows, constraints, model = problem(tmp_path, is_held=is_held)
        expected = bits(model.fit(rows, constraints=constraints))
        passes.disturb(np.random.default_rng().integers(passes.count), cluster.kill_workers)
        start = time.monotonic()
        with pytest.raises(LostWorkersError, match="no worker is left; start workers"):
            model.fit(rows, constraints=constraints)
        print(f"an error after {time.monotonic() - start:.1f} s")
        assert time.monotonic() - start < LIMIT
        assert passes.waiting is None
        # As the sentence says.
        cluster.add_worker()
        client.wait_for_workers(1, timeout=120)
        assert bits(model.fit(rows, constraints=constraints)) == expected


def test_nobody_left_before_the_first_round_is_one_sentence(cluster, tmp_path, monkeypatch):
    monkeypatch.setattr(_dask, "PATIENCE", 2.0)
    _, constraints, model = problem(tmp_path)
    with cluster.client():
        cluster.kill_workers()
        with pytest.raises(LostWorkersError, match="no worker is left; start workers"):
            model.fit(dd.read_parquet(tmp_path), constraints=constraints)


def test_a_scheduler_that_is_killed_is_one_sentence(cluster, passes, tmp_path, monkeypatch):
    monkeypatch.setattr(_dask, "PATIENCE", 2.0)
    with cluster.client():
        rows, constraints, model = problem(tmp_path)
        passes.disturb(3, cluster.running[0].kill)
        start = time.monotonic()
        with pytest.raises(LostWorkersError, match="the dask cluster did not finish"):
            model.fit(rows, constraints=constraints)
        assert time.monotonic() - start < LIMIT


def test_nobody_left_after_the_last_round_is_one_sentence(cluster, tmp_path, monkeypatch):
    monkeypatch.setattr(_dask, "PATIENCE", 2.0)
    with cluster.client():
        rows, constraints, model = problem(tmp_path)
        model.fit(rows, constraints=constraints)
        frame = dd.read_parquet(tmp_path)
        cluster.kill_workers()
        asked = (
            lambda: list(chunks_of(model.labels_)),
            lambda: list(chunks_of(Rule("x1 > 2").scope(frame))),
            lambda: list(_dask.DaskRows(frame).ids_by_chunk()),
            lambda: KnownLabels.of(rows[:, 0], len(rows)),
        )
        for ask in asked:
            with pytest.raises(LostWorkersError, match="no worker is left"):
                ask()


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
                _dask.gathered(client, lambda: [tasks])
    finally:
        cluster.close()


# Fits on request; whoever interrupts it finds the process and its client still there.
PROGRAM = """
import sys
import dask.array as da
import numpy as np
from distributed import Client
from clustraint import COPKMeans
from tests.rows.moments import slept

X = np.load(sys.argv[2])
with Client(sys.argv[1]):
    rows = da.from_array(X, chunks=(100, 4)).map_blocks(slept)
    model = COPKMeans(3, init=X[[0, 3000, 77]] + 3, random_state=0, tol=0)
    for line in sys.stdin:
        try:
            model.set_params(max_iter=int(line)).fit(rows)
            print("fitted", flush=True)
        except KeyboardInterrupt:
            print("interrupted", flush=True)
"""


def started(*words, **options):
    """Start a program that Ctrl-C reaches, as it does from a terminal."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen(
        [sys.executable, *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        **options,
    )


def until(condition, patience=120.0):
    """Wait until something holds, and say whether it did; a command takes its time to start."""
    end = time.monotonic() + patience
    # Once is enough: between two passes there is no task for a moment.
    while not (holds := condition()) and time.monotonic() < end:
        time.sleep(0.01)
    return holds


def n_tasks(dask_scheduler):
    return len(dask_scheduler.tasks)


def n_executing(dask_worker):
    return len(dask_worker.state.executing) + len(dask_worker.state.long_running)


def is_idle(client):
    """Whether the scheduler knows of no task, and no worker executes one.

    A single look may come before tasks that were submitted, and cancelled, have arrived.
    """
    for _ in range(5):
        if client.run_on_scheduler(n_tasks) or any(client.run(n_executing).values()):
            return False
        time.sleep(0.05)
    return True


def interrupt():
    signal.raise_signal(signal.SIGINT)


def test_an_interrupt_as_soon_as_tasks_are_submitted(client, passes, tmp_path):
    rows, constraints, model = problem(tmp_path)
    expected = bits(model.fit(rows, constraints=constraints))
    for number in range(0, passes.count, 4):
        passes.disturb(number, interrupt)
        with pytest.raises(KeyboardInterrupt):
            model.fit(rows, constraints=constraints)
        assert until(lambda: is_idle(client))
    assert bits(model.fit(rows, constraints=constraints)) == expected


def test_an_interrupt_while_tasks_are_submitted(client, tmp_path, monkeypatch):
    submit = _dask.DaskRows._submit

    def interrupted(*arguments):
        futures = submit(*arguments)
        interrupt()
        return futures

    rows, constraints, model = problem(tmp_path)
    monkeypatch.setattr(_dask.DaskRows, "_submit", interrupted)
    # A notebook keeps what was raised, too, and with it whatever local variables refer to.
    with pytest.raises(KeyboardInterrupt) as kept:
        model.fit(rows, constraints=constraints)
    assert until(lambda: is_idle(client))
    assert kept.tb is not None
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_chunks_that_share_a_part_are_not_kept(client, tmp_path):
    X, _, constraints = made(tmp_path)
    rows = da.from_array(X, chunks=(len(X), 1)).rechunk((250, 4))
    assert _dask.DaskRows(rows)._recipes is None
    model = COPKMeans(3, init=X[[0, 3000, 77]] + 3, random_state=0, tol=0)
    expected = bits(model.fit(da.from_array(X, chunks=(250, 4)), constraints=constraints))
    assert bits(model.fit(rows, constraints=constraints)) == expected
    assert until(lambda: is_idle(client))


@pytest.mark.parametrize("attempts", [2, pytest.param(20, marks=pytest.mark.slow)])
def test_ctrl_c_leaves_no_task_behind(processes, client, attempts, tmp_path):
    X, _, _ = made(tmp_path)
    np.save(tmp_path / "X.npy", X)
    rng = np.random.default_rng()
    program = started("-c", PROGRAM, processes.address, tmp_path / "X.npy", stdin=subprocess.PIPE)
    # LLVM loses an interrupt that comes while it compiles.
    print(2, file=program.stdin, flush=True)
    assert program.stdout.readline() == "fitted\n"
    for _ in range(attempts):
        print(300, file=program.stdin, flush=True)
        assert until(lambda: client.run_on_scheduler(n_tasks))
        time.sleep(rng.random() * 0.5)
        program.send_signal(signal.SIGINT)
        shown = program.stdout.readline()
        assert shown == "interrupted\n", program.communicate()[1]
        assert until(lambda: is_idle(client))
    print(2, file=program.stdin, flush=True)
    assert program.stdout.readline() == "fitted\n"
    program.communicate(timeout=60)
    assert program.returncode == 0


@pytest.mark.slow
def test_ctrl_c_of_a_command_leaves_no_task_behind(cluster, tmp_path):
    made(tmp_path, n_parts=200)
    with cluster.client() as client:
        words = ["cluster", tmp_path / "*.parquet", "-k", 3, "--scheduler", cluster.address]
        for _ in range(5):
            command = started("-m", "clustraint.cli", *words)
            assert until(lambda: client.run_on_scheduler(n_tasks))
            command.send_signal(signal.SIGINT)
            assert command.communicate(timeout=60)[1] == "clustraint: interrupted\n"
            assert command.returncode == 130
            assert until(lambda: is_idle(client))


@pytest.mark.slow
def test_a_command_without_workers_ends_with_a_sentence(cluster, tmp_path):
    made(tmp_path, n_parts=200)
    with cluster.client() as client:
        words = ["cluster", tmp_path / "*.parquet", "-k", 3, "--scheduler", cluster.address]
        command = started("-m", "clustraint.cli", *words)
        assert until(lambda: client.run_on_scheduler(n_tasks))
        cluster.kill_workers()
        told = command.communicate(timeout=LIMIT)[1]
    assert command.returncode == 2
    assert "the dask cluster did not finish: no worker is left" in told
