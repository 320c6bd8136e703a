"""PCK-means, MPCK-means and COP-k-means with a soft assignment."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array, csr_matrix
from sklearn import config_context
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from clustraint import Constraints, COPKMeans, MPCKMeans, PCKMeans
from clustraint.cluster._lloyd import LloydProblem
from clustraint.cluster._mpc_kmeans import Metric, MetricRounds
from clustraint.cluster._soft_assignment import MovingGroups, Soft, SoftPairs
from clustraint.cluster._starts import from_neighbourhoods, neighbourhoods
from tests.reference import soft_kmeans as reference

VARIANTS = [(metric, each) for metric in ("diagonal", "full") for each in (False, True)]
MODELS = {
    "COPKMeans soft": COPKMeans(3, assignment="soft", n_init=2),
    "PCKMeans": PCKMeans(3, n_init=2),
    "MPCKMeans": MPCKMeans(3, n_init=2),
    "MPCKMeans full, per cluster": MPCKMeans(3, metric="full", per_cluster=True, n_init=2),
}
every_model = pytest.mark.parametrize("model", MODELS.values(), ids=list(MODELS))


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(150, n_features=4, centers=3, cluster_std=4.0, random_state=0)


@st.composite
def problems(draw):
    """Samples on a small grid and any pairs, contradictory ones too, with weights."""
    n_samples = draw(st.integers(4, 8))
    n_clusters = draw(st.integers(2, 3))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    samples = st.integers(0, n_samples - 1)
    pairs = st.lists(
        st.tuples(samples, samples, st.sampled_from([0.25, 1.0, 4.0])).filter(
            lambda pair: pair[0] != pair[1]
        ),
        max_size=8,
    )
    must_link, cannot_link = draw(pairs), draw(pairs)
    return rng.normal(size=(n_samples, 2)) * 2, n_clusters, must_link, cannot_link


def constraints_of(n_samples, must_link, cannot_link):
    parts = {}
    for kind, pairs in (("must_link", must_link), ("cannot_link", cannot_link)):
        parts[kind] = [(a, b) for a, b, _ in pairs] or None
        parts[f"{kind}_weights"] = [weight for _, _, weight in pairs] or None
    return Constraints(n_samples, **parts)


def test_a_pair_is_kept_where_it_is_worth_it():
    X = np.array([[0.0], [1.0], [10.0], [11.0]])
    pair = Constraints(4, must_link=[(1, 2)])
    start = [[0.5], [10.5]]
    # Moving a sample over costs half of 9.5² - .5², which is 45, at first.
    cheap = PCKMeans(2, violation_cost=44, init=start).fit(X, constraints=pair)
    dear = PCKMeans(2, violation_cost=46, init=start).fit(X, constraints=pair)
    assert cheap.labels_.tolist() == [0, 0, 1, 1]
    assert cheap.objective_ == pytest.approx(4 * 0.5**2 / 2 + 44)
    assert cheap.constraint_report_["must_link"].violated == 1
    assert dear.constraint_report_.all_satisfied
    assert dear.objective_ == pytest.approx(dear.inertia_ / 2)


def test_weights_are_costs():
    X = np.array([[0.0], [1.0], [10.0], [11.0]])
    start = [[0.5], [10.5]]
    for weight, satisfied in ((44.0, 0), (46.0, 1)):
        pair = Constraints(4, must_link=[(1, 2)], must_link_weights=[weight])
        model = PCKMeans(2, init=start).fit(X, constraints=pair)
        assert model.constraint_report_["must_link"].satisfied == satisfied


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@given(problem=problems(), seed=st.integers(0, 20))
def test_assignment_is_the_papers(problem, seed):
    X, n_clusters, must_link, cannot_link = problem
    rng = np.random.default_rng(seed)
    centers = rng.normal(size=(n_clusters, 2))
    pairs = SoftPairs.from_constraints(constraints_of(len(X), must_link, cannot_link))
    prices = np.repeat(pairs.weights[:, np.newaxis], n_clusters, axis=1)
    order = MovingGroups.from_labels(pairs.samples, rng)
    costs = ((X[:, np.newaxis] - centers) ** 2).sum(axis=2)[pairs.samples] / 2
    soft = Soft(pairs, prices, np.ones(len(costs)), (order,))
    labels = np.full(len(X), -1)
    labels[pairs.samples] = soft.assign(costs)
    visits = pairs.samples[order.order]
    nobody = [-1] * len(X)
    expected = reference.pck_assign(X, centers, nobody, visits, must_link, cannot_link)
    assert labels.tolist() == expected


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@given(problem=problems(), seed=st.integers(0, 5))
def test_no_single_move_lowers_the_objective(problem, seed):
    X, n_clusters, must_link, cannot_link = problem
    constraints = constraints_of(len(X), must_link, cannot_link)
    model = PCKMeans(n_clusters, n_init=2, tol=0, random_state=seed)
    model.fit(X, constraints=constraints)
    centers = model.cluster_centers_

    def objective(labels):
        return reference.pck_objective(X, centers, labels, must_link, cannot_link)

    assert model.objective_ == pytest.approx(objective(model.labels_))
    for sample in range(len(X)):
        for cluster in range(n_clusters):
            moved = model.labels_.copy()
            moved[sample] = cluster
            assert objective(moved) >= model.objective_ - 1e-9


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@given(problem=problems(), seed=st.integers(0, 5))
def test_soft_cop_k_means_moves_components_where_that_pays(problem, seed):
    X, n_clusters, must_link, cannot_link = problem
    constraints = constraints_of(len(X), must_link, cannot_link)
    model = COPKMeans(n_clusters, assignment="soft", n_init=2, tol=0, random_state=seed)
    model.fit(X, constraints=constraints)
    unit = ((X - X.mean(axis=0)) ** 2).sum(axis=1).mean()
    priced = [[(a, b, w * unit / 2) for a, b, w in pairs] for pairs in (must_link, cannot_link)]

    def objective(labels):
        return reference.pck_objective(X, model.cluster_centers_, labels, *priced)

    least = objective(model.labels_)
    components = constraints.component_labels
    for component in range(components.max() + 1):
        for cluster in range(n_clusters):
            moved = np.where(components == component, cluster, model.labels_)
            assert objective(moved) >= least - 1e-9


@pytest.mark.parametrize("n_columns", [1, 3, 9])
@pytest.mark.parametrize(("weight", "n_violated"), [(1.0, 1), (10.0, 0)])
def test_the_price_of_a_violation_grows_with_the_columns(n_columns, weight, n_violated):
    # Copies of a column make all squared distances larger, hence the price has to follow.
    X = np.repeat([[0.0], [1.0], [9.0], [10.0]], n_columns, axis=1)
    constraints = Constraints(4, cannot_link=[(0, 1)], cannot_link_weights=[weight])
    model = COPKMeans(2, assignment="soft", init=X[[0, 3]]).fit(X, constraints=constraints)
    assert (model.labels_[0] == model.labels_[1]) == n_violated


def test_a_component_crosses_where_its_samples_alone_would_not():
    # Four tied samples: each alone would pay three must-links for the way.
    X = np.array([[0.0], [0.1], [4.0], [4.1], [4.2], [4.3]])
    tied = [(a, b) for a in range(2, 6) for b in range(a + 1, 6)]
    pairs = SoftPairs.from_constraints(Constraints(6, must_link=tied))
    costs = (X - np.array([[0.0, 4.1]])) ** 2
    rng = np.random.default_rng(0)
    single = MovingGroups.from_labels(pairs.samples, rng)
    whole = MovingGroups.from_labels(np.zeros(4, np.int64), rng)
    prices = np.full((len(tied), 2), 10.0)
    for levels, expected in (((single,), 0), ((whole, single), 1)):
        soft = Soft(pairs, prices, np.ones(4), levels)
        soft.labels[:] = 0
        assert soft.assign(costs[pairs.samples]).tolist() == [expected] * 4


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("name", ["PCKMeans", "COPKMeans soft"])
def test_without_constraints_it_is_lloyds_k_means(blobs, name, sparse, global_random_seed):
    X, _ = blobs
    rng = np.random.default_rng(global_random_seed)
    start = X[rng.choice(len(X), 8, replace=False)]
    weights = rng.random(len(X)) + 0.1
    data = csr_matrix(X) if sparse else X
    theirs = KMeans(8, init=start, n_init=1).fit(data, sample_weight=weights)
    ours = clone(MODELS[name]).set_params(n_clusters=8, init=start)
    ours.fit(data, sample_weight=weights)
    np.testing.assert_allclose(ours.cluster_centers_, theirs.cluster_centers_)
    assert ours.labels_.tolist() == theirs.labels_.tolist()
    assert ours.inertia_ == pytest.approx(theirs.inertia_)
    assert ours.n_iter_ == theirs.n_iter_
    assert ours.predict(data).tolist() == theirs.predict(data).tolist()
    np.testing.assert_allclose(ours.transform(data), theirs.transform(data), atol=1e-6)
    assert ours.score(data) == pytest.approx(theirs.score(data))


@pytest.mark.parametrize("name", ["PCKMeans", "COPKMeans soft"])
def test_dense_and_sparse_agree_under_constraints(blobs, name):
    X, y = blobs
    constraints = Constraints.from_labels(y, n_pairs=60, random_state=0)
    model = clone(MODELS[name]).set_params(init=X[:3], random_state=3)
    dense = clone(model).fit(X, constraints=constraints)
    sparse = clone(model).fit(csr_array(X), constraints=constraints)
    np.testing.assert_allclose(dense.cluster_centers_, sparse.cluster_centers_)
    assert dense.labels_.tolist() == sparse.labels_.tolist()


def test_a_sparse_start_from_neighbourhoods(blobs, global_random_seed):
    X, y = blobs
    constraints = Constraints.from_labels(y, n_pairs=9, random_state=global_random_seed)
    model = PCKMeans(8, random_state=global_random_seed)
    dense = clone(model).fit(X, constraints=constraints)
    sparse = clone(model).fit(csr_array(X), constraints=constraints)
    assert sparse.labels_.shape == dense.labels_.shape


@every_model
def test_same_seed_same_result_also_after_pickling(model, blobs):
    X, y = blobs
    constraints = Constraints.from_labels(y, n_pairs=100, random_state=0)
    model = clone(model).set_params(random_state=7)
    first = clone(model).fit(X, constraints=constraints)
    second = pickle.loads(pickle.dumps(clone(model).fit(X, constraints=constraints)))
    assert first.labels_.tolist() == second.labels_.tolist()
    assert second.predict(X).tolist() == first.predict(X).tolist()
    assert second.score(X) == first.score(X)
    assert str(second.constraint_report_) == str(first.constraint_report_)


@every_model
def test_contradictions_are_weighed(model):
    X = np.array([[0.0], [0.2], [5.0], [5.2], [9.0], [9.3]])
    pair = [(0, 2)]
    for heavy, violated in (("must_link", "cannot_link"), ("cannot_link", "must_link")):
        weights = {f"{heavy}_weights": [100.0], f"{violated}_weights": [0.01]}
        constraints = Constraints(6, must_link=pair, cannot_link=pair, **weights)
        fitted = clone(model).set_params(random_state=0).fit(X, constraints=constraints)
        assert fitted.constraint_report_[heavy].violated == 0
        assert fitted.constraint_report_[violated].violated == 1


@every_model
def test_cannot_links_that_no_clusters_can_keep(model):
    X = np.array([[0.0], [0.2], [5.0], [5.2], [9.0]])
    everybody = [(a, b) for b in range(5) for a in range(b)]
    constraints = Constraints(5, cannot_link=everybody)
    fitted = clone(model).set_params(random_state=0).fit(X, constraints=constraints)
    assert len(np.unique(fitted.labels_)) == 3
    assert fitted.constraint_report_["cannot_link"].violated == 2


@every_model
def test_names_of_samples_and_columns_do_not_matter(model, blobs):
    X, y = blobs
    constraints = Constraints.from_labels(y, n_pairs=60, random_state=0)
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = clone(model).set_params(random_state=1)
    fitted = clone(model).fit(frame, constraints=constraints)
    assert fitted.labels_.tolist() == clone(model).fit(X, constraints=constraints).labels_.tolist()
    assert list(fitted.feature_names_in_) == list("abcd")
    assert list(fitted.get_feature_names_out()) == [
        f"{type(model).__name__.lower()}{cluster}" for cluster in range(3)
    ]


@every_model
def test_duplicated_pairs_are_pairs_of_twice_the_weight(model, blobs):
    X, y = blobs
    once = Constraints.from_labels(y, n_pairs=40, random_state=0)
    twice = Constraints(
        len(X),
        must_link=once.must_link,
        cannot_link=once.cannot_link,
        must_link_weights=2 * once.must_link_weights,
        cannot_link_weights=2 * once.cannot_link_weights,
    )
    repeated = Constraints(
        len(X),
        must_link=np.repeat(once.must_link, 2, axis=0),
        cannot_link=np.repeat(once.cannot_link, 2, axis=0),
    )
    model = clone(model).set_params(random_state=1)
    heavy, often = (clone(model).fit(X, constraints=each).labels_ for each in (twice, repeated))
    assert heavy.tolist() == often.tolist()


def test_more_starts_are_never_worse(blobs):
    X, y = blobs
    constraints = Constraints.from_labels(y, n_pairs=60, random_state=0)
    for kind in (PCKMeans, MPCKMeans):
        start = {"init": "k-means++", "random_state": 1}
        once, often = (
            kind(3, n_init=n_init, **start).fit(X, constraints=constraints).objective_
            for n_init in (1, 8)
        )
        assert often <= once + 1e-9


def test_seeds_are_the_start(blobs, global_random_seed):
    """With one label of each class partial, it is k-means from these samples."""
    X, y = blobs
    rng = np.random.default_rng(global_random_seed)
    seeds = [rng.choice(np.flatnonzero(y == each)) for each in range(3)]
    partial = [None] * len(X)
    for each, seed in enumerate(seeds):
        partial[seed] = f"class {each}"
    ours = PCKMeans(3, random_state=0).fit(X, partial)
    theirs = KMeans(3, init=X[seeds], n_init=1).fit(X)
    assert adjusted_rand_score(ours.labels_, theirs.labels_) == 1
    assert PCKMeans(3, random_state=0).fit_predict(X, partial).tolist() == ours.labels_.tolist()


@pytest.mark.parametrize("unknown", [-1, None, np.nan])
def test_labels_and_must_links_are_neighbourhoods(unknown):
    X = np.array([[0.0], [2.0], [10.0], [14.0], [50.0], [70.0]])
    partial = [0, 0, unknown, unknown, 1, unknown]
    classes = np.array([0, 0, -1, -1, 1, -1])
    constraints = Constraints(6, must_link=[(2, 3)])
    problem = LloydProblem(X, np.ones(6), np.arange(6))
    hoods = neighbourhoods(problem, constraints, classes)
    assert sorted(hoods.points.ravel()) == [1.0, 12.0, 50.0]
    centers = from_neighbourhoods(problem, hoods, 4, np.random.default_rng(0))
    assert sorted(centers.ravel())[:3] == [1.0, 12.0, 50.0]
    labels = PCKMeans(3, random_state=0).fit_predict(X, partial, constraints=constraints)
    assert labels[0] == labels[1] != labels[4]


def test_neighbourhoods_may_be_all_that_there_is():
    problem = LloydProblem(np.ones((4, 1)), np.ones(4), np.arange(4))
    hoods = neighbourhoods(problem, Constraints(4, must_link=[(0, 1), (2, 3)]), None)
    centers = from_neighbourhoods(problem, hoods, 3, np.random.default_rng(0))
    assert centers.tolist() == [[1.0], [1.0], [1.0]]
    assert neighbourhoods(problem, Constraints(4), None) is None


@given(problem=problems(), seed=st.integers(0, 20))
def test_metrics_are_the_papers(problem, seed):
    X, n_clusters, must_link, cannot_link = problem
    X = np.concatenate((X, np.random.default_rng(seed).normal(size=(6 * n_clusters, 2))))
    labels = np.arange(len(X)) % n_clusters
    pairs = SoftPairs.from_constraints(constraints_of(len(X), must_link, cannot_link))
    rounds = MetricRounds(
        LloydProblem(X, np.ones(len(X)), np.arange(len(X))),
        pairs,
        0.1,
        diagonal=False,
        per_cluster=True,
    )
    rounds.least = 1e-9
    centers = np.stack([X[labels == h].mean(axis=0) for h in range(n_clusters)])
    before = [Metric(np.eye(2), 0.0)] * n_clusters
    span = before[0].farthest(X)
    light = [[(a, b, w / 10) for a, b, w in pairs] for pairs in (must_link, cannot_link)]
    for h, metric in enumerate(rounds._metrics(labels, centers, before, {id(before[0]): span})):
        expected = reference.mpck_metric(X, centers[h], h, labels, *light, span)
        if np.linalg.eigvalsh(expected).min() > 0:
            root = metric.stretched(np.eye(2))
            np.testing.assert_allclose(root @ root.T, expected, rtol=1e-6)
            assert metric.log_det == pytest.approx(np.log(np.linalg.det(expected)))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(("metric", "per_cluster"), VARIANTS)
@given(problem=problems(), seed=st.integers(0, 5))
def test_the_objective_is_the_papers(metric, per_cluster, problem, seed):
    X, n_clusters, must_link, cannot_link = problem
    constraints = constraints_of(len(X), must_link, cannot_link)
    model = MPCKMeans(
        n_clusters, metric=metric, per_cluster=per_cluster, n_init=1, random_state=seed
    )
    model.fit(X, constraints=constraints)
    assert model.metrics_.shape == (n_clusters, 2, 2)
    assert (np.linalg.eigvalsh(model.metrics_) > 0).all()
    if metric == "diagonal":
        assert not model.metrics_[:, 0, 1].any()
    if not per_cluster:
        assert (model.metrics_ == model.metrics_[0]).all()
    longest = [
        reference.squared(each.farthest(X - X.mean(axis=0)), A)
        for each, A in zip(model._metrics, model.metrics_, strict=True)
    ]
    expected = reference.mpck_objective(
        X, model.cluster_centers_, model.metrics_, model.labels_, must_link, cannot_link, longest
    )
    assert model.objective_ == pytest.approx(expected)


@given(st.integers(2, 30), st.integers(1, 3), st.integers(0, 1000))
def test_the_farthest_samples_are_far(n_samples, n_features, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, n_features))
    metric = Metric(rng.random(n_features) + 0.1, 0.0)
    matrix = np.diag(metric.root**2)
    most = reference.farthest(X, matrix)
    length = reference.squared(metric.farthest(X), matrix)
    # The farthest from any sample is half as far as the farthest two at least.
    assert most / 4 - 1e-12 <= length <= most + 1e-12
    if n_features == 1:
        assert length == pytest.approx(most)


def test_the_metric_tells_which_column_counts(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    y = np.repeat([0, 1], 60)
    X = np.c_[y * 3 + rng.normal(size=120), rng.uniform(-6, 6, 120)]
    constraints = Constraints.from_labels(y, n_pairs=120, random_state=global_random_seed)
    model = MPCKMeans(2, random_state=0).fit(X, constraints=constraints)
    assert model.metrics_[0, 0, 0] > 3 * model.metrics_[0, 1, 1]
    plain = KMeans(2, n_init=10, random_state=0).fit(X)
    ours, theirs = (adjusted_rand_score(y, each.labels_) for each in (model, plain))
    assert ours > theirs + 0.2
    nearest = model.transform(X).argmin(axis=1)
    assert nearest.tolist() == model.predict(X).tolist()
    assert model.score(X) < 0


def test_wrong_pairs_that_weigh_little_do_little_harm(global_random_seed):
    X, y = make_blobs(200, centers=4, cluster_std=1.0, random_state=3)
    rng = np.random.default_rng(global_random_seed)
    pairs = rng.integers(200, size=(100, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = (y[pairs[:, 0]] == y[pairs[:, 1]]) ^ (rng.random(len(pairs)) < 0.1)
    wrong = Constraints(
        200,
        must_link=pairs[same],
        cannot_link=pairs[~same],
        must_link_weights=np.full(same.sum(), 0.05),
        cannot_link_weights=np.full((~same).sum(), 0.05),
    )
    plain = adjusted_rand_score(y, KMeans(4, n_init=10, random_state=0).fit_predict(X))
    for model in (COPKMeans(4, assignment="soft"), PCKMeans(4)):
        labels = model.set_params(random_state=0).fit(X, constraints=wrong).labels_
        assert adjusted_rand_score(y, labels) > plain - 0.05


@every_model
def test_routed_constraints_reach_every_fold(model, blobs):
    X, y = blobs
    constraints = Constraints.from_labels(y, n_pairs=150, random_state=0)
    pipeline = make_pipeline(StandardScaler(), clone(model).set_params(random_state=0, n_init=1))
    grid = {f"{type(model).__name__.lower()}__n_clusters": [2, 3]}
    with config_context(enable_metadata_routing=True):
        search = GridSearchCV(pipeline, grid, cv=KFold(3, shuffle=True, random_state=0))
        search.fit(X, constraints=constraints)
    assert search.best_estimator_[-1].constraint_report_.constraints == constraints


# As KMeans is: a draw among repeated samples takes other samples than one among weighted samples.
DRAWN = "the start is drawn from other rows when samples are repeated than when they are weighted"
EXCUSED = {
    "check_sample_weight_equivalence_on_dense_data": DRAWN,
    "check_sample_weight_equivalence_on_sparse_data": DRAWN,
}


def excused(estimator):
    sparse = estimator.__sklearn_tags__().input_tags.sparse
    return {name: why for name, why in EXCUSED.items() if sparse or "sparse" not in name}


@parametrize_with_checks(list(MODELS.values()), expected_failed_checks=excused)
def test_scikit_learns_checks(estimator, check):
    check(estimator)
