"""Questions about merges, and what follows from the answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from clustraint.checks import is_whole
from clustraint.constraints import Constraints
from clustraint.exceptions import InvalidAnswerError, UnexpectedAnswerError
from clustraint.kernels import agglomeration, questions
from clustraint.kernels.complete_link import forced_merges
from clustraint.metric._distances import Metric, distance_triangle, fill_triangle
from clustraint.typing import FloatArray, IntArray

Said: TypeAlias = Literal["yes", "no", "don't know"]

SAID: dict[object, Said] = {True: "yes", False: "no", None: "don't know"}


class Answer(NamedTuple):
    """What was said to a question.

    Attributes
    ----------
    first, second : int
        The samples that it was about.
    answer : {"yes", "no", "don't know"}
        Whether they belong together.

    Examples
    --------
    >>> Answer(0, 5, "yes")
    Answer(first=0, second=5, answer='yes')
    """

    first: int
    second: int
    answer: Said


class Query(NamedTuple):
    """The question whether two samples belong together.

    Attributes
    ----------
    first, second : int
        The samples, which are the medoids of the two clusters to be merged.
    distance : float
        The complete-link distance of the clusters, after what was answered so far.

    Examples
    --------
    >>> Query(0, 5, 2.5).answered("yes")
    Answer(first=0, second=5, answer='yes')
    """

    first: int
    second: int
    distance: float

    def answered(self, answer: Any) -> Answer:
        """Return the question with its answer: "yes", "no" or "don't know", or True, False, None.

        Examples
        --------
        >>> Query(0, 5, 2.5).answered(None)
        Answer(first=0, second=5, answer="don't know")
        """
        return Answer(self.first, self.second, said(answer))


def said(answer: Any) -> Said:
    """Return an answer in words.

    Examples
    --------
    >>> said(True), said("no")
    ('yes', 'no')
    """
    if isinstance(answer, bool | np.bool_) or answer is None:
        return SAID[None if answer is None else bool(answer)]
    for word in SAID.values():
        if isinstance(answer, str) and answer == word:
            return word
    raise InvalidAnswerError(answer)


class Questions:
    """Complete link that stops at each question and goes on with its answer.

    Parameters
    ----------
    X : array or table
        Validated samples.
    metric : str or callable
        Their metric.
    n_clusters : int
        Where questions end.
    n_queries : int
        How many questions may be asked.
    max_memory : float or None
        The bytes that the distances may take.

    Attributes
    ----------
    threshold : float
        Merges above this distance are asked about.
    answers : list of Answer
        What was said so far.

    Examples
    --------
    >>> asked = Questions(np.array([[0.0], [1.0], [5.0]]), "euclidean", 1, 3, None)
    >>> asked.ask()
    Query(first=0, second=1, distance=1.0)
    """

    def __init__(
        self, X: Any, metric: Metric, n_clusters: int, n_queries: int, max_memory: float | None
    ) -> None:
        self.X = X
        self.metric = metric
        self.n_clusters = n_clusters
        self.n_queries = n_queries
        self.answers: list[Answer] = []
        n_samples = X.shape[0]
        n_left = min(n_samples, round(2 * n_queries / 3) + n_clusters)
        self.distances, largest = distance_triangle(X, metric, max_memory, n_copied=n_left)
        self.apart = largest + 1
        self.clusters = agglomeration.singletons(self.distances, n_samples)
        first, heights, self.threshold = questions.merge_unasked(self.clusters, n_left)
        self.merges: list[tuple[int, int]] = [(int(low), int(high)) for low, high in first]
        self.heights: list[float] = heights.tolist()
        self.pending: tuple[int, int] | None = None
        self.unknown: set[tuple[int, int]] = set()
        self.reduced: Reduced | None = None

    def ask(self) -> Query | None:
        """Return the next question, None where there is none."""
        if self.n_queries == 0 or self.clusters.count[0] <= self.n_clusters:
            return None
        state = self._reduced()
        while state.count > self.n_clusters and len(self.answers) < self.n_queries:
            low, high, distance, is_unknown = state.next_pair(self.unknown)
            if low < 0:
                return None
            if distance > self.threshold and not is_unknown:
                self.pending = low, high
                return Query(*state.medoids(low, high), distance)
            self._merge(low, high, distance)
        return None

    def answer(self, answer: Answer) -> None:
        """Take the answer to the question that `ask` returned last."""
        if self.pending is None:
            raise RuntimeError("no question was asked")
        low, high = self.pending
        state = self._reduced()
        self.pending = None
        self.answers.append(answer)
        if answer.answer == "yes":
            self._merge(low, high, 0.0, is_answered=True)
        elif answer.answer == "no":
            agglomeration.refuse(state.clusters, low, high)
        else:
            self.unknown.add((answer.first, answer.second))

    def replay(self, answers: Iterable[Any]) -> None:
        """Ask again what was answered before; raise where the answers do not fit."""
        for number, row in enumerate(answers, start=1):
            given = checked_answer(row)
            asked = self.ask()
            pair = (given.first, given.second)
            if asked is None or {*pair} != {asked.first, asked.second}:
                raise UnexpectedAnswerError(number, pair, asked[:2] if asked else None)
            self.answer(asked.answered(given.answer))

    def finish(self) -> tuple[IntArray, FloatArray, int]:
        """Merge the rest without questions.

        Returns the merges by first samples, their distances, and how many joined clusters that a
        "no" keeps apart.
        """
        n_samples = len(self.clusters.sizes)
        if self.reduced is None:
            merges, heights = questions.merge_rest(self.clusters)
            self._record(merges, heights)
        else:
            self._finish_reduced(self.reduced)
        n_forced = n_samples - 1 - sum(height < self.apart for height in self.heights)
        merged = np.array(self.merges, np.int64).reshape(-1, 2)
        return merged, np.array(self.heights), n_forced

    def _finish_reduced(self, state: Reduced) -> None:
        while state.count > 1:
            low, high, distance, _ = state.next_pair(self.unknown)
            if low < 0:
                break
            self._merge(low, high, distance)
        if state.count > 1:
            merges = state.firsts[forced_merges(state.clusters, state.refusals(self.answers))]
            self._record(merges, np.full(len(merges), self.apart))

    def _record(self, merges: IntArray, heights: FloatArray) -> None:
        self.merges += [(int(low), int(high)) for low, high in merges]
        self.heights += heights.tolist()

    def _reduced(self) -> Reduced:
        if self.reduced is None:
            self.reduced = Reduced(self)
        return self.reduced

    def _merge(self, low: int, high: int, distance: float, is_answered: bool = False) -> None:
        state = self._reduced()
        self.merges.append((int(state.firsts[low]), int(state.firsts[high])))
        self.heights.append(float(distance))
        state.merge(low, high, is_answered)


class Reduced:
    """The clusters that are left when the questions begin, in slots of their own.

    Parameters
    ----------
    asked : Questions
        Where the first merges have been made. Its distances, which these used up, are filled in
        again: medoids go by the distances between samples.
    """

    def __init__(self, asked: Questions) -> None:
        before = asked.clusters
        count = int(before.count[0])
        self.firsts: IntArray = before.slots[:count].copy()
        self.clusters = agglomeration.singletons(questions.reduced(before), count)
        self.labels = self._labels(asked.merges, len(before.sizes))
        self.members: dict[int, IntArray] = dict(enumerate(_groups(self.labels, count)))
        self.distances = asked.distances
        fill_triangle(asked.X, asked.metric, self.distances)
        self.sums = questions.inner_sums(self.distances, self.labels)

    def _labels(self, merges: Sequence[tuple[int, int]], n_samples: int) -> IntArray:
        """Return the slot of each sample."""
        owners = np.arange(n_samples)
        if merges:
            low, high = np.array(merges).T
            owners[high] = low
        # An owner comes before what it owns, so chains end after at most log2(n) doublings.
        while not np.array_equal(owners, owners[owners]):
            owners = owners[owners]
        return np.searchsorted(self.firsts, owners)

    @property
    def count(self) -> int:
        """How many clusters there are."""
        return len(self.members)

    def medoids(self, low: int, high: int) -> tuple[int, int]:
        """Return the samples that are nearest to all others of two clusters."""
        first, second = (
            int(self.members[slot][np.argmin(self.sums[self.members[slot]])])
            for slot in (low, high)
        )
        return first, second

    def next_pair(self, unknown: set[tuple[int, int]]) -> tuple[int, int, float, bool]:
        """Return the closest pair, its distance, and whether "don't know" was said of it.

        Such pairs are the last among their equals.
        """
        passed: list[tuple[int, int]] = []
        low, high, distance = agglomeration.closest(self.clusters)
        least = distance
        while low >= 0 and distance == least and self._is_among(low, high, unknown):
            passed.append((low, high))
            self._set(low, high, np.inf)
            low, high, distance = agglomeration.closest(self.clusters)
        for pair in passed:
            self._set(*pair, least)
            agglomeration.offer(self.clusters, *pair)
        if passed and (low < 0 or distance > least):
            return *passed[0], least, True
        return low, high, distance, False

    def _is_among(self, low: int, high: int, unknown: set[tuple[int, int]]) -> bool:
        if not unknown:
            return False
        first, second = self.medoids(low, high)
        return (first, second) in unknown or (second, first) in unknown

    def _set(self, low: int, high: int, distance: float) -> None:
        self.clusters.distances[agglomeration.place(low, high)] = distance

    def merge(self, low: int, high: int, is_answered: bool) -> None:
        """Merge two clusters; a "yes" brings them to one place first."""
        if is_answered:
            questions.contract(self.clusters, low, high)
        else:
            questions.merge_pair(self.clusters, low, high)
        first, second = self.members[low], self.members.pop(high)
        questions.add_across(self.distances, first, second, self.sums)
        self.members[low] = np.sort(np.concatenate((first, second)))
        self.labels[second] = low

    def refusals(self, answers: Iterable[Answer]) -> FloatArray:
        """Return how many "no"s there are between any two of the clusters that are left."""
        ranks = np.searchsorted(np.array(sorted(self.members)), self.labels)
        between = np.zeros((self.count, self.count))
        for first, second, answer in answers:
            if answer == "no":
                between[ranks[first], ranks[second]] += 1
                between[ranks[second], ranks[first]] += 1
        return between


def _groups(labels: IntArray, count: int) -> list[IntArray]:
    order = np.argsort(labels, kind="stable")
    return np.split(order, np.searchsorted(labels[order], np.arange(1, count)))


def checked_answer(row: Any) -> Answer:
    """Return one row of a list of answers, which may come from a file."""
    try:
        first, second, answer = row
    except (TypeError, ValueError):
        raise InvalidAnswerError(row) from None
    if not (is_whole(first) and is_whole(second)):
        raise InvalidAnswerError(row)
    return Answer(int(first), int(second), said(answer))


def constraints_of(answers: Iterable[Answer], n_samples: int) -> Constraints:
    """Return answers as must-links and cannot-links.

    Examples
    --------
    >>> constraints_of([Answer(0, 1, "yes"), Answer(0, 2, "no"), Answer(1, 2, "don't know")], 3)
    Constraints(3 samples: 1 must-link, 1 cannot-link)
    """
    pairs: dict[str, list[tuple[int, int]]] = {"yes": [], "no": [], "don't know": []}
    for first, second, answer in answers:
        pairs[answer].append((first, second))
    return Constraints(n_samples, must_link=pairs["yes"], cannot_link=pairs["no"])
