"""Every clusterer predicts, and its score chooses the number of clusters."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV, KFold

from clustraint import (
    IHAC,
    ActiveCompleteLinkage,
    AttributeKMedoids,
    BestClusterer,
    BiHAC,
    ClusteringTree,
    ConstrainedCompleteLinkage,
    ConstrainedMixture,
    ConstraintPropagation,
    Constraints,
    COPKMeans,
    MPCKMeans,
    PCKMeans,
    ReCon,
)
from clustraint.evaluation import satisfaction_score
from clustraint.exceptions import ClustraintError
from clustraint.metric import RelativeMetric

CLUSTERERS = [
    COPKMeans(n_init=3, random_state=0),
    PCKMeans(n_init=3, random_state=0),
    MPCKMeans(n_init=3, random_state=0),
    ConstrainedCompleteLinkage(),
    ReCon(),
    ReCon(linkage="ward", cut="last"),
    ClusteringTree(),
    IHAC(metric="euclidean"),
    BiHAC(metric="euclidean", max_iter=2),
    ConstrainedMixture(covariance="spherical", n_init=2, random_state=0),
]


def name_of(model):
    return type(model).__name__


@pytest.fixture(name="blobs", scope="module")
def four_blobs():
    X, y = make_blobs(60, centers=[[0, 0], [9, 0], [0, 9], [9, 9]], cluster_std=1.0, random_state=3)
    return X, y


def searched(model, X, **known):
    search = GridSearchCV(
        clone(model),
        {"n_clusters": range(2, 9)},
        cv=KFold(2, shuffle=True, random_state=0),
        error_score=-1e9,  # hard methods need a cluster for each label
    )
    return search.fit(X, **known).best_params_["n_clusters"]


@pytest.mark.filterwarnings("ignore:(?s).*fits failed")
@pytest.mark.parametrize("model", CLUSTERERS, ids=name_of)
def test_partial_labels_choose_the_number_of_clusters(model, blobs):
    X, y = blobs
    partly = np.where(np.arange(len(y)) % 2, y, -1)
    assert searched(model, X, y=partly) == 4


@pytest.mark.filterwarnings("ignore:(?s).*fits failed")
@pytest.mark.parametrize("model", [CLUSTERERS[0], CLUSTERERS[3], CLUSTERERS[4]], ids=name_of)
def test_constraints_choose_the_number_of_clusters(model, blobs):
    X, y = blobs
    pairs = Constraints.from_labels(y, n_pairs=600, random_state=0)
    with sklearn.config_context(enable_metadata_routing=True):
        assert searched(model, X, constraints=pairs) == 4


@pytest.mark.parametrize(
    "model",
    [*CLUSTERERS, ActiveCompleteLinkage(), ConstraintPropagation(random_state=0), BestClusterer()],
    ids=name_of,
)
def test_new_samples_of_blobs(model, blobs, global_random_seed):
    X, y = blobs
    partly = np.where(np.arange(len(y)) % 3, y, -1)
    fitted = clone(model).set_params(n_clusters=4)
    if "candidates" in fitted.get_params():
        fitted.set_params(candidates=["round"])
    fitted.fit(X, partly)
    centers = np.array([[0, 0], [9, 0], [0, 9], [9, 9]])
    rng = np.random.default_rng(global_random_seed)
    new = np.repeat(centers, 5, axis=0) + rng.uniform(-1, 1, (20, 2))
    labels = fitted.predict(new)
    assert labels.dtype == np.int32
    assert adjusted_rand_score(np.repeat(range(4), 5), labels) == 1
    assert set(labels) <= set(fitted.labels_)
    score = fitted.score(new, constraints=[(0, 1, "same"), (0, 19, "different")])
    assert score > fitted.score(new, constraints=[(0, 1, "different"), (0, 19, "same")])
    assert np.isfinite(fitted.score(new))


@pytest.mark.parametrize("linkage", ["average", "complete", "single"])
def test_the_nearest_cluster_is_that_of_the_linkage(linkage, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    X, new = rng.normal(size=(30, 3)), rng.normal(size=(9, 3))
    reduce = {"average": np.mean, "complete": np.max, "single": np.min}[linkage]
    for metric in ("euclidean", "cosine"):
        model = IHAC(4, linkage=linkage, metric=metric).fit(X)
        away = cdist(new, X, metric)
        slow = [reduce(away[:, model.labels_ == each], axis=1) for each in range(4)]
        np.testing.assert_array_equal(model.predict(new), np.argmin(slow, axis=0))


@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "precomputed"])
def test_complete_linkage_predicts_by_the_farthest_member(metric, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    X, new = rng.normal(size=(25, 2)), rng.normal(size=(7, 2))
    name = "euclidean" if metric == "precomputed" else metric
    away = cdist(new, X, name)
    inputs = (cdist(X, X, name), away) if metric == "precomputed" else (X, new)
    model = ConstrainedCompleteLinkage(3, metric=metric).fit(inputs[0])
    slow = [away[:, model.labels_ == each].max(axis=1) for each in range(3)]
    np.testing.assert_array_equal(model.predict(inputs[1]), np.argmin(slow, axis=0))


def test_nominal_values_and_those_never_seen():
    X = pd.DataFrame({"color": ["red", "red", "blue"], "shape": ["round", "square", "flat"]})
    model = ConstrainedCompleteLinkage(2, metric="hamming").fit(X)
    new = pd.DataFrame({"color": ["red", "blue", "red"], "shape": ["oval", "flat", "round"]})
    assert model.predict(new).tolist() == [0, 1, 0]


def test_recon_predicts_in_its_metric(blobs):
    X, _ = blobs
    order = np.argsort(X[:, 0])
    triplets = Constraints(60, triplets=[(order[0], order[1], order[-1])])
    model = ReCon(3, metric=RelativeMetric()).fit(X, constraints=triplets)
    moved = model.metric_.transform(X)
    centers = [moved[model.labels_ == each].mean(axis=0) for each in range(3)]
    np.testing.assert_array_equal(model.predict(X), cdist(moved, centers).argmin(axis=1))


def test_bihac_predicts_with_its_weights():
    X = [[1, 0, 2, 0], [1, 0, 0, 2], [0, 1, 2, 0], [0, 1, 0, 2], [1, 0, 1, 1]]
    model = BiHAC(2).fit(X, constraints=Constraints(5, triplets=[(0, 1, 2), (2, 3, 0)]))
    assert model.predict([[1, 0, 2, 2], [0, 1, 2, 2]]).tolist() == [0, 1]


def test_rules_and_missing_predictions():
    model = AttributeKMedoids(2, random_state=0).fit([["a", "x"], ["a", "y"], ["b", "z"]])
    assert model.score([["a", "x"], ["b", "z"]], constraints=["together: x0 == 'a'"]) == 1
    assert model.score([["a", "x"], ["b", "z"]]) == -1

    class Blind(ConstrainedCompleteLinkage):
        predict = property()

    with pytest.raises(ClustraintError, match="Blind has no predict"):
        Blind(2).fit([[0.0], [1.0]]).score([[0.0], [1.0]], constraints=[(0, 1, "same")])


def test_satisfaction_scores():
    c = Constraints(4, must_link=[(0, 1), (2, 3)], triplets=[(0, 1, 2)], must_link_weights=[3, 1])
    assert satisfaction_score(c, [0, 0, 1, 1]) == 1
    assert satisfaction_score(c, [0, 0, 1, 2]) == (0.75 + 1) / 2
    assert satisfaction_score(c, [0, 0, 0, 0]) == (1 + 0.5) / 2
    assert satisfaction_score(c, [0, 1, 0, 0]) == (0.25 + 0) / 2
    assert np.isnan(satisfaction_score(Constraints(2), [0, 1]))
