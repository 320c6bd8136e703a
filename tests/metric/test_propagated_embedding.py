import pickle
import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris, make_blobs, make_circles, make_moons
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from clustraint import Constraints, Rule
from clustraint.exceptions import (
    ClustraintError,
    InvalidParameterError,
    MissingPackageError,
    UnsupportedConstraintsError,
)
from clustraint.metric import PropagatedEmbedding
from clustraint.metric import _neighbor_spectrum as spectra
from tests.reference import propagation as reference


def similarities(embedding):
    return embedding.embedding_ @ embedding.embedding_.T


def drawn(seed, n_samples=40, **counts):
    X, y = make_blobs(n_samples, 3, centers=3, cluster_std=3.0, random_state=seed)
    return X, Constraints.from_labels(y, random_state=seed, **counts)


def test_tiny_case():
    # A chain of eight: what is said of its ends spreads to the middle.
    X = np.arange(8.0)[:, np.newaxis]
    constraints = Constraints(8, must_link=[(0, 1), (6, 7)], cannot_link=[(0, 7)])
    embedding = PropagatedEmbedding(2, n_neighbors=2).fit(X, constraints=constraints)
    near = similarities(embedding) > 0.7
    assert near[0, :3].all()
    assert near[7, 5:].all()
    assert not near[0, 5:].any()


@pytest.mark.parametrize("offset", range(5))
def test_with_all_eigenvectors_it_is_the_papers_propagation(global_random_seed, offset):
    X, constraints = drawn(global_random_seed + offset, n_pairs=12)
    signs = {}
    for kind, sign in (("must_link", 1.0), ("cannot_link", -1.0)):
        for row in getattr(constraints, kind).tolist():
            signs[tuple(row)] = signs.get(tuple(row), 0.0) + sign
    embedding = PropagatedEmbedding(3, n_neighbors=6, n_eigenvectors=40, reach=0.8, strength=0.7)
    expected = reference.similarities(X, signs, 3, 6, 0.8, 0.7)
    actual = similarities(embedding.fit(X, constraints=constraints))
    np.testing.assert_allclose(actual, expected, atol=1e-6)


def test_a_triplet_is_an_attraction_and_two_repulsions_of_half_its_weight(global_random_seed):
    X, constraints = drawn(global_random_seed, n_triplets=9)
    a, b, c = constraints.triplets.T
    pairs = Constraints(
        len(X),
        must_link=np.stack((a, b), axis=1),
        cannot_link=np.concatenate((np.stack((a, c), axis=1), np.stack((b, c), axis=1))),
        cannot_link_weights=np.full(2 * len(a), 0.5),
    )
    by_triplets = PropagatedEmbedding(3).fit(X, constraints=constraints)
    by_pairs = PropagatedEmbedding(3).fit(X, constraints=pairs)
    np.testing.assert_allclose(by_triplets.embedding_, by_pairs.embedding_, atol=1e-6)


def test_without_constraints_it_is_a_spectral_embedding(global_random_seed):
    X, _ = drawn(global_random_seed)
    actual = similarities(PropagatedEmbedding(3, n_neighbors=6).fit(X))
    np.testing.assert_allclose(actual, reference.similarities(X, {}, 3, 6, 0.9, 0.5), atol=1e-6)


@pytest.mark.parametrize("make", [make_circles, make_moons])
def test_clusters_that_are_not_blobs(make, global_random_seed):
    options = {"factor": 0.4} if make is make_circles else {}
    X, y = make(400, noise=0.05, random_state=global_random_seed, **options)
    constraints = Constraints.from_labels(y, n_pairs=40, random_state=global_random_seed)
    embedding = PropagatedEmbedding(2).fit(X, constraints=constraints).embedding_
    labels = KMeans(2, n_init=5, random_state=0).fit_predict(embedding)
    assert adjusted_rand_score(y, labels) > 0.9


