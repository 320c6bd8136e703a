"""The pair whose answer is expected to change most labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.cluster import KMeans

from clustraint.active._pair_strategy import Memory, Pairs, PairStrategy
from clustraint.active._posterior import Neighbours, Posterior
from clustraint.exceptions import NoEstimatorError
from clustraint.typing import BoolArray, FloatArray, IntArray

# The samples that stand for others, by cluster and question, and at most.
CELLS_PER_CLUSTER = 10
MOST_CELLS = 300
# How far a model is believed where nothing was asked yet.
UNSEEN = 0.5


class ExpectedChange(PairStrategy):
    """A strategy: the pair whose answer is expected to change the labels of most samples.

    Near samples are put into cells, by k-means, and the medoid of a cell stands for them. The
    probabilities of clusters for a medoid come from the `model`, which is refitted after each
    answer; as long as nothing near it was asked about, they are mixed with even odds. Were it asked
    whether the medoid belongs with a sample of some cluster, each answer would change these
    probabilities, as far as answers are right (the `trust_` that the model learnt): the
    expected change, times the samples in the cell, is what the question is worth.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_samples, n_features)
        The samples.
    n_clusters : int, default=2
        The number of clusters.
    n_queries : int, default=20
        The maximum number of questions.
    model : estimator
        Any clusterer that takes must-links and cannot-links. One with `probabilities_` and a
        parameter `init`, such as `ConstrainedMixture`, goes on from where it was; of any other,
        probabilities are the shares of clusters among near samples.
    constraints : Constraints, optional
        What is known before the first question.
    random_share : float from 0 to 1, default=0
        The share of questions about pairs drawn at random. Only these tell how well a clustering
        does on pairs in general: those that a strategy chooses are the difficult ones.
    max_samples : int, default=2000
        Questions are about so many of the samples at most, those of `constraints` and others drawn
        at random, so that the next question comes at once however many there are.
    random_state : int, RandomState, Generator or None, default=0
        The source of randomness. An int gives the same questions after the same answers.

    Examples
    --------
    >>> from clustraint import ConstrainedMixture
    >>> from clustraint.active import Session
    >>> X = [[0.0], [1.0], [8.0], [9.5]]
    >>> model = ConstrainedMixture(2, random_state=0)
    >>> session = Session("expected-change", X, n_clusters=2, n_queries=3, estimator=model)
    >>> session.question is None
    False
    """

    def __init__(
        self, X: Any, n_clusters: int = 2, n_queries: int = 20, *, model: Any, **options: Any
    ) -> None:
        super().__init__(X, n_clusters, n_queries, **options)
        if model is None:
            raise NoEstimatorError("the strategy expected-change")
        self._model = model
        self._neighbours = Neighbours(self._X)
        self._fits: dict[int, Any] = {}
        self._medoids, self._sizes, self._width = self._cells()

    def _cells(self) -> tuple[IntArray, FloatArray, float]:
        """Return the medoids of cells, how many samples these have, and how wide they are."""
        n_cells = min(max(CELLS_PER_CLUSTER * self.n_clusters, self.n_queries), MOST_CELLS)
        n_cells = min(n_cells, len(np.unique(self._X, axis=0)))
        model = KMeans(n_cells, n_init=1, random_state=self._seed % 2**32).fit(self._X)
        gaps = ((self._X - model.cluster_centers_[model.labels_]) ** 2).sum(axis=1)
        # By cell, and within it by distance to the centre: the first of each cell is its medoid.
        order = np.lexsort((gaps, model.labels_))
        medoids = order[np.searchsorted(model.labels_[order], np.arange(n_cells))]
        return medoids, np.bincount(model.labels_).astype(np.float64), float(gaps.mean()) + 1e-12

    def _pairs(self, memory: Memory, rng: np.random.Generator) -> Pairs:
        posterior = Posterior(self._model, self._X, self._neighbours, self._fits)
        gaps = np.full(len(self._X), np.inf)
        seen = np.zeros(len(self._X), bool)
        while True:
            probabilities = posterior.refit(memory.constraints)
            linked = memory.is_linked
            for sample in np.flatnonzero(linked & ~seen).tolist():
                gaps = np.minimum(gaps, self._squares(sample))
            seen = linked
            # A model is too sure where nobody was asked: far from all answers, beliefs are mixed
            # with no opinion.
            doubt = (UNSEEN * (1 - np.exp(-gaps / (2 * self._width))))[:, np.newaxis]
            beliefs = (1 - doubt) * probabilities + doubt / probabilities.shape[1]
            pair = self._best(memory, beliefs, linked, posterior.trust)
            if pair is None:
                return
            yield pair

    def _best(
        self, memory: Memory, beliefs: FloatArray, linked: BoolArray, trust: float
    ) -> tuple[int, int] | None:
        """Return the pair of the greatest expected change that is worth asking."""
        anchors = self._anchors(beliefs, linked)
        changes = expected_changes(beliefs[self._medoids], beliefs[anchors], trust)
        # What an answer says of a medoid goes for its cell.
        worth = self._sizes[:, np.newaxis] * changes
        # The best pair whose answer does not follow already.
        for place in np.argsort(-worth, axis=None, kind="stable").tolist():
            cell, cluster = divmod(place, len(anchors))
            pair = int(self._medoids[cell]), int(anchors[cluster])
            if pair[0] != pair[1] and memory.recall(pair) is None:
                return pair
        return None

    def _anchors(self, beliefs: FloatArray, linked: BoolArray) -> IntArray:
        """Return a sample that stands for each cluster: one that was asked about, if it is sure."""
        sure = np.where(linked[:, np.newaxis], beliefs, 0)
        shares = beliefs[self._medoids] * self._sizes[:, np.newaxis]
        largest = self._medoids[shares.argmax(axis=0)]
        anchors: IntArray = np.where(sure.max(axis=0) > 0.5, sure.argmax(axis=0), largest)
        return anchors


def expected_changes(beliefs: FloatArray, anchors: FloatArray, trust: float) -> FloatArray:
    """Return by how much an answer is expected to change beliefs: total variation, for each pair.

    Parameters
    ----------
    beliefs : ndarray of shape (n_samples, n_clusters)
        The probabilities of clusters for the samples.
    anchors : ndarray of shape (n_anchors, n_clusters)
        Those for the samples that they may be compared with.
    trust : float
        The probability that an answer is right.

    Returns
    -------
    ndarray of shape (n_samples, n_anchors)

    Examples
    --------
    >>> expected_changes(np.array([[0.5, 0.5], [1.0, 0.0]]), np.array([[1.0, 0.0]]), 1.0)
    array([[0.5],
           [0. ]])
    """
    expected = np.zeros((len(beliefs), len(anchors)))
    for right in (trust, 1 - trust):
        # The probability of "yes" (then of "no") if the sample is in each cluster.
        likelihood = right * anchors + (1 - right) * (1 - anchors)
        joint = beliefs[:, np.newaxis] * likelihood
        answered = joint.sum(axis=2, keepdims=True)
        expected += np.abs(joint - answered * beliefs[:, np.newaxis]).sum(axis=2) / 2
    return expected
