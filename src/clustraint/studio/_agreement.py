"""A table and a file of what was said: whether they belong together."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from clustraint.exceptions import StudioFileError, StudioRequestError
from clustraint.studio._log import EventLog
from clustraint.studio._rows import kept_rows, read_rows
from clustraint.studio._source import Source
from clustraint.typing import IntArray

# By default there are so many clusters, or fewer of few samples.
N_CLUSTERS = 8


def agree(source: Source, log: EventLog, n_clusters: int | None = None) -> int:
    """Note in a new log what it is about, and return the number of clusters to begin with.

    Raises
    ------
    StudioFileError
        If the log is about another table, whose samples are not all in this one.
    StudioRequestError
        If there are to be more clusters than samples.
    """
    meta, n_samples = log.meta(), source.table.n_samples
    if "digest" not in meta:
        number = n_clusters or min(N_CLUSTERS, max(1, n_samples // 2))
        if number > n_samples:
            raise StudioRequestError(
                f"n_clusters must be at most {n_samples:,}, the number of samples, but is "
                f"{number:,}."
            )
        log.note(n_clusters=str(number), **_about(source))
        return number
    if meta["digest"] != source.digest:
        _follow_names(source, log, json.loads(meta["names"]), int(meta["n_samples"]))
    return min(n_clusters or int(meta["n_clusters"]), n_samples)


def _about(source: Source) -> dict[str, str]:
    return {
        "source": source.name,
        "digest": source.digest,
        "n_samples": str(source.table.n_samples),
        "names": json.dumps(source.table.names),
    }


def _follow_names(
    source: Source, log: EventLog, names: Sequence[str] | None, n_samples: int
) -> None:
    """Let statements about another table speak of the samples of the same names in this one."""
    table = source.table
    if names is None or table.names is None:
        problem = "it is about another table, and without names nobody knows who is meant"
        raise StudioFileError(log.path, f"{problem}; name another file")
    rows = {name: row for row, name in enumerate(table.names)}
    place = np.array([rows.get(name, -1) for name in names], np.int64)
    bodies = {}
    for event in log.events():
        body = dict(event.body)
        for key in ("rows", "from", "apart"):
            if key in body:
                listed = body[key]
                listed = listed if isinstance(listed, list) else read_rows(listed, n_samples)
                moved = _moved(np.asarray(listed, np.int64), place, names, log)
                is_short = isinstance(body[key], list)
                body[key] = (
                    moved.tolist() if is_short else kept_rows(np.sort(moved), table.n_samples)
                )
        bodies[event.seq] = body
    log.replace_bodies(bodies, **_about(source))


def _moved(rows: IntArray, place: IntArray, names: Sequence[str], log: EventLog) -> Any:
    gone = rows[place[rows] < 0]
    if len(gone):
        problem = f"it is about another table: {names[int(gone[0])]!r:.60} is not in this one"
        raise StudioFileError(log.path, f"{problem}; name another file")
    return place[rows]
