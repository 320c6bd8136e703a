"""Clustering trees against the authors' program, a literal reading, and scikit-learn's trees."""

import json
import pickle
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import load_iris, make_blobs
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils.estimator_checks import parametrize_with_checks

from clustraint import ClusteringTree, Constraints
from clustraint.exceptions import InconsistentConstraintsError
from tests.reference import clusilc
from tests.strategies_constraints import labelled_pairs

EXAMPLES = json.loads(
    Path(__file__).with_name("worked_examples").joinpath("clusilc.json").read_text()
)


def example_constraints(run, n_samples):
    given_pairs = run["constraints"]
    constraints = Constraints(
        n_samples,
        must_link=[pair[:2] for pair in given_pairs if pair[2] > 0],
        cannot_link=[pair[:2] for pair in given_pairs if pair[2] < 0],
    )
    return constraints.closure("sum") if run["duplicates"] == "sum" else constraints


@pytest.mark.parametrize("run", EXAMPLES["runs"], ids=lambda run: run["name"])
def test_runs_of_the_authors_program(run):
    X = np.array(EXAMPLES["data"][run["data"]]["X"])
    constraints = example_constraints(run, len(X))
    model = ClusteringTree(run["n_clusters"], label_reuse=run["label_reuse"])
    model.fit(X, constraints=constraints)
    assert model.labels_.tolist() == run["labels"]
    assert model.tree_.node_count == run["n_nodes"]
    assert model.heuristic_ == pytest.approx(run["heuristic"], abs=1e-12)
    assert len(model.history_) == len(run["steps"])
    for step, expected in zip(model.history_, run["steps"], strict=True):
        assert step.path == expected["leaf"]
        assert (step.feature, step.threshold) == (expected["attribute"], expected["threshold"])
        for name in ("n_yes", "n_no", "label_yes", "label_no", "violated"):
            assert getattr(step, name) == expected[name]
        assert step.variance == pytest.approx(expected["ss_relative"], abs=1e-12)
        assert step.heuristic == pytest.approx(expected["heuristic"], abs=1e-12)


def listed(constraints):
    """The closure as the reference wants it; of closed constraints, with their own weights."""
    closed = constraints if constraints.is_closed else constraints.closure()
    found = {}
    for kind in ("must_link", "cannot_link"):
        rows, given_weights = getattr(closed, kind), getattr(closed, f"{kind}_weights")
        for pair, weight in zip(rows.tolist(), given_weights.tolist(), strict=True):
            key = (*sorted(pair), kind == "must_link")
            found[key] = max(found.get(key, 0), weight)
    return [(*key, weight) for key, weight in found.items()]


# The reference squares numbers as they are: of smaller ones, nothing would be left.
numbers = st.integers(0, 5) | st.floats(-9, 9).filter(lambda x: x == 0 or abs(x) > 1e-100)


@st.composite
def tables(draw, n_samples):
    """Numbers with many ties, nominal values and gaps, as a frame and as the reference reads it."""
    frame, columns, nominal = {}, [], []
    for place in range(draw(st.integers(1, 3))):
        is_nominal = draw(st.booleans())
        cells = st.integers(0, 4) if is_nominal else numbers
        if draw(st.booleans()):
            cells = cells | st.none()
        values = draw(st.lists(cells, min_size=n_samples, max_size=n_samples))
        known = sorted({value for value in values if value is not None})
        codes = {value: float(code) for code, value in enumerate(known)}
        is_nominal = is_nominal and bool(known)
        nominal.append(is_nominal)
        missing = [np.nan if value is None else float(value) for value in values]
        columns.append([codes.get(v, np.nan) for v in values] if is_nominal else missing)
        texts = [None if value is None else f"level {value}" for value in values]
        frame[f"column {place}"] = pd.Series(texts, dtype="category") if is_nominal else missing
    return pd.DataFrame(frame), np.array(columns).T, tuple(nominal)


@st.composite
def settings_of_a_tree(draw):
    constraints = draw(labelled_pairs(2, 9, max_size=8, weighted=draw(st.booleans())))
    if draw(st.booleans()):
        constraints = constraints.closure(draw(st.sampled_from(["sum", "drop"])))
    frame, values, nominal = draw(tables(constraints.n_samples))
    parameters = {
        "gamma": draw(st.sampled_from([0, 0.25, 0.5, 0.75, 1])),
        "n_clusters": draw(st.integers(1, 4)),
        "min_samples_leaf": draw(st.integers(1, 2)),
        "label_reuse": draw(st.sampled_from(["linked", "any"])),
    }
    return constraints, frame, values, nominal, parameters


