"""Numbers at the edge: the right clusters, or a sentence that says which column to scale."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from clustraint import (
    ActiveCompleteLinkage,
    BestClusterer,
    ConstrainedCompleteLinkage,
    ConstrainedMixture,
    Constraints,
    COPKMeans,
    MPCKMeans,
    PCKMeans,
    ReCon,
)
from clustraint.exceptions import (
    HugeDifferenceError,
    InvalidDistanceError,
    InvalidParameterError,
    SampleWeightError,
    TinyDifferenceError,
)

Y = np.repeat([0, 1], 10)
X = np.random.default_rng(0).normal(size=(20, 2)) + 6 * Y[:, np.newaxis]
PAIRS = Constraints.from_labels(Y, n_pairs=30, random_state=0)
TRIPLETS = Constraints.from_labels(Y, n_triplets=12, random_state=0)

BY_SQUARES = [
    (COPKMeans(2, assignment="exact", random_state=0), PAIRS),
    (COPKMeans(2, assignment="auto", random_state=0), PAIRS),
    (COPKMeans(2, assignment="instance", n_init=50, random_state=0), PAIRS),
    (COPKMeans(2, assignment="soft", random_state=0), PAIRS),
    (PCKMeans(2, random_state=0), PAIRS),
    (MPCKMeans(2, random_state=0), PAIRS),
    # What it adds to variances is in squared units of the data, as in scikit-learn.
    (ConstrainedMixture(2, reg_covar=0.0, random_state=0), PAIRS),
    (BestClusterer(2, random_state=0), PAIRS),
    (ReCon(2), TRIPLETS),
]
NAMES = [f"{type(model).__name__} {getattr(model, 'assignment', '')}" for model, _ in BY_SQUARES]


@pytest.mark.parametrize(("model", "constraints"), BY_SQUARES, ids=NAMES)
@pytest.mark.parametrize("scale", [1e200, 1e300, 1e-200, 1e-300])
def test_squares_that_are_no_numbers_are_one_sentence(model, constraints, scale):
    error, words = (
        (HugeDifferenceError, r"those of column \d \(from 0\) are not; scale that column")
        if scale > 1
        else (TinyDifferenceError, "scale the columns")
    )
    with pytest.raises(error, match=words):
        model.fit(X * scale, constraints=constraints)


@pytest.mark.parametrize(("model", "constraints"), BY_SQUARES, ids=NAMES)
@pytest.mark.parametrize("scale", [2.0**400, 2.0**-400])
def test_squares_that_are_numbers_give_the_right_clusters(model, constraints, scale):
    labels = model.fit(X * scale, constraints=constraints).labels_
    assert adjusted_rand_score(Y, labels) == 1


def test_the_column_that_is_too_large_is_named():
    wide = X.copy()
    wide[:, 1] *= 1e250
    with pytest.raises(HugeDifferenceError, match="column 1 "):
        COPKMeans(2).fit(wide)
    with pytest.raises(HugeDifferenceError, match="column 1 "):
        COPKMeans(2).fit((wide / 1e220).astype(np.float32))


def test_equal_samples_are_no_tiny_differences():
    with pytest.warns(match="fewer clusters"):
        assert set(COPKMeans(2, random_state=0).fit(np.full((4, 2), 1e300)).labels_) == {0}


@pytest.mark.parametrize("model", [ConstrainedCompleteLinkage(2), ActiveCompleteLinkage(2, 5)])
def test_distances_that_are_no_numbers_are_one_sentence(model):
    told = {"oracle": lambda a, b: bool(Y[a] == Y[b])} if hasattr(model, "n_queries") else {}
    with pytest.raises(InvalidDistanceError, match="must be a finite number"):
        model.fit(X * 1e300, **told)


def test_merges_that_are_not_forced_are_not_counted_as_forced():
    def outcome(scale):
        model = ActiveCompleteLinkage(2, n_queries=6)
        model.fit(X * scale, oracle=lambda a, b: bool(Y[a] == Y[b]))
        return model.n_forced_merges_, model.labels_.tolist(), len(model.queries_)

    assert outcome(1.0) == outcome(2.0**490) == outcome(2.0**-490)


@pytest.mark.parametrize("model", [COPKMeans(2), PCKMeans(2), COPKMeans(2, assignment="exact")])
@pytest.mark.parametrize("weight", [1e-60, 1e60])
def test_weights_that_float32_cannot_hold_are_one_sentence(model, weight):
    weights = np.ones(20)
    weights[3] = weight
    with pytest.raises(SampleWeightError, match=r"float32.*one is 1e[+-]60; .* as float64"):
        model.fit(X.astype(np.float32), sample_weight=weights)
    model.fit(X, sample_weight=weights)
    weights[3] = 0
    model.fit(X.astype(np.float32), sample_weight=weights)


@pytest.mark.parametrize("trust", ["learn", 1])
@pytest.mark.parametrize("constraints", [None, PAIRS])
def test_weights_that_a_mixture_cannot_count_are_one_sentence(trust, constraints):
    model = ConstrainedMixture(2, trust=trust, random_state=0)
    for weight in (1e-300, 1e-50, 1e50, 1e307):
        with pytest.raises(InvalidParameterError, match=r"sample_weight must be .* scale them"):
            model.fit(X, sample_weight=np.full(20, weight), constraints=constraints)
    for weight in (1e-9, 1e9):
        model.fit(X, sample_weight=np.full(20, weight), constraints=constraints)
        assert adjusted_rand_score(Y, model.labels_) == 1
    # One that counts for nothing beside the others is as good as left out.
    model.fit(X, sample_weight=np.r_[1e-50, np.ones(19)], constraints=constraints)
    assert adjusted_rand_score(Y, model.labels_) == 1


@pytest.mark.parametrize(
    "model",
    [
        COPKMeans(2),
        COPKMeans(2, assignment="soft"),
        PCKMeans(2),
        MPCKMeans(2),
        ConstrainedMixture(2),
    ],
)
def test_constraints_of_huge_weight_are_kept(model):
    heavy = Constraints(
        20,
        must_link=PAIRS.must_link,
        cannot_link=PAIRS.cannot_link,
        must_link_weights=np.full(len(PAIRS.must_link), 1e300),
        cannot_link_weights=np.full(len(PAIRS.cannot_link), 1e300),
    )
    model.set_params(random_state=0).fit(X, constraints=heavy)
    assert model.constraint_report_.all_satisfied
