"""What clusters are, in rules about columns and in words of texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import pairwise_distances

from clustraint.cluster import ClusterDescription, ClusteringTree
from clustraint.exceptions import ClustraintError, InvalidParameterError
from clustraint.machine import check_samples
from clustraint.tables import SampleTable, TableEncoder
from clustraint.wording import counted, short_text
from clustraint.workflow._clustering import Clustering

# A description of more conditions for each cluster would not be read.
LEAVES_PER_CLUSTER = 3
# From more samples than this, so many are drawn to describe clusters by.
MOST_EXPLAINED = 20_000
MOST_WORDS = 6
EXAMPLE_WIDTH = 100


class Explanation(NamedTuple):
    r"""What clusters are.

    Attributes
    ----------
    descriptions : list of ClusterDescription
        The rules of each cluster; empty if there are only texts.
    fidelity : float
        The share of samples that the rules put into their clusters.
    n_samples : int
        How many samples the rules were found from.
    words : dict
        For texts, the words that set each cluster apart from the others.
    examples : dict
        For texts and vectors, what stands for each cluster: the beginnings of typical texts, or the
        names of typical samples.

    Examples
    --------
    >>> import io
    >>> from clustraint.tables import read_table
    >>> from clustraint.workflow import cluster_table, explain
    >>> table = read_table(io.BytesIO(b"name,x\na,1\nb,2\nc,8\nd,9\n"))
    >>> print(explain(cluster_table(table, n_clusters=2, method="tree")))
    cluster 0: 2 of 4 samples (50 %)
      x > 5 (2 samples)
    cluster 1: 2 of 4 samples (50 %)
      x <= 5 (2 samples)
    These rules put 100 % of 4 samples into their clusters.
    """

    descriptions: list[ClusterDescription]
    fidelity: float
    n_samples: int
    words: dict[Any, list[str]]
    examples: Mapping[Any, list[str]] = MappingProxyType({})

    def __str__(self) -> str:
        lines = [str(description) for description in self.descriptions]
        if lines:
            share, samples = f"{100 * self.fidelity:.3g} %", counted(self.n_samples, "sample")
            lines.append(f"These rules put {share} of {samples} into their clusters.")
        for cluster in dict.fromkeys((*self.words, *self.examples)):
            if cluster in self.words:
                lines.append(f"cluster {cluster}, by its words: {', '.join(self.words[cluster])}")
            else:
                lines.append(f"cluster {cluster}")
            lines += [f"  typical: {example}" for example in self.examples.get(cluster, ())]
        return "\n".join(lines)


def explain(
    clusters: Clustering | SampleTable | Any,
    labels: ArrayLike | None = None,
    *,
    fidelity: float = 0.95,
    max_leaves: int | None = None,
) -> Explanation:
    r"""Describe clusters by a few rules about columns, and by words of texts.

    The clusters of a `ClusteringTree` are described by its own rules, which are the clusters
    exactly. Any others are described by a small tree that is grown afterwards.

    Parameters
    ----------
    clusters : Clustering, SampleTable, DataFrame or array of shape (n_samples, n_features)
        What `cluster_table` returned, or samples.
    labels : array-like of shape (n_samples,), or str
        With samples, their clusters: one label each, -1, None or nan for unknown; or the column of
        a `SampleTable` that holds them, which the rules then do not use.
    fidelity : float in (0, 1], default=0.95
        The share of samples that the rules should put into their clusters.
    max_leaves : int, optional
        The largest number of rules, by default three for each cluster.

    Returns
    -------
    Explanation
        The rules, and how well they describe the clusters; it can be printed.

    Examples
    --------
    >>> import io
    >>> from clustraint.tables import read_table
    >>> from clustraint.workflow import explain
    >>> table = read_table(io.BytesIO(b"name,x\na,1\nb,2\nc,8\nd,9\n"))
    >>> print(explain(table, [0, 0, 1, 1]).descriptions[0])
    cluster 0, by its rules: 2 of 4 samples (50 %)
      x <= 5 (2 samples)
      precision 1, recall 1
    """
    if isinstance(clusters, Clustering):
        if labels is not None:
            raise InvalidParameterError(
                "labels", labels, "None beside a Clustering, which has its own"
            )
        if isinstance(clusters.estimator, ClusteringTree):
            return Explanation(clusters.estimator.rules_, 1.0, clusters.table.n_samples, {})
        return _explained(clusters.table, clusters.labels, fidelity, max_leaves)
    if labels is None:
        raise InvalidParameterError("labels", labels, "one label for each sample")
    if isinstance(labels, str):
        clusters, labels = _apart(clusters, labels)
    return _explained(clusters, np.asarray(labels), fidelity, max_leaves)


def _apart(table: SampleTable, name: str) -> tuple[SampleTable, NDArray[Any]]:
    """Return a table without a column, and the labels that the column holds."""
    column = table.column(name)
    others = tuple(each for each in table.columns if each is not column)
    if not others:
        raise ClustraintError(f"{table.source} has no column besides {name!r} to describe it by.")
    values = column.values
    if values.dtype.kind == "f":
        values = np.array([_whole(value) for value in values.tolist()], object)
    return replace(table, columns=others), values


def _whole(value: float) -> Any:
    if value != value:
        return None
    return int(value) if value.is_integer() else value


def _explained(
    samples: Any, labels: NDArray[Any], fidelity: float, max_leaves: int | None
) -> Explanation:
    words: dict[Any, list[str]] = {}
    examples: Mapping[Any, list[str]] = MappingProxyType({})
    if isinstance(samples, SampleTable) and not {"text", "vector"}.isdisjoint(samples.kinds):
        words = telling_words(samples, labels) if "text" in samples.kinds else {}
        examples = _examples(samples, labels)
        if set(samples.kinds) <= {"text", "vector"}:
            return Explanation([], 0.0, 0, words, examples)
    check_samples("to explain", samples, ClusteringTree.footprint, "explain some of the samples")
    n_clusters = len({*labels.tolist()} - {None, -1})
    tree = ClusteringTree(
        min_samples_leaf=1, max_leaves=max_leaves or LEAVES_PER_CLUSTER * n_clusters
    ).explain(samples, _drawn(labels), fidelity=fidelity)
    rules = {each.cluster: each for each in tree.rules_}
    in_order = [rules[cluster] for cluster in _in_order(rules)]
    n_samples = min(len(labels), MOST_EXPLAINED)
    return Explanation(in_order, tree.fidelity_, n_samples, words, examples)


def _examples(table: SampleTable, labels: NDArray[Any]) -> dict[Any, list[str]]:
    """Return what stands for each cluster: beginnings of texts, or names where there are none."""
    texts = [column.values for column in table.columns if column.kind == "text"]
    ids = table.ids if table.names else tuple(f"#{row}" for row in range(table.n_samples))
    return {
        cluster: [
            short_text(" · ".join(each[row] or "" for each in texts) or ids[row], EXAMPLE_WIDTH)
            for row in rows
        ]
        for cluster, rows in typical(table, labels).items()
    }


def _in_order(clusters: Iterable[Any]) -> list[Any]:
    """Return labels in rising order, numbers and texts apart."""
    return sorted(clusters, key=lambda label: (str(type(label)), label))


def _drawn(labels: NDArray[Any]) -> NDArray[Any]:
    """Return labels of which, where there are very many, only some are known."""
    if len(labels) <= MOST_EXPLAINED:
        return labels
    drawn = np.random.default_rng(0).choice(len(labels), MOST_EXPLAINED, replace=False)
    some = np.full(len(labels), None, object)
    some[drawn] = labels[drawn]
    return some


def telling_words(
    table: SampleTable, labels: ArrayLike, n_words: int = MOST_WORDS
) -> dict[Any, list[str]]:
    r"""Return for each cluster the words that set its texts apart from those of all samples.

    Parameters
    ----------
    table : SampleTable
        The samples; all of its columns of texts are read.
    labels : array-like of shape (n_samples,)
        The cluster of each sample; -1, None or nan for unknown.
    n_words : int, default=6
        The maximum number of words for each cluster.

    Returns
    -------
    dict
        For each label its words, the most telling first; stop words are left out.

    See Also
    --------
    typical : the samples that stand for a cluster.

    Examples
    --------
    >>> import io
    >>> from clustraint.tables import read_table
    >>> from clustraint.workflow import telling_words
    >>> lines = ["the cat sat on a mat", "my cat eats fish today", "ships sail over the sea",
    ...          "a ship is lost at sea"]
    >>> table = read_table(io.BytesIO("\n".join(["story", *lines]).encode()), text="story")
    >>> telling_words(table, [0, 0, 1, 1], n_words=1)
    {0: ['cat'], 1: ['sea']}
    """
    clusters_of = np.asarray(labels, object)
    texts = tuple(column for column in table.columns if column.kind == "text")
    if not texts:
        return {cluster: [] for cluster in _clusters(clusters_of)}
    encoder = TableEncoder("words").fit(replace(table, columns=texts))
    weights = encoder.transform(replace(table, columns=texts))
    names = [name.split(": ", 1)[-1] for name in encoder.feature_names_]
    overall = np.asarray(weights.mean(axis=0)).ravel()
    words = {}
    for cluster in _clusters(clusters_of):
        above = np.asarray(weights[clusters_of == cluster].mean(axis=0)).ravel() - overall
        best = np.argsort(-above, kind="stable")[:n_words]
        words[cluster] = [names[place] for place in best if above[place] > 0]
    return words


def typical(
    table: SampleTable, labels: ArrayLike, n_samples: int = 3, *, borderline: bool = False
) -> dict[Any, list[int]]:
    r"""Return for each cluster the samples that stand for it best.

    They are those near to the mean of the cluster and far from the means of others, compared as
    `SampleTable.matrix` compares samples, and not twice the same.

    Parameters
    ----------
    table : SampleTable
        The samples.
    labels : array-like of shape (n_samples,)
        The cluster of each sample; -1, None or nan for unknown.
    n_samples : int, default=3
        The maximum number of samples for each cluster.
    borderline : bool, default=False
        Return instead those that are about as near to another cluster as to their own.

    Returns
    -------
    dict
        For each label the row numbers of samples, the best first.

    Examples
    --------
    >>> import io
    >>> from clustraint.tables import read_table
    >>> from clustraint.workflow import typical
    >>> table = read_table(io.BytesIO(b"x\n1\n2\n3\n7\n8\n9\n"))
    >>> typical(table, [0, 0, 0, 1, 1, 1], 1)
    {0: [1], 1: [4]}
    >>> typical(table, [0, 0, 0, 1, 1, 1], 1, borderline=True)
    {0: [2], 1: [3]}
    """
    clusters_of = np.asarray(labels, object)
    X = table.matrix()
    clusters = _clusters(clusters_of)
    members = {cluster: np.flatnonzero(clusters_of == cluster) for cluster in clusters}
    means = np.vstack([np.asarray(X[rows].mean(axis=0)).ravel() for rows in members.values()])
    best = {}
    for place, (cluster, rows) in enumerate(members.items()):
        distances = pairwise_distances(X[rows], means)
        own = distances[:, place]
        others = np.delete(distances, place, axis=1).min(axis=1, initial=np.inf)
        with np.errstate(invalid="ignore", divide="ignore"):
            # What is near to nothing, as a text without a telling word, is typical of nothing.
            order = np.nan_to_num(own / others, posinf=np.inf) if len(members) > 1 else own
        if borderline:
            order = others - own
        chosen: list[int] = []
        seen: set[bytes] = set()
        for row in rows[np.argsort(order, kind="stable")].tolist():
            cells = X[[row]].toarray() if hasattr(X, "toarray") else X[row]
            if len(chosen) < n_samples and (key := np.asarray(cells).tobytes()) not in seen:
                seen.add(key)
                chosen.append(row)
        best[cluster] = chosen
    return best


def _clusters(labels: NDArray[Any]) -> list[Any]:
    """Return the labels that occur, without those that are unknown."""
    occurring = {label for label in labels.tolist() if label is not None and label == label}
    return _in_order(occurring - {-1})
