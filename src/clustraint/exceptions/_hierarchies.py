"""Texts, arrays and cuts that are none of a hierarchy."""

from __future__ import annotations

from clustraint.exceptions._base import ClustraintError
from clustraint.wording import excerpt


class NewickSyntaxError(ClustraintError):
    """A Newick text that cannot be read; `position` counts characters from 1."""

    def __init__(self, text: str, position: int, problem: str) -> None:
        self.position = position
        super().__init__(
            f"{problem} at character {position} of the Newick text, near "
            f"{excerpt(text, position - 1)!r}."
        )


class InvalidHierarchyError(ClustraintError):
    """Input that does not describe one rooted tree over the samples."""


class UnreachableCutError(ClustraintError):
    """A number of clusters that no cut of the hierarchy has."""


class BranchSizeError(UnreachableCutError):
    """Too few branches of a hierarchy that are large enough."""

    def __init__(self, n_clusters: int, min_branch_size: float, reached: int) -> None:
        super().__init__(
            f"min_branch_size={min_branch_size:g} leaves {reached} "
            f"cluster{'s' * (reached != 1)}, but n_clusters={n_clusters} are wanted; lower it, or "
            'set it to "auto".'
        )
