"""Pictures of clusterings: views of what is drawn, and the same views as SVG or by matplotlib.

For notebooks: `clusters`, `dendrogram`, `tree` and `comparison`, which return matplotlib's axes.
For pages and files: a view (`scatter_view`, `dendrogram_view`, …) and `svg`.
"""

from clustraint.plot._bars import BarsView, CurveView, bars_view, curve_view
from clustraint.plot._dendrogram import DendrogramView, dendrogram_view
from clustraint.plot._draw_tree import tree
from clustraint.plot._graphviz import export_graphviz
from clustraint.plot._members import sample_values, telling_members
from clustraint.plot._membership import Membership
from clustraint.plot._palette import NO_SHAPE, PALETTE, SHAPES, Look, look_of, palette, theme
from clustraint.plot._pictures import clusters, comparison, dendrogram
from clustraint.plot._profiles import ProfilesView, profiles_view
from clustraint.plot._scatter import ScatterView, scatter_view
from clustraint.plot._subject import Subject
from clustraint.plot._svg import stylesheet, svg, symbols
from clustraint.plot._tree import TreeView, tree_view

__all__ = [
    "NO_SHAPE",
    "PALETTE",
    "SHAPES",
    "BarsView",
    "CurveView",
    "DendrogramView",
    "Look",
    "Membership",
    "ProfilesView",
    "ScatterView",
    "Subject",
    "TreeView",
    "bars_view",
    "clusters",
    "comparison",
    "curve_view",
    "dendrogram",
    "dendrogram_view",
    "export_graphviz",
    "look_of",
    "palette",
    "profiles_view",
    "sample_values",
    "scatter_view",
    "stylesheet",
    "svg",
    "symbols",
    "telling_members",
    "theme",
    "tree",
    "tree_view",
]
