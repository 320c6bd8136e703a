"""Data to cluster by name: tables, texts, and generators of samples, rules and hierarchies."""

from clustraint.datasets._animals import load_animals
from clustraint.datasets._dataset import Dataset, DatasetInfo
from clustraint.datasets._load import list_datasets, load
from clustraint.datasets._rule_clusters import RuleClusters, make_rule_clusters
from clustraint.datasets._shapes import make_cell_walls, make_circles, make_storm_clouds, make_xor
from clustraint.datasets._text_hierarchies import (
    TextHierarchy,
    make_label_tree,
    make_text_hierarchy,
)

__all__ = [
    "Dataset",
    "DatasetInfo",
    "RuleClusters",
    "TextHierarchy",
    "list_datasets",
    "load",
    "load_animals",
    "make_cell_walls",
    "make_circles",
    "make_label_tree",
    "make_rule_clusters",
    "make_storm_clouds",
    "make_text_hierarchy",
    "make_xor",
]
