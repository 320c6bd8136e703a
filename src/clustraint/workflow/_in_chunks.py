"""Files that do not fit into memory, and files on a cluster of machines: by chunks of rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

import numpy as np
from sklearn.pipeline import Pipeline

from clustraint.base import about_rows, without_rows
from clustraint.cluster import Coarse
from clustraint.constraints import SAMPLE_KINDS, Constraints, Rule
from clustraint.exceptions import ClustraintError, NotInChunksError, RulesInChunksError
from clustraint.machine import available_memory
from clustraint.rows import (
    KnownLabels,
    Rows,
    TransformedRows,
    as_numbers,
    chunks_of,
    counted_rows,
    paths_of,
)
from clustraint.tables import Columns, TableEncoder, read_columns, read_table
from clustraint.typing import FloatArray, IntArray, LabelArray
from clustraint.workflow._method import methods
from clustraint.workflow._model import ClusterModel

# Files that are read by chunks where they are large.
CHUNKED_ENDINGS = (".parquet", ".pq", ".parq", ".csv", ".tsv", ".npy")
# Rows of which a saved model learns what its columns are called.
SAMPLE_ROWS = 1_000


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
    scaling : tuple of two ndarrays, optional
        The center and the unit of each column, where columns were scaled.

    Examples
    --------
    >>> ChunkedClustering(None, "cop-kmeans", np.array([3, 4])).sizes.sum()
    np.int64(7)
    """

    model: Any
    method: str
    sizes: IntArray
    scaling: tuple[FloatArray, FloatArray] | None = None

    def parts(self) -> Iterator[LabelArray]:
        """Yield the clusters of one chunk after the other.

        Examples
        --------
        >>> from clustraint.rows import ArrayRows
        >>> from clustraint.workflow import cluster_rows
        >>> rows = ArrayRows(np.array([[0.0], [1.0], [9.0]]), chunk_rows=2)
        >>> [len(part) for part in cluster_rows(rows, None, 2).parts()]
        [2, 1]
        """
        return chunks_of(self.model.labels_)

    def to_model(self, rows: Rows, id_column: str | None = None) -> ClusterModel:
        """Return what places new samples, and can be saved.

        Parameters
        ----------
        rows : Rows
            The rows that were clustered; their columns have names.
        id_column : str, optional
            The column that names rows, also those that the model will place.

        Raises
        ------
        ClustraintError
            If the method takes values rather than numbers.

        Examples
        --------
        >>> from clustraint.rows import ArrayRows
        >>> from clustraint.workflow import cluster_rows
        >>> rows = ArrayRows(np.array([[0.0], [1.0], [9.0]]), names=["x"])
        >>> cluster_rows(rows, None, 2).to_model(rows)
        ClusterModel(cop-kmeans: cluster 0, cluster 1)
        """
        if methods()[self.method].view != "matrix" or rows.names is None:
            raise ClustraintError(
                f"a model of {self.method} that was fitted by chunks cannot be saved; cluster a "
                "part of the rows that fits into memory, and save that."
            )
        few = read_columns(rows.take(np.arange(min(SAMPLE_ROWS, len(rows)))), rows.names)
        table = read_table(few.to_frame(), numeric=list(rows.names))
        encoder = TableEncoder(scale="none").fit(table)
        encoder.arguments_ = {**encoder.arguments_, "id_column": id_column}
        if self.scaling is not None:
            encoder.rescale(dict(zip(rows.names, zip(*self.scaling, strict=True), strict=True)))
        model = without_rows(self.model)
        # A pipeline hands arrays on, whose columns have no names.
        vars(model).pop("feature_names_in_", None)
        names = {cluster: f"cluster {cluster}" for cluster in range(len(self.sizes))}
        return ClusterModel(Pipeline([("encode", encoder), ("cluster", model)]), self.method, names)


def needs_chunks(path: Any) -> bool:
    """Say whether files are larger than half of the memory that is free, and can be read by chunks.

    Several files, by a pattern or as a folder, always are.

    Examples
    --------
    >>> needs_chunks("nothing.parquet")
    False
    """
    if str(path) == "-":
        return False
    files = [file for file in paths_of(str(path)) if file.is_file()]
    endings = {file.suffix.lower() for file in files}
    if not files or not endings <= set(CHUNKED_ENDINGS):
        return False
    free = available_memory()
    is_large = free is not None and sum(file.stat().st_size for file in files) > free / 2
    return is_large or len(files) > 1


