"""The clustering that foretells best what it was not told."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.neighbors import NearestNeighbors
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_is_fitted, validate_data

from clustraint.base import ConstrainedClusterer
from clustraint.checks import as_generator, check_whole_number, encode_labels, is_whole
from clustraint.cluster._candidates import CANDIDATES, Candidate, Problem
from clustraint.cluster._nominal import is_frame
from clustraint.cluster._race import Entry, Progress, Race, Standing, fitted
from clustraint.cluster._statements import Statements
from clustraint.constraints import Constraints
from clustraint.evaluation import constraint_satisfaction
from clustraint.exceptions import ClustraintError, InvalidParameterError
from clustraint.typing import FloatArray, IntArray, LabelArray, RandomState
from clustraint.wording import counted

# With fewer statements than this, whatever they seem to prefer is chance.
FEWEST_STATEMENTS = 8
# From more samples, the race is run on those that statements speak of and some others.
MOST_RACED = 3_000
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
        By how many nats it foretold the held-out statements better than the default.
    error : float
        The standard error of the gain.
    n_statements : int
        On how many statements it was judged; less than all if it was clearly behind.
    failure : str
        Why it could not be fitted, empty if it could.

    Examples
    --------
    >>> CandidateScore("tied", 3, 4.2, 1.1, 60, "").gain
    4.2
    """

    name: str
    n_clusters: int
    gain: float
    error: float
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
        By how many nats it foretold the held-out statements better than the default.
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


class BestClusterer(ConstrainedClusterer):
    """Cluster in many ways, and keep the one that foretells statements it was not told.

    Each candidate is fitted to a part of the statements and judged by the likelihood of the others.
    What falls clearly behind leaves the race early. The default, round clusters as of k-means that
    the statements correct, is left only for a candidate that is better by more than chance.

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
        By kind, the probability that each statement is wrong; 0 or 1 where the method that was
        chosen knows no probabilities.
    constraint_report_ : ConstraintReport
        Which constraints are satisfied and which are violated.

    Notes
    -----
    A statement that the clusters contradict has the probability 0.1, since people make mistakes;
    one that they bear out 0.9. Gains are sums of log-probabilities, in nats. To be chosen, a
    candidate must gain more than one standard error over the default; of several, the one with
    the largest gain, less its standard error, wins. Up to 10 nats go to candidates that agree
    with the others: ways that differ seldom lead to the same wrong clusters.

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
    # With metadata routing on, held-out constraints reach `score` too.
    __metadata_request__score: ClassVar[dict[str, Any]] = {"constraints": True}

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

    def fit(self, X: Any, y: Any = None, *, constraints: Constraints | None = None) -> Self:
        """Choose a clustering, and cluster the samples.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            The samples.
        y : array-like of shape (n_samples,), optional
            Labels of some samples; -1, None and nan are unknown.
        constraints : Constraints, optional
            Statements about the samples, each of which may be wrong.

        Examples
        --------
        >>> model = BestClusterer(2, random_state=0).fit([[0.0], [1.0], [9.0], [8.0]])
        >>> print(model.choice_)
        round with 2 clusters: there are 0 statements, too few to choose by
        """
        samples = validate_data(self, X, dtype=np.float64)
        numbers = self._check_parameters(len(samples))
        constraints = self._check_constraints(constraints, samples)
        table = X if is_frame(X) else samples
        statements = self._statements(constraints, y, table)
        seed = int(as_generator(self.random_state).integers(2**31 - 1))
        entries, standings = self._race(Problem(samples, numbers, self.n_neighbors, seed), statements, table)
        self._fit_first(entries, standings, Problem(samples, numbers, self.n_neighbors, seed), statements, table)
        self.constraint_report_ = constraint_satisfaction(constraints, self.labels_, table)
        return self
