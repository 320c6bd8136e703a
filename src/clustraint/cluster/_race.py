"""Candidates run against each other: which one predicts statements that were held out."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from scipy.special import softmax
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import NearestNeighbors
from sklearn.utils.parallel import Parallel, delayed

from clustraint.cluster._candidates import Candidate, ClusteringProblem
from clustraint.cluster._constrained_mixture import ConstrainedMixture
from clustraint.cluster._statement_list import StatementList
from clustraint.cluster._viewed_mixture import ViewedMixture, as_pairs
from clustraint.exceptions import ClustraintError
from clustraint.machine import one_thread
from clustraint.typing import FloatArray, IntArray
from clustraint.wording import counted

# The odds of the default against one other candidate before a statement is looked at. There are
# more than a dozen others, one of which will look good by chance: with odds of 10, results fell up
# to .08 below k-means on the tables that defaults are chosen on; 50 was the best of seven tried.
DEFAULT_ODDS = 50.0
# A candidate leaves the race when it is behind the first by so many nats: e⁶ is 400 to 1.
CLEARLY_BEHIND = 6.0
# Starts of a candidate in a fold.
RACE_STARTS = 2


class RaceEntry(NamedTuple):
    """A candidate with a number of clusters."""

    candidate: Candidate
    n_clusters: int

    def __str__(self) -> str:
        return f"{self.candidate.name} with {counted(self.n_clusters, 'cluster')}"


class Standing(NamedTuple):
    """How an entry did.

    Attributes
    ----------
    gain : float
        By how many nats it predicted the held-out statements better than the default.
    probability : float
        Of being the best, by the statements and the odds of the candidates.
    agreement : float
        The expected adjusted Rand index with the best, whichever that is.
    n_statements : int
        On how many statements it was judged.
    failure : str
        Why it could not be fitted, empty if it could.
    is_default : bool
        Whether it is what the others are measured by.
    """

    gain: float
    probability: float
    agreement: float
    n_statements: int
    failure: str = ""
    is_default: bool = False


Progress: TypeAlias = Callable[[int, int, str], None]


def fitted(
    entry: RaceEntry,
    problem: ClusteringProblem,
    statements: StatementList,
    table: Any,
    n_init: int,
    *,
    finds_doubts: bool = True,
) -> Any:
    """Return the estimator of an entry, fitted to statements in the form that it takes."""
    estimator = entry.candidate.make(problem, entry.n_clusters, n_init)
    if isinstance(estimator, ConstrainedMixture):
        estimator._finds_doubts = finds_doubts
        return estimator.fit(table, statements.labels, constraints=statements.constraints)
    constraints = statements.constraints
    if not set(statements.kinds) <= set(estimator.constraint_kinds):
        constraints = as_pairs(constraints, statements.classes, table)
    return estimator.fit(table, constraints=constraints)


def labels_by_place(estimator: Any, X: FloatArray, table: Any) -> IntArray:
    """Return the cluster of each sample by its place alone, where that is known.

    What statements say about a sample itself is left out: it would predict what follows from
    them, and not whether the clusters are right.
    """
    if isinstance(estimator, ConstrainedMixture):
        coordinates = estimator.embedding_ if isinstance(estimator, ViewedMixture) else X
        return np.asarray(estimator._log_densities_at(coordinates).argmax(axis=1))
    if hasattr(estimator, "hierarchy_"):
        # It knows no places: each sample is as the nearest other one.
        labels = estimator.labels_[NearestNeighbors(n_neighbors=1).fit(X).kneighbors()[1][:, 0]]
    else:
        labels = estimator.predict(table)
    return np.asarray(np.unique(labels, return_inverse=True)[1])


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
        predicted = {entry: np.full(len(self.statements), np.nan) for entry in entries}
        failures: dict[RaceEntry, str] = {}
        left = list(entries)
        for fold in range(self.n_folds):
            labels = {}
            for entry, outcome in zip(left, self._fold(left, fold), strict=True):
                if isinstance(outcome, str):
                    failures[entry] = outcome
                else:
                    predicted[entry][self.folds == fold], labels[entry] = outcome
            if default in failures:
                raise ClustraintError(failures[default])
            evidence = {
                entry: self.statements.log_evidence(predicted[entry])
                for entry in left
                if entry not in failures
            }
            bound = max(evidence.values()) - CLEARLY_BEHIND
            left = [each for each in evidence if each == default or evidence[each] >= bound]
            done = (fold + 1) * len(entries)
            progress(done, self.n_folds * len(entries), f"{len(left)} candidates left")
        chances = self._chances({entry: predicted[entry] for entry in left}, default)
        agreement = _agreement({entry: labels[entry] for entry in left}, chances)
        return {
            entry: Standing(
                self._gain(predicted[entry], predicted[default]),
                chances.get(entry, 0.0),
                agreement.get(entry, 0.0),
                int((~np.isnan(predicted[entry])).sum()),
                failures.get(entry, ""),
                entry == default,
            )
            for entry in entries
        }

    def _gain(self, predicted: FloatArray, by_default: FloatArray) -> float:
        """Return the gain over the default, on the statements that both were judged on."""
        same = np.where(np.isnan(predicted), np.nan, by_default)
        return self.statements.log_evidence(predicted) - self.statements.log_evidence(same)

    def _chances(
        self, predicted: Mapping[RaceEntry, FloatArray], default: RaceEntry
    ) -> dict[RaceEntry, float]:
        """Return the probability of each entry to be the best."""
        odds = [DEFAULT_ODDS if entry == default else entry.candidate.odds for entry in predicted]
        logs = np.log(odds) + [self.statements.log_evidence(each) for each in predicted.values()]
        return dict(zip(predicted, softmax(logs).tolist(), strict=True))

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
    """Return what is predicted of held-out statements and labels of samples, or what failed."""
    # With one thread sums have the same last digits here as in a process of joblib's.
    with warnings.catch_warnings(), one_thread():
        warnings.simplefilter("ignore")
        try:
            estimator = fitted(entry, problem, train, table, RACE_STARTS, finds_doubts=False)
        except ClustraintError as error:
            return str(error)
    labels = labels_by_place(estimator, problem.X, table)
    return held_out.predictions(labels, train.classes), labels


def _agreement(
    labels: Mapping[RaceEntry, IntArray], chances: Mapping[RaceEntry, float]
) -> dict[RaceEntry, float]:
    """Return the adjusted Rand index that each entry is expected to have with the best one.

    The best one is not known: clusters near to all that come into question are a safer choice than
    those that are slightly likelier to be the best, and stand alone.
    """
    agreement = dict(chances)
    for first, second in combinations(labels, 2):
        score = float(adjusted_rand_score(labels[first], labels[second]))
        agreement[first] += chances[second] * score
        agreement[second] += chances[first] * score
    return agreement
