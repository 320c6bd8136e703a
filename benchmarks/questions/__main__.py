"""Run what has not been run yet, and print the tables: ``python -m benchmarks.questions``."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.accuracy.__main__ import Line, chosen, names, tables_here

ROOT = Path(__file__).parent.parent.parent
RESULTS = ROOT / "build" / "questions.sqlite"
RECORD = ROOT / "docs" / "questions.json"
PICTURE = ROOT / "docs" / "questions.svg"


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.questions",
        description="Adjusted Rand index on known tables, by the number of answers.",
    )
    add = parser.add_argument
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", action="store_true", help="three small tables, one seed")
    size.add_argument("--full", action="store_true", help="5 %% wrong too, ten seeds: hours")
    add("--seeds", metavar="N", type=int, help="default: 3; 1 if quick, 10 if full")
    add("--tables", metavar="NAMES", type=names, help="separated by ; (default: all)")
    add("--strategies", metavar="NAMES", type=names, help="separated by ; (default: all)")
    add("--estimator", metavar="NAME", default="BestClusterer", help="clusters by the answers")
    add("--jobs", metavar="N", type=int, default=1, help="processes (default: 1)")
    add("--results", metavar="FILE", type=Path, default=RESULTS, help="where cells are kept")
    add("--again", metavar="NAMES", type=names, default=[], help="strategies to run anew")
    add("--json", metavar="FILE", type=Path, help="write the tables there, too")
    add("--markdown", metavar="FILE", type=Path, help="write the tables in Markdown there, too")
    add("--picture", metavar="FILE", type=Path, help="draw a picture there (.svg, .png)")
    add("--docs", action="store_true", help="write what the documentation shows")
    options = parser.parse_args(arguments)
    if options.docs and (options.quick or options.tables or options.strategies):
        parser.error(
            "--docs shows a whole run: it goes with neither --quick, --tables nor --strategies"
        )
    return options


def measure(options: argparse.Namespace, grid: str, n_seeds: int) -> tuple[Any, list[str]]:
    """Run all cells that have no results; return the curves, and the tables left out."""
    from benchmarks.accuracy.tables import NAMES
    from benchmarks.questions.grid import ASKED, GRIDS, QUICK_TABLES, cells, is_here, run
    from benchmarks.questions.summary import Curves
    from papers import Experiment, Paper, Store, run_paper

    wanted = chosen(options.tables, NAMES, "table")
    if options.quick and options.tables is None:
        wanted = list(QUICK_TABLES)
    here, missing = tables_here(wanted)
    strategies = chosen(
        options.strategies, [name for name in ASKED if is_here(ASKED[name])], "strategy"
    )

    def experiment(name: str) -> Experiment:
        parameters = list(cells(here, name, GRIDS[grid], n_seeds, options.estimator))
        return Experiment(name, name, "", run, lambda size: parameters, lambda results: ())

    experiments = tuple(experiment(name) for name in strategies)
    paper = Paper("questions", "Questions", "", "", (), experiments, ())
    with Store(options.results) as store:
        for name in chosen(options.again, list(ASKED), "strategy"):
            store.forget(paper.name, name)
        done = run_paper(paper, store, size="full", n_jobs=options.jobs, watch=Line().watch)
        for trouble in done.troubles:
            place = f"{trouble.cell.experiment}, {trouble.cell.key}"
            print(f"{place}: {trouble.reason}", file=sys.stderr)
        keys = {cell.key for each in experiments for cell in each.cells("full")}
        curves = Curves(
            (result.cell.parameters, result.records)
            for name in strategies
            for result in store.results(paper.name, name)
            if result.cell.key in keys
        )
    return curves, missing


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse(arguments)
    # Before numpy is imported, which reads it once: times are of one thread.
    from benchmarks.__main__ import THREADS

    os.environ.update(dict.fromkeys(THREADS, "1"))
    from benchmarks.accuracy.summary import AccuracyPage
    from benchmarks.machine import surroundings
    from benchmarks.questions.grid import SEEDS
    from benchmarks.questions.summary import draw, sections

    grid = "quick" if options.quick else "full" if options.full else "default"
    n_seeds = SEEDS[grid] if options.seeds is None else options.seeds
    curves, missing = measure(options, grid, n_seeds)
    about = {**surroundings(), "grid": grid, "seeds": n_seeds, "skipped": missing}
    page = AccuracyPage({**about, "estimator": options.estimator}, sections(curves))
    print(page.markdown())
    for path in filter(None, (options.json, RECORD if options.docs else None)):
        page.write_json(path)
    if options.markdown is not None:
        options.markdown.write_text(page.markdown(), encoding="utf-8")
    for path in filter(None, (options.picture, PICTURE if options.docs else None)):
        draw(curves, path)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
