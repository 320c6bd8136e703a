"""The probabilities of clusters by an estimator that is refitted as answers come in."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import NearestNeighbors

from clustraint.constraints import Constraints
from clustraint.exceptions import ClustraintWarning
from clustraint.typing import FloatArray, IntArray

N_NEIGHBORS = 10
# Rounds of a fit that goes on from where it was, and one start beside it every so many fits, lest
# it stays where it no longer belongs.
WARM_PARAMETERS = {"init", "max_iter", "n_init", "random_state"}
WARM_ROUNDS = 10
FRESH_EVERY = 4
# Of an estimator that learns no trust.
USUAL_TRUST = 0.95


class Neighbours:
    """The nearest samples of each, with weights that fall with the distance by local scale."""

    def __init__(self, X: FloatArray) -> None:
        # A sample that is alone is its own neighbour.
        n_neighbors = min(N_NEIGHBORS, max(len(X) - 1, 1))
        search = NearestNeighbors(n_neighbors=n_neighbors).fit(X)
        lengths, self.places = search.kneighbors() if len(X) > 1 else search.kneighbors(X)
        width = lengths[:, -1] + 1e-12
        self.weights = np.exp(-(lengths**2) / (width[:, np.newaxis] * width[self.places]))

    def mean(self, values: FloatArray) -> FloatArray:
        """Return the means of values over each sample and its neighbours."""
        sums = values + (self.weights[:, :, np.newaxis] * values[self.places]).sum(axis=1)
        return np.asarray(sums / (1 + self.weights.sum(axis=1, keepdims=True)))


class Posterior:
    """An estimator on its samples, refitted from where it was.

    An estimator with `probabilities_` and a parameter `init`, such as `ConstrainedMixture`, goes on
    from its probabilities, and now and then tries another start. Any other is fitted anew, and the
    probabilities are the shares of clusters among near samples.

    Parameters
    ----------
    estimator : estimator
        Any clusterer that takes pairs.
    X : ndarray of shape (n_samples, n_features)
        The samples.
    neighbours : Neighbours
        Of the samples.
    fits : dict
        Earlier fits, by all constraints that led to them. Questions that are gone through again,
        because an answer was taken back, need no new ones.
    """

    def __init__(
        self, estimator: Any, X: FloatArray, neighbours: Neighbours, fits: dict[int, Any]
    ) -> None:
        self._estimator = estimator
        self._X = X
        self._neighbours = neighbours
        self._fits = fits
        self._path = 0
        self._model: Any = None
        self._n_fits = 0

    def refit(self, constraints: Constraints) -> FloatArray:
        """Return the probability of each cluster for each sample."""
        pairs = constraints.must_link.tobytes(), constraints.cannot_link.tobytes()
        # A fit goes on from the one before, so that it follows from all of them.
        self._path = hash((self._path, pairs))
        if self._path not in self._fits:
            self._fits[self._path] = self._fit_next(constraints)
        self._model = self._fits[self._path]
        self._n_fits += 1
        if hasattr(self._model, "probabilities_"):
            return np.asarray(self._model.probabilities_)
        labels: IntArray = np.unique(self._model.labels_, return_inverse=True)[1]
        return self._neighbours.mean(np.eye(int(labels.max()) + 1)[labels])

    def _fit_next(self, constraints: Constraints) -> Any:
        start = getattr(self._model, "probabilities_", None)
        if start is None or not self._estimator.get_params().keys() >= WARM_PARAMETERS:
            return self._fit(constraints)
        models = [self._fit(constraints, init=start, max_iter=WARM_ROUNDS)]
        if self._n_fits % FRESH_EVERY == 0:
            models.append(self._fit(constraints, n_init=1, random_state=self._n_fits))
        return max(models, key=lambda model: getattr(model, "lower_bound_", 0.0))

    @property
    def trust(self) -> float:
        """The probability that an answer is right."""
        learnt = list(getattr(self._model, "trust_", {}).values())
        return float(np.clip(np.mean(learnt), 0.7, 0.99)) if learnt else USUAL_TRUST

    def _fit(self, constraints: Constraints, **parameters: Any) -> Any:
        model = clone(self._estimator).set_params(**parameters)
        with warnings.catch_warnings():
            # A fit between two questions may be rough.
            warnings.simplefilter("ignore", ConvergenceWarning)
            warnings.simplefilter("ignore", ClustraintWarning)
            return model.fit(self._X, constraints=constraints)
