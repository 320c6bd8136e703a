import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import load_iris, make_blobs, make_circles
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from clustraint import BestClusterer, Constraints, COPKMeans, Rule
from clustraint.cluster import CANDIDATES, Candidate
from clustraint.cluster import _best_clusterer as module
from clustraint.cluster import _race as race
from clustraint.cluster._statement_list import StatementList
from clustraint.exceptions import ClustraintError, InvalidParameterError, NoCandidateError

FEW = ("round", "tied", "propagation", "cop-kmeans", "complete-linkage")


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return StandardScaler().fit_transform(X), y


@pytest.fixture(scope="module")
def circles():
    return make_circles(200, noise=0.05, factor=0.4, random_state=1)


def test_the_choice_depends_on_what_predicts_the_statements(circles, global_random_seed):
    X, y = circles
    constraints = Constraints.from_labels(y, n_pairs=60, random_state=global_random_seed)
    model = BestClusterer(2, random_state=0).fit(X, constraints=constraints)
    assert adjusted_rand_score(y, model.labels_) > 0.9
    assert model.choice_.name not in ("round", "plain", "tied")
    assert model.choice_.gain > 5
    assert "better than round with 2 clusters, by" in str(model.choice_)


def test_round_clusters_are_kept_where_nothing_is_better(global_random_seed):
    X, y = make_blobs(150, centers=[[0, 0], [9, 0], [0, 9]], random_state=global_random_seed)
    constraints = Constraints.from_labels(y, n_pairs=40, random_state=global_random_seed)
    model = BestClusterer(3, random_state=0).fit(X, constraints=constraints)
    assert adjusted_rand_score(y, model.labels_) == 1
    assert model.choice_.name == "round"
    assert "clearly better" in model.choice_.reason


@pytest.mark.parametrize("seed", range(2, 6))
def test_statements_that_are_mere_noise_choose_nothing(iris, seed):
    # Without a look at what candidates know, the least certain one would win.
    X, y = iris
    rng = np.random.default_rng(seed)
    noise = Constraints.from_labels(rng.permutation(y), n_pairs=40, random_state=rng)
    plain = BestClusterer(3, random_state=0).fit(X)
    model = BestClusterer(3, random_state=0).fit(X, constraints=noise)
    assert model.choice_.name == "round"
    assert adjusted_rand_score(y, model.labels_) > adjusted_rand_score(y, plain.labels_) - 0.1


def test_scores_say_how_each_candidate_did(iris):
    X, y = iris
    constraints = Constraints.from_labels(y, n_pairs=60, random_state=0)
    model = BestClusterer(3, candidates=FEW, random_state=0).fit(X, constraints=constraints)
    assert {score.name for score in model.scores_} == set(FEW)
    (default,) = (score for score in model.scores_ if score.name == "round")
    assert (default.gain, default.n_statements, default.failure) == (0.0, 60, "")
    assert sum(score.probability for score in model.scores_) == pytest.approx(1)
    assert model.scores_[0].agreement == max(score.agreement for score in model.scores_)
    assert model.scores_[0].name == model.choice_.name
    assert all(0 < score.n_statements <= 60 for score in model.scores_)


def test_odds_are_what_counts_before_statements_and_the_default_has_its_own(iris):
    X, y = iris
    constraints = Constraints.from_labels(y, n_pairs=60, random_state=0)
    same = [replace(CANDIDATES["tied"], name=f"odds {odds}", odds=odds) for odds in (3.0, 1.0, 0.5)]
    model = BestClusterer(3, candidates=same, random_state=0).fit(X, constraints=constraints)
    chances = {score.name: score.probability for score in model.scores_}
    assert chances["odds 1.0"] / chances["odds 0.5"] == pytest.approx(2)
    assert chances["odds 3.0"] / chances["odds 1.0"] == pytest.approx(race.DEFAULT_ODDS)


def test_a_candidate_that_fails_is_out_and_says_why(iris):
    X, y = iris
    constraints = Constraints.from_labels(y, n_pairs=40, random_state=0)
    cycle = Constraints(150, must_link=[(0, 1), (1, 2), (0, 2)] * 4, cannot_link=[(0, 2)] * 4)
    model = BestClusterer(3, candidates=FEW, random_state=0).fit(X, constraints=constraints | cycle)
    (failed,) = (score for score in model.scores_ if score.name == "cop-kmeans")
    assert "cannot be linked" in failed.failure
    assert model.choice_.name != "cop-kmeans"


