"""The bases of all errors and warnings."""

from __future__ import annotations

from typing import Any


def _rebuild(kind: type[Exception], message: str, state: dict[str, Any]) -> Exception:
    error = kind.__new__(kind, message)
    error.__dict__.update(state)
    return error


class ClustraintError(ValueError):
    """Base of every error that clustraint raises on purpose."""

    # Messages are built in the constructors, so unpickling must not run these again.
    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), str(self), self.__dict__)


class ClustraintWarning(UserWarning):
    """Base of every warning that clustraint gives."""
