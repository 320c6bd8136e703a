"""Labels of some samples are the constraints that they mean, for every estimator."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

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
    Rule,
)
from clustraint.base import ConstrainedClusterer
from clustraint.exceptions import InconsistentConstraintsError, InvalidLabelsError
from clustraint.metric import DiscriminantMetric, PropagatedEmbedding, RelativeMetric

PAIRS = [
    COPKMeans(3, random_state=0),
    ConstrainedCompleteLinkage(3),
    ClusteringTree(3),
    ReCon(3),
]
TRIPLETS = [IHAC(3, metric="euclidean"), BiHAC(3, metric="euclidean")]
LABELS = [
    PCKMeans(3, random_state=0),
    MPCKMeans(3, random_state=0),
    ConstrainedMixture(3, random_state=0),
    ConstraintPropagation(3, random_state=0),
    BestClusterer(3, candidates=["round"], random_state=0),
    ActiveCompleteLinkage(3),
]
METRICS = [DiscriminantMetric(), PropagatedEmbedding(3), RelativeMetric()]


def name_of(value):
    return type(value).__name__


@pytest.fixture(name="blobs")
def blobs_with_few_labels(global_random_seed):
    """Three blobs, and text labels of nine samples that split one of them by chance."""
    X, truth = make_blobs(45, centers=3, cluster_std=2.0, random_state=global_random_seed % 2**32)
    y = [None] * 45
    for place in range(9):
        y[place] = "abc"[truth[place]]
    return X, y


def results(model):
    """All that a model learnt, as arrays."""
    names = ("labels_", "linkage_", "components_", "embedding_", "feature_weights_")
    return [np.asarray(getattr(model, name)) for name in names if hasattr(model, name)]


def assert_same(first, second):
    one, two = results(first), results(second)
    assert len(one) == len(two) > 0
    for here, there in zip(one, two, strict=True):
        np.testing.assert_array_equal(here, there)


@pytest.mark.parametrize("model", PAIRS + METRICS[:2], ids=name_of)
def test_labels_are_pairs(model, blobs):
    X, y = blobs
    meant = Constraints.from_labels(y)
    assert_same(clone(model).fit(X, y), clone(model).fit(X, constraints=meant))


@pytest.mark.parametrize("model", TRIPLETS + METRICS[2:], ids=name_of)
def test_labels_are_triplets(model, blobs):
    X, y = blobs
    meant = Constraints.from_labels(y, n_triplets="all")
    assert_same(clone(model).fit(X, y), clone(model).fit(X, constraints=meant))


@pytest.mark.parametrize("model", PAIRS, ids=name_of)
def test_labels_add_to_constraints(model, blobs):
    X, y = blobs
    more = Constraints(len(y), must_link=[(20, 21)])
    both = more | Constraints.from_labels(y)
    assert_same(clone(model).fit(X, y, constraints=more), clone(model).fit(X, constraints=both))


@pytest.mark.parametrize("model", PAIRS + TRIPLETS + LABELS, ids=name_of)
def test_spellings_of_unknown_are_the_same(model, blobs):
    X, y = blobs
    numbers = [-1 if label is None else "abc".index(label) for label in y]
    decimals = [np.nan if label is None else "abc".index(label) for label in y]
    series = pd.Series(y, index=range(100, 100 + len(y)))
    first = clone(model).fit(X, y)
    for same in (numbers, np.array(numbers), decimals, np.array(decimals), series):
        assert_same(first, clone(model).fit(X, same))


@pytest.mark.parametrize("model", PAIRS + TRIPLETS + LABELS + METRICS, ids=name_of)
def test_labels_of_all_samples_or_none_are_ignored(model, blobs):
    X, y = blobs
    plain = clone(model).fit(X)
    full = np.arange(len(y)) % 3
    for ignored in (full, X[:, 0], np.full(len(y), -1), [None] * len(y)):
        assert_same(plain, clone(model).fit(X, ignored))


@pytest.mark.parametrize("model", PAIRS + TRIPLETS + LABELS, ids=name_of)
def test_fit_predict_and_pipelines_pass_labels_on(model, blobs):
    X, y = blobs
    labels = clone(model).fit(X, y).labels_
    assert (clone(model).fit_predict(X, y) == labels).all()
    scaled = StandardScaler().fit_transform(X)
    expected = clone(model).fit(scaled, y).labels_
    piped = make_pipeline(StandardScaler(), clone(model)).fit(X, y)
    assert (piped[-1].labels_ == expected).all()


@pytest.mark.parametrize("model", [PAIRS[0], PAIRS[-1]], ids=name_of)
def test_hard_methods_keep_labels(model, blobs):
    X, y = blobs
    report = clone(model).fit(X, y).constraint_report_
    assert report.all_satisfied
    assert report.constraints.n_constraints


@pytest.mark.parametrize("model", PAIRS + TRIPLETS + LABELS + METRICS, ids=name_of)
def test_a_wrong_number_of_labels(model, blobs):
    X, y = blobs
    with pytest.raises(InvalidLabelsError, match="one label for each of 45 samples, but has 44"):
        clone(model).fit(X, y[1:])


def test_labels_that_contradict_constraints(blobs):
    X, y = blobs
    first = [place for place in range(9) if y[place] == y[0]]
    other = next(place for place in range(9) if y[place] != y[0])
    wrong = Constraints(len(y), must_link=[(first[-1], other)])
    with pytest.raises(InconsistentConstraintsError):
        COPKMeans(3).fit(X, y, constraints=wrong)


def test_only_kinds_that_an_estimator_takes():
    class Ties(ConstrainedClusterer):
        constraint_kinds = ("must_link",)

        def _check_parameters(self, n_samples):
            pass

        def _fit(self, X, constraints):
            self.labels_ = constraints.components.labels

    model = Ties().fit([[0.0], [1.0], [2.0], [3.0]], ["a", "b", "a", None])
    assert model.labels_.tolist() == [0, 1, 0, 2]
    assert model.constraint_report_.constraints.kinds == ("must_link",)


# Attribute k-medoids takes rules, and labels as groups


COLORS = [["red", "x"], ["red", "y"], ["blue", "x"], ["blue", "y"], ["blue", "z"]]


@pytest.mark.parametrize("attach", ["seed", "first"])
def test_labelled_groups_of_attribute_kmedoids(attach, global_random_seed):
    model = AttributeKMedoids(2, attach=attach, random_state=global_random_seed % 2**32)
    labels = model.fit(COLORS, ["a", "b", "b", "a", None]).labels_
    assert labels[0] == labels[3] != labels[1] == labels[2]
    assert len(model.rule_clusters_) == 0
    assert model.predict(COLORS).shape == (5,)


def test_labelled_groups_beside_rules(global_random_seed):
    rule = Constraints(5, rules=[Rule('x0 == "blue"')])
    model = AttributeKMedoids(2, random_state=global_random_seed % 2**32)
    labels = model.fit(COLORS, ["a", None, "b", None, None], constraints=rule).labels_
    assert labels[2] == labels[3] == labels[4] != labels[0]
    assert model.rule_clusters_.tolist() == [labels[2]]
    with pytest.raises(InconsistentConstraintsError, match="labels in y") as error:
        model.fit(COLORS, [None, None, "b", "a", None], constraints=rule)
    assert error.value.witness.rules == rule.rules


def test_active_linkage_asks_about_the_unlabelled_only():
    X = [[0.0], [1.0], [3.0], [7.0], [9.0]]
    asked = []

    def oracle(first, second):
        asked.append((first, second))
        return False

    model = ActiveCompleteLinkage(2, n_queries=6)
    model.fit(X, ["low", "low", None, "high", None], oracle=oracle)
    assert all(2 in pair or 4 in pair for pair in asked)
    assert model.labels_[0] == model.labels_[1] != model.labels_[3]
