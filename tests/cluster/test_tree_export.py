"""Trees as text and in DOT."""

import re
import shutil
import subprocess

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clustraint.cluster._tree.captions import captions_of
from clustraint.cluster._tree.export import export_text
from clustraint.plot import PALETTE
from clustraint.plot._graphviz import dot
from clustraint.plot._palette import tint
from clustraint.tables import Schema
from tests.cluster.test_tree_arrays import chain
from tests.cluster.test_tree_rules import COLOR, XY, tree_of
from tests.strategies_trees import columns, trees

MIXED = Schema(("size", "color", "milk"), (None, ("blue", "red"), (False, True)))
TREE = (1, [0, 1], (0, 1 / 3, 0, 1, True), (2, [1], 1, (0, -np.inf, 2, 1)))


def export_graphviz(tree, known):
    return dot(tree, captions_of(tree, known, n_features=4))


def test_text():
    assert export_text(tree_of(TREE, MIXED), MIXED).splitlines() == [
        "color in {blue, red}",
        "|-- yes: size > 0.333333",
        "|   |-- yes: cluster 0 (0 samples)",
        "|   |-- no: cluster 1 (0 samples)",
        "|-- no: milk",
        "|   |-- yes: cluster 1 (0 samples)",
        "|   |-- no: size is known",
        "|   |   |-- yes: cluster 2 (0 samples)",
        "|   |   |-- no: cluster 1 (0 samples)",
    ]


def test_options_of_text():
    tree = tree_of(TREE, MIXED)
    assert export_text(tree, MIXED, decimals=1).splitlines()[1] == "|-- yes: size > 0.3"
    assert export_text(tree, MIXED, max_depth=1).splitlines() == [
        "color in {blue, red}",
        "|-- yes: … 2 leaves",
        "|-- no: … 3 leaves",
    ]
    leaf = "cluster 0 (0 samples: size = 0, color = blue, milk = False)"
    assert export_text(tree, MIXED, n_features=3).splitlines()[2].endswith(leaf)


def test_missing_values_are_told_only_where_some_were():
    tree = tree_of((0, 1, 0, 1, True), XY)
    assert export_text(tree, XY).startswith("X > 1\n")
    incomplete = XY._replace(missing=("some", "none"))
    assert export_text(tree, incomplete).startswith("X > 1 or X is missing\n")


def test_a_single_leaf():
    tree = tree_of(0, XY)
    assert export_text(tree, XY) == "cluster 0 (0 samples)"
    assert "->" not in export_graphviz(tree, XY)


def test_deep_trees():
    tree, known = chain(1_500), Schema(("x",), (None,))
    assert len(export_text(tree, known).splitlines()) == tree.node_count
    assert export_graphviz(tree, known).count("->") == tree.node_count - 1


def test_features_told_first_are_tested_and_far_from_the_root():
    known = Schema(tuple("abcd"), (None, None, None, ("p", "q")))
    tree = tree_of((1, 0, 0, (2, 0, 1, 2)), known)
    value = np.array([[0.0, 0, 0, 0], [9, 1, 5, 0], [9, 0, 0, 1], [9, 9, 1, 1], [9, 1, -9, 1]])
    parts = {name: getattr(tree, name) for name in tree.__dataclass_fields__}
    tree = type(tree)(**{**parts, "value": value})
    lines = export_text(tree, known, n_features=2).splitlines()
    assert "c = 5, b = 1" in lines[1]
    assert "b = 9, c = 1" in lines[3]
    assert "d = q" in export_text(tree, known, n_features=4).splitlines()[4]


@given(st.data())
def test_text_has_a_line_for_each_node(data):
    known = data.draw(columns())
    tree = data.draw(trees(known))
    lines = export_text(tree, known, n_features=2).splitlines()
    assert len(lines) == tree.node_count
    assert sum("cluster " in line for line in lines) == tree.n_leaves


STRING = r'"(?:[^"\\\n]|\\.)*"'
ATTRIBUTES = rf"\[\w+=(?:{STRING}|\w+)(?:, \w+=(?:{STRING}|\w+))*\]"
STATEMENT = re.compile(rf"  (?:node|edge|\d+|\d+ -> \d+) {ATTRIBUTES};")


@given(st.data())
def test_dot_is_well_formed(data):
    known = data.draw(columns())
    tree = data.draw(trees(known))
    first, *statements, last = export_graphviz(tree, known).split("\n")
    assert (first, last) == ("digraph ClusteringTree {", "}")
    assert all(STATEMENT.fullmatch(statement) for statement in statements)
    edges = [re.match(r"  (\d+) -> (\d+)", line) for line in statements]
    found = sorted((int(edge[1]), int(edge[2])) for edge in edges if edge)
    assert found == sorted((int(tree.parents[n]), n) for n in range(1, tree.node_count))


def test_names_are_escaped_in_dot():
    known = Schema(('a "b" \\n\nc',), (None,))
    text = export_graphviz(tree_of((0, 1, 0, 1), known), known)
    name = r'"a \"b\" \\n\nc"'.replace("\\", r"\\").replace('"', r"\"")
    assert rf'0 [label="{name} > 1\n0 samples"];' in text


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
def test_graphviz_reads_it():
    known = Schema(('a "b" \\n\nc', "{<x>|}"), (None, ('"', "\\", "->")))
    tree = tree_of((1, [0, 1, 2], (0, 1, 0, 1), 2), known)
    text = export_graphviz(tree, known)
    subprocess.run(["dot", "-Tsvg"], input=text.encode(), check=True, capture_output=True)


def luminance(color):
    channels = np.array([int(color[start : start + 2], 16) for start in (1, 3, 5)]) / 255
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722]


def test_colours_differ_and_dark_text_can_be_read_on_them():
    colors = [tint(cluster) for cluster in range(3 * len(PALETTE))]
    assert len(set(colors)) == len(colors)
    dark = luminance("#222222")
    assert all((luminance(color) + 0.05) / (dark + 0.05) > 4.5 for color in colors)


def test_levels_in_words():
    tree = tree_of((0, [1], 0, 1), COLOR)
    assert export_text(tree, COLOR).startswith("color is green\n")
