"""How many clusters there are: numbers compared by held-out constraints, or by a stated index."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score, silhouette_score
from sklearn.utils import _safe_indexing

from clustraint.checks import check_whole_number, is_whole
from clustraint.constraints import PAIR_KINDS, RULE_KINDS, Constraints
from clustraint.evaluation import satisfaction_score
from clustraint.exceptions import (
    ClustraintError,
    ClustraintWarning,
    InconsistentConstraintsError,
    InvalidParameterError,
    NoComparisonError,
    NothingToHoldOutError,
    TooManyClustersError,
)
from clustraint.tables import SampleTable, Scale, TableEncoder
from clustraint.typing import FloatArray, IntArray
from clustraint.wording import counted
from clustraint.workflow._choice import Facts, choose_for, constraints_for, obstacle
from clustraint.workflow._holdout import Split, make_splits
from clustraint.workflow._method import AUTO, Method, methods

Numbers: TypeAlias = int | Literal["auto"] | Iterable[int]

# What "auto" compares.
LEAST, MOST = 2, 10
# Fewer constraints say too little about the number of clusters when some of them are held out.
FEWEST_CONSTRAINTS = 10
N_SPLITS = 5
HOLDOUT = 0.3
# Of more samples, so many are drawn to compare numbers by: for silhouette and stability, and for
# held-out constraints, where those that constraints speak of come first.
MOST_COMPARED = 1_000
MOST_WITH_CONSTRAINTS = 3_000
# How often two parts of the samples are clustered, and how large each part is.
N_RESAMPLED = 4
PART = 0.8
# Clusters that come back at least so well, by the adjusted Rand index, are stable.
STABLE = 0.8


class NumberScore(NamedTuple):
    """How one number of clusters did.

    Attributes
    ----------
    n_clusters : int
        The number.
    score : float
        The share of held-out constraints that hold, or the silhouette; nan if there are no
        clusters.
    error : float
        The standard error of the share; 0 for the silhouette.
    stability : float
        How well clusters come back when samples are left out, from 0 to 1; nan where constraints
        decide.
    problem : str
        Why there are no clusters, "" if there are.

    Examples
    --------
    >>> NumberScore(3, 0.71, 0.0, 0.95, "").n_clusters
    3
    """

    n_clusters: int
    score: float
    error: float
    stability: float
    problem: str


@dataclass(frozen=True, eq=False)
class NumberCurve:
    """Numbers of clusters and how they did.

    Attributes
    ----------
    scores : list of NumberScore
        The numbers, in rising order.
    by : {"held-out constraints", "silhouette"}
        What they are compared by.
    method : str
        The method that was run with each number.
    n_clusters : int
        The number that was chosen.
    reason : str
        Why, in words.

    Examples
    --------
    >>> scores = [NumberScore(2, 0.5, 0.0, 1.0, ""), NumberScore(3, 0.8, 0.0, 0.9, "")]
    >>> curve = NumberCurve(scores, "silhouette", "cop-kmeans")
    >>> curve.n_clusters, curve.reason
    (3, 'the silhouette is highest, 0.80, among the numbers whose clusters are stable')
    """

    scores: list[NumberScore]
    by: Literal["held-out constraints", "silhouette"]
    method: str

    @property
    def _best(self) -> NumberScore:
        some = [score for score in self.scores if not score.problem]
        stable = [score for score in some if not score.stability < STABLE]
        # Of equal scores the first, which is that of the fewest clusters.
        return max(stable or some, key=lambda score: round(score.score, 6))

    @property
    def n_clusters(self) -> int:
        """The number that was chosen."""
        return self._best.n_clusters

    @property
    def reason(self) -> str:
        """Why it was chosen."""
        best = self._best
        if self.by == "held-out constraints":
            return f"{best.score:.0%} of held-out constraints hold, more than with other numbers"
        among = "among the numbers whose clusters are stable"
        if best.stability < STABLE:
            among = "though no number gives stable clusters"
        return f"the silhouette is highest, {best.score:.2f}, {among}"

    def table(self) -> list[dict[str, Any]]:
        """Return a row for each number: its score, error, stability, and whether it was chosen.

        Examples
        --------
        >>> NumberCurve([NumberScore(2, 0.5, 0.0, 1.0, "")], "silhouette", "tree").table()
        [{'n_clusters': 2, 'score': 0.5, 'error': 0.0, 'stability': 1.0, 'problem': '', \
'chosen': True}]
        """
        return [
            {**score._asdict(), "chosen": score.n_clusters == self.n_clusters}
            for score in self.scores
        ]


def check_numbers(n_clusters: Numbers, n_samples: int) -> tuple[int, ...]:
    """Return the numbers of clusters that come into question, in rising order.

    Examples
    --------
    >>> check_numbers("auto", 100), check_numbers(range(3, 5), 100), check_numbers(2, 100)
    ((2, 3, 4, 5, 6, 7, 8, 9, 10), (3, 4), (2,))
    """
    if isinstance(n_clusters, str) and n_clusters == AUTO:
        return tuple(range(LEAST, max(LEAST, min(MOST, n_samples - 1)) + 1))
    wanted = "a whole number from 1 up, several of them, or 'auto'"
    if isinstance(n_clusters, str) or not (
        is_whole(n_clusters) or isinstance(n_clusters, Iterable)
    ):
        raise InvalidParameterError("n_clusters", n_clusters, wanted)
    several = (n_clusters,) if is_whole(n_clusters) else tuple(n_clusters)  # type: ignore[arg-type]
    if not several:
        raise InvalidParameterError("n_clusters", n_clusters, wanted)
    numbers = sorted({check_whole_number("n_clusters", each, least=1) for each in several})
    if numbers[0] > n_samples:
        raise TooManyClustersError(numbers[0], n_samples)
    return tuple(number for number in numbers if number <= n_samples)


def choose_number(
    table: SampleTable,
    constraints: Constraints | None = None,
    n_clusters: Numbers = "auto",
    *,
    method: str = AUTO,
    scale: Scale = "standard",
    random_state: int | None = 0,
    step: Callable[..., None] | None = None,
) -> NumberCurve:
    r"""Compare numbers of clusters.

    With at least 10 constraints, a part of them is held out several times, and the number counts
    with which most of these hold, every kind counting the same. Otherwise it is the number of the
    highest silhouette among those with stable clusters: two random parts of the samples, of 80 %
    each, are clustered alike where both have samples (an adjusted Rand index of at least 0.8, in
    the mean of 4 times).

    Parameters
    ----------
    table : SampleTable
        The samples; of more than 1,000, some are drawn for silhouette and stability, and of more
        than 3,000 for held-out constraints: those that constraints speak of, and some others.
    constraints : Constraints, optional
        Constraints on them.
    n_clusters : int, iterable of int or "auto", default="auto"
        The numbers to compare; "auto" takes 2 to 10.
    method : str, default="auto"
        The method to run with each number; "auto" takes one that is quick and accepts constraints
        that contradict each other.
    scale : {"standard", "minmax", "none"}, default="standard"
        How numeric columns are scaled.
    random_state : int or None, default=0
        The seed of splits, parts and methods.
    step : callable, optional
        Called before each number with its name and, as `total`, how many there are.

    Returns
    -------
    NumberCurve
        The numbers, how they did, and which was chosen.

    Examples
    --------
    >>> import io
    >>> from clustraint.tables import read_table
    >>> from clustraint.workflow import choose_number
    >>> table = read_table(io.BytesIO(b"x\n1\n2\n3\n4\n51\n52\n53\n54\n91\n92\n93\n94\n"))
    >>> curve = choose_number(table, n_clusters=range(2, 6))
    >>> curve.n_clusters, curve.by
    (3, 'silhouette')
    """
    if constraints is None:
        constraints = Constraints(table.n_samples)
    numbers = check_numbers(n_clusters, table.n_samples)
    chosen = _method(table, constraints, method)
    trials = _Trials(table, constraints, chosen, scale, int(random_state or 0))
    tell = step or (lambda name, total: None)
    scores = []
    for number in numbers:
        tell(counted(number, "cluster"), total=len(numbers))
        scores.append(trials.score(number))
    if all(score.problem for score in scores):
        raise NoComparisonError(scores[0].problem)
    by: Any = "held-out constraints" if trials.splits else "silhouette"
    return NumberCurve(scores, by, chosen.name)


def _method(table: SampleTable, constraints: Constraints, name: str) -> Method:
    """Return the method to run with each number."""
    # Any number would do here: whether methods accept the table does not depend on it.
    facts = Facts.of(table, constraints, LEAST)
    if name != AUTO or not constraints.n_constraints:
        return choose_for(facts, name).method
    soft = "pc-kmeans" if facts.kinds <= {*PAIR_KINDS, *RULE_KINDS} else "mixture"
    return choose_for(facts, AUTO if obstacle(methods()[soft], facts) else soft).method


class _Trials:
    """Runs a method with several numbers of clusters."""

    def __init__(
        self,
        table: SampleTable,
        constraints: Constraints,
        method: Method,
        scale: Scale,
        random_state: int,
    ) -> None:
        self.table = table
        self.method = method
        self.random_state = random_state
        self.X = TableEncoder(method.view, scale=scale).fit_transform(table)
        rng = np.random.default_rng(random_state)
        self.splits: Sequence[Split] = ()
        # What rules are about, and the rows that are clustered where constraints decide.
        self.ruled: Any = table
        self.constrained: IntArray | None = None
        if constraints.n_constraints >= FEWEST_CONSTRAINTS:
            if table.n_samples > MOST_WITH_CONSTRAINTS:
                constraints = constraints.expand_rules(table)
                self.constrained = _constrained_rows(constraints, rng)
                constraints = constraints[self.constrained]
                self.ruled = _safe_indexing(self.X, self.constrained)
            self.splits = _splits(self.ruled, constraints, random_state)
        n_samples = table.n_samples
        self.rows = np.sort(rng.permutation(n_samples)[:MOST_COMPARED])
        self.parts = [
            [np.sort(rng.permutation(self.rows)[: self._part_size]) for _ in range(2)]
            for _ in range(N_RESAMPLED)
        ]

    @property
    def _part_size(self) -> int:
        return max(2, round(PART * len(self.rows)))

    def score(self, number: int) -> NumberScore:
        """Return how a number does."""
        try:
            return self._by_constraints(number) if self.splits else self._by_index(number)
        except ClustraintError as error:
            return NumberScore(number, float("nan"), 0.0, float("nan"), str(error))

    def _labels(self, number: int, rows: IntArray | None, constraints: Constraints | None) -> Any:
        of_texts = "text" in self.table.kinds
        estimator = self.method.make(number, self.random_state, of_texts=of_texts)
        X = self.X if rows is None else _safe_indexing(self.X, rows)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ClustraintWarning)
            warnings.simplefilter("ignore", ConvergenceWarning)
            return np.asarray(estimator.fit(X, constraints=constraints).labels_)

    def _by_constraints(self, number: int) -> NumberScore:
        shares: list[float] = []
        for split in self.splits:
            accepted = constraints_for(self.method, split.training, self.ruled)
            labels = self._labels(number, self.constrained, accepted)
            shares.append(satisfaction_score(split.held_out, labels, self.ruled))
        error = float(np.std(shares) / np.sqrt(len(shares)))
        return NumberScore(number, float(np.mean(shares)), error, float("nan"), "")

    def _by_index(self, number: int) -> NumberScore:
        labels = self._labels(number, self.rows, None)
        silhouette = 0.0
        if 2 <= len(np.unique(labels)) < len(labels):
            silhouette = float(silhouette_score(self._numbers_of(self.rows), labels))
        return NumberScore(number, silhouette, 0.0, self._stability(number), "")

    def _numbers_of(self, rows: IntArray) -> Any:
        if self.method.view == "matrix":
            return _safe_indexing(self.X, rows)
        if not hasattr(self, "_matrix"):
            self._matrix = TableEncoder("matrix").fit_transform(self.table)
        return _safe_indexing(self._matrix, rows)

    def _stability(self, number: int) -> float:
        """Return how alike two parts of the samples are clustered where they overlap."""
        if self._part_size <= number:
            return 0.0
        alike: list[float] = []
        for parts in self.parts:
            labels = [
                dict(zip(rows, self._labels(number, rows, None), strict=True)) for rows in parts
            ]
            both = [row for row in labels[0] if row in labels[1]]
            pair: list[FloatArray] = [np.array([each[row] for row in both]) for each in labels]
            alike.append(adjusted_rand_score(*pair))
        return float(np.mean(alike))


def _constrained_rows(constraints: Constraints, rng: np.random.Generator) -> IntArray:
    """Return rows to cluster: those that constraints speak of first, and some others."""
    is_named = np.zeros(constraints.n_samples, np.bool_)
    for links in constraints.links.values():
        is_named[links.rows.ravel()] = True
    order = rng.permutation(constraints.n_samples)
    first = np.concatenate([order[is_named[order]], order[~is_named[order]]])
    return np.sort(first[:MOST_WITH_CONSTRAINTS])


def _splits(table: Any, constraints: Constraints, random_state: int) -> list[Split]:
    try:
        return make_splits(table, constraints, N_SPLITS, HOLDOUT, random_state)
    except NothingToHoldOutError:
        return []
    except InconsistentConstraintsError:
        # What contradicts itself entails everything, so nothing is left out as implied.
        rng = np.random.default_rng(random_state)
        parts = [constraints.split(HOLDOUT, random_state=rng) for _ in range(N_SPLITS)]
        return [Split(training, held_out, 0) for training, held_out in parts]
