import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans

from clustraint import Constraints, COPKMeans, Hierarchy
from clustraint.evaluation import (
    coherence,
    constrained_rand_score,
    cross_validated_rand,
    h_correlation,
    hierarchy_f_score,
    informativeness,
    pairwise_f_score,
)
from clustraint.exceptions import (
    ClustraintError,
    ConstraintSizeError,
    DifferentSamplesError,
    InconsistentConstraintsError,
    InvalidLabelsError,
    InvalidParameterError,
    NothingToMeasureError,
    UnclusteredSampleError,
)

TREE = Hierarchy.from_newick("((a, b), (c, d));")


def rand_of_nothing_known(y_true, y_pred):
    return constrained_rand_score(y_true, y_pred, Constraints(3))


@pytest.mark.parametrize("score", [pairwise_f_score, rand_of_nothing_known])
@pytest.mark.parametrize(
    ("y_true", "y_pred", "error", "message"),
    [
        ([0, 0, 1], [0, 0], DifferentSamplesError, "y_true has 3 labels and y_pred has 2"),
        ([0, 0, 1], [0, -1, 0], UnclusteredSampleError, "y_pred .* nan at sample 1"),
        ([0, 0, 1], [0, 0, None], UnclusteredSampleError, "at sample 2; give such samples"),
        ([0, 0, 1], [0.0, 0.0, np.nan], UnclusteredSampleError, "at sample 2"),
        ([[0], [0], [1]], [0, 0, 0], InvalidLabelsError, r"y_true .* but holds \[0\]"),
        (np.zeros((3, 1)), [0, 0, 0], InvalidLabelsError, r"y_true .* but is \(3, 1\)"),
        ([0, 0, 1], np.zeros((3, 1), int), InvalidLabelsError, r"y_pred .* but is \(3, 1\)"),
        ([0, 0, 1], pd.DataFrame({"a": [0, 0, 1]}), InvalidLabelsError, "y_pred must be one"),
        (5, [0, 0, 0], InvalidLabelsError, "y_true must be one label for each sample, but is 5"),
        ([0, -1, None], [0, 0, 0], NothingToMeasureError, "known class"),
    ],
)
def test_bad_labels(score, y_true, y_pred, error, message):
    with pytest.raises(error, match=message):
        score(y_true, y_pred)


@pytest.mark.parametrize(
    ("constraints", "error", "message"),
    [
        ([(0, 1)], ClustraintError, "must be a Constraints object, but is list"),
        (None, ClustraintError, "must be a Constraints object, but is NoneType"),
        (Constraints(4), ConstraintSizeError, "constraints are about 4 samples, but y_true has 3"),
        (
            Constraints(3, must_link=[(0, 1)], cannot_link=[(0, 1)]),
            InconsistentConstraintsError,
            "cannot be linked",
        ),
        (
            Constraints(3, must_link=[(0, 1), (1, 2)]),
            NothingToMeasureError,
            "decide each of the 3 pairs",
        ),
    ],
)
def test_bad_constraints_of_the_rand_score(constraints, error, message):
    with pytest.raises(error, match=message):
        constrained_rand_score([0, 0, 1], [0, 0, 1], constraints)


@pytest.mark.parametrize("score", [h_correlation, hierarchy_f_score])
@pytest.mark.parametrize(
    ("true", "found", "labelled", "error", "message"),
    [
        ("((a, b), c);", TREE, None, ClustraintError, "true_hierarchy must be a Hierarchy"),
        (TREE, [4, 4, 5, 5, -1], None, ClustraintError, "hierarchy must be a Hierarchy, but is a"),
        (TREE, Hierarchy([2, 2, -1]), None, DifferentSamplesError, "has 4 and hierarchy has 2"),
        (TREE, TREE, [4], ClustraintError, r"\[4\] does not choose among 4 labelled samples"),
        (TREE, TREE, [True, False], ClustraintError, "does not choose among 4 labelled"),
        (TREE, TREE, [0.5], ClustraintError, "labelled samples are chosen by"),
        (TREE, TREE, "a", ClustraintError, "labelled samples are chosen by"),
        (TREE, TREE, [0, 1, 2, 3], NothingToMeasureError, "labelled ones left out"),
        (Hierarchy([2, 2, -1]), Hierarchy([2, 2, -1]), None, NothingToMeasureError, "no"),
        (Hierarchy([-1]), Hierarchy([-1]), None, NothingToMeasureError, "no"),
    ],
)
def test_bad_hierarchies(score, true, found, labelled, error, message):
    with pytest.raises(error, match=message):
        score(true, found, labelled)


@pytest.mark.parametrize(
    ("y", "options", "error", "message"),
    [
        ([0, 1] * 10, {"n_pairs": -1}, ClustraintError, "n_pairs must be a whole number"),
        ([0, 1] * 10, {"n_pairs": 2.5}, ClustraintError, "n_pairs must be a whole number"),
        ([0, 1] * 10, {"n_folds": 1}, InvalidParameterError, "n_folds must be .* from 2 up"),
        ([0, 1] * 10, {"n_folds": "ten"}, ClustraintError, "n_folds must be a whole number"),
        ([0, 1] * 10, {"n_folds": 11}, InvalidLabelsError, "need 22 labels, but y has 20"),
        ([0, 1] * 9 + [-1, None], {}, InvalidLabelsError, "need 20 labels, but y has 18"),
        ([0, 1] * 9, {}, DifferentSamplesError, "X has 20 and y has 18 labels"),
        ([[0]] * 20, {}, InvalidLabelsError, r"y must .* but holds \[0\]"),
        ([0, 1] * 10, {"random_state": "x"}, ClustraintError, "random_state must be"),
    ],
)
def test_bad_folds(y, options, error, message):
    options = {"n_pairs": 5, **options}
    with pytest.raises(error, match=message):
        cross_validated_rand(COPKMeans(2), np.eye(20), y, **options)


def test_other_errors_of_an_estimator_are_no_failures():
    with pytest.raises(ClustraintError, match="n_clusters"):
        cross_validated_rand(COPKMeans(0), np.eye(20), [0, 1] * 10, n_pairs=5)


@pytest.mark.parametrize(
    "score", [coherence, lambda X, constraints: informativeness(KMeans(2), X, constraints)]
)
@pytest.mark.parametrize(
    ("constraints", "error", "message"),
    [
        ([(0, 1)], ClustraintError, "must be a Constraints object, but is list"),
        (Constraints(4), ConstraintSizeError, "constraints are about 4 samples, but X has 3"),
        (Constraints(3), NothingToMeasureError, "hold"),
    ],
)
def test_bad_constraints_of_utilities(score, constraints, error, message):
    with pytest.raises(error, match=message):
        score(np.eye(3), constraints)


@pytest.mark.parametrize(
    "given",
    [
        {"must_link": [(0, 1)]},
        {"cannot_link": [(0, 1)]},
        {"triplets": [(0, 1, 2)]},
    ],
)
def test_nothing_to_compare(given):
    with pytest.raises(NothingToMeasureError, match="coherence compares must-links with"):
        coherence(np.eye(3), Constraints(3, **given))


def test_coordinates_that_are_none():
    known = Constraints(3, must_link=[(0, 1)], cannot_link=[(0, 2)])
    with pytest.raises(ValueError, match="NaN"):
        coherence([[0.0], [np.nan], [1.0]], known)


@pytest.mark.parametrize(
    "error",
    [
        DifferentSamplesError("they differ"),
        NothingToMeasureError("nothing"),
        UnclusteredSampleError("y_pred", 3),
    ],
)
def test_errors_survive_pickling(error):
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert str(copy) == str(error)
