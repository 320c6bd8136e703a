"""Complete link that asks whether two clusters belong together before it merges them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, ClassVar, Self

from sklearn.base import clone
from sklearn.utils import metadata_routing

from clustraint.active import Answer, AskedMerges, KleinMerges, Query, Session
from clustraint.checks import encode_labels
from clustraint.cluster._hierarchical import HierarchicalClusterer
from clustraint.constraints import Constraints
from clustraint.evaluation import ConstraintReport
from clustraint.exceptions import InvalidParameterError, UnexpectedAnswerError
from clustraint.kernels.merges import Merges
from clustraint.metric.distances import Metric, checked_samples, distances_between
from clustraint.typing import FloatArray

Oracle = Callable[[int, int], Any]


class ActiveCompleteLinkage(HierarchicalClusterer):
    """Complete link that asks about its last merges, a question at a time.

    After Klein, Kamvar and Manning, From instance-level constraints to space-level constraints,
    ICML 2002, section 5.5. Near samples are merged without a question. Before clusters that are far
    apart are merged, somebody is asked whether two samples, their medoids, belong together; the
    answer changes the distances as a must-link or cannot-link does, and so the next question.

    Parameters
    ----------
    n_clusters : int, default=2
        The number of clusters: the last ``n_clusters - 1`` merges are undone, and not asked about.
    n_queries : int, default=20
        How many questions may be asked; fewer may do.
    metric : str or callable, default="euclidean"
        As in `ConstrainedCompleteLinkage`.
    max_memory : float, optional
        The bytes that the distances may take; default: what there is. They take 4 bytes a pair
        of samples if `X` is float32, otherwise 8.

    Attributes
    ----------
    labels_ : int32 ndarray of shape (n_samples,)
        The cluster of each sample, numbered by first samples.
    queries_ : list of Answer
        The questions that were asked, with their answers.
    constraints_ : Constraints
        The answers as must-links and cannot-links.
    threshold_ : float
        Merges above this distance were asked about.
    hierarchy_ : Hierarchy
        All merges, in their order.
    linkage_ : float64 ndarray of shape (n_samples - 1, 4)
        The merges as scipy has them, with distances raised by the smallest float step wherever they
        do not increase, so that cutting by height undoes the last merges.
    merge_distances_ : float64 ndarray of shape (n_samples - 1,)
        The distance of each merge, 0 where the answer was "yes". Merges of clusters that a "no"
        keeps apart are the last ones, at the largest distance between samples plus 1.
    n_forced_merges_ : int
        How many these are.
    constraint_report_ : ConstraintReport
        Which of `constraints_` the clusters satisfy.
    n_features_in_, feature_names_in_
        As scikit-learn defines them.

    Notes
    -----
    *Where questions begin.* The paper asks from the distance on at which no more questions are
    expected than are allowed. That is here the distance of the merge that leaves two thirds of
    `n_queries`, rounded, plus `n_clusters` clusters: were all answers "yes", two thirds of the
    questions would do, and the last third is for "no". With fewer samples than that, every merge is
    asked about. Questions end where `n_clusters` clusters are left; when they are spent, merges go
    on without.

    The paper expects that answers bring later merges below that distance, which are then made
    without a question. On the matrix of the clusters that are left none can be: the closest pair is
    the one that is asked about, and no path is shorter than its distance.

    *Yes*: the clusters are at distance 0, all other distances become those of the shortest paths
    through them, and they are merged. *No*: the clusters are kept apart, and whatever they are
    merged with; this is no step of a later path. *Don't know*: the clusters are merged after others
    at the same distance, and the same two samples are not asked about again. When all clusters
    that are left are kept apart, the pair with the fewest "no"s is merged, then the one of the
    smallest complete-link distance, then that of the lowest first samples.

    *Medoids* are by the distances between the samples, whatever the answers were; the paper speaks
    of the roots of the merge.

    The same samples, parameters and answers always lead to the same question: a program may keep
    nothing but the list of answers. Without anybody to ask this is plain complete link.

    Examples
    --------
    >>> import numpy as np
    >>> from clustraint import ActiveCompleteLinkage
    >>> X = np.array([[0.0], [1.0], [4.0], [5.1], [9.0], [10.2]])
    >>> truth = ["left", "left", "left", "right", "right", "right"]
    >>> model = ActiveCompleteLinkage(2, n_queries=4)
    >>> model.fit(X, oracle=lambda a, b: truth[a] == truth[b]).labels_
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    >>> model.queries_[0]
    Answer(first=2, second=3, answer='no')
    """

    constraint_kinds: ClassVar[tuple[str, ...]] = ()
    takes_labels: ClassVar[bool] = True

    __metadata_request__fit: ClassVar[dict[str, Any]] = {"constraints": metadata_routing.UNUSED}

    def __init__(
        self,
        n_clusters: int = 2,
        n_queries: int = 20,
        *,
        metric: Metric = "euclidean",
        max_memory: float | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_queries = n_queries
        self.metric = metric
        self.max_memory = max_memory

    def fit(  # type: ignore[override]  # answers take the place of constraints
        self,
        X: Any,
        y: Any = None,
        *,
        oracle: Oracle | None = None,
        answers: Iterable[Any] = (),
    ) -> Self:
        """Cluster the samples.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features) or (n_samples, n_samples)
            The samples, or their distances if `metric` is "precomputed".
        y : array-like of shape (n_samples,), optional
            Labels of some samples; -1, None or nan where unknown. They answer questions about two
            labelled samples; others go to the oracle, or are answered "don't know" without one.
            Ignored if none is unknown.
        oracle : callable, optional
            Called with the numbers of two samples, it says whether they belong together: "yes",
            "no" or "don't know", or True, False or None.
        answers : iterable of Answer, or of rows (first, second, answer), default=()
            What was answered already, in the order of the questions. After them the oracle is
            asked, and without one nobody.

        Raises
        ------
        UnexpectedAnswerError
            If the answers are not to the questions that come up.
        NotEnoughMemoryError
            If the distances do not fit into memory, before they are computed.

        Examples
        --------
        >>> X = [[0.0], [1.0], [3.0], [7.0]]
        >>> model = ActiveCompleteLinkage(2, n_queries=3)
        >>> model.fit(X, answers=[(0, 1, "yes"), (0, 2, "no")]).labels_.tolist()
        [0, 0, 1, 1]
        >>> model.fit(X, ["low", "low", "high", None]).labels_.tolist()
        [0, 0, 1, 1]
        """
        if oracle is not None and not callable(oracle):
            raise InvalidParameterError("oracle", oracle, "a function of two sample numbers")
        return self._fit_checked(X, y, None, oracle=oracle, answers=answers)

    def next_query(self, X: Any, answers: Iterable[Any] = ()) -> Query | None:
        """Return the question that comes after some answers; nothing is kept.

        To take an answer back, leave it out.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features) or (n_samples, n_samples)
            The samples, as for `fit`.
        answers : iterable of Answer, or of rows (first, second, answer), default=()
            The answers so far, in the order of the questions.

        Returns
        -------
        query : Query or None
            None where no question is left.

        Raises
        ------
        UnexpectedAnswerError
            If the answers are not to the questions that come up.

        Examples
        --------
        >>> X = [[0.0], [1.0], [3.0], [7.0]]
        >>> model = ActiveCompleteLinkage(2, n_queries=3)
        >>> query = model.next_query(X)
        >>> query
        Query(first=0, second=1, distance=1.0, drawn='strategy')
        >>> answers = [query.answered("yes")]
        >>> model.next_query(X, answers)
        Query(first=0, second=2, distance=2.0, drawn='strategy')
        """
        # A clone, since validation notes the number and the names of features.
        blank: ActiveCompleteLinkage = clone(self)
        samples = blank._validate(X)
        blank._check_parameters(samples.shape[0])
        return blank._session(samples, answers).question

    def _validate(self, X: Any, *, reset: bool = True) -> Any:
        return checked_samples(self, X, self.metric, reset=reset)

    def _distances_to_fitted(self, X: Any) -> FloatArray:
        return distances_between(X, self._fitted_samples, self.metric)

    def _session(self, X: Any, answers: Iterable[Any]) -> Session:
        """Return a session in which the first questions have these answers."""
        session = Session(
            KleinMerges,
            X,
            n_clusters=self.n_clusters,
            n_queries=self.n_queries,
            metric=self.metric,
            max_memory=self.max_memory,
        )
        for number, row in enumerate(answers, start=1):
            answer, query = Answer.parse(row), session.question
            if query is None or query.pair != answer.pair:
                raise UnexpectedAnswerError(number, answer[:2], query and query[:2])
            session.answer(answer.answer)
        return session

    def _fit(
        self,
        X: Any,
        constraints: Constraints,
        oracle: Oracle | None = None,
        answers: Iterable[Any] = (),
        y: list[Any] | None = None,
    ) -> None:
        session = self._session(X, answers)
        oracle = oracle if y is None else _labels_first(y, oracle)
        while oracle is not None and (query := session.question) is not None:
            session.answer(oracle(query.first, query.second))
        outcome: AskedMerges = session.finish()
        self.n_forced_merges_ = outcome.n_forced
        self.threshold_ = float(outcome.threshold)
        self.queries_: list[Answer] = session.answers
        self.constraints_ = session.constraints
        self._keep_merges(Merges(outcome.merges, outcome.distances))
        self.labels_ = self._cut(self.n_clusters)
        self._fitted_samples = None if self.metric == "precomputed" else X

    def _report(self, X: Any, constraints: Constraints) -> ConstraintReport:
        return super()._report(X, self.constraints_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.metric == "precomputed"
        tags.input_tags.categorical = tags.input_tags.string = self.metric == "hamming"
        return tags


def _labels_first(y: list[Any], oracle: Oracle | None) -> Oracle:
    """Return who answers by labels where both samples have one, and asks the oracle elsewhere."""
    classes = encode_labels(y)[0]

    def answer(first: int, second: int) -> Any:
        if classes[first] >= 0 and classes[second] >= 0:
            return bool(classes[first] == classes[second])
        return None if oracle is None else oracle(first, second)

    return answer
