"""The cuts of a hierarchy that triplets have shaped."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clustraint import Constraints, Hierarchy, ReCon
from clustraint.cluster._recon_cuts import (
    Branches,
    automatic_size,
    cut_last,
    cut_open,
    cut_resolved,
    highest_level,
    labels_of,
    open_branches,
    open_owners,
    owners_of,
)
from clustraint.evaluation import constraint_satisfaction
from clustraint.exceptions import BranchSizeError
from tests.reference.build import cuts
from tests.reference.recon import cut_by_levels
from tests.strategies import hierarchies


def branches_of(hierarchy, known=None):
    known = Constraints(len(hierarchy)) if known is None else known
    return Branches.of(hierarchy, known, np.arange(len(hierarchy)))


@st.composite
def trees_with_triplets(draw, max_samples=8):
    tree = draw(hierarchies(min_samples=1, max_samples=max_samples, binary=True))
    every = tree.triplets().tolist() if len(tree) > 2 else []
    drawn = draw(st.lists(st.sampled_from(every), max_size=12)) if every else []
    return tree, Constraints(len(tree), triplets=drawn or None)


@given(trees_with_triplets())
def test_counts_of_triplets(problem):
    tree, known = problem
    branches = branches_of(tree, known)
    for node in range(tree.n_nodes):
        inside = np.isin(known.triplets, tree.samples_below(node))
        assert branches.whole[node] == inside.all(axis=1).sum()
        assert branches.gains[node] == (inside == [True, True, False]).all(axis=1).sum()


@given(trees_with_triplets(), st.integers(1, 8))
def test_resolved_is_the_cut_that_resolves_most(problem, n_clusters):
    tree, known = problem
    k = min(n_clusters, len(tree))
    clades = {frozenset(tree.samples_below(node).tolist()) for node in range(tree.n_nodes)}
    clades |= {frozenset([sample]) for sample in range(len(tree))}
    branches = branches_of(tree, known)
    labels = owners_of(branches, cut_resolved(branches, k))
    assert len(np.unique(labels)) == k
    most = max(
        resolved(known, {sample: place for place, part in enumerate(cut) for sample in part})
        for cut in cuts(clades, frozenset(range(len(tree))))
        if len(cut) == k
    )
    assert resolved(known, labels) == most


def resolved(known, labels):
    return sum(labels[a] == labels[b] != labels[c] for a, b, c in known.triplets.tolist())


@given(hierarchies(min_samples=1, max_samples=10, binary=True), st.integers(1, 10))
def test_without_triplets_all_cuts_undo_the_last_merges(tree, n_clusters):
    k = min(n_clusters, len(tree))
    branches = branches_of(tree)
    expected = tree.cut(k).tolist()
    opening, _ = cut_open(branches, k, 0)
    X = np.zeros((len(tree), 1))
    assert labels_of(owners_of(branches, cut_last(branches, k))).tolist() == expected
    assert labels_of(owners_of(branches, cut_resolved(branches, k))).tolist() == expected
    assert labels_of(open_owners(branches, opening, X)).tolist() == expected


@given(st.lists(st.integers(0, 4), min_size=1, max_size=14), st.integers(0, 10_000), st.booleans())
def test_all_informative_triplets_of_a_labelling_give_it_back(labels, seed, on_grid):
    y = np.array(labels)
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(len(y), 2))
    X = np.round(X) if on_grid else X
    k = len(np.unique(y))
    known = Constraints.from_hierarchy(Hierarchy.from_labels(y))
    found = ReCon(k, cut="resolved").fit(X, constraints=known).labels_
    assert len({*zip(y.tolist(), found.tolist(), strict=True)}) == k
    assert len(np.unique(found)) == k


def caterpillar(n_samples):
    inner = np.arange(n_samples, 2 * n_samples - 1)
    return Hierarchy(np.concatenate((inner[:1], inner, inner[1:], [-1])))


def test_whole_opens_what_holds_most_triplets():
    # The last merge is of 4, 5 and 6, 7, but the triplets are about what is below the other one.
    tree = Hierarchy.from_newick("((((a,b),(c,d)),((e,f),(g,h))));")
    known = Constraints(8, triplets=[(4, 5, 6), (6, 7, 4), (4, 5, 7)])
    branches = branches_of(tree, known)
    opening = open_branches(branches, 3, 0)
    owners = open_owners(branches, opening, np.zeros((8, 1)))
    assert labels_of(owners).tolist() == [0, 0, 0, 0, 1, 1, 2, 2]


def test_outliers_join_the_nearest_cluster_beside_them():
    # The outlier 4 joined last; it is nearer to 2 and 3.
    tree = Hierarchy.from_newick("(((0,1),(2,3)),4);")
    branches = branches_of(tree)
    opening = open_branches(branches, 2, 2)
    assert opening.aside == [4]
    X = np.array([[0.0], [1.0], [5.0], [6.0], [9.0]])
    assert labels_of(open_owners(branches, opening, X)).tolist() == [0, 0, 1, 1, 1]
    assert labels_of(owners_of(branches, cut_last(branches, 2))).tolist() == [0, 0, 0, 0, 1]


def test_a_cannot_link_makes_an_outlier_a_cluster():
    tree = Hierarchy.from_newick("(((0,1),(2,3)),4);")
    branches = branches_of(tree, Constraints(5, cannot_link=[(1, 4)]))
    opening = open_branches(branches, 2, 2)
    assert opening.aside == []
    owners = open_owners(branches, opening, np.zeros((5, 1)))
    assert labels_of(owners).tolist() == [0, 0, 0, 0, 1]


def test_automatic_size():
    assert automatic_size(1000, 2) == 50
    assert automatic_size(1000, 50) == 10
    assert automatic_size(4, 4) == 0.2


def test_too_large_a_threshold_is_told_and_auto_gives_way():
    branches = branches_of(caterpillar(100))
    with pytest.raises(BranchSizeError, match="min_branch_size=5 leaves 1 cluster, but n_clusters"):
        cut_open(branches, 2, 5)
    opening, least = cut_open(branches, 2, None)
    assert len(opening.clusters) == 2
    assert least < 5


@given(trees_with_triplets(max_samples=10), st.integers(1, 10))
def test_auto_always_finds_so_many_clusters(problem, n_clusters):
    tree, known = problem
    k = min(n_clusters, len(tree))
    branches = branches_of(tree, known)
    opening, _ = cut_open(branches, k, None)
    owners = open_owners(branches, opening, np.arange(len(tree), dtype=float)[:, np.newaxis])
    assert len(np.unique(owners)) == k


@given(
    hierarchies(min_samples=2, max_samples=12, binary=True),
    st.integers(1, 6),
    st.integers(0, 4),
    st.integers(0, 1000),
)
def test_levels_are_the_printed_cut(tree, n_clusters, least, seed):
    X = np.random.default_rng(seed).normal(size=(len(tree), 2))
    branches = branches_of(tree)
    opening = open_branches(branches, n_clusters, least, highest_level)
    labels = labels_of(open_owners(branches, opening, X, anywhere=True))
    children = {
        node: branches.children[node - len(tree)].tolist()
        for node in range(len(tree), len(branches.parents))
    }
    expected = cut_by_levels(X, children, len(branches.parents) - 1, n_clusters, least)
    assert {frozenset(np.flatnonzero(labels == label).tolist()) for label in set(labels)} == {
        frozenset(cluster) for cluster in expected
    }


def test_levels_open_what_is_high_and_whole_what_triplets_are_about():
    X = np.array([[0.0], [1.0], [10.0], [11.0], [30.0], [32.0], [50.0], [53.0]])
    constraints = Constraints(8, triplets=[(0, 1, 2), (2, 3, 1), (0, 1, 3)])
    model = ReCon(3, cut="levels", min_branch_size=0).fit(X, constraints=constraints)
    assert model.labels_.tolist() == [0, 0, 0, 0, 1, 1, 2, 2]
    assert model.recut("whole").tolist() == [0, 0, 1, 1, 2, 2, 2, 2]
    assert ReCon(3, cut="levels").fit(X).min_branch_size_ > 0


def test_how_many_triplets_a_cut_breaks_is_in_the_report():
    # 4 is ignored, and then joins the nearest cluster, away from its friend 1.
    X = np.array([[0.0], [1.0], [5.0], [6.0], [9.0]])
    constraints = Constraints(5, triplets=[(0, 1, 4), (2, 3, 4), (1, 4, 2), (1, 4, 3)])
    model = ReCon(2, cut="levels", min_branch_size=2).fit(X, constraints=constraints)
    violated = model.constraint_report_.violated
    assert violated.n_constraints == len(violated.triplets)
    report = constraint_satisfaction(constraints, model.recut("resolved"))
    assert report.violated.n_constraints <= violated.n_constraints
