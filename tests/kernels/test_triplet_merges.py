import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import linkage as scipy_linkage
from scipy.spatial.distance import squareform

from clustraint import Constraints, Hierarchy
from clustraint.kernels.agglomeration import AVERAGE, COMPLETE, SINGLE
from clustraint.kernels.triplet_index import index_triplets
from clustraint.kernels.triplet_merges import merge_keeping, merge_noting
from tests.reference import bihac as reference
from tests.strategies import hierarchies
from tests.strategies_constraints import constraint_sets

KIND = ("triplets",)
LINKAGES = {"average": AVERAGE, "complete": COMPLETE, "single": SINGLE}

# The mean distance of two clusters of 8 samples together is exact if all are multiples of this, so
# that ties stay ties.
MEANS = 5040


@st.composite
def tables(draw, n_samples, tied):
    """Distances between samples: a few whole numbers, 0 among them, or no two alike."""
    n_pairs = n_samples * (n_samples - 1) // 2
    if tied:
        lower = draw(st.lists(st.integers(0, 4), min_size=n_pairs, max_size=n_pairs))
        return np.array(lower, float) * MEANS
    return np.random.default_rng(draw(st.integers(0, 10_000))).random(n_pairs)


@st.composite
def problems(draw):
    constraints = draw(constraint_sets(min_samples=3, max_samples=8, max_size=20, kinds=KIND))
    return draw(tables(constraints.n_samples, draw(st.booleans()))), constraints


def square(lower, n_samples):
    table = np.zeros((n_samples, n_samples))
    table[np.tril_indices(n_samples, -1)] = lower
    return table + table.T


def clusters_of(merges, n_samples):
    """The two clusters of each merge, from the slots."""
    clusters = {i: frozenset([i]) for i in range(n_samples)}
    found = []
    for low, high in merges.tolist():
        found.append({clusters[low], clusters[high]})
        clusters[low] |= clusters.pop(high)
    return found


def index_of(constraints):
    return index_triplets(constraints.n_samples, constraints.links["triplets"].rows)


@pytest.mark.parametrize("dead_end", ["merge", "stop"])
@given(problem=problems())
def test_ihac_is_the_literal_one(dead_end, problem):
    assert_literal_ihac(*problem, dead_end)


def assert_literal_ihac(lower, constraints, dead_end):
    n_samples = constraints.n_samples
    table = square(lower, n_samples).tolist()
    expected, forced = reference.ihac(table, constraints.triplets.tolist(), dead_end)
    merges, heights, violating = merge_keeping(
        lower.copy(), n_samples, AVERAGE, index_of(constraints), dead_end == "stop"
    )
    assert clusters_of(merges, n_samples) == [{c1, c2} for c1, c2 in expected]
    assert np.flatnonzero(violating).tolist() == forced
    means = [reference.between(table, c1, c2) for c1, c2 in expected]
    np.testing.assert_allclose(heights, means)


@given(problems())
def test_a_run_of_bihac_is_the_literal_one(problem):
    assert_literal_run(*problem)


def assert_literal_run(lower, constraints):
    n_samples = constraints.n_samples
    table = square(lower, n_samples).tolist()
    expected, adaptations, violating = reference.run(table, constraints.triplets.tolist())
    merges, _, found, mistakes = merge_noting(lower.copy(), n_samples, index_of(constraints))
    assert clusters_of(merges, n_samples) == [{c1, c2} for c1, c2 in expected]
    assert np.flatnonzero(found).tolist() == violating
    nodes = [frozenset([i]) for i in range(n_samples)] + [c1 | c2 for c1, c2 in expected]
    for row, (c1, c1s, c2, c2s) in zip(mistakes.tolist(), adaptations, strict=True):
        clusters = [nodes[node] if node >= 0 else None for node in row]
        sides = {(clusters[0], clusters[1]), (clusters[2], clusters[3])}
        assert sides == {(c1, c1s), (c2, c2s)}


@given(problems(), st.randoms(use_true_random=False))
def test_the_order_of_samples_matters_only_for_ties(problem, random):
    lower, constraints = problem
    if len(np.unique(lower)) < len(lower):
        return
    n_samples = constraints.n_samples
    order = list(range(n_samples))
    random.shuffle(order)
    there = square(lower, n_samples)[np.ix_(order, order)][np.tril_indices(n_samples, -1)]
    for stop in (False, True):
        here = merge_keeping(lower.copy(), n_samples, AVERAGE, index_of(constraints), stop)
        other = merge_keeping(there.copy(), n_samples, AVERAGE, index_of(constraints[order]), stop)
        moved = [
            {frozenset(order[i] for i in cluster) for cluster in pair}
            for pair in clusters_of(other[0], n_samples)
        ]
        assert moved == clusters_of(here[0], n_samples)
        assert here[2].tolist() == other[2].tolist()


@given(hierarchies(min_samples=3, max_samples=9), st.integers(0, 10_000))
def test_all_triplets_of_a_hierarchy_are_kept(hierarchy, seed):
    n_samples = hierarchy.n_samples
    lower = np.random.default_rng(seed).random(n_samples * (n_samples - 1) // 2)
    known = Constraints(n_samples, triplets=hierarchy.triplets())
    merges, _, violating = merge_keeping(lower, n_samples, AVERAGE, index_of(known), False)
    clades = {c1 | c2 for c1, c2 in clusters_of(merges, n_samples)}
    assert not violating.any()
    for node in range(n_samples, hierarchy.n_nodes):
        assert frozenset(hierarchy.samples_below(node).tolist()) in clades


@pytest.mark.parametrize("method", ["average", "complete", "single"])
def test_without_triplets_both_are_the_unconstrained_method(method, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    n_samples = 60
    table = square(rng.random(n_samples * (n_samples - 1) // 2), n_samples)
    lower = table[np.tril_indices(n_samples, -1)]
    theirs = Hierarchy.from_linkage(scipy_linkage(squareform(table), method))
    index = index_of(Constraints(n_samples))
    ways = [merge_keeping(lower.copy(), n_samples, LINKAGES[method], index, True)[:2]]
    if method == "average":
        ways.append(merge_noting(lower.copy(), n_samples, index)[:2])
    for merges, heights in ways:
        np.testing.assert_allclose(heights, theirs.heights)
        clades = {c1 | c2 for c1, c2 in clusters_of(merges, n_samples)}
        assert clades == {
            frozenset(theirs.samples_below(node).tolist())
            for node in range(n_samples, theirs.n_nodes)
        }


@pytest.mark.slow
def test_both_are_the_literal_ones_many_times(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    for _ in range(2_000):
        n_samples = int(rng.integers(3, 13))
        rows = [rng.permutation(n_samples)[:3] for _ in range(rng.integers(0, 3 * n_samples))]
        known = Constraints(n_samples, triplets=np.array(rows, np.int64).reshape(-1, 3))
        lower = rng.random(n_samples * (n_samples - 1) // 2)
        assert_literal_ihac(lower, known, ["merge", "stop"][rng.integers(2)])
        assert_literal_run(lower, known)
