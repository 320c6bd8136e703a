"""The clustering that predicts best what it was not told."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_is_fitted, validate_data

from clustraint.base import ConstrainedClusterer
from clustraint.checks import (
    as_generator,
    check_differences,
    check_whole_number,
    encode_labels,
    is_whole,
)
from clustraint.cluster._candidates import CANDIDATES, Candidate, ClusteringProblem
from clustraint.cluster._doubts import DoubtingMixin
from clustraint.cluster._race import Progress, Race, RaceEntry, Standing, fitted
from clustraint.cluster._statement_list import StatementList
from clustraint.constraints import Constraints
from clustraint.evaluation import ConstraintReport, constraint_satisfaction
from clustraint.exceptions import (
    ClustraintError,
    InvalidParameterError,
    NoCandidateError,
)
from clustraint.machine import Footprint
from clustraint.tables import has_columns
from clustraint.typing import BoolArray, FloatArray, LabelArray, RandomState
from clustraint.wording import counted

# With fewer statements than this, whatever they seem to prefer is chance.
FEWEST_STATEMENTS = 8
# From more samples, the race is run on those that statements speak of and some others.
MOST_RACED = 3_000
# Of agreements and gains that differ.
DIGITS = 9
# How many numbers of clusters are left when candidates enter the race.
MOST_NUMBERS = 3


class CandidateScore(NamedTuple):
    """How one candidate did on held-out statements.

    Attributes
    ----------
    name : str
        The candidate.
    n_clusters : int
        The number of clusters.
    gain : float
        By how many nats it predicted the held-out statements better than the default.
    probability : float
        Of being the best of all, by the held-out statements and the odds of the candidates.
    agreement : float
        The adjusted Rand index that it is expected to have with the best, whichever that is.
    n_statements : int
        On how many statements it was judged; less than all if it was clearly behind.
    failure : str
        Why it could not be fitted, empty if it could.

    Examples
    --------
    >>> CandidateScore("tied", 3, 4.2, 0.7, 0.8, 60, "").gain
    4.2
    """

    name: str
    n_clusters: int
    gain: float
    probability: float
    agreement: float
    n_statements: int
    failure: str


class ClusteringChoice(NamedTuple):
    """What was chosen, by how much, and why in a sentence.

    Attributes
    ----------
    name : str
        The candidate.
    n_clusters : int
        The number of clusters.
    gain : float
        By how many nats it predicted the held-out statements better than the default.
    reason : str
        Why it was chosen.

    Examples
    --------
    >>> str(ClusteringChoice("round", 3, 0.0, "there are too few statements to choose by"))
    'round with 3 clusters: there are too few statements to choose by'
    """

    name: str
    n_clusters: int
    gain: float
    reason: str

    def __str__(self) -> str:
        return f"{self.name} with {counted(self.n_clusters, 'cluster')}: {self.reason}"


class BestClusterer(DoubtingMixin, ConstrainedClusterer):
    """Cluster in many ways, and keep the one that predicts statements it was not told.

    Each candidate is fitted to a part of the statements and judged by the likelihood of the others.
    What falls clearly behind leaves the race early. The default, k-means that the statements
    correct, has odds of 50 to 1 against most others before a statement is looked at.

    Parameters
    ----------
    n_clusters : int or iterable of int, default=8
        The number of clusters, or the numbers that come into question.
    candidates : iterable of str or Candidate, or None, default=None
        What to choose from, the default first; None takes all `CANDIDATES` that suit the data and
        take the statements.
    n_folds : int, default=4
        In how many parts the statements are held out in turn.
    n_neighbors : int, default=10
        How many neighbours of a sample count for candidates that use a graph.
    n_init : int, default=5
        How many starts the candidate that is chosen gets.
    progress : callable, optional
        Called after each part with the steps done, all steps, and a text.
    n_jobs : int or None, default=None
        How many candidates are fitted at a time, by joblib; -1 uses all processors.
    random_state : int, RandomState, Generator or None, default=None
        The source of randomness.

    Attributes
    ----------
    best_estimator_ : estimator
        The candidate that was chosen, fitted to all statements.
    choice_ : ClusteringChoice
        What was chosen, by how much, and why.
    scores_ : list of CandidateScore
        How each candidate did, the best first; empty where there was nothing to choose by.
    labels_ : ndarray of shape (n_samples,)
        The cluster of each sample.
    probabilities_ : ndarray of shape (n_samples, n_clusters)
        The probability of each cluster for each sample.
    doubt_ : dict of str to ndarray
        By kind, the probability that each statement is wrong.
    constraint_report_ : ConstraintReport
        Which constraints are satisfied and which are violated.

    Notes
    -----
    *Evidence.* A clustering says of each held-out pair whether it is together. How often it is
    right about those that it puts together, and about those that it puts apart, is unknown, so
    that the probability of all held-out statements is the mean over both shares (Beta-binomial,
    as if two right and one wrong had been seen before). Who knows nothing gains nothing, however
    sure it is. Gains are logarithms of such probabilities beside the default's, in nats.

    *Choice.* With the odds of the candidates, gains are probabilities of the candidates to be the
    best. Chosen is the one whose clusters are expected to agree most with the best (adjusted Rand
    index): of several that come into question, the one between them rather than one that is
    slightly likelier and stands alone.

    Where `n_clusters` leaves several numbers, the default runs with each of them first; without
    enough statements, the Bayesian information criterion decides. With more than 3,000 samples, the
    race is run on those that statements speak of and on some of the others.

    Examples
    --------
    >>> from sklearn.datasets import make_circles
    >>> from clustraint import BestClusterer, Constraints
    >>> X, y = make_circles(200, noise=0.05, factor=0.4, random_state=0)
    >>> c = Constraints.from_labels(y, n_pairs=40, random_state=0)
    >>> model = BestClusterer(2, random_state=0).fit(X, constraints=c)
    >>> int((model.labels_ == y).sum()) in (0, 200)
    True
    >>> "propagation" in model.choice_.name or "spectral" in model.choice_.name
    True
    """

    constraint_kinds: ClassVar[tuple[str, ...]] = (
        "must_link",
        "cannot_link",
        "triplets",
        "together",
        "exactly",
    )
    takes_labels: ClassVar[bool] = True
    footprint: ClassVar[Footprint] = Footprint(per_value=6, per_cluster=8, per_constraint=200)

    def __init__(
        self,
        n_clusters: int | Iterable[int] = 8,
        *,
        candidates: Iterable[str | Candidate] | None = None,
        n_folds: int = 4,
        n_neighbors: int = 10,
        n_init: int = 5,
        progress: Progress | None = None,
        n_jobs: int | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.candidates = candidates
        self.n_folds = n_folds
        self.n_neighbors = n_neighbors
        self.n_init = n_init
        self.progress = progress
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _validate(self, X: Any, *, reset: bool = True) -> Any:
        samples = validate_data(self, X, dtype=np.float64, reset=reset)
        # Rules look at the names of the columns, which only X itself has.
        return X if has_columns(X) else samples

    def _fit(self, X: Any, constraints: Constraints, y: Any = None) -> None:
        samples = validate_data(self, X, dtype=np.float64, reset=False)
        check_differences(samples)
        numbers = self._numbers(len(samples))
        statements = _statement_list(constraints, y, X)
        self._stated_labels = {int(i): y[i] for i in statements.labelled}
        seed = int(as_generator(self.random_state).integers(2**31 - 1))
        problem = ClusteringProblem(samples, numbers, self.n_neighbors, seed)
        ranking = self._ranking(problem, statements, X)
        self._fit_first(ranking, problem, statements, X)

    def _report(self, X: Any, constraints: Constraints) -> ConstraintReport:
        return constraint_satisfaction(constraints, self.labels_, X)

    def _check_parameters(self, n_samples: int) -> None:
        check_whole_number("n_folds", self.n_folds, least=2)
        check_whole_number("n_neighbors", self.n_neighbors, least=1)
        check_whole_number("n_init", self.n_init, least=1)

    def _numbers(self, n_samples: int) -> tuple[int, ...]:
        """Return the numbers of clusters that come into question."""
        wanted = self.n_clusters
        is_one = is_whole(wanted) or isinstance(wanted, str) or not isinstance(wanted, Iterable)
        numbers = (wanted,) if is_one else tuple(wanted)
        if not numbers:
            raise InvalidParameterError("n_clusters", wanted, "a whole number, or some of them")
        checked = {check_whole_number("n_clusters", number, least=1) for number in numbers}
        if min(checked) > n_samples:
            raise ClustraintError(f"n_samples={n_samples} should be >= n_clusters={min(checked)}.")
        return tuple(sorted(number for number in checked if number <= n_samples))

    def _candidates(self, problem: ClusteringProblem, kinds: Sequence[str]) -> list[Candidate]:
        """Return those that suit the samples and take the statements, the default first."""
        chosen = CANDIDATES.values() if self.candidates is None else list(self.candidates)
        every = [_candidate(each) for each in chosen]
        suitable = [
            each
            for each in every
            if each.takes(kinds) and (each.suits is None or each.suits(problem))
        ]
        if not suitable:
            raise NoCandidateError([each.name for each in every], kinds)
        return suitable

    def _ranking(
        self, problem: ClusteringProblem, statements: StatementList, table: Any
    ) -> dict[RaceEntry, Standing]:
        """Return the entries and how they did, the one to choose first."""
        problem, statements, table = _raced(problem, statements, table)
        candidates = self._candidates(problem, statements.kinds)
        number = _likeliest_number(problem)
        default = RaceEntry(candidates[0], number)
        if len(statements) < FEWEST_STATEMENTS:
            return {default: Standing(0.0, 1.0, 1.0, 0, is_default=True)}
        folds = statements.folds(self.n_folds, np.random.default_rng(problem.seed))
        race = Race(problem, statements, table, folds, self.n_jobs)
        numbers = problem.n_clusters
        if len(numbers) > 1:
            entries = [RaceEntry(candidates[0], number) for number in numbers]
            first = ranked(race.run(entries, default, self._tell))
            numbers = tuple(entry.n_clusters for entry in first)[:MOST_NUMBERS]
            default = next(iter(first))
        entries = [RaceEntry(each, number) for number in numbers for each in candidates]
        return ranked(race.run(entries, default, self._tell))

    def _tell(self, done: int, total: int, text: str) -> None:
        if self.progress is not None:
            self.progress(done, total, text)

    def _fit_first(
        self,
        ranking: Mapping[RaceEntry, Standing],
        problem: ClusteringProblem,
        statements: StatementList,
        table: Any,
    ) -> None:
        """Fit the first entry to all statements, or the next where it fails with all of them."""
        for entry in ranking:
            alone = replace(problem, n_clusters=(entry.n_clusters,))
            try:
                self.best_estimator_ = fitted(entry, alone, statements, table, self.n_init)
            except ClustraintError:
                if ranking[entry].is_default:
                    raise
                continue
            break
        self.choice_ = _choice(entry, ranking)
        self.scores_ = [
            CandidateScore(
                each.candidate.name,
                each.n_clusters,
                *standing[:-1],
            )
            for each, standing in ranking.items()
            if len(ranking) > 1
        ]
        self.labels_ = np.asarray(self.best_estimator_.labels_, np.int32)
        self._keep_probabilities(entry, statements)

    def _keep_probabilities(self, entry: RaceEntry, statements: StatementList) -> None:
        best = self.best_estimator_
        if hasattr(best, "probabilities_"):
            self.probabilities_: FloatArray = best.probabilities_
        else:
            labels = np.unique(best.labels_, return_inverse=True)[1]
            self.probabilities_ = np.eye(max(entry.n_clusters, int(labels.max()) + 1))[labels]
        self.doubt_: dict[str, FloatArray] = (
            best.doubt_
            if hasattr(best, "doubt_") and set(statements.kinds) <= set(best.doubt_)
            else statements.doubts(self.probabilities_)
        )

    def _for_best(self, X: Any) -> Any:
        """Return checked samples, with the names of columns where the best method knows these."""
        samples = validate_data(self, X, dtype=np.float64, reset=False)
        return X if hasattr(self.best_estimator_, "feature_names_in_") else samples

    def predict(self, X: Any) -> LabelArray:
        """Return the cluster of each sample, by the candidate that was chosen.

        Examples
        --------
        >>> model = BestClusterer(2, random_state=0).fit([[0.0], [1.0], [9.0], [8.0]])
        >>> bool((model.predict([[2.0], [7.0]]) == model.labels_[[0, 2]]).all())
        True
        """
        check_is_fitted(self)
        return np.asarray(self.best_estimator_.predict(self._for_best(X)), np.int32)

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probability of each cluster for each sample, (n_samples, n_clusters).

        It is 0 or 1 where the method that was chosen knows no probabilities.

        Examples
        --------
        >>> model = BestClusterer(2, random_state=0).fit([[0.0], [1.0], [9.0], [8.0]])
        >>> model.predict_proba([[2.0], [7.0]]).shape
        (2, 2)
        """
        labels = self.predict(X)
        if hasattr(self.best_estimator_, "predict_proba"):
            return np.asarray(self.best_estimator_.predict_proba(self._for_best(X)))
        return np.eye(self.probabilities_.shape[1])[labels]

    def score(
        self,
        X: Any,
        y: Any = None,
        sample_weight: ArrayLike | None = None,
        *,
        constraints: Constraints | None = None,
    ) -> float:
        """Return the mean log-probability of statements that the model was not told.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            The samples that the statements are about.
        y : array-like of shape (n_samples,), optional
            Labels of some samples, as the pairs that they mean; ignored if none is unknown.
        sample_weight : None
            Ignored; scikit-learn's pipelines look for it.
        constraints : Constraints, optional
            The statements.

        Returns
        -------
        float
            From log(0.1) to log(0.9); where there are no statements, the silhouette.

        Examples
        --------
        >>> model = BestClusterer(2, random_state=0).fit([[0.0], [1.0], [9.0], [8.0]])
        >>> c = Constraints(2, cannot_link=[(0, 1)])
        >>> round(model.score([[2.0], [7.0]], constraints=c), 2)
        -0.11
        """
        shares = self.predict_proba(X)
        table = X if has_columns(X) else validate_data(self, X, dtype=np.float64, reset=False)
        statements = _statement_list(self._stated(constraints, y, X), None, table)
        if not len(statements):
            return self._score_alone(X, sample_weight)
        hold = statements.hold(shares, statements.classes)
        return float(statements.log_likelihoods(hold).mean())


