"""The samples as numbers, whatever table they come from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from clustraint.exceptions import ClustraintError, TableColumnError
from clustraint.machine import Footprint, check_samples
from clustraint.tables import Schema, array_of_rows, read_columns
from clustraint.typing import FloatArray

# Numbers of all columns, in a copy by columns and standardised for the plane.
FOOTPRINT = Footprint(per_value=5)


@dataclass(frozen=True)
class Data:
    """Samples and their columns.

    Parameters
    ----------
    columns : Schema
        Names, and the levels of nominal columns.
    values : float64 ndarray or CSR array of shape (n_samples, n_features)
        Numbers; codes of nominal values; nan where a value is missing.
    """

    columns: Schema
    values: Any

    @property
    def is_sparse(self) -> bool:
        """Whether the values are a sparse matrix, whose columns are all numeric."""
        return bool(sparse.issparse(self.values))

    @property
    def n_samples(self) -> int:
        """How many samples there are."""
        return int(self.values.shape[0])

    @property
    def n_features(self) -> int:
        """How many columns there are."""
        return len(self.columns.names)

    def column(self, place: int) -> FloatArray:
        """Return one column as an array."""
        if self.is_sparse:
            return np.asarray(self.values[:, [place]].toarray()[:, 0])
        return np.asarray(self.values[:, place])

    def only(self, places: Sequence[int]) -> Data:
        """Return some of the columns, as an array even where all of them are sparse."""
        values = self.values[:, list(places)]
        values = np.asfortranarray(values.toarray() if self.is_sparse else values)
        columns = Schema(
            tuple(self.columns.names[place] for place in places),
            tuple(self.columns.levels[place] for place in places),
            tuple(self.columns.missing[place] for place in places) if self.columns.missing else (),
        )
        return Data(columns, values)


def read_data(X: Any, feature_names: Sequence[str] | None = None) -> Data:
    """Return the samples of a table.

    Parameters
    ----------
    X : table of shape (n_samples, n_features)
        Any table that `clustraint.tables.read_columns` takes.
    feature_names : sequence of str, optional
        Names of the columns of an array.

    Examples
    --------
    >>> data = read_data([[1.0, "red"], [2.0, "blue"]], ["size", "color"])
    >>> data.columns.levels, data.values.tolist()
    ((None, ('blue', 'red')), [[1.0, 1.0], [2.0, 0.0]])
    """
    check_samples("of a picture or report", X, FOOTPRINT, "show some of the samples")
    columns = read_columns(array_of_rows(X), feature_names)
    for size, what in zip(columns.shape, ("sample", "feature"), strict=True):
        if not size:
            raise ClustraintError(
                f"X must have at least 1 {what}, but its shape is {columns.shape}."
            )
    if sparse.issparse(columns.numbers):
        schema = Schema(columns.names, (None,) * len(columns.names))
        return Data(schema, _finite_csr(columns.numbers, columns.names))
    return Data(*Schema.read(columns))


def _finite_csr(X: Any, names: Sequence[str]) -> Any:
    values = sparse.csr_array(X, dtype=np.float64)
    broken = np.flatnonzero(~np.isfinite(values.data))
    if len(broken):
        place = int(values.indices[broken[0]])
        raise TableColumnError(names[place], "holds a value that is not a finite number")
    return values
