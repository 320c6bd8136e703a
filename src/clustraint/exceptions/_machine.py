"""What this machine lacks: packages, memory, a place to write."""

from __future__ import annotations

from clustraint.exceptions._base import ClustraintError, ClustraintWarning


class MissingPackageError(ClustraintError, ImportError):
    """Something that needs a package that is not installed."""

    def __init__(self, purpose: str, package: str, extra: str) -> None:
        super().__init__(
            f"{purpose} needs {package}, which is not installed; "
            f"install it with: pip install 'clustraint[{extra}]'."
        )


class OutputFileError(ClustraintError):
    """A file that cannot be written."""

    def __init__(self, path: object, problem: str) -> None:
        self.path = str(path)
        super().__init__(f"{path} cannot be written: {problem}.")


def _gigabytes(size: float) -> str:
    return f"{size / 1e9:,.0f} GB" if size >= 1e11 else f"{size / 1e9:.3g} GB"


class NotEnoughMemoryError(ClustraintError):
    """Something that does not fit into memory, found out before it is made."""

    def __init__(
        self, what: str, needed: float, limit: float, is_chosen: bool, way_out: str
    ) -> None:
        bound = "max_memory allows" if is_chosen else "there is"
        super().__init__(
            f"{what} need {_gigabytes(needed)} of memory, but {bound} {_gigabytes(limit)}; "
            f"{way_out}."
        )


class LargeResultWarning(ClustraintWarning):
    """Something very large is about to be listed."""

    def __init__(self, what: str, count: int) -> None:
        super().__init__(f"listing {count:,} {what}; this takes about {count * 32 / 1e9:.1f} GB.")
