"""Labels read from a file: one row for each sample, with its cluster."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from clustraint.exceptions import DatasetFileError, UnknownNameError
from clustraint.tables._output import CLUSTER, ID, as_meant
from clustraint.tables._read import read_frame
from clustraint.tables._sample_table import SampleTable
from clustraint.wording import counted, excerpt

CLUSTER_COLUMN = re.compile(rf"{CLUSTER}(_\d+)?")


def read_labels(path: str | os.PathLike[str], table: SampleTable) -> list[Any]:
    r"""Read the cluster of each sample of a table from a file that `write_table` wrote, or another.

    Parameters
    ----------
    path : str or PathLike
        A file with the column ``cluster`` (of several, ``cluster_2`` and so on, the last) or, by
        another name, with the cluster in the last column. Samples are called by the column that
        names them in the table, by the column ``id`` or, where there is neither and the table has
        names, by the first. Otherwise there is one row for each row of the table.
    table : SampleTable
        The samples.

    Returns
    -------
    list
        One label for each sample, None for those that the file leaves out.

    Raises
    ------
    DatasetFileError
        If the file cannot be read, or names a sample that is not there or one twice.

    Examples
    --------
    >>> import io, tempfile
    >>> from clustraint.tables import read_labels, read_table, write_table
    >>> table = read_table(io.BytesIO(b"name,legs\ndog,4\nhen,2\n"))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_table(f"{folder}/labels.csv", table, [0, 1])
    ...     read_labels(f"{folder}/labels.csv", table)
    [0, 1]
    """
    has_own_format = Path(path).suffix.lower() in (".xlsx", ".parquet")
    frame = read_frame(path, format=None if has_own_format else "csv")
    names = frame.columns
    own = [place for place, name in enumerate(names) if CLUSTER_COLUMN.fullmatch(name)]
    clusters = [_label(cell) for cell in frame[:, own[-1] if own else -1].to_list()]
    place = _id_place(names, table)
    if place is not None:
        ids = [as_meant(_spelled(each)) for each in frame[:, place].to_list()]
        # Rows of the table itself are told apart by their order, even if they share an identifier.
        is_own = table.frame is not None and table.id_column in table.frame.columns
        own = table.frame[table.id_column].to_list() if is_own else []
        if ids and ids == [as_meant(_spelled(each)) for each in own]:
            return clusters
        return _by_id(path, table, ids, clusters)
    if len(clusters) != table.n_samples:
        problem = f"has {counted(len(clusters), 'label')} for {counted(table.n_samples, 'sample')}"
        raise DatasetFileError(path, 0, f"{problem}; add a column of ids.")
    return clusters


def _id_place(names: list[str], table: SampleTable) -> int | None:
    """Return which column names the samples, None if they come in the order of the table."""
    for name in (table.id_column, ID):
        if name is not None and name in names:
            return names.index(name)
    is_pair = len(names) == 2
    return 0 if is_pair or (len(names) > 1 and table.names is not None) else None


def _spelled(cell: Any) -> str:
    """Return a cell as the text that names a value."""
    if cell is None:
        return ""
    is_whole = isinstance(cell, float) and cell.is_integer()
    return str(int(cell)) if is_whole else str(cell).strip()


def _label(cell: Any) -> Any:
    text = as_meant(_spelled(cell))
    if text.lstrip("-").isdigit():
        return int(text)
    return text or None


def _by_id(
    path: str | os.PathLike[str], table: SampleTable, ids: Sequence[str], clusters: Sequence[Any]
) -> list[Any]:
    rows = {name: row for row, name in enumerate(table.ids)}
    labels: list[Any] = [None] * table.n_samples
    seen: set[str] = set()
    for name, cluster in zip(ids, clusters, strict=True):
        if name not in rows:
            problem = str(UnknownNameError(name, rows))
            raise DatasetFileError(path, 0, problem if problem.endswith("?") else f"{problem}.")
        if name in seen:
            raise DatasetFileError(path, 0, f"names {excerpt(name)!r} twice; ids must be unique.")
        seen.add(name)
        labels[rows[name]] = cluster
    return labels
