"""Tables of samples: read from files, turned into what estimators take, and read by column."""

from typing import TYPE_CHECKING, Any

from clustraint.tables._columns import Column, Columns, has_columns, read_columns
from clustraint.tables._differences import Difference, cell_text, differences
from clustraint.tables._labels import read_labels
from clustraint.tables._output import as_meant, neutralised, write_table
from clustraint.tables._read import read_frame, read_table
from clustraint.tables._sample_table import SampleTable
from clustraint.tables._sample_table import Scale as Scale
from clustraint.tables._schema import Schema, array_of_rows
from clustraint.tables._table_column import TableColumn

if TYPE_CHECKING:
    from clustraint.tables._encoder import TableEncoder
    from clustraint.tables._validation import validate_table

__all__ = [
    "Column",
    "Columns",
    "Difference",
    "SampleTable",
    "Schema",
    "TableColumn",
    "TableEncoder",
    "array_of_rows",
    "as_meant",
    "cell_text",
    "differences",
    "has_columns",
    "neutralised",
    "read_columns",
    "read_frame",
    "read_labels",
    "read_table",
    "validate_table",
    "write_table",
]

# They need scikit-learn, which whoever only reads data need not wait for.
_LAZY = {"TableEncoder": "_encoder", "validate_table": "_validation"}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)
