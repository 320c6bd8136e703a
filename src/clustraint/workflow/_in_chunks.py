"""Clusters of files that do not fit into memory, and of files on a cluster of machines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from clustraint.cluster import Coarse
from clustraint.constraints import Constraints
from clustraint.exceptions import NotInChunksError
from clustraint.machine import available_memory
from clustraint.rows import Rows, TransformedRows, as_numbers, counted_rows
from clustraint.typing import FloatArray, IntArray
from clustraint.workflow._method import methods

# Files that are read by chunks where they are large.
CHUNKED_ENDINGS = (".parquet", ".pq", ".parq", ".csv", ".tsv", ".npy")


class ChunkedClustering(NamedTuple):
    """A model that was fitted to rows in chunks.

    Attributes
    ----------
    model : estimator
        The model; its `labels_` are not computed yet.
    method : str
        The method, by name.
    sizes : int64 ndarray of shape (n_clusters,)
        How many rows each cluster has.

    Examples
    --------
    >>> ChunkedClustering(None, "cop-kmeans", np.array([3, 4])).sizes.sum()
    np.int64(7)
    """

    model: Any
    method: str
    sizes: IntArray

    def parts(self) -> Iterator[IntArray]:
        """Yield the clusters of one chunk after the other.

        Examples
        --------
        >>> from clustraint.rows import ArrayRows
        >>> from clustraint.workflow import cluster_rows
        >>> rows = ArrayRows(np.array([[0.0], [1.0], [9.0]]), chunk_rows=2)
        >>> [len(part) for part in cluster_rows(rows, None, 2).parts()]
        [2, 1]
        """
        labels = self.model.labels_
        if hasattr(labels, "chunks") and callable(labels.chunks):
            yield from labels.chunks()
        else:
            for block in labels.blocks:
                yield np.asarray(block)


def needs_chunks(path: Any) -> bool:
    """Say whether a file is larger than half of the memory that is free, and can be read by chunks.

    Examples
    --------
    >>> needs_chunks("nothing.parquet")
    False
    """
    file = Path(str(path))
    free = available_memory()
    if file.suffix.lower() not in CHUNKED_ENDINGS or not file.is_file() or free is None:
        return False
    return file.stat().st_size > free / 2


def cluster_rows(
    rows: Rows,
    constraints: Constraints | None,
    n_clusters: int,
    *,
    method: str = "auto",
    scale: Literal["standard", "none"] = "standard",
    random_state: int = 0,
) -> ChunkedClustering:
    """Cluster rows in chunks.

    Parameters
    ----------
    rows : Rows
        The rows.
    constraints : Constraints or None
        What is known about them.
    n_clusters : int
        The number of clusters.
    method : str, default="auto"
        A method by name. "auto" is "cop-kmeans", or "attribute-kmedoids" where there are rules. One
        that needs all rows at once runs on representatives, by `Coarse`.
    scale : {"standard", "none"}, default="standard"
        How to scale columns, for methods that take numbers.
    random_state : int, default=0
        The seed.

    Returns
    -------
    ChunkedClustering

    Examples
    --------
    >>> from clustraint.rows import ArrayRows
    >>> from clustraint.workflow import cluster_rows
    >>> rows = ArrayRows(np.array([[0.0], [1.0], [9.0], [8.0]]), chunk_rows=3)
    >>> cluster_rows(rows, None, 2).sizes
    array([2, 2])
    """
    if method == "auto":
        is_ruled = constraints is not None and constraints.rules
        method = "attribute-kmedoids" if is_ruled else "cop-kmeans"
    chosen = methods()[method]
    model = chosen.make(n_clusters, random_state)
    if chosen.view == "frame":
        raise NotInChunksError(type(model).__name__)
    if chosen.view == "matrix" and scale == "standard":
        rows = _standardised(rows)
    if not model.takes_chunks:
        model = Coarse(model, random_state=random_state)
    model.fit(rows, constraints=constraints)
    counts = np.zeros(n_clusters, np.int64)
    clustering = ChunkedClustering(model, method, counts)
    for part in clustering.parts():
        counts += np.bincount(part, minlength=n_clusters)
    return clustering


def _standardised(rows: Rows) -> Rows:
    n_rows, total = counted_rows(rows)
    center = total / n_rows
    squares = rows.map_add(_squares, None, center)
    unit = np.sqrt(squares / n_rows)
    return TransformedRows.scaled(rows, center, np.where(unit > 0, unit, 1.0))


def _squares(chunk: Any, own: None, center: FloatArray) -> FloatArray:
    return np.asarray(((as_numbers(chunk) - center) ** 2).sum(axis=0))
