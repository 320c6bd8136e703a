"""Pictures for notebooks: they show what they are given, in the same colours as the page."""

import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from types import SimpleNamespace

import matplotlib
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex
from scipy.cluster.hierarchy import linkage
from sklearn.cluster import KMeans

from clustraint import ClusteringTree, Constraints, Hierarchy, ReCon, Report, plot
from clustraint.exceptions import (
    DifferentSamplesError,
    InvalidLabelsError,
    InvalidParameterError,
    MissingPackageError,
    NotClusteredError,
)
from clustraint.plot._palette import DARK_PALETTE, MARKERS, PALETTE, SHAPES, tint
from tests.html_page import read_page

NAMES = ["ant", "bee", "cow", "dog"]
SQUARE = np.array([[0.0, 0.0], [0.0, 1.0], [9.0, 9.0], [9.0, 0.0]])


@pytest.fixture(autouse=True)
def _no_window_and_no_figure_left():
    matplotlib.use("Agg")
    yield
    pyplot.close("all")


def clouds(ax):
    """Return the colour and the places of each cloud of samples."""
    return [
        (to_hex(each.get_facecolor()[0]), np.asarray(each.get_offsets()))
        for each in ax.collections
        if len(each.get_offsets()) and len(each.get_facecolor()) and each.get_zorder() == 2
    ]


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_clusters_are_drawn_where_they_are_in_the_colours_of_the_palette():
    ax = plot.clusters(SQUARE, ["b", "b", "a", "a"])
    (first, at_first), (second, at_second) = clouds(ax)
    assert [first, second] == plot.palette(2)
    np.testing.assert_array_equal(at_first, SQUARE[2:])
    np.testing.assert_array_equal(at_second, SQUARE[:2])
    assert legend(ax) == ["cluster a: 2 samples", "cluster b: 2 samples"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x0", "x1")


def test_constraints_are_links_and_violated_ones_are_marked():
    constraints = Constraints(
        4, must_link=[(0, 1), (0, 2)], cannot_link=[(0, 3)], triplets=[(0, 1, 3)], names=NAMES
    )
    ax = plot.clusters(SQUARE, [0, 0, 1, 1], constraints=constraints)
    lines = [each for each in ax.collections if isinstance(each, LineCollection)]
    assert sum(len(each.get_segments()) for each in lines) == 4 + 1  # the stem of the triplet
    assert legend(ax)[2:] == ["2 must-links", "1 cannot-link", "1 triplet", "violated"]
    assert {text.get_text() for text in ax.texts} <= set(NAMES)


def test_a_model_brings_labels_and_constraints():
    model = ReCon(2).fit(SQUARE, constraints=Constraints(4, triplets=[(0, 1, 2)]))
    assert legend(plot.clusters(SQUARE, model))[-1] == "1 triplet"


def test_nominal_columns_are_drawn_with_their_values():
    frame = pd.DataFrame({"size": [1.0, 2.0, 3.0], "color": ["red", "blue", "red"]})
    ax = plot.clusters(frame, [0, 0, 1], axes=["size", "color"])
    assert [label.get_text() for label in ax.get_yticklabels()] == ["blue", "red"]


def test_everything_can_be_drawn_into_axes_of_ones_own():
    _, panels = pyplot.subplots(2, 2)
    model, tree = ReCon(2).fit(SQUARE), ClusteringTree(2).fit(SQUARE)
    assert plot.clusters(SQUARE, model, ax=panels[0, 0]) is panels[0, 0]
    assert plot.dendrogram(model, ax=panels[0, 1]) is panels[0, 1]
    assert plot.tree(tree, ax=panels[1, 0]) is panels[1, 0]
    assert plot.comparison(compared(), ax=panels[1, 1]) is panels[1, 1]
    assert len(pyplot.get_fignums()) == 1


def tips(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


def test_a_dendrogram_of_a_model_a_hierarchy_and_a_linkage_matrix():
    model = ReCon(2).fit(SQUARE)
    drawn = tips(plot.dendrogram(model, names=NAMES))
    assert sorted(drawn) == NAMES
    assert tips(plot.dendrogram(model.hierarchy_, labels=model.labels_, names=NAMES)) == drawn
    assert tips(plot.dendrogram(model.linkage_, names=NAMES)) == drawn
    named = Hierarchy.from_newick("((ant,bee),(cow,dog));")
    assert tips(plot.dendrogram(named)) == NAMES


def test_a_dendrogram_is_condensed():
    X = np.random.default_rng(0).normal(size=(200, 2))
    ax = plot.dendrogram(linkage(X), max_leaves=10)
    assert len(tips(ax)) == 10
    assert sum(int(text.split()[0]) for text in tips(ax) if "samples" in text) > 150


def test_branches_have_the_colours_of_their_clusters():
    hierarchy = Hierarchy.from_newick("((ant,bee),(cow,dog));")
    ax = plot.dendrogram(hierarchy, labels=[0, 0, 1, 1])
    colours = {to_hex(line.get_color()) for line in ax.lines}
    assert set(PALETTE[:2]) < colours


def compared():
    """What a comparison of two methods looks like."""
    score = {"score": 0.8, "low": 0.6, "high": 0.9}
    rows = [
        {"method": "tree", "label": "tree", **score, "without": 0.8, "failed": 0},
        {"method": "recon", "label": "recon", **score, "without": None, "failed": 1},
    ]
    return SimpleNamespace(
        table=lambda: rows, splits=[None] * 3, n_held_out={"triplets": 3, "must_link": 5}
    )


def test_a_comparison_shows_each_method():
    ax = plot.comparison(compared())
    assert tips(ax) == ["tree", "recon"]
    assert ax.get_title(loc="left") == "Share of held-out must-links and triplets that hold"
    view = plot.bars_view(compared())
    assert view.sentences[1] == "recon: 0.80 (0.60 to 0.90), no clusters in 1 of 3 splits."


@pytest.mark.parametrize(
    ("draw", "error", "message"),
    [
        (lambda: plot.clusters(SQUARE, [0, 1]), DifferentSamplesError, "labels are about 2"),
        (lambda: plot.clusters(SQUARE, [-1] * 4), InvalidLabelsError, "at least one sample"),
        (lambda: plot.clusters(SQUARE, ReCon(2)), NotClusteredError, "ReCon has no labels_"),
        (lambda: plot.dendrogram(ReCon(2)), NotClusteredError, "ReCon has no labels_"),
        (
            lambda: plot.dendrogram(KMeans(2, n_init=1).fit(SQUARE)),
            InvalidParameterError,
            "with a hierarchy",
        ),
        (lambda: plot.dendrogram("((a,b),c);"), InvalidParameterError, "linkage matrix"),
        (
            lambda: plot.dendrogram(linkage(SQUARE), labels=[0, 1]),
            DifferentSamplesError,
            "labels are about 2 samples and the hierarchy is about 4",
        ),
        (
            lambda: plot.dendrogram(linkage(SQUARE), max_leaves=1),
            InvalidParameterError,
            "max_leaves",
        ),
        (lambda: plot.palette(-1), InvalidParameterError, "n_clusters"),
    ],
)
def test_what_cannot_be_drawn_is_refused(draw, error, message):
    with pytest.raises(error, match=message):
        draw()


def test_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, "matplotlib.pyplot", raising=False)
    message = r"needs matplotlib, .*: pip install 'clustraint\[plot\]'"
    for draw in (
        lambda: plot.clusters(SQUARE, [0, 0, 1, 1]),
        lambda: plot.dendrogram(linkage(SQUARE)),
        lambda: plot.tree(ClusteringTree(2).fit(SQUARE)),
        lambda: plot.comparison(compared()),
    ):
        with pytest.raises(MissingPackageError, match=message):
            draw()


def test_importing_takes_no_matplotlib():
    program = "import sys, clustraint.plot; print('matplotlib' in sys.modules)"
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (answer.stdout.strip(), answer.stderr) == ("False", "")


def test_a_cluster_looks_the_same_everywhere():
    X = np.repeat(SQUARE, 3, axis=0)
    model = ReCon(3).fit(X)
    tree = ClusteringTree().explain(X, model.labels_)
    members = plot.Membership.of(model)
    looks = {members.cluster_name(place): plot.look_of(place) for place in range(3)}
    scatter = plot.scatter_view(plot.Subject.of(X, model))
    assert {cloud.name: cloud.look for cloud in scatter.clouds} == looks
    boxes = plot.tree_view(tree).boxes
    assert {box.lines[0]: box.look for box in boxes if box.look} == looks
    stems = plot.dendrogram_view(model.hierarchy_, members).tips
    assert {stem.look for stem in stems} == set(looks.values())
    page = read_page(Report(X, model, tree=tree).html)
    for name, look in looks.items():
        (cloud,) = page.find("g", **{"data-name": name})
        assert cloud.classes == ["cloud", look.colour]
    notebook = [colour for colour, _ in clouds(plot.clusters(X, model))]
    assert notebook == [look.paint for look in looks.values()] == plot.palette(3)


def test_a_palette_has_a_colour_and_a_shape_for_each_of_many_clusters():
    assert len(PALETTE) == len(DARK_PALETTE) == len(SHAPES) == len(MARKERS) == len(set(PALETTE))
    assert len({plot.look_of(cluster) for cluster in range(64)}) == 64
    assert plot.palette(9)[8] == PALETTE[0]
    assert plot.palette(0) == []
    assert plot.look_of(0).paint != tint(0)


@pytest.mark.parametrize("kind", ["scatter", "dendrogram", "tree", "bars"])
def test_a_picture_stands_alone_as_svg(kind):
    members = plot.Membership.of([0, 0, 1, 1], ["<a>", "b & c", '"', "d"])
    subject = plot.Subject.of(SQUARE, members.labels, names=members.names)
    views = {
        "scatter": lambda: plot.scatter_view(subject),
        "dendrogram": lambda: plot.dendrogram_view(
            Hierarchy.from_linkage(linkage(SQUARE)), members
        ),
        "tree": lambda: plot.tree_view(ClusteringTree(2).fit(SQUARE)),
        "bars": lambda: plot.bars_view(compared()),
    }
    picture = plot.svg(views[kind]())
    root = ElementTree.fromstring(picture)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert PALETTE[0] in picture
    assert DARK_PALETTE[0] in picture
    part = plot.svg(views[kind](), standalone=False)
    assert "<style>" not in part
    assert "http://" not in part
