"""Peak memory of a call, in a fresh process of its own."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from pathlib import Path
from typing import Any

STATUS = Path("/proc/self/status")


def resident(field: str) -> float:
    """Return a figure of /proc/self/status, in bytes."""
    for line in STATUS.read_text(encoding="ascii").splitlines():
        if line.startswith(field + ":"):
            return float(line.split()[1]) * 1024
    raise ValueError(f"/proc/self/status has no {field}")


def peak_memory(
    call: Callable[..., Any], *arguments: Any, warm_up: tuple[Any, ...] | None = None
) -> float | None:
    """Return by how many bytes `call(*arguments)` raises the peak above what was there before.

    A call before it does not count, so that compilation and imports are none of its memory: with
    the same arguments or, where an allocator keeps freed memory for the next call, with those of
    `warm_up`, for something small. `call` is a function of a module. None where the system does
    not tell.
    """
    if not STATUS.exists():
        return None
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_measured, (call, arguments, arguments if warm_up is None else warm_up))


def _measured(
    call: Callable[..., Any], arguments: tuple[Any, ...], warm_up: tuple[Any, ...]
) -> float:
    call(*warm_up)
    before = resident("VmRSS")
    # Sets the peak back to what is resident now.
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    call(*arguments)
    return resident("VmHWM") - before
