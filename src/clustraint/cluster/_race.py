"""Candidates run against each other: which one predicts statements that were held out."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from sklearn.utils.parallel import Parallel, delayed
from threadpoolctl import threadpool_limits

from clustraint.cluster._candidates import Candidate, ClusteringProblem
from clustraint.cluster._constrained_mixture import ConstrainedMixture
from clustraint.cluster._statement_list import StatementList
from clustraint.cluster._viewed_mixture import ViewedMixture, as_pairs
from clustraint.exceptions import ClustraintError
from clustraint.kernels.mixture import to_shares
from clustraint.typing import FloatArray, IntArray

# A candidate leaves the race when it is behind the first by so many nats: e⁶ is 400 to 1.
CLEARLY_BEHIND = 6.0
# The default is left for a gain of this many standard errors.
STANDARD_ERRORS = 1.0
# What full agreement with all others is worth, in nats: clusterings that come about in different
# ways and are alike are seldom all wrong. It decides only between candidates that beat the default.
AGREEMENT = 10.0
# In what proportions candidates and cluster sizes together predict statements.
PROPORTIONS = (0.2, 0.4, 0.6, 0.8, 1.0)
# Pairs of samples by which agreement is measured.
N_COMPARED = 3_000
# Starts of a candidate in a fold.
RACE_STARTS = 2


class RaceEntry(NamedTuple):
    """A candidate with a number of clusters."""

    candidate: Candidate
    n_clusters: int

    def __str__(self) -> str:
        return f"{self.candidate.name} with {self.n_clusters} clusters"


class Standing(NamedTuple):
    """How an entry did.

    Attributes
    ----------
    gain : float
        By how many nats it predicted the held-out statements better than the default.
    error : float
        The standard error of the gain.
    agreement : float
        How much more than the default it agrees with the other entries about which samples are
        together: a difference of mean correlations.
    n_statements : int
        On how many statements it was judged.
    failure : str
        Why it could not be fitted, empty if it could.
    knows_something : bool
        Whether it predicts more than the sizes of its clusters do.
    is_default : bool
        Whether it is what the others are measured by.
    """

    gain: float
    error: float
    agreement: float
    n_statements: int
    failure: str = ""
    knows_something: bool = True
    is_default: bool = False

    @classmethod
    def of_default(cls, n_statements: int) -> Standing:
        """Return the standing that others are measured by."""
        return cls(0.0, 0.0, 0.0, n_statements, is_default=True)

    @property
    def margin(self) -> float:
        """What is sure of the gain."""
        return self.gain - STANDARD_ERRORS * self.error

    @property
    def beats_default(self) -> bool:
        """Whether it may be chosen."""
        return self.knows_something and self.margin > 0

    @property
    def value(self) -> float:
        """By what those that beat the default are compared."""
        return self.margin + AGREEMENT * self.agreement


Progress: TypeAlias = Callable[[int, int, str], None]


def fitted(
    entry: RaceEntry, problem: ClusteringProblem, statements: StatementList, table: Any, n_init: int
) -> Any:
    """Return the estimator of an entry, fitted to statements in the form that it takes."""
    estimator = entry.candidate.make(problem, entry.n_clusters, n_init)
    if entry.candidate.is_plain:
        return estimator.fit(problem.X)
    if isinstance(estimator, ConstrainedMixture):
        return estimator.fit(table, statements.labels, constraints=statements.constraints)
    constraints = statements.constraints
    if not set(statements.kinds) <= set(estimator.constraint_kinds):
        constraints = as_pairs(constraints, statements.classes, table)
    return estimator.fit(table, constraints=constraints)


def shares_of(estimator: Any, X: FloatArray, n_clusters: int) -> FloatArray:
    """Return the shares of clusters that each sample has by its place alone, where that is known.

    What statements say about a sample itself is left out: it would predict what follows from
    them, and not whether the clusters are right.
    """
    if isinstance(estimator, ConstrainedMixture):
        coordinates = estimator.embedding_ if isinstance(estimator, ViewedMixture) else X
        shares = estimator._log_densities_at(coordinates)
        to_shares(shares)
        return shares
    labels = np.unique(estimator.labels_, return_inverse=True)[1]
    return np.eye(max(n_clusters, int(labels.max()) + 1))[labels]


class Race:
    """The same folds of statements for all entries.

    Parameters
    ----------
    problem : ClusteringProblem
        The samples.
    statements : StatementList
        What is stated about them.
    table : ndarray or DataFrame
        The samples as rules speak of them.
    folds : int64 ndarray of shape (n_statements,)
        In which fold each statement is held out.
    n_jobs : int or None
        How many entries are fitted at a time.
    """

    def __init__(
        self,
        problem: ClusteringProblem,
        statements: StatementList,
        table: Any,
        folds: IntArray,
        n_jobs: int | None,
    ) -> None:
        self.problem = problem
        self.statements = statements
        self.table = table
        self.folds = folds
        self.n_folds = int(folds.max()) + 1
        self.n_jobs = n_jobs

    def run(
        self, entries: Sequence[RaceEntry], default: RaceEntry, progress: Progress
    ) -> dict[RaceEntry, Standing]:
        """Return the standings; candidates that are clearly behind miss the later folds."""
        predicted = {entry: np.full((2, len(self.statements)), np.nan) for entry in entries}
        failures: dict[RaceEntry, str] = {}
        agreement: dict[RaceEntry, float] = {}
        left = list(entries)
        for fold in range(self.n_folds):
            labels = {}
            for entry, outcome in zip(left, self._fold(left, fold), strict=True):
                if isinstance(outcome, str):
                    failures[entry] = outcome
                else:
                    predicted[entry][:, self.folds == fold], labels[entry] = outcome
            agreement = agreement or _agreement(labels)
            left = [entry for entry in left if entry not in failures]
            if default not in left:
                raise ClustraintError(failures[default])
            scores = {entry: self._score(predicted[entry][0]) for entry in entries}
            left = _not_behind(left, default, scores, agreement)
            done = (fold + 1) * len(entries)
            progress(done, self.n_folds * len(entries), f"{len(left)} candidates left")
        return {
            entry: self._standing(
                scores[entry] - scores[default],
                agreement.get(entry, 0.0) - agreement[default],
                self._knows_something(predicted[entry]),
                failures.get(entry, ""),
            )
            if entry != default
            else Standing.of_default(len(self.statements))
            for entry in entries
        }

    def _score(self, hold: FloatArray) -> FloatArray:
        return self.statements.log_likelihoods(hold)

    def _standing(
        self, differences: FloatArray, agreement: float, knows_something: bool, failure: str
    ) -> Standing:
        differences = differences[~np.isnan(differences)]
        if not len(differences):
            return Standing(0.0, np.inf, 0.0, 0, failure)
        # One nat more, because the spread of a few differences may be small by chance.
        error = np.sqrt(len(differences) * differences.var() + 1)
        # With many clusters, nearly all pairs are cannot-links, and to predict these says little:
        # where must-links are rare, or cannot-links, the gain is that much less sure.
        error *= 1 + 1 / max(1, self.statements.n_rarer)
        gain = float(differences.sum())
        return Standing(gain, float(error), agreement, len(differences), failure, knows_something)

    def _knows_something(self, predicted: FloatArray) -> bool:
        """Say whether places of samples predict more than the sizes of clusters do.

        Otherwise a candidate that is unsure of everything would beat a default that is sure and,
        where statements are mere noise, wrong. What a candidate predicts is mixed with what
        sizes do, in the best proportion, so that only what it knows counts and not how sure it is.
        """
        by_place, by_size = predicted
        if np.isnan(by_place).all():
            return False
        nothing = self._score(by_size)
        mixed = [self._score(share * by_place + (1 - share) * by_size) for share in PROPORTIONS]
        more = max((each - nothing for each in mixed), key=np.nansum)
        more = more[~np.isnan(more)]
        return float(more.sum()) > STANDARD_ERRORS * float(np.sqrt(len(more) * more.var()))

    def _fold(self, entries: Iterable[RaceEntry], fold: int) -> list[Any]:
        is_out = self.folds == fold
        train, held_out = self.statements.take(~is_out), self.statements.take(is_out)
        parallel = Parallel(n_jobs=self.n_jobs)
        return list(
            parallel(
                delayed(judged)(entry, self.problem, train, held_out, self.table)
                for entry in entries
            )
        )


def judged(
    entry: RaceEntry,
    problem: ClusteringProblem,
    train: StatementList,
    held_out: StatementList,
    table: Any,
) -> tuple[FloatArray, IntArray] | str:
    """Return what is predicted of held-out statements and labels of samples, or what failed.

    Predicted are two rows of probabilities to hold: by the samples' places, and by cluster sizes.
    """
    # With one thread sums have the same last digits here as in a process of joblib's.
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        try:
            estimator = fitted(entry, problem, train, table, RACE_STARTS)
        except ClustraintError as error:
            return str(error)
    shares = shares_of(estimator, problem.X, entry.n_clusters)
    # Samples that are all alike: what the sizes of clusters alone predict.
    sizes = np.broadcast_to(shares.mean(axis=0), shares.shape)
    predicted = np.stack([held_out.hold(each, train.classes) for each in (shares, sizes)])
    return predicted, shares.argmax(axis=1)


def _agreement(labels: Mapping[RaceEntry, IntArray]) -> dict[RaceEntry, float]:
    """Return the mean correlation of each with the others about which samples are together."""
    n_samples = len(next(iter(labels.values())))
    first, second = np.random.default_rng(0).integers(n_samples, size=(2, N_COMPARED))
    together = np.array([each[first] == each[second] for each in labels.values()], np.float64)
    together -= together.mean(axis=1, keepdims=True)
    lengths = np.linalg.norm(together, axis=1, keepdims=True)
    together /= np.where(lengths > 0, lengths, 1)
    correlations = together @ together.T
    others = correlations.sum(axis=1) - correlations.diagonal()
    return dict(zip(labels, (others / max(1, len(labels) - 1)).tolist(), strict=True))


def _not_behind(
    entries: Iterable[RaceEntry],
    default: RaceEntry,
    scores: Mapping[RaceEntry, FloatArray],
    agreement: Mapping[RaceEntry, float],
) -> list[RaceEntry]:
    totals = {
        entry: float(np.nansum(scores[entry])) + AGREEMENT * agreement[entry] for entry in entries
    }
    bound = max(totals.values()) - CLEARLY_BEHIND
    return [entry for entry in entries if entry == default or totals[entry] >= bound]
