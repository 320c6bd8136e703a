"""Complete link that asks before it merges clusters that are far apart."""

from __future__ import annotations

import copy
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator

from clustraint.active._protocol import Pair, Query, Questions
from clustraint.checks import check_whole_number
from clustraint.kernels import agglomeration
from clustraint.kernels import questions as kernel
from clustraint.kernels.complete_link import forced_merges
from clustraint.metric.distances import (
    Metric,
    Triangle,
    checked_samples,
    distance_triangle,
    fill_triangle,
)
from clustraint.typing import FloatArray, IntArray

# Up to so many bytes distances are copied, which is faster than to compute them again.
SMALL = 1 << 26


class AskedMerges(NamedTuple):
    """The merges of complete link that follow from answers.

    Attributes
    ----------
    merges : int64 ndarray of shape (n_samples - 1, 2)
        The first samples of the two clusters that each merge joins, in the order of the merges.
    distances : float64 ndarray of shape (n_samples - 1,)
        Their distances, 0 where the answer was "yes".
    n_forced : int
        How many of the last merges join clusters that a "no" keeps apart.
    threshold : float
        Merges above this distance were asked about.

    Examples
    --------
    >>> questions = KleinMerges(np.array([[0.0], [1.0], [5.0]]), 1, 3).questions()
    >>> query = next(questions)
    >>> try:
    ...     questions.send(None)  # nobody answers
    ... except StopIteration as end:
    ...     print(end.value.merges.tolist(), end.value.distances)
    [[0, 1], [0, 2]] [1. 5.]
    """

    merges: IntArray
    distances: FloatArray
    n_forced: int
    threshold: float


