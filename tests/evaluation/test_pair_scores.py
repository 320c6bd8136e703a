import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import rand_score
from sklearn.metrics.cluster import pair_confusion_matrix

from clustraint import Constraints
from clustraint.evaluation import constrained_rand_score, pairwise_f_score
from clustraint.exceptions import NothingToMeasureError
from tests.reference import scores as reference
from tests.strategies_constraints import labelled_pairs


@st.composite
def two_labellings(draw, n_samples=None, lowest=-1):
    size = draw(st.integers(0, 9)) if n_samples is None else n_samples
    kinds = st.sampled_from([st.integers(lowest, 3), st.integers(lowest, 10**12)])
    classes = draw(st.lists(draw(kinds), min_size=size, max_size=size))
    clusters = draw(st.lists(st.integers(0, 3), min_size=size, max_size=size))
    return classes, clusters


@st.composite
def constrained(draw):
    constraints = draw(labelled_pairs())
    return constraints, *draw(two_labellings(len(constraints)))


def test_two_of_three_open_pairs_are_right():
    # 0 = 1 and 1 != 2 decide three of six pairs; of 0-3, 1-3 and 2-3 the last is wrong.
    known = Constraints(4, must_link=[(0, 1)], cannot_link=[(1, 2)])
    assert constrained_rand_score([0, 0, 1, 1], [0, 0, 1, 2], known) == 2 / 3
    # Two of the decided pairs are wrong now, and do not count; of the others 1-3 is wrong.
    assert constrained_rand_score([0, 0, 1, 1], [1, 0, 0, 0], known) == 2 / 3


def test_precision_and_recall_of_pairs():
    # One of two pairs in a cluster is right, of three in a class one is found: 1/2 and 1/3.
    assert pairwise_f_score([0, 0, 0, 1], [0, 0, 1, 1]) == 0.4
    assert pairwise_f_score([0, 0, 1, 1], [0, 1, 0, 1]) == 0
    assert pairwise_f_score([0, 1, 2], [2, 1, 0]) == 1


@given(constrained())
def test_counting_is_the_loop_over_open_pairs(given_all):
    constraints, classes, clusters = given_all
    decided = reference.closure(
        len(constraints), constraints.must_link.tolist(), constraints.cannot_link.tolist()
    )
    expected = reference.rand(classes, clusters, decided)
    if expected is None:
        with pytest.raises(NothingToMeasureError, match="decide each of the"):
            constrained_rand_score(classes, clusters, constraints)
        return
    assert constrained_rand_score(classes, clusters, constraints) == pytest.approx(expected)
    listed = constrained_rand_score(classes, clusters, constraints.closure())
    assert listed == constrained_rand_score(np.array(classes), np.array(clusters), constraints)


@given(two_labellings())
def test_counting_is_the_loop_over_pairs(labels):
    expected = reference.pairwise_f(*labels)
    if expected is None:
        with pytest.raises(NothingToMeasureError, match="make no pair"):
            pairwise_f_score(*labels)
        return
    assert pairwise_f_score(*labels) == pytest.approx(expected)
    assert pairwise_f_score(*map(np.array, labels)) == pairwise_f_score(*labels)


@pytest.mark.parametrize("n_classes", [3, 40, 1000])
def test_parity_with_scikit_learn(n_classes, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    classes, clusters = rng.integers(n_classes, size=(2, 1000))
    nothing = constrained_rand_score(classes, clusters, Constraints(1000))
    assert nothing == pytest.approx(rand_score(classes, clusters))
    (_, false_positive), (false_negative, right) = pair_confusion_matrix(classes, clusters)
    expected = 2 * right / (2 * right + false_positive + false_negative)
    assert pairwise_f_score(classes, clusters) == pytest.approx(expected)


@given(constrained(), st.randoms(use_true_random=False))
def test_neither_order_nor_names_matter(given_all, random):
    constraints, classes, clusters = given_all
    order = list(range(len(constraints)))
    random.shuffle(order)
    shuffled = [["abcd"[clusters[i]] for i in order], [classes[i] for i in order]]
    try:
        expected = constrained_rand_score(classes, clusters, constraints)
    except NothingToMeasureError:
        return
    assert constrained_rand_score(shuffled[1], shuffled[0], constraints[order]) == expected
    assert pairwise_f_score(shuffled[1], shuffled[0]) == pairwise_f_score(classes, clusters)


@pytest.mark.parametrize("unknown", [-1, None, np.nan])
def test_samples_of_unknown_class_do_not_count(unknown):
    classes, clusters = ["a", "a", unknown, "b"], [0, 0, 0, 1]
    assert pairwise_f_score(classes, clusters) == 1
    # Nor do they need a cluster; but they do carry links.
    assert pairwise_f_score(classes, [0, 0, -1, 1]) == 1
    known = Constraints(4, must_link=[(0, 2), (1, 2)])
    assert constrained_rand_score(classes, [0, 1, 0, 1], known) == 0.5


@pytest.mark.parametrize("kind", [list, np.array, pd.Series, pl.Series])
@pytest.mark.parametrize("labels", [[0, 0, 1, 1], ["x", "x", "y", "y"], [0.5, 0.5, 1.5, 1.5]])
def test_any_kind_of_labels(kind, labels):
    assert pairwise_f_score(kind(labels), kind([5, 5, 7, 7])) == 1
    assert constrained_rand_score(kind([5, 5, 7, 7]), kind(labels), Constraints(4)) == 1


def test_the_closure_is_not_listed():
    # It has 5 * 10⁹ pairs.
    n_samples = 100_000
    chain = np.stack((np.arange(n_samples - 2), np.arange(1, n_samples - 1)), axis=1)
    known = Constraints(n_samples, must_link=chain[:-1], cannot_link=[(0, n_samples - 2)])
    classes = np.zeros(n_samples, np.int64)
    classes[n_samples - 2 :] = 1, 2
    assert constrained_rand_score(classes, classes, known) == 1
    lost = classes.copy()
    lost[-1] = 1
    assert constrained_rand_score(classes, lost, known) == pytest.approx(1 - 1 / (n_samples - 1))
