"""Constraints on their way through scikit-learn arrive re-indexed with the data."""

import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import BaseEstimator, ClusterMixin, TransformerMixin
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    ShuffleSplit,
    cross_validate,
    train_test_split,
)
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing, indexable

from clustraint import Constraints, Rule
from tests.strategies_constraints import members

N_SAMPLES = 60


def induced(original, rows):
    """The members among `rows`, numbered by their places there, one by one."""
    place = {row: number for number, row in enumerate(rows)}
    found = []
    for kind, row, weight in members(original):
        if all(sample in place for sample in row):
            first, second, *others = (place[sample] for sample in row)
            found.append((kind, (*sorted((first, second)), *others), weight))
    return sorted(found)


def assert_aligned(received, original, X):
    """Check that `received` is all that `original` knows of the rows of X, which are numbered."""
    rows = np.asarray(X)[:, 0].astype(int).tolist()
    assert isinstance(received, Constraints)
    assert received.n_samples == len(rows)
    assert members(received) == induced(original, rows)
    assert received.names == tuple(original.names[row] for row in rows)
    assert received.rules == original.rules


class Stub(ClusterMixin, BaseEstimator):
    """A clusterer that only looks at what it is given."""

    def __init__(self, original=None, n_clusters=2):
        self.original = original
        self.n_clusters = n_clusters

    def fit(self, X, y=None, *, constraints=None):
        assert_aligned(constraints, self.original, X)
        self.rows_ = np.asarray(X)[:, 0].astype(int)
        self.constraints_ = constraints
        self.labels_ = np.arange(len(X)) % self.n_clusters
        return self

    def predict(self, X):
        return np.arange(len(X)) % self.n_clusters

    def score(self, X, y=None, sample_weight=None):
        return float(self.n_clusters)


class ScoringStub(Stub):
    """A stub whose score asks for constraints too."""

    def score(self, X, y=None, sample_weight=None, constraints=None):
        assert_aligned(constraints, self.original, X)
        rows = np.asarray(X)[:, 0].astype(int)
        # Either the rows it was fitted with or none of them.
        assert len(np.intersect1d(rows, self.rows_)) in (0, len(rows))
        return float(self.n_clusters)


class Identity(TransformerMixin, BaseEstimator):
    def fit(self, X, y=None):
        self.n_features_in_ = X.shape[1]
        return self

    def transform(self, X):
        return X


@pytest.fixture(autouse=True)
def _routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