def assert_equals_the_reference(constraints, frame, values, nominal, parameters):
    setting = clusilc.Setting(values, nominal, listed(constraints), *parameters.values())
    leaves, heuristic, steps = clusilc.grow(setting)
    model = ClusteringTree(**parameters).fit(frame, constraints=constraints)
    assert model.heuristic_ == pytest.approx(heuristic, abs=1e-9)
    assert model.labels_.tolist() == clusilc.labels_of(setting, leaves).tolist()
    assert model.tree_.n_leaves == len(leaves)
    reached = [np.flatnonzero(model.apply(frame) == leaf).tolist() for leaf in model.tree_.leaves]
    assert reached == [list(leaf.rows) for leaf in leaves]
    for step, expected in zip(model.history_, steps, strict=True):
        assert (step.path, step.feature) == (expected.path, expected.column)
        assert (step.n_yes, step.n_no) == (len(expected.yes), len(expected.no))
        assert (step.label_yes, step.label_no) == (expected.label_yes, expected.label_no)
        assert step.heuristic == pytest.approx(expected.heuristic, abs=1e-9)


@pytest.mark.parametrize("unit", [1e-204, 1e-100, 1.0, 1e100])
def test_the_unit_of_a_column_does_not_matter(unit):
    X = np.array([[np.nan], [0.0], [0.0], [1.0], [4.0]])
    model, expected = ClusteringTree(2).fit(X * unit), ClusteringTree(2).fit(X)
    assert model.labels_.tolist() == expected.labels_.tolist()
    assert model.heuristic_ == pytest.approx(expected.heuristic_)


@given(settings_of_a_tree())
def test_exhaustive_search(setting):
    assert_equals_the_reference(*setting)


def random_setting(rng):
    """Larger tables than hypothesis would make many of."""
    n_samples = int(rng.integers(2, 14))
    labels = rng.integers(0, 3, n_samples)
    constraints = Constraints.from_labels(
        labels, n_pairs=int(rng.integers(0, 10)), random_state=rng
    )
    values = rng.integers(0, 6, (n_samples, 3)).astype(float)
    values[:, 1] = rng.normal(size=n_samples)
    values[rng.random(values.shape) < rng.choice([0, 0.2])] = np.nan
    parameters = {
        "gamma": float(rng.choice([0.1, 0.5, 0.9])),
        "n_clusters": int(rng.integers(1, 5)),
        "min_samples_leaf": int(rng.integers(1, 3)),
        "label_reuse": str(rng.choice(["linked", "any"])),
    }
    return constraints, pd.DataFrame(values), values, (False,) * 3, parameters


@pytest.mark.slow
def test_exhaustive_search_many_times(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    for _ in range(2_000):
        assert_equals_the_reference(*random_setting(rng))


def test_a_cluster_of_two_boxes():
    """Figure 1 of the paper: an L-shaped cluster takes two leaves."""
    rng = np.random.default_rng(3)
    X = rng.uniform(0, 200, (300, 2))
    y = ((X[:, 1] <= 100) | (X[:, 0] > 110)).astype(int)
    constraints = Constraints.from_labels(y, n_pairs=400, random_state=0)
    model = ClusteringTree(2, gamma=0.9).fit(X, constraints=constraints)
    assert model.tree_.n_leaves > 2
    assert len(np.unique(model.labels_)) == 2
    agreement = np.mean(model.labels_ == y)
    assert max(agreement, 1 - agreement) > 0.95


@given(labelled_pairs(2, 9), st.integers(1, 5), st.sampled_from(["linked", "any"]))
def test_labels_stay_below_their_bound(constraints, n_clusters, label_reuse):
    X = np.random.default_rng(0).normal(size=(constraints.n_samples, 2))
    model = ClusteringTree(n_clusters, label_reuse=label_reuse, min_samples_leaf=1)
    labels = model.fit(X, constraints=constraints).labels_
    assert labels.min() >= 0
    assert labels.max() < n_clusters


def test_without_constraints_it_is_a_regression_tree_of_the_columns(global_random_seed):
    X, _ = make_blobs(200, 3, centers=4, random_state=global_random_seed)
    model = ClusteringTree(8, min_samples_leaf=3).fit(X)
    peer = DecisionTreeRegressor(max_leaf_nodes=8, min_samples_leaf=3, random_state=0).fit(X, X)
    assert model.tree_.n_leaves == 8
    assert len(np.unique(model.labels_)) == 8
    same = pd.crosstab(model.labels_, peer.apply(X)) > 0
    assert same.sum(axis=0).max() == same.sum(axis=1).max() == 1


@given(labelled_pairs(4, 9, weighted=True), st.integers(0, 2**32 - 1))
def test_renamed_columns_and_scaled_weights_change_nothing(constraints, seed):
    X = np.random.default_rng(seed).normal(size=(constraints.n_samples, 2))
    model = ClusteringTree(3).fit(X, constraints=constraints)
    heavier = Constraints(
        constraints.n_samples,
        must_link=constraints.must_link,
        cannot_link=constraints.cannot_link,
        must_link_weights=8 * constraints.must_link_weights,
        cannot_link_weights=8 * constraints.cannot_link_weights,
    )
    frame = pd.DataFrame(100 + 4 * X, columns=["a", "b"])
    other = ClusteringTree(3).fit(frame, constraints=heavier)
    assert other.labels_.tolist() == model.labels_.tolist()
    assert other.heuristic_ == pytest.approx(model.heuristic_)


@given(settings_of_a_tree(), st.integers(2, 6))
def test_a_beam_is_never_worse(setting, beam_width):
    constraints, frame, _, _, parameters = setting
    greedy = ClusteringTree(**parameters).fit(frame, constraints=constraints)
    wide = ClusteringTree(**parameters, beam_width=beam_width).fit(frame, constraints=constraints)
    assert wide.heuristic_ <= greedy.heuristic_ + 1e-12
    assert len(np.unique(wide.labels_)) <= parameters["n_clusters"]


def test_a_beam_can_be_better():
    """Which side of a cross is cut first does not matter to greed, but to what can follow."""
    found = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(40, 3))
        labels = (X[:, 0] > 0) ^ (X[:, 1] > 0)
        constraints = Constraints.from_labels(labels, n_pairs=60, random_state=seed)
        models = [
            ClusteringTree(2, gamma=0.8, beam_width=width).fit(X, constraints=constraints)
            for width in (1, 8)
        ]
        found.append(models[0].heuristic_ - models[1].heuristic_)
    assert min(found) >= -1e-12
    assert max(found) > 0.01


