"""What `auto` may spend on comparing methods: counted before anything runs, and stated."""

import io

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_blobs

from clustraint import Constraints, Rule
from clustraint.cluster import CANDIDATES
from clustraint.cluster._best_clusterer import MOST_RACED, BestClusterer
from clustraint.exceptions import InvalidParameterError
from clustraint.tables import read_table
from clustraint.workflow import _number, choose_number, cluster_table
from clustraint.workflow._plan import (
    DEFAULT,
    MOST_COMPARED,
    N_FOLDS,
    PRICES,
    TIME_LIMIT,
    plan_comparison,
)

PAIRS = ("must_link", "cannot_link")


@pytest.fixture(name="blobs", scope="module")
def blobs_with_pairs():
    X, y = make_blobs(80, centers=3, random_state=1)
    lines = "\n".join(",".join(map(str, row)) for row in X.tolist())
    table = read_table(io.BytesIO(f"a,b\n{lines}\n".encode()))
    return table, Constraints.from_labels(y, n_pairs=30, random_state=1)


def test_every_candidate_has_a_price_and_the_race_is_as_the_plan_says():
    assert set(PRICES) == set(CANDIDATES)
    assert next(iter(CANDIDATES)) == DEFAULT
    assert (MOST_RACED, BestClusterer().n_folds) == (MOST_COMPARED, N_FOLDS)


def test_everything_is_compared_on_small_tables(global_random_seed):
    X = np.random.default_rng(global_random_seed).normal(size=(300, 5))
    plan = plan_comparison(X, PAIRS, 3)
    assert not plan.left_out
    assert plan.is_possible
    assert plan.seconds < plan.limit == TIME_LIMIT


def test_what_would_take_too_long_is_left_out_the_dearest_first():
    wide = np.zeros((3000, 3000))
    plan = plan_comparison(wide, PAIRS, 5, limit=400)
    assert "tied" in plan.left_out
    assert plan.candidates[0] == DEFAULT
    assert plan.seconds <= 400
    assert "Left out" in plan.note
    assert "tied" in plan.note
    more = plan_comparison(wide, PAIRS, 5, limit=1e9)
    assert set(plan.candidates) < set(more.candidates)
    assert not more.left_out


def test_longer_limits_leave_out_no_more():
    X = np.zeros((2000, 800))
    plans = [plan_comparison(X, PAIRS, 4, limit) for limit in (0, 5, 20, 80, 320, 1280)]
    counts = [len(plan.candidates) for plan in plans]
    assert counts == sorted(counts)
    assert all(plan.seconds <= plan.limit for plan in plans)
    assert not plans[0].is_possible


def test_sparse_samples_are_not_compared():
    plan = plan_comparison(sparse.csr_array((100, 9)), PAIRS, 2)
    assert not plan.is_possible
    assert not plan.candidates


@pytest.mark.parametrize("limit", [-1, float("nan"), "soon"])
def test_bad_limits_are_refused(limit):
    with pytest.raises(InvalidParameterError, match="time_limit must be"):
        plan_comparison(np.eye(4), PAIRS, 2, limit)


def test_auto_states_what_was_compared_and_within_which_time(blobs):
    clustering = cluster_table(*blobs, 3)
    assert clustering.choice.method.name == "best"
    assert clustering.plan.note.endswith("the limit is 60 s (time_limit=).")
    assert clustering.estimator.candidates == clustering.plan.candidates


def test_without_time_auto_takes_another_method_and_says_so(blobs):
    clustering = cluster_table(*blobs, 3, time_limit=0)
    assert clustering.choice.method.name == "cop-kmeans"
    assert clustering.choice.reason.endswith(
        "comparing methods would take more than 0 s (time_limit=)"
    )
    assert clustering.plan is None
    assert cluster_table(*blobs, 3, method="best", time_limit=0).plan is None


def test_numbers_of_many_samples_are_compared_by_those_that_constraints_speak_of(monkeypatch):
    X, y = make_blobs(400, centers=[[0, 0], [20, 0], [0, 20]], random_state=2)
    lines = "\n".join(",".join(map(str, row)) for row in X.tolist())
    table = read_table(io.BytesIO(f"a,b\n{lines}\n".encode()))
    constraints = Constraints.from_labels(y, n_pairs=40, random_state=2)
    constraints |= Constraints(400, rules=[Rule("a > 15")])
    monkeypatch.setattr(_number, "MOST_WITH_CONSTRAINTS", 150)
    fitted = []
    labels = _number._Trials._labels
    monkeypatch.setattr(
        _number._Trials,
        "_labels",
        lambda self, number, rows, given: (
            fitted.append(len(rows)) or labels(self, number, rows, given)
        ),
    )
    curve = choose_number(table, constraints, range(2, 6))
    assert (curve.n_clusters, curve.by) == (3, "held-out constraints")
    assert set(fitted) == {150}
