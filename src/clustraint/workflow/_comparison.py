"""Methods compared by held-out constraints."""

from __future__ import annotations

import statistics
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from clustraint.constraints import Constraints
from clustraint.evaluation import constraint_satisfaction
from clustraint.exceptions import (
    ClustraintError,
    ClustraintWarning,
    InvalidParameterError,
    NoComparisonError,
    TooFewConstraintsError,
)
from clustraint.tables import SampleTable, Scale, TableEncoder
from clustraint.typing import FloatArray
from clustraint.wording import counted
from clustraint.workflow._choice import Facts, candidates, choose_for, constraints_for
from clustraint.workflow._holdout import Split, counts_by_kind, make_splits
from clustraint.workflow._method import Method
from clustraint.workflow._number import Numbers, check_numbers

CONFIDENCE = 0.95


@dataclass(frozen=True, eq=False)
class MethodScore:
    """How a method did.

    Attributes
    ----------
    method : Method
        The method.
    n_clusters : int
        The number of clusters.
    satisfied : list of dict
        For each split and kind, how many of the held-out constraints hold.
    without : list of dict
        The same without any constraints; empty if there are no clusters then.
    seconds : list of float
        The CPU time of each split.
    problems : list of str
        Why no clusters were found, once for each split without.
    """

    method: Method
    n_clusters: int
    satisfied: list[dict[str, int]] = field(default_factory=list)
    without: list[dict[str, int]] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


