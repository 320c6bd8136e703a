"""The agglomeration core: merges of stored distances and of centroids."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy.cluster.hierarchy import linkage as scipy_linkage
from scipy.spatial.distance import pdist, squareform

from clustraint.kernels import agglomeration, centroids
from clustraint.kernels.merges import linkage_of_merges
from clustraint.kernels.single_link import single_link
from clustraint.metric.distances import distance_triangle
from tests.reference import linkage as reference

CODES = {
    "single": agglomeration.SINGLE,
    "complete": agglomeration.COMPLETE,
    "average": agglomeration.AVERAGE,
    "centroid": agglomeration.CENTROID,
    "ward": agglomeration.WARD,
}
SQUARED = ("centroid", "ward")


def triangle(D, dtype=np.float64):
    return np.ascontiguousarray(D[np.tril_indices(len(D), -1)], dtype)


def by_distances(X, linkage, dtype=np.float64):
    D = squareform(pdist(X))
    if linkage in SQUARED:
        merges, heights = agglomeration.agglomerate(triangle(D**2, dtype), len(X), CODES[linkage])
        return merges, np.sqrt(heights)
    return agglomeration.agglomerate(triangle(D, dtype), len(X), CODES[linkage])


def by_centroids(X, linkage):
    merges, heights = centroids.agglomerate(np.array(X.T, order="C"), CODES[linkage])
    return merges, np.sqrt(heights)


def grids(max_samples=12):
    """Samples on small grids: ties everywhere, and duplicates."""
    return st.integers(1, max_samples).flatmap(
        lambda n: arrays.arrays(np.float64, (n, 2), elements=st.integers(0, 3).map(float))
    )


@pytest.mark.parametrize("linkage", CODES)
@pytest.mark.parametrize("shape", [(2, 1), (3, 2), (60, 1), (150, 5), (700, 3)])
def test_scipys_merges_where_there_are_no_ties(linkage, shape, global_random_seed):
    X = np.random.default_rng(global_random_seed).normal(size=shape)
    theirs = scipy_linkage(X, linkage)
    found = {"distances": by_distances(X, linkage)}
    if linkage in SQUARED:
        found["centroids"] = by_centroids(X, linkage)
    for merges, heights in found.values():
        ours = linkage_of_merges(merges, heights)
        np.testing.assert_array_equal(ours[:, [0, 1, 3]], theirs[:, [0, 1, 3]])
        np.testing.assert_allclose(ours[:, 2], theirs[:, 2])


@given(grids(), st.sampled_from(["single", "complete"]))
def test_ties_go_to_the_lowest_first_samples(X, linkage):
    expected = reference.agglomerate(linkage, squareform(pdist(X)))
    merges, heights = by_distances(X, linkage)
    assert list(zip(*merges.T.tolist(), heights.tolist(), strict=True)) == expected


@given(grids())
def test_a_spanning_tree_makes_the_merges_of_single_link(X):
    expected = reference.agglomerate("single", squareform(pdist(X)))
    merges, heights = single_link(np.array(X.T, order="C"))
    assert list(zip(*merges.T.tolist(), heights.tolist(), strict=True)) == expected


@pytest.mark.parametrize("shape", [(1, 2), (2, 1), (60, 1), (700, 3)])
@pytest.mark.parametrize("digits", [1, 15])
def test_a_spanning_tree_and_stored_distances_agree(shape, digits, global_random_seed):
    X = np.random.default_rng(global_random_seed).normal(size=shape).round(digits)
    distances, _ = distance_triangle(X, "euclidean", None)
    stored = agglomeration.agglomerate(distances, len(X), agglomeration.SINGLE)
    for ours, theirs in zip(single_link(np.array(X.T, order="C")), stored, strict=True):
        np.testing.assert_array_equal(ours, theirs)


@given(grids(max_samples=8), st.sampled_from(["average", "centroid", "ward"]), st.booleans())
def test_ties_of_linkages_that_round(X, linkage, stored):
    """Distances that differ by rounding only are no ties: each merge is a closest pair."""
    if stored or linkage == "average":
        merges, heights = by_distances(X, linkage)
    else:
        merges, heights = by_centroids(X, linkage)
    clusters = {sample: [sample] for sample in range(len(X))}
    D = squareform(pdist(X))
    for (low, high), height in zip(merges.tolist(), heights, strict=True):
        away = {
            (first, second): reference.between(linkage, D, X, clusters[first], clusters[second])
            for first in clusters
            for second in clusters
            if first < second
        }
        assert away[low, high] == pytest.approx(height, abs=1e-7)
        assert height == pytest.approx(min(away.values()), abs=1e-7)
        clusters[low] += clusters.pop(high)


@pytest.mark.parametrize("linkage", ["complete", "average"])
def test_single_precision(linkage, global_random_seed):
    X = np.random.default_rng(global_random_seed).integers(0, 1000, size=(200, 3)).astype(float)
    D = squareform(pdist(X, "cityblock"))
    exact, _ = agglomeration.agglomerate(triangle(D), len(D), CODES[linkage])
    single, _ = agglomeration.agglomerate(triangle(D, np.float32), len(D), CODES[linkage])
    if linkage == "complete":
        np.testing.assert_array_equal(single, exact)
    else:
        assert len(single) == len(exact)


def until_refused(distances, n_samples, linkage, pairs):
    """Merge while a pair may, keeping `pairs` of samples apart by refusals."""
    clusters = agglomeration.singletons(distances, n_samples)
    for first, second in pairs:
        agglomeration.refuse(clusters, first, second)
    merges = []
    while True:
        low, high, distance = agglomeration.closest(clusters)
        if low < 0:
            return merges
        merges.append((low, high, distance))
        agglomeration.merge(clusters, low, high, linkage)


PAIRS = st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=12)


def parted(pairs):
    return lambda first, second: any(
        (a in first and b in second) or (b in first and a in second) for a, b in pairs
    )


@given(grids(), PAIRS)
def test_refused_pairs_of_stored_distances(X, drawn):
    pairs = [(a, b) for a, b in drawn if a != b and max(a, b) < len(X)]
    D = squareform(pdist(X))
    expected = reference.agglomerate("complete", D, forbidden=parted(pairs))
    found = until_refused(triangle(D), len(X), agglomeration.COMPLETE, pairs)
    # A refused distance of 0 is kept as the least positive one.
    assert [merge[:2] for merge in found] == [merge[:2] for merge in expected]
    np.testing.assert_allclose([m[2] for m in found], [m[2] for m in expected], atol=1e-30)


@given(grids(max_samples=10), PAIRS)
def test_pairs_that_are_refused_and_allowed_again(X, drawn):
    pairs = [(a, b) for a, b in drawn if a != b and max(a, b) < len(X)]
    D = squareform(pdist(X)) + 1
    clusters = agglomeration.singletons(triangle(D), len(X))
    for action in (agglomeration.refuse, agglomeration.allow):
        for first, second in pairs:
            action(clusters, first, second)
        if action is agglomeration.refuse:
            agglomeration.closest(clusters)
    fresh = agglomeration.singletons(triangle(D), len(X))
    assert agglomeration.closest(clusters) == agglomeration.closest(fresh)


@given(grids(), PAIRS)
def test_refused_pairs_of_centroids(X, drawn):
    """Refusals are found one by one, when a pair comes first, and passed on by the loop."""
    code = agglomeration.CENTROID
    pairs = [(a, b) for a, b in drawn if a != b and max(a, b) < len(X)]
    members = {sample: [sample] for sample in range(len(X))}
    clusters = centroids.singletons(np.array(X.T, order="C"), code, len(X) ** 2)
    while True:
        low, high, squared = centroids.closest(clusters, code)
        options = {
            (a, b): reference.between("centroid", None, X, members[a], members[b])
            for a in members
            for b in members
            if a < b and not parted(pairs)(members[a], members[b])
        }
        if low < 0:
            assert not options
            return
        if parted(pairs)(members[low], members[high]):
            assert high not in centroids.partners(clusters, low)
            centroids.refuse(clusters, low, high)
            assert low in centroids.partners(clusters, high)
            continue
        assert np.sqrt(squared) == pytest.approx(min(options.values()), abs=1e-7)
        assert options[low, high] == pytest.approx(np.sqrt(squared), abs=1e-7)
        known = {*centroids.partners(clusters, low), *centroids.partners(clusters, high)}
        centroids.merge(clusters, low, high, code)
        assert not len(centroids.partners(clusters, low))
        for slot in known:
            centroids.refuse(clusters, low, slot)
        members[low] += members.pop(high)


def test_no_samples_to_merge():
    merges, heights = agglomeration.agglomerate(np.empty(0), 1, agglomeration.COMPLETE)
    assert merges.shape == (0, 2)
    assert linkage_of_merges(merges, heights).shape == (0, 4)
    assert centroids.agglomerate(np.zeros((2, 1)), agglomeration.CENTROID)[0].shape == (0, 2)


@pytest.mark.parametrize("linkage", CODES)
def test_samples_in_any_order(linkage, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    X = rng.normal(size=(80, 3))
    order = rng.permutation(len(X))
    heights = by_distances(X, linkage)[1]
    np.testing.assert_allclose(by_distances(X[order], linkage)[1], heights, rtol=1e-9)
