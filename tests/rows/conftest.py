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
