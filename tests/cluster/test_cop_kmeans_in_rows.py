"""COP-k-means as the authors of ClusILC have it: starts from cannot-links, visits in row order."""

import numpy as np
import pytest

from clustraint import Constraints, COPKMeans, PCKMeans
from clustraint.cluster._lloyd import LloydProblem
from clustraint.cluster._starts import from_cannot_links
from clustraint.exceptions import ClustraintError, NoFeasibleClusteringError
from tests.reference import cop_kmeans as reference


class Drawn:
    """Gives permutations that were made before."""

    def __init__(self, *permutations):
        self.permutations = list(permutations)

    def permutation(self, what):
        order = self.permutations.pop(0)
        return order if np.isscalar(what) else what[order]


@pytest.fixture
def problem(global_random_seed):
    rng = np.random.default_rng(global_random_seed)

    def make():
        n_samples, n_clusters = int(rng.integers(6, 25)), int(rng.integers(2, 5))
        truth = np.concatenate(
            (np.arange(n_clusters), rng.integers(0, n_clusters, n_samples - n_clusters))
        )
        X = rng.normal(size=(n_samples, 2)) + rng.normal(size=(n_clusters, 2))[truth]
        n_pairs = int(rng.integers(0, 20))
        constraints = Constraints.from_labels(truth, n_pairs=n_pairs, random_state=rng)
        return X, n_clusters, constraints

    return make, rng


def test_it_starts_at_both_ends_of_drawn_cannot_links(problem):
    make, rng = problem
    for _ in range(50):
        X, n_clusters, constraints = make()
        components = constraints.components
        links = rng.permutation(len(constraints.cannot_link))
        others = rng.permutation(components.n_components)
        groups = reference.components(len(X), constraints.must_link.tolist())
        chosen = reference.ends_of_cannot_links(
            groups, constraints.cannot_link.tolist(), links, others, n_clusters
        )
        lloyd = LloydProblem.from_samples(
            X, np.ones(len(X)), components.labels, components.n_components
        )._replace(cannot_link=components.labels[constraints.cannot_link])
        centers = from_cannot_links(lloyd, n_clusters, Drawn(links, others))
        assert centers == pytest.approx(np.array([X[groups[i]].mean(axis=0) for i in chosen]))


def test_it_assigns_in_row_order_until_an_assignment_repeats(problem):
    make, rng = problem
    n_labels = 0
    for _ in range(60):
        X, n_clusters, constraints = make()
        pairs = constraints.must_link.tolist(), constraints.cannot_link.tolist()
        groups = reference.components(len(X), pairs[0])
        starts = rng.permutation(len(groups))[:n_clusters]
        centers = np.array([X[groups[i]].mean(axis=0) for i in starts])
        labels = reference.in_row_order(X, n_clusters, *pairs, starts, 50)
        model = COPKMeans(
            n_clusters, assignment="component", order="rows", init=centers, tol=0, max_iter=50
        )
        try:
            model.fit(X, constraints=constraints)
        except NoFeasibleClusteringError:
            assert labels is None
        else:
            # The reference does not say what becomes of an empty cluster, nor of a circle.
            assert labels is None or model.labels_.tolist() == labels
            n_labels += labels is not None
    assert n_labels > 10


def test_a_dead_end_in_row_order_is_told_and_other_constraints_may_be_drawn():
    X = np.array([[0.0], [10.0], [1.0], [9.0], [5.0]])
    # Rows 0 and 1 are apart already when row 4 comes, which may be with neither.
    constraints = Constraints(5, cannot_link=[(0, 4), (1, 4)])
    model = COPKMeans(2, assignment="component", order="rows", init=[[0.0], [10.0]], tol=0)
    with pytest.raises(NoFeasibleClusteringError, match="could not be placed") as told:
        model.fit(X, constraints=constraints)
    assert (told.value.sample, sorted(told.value.blockers)) == (4, [0, 1])
    again = model.fit(X, constraints=Constraints(5, cannot_link=[(0, 4)]))
    assert again.constraint_report_.all_satisfied


@pytest.mark.parametrize("assignment", ["auto", "instance", "component", "exact", "soft"])
def test_starts_from_cannot_links_serve_every_assignment(assignment, global_random_seed):
    X = np.concatenate((np.zeros((20, 2)), np.full((20, 2), 9.0)))
    X = X + np.random.default_rng(global_random_seed).random(X.shape)
    constraints = Constraints(40, must_link=[(0, 1)], cannot_link=[(1, 30)])
    model = COPKMeans(
        2,
        assignment=assignment,
        order="rows",
        init="cannot-link",
        n_init=1,
        random_state=global_random_seed,
    )
    labels = model.fit(X, constraints=constraints).labels_
    assert len(set(labels[:20])) == len(set(labels[20:])) == 1
    assert labels[0] != labels[30]
    assert len(set(model.fit(X).labels_)) == 2  # without cannot-links from drawn samples


def test_unknown_orders_and_starts_are_named():
    with pytest.raises(ClustraintError, match="order must be 'random' or 'rows'"):
        COPKMeans(2, order="sorted").fit([[0.0], [1.0], [2.0]])
    with pytest.raises(ClustraintError, match="init must be"):
        PCKMeans(2, init="cannot-link").fit([[0.0], [1.0], [2.0]])
