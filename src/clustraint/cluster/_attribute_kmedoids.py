"""K-medoids under rules about attributes."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils import _safe_indexing, gen_batches
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from clustraint.base import ConstrainedClusterer
from clustraint.checks import as_generator, check_choice, check_whole_number
from clustraint.cluster._kmedoids_chunks import (
    ChunkedRun,
    FirstPass,
    Plan,
    label_step,
    looked_at,
    taken_table,
)
from clustraint.cluster._kmedoids_pairs import LinkedSamples
from clustraint.cluster._kmedoids_rounds import Labels, MedoidRounds
from clustraint.cluster._kmedoids_shared import SharedValues
from clustraint.cluster._kmedoids_start import Starter
from clustraint.cluster._rule_scopes import LabelGroups, Scopes, find_units
from clustraint.constraints import PAIR_KINDS, Constraints, as_constraints
from clustraint.evaluation import ConstraintReport, constraint_satisfaction
from clustraint.exceptions import (
    ClustraintError,
    EmptyClusterWarning,
    NoFeasibleClusteringError,
    NominalValueError,
)
from clustraint.kernels.kmedoids import Table, assign, distances
from clustraint.metric.packing import pack, stack
from clustraint.rows import KnownLabels, Rows, drawn_rows
from clustraint.tables import Columns, read_columns, validate_table
from clustraint.typing import IntArray, RandomState

# Rows that `predict` packs at a time.
BATCH = 2**16
# Rows that starts are compared on where all come in chunks.
START_ROWS = 50_000


class AttributeKMedoids(ConstrainedClusterer):
    """K-medoids in which rules about attributes say who belongs together.

    After Schmidt, Brändle and Kramer, Clustering with attribute level constraints, ICDM 2011. The
    distance of two samples is the number of columns in which they differ (Hamming distance); every
    text, category, truth value or number of a column counts as a value of its own.

    Parameters
    ----------
    n_clusters : int, default=8
        The number of clusters.
    attach : {"seed", "first"}, default="seed"
        How rules get their clusters. "seed": each rule gets its own, which starts from a sample
        that is in its scope and no other. "first" is the paper's: a `together` rule joins the
        cluster of its first sample, and rules may share one; an `exactly` rule gets its own.
    init : {"d2", "random"}, default="d2"
        How the other medoids are drawn. "d2": with a probability proportional to the squared
        distance to the nearest medoid chosen so far, the best of 2 + ⌊ln k⌋ draws each, as in
        scikit-learn's k-means++. "random" is the paper's: uniformly.
    overlap : {"merge", "nearest"}, default="merge"
        What happens to `together` rules with a common sample. "merge": they act as one rule.
        "nearest" is the paper's: the sample goes to the nearest of their clusters, so that rules
        may be violated, which `constraint_report_` tells.
    min_shared, max_shared : int, optional
        Bounds on the number of columns in which the medoids of any two clusters have the same
        value: at least so many, and at most so many. `max_shared` keeps clusters from being
        variants of one another, `min_shared` keeps out those that have nothing in common with the
        others. Default: no bounds.
    n_init : int, default=10
        How many starts; the one of least cost is kept.
    max_iter : int, default=100
        Rounds of a start at the most.
    random_state : int, RandomState, Generator or None, default=None
        The source of randomness.

    Attributes
    ----------
    labels_ : int32 ndarray of shape (n_samples,)
        The cluster of each sample. Under ``attach="seed"``, the clusters of rules come first, in
        the order of the rules.
    medoids_ : DataFrame, array or CSR matrix of shape (n_clusters, n_features)
        The rows of `X` that stand for the clusters.
    medoid_indices_ : int64 ndarray of shape (n_clusters,)
        Their numbers.
    rule_clusters_ : int64 ndarray of shape (n_rules,)
        The cluster that each rule owns, in the order of ``constraints.rules``; -1 for a `together`
        rule that holds for no sample.
    inertia_ : int
        The cost: the sum of the distances of all samples to the medoids of their clusters.
    n_iter_ : int
        The rounds of the start that was kept, with the last, in which no medoid changed.
    constraint_report_ : ConstraintReport
        What was given, satisfied and violated.
    n_features_in_, feature_names_in_
        As scikit-learn defines them.

    Raises
    ------
    NominalValueError
        In `fit`, if a value is missing or infinite.
    EmptyScopeError, OverlappingRulesError
        If an `exactly` rule holds for no sample, or for one that another rule claims.
    RuleConflictError, InconsistentConstraintsError
        If pairs contradict each other or the rules.
    TooFewClustersError, NoFeasibleClusteringError
        If there are too few clusters for the rules, for the samples that they leave or for the
        pairs, or if no medoids share as many values as they must.

    Warns
    -----
    EmptyScopeWarning
        If a `together` rule holds for no sample.
    EmptyClusterWarning
        If there are too few different samples to fill all clusters.

    Notes
    -----
    *The paper.* ``attach="first", init="random", overlap="nearest"`` is its section III.B for
    `together` rules (its must-link, equations 2 and 3) and Algorithm 1 of section III.C for
    `exactly` rules (its must-link-excl, equation 4), except where it is silent:

    - Medoids are different rows while there are any, and none is in two scopes (the paper's) or in
      that of an `exactly` rule, but the one that starts its cluster.
    - A rule keeps its cluster for the whole run, wherever the medoid goes.
    - Samples in no scope go to the nearest medoid of a cluster without an `exactly` rule, which is
      where lines 9–12 of Algorithm 1 end; ties go to the lowest cluster.
    - The medoid is the member of least summed distance; on ties the present one stays, then the
      lowest row wins.
    - An empty cluster takes the free sample that is farthest from its medoid and not alone there.
    - Samples of one label in `y` are together as by a rule, in a cluster of their own for each
      label; `attach` is then "seed".
    - Both kinds of rule may be given at once. A `together` rule that shares a sample with an
      `exactly` one must lie within it.

    *Rules with pairs.* Must-links and cannot-links may be given beside rules, and none is violated.
    What must-links tie together moves as one, by its summed distance, to the cheapest cluster that
    is open to all of it; rules whose scopes it joins act as one rule. Cannot-links are kept by
    going through these components in row order and, where that ends in a dead end, by the cheapest
    assignment of all (as in `COPKMeans`), given the clusters of the rules. `attach` is then "seed".

    *Shared values*, which the paper's last sentence asks for: two clusters share a value if their
    medoids do. Medoids begin within the bounds and move one after the other to the best member that
    stays within them beside all others, so that the bounds hold at any time. A search for the first
    medoids goes back where it gets stuck; it ends with a proof that there are none, or, on hard
    problems, after very many tries. First medoids are then drawn uniformly.

    *The defaults* depart from the paper because its way to attach rules depends on the order of
    the samples, and because bad starts cost more than rules gain. On 20 data sets drawn as the
    paper's (1,000 samples, 100 attributes, k = 20, 4 `together` rules) the mean adjusted Rand index
    is .80 by its way, .99 by the defaults with one start and 1.00 with ten. But without any rule it
    is .72 by its way, .89 by the defaults and .90 by FasterPAM, a good optimiser of k-medoids: much
    of what rules gain in the paper's experiments repairs bad starts. (``python -m
    benchmarks.rule_gains`` computes these figures.) Medoids of `exactly` rules do not count in
    "d2", since their clusters are closed to others.

    *Cost of a round.* How far a member is from all others follows from how often each value occurs
    in its cluster, so the medoid is found exactly, in time linear in the number of samples, and no
    distance matrix is made. A column of two values takes one bit of a sample.

    Examples
    --------
    >>> import numpy as np
    >>> from clustraint import AttributeKMedoids, Constraints, Rule
    >>> X = np.array([[1, 1, 1, 0], [1, 1, 1, 1], [0, 0, 0, 1], [0, 0, 0, 0], [0, 1, 0, 0]])
    >>> c = Constraints(5, rules=[Rule("x3", exactly=True)])
    >>> model = AttributeKMedoids(2, random_state=0).fit(X, constraints=c)
    >>> model.labels_
    array([1, 0, 0, 1, 1], dtype=int32)
    >>> model.rule_clusters_
    array([0])
    >>> model.constraint_report_
    ConstraintReport(exactly: 1 of 1 satisfied)
    """

    constraint_kinds: ClassVar[tuple[str, ...]] = ("together", "exactly", *PAIR_KINDS)
    takes_chunks: ClassVar[bool] = True
    takes_labels: ClassVar[bool] = True

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        attach: Literal["seed", "first"] = "seed",
        init: Literal["d2", "random"] = "d2",
        overlap: Literal["merge", "nearest"] = "merge",
        min_shared: int | None = None,
        max_shared: int | None = None,
        n_init: int = 10,
        max_iter: int = 100,
        random_state: RandomState = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.attach = attach
        self.init = init
        self.overlap = overlap
        self.min_shared = min_shared
        self.max_shared = max_shared
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    def _check_parameters(self, n_samples: int) -> None:
        for name in ("n_init", "max_iter"):
            check_whole_number(name, getattr(self, name), least=1)
        check_choice("attach", self.attach, ("seed", "first"))
        check_choice("init", self.init, ("d2", "random"))
        check_choice("overlap", self.overlap, ("merge", "nearest"))
        for name in ("min_shared", "max_shared"):
            if getattr(self, name) is not None:
                check_whole_number(name, getattr(self, name), least=0)
        self._check_n_clusters(n_samples)

    def _shared(self, n_columns: int) -> SharedValues | None:
        """Return the bounds on what medoids share, None where there are none."""
        if self.min_shared is None and self.max_shared is None:
            return None
        least = 0 if self.min_shared is None else self.min_shared
        most = n_columns if self.max_shared is None else self.max_shared
        if not least <= most <= n_columns:
            raise ClustraintError(
                f"min_shared={self.min_shared} and max_shared={self.max_shared} must be in this "
                f"order, and no more than the {n_columns} columns of X."
            )
        return SharedValues(least, most, n_columns)

    def _fit(self, X: Any, constraints: Constraints, y: Any = None) -> None:
        rng = as_generator(self.random_state)
        columns = read_columns(X)
        self._names = columns.names
        self._rules = constraints.rules
        groups = LabelGroups.from_labels(y)
        scopes = Scopes.from_rules(self._rules, columns, groups.masks)
        stated = Constraints(
            len(columns), rules=(*self._rules, *groups.rules), names=constraints.names
        )
        pairs = LinkedSamples.of(constraints)
        has_pairs = bool(len(pairs.samples))
        if has_pairs:
            constraints.check(self.n_clusters, columns)
        units = find_units(scopes, stated, self.overlap, pairs.joined(scopes))
        groups.check_apart(units, stated)
        # Two labels, or what a cannot-link parts, would not be apart in a shared cluster.
        attach = self.attach if y is None and not has_pairs else "seed"
        shared = self._shared(len(columns.names))
        starter = Starter(scopes, units, stated, self.n_clusters, attach, self.init, shared)
        table = pack(columns)
        rounds = MedoidRounds(table, scopes, pairs, shared)
        runs = (rounds.run(starter.draw(table, rng), self.max_iter) for _ in range(self.n_init))
        best = min(runs, key=lambda run: run.cost)
        self.labels_ = rounds.final_labels(best)
        self.medoid_indices_ = best.medoids
        self.medoids_ = _safe_indexing(X, best.medoids)
        self._owned_clusters = best.rule_clusters
        self.rule_clusters_ = best.rule_clusters[: len(self._rules)]
        self.inertia_ = int(best.cost)
        self.n_iter_ = best.n_iter
        self._warn_of_empty_clusters()

    def _report(self, X: Any, constraints: Constraints) -> ConstraintReport:
        return constraint_satisfaction(constraints, self.labels_, self._renamed(X))

    def _fit_in_chunks(
        self, rows: Rows, y: Any, constraints: Constraints | None, **options: Any
    ) -> None:
        """Fit rows in chunks: from the best start on some of them, by rounds over all."""
        if constraints is not None:
            constraints = self._check_constraints(constraints, rows)
        if (
            self.min_shared is not None
            or self.max_shared is not None
            or (constraints is not None and len(constraints.mentioned))
        ):
            raise ClustraintError(
                "of rows in chunks, AttributeKMedoids takes rules and labels; give an array for "
                "must-links, cannot-links, min_shared or max_shared."
            )
        names = rows.names or tuple(f"x{column}" for column in range(rows.n_features))
        labels = None if y is None else KnownLabels.of(y, len(rows))
        if constraints is not None and not isinstance(constraints, Constraints):
            constraints = as_constraints(constraints, rows)
        rules = () if constraints is None else constraints.rules
        look = looked_at(rows, names, rules, labels)
        self._check_parameters(look.n_rows)
        checked = self._check_constraints(constraints, rows)
        self._names, self._rules = names, rules
        self._check_rules(look, checked, labels)
        rng = as_generator(self.random_state)
        first = np.array([first for _, first in look.patterns.values()], np.int64)
        chosen = np.union1d(drawn_rows(len(rows), START_ROWS, rng), first)
        few = clone(self).set_params(random_state=rng)
        table = taken_table(rows, chosen, names)
        few_labels = None if labels is None else labels.labels_at(chosen)
        few.fit(table, few_labels, constraints=Constraints(len(chosen), rules=rules))
        codes = tuple({value: code for code, value in enumerate(levels)} for levels in look.levels)
        plan = Plan(
            names,
            codes,
            np.cumsum([0, *map(len, codes)]),
            rules,
            0 if labels is None else len(labels.names),
            few._owned_clusters,
            np.empty((0, 0), np.int32),
            chosen[few.medoid_indices_],
        )
        medoids = plan.coded(table[few.medoid_indices_])
        run = ChunkedRun(rows, plan._replace(medoids=medoids), labels)
        self._keep_run(run, checked)

    def _check_rules(
        self, look: FirstPass, checked: Constraints, labels: KnownLabels | None
    ) -> None:
        """Say of all rows, before any is drawn, that rules or labels contradict each other."""
        names: Any = None if labels is None else labels.names
        groups = LabelGroups.from_labels(names)
        stated = Constraints(len(checked), rules=(*checked.rules, *groups.rules))
        units = find_units(look.scopes(stated.rules), stated, self.overlap)
        groups.check_apart(units, stated)

    def _keep_run(self, run: ChunkedRun, checked: Constraints) -> None:
        self.inertia_, self.n_iter_, sizes = run.run(self.max_iter)
        rows, plan = run.rows, run.plan
        self.labels_ = rows.labels(label_step, run.unmoved, plan)
        self.medoid_indices_ = plan.rows
        order = np.argsort(plan.rows)
        medoids = taken_table(rows, plan.rows[order], plan.names)
        self.medoids_ = medoids[np.argsort(order)]
        self._owned_clusters = plan.rule_clusters
        self.rule_clusters_ = plan.rule_clusters[: len(plan.rules)]
        self.constraint_report_ = constraint_satisfaction(
            checked, self.labels_, rows, None if rows.names else plan.names
        )
        if not sizes.all():
            empty = np.flatnonzero(sizes == 0).tolist()
            warnings.warn(EmptyClusterWarning(empty, self.n_clusters), stacklevel=7)

    def _warn_of_empty_clusters(self) -> None:
        sizes = np.bincount(self.labels_, minlength=self.n_clusters)
        if not sizes.all():
            empty = np.flatnonzero(sizes == 0).tolist()
            warnings.warn(EmptyClusterWarning(empty, self.n_clusters), stacklevel=6)

    def predict(self, X: Any) -> Labels:
        """Return the cluster of each sample: that of the rule that holds for it, or the nearest.

        A sample in several scopes goes to the nearest of their clusters, those of `exactly` rules
        before others. A sample in none goes to the nearest medoid of a cluster that no `exactly`
        rule owns. A value that was not there in `fit` differs from all.

        Parameters
        ----------
        X : DataFrame, array-like or CSR matrix of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        labels : int32 ndarray of shape (n_samples,)

        Raises
        ------
        NoFeasibleClusteringError
            If a sample is in no scope, but all clusters belong to `exactly` rules.

        Examples
        --------
        >>> X = [["red", "round"], ["red", "square"], ["blue", "flat"], ["blue", "flat"]]
        >>> model = AttributeKMedoids(2, random_state=0).fit(X)
        >>> model.predict([["green", "flat"], ["red", "flat"]]).tolist()
        [0, 0]
        """
        return self._nearest(X)[0]

    def _score_alone(self, X: Any, sample_weight: ArrayLike | None) -> float:
        """Return minus the weighted sum of distances to the medoids that `predict` gives."""
        _, away = self._nearest(X)
        return -float(_check_sample_weight(sample_weight, away, dtype=np.float64) @ away)

    def _nearest(self, X: Any) -> tuple[Labels, NDArray[np.int32]]:
        """Return the cluster of each sample, and the distance to its medoid."""
        check_is_fitted(self)
        X = self._validate(X, reset=False)
        k = len(self.medoid_indices_)
        scopes = Scopes.from_rules(self._rules, self._renamed(X))
        choices = scopes.open_clusters(self.rule_clusters_, k)
        _refuse_homeless(scopes, choices[0])
        labels = np.full(X.shape[0], -1, np.int32)
        away = np.empty(X.shape[0], np.int32)
        for batch in gen_batches(X.shape[0], BATCH):
            medoids, table = self._packed(_safe_indexing(X, batch), batch.start)
            assign(table, medoids, scopes.pattern[batch], *choices, labels[batch])
            distances(table, medoids, labels[batch], away[batch])
        return labels, away

    def _packed(self, X: Any, start: int) -> tuple[NDArray[np.uint64], Table]:
        """Return the medoids and some rows in the same bit fields; the first row is `start`."""
        k = len(self.medoid_indices_)
        try:
            table = pack(stack(self._renamed(self.medoids_), self._renamed(X)))
        except NominalValueError as error:
            sample = error.sample - k + start
            raise NominalValueError(error.column, sample, error.value) from None
        return table.words[:k], table._replace(words=table.words[k:])

    def _renamed(self, X: Any) -> Columns:
        """Return the columns of a table by the names that they had in `fit`."""
        return read_columns(X).renamed(self._names)

    def _validate(self, X: Any, *, reset: bool = True) -> Any:
        """Return `X` as a frame, an array of any type, or CSR."""
        _refuse_masked(X)
        return validate_table(self, X, reset=reset, accept_sparse="csr")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


def _refuse_homeless(scopes: Scopes, start: IntArray) -> None:
    """Raise if there are samples to which no cluster is open."""
    homeless = np.diff(start) == 0
    if homeless.any():
        sample = int(scopes.first[homeless].min())
        raise NoFeasibleClusteringError(
            f"all clusters belong to exactly rules, but sample {sample} of X is in the scope of "
            "none; fit with more clusters.",
            sample,
        )


def _refuse_masked(X: Any) -> None:
    if np.ma.isMaskedArray(X) and np.ma.is_masked(X):
        sample, *column = np.argwhere(np.ma.getmaskarray(X))[0]
        raise NominalValueError(f"x{column[0] if column else 0}", int(sample), None)
