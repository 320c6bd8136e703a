"""K-medoids under rules and pairs at once, and under bounds on what medoids share."""

from itertools import combinations

import numpy as np
import pytest

from clustraint import AttributeKMedoids, Constraints, Rule
from clustraint.cluster._kmedoids_pairs import LinkedSamples
from clustraint.cluster._rule_scopes import Scopes
from clustraint.exceptions import (
    ClustraintError,
    NoFeasibleClusteringError,
    RuleConflictError,
    TooFewClustersError,
)
from clustraint.kernels.kmedoids import distances
from clustraint.metric.packing import pack
from clustraint.rows import ArrayRows
from clustraint.tables import read_columns
from tests.reference import kmedoids as reference

pytestmark = [
    pytest.mark.filterwarnings("ignore::clustraint.exceptions.EmptyClusterWarning"),
    pytest.mark.filterwarnings("ignore::clustraint.exceptions.EmptyScopeWarning"),
]


@pytest.fixture
def rng(global_random_seed):
    return np.random.default_rng(global_random_seed)


def problem(rng, n_samples, n_clusters, n_columns=5):
    """Return a table, rules about its first columns, and pairs that some labelling approves."""
    X = rng.integers(0, 3, (n_samples, n_columns))
    X[:, :2] = X[:, :2] == 0
    kinds = rng.integers(0, 3, 2)
    rules = [Rule(f"x{at}", exactly=bool(kind == 2)) for at, kind in enumerate(kinds) if kind]
    truth = rng.integers(0, n_clusters, n_samples)
    n_pairs = int(rng.integers(1, n_samples + 3))
    pairs = [
        tuple(sorted(rng.choice(n_samples, 2, replace=False).tolist())) for _ in range(n_pairs)
    ]
    must = sorted({(a, b) for a, b in pairs if truth[a] == truth[b]})
    cannot = sorted({(a, b) for a, b in pairs if truth[a] != truth[b]})
    return X, Constraints(n_samples, must or None, cannot or None, rules=rules)


def test_tiny_case():
    X = np.array([[1, 0, 0], [1, 1, 1], [0, 1, 1], [0, 1, 0], [0, 0, 0]])
    constraints = Constraints(5, must_link=[(1, 2)], cannot_link=[(3, 4)], rules=[Rule("x0")])
    model = AttributeKMedoids(3, random_state=0).fit(X, constraints=constraints)
    a, b, c, d, e = model.labels_
    assert a == b == c != d
    assert d != e
    assert model.constraint_report_.all_satisfied


def test_nothing_is_violated_and_only_what_is_infeasible_fails(rng):
    n_fitted, n_refused = 0, 0
    for _ in range(80):
        n_clusters = int(rng.integers(2, 4))
        X, constraints = problem(rng, 6, n_clusters)
        model = AttributeKMedoids(n_clusters, n_init=2, random_state=rng)
        scopes = [set(np.flatnonzero(rule.scope(X)).tolist()) for rule in constraints.rules]
        exactly = [rule.exactly for rule in constraints.rules]
        pairs = constraints.must_link.tolist(), constraints.cannot_link.tolist()
        feasible = reference.feasible_with_pairs(6, scopes, exactly, *pairs, n_clusters)
        try:
            model.fit(X, constraints=constraints)
        except (NoFeasibleClusteringError, RuleConflictError, TooFewClustersError) as error:
            assert not feasible, str(error)  # noqa: PT017
            n_refused += 1
        except ClustraintError:
            # Rules alone leave no way to begin: an empty scope, or too few free samples.
            continue
        else:
            assert model.constraint_report_.all_satisfied
            assert feasible
            n_fitted += 1
    assert n_fitted > 5
    assert n_refused > 5


def test_linked_samples_are_assigned_as_the_reference_does(rng):
    n_dead_ends = 0
    for _ in range(60):
        n_clusters = int(rng.integers(2, 4))
        X, constraints = problem(rng, 7, n_clusters)
        pairs = LinkedSamples.of(constraints)
        columns = read_columns(X)
        scopes = Scopes.from_rules(constraints.rules, columns)
        medoids = rng.choice(7, n_clusters, replace=False)
        choices = scopes.open_clusters(np.arange(len(constraints.rules)), n_clusters)
        allowed = [
            set(choices[1][choices[0][p] : choices[0][p + 1]].tolist()) for p in scopes.pattern
        ]
        away = (X[:, np.newaxis] != X).sum(axis=2).tolist()
        links = constraints.must_link.tolist(), constraints.cannot_link.tolist()
        few = pairs.samples.tolist()
        number = {sample: place for place, sample in enumerate(few)}
        expected = reference.assign_pairs(
            [[away[s][m] for m in range(7)] for s in few],
            medoids.tolist(),
            [allowed[s] for s in few],
            *([(number[a], number[b]) for a, b in rows] for rows in links),
        )
        table, labels = pack(columns), np.full(7, -1, np.int32)
        rows = table.words[medoids]
        if expected is None:
            n_dead_ends += 1
            with pytest.raises(NoFeasibleClusteringError, match="could not be placed"):
                pairs.assign(table, rows, scopes, choices, labels)
            continue
        pairs.assign(table, rows, scopes, choices, labels)
        lengths = np.empty(7, np.int32)
        distances(table, rows, np.maximum(labels, 0), lengths)
        assert lengths[few].sum() == expected[1]
        chosen = labels[constraints.must_link]
        assert (chosen[:, 0] == chosen[:, 1]).all()


