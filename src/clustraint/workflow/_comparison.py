"""Methods compared by the constraints that they were not told of."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from clustraint.constraints import Constraints
from clustraint.constraints._consistency import bonds
from clustraint.evaluation import constraint_satisfaction
from clustraint.exceptions import (
    ClustraintError,
    ClustraintWarning,
    InconsistentConstraintsError,
    InvalidParameterError,
)
from clustraint.hierarchy import Hierarchy
from clustraint.hierarchy._assemble import canonical_parents
from clustraint.hierarchy._implied import follows
from clustraint.kernels.build import build
from clustraint.tables import SampleTable, Scale, TableEncoder
from clustraint.typing import FloatArray
from clustraint.workflow._choice import (
    Choice,
    Facts,
    Method,
    candidates,
    choose,
    knowledge_for,
)

PAIRS = ("must_link", "cannot_link")
LINKS = (*PAIRS, "triplets")
CONFIDENCE = 0.95
# So many triplets are tested for whether others entail them, a few milliseconds each.
MOST_TESTED = 300


class Split(NamedTuple):
    """Constraints in two parts.

    Attributes
    ----------
    training : Constraints
        What the methods are told.
    held_out : Constraints
        What they are scored by: none of it follows from `training`.
    n_implied : int
        How many were left out, as they do follow.
    """

    training: Constraints
    held_out: Constraints
    n_implied: int


@dataclass(frozen=True, eq=False)
class MethodScore:
    """How a method did.

    Attributes
    ----------
    method : Method
        The method.
    kept : list of dict
        For each split and kind, how many of the held-out constraints hold.
    without : list of dict
        The same without any constraints; empty if there are no clusters then.
    seconds : list of float
        The CPU time of each split.
    problems : list of str
        Why no clusters were found, once for each split without.
    """

    method: Method
    kept: list[dict[str, int]] = field(default_factory=list)
    without: list[dict[str, int]] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


class Interval(NamedTuple):
    """A mean over splits, and where it may as well be."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Comparison:
    """Methods and how they did on the same splits.

    Attributes
    ----------
    splits : list of Split
        The splits, each with something held out.
    holdout : float
        The share that was to be held out.
    scores : list of MethodScore
        The methods, the best first.
    """

    splits: list[Split]
    holdout: float
    scores: list[MethodScore]

    @property
    def n_held_out(self) -> dict[str, int]:
        """How many constraints of each kind were held out, in all splits together."""
        counts = [_counts(split.held_out) for split in self.splits]
        kinds = dict.fromkeys(kind for each in counts for kind in each)
        return {kind: sum(each.get(kind, 0) for each in counts) for kind in kinds}

    def share(self, kept: Sequence[dict[str, int]], kind: str) -> float:
        """Return which share of a kind holds, in all splits together."""
        return sum(each.get(kind, 0) for each in kept) / self.n_held_out[kind]

    def score(self, kept: Sequence[dict[str, int]]) -> Interval:
        """Return the mean share that holds, every kind counting the same in a split."""
        return interval(self._shares(kept), self.holdout)

    def gain(self, score: MethodScore) -> Interval | None:
        """Return by how much more holds than without constraints, if there are clusters then."""
        if not score.without:
            return None
        gains = self._shares(score.kept) - self._shares(score.without)
        return interval(gains, self.holdout, -1.0)

    def _shares(self, kept: Sequence[dict[str, int]]) -> FloatArray:
        shares = [
            np.mean([found.get(kind, 0) / count for kind, count in _counts(each.held_out).items()])
            for found, each in zip(kept, self.splits, strict=True)
        ]
        return np.array(shares, np.float64)


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


