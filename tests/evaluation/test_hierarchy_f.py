import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clustraint import Hierarchy
from clustraint.evaluation import hierarchy_f_score
from clustraint.exceptions import NothingToMeasureError
from tests.reference.scores import class_f_scores
from tests.strategies import parents_arrays


@st.composite
def two_trees(draw):
    true = draw(parents_arrays(min_samples=2, max_samples=8))
    n_samples = Hierarchy(true).n_samples
    labelled = draw(st.sets(st.integers(0, n_samples - 1)))
    return true, draw(parents_arrays(n_samples, n_samples)), sorted(labelled)


def test_leaf_and_higher_classes_apart():
    true = Hierarchy.from_paths(["rec/autos"] * 3 + ["rec/bikes"] * 2 + ["sci"] * 3)
    found = Hierarchy.from_newick("(((0, 1), (2, (3, 4))), (5, (6, 7)));")
    score = hierarchy_f_score(true, found)
    by_name = {record.name: (record.level, record.f) for record in score.per_class}
    assert by_name == {
        "rec/autos": ("leaf", 0.8),
        "rec/bikes": ("leaf", 1),
        "sci": ("leaf", 1),
        "rec": ("higher", 1),
    }
    assert score.leaf == pytest.approx((0.8 + 1 + 1) / 3)
    assert score.higher == 1


def test_a_sample_on_a_higher_class_makes_no_class():
    true = Hierarchy.from_paths(["rec", "rec/autos", "rec/autos", "sci", "sci"])
    levels = {record.name: record.level for record in hierarchy_f_score(true, true).per_class}
    assert levels == {"rec": "higher", "rec/autos": "leaf", "sci": "leaf"}


def test_labelled_samples_count_neither_in_classes_nor_in_clusters():
    true = Hierarchy.from_labels([0, 0, 0, 1, 1, 1])
    found = Hierarchy.from_labels([0, 0, 1, 0, 1, 1])
    assert hierarchy_f_score(true, found).leaf < 1
    assert hierarchy_f_score(true, found, [2, 3]).leaf == 1
    assert hierarchy_f_score(true, found, np.isin(np.arange(6), [2, 3])).leaf == 1
    # A class without samples is no class.
    assert len(hierarchy_f_score(true, found, [0, 1, 2]).per_class) == 1
    assert math.isnan(hierarchy_f_score(true, found).higher)


@given(two_trees())
def test_counting_is_the_loop_over_classes_and_clusters(trees):
    true, found, labelled = trees
    expected = class_f_scores(true.tolist(), found.tolist(), labelled)
    if not expected:
        with pytest.raises(NothingToMeasureError, match="no class to find"):
            hierarchy_f_score(Hierarchy(true), Hierarchy(found), labelled)
        return
    score = hierarchy_f_score(Hierarchy(true), Hierarchy(found), labelled)
    assert {record.node: record.level for record in score.per_class} == {
        node: level for node, (level, _, _) in expected.items()
    }
    for record in score.per_class:
        _, best, cluster = expected[record.node]
        assert record.f == pytest.approx(best)
        assert record.cluster == cluster
    for level in ("leaf", "higher"):
        scores = [best for kind, best, _ in expected.values() if kind == level]
        mean = np.mean(scores) if scores else math.nan
        assert getattr(score, level) == pytest.approx(mean, nan_ok=True)


@given(two_trees(), st.randoms(use_true_random=False))
def test_names_matter_more_than_numbers(trees, random):
    true, found, labelled = trees
    names = [f"sample {letter}" for letter in "abcdefgh"[: Hierarchy(true).n_samples]]
    order = list(range(len(names)))
    random.shuffle(order)
    shuffled = np.concatenate((found[order], found[len(order) :]))
    there = Hierarchy(shuffled, names=[names[sample] for sample in order])
    true_one = Hierarchy(true, names=names)
    try:
        expected = hierarchy_f_score(true_one, Hierarchy(found, names=names), labelled)
    except NothingToMeasureError:
        return
    means = hierarchy_f_score(true_one, there, labelled)[:2]
    assert means == pytest.approx(expected[:2], nan_ok=True)


@given(parents_arrays(min_samples=3))
def test_a_tree_finds_itself(parents):
    hierarchy = Hierarchy(parents)
    if hierarchy.n_nodes > hierarchy.n_samples + 1:
        assert {record.f for record in hierarchy_f_score(hierarchy, hierarchy).per_class} == {1}
