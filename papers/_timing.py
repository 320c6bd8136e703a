"""CPU time of a call."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def timed(work: Callable[[], T]) -> tuple[T, float]:
    """Return what a call gives, and its CPU seconds.

    Examples
    --------
    >>> total, seconds = timed(lambda: sum(range(10)))
    >>> total
    45
    """
    start = time.process_time()
    result = work()
    return result, time.process_time() - start