class KleinMerges:
    """A strategy: ask about the last merges of complete link.

    After Klein, Kamvar and Manning, From instance-level constraints to space-level constraints,
    ICML 2002, section 5.5; the decisions are in `ActiveCompleteLinkage`.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_samples, n_features) or (n_samples, n_samples)
        The samples, or their distances if `metric` is "precomputed".
    n_clusters : int, default=2
        Questions end where so many clusters are left.
    n_queries : int, default=20
        The maximum number of questions, which also decides where they begin.
    metric : str or callable, default="euclidean"
        As in `ConstrainedCompleteLinkage`.
    max_memory : float, optional
        The bytes that the distances may take; default: what there is.

    Attributes
    ----------
    threshold : float
        Merges above this distance are asked about.

    Examples
    --------
    A plain loop drives the questions: each answer is sent for the next question.

    >>> X = np.array([[0.0], [1.0], [3.0], [7.0]])
    >>> truth = ["left", "left", "right", "right"]
    >>> questions = KleinMerges(X, n_clusters=2, n_queries=3).questions()
    >>> answer = None
    >>> while True:
    ...     try:
    ...         query = questions.send(answer)
    ...     except StopIteration as end:
    ...         merges = end.value
    ...         break
    ...     answer = query.answered(truth[query.first] == truth[query.second])
    ...     print(answer)
    Answer(first=0, second=1, answer='yes')
    Answer(first=0, second=2, answer='no')
    Answer(first=2, second=3, answer='yes')
    >>> merges.merges.tolist()
    [[0, 1], [2, 3], [0, 2]]
    """

    def __init__(
        self,
        X: Any,
        n_clusters: int = 2,
        n_queries: int = 20,
        *,
        metric: Metric = "euclidean",
        max_memory: float | None = None,
    ) -> None:
        samples = checked_samples(BaseEstimator(), X, metric)
        n_samples = samples.shape[0]
        self.n_clusters = check_whole_number("n_clusters", n_clusters, least=1, most=n_samples)
        self.n_queries = check_whole_number("n_queries", n_queries, least=0)
        # Were all answers "yes", two thirds of the questions would do.
        n_left = min(n_samples, round(2 * self.n_queries / 3) + self.n_clusters)
        # Those between the clusters that are left are held twice: as they were, and in use.
        n_more = n_left * (n_left - 1)
        distances, largest = distance_triangle(samples, metric, max_memory, n_more=n_more)
        # Merges use the distances up, and medoids go by those between samples.
        copied = max_memory is None and distances.nbytes <= SMALL
        between_samples = distances.copy() if copied else None
        clusters = agglomeration.singletons(distances, n_samples)
        self._merges, self._distances, self.threshold = kernel.merge_unasked(clusters, n_left)
        self._apart = largest + 1
        self._left: LeftClusters | None = None
        if self.n_queries and clusters.count[0] > self.n_clusters:
            between, firsts = kernel.reduced(clusters), clusters.slots[: clusters.count[0]].copy()
            if between_samples is None:
                fill_triangle(samples, metric, distances)
                between_samples = distances
            self._left = LeftClusters(between, firsts, self._merges, between_samples)
        else:
            rest, heights = kernel.merge_rest(clusters)
            self._merges = np.concatenate((self._merges, rest))
            self._distances = np.concatenate((self._distances, heights))

    def questions(self) -> Questions:
        """Yield the questions, be sent their answers, and return the `AskedMerges`.

        Sent None instead of an answer, merge the rest without questions. Each call begins anew.

        Examples
        --------
        >>> questions = KleinMerges(np.array([[0.0], [1.0], [5.0]]), 1, 3).questions()
        >>> query = next(questions)
        >>> query
        Query(first=0, second=1, distance=1.0, drawn='strategy')
        >>> questions.send(query.answered("yes"))
        Query(first=0, second=2, distance=4.0, drawn='strategy')
        """
        if self._left is None:
            return AskedMerges(self._merges, self._distances, 0, self.threshold)
        left, n_answers = self._left.copy(), 0
        while left.count > self.n_clusters and n_answers < self.n_queries:
            low, high, distance, is_unknown = left.next_pair()
            if low < 0:
                break
            if distance <= self.threshold or is_unknown:
                left.merge(low, high, distance)
                continue
            query = Query(*left.medoids(low, high), distance)
            answer = yield query
            if answer is None:
                break
            n_answers += 1
            if answer.answer == "yes":
                left.contract(low, high)
            elif answer.answer == "no":
                left.refuse(low, high, query)
            else:
                left.unknown.add(query.pair)
        return self._finished(left)

    def _finished(self, left: LeftClusters) -> AskedMerges:
        """Merge the rest: while a pair may, and then those that a "no" keeps apart."""
        while left.count > 1:
            low, high, distance, _ = left.next_pair()
            if low < 0:
                break
            left.merge(low, high, distance)
        forced = left.forced_merges()
        merges = np.array(left.merges, np.int64).reshape(-1, 2)
        heights = np.array(left.heights + [self._apart] * len(forced))
        return AskedMerges(
            np.concatenate((self._merges, merges, forced)),
            np.concatenate((self._distances, heights)),
            len(forced),
            self.threshold,
        )


