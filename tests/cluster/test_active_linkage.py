"""Complete link that asks: the questions, and what follows from the answers."""

import json
import pickle

import numpy as np
import pytest
from hypothesis import given
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import pdist, squareform
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from clustraint import ActiveCompleteLinkage, Constraints
from clustraint.active import Answer
from clustraint.kernels.merges import linkage_of_merges
from tests.cluster.test_complete_linkage import partition
from tests.reference.active import Active
from tests.strategies_questions import Scripted, problems


def test_near_samples_are_merged_without_a_question():
    X = np.array([[0.0], [0.1], [1.0], [1.1], [5.0], [5.1]])
    truth = [0, 0, 1, 1, 0, 0]
    model = ActiveCompleteLinkage(2, n_queries=2)
    model.fit(X, oracle=lambda a, b: truth[a] == truth[b])
    # Three clusters are left when the questions begin: 1 of 2 questions is for a "no".
    assert model.threshold_ == pytest.approx(0.1)
    assert model.queries_ == [Answer(0, 2, "no"), Answer(2, 4, "no")]
    assert model.constraints_ == Constraints(6, cannot_link=[(0, 2), (2, 4)])
    assert model.labels_.tolist() == truth
    assert model.constraint_report_.all_satisfied


def test_a_yes_brings_neighbourhoods_together():
    X = np.array([[0.0], [1.0], [5.0], [6.0], [11.0]])
    model = ActiveCompleteLinkage(1, n_queries=6).fit(X, oracle=lambda a, b: True)
    assert model.merge_distances_.tolist() == [0, 0, 0, 0]
    assert all(answer == "yes" for _, _, answer in model.queries_)
    assert model.constraints_.components.n_components == 1


@given(problems())
def test_the_paper_read_literally(problem):
    D, n_clusters, n_queries, oracle = problem
    expected = Active(D, n_clusters, n_queries)
    expected.run(oracle)
    model = ActiveCompleteLinkage(n_clusters, n_queries, metric="precomputed")
    model.fit(D, oracle=oracle)
    assert [tuple(answer) for answer in model.queries_] == expected.asked
    merges = np.array([merge[:2] for merge in expected.merges], np.int64).reshape(-1, 2)
    heights = np.array([merge[2] for merge in expected.merges])
    theirs = linkage_of_merges(merges, heights)
    np.testing.assert_array_equal(model.linkage_[:, [0, 1, 3]], theirs[:, [0, 1, 3]])
    np.testing.assert_array_equal(model.merge_distances_, heights)
    assert model.threshold_ == expected.threshold


