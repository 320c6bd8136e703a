"""Run what has not been run yet, and print the tables: ``python -m benchmarks.accuracy``."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent.parent
RESULTS = ROOT / "build" / "accuracy.sqlite"
RECORD = ROOT / "docs" / "accuracy.json"
PICTURE = ROOT / "docs" / "accuracy.svg"


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.accuracy",
        description="Adjusted Rand index on known tables, from statements of which some are wrong.",
    )
    add = parser.add_argument
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", action="store_true", help="three small tables, one seed")
    size.add_argument(
        "--full", action="store_true", help="all budgets and shares, ten seeds: hours"
    )
    add("--seeds", metavar="N", type=int, help="default: 5; 1 if quick, 10 if full")
    add("--tables", metavar="NAMES", type=names, help="separated by ; (default: all)")
    add("--methods", metavar="NAMES", type=names, help="separated by ; (default: all)")
    add("--jobs", metavar="N", type=int, default=1, help="processes (default: 1)")
    add("--results", metavar="FILE", type=Path, default=RESULTS, help="where cells are kept")
    add("--again", metavar="NAMES", type=names, default=[], help="methods to run anew")
    add("--json", metavar="FILE", type=Path, help="write the tables there, too")
    add("--markdown", metavar="FILE", type=Path, help="write the tables in Markdown there, too")
    add("--picture", metavar="FILE", type=Path, help="draw a picture there (.svg, .png)")
    add("--docs", action="store_true", help="write what the documentation shows")
    options = parser.parse_args(arguments)
    if options.docs and (options.quick or options.tables):
        parser.error("--docs shows all tables: it goes with neither --quick nor --tables")
    return options


def names(text: str) -> list[str]:
    return [name.strip() for name in text.split(";") if name.strip()]


def chosen(wanted: Sequence[str] | None, every: Sequence[str], what: str) -> list[str]:
    """Return the names wanted, or all; an unknown one ends the program."""
    unknown = [name for name in wanted or () if name not in every]
    if unknown:
        print(f"there is no {what} {unknown[0]!r}; there are {'; '.join(every)}", file=sys.stderr)
        raise SystemExit(2)
    return list(every) if wanted is None else list(wanted)


def tables_here(wanted: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the tables that can be loaded, and those that cannot."""
    from benchmarks.accuracy.tables import table
    from clustraint.exceptions import DatasetNotFoundError

    here, missing = [], []
    for name in wanted:
        try:
            table(name)
        except DatasetNotFoundError:
            missing.append(name)
            print(f"{name}: not found on this machine, skipped", file=sys.stderr)
        else:
            here.append(name)
    return here, missing


class Line:
    """Progress as one line that is written over, on a terminal; a line a minute elsewhere."""

    def __init__(self) -> None:
        self._start = self._last = time.monotonic()
        self._kept: int | None = None

    def watch(self, run: Any, total: int) -> None:
        """Show how far a run is."""
        now = time.monotonic()
        done = run.kept + run.done + len(run.troubles)
        is_terminal = sys.stderr.isatty()
        if done < total and now - self._last < (0.5 if is_terminal else 60):
            return
        self._last = now
        rate = (done - run.kept) / max(now - self._start, 1e-9)
        left = f", about {(total - done) / rate / 60:.0f} min left" if rate and done < total else ""
        end = "\r" if is_terminal and done < total else "\n"
        print(f"{done:,} of {total:,} cells{left}   ", end=end, file=sys.stderr, flush=True)


def measure(options: argparse.Namespace, grid: str, n_seeds: int) -> tuple[Any, list[str]]:
    """Run all cells that have no results; return the outcomes, and the tables left out."""
    from benchmarks.accuracy.grid import GRIDS, QUICK_TABLES, cells, run
    from benchmarks.accuracy.methods import METHODS, is_here
    from benchmarks.accuracy.results import Outcomes
    from benchmarks.accuracy.tables import NAMES
    from papers import Experiment, Paper, Store, run_paper

    wanted = chosen(options.tables, NAMES, "table")
    if options.quick and options.tables is None:
        wanted = list(QUICK_TABLES)
    methods = chosen(
        options.methods, [name for name in METHODS if is_here(METHODS[name])], "method"
    )
    here, missing = tables_here(wanted)

    def experiment(method: str) -> Experiment:
        parameters = list(cells(here, [method], GRIDS[grid], n_seeds))
        return Experiment(method, method, "", run, lambda size: parameters, lambda results: ())

    paper = Paper(
        "accuracy", "Accuracy", "", "", (), tuple(experiment(method) for method in methods), ()
    )
    with Store(options.results) as store:
        for method in chosen(options.again, list(METHODS), "method"):
            store.forget(paper.name, method)
        done = run_paper(paper, store, size="full", n_jobs=options.jobs, watch=Line().watch)
        for trouble in done.troubles:
            print(
                f"{trouble.cell.experiment}, {trouble.cell.key}: {trouble.reason}", file=sys.stderr
            )
        keys = {cell.key for each in paper.experiments for cell in each.cells("full")}
        outcomes = Outcomes(
            (result.cell.parameters, result.records)
            for method in methods
            for result in store.results(paper.name, method)
            if result.cell.key in keys
        )
    return outcomes, missing


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse(arguments)
    # Before numpy is imported, which reads it once: times are of one thread.
    from benchmarks.__main__ import THREADS

    os.environ.update(dict.fromkeys(THREADS, "1"))
    from benchmarks.accuracy.grid import SEEDS
    from benchmarks.accuracy.picture import draw
    from benchmarks.accuracy.summary import AccuracyPage, sections
    from benchmarks.machine import surroundings

    grid = "quick" if options.quick else "full" if options.full else "default"
    n_seeds = SEEDS[grid] if options.seeds is None else options.seeds
    outcomes, missing = measure(options, grid, n_seeds)
    about = {**surroundings(), "grid": grid, "seeds": n_seeds, "skipped": missing}
    page = AccuracyPage(about, sections(outcomes))
    print(page.markdown())
    for path in filter(None, (options.json, RECORD if options.docs else None)):
        page.write_json(path)
    if options.markdown is not None:
        options.markdown.write_text(page.markdown(), encoding="utf-8")
    for path in filter(None, (options.picture, PICTURE if options.docs else None)):
        draw(outcomes, path)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