def test_limits_of_size():
    X, y = load_iris(return_X_y=True)
    constraints = Constraints.from_labels(y, n_pairs=50, random_state=1)
    full = ClusteringTree(3, label_reuse="any").fit(X, constraints=constraints)
    assert full.tree_.n_leaves > 8
    few = ClusteringTree(3, label_reuse="any", max_leaves=4).fit(X, constraints=constraints)
    assert few.tree_.n_leaves == 4
    assert few.history_ == full.history_[:3]
    flat = ClusteringTree(3, label_reuse="any", max_depth=2).fit(X, constraints=constraints)
    assert flat.tree_.max_depth == 2
    large = ClusteringTree(3, label_reuse="any", min_samples_leaf=20).fit(
        X, constraints=constraints
    )
    assert large.tree_.n_node_samples.min() >= 20
    eager = ClusteringTree(3, label_reuse="any", min_improvement=0.01)
    eager.fit(X, constraints=constraints)
    values = [step.heuristic for step in eager.history_]
    assert all(before - after > 0.01 for before, after in pairwise(values))
    assert eager.tree_.n_leaves < full.tree_.n_leaves


def test_h_falls_with_every_refinement_and_is_what_it_says():
    X, y = load_iris(return_X_y=True)
    constraints = Constraints.from_labels(y, n_pairs=80, random_state=2)
    model = ClusteringTree(3, gamma=0.3).fit(X, constraints=constraints)
    values = [step.heuristic for step in model.history_]
    assert all(before - after > 1e-10 for before, after in pairwise(values))
    assert values[-1] == model.heuristic_
    setting = clusilc.Setting(X, (False,) * 4, listed(constraints), 0.3)
    leaves = [
        clusilc.Leaf("", np.flatnonzero(model.apply(X) == leaf), model.tree_.label[leaf])
        for leaf in model.tree_.leaves
    ]
    assert clusilc.heuristic(setting, leaves) == pytest.approx(model.heuristic_)
    assert model.score(X) == pytest.approx(-model.history_[-1].variance)


def test_more_than_six_values_are_split_along_one_order():
    rng = np.random.default_rng(0)
    levels = rng.integers(0, 12, 400)
    frame = pd.DataFrame(
        {"place": [f"town {level:02}" for level in levels], "size": levels % 3 * 5.0}
    )
    model = ClusteringTree(3, min_samples_leaf=1).fit(frame)
    found = pd.crosstab(frame["size"], model.labels_) > 0
    assert found.to_numpy().sum() == 3


