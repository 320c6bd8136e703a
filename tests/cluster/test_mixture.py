"""Mixtures under statements that may be wrong."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import config_context
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris, load_wine, make_blobs
from sklearn.metrics import adjusted_rand_score, average_precision_score
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import GridSearchCV, KFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from clustraint import ConstrainedMixture, Constraints, Rule
from clustraint.cluster._mixture.evidence import Evidence, assertions
from clustraint.cluster._mixture.gaussians import COVARIANCES, maximise, moments, step
from clustraint.cluster._mixture.rounds import MixtureRun
from clustraint.cluster._mixture.starts import draw_starts
from clustraint.exceptions import InconsistentConstraintsError, NoFeasibleClusteringError
from tests.reference import mixture as reference

SHAPES = [*COVARIANCES]
LOG_ODDS = {
    "must_link": 2.0,
    "cannot_link": 1.5,
    "triplets": 1.2,
    "together": 2.2,
    "exactly": 1.7,
    "labels": 2.5,
    "follow": 1.9,
}
TRUST = {kind: 1 / (1 + np.exp(-odds)) for kind, odds in LOG_ODDS.items()}


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(120, n_features=3, centers=4, cluster_std=2.0, random_state=0)


def flipped(constraints, share, seed):
    """Return pairs of which a share is turned into the opposite, and which these are."""
    rows = np.concatenate((constraints.must_link, constraints.cannot_link))
    same = np.arange(len(rows)) < len(constraints.must_link)
    is_wrong = np.random.default_rng(seed).permutation(len(rows)) < round(share * len(rows))
    together = same ^ is_wrong
    wrong = np.concatenate((is_wrong[together], is_wrong[~together]))
    return Constraints(
        constraints.n_samples, must_link=rows[together], cannot_link=rows[~together]
    ), wrong


def test_tiny_case():
    X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]])
    stated = Constraints(6, must_link=[(0, 1), (3, 5), (2, 4)], cannot_link=[(1, 3), (0, 5)])
    model = ConstrainedMixture(2, random_state=0).fit(X, constraints=stated)
    assert model.labels_.tolist() in ([0, 0, 0, 1, 1, 1], [1, 1, 1, 0, 0, 0])
    assert model.doubt_["must_link"][:2].max() < 0.02 < 0.98 < model.doubt_["must_link"][2]
    assert model.doubt_["cannot_link"].max() < 0.01
    assert model.constraint_report_["must_link"].rows.tolist() == [2]
    assert model.trust_["must_link"] < model.trust_["cannot_link"] < 1
    assert model.doubtful(1)[0][0] == "sample 2 = sample 4"
    assert model.converged_


# The graph of statements, against all assignments


def random_statements(seed, *, with_rings):
    """Return log-densities of few samples, and statements of all kinds about them."""
    rng = np.random.default_rng(seed)
    n_clusters = int(rng.integers(1, 4))
    n_samples = int(rng.integers(2, 6 if n_clusters == 3 else 8))
    piece = np.arange(n_samples)
    rows = {"must_link": [], "cannot_link": [], "triplets": []}
    scopes = {}
    for _ in range(rng.integers(7)):
        kind = ["must_link", "cannot_link", "triplets", "together", "exactly"][rng.integers(5)]
        width = 3 if kind == "triplets" else 2
        if kind in scopes or n_samples < width:
            continue
        samples = rng.choice(n_samples, width, replace=False)
        touched = np.arange(n_samples) if kind == "exactly" else samples
        if not with_rings and len(np.unique(piece[touched])) < len(touched):
            continue
        piece[np.isin(piece, piece[touched])] = piece[touched[0]]
        if kind in rows:
            # What is stated twice about the same samples is no ring.
            rows[kind] += [samples] * rng.integers(1, 3)
        else:
            scopes[kind] = [np.isin(np.arange(n_samples), samples)]
    if rows["must_link"] and rng.random() < 0.5:
        rows["cannot_link"].append(rows["must_link"][0])
    constraints = Constraints(
        n_samples,
        **{kind: each or None for kind, each in rows.items()},
        **{f"{kind}_weights": rng.random(len(each)) * 2 + 0.1 for kind, each in rows.items()},
    )
    classes = np.where(rng.random(n_samples) < 0.3, rng.integers(n_clusters, size=n_samples), -1)
    return rng.normal(size=(n_samples, n_clusters)) * 2, constraints, scopes, classes


def heard(problem):
    """Return what sum-product makes of statements, in the form of the reference."""
    logs, constraints, scopes, classes = problem
    n_rules = {kind: len(masks) for kind, masks in scopes.items()}
    by_kind = assertions(constraints, scopes)
    evidence = Evidence(by_kind, n_rules, classes, np.arange(len(logs)), logs.shape[1])
    beliefs = evidence.hear(logs[evidence.samples], LOG_ODDS, evidence.silence(), 1000)
    shares = np.exp(logs) / np.exp(logs).sum(axis=1, keepdims=True)
    rest = np.log(np.exp(np.delete(logs, evidence.samples, axis=0)).sum(axis=1)).sum()
    shares[evidence.samples] = beliefs.shares
    order = ("must_link", "cannot_link", "triplets", "labels", *scopes)
    doubts = np.concatenate([beliefs.doubts.get(kind, []) for kind in order])
    return evidence, shares, doubts, beliefs.log_evidence + rest


@given(st.integers(0, 2**31))
def test_without_rings_beliefs_are_exact(seed):
    problem = random_statements(seed, with_rings=False)
    evidence, shares, doubts, log_evidence = heard(problem)
    assert not evidence.ringed.any()
    expected = reference.posterior(*problem, TRUST)
    np.testing.assert_allclose(shares, expected[0], atol=1e-9)
    np.testing.assert_allclose(doubts, expected[1], atol=1e-9)
    assert log_evidence == pytest.approx(expected[2])


def test_with_rings_beliefs_are_near(global_random_seed):
    errors, n_rings = [], 0
    for seed in range(global_random_seed, global_random_seed + 100):
        problem = random_statements(seed, with_rings=True)
        evidence, shares, doubts, log_evidence = heard(problem)
        expected = reference.posterior(*problem, TRUST)
        np.testing.assert_allclose(shares.sum(axis=1), 1)
        assert ((doubts >= 0) & (doubts <= 1)).all()
        n_rings += evidence.ringed.any()
        errors.append(
            (
                np.abs(shares - expected[0]).mean(),
                np.abs(doubts - expected[1]).mean() if len(doubts) else 0.0,
                abs(log_evidence - expected[2]),
            )
        )
    assert n_rings > 30
    assert (np.mean(errors, axis=0) < [0.03, 0.06, 0.15]).all()


def test_a_long_chain_is_exact_and_needs_no_order(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    names = rng.permutation(2000)
    links = np.stack((names[:-1], names[1:]), axis=1)[rng.permutation(1999)]
    logs = np.zeros((2000, 2))
    logs[names[0], 0] = 50
    chain = Constraints(2000, must_link=links)
    evidence = Evidence(assertions(chain, {}), {}, np.full(2000, -1), np.arange(2000), 2)
    beliefs = evidence.hear(logs, {"must_link": 7.0}, evidence.silence())
    stay = 1 / (1 + np.exp(-7.0))
    expected = 0.5 + 0.5 * (2 * stay - 1) ** np.arange(2000)
    np.testing.assert_allclose(beliefs.shares[names, 0], expected, rtol=1e-9)


@pytest.mark.parametrize("covariance", SHAPES)
def test_a_fit_says_what_enumeration_says(covariance, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    X = np.concatenate((rng.normal(0, 1, (4, 2)), rng.normal(3, 1, (3, 2))))
    stated = Constraints(
        7,
        must_link=[(0, 1), (3, 4)],
        cannot_link=[(1, 5)],
        triplets=[(5, 6, 2)],
        must_link_weights=[1, 2],
    )
    y = [-1, -1, 0, -1, -1, 1, -1]
    model = ConstrainedMixture(2, covariance=covariance, trust=0.8, reg_covar=0.1, random_state=0)
    model.fit(X, y, constraints=stated)
    logs = GaussianMixture(2, covariance_type=covariance)
    logs.weights_, logs.means_, logs.covariances_ = model.weights_, model.means_, model.covariances_
    from sklearn.mixture._gaussian_mixture import _compute_precision_cholesky

    logs.precisions_cholesky_ = _compute_precision_cholesky(model.covariances_, covariance)
    densities = logs._estimate_weighted_log_prob(X)
    trust = dict.fromkeys(TRUST, 0.8)
    expected = reference.posterior(densities, stated, {}, np.array(y), trust)
    np.testing.assert_allclose(model.probabilities_, expected[0], atol=1e-7)
    doubts = [model.doubt_[kind] for kind in ("must_link", "cannot_link", "triplets")]
    doubts.append(model.doubt_["labels"][[2, 5]])
    np.testing.assert_allclose(np.concatenate(doubts), expected[1], atol=1e-7)
    expected = reference.posterior(densities, stated, {}, np.full(7, -1), trust)
    assert model.score(X, constraints=stated) == pytest.approx(expected[2] / 7)


# Without statements


@pytest.mark.parametrize("covariance", SHAPES)
def test_without_statements_it_is_scikit_learns_mixture(blobs, covariance, global_random_seed):
    X, _ = blobs
    same = {"max_iter": 200, "tol": 1e-4}
    start = KMeans(4, n_init=1, random_state=np.random.RandomState(global_random_seed)).fit(X)
    theirs = GaussianMixture(
        4, covariance_type=covariance, random_state=global_random_seed, **same
    ).fit(X)
    ours = ConstrainedMixture(4, covariance=covariance, init=np.eye(4)[start.labels_], **same).fit(
        X
    )
    np.testing.assert_allclose(ours.means_, theirs.means_, rtol=1e-6)
    np.testing.assert_allclose(ours.covariances_, theirs.covariances_, rtol=1e-5, atol=1e-8)
    np.testing.assert_allclose(ours.weights_, theirs.weights_, rtol=1e-6)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-6)
    np.testing.assert_allclose(ours.probabilities_, theirs.predict_proba(X), atol=1e-6)
    assert ours.labels_.tolist() == theirs.predict(X).tolist()
    assert ours.n_iter_ == theirs.n_iter_
    assert ours.lower_bound_ == pytest.approx(theirs.lower_bound_)
    assert ours.score(X) == pytest.approx(theirs.score(X))
    assert ours.bic_ == pytest.approx(theirs.bic(X))


@pytest.mark.parametrize("covariance", SHAPES)
def test_statistics_of_parts_add_up(blobs, covariance, global_random_seed):
    X, _ = blobs
    rng = np.random.default_rng(global_random_seed)
    shape = COVARIANCES[covariance]
    weights = rng.random(len(X))
    shares = rng.dirichlet(np.ones(4), len(X))
    gaussians = maximise(moments(X, weights, shares, shape), shape, 0.1, 1e-6)
    whole = step(X, weights, gaussians, shape)
    parts = [step(X[i::3], weights[i::3], gaussians, shape) for i in range(3)]
    for mine, theirs in zip(whole, parts[0].plus(parts[1]).plus(parts[2]), strict=True):
        np.testing.assert_allclose(mine, theirs)


@pytest.mark.parametrize("covariance", SHAPES)
def test_weights_are_repetitions(blobs, covariance, global_random_seed):
    X, y = blobs
    repeats = np.random.default_rng(global_random_seed).integers(0, 4, len(X))
    copies = np.repeat(np.arange(len(X)), repeats)
    start = np.array([X[y == each].mean(axis=0) for each in range(4)])
    once = ConstrainedMixture(4, covariance=covariance, init=start).fit(X, sample_weight=repeats)
    often = ConstrainedMixture(4, covariance=covariance, init=start).fit(X[copies])
    np.testing.assert_allclose(once.means_, often.means_)
    np.testing.assert_allclose(once.covariances_, often.covariances_)
    assert once.lower_bound_ == pytest.approx(often.lower_bound_)
    assert once.bic_ == pytest.approx(often.bic_)


# With statements


@pytest.mark.parametrize(
    ("load", "right", "some_wrong"), [(load_iris, 0.95, 0.93), (load_wine, 0.96, 0.94)]
)
def test_few_pairs_help_and_wrong_ones_do_no_harm(load, right, some_wrong):
    X, y = load(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    for share, least in ((0.0, right), (0.1, some_wrong)):
        scores = []
        for seed in range(10):
            drawn = Constraints.from_labels(y, n_pairs=60, random_state=seed)
            stated, _ = flipped(drawn, share, seed)
            model = ConstrainedMixture(3, random_state=seed).fit(X, constraints=stated)
            scores.append(adjusted_rand_score(y, model.labels_))
        assert np.mean(scores) >= least


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_wrong_pairs_are_found(load, global_random_seed):
    X, y = load(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    precisions = []
    for seed in range(global_random_seed, global_random_seed + 5):
        drawn = Constraints.from_labels(y, n_pairs=120, random_state=seed)
        stated, wrong = flipped(drawn, 0.1, seed)
        model = ConstrainedMixture(3, random_state=seed).fit(X, constraints=stated)
        doubts = np.concatenate((model.doubt_["must_link"], model.doubt_["cannot_link"]))
        precisions.append(average_precision_score(wrong, doubts))
        n_wrong_must_links = wrong[: len(stated.must_link)].sum()
        assert model.trust_["must_link"] == pytest.approx(
            1 - n_wrong_must_links / len(stated.must_link), abs=0.12
        )
    assert np.mean(precisions) > 0.7


MARKED = np.arange(120) % 3 == 0
CLASSES = np.repeat(np.arange(3), 40)
KNOWLEDGE = {
    "pairs": {"constraints": Constraints.from_labels(CLASSES, n_pairs=150, random_state=0)},
    "triplets": {"constraints": Constraints.from_labels(CLASSES, n_triplets=150, random_state=0)},
    "together": {"constraints": Constraints(120, rules=[Rule("mark > 0")])},
    "exactly": {"constraints": Constraints(120, rules=[Rule("mark > 0", exactly=True)])},
    "labels": {"y": np.where(MARKED, CLASSES, -1)},
}


def overlapping(seed):
    """Return three clusters that overlap; the column `mark` is too small to be of use itself."""
    centers = np.array([[0.0, 0.0], [2.5, 0.0], [0.0, 2.5]])
    places = centers[CLASSES] + np.random.default_rng(seed).normal(size=(120, 2))
    return pd.DataFrame(places, columns=["u", "v"]).assign(mark=1e-9 * (CLASSES == 1))


def accuracy(X, **knowledge):
    model = ConstrainedMixture(3, random_state=0, covariance="spherical", trust=0.95)
    return adjusted_rand_score(CLASSES, model.fit(X, **knowledge).labels_)


@pytest.mark.parametrize("kind", ["pairs", "triplets", "exactly", "labels"])
def test_knowledge_helps(kind, global_random_seed):
    gains = [
        accuracy(overlapping(seed), **KNOWLEDGE[kind]) - accuracy(overlapping(seed))
        for seed in range(global_random_seed, global_random_seed + 8)
    ]
    assert np.mean(gains) > 0.02


def test_samples_of_a_rule_are_together(global_random_seed):
    X = overlapping(global_random_seed)
    model = ConstrainedMixture(3, random_state=0).fit(X, **KNOWLEDGE["together"])
    assert np.bincount(model.labels_[CLASSES == 1]).max() >= 38
    assert model.doubt_["together"][0] < 0.01


def test_all_kinds_at_once(global_random_seed):
    X = overlapping(global_random_seed)
    stated = Constraints(120)
    for knowledge in KNOWLEDGE.values():
        stated |= knowledge.get("constraints", stated)
    y = KNOWLEDGE["labels"]["y"]
    model = ConstrainedMixture(3, random_state=0).fit(X, y, constraints=stated)
    kinds = {"must_link", "cannot_link", "triplets", "together", "exactly", "labels"}
    assert set(model.trust_) == set(model.doubt_) == kinds
    assert all(0.5 <= trust < 1 for trust in model.trust_.values())
    for kind, links in stated.links.items():
        assert model.doubt_[kind].shape == (len(links.rows),)
    assert model.doubt_["together"].shape == model.doubt_["exactly"].shape == (1,)
    assert np.isnan(model.doubt_["labels"]).tolist() == (y < 0).tolist()
    assert adjusted_rand_score(CLASSES, model.labels_) > accuracy(X)
    assert len(model.doubtful(1000)) == stated.n_constraints + MARKED.sum()
    doubts = [doubt for _, doubt in model.doubtful(1000)]
    assert doubts == sorted(doubts, reverse=True)


def test_a_wrong_rule_is_doubted_but_not_one_with_an_exception(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    y = np.repeat([0, 1], 40)
    X = np.column_stack((rng.normal(8 * y, 1), 1e-9 * y, 1e-9 * rng.permutation(y)))
    X[0, 1] = 1e-9
    stated = Constraints(80, rules=[Rule("x1 > 0"), Rule("x2 > 0")])
    model = ConstrainedMixture(2, random_state=0).fit(X, constraints=stated)
    right, wrong = model.doubt_["together"]
    assert right < 0.01 < 0.99 < wrong
    assert adjusted_rand_score(y, model.labels_) > 0.9
    assert model.doubtful(1)[0][0] == "together: x2 > 0"


def test_labels_name_the_clusters(blobs):
    X, y = blobs
    names = np.array(["north", "east", "south", "west"])[y].astype(object)
    names[20:] = None
    model = ConstrainedMixture(4, random_state=0).fit(X, names)
    assert set(model.classes_) == {*names[:20]}
    predicted = np.array(model.classes_)[model.labels_[:20]]
    assert (predicted == names[:20]).mean() > 0.8
    same = ConstrainedMixture(4, random_state=0).fit_predict(X, names)
    assert same.tolist() == model.labels_.tolist()
    assert any(text.startswith("sample ") and " is " in text for text, _ in model.doubtful(3))


def test_a_weight_multiplies_the_log_odds():
    X = np.array([[0.0], [0.1], [0.2], [4.0], [4.1], [4.2], [1.9]])
    doubts = []
    for weight in (0.01, 1, 5):
        stated = Constraints(7, must_link=[(0, 3), (1, 6)], must_link_weights=[1, weight])
        model = ConstrainedMixture(2, trust=0.9, init=[[0.0], [4.0]], reg_covar=0.1)
        doubts.append(model.fit(X, constraints=stated).doubt_["must_link"][1])
    assert doubts[0] > doubts[1] > doubts[2]


def test_opposite_statements_of_equal_trust_cancel_out(blobs):
    X, _ = blobs
    twice = [(0, 1), (5, 9)]
    stated = Constraints(120, must_link=twice, cannot_link=twice)
    model = ConstrainedMixture(4, trust=0.9, init=X[:4])
    plain, both = clone(model).fit(X), clone(model).fit(X, constraints=stated)
    np.testing.assert_allclose(plain.means_, both.means_)
    np.testing.assert_allclose(plain.probabilities_, both.probabilities_, atol=1e-9)
    np.testing.assert_allclose(both.doubt_["must_link"] + both.doubt_["cannot_link"], 1)


def test_contradictions_are_no_error_below_a_trust_of_1(blobs):
    X, _ = blobs
    stated = Constraints(
        120, must_link=[(0, 1), (1, 2)], cannot_link=[(0, 2)], triplets=[(0, 3, 1), (1, 3, 0)]
    )
    model = ConstrainedMixture(4, random_state=0).fit(X, constraints=stated)
    total = model.doubt_["must_link"].sum() + model.doubt_["cannot_link"].sum()
    assert 0.1 < total < 3  # one of the three is wrong, and nothing tells which
    with pytest.raises(InconsistentConstraintsError) as caught:
        ConstrainedMixture(4, trust=1).fit(X, constraints=stated)
    assert caught.value.witness.n_constraints == 3


def test_starts_are_the_same_in_any_order_of_samples(blobs, global_random_seed):
    X = blobs[0]
    weights = np.random.default_rng(global_random_seed).uniform(0.5, 2, len(X))
    order = np.random.default_rng(global_random_seed).permutation(len(X))
    place = np.argsort(order)
    groups = [np.array([0, 7, 9]), np.array([3, 4])]

    def start(rows, members):
        rng = np.random.default_rng(global_random_seed)
        unknown = np.full(len(X), -1)
        return draw_starts(X[rows], weights[rows], 4, unknown, members, rng)

    plain = start(np.arange(len(X)), groups)
    moved = start(order, [place[members] for members in reversed(groups)])
    for _, expected, shares in zip(range(8), plain, moved, strict=False):
        np.testing.assert_array_equal(shares, expected[order])


def test_samples_in_another_order_have_the_same_clusters(blobs, global_random_seed):
    X, y = blobs
    order = np.random.default_rng(global_random_seed).permutation(120)
    stated = Constraints.from_labels(y, n_pairs=40, n_triplets=20, random_state=0)
    model = ConstrainedMixture(4, init=np.array([X[y == each].mean(axis=0) for each in range(4)]))
    first = clone(model).fit(X, constraints=stated)
    second = clone(model).fit(X[order], constraints=stated[order])
    np.testing.assert_allclose(first.probabilities_[order], second.probabilities_, atol=1e-4)


# Statements that are certain


def random_problem(rng):
    """Return few samples, and pairs, triplets and labels of which a few are wrong."""
    n_samples, n_clusters = int(rng.integers(3, 8)), int(rng.integers(2, 4))
    truth = rng.integers(n_clusters, size=n_samples)
    rows = {"must_link": [], "cannot_link": [], "triplets": []}
    for _ in range(rng.integers(9)):
        a, b, c = rng.choice(n_samples, 3, replace=False).tolist()
        is_wrong = rng.random() < 0.15
        if rng.random() < 0.3:
            if reference.is_right("triplets", (a, b, c), truth) != is_wrong:
                rows["triplets"].append((a, b, c))
        else:
            same = (truth[a] == truth[b]) != is_wrong
            rows["must_link" if same else "cannot_link"].append((a, b))
    y = np.where(rng.random(n_samples) < 0.15, truth, -1)
    y[0] = -1
    X = rng.integers(0, 4, size=(n_samples, 2)) + 0.01 * rng.random((n_samples, 2))
    return X, y, n_clusters, Constraints(n_samples, **{k: v or None for k, v in rows.items()})


def assert_kept_or_explained(problem, seed):
    X, y, n_clusters, constraints = problem
    model = ConstrainedMixture(
        n_clusters, trust=1.0, n_init=1, max_iter=5, tol=1e9, random_state=seed
    )
    try:
        model.fit(X, y, constraints=constraints)
    except (InconsistentConstraintsError, NoFeasibleClusteringError) as caught:
        error = caught
    else:
        assert model.constraint_report_.all_satisfied
        assert all(not np.nan_to_num(doubts).any() for doubts in model.doubt_.values())
        assert set(model.trust_.values()) <= {1.0}
        labelled = y >= 0
        expected = [model.classes_.index(label) for label in y[labelled]]
        assert model.labels_[labelled].tolist() == expected
        return
    if isinstance(error, InconsistentConstraintsError):
        assert not error.witness.is_consistent()
    elif "cannot fill" not in str(error):
        pairs = [(a, b) for a, b in np.argwhere(np.tri(len(X), k=-1)) if min(y[a], y[b]) >= 0]
        must_link = [(a, b) for a, b in pairs if y[a] == y[b]] + constraints.must_link.tolist()
        cannot_link = [(a, b) for a, b in pairs if y[a] != y[b]] + constraints.cannot_link.tolist()
        triplets = constraints.triplets.tolist()
        assert not reference.can_be_kept(len(X), n_clusters, must_link, cannot_link, triplets)
        assert error.witness is None or error.witness.n_constraints


@pytest.mark.filterwarnings("ignore:what statements say about each other did not settle")
def test_nothing_certain_is_ever_violated(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    for seed in range(300):
        assert_kept_or_explained(random_problem(rng), seed)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:what statements say about each other did not settle")
def test_nothing_certain_is_ever_violated_in_ten_thousand_problems(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    for seed in range(10_000):
        assert_kept_or_explained(random_problem(rng), seed)


def test_certain_rules_are_kept(global_random_seed):
    X = overlapping(global_random_seed)
    rules = [Rule("mark > 0 & u > 2"), Rule("mark > 0", exactly=True), Rule("u > 1")]
    stated = Constraints(120, rules=rules[:2], must_link=[(0, 119)], cannot_link=[(0, 1)])
    model = ConstrainedMixture(3, trust=1, random_state=0).fit(X, constraints=stated)
    assert model.constraint_report_.all_satisfied
    assert set(model.constraint_report_) == {"must_link", "cannot_link", "together", "exactly"}
    with pytest.raises(InconsistentConstraintsError):
        model.fit(X, constraints=stated | Constraints(120, rules=rules[2:]))


def test_too_few_clusters_come_with_their_proof():
    stated = Constraints(4, cannot_link=[(0, 1), (1, 2), (0, 2)])
    with pytest.raises(NoFeasibleClusteringError, match="no two may be together") as caught:
        ConstrainedMixture(2, trust=1).fit([[0.0], [1.0], [2.0], [3.0]], constraints=stated)
    assert caught.value.witness == stated


def test_a_triplet_for_which_clusters_are_too_few_comes_with_its_proof():
    # With 2 clusters c is with a or b, so that ab|c ties what a cannot-link parts.
    stated = Constraints(4, cannot_link=[(0, 1)], triplets=[(0, 1, 2)])
    with pytest.raises(NoFeasibleClusteringError, match="pairs and triplets") as caught:
        ConstrainedMixture(2, trust=1).fit([[0.0], [1.0], [2.0], [3.0]], constraints=stated)
    assert caught.value.witness == stated


def test_many_certain_pairs_are_kept(blobs):
    X, y = blobs
    stated = Constraints.from_labels(y, n_pairs=300, random_state=0)
    model = ConstrainedMixture(4, trust=1, random_state=0).fit(X, constraints=stated)
    assert model.constraint_report_.all_satisfied
    assert adjusted_rand_score(y, model.labels_) > 0.9


# As scikit-learn has it


def test_same_seed_same_result_also_after_pickling(blobs):
    X, y = blobs
    stated = Constraints.from_labels(y, n_pairs=60, n_triplets=30, random_state=0)
    model = ConstrainedMixture(4, random_state=7)
    first = clone(model).fit(X, constraints=stated)
    second = pickle.loads(pickle.dumps(clone(model).fit(X, constraints=stated)))
    np.testing.assert_array_equal(first.probabilities_, second.probabilities_)
    np.testing.assert_array_equal(first.predict_proba(X), second.predict_proba(X))
    assert first.doubtful() == second.doubtful()


def test_routed_constraints_reach_fit_and_score_in_every_fold(blobs):
    X, y = blobs
    stated = Constraints.from_labels(y, n_pairs=150, random_state=0)
    pipeline = make_pipeline(StandardScaler(), ConstrainedMixture(4, random_state=0, n_init=1))
    with config_context(enable_metadata_routing=True):
        grid = {"constrainedmixture__covariance": ["tied", "spherical"]}
        search = GridSearchCV(pipeline, grid, cv=KFold(3, shuffle=True, random_state=0))
        search.fit(X, constraints=stated)
        scores = cross_validate(
            pipeline,
            X,
            cv=3,
            params={"constraints": stated},
            return_estimator=True,
            return_indices=True,
        )
    assert search.best_estimator_[-1].constraint_report_.constraints == stated
    for fold in range(3):
        train, test = (scores["indices"][part][fold] for part in ("train", "test"))
        fitted = scores["estimator"][fold]
        assert fitted[-1].constraint_report_.constraints == stated[train]
        expected = fitted[-1].score(fitted[:-1].transform(X[test]), constraints=stated[test])
        assert scores["test_score"][fold] == pytest.approx(expected)


def test_names_of_columns_are_those_of_the_frame(blobs):
    X = pd.DataFrame(blobs[0], columns=["long", "wide", "high"])
    stated = Constraints(120, rules=[Rule("long > 0"), Rule("wide > 3 & high < 0", exactly=True)])
    model = ConstrainedMixture(4, random_state=0).fit(X, constraints=stated)
    assert model.feature_names_in_.tolist() == ["long", "wide", "high"]
    same = ConstrainedMixture(4, random_state=0).fit(
        X.to_numpy(),
        constraints=Constraints(120, rules=[Rule("x0 > 0"), Rule("x1 > 3 & x2 < 0", exactly=True)]),
    )
    assert model.labels_.tolist() == same.labels_.tolist()
    assert np.isfinite(model.score(X, constraints=stated))


@pytest.mark.parametrize(("later", "wins"), [(-2.0 + 1e-12, False), (-1.9, True), (-2.1, False)])
def test_of_two_starts_with_the_same_end_the_first_wins(later, wins):
    first, second = (MixtureRun(None, {}, None, value, 1, True) for value in (-2.0, later))
    assert (first.or_likelier(second) is second) == wins


@parametrize_with_checks([ConstrainedMixture(n_clusters=3, n_init=2)])
def test_scikit_learns_checks(estimator, check):
    check(estimator)
