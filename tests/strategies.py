"""Random inputs for property tests."""

import numpy as np
from hypothesis import strategies as st

from clustraint.hierarchy import Hierarchy


@st.composite
def parents_arrays(draw, min_samples=1, max_samples=9, binary=False):
    """Parents arrays of random trees, each merge order being possible."""
    n_samples = draw(st.integers(min_samples, max_samples))
    parents = [-1] * n_samples
    roots = list(range(n_samples))
    while len(roots) > 1:
        degree = 2 if binary else draw(st.integers(2, len(roots)))
        order = draw(st.permutations(roots))
        for node in order[:degree]:
            parents[node] = len(parents)
        roots = [*order[degree:], len(parents)]
        parents.append(-1)
    return np.array(parents)


def hierarchies(min_samples=1, max_samples=9, binary=False):
    """Random hierarchies without names."""
    return parents_arrays(min_samples, max_samples, binary).map(Hierarchy)


def texts():
    """Texts that a file format is likely to trip over."""
    return st.text(max_size=5) | st.text("(),;:'[]{}ab_ 1\n\t\\\"", max_size=5)


@st.composite
def named_hierarchies(draw, min_samples=1, max_samples=9):
    """Random hierarchies with names of any characters, and with node names or without."""
    parents = draw(parents_arrays(min_samples, max_samples))
    n_samples = Hierarchy(parents).n_samples
    n_inner = parents.size - n_samples
    names = draw(st.lists(texts(), min_size=n_samples, max_size=n_samples, unique=True))
    node_names = draw(st.none() | st.lists(texts(), min_size=n_inner, max_size=n_inner))
    return Hierarchy(parents, names=names, node_names=node_names)


@st.composite
def linkages(draw, max_samples=9):
    """Linkage matrices of random trees whose heights may tie and decrease."""
    parents = draw(parents_arrays(2, max_samples, binary=True))
    n_samples = (parents.size + 1) // 2
    heights = st.integers(0, 4).map(float) | st.floats(0, 10)
    sizes = np.ones(parents.size)
    rows = []
    for node in range(n_samples, parents.size):
        left, right = np.flatnonzero(parents == node)
        sizes[node] = sizes[left] + sizes[right]
        rows.append([left, right, draw(heights), sizes[node]])
    return np.array(rows, dtype=np.float64)