@pytest.fixture
def original(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    labels = rng.integers(0, 3, N_SAMPLES)
    drawn = Constraints.from_labels(labels, n_pairs=300, n_triplets=300, random_state=rng)
    return Constraints(
        N_SAMPLES,
        must_link=drawn.must_link,
        cannot_link=drawn.cannot_link,
        triplets=drawn.triplets,
        rules=[Rule("milk")],
        names=[f"sample {letter}" for letter in range(N_SAMPLES)],
        must_link_weights=rng.random(len(drawn.must_link)) + 0.1,
    )


@pytest.fixture(params=["array", "frame"], name="X")
def numbered_samples(request, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    table = np.column_stack((np.arange(N_SAMPLES), rng.random((N_SAMPLES, 2))))
    return table if request.param == "array" else pd.DataFrame(table, columns=list("abc"))


@pytest.fixture(params=["KFold", "ShuffleSplit"])
def splits(request, global_random_seed):
    if request.param == "KFold":
        return KFold(3, shuffle=True, random_state=global_random_seed)
    return ShuffleSplit(3, train_size=0.6, random_state=global_random_seed)


def pipeline(stub):
    return Pipeline([("identity", Identity()), ("cluster", stub)])


def requesting(kind, original):
    stub = kind(original).set_fit_request(constraints=True)
    return stub.set_score_request(constraints=True) if kind is ScoringStub else stub


each_stub = pytest.mark.parametrize("kind", [Stub, ScoringStub])


def test_the_stub_notices_what_is_not_aligned(original, X):
    Stub(original).fit(X, constraints=original)
    for wrong in (
        None,
        original[::-1],
        original[:-1],
        original.sample(original.n_constraints - 1, random_state=0),
        original | Constraints(N_SAMPLES, must_link=[(0, 1)], must_link_weights=[9]),
    ):
        with pytest.raises(AssertionError):
            Stub(original).fit(X, constraints=wrong)


def test_pipeline(original, X):
    fitted = pipeline(requesting(Stub, original)).fit(X, constraints=original)
    assert fitted["cluster"].constraints_ is original
    labels = pipeline(requesting(Stub, original)).fit_predict(X, constraints=original)
    assert labels.tolist() == [0, 1] * (N_SAMPLES // 2)
    assert fitted.score(X) == 2


def test_pipeline_passes_constraints_on_to_score(original, X):
    fitted = pipeline(requesting(ScoringStub, original)).fit(X, constraints=original)
    assert fitted.score(X, constraints=original) == 2


@each_stub
def test_cross_validate(kind, original, X, splits):
    result = cross_validate(
        pipeline(requesting(kind, original)),
        X,
        params={"constraints": original},
        cv=splits,
        return_estimator=True,
        return_indices=True,
        return_train_score=True,
        error_score="raise",
    )
    assert result["test_score"].tolist() == [2] * 3
    sizes = []
    for fitted, rows in zip(result["estimator"], result["indices"]["train"], strict=True):
        stub = fitted["cluster"]
        assert stub.rows_.tolist() == rows.tolist()
        assert members(stub.constraints_) == induced(original, rows.tolist())
        sizes.append(stub.constraints_.n_constraints)
    # Something is left of the constraints, but not all.
    assert all(0 < size < original.n_constraints for size in sizes)


@each_stub
def test_grid_search(kind, original, X, splits):
    search = GridSearchCV(
        pipeline(requesting(kind, original)),
        {"cluster__n_clusters": [2, 4, 3]},
        cv=splits,
        error_score="raise",
    )
    search.fit(X, constraints=original)
    assert search.best_params_ == {"cluster__n_clusters": 4}
    assert search.cv_results_["mean_test_score"].tolist() == [2, 4, 3]
    # The last fit is with all rows.
    refitted = search.best_estimator_["cluster"]
    assert refitted.rows_.tolist() == list(range(N_SAMPLES))
    assert refitted.constraints_ == original


def test_grid_search_of_the_clusterer_alone(original, X, splits):
    search = GridSearchCV(
        requesting(Stub, original), {"n_clusters": [2, 3]}, cv=splits, error_score="raise"
    )
    search.fit(X, constraints=original)
    assert search.best_params_ == {"n_clusters": 3}


def test_nested_cross_validation(original, X, splits):
    search = GridSearchCV(
        pipeline(requesting(Stub, original)),
        {"cluster__n_clusters": [2, 3]},
        cv=KFold(2, shuffle=True, random_state=0),
        error_score="raise",
    )
    result = cross_validate(
        search, X, params={"constraints": original}, cv=splits, error_score="raise"
    )
    assert result["test_score"].tolist() == [3] * 3


def test_jobs_in_threads(original, X, splits):
    with joblib.parallel_config(backend="threading"):
        result = cross_validate(
            pipeline(requesting(Stub, original)),
            X,
            params={"constraints": original},
            cv=splits,
            n_jobs=2,
            error_score="raise",
        )
    assert result["test_score"].tolist() == [2] * 3


def test_train_test_split(original, X, global_random_seed):
    parts = train_test_split(X, original, test_size=0.4, random_state=global_random_seed)
    X_train, X_test, train, test = parts
    assert_aligned(train, original, X_train)
    assert_aligned(test, original, X_test)
    assert (len(train), len(test)) == (36, 24)


@pytest.mark.parametrize("form", ["list", "array", "mask", "slice"])
def test_safe_indexing(original, X, form, global_random_seed):
    rows = np.random.default_rng(global_random_seed).permutation(N_SAMPLES)[:20]
    chosen = {
        "list": rows.tolist(),
        "array": rows,
        "mask": np.isin(np.arange(N_SAMPLES), rows),
        "slice": slice(5, 40),
    }[form]
    assert_aligned(_safe_indexing(original, chosen), original, _safe_indexing(X, chosen))


def test_indexable_lets_constraints_through(original, X):
    _, same = indexable(X, original)
    assert same is original
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        indexable(X, original[:-1])
