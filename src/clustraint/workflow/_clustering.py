"""From a table and constraints on its samples to clusters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from clustraint.constraints import Constraints
from clustraint.evaluation import ConstraintReport, constraint_satisfaction
from clustraint.exceptions import TooFewSamplesError, TooManyClustersError
from clustraint.tables import SampleTable, Scale
from clustraint.workflow._choice import Choice, choose, constraints_for, make_pipeline
from clustraint.workflow._method import AUTO

# A constraint is worth checking if the method would rather bet against it.
PROBABLY = 0.5


@dataclass(frozen=True, eq=False)
class Clustering:
    r"""Clusters of the samples of a table.

    Attributes
    ----------
    table : SampleTable
        The samples.
    constraints : Constraints
        The constraints on them.
    choice : Choice
        The method, and why it was chosen.
    pipeline : Pipeline
        The fitted steps, encode and cluster.
    labels : int ndarray of shape (n_samples,)
        The cluster of each sample.
    report : ConstraintReport
        Which constraints the clusters satisfy and violate.

    Examples
    --------
    >>> import io
    >>> from clustraint.tables import read_table
    >>> from clustraint.workflow import cluster_table
    >>> table = read_table(io.BytesIO(b"name,x\na,1\nb,2\nc,8\nd,9\n"))
    >>> cluster_table(table, n_clusters=2)
    Clustering(4 samples in 2 clusters by cop-kmeans)
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
    def n_displayed(self) -> int | None:
        """How many triplets the hierarchy satisfies; None without a hierarchy or triplets."""
        hierarchy = getattr(self.estimator, "hierarchy_", None)
        triplets = self.constraints.triplets
        if hierarchy is None or not len(triplets):
            return None
        return int(np.count_nonzero(hierarchy.displays(triplets)))

    @property
    def details(self) -> str:
        """What the method itself chose and why, in a sentence; "" if it had no choice."""
        choice = getattr(self.estimator, "choice_", None)
        return "" if choice is None else str(choice)

    def doubtful(self, n_statements: int = 10) -> list[tuple[str, float]]:
        r"""Return constraints worth checking: those that the method doubts more than it believes.

        Parameters
        ----------
        n_statements : int, default=10
            The maximum number of them.

        Returns
        -------
        list of (str, float)
            Each in words and with the probability to be wrong, the most doubtful first; empty for
            methods that take every constraint as true.

        Examples
        --------
        >>> import io
        >>> from clustraint import Constraints
        >>> from clustraint.tables import read_table
        >>> from clustraint.workflow import cluster_table
        >>> table = read_table(io.BytesIO(b"x\n0.1\n0.2\n0.3\n9.1\n9.2\n9.3\n"))
        >>> constraints = Constraints(6, must_link=[(0, 1), (3, 4), (2, 5)])
        >>> [text for text, _ in cluster_table(table, constraints, 2, method="mixture").doubtful()]
        ['sample 2 = sample 5']
        """
        if not hasattr(self.estimator, "doubtful"):
            return []
        doubts = self.estimator.doubtful(n_statements)
        return [(statement, doubt) for statement, doubt in doubts if doubt > PROBABLY]

    def __repr__(self) -> str:
        name = self.choice.method.name
        return (
            f"Clustering({self.table.n_samples:,} samples in {len(self.sizes)} clusters by {name})"
        )


def cluster_table(
    table: SampleTable,
    constraints: Constraints | None = None,
    n_clusters: int | None = None,
    *,
    method: str = AUTO,
    scale: Scale = "standard",
    random_state: int | None = 0,
) -> Clustering:
    r"""Cluster the samples of a table by a method that accepts the constraints on them.

    Parameters
    ----------
    table : SampleTable
        The samples.
    constraints : Constraints, optional
        Constraints on them.
    n_clusters : int, optional
        The number of clusters. It may be left out for methods that find it, and where `exactly`
        rules name the cluster of every sample.
    method : str, default="auto"
        A method by name, see `methods`; "auto" chooses one, see `choose`.
    scale : {"standard", "minmax", "none"}, default="standard"
        How numeric columns are scaled, for methods that compare distances.
    random_state : int or None, default=0
        The seed of methods that draw at random.

    Returns
    -------
    Clustering
        The clusters, and how they were found.

    Raises
    ------
    TooFewSamplesError
        If there is only one sample.
    TooManyClustersError
        If there are fewer samples than clusters.
    ClustraintError
        If no method accepts the constraints and columns, or the method finds no clusters.

    See Also
    --------
    explain : what the clusters are.
    compare : which method satisfies held-out constraints best.

    Examples
    --------
    >>> import io
    >>> from clustraint import Constraints
    >>> from clustraint.tables import read_table
    >>> from clustraint.workflow import cluster_table
    >>> table = read_table(io.BytesIO(b"name,x\na,1\nb,2\nc,8\nd,9\n"))
    >>> constraints = Constraints(4, must_link=[(1, 2)], names=table.names)
    >>> clustering = cluster_table(table, constraints, 2)
    >>> clustering.choice.method.name, sorted(clustering.sizes.values())
    ('complete-linkage', [1, 3])
    """
    if table.n_samples < 2:
        raise TooFewSamplesError(table.source)
    if constraints is None:
        constraints = Constraints(table.n_samples, names=table.names)
    if n_clusters is None:
        n_clusters = _implied_n_clusters(constraints, table)
    if n_clusters is not None and n_clusters > table.n_samples:
        raise TooManyClustersError(n_clusters, table.n_samples)
    choice = choose(table, constraints, n_clusters, method=method)
    pipeline = make_pipeline(
        choice.method, table, n_clusters, scale=scale, random_state=random_state
    )
    accepted = constraints_for(choice.method, constraints, table)
    pipeline.fit(table, cluster__constraints=accepted)
    labels = np.asarray(pipeline["cluster"].labels_)
    report = constraint_satisfaction(constraints, labels, table)
    return Clustering(table, constraints, choice, pipeline, labels, report)


def _implied_n_clusters(constraints: Constraints, table: SampleTable) -> int | None:
    """Return the number of clusters where `exactly` rules name the cluster of every sample."""
    rules = [rule for rule in constraints.rules if rule.exactly]
    if not rules:
        return None
    counts = np.sum([rule.scope(table) for rule in rules], axis=0)
    return len(rules) if (counts == 1).all() else None
