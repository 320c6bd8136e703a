"""Random tables of numeric and nominal columns, and random trees of tests on them."""

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from clustraint.cluster._tree.arrays import Tree
from clustraint.tables import Schema

NUMBERS = [-2.5, -1.0, 0.0, 0.1, 0.30000000000000004, 2.0, 1e9]
TEXTS = ["red", 'dark "blue"', "", "x\ny", "grün", "\\"]
NAMES = ["x", "body size", "a`b", "größe", "class", "0", "and"]


@st.composite
def columns(draw, max_features=3):
    """Schema of every kind, with odd names and values."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=max_features, unique=True))
    levels = [draw(st.none() | nominal_levels()) for _ in names]
    missing = [draw(st.sampled_from(["none", "some"])) for _ in names]
    return Schema(tuple(names), tuple(levels), tuple(missing))


def nominal_levels():
    texts = st.lists(st.sampled_from(TEXTS), min_size=1, max_size=4, unique=True)
    numbers = st.lists(st.sampled_from([1, 7, -3, 0.25]), min_size=1, max_size=3, unique=True)
    truths = st.sampled_from([[False, True], [True], [False]])
    return (texts | numbers | truths).map(tuple)


@st.composite
def trees(draw, known, max_leaves=8, n_clusters=3):
    """Trees with any tests, some of which no sample or every sample passes."""
    n_leaves = draw(st.integers(1, max_leaves))
    tree = _Growing(draw, known, n_clusters)
    tree.grow(n_leaves)
    return tree.finished()


class _Growing:
    def __init__(self, draw, known, n_clusters):
        self.draw, self.known, self.n_clusters = draw, known, n_clusters
        self.left, self.right, self.feature, self.threshold = [], [], [], []
        self.levels, self.missing_right, self.label = [], [], []

    def grow(self, n_leaves):
        node = len(self.left)
        for part, value in [
            (self.left, -1),
            (self.right, -1),
            (self.feature, -2),
            (self.threshold, -2.0),
            (self.levels, None),
            (self.missing_right, False),
            (self.label, -1),
        ]:
            part.append(value)
        if n_leaves == 1:
            self.label[node] = self.draw(st.integers(0, self.n_clusters - 1))
            return node
        self.add_test(node)
        n_yes = self.draw(st.integers(1, n_leaves - 1))
        self.right[node] = self.grow(n_yes)
        self.left[node] = self.grow(n_leaves - n_yes)
        return node

    def add_test(self, node):
        feature = self.feature[node] = self.draw(st.integers(0, len(self.known.names) - 1))
        self.missing_right[node] = self.draw(st.booleans())
        levels = self.known.levels[feature]
        if levels is None:
            self.threshold[node] = self.draw(st.sampled_from([*NUMBERS, -np.inf]))
            if np.isinf(self.threshold[node]):
                self.missing_right[node] = False
        else:
            codes = st.sets(st.integers(0, len(levels) - 1), min_size=1)
            self.levels[node] = tuple(sorted(self.draw(codes)))

    def finished(self):
        n_nodes = len(self.left)
        sizes = np.ones(n_nodes, np.int64)
        for node in range(n_nodes - 1, -1, -1):
            if self.left[node] >= 0:
                sizes[node] = sizes[self.left[node]] + sizes[self.right[node]]
        value = [
            [0.0 if levels else node / 3 for levels in self.known.levels] for node in range(n_nodes)
        ]
        return Tree(
            children_left=self.left,
            children_right=self.right,
            feature=self.feature,
            threshold=self.threshold,
            levels=self.levels,
            missing_go_to_right=self.missing_right,
            n_node_samples=sizes,
            impurity=np.zeros(n_nodes),
            value=value,
            label=self.label,
        )


@st.composite
def samples(draw, known, max_samples=30, unseen=True, missing=True):
    """Encoded samples: numbers at, below and above thresholds, seen and unseen levels, nan."""
    rows = draw(st.integers(1, max_samples))
    values = np.empty((rows, len(known.names)), order="F")
    for feature, levels in enumerate(known.levels):
        cells = st.sampled_from(cells_of(levels, unseen)) | st.just(np.nan)
        if not missing and known.is_complete(feature):
            cells = st.sampled_from(cells_of(levels, unseen))
        values[:, feature] = draw(st.lists(cells, min_size=rows, max_size=rows))
    return values


def cells_of(levels, unseen=True):
    """Return a number of each interval between thresholds, or all codes."""
    if levels is None:
        numbers = np.array(NUMBERS)
        above = np.nextafter(numbers, np.inf)
        return [*numbers, *above, -1e300]
    is_open = unseen and set(levels) != {False, True}
    return [*map(float, range(len(levels))), *([-1.0] if is_open else [])]


def every_sample(known):
    """Return all combinations of cells and nan: every input that a tree can tell apart."""
    cells = [[*cells_of(levels), np.nan] for levels in known.levels]
    return np.stack([grid.ravel() for grid in np.meshgrid(*cells)], axis=1)


UNSEEN = {str: "never seen", int: 99, float: 99, bool: None}


def frame_of(known, values):
    """Return encoded samples as a pandas frame."""
    return pd.DataFrame(
        {
            name: _series(values[:, feature], known.levels[feature])
            for feature, name in enumerate(known.names)
        }
    )


def _series(values, levels):
    if levels is None:
        return pd.Series(values)
    unseen = not levels[0] if isinstance(levels[0], bool) else UNSEEN[type(levels[0])]
    cells = [None if np.isnan(v) else unseen if v < 0 else levels[int(v)] for v in values]
    return pd.Series(cells, dtype="boolean" if isinstance(levels[0], bool) else object)