class Interval(NamedTuple):
    """A mean over splits, and the range in which it may as well be."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Comparison:
    r"""Methods and how they did on the same splits.

    Attributes
    ----------
    splits : list of Split
        The splits, each with something held out: `training`, `held_out` and `n_implied`, the number
        of constraints that are not held out as they follow from `training`.
    holdout : float
        The share of constraints that was to be held out.
    scores : list of MethodScore
        The methods, the best first: `method`, its CPU `seconds` for each split, and its `problems`,
        where it found no clusters.

    Examples
    --------
    >>> import io
    >>> from clustraint import Constraints
    >>> from clustraint.tables import read_table
    >>> from clustraint.workflow import compare
    >>> table = read_table(io.BytesIO(b"x,y\n1,1\n2,1\n3,2\n8,8\n8,9\n9,9\n"))
    >>> constraints = Constraints(
    ...     6, must_link=[(0, 1), (3, 4)], cannot_link=[(0, 5), (2, 4), (1, 3)])
    >>> comparison = compare(table, constraints, 2, methods=["cop-kmeans", "recon"], n_splits=3)
    >>> comparison
    Comparison(cop-kmeans 1.00, recon 1.00)
    """

    splits: list[Split]
    holdout: float
    scores: list[MethodScore]

    @property
    def best(self) -> Method:
        """The method of the highest score."""
        return self.scores[0].method

    @property
    def n_clusters(self) -> int:
        """The number of clusters of the highest score."""
        return self.scores[0].n_clusters

    @property
    def n_held_out(self) -> dict[str, int]:
        """How many constraints of each kind were held out, in all splits together."""
        counts = [counts_by_kind(split.held_out) for split in self.splits]
        kinds = dict.fromkeys(kind for each in counts for kind in each)
        return {kind: sum(each.get(kind, 0) for each in counts) for kind in kinds}

    @property
    def n_implied(self) -> int:
        """How many constraints were not held out as they follow, in all splits together."""
        return sum(split.n_implied for split in self.splits)

    def table(self) -> list[dict[str, Any]]:
        r"""Return a row for each method, the best first.

        Returns
        -------
        list of dict
            `method`, its name; `n_clusters`; `label`, the name, with the number of clusters where
            several are compared; `score`, the mean share of held-out constraints that hold, every
            kind counting the same, with its 95 % interval from `low` to `high`; the share of each
            kind; `without`, the score without constraints, and `gain`, the difference, with its
            interval, None if there are no clusters then; `cpu_seconds`, the median of a split;
            `failed`, in how many of all `splits` it found no clusters.

        Examples
        --------
        >>> import io
        >>> from clustraint import Constraints
        >>> from clustraint.tables import read_table
        >>> from clustraint.workflow import compare
        >>> table = read_table(io.BytesIO(b"x,y\n1,1\n2,1\n3,2\n8,8\n8,9\n9,9\n"))
        >>> constraints = Constraints(6, must_link=[(0, 1), (3, 4)], cannot_link=[(0, 5), (2, 4)])
        >>> comparison = compare(table, constraints, 2, methods=["recon"], n_splits=2)
        >>> [(row["method"], row["score"], row["failed"]) for row in comparison.table()]
        [('recon', 1.0, 0)]
        """
        return [self._row(score) for score in self.scores]

    def _row(self, score: MethodScore) -> dict[str, Any]:
        mean, low, high = self._interval(score.satisfied)
        row: dict[str, Any] = {"method": score.method.name, "score": mean, "low": low, "high": high}
        for kind, count in self.n_held_out.items():
            row[kind] = sum(each.get(kind, 0) for each in score.satisfied) / count
        row |= dict.fromkeys(("without", "gain", "gain_low", "gain_high"))
        if score.without:
            gains = self._shares(score.satisfied) - self._shares(score.without)
            gain = interval(gains, self.holdout, -1.0)
            row["without"] = self._interval(score.without).mean
            row |= {"gain": gain.mean, "gain_low": gain.low, "gain_high": gain.high}
        return row | {
            "cpu_seconds": statistics.median(score.seconds),
            "failed": len(score.problems),
            "splits": len(self.splits),
            "n_clusters": score.n_clusters,
            "label": self._label(score),
        }

    def _label(self, score: MethodScore) -> str:
        several = len({each.n_clusters for each in self.scores}) > 1
        number = f", {counted(score.n_clusters, 'cluster')}" if several else ""
        return f"{score.method.name}{number}"

    def _interval(self, satisfied: Sequence[dict[str, int]]) -> Interval:
        return interval(self._shares(satisfied), self.holdout)

    def _shares(self, satisfied: Sequence[dict[str, int]]) -> FloatArray:
        """Return for each split the mean share that holds, every kind counting the same."""
        shares = []
        for counts, split in zip(satisfied, self.splits, strict=True):
            held_out = counts_by_kind(split.held_out)
            shares.append(np.mean([counts.get(kind, 0) / held_out[kind] for kind in held_out]))
        return np.array(shares, np.float64)

    def __repr__(self) -> str:
        rows = (f"{row['label']} {row['score']:.2f}" for row in self.table())
        return f"Comparison({', '.join(rows)})"


def interval(values: FloatArray, holdout: float, least: float = 0.0) -> Interval:
    """Return the mean of repeated splits with its 95 % interval.

    Splits share constraints, so that their plain variance is too small; it is corrected by the
    sizes of the two parts (Nadeau and Bengio, Inference for the generalization error, 2003).

    Examples
    --------
    >>> interval(np.array([0.5, 0.5, 0.5]), 0.3)
    Interval(mean=0.5, low=0.5, high=0.5)
    """
    mean, n_splits = float(values.mean()), len(values)
    if n_splits < 2:
        return Interval(mean, least, 1.0)
    variance = (1 / n_splits + holdout / (1 - holdout)) * values.var(ddof=1)
    half = float(stats.t.ppf((1 + CONFIDENCE) / 2, n_splits - 1) * np.sqrt(variance))
    return Interval(mean, max(mean - half, least), min(mean + half, 1.0))


def compare(
    table: SampleTable,
    constraints: Constraints,
    n_clusters: Numbers,
    *,
    methods: Sequence[str] = (),
    n_splits: int = 10,
    holdout: float = 0.3,
    scale: Scale = "standard",
    random_state: int = 0,
    step: Callable[..., None] | None = None,
) -> Comparison:
    r"""Compare methods by how many held-out constraints hold in their clusters.

    Constraints are split at random several times. Methods are fitted with one part and scored by
    the other, without what follows from the first. Pairs and rules hold in the clusters; a triplet
    holds if the hierarchy, where there is one, displays it.

    Parameters
    ----------
    table : SampleTable
        The samples.
    constraints : Constraints
        Consistent constraints on them, at least two.
    n_clusters : int, iterable of int or "auto"
        The number of clusters; every method is run with each of several, "auto" are 2 to 10.
    methods : sequence of str
        The methods to compare; by default all that accept these kinds of constraints and columns.
    n_splits : int, default=10
        How many times constraints are split at random.
    holdout : float, default=0.3
        The share of each kind that is held out.
    scale : {"standard", "minmax", "none"}, default="standard"
        How numeric columns are scaled.
    random_state : int, default=0
        The seed of splits and methods.
    step : callable, optional
        Called before each run with the name of the method and, as `total`, the number of all runs.

    Returns
    -------
    Comparison
        The methods, the best first.

    Raises
    ------
    InconsistentConstraintsError
        If constraints contradict each other, or need more clusters.
    TooFewConstraintsError, NothingToHoldOutError
        If there is nothing to score by.
    NoComparisonError
        If no method finds clusters.

    Examples
    --------
    >>> import io
    >>> from clustraint import Constraints
    >>> from clustraint.tables import read_table
    >>> from clustraint.workflow import compare
    >>> table = read_table(io.BytesIO(b"x,y\n1,1\n2,1\n3,2\n8,8\n8,9\n9,9\n"))
    >>> constraints = Constraints(
    ...     6, must_link=[(0, 1), (3, 4)], cannot_link=[(0, 5), (2, 4), (1, 3)])
    >>> compare(table, constraints, 2, methods=["cop-kmeans"], n_splits=3).best.name
    'cop-kmeans'
    """
    if not 0 < holdout < 1:
        raise InvalidParameterError("holdout", holdout, "a number between 0 and 1")
    if constraints.n_constraints < 2:
        raise TooFewConstraintsError(constraints.n_constraints)
    numbers = check_numbers(n_clusters, table.n_samples)
    # Numbers too small for the constraints fail by themselves, unless there is no other.
    constraints.expand_rules(table).check(numbers[-1])
    chosen = _methods(Facts.of(table, constraints, numbers[0]), methods)
    splits = make_splits(table, constraints, n_splits, holdout, random_state)
    n_runs = len(numbers) * len(chosen) * (len(splits) + 1)
    on_step = partial(step, total=n_runs) if step else str
    runner = _Runner(table, scale, random_state, on_step)
    scores = [runner.score(method, number, splits) for number in numbers for method in chosen]
    if all(len(score.problems) == len(splits) for score in scores):
        raise NoComparisonError(scores[0].problems[0])
    means = [row["score"] for row in Comparison(splits, holdout, scores).table()]
    order = sorted(range(len(scores)), key=lambda place: -means[place])
    return Comparison(splits, holdout, [scores[place] for place in order])


def _methods(facts: Facts, names: Sequence[str]) -> list[Method]:
    if names:
        return list(dict.fromkeys(choose_for(facts, name).method for name in names))
    # Raises with the reasons, where there is none.
    choose_for(facts)
    return candidates(facts)


class _Runner:
    """Runs methods on a table, each with the view of it that it takes."""

    def __init__(
        self,
        table: SampleTable,
        scale: Scale,
        random_state: int,
        step: Callable[[str], Any],
    ) -> None:
        self.table = table
        self.scale = scale
        self.random_state = random_state
        self.step = step
        self._views: dict[str, Any] = {}

    def score(self, method: Method, number: int, splits: Sequence[Split]) -> MethodScore:
        """Return how a method does on all splits, with constraints and without."""
        score = MethodScore(method, number)
        no_constraints = Constraints(self.table.n_samples, names=self.table.names)
        plain, _, _ = self._run(method, number, no_constraints)
        for split in splits:
            fitted, seconds, problem = self._run(method, number, split.training)
            score.satisfied.append(self._satisfied(fitted, split.held_out))
            if plain is not None:
                score.without.append(self._satisfied(plain, split.held_out))
            score.seconds.append(seconds)
            score.problems.extend([problem] if problem else [])
        return score

    def _run(self, method: Method, number: int, constraints: Constraints) -> tuple[Any, float, str]:
        """Return the fitted estimator, None where it fails, its CPU seconds, and why."""
        self.step(method.name)
        X = self._view(method)
        accepted = constraints_for(method, constraints, self.table)
        of_texts = "text" in self.table.kinds
        estimator = method.make(number, self.random_state, of_texts=of_texts)
        start = time.process_time()
        problem = ""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ClustraintWarning)
                estimator.fit(X, constraints=accepted)
        except ClustraintError as error:
            estimator, problem = None, str(error)
        return estimator, time.process_time() - start, problem

    def _view(self, method: Method) -> Any:
        if method.view not in self._views:
            encoder = TableEncoder(method.view, scale=self.scale)
            self._views[method.view] = encoder.fit_transform(self.table)
        return self._views[method.view]

    def _satisfied(self, estimator: Any, held_out: Constraints) -> dict[str, int]:
        """Return how many constraints of each kind hold; none where there are no clusters."""
        if estimator is None:
            return {}
        report = constraint_satisfaction(held_out, estimator.labels_, self.table)
        counts = {kind: outcome.satisfied for kind, outcome in report.items()}
        hierarchy = getattr(estimator, "hierarchy_", None)
        if "triplets" in counts and hierarchy is not None:
            # Clusters say little about triplets, which speak of a hierarchy.
            counts["triplets"] = int(np.count_nonzero(hierarchy.displays(held_out.triplets)))
        return counts
