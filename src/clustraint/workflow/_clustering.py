"""From a table and constraints on its samples to clusters."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from clustraint.checks import is_whole
from clustraint.constraints import Constraints
from clustraint.evaluation import ConstraintReport, constraint_satisfaction
from clustraint.exceptions import (
    ClustraintError,
    TooFewSamplesError,
    TooManyClustersError,
    UnknownColumnError,
)
from clustraint.tables import SampleTable, Scale, write_table
from clustraint.wording import counted, number_text
from clustraint.workflow._choice import (
    BEST,
    Choice,
    Facts,
    choose,
    choose_for,
    constraints_for,
    make_pipeline,
)
from clustraint.workflow._method import AUTO
from clustraint.workflow._number import NumberCurve, Numbers, check_numbers, choose_number
from clustraint.workflow._plan import TIME_LIMIT, ComparisonPlan, plan_comparison

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
    numbers : NumberCurve or None
        Where the number of clusters was left open, how numbers did.
    plan : ComparisonPlan or None
        Where "auto" compared methods by held-out constraints, which ones, and within which time.

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
    numbers: NumberCurve | None = None
    plan: ComparisonPlan | None = None

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

    def labels_without_constraints(self) -> NDArray[Any] | None:
        r"""Return the clusters that the same method finds without any constraints.

        Returns
        -------
        ndarray of shape (n_samples,) or None
            None if there are no constraints, or the method finds no clusters without them.

        Examples
        --------
        >>> import io
        >>> from clustraint import Constraints
        >>> from clustraint.tables import read_table
        >>> from clustraint.workflow import cluster_table
        >>> table = read_table(io.BytesIO(b"x\n1\n2\n8\n9\n"))
        >>> constraints = Constraints(4, must_link=[(1, 2)])
        >>> clustering = cluster_table(table, constraints, 2, method="cop-kmeans")
        >>> before, after = clustering.labels_without_constraints(), clustering.labels
        >>> bool(before[1] == before[2]), bool(after[1] == after[2])
        (False, True)
        """
        if not self.constraints.n_constraints:
            return None
        try:
            return np.asarray(clone(self.pipeline).fit(self.table)["cluster"].labels_)
        except ClustraintError:
            return None

    def write(
        self,
        path: str | os.PathLike[str],
        *,
        names: Mapping[Any, str] | None = None,
        labels_only: bool = False,
        raw: bool = False,
    ) -> None:
        r"""Write the table with the cluster of each sample beside it.

        Parameters
        ----------
        path, names, labels_only, raw
            As for `clustraint.tables.write_table`.

        See Also
        --------
        cluster_names : names for the clusters.

        Examples
        --------
        >>> import io
        >>> from clustraint.tables import read_table
        >>> from clustraint.workflow import cluster_names, cluster_table
        >>> table = read_table(io.BytesIO(b"name,x\na,1\nb,2\nc,8\nd,9\n"))
        >>> clustering = cluster_table(table, n_clusters=2, method="tree")
        >>> clustering.write("-", names=cluster_names(clustering))
        name,x,cluster,cluster_name
        a,1,1,x <= 5
        b,2,1,x <= 5
        c,8,0,x > 5
        d,9,0,x > 5
        """
        labels = self.labels.tolist()
        write_table(path, self.table, labels, names=names, labels_only=labels_only, raw=raw)

    def __repr__(self) -> str:
        samples = counted(self.table.n_samples, "sample")
        clusters = counted(len(self.sizes), "cluster")
        return f"Clustering({samples} in {clusters} by {self.choice.method.name})"


def cluster_table(
    table: SampleTable,
    constraints: Constraints | None = None,
    n_clusters: Numbers | None = None,
    *,
    method: str = AUTO,
    scale: Scale = "standard",
    random_state: int | None = 0,
    time_limit: float = TIME_LIMIT,
) -> Clustering:
    r"""Cluster the samples of a table by a method that accepts the constraints on them.

    Parameters
    ----------
    table : SampleTable
        The samples.
    constraints : Constraints, optional
        Constraints on them.
    n_clusters : int, iterable of int or "auto", optional
        The number of clusters, or the numbers from which `choose_number` takes one; "auto" are 2 to
        10. None leaves it to `exactly` rules that name the cluster of every sample, to methods that
        find it, or else is "auto".
    method : str, default="auto"
        A method by name, see `methods`; "auto" chooses one, see `choose`.
    scale : {"standard", "minmax", "none"}, default="standard"
        How numeric columns are scaled, for methods that compare distances.
    random_state : int or None, default=0
        The seed of methods that draw at random.
    time_limit : float, default=60
        The seconds of CPU time that "auto" may spend on comparing methods by held-out constraints.
        They are estimated from the sizes of table and clusters before anything runs, so that the
        same call gives the same clusters on a busy machine; what would take longer is left out.

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
    ('cop-kmeans', [1, 3])
    """
    if table.n_samples < 2:
        raise TooFewSamplesError(table.source)
    if constraints is None:
        constraints = Constraints(table.n_samples, names=table.names)
    if n_clusters is None:
        n_clusters = _implied_n_clusters(constraints, table)
    if is_whole(n_clusters) and n_clusters > table.n_samples:  # type: ignore[operator]
        raise TooManyClustersError(n_clusters, table.n_samples)  # type: ignore[arg-type]
    n_clusters, numbers = _number(table, constraints, n_clusters, method, scale, random_state)
    facts = Facts.of(table, constraints, n_clusters)
    choice, plan = choose_for(facts, method), None
    pipeline, X = _encoded(choice, table, n_clusters, scale, random_state)
    if method == AUTO and choice.method.name == BEST:
        plan = plan_comparison(X, constraints.kinds, n_clusters or 1, time_limit)
        if plan.is_possible:
            pipeline["cluster"].set_params(candidates=plan.candidates)
        else:
            choice, plan = _uncompared(facts, time_limit), None
            pipeline, X = _encoded(choice, table, n_clusters, scale, random_state)
    accepted = constraints_for(choice.method, constraints, table)
    labels = np.asarray(pipeline["cluster"].fit(X, constraints=accepted).labels_)
    report = constraint_satisfaction(constraints, labels, table)
    return Clustering(table, constraints, choice, pipeline, labels, report, numbers, plan)


def _encoded(
    choice: Choice,
    table: SampleTable,
    n_clusters: int | None,
    scale: Scale,
    random_state: int | None,
) -> tuple[Pipeline, Any]:
    """Return a pipeline whose first step is fitted, and what that step makes of the table."""
    pipeline = make_pipeline(
        choice.method, table, n_clusters, scale=scale, random_state=random_state
    )
    return pipeline, pipeline["encode"].fit_transform(table)


def _uncompared(facts: Facts, time_limit: float) -> Choice:
    """Return the choice where there is no time to compare methods."""
    choice = choose_for(facts._replace(may_compare=False))
    too_long = f"comparing methods would take more than {number_text(time_limit)} s (time_limit=)"
    return Choice(choice.method, f"{choice.reason}; {too_long}")


def _number(
    table: SampleTable,
    constraints: Constraints,
    n_clusters: Numbers | None,
    method: str,
    scale: Scale,
    random_state: int | None,
) -> tuple[int | None, NumberCurve | None]:
    """Return the number of clusters, and how it was chosen where it was left open."""
    if n_clusters is None:
        # Any number shows which method it would be.
        choice = choose(table, constraints, 2, method=method)
        if not choice.method.needs_n_clusters:
            return None, None
        n_clusters = "auto"
    numbers = check_numbers(n_clusters, table.n_samples)
    if len(numbers) == 1:
        return numbers[0], None
    curve = choose_number(
        table, constraints, numbers, method=method, scale=scale, random_state=random_state
    )
    return curve.n_clusters, curve


def _implied_n_clusters(constraints: Constraints, table: SampleTable) -> int | None:
    """Return the number of clusters where `exactly` rules name the cluster of every sample."""
    rules = [rule for rule in constraints.rules if rule.exactly]
    if not rules:
        return None
    counts = np.sum([rule.scope(table) for rule in rules], axis=0)
    return len(rules) if (counts == 1).all() else None


def with_known_labels(table: SampleTable, column: str) -> tuple[SampleTable, Constraints]:
    r"""Return a table without a column of labels, and the constraints that these labels mean.

    Parameters
    ----------
    table : SampleTable
        The samples.
    column : str
        A column with the clusters of some samples; missing values, and -1, are unknown. It may be
        one that is left out.

    Returns
    -------
    table : SampleTable
        The table in which that column is left out.
    constraints : Constraints
        Samples of one label are together, and those of two labels apart.

    Raises
    ------
    UnknownColumnError
        If there is no such column.

    Examples
    --------
    >>> import io
    >>> from clustraint.tables import read_table
    >>> from clustraint.workflow import with_known_labels
    >>> table = read_table(io.BytesIO(b"x,y,who\n1,4,\n2,5,a\n8,2,b\n9,1,b\n7,7,\n"))
    >>> table, constraints = with_known_labels(table, "who")
    >>> table, constraints.n_constraints
    (SampleTable(5 samples: x (numeric), y (numeric)), 2)
    """
    everything = (*table.columns, *table.left_out)
    labels = next((each for each in everything if each.name == column), None)
    if labels is None:
        raise UnknownColumnError(column, [each.name for each in everything], table.source)
    y: Any = [
        None if gone else value for gone, value in zip(labels.missing, labels.values, strict=True)
    ]
    others = [
        tuple(each for each in part if each is not labels)
        for part in (table.columns, table.left_out)
    ]
    aside = labels.noted("known labels")
    without = replace(table, columns=others[0], left_out=(*others[1], aside))
    return without, Constraints.from_labels(y, names=table.names)
