"""Trees drawn by matplotlib: everything is there, and nothing overlaps."""

import itertools
import sys

import matplotlib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib import pyplot
from matplotlib.colors import to_hex

from clustraint import ClusteringTree, plot
from clustraint.cluster._tree.captions import captions_of
from clustraint.exceptions import InvalidParameterError, MissingPackageError
from clustraint.plot._draw_tree import draw_tree
from clustraint.plot._layout import lay_out
from clustraint.plot._palette import tint
from clustraint.tables import Schema
from tests.cluster.test_tree_arrays import chain
from tests.cluster.test_tree_rules import XY, tree_of
from tests.strategies_trees import columns, trees

PAPER = (1, 103.5, (0, 113.5, 1, 0), 1)


@pytest.fixture(autouse=True)
def _no_window_and_no_figure_left():
    matplotlib.use("Agg")
    yield
    pyplot.close("all")


def draw(tree, known, ax=None, *, decimals=None, n_features=3, **options):
    """Draw a tree that no model was fitted for."""
    return draw_tree(tree, captions_of(tree, known, decimals, n_features), ax, **options)


def boxes(ax):
    """Return the boxes of nodes by name."""
    return {patch.get_gid(): patch for patch in ax.patches if patch.get_gid()}


def texts(ax):
    return [text.get_text() for text in ax.texts]


def overlaps(one, other):
    apart = one.x0 >= other.x1 or other.x0 >= one.x1 or one.y0 >= other.y1 or other.y0 >= one.y1
    return not apart


def assert_tidy(ax):
    """Check that boxes and the legend are apart, and that every text is within its box."""
    ax.figure.canvas.draw()
    extents = [patch.get_window_extent() for patch in boxes(ax).values()]
    areas = [*extents, ax.get_legend().get_window_extent()]
    assert not any(overlaps(*pair) for pair in itertools.combinations(areas, 2))
    captions = [text for text in ax.texts if text.get_text() not in ("yes", "no")]
    for text, box in zip(captions, extents, strict=True):
        inner = text.get_window_extent()
        assert box.x0 - 1 <= inner.x0 <= inner.x1 <= box.x1 + 1
        assert box.y0 - 1 <= inner.y0 <= inner.y1 <= box.y1 + 1
    whole = ax.get_window_extent()
    assert all(whole.x0 <= e.x0 and e.x1 <= whole.x1 for e in areas)
    assert all(whole.y0 <= e.y0 and e.y1 <= whole.y1 for e in areas)


def test_the_tree_of_the_paper():
    ax = draw(tree_of(PAPER, XY), XY)
    assert sorted(boxes(ax)) == ["leaf-2", "leaf-3", "leaf-4", "test-0", "test-1"]
    assert texts(ax)[0] == "Y > 103.5\n0 samples"
    assert texts(ax)[2] == "cluster 1\n0 samples\nX = 0\nY = 0"
    assert [texts(ax).count(answer) for answer in ("yes", "no")] == [2, 2]
    assert to_hex(boxes(ax)["leaf-4"].get_facecolor()) == tint(1)
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    assert legend == ["cluster 0: 0 samples", "cluster 1: 0 samples"]
    assert_tidy(ax)


def test_a_single_leaf():
    ax = draw(tree_of(3, XY), XY)
    assert list(boxes(ax)) == ["leaf-0"]
    assert_tidy(ax)


@pytest.mark.parametrize("orientation", ["auto", "down", "right"])
@given(data=st.data())
@settings(max_examples=10)
def test_nothing_overlaps(orientation, data):
    known = data.draw(columns())
    tree = data.draw(trees(known, max_leaves=12))
    ax = draw(tree, known, orientation=orientation)
    assert sum(name.startswith("leaf") for name in boxes(ax)) == tree.n_leaves
    assert_tidy(ax)
    pyplot.close("all")


def test_many_leaves_and_long_names():
    known = Schema(("the mean of a very long $name$ of a column, in inches per day " * 3,), (None,))
    ax = draw(chain(60), known)
    assert len(boxes(ax)) == 119
    assert_tidy(ax)
    assert max(len(line) for text in texts(ax) for line in text.split("\n")) <= 60
    assert "> 58" in texts(ax)[0].replace("\n", " ")


@pytest.mark.parametrize("size", [(3, 3), (12, 2), (2, 12), (20, 20)])
def test_axes_of_any_size(size):
    _, ax = pyplot.subplots(figsize=size)
    assert draw(chain(6), Schema(("x",), (None,)), ax) is ax
    assert_tidy(ax)
    assert all(text.get_fontsize() <= 10 for text in ax.texts)


def test_text_size_sets_the_size_of_the_figure():
    tree = tree_of(PAPER, XY)
    small, large = (draw(tree, XY, font_size=size) for size in (8, 16))
    np.testing.assert_allclose(
        2 * small.figure.get_size_inches(), large.figure.get_size_inches(), rtol=1e-9
    )
    assert large.texts[0].get_fontsize() == pytest.approx(16)
    assert_tidy(large)