def ranked(standings: Mapping[RaceEntry, Standing]) -> dict[RaceEntry, Standing]:
    """Return what was judged to the end by its agreement with the best, then the others by gain."""

    def place(entry: RaceEntry) -> tuple[float, float]:
        # Equal clusters agree equally but for the last digits, and the earlier candidate leads.
        return -round(standings[entry].agreement, DIGITS), -round(standings[entry].gain, DIGITS)

    return {entry: standings[entry] for entry in sorted(standings, key=place)}


def _candidate(candidate: Any) -> Candidate:
    if isinstance(candidate, Candidate):
        return candidate
    if not isinstance(candidate, str) or candidate not in CANDIDATES:
        allowed = f"Candidate objects or names among {', '.join(CANDIDATES)}"
        raise InvalidParameterError("candidates", candidate, allowed)
    return CANDIDATES[candidate]


def _statement_list(constraints: Constraints, y: Any, table: Any) -> StatementList:
    n_samples = constraints.n_samples
    classes = np.full(n_samples, -1) if y is None else encode_labels(y)[0]
    scopes: dict[str, list[BoolArray]] = {}
    for rule in constraints.rules:
        scopes.setdefault(rule.kind, []).append(rule.scope(table))
    return StatementList(constraints, classes, scopes)


def _raced(
    problem: ClusteringProblem, statements: StatementList, table: Any
) -> tuple[ClusteringProblem, StatementList, Any]:
    """Return what to race on: all samples, or of very many those spoken of and some more."""
    n_samples = len(problem.X)
    if n_samples <= MOST_RACED:
        return problem, statements, table
    is_in = statements.classes >= 0
    for links in statements.constraints.links.values():
        is_in[links.rows.ravel()] = True
    others = np.flatnonzero(~is_in)
    n_more = max(0, MOST_RACED - int(is_in.sum()))
    is_in[np.random.default_rng(problem.seed).permutation(others)[:n_more]] = True
    rows = np.flatnonzero(is_in)
    scopes = {kind: [scope[rows] for scope in each] for kind, each in statements.scopes.items()}
    fewer = StatementList(statements.constraints[rows], statements.classes[rows], scopes)
    return replace(problem, X=problem.X[rows]), fewer, _safe_indexing(table, rows)


def _likeliest_number(problem: ClusteringProblem) -> int:
    """Return the number of clusters of the lowest Bayesian information criterion."""
    if len(problem.n_clusters) == 1:
        return problem.n_clusters[0]
    return min(problem.n_clusters, key=lambda number: float(problem.plain[number].bic_))


def _choice(entry: RaceEntry, ranking: Mapping[RaceEntry, Standing]) -> ClusteringChoice:
    standing = ranking[entry]
    count = counted(standing.n_statements, "held-out statement")
    if len(ranking) == 1:
        reason = "there are too few statements to choose by"
    elif standing.is_default:
        reason = f"no other candidate predicted {count} clearly better"
    elif standing.gain > 0:
        default = next(each for each in ranking if ranking[each].is_default)
        reason = f"it predicted {count} better than {default}, by {standing.gain:.1f} nats"
    else:
        reason = f"it is nearest to the candidates that predicted {count} best"
    return ClusteringChoice(entry.candidate.name, entry.n_clusters, standing.gain, reason)
