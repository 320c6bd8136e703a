"""Compiled functions on arrays; they validate nothing and know nothing of the layers above."""

from collections.abc import Callable

_LISTENERS: list[Callable[[], None]] = []


def before_compiling(listener: Callable[[], None]) -> None:
    """Have a function called once, before the first kernel of this process is compiled."""
    _LISTENERS.append(listener)