class LeftClusters:
    """The clusters that are left when the questions begin, in slots of their own.

    Parameters
    ----------
    between : float ndarray
        Their distances, as a lower triangle.
    firsts : int64 ndarray of shape (n_clusters,)
        Their first samples.
    merges : int64 ndarray of shape (n_merges, 2)
        The merges of samples that made them.
    distances : float ndarray
        The distances of all samples, as a lower triangle.

    Attributes
    ----------
    merges : list of (int, int)
        The first samples of the clusters that were merged since, lower one first.
    heights : list of float
        The distances of these merges.
    unknown : set of Pair
        The samples of which nobody knows whether they belong together.
    """

    def __init__(
        self, between: Triangle, firsts: IntArray, merges: IntArray, distances: Triangle
    ) -> None:
        self.firsts = firsts
        self.clusters = agglomeration.singletons(between, len(firsts))
        n_samples = len(firsts) + len(merges)
        self.labels = np.searchsorted(firsts, _owners(merges, n_samples))
        self.members: dict[int, IntArray] = dict(enumerate(_groups(self.labels, len(firsts))))
        self.distances = distances
        self.sums = kernel.inner_sums(distances, self.labels, len(firsts))
        self.merges: list[tuple[int, int]] = []
        self.heights: list[float] = []
        self.unknown: set[Pair] = set()
        self._refusals: list[tuple[int, int]] = []

    def copy(self) -> LeftClusters:
        """Return what can be merged while the original stays; samples' distances are shared."""
        twin = copy.copy(self)
        twin.clusters = agglomeration.Clusters(*(array.copy() for array in self.clusters))
        twin.labels, twin.sums = self.labels.copy(), self.sums.copy()
        # Their arrays are replaced, never written to.
        twin.members = self.members.copy()
        twin.merges, twin.heights = self.merges.copy(), self.heights.copy()
        twin.unknown, twin._refusals = self.unknown.copy(), self._refusals.copy()
        return twin

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

    def next_pair(self) -> tuple[int, int, float, bool]:
        """Return the closest pair, its distance, and whether "don't know" was said of it.

        Such pairs are the last among their equals.
        """
        passed: list[tuple[int, int]] = []
        low, high, distance = agglomeration.closest(self.clusters)
        least = distance
        # A pair that is passed over is infinitely far for a moment, so that the next one comes up.
        while low >= 0 and distance == least and self._is_unknown(low, high):
            passed.append((low, high))
            self._set(low, high, np.inf)
            low, high, distance = agglomeration.closest(self.clusters)
        for pair in passed:
            self._set(*pair, least)
            agglomeration.offer(self.clusters, *pair)
        if passed and (low < 0 or distance > least):
            return *passed[0], least, True
        return low, high, distance, False

    def _is_unknown(self, low: int, high: int) -> bool:
        return bool(self.unknown) and frozenset(self.medoids(low, high)) in self.unknown

    def _set(self, low: int, high: int, distance: float) -> None:
        self.clusters.distances[agglomeration.place(low, high)] = distance

    def merge(self, low: int, high: int, distance: float) -> None:
        """Merge two clusters that nobody was asked about."""
        kernel.merge_pair(self.clusters, low, high)
        self._join(low, high, distance)

    def contract(self, low: int, high: int) -> None:
        """Bring two clusters to one place, and merge them there."""
        kernel.contract(self.clusters, low, high)
        self._join(low, high, 0.0)

    def _join(self, low: int, high: int, distance: float) -> None:
        self.merges.append((int(self.firsts[low]), int(self.firsts[high])))
        self.heights.append(float(distance))
        first, second = self.members[low], self.members.pop(high)
        kernel.add_across(self.distances, first, second, self.sums)
        self.members[low] = np.sort(np.concatenate((first, second)))
        self.labels[second] = low

    def refuse(self, low: int, high: int, query: Query) -> None:
        """Keep two clusters apart, because the answer to a question about them was "no"."""
        agglomeration.refuse(self.clusters, low, high)
        self._refusals.append((query.first, query.second))

    def forced_merges(self) -> IntArray:
        """Return the merges of clusters that are all kept apart, the fewest "no"s first."""
        if self.count == 1:
            return np.empty((0, 2), np.int64)
        ranks = np.searchsorted(np.array(sorted(self.members)), self.labels)
        n_refusals = np.zeros((self.count, self.count))
        for first, second in self._refusals:
            n_refusals[ranks[first], ranks[second]] += 1
            n_refusals[ranks[second], ranks[first]] += 1
        return np.asarray(self.firsts[forced_merges(self.clusters, n_refusals)])


def _owners(merges: IntArray, n_samples: int) -> IntArray:
    """Return the first sample of each sample's cluster."""
    owners = np.arange(n_samples)
    owners[merges[:, 1]] = merges[:, 0]
    # An owner comes before what it owns, so chains end after at most log2(n) doublings.
    while not np.array_equal(owners, owners[owners]):
        owners = owners[owners]
    return owners


def _groups(labels: IntArray, count: int) -> list[IntArray]:
    order = np.argsort(labels, kind="stable")
    return np.split(order, np.searchsorted(labels[order], np.arange(1, count)))
