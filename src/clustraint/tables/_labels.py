"""Files of labels: one line for each sample, its id and its cluster."""

from __future__ import annotations

import csv
import io
import os
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from clustraint.exceptions import DatasetFileError, UnknownNameError
from clustraint.files import write_whole
from clustraint.tables._read import read_raw_table
from clustraint.tables._sample_table import SampleTable
from clustraint.wording import excerpt


def write_labels(path: str | os.PathLike[str], table: SampleTable, labels: Iterable[Any]) -> None:
    r"""Write the cluster of each sample to a CSV file, all at once.

    Parameters
    ----------
    path : str or PathLike
        The file; "-" is standard output.
    table : SampleTable
        The samples.
    labels : iterable
        One label for each sample.

    Raises
    ------
    OutputFileError
        If the file cannot be written; nothing is left behind then.

    See Also
    --------
    read_labels : reads such a file.

    Examples
    --------
    >>> import io
    >>> from clustraint.tables import read_table, write_labels
    >>> table = read_table(io.BytesIO(b"name,legs\ndog,4\nhen,2\n"))
    >>> write_labels("-", table, [0, 1])
    id,cluster
    dog,0
    hen,1
    """
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(("id", "cluster"))
    writer.writerows(zip(table.ids, labels, strict=True))
    if os.fspath(path) == "-":
        sys.stdout.write(buffer.getvalue())
    else:
        write_whole(path, buffer.getvalue().encode())


def read_labels(path: str | os.PathLike[str], table: SampleTable) -> list[Any]:
    r"""Read the cluster of each sample of a table from a CSV file.

    Parameters
    ----------
    path : str or PathLike
        A file with the columns id and cluster or, by other names, the id first and the cluster
        last. A file of one column has one cluster for each row of the table.
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
    >>> from clustraint.tables import read_labels, read_table, write_labels
    >>> table = read_table(io.BytesIO(b"name,legs\ndog,4\nhen,2\n"))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_labels(f"{folder}/labels.csv", table, [0, 1])
    ...     read_labels(f"{folder}/labels.csv", table)
    [0, 1]
    """
    raw = read_raw_table(path, format="csv")
    clusters = [_label(cell) for cell in raw.columns[_place(raw.names, "cluster", -1)]]
    if len(raw.names) > 1:
        ids = [str(each).strip() for each in raw.columns[_place(raw.names, "id", 0)]]
        return _by_id(path, table, ids, clusters)
    if len(clusters) != table.n_samples:
        problem = f"has {len(clusters):,} labels, but there are {table.n_samples:,} samples"
        raise DatasetFileError(path, 0, f"{problem}; add a column of ids.")
    return clusters


def _place(names: list[str], wanted: str, otherwise: int) -> int:
    return names.index(wanted) if wanted in names else otherwise


def _label(cell: str) -> Any:
    text = cell.strip()
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