def test_many_rows_take_the_same_way_by_iteration(monkeypatch):
    X, _ = make_moons(500, noise=0.06, random_state=3)
    constraints = Constraints(500, cannot_link=[(0, 1), (2, 3)])
    iterated = PropagatedEmbedding(2, n_eigenvectors=10).fit(X, constraints=constraints)
    monkeypatch.setattr(spectra, "DENSE_UP_TO", 1_000)
    at_once = PropagatedEmbedding(2, n_eigenvectors=10).fit(X, constraints=constraints)
    # Rows of almost no length before they are normalised may point anywhere.
    assert np.mean(np.abs(similarities(iterated) - similarities(at_once)) < 0.05) > 0.95


def test_new_rows_are_placed_beside_their_neighbours(global_random_seed):
    X, y = make_moons(400, noise=0.05, random_state=global_random_seed)
    constraints = Constraints.from_labels(y, n_pairs=20, random_state=global_random_seed)
    embedding = PropagatedEmbedding(2).fit(X, constraints=constraints)
    new = X + 1e-4
    agreement = (embedding.transform(new) * embedding.embedding_).sum(axis=1)
    assert np.median(agreement) > 0.99
    np.testing.assert_allclose(np.linalg.norm(embedding.transform(new), axis=1), 1)


def test_rows_of_fit_keep_their_coordinates(global_random_seed):
    X, constraints = drawn(global_random_seed, n_pairs=10)
    X = np.concatenate((X, X[:7]))  # copies have the coordinates of what they copy
    constraints = Constraints(len(X), must_link=constraints.must_link)
    embedding = PropagatedEmbedding(3).fit(X, constraints=constraints)
    np.testing.assert_allclose(embedding.transform(X), embedding.embedding_, rtol=1e-12)
    np.testing.assert_array_equal(embedding.embedding_[-7:], embedding.embedding_[:7])


def test_order_shift_and_scale_do_not_matter(global_random_seed):
    X, constraints = drawn(global_random_seed, n_pairs=10, n_triplets=4)
    embedding = PropagatedEmbedding(3).fit(X, constraints=constraints)
    order = np.random.default_rng(global_random_seed).permutation(len(X))
    again = PropagatedEmbedding(3).fit(X[order], constraints=constraints[order])
    np.testing.assert_allclose(again.embedding_, embedding.embedding_[order], atol=1e-8)
    moved = PropagatedEmbedding(3).fit(1e6 * X + 1e7, constraints=constraints)
    np.testing.assert_allclose(similarities(moved), similarities(embedding), atol=1e-3)


def test_a_warm_start_keeps_the_graph_for_the_same_rows_only(global_random_seed, monkeypatch):
    X, constraints = drawn(global_random_seed, n_pairs=10)
    made = []
    original = spectra.make_index
    monkeypatch.setattr(spectra, "make_index", lambda *args: made.append(1) or original(*args))
    embedding = PropagatedEmbedding(3, warm_start=True).fit(X)
    warm = embedding.fit(X.copy(), constraints=constraints).embedding_
    assert len(made) == 1
    cold = PropagatedEmbedding(3).fit(X, constraints=constraints)
    np.testing.assert_array_equal(warm, cold.embedding_)
    embedding.fit(X[::-1])
    embedding.set_params(n_neighbors=5).fit(X[::-1])
    embedding.set_params(strength=0.1).fit(X[::-1])
    assert len(made) == 4


