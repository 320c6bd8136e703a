"""Expectation maximisation under evidence, from one start."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from clustraint.cluster._mixture.evidence import Beliefs, Evidence, log_prior
from clustraint.cluster._mixture.gaussians import (
    Covariance,
    Gaussians,
    Sums,
    decided,
    log_densities,
    maximise,
    moments,
    step,
)
from clustraint.kernels.mixture import to_shares
from clustraint.typing import FloatArray

# Two runs whose objectives differ by less than this share of them have come to the same clusters.
SAME = 1e-9


class MixtureRun(NamedTuple):
    """How one start came out."""

    gaussians: Gaussians
    log_odds: dict[str, float]
    messages: FloatArray
    objective: float  # by sample: log-likelihood, and the log-prior of what is learnt
    n_iter: int
    converged: bool

    def or_likelier(self, later: MixtureRun) -> MixtureRun:
        """Return this run, or a later one that is likelier by more than rounding.

        Starts that end at one optimum differ by their last digits, and so by machine.
        """
        margin = SAME * max(1.0, abs(self.objective))
        return later if later.objective > self.objective + margin else self


class Rounds:
    """The rounds of expectation and maximisation, as scikit-learn's GaussianMixture has them.

    Rows that no statement speaks of enter by `step` alone, which is a sum over rows; only those
    that statements speak of are looked at together.
    """

    def __init__(
        self,
        X: FloatArray,
        weights: FloatArray,
        evidence: Evidence,
        covariance: Covariance,
        *,
        shrinkage: float,
        reg_covar: float,
        learns: bool,
        decides: bool,
    ) -> None:
        self.X = X
        self.weights = weights
        self.evidence = evidence
        self.covariance = covariance
        self.shrinkage = shrinkage
        self.reg_covar = reg_covar
        self.learns = learns
        self.decides = decides
        # Rows without statements need no messages: they enter as in an ordinary mixture.
        self.free = np.delete(X, evidence.samples, axis=0)
        self.free_weights = np.delete(weights, evidence.samples)
        self.spoken_of = X[evidence.samples]
        self.spoken_weights = weights[evidence.samples]

    def run(
        self, shares: FloatArray, log_odds: Mapping[str, float], max_iter: int, tol: float
    ) -> MixtureRun:
        """Iterate from the shares of clusters that each sample begins with."""
        gaussians = self._maximise(moments(self.X, self.weights, shares, self.covariance))
        return self.run_from(gaussians, log_odds, max_iter, tol)

    def run_from(
        self, gaussians: Gaussians, log_odds: Mapping[str, float], max_iter: int, tol: float
    ) -> MixtureRun:
        """Iterate from the parameters of the clusters."""
        odds = dict(log_odds)
        messages = self.evidence.silence()
        objective = -np.inf
        converged = False
        n_iter = 0
        # Messages and odds carry over: each round starts where the last one settled. The objective
        # is that of the parameters before the update, as scikit-learn has it.
        while n_iter < max_iter and not converged:
            n_iter += 1
            prior = log_prior(odds) if self.learns else 0.0
            sums, beliefs = self._expect(gaussians, odds, messages)
            if self.learns:
                odds |= self.evidence.learn(beliefs)
            gaussians = self._maximise(sums)
            previous, objective = objective, (sums.log_likelihood + prior) / self.weights.sum()
            converged = abs(objective - previous) < tol
        return MixtureRun(gaussians, odds, messages, objective, n_iter, converged)

    def _expect(
        self, gaussians: Gaussians, log_odds: Mapping[str, float], messages: FloatArray
    ) -> tuple[Sums, Beliefs]:
        """Return the sums of all rows, and what is believed of those that are spoken of."""
        logs = log_densities(self.spoken_of, gaussians, self.covariance)
        beliefs = self.evidence.hear(logs, log_odds, messages)
        alone = to_shares(logs)
        shares = decided(beliefs.shares) if self.decides else beliefs.shares
        heard = moments(self.spoken_of, self.spoken_weights, shares, self.covariance)
        # A weight repeats a row, but not what is stated about it.
        likelihood = beliefs.log_evidence + float((self.spoken_weights - 1) @ alone)
        free = step(self.free, self.free_weights, gaussians, self.covariance, self.decides)
        return free.plus(heard._replace(log_likelihood=likelihood)), beliefs

    def _maximise(self, sums: Sums) -> Gaussians:
        gaussians = maximise(sums, self.covariance, self.shrinkage, self.reg_covar)
        if not self.decides:
            return gaussians
        # As in k-means, where a cluster attracts nobody by its size.
        weights = np.full_like(gaussians.weights, 1 / len(gaussians.weights))
        return gaussians._replace(weights=weights)
