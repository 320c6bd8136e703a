"""Mixtures in which samples belong wholly to a cluster, and doubts that know their limits."""

import warnings

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning

from clustraint import ConstrainedMixture, Constraints
from clustraint.cluster._mixture.evidence import Evidence, assertions
from clustraint.exceptions import InvalidParameterError


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(120, n_features=3, centers=4, cluster_std=2.0, random_state=0)


def test_hard_round_clusters_are_those_of_k_means(blobs, global_random_seed):
    X, _ = blobs
    rng = np.random.default_rng(global_random_seed)
    start = X[rng.choice(len(X), 4, replace=False)]
    model = ConstrainedMixture(4, assignment="hard", shrinkage=1, init=start, tol=0, max_iter=300)
    plain = KMeans(4, init=start, n_init=1, tol=0).fit(X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X)
    np.testing.assert_allclose(model.means_, plain.cluster_centers_)
    assert model.labels_.tolist() == plain.labels_.tolist()
    np.testing.assert_allclose(model.weights_, 0.25)


def doubts_of(logs, constraints):
    """Return doubts where all samples have log-densities of two clusters."""
    nobody = np.full(len(logs), -1)
    by_kind = assertions(constraints, {})
    evidence = Evidence(by_kind, {}, nobody, np.arange(len(logs)), 2)
    return evidence.tempered_doubts(logs[evidence.samples])


def test_doubts_are_tempered_where_densities_are_too_sure():
    # Pairs of samples whose clusters are certain to the model: three in ten against must-links.
    sides = np.concatenate((np.zeros(140, int), np.tile([0, 1], 30)))
    logs = np.where(sides[:, np.newaxis] == np.arange(2), 0.0, -50.0)
    pairs = np.arange(200).reshape(-1, 2)
    doubts = doubts_of(logs, Constraints(200, must_link=pairs))["must_link"]
    assert doubts[:70].max() < doubts[70:].min()
    assert doubts.max() < 0.5
    # Three in a hundred may well be wrong.
    logs[146:] = logs[0]
    doubts = doubts_of(logs, Constraints(200, must_link=pairs))["must_link"]
    assert doubts[:70].max() < 0.02 < 0.9 < doubts[70:73].min()
    # Who is sure of a statement leaves less doubt.
    weights = np.ones(100)
    weights[70] = 9
    sure = Constraints(200, must_link=pairs, must_link_weights=weights)
    doubts = doubts_of(logs, sure)["must_link"]
    assert doubts[70] < doubts[71]


def test_a_wrong_word_for_the_assignment():
    with pytest.raises(InvalidParameterError, match="assignment must be 'soft' or 'hard'"):
        ConstrainedMixture(2, assignment="firm").fit([[0.0], [1.0]])
