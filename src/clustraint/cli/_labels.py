"""Files of labels: one line for each sample, its id and its cluster."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clustraint.exceptions import DatasetFileError, UnknownNameError
from clustraint.wording import excerpt

if TYPE_CHECKING:
    from clustraint.tables import SampleTable


def ids_of(data: SampleTable) -> Sequence[str]:
    """Return the names of the samples, or their row numbers."""
    return data.names or [str(row) for row in range(data.n_samples)]


def labels_csv(data: SampleTable, labels: Iterable[Any]) -> bytes:
    """Return the file of labels."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(("id", "cluster"))
    writer.writerows(zip(ids_of(data), labels, strict=True))
    return buffer.getvalue().encode()


def read_labels(path: Path, data: SampleTable) -> list[Any]:
    """Return the cluster of each sample of a table; None for samples that the file leaves out.

    The file has the columns id and cluster or, by other names, the id first and the cluster last;
    a file of one column has one cluster for each row of the table.
    """
    from clustraint.tables import read_raw_table

    raw = read_raw_table(path, format="csv")
    ids = raw.columns[_place(raw.names, "id", 0)] if len(raw.names) > 1 else None
    clusters = [_label(cell) for cell in raw.columns[_place(raw.names, "cluster", -1)]]
    if ids is None:
        if len(clusters) != data.n_samples:
            problem = f"has {len(clusters):,} labels, but there are {data.n_samples:,} samples"
            raise DatasetFileError(path, 0, f"{problem}; add a column of ids.")
        return clusters
    return _by_id(path, data, [str(each).strip() for each in ids], clusters)


def _place(names: list[str], wanted: str, otherwise: int) -> int:
    return names.index(wanted) if wanted in names else otherwise


def _label(cell: str) -> Any:
    text = cell.strip()
    if text.lstrip("-").isdigit():
        return int(text)
    return text or None


def _by_id(path: Path, data: SampleTable, ids: Sequence[str], clusters: Sequence[Any]) -> list[Any]:
    rows = {name: row for row, name in enumerate(ids_of(data))}
    found: list[Any] = [None] * data.n_samples
    seen: set[str] = set()
    for name, cluster in zip(ids, clusters, strict=True):
        if name not in rows:
            problem = str(UnknownNameError(name, rows))
            raise DatasetFileError(path, 0, problem if problem.endswith("?") else f"{problem}.")
        if name in seen:
            raise DatasetFileError(path, 0, f"names {excerpt(name)!r} twice; ids must be unique.")
        seen.add(name)
        found[rows[name]] = cluster
    return found
