import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from clustraint import AttributeKMedoids, Constraints, COPKMeans, ReCon, Rule
from clustraint.evaluation import _coherence, coherence, informativeness
from clustraint.exceptions import NothingToMeasureError
from tests.reference import scores as reference
from tests.strategies_constraints import rows

LINE = np.array([[0.0], [1.0], [10.0], [11.0], [30.0], [31.0]])


@pytest.mark.parametrize(
    "model",
    [
        KMeans(3, n_init=5, random_state=0),
        COPKMeans(3, n_init=5, random_state=0),
        AgglomerativeClustering(3),
        make_pipeline(StandardScaler(), KMeans(3, n_init=5, random_state=0)),
    ],
)
@pytest.mark.parametrize("frame", [np.asarray, pd.DataFrame, pl.DataFrame])
def test_the_share_of_violated_pairs(model, frame):
    known = Constraints(6, must_link=[(0, 1), (1, 2)], cannot_link=[(0, 5), (2, 3), (4, 5)])
    assert informativeness(model, frame(LINE), known) == 3 / 5
    assert not hasattr(model, "labels_")


def test_triplets_are_judged_by_the_hierarchy():
    # All are in one cluster each or in none together, but the tree knows who is closer.
    known = Constraints(6, triplets=[(0, 1, 2), (0, 2, 4), (2, 4, 0)])
    for model in (ReCon(3), make_pipeline(StandardScaler(), ReCon(3))):
        assert informativeness(model, LINE, known) == 1 / 3
    # Without a tree only a third sample that joins one of the two counts.
    assert informativeness(KMeans(3, n_init=5, random_state=0), LINE, known) == 0
    assert informativeness(KMeans(2, n_init=5, random_state=0), LINE, known) == 1 / 3


def test_rules_count_once_each():
    X = pd.DataFrame({"milk": [1, 1, 0, 0], "fins": [1, 0, 0, 1]})
    known = Constraints(4, rules=[Rule("milk"), Rule("fins")], must_link=[(0, 1)])
    assert informativeness(AttributeKMedoids(1), X, known) == 0
    share = informativeness(AttributeKMedoids(4, random_state=0), X, known)
    assert share == 1


@st.composite
def points_and_constraints(draw):
    n_samples = draw(st.integers(3, 6))
    coordinates = st.lists(st.integers(-3, 3), min_size=2, max_size=2)
    points = draw(st.lists(coordinates, min_size=n_samples, max_size=n_samples))
    kinds = ("must_link", "cannot_link", "triplets")
    given_rows = {kind: draw(rows(kind, n_samples, 4)) for kind in kinds}
    return points, Constraints(n_samples, **given_rows)


@given(points_and_constraints())
def test_blocks_are_the_loop_over_pulls_and_pushes(given_both):
    points, constraints = given_both
    kinds = (constraints.must_link, constraints.cannot_link, constraints.triplets)
    expected = reference.coherence(points, *(table.tolist() for table in kinds))
    if expected is None:
        with pytest.raises(NothingToMeasureError, match="coherence compares"):
            coherence(points, constraints)
        return
    assert coherence(points, constraints) == pytest.approx(expected)
    assert coherence(csr_array(points), constraints) == pytest.approx(expected)


@given(points_and_constraints(), st.sampled_from([1e-200, 1.0, 1e200]), st.integers(-50, 50))
def test_neither_scale_nor_place_nor_turn_matters(given_both, scale, shift):
    points, constraints = given_both
    try:
        expected = coherence(points, constraints)
    except NothingToMeasureError:
        return
    turned = (np.array(points) + shift) @ [[0.6, -0.8], [0.8, 0.6]] * scale
    assert coherence(turned, constraints) == pytest.approx(expected)


def test_segments_in_the_plane():
    X = [[0, 0], [2, 0], [1, 0], [3, 0], [2, 5], [4, 5], [0, 7], [1, 1]]
    cannot_links = {
        (2, 3): 0,  # lies partly on 0-2
        (1, 3): 1,  # begins where it ends
        (4, 5): 1,  # is parallel, and begins beside its end
        (0, 6): 1,  # is orthogonal
        (0, 7): 0,  # is at an acute angle
    }
    for pair, expected in cannot_links.items():
        assert coherence(X, Constraints(8, must_link=[(0, 1)], cannot_link=[pair])) == expected
    all_of_them = Constraints(8, must_link=[(0, 1)], cannot_link=[*cannot_links])
    assert coherence(X, all_of_them) == 3 / 5


def test_a_point_is_in_nobodys_way():
    X = [[1, 1], [1, 1], [0, 0], [2, 2]]
    assert coherence(X, Constraints(4, must_link=[(0, 1)], cannot_link=[(2, 3)])) == 1
    assert coherence(np.zeros((4, 2)), Constraints(4, must_link=[(0, 1)], cannot_link=[(2, 3)]))


def test_a_triplet_is_not_compared_with_itself():
    X = [[0.0], [1.0], [2.0], [5.0], [6.0], [7.0]]
    apart = Constraints(6, triplets=[(0, 1, 2), (3, 4, 5)])
    assert coherence(X, apart) == 1
    # ab of the second lies on ac and bc of the first: both of its pushes are in its way.
    assert coherence(X, Constraints(6, triplets=[(0, 1, 5), (3, 4, 5)])) == 0.5


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, csr_array])
def test_frames_and_sparse_matrices(frame, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    X = rng.normal(size=(30, 3))
    known = Constraints.from_labels(rng.integers(3, size=30), n_pairs=40, random_state=0)
    assert coherence(frame(X), known) == pytest.approx(coherence(X, known))


def test_blocks_do_not_show(monkeypatch, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    X = rng.normal(size=(30, 3))
    known = Constraints.from_labels(
        rng.integers(3, size=30), n_pairs=40, n_triplets=30, random_state=0
    )
    expected = coherence(X, known)
    monkeypatch.setattr(_coherence, "BLOCK", 100)
    assert coherence(X, known) == pytest.approx(expected)
