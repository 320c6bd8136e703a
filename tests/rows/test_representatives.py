import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from clustraint.exceptions import ClustraintError
from clustraint.rows import Representatives


def test_the_middle_of_a_neighbourhood_represents_it():
    X = np.array([[0.0], [1.0], [2.0], [50.0], [51.0], [52.0]])
    few = Representatives.of(X, 2, random_state=0)
    assert few.rows.tolist() == [1, 4]
    assert few.home.tolist() == [0, 0, 0, 1, 1, 1]
    assert few.weights.tolist() == [3, 3]


@given(
    st.integers(1, 40),
    st.integers(1, 45),
    st.lists(st.integers(0, 39), max_size=6),
    st.integers(1, 3),
    st.booleans(),
    st.integers(0, 99),
)
def test_every_row_has_a_home_in_its_group(n_rows, count, kept, n_groups, is_sparse, seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (n_rows, 2)).astype(float)
    kept = np.unique([row for row in kept if row < n_rows]).astype(int)
    groups = rng.integers(n_groups, size=n_rows)
    points = csr_array(X) if is_sparse else X
    few = Representatives.of(points, count, kept=kept, groups=groups, random_state=seed)
    owner = few.rows[few.home]
    assert (np.diff(few.rows) > 0).all()
    assert (groups[owner] == groups).all()
    assert (owner[few.rows] == few.rows).all()
    assert few.weights.sum() == n_rows
    # Those kept stand for themselves, and for nobody else.
    assert (np.flatnonzero(np.isin(owner, kept)) == kept).all()
    assert len(few.rows) <= max(count, n_groups) + len(kept)
    if count >= n_rows:
        assert (few.rows == np.arange(n_rows)).all()


def test_the_same_seed_chooses_the_same_rows(global_random_seed):
    X = np.random.default_rng(global_random_seed).normal(size=(500, 3)).astype(np.float32)
    first, again = (Representatives.of(X, 20, random_state=global_random_seed) for _ in range(2))
    assert (first.rows == again.rows).all()
    assert (first.home == again.home).all()


def test_each_row_goes_to_a_near_representative(global_random_seed):
    X = np.random.default_rng(global_random_seed).normal(size=(3000, 2))
    few = Representatives.of(X, 300, random_state=0)
    away = np.linalg.norm(X - X[few.rows[few.home]], axis=1)
    assert away.mean() < 0.5


def test_at_least_one_representative():
    with pytest.raises(ClustraintError, match="n_representatives must be a whole number from 1"):
        Representatives.of(np.zeros((3, 1)), 0)
