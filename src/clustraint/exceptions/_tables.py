"""Data that are not found, cannot be read, or hold what a method cannot take."""

from __future__ import annotations

import numbers
from collections.abc import Iterable
from typing import Any

from clustraint.exceptions._base import ClustraintError
from clustraint.wording import excerpt, near_matches


class DatasetNotFoundError(ClustraintError):
    """A data set that is not known by that name, or whose file is found nowhere.

    Attributes
    ----------
    name : str
        The name asked for.
    looked : str
        Where it was looked for.
    answer : str
        What came of a download, "" if there was none.
    """

    def __init__(self, name: str, looked: str, answer: str = "", names: Iterable[str] = ()) -> None:
        self.name = name
        self.looked = looked
        self.answer = answer
        if names := list(names):
            hint = near_matches(name, names) or "; clustraint.datasets.list_datasets() names all."
            super().__init__(f"there is no dataset {excerpt(name)!r} ({looked}){hint}")
        else:
            download = f"; {answer}" if answer else ""
            super().__init__(
                f"the dataset {name!r} is not found on this machine: {looked}{download}; set "
                "CLUSTRAINT_DATA to a folder that holds it."
            )


class DatasetFileError(ClustraintError):
    """A file of data that cannot be read; `line` counts from 1, 0 for the file as a whole."""

    def __init__(self, path: object, line: int, problem: str) -> None:
        self.path = str(path)
        self.line = line
        where = f"{path}, line {line}" if line else f"{path}"
        super().__init__(f"{where}: {problem}")


class UnknownColumnError(ClustraintError):
    """A column that a file does not have."""

    def __init__(self, name: str, columns: Iterable[str], source: object) -> None:
        names = list(columns)
        listed = f"; the columns are {excerpt(', '.join(names[:50]), width=200)}"
        hint = near_matches(name, names) or listed
        super().__init__(f"{source}: there is no column {excerpt(name)!r}{hint}")


class MissingValuesError(ClustraintError):
    """Missing values in a table for a method that cannot do without them."""

    def __init__(self, column: str, count: int, sample: int) -> None:
        self.column = column
        super().__init__(
            f"column {excerpt(column)!r} has no value for {count:,} "
            f"sample{'s' * (count != 1)}, first for sample {sample}; fill them in, drop the "
            "column, or use a clustering tree, which accepts missing values."
        )


class NominalValueError(ClustraintError):
    """A cell of a table that holds nothing which could be equal to another."""

    def __init__(self, column: str, sample: int, value: Any) -> None:
        self.column = column
        self.sample = sample
        self.value = value
        missing = value is None or (value.__hash__ is not None and value != value)
        number = isinstance(value, numbers.Real)
        shown = str(value) if number else f"a {type(value).__name__}"
        shown = "no value (NaN)" if missing else shown
        super().__init__(
            f"X must hold texts, truth values or finite numbers, but column {excerpt(column)!r} "
            f"holds {shown} at sample {sample}; fill it in, or leave the sample or column out."
        )


class TableColumnError(ClustraintError):
    """A column that a tree cannot test: not numeric or nominal, or not what it was in `fit`."""

    def __init__(self, column: str, problem: str) -> None:
        self.column = column
        super().__init__(f"column {excerpt(column)!r} of X {problem}.")