def compare_methods(
    table: SampleTable,
    constraints: Constraints,
    n_clusters: int,
    *,
    methods: Sequence[str] = (),
    n_splits: int = 10,
    holdout: float = 0.3,
    scale: Scale = "standard",
    random_state: int = 0,
    step: Callable[..., None] | None = None,
) -> Comparison:
    r"""Compare methods by how many constraints hold that they were not told of.

    Parameters
    ----------
    table : SampleTable
        The samples.
    constraints : Constraints
        What is known about them, without contradictions.
    n_clusters : int
        How many clusters to find.
    methods : sequence of str
        Which to compare; by default all that take these kinds of constraints and columns.
    n_splits : int, default=10
        How often constraints are split at random.
    holdout : float, default=0.3
        The share of each kind that is held out.
    scale : {"standard", "minmax", "none"}, default="standard"
        What becomes of numeric columns.
    random_state : int, default=0
        Of splits and methods.
    step : callable, optional
        Called before each run with the method and, as `total`, the number of runs in all.

    Examples
    --------
    >>> import io
    >>> from clustraint.tables import read_table
    >>> table = read_table(io.BytesIO(b"x,y\n1,1\n2,1\n3,2\n8,8\n8,9\n9,9\n"))
    >>> known = Constraints(6, must_link=[(0, 1), (3, 4)], cannot_link=[(0, 5), (2, 4), (1, 3)])
    >>> found = compare_methods(table, known, 2, methods=["cop-kmeans"], n_splits=3)
    >>> found.score(found.scores[0].kept).mean
    1.0
    """
    check_share("holdout", holdout)
    _check(table, constraints, n_clusters)
    chosen = _methods(Facts.of(constraints, table, n_clusters), methods)
    splits = make_splits(table, constraints, n_splits, holdout, random_state)
    total = len(chosen) * (len(splits) + 1)
    tell = partial(step, total=total) if step else str
    runner = _Runner(table, n_clusters, scale, random_state, tell)
    scores = [runner.score(method, splits) for method in chosen]
    if all(len(score.problems) == len(splits) for score in scores):
        raise ClustraintError(f"no method finds clusters: {scores[0].problems[0]}")
    found = Comparison(splits, holdout, scores)
    scores.sort(key=lambda score: -found.score(score.kept).mean)
    return found


def check_share(name: str, value: float) -> None:
    """Raise if a number is not between 0 and 1."""
    if not 0 < value < 1:
        raise InvalidParameterError(name, value, "a number between 0 and 1")


def _check(table: SampleTable, constraints: Constraints, n_clusters: int) -> None:
    if constraints.n_constraints < 2:
        raise ClustraintError(
            "to compare methods takes two constraints at least, one to tell and one to hold out, "
            f"but {constraints.n_constraints} is given."
        )
    if n_clusters > table.n_samples:
        raise ClustraintError(
            f"{n_clusters:,} clusters cannot be made of {table.n_samples:,} samples."
        )
    try:
        constraints.expand_rules(table).check(n_clusters)
    except InconsistentConstraintsError as error:
        told = "clustraint check --repair writes what can hold together."
        raise ClustraintError(f"{error} {told}") from None


def _methods(facts: Facts, names: Sequence[str]) -> list[Method]:
    if names:
        return list(dict.fromkeys(choose(facts, name).method for name in names))
    # Says why, where there is none.
    choose(facts)
    return candidates(facts)


def make_splits(
    table: SampleTable, constraints: Constraints, n_splits: int, holdout: float, random_state: int
) -> list[Split]:
    """Return splits in which something is held out that does not follow from the rest."""
    rng = np.random.default_rng(random_state)
    drawn = [_split(table, constraints, holdout, rng) for _ in range(n_splits)]
    splits = [split for split in drawn if split.held_out.n_constraints]
    if not splits:
        raise ClustraintError(
            f"nothing can be held out: in all of {n_splits} splits, what was held out follows from "
            "the rest; give more constraints, or another --holdout."
        )
    return splits


def _split(
    table: SampleTable, constraints: Constraints, holdout: float, rng: np.random.Generator
) -> Split:
    given = _counts(constraints)
    masks = {kind: _drawn(count, holdout, rng) for kind, count in given.items()}
    for wanted in (True, False):
        # Something is told and something held out, however few there are.
        if not any((mask == wanted).any() for mask in masks.values()):
            mask = masks[max(given, key=lambda kind: given[kind])]
            mask[rng.integers(len(mask))] = wanted
    training = _part(constraints, {kind: ~mask for kind, mask in masks.items()})
    if "triplets" in masks:
        surplus = rng.permutation(np.flatnonzero(masks["triplets"]))[MOST_TESTED:]
        masks["triplets"][surplus] = False
    held_out = _part(constraints, masks)
    news = _news(table, training, held_out)
    return Split(training, news, held_out.n_constraints - news.n_constraints)


