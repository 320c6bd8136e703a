"""Rows that pass through a function on their way, chunk by chunk."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from clustraint.rows._rows import Rows, Step, as_numbers
from clustraint.typing import FloatArray, IntArray


class TransformedRows(Rows):
    """The rows of others, each chunk turned into something else.

    Parameters
    ----------
    rows : Rows
        The rows as they are read.
    function : callable
        Called with a chunk and `arguments`; it gives as many rows and columns.
    *arguments : Any
        What it needs.

    Examples
    --------
    >>> from clustraint.rows import ArrayRows, TransformedRows
    >>> rows = TransformedRows(ArrayRows(np.array([[1.0], [3.0]])), np.multiply, 2)
    >>> rows.take(np.array([1]))
    array([[6.]])
    """

    def __init__(self, rows: Rows, function: Callable[..., Any], *arguments: Any) -> None:
        self.rows = rows
        self.function = function
        self.arguments = arguments

    @classmethod
    def scaled(cls, rows: Rows, center: FloatArray, unit: FloatArray) -> TransformedRows:
        """Return rows around a center, in units of their own for each column.

        Examples
        --------
        >>> from clustraint.rows import ArrayRows, TransformedRows
        >>> rows = ArrayRows(np.array([[1.0], [3.0]]))
        >>> TransformedRows.scaled(rows, np.array([2.0]), np.array([0.5])).take(np.array([1]))
        array([[2.]])
        """
        return cls(rows, _scaled, center, unit)

    @property
    def names(self) -> tuple[str, ...] | None:
        """The names of the columns, None where they have none."""
        return self.rows.names

    @property
    def n_features(self) -> int:
        """How many columns there are."""
        return self.rows.n_features

    @property
    def n_chunks(self) -> int:
        """How many chunks there are."""
        return self.rows.n_chunks

    @property
    def has_ids(self) -> bool:
        """Whether rows have names."""
        return self.rows.has_ids

    @cached_property
    def lengths(self) -> IntArray:
        """How many rows each chunk has."""
        return self.rows.lengths

    def _results(self, step: Step, own: Sequence[Any], shared: tuple[Any, ...]) -> Iterator[Any]:
        return self.rows._results(_on_transformed, own, (self._call(step), *shared))

    def _call(self, step: Step) -> tuple[Any, ...]:
        return step, self.function, self.arguments

    def map_add(self, step: Step, own: Any = None, *shared: Any) -> Any:
        """Return the sum of what a step gives for each transformed chunk.

        Examples
        --------
        >>> from clustraint.rows import ArrayRows, TransformedRows
        >>> rows = TransformedRows(ArrayRows(np.array([[1.0], [3.0]])), np.multiply, 2)
        >>> rows.map_add(lambda chunk, own: float(chunk.sum()))
        8.0
        """
        self.rows.progress = self.progress
        return self.rows.map_add(_on_transformed, own, self._call(step), *shared)

    def _places(self, names: frozenset[str]) -> list[tuple[str, int]]:
        return self.rows._places(names)

    def labels(self, step: Step, own: Any = None, *shared: Any, dtype: Any = np.int32) -> Any:
        """Return the whole numbers that a step gives for transformed rows, not computed yet.

        Examples
        --------
        >>> from clustraint.rows import ArrayRows, TransformedRows
        >>> rows = TransformedRows(ArrayRows(np.array([[1.0], [3.0]])), np.multiply, 2)
        >>> np.asarray(rows.labels(lambda chunk, own: chunk[:, 0].astype(np.int32)))
        array([2, 6], dtype=int32)
        """
        return self.rows.labels(_on_transformed, own, self._call(step), *shared, dtype=dtype)


def _on_transformed(chunk: Any, own: Any, call: tuple[Any, ...], *shared: Any) -> Any:
    step, function, arguments = call
    return step(function(chunk, *arguments), own, *shared)


def _scaled(chunk: Any, center: FloatArray, unit: FloatArray) -> FloatArray:
    return np.asarray((as_numbers(chunk) - center) / unit)
