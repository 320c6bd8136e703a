"""Names of clusters: proposed from what the clusters are, and edited in a file."""

from __future__ import annotations

import csv
import io
import os
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from clustraint.exceptions import DatasetFileError, UnusedClusterNameWarning
from clustraint.files import write_whole
from clustraint.tables import as_meant, neutralised, read_frame
from clustraint.wording import short_text
from clustraint.workflow._clustering import Clustering
from clustraint.workflow._explanation import Explanation, explain

LONGEST_NAME = 48
MOST_WORDS = 3
# A rule that holds for a smaller share of a cluster does not name all of it.
MOSTLY = 0.9
# A rule that is wrong more often than right says nothing about a cluster.
LEAST_PRECISION = 0.5
# Samples by which a file recognises a cluster that has got another number since.
N_SAMPLES = 5


def cluster_names(clustering: Clustering, explanation: Explanation | None = None) -> dict[Any, str]:
    r"""Propose a name for each cluster: its most general rule or, of texts, its telling words.

    Parameters
    ----------
    clustering : Clustering
        The clusters.
    explanation : Explanation, optional
        What `explain` says of them, if that has been computed already.

    Returns
    -------
    dict
        A different name for each label, of at most 48 characters.

    See Also
    --------
    read_cluster_names : the names that somebody gave them in a file.

    Examples
    --------
    >>> import io
    >>> from clustraint.tables import read_table
    >>> from clustraint.workflow import cluster_names, cluster_table
    >>> table = read_table(io.BytesIO(b"name,x\na,1\nb,2\nc,8\nd,9\n"))
    >>> cluster_names(cluster_table(table, n_clusters=2, method="tree"))
    {0: 'x > 5', 1: 'x <= 5'}
    """
    if explanation is None:
        explanation = explain(clustering)
    rules = {
        each.cluster: each.conjunctions
        for each in explanation.descriptions
        if each.precision is None or each.precision >= LEAST_PRECISION
    }
    names: dict[Any, str] = {}
    for cluster in clustering.sizes:
        parts = list(explanation.words.get(cluster, ()))[:MOST_WORDS]
        others = ""
        if rules.get(cluster):
            first = rules[cluster][0]
            parts = [str(condition) for condition in first.conditions]
            # The rest of the cluster has other rules.
            others = " …" if first.n_samples < MOSTLY * clustering.sizes[cluster] else ""
        name = f"{_fitting(parts)}{others}" if parts else f"cluster {cluster}"
        names[cluster] = f"{name} ({cluster})" if name in names.values() else name
    return names


def _fitting(parts: list[str]) -> str:
    """Return as many parts as a name holds, at least one of them."""
    name = ""
    for part in parts:
        longer = f"{name}, {part}" if name else short_text(part, LONGEST_NAME - 3)
        if len(longer) > LONGEST_NAME - 2:
            break
        name = longer
    return name


def write_cluster_names(
    path: str | os.PathLike[str], clustering: Clustering, names: dict[Any, str]
) -> None:
    r"""Write the names of clusters to a CSV file, to be edited.

    Beside each name are a few samples of its cluster: by these, `read_cluster_names` recognises it
    when clusters have got other numbers.

    Parameters
    ----------
    path : str or PathLike
        The file.
    clustering : Clustering
        The clusters.
    names : dict
        A name for each label.

    Examples
    --------
    >>> import io, tempfile
    >>> from pathlib import Path
    >>> from clustraint.tables import read_table
    >>> from clustraint.workflow import cluster_table, write_cluster_names
    >>> table = read_table(io.BytesIO(b"name,x\na,1\nb,2\nc,8\nd,9\n"))
    >>> clustering = cluster_table(table, n_clusters=2, method="tree")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "names.csv"
    ...     write_cluster_names(path, clustering, {0: "high", 1: "low"})
    ...     print(path.read_text(), end="")
    cluster,name,sample 1,sample 2
    0,high,c,d
    1,low,a,b
    """
    ids = clustering.table.ids
    members = {}
    for cluster in names:
        rows = np.flatnonzero(clustering.labels == cluster)
        spread = np.linspace(0, len(rows) - 1, min(N_SAMPLES, len(rows))).astype(np.int64)
        members[cluster] = [ids[row] for row in rows[spread].tolist()]
    most = max(map(len, members.values()))
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(["cluster", "name", *(f"sample {place + 1}" for place in range(most))])
    for cluster, name in names.items():
        writer.writerow([cluster, *map(neutralised, [name, *members[cluster]])])
    write_whole(path, buffer.getvalue().encode(errors="surrogatepass"))


def read_cluster_names(
    path: str | os.PathLike[str],
    clustering: Clustering,
    proposals: dict[Any, str] | None = None,
) -> dict[Any, str]:
    r"""Read the names of clusters from a CSV file.

    Parameters
    ----------
    path : str or PathLike
        A file with the columns ``cluster`` and ``name``. Where further columns, as those of
        `write_cluster_names`, name samples, the cluster that holds most of these gets the name;
        otherwise the cluster of that number.
    clustering : Clustering
        The clusters.
    proposals : dict, optional
        The names of clusters that the file does not name, by default those of `cluster_names`.

    Returns
    -------
    dict
        A name for each label.

    Raises
    ------
    DatasetFileError
        If the file cannot be read, or lacks one of the two columns.

    Warns
    -----
    UnusedClusterNameWarning
        If there is no cluster for a name.

    Examples
    --------
    >>> import io, tempfile
    >>> from pathlib import Path
    >>> from clustraint.tables import read_table
    >>> from clustraint.workflow import cluster_table, read_cluster_names
    >>> table = read_table(io.BytesIO(b"name,x\na,1\nb,2\nc,8\nd,9\n"))
    >>> clustering = cluster_table(table, n_clusters=2, method="tree")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "names.csv"
    ...     _ = path.write_text("cluster,name,sample 1\n5,high,d\n")
    ...     read_cluster_names(path, clustering)
    {0: 'high', 1: 'x <= 5'}
    """
    columns = {cells.name: cells.to_list() for cells in read_frame(path, format="csv")}
    for wanted in ("cluster", "name"):
        if wanted not in columns:
            raise DatasetFileError(path, 0, f"has no column {wanted!r}; the names are in 'name'.")
    rows = {name: row for row, name in enumerate(clustering.table.ids)}
    labels = clustering.labels.tolist()
    numbers, texts = columns.pop("cluster"), columns.pop("name")
    claims: dict[Any, tuple[int, str]] = {}
    for place, (number, name) in enumerate(zip(numbers, texts, strict=True)):
        samples = [as_meant(str(cells[place] or "").strip()) for cells in columns.values()]
        votes = Counter(labels[rows[each]] for each in samples if each in rows)
        cluster = next((each for each in set(labels) if str(each) == str(number).strip()), None)
        if votes:
            # Of two that hold as many, the one that has kept its number.
            cluster = max(votes, key=lambda each: (votes[each], each == cluster))
        name = as_meant(str(name or "").strip())
        if cluster is None or votes[cluster] < claims.get(cluster, (0, ""))[0]:
            warnings.warn(UnusedClusterNameWarning(Path(path), name), stacklevel=2)
        elif name:
            if cluster in claims:
                warnings.warn(
                    UnusedClusterNameWarning(Path(path), claims[cluster][1]), stacklevel=2
                )
            claims[cluster] = (votes[cluster], name)
    names = cluster_names(clustering) if proposals is None else dict(proposals)
    return {**names, **{cluster: name for cluster, (_, name) in claims.items()}}
