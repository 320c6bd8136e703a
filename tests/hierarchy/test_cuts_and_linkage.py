"""Cuts of hierarchies into clusters, and linkage matrices as scipy has them."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import cophenet, fcluster, is_valid_linkage, linkage
from scipy.spatial.distance import squareform

from clustraint.exceptions import (
    UnreachableCutError,
)
from clustraint.hierarchy import Hierarchy
from tests.reference import hierarchy as reference
from tests.strategies import hierarchies, linkages, parents_arrays
from tests.trees import by_lowest, caterpillar_parents, clades


def test_linkage_is_read_in_merge_order():
    hierarchy = Hierarchy.from_linkage([[2, 3, 0.5, 2], [0, 4, 0.25, 3], [1, 5, 1, 4]])
    assert hierarchy.parents.tolist() == [5, 6, 4, 4, 5, 6, -1]
    assert hierarchy.heights.tolist() == [0.5, 0.25, 1.0]


def test_cut_opens_the_latest_merge_first():
    hierarchy = Hierarchy([5, 5, 6, 7, 7, 6, 8, 8, -1])
    assert hierarchy.cut(1).tolist() == [0, 0, 0, 0, 0]
    assert hierarchy.cut(2).tolist() == [0, 0, 0, 1, 1]
    assert hierarchy.cut(3).tolist() == [0, 0, 0, 1, 2]
    assert hierarchy.cut(4).tolist() == [0, 0, 1, 2, 3]
    assert hierarchy.cut(5).tolist() == [0, 1, 2, 3, 4]


def test_cut_leaves_closed_what_would_give_too_many():
    hierarchy = Hierarchy.from_newick("((a,b,c,d,e),(f,g));")
    assert hierarchy.cut(3).tolist() == [0, 0, 0, 0, 0, 1, 2]
    assert hierarchy.cut(6).tolist() == [0, 1, 2, 3, 4, 5, 5]
    with pytest.raises(
        UnreachableCutError,
        match=r"no cut of this hierarchy has 4 clusters; the nearest .* are 3 and 6\.",
    ):
        hierarchy.cut(4)


def test_cut_sets_small_children_aside():
    hierarchy = Hierarchy.from_newick("((((a,b),(c,d)),e),f);")
    assert hierarchy.cut(2, min_size=2).tolist() == [0, 0, 1, 1, -1, -1]
    assert hierarchy.cut(1, min_size=9).tolist() == [0] * 6
    with pytest.raises(
        UnreachableCutError,
        match=r"has 3 clusters of 2 or more samples each; the most that it has is 2\.",
    ):
        hierarchy.cut(3, min_size=2)


def test_linkage_of_a_multifurcation():
    hierarchy = Hierarchy.from_newick("((a,b,c),(d,e));")
    assert hierarchy.to_linkage().tolist() == [
        [3, 4, 1, 2],
        [0, 1, 2, 2],
        [2, 6, 3, 3],
        [5, 7, 4, 5],
    ]


def test_linkage_heights_are_raised_where_they_do_not_increase():
    hierarchy = Hierarchy(caterpillar_parents(4), heights=[2, 1, 2])
    first, second, third = hierarchy.to_linkage()[:, 2]
    assert first == 2
    assert second == np.nextafter(2, 3)
    assert third == np.nextafter(second, 3)


@given(hierarchies(min_samples=2))
def test_linkage_is_valid_and_increases(hierarchy):
    matrix = hierarchy.to_linkage()
    assert is_valid_linkage(matrix)
    assert np.all(np.diff(matrix[:, 2]) > 0)
    assert clades(hierarchy) <= clades(Hierarchy.from_linkage(matrix))


@given(parents_arrays(max_samples=12), st.integers(1, 12), st.integers(1, 5))
def test_cut(parents, n_clusters, min_size):
    hierarchy = Hierarchy(parents)
    assume(n_clusters <= hierarchy.n_samples)
    expected = reference.cut(parents, n_clusters, min_size)
    if expected is None:
        with pytest.raises(UnreachableCutError):
            hierarchy.cut(n_clusters, min_size)
    else:
        assert hierarchy.cut(n_clusters, min_size).tolist() == expected


@given(parents_arrays(min_samples=2, max_samples=12), st.integers(1, 4))
def test_the_nearest_numbers_of_clusters_are_named(parents, min_size):
    hierarchy = Hierarchy(parents)
    numbers = range(1, hierarchy.n_samples + 1)
    reachable = [k for k in numbers if reference.cut(parents, k, min_size) is not None]
    for k in set(numbers) - set(reachable):
        below, above = [r for r in reachable if r < k], [r for r in reachable if r > k]
        words = f"are {below[-1]} and {above[0]}" if above else f"it has is {below[-1]}"
        with pytest.raises(UnreachableCutError, match=rf"{words}\."):
            hierarchy.cut(k, min_size)


@given(linkages(max_samples=12))
def test_cutting_the_linkage_by_height_undoes_the_last_merges(matrix):
    hierarchy = Hierarchy.from_linkage(matrix)
    increasing = hierarchy.to_linkage()
    assert is_valid_linkage(increasing)
    assert np.array_equal(increasing[:, [0, 1, 3]], matrix[:, [0, 1, 3]])
    for n_clusters in range(1, hierarchy.n_samples + 1):
        expected = by_lowest(fcluster(increasing, n_clusters, "maxclust"))
        assert hierarchy.cut(n_clusters).tolist() == expected.tolist()


@pytest.mark.parametrize("method", ["centroid", "median", "complete", "single", "ward"])
def test_linkages_of_scipy(method, global_random_seed):
    points = np.random.default_rng(global_random_seed).normal(size=(60, 2))
    matrix = linkage(points, method)
    hierarchy = Hierarchy.from_linkage(matrix)
    assert np.array_equal(hierarchy.heights, matrix[:, 2])
    increasing = hierarchy.to_linkage()
    if np.all(np.diff(matrix[:, 2]) > 0):
        assert np.array_equal(increasing, matrix)
    for n_clusters in (1, 2, 7, 30, 60):
        expected = by_lowest(fcluster(increasing, n_clusters, "maxclust"))
        assert hierarchy.cut(n_clusters).tolist() == expected.tolist()
    met = hierarchy.heights[hierarchy.meet(*np.triu_indices(60, 1)) - 60]
    assert np.array_equal(squareform(met), squareform(cophenet(matrix)))


@given(hierarchies(min_samples=2, binary=True))
def test_linkage_round_trip(hierarchy):
    again = Hierarchy.from_linkage(hierarchy.to_linkage())
    assert again.parents.tolist() == hierarchy.parents.tolist()
