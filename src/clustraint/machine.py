"""Whether what is asked for fits into this machine, before it is made."""

from __future__ import annotations

import os
import warnings
from pathlib import Path

from clustraint.checks import check_number
from clustraint.exceptions import LargeResultWarning, NotEnoughMemoryError

MEMINFO = Path("/proc/meminfo")
# Above this many rows a listing is announced before it is made.
MANY_ROWS = 10**7


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
    """Warn, beforehand, of a listing of `count` rows if it is long.

    Examples
    --------
    >>> announce("triplets", 100)
    """
    if count > MANY_ROWS:
        warnings.warn(LargeResultWarning(what, count), stacklevel=4)
