"""What this machine has: memory, asked for before something is made, and threads."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from clustraint.checks import check_number
from clustraint.exceptions import LargeResultWarning, NotEnoughMemoryError

MEMINFO = Path("/proc/meminfo")
# From so many steps on threads are started: some milliseconds, where starting them takes a tenth.
WORTH_THREADS = 10_000_000
# Above this many rows a listing is announced before it is made; a row takes about so many bytes.
MANY_ROWS = 10**7
ROW_BYTES = 32


def check_memory(what: str, needed: int, max_memory: float | None, way_out: str) -> None:
    """Raise if `needed` bytes are more than `max_memory`, or than there are if that is None.

    Examples
    --------
    >>> check_memory("the distances of 3 samples", 24, None, "take fewer samples")
    """
    if max_memory is not None:
        check_number("max_memory", max_memory, least=0)
    limit = available_memory() if max_memory is None else float(max_memory)
    if limit is not None and needed > limit:
        raise NotEnoughMemoryError(what, needed, limit, max_memory is not None, way_out)


class Footprint(NamedTuple):
    """How much memory a computation takes at its peak, beside its samples: numbers of 8 bytes.

    Attributes
    ----------
    per_value : float
        For each number among the samples: copies of them, for the most part.
    per_cluster : float
        For each sample and each cluster.
    per_sample : float
        For each sample, however many columns there are.
    per_constraint : float
        For each constraint.
    per_difference : float
        For each constraint and each column.

    Examples
    --------
    >>> Footprint(per_value=2, per_cluster=1).size(1000, 5000, n_clusters=3)
    264000
    """

    per_value: float = 3.0
    per_cluster: float = 4.0
    per_sample: float = 20.0
    per_constraint: float = 60.0
    per_difference: float = 0.0

    def size(
        self,
        n_samples: int,
        n_values: int,
        *,
        n_features: int = 1,
        n_clusters: int = 1,
        n_constraints: int = 0,
    ) -> int:
        """Return the number of bytes for so many samples with so many numbers in all.

        Examples
        --------
        >>> Footprint(per_value=1, per_cluster=0, per_sample=0).size(10, 20)
        160
        """
        numbers = self.per_value * n_values + self.per_sample * n_samples
        # More clusters than samples are refused by whoever looks at parameters.
        numbers += self.per_cluster * n_samples * min(n_clusters, n_samples)
        each = self.per_constraint + self.per_difference * n_features
        return int(8 * (numbers + each * n_constraints))


def check_samples(what: str, X: Any, footprint: Footprint, way_out: str, **counts: int) -> None:
    """Raise if what is done with samples takes more memory than there is; `counts` as in `size`.

    Samples without a shape, such as lists of lists, pass: whoever holds these has memory enough
    for an array of them.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.broadcast_to(0.0, (10**12, 10))
    >>> check_samples("of a report", X, Footprint(), "take fewer")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    clustraint.exceptions.NotEnoughMemoryError: 1,000,000,000,000 samples of a report need 432,000
    GB of memory, but there is ...
    """
    shape = getattr(X, "shape", ())
    if len(shape) != 2:
        return
    n_samples, n_features = (int(size) for size in shape)
    n_values = getattr(X, "nnz", n_samples * n_features)
    needed = footprint.size(n_samples, n_values, n_features=n_features, **counts)
    check_memory(f"{n_samples:,} samples {what}", needed, None, way_out)


def available_memory() -> float | None:
    """Return how many bytes can be had without swapping, None where that is not known.

    Examples
    --------
    >>> available_memory() is None or available_memory() > 0
    True
    """
    try:
        lines = MEMINFO.read_text(encoding="ascii").splitlines()
        (line,) = (line for line in lines if line.startswith("MemAvailable:"))
        return float(line.split()[1]) * 1024
    except (OSError, ValueError):
        return _physical_memory()


def _physical_memory() -> float | None:
    try:
        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, OSError, ValueError):
        return None


def announce(what: str, count: int) -> None:
    """Warn, beforehand, of a listing of `count` rows if it is long; refuse one that cannot fit.

    Examples
    --------
    >>> announce("triplets", 100)
    >>> announce("triplets", 10**15)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    clustraint.exceptions.NotEnoughMemoryError: 1,000,000,000,000,000 triplets need 32,000,000 GB of
    memory, but there is ...
    """
    if count > MANY_ROWS:
        check_memory(f"{count:,} {what}", ROW_BYTES * count, None, "list fewer of them")
        warnings.warn(LargeResultWarning(what, count), stacklevel=4)


@contextmanager
def one_thread() -> Iterator[None]:
    """Let linear algebra run on one thread, so that sums are added up in one order.

    With several threads their last digits depend on how many there are; what is compared then
    decides otherwise, and the same seed no longer gives the same result on every machine.

    Examples
    --------
    >>> with one_thread():
    ...     pass
    """
    pools = _thread_pools()
    # The number of OpenMP's threads belongs to the thread that asks, that of BLAS to the process.
    # Selected first, as a limit sets back all that its controller knows.
    with pools.select(user_api="openmp").limit(limits=1):
        _blas.enter(pools)
        try:
            yield
        finally:
            _blas.leave()


@cache
def _thread_pools() -> Any:
    from threadpoolctl import ThreadpoolController

    # Looking for the libraries takes milliseconds; those that scikit-learn uses are loaded by now.
    return ThreadpoolController()


class _SharedLimit:
    """One thread for BLAS while anybody needs it.

    The first who comes sets the limit, and the last who leaves takes it back: otherwise a fit that
    ends while another one runs would leave the limit of that one behind for the whole process.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._n_users = 0
        self._limit: Any = None

    def enter(self, pools: Any) -> None:
        """Set the limit unless it is set."""
        with self._lock:
            if self._n_users == 0:
                self._limit = pools.select(user_api="blas").limit(limits=1)
            self._n_users += 1

    def leave(self) -> None:
        """Take the limit back if nobody else needs it."""
        with self._lock:
            self._n_users -= 1
            if self._n_users == 0:
                self._limit.restore_original_limits()


_blas = _SharedLimit()


def n_threads() -> int:
    """Return how many threads a computation may have: those of OpenMP, where that is limited.

    Examples
    --------
    >>> n_threads() >= 1
    True
    """
    wanted = os.environ.get("OMP_NUM_THREADS", "")
    return max(1, min(_n_cores(), int(wanted))) if wanted.isdigit() else _n_cores()


@cache
def _n_cores() -> int:
    """Return how many cores this process may use, also in a container."""
    from joblib import cpu_count

    return int(cpu_count())


def in_threads(call: Callable[[Any], Any], items: Sequence[Any], work: float) -> list[Any]:
    """Return what a call gives for each item, side by side where there is enough work for that.

    Parameters
    ----------
    call : callable
        What it gives must not depend on when it is called; it should be compiled code mostly.
    items : sequence
        What it is called with.
    work : float
        Steps in all.

    Examples
    --------
    >>> in_threads(lambda item: 2 * item, [1, 2, 3], work=10)
    [2, 4, 6]
    """
    count = min(n_threads(), len(items)) if work >= WORTH_THREADS else 1
    if count == 1:
        return [call(item) for item in items]
    # A pool for each call: one that is kept would be without its threads after a fork.
    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(call, items))
