"""The samples of a studio's table, as methods and pictures take them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from clustraint.exceptions import MissingValuesError, StudioRequestError
from clustraint.plot import Membership, Subject, scatter_view
from clustraint.rows import Representatives
from clustraint.tables import SampleTable, TableEncoder
from clustraint.typing import FloatArray, IntArray

# So much of all samples is within the plane from -1 to 1; the others are drawn at its edges.
EDGE = 0.0005
# So many stand for all others where methods compare all pairs.
N_REPRESENTATIVES = 500


def with_roles(table: SampleTable, roles: Mapping[str, str]) -> SampleTable:
    """Return a table with the columns to cluster by that a person chose."""
    chosen, others = [], []
    for column in (*table.columns, *table.left_out):
        by_default = "cluster" if column in table.columns else "leave"
        if column.kind != "identifier" and roles.get(column.name, by_default) == "cluster":
            chosen.append(column.noted("") if column in table.left_out else column)
        else:
            others.append(column.noted(column.note or "left out, as requested"))
    if not chosen:
        raise StudioRequestError("at least one column must be there to cluster by.")
    return replace(table, columns=tuple(chosen), left_out=tuple(others))


class StudioSamples:
    """The samples of a table, encoded once for each way in which methods take them."""

    def __init__(self, table: SampleTable) -> None:
        self.table = table
        self._encoded: dict[str, tuple[TableEncoder, Any]] = {}

    def encoded(self, view: Any) -> tuple[TableEncoder, Any]:
        """Return a fitted encoder and the samples as it encodes them."""
        if view not in self._encoded:
            encoder = TableEncoder(view)
            self._encoded[view] = encoder, encoder.fit_transform(self.table)
        return self._encoded[view]

    @cached_property
    def numbers(self) -> Any:
        """The samples as numbers for distances: the plane where values are missing."""
        try:
            X = self.encoded("matrix")[1]
        except MissingValuesError:
            return np.asarray(self.plane[0], np.float64)
        return X.tocsr() if sparse.issparse(X) else X

    @cached_property
    def representatives(self) -> Representatives:
        """A few samples that stand for all others."""
        return Representatives.of(self.encoded("matrix")[1], N_REPRESENTATIVES, random_state=0)

    @cached_property
    def _subject(self) -> Subject:
        """The samples as pictures take them, all in one cluster."""
        return Subject.of(self.table, np.zeros(self.table.n_samples, np.int64))

    def subject(self, labels: IntArray) -> Subject:
        """Return samples and clusters as pictures take them, without reading the samples again."""
        clusters = np.unique(labels)
        place = np.searchsorted(clusters, labels)
        return replace(
            self._subject, members=Membership(place, tuple(clusters.tolist()), self.table.names)
        )

    @cached_property
    def plane(self) -> tuple[Any, str]:
        """The samples in two dimensions as float32, and what is drawn in a sentence."""
        return self.plane_of(None)

    def plane_of(self, axes: tuple[str, str] | None) -> tuple[Any, str]:
        """Return the samples in two dimensions as float32, and what is drawn in a sentence."""
        view = scatter_view(self._subject, axes)
        low, high = np.quantile(view.points, [EDGE, 1 - EDGE], axis=0)
        room = float((high - low).max()) / 2 or 1.0
        points = np.clip((view.points - (low + high) / 2) / room, -1, 1)
        return points.astype(np.float32), view.about[0]

    def neighbours(self, row: int, count: int) -> list[tuple[int, float]]:
        """Return the samples nearest to one, and how far they are."""
        X = self.numbers
        squares = self._squares
        product = X @ X[[row]].T
        product = product.toarray() if sparse.issparse(product) else product
        distances = np.sqrt(np.maximum(squares + squares[row] - 2 * product.ravel(), 0))
        distances[row] = np.inf
        nearest = np.argsort(distances, kind="stable")[: min(count, len(distances) - 1)]
        return [(each, float(distances[each])) for each in nearest.tolist()]

    @cached_property
    def _squares(self) -> FloatArray:
        X = self.numbers
        squares = X.multiply(X) if sparse.issparse(X) else X * X
        return np.asarray(squares.sum(axis=1)).ravel()

    def means(self, labels: IntArray) -> FloatArray:
        """Return the centre of each cluster, in the order of their numbers."""
        clusters, place = np.unique(labels, return_inverse=True)
        members = sparse.csr_array(
            (np.ones(len(labels)), (place, np.arange(len(labels)))),
            shape=(len(clusters), len(labels)),
        )
        sums = members @ self.numbers
        sums = sums.toarray() if sparse.issparse(sums) else np.asarray(sums)
        return np.asarray(sums / np.bincount(place)[:, np.newaxis])


class Unseen:
    """A value that a cache takes without a look: other arguments tell what it is."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __hash__(self) -> int:
        return 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Unseen)
