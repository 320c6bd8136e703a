"""What the variance is taken over: the columns of a table, numeric and nominal."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np

from clustraint.kernels.splits import Targets, centre
from clustraint.typing import FloatArray, IntArray


class TargetTable(NamedTuple):
    """Numbers without gaps, numbers with gaps, and nominal codes, scaled for the variance.

    The numeric columns together and the nominal columns together are each measured relative to
    their variance over all samples, and count by the number of their columns; so the variance of
    all samples is 1, or 0 if no column varies.
    """

    numbers: FloatArray
    gappy: FloatArray
    codes: IntArray
    level_start: IntArray
    number_scale: float
    code_scale: float

    @classmethod
    def from_values(cls, values: FloatArray, n_levels: IntArray) -> Self:
        """Return the targets of encoded columns; `n_levels` is 0 for a numeric one."""
        numeric, unit = _centred(values[:, n_levels == 0])
        codes = np.where(np.isnan(values), -1, values)[:, n_levels > 0].astype(np.int64)
        starts = np.concatenate([[0], np.cumsum(n_levels[n_levels > 0])]).astype(np.int64)
        spread = float(np.nansum(numeric**2))
        gini = _gini(codes, starts)
        columns = numeric.shape[1] * (spread > 0) + codes.shape[1] * (gini > 0)
        share = numeric.shape[1] / columns / spread if spread > 0 else 0.0
        gaps = np.isnan(numeric).any(axis=0)
        numeric = numeric * np.sqrt(share)
        return cls(
            np.ascontiguousarray(numeric[:, ~gaps]),
            np.ascontiguousarray(numeric[:, gaps]),
            np.ascontiguousarray(codes),
            starts,
            share / unit / unit,
            codes.shape[1] / columns / gini if gini > 0 else 0.0,
        )

    def of(self, rows: IntArray) -> Targets:
        """Return the targets of some samples, around their means."""
        near, gaps, codes, counts = centre(
            rows, self.numbers, self.gappy, self.codes, self.level_start
        )
        return Targets(near, gaps, codes, self.level_start, counts, self.code_scale)


def _centred(numeric: FloatArray) -> tuple[FloatArray, float]:
    """Return numbers around their means in a unit in which no square overflows, and the unit."""
    present = ~np.isnan(numeric)
    unit = float(np.abs(numeric).max(initial=0.0, where=present)) or 1.0
    numeric = numeric / unit
    sums = numeric.sum(axis=0, where=present)
    return numeric - sums / np.maximum(present.sum(axis=0), 1), unit


def _gini(codes: IntArray, starts: IntArray) -> float:
    """Return the sum over nominal columns of size times Gini index."""
    total = 0.0
    for column, n_levels in zip(codes.T, np.diff(starts), strict=True):
        counts = np.bincount(column[column >= 0], minlength=n_levels)
        if counts.any():
            total += counts.sum() - (counts**2).sum() / counts.sum()
    return float(total)


def principal_scores(targets: Targets, n_rounds: int = 10) -> FloatArray:
    """Return where samples are along the direction in which they vary most, by power iteration."""
    scores = np.random.default_rng(0).standard_normal(len(targets.numbers))
    gaps = np.nan_to_num(targets.gappy)
    for _ in range(n_rounds):
        scores = scores - scores.mean()
        moved = targets.numbers @ (scores @ targets.numbers) + gaps @ (scores @ gaps)
        for codes in targets.codes.T:
            present = codes >= 0
            sums = np.bincount(codes[present], scores[present])
            moved[present] += targets.code_scale * sums[codes[present]]
        length = np.linalg.norm(moved)
        if length == 0:
            break
        scores = moved / length
    return scores
