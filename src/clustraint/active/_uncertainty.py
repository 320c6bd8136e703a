"""The sample whose cluster is least certain, for what finding it out costs."""

from __future__ import annotations

from typing import Any

import numpy as np

from clustraint.active._pair_strategy import Memory, Pairs, PairStrategy
from clustraint.active._posterior import Neighbours, Posterior
from clustraint.exceptions import NoEstimatorError
from clustraint.typing import BoolArray, FloatArray, IntArray


class NormalisedUncertainty(PairStrategy):
    """A strategy: the sample of greatest uncertainty by the questions that placing it takes.

    After Xiong, Azimi and Fern, Active learning of constraints for semi-supervised clustering, TKDE
    2014 (normalised point-based uncertainty, NPU). After each sample that found its neighbourhood
    the clustering is fitted anew. The probability that a sample belongs to a neighbourhood is its
    mean likeness to the members, of all neighbourhoods together 1; uncertainty is the entropy,
    divided by the expected number of questions when the likeliest neighbourhood is asked first.

    The paper takes likeness from a random forest that is trained on the clusters; here it is the
    probability that two samples share a cluster by the `model`, which costs nothing more.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_samples, n_features)
        The samples.
    n_clusters : int, default=2
        Not used: the number of neighbourhoods follows from the answers.
    n_queries : int, default=20
        The maximum number of questions.
    model : estimator
        Any clusterer that takes pairs. `ConstrainedMixture` goes on from where it was.
    constraints, random_share, max_samples, random_state
        As in `ExpectedChange`.

    Examples
    --------
    >>> from clustraint import ConstrainedMixture
    >>> from clustraint.active import Session
    >>> X = [[0.0], [1.0], [8.0], [9.5]]
    >>> model = ConstrainedMixture(2, random_state=0)
    >>> session = Session("uncertainty", X, n_clusters=2, n_queries=3, estimator=model)
    >>> session.question is None
    False
    """

    def __init__(
        self, X: Any, n_clusters: int = 2, n_queries: int = 20, *, model: Any, **options: Any
    ) -> None:
        super().__init__(X, n_clusters, n_queries, **options)
        if model is None:
            raise NoEstimatorError("the strategy uncertainty")
        self._model = model
        self._neighbours = Neighbours(self._X)
        self._fits: dict[int, Any] = {}

    def _pairs(self, memory: Memory, rng: np.random.Generator) -> Pairs:
        posterior = Posterior(self._model, self._X, self._neighbours, self._fits)
        waiting = ~memory.is_linked
        first = int(rng.integers(len(self._X)))
        # Each round takes a sample off `waiting`, whatever the answers, so that questions end.
        while waiting.any():
            hoods = memory.neighbourhoods()
            if not hoods:
                hoods, waiting[first] = [np.array([first])], False
                if not waiting.any():
                    return
            shares = self._shares(posterior.refit(memory.constraints), hoods)
            sample = self._most_uncertain(shares, waiting, rng)
            order = np.argsort(-shares[sample], kind="stable")
            yield from self._place(sample, [hoods[place] for place in order])
            waiting[sample] = False
            waiting &= ~memory.is_linked

    def _shares(self, probabilities: FloatArray, hoods: list[IntArray]) -> FloatArray:
        """Return the probability of each neighbourhood for each sample."""
        centres = np.array([probabilities[hood].mean(axis=0) for hood in hoods])
        # Two samples share a cluster with the sum of products of their shares; a little is added,
        # so that logs are finite.
        likeness = probabilities @ centres.T + 1e-12
        return np.asarray(likeness / likeness.sum(axis=1, keepdims=True))

    def _most_uncertain(
        self, shares: FloatArray, waiting: BoolArray, rng: np.random.Generator
    ) -> int:
        if shares.shape[1] == 1:
            return int(rng.choice(np.flatnonzero(waiting)))
        entropy = -(shares * np.log2(shares)).sum(axis=1)
        ordered = -np.sort(-shares, axis=1)
        # The likeliest neighbourhood takes one question, the next likeliest two, and so on.
        cost = ordered @ np.arange(1, shares.shape[1] + 1)
        return int(np.argmax(np.where(waiting, entropy / cost, -1.0)))