def cluster_rows(
    rows: Rows,
    constraints: Constraints | None,
    n_clusters: int,
    *,
    method: str = "auto",
    scale: Literal["standard", "none"] = "standard",
    labels: KnownLabels | None = None,
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
    labels : KnownLabels, optional
        The clusters of some rows.
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
    if constraints is not None and constraints.rules and chosen.expands_rules:
        constraints = _without_rules(constraints, rows, method)
    scaling = None
    if chosen.view == "matrix" and scale == "standard":
        scaling = _scaling(rows)
        rows = TransformedRows.scaled(rows, *scaling)
    if not model.takes_chunks:
        model = Coarse(model, random_state=random_state)
    model.fit(rows, labels, constraints=constraints)
    counts = np.zeros(n_clusters, np.int64)
    clustering = ChunkedClustering(model, method, counts, scaling)
    for part in clustering.parts():
        counts += np.bincount(part, minlength=n_clusters)
    return clustering


def _without_rules(constraints: Constraints, rows: Rows, method: str) -> Constraints:
    """Return must-links along the scopes of rules: a method of numbers sees scaled columns."""
    if any(rule.exactly for rule in constraints.rules):
        raise RulesInChunksError(method)
    stated = about_rows(constraints, rows)
    pairs = [stated.must_link]
    for rule in stated.rules:
        starts = rows.starts[:-1].tolist()
        scopes = zip(starts, chunks_of(rule.scope(rows)), strict=True)
        holds = np.concatenate([np.flatnonzero(scope) + start for start, scope in scopes])
        pairs.append(np.stack((holds[:-1], holds[1:]), axis=1))
    linked = Constraints(len(rows), must_link=np.concatenate(pairs))
    kinds = [kind for kind in SAMPLE_KINDS if kind != "must_link"]
    return linked | stated.restrict(kinds=kinds)


def _scaling(rows: Rows) -> tuple[FloatArray, FloatArray]:
    n_rows, total = counted_rows(rows)
    center = total / n_rows
    squares = rows.map_add(_squares, None, center)
    unit = np.sqrt(squares / n_rows)
    return center, np.where(unit > 0, unit, 1.0)


def _squares(chunk: Any, own: None, center: FloatArray) -> FloatArray:
    return np.asarray(((as_numbers(chunk) - center) ** 2).sum(axis=0))


def predict_rows(model: ClusterModel, rows: Rows) -> Any:
    """Return the clusters of rows in chunks, which a saved model gives when they are asked for.

    Parameters
    ----------
    model : ClusterModel
        The model.
    rows : Rows
        Rows that have its columns, among others.

    Returns
    -------
    ChunkedLabels or dask array

    Examples
    --------
    >>> from clustraint.rows import ArrayRows
    >>> from clustraint.workflow import cluster_rows, predict_rows
    >>> rows = ArrayRows(np.array([[0.0], [1.0], [9.0]]), chunk_rows=2, names=["x"])
    >>> clustering = cluster_rows(rows, None, 2)
    >>> labels = predict_rows(clustering.to_model(rows), rows)
    >>> bool((np.asarray(labels) == np.asarray(clustering.model.labels_)).all())
    True
    """
    names = rows.names or tuple(f"x{column}" for column in range(rows.n_features))
    return rows.labels(_predict_step, None, names, model)


def _predict_step(chunk: Any, own: None, names: tuple[str, ...], model: ClusterModel) -> IntArray:
    columns = read_columns(chunk).renamed(names)
    if not len(columns):
        return np.empty(0, np.int32)
    table = model.read(columns.to_frame(), id_column=None)
    return np.asarray(model.predict(table), np.int32)


class FewSamples(NamedTuple):
    """Rows enough to check constraints on all of them.

    Attributes
    ----------
    constraints : Constraints
        The constraints, about these rows, with the names of these.
    table : Columns
        The rows: those that pairs and triplets are about, and one for which each set of rules
        holds. All others are like one of these.
    n_samples : int
        How many rows there are in all.
    rule_sizes : list of int
        How many rows each rule holds for.

    Examples
    --------
    >>> from clustraint.rows import ArrayRows
    >>> from clustraint.workflow import few_samples
    >>> rows = ArrayRows(np.array([[1], [0], [1], [1]]), chunk_rows=3, names=["milk"])
    >>> few_samples(Constraints(4, must_link=[(1, 3)], rules=[Rule("milk")]), rows).rule_sizes
    [3]
    """

    constraints: Constraints
    table: Columns
    n_samples: int
    rule_sizes: list[int]


def few_samples(constraints: Constraints, rows: Rows) -> FewSamples:
    """Return rows enough to check constraints on all of them.

    Parameters
    ----------
    constraints : Constraints
        The constraints; if they have names, on rows that have.
    rows : Rows
        The rows.

    Examples
    --------
    >>> from clustraint.rows import ArrayRows
    >>> from clustraint.workflow import few_samples
    >>> rows = ArrayRows(np.arange(5.0).reshape(5, 1), chunk_rows=2)
    >>> few_samples(Constraints(5, must_link=[(1, 3)]), rows).constraints
    Constraints(2 samples: 1 must-link)
    """
    names = rows.names or tuple(f"x{column}" for column in range(rows.n_features))
    stated = about_rows(constraints, rows)
    patterns: dict[tuple[bool, ...], tuple[int, int]] = {}
    if stated.rules:
        parts = rows.map(_patterns_step, None, names, stated.rules)
        for start, part in zip(rows.starts.tolist(), parts, strict=False):
            for pattern, (size, first) in part.items():
                before, earlier = patterns.get(pattern, (0, first + start))
                patterns[pattern] = before + size, earlier
    kept = np.union1d(stated.mentioned, [first for _, first in patterns.values()]).astype(np.int64)
    called = _names_of(constraints, stated, kept, rows)
    parts_of = {kind: np.searchsorted(kept, links.rows) for kind, links in stated.links.items()}
    weights = {f"{kind}_weights": links.weights for kind, links in stated.links.items()}
    few: dict[str, Any] = {**parts_of, **weights}
    sizes = np.zeros(len(stated.rules), np.int64)
    for pattern, (size, _) in patterns.items():
        sizes += size * np.array(pattern, np.int64)
    return FewSamples(
        Constraints(len(kept), rules=stated.rules, names=called, **few),
        _table(rows, kept, names),
        len(rows),
        sizes.tolist(),
    )


def _names_of(
    constraints: Constraints, stated: Constraints, kept: IntArray, rows: Rows
) -> list[str]:
    """Return the names of rows that constraints use, and else their numbers in words."""
    if constraints.names is None or constraints is stated:
        return [stated.name_of(row) for row in kept.tolist()]
    mentioned = [constraints.names[sample] for sample in constraints.mentioned]
    numbers = rows.find(mentioned).tolist() if mentioned else []
    used = dict(zip(numbers, mentioned, strict=True))
    return [used.get(row, f"sample {row}") for row in kept.tolist()]


def _table(rows: Rows, kept: IntArray, names: tuple[str, ...]) -> Columns:
    parts = [part for part in rows.map(_cells_step, rows.split(kept), names) if part is not None]
    if not parts:
        return read_columns({name: np.empty(0) for name in names})
    return read_columns(
        {name: np.concatenate([part[i] for part in parts]) for i, name in enumerate(names)}
    )


def _cells_step(chunk: Any, places: IntArray, names: tuple[str, ...]) -> list[Any] | None:
    if not len(places):
        return None
    return [column.to_numpy() for column in read_columns(chunk).renamed(names)[places]]


def _patterns_step(
    chunk: Any, own: None, names: tuple[str, ...], rules: tuple[Rule, ...]
) -> dict[tuple[bool, ...], tuple[int, int]]:
    """Return for each set of rules that holds for a row how many rows, and the first."""
    columns = read_columns(chunk).renamed(names)
    holds = np.stack([rule.scope(columns) for rule in rules])
    patterns, first, sizes = np.unique(holds, axis=1, return_index=True, return_counts=True)
    each = zip(patterns.T.tolist(), sizes.tolist(), first.tolist(), strict=True)
    return {tuple(pattern): (size, place) for pattern, size, place in each}
