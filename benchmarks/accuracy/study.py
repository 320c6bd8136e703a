"""What both studies on known tables share: their options, cells that are run once, their pages."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent.parent


@dataclass(frozen=True)
class TableStudy:
    """A study by its name: ``python -m benchmarks.NAME``, and what the documentation shows of it.

    `what` is what its cells are run by: methods, or strategies.
    """

    name: str
    description: str
    what: str
    full: str
    seeds: int

    @property
    def record(self) -> Path:
        """The tables that the documentation shows."""
        return ROOT / "docs" / f"{self.name}.json"

    def parser(self) -> argparse.ArgumentParser:
        """Return the options that every study has."""
        parser = argparse.ArgumentParser(
            prog=f"python -m benchmarks.{self.name}", description=self.description
        )
        add = parser.add_argument
        size = parser.add_mutually_exclusive_group()
        size.add_argument("--quick", action="store_true", help="three small tables, one seed")
        size.add_argument("--short", action="store_true", help="what matters most, one seed")
        size.add_argument("--full", action="store_true", help=f"{self.full}, ten seeds: hours")
        add("--seeds", metavar="N", type=int, help=f"default: {self.seeds}; 10 if full, else 1")
        add("--tables", metavar="NAMES", type=names, help="separated by ; (default: all)")
        add(f"--{self.what}", metavar="NAMES", type=names, help="separated by ; (default: all)")
        add("--jobs", metavar="N", type=int, default=1, help="processes (default: 1)")
        results = ROOT / "build" / f"{self.name}.sqlite"
        add("--results", metavar="FILE", type=Path, default=results, help="where cells are kept")
        add("--again", metavar="NAMES", type=names, default=[], help=f"{self.what} to run anew")
        add("--json", metavar="FILE", type=Path, help="write the tables there, too")
        add("--markdown", metavar="FILE", type=Path, help="write the tables in Markdown there, too")
        add("--picture", metavar="FILE", type=Path, help="draw a picture there (.svg, .png)")
        add("--docs", action="store_true", help="write what the documentation shows")
        return parser

    def run(
        self, cells: Mapping[str, Sequence[Any]], run: Callable[..., Any], options: Any
    ) -> Iterator[tuple[Any, Any]]:
        """Run the cells of each name that have no results; yield parameters and records of all."""
        from papers import Experiment, Paper, Store, run_paper

        def experiment(name: str) -> Experiment:
            return Experiment(name, name, "", run, lambda size: cells[name], lambda results: ())

        paper = Paper(self.name, self.name, "", "", (), tuple(map(experiment, cells)), ())
        with Store(options.results) as store:
            for name in options.again:
                store.forget(paper.name, name)
            done = run_paper(paper, store, size="full", n_jobs=options.jobs, watch=Line().watch)
            for trouble in done.troubles:
                place = f"{trouble.cell.experiment}, {trouble.cell.key}"
                print(f"{place}: {trouble.reason}", file=sys.stderr)
            for each in paper.experiments:
                keys = {cell.key for cell in each.cells("full")}
                for result in store.results(paper.name, each.name):
                    if result.cell.key in keys:
                        yield result.cell.parameters, result.records

    def main(
        self,
        options: argparse.Namespace,
        seeds: Mapping[str, int],
        measure: Callable[[argparse.Namespace, str, int], tuple[Any, list[str]]],
        sections: Callable[[Any], list[Any]],
        draw: Callable[[Any, Path], None],
        about: Mapping[str, Any],
    ) -> None:
        """Measure what has not been measured, print the page and write what was asked for."""
        from benchmarks.accuracy.summary import AccuracyPage
        from benchmarks.machine import surroundings

        sizes = [size for size in ("quick", "short", "full") if getattr(options, size)]
        grid = sizes[0] if sizes else "default"
        n_seeds = seeds[grid] if options.seeds is None else options.seeds
        outcomes, missing = measure(options, grid, n_seeds)
        facts = {**surroundings(), "grid": grid, "seeds": n_seeds, "skipped": missing, **about}
        page = AccuracyPage(facts, sections(outcomes))
        print(page.markdown())
        for path in filter(None, (options.json, self.record if options.docs else None)):
            page.write_json(path)
        if options.markdown is not None:
            options.markdown.write_text(page.markdown(), encoding="utf-8")
        shown = self.record.with_suffix(".svg") if options.docs else None
        for path in filter(None, (options.picture, shown)):
            draw(outcomes, path)


def one_thread() -> None:
    """Let linear algebra run on one thread; before numpy is imported, which reads it once."""
    from benchmarks.__main__ import THREADS

    os.environ.update(dict.fromkeys(THREADS, "1"))


def names(text: str) -> list[str]:
    return [name.strip() for name in text.split(";") if name.strip()]


def chosen(wanted: Sequence[str] | None, every: Sequence[str], what: str) -> list[str]:
    """Return the names wanted, or all; an unknown one ends the program."""
    unknown = [name for name in wanted or () if name not in every]
    if unknown:
        print(f"there is no {what} {unknown[0]!r}; there are {'; '.join(every)}", file=sys.stderr)
        raise SystemExit(2)
    return list(every) if wanted is None else list(wanted)


def tables_here(
    options: argparse.Namespace, quick_tables: Sequence[str]
) -> tuple[list[str], list[str]]:
    """Return the tables that are asked for and can be loaded, and those that cannot."""
    from benchmarks.accuracy.tables import NAMES, table
    from clustraint.exceptions import DatasetNotFoundError

    wanted = chosen(options.tables, NAMES, "table")
    if options.quick and options.tables is None:
        wanted = list(quick_tables)
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
