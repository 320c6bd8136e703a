"""One whole number for each row, computed chunk by chunk when somebody asks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from clustraint.typing import IntArray, LabelArray
from clustraint.wording import counted

if TYPE_CHECKING:
    from clustraint.rows._rows import Rows


class ChunkedLabels:
    """The clusters of rows in chunks, which are computed when they are asked for.

    ``np.asarray`` gives all of them, `chunks` one chunk after the other, and indexing by row
    numbers in rising order a few.

    Parameters
    ----------
    rows : Rows
        The rows.
    step : callable
        Gives the labels of a chunk.
    own : sequence
        What the step needs for each chunk.
    shared : tuple
        What it needs for all.
    dtype : dtype, default=int32
        The type of the labels.

    Examples
    --------
    >>> import numpy as np
    >>> from clustraint.rows import ArrayRows
    >>> rows = ArrayRows(np.arange(5.0).reshape(5, 1), chunk_rows=2)
    >>> labels = rows.labels(lambda chunk, own: (chunk[:, 0] > 2).astype(np.int32))
    >>> labels.shape, labels[[0, 4]], [part.tolist() for part in labels.chunks()]
    ((5,), array([0, 1], dtype=int32), [[0, 0], [0, 1], [1]])
    """

    def __init__(
        self,
        rows: Rows,
        step: Callable[..., Any],
        own: Sequence[Any],
        shared: tuple[Any, ...],
        dtype: Any = np.int32,
    ) -> None:
        self.dtype = np.dtype(dtype)
        self._rows = rows
        self._step = step
        self._own = own
        self._shared = shared

    @property
    def shape(self) -> tuple[int]:
        """(n_rows,)."""
        return (len(self._rows),)

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        return f"ChunkedLabels({counted(self._rows.n_chunks, 'chunk')})"

    def chunks(self) -> Iterator[LabelArray]:
        """Yield the labels of one chunk after the other.

        Examples
        --------
        >>> import numpy as np
        >>> from clustraint.rows import ArrayRows
        >>> rows = ArrayRows(np.zeros((3, 1)), chunk_rows=2)
        >>> labels = rows.labels(lambda chunk, own: np.zeros(len(chunk), np.int32))
        >>> [len(part) for part in labels.chunks()]
        [2, 1]
        """
        return self._rows._with_progress(self._rows._results(self._step, self._own, self._shared))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> LabelArray:
        labels = np.concatenate([*self.chunks(), np.empty(0, self.dtype)])
        return labels.astype(self.dtype if dtype is None else dtype)

    def __getitem__(self, wanted: Any) -> LabelArray:
        chosen = np.asarray(wanted, np.int64)
        parts = zip(self.chunks(), self._rows.split(chosen), strict=True)
        return np.concatenate([part[places] for part, places in parts])

    def take(self, wanted: IntArray) -> LabelArray:
        """Return the labels of some rows, by numbers in rising order.

        Examples
        --------
        >>> import numpy as np
        >>> from clustraint.rows import ArrayRows
        >>> rows = ArrayRows(np.zeros((3, 1)), chunk_rows=2)
        >>> rows.labels(lambda chunk, own: np.full(len(chunk), 7)).take([2])
        array([7])
        """
        return self[wanted]


def map_chunks(step: Callable[..., Any], *lazy: Any) -> list[Any]:
    """Return what a step gives for the chunks that belong together of arrays not computed yet.

    Parameters
    ----------
    step : callable
        Called with a chunk of each, as arrays.
    *lazy : ChunkedLabels or dask arrays of shape (n_rows,)
        All of the same rows. Those of dask are computed where they are, in the chunks of the first.

    Examples
    --------
    >>> import numpy as np
    >>> from clustraint.rows import ArrayRows, map_chunks
    >>> labels = ArrayRows(np.arange(5.0).reshape(5, 1), chunk_rows=2).labels(
    ...     lambda chunk, own: chunk[:, 0].astype(np.int32)
    ... )
    >>> map_chunks(lambda part, same: int(part.sum() + same.sum()), labels, labels)
    [2, 10, 8]
    """
    if all(isinstance(each, ChunkedLabels) for each in lazy):
        return [step(*parts) for parts in zip(*(each.chunks() for each in lazy), strict=True)]
    from clustraint.rows._dask import mapped_blocks

    return mapped_blocks(step, lazy)


def chunks_of(labels: Any) -> Iterator[LabelArray]:
    """Yield labels that are not computed yet, one chunk after the other.

    Parameters
    ----------
    labels : ChunkedLabels or dask array
        Those of dask are computed some chunks at a time, so that all workers have something to do
        and few labels are here.

    Examples
    --------
    >>> import numpy as np
    >>> from clustraint.rows import ArrayRows, chunks_of
    >>> rows = ArrayRows(np.zeros((3, 1)), chunk_rows=2)
    >>> labels = rows.labels(lambda chunk, own: np.zeros(len(chunk), np.int32))
    >>> [len(part) for part in chunks_of(labels)]
    [2, 1]
    """
    if isinstance(labels, ChunkedLabels):
        yield from labels.chunks()
        return
    from clustraint.rows._dask import computed_in_turn

    yield from computed_in_turn(labels)
