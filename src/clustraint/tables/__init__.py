"""Tables of samples: read from files, and turned into what estimators take."""

from typing import TYPE_CHECKING, Any

from clustraint.tables._frame import Frame
from clustraint.tables._read import read_table
from clustraint.tables._sample_table import SampleTable, Scale, TableColumn

if TYPE_CHECKING:
    from clustraint.tables._encoder import TableEncoder

__all__ = ["Frame", "SampleTable", "Scale", "TableColumn", "TableEncoder", "read_table"]


def __getattr__(name: str) -> Any:
    # It is a scikit-learn estimator, which whoever only reads data need not wait for.
    if name != "TableEncoder":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from clustraint.tables._encoder import TableEncoder

    return TableEncoder
