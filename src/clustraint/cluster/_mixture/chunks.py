"""Mixtures over rows in chunks: what statements speak of is at hand, the rest adds up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from clustraint.cluster._mixture.evidence import Beliefs, Evidence
from clustraint.cluster._mixture.gaussians import (
    COVARIANCES,
    Gaussians,
    Sums,
    log_densities,
    moments,
    step,
)
from clustraint.cluster._mixture.rounds import Rounds
from clustraint.cluster._mixture.starts import nearest_shares
from clustraint.constraints import Rule
from clustraint.rows import Rows, as_numbers
from clustraint.tables import read_columns
from clustraint.typing import FloatArray, IntArray, LabelArray

# Rows whose shares of all clusters are there at a time.
BLOCK = 2**14
# Rows that starts are compared on.
START_ROWS = 50_000


class Setting(NamedTuple):
    """What every step needs: the form of clusters, and the point that coordinates are around."""

    covariance: str
    center: FloatArray
    decides: bool


class MixtureShare(NamedTuple):
    """What belongs to the rows of one chunk."""

    spoken: IntArray  # the places of rows that statements are about
    weights: FloatArray | None  # of all rows, None where each counts once


def _sums(chunk: Any, own: MixtureShare, setting: Setting, of_block: Any) -> tuple[Any, ...]:
    """Return the sums over the rows of a chunk that nothing is stated about, block by block."""
    points = as_numbers(chunk)
    weights = np.ones(len(points)) if own.weights is None else own.weights.copy()
    weights[own.spoken] = 0
    # Small products, and sums that do not depend on how many threads there are.
    with threadpool_limits(1):
        total = of_block(np.empty((0, len(setting.center))), np.empty(0))
        for start in range(0, len(points), BLOCK):
            block = points[start : start + BLOCK] - setting.center
            total = total.plus(of_block(block, weights[start : start + BLOCK]))
    return tuple(total)


def start_step(
    chunk: Any, own: MixtureShare, setting: Setting, centers: FloatArray
) -> tuple[Any, ...]:
    """Return the sums of rows that are each in the cluster of the nearest centre."""
    covariance = COVARIANCES[setting.covariance]

    def of_block(X: FloatArray, weights: FloatArray) -> Sums:
        return moments(X, weights, nearest_shares(X, centers, 1.0), covariance)

    return _sums(chunk, own, setting, of_block)


def sums_step(
    chunk: Any, own: MixtureShare, setting: Setting, gaussians: Gaussians
) -> tuple[Any, ...]:
    """Return the sums of one round."""
    covariance = COVARIANCES[setting.covariance]

    def of_block(X: FloatArray, weights: FloatArray) -> Sums:
        return step(X, weights, gaussians, covariance, setting.decides)

    return _sums(chunk, own, setting, of_block)


def label_step(
    chunk: Any, own: tuple[IntArray, LabelArray], setting: Setting, gaussians: Gaussians
) -> LabelArray:
    """Return the most probable cluster of each row; rows that are spoken of have theirs."""
    points = as_numbers(chunk)
    labels = np.empty(len(points), np.int32)
    for start in range(0, len(points), BLOCK):
        block = points[start : start + BLOCK] - setting.center
        logs = log_densities(block, gaussians, COVARIANCES[setting.covariance])
        labels[start : start + BLOCK] = logs.argmax(axis=1)
    places, fixed = own
    labels[places] = fixed
    return labels


class ChunkedRounds(Rounds):
    """The same rounds, of which a pass over the chunks is a part.

    Parameters
    ----------
    rows : Rows
        All rows.
    spoken : int64 ndarray
        The rows that statements are about.
    points : float64 ndarray
        What these hold, around the centre.
    weights : float64 ndarray or None
        How often each of all rows counts, None where that is once.
    evidence : Evidence
        What is stated about them.
    setting : Setting
        What every step needs.
    **manner : Any
        How a round is done.
    """

    def __init__(
        self,
        rows: Rows,
        spoken: IntArray,
        points: FloatArray,
        weights: FloatArray | None,
        evidence: Evidence,
        setting: Setting,
        **manner: Any,
    ) -> None:
        covariance = COVARIANCES[setting.covariance]
        self.near_weights = np.ones(len(spoken)) if weights is None else weights[spoken]
        super().__init__(points, self.near_weights, evidence, covariance, **manner)
        self.rows = rows
        self.spoken = spoken
        places = rows.split(spoken)
        parts = [None] * len(places) if weights is None else np.split(weights, rows.starts[1:-1])
        self.own = [MixtureShare(*each) for each in zip(places, parts, strict=True)]
        self.setting = setting
        # What the objective is divided by.
        self.weights = np.array([float(len(rows) if weights is None else weights.sum())])

    def started(self, centers: FloatArray) -> Gaussians:
        """Return the parameters where each row is in the cluster of the nearest centre."""
        free = Sums(*self.rows.map_add(start_step, self.own, self.setting, centers))
        shares = nearest_shares(self.X, centers, 1.0)
        heard = moments(self.X, self.near_weights, shares, self.covariance)
        return self._maximise(free.plus(heard))

    def _expect(
        self, gaussians: Gaussians, log_odds: Mapping[str, float], messages: FloatArray
    ) -> tuple[Sums, Beliefs]:
        near, beliefs = super()._expect(gaussians, log_odds, messages)
        far = Sums(*self.rows.map_add(sums_step, self.own, self.setting, gaussians))
        return far.plus(near), beliefs

    def far_likelihood(self, gaussians: Gaussians) -> float:
        """Return the log-likelihood of the rows that are not here."""
        setting = self.setting._replace(decides=False)
        far = Sums(*self.rows.map_add(sums_step, self.own, setting, gaussians))
        return float(far.log_likelihood)

    def labels(self, gaussians: Gaussians, spoken: LabelArray) -> Any:
        """Return the cluster of each row, not computed yet; `spoken` are those of the rows here."""
        places = [share.spoken for share in self.own]
        parts = np.split(spoken, np.cumsum([len(each) for each in places])[:-1])
        own = list(zip(places, parts, strict=True))
        return self.rows.labels(label_step, own, self.setting, gaussians)


def scope_rows(rows: Rows, rules: tuple[Rule, ...]) -> IntArray:
    """Return the rows that rules are about, in rising order."""
    if not rules:
        return np.empty(0, np.int64)
    names = rows.names or tuple(f"x{column}" for column in range(rows.n_features))
    parts = rows.map(_scope_step, None, names, rules)
    starts = rows.starts[:-1]
    return np.concatenate([part + start for part, start in zip(parts, starts, strict=True)])


def _scope_step(chunk: Any, own: None, names: tuple[str, ...], rules: tuple[Rule, ...]) -> IntArray:
    columns = read_columns(chunk).renamed(names)
    return np.flatnonzero(np.any([rule.scope(columns) for rule in rules], axis=0))