CONSTRAINTS = {
    "nothing": {},
    "must-links": {"must_link": [(0, 1), (1, 2)]},
    "cannot-links": {"cannot_link": [(0, 1), (1, 2)]},
    "triplets": {"triplets": [(0, 1, 2)]},
    "contradictions": {"must_link": [(0, 1)], "cannot_link": [(0, 1)]},
}
TABLES = {
    "three rows": np.array([[0.0, 1.0], [1.0, 0.0], [5.0, 5.0]]),
    "equal rows": np.ones((5, 2)),
    "two distinct rows": np.repeat([[0.0], [1.0]], 20, axis=0),
    "a constant column": np.column_stack((np.arange(9.0), np.full(9, 3.0))),
    "more columns than rows": np.random.default_rng(0).normal(size=(6, 30)),
    "far apart": np.array([[0.0], [1e-9], [2e-9], [1.0], [1e12]]),
}


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("kinds", CONSTRAINTS)
def test_odd_tables(table, kinds):
    X = TABLES[table]
    embedding = PropagatedEmbedding(2).fit(X, constraints=Constraints(len(X), **CONSTRAINTS[kinds]))
    assert np.isfinite(embedding.embedding_).all()
    assert embedding.embedding_.shape == (len(X), min(2, len(np.unique(X, axis=0))))
    assert np.isfinite(embedding.transform(X + 0.1)).all()
    assert len(embedding.get_feature_names_out()) == embedding.embedding_.shape[1]


def test_pipelines_frames_and_copies():
    X, y = load_iris(return_X_y=True, as_frame=True)
    constraints = Constraints.from_labels(y, n_pairs=60, random_state=0)
    model = make_pipeline(PropagatedEmbedding(3), KMeans(3, n_init=5, random_state=0))
    with config_context(enable_metadata_routing=True):
        model.fit(X, constraints=constraints)
    assert adjusted_rand_score(y, model[-1].labels_) > 0.7
    embedding = pickle.loads(pickle.dumps(model[0]))
    np.testing.assert_allclose(embedding.transform(X), model[0].embedding_, rtol=1e-9)
    named = clone(embedding).set_output(transform="pandas").fit_transform(X)
    assert isinstance(named, pd.DataFrame)
    assert list(named.columns) == [f"propagatedembedding{i}" for i in range(3)]


def test_approximate_neighbours_want_a_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "pynndescent", None)
    with pytest.raises(MissingPackageError, match=r"pynndescent, .* 'clustraint\[neighbors\]'"):
        PropagatedEmbedding(search="approximate").fit([[0.0], [1.0], [2.0]])


def test_approximate_neighbours_take_the_place_of_exact_ones(monkeypatch, global_random_seed):
    class Descent:
        """Stands for pynndescent's index, whose answers come the other way round."""

        def __init__(self, rows, n_neighbors, random_state):
            self.index = NearestNeighbors().fit(rows)

        def query(self, X, k):
            return self.index.kneighbors(X, k)[::-1]

    monkeypatch.setitem(sys.modules, "pynndescent", SimpleNamespace(NNDescent=Descent))
    X, constraints = drawn(global_random_seed, n_pairs=5)
    exact, approximate = (
        PropagatedEmbedding(search=search).fit(X, constraints=constraints).transform(X + 0.1)
        for search in ("exact", "approximate")
    )
    np.testing.assert_array_equal(exact, approximate)


X3 = [[0.0], [1.0], [2.0]]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_components": 0}, "n_components must be a whole number from 1 up"),
        ({"n_neighbors": 0}, "n_neighbors must be a whole number from 1 up"),
        ({"reach": 1}, "reach must be a number from 0 to 0.999, but is 1"),
        ({"strength": -1}, "strength must be a number from 0 up"),
        ({"n_eigenvectors": 1.5}, "n_eigenvectors must be a whole number from 1 up"),
        ({"search": "fast"}, "search must be 'auto', 'exact' or 'approximate'"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(InvalidParameterError, match=message):
        PropagatedEmbedding(**parameters).fit(X3)


def test_bad_constraints():
    with pytest.raises(UnsupportedConstraintsError, match="takes must_link, cannot_link, triplets"):
        PropagatedEmbedding().fit(X3, constraints=Constraints(3, rules=[Rule("x0 > 1")]))
    with pytest.raises(ClustraintError, match="about 4 samples, but X has 3"):
        PropagatedEmbedding().fit(X3, constraints=Constraints(4))


@parametrize_with_checks([PropagatedEmbedding()])
def test_scikit_learns_checks(estimator, check):
    check(estimator)
