"""Expectation maximisation under evidence, from one start."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clustraint.cluster._mixture.evidence import Evidence, log_prior
from clustraint.cluster._mixture.gaussians import (
    Covariance,
    Gaussians,
    log_densities,
    maximise,
    moments,
    step,
)

FloatArray = NDArray[np.float64]


class MixtureRun(NamedTuple):
    """How one start came out."""

    gaussians: Gaussians
    log_odds: dict[str, float]
    messages: FloatArray
    objective: float  # by sample: log-likelihood, and the log-prior of what is learnt
    n_iter: int
    converged: bool


class Rounds:
    """The rounds of expectation and maximisation, as scikit-learn's GaussianMixture has them.

    Rows that no statement speaks of enter by `step` alone, which is a sum over rows; only those
    that statements speak of are looked at together.
    """

    def __init__(
        self,
        X: FloatArray,
        evidence: Evidence,
        covariance: Covariance,
        *,
        shrinkage: float,
        reg_covar: float,
        learns: bool,
    ) -> None:
        self.X = X
        self.evidence = evidence
        self.covariance = covariance
        self.shrinkage = shrinkage
        self.reg_covar = reg_covar
        self.learns = learns
        self.free = np.delete(X, evidence.samples, axis=0)
        self.spoken_of = X[evidence.samples]

    def run(
        self, shares: FloatArray, log_odds: Mapping[str, float], max_iter: int, tol: float
    ) -> MixtureRun:
        """Iterate from the shares of clusters that each sample begins with."""
        sums = moments(self.X, shares, self.covariance)
        gaussians = maximise(sums, self.covariance, self.shrinkage, self.reg_covar)
        odds = dict(log_odds)
        messages = self.evidence.silence()
        objective = -np.inf
        converged = False
        n_iter = 0
        while n_iter < max_iter and not converged:
            n_iter += 1
            sums = step(self.free, gaussians, self.covariance)
            value = sums.log_likelihood + (log_prior(odds) if self.learns else 0.0)
            if len(self.spoken_of):
                logs = log_densities(self.spoken_of, gaussians, self.covariance)
                beliefs = self.evidence.hear(logs, odds, messages)
                sums = sums.plus(moments(self.spoken_of, beliefs.shares, self.covariance))
                value += beliefs.log_evidence
                if self.learns:
                    odds = self.evidence.learn(beliefs)
            gaussians = maximise(sums, self.covariance, self.shrinkage, self.reg_covar)
            previous, objective = objective, value / len(self.X)
            converged = abs(objective - previous) < tol
        return MixtureRun(gaussians, odds, messages, objective, n_iter, converged)
