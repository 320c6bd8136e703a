"""Run what has not been run yet, and print the tables: ``python -m benchmarks.questions``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from benchmarks.accuracy.study import TableStudy, chosen, one_thread, tables_here

STUDY = TableStudy(
    "questions",
    "Adjusted Rand index on known tables, by the number of answers.",
    what="strategies",
    full="5 %% wrong too",
    seeds=3,
)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = STUDY.parser()
    parser.add_argument(
        "--estimator", metavar="NAME", default="BestClusterer", help="clusters by the answers"
    )
    options = parser.parse_args(arguments)
    if options.docs and (options.quick or options.tables):
        parser.error("--docs shows all tables: it goes with neither --quick nor --tables")
    return options


def measure(options: argparse.Namespace, grid: str, n_seeds: int) -> tuple[Any, list[str]]:
    """Run all cells that have no results; return the curves, and the tables left out."""
    from benchmarks.questions.grid import ASKED, GRIDS, QUICK_TABLES, cells, is_here, run
    from benchmarks.questions.summary import Curves

    at_hand = [name for name in ASKED if is_here(ASKED[name])]
    strategies = chosen(options.strategies, at_hand, "strategy")
    chosen(options.again, list(ASKED), "strategy")
    here, missing = tables_here(options, QUICK_TABLES)
    of_strategy = {
        name: list(cells(here, name, GRIDS[grid], n_seeds, options.estimator))
        for name in strategies
    }
    return Curves(STUDY.run(of_strategy, run, options)), missing


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse(arguments)
    one_thread()
    from benchmarks.questions.grid import SEEDS
    from benchmarks.questions.summary import draw, sections

    STUDY.main(options, SEEDS, measure, sections, draw, {"estimator": options.estimator})
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
