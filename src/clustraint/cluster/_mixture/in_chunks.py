"""Mixtures of rows in chunks, by the same rounds and statements as in memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from clustraint.checks import as_generator
from clustraint.cluster._centroids import checked_weights
from clustraint.cluster._mixture.chunks import START_ROWS, ChunkedRounds, Setting, scope_rows
from clustraint.cluster._mixture.gaussians import Gaussians
from clustraint.constraints import Constraints
from clustraint.evaluation import ConstraintReport, KindReport
from clustraint.exceptions import ClustraintError, RulesInChunksError
from clustraint.rows import KnownLabels, Rows, counted_rows, drawn_rows
from clustraint.tables import read_columns
from clustraint.typing import FloatArray, IntArray


class MixtureInChunks:
    """How a mixture is fitted to rows in chunks; what it needs beside is that of memory."""

    labels_: Any
    _stated_labels: Mapping[int, Any]

    if TYPE_CHECKING:  # parameters, and what the mixture itself does

        def __getattr__(self, name: str) -> Any: ...

    def _fit_in_chunks(
        self,
        rows: Rows,
        y: Any,
        constraints: Constraints | None,
        sample_weight: ArrayLike | None = None,
        **options: Any,
    ) -> None:
        """Fit rows in chunks: those that statements are about are read once, and stay here."""
        if isinstance(constraints, Constraints) and any(r.exactly for r in constraints.rules):
            raise RulesInChunksError(type(self).__name__)
        n_rows, total = counted_rows(rows)
        self._check_parameters(n_rows)
        checked = self._check_constraints(constraints, rows)
        weights = None
        if sample_weight is not None:
            weights = checked_weights(sample_weight, np.empty((n_rows, 0))).astype(np.float64)
        labels = KnownLabels.of(y, n_rows)
        spoken = reduce(
            np.union1d, (checked.mentioned, scope_rows(rows, checked.rules), labels.rows)
        )
        points = rows.take(spoken).astype(np.float64)
        self._center = total / n_rows
        self._fit_around(rows, spoken, points, checked, labels, weights)

    def _fit_around(
        self,
        rows: Rows,
        spoken: IntArray,
        points: FloatArray,
        checked: Constraints,
        labels: KnownLabels,
        weights: FloatArray | None,
    ) -> None:
        """Fit all rows, of which those that statements speak of are here, as `points`."""
        few = checked[spoken]
        self._check_classes(labels.classes, len(labels.rows))
        self.classes_ = labels.names
        classes = labels.at(spoken)
        n_elsewhere = len(rows) - len(spoken)
        statements, links, evidence = self._evidence(points, few, classes, n_elsewhere)
        setting = Setting(self.covariance, self._center, self.assignment == "hard")
        near = points - self._center
        rounds = ChunkedRounds(rows, spoken, near, weights, evidence, setting, **self._manner)
        gaussians = self._chunked_start(rounds, checked, labels, weights)
        run = rounds.run_from(gaussians, self._first_odds(evidence), self.max_iter, self.tol)
        # For the rows at hand all is as in memory; the others add to the likelihood alone.
        far = rounds.far_likelihood(run.gaussians), float(rounds.weights.sum())
        beliefs = self._keep(near, rounds.near_weights, run, evidence, far)
        if links is not None:
            self._assign(links, classes)
        self._keep_doubts(self._doubts(near, run, links, evidence, beliefs), statements)
        if "labels" in self.doubt_:
            self.doubt_["labels"] = self.doubt_["labels"][classes >= 0]
        self._stated_labels = {int(spoken[i]): name for i, name in self._stated_labels.items()}
        satisfied = self._report(points, few)
        self.constraint_report_ = ConstraintReport(checked, _renumbered(satisfied, spoken))
        final = Gaussians(self.weights_, self.means_ - self._center, self.covariances_)
        self.labels_ = rounds.labels(final, self.labels_)
        # Of as many rows as there are, these are for `predict_proba` to say, chunk by chunk.
        del self.probabilities_
        self._warn_of(run, beliefs)

    def _chunked_start(
        self,
        rounds: ChunkedRounds,
        constraints: Constraints,
        labels: KnownLabels,
        weights: FloatArray | None,
    ) -> Gaussians:
        """Return first parameters: of the means in `init`, or of the best start on some rows."""
        rows = rounds.rows
        if not isinstance(self.init, str):
            init = np.asarray(self.init, dtype=np.float64)
            shape = (self.n_clusters, rows.n_features)
            if init.shape != shape:
                raise ClustraintError(f"init must be means of shape {shape} for rows in chunks.")
            return rounds.started(init - self._center)
        rng = as_generator(self.random_state)
        spoken = rounds.spoken
        chosen = np.union1d(drawn_rows(len(rows), START_ROWS, rng), spoken)
        few = clone(self).set_params(random_state=rng)
        few.fit(
            _named(rows.take(chosen), rows.names),
            labels.labels_at(chosen),
            constraints=constraints[chosen],
            sample_weight=None if weights is None else weights[chosen],
        )
        return Gaussians(few.weights_, few.means_ - self._center, few.covariances_)


def _named(points: FloatArray, names: tuple[str, ...] | None) -> Any:
    """Return rows with the names of their columns, which rules use."""
    return points if names is None else read_columns(points, names).to_frame()


def _renumbered(report: Mapping[str, KindReport], rows: IntArray) -> dict[str, KindReport]:
    """Return a report on a few rows with the numbers that these have among all."""
    return {
        kind: replace(each, samples={rule: rows[few] for rule, few in each.samples.items()})
        for kind, each in report.items()
    }