def test_missing_values_have_a_side_of_their_own():
    frame = pd.DataFrame({"a": [None, None, None, 1.0, 2.0, 1.5]})
    constraints = Constraints(6, must_link=[(0, 1), (1, 2), (3, 4), (4, 5)], cannot_link=[(0, 3)])
    model = ClusteringTree(2, gamma=0.9).fit(frame, constraints=constraints)
    assert len(set(model.labels_[:3])) == len(set(model.labels_[3:])) == 1
    assert model.labels_[0] != model.labels_[3]
    assert model.predict(pd.DataFrame({"a": [None, 7.0, -7.0]})).tolist() == [
        model.labels_[0],
        model.labels_[3],
        model.labels_[3],
    ]


def test_missing_values_that_fit_did_not_see_go_with_the_larger_side():
    model = ClusteringTree(2).fit([[0.0], [0.1], [0.2], [9.0], [9.1]])
    assert model.predict([[np.nan]]) == model.labels_[0]


def test_neighbouring_floats_are_kept_apart():
    low = 1.0
    X = np.array([[low], [low], [np.nextafter(low, 2)], [np.nextafter(low, 2)]])
    model = ClusteringTree(2).fit(X)
    assert model.labels_.tolist() == [1, 1, 0, 0]
    assert model.predict(X).tolist() == [1, 1, 0, 0]


@given(settings_of_a_tree())
def test_samples_are_predicted_where_fit_put_them(setting):
    constraints, frame, _, _, parameters = setting
    model = ClusteringTree(**parameters).fit(frame, constraints=constraints)
    assert model.predict(frame).tolist() == model.labels_.tolist()
    restored = pickle.loads(pickle.dumps(model))
    assert restored.predict(frame).tolist() == model.labels_.tolist()
    assert list(map(str, restored.rules_)) == list(map(str, model.rules_))
    assert clone(model).fit(frame, constraints=constraints).heuristic_ == model.heuristic_
    for rule in model.rules_:
        assert rule.covers(frame).tolist() == (model.labels_ == rule.cluster).tolist()


def test_decision_path_leads_to_the_leaf():
    X, _ = load_iris(return_X_y=True)
    model = ClusteringTree(5).fit(X)
    path = model.decision_path(X).toarray()
    assert path[:, 0].all()
    assert path[np.arange(150), model.apply(X)].all()
    assert (path.sum(axis=1) == model.tree_.depths[model.apply(X)] + 1).all()


def test_the_report_is_about_what_was_given():
    X = np.array([[0.0], [1.0], [8.0], [9.0]])
    constraints = Constraints(4, must_link=[(0, 1)], cannot_link=[(2, 3)])
    report = ClusteringTree(2).fit(X, constraints=constraints).constraint_report_
    assert report.constraints == constraints
    assert report.violated.cannot_link.tolist() == [[2, 3]]


def test_contradictions():
    X = np.arange(6.0)[:, None]
    constraints = Constraints(6, must_link=[(0, 1), (1, 2)], cannot_link=[(0, 2), (3, 5)])
    with pytest.raises(InconsistentConstraintsError) as caught:
        ClusteringTree(2).fit(X, constraints=constraints)
    assert caught.value.witness.cannot_link.tolist() == [[0, 2]]
    model = ClusteringTree(2, noise="repair").fit(X, constraints=constraints)
    assert sum(map(len, (model.dropped_.must_link, model.dropped_.cannot_link))) == 1
    assert model.constraint_report_.constraints == constraints
    kept, dropped = constraints.repair()
    assert model.dropped_ == dropped
    assert model.labels_.tolist() == ClusteringTree(2).fit(X, constraints=kept).labels_.tolist()


def test_weights_decide_between_constraints():
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    for heavy, expected in (((5, 1), True), ((1, 5), False)):
        constraints = Constraints(
            4, cannot_link=[(0, 1), (1, 2)], must_link=[(2, 3)], cannot_link_weights=heavy
        )
        model = ClusteringTree(2, gamma=1, min_samples_leaf=1, max_leaves=2)
        labels = model.fit(X, constraints=constraints).labels_
        assert (labels[0] != labels[1]) == expected


def test_constraints_reach_the_tree_through_a_search():
    X, y = load_iris(return_X_y=True, as_frame=True)
    constraints = Constraints.from_labels(y, n_pairs=60, random_state=0)
    pipeline = make_pipeline(StandardScaler().set_output(transform="pandas"), ClusteringTree(3))
    search = GridSearchCV(pipeline, {"clusteringtree__gamma": [0.2, 0.8]}, cv=3)
    with config_context(enable_metadata_routing=True):
        search.fit(X, constraints=constraints)
    best = search.best_estimator_[-1]
    assert best.constraint_report_.constraints == constraints
    assert best.feature_names_in_.tolist() == X.columns.tolist()


@parametrize_with_checks([ClusteringTree(), ClusteringTree(3, label_reuse="any", beam_width=2)])
def test_scikit_learns_checks(estimator, check):
    check(estimator)
