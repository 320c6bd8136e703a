"""Memory stays bounded, however many rows there are."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from clustraint import Constraints, COPKMeans
from tests.rows.engines import da, dd, pa, pq
from tests.rows.processes import Processes

pytestmark = [
    pytest.mark.filterwarnings("ignore:The inplace keyword in DataFrame"),
    pytest.mark.filterwarnings("ignore::UserWarning:distributed"),
    pytest.mark.skipif(
        not Path("/proc/self/status").exists(), reason="memory is read from /proc, as on Linux"
    ),
]

N_COLUMNS, N_CLUSTERS = 16, 8
MEGABYTE = 2**20

# What a process holds beside files that are mapped, looked at while it works.
PROGRAM = """
import json, sys, threading
import numpy as np
from clustraint import Constraints, COPKMeans, Rows
from clustraint.rows import ArrayRows

def held():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("RssAnon"))

path, pairs = sys.argv[1], np.load(sys.argv[2])
model = COPKMeans(8, init=np.load(sys.argv[3]), max_iter=3, tol=0, random_state=0)
rows = Rows.read(path)
few = rows.take(np.arange(1000))
model.fit(ArrayRows(few, 300), constraints=Constraints(1000, [(0, 1)], [(0, 2)]))
done, most, start = threading.Event(), held(), held()

def look():
    global most
    while not done.wait(0.005):
        most = max(most, held())

thread = threading.Thread(target=look)
thread.start()
same = pairs[:, 2] == 1
constraints = Constraints(len(rows), pairs[same, :2], pairs[~same, :2])
model.fit(rows, constraints=constraints)
sizes = sum(np.bincount(part, minlength=8) for part in model.labels_.chunks())
done.set()
thread.join()
print(json.dumps({"extra": most - start, "holds": model.constraint_report_.all_satisfied,
                  "rows": int(sizes.sum())}))
"""


def blocks(n_rows, size=250_000):
    """Yield single precision rows of eight blobs, and their classes, some at a time."""
    rng = np.random.default_rng(0)
    centers = rng.normal(size=(N_CLUSTERS, N_COLUMNS)) * 3
    for start in range(0, n_rows, size):
        y = rng.integers(N_CLUSTERS, size=min(size, n_rows - start))
        yield (centers[y] + rng.normal(size=(len(y), N_COLUMNS))).astype(np.float32), y


def written(folder, n_rows, form):
    """Write rows to disk; return the path, the classes and first centres."""
    classes, init = [], None
    path = folder / ("rows.npy" if form == "npy" else "parts")
    if form == "npy":
        shape = (n_rows, N_COLUMNS)
        mapped = np.lib.format.open_memmap(path, "w+", dtype=np.float32, shape=shape)
    else:
        path.mkdir()
    for number, (X, y) in enumerate(blocks(n_rows)):
        if form == "npy":
            mapped[number * 250_000 : number * 250_000 + len(X)] = X
        else:
            columns = {f"x{place:02}": X[:, place] for place in range(N_COLUMNS)}
            pq.write_table(pa.table(columns), path / f"{number:03}.parquet")
        classes.append(y)
        init = X[:N_CLUSTERS].astype(float) if init is None else init
    return path, np.concatenate(classes), init


def drawn_pairs(y, count):
    rng = np.random.default_rng(1)
    pairs = rng.integers(len(y), size=(count, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    return np.column_stack((pairs, y[pairs[:, 0]] == y[pairs[:, 1]]))


@pytest.mark.parametrize(
    ("n_rows", "form"),
    [
        (1_000_000, "npy"),
        (1_000_000, "parquet"),
        pytest.param(10_000_000, "npy", marks=pytest.mark.slow),
        pytest.param(10_000_000, "parquet", marks=pytest.mark.slow),
    ],
)
def test_one_process_from_disk_needs_little_memory(tmp_path, n_rows, form):
    path, y, init = written(tmp_path, n_rows, form)
    np.save(tmp_path / "pairs.npy", drawn_pairs(y, n_rows // 100))
    np.save(tmp_path / "init.npy", init)
    program = [sys.executable, "-c", PROGRAM]
    arguments = [path, tmp_path / "pairs.npy", tmp_path / "init.npy"]
    answer = subprocess.run(
        [*program, *map(str, arguments)], capture_output=True, text=True, check=False
    )
    assert answer.returncode == 0, answer.stderr
    shown = json.loads(answer.stdout)
    print(f"{n_rows:,} rows, {form}: {shown['extra'] / MEGABYTE:.0f} MB beside the data")
    assert shown["rows"] == n_rows
    assert shown["holds"]
    assert shown["extra"] <= 300 * MEGABYTE


def memory_of(dask_worker):
    """Return the most that a worker has held, and what it has put on disk."""
    # Not by getrusage, which counts what the process held before it became a worker.
    with open("/proc/self/status") as status:
        peak = next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))
    return peak, getattr(dask_worker.data, "spilled_total", None), dask_worker.status.name


@pytest.mark.slow
def test_workers_stay_within_their_limit(tmp_path):
    path, y, init = written(tmp_path, 10_000_000, "parquet")
    pairs = drawn_pairs(y, 100_000)
    same = pairs[:, 2] == 1
    constraints = Constraints(len(y), pairs[same, :2], pairs[~same, :2])
    cluster = Processes(tmp_path, 2, memory="700MB")
    try:
        with cluster.client() as client:
            model = COPKMeans(N_CLUSTERS, init=init, max_iter=3, tol=0, random_state=0)
            model.fit(dd.read_parquet(path), constraints=constraints)
            sizes = da.bincount(model.labels_, minlength=N_CLUSTERS).compute()
            held = client.run(memory_of)
    finally:
        cluster.close()
    print({worker: f"{peak / MEGABYTE:.0f} MB" for worker, (peak, *_) in held.items()})
    assert model.constraint_report_.all_satisfied
    assert sizes.sum() == len(y)
    assert len(held) == 2
    for peak, spilled, status in held.values():
        assert peak <= 700_000_000
        assert not any(spilled or ())
        assert status == "running"
