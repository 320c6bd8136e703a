"""Rows about learned metrics."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from benchmarks.rows import Contest, at_most, row


@row(
    "RelativeMetric, n=500, d=16, 1,000 triplets",
    at_most(10),
    peer_name="LinearSVC (hinge)",
)
def relative_metric(quick: bool) -> Contest:
    from sklearn.datasets import make_blobs
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.svm import LinearSVC

    from clustraint import Constraints
    from clustraint.metric import RelativeMetric
    from clustraint.metric._relative_metric import _differences

    X, y = make_blobs(500, n_features=16, centers=4, cluster_std=4, random_state=0)
    constraints = Constraints.from_labels(y, n_triplets=1_000, random_state=0)
    held_out = Constraints.from_labels(y, n_triplets=1_000, random_state=1)
    rows = _differences(X, constraints.triplets)
    # A classifier wants two classes: a row turned round is of the other.
    sides = np.where(np.arange(len(rows)) % 2, 1, -1)
    turned = rows * sides[:, np.newaxis]

    def peer() -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return LinearSVC(loss="hinge", fit_intercept=False).fit(turned, sides)

    def remark(metric: Any, theirs: Any) -> str:
        share = metric.score(X, constraints=constraints)
        assert share >= 0.95
        return (
            f"triplets satisfied: {share:.1%}, held-out ones "
            f"{metric.score(X, constraints=held_out):.1%}; gap {metric.dual_gap_:.0e}"
        )

    return Contest(lambda: RelativeMetric().fit(X, constraints=constraints), peer, remark=remark)
