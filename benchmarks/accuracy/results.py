"""Cells that have been run, and means over them."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean, median
from typing import Any

from benchmarks.accuracy.grid import GRIDS, NOTHING_SAID, Condition
from benchmarks.accuracy.methods import METHODS

Record = Mapping[str, Any]


class Outcomes:
    """Records by method, condition and table.

    A mean is one over seeds first and then over tables. Where a method failed there are no
    clusters, which agree with the classes no more than chance does: 0.
    """

    def __init__(self, cells: Iterable[tuple[Record, Sequence[Record]]]) -> None:
        self._records: dict[tuple[str, Condition], dict[str, list[Record]]] = defaultdict(
            lambda: defaultdict(list)
        )
        for parameters, records in cells:
            condition = Condition(parameters["kind"], parameters["budget"], parameters["wrong"])
            place = self._records[parameters["method"], condition]
            for record in records:
                place[parameters["table"]].append(record)

    @property
    def methods(self) -> list[str]:
        """The methods that have been run, in the order of the registry."""
        run = {method for (method, _), tables in self._records.items() if tables}
        return [name for name in METHODS if name in run]

    @property
    def conditions(self) -> list[Condition]:
        """The conditions that have been run, in the order of the full grid."""
        return sorted({condition for _, condition in self._records}, key=GRIDS["full"].index)

    def by_table(self, method: str, condition: Condition, field: str = "ari") -> dict[str, float]:
        """Return the mean over seeds for each table; a plain method is the same everywhere."""
        if METHODS[method].is_plain:
            condition = NOTHING_SAID
        tables = self._records.get((method, condition), {})
        missing = 0.0 if field in ("ari", "free") else None
        means = {}
        for name, records in tables.items():
            values = [record.get(field, missing) for record in records]
            numbers = [value for value in values if value is not None]
            if numbers:
                means[name] = fmean(numbers)
        return means

    def mean(
        self,
        method: str,
        condition: Condition,
        field: str = "ari",
        tables: Sequence[str] | None = None,
    ) -> float | None:
        """Return the mean over tables, None where nothing was run."""
        values = self.by_table(method, condition, field)
        chosen = [value for name, value in values.items() if tables is None or name in tables]
        return fmean(chosen) if chosen else None

    def all_records(self, method: str) -> list[Record]:
        """Return all records of a method."""
        return [
            record
            for (name, _), tables in self._records.items()
            if name == method
            for records in tables.values()
            for record in records
        ]

    def failures(self, method: str) -> float:
        """Return the share of runs that failed."""
        records = self.all_records(method)
        return fmean("failed" in record for record in records) if records else 0.0

    def seconds(self, method: str) -> float:
        """Return the median CPU time of a run."""
        return float(median(record["seconds"] for record in self.all_records(method)))

    def calibration(self, method: str, condition: Condition) -> list[tuple[float, float, int]]:
        """Return, by rising doubt, its mean, the share of statements that are wrong, and counts."""
        totals: list[list[float]] = []
        for records in self._records.get((method, condition), {}).values():
            for record in records:
                for place, counts in enumerate(json.loads(record.get("bins") or "[]")):
                    if place == len(totals):
                        totals.append([0.0, 0.0, 0.0])
                    totals[place] = [a + b for a, b in zip(totals[place], counts, strict=True)]
        return [(doubt / n, wrong / n, int(n)) for n, doubt, wrong in totals if n]