def test_the_same_every_time():
    tree = tree_of(PAPER, XY)
    first, second = draw(tree, XY), draw(tree, XY)
    assert texts(first) == texts(second)
    assert [b.get_bbox().bounds for b in boxes(first).values()] == [
        b.get_bbox().bounds for b in boxes(second).values()
    ]


def test_options():
    tree = tree_of((0, 1 / 3, 0, 1), XY)
    ax = draw(tree, XY, decimals=2, n_features=0)
    assert texts(ax)[:2] == ["X > 0.33\n0 samples", "cluster 0\n0 samples"]
    with pytest.raises(InvalidParameterError, match="orientation must be 'auto', 'down' or"):
        draw(tree, XY, orientation="up")


def test_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, "matplotlib.pyplot", raising=False)
    message = r"drawing by matplotlib needs matplotlib, .*: pip install 'clustraint\[plot\]'"
    with pytest.raises(MissingPackageError, match=message):
        draw(tree_of(0, XY), XY)


@given(st.data(), st.booleans())
def test_layout(data, flush):
    tree = data.draw(trees(data.draw(columns()), max_leaves=15))
    sizes = st.lists(st.floats(1, 50), min_size=tree.node_count, max_size=tree.node_count)
    breadths, lengths = np.array(data.draw(sizes)), np.array(data.draw(sizes))
    sides = zip(tree.children_right.tolist(), tree.children_left.tolist(), strict=True)
    children = [[] if yes < 0 else [yes, no] for yes, no in sides]
    layout = lay_out(children, breadths, lengths, gap=3, step=5, flush=flush)
    low, high = layout.across - breadths / 2, layout.across + breadths / 2
    start, stop = layout.along - lengths / 2, layout.along + lengths / 2
    assert low.min() == pytest.approx(0)
    assert high.max() == pytest.approx(layout.breadth)
    assert start.min() >= -1e-9
    assert stop.max() <= layout.length + 1e-9
    for one, other in itertools.combinations(range(tree.node_count), 2):
        beside = low[other] >= high[one] + 3 - 1e-9 or low[one] >= high[other] + 3 - 1e-9
        before = start[other] >= stop[one] + 5 - 1e-9 or start[one] >= stop[other] + 5 - 1e-9
        assert beside or before
    for node in np.flatnonzero(tree.children_left >= 0):
        yes, no = tree.children_right[node], tree.children_left[node]
        assert layout.across[node] == pytest.approx((layout.across[yes] + layout.across[no]) / 2)
        assert layout.across[yes] < layout.across[no]


@given(st.integers(1, 12), st.integers(0, 3))
def test_layout_of_many_children_gives_each_leaf_its_row(n_leaves, depth):
    """A chain of single nodes ends in a star, whose leaves stand in even rows."""
    children = [[node + 1] for node in range(depth)]
    children.append(list(range(depth + 1, depth + 1 + n_leaves)))
    children += [[] for _ in range(n_leaves)]
    breadths = np.array([float(not below) for below in children])
    layout = lay_out(children, breadths, np.zeros(len(children)), gap=0, step=1, flush=True)
    np.testing.assert_allclose(layout.across[depth + 1 :], np.arange(n_leaves) + 0.5)
    np.testing.assert_allclose(layout.across[: depth + 1], n_leaves / 2)


def test_a_page_and_a_notebook_show_the_same_tree():
    model = ClusteringTree(3).fit([[0.0, 1.0], [1.0, 1.0], [8.0, 1.0], [9.0, 1.0], [9.0, 9.0]])
    drawn = texts(plot.tree(model, n_features=0, feature_names=["size", "age"]))
    view = plot.tree_view(model, feature_names=["size", "age"])
    assert drawn[: len(view.boxes)] == ["\n".join(box.lines) for box in view.boxes]
    assert "size &gt; 4.5" in plot.svg(view)


def test_clusters_have_their_colours_by_name():
    X, labels = [[0.0], [1.0], [8.0], [9.0]], ["oak", "oak", "elm", "elm"]
    tree = ClusteringTree().explain(X, labels)
    view = plot.tree_view(tree)
    clouds = plot.scatter_view(plot.Subject.of(X, labels)).clouds
    looks = {box.lines[0]: box.look for box in view.boxes if box.look}
    assert looks == {cloud.name: cloud.look for cloud in clouds}
    assert list(view.clusters.values()) == ["cluster elm: 2 samples", "cluster oak: 2 samples"]


def test_names_of_columns_must_fit():
    model = ClusteringTree(2).fit([[0.0], [1.0], [8.0], [9.0]])
    with pytest.raises(InvalidParameterError, match="one name for each of the 1 columns"):
        plot.tree(model, feature_names=["a", "b"])