def test_too_few_statements_choose_nothing(iris):
    X, _ = iris
    model = BestClusterer(3, random_state=0).fit(X, constraints=Constraints(150, [(0, 1)]))
    assert model.choice_.name == "round"
    assert model.scores_ == []
    assert "too few statements" in model.choice_.reason


KINDS = {
    "pairs": {"n_pairs": 40},
    "triplets": {"n_triplets": 40},
    "both": {"n_pairs": 30, "n_triplets": 30},
}


@pytest.mark.parametrize("kind", KINDS)
def test_pairs_and_triplets(iris, kind):
    X, y = iris
    constraints = Constraints.from_labels(y, random_state=0, **KINDS[kind])
    model = BestClusterer(3, random_state=0).fit(X, constraints=constraints)
    assert adjusted_rand_score(y, model.labels_) > 0.55
    assert set(model.doubt_) == set(constraints.kinds)
    assert set(model.constraint_report_) == set(constraints.kinds)


def test_labels_and_rules_together(iris):
    X, y = iris
    frame = pd.DataFrame(X, columns=["sepal", "width", "petal", "breadth"])
    labels = np.full(150, -1)
    labels[::10] = y[::10]
    rules = Constraints(150, rules=[Rule("petal < -1", exactly=True), Rule("breadth > 1.2")])
    model = BestClusterer(3, random_state=0).fit(frame, labels, constraints=rules)
    assert adjusted_rand_score(y, model.labels_) > 0.7
    assert set(model.doubt_) == {"together", "exactly", "labels"}


def test_rules_on_a_binary_table():
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=120)
    X = (rng.random((120, 9)) < np.where(np.arange(9) // 3 == y[:, None], 0.9, 0.1)).astype(int)
    rules = [Rule(f"x{place} & x{place + 1}") for place in (0, 1, 3, 4, 6, 7)]
    rules += [Rule(f"x{place} & x{place + 2}") for place in (0, 3, 6)]
    model = BestClusterer(3, random_state=0).fit(X, constraints=Constraints(120, rules=rules))
    assert "attribute-kmedoids" in {score.name for score in model.scores_}
    assert adjusted_rand_score(y, model.labels_) > 0.4


def test_the_number_of_clusters_is_chosen(global_random_seed):
    centers = [[0, 0], [6, 0], [0, 6], [6, 6]]
    X, y = make_blobs(200, centers=centers, random_state=global_random_seed)
    constraints = Constraints.from_labels(y, n_pairs=80, random_state=global_random_seed)
    for stated in (None, constraints):
        model = BestClusterer(range(2, 7), candidates=FEW[:2], random_state=0)
        model.fit(X, constraints=stated)
        assert model.choice_.n_clusters == 4
        assert len(np.unique(model.labels_)) == 4


def test_the_same_seed_gives_the_same_result_in_any_number_of_jobs(iris):
    X, y = iris
    constraints = Constraints.from_labels(y, n_pairs=30, random_state=0)
    model = BestClusterer(3, candidates=FEW[:3], random_state=7).fit(X, constraints=constraints)
    again = clone(model).set_params(n_jobs=2).fit(X, constraints=constraints)
    assert again.scores_ == model.scores_
    np.testing.assert_array_equal(again.labels_, model.labels_)


def test_progress_is_told(iris):
    X, y = iris
    constraints = Constraints.from_labels(y, n_pairs=30, random_state=0)
    steps = []
    BestClusterer(
        3, candidates=FEW[:2], progress=lambda *step: steps.append(step), random_state=0
    ).fit(X, constraints=constraints)
    assert [step[:2] for step in steps] == [(2, 8), (4, 8), (6, 8), (8, 8)]
    assert all("left" in text for _, _, text in steps)


def test_many_samples_race_in_part(monkeypatch, circles):
    X, y = circles
    constraints = Constraints.from_labels(y, n_pairs=40, random_state=0)
    monkeypatch.setattr(module, "MOST_RACED", 120)
    model = BestClusterer(2, candidates=("round", "propagation"), random_state=0)
    model.fit(X, constraints=constraints)
    assert len(model.labels_) == 200
    assert model.choice_.name == "propagation"
    assert model.scores_[0].n_statements == 40


def test_own_candidates_and_hard_ones(iris):
    X, y = iris
    constraints = Constraints.from_labels(y, n_pairs=30, random_state=0)
    own = Candidate(
        "mine",
        "k-means that keeps all pairs",
        lambda problem, n_clusters, n_init: COPKMeans(n_clusters, random_state=problem.seed),
        kinds=frozenset({"must_link", "cannot_link"}),
    )
    model = BestClusterer(3, candidates=[own], random_state=0).fit(X, constraints=constraints)
    assert model.choice_.name == "mine"
    assert set(np.unique(model.probabilities_)) == {0, 1}
    assert np.concatenate([*model.doubt_.values()]).max() < 0.01
    assert set(np.unique(model.predict_proba(X))) == {0, 1}


def test_a_hierarchy_predicts_by_its_linkage(iris):
    X, y = iris
    constraints = Constraints.from_labels(y, n_pairs=30, random_state=0)
    model = BestClusterer(3, candidates=["complete-linkage"], random_state=0)
    model.fit(X, constraints=constraints)
    new = X + 0.1
    away = cdist(new, X)
    # To the farthest sample of each cluster.
    farthest = [away[:, model.labels_ == cluster].max(axis=1) for cluster in range(3)]
    np.testing.assert_array_equal(model.predict(new), np.argmin(farthest, axis=0))


def test_prediction_score_and_copies(iris):
    X, y = iris
    constraints = Constraints.from_labels(y, n_pairs=60, random_state=0)
    held_out = Constraints.from_labels(y, n_pairs=60, random_state=1)
    model = BestClusterer(3, random_state=0).fit(X, constraints=constraints)
    assert np.log(0.5) < model.score(X, constraints=held_out) <= np.log(0.9)
    assert 0 < model.score(X) < 1
    copied = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copied.predict(X), model.predict(X))
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)


