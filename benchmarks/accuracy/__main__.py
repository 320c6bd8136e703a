"""Run what has not been run yet, and print the tables: ``python -m benchmarks.accuracy``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from benchmarks.accuracy.study import TableStudy, chosen, one_thread, tables_here

STUDY = TableStudy(
    "accuracy",
    "Adjusted Rand index on known tables, from statements of which some are wrong.",
    what="methods",
    full="all budgets and shares",
    seeds=5,
)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = STUDY.parser()
    options = parser.parse_args(arguments)
    if options.docs and (options.quick or options.tables):
        parser.error("--docs shows all tables: it goes with neither --quick nor --tables")
    return options


def measure(options: argparse.Namespace, grid: str, n_seeds: int) -> tuple[Any, list[str]]:
    """Run all cells that have no results; return the outcomes, and the tables left out."""
    from benchmarks.accuracy.grid import GRIDS, QUICK_TABLES, cells, run
    from benchmarks.accuracy.methods import METHODS, is_here
    from benchmarks.accuracy.results import Outcomes

    at_hand = [name for name in METHODS if is_here(METHODS[name])]
    methods = chosen(options.methods, at_hand, "method")
    chosen(options.again, list(METHODS), "method")
    here, missing = tables_here(options, QUICK_TABLES)
    of_method = {name: list(cells(here, [name], GRIDS[grid], n_seeds)) for name in methods}
    return Outcomes(STUDY.run(of_method, run, options)), missing


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse(arguments)
    one_thread()
    from benchmarks.accuracy.grid import SEEDS
    from benchmarks.accuracy.picture import draw
    from benchmarks.accuracy.summary import sections

    STUDY.main(options, SEEDS, measure, sections, draw, {})
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
