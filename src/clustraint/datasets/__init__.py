"""Data to cluster: tables, texts, and generators of samples, rules and hierarchies."""

from typing import TYPE_CHECKING, Any

from clustraint.datasets._animals import load_animals
from clustraint.datasets._dataset import Dataset, DatasetInfo
from clustraint.datasets._load import list_datasets, load
from clustraint.datasets._rule_clusters import RuleClusters, make_rule_clusters
from clustraint.datasets._shapes import make_cell_walls, make_circles, make_storm_clouds, make_xor
from clustraint.datasets._table import SampleTable, TableColumn
from clustraint.datasets._table_files import read_table
from clustraint.datasets._table_frame import Frame
from clustraint.datasets._text_hierarchies import (
    TextHierarchy,
    make_label_tree,
    make_text_hierarchy,
)

if TYPE_CHECKING:
    from clustraint.datasets._table_encoder import TableEncoder

__all__ = [
    "Dataset",
    "DatasetInfo",
    "Frame",
    "RuleClusters",
    "SampleTable",
    "TableColumn",
    "TableEncoder",
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
    "read_table",
]


def __getattr__(name: str) -> Any:
    # It is a scikit-learn estimator, which whoever only reads data need not wait for.
    if name != "TableEncoder":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from clustraint.datasets._table_encoder import TableEncoder

    return TableEncoder
