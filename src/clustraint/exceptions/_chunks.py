"""Rows in chunks that cannot be read, named or worked on."""

from __future__ import annotations

from collections.abc import Sequence

from clustraint.exceptions._base import ClustraintError
from clustraint.wording import excerpt


class NotInChunksError(ClustraintError):
    """Rows in chunks for a method that has to see all of them at once."""

    def __init__(self, method: str) -> None:
        super().__init__(
            f"{method} has to see all samples at once, and takes neither Rows nor dask "
            f"collections; Coarse({method}(...)) clusters representatives of them, and "
            "compute() makes an array where they fit into memory."
        )


class RulesInChunksError(ClustraintError):
    """Rules about every row, for a method that wants to have at hand what is spoken of."""

    def __init__(self, method: str) -> None:
        super().__init__(
            f"of rows in chunks, {method} takes no rules with exactly=True, as these are about "
            "every row: AttributeKMedoids keeps them; otherwise give rules without it, or an array."
        )


class RowsFileError(ClustraintError):
    """A file whose rows cannot be read by chunks."""

    def __init__(self, path: object, problem: str) -> None:
        self.path = str(path)
        super().__init__(f"{path}: {problem}.")


class RowNameError(ClustraintError):
    """A sample that constraints name, and that is no row or several.

    Attributes
    ----------
    name : str
        The name.
    rows : tuple of int
        Two rows of that name, or none.
    """

    def __init__(self, name: str, rows: Sequence[int]) -> None:
        self.name = name
        self.rows = tuple(rows)
        if self.rows:
            problem = f"is the name of rows {self.rows[0]} and {self.rows[1]}; names must differ"
        else:
            problem = "is the name of no row; correct the name, or leave its constraints out"
        super().__init__(f"the constraints are about {excerpt(name)!r}, which {problem}.")


class UnnamedRowsError(ClustraintError):
    """Constraints that name samples, about rows without names."""

    def __init__(self) -> None:
        super().__init__(
            "the constraints name samples, but the rows have no names: say which column holds "
            "them by id_column, or give a dask DataFrame whose index holds them, or give the "
            "constraints by row numbers."
        )


class LostWorkersError(ClustraintError):
    """A cluster on which nobody works any more."""

    def __init__(self, problem: str) -> None:
        super().__init__(
            f"the dask cluster did not finish: {problem}; start workers, with smaller chunks or "
            "more memory for each, and fit again."
        )
