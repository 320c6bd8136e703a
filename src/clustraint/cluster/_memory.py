"""Whether what a method must hold fits into memory, before it is allocated."""

from __future__ import annotations

import os
from pathlib import Path

from clustraint.cluster._parameters import check_number
from clustraint.exceptions import NotEnoughMemoryError

MEMINFO = Path("/proc/meminfo")


def check_memory(what: str, needed: int, max_memory: float | None, way_out: str) -> None:
    """Raise if `needed` bytes are more than `max_memory`, or than there are if that is None."""
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
