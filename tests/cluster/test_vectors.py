import numpy as np
import pytest
from scipy.sparse import coo_array, csc_array, csr_array, csr_matrix
from scipy.spatial.distance import squareform
from sklearn.metrics.pairwise import cosine_distances, euclidean_distances

from clustraint.cluster._vectors import BLOCK, METRICS, as_vectors
from tests.reference import bihac as reference


def square(lower, n_samples):
    """The whole table from the lower triangle row by row."""
    table = np.zeros((n_samples, n_samples))
    table[np.tril_indices(n_samples, -1)] = lower
    return table + table.T


@pytest.fixture
def data(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    X = rng.random((40, 7)) * (rng.random((40, 7)) < 0.4)
    X[5] = 0
    X[9] = X[8]
    X[11] = X[10] * 1.0000001
    return X, rng.random(7) * (rng.random(7) < 0.8) + 1e-3


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("container", [np.asarray, csr_matrix, csr_array])
def test_distances_are_those_of_equation_2(data, metric, container):
    X, weights = data
    found = square(as_vectors(container(X), metric).distances(weights), len(X))
    similarity = reference.SIMILARITIES[metric]
    shift = 1 if metric == "cosine" else 0
    expected = [[shift - similarity(x, y, weights) for y in X] for x in X]
    np.fill_diagonal(found, np.diag(expected))
    np.testing.assert_allclose(found, expected, atol=1e-9)


@pytest.mark.parametrize("metric", METRICS)
def test_dense_and_sparse_agree_also_on_near_samples(data, metric):
    X, weights = data
    X = np.vstack((X, X[:3] + 1e-9)) + (metric == "euclidean")
    dense, sparse = (as_vectors(form, metric).distances(weights) for form in (X, csr_array(X)))
    np.testing.assert_allclose(dense, sparse, atol=1e-15, rtol=1e-6)


@pytest.mark.parametrize("container", [np.asarray, csr_array])
def test_without_weights_they_are_scikit_learns(data, container, global_random_seed):
    X = np.random.default_rng(global_random_seed).random((2 * BLOCK + 3, 5))
    X[X < 0.3] = 0
    for metric, peer in (("cosine", cosine_distances), ("euclidean", euclidean_distances)):
        found = as_vectors(container(X), metric).distances(np.ones(5))
        theirs = peer(X)
        np.testing.assert_allclose(square(found, len(X)), theirs, atol=1e-7)
        assert (found >= 0).all()
        assert squareform(theirs, checks=False).shape == found.shape


@pytest.mark.parametrize("container", [np.asarray, csr_array])
def test_zero_vectors_are_far_from_all_and_copies_near(data, container):
    X, weights = data
    table = square(as_vectors(container(X), "cosine").distances(weights), len(X))
    assert (np.delete(table[5], 5) == 1).all()
    table = square(as_vectors(container(X), "euclidean").distances(weights), len(X))
    assert table[8, 9] == 0


@pytest.mark.parametrize("metric", METRICS)
def test_means_are_of_unit_vectors_where_directions_count(data, metric):
    X, _ = data
    groups = [np.array([0, 3, 5]), np.array([7]), np.arange(40)]
    unit = X / np.where(X.any(axis=1), np.linalg.norm(X, axis=1), 1)[:, np.newaxis]
    rows = unit if metric == "cosine" else X
    expected = [rows[group].mean(axis=0) for group in groups]
    for form in (X, csr_array(X)):
        np.testing.assert_allclose(as_vectors(form, metric).means(groups), expected)


@pytest.mark.parametrize("form", [csr_array, csr_matrix, csc_array, coo_array])
def test_what_is_given_stays_as_it_is(data, form):
    X, weights = data
    given = form(X)
    as_vectors(given, "cosine").distances(weights)
    np.testing.assert_array_equal(given.toarray(), X)


def test_repeated_and_unsorted_entries():
    tangled = csr_array(([1.0, 2.0, 3.0, 1.0], [2, 0, 2, 1], [0, 3, 4]), shape=(2, 3))
    table = as_vectors(tangled, "euclidean").distances(np.ones(3))
    assert table == pytest.approx([np.linalg.norm([2, -1, 4])])
    assert tangled.nnz == 4
