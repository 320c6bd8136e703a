"""What the studio refuses: files that it cannot use, and requests that it does not understand."""

from __future__ import annotations

from clustraint.exceptions._base import ClustraintError


class StudioFileError(ClustraintError):
    """A file of statements that cannot be opened or written."""

    def __init__(self, path: object, problem: str) -> None:
        self.path = str(path)
        super().__init__(f"{path} cannot be used as a studio file: {problem}.")


class StudioRequestError(ClustraintError):
    """A request of the page that cannot be carried out; `column` is the place in a rule, or 0."""

    def __init__(self, problem: str, column: int = 0) -> None:
        self.column = column
        super().__init__(problem)


class ContradictionError(ClustraintError):
    """A statement that contradicts others.

    Attributes
    ----------
    chain : list of dict
        The statements that cannot hold together, in the order in which they tie samples.
    ways_out : list of dict
        What could be left out instead, see `clustraint.studio`.
    """

    def __init__(
        self, sentence: str, chain: list[dict[str, object]], ways_out: list[dict[str, object]]
    ) -> None:
        super().__init__(sentence)
        self.chain = chain
        self.ways_out = ways_out
