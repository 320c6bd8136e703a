"""A cluster of real processes on the loopback interface, and files for it to read."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np

from clustraint import Constraints
from tests.rows.engines import distributed, pa, pq


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

    def kill_workers(self):
        while len(self.running) > 1:
            self.kill_worker()

    def close(self):
        for process in self.running[::-1]:
            process.kill()
        for process in self.running:
            process.wait()
        self.logs.close()


def made(folder, n_rows=4000, n_parts=8):
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=n_rows)
    X = rng.normal(size=(n_rows, 4)) * 2 + 6 * np.eye(4)[y]
    for number, rows in enumerate(np.split(np.arange(n_rows), n_parts)):
        table = pa.table({f"x{column}": X[rows, column] for column in range(4)})
        pq.write_table(table, folder / f"{number:02}.parquet")
    return X, y, Constraints.from_labels(y, n_pairs=100, random_state=0)
