"""From a table and what is known about its samples to clusters, and what they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.pipeline import Pipeline

from clustraint.cluster._clustering_tree import ClusteringTree
from clustraint.cluster._tree.rules import ClusterDescription
from clustraint.constraints import Constraints
from clustraint.evaluation import ConstraintReport, constraint_satisfaction
from clustraint.exceptions import ClustraintError
from clustraint.tables import SampleTable, Scale
from clustraint.workflow._choice import AUTO, Choice, Facts, choose, knowledge_for, make_pipeline

# A description of more conditions for each cluster would not be read.
LEAVES_PER_CLUSTER = 3
# From more samples than this, so many are drawn to describe clusters by.
MOST_EXPLAINED = 20_000
MOST_WORDS = 6


@dataclass(frozen=True, eq=False)
class Clustering:
    """Clusters of the samples of a table.

    Attributes
    ----------
    table : SampleTable
        The samples.
    constraints : Constraints
        What was given about them.
    choice : Choice
        The method, and why.
    pipeline : Pipeline
        The fitted steps, encode and cluster.
    labels : int ndarray of shape (n_samples,)
        The cluster of each sample.
    report : ConstraintReport
        What the clusters satisfy and violate.
    """

    table: SampleTable
    constraints: Constraints
    choice: Choice
    pipeline: Pipeline
    labels: NDArray[Any]
    report: ConstraintReport

    @property
    def estimator(self) -> Any:
        """The fitted clusterer."""
        return self.pipeline["cluster"]

    @property
    def sizes(self) -> dict[int, int]:
        """How many samples each cluster has."""
        clusters, counts = np.unique(self.labels, return_counts=True)
        return dict(zip(clusters.tolist(), counts.tolist(), strict=True))

    @property
    def displayed(self) -> int | None:
        """How many triplets the hierarchy displays; None without a hierarchy or triplets."""
        hierarchy = getattr(self.estimator, "hierarchy_", None)
        triplets = self.constraints.triplets
        if hierarchy is None or not len(triplets):
            return None
        return int(np.count_nonzero(hierarchy.displays(triplets)))


def cluster_table(
    table: SampleTable,
    constraints: Constraints | None = None,
    n_clusters: int | None = None,
    *,
    method: str = AUTO,
    scale: Scale = "standard",
    random_state: int | None = 0,
) -> Clustering:
    r"""Cluster the samples of a table by a method that takes what is known about them.

    Examples
    --------
    >>> import io
    >>> from clustraint.tables import read_table
    >>> table = read_table(io.BytesIO(b"name,x\na,1\nb,2\nc,8\nd,9\n"))
    >>> known = Constraints(4, must_link=[(1, 2)], names=table.names)
    >>> found = cluster_table(table, known, 2)
    >>> found.choice.method.name, sorted(found.sizes.values())
    ('complete-linkage', [1, 3])
    """
    if table.n_samples < 2:
        raise ClustraintError(
            f"{table.source} holds one sample, and to cluster takes two at least."
        )
    known = Constraints(table.n_samples, names=table.names) if constraints is None else constraints
    n_clusters = implied_n_clusters(known, table) if n_clusters is None else n_clusters
    choice = choose(Facts.of(known, table, n_clusters), method)
    pipeline = make_pipeline(choice, table, n_clusters, scale=scale, random_state=random_state)
    pipeline.fit(table, cluster__constraints=knowledge_for(choice, known, table))
    labels = np.asarray(pipeline["cluster"].labels_)
    report = constraint_satisfaction(known, labels, table)
    return Clustering(table, known, choice, pipeline, labels, report)


def implied_n_clusters(constraints: Constraints, table: SampleTable) -> int | None:
    """Return the number of clusters where `exactly` rules say of each sample in which it is."""
    rules = [rule for rule in constraints.rules if rule.exactly]
    if not rules:
        return None
    counts = np.sum([rule.scope(table) for rule in rules], axis=0)
    return len(rules) if (counts == 1).all() else None


class Explanation(NamedTuple):
    """What clusters are.

    Attributes
    ----------
    descriptions : list of ClusterDescription
        The rules of each cluster; empty if there are only texts.
    fidelity : float
        The share of samples that the rules put into their clusters.
    n_samples : int
        By how many samples the rules were found.
    words : dict
        For texts, the words that tell each cluster from the others.
    """

    descriptions: list[ClusterDescription]
    fidelity: float
    n_samples: int
    words: dict[Any, list[str]]


def explain_clustering(found: Clustering) -> Explanation:
    """Describe clusters: a tree's by its own rules, others by those of a small tree."""
    estimator = found.estimator
    if isinstance(estimator, ClusteringTree):
        return Explanation(estimator.rules_, 1.0, found.table.n_samples, {})
    return explain_table(found.table, found.labels)


def explain_table(
    table: SampleTable,
    labels: ArrayLike,
    *,
    fidelity: float = 0.95,
    max_leaves: int | None = None,
) -> Explanation:
    r"""Describe given clusters by rules about the columns of a table, and by words of its texts.

    Examples
    --------
    >>> import io
    >>> from clustraint.tables import read_table
    >>> table = read_table(io.BytesIO(b"name,x\na,1\nb,2\nc,8\nd,9\n"))
    >>> print(explain_table(table, [0, 0, 1, 1]).descriptions[0])
    cluster 0, by its rules: 2 of 4 samples (50 %)
      x <= 5 (2 samples)
      precision 1, recall 1
    """
    given = np.asarray(labels)
    words = cluster_words(table, given) if "text" in table.kinds else {}
    if set(table.kinds) <= {"text"}:
        return Explanation([], 0.0, 0, words)
    chosen = _drawn(table.n_samples)
    n_clusters = len({*given.tolist()} - {None, -1})
    tree = ClusteringTree(
        min_samples_leaf=1, max_leaves=max_leaves or LEAVES_PER_CLUSTER * n_clusters
    ).explain(table.as_columns()[chosen], given[chosen], fidelity=fidelity)
    in_order = sorted(tree.rules_, key=lambda each: (str(type(each.cluster)), each.cluster))
    return Explanation(in_order, tree.fidelity_, len(chosen), words)


def _drawn(n_samples: int) -> NDArray[np.int64]:
    """Return all samples or, of very many, some."""
    if n_samples <= MOST_EXPLAINED:
        return np.arange(n_samples)
    return np.sort(np.random.default_rng(0).choice(n_samples, MOST_EXPLAINED, replace=False))


def cluster_words(table: SampleTable, labels: NDArray[Any]) -> dict[Any, list[str]]:
    """Return for each cluster the words whose mean weight is most above that of all samples."""
    from clustraint.tables import TableEncoder

    texts = tuple(column for column in table.columns if column.kind == "text")
    only_texts = SampleTable(table.source, texts, (), table.names, table.n_samples)
    encoder = TableEncoder().fit(only_texts)
    weights = encoder.transform(only_texts)
    names = [name.split(": ", 1)[-1] for name in encoder.feature_names_]
    overall = np.asarray(weights.mean(axis=0)).ravel()
    found = {}
    for cluster in np.unique(labels).tolist():
        above = np.asarray(weights[labels == cluster].mean(axis=0)).ravel() - overall
        best = np.argsort(-above, kind="stable")[:MOST_WORDS]
        found[cluster] = [names[place] for place in best if above[place] > 0]
    return found
