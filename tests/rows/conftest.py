import numpy as np
import pytest


@pytest.fixture
def one_thread():
    """Let dask work in this thread, one task after the other."""
    import dask

    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.fixture
def blobs(global_random_seed):
    """Return rows of three classes far from each other, and the classes."""
    rng = np.random.default_rng(global_random_seed)
    y = rng.integers(3, size=600)
    return rng.normal(size=(600, 2)) + 12 * y[:, np.newaxis] * [1, -1], y


@pytest.fixture(scope="session")
def processes(tmp_path_factory):
    """Return a scheduler and two workers for tests that leave them as they are."""
    from tests.rows.processes import Processes

    cluster = Processes(tmp_path_factory.mktemp("cluster"))
    yield cluster
    cluster.close()


@pytest.fixture
def client(processes):
    """Return a client of these."""
    with processes.client() as client:
        yield client
