"""Papers, experiments and claims that cannot be run or tested."""

from __future__ import annotations

from collections.abc import Sequence

from clustraint.exceptions import ClustraintError
from clustraint.wording import listed, near_matches


class UnknownPaperError(ClustraintError):
    """A paper that clustraint does not reproduce."""

    def __init__(self, name: str, names: Sequence[str]) -> None:
        super().__init__(
            f"there is no paper '{name:.60}'{near_matches(name, names)}; "
            f"the papers are {', '.join(names)}."
        )


class UnknownExperimentError(ClustraintError):
    """An experiment that a paper does not have."""

    def __init__(self, name: str, paper: str, names: Sequence[str]) -> None:
        super().__init__(
            f"{paper} has no experiment '{name:.60}'{near_matches(name, names)}; "
            f"its experiments are {', '.join(names)}."
        )


class UnsuitableMethodError(ClustraintError):
    """A method that can take part in no experiment of the papers."""

    def __init__(self, name: str, kinds: Sequence[str]) -> None:
        super().__init__(
            f"{name} cannot take part in any experiment of these papers: it takes {listed(kinds)}, "
            "and none of them compares methods under such constraints on samples that it accepts."
        )


class ResultsFileError(ClustraintError):
    """A file of results that cannot be opened."""

    def __init__(self, path: str, cause: Exception) -> None:
        super().__init__(f"results cannot be kept in {path}: {cause}.")


class NotTestableError(ClustraintError):
    """A claim that cannot be tested with the data at hand."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
