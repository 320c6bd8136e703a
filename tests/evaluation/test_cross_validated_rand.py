import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.datasets import make_blobs
from sklearn.metrics import rand_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from clustraint import ClusteringTree, ConstrainedCompleteLinkage, COPKMeans
from clustraint.evaluation import cross_validated_rand
from clustraint.exceptions import NoFeasibleClusteringError

SEEN = []


class Recorder(ClusterMixin, BaseEstimator):
    """Notes what it is given; clusters by the first column, or fails every other time."""

    def __init__(self, fails=False):
        self.fails = fails

    def fit(self, X, y=None, *, constraints=None):
        SEEN.append(constraints)
        if self.fails is True or (self.fails == "sometimes" and len(SEEN) % 2):
            raise NoFeasibleClusteringError("no way")
        self.labels_ = np.asarray(X)[:, 0].astype(int)
        return self


@pytest.fixture(autouse=True)
def seen():
    SEEN.clear()
    return SEEN


@pytest.fixture
def blobs():
    return make_blobs(103, centers=4, random_state=0)


def left_alone(constraints):
    """The samples that no pair names."""
    named = np.concatenate((constraints.must_link.ravel(), constraints.cannot_link.ravel()))
    return np.setdiff1d(np.arange(len(constraints)), named)


def test_the_protocol_of_the_paper(seen, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    y, found = rng.integers(4, size=103), rng.integers(3, size=103)
    # So many pairs that they name each sample but those of the fold.
    result = cross_validated_rand(
        Recorder(), found[:, np.newaxis], y, n_pairs=4000, random_state=global_random_seed
    )
    assert len(seen) == len(result.scores) == 10
    for constraints, score in zip(seen, result.scores, strict=True):
        assert len(constraints) == len(y)
        assert constraints.n_constraints == 4000
        assert (y[constraints.must_link[:, 0]] == y[constraints.must_link[:, 1]]).all()
        assert (y[constraints.cannot_link[:, 0]] != y[constraints.cannot_link[:, 1]]).all()
        fold = left_alone(constraints)
        assert len(fold) in (10, 11)
        assert score == pytest.approx(rand_score(y[fold], found[fold]))
    assert sorted(np.concatenate([left_alone(c) for c in seen])) == list(range(103))
    assert result.failures == 0
    assert result.mean == pytest.approx(result.scores.mean())


def test_samples_of_unknown_class_are_clustered_but_in_no_fold(seen):
    y = np.array([0, 1] * 10 + [-1] * 5)
    X = np.where(y < 0, 7, y)[:, np.newaxis]
    result = cross_validated_rand(Recorder(), X, y, n_pairs=300, n_folds=2, random_state=0)
    assert result.scores.tolist() == [1, 1]
    for constraints in seen:
        assert len(constraints) == 25
        assert {20, 21, 22, 23, 24} <= {*left_alone(constraints)}


@pytest.mark.parametrize(
    "model",
    [
        COPKMeans(4, n_init=1, random_state=0),
        ClusteringTree(4),
        ConstrainedCompleteLinkage(4),
    ],
)
def test_estimators_of_the_house(model, blobs):
    X, y = blobs
    result = cross_validated_rand(model, X, y, n_pairs=40, n_folds=5, random_state=1)
    again = cross_validated_rand(model, X, y.astype(str), n_pairs=40, n_folds=5, random_state=1)
    assert result.scores.tolist() == again.scores.tolist()
    assert 0.5 < result.mean <= 1
    assert not hasattr(model, "labels_")


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, csr_array])
def test_frames_and_sparse_matrices(frame, blobs):
    X, y = blobs
    model = COPKMeans(4, n_init=1, random_state=0)
    expected = cross_validated_rand(model, X, y, n_pairs=20, n_folds=3, random_state=1)
    result = cross_validated_rand(model, frame(X), y, n_pairs=20, n_folds=3, random_state=1)
    assert result.scores == pytest.approx(expected.scores)


def test_a_pipeline(blobs):
    X, y = blobs
    with sklearn.config_context(enable_metadata_routing=True):
        model = make_pipeline(StandardScaler(), COPKMeans(4, n_init=1, random_state=0))
        result = cross_validated_rand(model, X, y, n_pairs=20, n_folds=3, random_state=1)
    assert result.mean > 0.5


def test_failures_are_left_out_of_the_mean():
    y = np.arange(40) % 2
    X = y[:, np.newaxis]
    result = cross_validated_rand(Recorder("sometimes"), X, y, n_pairs=5, random_state=0)
    assert result.failures == 5
    assert np.isnan(result.scores).tolist() == [True, False] * 5
    assert result.mean == 1
    nothing = cross_validated_rand(Recorder(True), X, y, n_pairs=5, random_state=0)
    assert nothing.failures == 10
    assert np.isnan(nothing.mean)


def test_a_real_failure():
    # Three classes do not fit into two clusters.
    y = np.arange(60) % 3
    result = cross_validated_rand(
        COPKMeans(2, n_init=1), np.eye(60), y, n_pairs=300, n_folds=3, random_state=0
    )
    assert result.failures == 3
