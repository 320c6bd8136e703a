"""Rows that are too many: chunks of them, the engines that walk these, and representatives."""

from typing import TYPE_CHECKING, Any

from clustraint.rows._files import check_folder, write_parts
from clustraint.rows._known_labels import KnownLabels
from clustraint.rows._labels import ChunkedLabels, chunks_of, map_chunks
from clustraint.rows._rows import (
    ArrayRows,
    Rows,
    added,
    as_numbers,
    as_rows,
    counted_rows,
    drawn_rows,
    is_chunked,
    paths_of,
)
from clustraint.rows._transformed import TransformedRows

if TYPE_CHECKING:
    from clustraint.rows._representatives import Representatives, RowGroups

__all__ = [
    "ArrayRows",
    "ChunkedLabels",
    "KnownLabels",
    "Representatives",
    "RowGroups",
    "Rows",
    "TransformedRows",
    "added",
    "as_numbers",
    "as_rows",
    "check_folder",
    "chunks_of",
    "counted_rows",
    "drawn_rows",
    "is_chunked",
    "map_chunks",
    "paths_of",
    "write_parts",
]


def __getattr__(name: str) -> Any:
    # It needs scikit-learn's clusterers, which whoever only walks rows need not wait for.
    if name not in ("Representatives", "RowGroups"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from clustraint.rows import _representatives

    return getattr(_representatives, name)
