"""Nearest centres and sums, block by block."""

import numpy as np
import pytest

from clustraint import machine
from clustraint.kernels.kmeans import label_nearest, sums_of_nearest
from clustraint.rows.nearest import Centers, ChunkShare, sum_step

SHAPES = [(1, 2), (2, 5), (7, 3), (16, 10), (17, 4), (40, 33), (130, 1)]


def problem(n_points, n_features, n_clusters, seed):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n_points, n_features))
    return points, Centers.around(points.mean(axis=0), rng.normal(size=(n_clusters, n_features)))


def labelled(points, centers):
    labels, away = np.empty(len(points), np.int32), np.empty(len(points))
    label_nearest(points, *centers, labels, away)
    return labels, away


@pytest.mark.parametrize(("n_features", "n_clusters"), SHAPES)
def test_labels_and_sums_are_those_of_all_distances(n_features, n_clusters, global_random_seed):
    points, centers = problem(700, n_features, n_clusters, global_random_seed)
    centred = points - centers.mean
    every = ((centred[:, np.newaxis] - centers.columns.T) ** 2).sum(axis=2)
    labels, away = labelled(points, centers)
    np.testing.assert_allclose(away, every.min(axis=1))
    assert (labels == every.argmin(axis=1)).all()
    rng = np.random.default_rng(global_random_seed)
    weights, left_out = rng.random(700), np.flatnonzero(rng.random(700) < 0.1)
    sums, totals = sums_of_nearest(points, *centers, weights, left_out)
    weights[left_out] = 0
    for cluster in range(n_clusters):
        own = labels == cluster
        np.testing.assert_allclose(totals[cluster], weights[own].sum())
        np.testing.assert_allclose(sums[cluster], weights[own] @ centred[own], atol=1e-9)


@pytest.mark.parametrize(("n_features", "n_clusters"), SHAPES)
def test_a_point_has_the_same_cluster_wherever_it_is(n_features, n_clusters, global_random_seed):
    points, centers = problem(600, n_features, n_clusters, global_random_seed)
    # Centres in pairs that differ in the last bit only: any other order of additions would show.
    columns = np.repeat(centers.columns, 2, axis=1)
    columns[:, 1::2] = np.nextafter(columns[:, 1::2], np.inf)
    centers = Centers(centers.mean, columns, (columns**2).sum(axis=0))
    order = np.random.default_rng(global_random_seed).permutation(600)
    labels, away = labelled(points, centers)
    for begin in (0, 1, 255, 300):
        here = order[begin:]
        other, other_away = labelled(points[here], centers)
        assert (other == labels[here]).all()
        assert (other_away == away[here]).all()


def test_sums_have_the_same_bits_on_any_number_of_threads(monkeypatch, global_random_seed):
    points, centers = problem(30_000, 5, 4, global_random_seed)
    share = ChunkShare(np.arange(0, 30_000, 77), None)
    monkeypatch.setattr(machine, "WORTH_THREADS", 0)
    results = []
    for count in (1, 2, 3):
        monkeypatch.setattr(machine, "n_threads", lambda count=count: count)
        results.append(sum_step(points, share, centers))
    for sums, totals in results[1:]:
        assert (sums == results[0][0]).all()
        assert (totals == results[0][1]).all()
