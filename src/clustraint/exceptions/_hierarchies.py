"""Texts and arrays that are not hierarchies, and cuts that hierarchies do not have."""

from __future__ import annotations

from clustraint.exceptions._base import ClustraintError
from clustraint.wording import counted, excerpt


class NewickSyntaxError(ClustraintError):
    """A Newick text that cannot be read; `position` counts characters from 1."""

    def __init__(self, text: str, position: int, problem: str) -> None:
        self.position = position
        super().__init__(
            f"{problem} at character {position} of the Newick text, near "
            f"{excerpt(text, position - 1)!r}."
        )


class HierarchyFileError(ClustraintError):
    """A file without a hierarchy; `line` counts from 1, 0 for the file as a whole."""

    def __init__(self, path: object, line: int, problem: str) -> None:
        self.path = str(path)
        self.line = line
        where = f"{path}, line {line}" if line else f"{path}"
        super().__init__(f"{where}: {problem}")


class InvalidHierarchyError(ClustraintError):
    """Input that does not describe one rooted tree over the samples."""


class TooManyTripletsError(ClustraintError):
    """More triplets than can be tested one by one."""

    def __init__(self, n_triplets: int, most: int) -> None:
        super().__init__(
            f"{n_triplets:,} triplets may follow, which is too many to test each (more than "
            f"{most:,}); take fewer constraints."
        )


class UnreachableCutError(ClustraintError):
    """A number of clusters that no cut of the hierarchy has."""


class BranchSizeError(UnreachableCutError):
    """Too few branches of a hierarchy that are large enough."""

    def __init__(self, n_clusters: int, min_branch_size: float, reached: int) -> None:
        super().__init__(
            f"min_branch_size={min_branch_size:g} leaves {counted(reached, 'cluster')}, but "
            f'n_clusters={n_clusters} are wanted; lower it, or set it to "auto".'
        )
