"""Rows about mixtures under statements."""

from __future__ import annotations

import warnings
from typing import Any, Literal

from benchmarks.cop_kmeans import N_CLUSTERS, blobs_and_pairs
from benchmarks.rows import Contest, at_most, row

N_ROUNDS = 20


def quietly(fit: Any) -> Any:
    """Return a call that is not told that its rounds end too early, as they are meant to."""

    def call() -> Any:
        from sklearn.exceptions import ConvergenceWarning

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return fit()

    return call


def against_scikit_learn(covariance: Literal["tied", "full"]) -> Contest:
    """Return the same number of rounds with 1,000 pairs, and without any by scikit-learn."""
    from sklearn.mixture import GaussianMixture

    from clustraint import ConstrainedMixture

    X, constraints = blobs_and_pairs(20_000)
    rounds: dict[str, Any] = {"n_init": 1, "max_iter": N_ROUNDS, "tol": 0.0, "random_state": 0}
    ours = ConstrainedMixture(N_CLUSTERS, covariance=covariance, **rounds)
    peer = GaussianMixture(
        N_CLUSTERS, covariance_type=covariance, init_params="k-means++", **rounds
    )

    def remark(model: Any, theirs: Any) -> str:
        assert model.n_iter_ == theirs.n_iter_ == N_ROUNDS
        return f"{N_ROUNDS} rounds each, from one start"

    return Contest(
        quietly(lambda: ours.fit(X, constraints=constraints)),
        quietly(lambda: peer.fit(X)),
        remark=remark,
    )


@row(
    "ConstrainedMixture tied, n=20,000, 1,000 pairs",
    at_most(1.5),
    peer_name="scikit-learn GaussianMixture",
)
def tied(quick: bool) -> Contest:
    return against_scikit_learn("tied")


@row(
    "ConstrainedMixture full, n=20,000, 1,000 pairs",
    at_most(1.5),
    peer_name="scikit-learn GaussianMixture",
)
def full(quick: bool) -> Contest:
    return against_scikit_learn("full")
