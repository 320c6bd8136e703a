"""Labels of some rows: few, whoever holds all of them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from clustraint.checks import encode_labels
from clustraint.exceptions import InvalidLabelsError
from clustraint.tables import read_columns
from clustraint.typing import IntArray

if TYPE_CHECKING:
    from clustraint.rows._rows import Rows


class KnownLabels(NamedTuple):
    """The labels that somebody knows, and the rows that have them.

    Attributes
    ----------
    rows : int64 ndarray of shape (n_labelled,)
        The numbers of these rows, in rising order.
    classes : int64 ndarray of shape (n_labelled,)
        The class of each, numbered by first row.
    names : list
        What the classes are called.

    Examples
    --------
    >>> from clustraint.rows import KnownLabels
    >>> KnownLabels.of(["a", None, "b", "a"], 4)
    KnownLabels(rows=array([0, 2, 3]), classes=array([0, 1, 0]), names=['a', 'b'])
    """

    rows: IntArray
    classes: IntArray
    names: list[Hashable]

    @classmethod
    def of(cls, y: Any, n_rows: int) -> Self:
        """Return the labels in `y`: none if it is None, or if it leaves nothing to find out.

        Parameters
        ----------
        y : array-like, dask array or Series of shape (n_rows,), KnownLabels or None
            The labels; -1, None or nan where unknown. Of a dask collection only those that are
            known reach the caller.
        n_rows : int
            How many there must be.

        Examples
        --------
        >>> from clustraint.rows import KnownLabels
        >>> KnownLabels.of(np.array([7, 7, 8]), 3).rows
        array([], dtype=int64)
        """
        if isinstance(y, cls):
            return y
        if y is None:
            return cls(np.empty(0, np.int64), np.empty(0, np.int64), [])
        if hasattr(y, "__dask_graph__"):
            from clustraint.rows._dask import computed_blocks

            parts = computed_blocks(_part_of, y)
        else:
            parts = [_part_of(y)]
        return cls._of_parts(parts, n_rows)

    @classmethod
    def of_column(cls, rows: Rows) -> Self:
        """Return the labels that the only column of rows holds.

        Examples
        --------
        >>> from clustraint.rows import ArrayRows, KnownLabels
        >>> KnownLabels.of_column(ArrayRows(np.array([[7], [-1], [8]]), chunk_rows=2)).rows
        array([0, 2])
        """
        return cls._of_parts(rows.map(_column_step), len(rows))

    @classmethod
    def _of_parts(cls, parts: Sequence[tuple[int, IntArray, Sequence[Any]]], n_rows: int) -> Self:
        starts = np.cumsum([0, *(length for length, _, _ in parts)])
        if starts[-1] != n_rows:
            raise InvalidLabelsError(
                f"y must be one label for each of {n_rows} samples, but has {starts[-1]}."
            )
        rows = [places + start for start, (_, places, _) in zip(starts, parts, strict=False)]
        classes, names = encode_labels([label for *_, labels in parts for label in labels])
        # scikit-learn passes the labels of all samples to every clusterer, for scores.
        if len(classes) == n_rows:
            return cls.of(None, n_rows)
        return cls(np.concatenate(rows).astype(np.int64), classes, names)

    def at(self, wanted: IntArray) -> IntArray:
        """Return the classes of some rows, -1 where unknown.

        Examples
        --------
        >>> from clustraint.rows import KnownLabels
        >>> KnownLabels.of(["a", None, "b"], 3).at(np.array([1, 2]))
        array([-1,  1])
        """
        place = np.searchsorted(self.rows, wanted)
        is_known = np.append(self.rows, -1)[place] == wanted
        return np.where(is_known, np.append(self.classes, -1)[place], -1)

    def labels_at(self, wanted: IntArray) -> list[Any] | None:
        """Return the labels of some rows, None where unknown; None if nothing is known at all.

        Examples
        --------
        >>> from clustraint.rows import KnownLabels
        >>> KnownLabels.of(["a", None, "b"], 3).labels_at(np.array([1, 2]))
        [None, 'b']
        """
        if not self.names:
            return None
        return [None if each < 0 else self.names[each] for each in self.at(wanted).tolist()]

    def split(self, rows: Rows) -> list[tuple[IntArray, IntArray]]:
        """Return for each chunk which of its rows have labels, and their classes.

        Examples
        --------
        >>> from clustraint.rows import ArrayRows, KnownLabels
        >>> rows = ArrayRows(np.ones((4, 1)), chunk_rows=2)
        >>> KnownLabels.of(["a", None, "b", "a"], 4).split(rows)
        [(array([0]), array([0])), (array([0, 1]), array([1, 0]))]
        """
        places = rows.split(self.rows)
        cuts = np.cumsum([len(part) for part in places])[:-1]
        return list(zip(places, np.split(self.classes, cuts), strict=True))


def _part_of(part: Any) -> tuple[int, IntArray, Sequence[Any]]:
    """Return how many labels there are, and the places and labels of those that are known."""
    if isinstance(part, list | tuple):
        places = np.flatnonzero(encode_labels(part)[0] >= 0)
        return len(part), places, [part[place] for place in places.tolist()]
    labels = np.asarray(part)
    if labels.ndim == 1 and labels.dtype.kind in "iuf":
        places = np.flatnonzero((labels != -1) & (labels == labels))
    else:
        places = np.flatnonzero(encode_labels(labels)[0] >= 0)
    return len(labels), places, labels[places].tolist()


def _column_step(chunk: Any, own: None) -> tuple[int, IntArray, Sequence[Any]]:
    (column,) = read_columns(chunk)
    return _part_of(column.to_numpy())