def test_routed_constraints_arrive(iris):
    X, y = iris
    constraints = Constraints.from_labels(y, n_pairs=60, random_state=0)
    with config_context(enable_metadata_routing=True):
        model = make_pipeline(
            StandardScaler(), BestClusterer(3, candidates=FEW[:2], random_state=0)
        )
        model.fit(X, constraints=constraints)
        assert model.score(X, constraints=constraints) < 0
    assert len(model[-1].scores_) == 2


def test_the_registry_speaks_for_itself():
    for name, candidate in CANDIDATES.items():
        assert candidate.name == name
        assert candidate.idea
        assert not candidate.idea.endswith(".")
        assert candidate.takes(candidate.kinds)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_clusters": 0}, "n_clusters must be a whole number from 1 up"),
        ({"n_clusters": "2"}, "n_clusters must be a whole number from 1 up, but is '2'"),
        ({"n_clusters": []}, "n_clusters must be a whole number, or some of them"),
        ({"n_clusters": None}, "n_clusters must be a whole number from 1 up"),
        ({"n_folds": 1}, "n_folds must be a whole number from 2 up"),
        ({"candidates": ["nonsense"]}, "candidates must be Candidate objects or names among"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(InvalidParameterError, match=message):
        BestClusterer(**{"n_clusters": 2, **parameters}).fit([[0.0], [1.0], [2.0]])


def test_bad_statements():
    X = np.arange(6.0)[:, np.newaxis]
    with pytest.raises(NoCandidateError, match="none of the candidates recon takes must_link"):
        BestClusterer(2, candidates=["recon"]).fit(X, constraints=Constraints(6, [(0, 1)]))
    with pytest.raises(
        ClustraintError, match="y must be one label for each of 6 samples, but has 2"
    ):
        BestClusterer(2).fit(X, [0, -1])
    with pytest.raises(ClustraintError, match="n_samples=6 should be >= n_clusters=7"):
        BestClusterer(7).fit(X)


def test_likelihoods_of_statements():
    constraints = Constraints(
        4,
        must_link=[(0, 1), (0, 2)],
        cannot_link=[(0, 2), (0, 1)],
        triplets=[(0, 1, 2), (0, 2, 1)],
        must_link_weights=[1.0, 2.0],
    )
    scope = np.array([True, True, False, False])
    statements = StatementList(constraints, np.array([-1, 0, -1, 1]), {"exactly": [scope]})
    shares = np.eye(2)[[0, 0, 1, 1]]
    right, wrong = np.log(0.9), np.log(0.1)
    expected = [right, 2 * wrong, right, wrong, right, wrong, right, right, right]
    labelled = np.array([0, -1, 1, -1])
    hold = statements.hold(shares, labelled)
    np.testing.assert_allclose(statements.log_likelihoods(hold), expected)
    right, wrong = statements.doubts(shares)["cannot_link"]
    assert right < wrong


def test_folds_hold_out_every_statement_once_and_all_kinds_alike():
    constraints = Constraints.from_labels([0, 1] * 20, n_pairs=40, n_triplets=20, random_state=0)
    statements = StatementList(constraints, np.full(40, -1), {})
    folds = statements.folds(4, np.random.default_rng(0))
    assert np.bincount(folds).tolist() == [15, 15, 15, 15]
    assert np.bincount(statements.by_kind(folds)["triplets"]).tolist() == [5, 5, 5, 5]
    parts = [statements.take(folds == fold) for fold in range(4)]
    assert sum(len(part) for part in parts) == 60
    joined = parts[0].constraints
    for part in parts[1:]:
        joined = joined | part.constraints
    assert joined == constraints


def test_evidence_is_the_mean_over_all_shares_of_right_statements():
    # Clusters put (0, 1) and (2, 3) together: one of them is said to be. Of what they put apart,
    # two pairs are said to be apart, and one, of weight 2, is not.
    constraints = Constraints(
        4,
        must_link=[(0, 1), (1, 2)],
        cannot_link=[(2, 3), (0, 2), (0, 3)],
        must_link_weights=[1.0, 2.0],
    )
    statements = StatementList(constraints, np.full(4, -1), {})
    labels = np.array([0, 0, 1, 1])
    share = np.linspace(0, 1, 100_001)
    prior = 2 * share
    together = np.trapezoid(prior * share * (1 - share), share)
    apart = np.trapezoid(prior * share**2 * (1 - share) ** 2, share)
    said = statements.predictions(labels, np.full(4, -1))
    assert said.tolist() == [1, 0, 1, 0, 0]
    assert statements.log_evidence(said) == pytest.approx(np.log(together * apart))
    said[1:] = np.nan
    assert statements.log_evidence(said) == pytest.approx(np.log(2 / 3))


def test_evidence_of_triplets_labels_and_rules():
    triplets = Constraints(4, triplets=[(0, 1, 2), (0, 2, 1), (0, 1, 1 + 2)])
    labels = np.array([0, 0, 1, 1])
    nobody = np.full(4, -1)
    statements = StatementList(triplets, nobody, {})
    said = statements.predictions(labels, nobody)
    assert said.tolist() == [1, 0, 1]
    # The mean of t² (1 - t) over the prior 2t is 1 / 10; a wrong one is one of two other answers.
    assert statements.log_evidence(said) == pytest.approx(np.log(1 / 10) - np.log(2))
    assert statements.predictions(np.arange(4), nobody).tolist() == [0.5, 0.5, 0.5]
    labelled = StatementList(Constraints(4), np.array([-1, 0, -1, -1]), {})
    said = labelled.predictions(labels, np.array([0, -1, 1, -1]))
    assert labelled.log_evidence(said) == pytest.approx(np.log(1.5 / 2))
    scope = np.array([True, True, False, False])
    ruled = StatementList(Constraints(4, rules=[Rule("x")]), nobody, {"together": [scope]})
    assert ruled.log_evidence(ruled.predictions(labels, nobody)) == pytest.approx(np.log(0.9 / 0.5))
    # That everything is together says nothing about what is.
    assert ruled.log_evidence(ruled.predictions(np.zeros(4, int), nobody)) == pytest.approx(0)


def test_clusters_that_know_more_have_more_evidence(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    y = rng.integers(3, size=200)
    constraints = Constraints.from_labels(y, n_pairs=100, random_state=rng)
    statements = StatementList(constraints, np.full(200, -1), {})

    def evidence(labels):
        return statements.log_evidence(statements.predictions(labels, statements.classes))

    noise = rng.integers(3, size=200)
    half = np.where(rng.random(200) < 0.7, y, noise)
    assert evidence(y) > evidence(half) > evidence(noise)
    assert evidence(y) > evidence(np.zeros(200, int))


@parametrize_with_checks([BestClusterer(3)])
def test_scikit_learns_checks(estimator, check):
    check(estimator)