def test_rules_that_a_must_link_joins_act_as_one():
    X = np.array([[1, 0, 0], [1, 0, 1], [0, 1, 0], [0, 1, 1], [0, 0, 0], [0, 0, 1]])
    rules = [Rule("x0"), Rule("x1")]
    apart = AttributeKMedoids(3, random_state=0).fit(X, constraints=Constraints(6, rules=rules))
    assert apart.rule_clusters_.tolist() == [0, 1]
    constraints = Constraints(6, must_link=[(0, 2)], rules=rules)
    model = AttributeKMedoids(3, random_state=0).fit(X, constraints=constraints)
    assert model.rule_clusters_.tolist() == [0, 0]
    assert model.constraint_report_.all_satisfied


def test_contradictions_between_rules_and_pairs_are_told():
    X = np.array([[1, 0], [1, 1], [0, 0], [0, 1]])
    inside = Constraints(4, cannot_link=[(0, 1)], rules=[Rule("x0")])
    with pytest.raises(RuleConflictError, match=r"'together: x0'.*cannot hold at once"):
        AttributeKMedoids(2).fit(X, constraints=inside)
    outside = Constraints(4, must_link=[(1, 2)], rules=[Rule("x0", exactly=True)])
    with pytest.raises(RuleConflictError, match=r"'exactly: x0'.*cannot hold at once"):
        AttributeKMedoids(2).fit(X, constraints=outside)
    clique = Constraints(4, cannot_link=[(0, 2), (0, 3), (2, 3)])
    with pytest.raises(ClustraintError, match="clusters"):
        AttributeKMedoids(2).fit(X, constraints=clique)
    rows = ArrayRows(X, chunk_rows=2)
    with pytest.raises(ClustraintError, match=r"of rows in chunks, .* give an array"):
        AttributeKMedoids(2).fit(rows, constraints=Constraints(4, must_link=[(0, 1)]))


def shared_of(X, medoids):
    return [int((X[a] == X[b]).sum()) for a, b in combinations(medoids, 2)]


def test_medoids_share_what_they_may_or_there_are_none(rng):
    n_fitted, n_refused = 0, 0
    for _ in range(60):
        X = rng.integers(0, 2, (8, 4))
        n_clusters = int(rng.integers(2, 5))
        least, most = sorted(rng.integers(0, 5, 2).tolist())
        rule = Rule("x0", exactly=bool(rng.integers(2)))
        scope = rule.scope(X)
        use_rule = bool(rng.integers(2)) and 0 < scope.sum() < 8
        constraints = Constraints(8, rules=[rule] if use_rule else None)
        pools = [np.flatnonzero(scope) if use_rule else np.arange(8)]
        pools += [np.flatnonzero(~scope) if use_rule else np.arange(8)] * (n_clusters - 1)
        possible = any(
            all(least <= each <= most for each in shared_of(X, chosen))
            for chosen in chosen_medoids([pool.tolist() for pool in pools])
        )
        model = AttributeKMedoids(
            n_clusters, min_shared=least, max_shared=most, n_init=2, random_state=rng
        )
        try:
            model.fit(X, constraints=constraints)
        except NoFeasibleClusteringError:
            assert not possible
            n_refused += 1
            continue
        except ClustraintError:  # too few samples outside the scope
            assert use_rule
            continue
        assert all(least <= each <= most for each in shared_of(X, model.medoid_indices_))
        assert model.constraint_report_.all_satisfied
        n_fitted += 1
    assert n_fitted > 5
    assert n_refused > 5


def chosen_medoids(pools, chosen=()):
    if not pools:
        yield chosen
        return
    for sample in pools[0]:
        if sample not in chosen:
            yield from chosen_medoids(pools[1:], (*chosen, sample))


def test_no_admissible_member_is_better_than_a_medoid(rng):
    for _ in range(20):
        X = rng.integers(0, 3, (40, 6))
        model = AttributeKMedoids(3, max_shared=2, n_init=1, random_state=rng).fit(X)
        away = (X[:, np.newaxis] != X).sum(axis=2)
        labels, medoids = model.labels_, model.medoid_indices_
        for cluster, medoid in enumerate(medoids):
            members = np.flatnonzero(labels == cluster)
            cost = away[np.ix_(members, members)].sum(axis=1)
            others = np.delete(medoids, cluster)
            may = ((6 - away[np.ix_(members, others)]) <= 2).all(axis=1)
            if medoid in members:
                assert cost[members == medoid] == cost[may].min()


def test_bad_bounds_are_sentences():
    X = np.array([[0, 1], [1, 0], [1, 1]])
    for bounds in ({"min_shared": 2, "max_shared": 1}, {"max_shared": 3}, {"min_shared": 3}):
        with pytest.raises(ClustraintError, match="no more than the 2 columns of X"):
            AttributeKMedoids(2, **bounds).fit(X)
    with pytest.raises(ClustraintError, match="max_shared must be a whole number from 0 up"):
        AttributeKMedoids(2, max_shared=-1).fit(X)
    with pytest.raises(NoFeasibleClusteringError, match="widen min_shared and max_shared"):
        AttributeKMedoids(3, max_shared=0).fit(X)
    with pytest.raises(ClustraintError, match="give an array"):
        AttributeKMedoids(2, max_shared=1).fit(ArrayRows(X, chunk_rows=2))