@pytest.mark.slow
def test_the_paper_read_literally_many_times(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    for _ in range(300):
        n_samples = int(rng.integers(2, 25))
        away = rng.integers(0, 40, n_samples * (n_samples - 1) // 2).astype(float)
        n_clusters, n_queries = int(rng.integers(1, n_samples + 1)), int(rng.integers(0, 30))
        oracle = Scripted(int(rng.integers(2**20)))
        expected = Active(squareform(away), n_clusters, n_queries)
        expected.run(oracle)
        model = ActiveCompleteLinkage(n_clusters, n_queries, metric="precomputed")
        model.fit(squareform(away), oracle=oracle)
        assert [tuple(answer) for answer in model.queries_] == expected.asked
        assert model.merge_distances_.tolist() == [merge[2] for merge in expected.merges]


def ask_one_by_one(model, X, oracle):
    """Drive `next_query` as a program does that keeps nothing but a file of answers."""
    answers = []
    while (query := model.next_query(X, json.loads(json.dumps(answers)))) is not None:
        answers.append(query.answered(oracle(query.first, query.second)))
    return answers


@given(problems())
def test_both_forms_ask_the_same(problem):
    D, n_clusters, n_queries, oracle = problem
    model = ActiveCompleteLinkage(n_clusters, n_queries, metric="precomputed")
    answers = ask_one_by_one(model, D, oracle)
    fitted = model.fit(D, oracle=oracle)
    assert fitted.queries_ == answers
    replayed = clone(model).fit(D, answers=answers)
    np.testing.assert_array_equal(replayed.linkage_, fitted.linkage_)
    assert replayed.labels_.tolist() == fitted.labels_.tolist()
    part = clone(model).fit(D, answers=answers[:2], oracle=oracle)
    assert part.queries_ == answers


@given(problems())
def test_undo_is_leaving_the_last_answer_out(problem):
    D, n_clusters, n_queries, oracle = problem
    model = ActiveCompleteLinkage(n_clusters, n_queries, metric="precomputed")
    answers = ask_one_by_one(model, D, oracle)
    for count in range(len(answers)):
        query = model.next_query(D, answers[:count])
        assert (query.first, query.second) == answers[count][:2]


@given(problems(max_samples=12))
def test_what_questions_promise(problem):
    D, n_clusters, n_queries, oracle = problem
    model = ActiveCompleteLinkage(n_clusters, n_queries, metric="precomputed")
    model.fit(D, oracle=oracle)
    assert len(model.queries_) <= n_queries
    pairs = [frozenset(answer[:2]) for answer in model.queries_]
    assert len(set(pairs)) == len(pairs)
    model.constraints_.check()
    cannot_link, must_link = model.constraints_.cannot_link, model.constraints_.must_link
    for count in range(model.n_forced_merges_ + 1, n_clusters + 1):
        labels = model.hierarchy_.cut(count)
        assert all(labels[a] != labels[b] for a, b in cannot_link)
    assert all(model.labels_[a] == model.labels_[b] for a, b in must_link)


def test_next_query_keeps_nothing():
    X = np.random.default_rng(0).normal(size=(20, 2))
    model = ActiveCompleteLinkage(2, n_queries=5)
    before = dict(vars(model))
    first = model.next_query(X)
    assert vars(model) == before
    assert model.next_query(X) == first


def test_dont_know_is_merged_last_among_its_equals():
    D = np.full((4, 4), 2.0) - 2 * np.eye(4)
    asked = []

    def oracle(first, second):
        asked.append((first, second))
        return None if (first, second) == (0, 1) else "no"

    model = ActiveCompleteLinkage(1, n_queries=20, metric="precomputed").fit(D, oracle=oracle)
    # All other pairs come before the one that nobody knows about.
    assert asked == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    assert model.merge_distances_.tolist() == [2, 3, 3]


@pytest.mark.parametrize("n_queries", [0, 7])
def test_complete_link_where_nobody_is_asked(n_queries, global_random_seed):
    X = np.random.default_rng(global_random_seed).normal(size=(200, 3))
    theirs = linkage(pdist(X), "complete")
    model = ActiveCompleteLinkage(6, n_queries).fit(X)
    np.testing.assert_allclose(model.linkage_, theirs)
    assert partition(model.labels_) == partition(fcluster(theirs, 6, "maxclust"))
    assert model.queries_ == []
    never = ActiveCompleteLinkage(6, n_queries).fit(X, oracle=lambda a, b: None)
    np.testing.assert_allclose(never.linkage_, theirs)


def test_questions_help(global_random_seed):
    """On average: on a single data set they may mislead."""
    gains = []
    for seed in range(global_random_seed, global_random_seed + 10):
        X, y = make_blobs(200, centers=6, cluster_std=1.0, random_state=seed)
        classes = y % 3
        plain = ActiveCompleteLinkage(3).fit(X).labels_
        asked = ActiveCompleteLinkage(3, n_queries=40)
        labels = asked.fit_predict(X, oracle=lambda a, b, y=classes: y[a] == y[b])
        gains.append(adjusted_rand_score(classes, labels) - adjusted_rand_score(classes, plain))
    assert np.mean(gains) > 0.1


def test_texts_and_single_precision(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    codes = rng.integers(0, 3, size=(30, 6))
    texts = np.array(["red", "green", "blue"], dtype=object)[codes]
    oracle = Scripted(global_random_seed)
    by_text = ActiveCompleteLinkage(2, 9, metric="hamming").fit(texts, oracle=oracle)
    by_code = ActiveCompleteLinkage(2, 9, metric="hamming").fit(codes, oracle=oracle)
    assert by_text.queries_ == by_code.queries_
    single = codes.astype(np.float32)
    by_single = ActiveCompleteLinkage(2, 9, metric="cityblock").fit(single, oracle=oracle)
    by_double = ActiveCompleteLinkage(2, 9, metric="cityblock").fit(codes, oracle=oracle)
    assert by_single.queries_ == by_double.queries_
    assert by_single.labels_.tolist() == by_double.labels_.tolist()


def test_pickle():
    X = np.arange(8.0)[:, None] ** 2
    model = ActiveCompleteLinkage(2, 4).fit(X, oracle=lambda a, b: (a < 5) == (b < 5))
    again = pickle.loads(pickle.dumps(model))
    assert again.queries_ == model.queries_
    assert again.next_query(X, again.queries_[:1]) == model.next_query(X, model.queries_[:1])


@parametrize_with_checks([ActiveCompleteLinkage()])
def test_scikit_learns_checks(estimator, check):
    check(estimator)
