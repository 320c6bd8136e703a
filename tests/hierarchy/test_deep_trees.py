"""Trees as deep as they are large, and very broad ones."""

import math

import numpy as np
import pytest

from clustraint.hierarchy import Hierarchy
from tests.trees import caterpillar_parents

N_MANY = 100_000


@pytest.fixture(scope="module")
def caterpillar():
    return Hierarchy(caterpillar_parents(N_MANY))


def test_triplets_of_a_deep_tree():
    hierarchy = Hierarchy.from_newick("(((0,3),1),2);", names=list("0123"))
    assert hierarchy.triplets().tolist() == [[0, 1, 2], [0, 3, 1], [0, 3, 2], [1, 3, 2]]


def test_caterpillar_counts(caterpillar):
    assert repr(caterpillar) == "Hierarchy(100000 samples, 99999 inner nodes, depth 99999)"
    assert caterpillar.n_triplets == math.comb(N_MANY, 3)
    assert caterpillar.sizes[N_MANY:].tolist() == list(range(2, N_MANY + 1))
    assert hash(caterpillar) == hash(Hierarchy(caterpillar.parents))


def test_caterpillar_meets_and_triplets(caterpillar, global_random_seed):
    random = np.random.default_rng(global_random_seed)
    rows = np.array([random.choice(N_MANY, 3, replace=False) for _ in range(1000)])
    a, b, c = rows.T
    assert np.array_equal(caterpillar.meet(a, b), N_MANY - 1 + np.maximum(a, b))
    assert np.array_equal(caterpillar.meet_depth(a, b), N_MANY - 1 - np.maximum(a, b))
    assert np.array_equal(caterpillar.displays(rows), c > np.maximum(a, b))
    drawn = caterpillar.sample_triplets(1000, random)
    assert np.all(drawn[:, 0] < drawn[:, 1])
    assert np.all(drawn[:, 1] < drawn[:, 2])
    informative = caterpillar.informative_triplets()
    assert sorted(informative[:, 1].tolist()) == list(range(1, N_MANY - 1))
    assert np.all(informative[:, 2] == informative[:, 1] + 1)


def test_caterpillar_cut_and_linkage(caterpillar):
    labels = caterpillar.cut(1000)
    assert labels.tolist() == [0] * (N_MANY - 999) + list(range(1, 1000))
    assert caterpillar.cut(1, min_size=10).max() == 0
    again = Hierarchy.from_linkage(caterpillar.to_linkage())
    assert np.array_equal(again.parents, caterpillar.parents)


def test_caterpillar_from_triplets(caterpillar):
    assert Hierarchy.from_triplets(caterpillar.informative_triplets(), N_MANY) == caterpillar


def test_deep_paths():
    paths = ["/".join(["x"] * depth) for depth in range(1000)]
    hierarchy = Hierarchy.from_paths([*paths, paths[-1]])
    assert hierarchy.depths.max() == 1000
    assert Hierarchy.from_paths(["/".join(["x"] * N_MANY), ""]).parents.tolist() == [2, 2, -1]


def test_stars_and_labels_of_many_samples():
    star = Hierarchy([N_MANY] * N_MANY + [-1])
    assert star.n_triplets == 0
    assert star.triplets().shape == star.informative_triplets().shape == (0, 3)
    labels = Hierarchy.from_labels(np.arange(N_MANY) % 10)
    assert labels.n_triplets == 10 * math.comb(N_MANY // 10, 2) * (N_MANY - N_MANY // 10)
    assert len(labels.informative_triplets()) == 9 * (N_MANY - 10)
    assert labels.cut(10).tolist() == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] * (N_MANY // 10)