def _drawn(count: int, share: float, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Return which of a kind are held out: the share in the mean, also of very few."""
    mask = np.zeros(count, np.bool_)
    mask[rng.permutation(count)[: int(share * count + rng.random())]] = True
    return mask


def _part(constraints: Constraints, masks: dict[str, NDArray[np.bool_]]) -> Constraints:
    rules: list[Any] = []
    for kind in ("together", "exactly"):
        own = [rule for rule in constraints.rules if rule.kind == kind]
        rules += [rule for rule, taken in zip(own, masks.get(kind, ()), strict=False) if taken]
    links: dict[str, Any] = {kind: masks[kind] for kind in LINKS if kind in masks}
    return constraints.take(**links, rules=rules)


def _counts(constraints: Constraints) -> dict[str, int]:
    counts = {kind: len(links.rows) for kind, links in constraints.links.items()}
    for kind in ("together", "exactly"):
        counts[kind] = sum(rule.kind == kind for rule in constraints.rules)
    return {kind: count for kind, count in counts.items() if count}


def _news(table: SampleTable, training: Constraints, held_out: Constraints) -> Constraints:
    """Return what is held out and does not follow from what is told."""
    told = _Told(training.expand_rules(table))
    masks: dict[str, Any] = {
        kind: ~told.entails(links.rows, kind) for kind, links in held_out.links.items()
    }
    rules = []
    for rule in held_out.rules:
        meant = Constraints(table.n_samples, rules=[rule]).expand_rules(table)
        if not all(told.entails(meant.links[kind].rows, kind).all() for kind in PAIRS):
            rules.append(rule)
    return held_out.take(**masks, rules=rules)


class _Told:
    """What follows from constraints."""

    def __init__(self, known: Constraints) -> None:
        self.known = known
        self.components = known.components
        self.apart = {*map(tuple, self.components.cannot_link.tolist())}

    def entails(self, rows: NDArray[np.int64], kind: str) -> NDArray[np.bool_]:
        """Return which of some constraints follow."""
        if not len(rows):
            return np.zeros(0, np.bool_)
        if kind == "triplets" or len(self.known.triplets):
            return self._entails_by_hierarchies(rows, kind)
        pairs = np.sort(self.components.labels[rows], axis=1)
        if kind == "must_link":
            return np.asarray(pairs[:, 0] == pairs[:, 1])
        return np.array([tuple(pair) in self.apart for pair in pairs.tolist()], np.bool_)

    def _entails_by_hierarchies(self, rows: NDArray[np.int64], kind: str) -> NDArray[np.bool_]:
        """Test each: what follows holds in all hierarchies, so first in the one of BUILD."""
        linked = [links.rows.ravel() for links in self.known.links.values()]
        samples = np.unique(np.concatenate((*linked, rows.ravel())))
        part = self.known[samples]
        own = np.searchsorted(samples, rows)
        likely = np.ones(len(rows), np.bool_)
        if kind == "triplets":
            verdict = build(len(samples), bonds(part), part.links["cannot_link"].rows)
            hierarchy = Hierarchy(canonical_parents(verdict.parents, len(samples)))
            likely = np.array(hierarchy.displays(own), np.bool_)
        for place in np.flatnonzero(likely):
            likely[place] = follows(part, kind, own[place].tolist())
        return likely


class _Runner:
    """Runs methods on a table, each with the view of it that it takes."""

    def __init__(
        self,
        table: SampleTable,
        n_clusters: int,
        scale: Scale,
        random_state: int,
        step: Callable[[str], Any],
    ) -> None:
        self.table = table
        self.n_clusters = n_clusters
        self.scale = scale
        self.random_state = random_state
        self.step = step
        self.frame = table
        self._views: dict[str, Any] = {}

    def score(self, method: Method, splits: Sequence[Split]) -> MethodScore:
        """Return how a method does on all splits, with constraints and without."""
        score = MethodScore(method)
        nothing = Constraints(self.table.n_samples, names=self.table.names)
        plain, _, _ = self._run(method, nothing)
        for split in splits:
            found, seconds, problem = self._run(method, split.training)
            score.kept.append(self._held(found, split.held_out))
            if plain is not None:
                score.without.append(self._held(plain, split.held_out))
            score.seconds.append(seconds)
            score.problems.extend([problem] if problem else [])
        return score

    def _run(self, method: Method, known: Constraints) -> tuple[Any, float, str]:
        """Return the fitted estimator, None where it fails, its CPU seconds, and why."""
        self.step(method.name)
        X = self._view(method)
        told = knowledge_for(Choice(method, ""), known, self.table)
        of_texts = "text" in self.table.kinds
        estimator = method.make(self.n_clusters, self.random_state, of_texts=of_texts)
        start = time.process_time()
        problem = ""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ClustraintWarning)
                estimator.fit(X, constraints=told)
        except ClustraintError as error:
            estimator, problem = None, str(error)
        return estimator, time.process_time() - start, problem

    def _view(self, method: Method) -> Any:
        if method.view not in self._views:
            encoder = TableEncoder(method.view, scale=self.scale)
            self._views[method.view] = encoder.fit_transform(self.table)
        return self._views[method.view]

    def _held(self, estimator: Any, held_out: Constraints) -> dict[str, int]:
        """Return how many constraints of each kind hold; none where there are no clusters."""
        if estimator is None:
            return {}
        report = constraint_satisfaction(held_out, estimator.labels_, self.frame)
        counts = {kind: found.satisfied for kind, found in report.items()}
        hierarchy = getattr(estimator, "hierarchy_", None)
        if "triplets" in counts and hierarchy is not None:
            # Clusters say little about triplets, which speak of a hierarchy.
            counts["triplets"] = int(np.count_nonzero(hierarchy.displays(held_out.triplets)))
        return counts
